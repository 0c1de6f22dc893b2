//! The members of a group and their labels, read from a file.

use std::io::Read;
use std::path::Path;

use fixedbitset::FixedBitSet;

use super::protocol::Label;
use crate::error::Result;
use crate::text::{Syntax, Tokens};
use crate::topology::{Machine, Network, Topology};
use crate::units::NodeId;

const SYNTAX: Syntax = Syntax { punctuation: b",", line_comment: b"#", block_comments: false, by_line: true };

/// Reads who is a member and what it brings to a split.
///
/// On a mesh or torus of two dimensions a line `2,5,1` says that the node in row 2 and column 5 brings label 1; on one
/// of more dimensions there is a number for each, and on a hypercube or a graph a line `17,1` names the node. A key may
/// follow, `2,5,1,40`: the members of a new group stand in the order of their keys, and of equal ones in the old order.
/// The header `row,column,label` or `row,column,label,key` may stand before the first line.
///
/// # Errors
///
/// [`crate::Error::Io`] when the system refuses the file; else as [`parse`].
pub fn read(path: &Path, machine: &Machine) -> Result<Vec<(NodeId, Label)>> {
    labels(&mut Tokens::open(path, SYNTAX)?, machine)
}

/// Reads the same from anything; `file` is what errors call it.
///
/// # Errors
///
/// [`crate::Error::Parse`] when a line is none, names a node that is outside the machine, dead, or a member already, or when
/// there is no line.
///
/// # Complexity
///
/// O(file + nodes).
///
/// # Examples
///
/// ```
/// use meshwright::groups::{label_file, protocol::Label};
/// use meshwright::{topology::Machine, units::NodeId};
/// let text = "row,column,label\n1,0,7 # south-west\n0,1,3,9\n";
/// let members = label_file::parse(text.as_bytes(), "a.csv", &Machine::new("mesh:2x2")?)?;
/// assert_eq!(members[0], (NodeId(2), Label { colour: 7, key: 0 }));
/// assert_eq!(members[1], (NodeId(1), Label { colour: 3, key: 9 }));
/// # Ok::<(), meshwright::Error>(())
/// ```
pub fn parse(reader: impl Read, file: &str, machine: &Machine) -> Result<Vec<(NodeId, Label)>> {
    labels(&mut Tokens::new(reader, file, SYNTAX), machine)
}

/// The columns that name a node, and how far each goes.
fn axes(machine: &Machine) -> Vec<(String, u32)> {
    match &machine.network {
        Network::Grid(grid) if !machine.name.starts_with("hypercube:") && grid.sides().len() > 1 => {
            let count = grid.sides().len();
            let name = |axis: usize| match count - axis {
                1 => "column".to_string(),
                2 => "row".to_string(),
                3 => "plane".to_string(),
                further => format!("axis{further}"),
            };
            grid.sides().iter().enumerate().map(|(axis, &side)| (name(axis), side)).collect()
        }
        _ => vec![("node".to_string(), machine.nodes())],
    }
}

/// What a line looks like on this machine, such as `row,column,label`.
pub fn columns(machine: &Machine) -> String {
    axes(machine).into_iter().map(|(name, _)| name + ",").collect::<String>() + "label"
}

fn labels(tokens: &mut Tokens<'_>, machine: &Machine) -> Result<Vec<(NodeId, Label)>> {
    let axes = axes(machine);
    header(tokens, &axes)?;
    let fields = format!("`{}`, and a key if there is one", columns(machine));
    let mut seen = FixedBitSet::with_capacity(machine.nodes() as usize);
    let mut members = Vec::new();
    while tokens.next_anywhere()? {
        let (place, shown) = (tokens.place(), String::from_utf8_lossy(tokens.word()).into_owned());
        tokens.hold();
        let mut node = 0;
        for (name, side) in &axes {
            node = node * side + tokens.integer_u32(name, 0..=side - 1)?;
            tokens.expect(",")?;
        }
        let node = NodeId(node);
        let refuse = |tokens: &Tokens<'_>, what: &str, expected: &str| -> Result<()> {
            let message = format!("node {} {what}", machine.node_name(node));
            Err(tokens.error_at(place, &shown, message, expected))
        };
        let colour = tokens.integer_u32("label", 0..=u32::MAX)?;
        if !machine.is_alive(node) {
            refuse(tokens, "is dead", "a living node")?;
        }
        if seen.put(node.index()) {
            refuse(tokens, "is a member already", "each node once")?;
        }
        let mut key = 0;
        if tokens.next_word()? {
            tokens.hold();
            tokens.expect(",")?;
            key = tokens.integer_u32("key", 0..=u32::MAX)?;
        }
        tokens.end_line(&fields)?;
        members.push((node, Label { colour, key }));
    }
    if members.is_empty() {
        return Err(
            tokens.missing("a member of the group", format!("at least one line `{}`", columns(machine)))
        );
    }
    Ok(members)
}

