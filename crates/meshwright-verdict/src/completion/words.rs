//! Which row is the best, and why, in sentences.

use super::CompletionRow;
use meshwright_core::units::Cycles;
use meshwright_core::words::{counted, grouped, percent, short};

/// The time of one core with the messages of the host.
pub(super) fn sequential(cycles: u64, host: &[Cycles; 2]) -> u64 {
    cycles + host[0].0 + host[1].0
}

/// The time of one core over that of many; 1 where nobody needs any time.
pub(super) fn speedup(alone: u64, host: &[Cycles; 2], simulated: u64) -> f64 {
    let alone = sequential(alone, host);
    if alone == simulated { 1.0 } else { alone as f64 / simulated as f64 }
}

/// The row with the fewest nodes, then tasks, that takes at most 5 % longer than the best.
pub(super) fn frugal(rows: &[CompletionRow], best: usize) -> usize {
    let most = u128::from(rows[best].simulated_cycles) * 21;
    let enough = |row: &&CompletionRow| u128::from(row.simulated_cycles) * 20 <= most;
    let fewest = rows.iter().filter(enough).map(|row| (row.nodes, row.per_node)).min();
    let is_fewest = |row: &CompletionRow| Some((row.nodes, row.per_node)) == fewest;
    rows.iter().position(is_fewest).unwrap_or(best)
}

/// What to use, and what that gives, when one core alone takes `alone` cycles.
fn used(row: &CompletionRow, alone: u64, machine_nodes: u32) -> String {
    let (of, cycles) = (counted(machine_nodes.into(), "node"), grouped(row.simulated_cycles));
    if row.tasks == 1 {
        return format!("Do not divide: one of {of} takes {cycles} cycles.");
    }
    let tasks = match row.per_node {
        1 => String::new(),
        many => format!(" with {many} tasks each"),
    };
    let start = match row.simulated_cycles > alone {
        true => format!(
            "Do not divide: one core takes {} cycles. Of what was asked for, the best is",
            grouped(alone)
        ),
        false => "Use".to_string(),
    };
    format!(
        "{start} {} of {of}{tasks}, dividing {}: {cycles} cycles, {} times as fast as one core (efficiency {}).",
        grouped(row.nodes.into()),
        counted(row.depth.into(), "time"),
        short(row.speedup),
        percent(row.efficiency)
    )
}

/// What to use, what more nodes or tasks would cost, and how far it can be from the best.
pub(super) fn reason(
    rows: &[CompletionRow],
    (best, frugal): (usize, usize),
    alone: u64,
    machine_nodes: u32,
) -> String {
    let row = &rows[best];
    let mut text = used(row, alone, machine_nodes);
    let more = |other: &CompletionRow| {
        let extra = other.simulated_cycles - row.simulated_cycles;
        match extra {
            0 => "takes as long".to_string(),
            extra if row.simulated_cycles == 0 => format!("costs {} cycles", grouped(extra)),
            extra => {
                let share = extra as f64 / row.simulated_cycles as f64;
                format!("costs {} cycles ({})", grouped(extra), percent(share))
            }
        }
    };
    let deeper = |wider: &&CompletionRow| wider.per_node == row.per_node && wider.nodes > row.nodes;
    let wider =
        rows.iter().filter(|wider| wider.nodes > row.nodes).min_by_key(|wider| wider.simulated_cycles);
    match rows.iter().find(deeper).or(wider) {
        Some(wider) => {
            let apart = match wider.per_node {
                same if same == row.per_node => String::new(),
                other => format!(" with {} each", counted(other.into(), "task")),
            };
            text += &format!(" Using {} nodes{apart} {}.", grouped(wider.nodes.into()), more(wider));
        }
        None if row.nodes < machine_nodes => text += " More nodes were not asked for, and might be faster.",
        None => {}
    }
    let finer = |finer: &&CompletionRow| finer.nodes == row.nodes && finer.per_node > row.per_node;
    if let Some(finer) = rows.iter().find(finer) {
        text += &format!(" With {} tasks at each node it {}.", finer.per_node, more(finer));
    }
    let few = &rows[frugal];
    if few.nodes < row.nodes {
        let (nodes, cycles) = (counted(few.nodes.into(), "node"), grouped(few.simulated_cycles));
        text += &format!(
            " {nodes} alone {} at most 5 % longer: {cycles} cycles (efficiency {}).",
            if few.nodes == 1 { "takes" } else { "take" },
            percent(few.efficiency)
        );
    }
    text += &match row.simulated_cycles == row.bound_cycles {
        true => " No placement of this tree is faster".to_string(),
        false => format!(" That is {} above the bound of this tree", percent(row.gap)),
    };
    let mut rivals: Vec<u32> = Vec::new();
    for (_, other) in rows.iter().enumerate().filter(|(index, _)| *index != best) {
        if other.bound_cycles < row.simulated_cycles && !rivals.contains(&other.nodes) {
            rivals.push(other.nodes);
        }
    }
    text += &match rivals.as_slice() {
        [] if rows.len() > 1 => ", and the bounds of all other rows are no less.".to_string(),
        [] => ".".to_string(),
        some => {
            let names: Vec<String> = some.iter().map(u32::to_string).collect();
            format!("; placements might be found that make {} nodes faster.", names.join(", "))
        }
    };
    text
}
