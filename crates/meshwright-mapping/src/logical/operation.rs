//! What runs along an axis of a logical mesh.
//!
//! BYTES is the whole buffer V of one member, as NCCL and XLA count it: for an operation that makes it larger or smaller, the larger
//! one, so what all-gather leaves and what reduce-scatter begins with. p members stand on the axis; pieces are rounded up to
//! whole bytes.
//!
//! | operation | steps | a member sends in each |
//! |---|---|---|
//! | `all-reduce` | 2 (p - 1), one way round a ring | V/p to the next |
//! | `all-gather`, `reduce-scatter` | p - 1, one way round a ring | V/p to the next |
//! | `all-reduce-two-way`, ... | as many | V/2p to the next, V/2p to the one before |
//! | `all-to-all` | 1 | V/p to each other |
//! | `shift` | 1 | V to the next, the last to the first |
//! | `exchange` | 1 | V to the next and to the one before, none over the ends: a halo |
//! | `broadcast` | ceil(log2 p) | V from each that has it to one that has not: a binomial tree from member 0 |
//! | `reduce` | ceil(log2 p) | the same, backwards |
//!
//! # Source
//!
//! `thakur2005`: the ring of all-gather and of reduce-scatter, the binomial tree; an all-reduce is the one after the other.

use meshwright_core::error::Result;
use meshwright_core::find;

use super::lines::{LineMessage, Step};

/// An operation along an axis.
#[derive(Debug)]
pub struct Operation {
    /// The name on the command line.
    pub name: &'static str,
    /// What it does, in half a sentence.
    pub summary: &'static str,
    /// The steps of one line of so many members with buffers of so many bytes; none for a single member.
    pub steps: fn(u32, u64) -> Vec<Step>,
}

/// Every operation the program knows.
pub const OPERATIONS: &[Operation] = &[
    Operation {
        name: "all-reduce",
        summary: "ring, one way: 2 (p - 1) steps of V/p",
        steps: |p, bytes| ring(p, &[(true, bytes.div_ceil(p.into()))], 2 * (p - 1)),
    },
    Operation {
        name: "all-gather",
        summary: "ring, one way: p - 1 steps of V/p",
        steps: |p, bytes| ring(p, &[(true, bytes.div_ceil(p.into()))], p - 1),
    },
    Operation {
        name: "reduce-scatter",
        summary: "ring, one way: p - 1 steps of V/p",
        steps: |p, bytes| ring(p, &[(true, bytes.div_ceil(p.into()))], p - 1),
    },
    Operation {
        name: "all-reduce-two-way",
        summary: "ring, half each way: 2 (p - 1) steps of V/2p to both sides",
        steps: |p, bytes| two_way(p, bytes, 2 * (p - 1)),
    },
    Operation {
        name: "all-gather-two-way",
        summary: "ring, half each way: p - 1 steps of V/2p to both sides",
        steps: |p, bytes| two_way(p, bytes, p - 1),
    },
    Operation {
        name: "reduce-scatter-two-way",
        summary: "ring, half each way: p - 1 steps of V/2p to both sides",
        steps: |p, bytes| two_way(p, bytes, p - 1),
    },
    Operation {
        name: "all-to-all",
        summary: "all at once: V/p from each to each other",
        steps: |p, bytes| {
            let piece = bytes.div_ceil(p.into());
            let to_others = |from| (0..p).filter(move |&to| to != from).map(move |to| (from, to, piece));
            step((0..p).flat_map(to_others).collect())
        },
    },
    Operation {
        name: "shift",
        summary: "once round a ring by one: V to the next",
        steps: |p, bytes| ring(p, &[(true, bytes)], 1),
    },
    Operation {
        name: "exchange",
        summary: "a halo: V to both neighbours, not over the ends",
        steps: |p, bytes| {
            let both = |at: u32| [(at, at + 1, bytes), (at + 1, at, bytes)];
            let mut messages: Vec<_> = (0..p - 1).flat_map(both).collect();
            messages.sort_unstable();
            step(messages)
        },
    },
    Operation {
        name: "broadcast",
        summary: "a binomial tree from member 0: ceil(log2 p) steps of V",
        steps: |p, bytes| tree(p).map(|pairs| once(pairs.map(|(from, to)| (from, to, bytes)))).collect(),
    },
    Operation {
        name: "reduce",
        summary: "a binomial tree to member 0: ceil(log2 p) steps of V",
        steps: |p, bytes| {
            let mut steps: Vec<_> =
                tree(p).map(|pairs| once(pairs.map(|(from, to)| (to, from, bytes)))).collect();
            steps.reverse();
            steps
        },
    },
];

/// The operation with this name; its hyphens may be left out.
///
/// # Errors
///
/// [`Error::Value`](meshwright_core::Error::Value) with the names there are, and the nearest one if one is near.
///
/// # Examples
///
/// ```
/// use meshwright_mapping::logical::operation;
/// assert_eq!(operation::named("allreduce")?.name, "all-reduce");
/// let error = operation::named("all-reducer").unwrap_err().to_string();
/// assert!(error.ends_with("(did you mean `all-reduce`?)"), "{error}");
/// // Five members: 0 tells 4, then 0 and 4 tell 2, then all even ones the next.
/// let steps = (operation::named("broadcast")?.steps)(5, 8);
/// assert_eq!(steps.iter().map(|step| step.messages.len()).collect::<Vec<_>>(), [1, 1, 2]);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn named(name: &str) -> Result<&'static Operation> {
    let short = OPERATIONS.iter().find(|operation| operation.name.replace('-', "") == name);
    short.map_or_else(|| find("operation", name, OPERATIONS, |operation| operation.name), Ok)
}

/// Steps that are all alike: each member sends so many bytes to the next one, or to the one before.
fn ring(p: u32, sends: &[(bool, u64)], times: u32) -> Vec<Step> {
    if p < 2 {
        return Vec::new();
    }
    let of = |at: u32| {
        let to = move |up: bool| if up { (at + 1) % p } else { (at + p - 1) % p };
        sends.iter().map(move |&(up, bytes)| LineMessage { from: at, to: to(up), bytes })
    };
    let mut messages: Vec<LineMessage> = (0..p).flat_map(of).collect();
    messages.sort_unstable();
    vec![Step { messages, times }]
}

fn two_way(p: u32, bytes: u64, times: u32) -> Vec<Step> {
    let half = bytes.div_ceil(2 * u64::from(p));
    ring(p, &[(true, half), (false, half)], times)
}

/// A step that runs once; none if nobody sends.
fn step(messages: Vec<(u32, u32, u64)>) -> Vec<Step> {
    if messages.is_empty() { Vec::new() } else { vec![once(messages.into_iter())] }
}

fn once(messages: impl Iterator<Item = (u32, u32, u64)>) -> Step {
    let mut messages: Vec<_> = messages.map(|(from, to, bytes)| LineMessage { from, to, bytes }).collect();
    messages.sort_unstable();
    Step { messages, times: 1 }
}

/// The pairs of each step of a binomial tree from member 0, the longest first: who has it, and who gets it.
fn tree(p: u32) -> impl Iterator<Item = impl Iterator<Item = (u32, u32)>> {
    let steps = p.next_power_of_two().trailing_zeros();
    (0..steps).rev().map(move |step| {
        let far = 1u32 << step;
        (0..p)
            .step_by(2 * far as usize)
            .filter_map(move |at| Some((at, at.checked_add(far)?)))
            .filter(move |pair| pair.1 < p)
    })
}
