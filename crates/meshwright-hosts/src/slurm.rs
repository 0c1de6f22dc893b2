//! The hosts of a Slurm job, from its environment.
//!
//! | variable | what | example |
//! |---|---|---|
//! | `SLURM_JOB_NODELIST`, else `SLURM_NODELIST` | the hosts, compressed | `n[001-004,7],m2` |
//! | `SLURM_TASKS_PER_NODE` | how many tasks each host takes; 1 if it is not set | `2(x3),1` |
//!
//! A node of the machine is a slot for a task, in the order in which Slurm fills them: host by host.

use std::ops::Range;

use super::coordinates::{HostBox, HostRow, Shape};
use super::hierarchy::{self, Group};
use super::{HOST_EXPECTED, is_host};
use meshwright_core::error::{Error, Result};
use meshwright_core::text::{parse_error, printable};
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Machine, NODES_MAX, Network, Place, Slot, Topology, network};

/// Where variables of the environment come from.
pub type Environment<'a> = dyn Fn(&str) -> Option<String> + 'a;

const LIST: &str = "hosts such as n[001-004,7],m2";
const COUNTS: &str = "counts such as 2(x3),1";
/// The digits of coordinates in host names.
const BASE: u32 = 36;
/// Coordinates in host names are their last characters, so many.
const AXES: usize = 3;

/// The machine of the job that this process belongs to; `specification` becomes its name.
///
/// | wiring | network |
/// |---|---|
/// | nothing | one switch: the slots of a host linked pairwise, and the first slots of all hosts |
/// | `names` | a torus whose coordinates are the last three characters of the names, digits to base 36 |
/// | another machine, such as `torus:4x4` | that one, slot k at node k |
///
/// # Errors
///
/// [`Error::Value`] outside of a job and for a machine of another size, [`Error::Parse`] at the place in the variable,
/// [`Error::NotApplicable`] for names without coordinates, [`Error::TooLarge`] for a switch with too many hosts.
///
/// # Examples
///
/// ```
/// use meshwright_network::topology::Topology;
/// use meshwright_hosts::slurm;
/// let job = |name: &str| match name {
///     "SLURM_JOB_NODELIST" => Some("n[1-3]".to_string()),
///     "SLURM_TASKS_PER_NODE" => Some("2(x2),1".to_string()),
///     _ => None,
/// };
/// let machine = slurm::machine("slurm", "", &job)?;
/// assert_eq!((machine.nodes(), machine.places()[3].host.as_str()), (5, "n2"));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn machine(specification: &str, wiring: &str, environment: &Environment<'_>) -> Result<Machine> {
    let slots = slots(environment)?;
    match wiring {
        "" => switch(specification, slots),
        "names" => by_names(specification, slots),
        wiring => {
            let network = network(wiring)?;
            if network.nodes() as usize != slots.len() {
                let given = format!("{} slots for {wiring}", slots.len());
                let expected = format!("{} tasks in the job, one for each node", network.nodes());
                return Err(Error::value("machine", given, expected));
            }
            Ok(Machine::at_places(specification, network, places(slots)))
        }
    }
}

fn places(slots: Vec<(String, u32)>) -> Vec<Place> {
    let place = |((host, slot), node)| Place { node: NodeId(node), host, slot: Slot::OfHost(slot) };
    slots.into_iter().zip(0..).map(place).collect()
}

fn switch(specification: &str, slots: Vec<(String, u32)>) -> Result<Machine> {
    let mut hosts: Vec<Group> = Vec::new();
    for (_, slot) in &slots {
        match hosts.last_mut() {
            Some(Group::Of(cores)) if *slot > 0 => cores.push(Group::Core),
            _ => hosts.push(Group::Of(vec![Group::Core])),
        }
    }
    let network = Network::Graph(hierarchy::network(&Group::Of(hosts))?);
    Ok(Machine::at_places(specification, network, places(slots)))
}

fn by_names(specification: &str, slots: Vec<(String, u32)>) -> Result<Machine> {
    let refuse = |why: String| Err(Error::not_applicable("slurm:names", why));
    let mut rows = Vec::with_capacity(slots.len());
    for (host, slot) in slots {
        if slot > 0 {
            return refuse(format!(
                "{host} takes several tasks, and names tell places of hosts, not of cores"
            ));
        }
        let Some(coordinates) = coordinates(&host) else {
            return refuse(format!("the name {host} does not end in three digits to base 36, such as n01A"));
        };
        rows.push(HostRow { host, slot: Slot::OfHost(0), coordinates });
    }
    let torus = HostBox::spanned(&rows, &Shape { wraps: true, sides: None })?;
    if let Err((first, second)) = torus.check(&rows) {
        return refuse(format!("{} and {} have the same coordinates", rows[first].host, rows[second].host));
    }
    torus.machine(specification, rows)
}

