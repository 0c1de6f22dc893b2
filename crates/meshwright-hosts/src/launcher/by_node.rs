//! Formats that call a node by its number.

use super::{Format, Launch, any_machine};
use meshwright_schedule::{Schedule, goal};

/// The number of pairs, then `task<TAB>node` for each task; tasks keep their numbers whatever their ranks.
pub(super) const SCOTCH_MAP: Format = Format {
    name: "scotch-map",
    summary: "Scotch: vertices are tasks, terminals are nodes",
    check: any_machine,
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
    write: |launch| goal_text(launch),
};

fn goal_text(launch: &Launch<'_>) -> String {
    let phases = launch.placement.phases(launch.tasks, launch.machine);
    let mut text = vec![];
    goal::write(&Schedule::from_phases(&phases), &mut text).expect("memory takes every write");
    String::from_utf8(text).expect("GOAL is ASCII")
}
