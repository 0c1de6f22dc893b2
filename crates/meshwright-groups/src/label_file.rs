//! The members of a group and their labels, read from a file.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;

use fixedbitset::FixedBitSet;

use super::protocol::Label;
use meshwright_core::error::{Error, Result};
use meshwright_core::text::{Syntax, Tokens, printable};
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Machine, Topology};

const SYNTAX: Syntax = Syntax { punctuation: b",", line_comment: b"#", block_comments: false, by_line: true };

/// Who is a member of a group, and what each brings to one split.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given {
    /// The members with their labels, as splits take them.
    pub members: Vec<(NodeId, Label)>,
    /// By colour its name, where labels are words; else empty.
    pub names: Vec<String>,
    /// The key that [`Label::key`] counts from: the smallest, if that is negative, else 0.
    pub least_key: i64,
    /// The colour that stands for no label: its members take part in the split, and are in no new group after it.
    pub none: Option<u32>,
}

impl From<Vec<(NodeId, Label)>> for Given {
    fn from(members: Vec<(NodeId, Label)>) -> Self {
        Self { members, ..Self::default() }
    }
}

impl Given {
    /// The name of a colour, where labels are words.
    pub fn name(&self, colour: u32) -> Option<&str> {
        self.names.get(colour as usize).map(String::as_str)
    }

    /// Whether a colour stands for none.
    pub fn is_none(&self, colour: u32) -> bool {
        self.none == Some(colour)
    }
}

/// Reads who is a member and what it brings to a split.
///
/// On a mesh or torus of two dimensions a line `2,5,1` says that the node in row 2 and column 5 brings label 1; on one
/// of more dimensions there is a number for each, and on a hypercube or a graph a line `17,1` names the node. A key may
/// follow, `2,5,1,-40`: the members of a new group stand in the order of their keys, and of equal ones in the old order.
/// The header `row,column,label` or `row,column,label,key` may stand before the first line; after `node,label` lines name nodes by
/// their ids on every machine.
///
/// Labels may be words, `2,5,red`: then new groups come in the order of the alphabet, integers before words. A member
/// whose label is left out, or is `-` or `undefined`, is in no new group, as with `MPI_UNDEFINED`.
///
/// # Errors
///
/// [`meshwright_core::Error::Io`] when the system refuses the file; else as [`parse`].
pub fn read(path: &Path, machine: &Machine) -> Result<Given> {
    labels(&mut Tokens::open(path, SYNTAX)?, machine)
}

/// Reads the same from anything; `file` is what errors call it.
///
/// # Errors
///
/// [`meshwright_core::Error::Parse`] when a line is none, names a node that is outside the machine, dead, or a member already, or when
/// there is no line; [`meshwright_core::Error::Value`] when keys are 2^32 or more apart.
///
/// # Complexity
///
/// O(file + nodes + s log s).
///
/// # Examples
///
/// ```
/// use meshwright_groups::label_file;
/// use meshwright_groups::protocol::Label;
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let text = "row,column,label\n1,0,7 # south-west\n0,1,3,9\n";
/// let members = label_file::parse(text.as_bytes(), "a.csv", &Machine::new("mesh:2x2")?)?;
/// assert_eq!(members.members[0], (NodeId(2), Label { colour: 7, key: 0 }));
/// assert_eq!(members.members[1], (NodeId(1), Label { colour: 3, key: 9 }));
/// let words = label_file::parse("0,0,red\n0,1,blue,-3\n1,0,-\n".as_bytes(), "b.csv", &Machine::new("mesh:2x2")?)?;
/// assert_eq!((words.names.as_slice(), words.none), (["blue".to_string(), "red".into()].as_slice(), Some(2)));
/// assert_eq!(words.members[0], (NodeId(0), Label { colour: 1, key: 3 }), "keys count from -3");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn parse(reader: impl Read, file: &str, machine: &Machine) -> Result<Given> {
    labels(&mut Tokens::new(reader, file, SYNTAX), machine)
}

/// What a line looks like on this machine, such as `row,column,label`.
pub fn columns(machine: &Machine) -> String {
    machine.columns().into_iter().map(|(name, _)| name + ",").collect::<String>() + "label"
}

/// A label as it is written; integers stand before words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Written {
    Number(u32),
    Word(String),
}

