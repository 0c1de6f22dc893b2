//! Processors and links that are not all alike, read from a file.

use std::io::Read;
use std::path::Path;

use fixedbitset::FixedBitSet;

use super::Speeds;
use meshwright_core::error::Result;
use meshwright_core::text::{Syntax, Tokens};
use meshwright_core::units::{LinkId, NodeId};
use meshwright_network::topology::{Machine, Topology};

const SYNTAX: Syntax = Syntax { punctuation: b",", line_comment: b"#", block_comments: false, by_line: true };

/// The first line, which may be left out.
const HEADER: &str = "node,to,time";

/// Reads the times of a load on single processors and links, in units of w Tcp.
///
/// After the header `node,to,time`, which may be left out, a line `7,,2` says that processor 7 takes 2 for the whole load, and a line
/// `7,8,0.5` that the link from node 7 to node 8 takes 0.5 in this direction. `inf` makes a processor that only
/// relays, and a link that carries nothing. A processor without a line takes 1, a link without one sigma.
///
/// On a mesh the header may be `row,column,to_row,to_column,time`: then lines are `1,2,,,2` and `1,2,1,3,0.5`.
///
/// # Errors
///
/// [`meshwright_core::Error::Io`] when the system refuses the file; else as [`parse`].
pub fn read(path: &Path, machine: &Machine, sigma: f64) -> Result<Speeds> {
    speeds(&mut Tokens::open(path, SYNTAX)?, machine, sigma)
}

/// Reads the same from anything; `file` is what errors call it.
///
/// # Errors
///
/// [`meshwright_core::Error::Parse`] when a line is none, names a node outside the machine or two nodes that are not wired
/// together, a processor takes no time, or a time stands there twice.
///
/// # Complexity
///
/// O(file + nodes + links).
///
/// # Examples
///
/// ```
/// use meshwright_load::speed_file;
/// use meshwright_network::topology::Machine;
/// let line = Machine::new("mesh:1x3")?;
/// let text = "node,to,time\n1,,2\n0,1,0.5 # only in this direction\n";
/// let speeds = speed_file::parse(text.as_bytes(), "a.csv", &line, 0.1)?;
/// assert_eq!(speeds.work, [1.0, 2.0, 1.0]);
/// assert_eq!(speeds.link.iter().filter(|&&time| time == 0.5).count(), 1);
/// assert_eq!(speed_file::parse("1,,2\n".as_bytes(), "a.csv", &line, 0.1)?.work, [1.0, 2.0, 1.0]);
/// let text = "row,column,to_row,to_column,time\n0,1,,,2\n0,0,0,1,0.5\n";
/// assert_eq!(speed_file::parse(text.as_bytes(), "a.csv", &line, 0.1)?, speeds);
/// assert!(speed_file::parse("node,to,time\n0,2,1\n".as_bytes(), "a.csv", &line, 0.1).is_err());
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn parse(reader: impl Read, file: &str, machine: &Machine, sigma: f64) -> Result<Speeds> {
    speeds(&mut Tokens::new(reader, file, SYNTAX), machine, sigma)
}

/// Nothing that works or carries takes so many times w Tcp.
const TIME_MAX: u32 = 1 << 20;

fn speeds(tokens: &mut Tokens<'_>, machine: &Machine, sigma: f64) -> Result<Speeds> {
    let axes = header(tokens, machine)?;
    let mut speeds =
        Speeds { work: vec![1.0; machine.nodes() as usize], link: vec![sigma; machine.links() as usize] };
    // By node its processor, then by link.
    let mut told = FixedBitSet::with_capacity(machine.nodes() as usize + machine.links() as usize);
    while tokens.next_anywhere()? {
        tokens.hold();
        let node = place(tokens, &axes, "")?;
        let mut once = |tokens: &mut Tokens<'_>, link: Option<LinkId>, what: &str| {
            let place = link.map_or(node.index(), |link| machine.nodes() as usize + link.index());
            match told.put(place) {
                false => Ok(()),
                true => Err(tokens
                    .error(format!("the time of {what} stands here twice"), "each processor and link once")),
            }
        };
        tokens.expect(",")?;
        if tokens.next_word()? && tokens.word() == b"," {
            (1..axes.len()).try_for_each(|_| tokens.expect(","))?;
            once(tokens, None, "a processor")?;
            let time = tokens.real_or_infinite("time", TIME_MAX)?;
            if time == 0.0 {
                return Err(tokens.error("a processor takes no time", "a number above 0"));
            }
            speeds.work[node.index()] = time;
        } else {
            tokens.hold();
            let to = place(tokens, &axes, if axes.len() > 1 { "to_" } else { "to " })?;
            let Some(link) = machine.wire(node, to) else {
                let [node, to] = [node, to]
                    .map(|node| if axes.len() > 1 { machine.node_name(node) } else { node.to_string() });
                let message = format!("nodes {node} and {to} are not wired together");
                return Err(tokens.error(message, "two neighbouring nodes"));
            };
            once(tokens, Some(link), "a link")?;
            tokens.expect(",")?;
            speeds.link[link.index()] = tokens.real_or_infinite("time", TIME_MAX)?;
        }
        let fields =
            if axes.len() > 1 { "as many fields as the header" } else { "three fields, `node,to,time`" };
        tokens.end_line(fields)?;
    }
    Ok(speeds)
}

