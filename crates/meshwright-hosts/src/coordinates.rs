//! A mesh or torus of hosts, from a table of their coordinates.
//!
//! ```text
//! # torus 4x4            optional: torus or mesh, with or without sides
//! host,slot,x,y          the column `slot` may be left out; one column for each axis, whatever it is called
//! n01,0,0,0
//! n02,0,0,1
//! ```
//!
//! Places of the box without a host are dead nodes. The order of the lines is that of the launcher's slots.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::Path;

use super::{HOST_EXPECTED, is_host};
use meshwright_core::error::Result;
use meshwright_core::text::{Place as TextPlace, Syntax, Tokens, printable, requote};
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Grid, Machine, NODES_MAX, Network, Place, Slot, Topology};

const SYNTAX: Syntax = Syntax { punctuation: b",", line_comment: b"#", block_comments: false, by_line: true };

/// At the head of the file a comment can say something.
const HEAD_SYNTAX: Syntax = Syntax { punctuation: b",#", line_comment: b"", ..SYNTAX };

const HEAD: &str = "a head such as `host,x,y` or `host,slot,x,y,z`";

/// Reads a file; `specification` becomes the name of the machine.
///
/// # Errors
///
/// [`meshwright_core::Error::Io`] when the system refuses the file; else as [`parse`].
pub fn read(specification: &str, path: &Path) -> Result<Machine> {
    let mut tokens = Tokens::open(path, HEAD_SYNTAX)?;
    machine(specification, &mut tokens).map_err(|error| requote(error, path, SYNTAX))
}

/// Reads a table from anything; `file` is what errors call it.
///
/// # Errors
///
/// [`meshwright_core::Error::Parse`] for a table that is none, and for two nodes at one place or in one slot; [`meshwright_core::Error::Value`] for a
/// box of too many nodes.
///
/// # Complexity
///
/// O(nodes of the box + lines log lines).
///
/// # Examples
///
/// ```
/// use meshwright_network::topology::Topology;
/// use meshwright_hosts::coordinates;
/// use meshwright_core::units::NodeId;
/// let table = "host,x,y\nc,5,1\na,4,0\nb,4,1\n";
/// let mesh = coordinates::parse("coordinates:hosts.csv", table.as_bytes(), "hosts.csv")?;
/// assert_eq!((mesh.nodes(), mesh.dead()), (4, [NodeId(2)].as_slice()), "2 by 2, and nobody at (5,0)");
/// assert_eq!((mesh.places()[0].host.as_str(), mesh.places()[0].node), ("c", NodeId(3)));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn parse(specification: &str, reader: impl Read, file: &str) -> Result<Machine> {
    machine(specification, &mut Tokens::new(reader, file, HEAD_SYNTAX))
}

/// What the table is to be, if the head says so.
#[derive(Default)]
pub(super) struct Shape {
    pub(super) wraps: bool,
    pub(super) sides: Option<Vec<u32>>,
}

/// A line of the table.
pub(super) struct HostRow {
    pub(super) host: String,
    pub(super) slot: Slot,
    pub(super) coordinates: Vec<u32>,
}

fn machine(specification: &str, tokens: &mut Tokens<'_>) -> Result<Machine> {
    let (shape, shape_place) = head_comments(tokens)?;
    tokens.set_syntax(SYNTAX);
    let (has_slots, axes) = head(tokens)?;
    if let Some(sides) = shape.sides.as_ref().filter(|sides| sides.len() != axes) {
        let message = format!("there are {} sides, but {axes} columns of coordinates", sides.len());
        return Err(tokens.error_at(shape_place, &joined(sides), message, "a side for each column"));
    }
    let mut rows = HostRows::default();
    while tokens.next_anywhere()? {
        rows.read(tokens, has_slots, axes, shape.sides.as_deref())?;
    }
    if rows.rows.is_empty() {
        return Err(tokens.error("the table names no host", "a line for each host"));
    }
    let boxed = HostBox::spanned(&rows.rows, &shape)?;
    if let Err((first, second)) = boxed.check(&rows.rows) {
        let (host, other) = (&rows.rows[second].host, &rows.rows[first].host);
        let message = format!("`{host}` stands where `{other}` on line {} stands", rows.places[first].line);
        let expected = "places of their own; several slots of a host need one more coordinate";
        return Err(tokens.error_at(rows.places[second], host, message, expected));
    }
    boxed.machine(specification, rows.rows)
}

fn joined(sides: &[u32]) -> String {
    sides.iter().map(u32::to_string).collect::<Vec<_>>().join("x")
}

/// Reads the comments before the head; one of them may say what the table is.
fn head_comments(tokens: &mut Tokens<'_>) -> Result<(Shape, TextPlace)> {
    let mut shape = Shape::default();
    let mut place = tokens.place();
    while tokens.next_anywhere()? {
        if tokens.word() != b"#" {
            tokens.hold();
            break;
        }
        let is_shape = tokens.next_on_line()? && [b"mesh".as_slice(), b"torus"].contains(&tokens.word());
        if is_shape {
            shape.wraps = tokens.word() == b"torus";
            if tokens.next_on_line()? {
                place = tokens.place();
                shape.sides = Some(sides(tokens)?);
            }
            tokens.end_line("`# mesh` or `# torus`, with or without sides such as 4x4")?;
        } else {
            while tokens.next_on_line()? {}
        }
    }
    Ok((shape, place))
}

fn sides(tokens: &mut Tokens<'_>) -> Result<Vec<u32>> {
    let text = String::from_utf8_lossy(tokens.word()).into_owned();
    let side = |side: &str| side.parse().ok().filter(|side| (1..=NODES_MAX).contains(side));
    let sides: Option<Vec<u32>> = text.split('x').map(side).collect();
    sides.ok_or_else(|| tokens.unexpected("sides joined by x, such as 8x8 or 4x4x4"))
}

