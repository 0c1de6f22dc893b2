//! GraphML: `<key>` elements say which `<data>` of an edge is its weight.

use std::io::Read;

use roxmltree::Node;

use super::named::{BYTES_EXPECTED, NamedGraph, PHASE_EXPECTED, REPEATS_EXPECTED, bytes, phase};
use meshwright_core::error::{Error, Result};
use meshwright_core::text::printable;
use meshwright_core::units::Bytes;
use meshwright_hosts::xml::{self, Limits, Text};
use meshwright_mapping::TaskGraph;

const EXPECTED: &str = "GraphML: a `graphml` element with a `graph` of `node` and `edge` elements";

/// A million edges with their data, and what else editors write.
const LIMITS: Limits = Limits { elements_max: 1 << 23, name_spaces: true };

/// Which `<data>` is what.
struct Keys<'a> {
    bytes: Option<&'a str>,
    weight: Option<&'a str>,
    phase: Option<&'a str>,
    repeats: Option<&'a str>,
}

/// Reads a file.
pub(super) fn read(reader: &mut dyn Read, file: &str) -> Result<TaskGraph> {
    let bytes = xml::bytes(reader, "a GraphML file")?;
    let text = Text::new(file, &bytes, EXPECTED)?;
    let document = text.document(LIMITS)?;
    let root = document.root_element();
    if root.tag_name().name() != "graphml" {
        let name = printable(root.tag_name().name().as_bytes());
        return Err(text.error(root, format!("the outermost element is `{name}`")));
    }
    let mut graphs = elements(root, "graph");
    let Some(element) = graphs.next() else { return Err(text.error(root, "there is no graph")) };
    if let Some(other) = graphs.next() {
        return Err(text.expecting(other, "there is a second graph", "one graph"));
    }
    let key = |wanted: &str| {
        let is_wanted = |key: &Node<'_, '_>| {
            matches!(key.attribute("for"), Some("edge" | "all") | None)
                && key.attribute("attr.name") == Some(wanted)
        };
        elements(root, "key").find(is_wanted).and_then(|key| key.attribute("id"))
    };
    let keys =
        Keys { bytes: key("bytes"), weight: key("weight"), phase: key("phase"), repeats: key("repeats") };
    graph(&text, element, &keys)?.tasks()
}

/// The children of an element with this name, whatever its name space.
fn elements<'a, 'i>(parent: Node<'a, 'i>, name: &'static str) -> impl Iterator<Item = Node<'a, 'i>> {
    parent.children().filter(move |child| child.is_element() && child.tag_name().name() == name)
}

fn graph(text: &Text<'_>, element: Node<'_, '_>, keys: &Keys<'_>) -> Result<NamedGraph> {
    let mut graph = NamedGraph::default();
    for node in elements(element, "node") {
        if let Some(inner) = elements(node, "graph").next() {
            return Err(text.expecting(inner, "a graph lies in a node", "one graph without others in it"));
        }
        let id = node.attribute("id").ok_or_else(|| text.error(node, "a node has no id"))?;
        let added = graph.add_node(id.to_string());
        added.map_err(|message| text.expecting(node, message, "each node once"))?;
    }
    if graph.nodes() == 0 {
        return Err(text.error(element, "the graph has no node"));
    }
    let by_default = direction(text, element, "edgedefault", "directed", "undirected")?.unwrap_or(true);
    for edge in elements(element, "edge") {
        let end = |which: &str| {
            let name = edge.attribute(which).unwrap_or_default();
            graph.number(name).ok_or_else(|| {
                let message = format!("the {which} `{}` of this edge is no node", printable(name.as_bytes()));
                text.expecting(edge, message, "the id of a node")
            })
        };
        let ends = (end("source")?, end("target")?);
        let is_directed = direction(text, edge, "directed", "true", "false")?.unwrap_or(by_default);
        let data = Data { text, edge };
        let weight = data.weight(keys)?;
        graph.add_edge(ends, !is_directed, weight);
        if let Some((data, times)) = data.number(keys.repeats)
            && !times.is_some_and(|times| graph.repeat(weight.0, times))
        {
            return Err(unfit(text, data, REPEATS_EXPECTED));
        }
    }
    Ok(graph)
}

/// A choice of two words; none where the attribute is missing.
fn direction(
    text: &Text<'_>,
    element: Node<'_, '_>,
    name: &str,
    yes: &str,
    no: &str,
) -> Result<Option<bool>> {
    match element.attribute(name) {
        None => Ok(None),
        Some(word) if word == yes => Ok(Some(true)),
        Some(word) if word == no => Ok(Some(false)),
        Some(word) => {
            let message = format!("`{name}` is `{}`", printable(word.as_bytes()));
            Err(text.expecting(element, message, format!("`{yes}` or `{no}`")))
        }
    }
}

/// What is said of an edge.
struct Data<'a> {
    text: &'a Text<'a>,
    edge: Node<'a, 'a>,
}

impl<'a> Data<'a> {
    /// The element with this key, and its number if it is one.
    ///
    /// `inf` and `nan`, which Rust would read, are refused as no bytes.
    fn number(&self, key: Option<&str>) -> Option<(Node<'a, 'a>, Option<f64>)> {
        let key = key?;
        let data = elements(self.edge, "data").find(|data| data.attribute("key") == Some(key))?;
        Some((data, data.text().and_then(|text| text.trim().parse().ok())))
    }

    /// Phase and bytes.
    fn weight(&self, keys: &Keys<'_>) -> Result<(u32, Bytes)> {
        let bytes = match self.number(keys.bytes).or_else(|| self.number(keys.weight)) {
            None => Bytes(1),
            Some((data, number)) => {
                number.and_then(bytes).ok_or_else(|| unfit(self.text, data, BYTES_EXPECTED))?
            }
        };
        let phase = match self.number(keys.phase) {
            None => 1,
            Some((data, number)) => {
                number.and_then(phase).ok_or_else(|| unfit(self.text, data, PHASE_EXPECTED))?
            }
        };
        Ok((phase, bytes))
    }
}

fn unfit(text: &Text<'_>, data: Node<'_, '_>, expected: &str) -> Error {
    let word = data.text().unwrap_or_default();
    let shown: String = word.trim().chars().take(80).collect();
    text.expecting(data, format!("the value is `{}`", printable(shown.as_bytes())), expected)
}