/// The coordinates that a host has in its name.
fn coordinates(host: &str) -> Option<Vec<u32>> {
    let start = host.len().checked_sub(AXES)?;
    host.as_bytes()[start..].iter().map(|&digit| char::from(digit).to_digit(BASE)).collect()
}

/// The slots of the job in Slurm's order: the host of each, and how many of that host's come before it.
///
/// # Errors
///
/// As [`machine`].
///
/// # Complexity
///
/// O(slots).
pub fn slots(environment: &Environment<'_>) -> Result<Vec<(String, u32)>> {
    let names = ["SLURM_JOB_NODELIST", "SLURM_NODELIST"];
    let found = names.iter().find_map(|name| Some((*name, environment(name)?)));
    let Some((variable, list)) = found else {
        let expected = "a job of Slurm, which has SLURM_JOB_NODELIST in its environment";
        return Err(Error::value("machine", "`slurm`", expected));
    };
    let hosts = hosts(variable, &list)?;
    let counts = match environment("SLURM_TASKS_PER_NODE") {
        Some(text) => tasks_per_node("SLURM_TASKS_PER_NODE", &text, hosts.len())?,
        None => vec![1; hosts.len()],
    };
    let slots: u64 = counts.iter().map(|&count| u64::from(count)).sum();
    check_count(slots)?;
    let of_host = |(host, count): (String, u32)| (0..count).map(move |slot| (host.clone(), slot));
    Ok(hosts.into_iter().zip(counts).flat_map(of_host).collect())
}

fn check_count(count: u64) -> Result<()> {
    if count <= u64::from(NODES_MAX) {
        return Ok(());
    }
    let (needed, limit) = (format!("{count} nodes"), format!("{NODES_MAX} nodes"));
    Err(Error::TooLarge { what: "a job of this size", needed, limit })
}

/// A text of the environment on the way through it.
struct Scan<'a> {
    variable: &'a str,
    text: &'a [u8],
    at: usize,
    expected: &'static str,
}

impl Scan<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let is_there = self.peek() == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }

    /// The longest run of such bytes.
    fn run(&mut self, wanted: impl Fn(u8) -> bool) -> Range<usize> {
        let start = self.at;
        while self.peek().is_some_and(&wanted) {
            self.at += 1;
        }
        start..self.at
    }

    /// A run of digits as a number.
    fn number(&mut self, most: u32) -> Result<u32> {
        let digits = self.run(|byte| byte.is_ascii_digit());
        let value = std::str::from_utf8(&self.text[digits.clone()]).ok().and_then(|text| text.parse().ok());
        value
            .filter(|value| *value <= most)
            .ok_or_else(|| self.error(digits, format!("expected a whole number from 0 to {most} here")))
    }

    fn unexpected(&self) -> Error {
        match self.peek() {
            Some(byte) => {
                self.error(self.at..self.at + 1, format!("`{}` cannot stand here", printable(&[byte])))
            }
            None => self.error(self.at..self.at, "the list ends here"),
        }
    }

    fn error(&self, span: Range<usize>, message: impl Into<String>) -> Error {
        parse_error(self.variable, self.text, span, message, self.expected).into()
    }
}

/// The hosts of a compressed list, in its order.
///
/// In brackets stand numbers, ranges of them with leading zeros kept, and boxes `000x133` of digits to base 36; several
/// brackets in a name make all combinations, the last fastest.
///
/// # Errors
///
/// [`Error::Parse`] with the place in the list, under the name of the variable; [`Error::TooLarge`].
///
/// # Complexity
///
/// O(hosts).
///
/// # Examples
///
/// ```
/// use meshwright_hosts::slurm::hosts;
/// assert_eq!(hosts("SLURM_JOB_NODELIST", "n[08-10,7],m2")?, ["n08", "n09", "n10", "n7", "m2"]);
/// assert_eq!(hosts("SLURM_JOB_NODELIST", "t[000x011]")?, ["t000", "t001", "t010", "t011"]);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn hosts(variable: &str, list: &str) -> Result<Vec<String>> {
    let mut scan = Scan { variable, text: list.as_bytes(), at: 0, expected: LIST };
    let mut all = Vec::new();
    loop {
        let start = scan.at;
        let mut names = vec![String::new()];
        while scan.peek().is_some_and(|byte| byte != b',') {
            let parts = if scan.take(b'[') { bracket(&mut scan)? } else { vec![plain(&mut scan)?] };
            check_count(all.len() as u64 + names.len() as u64 * parts.len() as u64)?;
            let with_each = |name: &String| parts.iter().map(|part| name.clone() + part).collect::<Vec<_>>();
            names = names.iter().flat_map(with_each).collect();
        }
        if let Some(name) = names.iter().find(|name| !is_host(name.as_bytes())) {
            let message = format!("`{}` is no host name", printable(name.as_bytes()));
            let span = start..scan.at;
            return Err(parse_error(variable, scan.text, span, message, HOST_EXPECTED).into());
        }
        all.append(&mut names);
        if !scan.take(b',') {
            return Ok(all);
        }
    }
}

