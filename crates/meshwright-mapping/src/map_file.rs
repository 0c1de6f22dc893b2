//! Placements read from Scotch `.map` files, such as `gmap` writes.

use std::io::Read;
use std::path::Path;

use fixedbitset::FixedBitSet;

use meshwright_core::error::Result;
use meshwright_core::text::{Syntax, Tokens};
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Machine, Topology};

const SYNTAX: Syntax = Syntax { punctuation: b"", line_comment: b"", block_comments: false, by_line: true };

/// Reads the node of every task: the number of pairs, then a line `task node` for each task, in any order.
///
/// Terminal t of Scotch's `mesh2D X Y` is node t of `mesh:YxX`, and likewise for its tori.
///
/// # Errors
///
/// [`meshwright_core::Error::Io`] when the system refuses the file; else as [`parse`].
pub fn read(path: &Path, tasks: u32, machine: &Machine) -> Result<Vec<NodeId>> {
    placed(&mut Tokens::open(path, SYNTAX)?, tasks, machine)
}

/// Reads a placement from anything; `file` is what errors call it.
///
/// # Errors
///
/// [`meshwright_core::Error::Parse`] when there are not just as many pairs as tasks, a task or a node stands twice, or one lies
/// outside the job or the machine or is dead.
///
/// # Complexity
///
/// O(file).
///
/// # Examples
///
/// ```
/// use meshwright_mapping::map_file;
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let nodes = map_file::parse("2\n0\t3\n1\t1\n".as_bytes(), "a.map", 2, &Machine::new("mesh:2x2")?)?;
/// assert_eq!(nodes, [NodeId(3), NodeId(1)]);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn parse(reader: impl Read, file: &str, tasks: u32, machine: &Machine) -> Result<Vec<NodeId>> {
    placed(&mut Tokens::new(reader, file, SYNTAX), tasks, machine)
}

fn placed(tokens: &mut Tokens<'_>, tasks: u32, machine: &Machine) -> Result<Vec<NodeId>> {
    if tokens.next_anywhere()? {
        tokens.hold();
    }
    tokens.integer_u32("the number of pairs", tasks..=tasks)?;
    tokens.end_line("the number of pairs")?;
    let mut nodes = vec![NodeId(0); tasks as usize];
    let (mut placed, mut used) = (bits(tasks), bits(machine.nodes()));
    for pair in 0..tasks {
        if !tokens.next_anywhere()? {
            let message = format!("the file ends after {pair} of {tasks} pairs");
            return Err(tokens.error(message, "a pair for every task"));
        }
        tokens.hold();
        let task = tokens.integer_u32("task", 0..=tasks - 1)?;
        if placed.put(task as usize) {
            return Err(tokens.error(format!("task {task} is placed twice"), "each task once"));
        }
        let node = tokens.integer_u32("node", 0..=machine.nodes() - 1)?;
        if used.put(node as usize) {
            return Err(tokens.error(format!("node {node} has two tasks"), "one task on a node"));
        }
        if !machine.is_alive(NodeId(node)) {
            return Err(tokens.error(format!("node {node} is dead"), "a working node"));
        }
        nodes[task as usize] = NodeId(node);
        tokens.end_line("a task and its node")?;
    }
    tokens.end_file("the last pair")?;
    Ok(nodes)
}

fn bits(count: u32) -> FixedBitSet {
    FixedBitSet::with_capacity(count as usize)
}