/// Reads over the header, if the first word is none of a line.
fn header(tokens: &mut Tokens<'_>, axes: &[(String, u32)]) -> Result<()> {
    if !tokens.next_anywhere()? {
        return Ok(());
    }
    tokens.hold();
    if tokens.word().first().is_some_and(u8::is_ascii_digit) {
        return Ok(());
    }
    let mut wanted: Vec<&str> = axes.iter().flat_map(|(name, _)| [name.as_str(), ","]).collect();
    wanted.push("label");
    let expected = format!("the header `{}`, or a line of numbers", wanted.concat());
    for word in wanted {
        if !(tokens.next_on_line()? && tokens.word().eq_ignore_ascii_case(word.as_bytes())) {
            return Err(tokens.unexpected(expected));
        }
    }
    if tokens.next_on_line()? {
        tokens.hold();
        for word in [",", "key"] {
            if !(tokens.next_on_line()? && tokens.word().eq_ignore_ascii_case(word.as_bytes())) {
                return Err(tokens.unexpected(expected));
            }
        }
    }
    tokens.end_line(&expected)
}

#[cfg(test)]
mod tests {
    use super::{Label, columns, parse};
    use crate::topology::Machine;
    use crate::units::NodeId;

    #[test]
    fn every_line_is_understood_or_refused_with_its_place() {
        let mesh = Machine::new("mesh:2x3").unwrap().with_dead(vec![NodeId(5)]).unwrap();
        let read = |text: &str| parse(text.as_bytes(), "a.csv", &mesh);
        let plain = read("0,2,4294967295\n\n1,1,0\n").expect("no header is needed");
        assert_eq!(plain[0], (NodeId(2), Label { colour: u32::MAX, key: 0 }));
        assert_eq!(plain[1], (NodeId(4), Label { colour: 0, key: 0 }));
        assert_eq!(read("Row, Column, Label, Key\n0,0,1,2\n").unwrap()[0].1, Label { colour: 1, key: 2 });
        for (text, place) in [
            ("", "a.csv:1:1: the file is empty"),
            ("row,column,label\n", "a.csv:2:1: a member of the group is missing"),
            ("row,label\n", "a.csv:1:5: `label` cannot stand here; expected the header `row,column,label`"),
            ("row,column,label,colour\n", "a.csv:1:18: `colour` cannot stand here"),
            ("2,0,1\n", "a.csv:1:1: row is `2`; expected an integer from 0 to 1"),
            ("0,3,1\n", "a.csv:1:3: column is `3`; expected an integer from 0 to 2"),
            ("0,1\n", "a.csv:1:4: "),
            ("0,1,-1\n", "a.csv:1:5: label is `-1`"),
            ("0,1,1\n0,1,1\n", "a.csv:2:1: node (0,1) is a member already; expected each node once"),
            ("1,2,0\n", "a.csv:1:1: node (1,2) is dead; expected a living node"),
            ("0,1,1,x\n", "a.csv:1:7: key is `x`"),
            ("0,1,1,2,3\n", "a.csv:1:8: "),
            ("0,1,1 2\n", "a.csv:1:7: "),
        ] {
            let error = read(text).expect_err(text).to_string();
            assert!(error.starts_with(place), "{error}");
        }
    }

    #[test]
    fn machines_name_their_nodes_in_their_own_way() {
        for (machine, expected) in [
            ("mesh:2x2x2", "plane,row,column,label"),
            ("torus:2x2x2x2", "axis4,plane,row,column,label"),
            ("mesh:7", "node,label"),
            ("hypercube:3", "node,label"),
            ("ccc:3", "node,label"),
        ] {
            let machine = Machine::new(machine).unwrap();
            assert_eq!(columns(&machine), expected);
            let line = "1,".repeat(expected.matches(',').count()) + "1\n";
            assert_eq!(parse(line.as_bytes(), "a.csv", &machine).unwrap().len(), 1);
        }
    }
}