/// Reads the names of the columns: whether there are slots, and how many axes.
fn head(tokens: &mut Tokens<'_>) -> Result<(bool, usize)> {
    if !tokens.next_anywhere()? || tokens.word() != b"host" {
        return Err(tokens.unexpected(HEAD));
    }
    let mut columns: Vec<Vec<u8>> = Vec::new();
    while tokens.next_on_line()? {
        if tokens.word() != b"," || !tokens.next_on_line()? || tokens.word() == b"," {
            return Err(tokens.unexpected(HEAD));
        }
        let column = tokens.word().to_vec();
        let misplaced = column == b"slot" && !columns.is_empty();
        if column == b"host" || misplaced || columns.contains(&column) {
            return Err(tokens.unexpected(HEAD));
        }
        columns.push(column);
    }
    let has_slots = columns.first().is_some_and(|column| column == b"slot");
    match columns.len() - usize::from(has_slots) {
        0 => Err(tokens.missing("a column of coordinates", HEAD)),
        axes => Ok((has_slots, axes)),
    }
}

/// The lines so far.
#[derive(Default)]
struct HostRows {
    rows: Vec<HostRow>,
    places: Vec<TextPlace>,
    slots: BTreeMap<String, u32>,
    taken: BTreeSet<(String, Slot)>,
}

impl HostRows {
    /// Reads a line, whose first word has been stepped to.
    fn read(
        &mut self,
        tokens: &mut Tokens<'_>,
        has_slots: bool,
        axes: usize,
        sides: Option<&[u32]>,
    ) -> Result<()> {
        if !is_host(tokens.word()) {
            let message = format!("`{}` is no host name", printable(tokens.word()));
            return Err(tokens.error(message, HOST_EXPECTED));
        }
        let (host, place) = (String::from_utf8_lossy(tokens.word()).into_owned(), tokens.place());
        if self.rows.len() == NODES_MAX as usize {
            return Err(tokens.error("there are too many hosts", format!("at most {NODES_MAX}")));
        }
        let slot = if has_slots {
            tokens.expect(",")?;
            if !tokens.next_on_line()? {
                return Err(tokens.missing("the slot", "a core such as 3, or package:core such as 0:3"));
            }
            let slot = Slot::parse(tokens.word());
            slot.ok_or_else(|| tokens.unexpected("a core such as 3, or package:core such as 0:3"))?
        } else {
            let count = self.slots.entry(host.clone()).or_default();
            *count += 1;
            Slot::OfHost(*count - 1)
        };
        if !self.taken.insert((host.clone(), slot)) {
            return Err(tokens.error(format!("slot {slot} of `{host}` stands here twice"), "each slot once"));
        }
        let mut coordinates = Vec::with_capacity(axes);
        for axis in 0..axes {
            tokens.expect(",")?;
            let most = sides.map_or(NODES_MAX, |sides| sides[axis]) - 1;
            coordinates.push(tokens.integer_u32("the coordinate", 0..=most)?);
        }
        tokens.end_line("a host with its coordinates")?;
        self.rows.push(HostRow { host, slot, coordinates });
        self.places.push(place);
        Ok(())
    }
}

/// The box, and where its first corner is.
pub(super) struct HostBox {
    grid: Grid,
    corner: Vec<u32>,
}

impl HostBox {
    /// With the sides of the shape; else from the least to the greatest coordinate on every axis.
    pub(super) fn spanned(rows: &[HostRow], shape: &Shape) -> Result<Self> {
        let axes = rows[0].coordinates.len();
        let (corner, sides) = match &shape.sides {
            Some(sides) => (vec![0; axes], sides.clone()),
            None => {
                let along = |axis: usize| rows.iter().map(move |row| row.coordinates[axis]);
                let ends = |axis| (along(axis).min().unwrap_or(0), along(axis).max().unwrap_or(0));
                (0..axes).map(ends).map(|(least, most)| (least, most - least + 1)).unzip()
            }
        };
        let grid = if shape.wraps { Grid::torus(&sides)? } else { Grid::mesh(&sides)? };
        Ok(Self { grid, corner })
    }

    fn node(&self, row: &HostRow) -> NodeId {
        let inside: Vec<u32> =
            row.coordinates.iter().zip(&self.corner).map(|(c, corner)| c - corner).collect();
        self.grid.node_at(&inside)
    }

    /// Refuses two lines for one place: the earlier and the later one.
    pub(super) fn check(&self, rows: &[HostRow]) -> Result<(), (usize, usize)> {
        let mut at = vec![usize::MAX; self.grid.nodes() as usize];
        for (line, row) in rows.iter().enumerate() {
            let there = &mut at[self.node(row).index()];
            if *there != usize::MAX {
                return Err((*there, line));
            }
            *there = line;
        }
        Ok(())
    }

    /// The machine; what no line names is dead.
    pub(super) fn machine(self, specification: &str, rows: Vec<HostRow>) -> Result<Machine> {
        let places: Vec<Place> = rows
            .into_iter()
            .map(|row| Place { node: self.node(&row), host: row.host, slot: row.slot })
            .collect();
        let mut empty = vec![true; self.grid.nodes() as usize];
        places.iter().for_each(|place| empty[place.node.index()] = false);
        let dead = (0..self.grid.nodes()).map(NodeId).filter(|node| empty[node.index()]).collect();
        Machine::at_places(specification, Network::Grid(self.grid), places).with_dead(dead)
    }
}