/// A node in the columns of the header; a comma stands between them, and the next one is left.
fn place(tokens: &mut Tokens<'_>, axes: &[(String, u32)], before: &str) -> Result<NodeId> {
    let mut node = 0;
    for (index, (name, side)) in axes.iter().enumerate() {
        if index > 0 {
            tokens.expect(",")?;
        }
        node = node * side + tokens.integer_u32(&format!("{before}{name}"), 0..=side - 1)?;
    }
    Ok(NodeId(node))
}

/// The columns that name a node.
fn header(tokens: &mut Tokens<'_>, machine: &Machine) -> Result<Vec<(String, u32)>> {
    let by_id = vec![("node".to_string(), machine.nodes())];
    let expected = || format!("the header `{HEADER}`, or a line such as `7,,2` or `7,8,0.5`");
    if tokens.next_anywhere()? {
        tokens.hold();
        if tokens.word().iter().all(u8::is_ascii_digit) {
            return Ok(by_id);
        }
    }
    let columns = machine.columns();
    let has_columns = columns.len() > 1 && tokens.word() == columns[0].0.as_bytes();
    let names: Vec<String> = match has_columns {
        true => ["", "to_"]
            .iter()
            .flat_map(|before| columns.iter().map(move |(name, _)| format!("{before}{name}")))
            .collect(),
        false => ["node", "to"].map(str::to_string).to_vec(),
    };
    for word in names.iter().flat_map(|name| [name.as_str(), ","]).chain(["time"]) {
        if !(tokens.next_on_line()? && tokens.word() == word.as_bytes()) {
            return Err(tokens.unexpected(expected()));
        }
    }
    tokens.end_line(&expected())?;
    Ok(if has_columns { columns } else { by_id })
}

#[cfg(test)]
mod tests {
    use super::parse;
    use meshwright_core::units::NodeId;
    use meshwright_network::topology::{Machine, Topology};

    #[test]
    fn every_line_is_understood_or_refused_with_its_place() {
        let mesh = Machine::new("mesh:2x2").expect("a mesh");
        let read = |text: &str| parse(text.as_bytes(), "a.csv", &mesh, 0.25);
        let speeds = read("node,to,time\n3,,inf\n\n3,1,0\n1,3,inf\n").expect("well-formed");
        assert_eq!(speeds.work, [1.0, 1.0, 1.0, f64::INFINITY]);
        let wire = |from, to| mesh.wire(NodeId(from), NodeId(to)).expect("neighbours").index();
        assert_eq!((speeds.link[wire(3, 1)], speeds.link[wire(1, 3)]), (0.0, f64::INFINITY));
        let others = (0..mesh.links() as usize).filter(|&link| link != wire(3, 1) && link != wire(1, 3));
        assert!(others.into_iter().all(|link| speeds.link[link] == 0.25));
        for (text, place) in [
            ("", "a.csv:1:1: the file is empty"),
            ("node,time\n", "a.csv:1:6: `time` cannot stand here; expected the header"),
            ("node,to,time\n4,,1\n", "a.csv:2:1: node is `4`; expected an integer from 0 to 3"),
            ("node,to,time\n0,,0\n", "a.csv:2:4: a processor takes no time"),
            ("node,to,time\n0,,nan\n", "a.csv:2:4: time is `nan`"),
            ("node,to,time\n0,,-1\n", "a.csv:2:4: time is `-1`"),
            ("node,to,time\n0,3,1\n", "a.csv:2:3: nodes 0 and 3 are not wired together"),
            ("node,to,time\n0,1,1\n1,0,1\n0,1,1\n", "a.csv:4:3: the time of a link stands here twice"),
            ("node,to,time\n0,,1\n0,,2\n", "a.csv:3:3: the time of a processor stands here twice"),
            ("node,to,time\n0,1\n", "a.csv:2:"),
            ("node,to,time\n0,1,1,1\n", "a.csv:2:6:"),
        ] {
            let error = read(text).expect_err(text).to_string();
            assert!(error.starts_with(place), "{error}");
        }
    }
}
