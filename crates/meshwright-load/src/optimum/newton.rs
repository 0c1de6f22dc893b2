//! The least makespan by Newton's method on cuts: the worst set at one makespan gives the next one.
//!
//! # Source
//!
//! `dinkelbach1967`: a greatest ratio as the root of a parametric maximum. The static flow that decides a makespan is
//! that of the theorem in [the parent module](super).

use super::network::{Balance, TimeExpandedNetwork};
use super::start;
use crate::{Cut, Problem};
use meshwright_core::error::{Error, Result};

/// A network whose flow attains the makespan, and the set that admits no smaller one.
pub(crate) struct Solved<'p> {
    pub(crate) network: TimeExpandedNetwork<'p>,
    pub(crate) makespan: f64,
    pub(crate) cut: Cut,
}

/// Raises the makespan from cut to cut until everything is worked off.
pub(crate) fn solve<'p>(problem: &'p Problem<'p>) -> Result<Solved<'p>> {
    let mut network = TimeExpandedNetwork::of_releases(problem)?;
    let last = *network.begins.last().expect("there is a source");
    let (mut makespan, mut set) = (last, Vec::new());
    for start in start::sets(problem, &network.begins) {
        let root = root(&network, &start)?;
        if root > makespan {
            (makespan, set) = (root, start);
        }
    }
    let mut step = f64::EPSILON;
    loop {
        network.raise_links(makespan);
        network.raise_nodes(makespan);
        network.flow.run();
        let violated = network.flow.violated();
        if violated.is_empty() {
            break;
        }
        let before = makespan;
        for component in violated {
            let root = root(&network, &component)?;
            if root > makespan {
                (makespan, set) = (root, component);
            }
        }
        if makespan == before {
            // The time left after a late release has fewer digits than the load: only rounding asks for more.
            makespan += step * makespan;
            step *= 2.0;
            assert!(step < 1e-3, "rounding asks for less than a thousandth");
        }
    }
    let Balance { demand, before, rate } = network.balance(&set);
    let cut = Cut { nodes: network.nodes_of(&set), capacity: before + rate * (makespan - last), demand };
    Ok(Solved { network, makespan, cut })
}

/// When a set of copies can be done at the earliest.
fn root(network: &TimeExpandedNetwork, set: &[u32]) -> Result<f64> {
    let Balance { demand, before, rate } = network.balance(set);
    let last = *network.begins.last().expect("there is a source");
    if demand <= before {
        return Ok(last);
    }
    if rate == 0.0 {
        let machine = network.problem().machine();
        let names: Vec<String> =
            network.nodes_of(set).iter().take(5).map(|&node| machine.node_name(node)).collect();
        let why = format!("no working processor can be reached from {}", names.join(", "));
        return Err(Error::not_applicable("dividing the load", why));
    }
    Ok(last + (demand - before) / rate)
}
