//! Task graphs from files: phased traces, communication matrices and graphs, GOAL schedules.

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

/// Reads a task graph by its ending: `.csv` (`phase,source,target,bytes`), `.mtx`, `.graph`, `.grf` or `.goal`.
///
/// A trace in CSV has as many tasks as its greatest task number asks for. A matrix or a graph is one phase,
/// number 1, of all its arcs. In a GOAL file the tags are the phases. The graph is named after the file.
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

/// The endings of the files that [`read`] takes, without the dot.
pub fn endings() -> Vec<&'static str> {
    let graphs = graph_file::FORMATS.iter().map(|format| format.ending);
    ["csv"].into_iter().chain(graphs).chain(["goal"]).collect()
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
    let expected = format!("a name that ends in .phases.csv, .{}, or --format", endings().join(", ."));
    Err(Error::value("task file", format!("`{}`", path.display()), expected))
}

fn name_of(path: &Path) -> String {
    if path == Path::new(STANDARD_INPUT) {
        return "standard input".to_string();
    }
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// A phased trace.
fn csv(tokens: &mut Tokens<'_>, name: String) -> Result<TaskGraph> {
    const HEADER: [&str; 4] = ["phase", "source", "target", "bytes"];
    const FORM: &str = "phase,source,target,bytes";
    if tokens.next_anywhere()? {
        tokens.hold();
    }
    for (i, word) in HEADER.into_iter().enumerate() {
        if i > 0 && !(tokens.next_on_line()? && tokens.word() == b",")
            || !(tokens.next_on_line()? && tokens.word() == word.as_bytes())
        {
            return Err(tokens.unexpected(format!("the header `{FORM}`")));
        }
    }
    tokens.end_line(&format!("the header `{FORM}`"))?;

    let mut edges = vec![];
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
        tokens.end_line(&format!("four fields, `{FORM}`"))?;
        tasks = tasks.max(source + 1).max(target + 1);
        if source != target {
            edges.push((phase, Edge { source, target, bytes }));
        }
    }
    if tasks == 0 {
        return Err(tokens.error("the file holds no message", "a line such as `1,0,12,4096`"));
    }
    TaskGraph::new(name, tasks, edges)
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
