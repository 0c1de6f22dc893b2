//! The front of installments: schedules none of which is beaten in processors, messages and time at once.

use super::following::{Following, Found, write};
use super::shallow::shallow_flow;
use super::trial::{SLACKS, STRETCHES};
use super::{InstallmentSettings, Installments, Scale, plan};
use crate::optimum::Optimum;

/// The parts of the messages allowed with which each flow is tried; besides, it is tried with one installment.
const PARTS: &[u64] = &[1, 3, 10, 30];

/// Schedules none of which is beaten by another in processors, messages and makespan at once; the fewest processors
/// first, of equal ones the fewest messages.
///
/// Tried are the shallow flows of [`super::plan`], all of them, each with one installment and with parts of the messages that
/// the settings allow; and what [`super::plan`] finds with each of these parts.
///
/// # Complexity
///
/// Some 80 flows, and for each 150 timetables of O(messages log links).
pub fn front(scale: &Scale, optimum: &Optimum, settings: &InstallmentSettings) -> Vec<Installments> {
    let mut found: Vec<Installments> = Vec::new();
    for stretch in STRETCHES {
        for &slack in SLACKS.iter().step_by(2) {
            let Some(phases) = shallow_flow(scale.problem(), optimum.makespan * stretch, slack) else {
                continue;
            };
            for part in PARTS.iter().map(|part| settings.chunks / part).chain([0]) {
                let Ok(following) = Following::of_messages(scale, &phases, part, settings) else { continue };
                let Some(Found { sizes, ticks, .. }) = following.search(None, 30) else { continue };
                let beaten = |other: &Installments| {
                    other.processors <= following.processors()
                        && other.messages <= following.messages_at_least()
                        && other.predicted_cycles <= scale.costs().cycles(ticks).0
                };
                if found.iter().any(beaten) {
                    continue;
                }
                add(&mut found, write(scale, &[(following.streams, sizes)]));
            }
        }
    }
    for part in PARTS {
        let fewer = InstallmentSettings { chunks: settings.chunks / part };
        if let Ok(planned) = plan(scale, optimum, &fewer) {
            add(&mut found, planned);
        }
    }
    found.sort_by_key(|one| (one.processors, one.messages));
    found
}

/// Adds a schedule and drops those it beats, unless it is beaten.
fn add(found: &mut Vec<Installments>, new: Installments) {
    let beats = |a: &Installments, b: &Installments| {
        a.processors <= b.processors && a.messages <= b.messages && a.predicted_cycles <= b.predicted_cycles
    };
    if !found.iter().any(|old| beats(old, &new)) {
        found.retain(|old| !beats(&new, old));
        found.push(new);
    }
}
