//! Nodes and links in words, alike on the command line and in scenarios: `2,5`, `3,*`, `0..4,7`, `*,3-*,4`.

use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Machine, Network, Topology};

/// The sides of a machine whose nodes have coordinates.
pub(super) fn sides(machine: &Machine) -> Option<&[u32]> {
    match machine.network() {
        Network::Grid(grid) if !machine.name().starts_with("hypercube:") => Some(grid.sides()),
        _ => None,
    }
}

/// What a node looks like on this machine: `0..3,0..7 or 0..31`.
pub(super) fn form(machine: &Machine) -> String {
    let ids = format!("0..{}", machine.nodes() - 1);
    let ranges = |sides: &[u32]| sides.iter().map(|side| format!("0..{}", side - 1)).collect::<Vec<_>>();
    match sides(machine) {
        Some(sides) if sides.len() > 1 => format!("{} or {ids}", ranges(sides).join(",")),
        _ => ids,
    }
}

/// The node that a text names, by its coordinates or its id; nothing for any other text.
pub(super) fn node(text: &str, machine: &Machine) -> Option<NodeId> {
    let one = |part: &str, side: u32| Some(vec![part.parse().ok().filter(|&at| at < side)?]);
    Some(box_of(text, machine, one)?[0])
}

/// The node at which an operation begins or ends, by its coordinates or its id.
///
/// # Errors
///
/// [`Error::Value`] for a text that names none.
///
/// # Examples
///
/// ```
/// use meshwright_core::units::NodeId;
/// use meshwright_formats::scenario::places::root;
/// use meshwright_network::topology::Machine;
/// let mesh = Machine::new("mesh:3x4")?;
/// assert_eq!((root("1,2", &mesh)?, root("6", &mesh)?), (NodeId(6), NodeId(6)));
/// assert!(root("3,0", &mesh).is_err());
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn root(text: &str, machine: &Machine) -> Result<NodeId> {
    node(text, machine).ok_or_else(|| Error::value("root", format!("`{text}`"), form(machine)))
}

/// The nodes that a text names: `*` is all along an axis, `0..4` the first five.
fn nodes(text: &str, machine: &Machine) -> Option<Vec<NodeId>> {
    box_of(text, machine, |part, side| {
        let last = side.checked_sub(1)?;
        let (first, last) = match part.split_once("..") {
            _ if part == "*" => (0, last),
            Some((first, last)) => (first.trim().parse().ok()?, last.trim().parse().ok()?),
            None => part.parse().map(|at| (at, at)).ok()?,
        };
        (first <= last && last < side).then(|| (first..=last).collect())
    })
}

/// The nodes with one of the coordinates that `along` reads for each axis; a single part may be an id.
fn box_of(
    text: &str,
    machine: &Machine,
    along: impl Fn(&str, u32) -> Option<Vec<u32>>,
) -> Option<Vec<NodeId>> {
    let text = text.trim();
    let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(text);
    let parts: Vec<&str> = inner.split(',').map(str::trim).collect();
    let (of_ids, sides) = ([machine.nodes()], sides(machine));
    let axes = match sides.filter(|sides| sides.len() == parts.len()) {
        Some(sides) => sides,
        None if parts.len() == 1 => &of_ids,
        None => return None,
    };
    let mut ids = vec![0];
    for (part, &side) in parts.iter().zip(axes) {
        let places = along(part, side)?;
        ids = ids.iter().flat_map(|id| places.iter().map(move |at| id * side + at)).collect();
    }
    Some(ids.into_iter().map(NodeId).collect())
}

/// The nodes that a text names, several with blanks or semicolons between: `3,* 8,*`.
///
/// # Errors
///
/// [`Error::Value`] for a text that names none.
///
/// # Examples
///
/// ```
/// use meshwright_core::units::NodeId;
/// use meshwright_formats::scenario::places::dead;
/// use meshwright_network::topology::Machine;
/// let mesh = Machine::new("mesh:3x4")?;
/// assert_eq!(dead("0,3; 2,0..1", &mesh)?, [NodeId(3), NodeId(8), NodeId(9)], "ranges have both their ends");
/// assert_eq!(dead("1,*", &mesh)?, dead("4..7", &mesh)?, "ids are as good as coordinates");
/// assert!(dead("3,0", &mesh).is_err());
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn dead(text: &str, machine: &Machine) -> Result<Vec<NodeId>> {
    let mut found = Vec::new();
    for word in words(text) {
        let refuse = || {
            let expected = format!("{}; `*` is all along an axis, `0..1` both", form(machine));
            Error::value("dead node", format!("`{word}`"), expected)
        };
        found.extend(nodes(word, machine).ok_or_else(refuse)?);
    }
    Ok(found)
}

