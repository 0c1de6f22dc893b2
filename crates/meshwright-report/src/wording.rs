//! How numbers and nodes are written on the page.

use meshwright_core::units::NodeId;
use meshwright_network::topology::{Machine, Network, Topology};
use meshwright_verdict::{MappingVerdict, percentage};

/// What stands where there is no number.
pub const NONE: &str = "–";

/// The narrow space between groups of digits; it does not break at the end of a line.
const THIN_SPACE: char = '\u{202f}';

/// `1234567` as `1 234 567`, with thin spaces.
///
/// # Examples
///
/// ```
/// assert_eq!(meshwright_report::grouped(1234567), "1\u{202f}234\u{202f}567");
/// ```
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 2);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(THIN_SPACE);
        }
        text.push(digit);
    }
    text
}

/// Who wins a job and with what time; or that nobody does.
pub fn headline(winner: Option<(&str, u64)>) -> String {
    match winner {
        Some((method, cycles)) => format!("{method} wins with {}", counted(cycles, "cycle")),
        None => "No method comes to an end".to_string(),
    }
}

/// A share as a percentage; a dash when the bound is 0 and the gap therefore infinite.
///
/// Small shares have two decimals, and none but 0 itself is written as 0: a gap of 0 is a proof.
pub fn percent(share: f64) -> String {
    let number = match share.abs() {
        size if !size.is_finite() => return NONE.to_string(),
        size if size >= 10.0 => grouped((100.0 * size).round() as u64),
        _ => percentage(share),
    };
    format!("{number}{THIN_SPACE}%")
}

/// What kind of work a phased job is.
pub fn kind(job: &MappingVerdict) -> &'static str {
    let is_tree = |tree: &&str| job.facts.tasks.name.starts_with(*tree);
    match job.facts.tasks.divide.is_some() || ["binomial:", "complete-binary:"].iter().any(is_tree) {
        true => "Divide and conquer",
        false => "Trace",
    }
}

/// A count with its noun: `1 message`, `2 messages`.
pub fn counted(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(number))
}

/// A node as `(row, column)` on a grid, by its digits on a hypercube, by its id elsewhere.
pub fn node(machine: &Machine, node: NodeId) -> String {
    match machine.network() {
        Network::Grid(grid) if grid.dimensions() > 3 && grid.sides().iter().all(|&side| side <= 10) => {
            grid.coordinates(node).iter().map(u32::to_string).collect()
        }
        Network::Grid(grid) if grid.dimensions() > 1 => tuple(&grid.coordinates(node)),
        Network::Grid(_) | Network::Graph(_) => node.to_string(),
    }
}

/// A link by its two ends.
pub fn link(machine: &Machine, from: NodeId, to: NodeId) -> String {
    format!("{} → {}", node(machine, from), node(machine, to))
}

fn tuple(coordinates: &[u32]) -> String {
    let list: Vec<_> = coordinates.iter().map(u32::to_string).collect();
    format!("({})", list.join(", "))
}

#[cfg(test)]
mod tests {
    use super::{grouped, percent};

    #[test]
    fn digits_stand_in_groups_of_three() {
        let spaced: Vec<_> = [0, 999, 1000, 1_234_567].iter().map(|&n| grouped(n)).collect();
        assert_eq!(spaced, ["0", "999", "1\u{202f}000", "1\u{202f}234\u{202f}567"]);
        assert_eq!(grouped(u64::MAX).chars().filter(char::is_ascii_digit).count(), 20);
    }

    #[test]
    fn a_gap_without_a_bound_is_a_dash() {
        assert_eq!(percent(f64::INFINITY), "–");
        assert_eq!(percent(f64::NAN), "–");
        assert_eq!(percent(0.125), "12.5\u{202f}%");
        assert_eq!(percent(12.5), "1\u{202f}250\u{202f}%");
    }

    #[test]
    fn only_no_gap_is_written_as_0() {
        let shares = [0.0, 1e-9, 0.0003, 0.0032, 0.0099999, 0.01, 0.0764];
        let written = ["0", "< 0.01", "0.03", "0.32", "1.00", "1.00", "7.64"];
        assert_eq!(shares.map(percent), written.map(|number| format!("{number}\u{202f}%")));
    }
}
