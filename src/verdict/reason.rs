//! Why a method wins, in one sentence.

use super::Outcome;

/// Less is better: simulated time, then the time without barriers, then traffic.
pub(crate) fn rank(outcome: &Outcome) -> (u64, u64, u64) {
    (outcome.simulated_cycles, outcome.dependency_cycles.unwrap_or(u64::MAX), outcome.hops_total)
}

/// Says how good the winner is and what sets it apart from the runner-up.
pub(crate) fn sentence(winner: &Outcome, results: &[Outcome]) -> String {
    let quality = if winner.simulated_cycles == winner.bound_cycles {
        "it meets the lower bound, so no placement can be faster".to_string()
    } else {
        format!("it comes within {} of the lower bound", percent(winner.gap))
    };
    let runner_up =
        results.iter().filter(|other| other.method != winner.method).min_by_key(|other| rank(other));
    let Some(other) = runner_up else {
        return format!("{} is the only method that applies; {quality}.", winner.method);
    };
    let lead = if other.simulated_cycles > winner.simulated_cycles {
        let slower = other.simulated_cycles as f64 / winner.simulated_cycles as f64 - 1.0;
        format!("{} is {} slower {}", other.method, percent(slower), cause(winner, other))
    } else if rank(other) == rank(winner) {
        format!("{} is its equal in every figure", other.method)
    } else if rank(other).1 > rank(winner).1 {
        format!("{} is as fast with barriers but slower without", other.method)
    } else {
        format!(
            "{} is as fast but sends its messages over {} hops instead of {}",
            other.method, other.hops_total, winner.hops_total
        )
    };
    format!("{} wins: {quality}; {lead}.", winner.method)
}

/// What the slower one pays for.
fn cause(winner: &Outcome, other: &Outcome) -> String {
    let far = |outcome: &Outcome| outcome.phases.iter().map(|phase| u64::from(phase.dilation)).sum::<u64>();
    match (&winner.blame, &other.blame) {
        (None, Some(blame)) => {
            format!(
                "because its messages wait for each other, most on the link {} -> {} in phase {}",
                blame.from, blame.to, blame.phase
            )
        }
        _ if far(other) > far(winner) => {
            format!("because its longest routes add up to {} hops instead of {}", far(other), far(winner))
        }
        (_, Some(blame)) => format!(
            "because its messages wait longer, most on the link {} -> {} in phase {}",
            blame.from, blame.to, blame.phase
        ),
        (_, None) => "although no message waits".to_string(),
    }
}

/// A ratio for people: one decimal, more where it would vanish.
pub(crate) fn percent(ratio: f64) -> String {
    let percent = 100.0 * ratio;
    if percent.abs() >= 0.1 { format!("{percent:.1} %") } else { format!("{percent:.2} %") }
}
