//! Tables for people.

use comfy_table::{CellAlignment, LineStyle, Table, TableStyle};

use meshwright::text::harmless_lines;
use meshwright::topology::Machine;
use meshwright::units::NodeId;
use meshwright::verdict::simulate::Channel;
use meshwright::verdict::{self, HottestLink};

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
    format!("{} %", verdict::percentage(share))
}

/// At most so many decimals, and no more than it takes; what is too large to be read digit by digit as a power of ten.
pub fn number(x: f64, decimals: usize) -> String {
    if x.is_finite() && x.abs() >= 1e15 {
        return format!("{x:.decimals$e}");
    }
    let text = format!("{x:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

/// A link with what passes over it: `(0,3) → (1,3) 64`.
pub(super) fn hottest(hottest: Option<HottestLink>, machine: &Machine) -> String {
    match hottest {
        Some(HottestLink { from, to, messages, .. }) => {
            format!("{}  {messages}", link(from, to, machine))
        }
        None => "none".to_string(),
    }
}

/// A link by its ends: `(0,3) → (1,3)`.
pub(super) fn link(from: u32, to: u32, machine: &Machine) -> String {
    format!("{} → {}", machine.node_name(NodeId(from)), machine.node_name(NodeId(to)))
}

/// The links of a ring, one on a line.
pub(super) fn ring(ring: &[Channel], machine: &Machine) -> String {
    ring.iter().map(|channel| link(channel.from, channel.to, machine)).collect::<Vec<_>>().join("\n")
}
