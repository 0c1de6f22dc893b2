//! `meshwright groups --collective`.

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use meshwright_core::output::{Writing, check_place};
use meshwright_core::units::{NodeId, Ratio};
use meshwright_core::{Error, Result};
use meshwright_core::{rng, same_word};
use meshwright_formats::barrier_table::{BarrierTable, KIND};
use meshwright_formats::perfetto::Run;
use meshwright_groups::{Group, label_file, trees};
use meshwright_network::topology::{Machine, Topology};
use meshwright_verdict::groups::collective::{self, COLLECTIVES, Collective, CollectiveVerdict};
use rand::seq::SliceRandom;

use super::costs::told;
use super::csv::CsvFile;
use super::files::Force;
use super::schedule_files::{self, Target};
use super::table::{percent, table};
use super::{Answer, emit, group_csv as csv, output};
use meshwright_core::words::counted;

/// What belongs to operations of groups alone.
#[derive(Args)]
pub(super) struct CollectiveArguments {
    #[arg(
        long,
        value_name = "NAME",
        help = help(),
        value_parser = |name: &str| told(asked(name)),
        conflicts_with_all = ["labels", "levels", "contiguous", "colours", "repeat", "split", "asynchronous", "engine", "buffers", "out", "png"]
    )]
    pub(super) collective: Option<Asked>,
    /// With --collective: the structure to use, as the answer names them, or auto for the fastest
    /// [default: auto]
    #[arg(long, value_name = "NAME", requires = "collective", conflicts_with_all = ["tree", "labels", "levels"])]
    structure: Option<String>,
    /// With --collective: cycles a node works on each message it sends or receives
    #[arg(
        long,
        value_name = "A",
        default_value_t = 0,
        allow_negative_numbers = true,
        requires = "collective",
        conflicts_with_all = ["labels", "levels"]
    )]
    overhead: u64,
    /// With --collective: cycles of a packet over a link [default: those of a machine file, else 1]
    #[arg(long, value_name = "L", requires = "collective", conflicts_with_all = ["labels", "levels"], value_parser = clap::value_parser!(u32).range(1..=65_536))]
    link_delay: Option<u32>,
    /// With --collective: the members of the group, in a file as for --labels, whose labels do not matter [default:
    /// all nodes]
    #[arg(long, value_name = "FILE.csv", requires = "collective", conflicts_with_all = ["random_members", "labels", "levels"])]
    members: Option<PathBuf>,
    /// Write what the members do and which groups there are when, for Perfetto or chrome://tracing, of the first repetition at
    /// each group's own pace; with --collective one operation on the structure to use: perfetto:FILE; with --collective barrier the
    /// tree for hardware, per node its parent, children and count: barrier-table:FILE
    #[arg(long, value_name = "FORMAT:FILE", value_parser = emitted)]
    pub(super) emit: Option<Target>,
    /// With --collective: so many members, drawn by --seed
    #[arg(long, value_name = "S", requires = "collective", conflicts_with_all = ["labels", "levels"])]
    random_members: Option<u32>,
}

/// One operation or all.
#[derive(Clone, Debug)]
pub(super) struct Asked(Vec<Collective>);

/// All operations in one object.
#[derive(Serialize)]
struct All<'a> {
    format: u32,
    machine: &'a str,
    collectives: &'a [CollectiveVerdict],
}

fn help() -> String {
    let names: Vec<&str> = COLLECTIVES.iter().map(|(name, _)| *name).collect();
    format!(
        "Instead of splits: what an operation of one group takes on every structure; {}, or all",
        names.join(", ")
    )
}

/// The file of `barrier-table:FILE`.
fn emitted(text: &str) -> Result<Target, String> {
    schedule_files::target(
        text,
        &[schedule_files::PERFETTO, (KIND, "the tree of the barrier: meshwright check")],
    )
}

/// The table of the structure that was asked for, or of the tree that ends first; the name of the tree.
fn barrier_table(
    machine: &Machine,
    group: &Group,
    verdicts: &[CollectiveVerdict],
) -> Result<(String, &'static str)> {
    let trees = |verdict: &CollectiveVerdict, name: Option<&str>| {
        let rows = verdict.structures.iter().filter(|row| name.is_none_or(|name| row.name == name));
        let found = rows.filter_map(|row| Some((row.order(), trees::tree(&row.name).ok()?)));
        found.min_by_key(|&(order, _)| order).map(|(_, tree)| tree)
    };
    let [verdict] = verdicts else {
        return Err(Error::value("--emit", KIND, "--collective barrier beside it"));
    };
    if verdict.operation != Collective::Barrier.name() {
        return Err(Error::value("--emit", KIND, "--collective barrier beside it"));
    }
    let wanted = Some(&*verdict.chosen).filter(|_| verdict.why == "it was asked for");
    let Some(tree) = trees(verdict, wanted) else {
        let expected = "a structure that is a tree: a table has one parent for each node";
        return Err(Error::value("--structure", format!("`{}`", verdict.chosen), expected));
    };
    let built = (tree.build)(machine, group)?;
    Ok((output::json(&BarrierTable::of(machine, group, tree.name, &built)?), tree.name))
}

