//! The reference of the claims: the mappings built word by word, their metrics, and the referee.
//!
//! | paper | here | unit |
//! |---|---|---|
//! | M_R, M_G | [`Mapping`] | |
//! | E_i, D(E_i), \|I(e)\| | [`StudyPhase`] | links, messages |
//! | T(E_C) | [`Survey::weighted`], [`Study::simulate`] | volumes of the root, ticks |

use super::literal::{self, Arc, MeshPlace};
use meshwright_core::error::Result;
use meshwright_core::exact::Exact;
use meshwright_core::units::{Bytes, Cycles, NodeId, Ratio};
use meshwright_mapping::{Request, metrics, place};
use meshwright_network::routing::{self, Pair};
use meshwright_network::topology::{Costs, Machine, Switching, Topology};
use meshwright_schedule::cost::LinkLoads;
use meshwright_schedule::{Message, Phases};
use meshwright_sim as sim;
use meshwright_sim::Trace;

/// Larger trees are not simulated: the referee would take longer than all the rest.
const N_SIMULATED_MAX: u32 = 12;

/// The shares alpha for which sums are compared: those the paper names, and others up to both ends.
pub(super) const ALPHAS: [(i64, i64); 8] =
    [(1, 1), (1, 2), (1, 4), (1, 3), (7, 10), (9, 10), (99, 100), (1, 100)];

/// The shares as fractions, 1 and 1/2 first.
pub(super) fn alphas() -> impl Iterator<Item = Exact> {
    ALPHAS.iter().map(|&(p, q)| Exact::fraction(p, q))
}

/// A placement that is compared with a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mapping {
    /// Definition 2, built word by word.
    Reflecting,
    /// Definition 3, built word by word.
    Growing,
    /// A placement of the program, by name.
    Named(&'static str),
}

impl Mapping {
    /// How it is written in tables.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Reflecting => "M_R",
            Self::Growing => "M_G",
            Self::Named(name) => name,
        }
    }
}

/// The two mappings of the paper.
pub(super) const BOTH: [Mapping; 2] = [Mapping::Reflecting, Mapping::Growing];

/// One phase of a mapping: all messages have weight 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StudyPhase {
    /// How many messages.
    pub(super) messages: u64,
    /// D(E_i), the longest route.
    pub(super) dilation: u32,
    /// The shortest route.
    pub(super) dilation_least: u32,
    /// The greatest |I(e)|.
    pub(super) contention: u32,
    /// The least |I(e)|.
    pub(super) contention_least: u32,
    /// The most messages on one link.
    pub(super) link_load: u32,
}

/// All phases of a mapping of B(n), phase i at index i - 1.
#[derive(Clone, Debug)]
pub(super) struct Survey {
    pub(super) phases: Vec<StudyPhase>,
    pub(super) hops_total: u64,
}

impl Survey {
    /// The sum of the dilations of all phases: T(E_C) / c for small volumes under store-and-forward.
    pub(super) fn dilations(&self) -> u64 {
        self.phases.iter().map(|phase| u64::from(phase.dilation)).sum()
    }

    /// The sum of alpha^i D(E_i): T(E_C) / b for large volumes under store-and-forward.
    pub(super) fn weighted(&self, alpha: &Exact) -> Exact {
        self.sum(alpha, |phase| phase.dilation)
    }

    /// The sum of alpha^i times a figure of phase i.
    pub(super) fn sum(&self, alpha: &Exact, figure: impl Fn(&StudyPhase) -> u32) -> Exact {
        (1u32..).zip(&self.phases).map(|(i, phase)| alpha.power(i) * Exact::from(figure(phase))).sum()
    }
}

/// Trees and mappings up to B(n_max), with their metrics.
pub(super) struct Study {
    pub(super) n_max: u32,
    trees: Vec<Vec<Option<Arc>>>,
    reflecting: Vec<Vec<MeshPlace>>,
    growing: Vec<Vec<MeshPlace>>,
    surveys: [Vec<Survey>; 2],
}

