//! Names of the nodes of a machine.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use crate::{HOST_EXPECTED, is_host};
use meshwright_core::error::Result;
use meshwright_core::text::{Syntax, Tokens, printable};
use meshwright_core::units::NodeId;
use meshwright_network::topology::Slot;
use meshwright_network::topology::{Machine, Topology};

const SYNTAX: Syntax = Syntax { punctuation: b"", line_comment: b"#", block_comments: false, by_line: true };

/// The host of each node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hosts {
    /// `node0`, `node1` and so on.
    Numbered,
    /// By node: the name, and which slot of it.
    Named(Vec<(String, Slot)>),
}

impl Hosts {
    /// The names that the machine itself has, if it was read from a real one; else the numbers.
    ///
    /// # Complexity
    ///
    /// O(nodes).
    pub fn of(machine: &Machine) -> Self {
        if machine.places().is_empty() {
            return Self::Numbered;
        }
        // Nodes without a place are dead: nobody asks for their names.
        let mut names = vec![(String::new(), Slot::OfHost(0)); machine.nodes() as usize];
        for place in machine.places() {
            names[place.node.index()] = (place.host.clone(), place.slot);
        }
        Self::Named(names)
    }

    /// Reads a file of host names: the first is the host of node 0, and so on for every node, dead ones included.
    ///
    /// One name stands on a line; empty lines and comments after `#` do not count. A host that stands k times has
    /// k slots, numbered from 0.
    ///
    /// # Errors
    ///
    /// [`meshwright_core::Error::Io`] when the system refuses the file; else as [`Hosts::parse`].
    pub fn read(path: &Path, machine: &Machine) -> Result<Self> {
        hosts(&mut Tokens::open(path, SYNTAX)?, machine)
    }

    /// Reads host names from anything; `file` is what errors call it.
    ///
    /// # Errors
    ///
    /// [`meshwright_core::Error::Parse`] for a second word on a line, a word that is no host name, and for more or fewer
    /// names than nodes.
    ///
    /// # Complexity
    ///
    /// O(file log hosts).
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_hosts::launcher::Hosts;
    /// use meshwright_network::topology::Machine;
    /// use meshwright_core::units::NodeId;
    /// let pair = Machine::new("mesh:1x3")?;
    /// let hosts = Hosts::parse("a.cluster\nb.cluster\na.cluster\n".as_bytes(), "hosts", &pair)?;
    /// assert_eq!(hosts.name(NodeId(2)), "a.cluster");
    /// assert_eq!(hosts.slot(NodeId(2)).to_string(), "1");
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn parse(reader: impl Read, file: &str, machine: &Machine) -> Result<Self> {
        hosts(&mut Tokens::new(reader, file, SYNTAX), machine)
    }

    /// The name of a node's host.
    ///
    /// # Panics
    ///
    /// When the node lies outside the machine the names were read for.
    pub fn name(&self, node: NodeId) -> String {
        match self {
            Self::Numbered => format!("node{node}"),
            Self::Named(names) => names[node.index()].0.clone(),
        }
    }

    /// Which slot of its host a node is, from 0.
    ///
    /// # Panics
    ///
    /// As [`Hosts::name`].
    pub fn slot(&self, node: NodeId) -> Slot {
        match self {
            Self::Numbered => Slot::OfHost(0),
            Self::Named(names) => names[node.index()].1,
        }
    }
}

fn hosts(tokens: &mut Tokens<'_>, machine: &Machine) -> Result<Hosts> {
    let nodes = machine.nodes() as usize;
    let expected = || format!("{nodes} names, one for each node of {}", machine.name());
    let mut names: Vec<(String, Slot)> = Vec::new();
    let mut slots = BTreeMap::<String, u32>::new();
    while tokens.next_anywhere()? {
        if names.len() == nodes {
            return Err(
                tokens.error(format!("`{}` is one name too many", printable(tokens.word())), expected())
            );
        }
        let word = tokens.word();
        if !is_host(word) {
            let message = format!("`{}` is no host name", printable(word));
            return Err(tokens.error(message, HOST_EXPECTED));
        }
        let name = String::from_utf8_lossy(word).into_owned();
        let slot = slots.entry(name.clone()).or_default();
        names.push((name, Slot::OfHost(*slot)));
        *slot += 1;
        tokens.end_line("one host name")?;
    }
    if names.len() < nodes {
        return Err(tokens.error(format!("the file ends after {} host names", names.len()), expected()));
    }
    Ok(Hosts::Named(names))
}
