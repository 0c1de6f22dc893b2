//! Beyond the division: machines that do less at a time, places for a further source, the load again and again.

use serde::Serialize;

use super::answer::Case;
use super::terms::Terms;
use super::{Changing, DynamicAnswer, LoadVerdict, Queues};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_core::words::short;
use meshwright_load::lp::{self, Duplex, Ports, Variant};
use meshwright_load::ports::Ranking;
use meshwright_load::{Problem, ports, queues};
use meshwright_network::topology::Machine;

/// The name of the method that is the optimum of a variant.
pub const PROGRAMME: &str = "programme";

/// How many places for a further source are told when nobody says.
pub const PLACES_DEFAULT: usize = 5;

/// Places are tried as long as all trials together look at no more nodes than this, and at least as many as are wanted.
const TRIED_NODES_MAX: usize = 200_000;

/// The same where each trial is a linear programme.
const PROGRAMMED_NODES_MAX: usize = 20_000;

/// More trials than this make no better ranking.
const TRIALS_MAX: usize = 200;

/// What is asked of a load beyond its division.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wishes {
    /// A machine that does less at a time; none for what the machine's ports say.
    pub variant: Option<Variant>,
    /// Places for a further source.
    pub next: Option<Next>,
    /// After how long the load comes again, for ever, in units of w Tcp.
    pub every: Option<f64>,
    /// Loads and speeds that change.
    pub dynamic: Option<Box<Changing>>,
}

/// A further source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Next {
    /// The share of the whole load that it takes from all others alike; none for 1 / (sources + 1).
    pub share: Option<f64>,
    /// How many places are told.
    pub places: usize,
}

/// The answers to [`Wishes`].
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Further {
    /// The optimum of a machine that does less at a time.
    pub variant: Option<VariantAnswer>,
    /// The best places for a further source, best first.
    pub next_sources: Option<Vec<NextSource>>,
    /// The share of the whole load that it takes.
    pub next_share: Option<f64>,
    /// Whether it is proved that no place is better than the first.
    pub next_proved: Option<bool>,
    /// Whether the places are those of a machine that does more at a time, for the one asked for is too large.
    pub next_plain: Option<bool>,
    /// Whether the load can be worked off when it comes again and again.
    pub queues: Option<Queues>,
    /// What the policies make of loads and speeds that change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dynamic: Option<Box<DynamicAnswer>>,
}

/// The optimum of a variant.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VariantAnswer {
    /// How many messages a node takes part in at a time: on all links, or so many out and so many in.
    pub ports: Ports,
    /// Whether nodes compute while they communicate.
    pub front_end: bool,
    /// The size of results over that of loads.
    pub results: f64,
    /// Where the results go; none for the source of their load.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub home: Option<NodeId>,
    /// How much load that is not its own a node has room for, as a share of the whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<f64>,
    /// Whether wires carry both directions at a time.
    pub duplex: Duplex,
    /// When all is worked off and every result is back, in units of w Tcp.
    pub makespan: f64,
    /// 1 / makespan.
    pub speedup: f64,
    /// makespan / that of the fluid optimum - 1.
    pub loss: f64,
    /// Whether schedules come as near to it as one likes; else it is a lower bound.
    pub attained: bool,
    /// The formula of the speedup, where there is a theorem.
    pub theorem: Option<&'static str>,
}

/// A place for a further source.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NextSource {
    /// The node.
    pub node: NodeId,
    /// Its coordinates.
    pub at: Vec<u32>,
    /// The least makespan with the source there, in units of w Tcp.
    pub makespan: f64,
    /// The least makespan without it over that with it.
    pub gain: f64,
}

impl Case<'_, '_> {
    /// Answers the wishes.
    pub(super) fn further(&self, progress: &mut dyn FnMut(&str)) -> Result<Further> {
        let variant = self.limited.as_ref().map(|limited| limited.answer.clone());
        let mut further = Further { variant, ..Further::default() };
        if let Some(next) = self.job.further.next {
            progress("places for a further source");
            self.place(next, &mut further)?;
        }
        if let Some(every) = self.job.further.every {
            further.queues = Some(self.again(every)?);
        }
        if let Some(asked) = &self.job.further.dynamic {
            further.dynamic = Some(Box::new(super::dynamic(self.job, self.machine, asked, progress)?));
        }
        Ok(further)
    }

