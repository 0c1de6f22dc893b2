//! `split --pieces`: a load of pieces that must not be cut.

use std::path::Path;

use meshwright_core::output::Writing;
use meshwright_core::words::{counted, grouped};
use meshwright_core::{Error, Result};
use meshwright_load::piece_file;
use meshwright_network::topology::Machine;
use meshwright_verdict::load::{self, Job, PieceRow, PiecesAnswer, PiecesRow};

use super::SplitArguments;
use crate::csv::{self, Column, column_list};
use crate::{Answer, output, table};

/// The most nodes that are listed.
const NODES_SHOWN: usize = 16;

/// Gives out the pieces of a file and tells where they go.
pub(super) fn answer(
    arguments: &SplitArguments,
    (machine, job): (Machine, Job),
    startup: f64,
    path: &Path,
) -> Result<Answer> {
    if job.named {
        let expected = "no --method beside --pieces: every assignment is compared";
        return Err(Error::value("method", format!("`{}`", job.methods.join(",")), expected));
    }
    let pieces = piece_file::read(path)?;
    let answer = load::pieces(&job, machine.clone(), startup, &pieces)?;
    output::remark_on_units(output::has_costs(&machine));
    let mut writing = Writing::new(arguments.force.force);
    let written = arguments.csv.add(&mut writing, || csv(&answer))?;
    writing.finish()?;
    output::say(
        arguments.json.then(|| output::json(&answer)),
        || line(&answer),
        || text(&answer, &machine) + &written,
    )?;
    Ok(Answer::Done)
}

fn line(answer: &PiecesAnswer) -> String {
    answer.methods.first().map_or("no assignment could be simulated".to_string(), |row| {
        let (speedup, gap) = (table::number(row.speedup, 4), table::percent(row.gap));
        format!("{} towards {}: speedup {speedup}, {gap} more than the bound", row.name, row.targets)
    })
}

fn text(answer: &PiecesAnswer, machine: &Machine) -> String {
    const HEAD: [&str; 7] = ["pieces", "towards", "speedup", "gap", "nodes", "longer by", "at most by"];
    let is_started = answer.startup > 0.0;
    let startup = if is_started { format!(" · startup {}", answer.startup) } else { String::new() };
    let limits = answer.variant.as_ref().map_or(String::new(), |variant| format!(" · {}", variant.limits()));
    let mut text = format!(
        "{} · {} · sigma {}{startup}{limits} · {}, {} in all, the largest {}\n",
        answer.machine,
        machine.node_name(answer.source),
        answer.sigma,
        counted(answer.count as u64, "piece"),
        grouped(answer.size),
        grouped(answer.largest),
    );
    let row = |(at, row): (usize, &PiecesRow)| {
        vec![
            format!("{}{}", if at == 0 { "* " } else { "  " }, row.name),
            row.targets.to_string(),
            table::number(row.speedup, 4),
            table::percent(row.gap),
            row.nodes_used.to_string(),
            table::number(row.over, 6),
            table::number(row.over_max, 6),
        ]
    };
    text += &table::table(&HEAD, 2, answer.methods.iter().enumerate().map(row).collect());
    text.extend(answer.skipped.iter().map(|why| format!("left out: {why}\n")));
    text += &format!(
        "No assignment is faster than {}: cut anywhere the load takes {}{}, the largest pieces take {}.\n",
        table::number(1.0 / answer.bound.makespan, 4),
        if is_started { "at least " } else { "" },
        table::number(answer.bound.fluid, 6),
        table::number(answer.bound.pieces, 6),
    );
    text += "longer by: how much longer than its target a processor works, in units of w Tcp; at most by: what is proved of it\n";
    text + &nodes(answer, machine)
}

/// What each node gets.
fn nodes(answer: &PiecesAnswer, machine: &Machine) -> String {
    const HEAD: [&str; 4] = ["node", "pieces", "size", "which"];
    let mut by_node: Vec<(u32, Vec<&PieceRow>)> = Vec::new();
    for row in &answer.assignment {
        match by_node.iter_mut().find(|(node, _)| *node == row.node.0) {
            Some((_, rows)) => rows.push(row),
            None => by_node.push((row.node.0, vec![row])),
        }
    }
    by_node.sort_unstable_by_key(|(node, _)| *node);
    let row = |(_, rows): &(u32, Vec<&PieceRow>)| {
        let names: Vec<&str> = rows.iter().take(4).map(|row| row.piece.as_str()).collect();
        let more = if rows.len() > names.len() { ", …" } else { "" };
        vec![
            machine.node_name(rows[0].node),
            rows.len().to_string(),
            grouped(rows.iter().map(|row| row.size).sum()),
            names.join(", ") + more,
        ]
    };
    let left_out = by_node.len().saturating_sub(NODES_SHOWN);
    let shown = by_node.iter().take(NODES_SHOWN).map(row).collect();
    let more = if left_out > 0 {
        format!("and {}; --csv has all\n", counted(left_out as u64, "more node"))
    } else {
        String::new()
    };
    table::table(&HEAD, 1, shown) + &more
}

/// The columns of `--csv`: one row for each piece.
pub(crate) fn columns<'r>() -> Vec<Column<&'r PieceRow>> {
    column_list![
        "piece", "the name of the piece", |row| row.piece.clone();
        "size", "its size", |row| row.size.to_string();
        "node", "the id of the node that works it off", |row| row.node.to_string();
        "at", "its coordinates", |row| row.at.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
    ]
}

fn csv(answer: &PiecesAnswer) -> String {
    csv::table(&[], &columns(), answer.assignment.iter().map(|row| (Vec::new(), row)))
}
