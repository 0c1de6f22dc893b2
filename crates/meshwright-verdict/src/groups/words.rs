//! What is to be said of a verdict on a program of groups.

use super::form::GroupsOutcome;
use crate::percent;

/// Says how good the winner is and what sets it apart from the best of another split, and from the paper's.
pub(super) fn reason(winner: &GroupsOutcome, results: &[GroupsOutcome]) -> String {
    let quality = match winner.gap {
        0.0 => "it meets the lower bound, so nothing can be faster".to_string(),
        gap if gap < 1.0 => format!("it takes {} more than the lower bound", percent(gap)),
        gap => format!("it takes {:.1} times the lower bound", 1.0 + gap),
    };
    let others = results.iter().filter(|other| other.split != winner.split);
    let Some(other) = others.min_by_key(|other| other.simulated_cycles) else {
        return format!("{} wins: {quality}.", winner.method);
    };
    let lead = match other.simulated_cycles as f64 / winner.simulated_cycles as f64 - 1.0 {
        slower if winner.simulated_cycles == other.simulated_cycles || slower.is_nan() => {
            format!("{} is as fast", other.method)
        }
        slower if slower < 1.0 => format!("{} is {} slower", other.method, percent(slower)),
        slower => format!("{} takes {:.1} times as long", other.method, 1.0 + slower),
    };
    format!("{} wins: {quality}; {lead}.", winner.method)
}

/// What the winner's speed costs in memory, where another split keeps far less.
pub(super) fn advice(winner: &GroupsOutcome, results: &[GroupsOutcome]) -> Option<String> {
    let others = results.iter().filter(|other| other.split != winner.split);
    let least = others.min_by_key(|other| (other.bytes_kept_max, other.simulated_cycles))?;
    (winner.bytes_kept_max >= 4 * least.bytes_kept_max.max(1)).then(|| {
        format!(
            "It keeps up to {} bytes at a member; {} keeps {}.",
            winner.bytes_kept_max, least.method, least.bytes_kept_max
        )
    })
}