/// A line: the node, its label if it has one, and its key.
type LabelLine = (NodeId, Option<Written>, i64);

fn labels(tokens: &mut Tokens<'_>, machine: &Machine) -> Result<Given> {
    let axes = header(tokens, machine)?;
    let names: String = axes.iter().map(|(name, _)| name.clone() + ",").collect();
    let fields = format!("`{names}label`, and a key if there is one");
    let mut seen = FixedBitSet::with_capacity(machine.nodes() as usize);
    let mut lines: Vec<LabelLine> = Vec::new();
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
        let label = label(tokens)?;
        if !machine.is_alive(node) {
            refuse(tokens, "is dead", "a living node")?;
        }
        if seen.put(node.index()) {
            refuse(tokens, "is a member already", "each node once")?;
        }
        let key = key(tokens)?;
        tokens.end_line(&fields)?;
        lines.push((node, label, key));
    }
    if lines.is_empty() {
        return Err(
            tokens.missing("a member of the group", format!("at least one line `{}`", columns(machine)))
        );
    }
    given(lines)
}

/// The label of a line; none where the field is empty, `-` or `undefined`.
fn label(tokens: &mut Tokens<'_>) -> Result<Option<Written>> {
    const EXPECTED: &str =
        "an integer from 0 to 4294967295, a word, or nothing (`-`, `undefined`) for no new group";
    if !tokens.next_on_line()? {
        return Ok(None);
    }
    let word = std::str::from_utf8(tokens.word()).unwrap_or_default().to_string();
    match word.as_str() {
        "," => {
            tokens.hold();
            Ok(None)
        }
        "-" => Ok(None),
        word if NONE.iter().any(|none| none.eq_ignore_ascii_case(word)) => Ok(None),
        word if word.starts_with(|first: char| first.is_ascii_digit()) => match word.parse() {
            Ok(number) => Ok(Some(Written::Number(number))),
            Err(_) => Err(tokens.error(format!("label is `{word}`"), EXPECTED)),
        },
        word if word.starts_with(|first: char| first.is_alphabetic() || first == '_') => {
            Ok(Some(Written::Word(word.to_string())))
        }
        _ => {
            let shown = printable(tokens.word());
            Err(tokens.error(format!("label is `{shown}`"), EXPECTED))
        }
    }
}

/// The words for no label, beside `-` and nothing at all.
const NONE: [&str; 2] = ["undefined", "MPI_UNDEFINED"];

/// The key of a line, 0 if there is none.
fn key(tokens: &mut Tokens<'_>) -> Result<i64> {
    const EXPECTED: &str = "an integer from -2147483648 to 4294967295";
    if !tokens.next_on_line()? {
        return Ok(0);
    }
    tokens.hold();
    tokens.expect(",")?;
    if !tokens.next_on_line()? {
        return Err(tokens.missing("key", EXPECTED));
    }
    let word = printable(tokens.word());
    let key = word.parse().ok().filter(|key| (i64::from(i32::MIN)..=i64::from(u32::MAX)).contains(key));
    key.ok_or_else(|| tokens.error(format!("key is `{word}`"), EXPECTED))
}

/// Labels as splits take them: words by their place in their order, keys from 0 on, and a colour of its own, above all
/// others, for who has none.
fn given(lines: Vec<LabelLine>) -> Result<Given> {
    let written = || lines.iter().filter_map(|(_, label, _)| label.as_ref());
    let has_words = written().any(|label| matches!(label, Written::Word(_)));
    let known: BTreeSet<&Written> = written().filter(|_| has_words).collect();
    let known: Vec<&Written> = known.into_iter().collect();
    let colour = |label: &Written| match label {
        Written::Number(number) if !has_words => *number,
        label => known.binary_search(&label).expect("every label is among them") as u32,
    };
    let above = written().map(colour).max().map_or(Some(0), |most| most.checked_add(1));
    let none = match above {
        _ if lines.iter().all(|(_, label, _)| label.is_some()) => None,
        Some(none) => Some(none),
        None => return Err(Error::value("label", u32::MAX, "less, where a member has no label")),
    };
    let least_key = lines.iter().map(|line| line.2).min().unwrap_or(0).min(0);
    let key = |key: i64| {
        let range = "keys that are less than 2^32 apart";
        u32::try_from(key - least_key).map_err(|_| Error::value("key", key, range))
    };
    let member = |(node, label, own): &LabelLine| {
        let colour = label.as_ref().map(colour).or(none).expect("without a label there is a colour for it");
        Ok((*node, Label { colour, key: key(*own)? }))
    };
    let name = |label: &&Written| match label {
        Written::Number(number) => number.to_string(),
        Written::Word(word) => word.clone(),
    };
    Ok(Given {
        members: lines.iter().map(member).collect::<Result<_>>()?,
        names: known.iter().map(name).collect(),
        least_key,
        none,
    })
}

