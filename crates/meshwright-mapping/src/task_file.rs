//! Task graphs from text files: phased traces, communication matrices and graphs, GOAL schedules.
//!
//! | file | what |
//! |---|---|
//! | this one | which format; phased traces, graphs and schedules as tasks |
//! | `dense` | matrices as lines of numbers |

mod dense;

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use super::TaskGraph;
use super::task_graph::Edge;
use meshwright_core::error::{Error, Result};
use meshwright_core::text::{ENTRIES_MAX, STANDARD_INPUT, Syntax, Tokens, ending};
use meshwright_core::units::Bytes;
use meshwright_network::topology::NODES_MAX;
use meshwright_network::topology::costs::BYTES_MAX;
use meshwright_network::topology::graph_file::{self, ArcList};
use meshwright_schedule::{Schedule, goal};

/// How the words of a trace are separated.
pub const CSV: Syntax = Syntax { punctuation: b",", line_comment: b"", block_comments: false, by_line: true };

/// The header of a phased trace; what begins with a number is a square matrix.
pub const HEADER: &str = "phase,source,target,bytes";

/// A further column of a phased trace: how often the phase runs, one time after the other.
const REPEATS: &str = "repeats";

/// Reads a task graph by its ending: `.csv`, `.mtx`, `.graph`, `.grf` or `.goal`.
///
/// A trace in CSV begins with [`HEADER`] and has as many tasks as its greatest task number asks for; a fifth column `repeats`,
/// alike in all lines of a phase, says how often it runs, and is once where there is none. CSV without that
/// header is a square matrix of bytes, whose zeros are no messages. A matrix or a graph is one phase, number 1, of all
/// its arcs. In a GOAL file the tags are the phases. The graph is named after the file.
///
/// A message of a task to itself never uses a link: it is left out, whatever the format, though
/// its task counts.
///
/// # Errors
///
/// [`Error::Value`] for another ending, [`Error::Io`] when the system refuses the file, [`Error::Parse`] with
/// the place of the first fault.
///
/// # Complexity
///
/// O(file log file).
pub fn read(path: &Path) -> Result<TaskGraph> {
    let name = name_of(path);
    match kind(path)? {
        FileKind::Csv => csv(&mut Tokens::open(path, CSV)?, name),
        FileKind::Goal => messages(&goal::read(path)?, name),
        FileKind::Graph => single_phase(&graph_file::read(path)?, name),
    }
}

/// Reads a task graph from anything, as the file whose name is given.
///
/// # Errors
///
/// As [`read`].
///
/// # Examples
///
/// ```
/// use meshwright_mapping::task_file::parse;
/// let graph = parse("phase,source,target,bytes\n2,0,3,64\n".as_bytes(), "a.phases.csv")?;
/// assert_eq!((graph.tasks, graph.number(0), graph.phase(0)[0].bytes.0), (4, 2, 64));
/// let ring = parse("phase,source,target,bytes,repeats\n1,0,1,64,6\n7,1,0,8,1\n".as_bytes(), "b.phases.csv")?;
/// assert_eq!((ring.repeats(0), ring.phases_total()), (6, 7));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn parse(reader: impl Read, file: &str) -> Result<TaskGraph> {
    let name = name_of(Path::new(file));
    match kind(Path::new(file))? {
        FileKind::Csv => csv(&mut Tokens::new(reader, file, CSV), name),
        FileKind::Goal => messages(&goal::parse(reader, file)?, name),
        FileKind::Graph => single_phase(&graph_file::parse(reader, file)?, name),
    }
}

enum FileKind {
    Csv,
    Goal,
    Graph,
}

fn kind(path: &Path) -> Result<FileKind> {
    match ending(path).as_str() {
        "csv" => return Ok(FileKind::Csv),
        "goal" => return Ok(FileKind::Goal),
        _ if graph_file::format_of(&path.to_string_lossy()).is_some() => return Ok(FileKind::Graph),
        _ => {}
    }
    let graphs: Vec<_> = graph_file::FORMATS.iter().map(|format| format!(".{}", format.ending)).collect();
    let expected = format!("a name that ends in .phases.csv, .csv, {} or .goal", graphs.join(", "));
    Err(Error::value("task file", format!("`{}`", path.display()), expected))
}

