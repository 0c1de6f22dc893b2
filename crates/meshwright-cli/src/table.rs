//! Tables for people.

use comfy_table::{CellAlignment, LineStyle, Table, TableStyle};

use meshwright_core::text::harmless_lines;
use meshwright_core::units::NodeId;
use meshwright_core::words;
use meshwright_network::topology::Machine;
use meshwright_sim::fitting::Routers;
use meshwright_sim::report::Channel;
use meshwright_verdict::explain::Times;
use meshwright_verdict::{LinkUse, LinkWait, Skipped};

use super::manner::{self, Units};

/// Marks in a text where a style begins and ends; [`painted`] makes colours of them. They are no characters, so nothing that
/// people write has them.
const BOLD: char = '\u{fdd0}';
const GOOD: char = '\u{fdd1}';
const BAD: char = '\u{fdd2}';
const PLAIN: char = '\u{fdd3}';

/// Cells that say something went wrong.
const ALARMS: [&str; 9] = [
    "deadlock",
    "infeasible",
    "impossible",
    "no",
    "saturated",
    "endless",
    "standstill",
    "refuted",
    "not simulated",
];

/// A table with its head; the columns from `numbers_from` on are aligned right. Rows with a cell that begins with a star
/// win. Columns that do not fit the terminal are left out from the right, and named below.
pub fn table(head: &[&str], numbers_from: usize, rows: Vec<Vec<String>>) -> String {
    fitting(head, numbers_from, rows, manner::width())
}

fn fitting(head: &[&str], numbers_from: usize, rows: Vec<Vec<String>>, width: usize) -> String {
    let cells = |row: Vec<String>| row.into_iter().map(|cell| harmless_lines(&cell).into_owned()).collect();
    let rows: Vec<Vec<String>> = rows.into_iter().map(cells).collect();
    let widest = |text: &str| text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    let of_column = |at: usize| rows.iter().map(|row| widest(&row[at])).chain([widest(head[at])]).max();
    // Between two columns stand three blanks, at both ends of a line one.
    let mut end = 0;
    let mut fits = |at: &usize| {
        end += of_column(*at).unwrap_or(0) + 3;
        end <= width.saturating_add(1)
    };
    let shown = (0..head.len()).take_while(&mut fits).count().max(1);
    let first = |row: &Vec<String>| row[..shown].to_vec();
    let text = drawn(&head[..shown], numbers_from, rows.iter().map(first).collect());
    match &head[shown..] {
        [] => text,
        left => {
            let named: Vec<&str> = left.iter().copied().filter(|head| !head.is_empty()).collect();
            text + &format!("not shown in {width} columns: {}\n", named.join(", "))
        }
    }
}

/// The whole table.
fn drawn(head: &[&str], numbers_from: usize, rows: Vec<Vec<String>>) -> String {
    let mut table = Table::new();
    let rule = LineStyle::none().fill('─').junction('─');
    let style = TableStyle::new().top_border(rule).header_separator(rule).bottom_border(rule);
    table.load_style(style).set_header(head.to_vec()).add_rows(rows.clone());
    for column in table.column_iter_mut().skip(numbers_from) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let text = table.trim_fmt();
    let mut lines = text.lines();
    let mut styled = String::new();
    let mut add = |line: Option<&str>, style: &dyn Fn(&str) -> String| {
        styled.extend(line.map(|line| style(line) + "\n"));
    };
    let height = |row: &[&str]| row.iter().map(|cell| cell.lines().count()).max().unwrap_or(1).max(1);
    add(lines.next(), &str::to_string);
    (0..height(head)).for_each(|_| add(lines.next(), &|line| format!("{BOLD}{line}{PLAIN}")));
    add(lines.next(), &str::to_string);
    for row in &rows {
        let cells: Vec<&str> = row.iter().map(String::as_str).collect();
        (0..height(&cells)).for_each(|_| add(lines.next(), &|line| of_row(line, &cells)));
    }
    lines.for_each(|line| add(Some(line), &str::to_string));
    styled
}

/// A line of a row: a winner is green, an alarm red.
fn of_row(line: &str, cells: &[&str]) -> String {
    if cells.iter().any(|cell| cell.starts_with("* ")) {
        return format!("{GOOD}{line}{PLAIN}");
    }
    let Some(alarm) = cells.iter().skip(1).find(|cell| ALARMS.contains(cell)) else {
        return line.to_string();
    };
    match line.rfind(alarm) {
        Some(at) => {
            let (before, after) = (&line[..at], &line[at + alarm.len()..]);
            format!("{before}{BAD}{alarm}{PLAIN}{after}")
        }
        None => line.to_string(),
    }
}