fn asked(name: &str) -> Result<Asked> {
    let found: Vec<_> =
        COLLECTIVES.iter().filter(|known| name == "all" || same_word(known.0, name)).collect();
    if found.is_empty() {
        let names: Vec<&str> = COLLECTIVES.iter().map(|(name, _)| *name).chain(["all"]).collect();
        return Err(Error::value("collective", format!("`{name}`"), names.join(", ")));
    }
    Ok(Asked(found.into_iter().map(|&(_, collective)| collective).collect()))
}

impl CollectiveArguments {
    /// Where splits are recorded, if they are to be.
    pub(super) fn trace(&self) -> Result<Option<&Path>> {
        match &self.emit {
            Some(target) if target.format == KIND => {
                Err(Error::value("--emit", KIND, "--collective barrier beside it"))
            }
            Some(target) => check_place("--emit", &target.path).map(|()| Some(&*target.path)),
            None => Ok(None),
        }
    }

    /// The structure to use; `tree` is the old name of the option.
    pub(super) fn structure<'a>(&'a self, tree: Option<&'a str>) -> &'a str {
        self.structure.as_deref().or(tree).unwrap_or("auto")
    }

    /// The group.
    pub(super) fn members(&self, machine: &Machine, order: &str, seed: Option<u64>) -> Result<Group> {
        if let (Some(seed), None) = (seed, self.random_members) {
            return Err(Error::value("--seed", seed, "--random-members beside it: nothing else is drawn"));
        }
        if let Some(path) = &self.members {
            let members: Vec<NodeId> =
                label_file::read(path, machine)?.members.into_iter().map(|(node, _)| node).collect();
            return Group::of(machine, order, &members);
        }
        let Some(count) = self.random_members else { return Group::whole(machine, order) };
        let mut nodes: Vec<NodeId> = machine.living().collect();
        if count == 0 || count as usize > nodes.len() {
            return Err(Error::value("number of members", count, format!("1 to {}", nodes.len())));
        }
        nodes.shuffle(&mut rng::stream(seed.unwrap_or(0), "members"));
        nodes.truncate(count as usize);
        Group::of(machine, order, &nodes)
    }
}

/// How the answer is given.
#[derive(Clone, Copy)]
pub(super) struct Shown<'a> {
    pub(super) json: bool,
    pub(super) csv: &'a CsvFile,
    pub(super) force: Force,
}

/// Answers with tables or JSON.
pub(super) fn answer(
    asked: &Asked,
    arguments: &CollectiveArguments,
    machine: &Machine,
    group: &Group,
    wanted: &str,
    shown: Shown<'_>,
) -> Result<Answer> {
    machine.equal_links("an operation of a group")?;
    let plain = machine;
    let machine = match arguments.link_delay {
        Some(cycles) => machine.clone().with_byte_time(Ratio::new(cycles.into(), machine.costs().flit.0)?)?,
        None => machine.clone(),
    };
    if let Some(target) = &arguments.emit {
        if target.format != KIND && asked.0.len() > 1 {
            return Err(Error::value(
                "--emit",
                target.format,
                "one operation beside it: --collective barrier",
            ));
        }
        check_place("--emit", &target.path)?;
    }
    let verdicts = collective::judge(&machine, group, &asked.0, arguments.overhead, wanted)?;
    let as_json = || match &verdicts[..] {
        [one] => output::json(one),
        all => output::json(&All { format: 1, machine: machine.name(), collectives: all }),
    };
    let line = |verdict: &CollectiveVerdict| {
        let cycles = verdict.chosen().and_then(|row| row.simulated_cycles);
        let cycles = cycles.map_or_else(|| "it does not end".to_string(), |cycles| counted(cycles, "cycle"));
        format!("{}: {}, {cycles}", verdict.operation, verdict.chosen)
    };
    let mut writing = Writing::new(shown.force.force);
    let mut written = String::new();
    match &arguments.emit {
        Some(target) if target.format == KIND => {
            let (table, tree) = barrier_table(plain, group, &verdicts)?;
            writing.file(&target.path, table.as_bytes())?;
            written += &("\nEmitted:\n".to_string() + &target.line());
            if verdicts.iter().any(|verdict| verdict.chosen != tree) {
                written += &format!("It is of {tree}, the fastest tree: what has a star is none.\n");
            }
        }
        Some(target) => {
            let run = (asked.0[0], arguments.overhead, &verdicts[0]);
            written += &record(&target.path, &mut writing, (&machine, group), run)?;
        }
        None => {}
    }
    written += &shown.csv.add(&mut writing, || csv::structures(&verdicts))?;
    writing.finish()?;
    output::say(
        shown.json.then(as_json),
        || verdicts.iter().map(line).collect::<Vec<_>>().join("; "),
        || text(&verdicts, &machine) + &written,
    )?;
    let ends =
        |verdict: &CollectiveVerdict| verdict.chosen().is_some_and(|row| row.simulated_cycles.is_some());
    Ok(if verdicts.iter().all(ends) { Answer::Done } else { Answer::Negative })
}

