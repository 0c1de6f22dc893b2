//! The format that lists ranks in the order of the slots they go to.

use super::{Format, Launch, any_machine, any_tasks};
use meshwright_network::topology::Topology;

/// So many ranks stand on a line.
const RANKS_PER_LINE: usize = 64;

/// Ranks with commas between, in the order of the slots; a slot is a living node, and they go by node number, or as a real machine
/// lists them.
///
/// The format has no word for a slot without rank. A node before the last used one that has no task gets one of the
/// ranks after those that have tasks.
pub(super) const MPICH_RANK_ORDER: Format = Format {
    name: "mpich-rank-order",
    summary: "Cray and HPE MPICH: MPICH_RANK_REORDER_METHOD=3, MPICH_RANK_REORDER_FILE=FILE",
    check: any_machine,
    fits: any_tasks,
    write,
};

fn write(launch: &Launch<'_>) -> String {
    let tasks = launch.tasks.tasks;
    let mut rank_of = vec![None; launch.machine.nodes() as usize];
    for (rank, node) in (0..tasks).zip(launch.nodes_by_rank()) {
        rank_of[node.index()] = Some(rank);
    }
    let mut order: Vec<Option<u32>> =
        launch.machine.slot_order().into_iter().map(|node| rank_of[node.index()]).collect();
    order.truncate(order.iter().rposition(Option::is_some).map_or(0, |last| last + 1));
    let started = order.len() as u32;
    let mut idle = tasks..started;
    let mut all =
        |rank: Option<u32>| rank.or_else(|| idle.next()).expect("a number for every slot").to_string();
    let order: Vec<String> = order.into_iter().map(&mut all).collect();
    let lines: String = order.chunks(RANKS_PER_LINE).map(|ranks| ranks.join(",") + "\n").collect();
    header(launch, started) + &lines
}

/// What to set, and what the ranks without a task are for.
fn header(launch: &Launch<'_>, started: u32) -> String {
    let tasks = launch.tasks.tasks;
    let order =
        if launch.machine.places().is_empty() { "their numbers" } else { "the machine's list of hosts" };
    let mut text = format!(
        "# One slot for each working node, in the order of {order}.\n\
         # export MPICH_RANK_REORDER_METHOD=3\n\
         # export MPICH_RANK_REORDER_FILE=<this file>\n"
    );
    if tasks < started {
        text += &format!(
            "# Start {started} ranks; those from {tasks} on have no task and only fill the slots between.\n"
        );
    }
    text
}