impl Study {
    /// Builds everything, measures both mappings.
    pub(super) fn new(n_max: u32, progress: &mut dyn FnMut(&str)) -> Result<Self> {
        let reflecting = literal::reflecting(n_max);
        let growing = literal::growing(&reflecting);
        let trees = (0..=n_max).map(literal::tree).collect();
        Self::measured(n_max, trees, reflecting, growing, progress)
    }

    /// Measures mappings of trees that are built.
    fn measured(
        n_max: u32,
        trees: Vec<Vec<Option<Arc>>>,
        reflecting: Vec<Vec<MeshPlace>>,
        growing: Vec<Vec<MeshPlace>>,
        progress: &mut dyn FnMut(&str),
    ) -> Result<Self> {
        let mut study = Self { n_max, trees, reflecting, growing, surveys: [Vec::new(), Vec::new()] };
        for (index, mapping) in BOTH.into_iter().enumerate() {
            for n in 0..=n_max {
                progress(&format!("{} of B({n})", mapping.name()));
                let survey = study.measure(mapping, n)?;
                study.surveys[index].push(survey);
            }
        }
        Ok(study)
    }

    /// A study of which the definitions are wrong on purpose: both mappings exchanged, or a leaf hung on the root.
    #[cfg(test)]
    pub(super) fn broken(n_max: u32, exchange: bool) -> Result<Self> {
        let mut reflecting = literal::reflecting(n_max);
        let mut growing = literal::growing(&reflecting);
        let mut trees: Vec<_> = (0..=n_max).map(literal::tree).collect();
        if exchange {
            std::mem::swap(&mut reflecting, &mut growing);
        } else {
            for tree in trees.iter_mut().skip(2) {
                let root = tree.len() as u32 - 1;
                tree[0] = tree[0].map(|arc| Arc { parent: root, ..arc });
            }
        }
        Self::measured(n_max, trees, reflecting, growing, &mut |_| {})
    }

    /// The mesh of B(n), 2^floor(n/2) rows and 2^ceil(n/2) columns.
    pub(super) fn sides(n: u32) -> (u32, u32) {
        (1 << (n / 2), 1 << n.div_ceil(2))
    }

    /// That mesh as a machine.
    pub(super) fn mesh(n: u32) -> Result<Machine> {
        let (rows, columns) = Self::sides(n);
        Machine::mesh([rows, columns])
    }

    /// Definition 1, by label.
    pub(super) fn tree(&self, n: u32) -> &[Option<Arc>] {
        &self.trees[n as usize]
    }

    /// Where definitions 2 and 3 put each task.
    pub(super) fn places(&self, mapping: Mapping, n: u32) -> &[MeshPlace] {
        match mapping {
            Mapping::Reflecting => &self.reflecting[n as usize],
            Mapping::Growing => &self.growing[n as usize],
            Mapping::Named(name) => unreachable!("{name} is not a mapping of the paper"),
        }
    }

    /// The metrics of a mapping of the paper.
    pub(super) fn survey(&self, mapping: Mapping, n: u32) -> &Survey {
        match mapping {
            Mapping::Reflecting => &self.surveys[0][n as usize],
            Mapping::Growing => &self.surveys[1][n as usize],
            Mapping::Named(name) => unreachable!("{name} is measured when it is asked for"),
        }
    }

    /// Trees up to here are simulated.
    pub(super) fn n_simulated(&self) -> u32 {
        self.n_max.min(N_SIMULATED_MAX)
    }

    /// The node of each task.
    pub(super) fn nodes(&self, mapping: Mapping, n: u32, mesh: &Machine) -> Result<Vec<NodeId>> {
        let columns = Self::sides(n).1;
        match mapping {
            Mapping::Named(name) => Ok(place(name, &Request::count(1 << n, mesh, 0))?.nodes),
            _ => Ok(self
                .places(mapping, n)
                .iter()
                .map(|&(row, column)| NodeId(row * columns + column))
                .collect()),
        }
    }

