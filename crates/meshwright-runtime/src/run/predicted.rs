//! Prediction of a schedule by the referee, phase by phase.

use std::collections::BTreeMap;

use crate::skeleton::execute::Links;
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Bytes, Cycles, Ratio};
use meshwright_network::topology::graph_file::{Arc, ArcList};
use meshwright_network::topology::{Costs, Graph, Machine, Switching};
use meshwright_schedule::{CALC_MAX, Op, Schedule};
use meshwright_sim as sim;
use meshwright_sim::flit::Router;
use meshwright_sim::recording;

/// Ranks that all have links to each other are simulated up to this number.
const COMPLETE_MAX: u32 = 1024;

/// The finest part of a nanosecond per byte.
const FINEST: u64 = 4096;

/// What a ratio of costs may consist of.
const TERM_MAX: f64 = 65_536.0;

/// The referee's times: all, and by tag from the first send's start to the last arrival, in cycles.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PredictedTimes {
    pub(crate) all: f64,
    pub(super) phases: BTreeMap<u32, f64>,
}

/// The times of a schedule on a machine, as `meshwright simulate` has them.
///
/// # Errors
///
/// As for [`sim::simulate`]; [`Error::NotApplicable`] when it comes to a standstill there.
pub(crate) fn times(machine: &Machine, schedule: &Schedule) -> Result<PredictedTimes> {
    let engine = match Router::described(machine)? {
        Some(router) => sim::Engine::Flit(router.into()),
        None => sim::Engine::Message,
    };
    let (trace, timeline) = recording::watch_on(machine, schedule, &engine)?;
    if trace.deadlock.is_some() {
        let why = format!("messages wait for each other in a ring on {}", machine.name());
        return Err(Error::not_applicable("a prediction", why));
    }
    let mut spans: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    let ends = timeline.arrivals.iter().zip(&trace.latency_ticks);
    for (message, (&arrival, &latency)) in schedule.messages().iter().zip(ends) {
        let span = spans.entry(message.tag).or_insert((u64::MAX, 0));
        *span = (span.0.min(arrival - latency), span.1.max(arrival));
    }
    let cycles = |ticks: u64| ticks as f64 / machine.costs().ticks_per_cycle() as f64;
    let phases = spans.into_iter().map(|(tag, (begin, end))| (tag, cycles(end - begin))).collect();
    Ok(PredictedTimes { all: cycles(trace.ticks), phases })
}

/// A machine whose cycles are nanoseconds and whose messages cost what was measured: the network of the plan, or a link
/// between any two ranks. Messages cut through.
pub(crate) fn machine(planned: Option<&Machine>, ranks: u32, links: Links) -> Result<Machine> {
    let machine = match planned {
        Some(machine) => machine.clone(),
        None => complete(ranks)?,
    };
    let startup = Cycles(links.startup.round().min(TERM_MAX * TERM_MAX) as u64);
    let costs = Costs { startup, byte_time: ratio(links.byte_time)?, flit: Bytes(0) };
    Ok(machine.alike().with_costs(costs)?.with_switching(Switching::CutThrough))
}

/// A link between any two ranks.
fn complete(ranks: u32) -> Result<Machine> {
    if ranks > COMPLETE_MAX {
        return Err(Error::TooLarge {
            what: "a network with a link between any two ranks",
            needed: format!("{ranks} ranks"),
            limit: format!("{COMPLETE_MAX}; --on MACHINE names another network"),
        });
    }
    let arcs = (0..ranks).flat_map(|from| (from + 1..ranks).map(move |to| Arc { from, to, weight: 1 }));
    let graph = Graph::from_arcs(&ArcList { vertices: ranks, arcs: arcs.collect() })?;
    Machine::of(&format!("{ranks} ranks, all linked"), &graph)
}

/// The nearest ratio that is accepted as costs.
fn ratio(byte_time: f64) -> Result<Ratio> {
    let mut denominator = FINEST;
    while denominator > 1 && byte_time * denominator as f64 > TERM_MAX {
        denominator /= 2;
    }
    Ratio::new((byte_time * denominator as f64).round().min(TERM_MAX) as u64, denominator)
}

/// The schedule with its computations in nanoseconds.
pub(super) fn in_nanoseconds(schedule: &Schedule, cycle_nanoseconds: Option<f64>) -> Schedule {
    let mut schedule = schedule.clone();
    for op in schedule.ranks.iter_mut().flat_map(|rank| &mut rank.ops) {
        if let Op::Calc { cycles } = op {
            let nanoseconds = cycles.0 as f64 * cycle_nanoseconds.unwrap_or(0.0);
            *cycles = Cycles((nanoseconds.round() as u64).min(CALC_MAX.0));
        }
    }
    schedule
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_schedule::goal;

    #[test]
    fn ratios_are_near_and_accepted() {
        for byte_time in [0.0, 1e-9, 0.01, 0.123, 1.0, 7.3, 15.99, 16.1, 1000.7, 65_000.0, 1e9] {
            let ratio = ratio(byte_time).unwrap();
            let costs = Costs { byte_time: ratio, ..Costs::default() };
            assert!(costs.check().is_ok(), "{byte_time}");
            let error = (ratio.to_f64() - byte_time.min(TERM_MAX)).abs();
            assert!(error <= 0.5 / FINEST as f64 || error <= 1e-4 * byte_time, "{byte_time}: {ratio}");
        }
    }

    /// Two messages in a row and a computation between them, by hand: c = 1000, b = 1/4.
    #[test]
    fn phases_last_from_the_first_start_to_the_last_arrival() {
        let text = "num_ranks 3\nrank 0 { send 400b to 1 tag 5 }\n\
                    rank 1 {\na: recv 400b from 0 tag 5\nb: calc 70\nc: send 800b to 2 tag 6\nb requires a\nc requires b\n}\n\
                    rank 2 { recv 800b from 1 tag 6 }\n";
        let schedule = goal::parse(text.as_bytes(), "a.goal").unwrap();
        let links = Links { startup: 1000.0, byte_time: 0.25 };
        let machine = machine(None, 3, links).unwrap();
        let of = |cycle| times(&machine, &in_nanoseconds(&schedule, cycle)).unwrap();
        let phases = BTreeMap::from([(5, 1100.0), (6, 1200.0)]);
        assert_eq!(of(Some(2.0)), PredictedTimes { all: 1100.0 + 140.0 + 1200.0, phases: phases.clone() });
        assert_eq!(of(None), PredictedTimes { all: 1100.0 + 1200.0, phases });
    }
}
