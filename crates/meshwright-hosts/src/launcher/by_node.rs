//! Formats that call a node by its number.

use super::{Format, Launch, any_machine, any_tasks};
use meshwright_core::error::{Error, Result};
use meshwright_core::text::ENTRIES_MAX;
use meshwright_mapping::TaskGraph;
use meshwright_schedule::{Schedule, goal};

/// The number of pairs, then `task<TAB>node` for each task; tasks keep their numbers whatever their ranks.
pub(super) const SCOTCH_MAP: Format = Format {
    name: "scotch-map",
    summary: "Scotch: vertices are tasks, terminals are nodes",
    check: any_machine,
    fits: any_tasks,
    write: |launch| {
        let nodes = &launch.placement.nodes;
        let pairs = nodes.iter().enumerate().map(|(task, node)| format!("{task}\t{node}\n"));
        format!("{}\n", nodes.len()) + &pairs.collect::<String>()
    },
};

/// The schedule of the placed job; rank r of it is node r.
pub(super) const GOAL: Format = Format {
    name: "goal",
    summary: "LogGOPSim, `meshwright simulate` and `meshwright run`: the messages between nodes",
    check: any_machine,
    fits: written_out,
    write: |launch| goal_text(launch),
};

fn goal_text(launch: &Launch<'_>) -> String {
    let phases = launch.placement.phases(launch.tasks, launch.machine);
    let mut text = vec![];
    goal::write(&Schedule::from_phases(&phases), &mut text).expect("memory takes every write");
    String::from_utf8(text).expect("GOAL is ASCII")
}

/// Refuses to write out repetitions of phases that no memory holds.
fn written_out(tasks: &TaskGraph) -> Result<()> {
    let of_phase = |index| tasks.phase(index).len() as u64 * u64::from(tasks.repeats(index));
    let messages: u64 = (0..tasks.phases()).map(of_phase).sum();
    if messages <= ENTRIES_MAX {
        return Ok(());
    }
    Err(Error::TooLarge {
        what: "a schedule with every repetition written out",
        needed: format!("{messages} messages"),
        limit: format!("{ENTRIES_MAX}"),
    })
}
