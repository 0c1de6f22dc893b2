//! The least traffic that leaves any so many tasks.

use serde::{Deserialize, Serialize};

use super::Refuted;
use super::Side;
use super::referee::{Loads, Referee};

/// Of more tasks the subsets are not looked at one by one.
pub const SUBSET_TASKS_MAX: u32 = 20;

/// Why tasks on some of the nodes must send so much to those on others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Leaving {
    /// Of m tasks each keeps at most what goes to its m - 1 best partners.
    Partners,
    /// All subsets of the tasks are looked at.
    Subsets,
}

/// A cut of the machine: how many tasks can be on its one side, and how many links lead out and in.
pub(super) struct Crossing {
    pub(super) least: usize,
    pub(super) most: usize,
    pub(super) links: [u128; 2],
}

impl Leaving {
    /// The least load of the busiest link of the cut.
    pub(super) fn busiest(
        &self,
        referee: &Referee<'_>,
        loads: &Loads,
        crossing: &Crossing,
    ) -> Result<u128, Refuted> {
        match self {
            Self::Partners => Ok(by_partners(referee, loads, crossing)),
            Self::Subsets => by_subsets(referee, loads, crossing),
        }
    }
}

fn by_partners(referee: &Referee<'_>, loads: &Loads, crossing: &Crossing) -> u128 {
    let tasks = referee.tasks();
    // So many tasks send, or hear, at least so much from others than themselves.
    let leave = |side: Side, count: usize| -> u128 {
        let mut own = vec![Vec::new(); tasks];
        for (&(source, target), &load) in loads {
            own[if side == Side::Sent { source } else { target } as usize].push(load);
        }
        let mut rest: Vec<u128> = own
            .into_iter()
            .map(|mut loads| {
                loads.sort_unstable();
                let beyond = loads.len().saturating_sub(count.saturating_sub(1));
                loads[..beyond].iter().sum()
            })
            .collect();
        rest.sort_unstable();
        rest.iter().take(count).sum()
    };
    let busiest = |count: usize| {
        let others = tasks - count;
        let out = leave(Side::Sent, count).max(leave(Side::Received, others));
        let into = leave(Side::Received, count).max(leave(Side::Sent, others));
        out.div_ceil(crossing.links[0]).max(into.div_ceil(crossing.links[1]))
    };
    (crossing.least..=crossing.most).map(busiest).min().unwrap_or(0)
}

fn by_subsets(referee: &Referee<'_>, loads: &Loads, crossing: &Crossing) -> Result<u128, Refuted> {
    let tasks = referee.graph.tasks;
    if tasks > SUBSET_TASKS_MAX {
        return Refuted::because(format!("{tasks} tasks have too many subsets to look at each"));
    }
    let sizes = crossing.least..=crossing.most;
    let subsets = (0..1u32 << tasks).filter(|subset| sizes.contains(&(subset.count_ones() as usize)));
    let busiest = |subset: u32| {
        let is_in = |task: u32| subset >> task & 1 == 1;
        let (mut out, mut into) = (0, 0);
        for (&(source, target), load) in loads {
            match (is_in(source), is_in(target)) {
                (true, false) => out += load,
                (false, true) => into += load,
                _ => {}
            }
        }
        out.div_ceil(crossing.links[0]).max(into.div_ceil(crossing.links[1]))
    };
    Ok(subsets.map(busiest).min().unwrap_or(0))
}
