//! The policies that share out a load while it is worked off.

use std::cell::RefCell;

use meshwright_core::error::Result;
use meshwright_core::units::NodeId;
use meshwright_load::dynamic::{
    Case, Central, Diffusion, Fixed, Ledger, Policy, Resolved, Rule, Stealing, Victims, Worker,
};
use meshwright_network::topology::Topology;
use meshwright_schedule::watched::{ProcessLog, Watched};

/// A way to share out what changes.
pub struct PolicyEntry {
    /// Its name on the command line and in tables.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    pub(super) run: fn(&Round<'_>) -> Result<Ledger>,
}

/// Every policy.
pub const POLICIES: &[PolicyEntry] = &[
    PolicyEntry {
        name: "resolved",
        summary: "the optimum, solved again and again by what was measured",
        run: |round| {
            let mut all = Resolved::all(round.case).into_iter();
            round.run(|_| all.next().expect("one for each node"))
        },
    },
    PolicyEntry {
        name: "fixed",
        summary: "the static optimum, solved once",
        run: |round| round.run(|node| Fixed::new(round.case, node)),
    },
    PolicyEntry {
        name: "guided",
        summary: "who is idle asks the source for 1/P of what is left",
        run: |round| round.run(|_| Central::new(round.case, Rule::Guided)),
    },
    PolicyEntry {
        name: "factoring",
        summary: "the same in P equal chunks of half of what is left",
        run: |round| round.run(|_| Central::new(round.case, Rule::Factoring)),
    },
    PolicyEntry {
        name: "trapezoid",
        summary: "the same in chunks that shrink by equal steps",
        run: |round| round.run(|_| Central::new(round.case, Rule::Trapezoid)),
    },
    PolicyEntry {
        name: "steal-random",
        summary: "who is idle takes half of what anybody has",
        run: |round| round.steal(Victims::Random),
    },
    PolicyEntry {
        name: "steal-nearest",
        summary: "who is idle takes half of what a neighbour has",
        run: |round| round.steal(Victims::Nearest),
    },
    PolicyEntry {
        name: "steal-level",
        summary: "the same within 1 hop, then 2, 4, 8",
        run: |round| round.steal(Victims::Level),
    },
    PolicyEntry {
        name: "diffusion",
        summary: "neighbours even out what waits",
        run: |round| round.run(|node| Diffusion::new(round.case, node)),
    },
];

/// A policy's run under one seed.
pub(super) struct Round<'r> {
    pub(super) case: &'r Case<'r>,
    pub(super) seed: u64,
    /// Where messages and computations are noted, if they are.
    pub(super) log: Option<&'r RefCell<ProcessLog>>,
}

impl Round<'_> {
    fn steal(&self, victims: Victims) -> Result<Ledger> {
        self.run(|node| Stealing::new(self.case, node, victims, self.seed))
    }

    /// Runs a policy on the simulated machine.
    fn run<P: Policy>(&self, mut make: impl FnMut(NodeId) -> P) -> Result<Ledger> {
        let Self { case, log, .. } = *self;
        let ledger = RefCell::new(Ledger::new(case));
        let nodes = (0..case.machine().nodes()).map(NodeId);
        let mut workers: Vec<_> =
            nodes.map(|node| Watched::new(Worker::new(case, &ledger, node, make(node)), log)).collect();
        meshwright_sim::run_whole(case.machine(), &mut workers)?;
        drop(workers);
        Ok(ledger.into_inner())
    }
}