/// A text with colours in place of marks; whoever prints it leaves them out where they are not wanted.
pub(super) fn painted(text: &str) -> String {
    let mut painted = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            BOLD => painted.push_str("\u{1b}[1m"),
            GOOD => painted.push_str("\u{1b}[1;32m"),
            BAD => painted.push_str("\u{1b}[1;31m"),
            PLAIN => painted.push_str("\u{1b}[0m"),
            c => painted.push(c),
        }
    }
    painted
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

/// A time in the units that are asked for: `43322`, with a clock `43322 (43.32 µs)` or `43.32 µs`.
pub(super) fn cycles(cycles: u64, machine: &Machine) -> String {
    match (machine.seconds(cycles as f64).map(words::seconds), manner::units()) {
        (Some(time), None) => format!("{cycles} ({time})"),
        (Some(time), Some(Units::Time)) => time,
        _ => cycles.to_string(),
    }
}

/// A time in a sentence: `43322 cycles`, with a clock `43322 cycles (43.32 µs)` or `43.32 µs`.
pub(super) fn in_words(cycles: u64, machine: &Machine) -> String {
    let counted = words::counted(cycles, "cycle");
    match (machine.seconds(cycles as f64).map(words::seconds), manner::units()) {
        (Some(time), None) => format!("{counted} ({time})"),
        (Some(time), Some(Units::Time)) => time,
        _ => counted,
    }
}

/// A mean in a sentence: `8.33 cycles`, with a clock `8.33 cycles (8.33 ns)` or `8.33 ns`.
pub(super) fn mean_in_words(cycles: f64, machine: &Machine) -> String {
    match (machine.seconds(cycles).map(words::seconds), manner::units()) {
        (Some(time), None) => format!("{cycles:.2} cycles ({time})"),
        (Some(time), Some(Units::Time)) => time,
        _ => format!("{cycles:.2} cycles"),
    }
}

/// Whom a sentence is about, and the sentence: `star is left out: WHY`, `star, ring are left out: WHY`.
pub(super) fn told<'s>(what: &str, said: impl IntoIterator<Item = (&'s str, &'s str)>) -> String {
    let lines = words::by_sentence(said).into_iter().map(|(who, why)| {
        let is = if who.len() == 1 { "is" } else { "are" };
        format!("{} {is} {what}: {why}\n", who.join(", "))
    });
    lines.collect()
}

/// Who is left out, and why, a line for each reason.
pub(super) fn left_out<'s>(skipped: impl IntoIterator<Item = &'s Skipped>) -> String {
    told("left out", skipped.into_iter().map(|skipped| (&*skipped.method, &*skipped.why)))
}

/// A time in seconds, if they are asked for and the machine has a clock.
pub(super) fn in_seconds(cycles: f64, machine: &Machine) -> Option<String> {
    machine.seconds(cycles).filter(|_| manner::units() == Some(Units::Time)).map(words::seconds)
}

/// A time beside others: in cycles, unless seconds are asked for.
pub(super) fn time(cycles: f64, decimals: usize, machine: &Machine) -> String {
    in_seconds(cycles, machine).unwrap_or_else(|| number(cycles, decimals))
}

/// Times in sentences: in cycles, unless seconds are asked for.
pub(super) fn times(machine: &Machine) -> Times<'_> {
    match manner::units() {
        Some(Units::Time) => Times::in_seconds(machine),
        _ => Times::in_cycles(machine),
    }
}

/// In which unit the times of a table stand.
pub(super) fn unit(machine: &Machine) -> &'static str {
    match (machine.seconds(1.0), manner::units()) {
        (Some(_), None) => "cycles, and seconds by the clock of the machine",
        (Some(_), Some(Units::Time)) => "seconds",
        _ => "cycles",
    }
}

/// A link with how long its messages take on it, and how many they are: `(0,3) → (1,3)  64 cycles, 2`.
pub(super) fn busiest(busiest: Option<LinkUse>, machine: &Machine) -> String {
    match busiest {
        Some(LinkUse { from, to, messages, busy_cycles, .. }) => {
            format!("{}  {}, {messages}", link(from, to, machine), time(busy_cycles as f64, 0, machine))
        }
        None => "none".to_string(),
    }
}

/// How long messages waited for one link, added up, at most. Which it is stands in the JSON: tables name one link, the busiest.
pub(super) fn waited(waited: Option<LinkWait>, machine: &Machine) -> String {
    waited.map_or("none".to_string(), |wait| time(wait.waited_cycles as f64, 0, machine))
}

/// Heads of columns.
pub(super) const BUSIEST: &str = "busiest link: time, messages";
pub(super) const WAITED: &str = "most waiting, summed";

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
