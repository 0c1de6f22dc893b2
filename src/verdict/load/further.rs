//! Beyond the division: machines that do less at a time, places for a further source, loads that keep coming.

use serde::Serialize;

use super::answer::{Answer, Case};
use super::job::Job;
use super::words;
use super::{LoadOutcome, LoadVerdict};
use crate::error::{Error, Result};
use crate::load::programme::{self, Duplex, Variant};
use crate::load::{Cut, Forwarding, Plan, ports, queues};
use crate::topology::{Machine, PortModel};
use crate::units::NodeId;
use crate::verdict::Skipped;

/// The name of the method that is the optimum of a variant.
pub const PROGRAMME: &str = "programme";

/// How many places for a further source are told when nobody says.
pub const PLACES_DEFAULT: usize = 5;

/// Places are tried as long as all trials together look at no more nodes than this, and at least as many as are wanted.
const TRIED_NODES_MAX: usize = 200_000;

/// More trials than this make no better ranking.
const TRIALS_MAX: usize = 200;

/// The solver of linear programmes is good for this part of a makespan.
const SOLVER: f64 = 1e-6;

/// What is asked of a load beyond its division.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wishes {
    /// A machine that does less at a time; none for what the machine's ports say.
    pub variant: Option<Variant>,
    /// Places for a further source.
    pub next: Option<Next>,
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
}

/// The optimum of a variant.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VariantAnswer {
    /// All links of a node at a time, or one out and one in.
    pub ports: PortModel,
    /// Whether nodes compute while they communicate.
    pub front_end: bool,
    /// The size of results over that of loads.
    pub results: f64,
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

/// Whether loads that keep coming can be worked off.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QueuesAnswer {
    /// The version of this form: 1.
    pub format: u32,
    /// The specification of the machine.
    pub machine: String,
    /// The time of a load on a link over its time on a processor.
    pub sigma: f64,
    /// Where loads arrive.
    pub sources: Vec<Arrivals>,
    /// The answer.
    pub queues: Queues,
}

/// Loads that arrive at a node.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Arrivals {
    /// The node.
    pub node: NodeId,
    /// Its coordinates.
    pub at: Vec<u32>,
    /// Loads per unit of time w Tcp.
    pub rate: f64,
}

/// Whether queues stay short.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Queues {
    /// Whether they do: every set of nodes can do more than arrives in it.
    pub stable: bool,
    /// By how much all rates may be multiplied before some queue grows for ever.
    pub factor: f64,
    /// The set that is the first to have too much, in loads per unit of time.
    pub tightest: Cut,
}

/// Whether a machine can work off loads that keep coming: the loads of the job's sources are rates, in loads per unit
/// of time w Tcp.
///
/// # Errors
///
/// As for [`Job::problem`] and [`queues::stability`].
///
/// # Examples
///
/// ```
/// use meshwright::load::Source;
/// use meshwright::verdict::load::{self, Job};
/// use meshwright::{topology::Machine, units::NodeId};
/// let mesh = Machine::new("mesh:5x5")?;
/// let job = Job::new(&mesh, vec![Source::at(NodeId(12), 6.0)], 0.5, 1);
/// let answer = load::queues(&job, &mesh)?;
/// assert!(answer.queues.stable && (answer.queues.factor - 1.5).abs() < 1e-9);
/// # Ok::<(), meshwright::Error>(())
/// ```
pub fn queues(job: &Job, machine: &Machine) -> Result<QueuesAnswer> {
    let problem = job.problem(machine)?;
    let rate: f64 = job.sources.iter().map(|source| source.load).sum();
    let queues::Stability { stable, factor, tightest } = queues::stability(&problem, rate)?;
    let arrivals = |source: &crate::load::Source| Arrivals {
        node: source.node,
        at: machine.coordinates(source.node),
        rate: source.load * rate,
    };
    Ok(QueuesAnswer {
        format: 1,
        machine: machine.name.clone(),
        sigma: job.sigma,
        sources: problem.sources().iter().map(arrivals).collect(),
        queues: Queues { stable, factor, tightest },
    })
}

/// The variant that is wanted, and whether it was asked for: a machine of one port asks by itself.
fn variant(job: &Job, machine: &Machine) -> Option<(Variant, bool)> {
    let of_machine = Variant { ports: machine.ports, ..Variant::default() };
    let wanted = job.further.variant.unwrap_or(of_machine);
    (wanted != Variant::default()).then_some((wanted, job.further.variant.is_some()))
}

impl Case<'_, '_> {
    /// Answers the wishes; the shares of a variant are one more method.
    pub(super) fn further(
        &self,
        results: &mut Vec<LoadOutcome>,
        skipped: &mut Vec<Skipped>,
        progress: &mut dyn FnMut(&str),
    ) -> Result<Further> {
        let mut further = Further::default();
        if let Some((variant, asked)) = variant(self.job, self.machine) {
            progress(PROGRAMME);
            let theorem = programme::theorem(self.problem, &variant)?;
            match programme::solve(self.problem, &variant) {
                Ok(answer) => {
                    let found = self.variant(&variant, answer.makespan, theorem, answer.attained);
                    results.push(self.programme(&found, answer)?);
                    further.variant = Some(found);
                }
                Err(error @ (Error::TooLarge { .. } | Error::NotApplicable { .. }))
                    if theorem.is_some() || !asked =>
                {
                    skipped.push(Skipped {
                        method: PROGRAMME.to_string(),
                        why: error.to_string(),
                        deadlock: false,
                    });
                    let known = theorem.map(|known| self.variant(&variant, known.makespan, theorem, true));
                    further.variant = known;
                }
                Err(error) => return Err(error),
            }
        }
        if let Some(next) = self.job.further.next {
            progress("places for a further source");
            self.place(next, &mut further)?;
        }
        Ok(further)
    }

