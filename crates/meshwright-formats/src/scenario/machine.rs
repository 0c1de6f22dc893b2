//! The `[machine]` table.

use super::fabric;
use super::machine_keys;
use super::places;
use super::value::{Table, Value, entry};
use crate::scenario::quantity;
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Cycles, NodeId, Ratio};
use meshwright_core::words::quoted;
use meshwright_hosts as real;
use meshwright_network::topology::costs::SWITCHINGS;
use meshwright_network::topology::{Costs, Endpoints, Machine, PortModel, Switching, Topology};

/// More flits than this in one buffer, or virtual channels on one link, is a slip of the pen.
const BUFFERS_MAX: u64 = 1 << 16;
const VIRTUAL_CHANNELS_MAX: u64 = 256;

/// Reads the table.
pub(super) fn read(table: &Table<'_>) -> Result<Machine> {
    table.check_keys(&machine_keys::MACHINE.names())?;
    let topology = table.require("topology", "topology = \"mesh:8x8\" or another network")?;
    let mut machine = network(&topology)?.with_clock(clock(table)?);
    if let Some(value) = table.get("switching") {
        let name = value.string(&quoted(&switchings()))?;
        machine = machine.with_switching(switching(name).map_err(|error| value.locate(error))?);
    }
    let costs = costs(table, *machine.costs())?;
    machine = machine.with_costs(costs)?.with_endpoints(endpoints(table)?)?;
    if let Some(value) = table.get("buffers") {
        machine = machine.with_buffers(value.whole(1, BUFFERS_MAX)? as u32);
    }
    if let Some(value) = table.get("virtual_channels") {
        machine = machine.with_virtual_channels(value.whole(1, VIRTUAL_CHANNELS_MAX)? as u32);
    }
    if let Some(value) = table.get("ports") {
        machine = machine.with_port_model(match value.string("`all` or `one`")? {
            "all" => PortModel::All,
            "one" => PortModel::One,
            _ => return Err(value.unexpected("`all` or `one`")),
        });
    }
    if let Some(value) = table.get("dead") {
        machine = bury(machine, &value)?;
    }
    if let Some(value) = table.get("dead_links") {
        machine = cut(machine, &value)?;
    }
    if let Some(fabric) = fabric::read(table, &machine, clock(table)?)? {
        machine = machine.with_fabric(fabric).map_err(|error| table.locate("networks", error))?;
    }
    let is_more = machine.fabric().is_some() || machine.clock().is_some();
    Ok(if is_more { machine.with_description(table.text()) } else { machine })
}

/// Whether the table says how messages move or what they cost.
pub(super) fn names_costs(table: &Table<'_>) -> bool {
    ["switching", "startup", "byte_time", "flit", "ports", "networks"]
        .iter()
        .any(|key| table.get(key).is_some())
}

/// The switching with this name.
///
/// # Errors
///
/// [`Error::Value`] with every name there is.
pub fn switching(name: &str) -> Result<Switching> {
    entry("switching", name, SWITCHINGS)
}

fn switchings() -> Vec<&'static str> {
    SWITCHINGS.iter().map(|(name, _)| *name).collect()
}