/// What tasks from a file are called: its name without its folder.
pub fn name_of(path: &Path) -> String {
    if path == Path::new(STANDARD_INPUT) {
        return "standard input".to_string();
    }
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// A phased trace, or a matrix.
fn csv(tokens: &mut Tokens<'_>, name: String) -> Result<TaskGraph> {
    if tokens.next_anywhere()? {
        tokens.hold();
        if tokens.word()[0].is_ascii_digit() {
            return dense::read(tokens, name);
        }
    }
    let has_repeats = header(tokens)?;
    let fields = if has_repeats {
        format!("five fields, `{HEADER},{REPEATS}`")
    } else {
        format!("four fields, `{HEADER}`")
    };
    let (mut edges, mut repeats) = (vec![], BTreeMap::new());
    let mut tasks = 0;
    while tokens.next_anywhere()? {
        if edges.len() as u64 == ENTRIES_MAX {
            let message = format!("there are more than {ENTRIES_MAX} messages");
            return Err(tokens.error(message, "fewer messages"));
        }
        tokens.hold();
        let phase = tokens.integer_u32("phase", 0..=u32::MAX)?;
        tokens.expect(",")?;
        let source = tokens.integer_u32("source", 0..=NODES_MAX - 1)?;
        tokens.expect(",")?;
        let target = tokens.integer_u32("target", 0..=NODES_MAX - 1)?;
        tokens.expect(",")?;
        let bytes = Bytes(tokens.integer("bytes", 0..=BYTES_MAX)?);
        if has_repeats {
            times(tokens, phase, &mut repeats)?;
        }
        tokens.end_line(&fields)?;
        tasks = tasks.max(source + 1).max(target + 1);
        if source != target {
            edges.push((phase, Edge { source, target, bytes }));
        }
    }
    if tasks == 0 {
        return Err(tokens.error("the file holds no message", "a line such as `1,0,12,4096`"));
    }
    TaskGraph::new(name, tasks, edges)?.with_repeats_of(&repeats)
}

/// The header of a phased trace; whether it has a column of repeats.
fn header(tokens: &mut Tokens<'_>) -> Result<bool> {
    for (i, word) in HEADER.split(',').enumerate() {
        if i > 0 && !(tokens.next_on_line()? && tokens.word() == b",")
            || !(tokens.next_on_line()? && tokens.word() == word.as_bytes())
        {
            return Err(tokens.unexpected(format!("the header `{HEADER}`, or the rows of a square matrix")));
        }
    }
    let has_repeats = tokens.next_on_line()?;
    if has_repeats {
        tokens.hold();
        let is_column = tokens.next_on_line()? && tokens.word() == b",";
        if !(is_column && tokens.next_on_line()? && tokens.word() == REPEATS.as_bytes()) {
            return Err(tokens.unexpected(format!("the header `{HEADER}`, or `{HEADER},{REPEATS}`")));
        }
    }
    tokens.end_line(&format!("the header `{HEADER}`"))?;
    Ok(has_repeats)
}

/// How often a phase runs, as said on this line and on those before.
fn times(tokens: &mut Tokens<'_>, phase: u32, repeats: &mut BTreeMap<u32, u32>) -> Result<()> {
    tokens.expect(",")?;
    let times = tokens.integer_u32(REPEATS, 1..=u32::MAX)?;
    let first = *repeats.entry(phase).or_insert(times);
    if first == times {
        return Ok(());
    }
    let message = format!("phase {phase} is repeated {times} times here, {first} times before");
    Err(tokens.error(message, "one number for each phase"))
}

/// The messages of a schedule, by tag.
fn messages(schedule: &Schedule, name: String) -> Result<TaskGraph> {
    let edges =
        schedule.messages().into_iter().filter(|message| message.source != message.target).map(|message| {
            let edge = Edge { source: message.source.0, target: message.target.0, bytes: message.bytes };
            (message.tag, edge)
        });
    let tasks = schedule.ranks.len() as u32;
    TaskGraph::new(name, tasks, edges.collect())
}

/// All arcs of a graph as one phase.
fn single_phase(graph: &ArcList, name: String) -> Result<TaskGraph> {
    let arcs = graph.arcs.iter().filter(|arc| arc.from != arc.to);
    let edges = arcs.map(|arc| (1, Edge { source: arc.from, target: arc.to, bytes: Bytes(arc.weight) }));
    TaskGraph::new(name, graph.vertices, edges.collect())
}
