//! Objects of a JSON file that know where they stand in it, and the machines that they name.

use serde_json::{Map, Value};

use super::places;
use super::quantity;
use super::source::{ScenarioText as Text, json_fault};
use crate::presets::PRESETS;
use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_hosts as real;
use meshwright_network::topology::{Machine, Network, Topology};

/// An object of the file and the text it stands in.
pub(super) struct Object<'a> {
    pub(super) text: &'a Text,
    pub(super) entries: &'a Map<String, Value>,
    /// Where to look for its keys.
    pub(super) from: usize,
}

impl<'a> Object<'a> {
    pub(super) fn optional(&self, key: &str) -> Option<&'a Value> {
        self.entries.get(key).filter(|value| !value.is_null())
    }

    pub(super) fn require(&self, key: &'static str) -> Result<&'a Value> {
        self.optional(key).ok_or_else(|| self.missing(key, &format!("`{key}`")))
    }

    /// A number of at least 0, or a string that holds one.
    pub(super) fn number(&self, key: &'static str) -> Result<f64> {
        let value = self.require(key)?;
        number(value).ok_or_else(|| self.unfit(key, "a number of at least 0, as in 0.1 or \"1/10\""))
    }

    /// A node by its id or by its coordinates.
    pub(super) fn node(&self, key: &'static str, place: &Value, machine: &Machine) -> Result<NodeId> {
        let last = machine.nodes() - 1;
        let found = match (place, machine.network()) {
            (Value::Array(at), Network::Grid(grid)) => {
                let at: Option<Vec<u32>> =
                    at.iter().map(|c| c.as_u64().and_then(|c| u32::try_from(c).ok())).collect();
                let sides = grid.sides();
                at.filter(|at| at.len() == sides.len() && at.iter().zip(sides).all(|(c, side)| c < side))
                    .map(|at| grid.node_at(&at))
            }
            (Value::Array(at), Network::Graph(_)) if at.len() == 1 => {
                at[0].as_u64().and_then(|id| u32::try_from(id).ok()).map(NodeId)
            }
            (Value::String(text), _) => places::node(text, machine),
            (id, _) => id.as_u64().filter(|id| *id <= u64::from(last)).map(|id| NodeId(id as u32)),
        };
        let found = found.filter(|node| node.0 <= last);
        found.ok_or_else(|| self.unfit(key, &format!("nodes of {}, by id or by coordinates", machine.name())))
    }

    /// Where a key stands; the beginning of the file if it is not found.
    pub(super) fn span(&self, key: &str) -> std::ops::Range<usize> {
        let quoted = format!("\"{key}\"");
        let found = self.text.text[self.from..].find(&quoted).map(|at| at + self.from);
        found.map_or(0..1, |at| at..at + quoted.len())
    }

    pub(super) fn unfit(&self, key: &str, expected: &str) -> Error {
        let value = self.optional(key).map_or_else(|| "missing".to_string(), shown);
        self.text.error(self.span(key), format!("`{key}` is {value}"), expected)
    }

    pub(super) fn missing(&self, key: &str, expected: &str) -> Error {
        let at = self.from.min(self.text.text.len());
        self.text.error(at..(at + 1).min(self.text.text.len()), format!("there is no `{key}`"), expected)
    }

    /// An error of a floor below, told at this key.
    pub(super) fn locate(&self, key: &str, error: Error) -> Error {
        match error {
            Error::Value { what, value, expected } => {
                self.text.error(self.span(key), format!("{what} is {value}"), expected)
            }
            other => other,
        }
    }
}

/// The error of JSON that is none, at its place.
pub(super) fn syntax(text: &Text, error: &serde_json::Error) -> Error {
    let (at, message) = json_fault(text.text.as_bytes(), error);
    text.error(at, message, "JSON")
}

/// The network of this key, with what is dead on it.
pub(super) fn machine(object: &Object<'_>, key: &'static str) -> Result<Machine> {
    let Some(name) = object.require(key)?.as_str() else {
        return Err(object.unfit(key, "a network such as \"mesh:8x8\""));
    };
    let is_preset = PRESETS.iter().any(|preset| preset.name == name);
    let machine = if is_preset { super::machine(name) } else { real::machine(name) };
    without_dead(object, machine.map_err(|error| object.locate(key, error))?)
}

/// A machine without what is dead by these keys.
pub(super) fn without_dead(object: &Object<'_>, mut machine: Machine) -> Result<Machine> {
    let list = |key| match object.optional(key) {
        None => Ok(&[][..]),
        Some(Value::Array(list)) => Ok(list.as_slice()),
        Some(_) => Err(object.unfit(key, "a list")),
    };
    let dead = list("dead")?.iter().map(|place| object.node("dead", place, &machine));
    let dead = dead.collect::<Result<Vec<_>>>()?;
    if !dead.is_empty() {
        machine = machine.with_dead(dead).map_err(|error| object.locate("dead", error))?;
    }
    let end = |link: &Value, end: usize| match link.get(end) {
        Some(place) => object.node("dead_links", place, &machine),
        None => Err(object.unfit("dead_links", "a list of pairs of nodes")),
    };
    let links = list("dead_links")?.iter().map(|link| Ok((end(link, 0)?, end(link, 1)?)));
    let links = links.collect::<Result<Vec<_>>>()?;
    machine.with_dead_links(links).map_err(|error| object.locate("dead_links", error))
}

/// A value as a message names it.
fn shown(value: &Value) -> String {
    match value {
        Value::Array(list) => match list.len() {
            1 => "a list of 1 entry".to_string(),
            entries => format!("a list of {entries} entries"),
        },
        Value::Object(_) => "an object".to_string(),
        other => other.to_string(),
    }
}

/// A number of at least 0, or a string that holds one.
pub(super) fn number(value: &Value) -> Option<f64> {
    match value {
        Value::String(text) => quantity::number(text).ok(),
        other => other.as_f64().filter(|number| *number >= 0.0),
    }
}
