//! Circles of waiting: depth-first search over the starts and ends of all steps.
//!
//! Every step has two events, its start and its end. Splitting them matters: a receive that has started does
//! not hold up what `irequires` it, although its end still waits for a message from afar.

use super::{Dependency, MatchedMessage, Schedule};
use meshwright_core::csr::Csr;
use meshwright_core::units::NodeId;

/// Which event waits for which. The start of step s is event 2s, its end 2s + 1.
struct Waits {
    /// The first step of each rank, steps numbered through; then the number of steps.
    first_step: Vec<usize>,
    /// By step the events that its start waits for.
    on: Csr<usize>,
    /// The event that starts the send of a step that receives.
    send: Vec<Option<usize>>,
}

impl Waits {
    fn new(schedule: &Schedule, messages: &[MatchedMessage]) -> Self {
        let mut first_step = vec![0];
        let mut steps = 0;
        for rank in &schedule.ranks {
            steps += rank.ops.len();
            first_step.push(steps);
        }
        let ranks = first_step.iter().zip(&schedule.ranks);
        let waits = ranks.flat_map(|(&base, rank)| {
            let wait = move |dependency: &Dependency| {
                let on = 2 * (base + dependency.on as usize) + usize::from(!dependency.awaits.is_start());
                (base + dependency.step as usize, on)
            };
            rank.dependencies.iter().map(wait)
        });
        let on = Csr::from_pairs(steps, waits);
        let mut send = vec![None; steps];
        for message in messages {
            let target = first_step[message.target.index()] + message.target_step as usize;
            send[target] = Some(2 * (first_step[message.source.index()] + message.source_step as usize));
        }
        Self { first_step, on, send }
    }

    /// The k-th event that an event waits for.
    fn wait(&self, event: usize, k: usize) -> Option<usize> {
        let step = event / 2;
        if event.is_multiple_of(2) {
            return self.on.row(step).get(k).copied();
        }
        match k {
            0 => Some(event - 1),
            1 => self.send[step],
            _ => None,
        }
    }

    fn name(&self, event: usize) -> (NodeId, u32) {
        let rank = self.first_step.partition_point(|&first| first <= event / 2) - 1;
        (NodeId(rank as u32), (event / 2 - self.first_step[rank]) as u32)
    }
}

/// Some circle of steps, each waiting for the next and the last for the first, or `None`.
///
/// # Complexity
///
/// O(steps + dependencies + messages), without recursion.
pub(super) fn find(schedule: &Schedule, messages: &[MatchedMessage]) -> Option<Vec<(NodeId, u32)>> {
    let waits = Waits::new(schedule, messages);
    let events = 2 * waits.send.len();
    // 0: not seen; otherwise 1 + its position on the path; MAX: known to come to its turn.
    let mut state = vec![0usize; events];
    let mut path: Vec<(usize, usize)> = vec![];
    for root in 0..events {
        if state[root] == 0 {
            path.push((root, 0));
            state[root] = 1;
        }
        while let Some((event, k)) = path.last_mut() {
            let Some(next) = waits.wait(*event, *k) else {
                state[*event] = usize::MAX;
                path.pop();
                continue;
            };
            *k += 1;
            match state[next] {
                0 => {
                    path.push((next, 0));
                    state[next] = path.len();
                }
                usize::MAX => {}
                position => {
                    let mut steps: Vec<_> =
                        path[position - 1..].iter().map(|&(event, _)| waits.name(event)).collect();
                    // Start and end of one step are one step of the certificate.
                    steps.dedup();
                    if steps.len() > 1 && steps.first() == steps.last() {
                        steps.pop();
                    }
                    return Some(steps);
                }
            }
        }
    }
    None
}
