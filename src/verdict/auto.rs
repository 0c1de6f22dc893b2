//! Which placements are worth a simulation: the choice behind `auto`.
//!
//! Every placement that applies is priced by the link-level prediction under the machine's own switching, start-up,
//! byte time, flit size and ports. The cheapest few are simulated, and with them the one with the least traffic; the
//! referee decides among these.

use super::{Job, Skipped, measure, percentage};
use crate::error::{Error, Result};
use crate::mapping::{self, PLACEMENTS};
use crate::routing::{self, Pair};
use crate::schedule::{Message, cost};
use crate::topology::{Machine, Topology};

/// The word for it among the names of placements.
pub const AUTO: &str = "auto";

/// How many of the cheapest are simulated.
const SIMULATED: usize = 3;

/// The placement nobody would choose: it is what one compares with.
const NEVER: &str = "random";

/// Names of placements, `auto` replaced by the placements it leads to.
pub(crate) struct Candidates {
    /// To be simulated.
    pub(crate) methods: Vec<String>,
    /// Priced and found too dear, or not applicable.
    pub(crate) left_out: Vec<Skipped>,
}

/// The price of a placement.
struct Priced {
    method: String,
    ticks: u64,
    hops: u64,
}

/// Replaces `auto` by the front runners; other names stay.
pub(crate) fn expand(
    job: &Job,
    machine: &Machine,
    methods: &[&str],
    seed: u64,
    progress: &mut dyn FnMut(&str),
) -> Result<Candidates> {
    let mut named: Vec<String> =
        methods.iter().filter(|&&name| name != AUTO).map(ToString::to_string).collect();
    if !methods.contains(&AUTO) {
        return Ok(Candidates { methods: named, left_out: Vec::new() });
    }
    let (mut priced, mut left_out) = (Vec::new(), Vec::new());
    for method in considered(job) {
        progress(&format!("auto: the price of {method}"));
        match price(job, machine, &method, seed) {
            Ok(price) => priced.push(price),
            Err(Error::NotApplicable { why, .. }) => left_out.push(Skipped { method, why, deadlock: false }),
            Err(error) => return Err(error),
        }
    }
    if priced.is_empty() {
        return Err(super::nothing_applies(&left_out));
    }
    // Equally cheap ones by traffic, then in the order of the table.
    priced.sort_by_key(|priced| (priced.ticks, priced.hops));
    let frugal = (0..priced.len()).min_by_key(|&index| priced[index].hops).unwrap_or_default();
    let best = priced[0].ticks;
    for (index, Priced { method, ticks, .. }) in priced.into_iter().enumerate() {
        if index < SIMULATED || index == frugal {
            if !named.contains(&method) {
                named.push(method);
            }
        } else if !named.contains(&method) {
            left_out.push(Skipped { method, why: dearer(machine, ticks, best), deadlock: false });
        }
    }
    Ok(Candidates { methods: named, left_out })
}

/// The placements that are priced, those made for this job first.
fn considered(job: &Job) -> Vec<String> {
    let given = job.given.iter().map(|placement| placement.name.clone());
    let methods = PLACEMENTS.iter().map(|method| method.name).filter(|&name| name != NEVER);
    given.chain(methods.map(ToString::to_string)).collect()
}

fn dearer(machine: &Machine, ticks: u64, best: u64) -> String {
    let cycles = machine.costs.cycles(ticks).0;
    match ticks - best {
        0 => format!("predicted {cycles} cycles like the best, but over more hops"),
        more => format!(
            "predicted {cycles} cycles, {}\u{a0}% more than the best",
            percentage(more as f64 / best.max(1) as f64)
        ),
    }
}

/// The predicted time of a placement under the machine's switching, and its hops.
fn price(job: &Job, machine: &Machine, method: &str, seed: u64) -> Result<Priced> {
    let placement = job.place(method, machine, seed)?;
    let schedule = mapping::schedule(&job.tasks, &placement, machine);
    let mut loads = cost::LinkLoads::new(machine.links());
    let mut priced = Priced { method: method.to_string(), ticks: 0, hops: 0 };
    let mut serial = 0;
    for index in 0..schedule.len() {
        let messages = schedule.phase(index);
        let pairs: Vec<Pair> = messages.iter().map(Message::pair).collect();
        let routes = routing::routes(machine, &pairs)?;
        serial = cost::serial_sum(serial, messages, &routes, machine.switching, &machine.costs)?;
        loads.fill(messages, &routes);
        priced.ticks += cost::predicted(messages, &routes, &loads, machine.switching, machine);
        priced.hops += measure::hops(messages, &routes);
    }
    Ok(priced)
}