/// The part of a name before a bracket or comma.
fn plain(scan: &mut Scan<'_>) -> Result<String> {
    let part = scan.run(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_'));
    if part.is_empty() { Err(scan.unexpected()) } else { Ok(lossy(&scan.text[part])) }
}

fn lossy(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

/// What stands in brackets, the opening one of which has been taken.
fn bracket(scan: &mut Scan<'_>) -> Result<Vec<String>> {
    let mut parts = Vec::new();
    loop {
        let first = scan.run(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase());
        let start = first.start;
        if first.is_empty() {
            return Err(scan.unexpected());
        }
        let first = lossy(&scan.text[first]);
        let between = scan.peek().filter(|byte| matches!(byte, b'-' | b'x'));
        if let Some(between) = between {
            scan.at += 1;
            let last = scan.run(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase());
            let last = lossy(&scan.text[last]);
            let range = if between == b'-' { range(&first, &last)? } else { digit_box(&first, &last)? };
            let span = start..scan.at;
            let upside_down = || scan.error(span, "this range has no first and last number");
            parts.append(&mut range.ok_or_else(upside_down)?);
        } else {
            parts.push(first);
        }
        check_count(parts.len() as u64)?;
        if scan.take(b']') {
            return Ok(parts);
        }
        if !scan.take(b',') {
            return Err(scan.unexpected());
        }
    }
}

/// The numbers of a range, as wide as the first.
fn range(first: &str, last: &str) -> Result<Option<Vec<String>>> {
    let (Ok(least), Ok(most)) = (first.parse::<u64>(), last.parse::<u64>()) else { return Ok(None) };
    if least > most {
        return Ok(None);
    }
    check_count((most - least).saturating_add(1))?;
    let width = first.len();
    Ok(Some((least..=most).map(|number| format!("{number:0width$}")).collect()))
}

/// The names of a box: every digit runs from the one of the first corner to that of the last.
fn digit_box(first: &str, last: &str) -> Result<Option<Vec<String>>> {
    let digits = |corner: &str| corner.chars().map(|c| c.to_digit(BASE)).collect::<Option<Vec<u32>>>();
    let (Some(least), Some(most)) = (digits(first), digits(last)) else { return Ok(None) };
    if least.len() != most.len() || least.iter().zip(&most).any(|(least, most)| least > most) {
        return Ok(None);
    }
    let mut names = vec![String::new()];
    for (&least, &most) in least.iter().zip(&most) {
        check_count(names.len() as u64 * u64::from(most - least + 1))?;
        let digit = |value| char::from_digit(value, BASE).expect("below the base").to_ascii_uppercase();
        let with_each =
            |name: &String| (least..=most).map(|value| format!("{name}{}", digit(value))).collect::<Vec<_>>();
        names = names.iter().flat_map(with_each).collect();
    }
    Ok(Some(names))
}

/// How many tasks each host takes: `2(x3),1` is 2, 2, 2, 1.
///
/// # Errors
///
/// [`Error::Parse`] with the place in the list, also when it is not for so many hosts.
///
/// # Examples
///
/// ```
/// use meshwright_hosts::slurm::tasks_per_node;
/// assert_eq!(tasks_per_node("SLURM_TASKS_PER_NODE", "2(x3),1", 4)?, [2, 2, 2, 1]);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn tasks_per_node(variable: &str, text: &str, hosts: usize) -> Result<Vec<u32>> {
    let mut scan = Scan { variable, text: text.as_bytes(), at: 0, expected: COUNTS };
    let mut counts = Vec::new();
    loop {
        let count = scan.number(NODES_MAX)?;
        let mut times = 1;
        if scan.take(b'(') {
            times = if scan.take(b'x') { scan.number(NODES_MAX)? } else { return Err(scan.unexpected()) };
            if !scan.take(b')') {
                return Err(scan.unexpected());
            }
        }
        if counts.len() + times as usize > hosts {
            return Err(scan.error(0..scan.at, format!("these are counts for more than {hosts} hosts")));
        }
        counts.extend(std::iter::repeat_n(count, times as usize));
        if scan.at == text.len() {
            break;
        }
        if !scan.take(b',') {
            return Err(scan.unexpected());
        }
    }
    if counts.len() < hosts {
        let message = format!("these are counts for {} of {hosts} hosts", counts.len());
        return Err(scan.error(0..scan.at, message));
    }
    Ok(counts)
}