/// The network; a file is looked for beside the scenario.
fn network(value: &Value<'_>) -> Result<Machine> {
    let specification = value.string("a network such as \"mesh:8x8\"")?;
    let file_of = |(kind, file): (&'static str, &str)| (kind, value.folder().join(file));
    let beside = from_file(specification).map(file_of);
    let full = match beside.as_ref().map(|(kind, path)| (*kind, path.to_str())) {
        Some(("", Some(path))) => path.to_string(),
        Some((kind, Some(path))) => format!("{kind}:{path}"),
        Some((_, None)) => return Err(value.unexpected("a file in a folder whose name is UTF-8")),
        None => specification.to_string(),
    };
    let machine = real::machine(&full).map_err(|error| value.locate(error))?;
    Ok(machine.with_name(specification))
}

/// The word before the colon, if there is one, and the file behind it, for machines that come from files.
fn from_file(specification: &str) -> Option<(&'static str, &str)> {
    if real::is_file(specification) {
        return Some(("", specification));
    }
    let sources = real::SOURCES.iter().filter(|source| source.is_file).map(|source| source.name);
    let (name, file) = specification.split_once(':')?;
    let kind = sources.chain(["graph"]).find(|kind| *kind == name)?;
    Some((kind, file)).filter(|_| !file.is_empty())
}

/// The frequency of the machine, if it has one.
pub(super) fn clock(table: &Table<'_>) -> Result<Option<Ratio>> {
    let Some(value) = table.get("clock") else { return Ok(None) };
    let text = value.string("a frequency such as \"1 GHz\"")?;
    quantity::clock(text).map(Some).map_err(|error| value.reword(error))
}

/// The costs of the network as it is read, changed by the table.
fn costs(table: &Table<'_>, mut costs: Costs) -> Result<Costs> {
    let clock = clock(table)?;
    cost(table, "startup", "cycles, or a time such as \"2 us\"", &mut costs, |costs, text| {
        costs.startup = quantity::cycles(text, clock)?;
        Ok(())
    })?;
    cost(table, "byte_time", "cycles per byte, or a rate such as \"1 GB/s\"", &mut costs, |costs, text| {
        costs.byte_time = quantity::byte_time(text, clock)?;
        Ok(())
    })?;
    cost(table, "flit", "bytes", &mut costs, |costs, text| {
        costs.flit = quantity::bytes(text)?;
        Ok(())
    })?;
    Ok(costs)
}

/// Overhead and gap.
fn endpoints(table: &Table<'_>) -> Result<Endpoints> {
    let clock = clock(table)?;
    let read = |key| -> Result<Cycles> {
        let Some(value) = table.get(key) else { return Ok(Cycles(0)) };
        let text = value.quantity("cycles, or a time such as \"2 us\"")?;
        let cycles = quantity::cycles(&text, clock).map_err(|error| value.reword(error))?;
        Endpoints { overhead: cycles, gap: cycles }.check().map_err(|error| value.reword(error))?;
        Ok(cycles)
    };
    Ok(Endpoints { overhead: read("overhead")?, gap: read("gap")? })
}

/// Sets one of the costs, if its key is there, and tells at its value what is wrong with it.
fn cost(
    table: &Table<'_>,
    key: &'static str,
    expected: &str,
    costs: &mut Costs,
    set: impl FnOnce(&mut Costs, &str) -> Result<()>,
) -> Result<()> {
    let Some(value) = table.get(key) else { return Ok(()) };
    let text = value.quantity(expected)?;
    set(costs, &text).map_err(|error| value.reword(error))?;
    costs.check().map_err(|error| value.locate(error))
}

/// Marks the dead nodes.
fn bury(machine: Machine, value: &Value<'_>) -> Result<Machine> {
    // Those it has already are places without a host.
    let mut dead = machine.dead().to_vec();
    let mut last = None;
    for place in value.array("a list of nodes such as [[3, 5], \"8,*\"]")? {
        dead.extend(nodes(&machine, "dead", &place)?);
        last = Some(place);
    }
    match last {
        // Only a list with nodes in it can kill the whole machine.
        Some(last) => machine.with_dead(dead).map_err(|error| last.locate(error)),
        None => Ok(machine),
    }
}

/// Marks the dead links, each given by its two ends.
fn cut(machine: Machine, value: &Value<'_>) -> Result<Machine> {
    const WANTED: &str = "two neighbouring nodes";
    let mut dead = Vec::new();
    for link in value.array("a list of links such as [[[0, 0], [0, 1]], \"*,3-*,4\"]")? {
        if let Some(text) = link.text() {
            dead.extend(places::dead_links(text, &machine).map_err(|error| link.locate(error))?);
            continue;
        }
        let ends: Vec<Value<'_>> = link.array(WANTED)?.collect();
        let [a, b] = ends.as_slice() else {
            return Err(link.error(format!("`dead_links` has a link with {} ends", ends.len()), WANTED));
        };
        let (a, b) = (nodes(&machine, "dead_links", a)?, nodes(&machine, "dead_links", b)?);
        let wires = places::between(&a, &b, &machine);
        if wires.is_empty() {
            let (a, b) = (machine.node_name(a[0]), machine.node_name(b[0]));
            return Err(link.error(format!("nodes {a} and {b} are not wired together"), WANTED));
        }
        dead.extend(wires);
    }
    machine.with_dead_links(dead).map_err(|error| value.locate(error))
}

/// A node: by its coordinates on a mesh or torus, else by its id; or in words, as on the command line.
pub(super) fn node(machine: &Machine, key: &str, place: &Value<'_>) -> Result<NodeId> {
    if let Some(text) = place.text() {
        let refuse = || place.error(format!("`{key}` is `{text}`"), places::form(machine));
        return places::node(text, machine).ok_or_else(refuse);
    }
    let Some(sides) = places::sides(machine).filter(|_| place.is_array()) else { return id(machine, place) };
    let one = |c: &Value<'_>, side: u32| c.whole(0, u64::from(side) - 1).map(|at| vec![at as u32]);
    Ok(box_of(machine, key, place, sides, "", one)?[0])
}

/// As [`node`], with `"*"` for all places along an axis: a row, a column, a plane; in words also ranges.
pub(super) fn nodes(machine: &Machine, key: &str, place: &Value<'_>) -> Result<Vec<NodeId>> {
    if let Some(text) = place.text() {
        return places::dead(text, machine).map_err(|error| match error {
            Error::Value { value, expected, .. } => place.error(format!("`{key}` is {value}"), expected),
            other => other,
        });
    }
    let Some(sides) = places::sides(machine).filter(|_| place.is_array()) else {
        return id(machine, place).map(|node| vec![node]);
    };
    let one = |c: &Value<'_>, side: u32| {
        if c.is_word("*") {
            return Ok((0..side).collect());
        }
        let expected = || format!("a whole number from 0 to {}, or \"*\" for all", side - 1);
        c.whole(0, u64::from(side) - 1).map(|at| vec![at as u32]).map_err(|_| c.unexpected(expected()))
    };
    box_of(machine, key, place, sides, ", \"*\" for all along an axis", one)
}

