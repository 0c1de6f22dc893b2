//! Tasks from files: one entry of [`FORMATS`] for each format, from its name and endings to its reader.
//!
//! | file | what |
//! |---|---|
//! | this one | [`FORMATS`]; which of them reads a file |
//! | `npy` | matrices of NumPy |
//! | `graphml` | GraphML |
//! | `node_link` | the node-link JSON of NetworkX and D3 |
//! | `named` | nodes by names, edges by weights |
//!
//! The text formats of the field are read by [`task_file`].

mod graphml;
mod named;
mod node_link;
mod npy;

use std::io::Read;
use std::path::Path;

use meshwright_core::error::{Error, Result};
use meshwright_core::text::{self, did_you_mean};
use meshwright_mapping::{TaskGraph, task_file};

/// A format of files of tasks.
pub struct Format {
    /// Its name, as after `--format`, and the ending of its files.
    pub name: &'static str,
    /// Who writes it and what it is, in half a sentence.
    pub summary: &'static str,
    /// What each of its numbers becomes.
    pub numbers: &'static str,
    reader: Reader,
}

/// Who reads a format.
enum Reader {
    /// [`task_file`], by the ending.
    Text,
    /// A function of the bytes and of what errors call the file.
    Bytes(fn(&mut dyn Read, &str) -> Result<TaskGraph>),
}

/// Every format of tasks that the program reads.
pub const FORMATS: &[Format] = &[
    Format {
        name: "csv",
        summary: "a list of messages under the header `phase,source,target,bytes`, or, without it, a square matrix",
        numbers: "tasks from 0; a phase begins when the one before has ended, and runs as often as a fifth column `repeats` says, once without it; row i, column j of a matrix is what task i sends to task j, in bytes, rounded, and 0 is no message",
        reader: Reader::Text,
    },
    Format {
        name: "mtx",
        summary: "Matrix Market, coordinate: a communication matrix, one line per entry",
        numbers: "entry (i, j) is a message from task i - 1 to task j - 1 with the value as bytes, rounded; `symmetric` sends it both ways; `pattern` sends 1 byte",
        reader: Reader::Text,
    },
    Format {
        name: "graph",
        summary: "METIS: one line per vertex with its neighbours",
        numbers: "the weight of an edge is the bytes in each direction, 1 without weights; weights of vertices are read and mean nothing",
        reader: Reader::Text,
    },
    Format {
        name: "grf",
        summary: "Scotch: as METIS, with degrees and labels",
        numbers: "the load of an edge is the bytes in each direction, 1 without loads; loads of vertices are read and mean nothing",
        reader: Reader::Text,
    },
    Format {
        name: "goal",
        summary: "a GOAL schedule of LogGOPSim; its messages are the tasks' edges",
        numbers: "rank r is task r; the tag of a message is its phase, its size the bytes; computations are left out",
        reader: Reader::Text,
    },
    Format {
        name: "npy",
        summary: "a square matrix of NumPy, as `numpy.save` writes it: integers or floats of any width and byte order",
        numbers: "row i, column j is what task i sends to task j, in bytes, rounded; 0 is no message",
        reader: Reader::Bytes(npy::read),
    },
    Format {
        name: "graphml",
        summary: "GraphML, as NetworkX, igraph, yEd and Gephi write it",
        numbers: "the key `bytes` of an edge, else `weight`, is its bytes, rounded, else 1; `phase` its phase, else 1; `repeats` how often that phase runs, else once; an undirected edge sends both ways; nodes are tasks by their ids where these are 0 to n - 1, else in the order of the file",
        reader: Reader::Bytes(graphml::read),
    },
    Format {
        name: "json",
        summary: "node-link JSON, as `networkx.node_link_data` and D3 write it: `nodes`, then `links` or `edges`",
        numbers: "as for GraphML",
        reader: Reader::Bytes(node_link::read),
    },
];

/// The names of the formats, as after `--format`, which are the endings of their files.
pub fn names() -> Vec<&'static str> {
    FORMATS.iter().map(|format| format.name).collect()
}

/// The format of a file with this name: that of its [ending](text::ending).
///
/// # Errors
///
/// [`Error::Value`] for another ending, with those there are.
pub fn format_of(path: &Path) -> Result<&'static Format> {
    let ending = text::ending(path);
    FORMATS.iter().find(|format| format.name == ending).ok_or_else(|| {
        let names = names();
        let expected = format!(
            "a name that ends in .{}{}, or --format",
            names.join(", ."),
            did_you_mean(&ending, &names)
        );
        Error::value("task file", format!("`{}`", path.display()), expected)
    })
}

/// Reads a file of tasks by its ending, see [`FORMATS`].
///
/// A message of a task to itself never uses a link: it is left out, whatever the format, though its task counts.
///
/// # Errors
///
/// As [`format_of`]; [`Error::Io`] when the system refuses the file, [`Error::Parse`] with the place of the first fault.
///
/// # Complexity
///
/// O(file log file); memory O(messages), and for GraphML and JSON O(file).
pub fn read(path: &Path) -> Result<TaskGraph> {
    match format_of(path)?.reader {
        // It opens the file once more to show the line of a late fault.
        Reader::Text => task_file::read(path),
        Reader::Bytes(read) => Ok(named(path, read(&mut text::open(path)?, &path.display().to_string())?)),
    }
}

/// Reads tasks from anything, as the file whose name is given.
///
/// # Errors
///
/// As [`read`].
///
/// # Examples
///
/// ```
/// use meshwright_formats::task_files;
/// let text = r#"{"directed": true, "nodes": [{"id": "a"}, {"id": "b"}], "links": [{"source": "b", "target": "a", "weight": 64}]}"#;
/// let tasks = task_files::parse(text.as_bytes(), "a.json")?;
/// assert_eq!((tasks.tasks, tasks.phase(0)[0].source, tasks.phase(0)[0].bytes.0), (2, 1, 64));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn parse(mut reader: impl Read, file: &str) -> Result<TaskGraph> {
    let path = Path::new(file);
    match format_of(path)?.reader {
        Reader::Text => task_file::parse(reader, file),
        Reader::Bytes(read) => Ok(named(path, read(&mut reader, file)?)),
    }
}

/// The tasks under the name of their file.
fn named(path: &Path, mut tasks: TaskGraph) -> TaskGraph {
    tasks.name = task_file::name_of(path);
    tasks
}