    /// The messages of the divide stage; `bytes` gives the size in each phase.
    pub(super) fn messages(
        &self,
        mapping: Mapping,
        n: u32,
        mesh: &Machine,
        bytes: impl Fn(u32) -> u64,
    ) -> Result<Phases> {
        let nodes = self.nodes(mapping, n, mesh)?;
        let message = |(label, arc): (usize, &Option<Arc>)| {
            arc.map(|Arc { parent, phase }| Message {
                source: nodes[parent as usize],
                target: nodes[label],
                bytes: Bytes(bytes(phase)),
                phase,
            })
        };
        let messages = self.tree(n).iter().enumerate().filter_map(message).collect();
        Ok(Phases::new(mesh.nodes(), messages))
    }

    /// Measures a mapping, all messages of weight 1.
    pub(super) fn measure(&self, mapping: Mapping, n: u32) -> Result<Survey> {
        let mesh = Self::mesh(n)?;
        let phases = self.messages(mapping, n, &mesh, |_| 1)?;
        let mut loads = LinkLoads::new(mesh.links());
        let mut survey = Survey { phases: Vec::new(), hops_total: 0 };
        for index in 0..phases.len() {
            let messages = phases.phase(index);
            let pairs: Vec<Pair> = messages.iter().map(Message::pair).collect();
            let routes = routing::routes(&mesh, &pairs)?;
            loads.fill(messages, &routes);
            let met = metrics::meetings(messages, &routes, &loads);
            let figures = metrics::phase(messages, &routes, &loads, &met);
            let hops = || pairs.iter().enumerate().map(|(index, &pair)| routes.hops(index, pair).0);
            survey.hops_total += figures.hops_total;
            survey.phases.push(StudyPhase {
                messages: figures.messages,
                dilation: figures.dilation.0,
                dilation_least: hops().min().unwrap_or(0),
                contention: figures.contention,
                contention_least: met.iter().map(|(count, _)| *count).min().unwrap_or(0),
                link_load: figures.link_load,
            });
        }
        Ok(survey)
    }

    /// What the referee measures; `bytes` gives the size in each phase.
    pub(super) fn simulate(
        &self,
        mapping: Mapping,
        n: u32,
        switching: Switching,
        costs: Costs,
        bytes: impl Fn(u32) -> u64,
    ) -> Result<Trace> {
        let mut mesh = Self::mesh(n)?.with_switching(switching);
        mesh = mesh.with_costs(costs).unwrap();
        self.simulate_on(&mesh, mapping, n, bytes)
    }

    /// The same on a mesh of one's own.
    pub(super) fn simulate_on(
        &self,
        mesh: &Machine,
        mapping: Mapping,
        n: u32,
        bytes: impl Fn(u32) -> u64,
    ) -> Result<Trace> {
        let trace = sim::simulate(mesh, &self.messages(mapping, n, mesh, bytes)?, &sim::Engine::Message)?;
        assert!(trace.deadlock.is_none(), "routes row by row on a mesh close no ring");
        Ok(trace)
    }

    /// The simulated T(E_C) / b for large volumes, in volumes of the root: c = h = 0, alpha 1 or 1/2.
    pub(super) fn simulate_large(
        &self,
        mapping: Mapping,
        n: u32,
        switching: Switching,
        halving: bool,
    ) -> Result<Exact> {
        let volume = 1u64 << if halving { n } else { 0 };
        let trace =
            self.simulate(mapping, n, switching, costs(0, 1, 0), |i| if halving { volume >> i } else { 1 })?;
        Ok(Exact::from(trace.ticks) / Exact::from(volume))
    }
}

/// Start-up c, byte time b and head flit h.
pub(super) fn costs(startup: u64, byte_time: u64, flit: u64) -> Costs {
    Costs { startup: Cycles(startup), byte_time: Ratio::whole(byte_time), flit: Bytes(flit) }
}

/// The weights of phases 1 to n summed: alpha + ... + alpha^n, term by term.
pub(super) fn weights(alpha: &Exact, n: u32) -> Exact {
    (1..=n).map(|i| alpha.power(i)).sum()
}
