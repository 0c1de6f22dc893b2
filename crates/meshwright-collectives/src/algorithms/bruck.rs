//! Bruck's all-gather and all-to-all: ceil(log p) steps for any number of members.
//!
//! # Source
//!
//! `bruck1997`.

use meshwright_core::error::Result;
use meshwright_core::units::{NodeId, Port};
use meshwright_network::topology::{PortModel, Topology};

use super::ring::GATHERS;
use crate::algorithm::Algorithm;
use crate::flow::Flow;
use crate::line;
use crate::product::along;
use crate::shape::{self, by_all_gather, by_whole_vectors};
use crate::{Operation, Task};

/// Those of this file.
pub const ALGORITHMS: &[Algorithm] = &[
    Algorithm {
        name: "bruck",
        summary: "all that it has to the member 1, 2, 4, ... before, any number of members",
        formula: "2 ceil(log2 p) (c + h d) + 2 b V (p - 1) / p",
        source: "bruck1997",
        operations: GATHERS,
        streams: false,
        flow: |task| gather(task, 2),
    },
    Algorithm {
        name: "all-port-bruck",
        summary: "the same with k ports: to k members in every step, log to the base k + 1 of them",
        formula: "2 ceil(log_(k+1) p) (c + h d) + 2 b V (p - 1) / (p k)",
        source: "bruck1997",
        operations: GATHERS,
        streams: false,
        flow: |task| gather(task, radix(task)),
    },
    Algorithm {
        name: "all-port-bruck-whole",
        summary: "whole vectors are gathered, over k ports, and added up at last",
        formula: "ceil(log_(k+1) p) (c + h d) + b V (p - 1) / k",
        source: "bruck1997",
        operations: &[Operation::AllReduce, Operation::Scan, Operation::Barrier],
        streams: false,
        flow: whole,
    },
    Algorithm {
        name: "bruck-exchange",
        summary: "parts go 1, 2, 4, ... members on, as the binary digits of their way say",
        formula: "ceil(log2 p) (c + h d + b V / 2)",
        source: "bruck1997",
        operations: &[Operation::AllToAll],
        streams: false,
        flow: |task| Ok(exchange(task, 2)),
    },
    Algorithm {
        name: "all-port-bruck-exchange",
        summary: "the same with k ports: digits to the base k + 1",
        formula: "ceil(log_(k+1) p) (c + h d + b V / (k + 1))",
        source: "bruck1997",
        operations: &[Operation::AllToAll],
        streams: false,
        flow: |task| Ok(exchange(task, radix(task))),
    },
];

/// One more than the wired ports that every member has.
fn radix(task: &Task<'_>) -> u32 {
    let machine = task.machine();
    match machine.port_model() {
        PortModel::One => 2,
        PortModel::All => {
            let is_wired = |node, port: &u32| machine.neighbour(node, Port(*port)).is_some();
            let wired =
                |&node: &NodeId| (0..machine.ports(node)).filter(|port| is_wired(node, port)).count() as u32;
            task.nodes().iter().map(wired).min().unwrap_or(1).max(1) + 1
        }
    }
}

fn gather(task: &Task<'_>, radix: u32) -> Result<Flow> {
    let order: Vec<u32> = (0..task.members()).collect();
    by_all_gather(task, &along(task, &order, &line::doubling(task.members(), radix))?)
}

/// Nobody minds hearing twice of a member where nothing is added up.
fn whole(task: &Task<'_>) -> Result<Flow> {
    let (members, radix) = (task.members(), radix(task));
    if task.operation != Operation::Barrier {
        return by_whole_vectors(task, |task| gather(task, radix));
    }
    let places = std::iter::successors(Some(1u32), |place| place.checked_mul(radix));
    let places: Vec<u32> = places.take_while(|&place| place < members).collect();
    Ok(shape::exchange(task, places.len() as u32, |step, member| {
        let place = places[step as usize];
        let far = (1..radix).map(|digit| digit * place).take_while(|&far| far < members);
        far.map(|far| (member + far) % members).collect()
    }))
}

/// A part that must go `far` members on goes `digit radix^k` on in step k, for every digit of `far`.
fn exchange(task: &Task<'_>, radix: u32) -> Flow {
    let members = task.members();
    let mut flow = task.flow();
    let (mut step, mut place) = (0, 1);
    while place < members {
        let more = radix.saturating_mul(place);
        for digit in 1..radix.min(members.div_ceil(place)) {
            let ways: Vec<u32> =
                (digit * place..members).filter(|far| far / place % radix == digit).collect();
            for holder in 0..members {
                let part = |&far: &u32| {
                    let from = (holder + members - far % place) % members;
                    from * members + (from + far) % members
                };
                let mut parts: Vec<u32> = ways.iter().map(part).collect();
                parts.sort_unstable();
                flow.copy(step, holder, (holder + digit * place) % members, parts);
            }
        }
        (step, place) = (step + 1, more);
    }
    flow
}
