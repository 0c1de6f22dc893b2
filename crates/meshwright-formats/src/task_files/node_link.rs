//! Node-link JSON: an object with `nodes`, each with its `id`, and `links` or `edges`, each with `source` and `target`.
//!
//! The text is gone through twice, for the nodes and for the edges: writers that sort keys put the edges first.

use std::fmt;
use std::io::Read;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::named::{BYTES_EXPECTED, NamedGraph, PHASE_EXPECTED, REPEATS_EXPECTED, bytes, phase};
use crate::scenario::json_fault;
use meshwright_core::error::Result;
use meshwright_core::text::{parse_error, printable};
use meshwright_core::units::Bytes;
use meshwright_hosts::xml;
use meshwright_mapping::TaskGraph;

/// Reads a file.
pub(super) fn read(reader: &mut dyn Read, file: &str) -> Result<TaskGraph> {
    let bytes = xml::bytes(reader, "a file of JSON")?;
    let mut found = Found::default();
    for pass in [Pass::Nodes, Pass::Edges] {
        let mut json = serde_json::Deserializer::from_slice(&bytes);
        let document = Document { found: &mut found, pass };
        let read = document.deserialize(&mut json).and_then(|()| json.end());
        read.map_err(|error| {
            let (at, message) = json_fault(&bytes, &error);
            parse_error(file, &bytes, at, message, "node-link JSON, as `networkx.node_link_data` gives it")
        })?;
    }
    found.graph.tasks()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    Nodes,
    Edges,
}

/// What has been read.
#[derive(Default)]
struct Found {
    graph: NamedGraph,
    /// Undirected unless the file says otherwise, as NetworkX has it.
    directed: bool,
}

/// The outermost object.
struct Document<'f> {
    found: &'f mut Found,
    pass: Pass,
}

impl<'de> DeserializeSeed<'de> for Document<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Document<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with `nodes` and `links`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { found, pass } = self;
        let (mut nodes, mut edges) = (false, false);
        while let Some(key) = map.next_key::<String>()? {
            match (key.as_str(), pass) {
                ("directed", Pass::Nodes) => found.directed = map.next_value()?,
                ("nodes", _) if std::mem::replace(&mut nodes, true) => {
                    return Err(A::Error::custom("`nodes` stands here twice"));
                }
                ("links" | "edges", _) if std::mem::replace(&mut edges, true) => {
                    return Err(A::Error::custom("`links` or `edges` stands here twice"));
                }
                ("nodes", Pass::Nodes) => {
                    map.next_value_seed(List::new(|node: NodeForm| found.graph.add_node(node.id.0)))?;
                }
                ("links" | "edges", Pass::Edges) => {
                    let Found { graph, directed } = &mut *found;
                    map.next_value_seed(List::new(|edge: EdgeForm| edge.add(graph, *directed)))?;
                }
                _ => _ = map.next_value::<IgnoredAny>()?,
            }
        }
        match (nodes && found.graph.nodes() > 0, edges) {
            (false, _) => {
                Err(A::Error::custom("there is no node, expected a list `nodes` of objects with `id`"))
            }
            (_, false) => Err(A::Error::custom("there is no list `links` or `edges`")),
            _ => Ok(()),
        }
    }
}

/// A list, each of whose entries is given to a function.
struct List<T, F>(F, PhantomData<T>);

impl<T, F: FnMut(T) -> Result<(), String>> List<T, F> {
    fn new(take: F) -> Self {
        Self(take, PhantomData)
    }
}

impl<'de, T: Deserialize<'de>, F: FnMut(T) -> Result<(), String>> DeserializeSeed<'de> for List<T, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_seq(self)
    }
}

impl<'de, T: Deserialize<'de>, F: FnMut(T) -> Result<(), String>> Visitor<'de> for List<T, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of objects")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        while let Some(entry) = list.next_element()? {
            (self.0)(entry).map_err(A::Error::custom)?;
        }
        Ok(())
    }
}

/// A node; what else stands in it means nothing.
#[derive(Deserialize)]
struct NodeForm {
    id: Id,
}

/// A link; what else stands in it means nothing.
#[derive(Deserialize)]
struct EdgeForm {
    source: Id,
    target: Id,
    bytes: Option<f64>,
    weight: Option<f64>,
    phase: Option<f64>,
    repeats: Option<f64>,
}

impl EdgeForm {
    fn add(self, graph: &mut NamedGraph, directed: bool) -> Result<(), String> {
        let end = |id: &Id| {
            graph.number(&id.0).ok_or_else(|| format!("`{}` is no node", printable(id.0.as_bytes())))
        };
        let ends = (end(&self.source)?, end(&self.target)?);
        let unfit = |value: f64, expected: &str| format!("the value is {value}, expected {expected}");
        let weight = match self.bytes.or(self.weight) {
            None => Bytes(1),
            Some(value) => bytes(value).ok_or_else(|| unfit(value, BYTES_EXPECTED))?,
        };
        let phase = match self.phase {
            None => 1,
            Some(value) => phase(value).ok_or_else(|| unfit(value, PHASE_EXPECTED))?,
        };
        graph.add_edge(ends, !directed, (phase, weight));
        if let Some(times) = self.repeats.filter(|&times| !graph.repeat(phase, times)) {
            return Err(unfit(times, REPEATS_EXPECTED));
        }
        Ok(())
    }
}

/// The id of a node: a string or a whole number.
struct Id(String);

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        json.deserialize_any(IdVisitor)
    }
}

struct IdVisitor;

impl Visitor<'_> for IdVisitor {
    type Value = Id;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the id of a node: a string or a whole number")
    }

    fn visit_str<E>(self, id: &str) -> Result<Id, E> {
        Ok(Id(id.to_string()))
    }

    fn visit_u64<E>(self, id: u64) -> Result<Id, E> {
        Ok(Id(id.to_string()))
    }

    fn visit_i64<E>(self, id: i64) -> Result<Id, E> {
        Ok(Id(id.to_string()))
    }
}
