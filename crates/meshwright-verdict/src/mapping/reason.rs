//! Why a method wins, in one sentence.

use super::PhaseRow;
use crate::MappingOutcome;
use meshwright_core::words::{counted, percent};
use meshwright_mapping::{Shape, TaskGraph};

/// From this share above the bound on it is said that nothing was searched for.
const SEARCH_PAYS: f64 = 0.1;

/// Less is better: simulated time, then the time without barriers, then traffic.
pub(crate) fn rank(outcome: &MappingOutcome) -> (u64, u64, u64) {
    (outcome.simulated(), outcome.detail.dependency_cycles.unwrap_or(u64::MAX), outcome.detail.hops_total)
}

/// So many equals are named beside two; of more, the first one.
const EQUALS_NAMED: usize = 2;

/// Of what the lower bound is one: every placement of these messages, each sent whole.
fn class(tasks: &TaskGraph) -> &'static str {
    match tasks.divide.as_ref().map(|divide| &divide.shape) {
        Some(Shape::Binomial(_)) => "binomial trees that send whole messages",
        Some(Shape::Halving(_)) => "halving trees that send whole messages",
        Some(_) => "these trees that send whole messages",
        None => "these messages, sent whole",
    }
}

/// Says how good the winner is and what sets it apart from the runner-up.
pub(crate) fn sentence(tasks: &TaskGraph, winner: &MappingOutcome, results: &[MappingOutcome]) -> String {
    let quality = match winner.gap().unwrap_or_default() {
        0.0 => format!(
            "meets the lower bound of {}, so no other placement is faster (a schedule in pieces can be)",
            class(tasks)
        ),
        gap if gap < 1.0 => format!("takes {} more than the lower bound", percent(gap)),
        gap => format!("takes {:.1} times the lower bound", 1.0 + gap),
    };
    let others = || results.iter().filter(|other| other.method != winner.method);
    let equals: Vec<&str> =
        others().filter(|other| rank(other) == rank(winner)).map(|other| other.method.as_str()).collect();
    let (who, each) = match &equals[..] {
        [] => (format!("{} wins", winner.method), "it"),
        [most @ .., last] if most.len() < EQUALS_NAMED => {
            let most: String = most.iter().map(|name| format!(", {name}")).collect();
            (
                format!("{}{most} and {last} are equally fast and send over as many hops", winner.method),
                "each",
            )
        }
        all => (
            format!("{} and {} others are equally fast and send over as many hops", winner.method, all.len()),
            "each",
        ),
    };
    let lesser = others().filter(|other| rank(other) != rank(winner));
    let Some(other) = lesser.min_by_key(|other| rank(other)) else {
        return match equals.is_empty() {
            true => format!("{} is the only method that was tried; it {quality}.", winner.method),
            false => format!("{who}: {each} {quality}."),
        };
    };
    let lead = if other.simulated() > winner.simulated() {
        format!("{} {}{}", other.method, slower(winner, other), cause(winner, other))
    } else if rank(other).1 > rank(winner).1 {
        format!("{} is as fast with barriers but slower without", other.method)
    } else {
        let hops = (other.detail.hops_total, winner.detail.hops_total);
        format!(
            "{} is as fast but sends its messages over {} hops instead of {}",
            other.method, hops.0, hops.1
        )
    };
    format!("{who}: {each} {quality}; {lead}.")
}

/// Who moves the least, where that is not the winner: for those who pay by traffic and not by time.
pub(crate) fn traffic(winner: &MappingOutcome, results: &[MappingOutcome]) -> Option<String> {
    let frugal = results.iter().min_by_key(|outcome| (outcome.detail.hops_total, rank(outcome)))?;
    (frugal.detail.hops_total < winner.detail.hops_total).then(|| {
        let saved = 1.0 - frugal.detail.hops_total as f64 / winner.detail.hops_total as f64;
        let price = match frugal.simulated() - winner.simulated() {
            0 => "is as fast with barriers".to_string(),
            _ => slower(winner, frugal),
        };
        format!(
            "Least traffic: {} sends over {} hops instead of {} ({} fewer) and {price}.",
            frugal.method,
            frugal.detail.hops_total,
            winner.detail.hops_total,
            percent(saved)
        )
    })
}

/// That a search may gain something, where the fastest of several that were not searched for is this share above the bound.
///
/// # Examples
///
/// ```
/// use meshwright_verdict::mapping::unsearched;
/// assert_eq!(unsearched(0.05), None);
/// assert!(unsearched(0.25).is_some_and(|words| words.contains("less than 25.0\u{a0}% above the bound")));
/// ```
pub fn unsearched(gap: f64) -> Option<String> {
    let at_most = percent(gap);
    (gap > SEARCH_PAYS).then(|| {
        format!("None of these was searched for: the placement `auto` may find one that is less than {at_most} above the bound.")
    })
}

/// By how much: a share, or cycles where the share would look like nothing.
fn slower(winner: &MappingOutcome, other: &MappingOutcome) -> String {
    let cycles = other.simulated() - winner.simulated();
    let share = cycles as f64 / winner.simulated() as f64;
    match cycles {
        _ if share >= 1.0 => format!("takes {:.1} times as long", 1.0 + share),
        1 if share < 0.0001 => "is 1 cycle slower".to_string(),
        _ if share < 0.0001 => format!("is {cycles} cycles slower"),
        _ => format!("is {} slower", percent(share)),
    }
}

/// What the slower one pays for, where it loses most.
fn cause(winner: &MappingOutcome, other: &MappingOutcome) -> String {
    let lost = |(ours, theirs): &(&PhaseRow, &PhaseRow)| {
        theirs.simulated_cycles.saturating_sub(ours.simulated_cycles)
    };
    // Of equal losses the first phase.
    let worst = winner.detail.phases.iter().zip(&other.detail.phases).rev().max_by_key(lost);
    let Some((ours, theirs)) = worst else { return String::new() };
    let is_one = other.detail.phases.len() == 1;
    let in_phase = if is_one { String::new() } else { format!(", most of all in phase {}", theirs.phase) };
    let what = if theirs.simulated_cycles > theirs.predicted_cycles {
        return format!("{in_phase}, because of contention");
    } else if theirs.link_load > ours.link_load {
        format!("{} messages share a link instead of {}", theirs.link_load, ours.link_load)
    } else if theirs.dilation > ours.dilation {
        format!(
            "its longest route has {} instead of {}",
            counted(theirs.dilation.into(), "hop"),
            ours.dilation
        )
    } else {
        format!("it takes {} cycles instead of {}", theirs.simulated_cycles, ours.simulated_cycles)
    };
    format!("{in_phase}, {} {what}", if is_one { "as" } else { "where" })
}