/// A node by its id.
fn id(machine: &Machine, place: &Value<'_>) -> Result<NodeId> {
    let known = |id: &u64| *id < u64::from(machine.nodes());
    match place.whole(0, u64::MAX).ok().filter(known) {
        Some(id) => Ok(NodeId(id as u32)),
        None if places::sides(machine).is_some() => Err(place.unexpected(format!(
            "a node, by its coordinates or by its id from 0 to {}",
            machine.nodes() - 1
        ))),
        None => Err(place.unexpected(format!("a whole number from 0 to {}", machine.nodes() - 1))),
    }
}

/// The nodes with one of the coordinates that `along` reads for each axis.
fn box_of(
    machine: &Machine,
    key: &str,
    place: &Value<'_>,
    sides: &[u32],
    or: &str,
    along: impl Fn(&Value<'_>, u32) -> Result<Vec<u32>>,
) -> Result<Vec<NodeId>> {
    let ranges: Vec<String> = sides.iter().map(|side| format!("0..{}", side - 1)).collect();
    let expected = format!("a node as [{}]{or}", ranges.join(", "));
    let coordinates = place.array(&expected)?;
    if coordinates.len() != sides.len() {
        let message = format!("`{key}` has a node with {} coordinates", coordinates.len());
        return Err(place.error(message, expected));
    }
    let mut ids = vec![0];
    for (coordinate, &side) in coordinates.zip(sides) {
        let places = along(&coordinate, side)?;
        ids = ids.iter().flat_map(|id| places.iter().map(move |at| id * side + at)).collect();
    }
    debug_assert!(ids.iter().all(|&id| id < machine.nodes()), "coordinates are inside");
    Ok(ids.into_iter().map(NodeId).collect())
}
