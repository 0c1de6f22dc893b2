//! Files that are right in themselves and too large for the machine: the place that asks for too much.

use std::path::Path;

use meshwright_core::error::{Error, Result};
use meshwright_core::text::{Syntax, Tokens, ending, error_where};
use meshwright_core::units::NodeId;
use meshwright_mapping::task_file::CSV;
use meshwright_network::topology::{Machine, Topology, graph_file};
use meshwright_schedule::{Schedule, goal};

/// Fields of a trace, by number from 0, that hold a task.
const TASK_FIELDS: std::ops::RangeInclusive<usize> = 1..=2;

/// Refuses a file with more tasks than the machine has working nodes.
pub(super) fn check(path: &Path, tasks: u32, machine: &Machine) -> Result<()> {
    let living = machine.living_count();
    if tasks <= living {
        return Ok(());
    }
    let (name, expected) = (machine.name(), format!("at most {living}, one for each working node"));
    let file = path.to_string_lossy();
    let counted = |syntax| {
        let message = format!("there are {tasks} tasks, too many for {name}");
        error_where(path, syntax, |tokens| number(tokens) == Some(u64::from(tasks)), &message, &expected)
    };
    let located = match graph_file::format_of(&file) {
        Some(_) => counted(GRAPH),
        None if ending(path) == "goal" => counted(goal::SYNTAX),
        None if ending(path) == "csv" => {
            let message = format!(
                "this task is outside {name}, which has {}",
                meshwright_core::words::counted(living.into(), "working node")
            );
            let expected = format!("a task from 0 to {}", living.saturating_sub(1));
            error_where(path, CSV, beyond(living), &message, &expected)
        }
        None => None,
    };
    let unlocated = || Error::value("number of tasks", tasks, format!("{expected} of {name}"));
    Err(located.unwrap_or_else(unlocated))
}

/// Refuses a schedule with more ranks than the machine has nodes, or with work for a dead one: rank r runs on
/// node r.
pub(super) fn ranks(path: &Path, schedule: &Schedule, machine: &Machine) -> Result<()> {
    let (ranks, nodes) = (schedule.ranks.len() as u32, machine.nodes());
    if ranks <= nodes {
        return match schedule.dead_rank(machine) {
            None => Ok(()),
            Some(dead) => Err(dead_rank(path, dead, machine)),
        };
    }
    let message = format!("there are {ranks} ranks, too many for {}", machine.name());
    let expected = format!("at most {nodes}, one for each node");
    let is_count = |tokens: &Tokens<'_>| number(tokens) == Some(u64::from(ranks));
    let located = error_where(path, goal::SYNTAX, is_count, &message, &expected);
    Err(located.unwrap_or_else(|| Error::value("number of ranks", ranks, expected)))
}

/// The error for a rank whose node is dead, at the number of the rank.
fn dead_rank(path: &Path, rank: NodeId, machine: &Machine) -> Error {
    const EXPECTED: &str = "work for living nodes only, since rank r runs on node r";
    let mut header = false;
    let is_header = |tokens: &Tokens<'_>| {
        let found = header && number(tokens) == Some(u64::from(rank.0));
        header = tokens.word() == b"rank";
        found
    };
    let message = format!("node {rank} of {} is dead", machine.name());
    let located = error_where(path, goal::SYNTAX, is_header, &message, EXPECTED);
    located.unwrap_or_else(|| Error::value("a rank", format!("{rank}, whose node is dead"), EXPECTED))
}

/// How the words of a graph file are separated, as far as its counts; the header of a matrix is a comment too.
const GRAPH: Syntax = Syntax { punctuation: b"", line_comment: b"%", block_comments: false, by_line: true };

/// Whether a word of a trace, whose header is no number, is a task that is none of the first `living`.
fn beyond(living: u32) -> impl FnMut(&Tokens<'_>) -> bool {
    let (mut line, mut field, mut is_matrix) = (0, 0, false);
    move |tokens| {
        is_matrix |= line == 0 && number(tokens).is_some();
        if is_matrix {
            return false;
        }
        if tokens.place().line != line {
            (line, field) = (tokens.place().line, 0);
        }
        if tokens.word() == b"," {
            field += 1;
        }
        TASK_FIELDS.contains(&field) && number(tokens).is_some_and(|task| task >= u64::from(living))
    }
}

fn number(tokens: &Tokens<'_>) -> Option<u64> {
    std::str::from_utf8(tokens.word()).ok()?.parse().ok()
}