    /// Whether the load can be worked off when it comes again and again: in the long run releases do not matter.
    fn again(&self, every: f64) -> Result<Queues> {
        let mut job = self.job.clone();
        job.sources.iter_mut().for_each(|source| source.release = 0.0);
        Ok(queues::stability(&job.problem(self.machine)?, 1.0 / every)?.into())
    }

    /// Ranks the places for a further source.
    fn place(&self, next: Next, further: &mut Further) -> Result<()> {
        let share = next.share.unwrap_or(1.0 / (self.problem.sources().len() + 1) as f64);
        let (ranking, is_plain) = self.ranking(share, next.places)?;
        let row = |place: &ports::SourcePlace| NextSource {
            node: place.node,
            at: self.machine.coordinates(place.node),
            makespan: place.makespan,
            gain: place.gain,
        };
        further.next_sources = Some(ranking.places.iter().map(row).collect());
        further.next_share = Some(share);
        further.next_proved = Some(ranking.proved);
        further.next_plain = Some(is_plain);
        Ok(())
    }

    /// The ranking, and whether it is that of a machine that does more at a time.
    fn ranking(&self, share: f64, wanted: usize) -> Result<(Ranking, bool)> {
        let trials = |nodes_max: usize| (nodes_max / self.depth.len()).clamp(1, TRIALS_MAX).max(wanted);
        if self.limited.is_some() {
            let least = |problem: &Problem<'_>| match lp::theorem(problem, &self.terms.variant)? {
                Some(theorem) => Ok(theorem.makespan),
                None => Ok(lp::solve(problem, &self.terms.variant)?.makespan),
            };
            match ports::next_by(self.problem, share, wanted, trials(PROGRAMMED_NODES_MAX), &least) {
                Err(Error::TooLarge { .. } | Error::NotApplicable { .. }) => {}
                found => return Ok((found?, false)),
            }
        }
        let plain = ports::next(self.problem, share, wanted, trials(TRIED_NODES_MAX))?;
        Ok((plain, self.limited.is_some()))
    }
}

impl VariantAnswer {
    /// What sets the machine apart, as in `one port, half duplex`.
    pub fn limits(&self) -> String {
        let Self { ports, front_end, results, home, memory, duplex, .. } = *self;
        let variant = Variant { ports, front_end, results, home, memory, duplex };
        Terms { variant, startup: 0.0 }.limits()
    }
}

impl LoadVerdict {
    /// The answers to what was asked beyond the division, a sentence each.
    pub fn further_sentences(&self, machine: &Machine) -> Vec<String> {
        let mut sentences = Vec::new();
        if let Some(variant) = &self.facts.further.variant {
            let loss = match short(1.0 + variant.loss).as_str() {
                "1" => "as the optimum".to_string(),
                times => format!("{times} times as long as the optimum"),
            };
            let speedup = short(variant.speedup);
            let theorem = variant.theorem.map_or(String::new(), |formula| format!(" (a theorem: {formula})"));
            let bound = if variant.attained { "" } else { "at most " };
            sentences.push(format!("With {}: speedup {bound}{speedup}{theorem}, {loss}.", variant.limits()));
        }
        let further = &self.facts.further;
        // Queues are those of a machine that does all at a time.
        let of_another = |is_plain| if is_plain { ", on a machine with nothing of that" } else { "" };
        let plain = of_another(further.variant.is_some());
        if let (Some(places), Some(share), Some(proved)) =
            (&further.next_sources, further.next_share, further.next_proved)
        {
            sentences.push(match places.first() {
                Some(best) => format!(
                    "A further source with {} of the load is best at {}: done by {}, {} times as fast{}{}{}.",
                    short(share),
                    machine.node_name(best.node),
                    short(best.makespan),
                    short(best.gain),
                    if proved {
                        ""
                    } else {
                        "; not all places were tried, and a better one is not ruled out"
                    },
                    of_another(further.next_plain == Some(true)),
                    if self.facts.startup > 0.0 { ", if messages cost no start-up" } else { "" }
                ),
                None => "No place was found for a further source.".to_string(),
            });
        }
        let dynamic = further.dynamic.iter().map(|answer| answer.sentence());
        sentences.extend(dynamic.map(|sentence| format!("While loads and speeds change: {sentence}")));
        let queues = further.queues.iter().map(|queues| queues.sentence(machine));
        sentences.extend(queues.map(|sentence| format!("Coming again and again{plain}: {sentence}")));
        sentences
    }
}
