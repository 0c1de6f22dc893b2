//! A traffic pattern from a file.
//!
//! One line `source target` for each living node, in any order; `#` begins a comment. Each living node is
//! source once and target once.

use std::io::Read;
use std::path::Path;

use meshwright_core::error::Result;
use meshwright_core::text::{Syntax, Tokens, open};
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Machine, Topology};

const SYNTAX: Syntax = Syntax { punctuation: b"", line_comment: b"#", block_comments: false, by_line: true };

/// The target of each node; a dead node stands for itself.
pub(super) fn read(path: &Path, machine: &Machine) -> Result<Vec<NodeId>> {
    parse(open(path)?, &path.display().to_string(), machine)
}

pub(super) fn parse(reader: impl Read, file: &str, machine: &Machine) -> Result<Vec<NodeId>> {
    const NONE: u32 = u32::MAX;
    let mut tokens = Tokens::new(reader, file, SYNTAX);
    let mut targets = vec![NodeId(NONE); machine.nodes() as usize];
    let mut taken = vec![false; machine.nodes() as usize];
    while tokens.next_anywhere()? {
        tokens.hold();
        let source = node(&mut tokens, "source", machine)?;
        if targets[source.index()].0 != NONE {
            let message = format!("node {source} is a source for the second time");
            return Err(tokens.error(message, "one line for each node"));
        }
        let target = node(&mut tokens, "target", machine)?;
        if std::mem::replace(&mut taken[target.index()], true) {
            let message = format!("node {target} is a target for the second time");
            return Err(tokens.error(message, "a permutation: each node is target once"));
        }
        targets[source.index()] = target;
        tokens.end_line("two node ids, `source target`")?;
    }
    let missing = machine.living().find(|source| targets[source.index()].0 == NONE);
    if let Some(missing) = missing {
        return Err(tokens.error(format!("node {missing} has no line"), "one line for each living node"));
    }
    for &dead in machine.dead() {
        targets[dead.index()] = dead;
    }
    Ok(targets)
}

/// The next word as a living node.
fn node(tokens: &mut Tokens<'_>, name: &str, machine: &Machine) -> Result<NodeId> {
    let node = NodeId(tokens.integer_u32(name, 0..=machine.nodes() - 1)?);
    if machine.is_alive(node) {
        return Ok(node);
    }
    Err(tokens.error(format!("node {node} is dead"), "a living node"))
}
