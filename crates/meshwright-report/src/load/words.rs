//! The certificate and the methods in sentences.

use crate::wording::{counted, percent};
use meshwright_core::words::{self, NONE, grouped};
use meshwright_load::check::Reading;
use meshwright_network::topology::Machine;
use meshwright_verdict::load::{self, Fewest};
use meshwright_verdict::{LoadOutcome, LoadVerdict};

/// Four significant digits; a dash for what is infinite.
pub(super) fn short(number: f64) -> String {
    if number.is_finite() { words::short(number) } else { NONE.to_string() }
}

pub(super) fn headline(job: &LoadVerdict) -> String {
    let winner = job.winner();
    match winner.and_then(|winner| Some((winner.method, winner.outcome.detail.simulated_speedup?))) {
        Some((winner, speedup)) => format!(
            "{winner} is {} times as fast as one processor; nothing is faster than {}",
            short(speedup),
            short(job.facts.bound.speedup)
        ),
        _ => format!("No schedule is faster than {} processors", short(job.facts.bound.speedup)),
    }
}

/// How few processors are enough, for the bound and for the deadline; what was asked beyond the division.
pub(super) fn suffices(machine: &Machine, job: &LoadVerdict) -> String {
    let bound = job.facts.bound.processors.as_ref();
    let mut text = bound.map_or(String::new(), |few| format!("{} attain it.", fewest(few)));
    if let Some(deadline) = &job.facts.deadline {
        let words = match &deadline.processors {
            Some(few) => format!("{} meet the deadline {}.", fewest(few), short(deadline.makespan)),
            None if deadline.known => format!("The deadline {} is possible.", short(deadline.makespan)),
            None if deadline.possible => {
                let deadline = short(deadline.makespan);
                format!("No schedule known to us meets the deadline {deadline}, and none is ruled out.")
            }
            None => format!("No schedule meets the deadline {}.", short(deadline.makespan)),
        };
        text = [text, words].join(" ").trim().to_string();
    }
    let lower_band = job.lower_band().into_iter().collect();
    let buffers = job.results.iter().filter_map(|outcome| outcome.detail.buffers.clone()).collect();
    [vec![text], lower_band, buffers, job.further_sentences(machine)].concat().join(" ").trim().to_string()
}

fn fewest(few: &Fewest) -> String {
    match few.at_least == few.at_most {
        true => format!("{} (and no fewer)", counted(few.at_most, "processor")),
        false => format!("Between {} and {}", grouped(few.at_least), counted(few.at_most, "processor")),
    }
}

/// What stands behind the name of a method.
pub(super) fn summary(outcome: &LoadOutcome) -> String {
    let simulated = match (outcome.detail.simulated_speedup, outcome.gap()) {
        (Some(speedup), Some(gap)) => format!("simulated {}, gap {}", short(speedup), percent(gap)),
        _ => "not simulated".to_string(),
    };
    let mut text = format!("promises speedup {}, {simulated}", short(outcome.detail.speedup));
    text += &format!(", {}", counted(outcome.detail.nodes_used as u64, "node"));
    if let Some(saved) = outcome.detail.saved.filter(|&saved| saved > 0) {
        text += &format!(", {} left idle", grouped(saved));
    }
    text
}

/// Whether the promise of a method can be kept, and if not, what stands against it.
pub(super) fn feasibility(machine: &Machine, outcome: &LoadOutcome) -> String {
    match &outcome.detail.violated_cut {
        _ if outcome.detail.feasible => "The links can carry these shares in the time promised.".to_string(),
        None if outcome.detail.reading == Reading::Undecided => {
            "No schedule is known that keeps this promise, and none is ruled out.".to_string()
        }
        None => "These shares cannot be worked off in the time promised.".to_string(),
        Some(cut) => format!("Not feasible: {}.", load::violation(cut, outcome.detail.makespan, machine)),
    }
}
