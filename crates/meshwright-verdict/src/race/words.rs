//! Why the winner wins, in words.

use meshwright_collectives::bound::Bound;
use meshwright_core::units::NodeId;
use meshwright_core::words::{counted, percent, some_of};
use meshwright_network::topology::Machine;

use super::RaceOutcome;

/// The answer in one sentence, and what there is to know beside; `chosen` are the roots that were compared where none was
/// asked for.
pub(super) fn reason(
    machine: &Machine,
    bound: &Bound,
    chosen: &[NodeId],
    winner: Option<&RaceOutcome>,
    results: &[RaceOutcome],
) -> (String, Option<String>) {
    let Some(winner) = winner else {
        let why = "every algorithm that was simulated comes to a standstill, or none was";
        return (why.to_string(), None);
    };
    let cycles = winner.simulated_cycles.unwrap_or_default();
    let equal: Vec<&str> = results
        .iter()
        .filter(|other| other.simulated_cycles == Some(cycles))
        .map(|other| other.method.as_str())
        .collect();
    // The bound holds for all algorithms; who is the fastest is known of these alone.
    let ran = results.iter().filter(|row| row.simulated_cycles.is_some()).count();
    let who = match equal.as_slice() {
        [one] if ran == 1 => format!("{one} is the one algorithm that was simulated"),
        [one] => format!("{one} is the fastest of the {ran} algorithms that were simulated"),
        all => {
            format!("{} are equally fast, the fastest of {ran} algorithms that were simulated", some_of(all))
        }
    };
    let above = match winner.gap() {
        Some(gap) if gap.is_infinite() => "above a bound of 0 cycles".to_string(),
        Some(gap) if gap > 0.0 => {
            format!("{} above a bound of {}", percent(gap), counted(bound.cycles.0, "cycle"))
        }
        _ => "no algorithm takes less".to_string(),
    };
    let names: Vec<String> = chosen.iter().map(|&root| machine.node_name(root)).collect();
    let from = if names.is_empty() { String::new() } else { format!(" from {}", names.join(" or ")) };
    let link = winner.busiest_link.map_or(String::new(), |link| {
        let name = |node| machine.node_name(NodeId(node));
        // Messages of no bytes take their heads' time alone, which counts as none.
        let carries = match link.busy_cycles {
            0 => format!("passes {}", counted(link.messages, "message")),
            busy => format!("is busy for {}", percent(busy as f64 / cycles.max(1) as f64)),
        };
        format!("; its busiest link, {} → {}, {carries}", name(link.from), name(link.to))
    });
    let left = results.iter().filter(|other| other.detail.not_simulated.is_some()).count() as u64;
    let advice = (left > 0).then(|| {
        format!("{} not simulated: --algorithm NAMES simulates whatever it names", counted(left, "algorithm"))
    });
    (format!("{who}: {}{from}, {above}{link}", counted(cycles, "cycle")), advice)
}
