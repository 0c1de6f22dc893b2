//! Numbers and nodes in the words of the page.

use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_core::words::{self, NONE, THIN_SPACE, grouped};
use meshwright_network::topology::{Machine, Network, Topology};
use meshwright_verdict::{LinkUse, MappingVerdict};

/// So many equals are named; of more, the first one.
const EQUALS_NAMED: usize = 3;

/// The headline of several methods that nothing tells apart, and of one as [`headline`]; the winner stands first.
pub fn headline_of(best: &[&str], cycles: u64) -> String {
    let time = counted(cycles, "cycle");
    match best {
        [] => headline(None),
        [winner] => headline(Some((winner, cycles))),
        [first, rest @ ..] if best.len() > EQUALS_NAMED => {
            format!("{first} and {} others are equally fast: {time}", rest.len())
        }
        [most @ .., last] => format!("{} and {last} are equally fast: {time}", most.join(", ")),
    }
}

/// Who wins a job and with what time; or that nobody does.
pub fn headline(winner: Option<(&str, u64)>) -> String {
    match winner {
        Some((method, cycles)) => format!("{method} wins with {}", counted(cycles, "cycle")),
        None => "No method comes to an end".to_string(),
    }
}

/// A headline with its time in seconds, too, where the machine has a clock.
pub fn timed(headline: String, cycles: Option<u64>, machine: &Machine) -> String {
    match cycles.and_then(|cycles| machine.seconds(cycles as f64)) {
        Some(seconds) => format!("{headline} ({})", words::seconds(seconds)),
        None => headline,
    }
}

/// A share as a percentage; a dash when the bound is 0 and the gap therefore infinite.
///
/// Small shares have two decimals, and none but 0 itself is written as 0: a gap of 0 is a proof.
pub fn percent(share: f64) -> String {
    let number = match share.abs() {
        size if !size.is_finite() => return NONE.to_string(),
        size if size >= 10.0 => grouped((100.0 * size).round() as u64),
        _ => words::percentage(share),
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

/// A count with its noun, the digits in groups: `1 message`, `2 048 messages`.
pub fn counted(number: u64, noun: &str) -> String {
    format!("{} {}", grouped(number), words::plural(number, noun))
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

/// Every node that a verdict names is one of the machine.
///
/// # Errors
///
/// [`Error::Value`] with the first that is not.
pub fn check_nodes(machine: &Machine, mut named: impl Iterator<Item = u32>) -> Result<()> {
    let nodes = machine.nodes();
    match named.find(|&node| node >= nodes) {
        Some(outside) => {
            Err(Error::value("node of a verdict", outside, format!("a node from 0 to {}", nodes - 1)))
        }
        None => Ok(()),
    }
}

/// A link by its two ends; a dash for none.
pub fn link_or_none(machine: &Machine, link_use: Option<LinkUse>) -> String {
    link_use.map_or(NONE.to_string(), |found| link(machine, NodeId(found.from), NodeId(found.to)))
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
    use super::{headline_of, percent};

    #[test]
    fn a_gap_without_a_bound_is_a_dash() {
        assert_eq!(percent(f64::INFINITY), "–");
        assert_eq!(percent(f64::NAN), "–");
        assert_eq!(percent(0.125), "12.5\u{202f}%");
        assert_eq!(percent(12.5), "1\u{202f}250\u{202f}%");
    }

    #[test]
    fn equals_share_the_headline() {
        let words = |best: &[&str]| headline_of(best, 1256).replace('\u{202f}', " ");
        assert_eq!(words(&["a"]), "a wins with 1 256 cycles");
        assert_eq!(words(&["a", "b", "c"]), "a, b and c are equally fast: 1 256 cycles");
        assert_eq!(words(&["a", "b", "c", "d"]), "a and 3 others are equally fast: 1 256 cycles");
        assert_eq!(words(&[]), "No method comes to an end");
    }

    #[test]
    fn only_no_gap_is_written_as_0() {
        let shares = [0.0, 1e-9, 0.0003, 0.0032, 0.0099999, 0.01, 0.0764];
        let written = ["0", "< 0.01", "0.03", "0.32", "1.00", "1.00", "7.64"];
        assert_eq!(shares.map(percent), written.map(|number| format!("{number}\u{202f}%")));
    }
}
