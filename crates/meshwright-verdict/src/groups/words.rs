//! What is to be said of a verdict on a program of groups.

use crate::GroupsOutcome;
use meshwright_core::words::percent;

/// Says how good the winner is and what sets it apart from the next, and from the best of another split.
pub(super) fn reason(winner: &GroupsOutcome, results: &[GroupsOutcome]) -> String {
    let quality = match winner.gap().unwrap_or_default() {
        0.0 => "it meets the lower bound, so nothing can be faster".to_string(),
        gap if gap < 1.0 => format!("it takes {} more than the lower bound", percent(gap)),
        gap => format!("it takes {:.1} times the lower bound", 1.0 + gap),
    };
    let nearest = |is_rival: &dyn Fn(&GroupsOutcome) -> bool| {
        let rivals = results.iter().filter(|other| other.method != winner.method && is_rival(other));
        rivals.min_by_key(|other| other.simulated())
    };
    let lead = |other: &GroupsOutcome| match other.simulated() as f64 / winner.simulated() as f64 - 1.0 {
        slower if winner.simulated() == other.simulated() || slower.is_nan() => {
            format!("; {} is as fast", other.method)
        }
        slower if slower < 1.0 => format!("; {} is {} slower", other.method, percent(slower)),
        slower => format!("; {} takes {:.1} times as long", other.method, 1.0 + slower),
    };
    let next = nearest(&|_| true);
    let other_split = nearest(&|other| other.detail.split != winner.detail.split);
    let other_split = other_split.filter(|other| next.is_some_and(|next| next.method != other.method));
    let leads: String = next.into_iter().chain(other_split).map(lead).collect();
    format!("{} wins: {quality}{leads}.", winner.method)
}

/// What the winner's speed costs in memory, where another split keeps far less.
pub(super) fn advice(winner: &GroupsOutcome, results: &[GroupsOutcome]) -> Option<String> {
    let others = results.iter().filter(|other| other.detail.split != winner.detail.split);
    let least = others.min_by_key(|other| (other.detail.bytes_kept_max, other.simulated()))?;
    (winner.detail.bytes_kept_max >= 4 * least.detail.bytes_kept_max.max(1)).then(|| {
        format!(
            "It keeps up to {} bytes at a member; {} keeps {}.",
            winner.detail.bytes_kept_max, least.method, least.detail.bytes_kept_max
        )
    })
}