/// Adds the operation on the structure to use, event by event, to what is written; what there is to say of it.
fn record(
    path: &Path,
    writing: &mut Writing,
    (machine, group): (&Machine, &Group),
    (operation, overhead, verdict): (Collective, u64, &CollectiveVerdict),
) -> Result<String> {
    if verdict.chosen().is_none_or(|row| row.simulated_cycles.is_none()) {
        return Ok("\nNothing is emitted: its messages wait for each other in a ring\n".to_string());
    }
    let log = collective::recorded(machine, group, operation, overhead, &verdict.chosen)?;
    let said = emit::add_trace(writing, path, machine, &Run::Processes(log))?;
    Ok(format!("{}: {} on {}\n", said.trim_end(), operation.name(), verdict.chosen))
}

fn text(verdicts: &[CollectiveVerdict], machine: &Machine) -> String {
    let Some(first) = verdicts.first() else { return String::new() };
    let costs = machine.costs();
    let [packet, value] = match costs.flit.0 {
        bytes if bytes == collective::MESSAGE.0 => ["a packet".to_string(), String::new()],
        bytes => {
            let packets = counted(collective::MESSAGE.0.div_ceil(bytes.max(1)), "packet");
            [
                format!("a packet of {}", counted(bytes, "byte")),
                format!(", {packets} for a value of {}", counted(collective::MESSAGE.0, "byte")),
            ]
        }
    };
    let startup = match costs.startup.0 {
        0 => String::new(),
        cycles => format!(", a start-up of {}", counted(cycles, "cycle")),
    };
    let mut text = format!(
        "{} · {} · D = {} · {} for {packet} over a link{value}{startup}, {} for every send and receive\n",
        first.machine,
        counted(first.size as u64, "member"),
        counted(first.diameter as u64, "link"),
        counted(first.link_delay, "cycle"),
        counted(first.overhead + machine.endpoints().overhead.0, "cycle"),
    );
    let step = first.link_delay.max(1);
    if !costs.startup.0.is_multiple_of(step) || !first.overhead.is_multiple_of(step) {
        text += &format!(
            "Packets move in steps of {step} cycles: one that is ready between two of them waits for the next.\n"
        );
    }
    for verdict in verdicts {
        text += &format!("\n{} on {}: {}.\n", verdict.operation, verdict.chosen, verdict.why);
        text += &rows(verdict);
    }
    text += &race(verdicts, first, machine);
    if first.skipped.is_empty() {
        return text;
    }
    let skipped = first.skipped.iter().map(|skipped| format!("{} ({})", skipped.method, skipped.why));
    text + &format!("Not for this group: {}.\n", skipped.collect::<Vec<_>>().join("; "))
}

/// Where vectors are compared: these structures send one packet, whole.
fn race(verdicts: &[CollectiveVerdict], first: &CollectiveVerdict, machine: &Machine) -> String {
    let operation = if verdicts.len() == 1 { first.operation } else { "OPERATION" };
    let bytes = if operation == "barrier" { "" } else { " --bytes 1MB" };
    let vectors = if operation == "barrier" { "" } else { ", vectors in chunks among them" };
    let whose = if first.size as u64 == u64::from(machine.nodes()) { "" } else { " of all nodes" };
    format!(
        "These are structures that pass one packet on; `meshwright race {operation}{bytes} --on {}` compares published \
         algorithms{whose}{vectors}.\n",
        first.machine
    )
}

fn rows(verdict: &CollectiveVerdict) -> String {
    const HEAD: [&str; 8] =
        ["structure", "height/links", "edges", "fan-out", "bound/cycles", "predicted", "simulated", "gap"];
    let row = |row: &collective::StructureRow| {
        let simulated = row.simulated_cycles.map_or("none: a ring".into(), |cycles| cycles.to_string());
        vec![
            format!("{}{}", if row.name == verdict.chosen { "* " } else { "  " }, row.name),
            row.height_links.to_string(),
            row.edges.to_string(),
            row.fan_out.to_string(),
            row.bound_cycles.to_string(),
            row.predicted_cycles.to_string(),
            simulated,
            row.gap.map_or("-".into(), percent),
        ]
    };
    table(&HEAD, 1, verdict.structures.iter().map(row).collect())
}
