//! Tables for people.

use comfy_table::{CellAlignment, LineStyle, Table, TableStyle};

use meshwright_core::text::harmless_lines;
use meshwright_core::units::NodeId;
use meshwright_core::words;
use meshwright_network::topology::Machine;
use meshwright_sim::fitting::Routers;
use meshwright_sim::report::Channel;
use meshwright_verdict::{LinkUse, LinkWait};

/// A table with its head; the columns from `numbers_from` on are aligned right.
pub fn table(head: &[&str], numbers_from: usize, rows: Vec<Vec<String>>) -> String {
    let cells = |row: Vec<String>| row.into_iter().map(|cell| harmless_lines(&cell).into_owned()).collect();
    let rows: Vec<Vec<String>> = rows.into_iter().map(cells).collect();
    let mut table = Table::new();
    let rule = LineStyle::none().fill('─').junction('─');
    let style = TableStyle::new().top_border(rule).header_separator(rule).bottom_border(rule);
    table.load_style(style).set_header(head.to_vec()).add_rows(rows);
    for column in table.column_iter_mut().skip(numbers_from) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.trim_fmt() + "\n"
}

/// A share as a percentage.
pub fn percent(share: f64) -> String {
    format!("{} %", words::percentage(share))
}

/// At most so many decimals, and no more than it takes; what is too large to be read digit by digit as a power of ten.
pub fn number(x: f64, decimals: usize) -> String {
    if x.is_finite() && x.abs() >= 1e15 {
        return format!("{x:.decimals$e}");
    }
    words::decimal(x, decimals)
}

/// A link with how long its messages take on it, and how many they are: `(0,3) → (1,3)  64 cycles, 2`.
pub(super) fn busiest(busiest: Option<LinkUse>, machine: &Machine) -> String {
    match busiest {
        Some(LinkUse { from, to, messages, busy_cycles, .. }) => {
            format!("{}  {busy_cycles}, {messages}", link(from, to, machine))
        }
        None => "none".to_string(),
    }
}

/// How long messages waited for one link at most. Which it is stands in the JSON: tables name one link, the busiest.
pub(super) fn waited(waited: Option<LinkWait>) -> String {
    waited.map_or("none".to_string(), |wait| wait.waited_cycles.to_string())
}

/// Heads of columns.
pub(super) const BUSIEST: &str = "busiest link: cycles, messages";
pub(super) const WAITED: &str = "longest wait, cycles";

/// Who ran on routers or passed others in date-line classes, a line for each kind; nothing where whole messages needed none.
pub(super) fn on_routers<'a>(runs: impl Iterator<Item = (&'a str, Option<&'a Routers>)>) -> String {
    let mut lines: Vec<(&Routers, Vec<&str>)> = Vec::new();
    for (name, routers) in runs.filter_map(|(name, routers)| Some((name, routers?))) {
        match lines.iter_mut().find(|(known, _)| *known == routers) {
            Some((_, names)) => names.push(name),
            None => lines.push((routers, vec![name])),
        }
    }
    lines
        .iter()
        .map(|(known, names)| {
            let why = if known.whole_messages { "" } else { "whole messages end in a ring, so on " };
            format!("{}: {why}{}\n", names.join(", "), routers(known))
        })
        .collect()
}

/// What there is to say of routers.
pub(super) fn routers(routers: &Routers) -> String {
    let channels = words::counted(routers.virtual_channels.into(), "virtual channel");
    if routers.whole_messages {
        return format!("whole messages with date-line classes: {channels}, {}", routers.routing);
    }
    format!("routers with {channels}, {}, flits of {} B", routers.routing, routers.flit)
}

/// A link by its ends: `(0,3) → (1,3)`.
pub(super) fn link(from: u32, to: u32, machine: &Machine) -> String {
    format!("{} → {}", machine.node_name(NodeId(from)), machine.node_name(NodeId(to)))
}

/// The links of a ring, one on a line.
pub(super) fn ring(ring: &[Channel], machine: &Machine) -> String {
    ring.iter().map(|channel| link(channel.from, channel.to, machine)).collect::<Vec<_>>().join("\n")
}
