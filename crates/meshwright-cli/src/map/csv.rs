//! The columns of placements for programs.

use meshwright_network::topology::{Machine, Switching};
use meshwright_sim::link_use::LinkUse;
use meshwright_verdict::map::{MapReport, MapRow};

use super::series::Member;
use super::text::best;
use crate::csv::{self, Column, column_list, known};

/// A placement under one switching.
pub(crate) struct Row<'r> {
    row: &'r MapRow,
    switching: Switching,
    machine: &'r Machine,
    is_best: bool,
}

impl Row<'_> {
    fn busiest(&self) -> Option<LinkUse> {
        *self.row.busiest_link.of(self.switching)
    }

    fn simulated(&self) -> Option<u64> {
        self.row.levels.of(self.switching).simulated
    }
}

/// The columns.
pub(crate) fn columns<'r>() -> Vec<Column<Row<'r>>> {
    column_list![
        "placement", "the placement", |at| at.row.name.clone();
        "switching", "how messages move", |at| at.switching.name().to_string();
        "winner", "whether no placement is simulated in less time", |at| at.is_best.to_string();
        "startup_cycles", "start-up c of a message", |at| at.machine.costs().startup.0.to_string();
        "bound_cycles", "no placement takes less", |at| at.row.bound.of(at.switching).exact.to_string();
        "alone_cycles", "as if no two messages met", |at| at.row.levels.of(at.switching).alone.to_string();
        "link_cycles", "no schedule on these routes takes less", |at| at.row.levels.of(at.switching).link.to_string();
        "path_cycles", "each message waits for all it meets", |at| at.row.levels.of(at.switching).path.to_string();
        "simulated_cycles", "what the simulation measures; empty after a deadlock", |at| known(at.simulated());
        "simulated_seconds", "the same by the clock of the machine; empty without one", |at| known(at.simulated().and_then(|cycles| at.machine.seconds(cycles as f64)));
        "gap", "simulated over bound, both in whole cycles, less 1", |at| known(*at.row.gap.of(at.switching));
        "slowdown", "time over that of the perfect mapping", |at| at.row.slowdown.of(at.switching).exact.to_string();
        "hops", "hops of all messages", |at| at.row.hops_total.to_string();
        "busiest_from", "node that the busiest link leaves, by id", |at| known(at.busiest().map(|link| link.from));
        "busiest_to", "node that it enters, by id", |at| known(at.busiest().map(|link| link.to));
        "busiest_messages", "messages on it", |at| known(at.busiest().map(|link| link.messages));
        "busiest_bytes", "their bytes", |at| known(at.busiest().map(|link| link.bytes));
        "busiest_cycles", "how long they take on it", |at| known(at.busiest().map(|link| link.busy_cycles));
        "longest_wait_cycles", "how long messages waited for one link, added up: of the link with the most", |at| known(at.row.waited_link.of(at.switching).map(|wait| wait.waited_cycles));
        "engine", "what simulated it", |at| (*at.row.engine.of(at.switching)).to_string();
        "reason", "what the time is made of, or why there is none", |at| known(at.row.reason.of(at.switching).as_ref());
    ]
}

fn rows<'r>(report: &'r MapReport, machine: &'r Machine) -> impl Iterator<Item = Row<'r>> {
    let own = || vec![machine.switching()];
    let switchings = if report.switchings.is_empty() { own() } else { report.switchings.clone() };
    switchings.into_iter().flat_map(move |switching| {
        let best = best(&report.placements, switching);
        report.placements.iter().map(move |row| {
            let is_best = best.iter().any(|one| std::ptr::eq(*one, row));
            Row { row, switching, machine, is_best }
        })
    })
}

/// One machine.
pub(super) fn one(report: &MapReport, machine: &Machine) -> String {
    csv::table(&[], &columns(), rows(report, machine).map(|row| (Vec::new(), row)))
}

/// Several start-ups, which have a column of their own already.
pub(super) fn several(members: &[Member]) -> String {
    let rows = members.iter().flat_map(|member| rows(&member.report, &member.machine));
    csv::table(&[], &columns(), rows.map(|row| (Vec::new(), row)))
}
