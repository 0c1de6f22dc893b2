//! `meshwright map` with work: the time of completion over numbers of nodes.

use std::path::PathBuf;

use clap::Args;

use meshwright_core::output as disk;
use meshwright_core::units::Bytes;
use meshwright_core::words::counted;
use meshwright_core::{Error, Result};
use meshwright_formats::scenario::tasks::{self, Weights};
use meshwright_mapping::completion::Work;
use meshwright_network::topology::Machine;
use meshwright_report::{File, completion_files};
use meshwright_verdict::completion::{CompletionReport, CompletionRow, Question, curve};

use super::costs::{told, volume};
use super::files::{self, Force};
use super::output::{self, Progress};
use super::{Answer, table};

/// The options; with any of them `map` answers with times of completion.
#[derive(Args)]
#[command(next_help_heading = "Time of completion (how deep to divide, how many nodes to use)")]
pub(super) struct CompletionArguments {
    /// Cycles of an operation of the --preset, such as 12, or forms by step on n elements, as in leaf=2nlogn,combine=3n,divide=100
    /// [default: 0]
    #[arg(long, value_name = "WORK", allow_negative_numbers = true)]
    work: Option<String>,
    /// Numbers of nodes: 1..1024 (doubling), 6,12,24 or both [default: one for each task, or --per-node tasks]
    #[arg(long, value_name = "RANGE", value_parser = |text: &str| told(range("nodes", text)))]
    nodes: Option<Numbers>,
    /// Numbers of tasks at each node, in the same form [default: one for each core]
    #[arg(long, value_name = "RANGE", value_parser = |text: &str| told(range("tasks per node", text)))]
    per_node: Option<Numbers>,
    /// Cores of each node, which share its tasks
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=128))]
    cores: u32,
    /// Elements of the problem, which --work counts [default: its bytes]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    size: Option<u64>,
    /// Bytes of the result [default: those of the problem]
    #[arg(long, value_name = "BYTES", allow_negative_numbers = true, value_parser = volume)]
    result: Option<Bytes>,
    /// The data come from a host over a channel into the root, and the result goes back
    #[arg(long)]
    host: bool,
}

/// Numbers in increasing order.
#[derive(Clone)]
struct Numbers(Vec<u32>);

/// `1..1024`: first, last and the powers of two between; `3,5`: these.
fn range(what: &'static str, text: &str) -> Result<Numbers> {
    let expected = "numbers of at least 1 and at most 2^24, as in 1..1024 (doubling) or 6,12,24";
    let bad = || Error::value(what, format!("`{text}`"), expected);
    let number =
        |text: &str| text.trim().parse::<u32>().ok().filter(|n| (1..=1 << 24).contains(n)).ok_or_else(bad);
    let mut numbers = Vec::new();
    for part in text.split(',') {
        let Some((first, last)) = part.split_once("..") else {
            numbers.push(number(part)?);
            continue;
        };
        let (first, last) = (number(first)?, number(last)?);
        if first > last {
            return Err(bad());
        }
        numbers.extend([first, last]);
        numbers.extend((0..=24).map(|e| 1u32 << e).filter(|power| (first..=last).contains(power)));
    }
    numbers.sort_unstable();
    numbers.dedup();
    Ok(Numbers(numbers))
}

/// What else the command line says.
pub(super) struct Asked<'a> {
    pub(super) tasks: &'a str,
    pub(super) machine: &'a Machine,
    pub(super) placements: &'a [String],
    pub(super) weights: Weights,
    pub(super) seed: u64,
    pub(super) json: bool,
    pub(super) out: Option<&'a PathBuf>,
    pub(super) force: Force,
}

impl CompletionArguments {
    /// Whether any of them is given.
    pub(super) fn is_asked(&self) -> bool {
        let numbers = self.nodes.is_some() || self.per_node.is_some() || self.cores > 1;
        let problem = self.work.is_some() || self.size.is_some() || self.result.is_some();
        numbers || problem || self.host
    }

