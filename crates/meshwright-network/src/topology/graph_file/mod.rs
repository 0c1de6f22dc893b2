//! Weighted graphs in the files of the field: Matrix Market, METIS, Scotch.
//!
//! | file | ending | format |
//! |---|---|---|
//! | `matrix_market` | `.mtx` | coordinate matrices: one arc per entry |
//! | `metis` | `.graph` | a line per vertex, each edge at both its ends |
//! | `scotch` | `.grf` | as METIS, with degrees and a choice of the first number |

mod matrix_market;
mod metis;
mod scotch;

use std::io::Read;
use std::path::Path;

use meshwright_core::error::{Error, Result};
use meshwright_core::text::{Place, Syntax, Tokens, ending, requote};

/// A directed edge with its weight: bytes in a communication matrix, 1 where the file gives none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arc {
    /// The vertex it leaves, from 0.
    pub from: u32,
    /// The vertex it enters, from 0.
    pub to: u32,
    /// Its weight.
    pub weight: u64,
}

/// What a graph file says: vertices 0..`vertices` and arcs in the order of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArcList {
    /// How many vertices.
    pub vertices: u32,
    /// The arcs; an undirected edge appears in both directions.
    pub arcs: Vec<Arc>,
}

/// A graph format: how its files end and who reads them.
pub struct Format {
    /// The ending of the file's name, without the dot.
    pub ending: &'static str,
    /// Its name.
    pub name: &'static str,
    syntax: Syntax,
    parse: fn(&mut Tokens<'_>) -> Result<ArcList>,
}

/// Every graph format the program reads.
pub const FORMATS: &[Format] = &[matrix_market::FORMAT, metis::FORMAT, scotch::FORMAT];

/// The format of a file with this name, if its ending is known (in any case of letters).
pub fn format_of(file: &str) -> Option<&'static Format> {
    let ending = ending(Path::new(file));
    FORMATS.iter().find(|format| format.ending == ending)
}

/// Reads a graph file by its ending: `.mtx`, `.graph` (METIS) or `.grf` (Scotch).
///
/// # Errors
///
/// [`Error::Value`] for another ending, [`Error::Io`] when the system refuses the file, [`Error::Parse`] with
/// the place of the first fault.
///
/// # Complexity
///
/// O(file); O(file log file) for METIS and Scotch, whose edges are checked to stand at both ends.
pub fn read(path: &Path) -> Result<ArcList> {
    let format = known_format(&path.display().to_string())?;
    let mut tokens = Tokens::open(path, format.syntax)?;
    (format.parse)(&mut tokens).map_err(|error| requote(error, path, format.syntax))
}

/// Reads a graph from anything, as the file whose name is given.
///
/// # Errors
///
/// As [`read`].
///
/// # Examples
///
/// ```
/// use meshwright_network::topology::graph_file::parse;
/// // Two vertices and one edge of weight 5, which stands at both its ends.
/// let graph = parse("2 1 1\n2 5\n1 5\n".as_bytes(), "pair.graph")?;
/// assert_eq!((graph.vertices, graph.arcs.len(), graph.arcs[1].weight), (2, 2, 5));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn parse(reader: impl Read, file: &str) -> Result<ArcList> {
    let format = known_format(file)?;
    (format.parse)(&mut Tokens::new(reader, file, format.syntax))
}

fn known_format(file: &str) -> Result<&'static Format> {
    format_of(file).ok_or_else(|| {
        let endings: Vec<_> =
            FORMATS.iter().map(|format| format!(".{} ({})", format.ending, format.name)).collect();
        Error::value("graph file", format!("`{file}`"), format!("a name that ends in {}", endings.join(", ")))
    })
}

/// Checks that every arc has a partner of the same weight in the other direction.
///
/// `places[i]` is where arc i stands in the file, `base` what the file calls vertex 0.
fn check_mirrored(tokens: &Tokens<'_>, arcs: &[Arc], places: &[Place], base: u32) -> Result<()> {
    let mut ahead: Vec<(u32, u32, u64, usize)> = Vec::new();
    let mut back: Vec<(u32, u32, u64, usize)> = Vec::new();
    for (i, arc) in arcs.iter().enumerate() {
        if arc.from < arc.to {
            ahead.push((arc.from, arc.to, arc.weight, i));
        } else {
            back.push((arc.to, arc.from, arc.weight, i));
        }
    }
    ahead.sort_unstable();
    back.sort_unstable();
    let key = |entry: &(u32, u32, u64, usize)| (entry.0, entry.1, entry.2);
    let differing = ahead.iter().zip(&back).position(|(a, b)| key(a) != key(b));
    let shared = differing.unwrap_or(ahead.len().min(back.len()));
    // The smaller of the first two that differ is the one whose partner is missing.
    let lone = match (ahead.get(shared), back.get(shared)) {
        (None, None) => return Ok(()),
        (Some(a), Some(b)) => {
            if key(a) < key(b) {
                a
            } else {
                b
            }
        }
        (Some(entry), None) | (None, Some(entry)) => entry,
    };
    let (arc, place) = (arcs[lone.3], places[lone.3]);
    let (from, to) = (arc.from + base, arc.to + base);
    let message =
        format!("vertex {from} lists {to}, weight {}, but {to} does not list {from} so", arc.weight);
    let expected = "each edge at both its ends, with one weight";
    Err(tokens.error_at(place, &to.to_string(), message, expected))
}