/// Reads over the header, if the first word is none of a line.
fn header(tokens: &mut Tokens<'_>, machine: &Machine) -> Result<Vec<(String, u32)>> {
    let mut axes = machine.columns();
    if !tokens.next_anywhere()? {
        return Ok(axes);
    }
    tokens.hold();
    if tokens.word().first().is_some_and(u8::is_ascii_digit) {
        return Ok(axes);
    }
    if tokens.word().eq_ignore_ascii_case(b"node") {
        axes = vec![("node".to_string(), machine.nodes())];
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
    tokens.end_line(&expected)?;
    Ok(axes)
}

#[cfg(test)]
mod tests {
    use super::{Given, Label, columns, parse};
    use meshwright_core::units::NodeId;
    use meshwright_network::topology::Machine;

    #[test]
    fn every_line_is_understood_or_refused_with_its_place() {
        let mesh = Machine::new("mesh:2x3").unwrap().with_dead(vec![NodeId(5)]).unwrap();
        let read = |text: &str| parse(text.as_bytes(), "a.csv", &mesh).map(|given| given.members);
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
            ("0,1,+1\n", "a.csv:1:5: label is `+1`"),
            (
                "0,1,1.5\n",
                "a.csv:1:5: label is `1.5`; expected an integer from 0 to 4294967295, a word, or nothing",
            ),
            ("0,1,4294967296\n", "a.csv:1:5: label is `4294967296`"),
            ("0,1,1,\n", "a.csv:1:7: key is missing"),
            ("0,1,1,4294967296\n", "a.csv:1:7: key is `4294967296`; expected an integer from -2147483648"),
            (
                "0,1,1,-1\n0,2,1,4294967295\n",
                "key is 4294967295; expected keys that are less than 2^32 apart",
            ),
            ("0,1,4294967295\n0,2,\n", "label is 4294967295; expected less, where a member has no label"),
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

    /// G6: keys below 0, members without a label; U12: labels that are words.
    #[test]
    fn labels_may_be_words_or_missing_and_keys_negative() {
        let mesh = Machine::new("mesh:1x5").unwrap();
        let read = |text: &str| parse(text.as_bytes(), "a.csv", &mesh).unwrap();
        let labels = |given: &Given| -> Vec<(u32, u32)> {
            given.members.iter().map(|(_, label)| (label.colour, label.key)).collect()
        };
        let keys = read("0,0,0,-5\n0,1,0,2\n0,2,1\n");
        assert_eq!((labels(&keys), keys.least_key), (vec![(0, 0), (0, 7), (1, 5)], -5));
        let missing = read("0,0,3\n0,1,\n0,2,-\n0,3,Undefined,4\n0,4,,5\n");
        assert_eq!(labels(&missing), [(3, 0), (4, 0), (4, 0), (4, 4), (4, 5)]);
        assert!(missing.none == Some(4) && missing.is_none(4) && !missing.is_none(3));
        let words = read("0,0,red\n0,1,blue\n0,2,red\n0,3,10\n0,4,9\n");
        assert_eq!(words.names, ["9", "10", "blue", "red"]);
        assert_eq!(labels(&words), [(3, 0), (2, 0), (3, 0), (1, 0), (0, 0)]);
        assert_eq!((words.name(2), words.none), (Some("blue"), None));
        let nobody = read("0,0,-\n0,1,-\n");
        assert_eq!((labels(&nobody), nobody.none), (vec![(0, 0), (0, 0)], Some(0)));
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
            assert_eq!(parse(line.as_bytes(), "a.csv", &machine).unwrap().members.len(), 1);
        }
    }
}