    /// The question.
    fn question(&self, asked: &Asked<'_>) -> Result<Question> {
        let divide = tasks::tree(asked.tasks, asked.weights)?;
        let tasks_max = divide.shape.tasks();
        let per_node = self.per_node.clone().map_or_else(|| vec![self.cores], |numbers| numbers.0);
        let nodes = match &self.nodes {
            Some(numbers) => numbers.0.clone(),
            None => shared(asked.tasks, tasks_max, &per_node)?,
        };
        let living = asked.machine.living_count();
        if let Some(more) = nodes.iter().find(|nodes| **nodes > living) {
            let name = asked.machine.name();
            return Err(Error::value(
                "nodes",
                more,
                format!("at most {living}, the working nodes of {name}"),
            ));
        }
        let preset = asked.weights.preset;
        let work = self.work.as_deref().map(|text| Work::parse(text, preset)).transpose()?;
        Ok(Question {
            name: divide.shape.name(),
            computation: preset.map(|preset| preset.name),
            alpha: divide.alpha,
            combine_alpha: divide.combine_alpha,
            volume: divide.volume,
            result: self.result.unwrap_or(divide.volume),
            size: self.size.unwrap_or(divide.volume.0),
            work: work.unwrap_or_default(),
            nodes,
            per_node,
            tasks_max,
            cores: self.cores,
            host: self.host,
            placements: asked.placements.to_vec(),
            seed: asked.seed,
        })
    }

    /// Answers.
    pub(super) fn run(&self, asked: &Asked<'_>) -> Result<Answer> {
        let question = self.question(asked)?;
        let named = disk::NamedJob::new("map", [asked.tasks]);
        files::check(asked.out, asked.force, &named)?;
        let mut progress = Progress::new();
        let report = curve(&question, asked.machine, &mut |what| progress.tell(what))?;
        drop(progress);
        let written = match asked.out {
            Some(folder) => {
                "\n".to_string() + &files::write(folder, asked.force, &named, of_folder(&report))?
            }
            None => String::new(),
        };
        output::say(
            asked.json.then(|| output::json(&report)),
            || report.reason.clone(),
            || text(&report) + &written,
        )?;
        Ok(Answer::Done)
    }
}

/// The numbers of nodes that just hold a tree.
fn shared(name: &str, tasks: u32, per_node: &[u32]) -> Result<Vec<u32>> {
    let mut nodes: Vec<u32> = Vec::new();
    for &many in per_node {
        if !tasks.is_multiple_of(many) {
            let expected = format!("a divisor of the {tasks} tasks of {name}, or --nodes beside it");
            return Err(Error::value("tasks per node", many, expected));
        }
        nodes.push(tasks / many);
    }
    nodes.sort_unstable();
    nodes.dedup();
    Ok(nodes)
}

fn of_folder(report: &CompletionReport) -> Vec<File> {
    let mut files =
        vec![files::file("map.json", "the curve and its best point, for scripts", output::json(report))];
    files.extend(completion_files(report));
    files
}

/// The table, and what is best.
fn text(report: &CompletionReport) -> String {
    const HEAD: [&str; 11] = [
        "nodes",
        "tasks each",
        "depth",
        "bound",
        "predicted",
        "simulated",
        "gap",
        "speed-up",
        "efficiency",
        "placement",
        "",
    ];
    let row = |row: &CompletionRow| {
        let is_best = (row.nodes, row.per_node) == (report.best.nodes, report.best.per_node);
        vec![
            row.nodes.to_string(),
            row.per_node.to_string(),
            row.depth.to_string(),
            row.bound_cycles.to_string(),
            row.predicted_cycles.to_string(),
            row.simulated_cycles.to_string(),
            table::percent(row.gap),
            table::number(row.speedup, 2),
            table::percent(row.efficiency),
            row.placement.clone(),
            if is_best { "best" } else { "" }.to_string(),
        ]
    };
    let CompletionReport { tasks, machine, cores, size, volume, result, switching, seed, work, .. } = report;
    let name = report.computation.unwrap_or("divide and conquer");
    let mut text = format!(
        "{name} on {machine}, {switching}, at most {tasks} · {}, {volume} bytes down, {result} up · {} a node · seed {seed}\n\
         cycles on n elements: leaf {}, divide {}, combine {}; one core alone: {}{}\n\n",
        counted(*size, "element"),
        counted((*cores).into(), "core"),
        work.leaf,
        work.divide,
        work.combine,
        report.sequential_cycles,
        if report.host { ", with the host's messages" } else { "" }
    );
    text += &table::table(&HEAD, 0, report.completion.iter().map(row).collect());
    text += "bound: no placement of this tree is faster · predicted: as if nobody waited for a link\n";
    text += &format!("{}\n", report.reason);
    text += &table::left_out(&report.skipped);
    text
}

#[cfg(test)]
mod tests {
    use super::range;

    #[test]
    fn ranges_double() {
        let numbers = |text| range("nodes", text).map(|numbers| numbers.0).ok();
        assert_eq!(numbers("1..8"), Some(vec![1, 2, 4, 8]));
        assert_eq!(numbers("3..20,6"), Some(vec![3, 4, 6, 8, 16, 20]));
        for text in ["", "0", "4..2", "1..", "a", "1...4", "1..16777217"] {
            assert_eq!(numbers(text), None, "{text}");
        }
    }
}