    /// The answer for a variant, whose makespan is exact where there is a theorem.
    fn variant(
        &self,
        variant: &Variant,
        makespan: f64,
        theorem: Option<programme::Theorem>,
        attained: bool,
    ) -> VariantAnswer {
        let least = self.optimum.makespan;
        let exact = theorem.map_or(makespan, |theorem| theorem.makespan);
        assert!((makespan - exact).abs() <= SOLVER * exact, "the programme finds {makespan}, not {exact}");
        assert!(exact >= least * (1.0 - SOLVER), "less at a time is not faster: {exact} for {least}");
        let makespan = exact.max(least);
        let Variant { ports, front_end, results, duplex } = *variant;
        VariantAnswer {
            ports,
            front_end,
            results,
            duplex,
            makespan,
            speedup: 1.0 / makespan,
            loss: makespan / least - 1.0,
            attained,
            theorem: theorem.map(|theorem| theorem.formula),
        }
    }

    /// The programme as a method among others.
    fn programme(&self, found: &VariantAnswer, answer: programme::Answer) -> Result<LoadOutcome> {
        let plan = Plan { makespan: found.makespan, shares: answer.work, cells: None };
        let mut method = Answer::of(plan, Forwarding::CutThrough);
        method.flow = Some(answer.flow);
        method.is_possible = true;
        if !found.attained {
            method.warning = Some(
                "a lower bound: on a network with rings of odd length nodes that take part in one message at a \
                 time may need longer"
                    .to_string(),
            );
        }
        super::outcome(self, PROGRAMME, method)
    }

    /// Ranks the places for a further source.
    fn place(&self, next: Next, further: &mut Further) -> Result<()> {
        let share = next.share.unwrap_or(1.0 / (self.problem.sources().len() + 1) as f64);
        let trials = (TRIED_NODES_MAX / self.depth.len()).clamp(1, TRIALS_MAX).max(next.places);
        let ranking = ports::next(self.problem, share, next.places, trials)?;
        let row = |place: &ports::Place| NextSource {
            node: place.node,
            at: self.machine.coordinates(place.node),
            makespan: place.makespan,
            gain: place.gain,
        };
        further.next_sources = Some(ranking.places.iter().map(row).collect());
        further.next_share = Some(share);
        further.next_proved = Some(ranking.proved);
        Ok(())
    }
}

impl VariantAnswer {
    /// What sets the machine apart, as in `one port, half duplex`.
    fn machine(&self) -> String {
        let mut words = Vec::new();
        if self.ports == PortModel::One {
            words.push("one port".to_string());
        }
        if !self.front_end {
            words.push("no front end".to_string());
        }
        if self.results > 0.0 {
            words.push(format!("results {} times the load", words::short(self.results)));
        }
        if self.duplex == Duplex::Half {
            words.push("half duplex".to_string());
        }
        words.join(", ")
    }
}

impl LoadVerdict {
    /// The answers to what was asked beyond the division, a sentence each.
    pub fn further_sentences(&self, machine: &Machine) -> Vec<String> {
        let mut sentences = Vec::new();
        if let Some(variant) = &self.further.variant {
            let loss = match variant.loss {
                loss if loss < SOLVER => "as the optimum".to_string(),
                loss => format!("{} times as long as the optimum", words::short(1.0 + loss)),
            };
            let speedup = words::short(variant.speedup);
            let theorem = variant.theorem.map_or(String::new(), |formula| format!(" (a theorem: {formula})"));
            let bound = if variant.attained { "" } else { "at most, " };
            sentences.push(format!("With {}: speedup {bound}{speedup}{theorem}, {loss}.", variant.machine()));
        }
        let further = &self.further;
        if let (Some(places), Some(share), Some(proved)) =
            (&further.next_sources, further.next_share, further.next_proved)
        {
            sentences.push(match places.first() {
                Some(best) => format!(
                    "A further source with {} of the load is best at {}: done by {}, {} times as fast{}.",
                    words::short(share),
                    machine.node_name(best.node),
                    words::short(best.makespan),
                    words::short(best.gain),
                    if proved {
                        ""
                    } else {
                        "; not all places were tried, and a better one is not ruled out"
                    }
                ),
                None => "No place was found for a further source.".to_string(),
            });
        }
        sentences
    }
}

impl QueuesAnswer {
    /// Whether the queues stay short and what limits them, in a sentence.
    pub fn sentence(&self, machine: &Machine) -> String {
        let Queues { stable, factor, tightest } = &self.queues;
        let factor = words::short(*factor);
        let (nodes, verb) = (words::nodes(tightest, machine), words::verbs(tightest));
        let [demand, capacity] = [tightest.demand, tightest.capacity].map(words::short);
        let set =
            format!("{nodes} {verb} {demand} loads per unit of time and can work off or send out {capacity}");
        match stable {
            true => format!("Stable: all rates may grow to less than {factor} times what they are; {set}."),
            false => format!("Not stable: all rates must fall below {factor} times what they are; {set}."),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::Source;

    #[test]
    fn a_machine_of_one_port_asks_by_itself() {
        let mut machine = Machine::new("mesh:3x3").unwrap();
        let mut job = Job::new(&machine, vec![Source::at(NodeId(4), 1.0)], 0.5, 1000);
        assert_eq!(variant(&job, &machine), None);
        machine.ports = PortModel::One;
        let one = Variant { ports: PortModel::One, ..Variant::default() };
        assert_eq!(variant(&job, &machine), Some((one, false)));
        job.further.variant = Some(one);
        assert_eq!(variant(&job, &machine), Some((one, true)));
        job.further.variant = Some(Variant::default());
        assert_eq!(variant(&job, &machine), None, "all ports: that is the optimum itself");
    }
}