/// The wires that a text names by the nodes at their ends, several with blanks or semicolons between: all from one of the first
/// nodes to one of the second.
///
/// # Errors
///
/// [`Error::Value`] for a text that names no wire.
///
/// # Examples
///
/// ```
/// use meshwright_core::units::NodeId;
/// use meshwright_formats::scenario::places::dead_links;
/// use meshwright_network::topology::Machine;
/// let mesh = Machine::new("mesh:2x4")?;
/// assert_eq!(dead_links("0,0-0,1", &mesh)?, [(NodeId(0), NodeId(1))]);
/// assert_eq!(dead_links("*,1-*,2", &mesh)?, [(NodeId(1), NodeId(2)), (NodeId(5), NodeId(6))]);
/// assert!(dead_links("0,0-0,2", &mesh).is_err(), "these are no neighbours");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn dead_links(text: &str, machine: &Machine) -> Result<Vec<(NodeId, NodeId)>> {
    let mut found = Vec::new();
    for word in words(text) {
        let refuse = || {
            let node = form(machine);
            let expected =
                format!("two neighbouring nodes with `-` between, each {node}; `*` and ranges as for nodes");
            Error::value("dead link", format!("`{word}`"), expected)
        };
        let (from, to) = word.split_once('-').ok_or_else(refuse)?;
        let (from, to) = nodes(from, machine).zip(nodes(to, machine)).ok_or_else(refuse)?;
        let wires = between(&from, &to, machine);
        if wires.is_empty() {
            return Err(refuse());
        }
        found.extend(wires);
    }
    Ok(found)
}

/// The wires from one of these nodes to one of those, dead or not.
pub(super) fn between(from: &[NodeId], to: &[NodeId], machine: &Machine) -> Vec<(NodeId, NodeId)> {
    let mut to = to.to_vec();
    to.sort_unstable();
    let mut wires = Vec::new();
    for &a in from {
        let neighbours = machine.network().neighbours(a).map(|(_, b)| b);
        wires.extend(neighbours.filter(|b| to.binary_search(b).is_ok()).map(|b| (a, b)));
    }
    wires
}

/// Words with blanks or semicolons between; there is none in an empty text, which is refused as a node.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_between = |c: char| c == ';' || c.is_whitespace();
    let nothing = text.chars().all(is_between).then_some("");
    text.split(is_between).filter(|word| !word.is_empty()).chain(nothing)
}

/// What a command line changes of the machine that a file names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// Another machine in its place.
    pub on: Option<String>,
    /// Nodes that do not work either, each text as for [`dead`].
    pub dead: Vec<String>,
    /// Links that do not work either, each text as for [`dead_links`].
    pub dead_links: Vec<String>,
}

impl Change {
    /// The machine without what is said to be dead.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] as for [`dead`] and [`dead_links`], when no node is left, and for a machine that describes its links.
    pub fn bury(&self, mut machine: Machine) -> Result<Machine> {
        let given = self.dead.first().map(|text| ("--dead", text));
        if let Some((option, text)) = given.or(self.dead_links.first().map(|text| ("--dead-links", text)))
            && machine.fabric().is_some()
        {
            let expected =
                format!("none: the file of {} describes links and ports that work", machine.name());
            return Err(Error::value(option, format!("`{text}`"), expected));
        }
        if !self.dead.is_empty() {
            let mut nodes = machine.dead().to_vec();
            for text in &self.dead {
                nodes.extend(dead(text, &machine)?);
            }
            machine = machine.with_dead(nodes)?;
        }
        if !self.dead_links.is_empty() {
            let mut links = machine.dead_links().to_vec();
            for text in &self.dead_links {
                links.extend(dead_links(text, &machine)?);
            }
            machine = machine.with_dead_links(links)?;
        }
        Ok(machine)
    }
}
