//! How far the best placement known is from the bound, on jobs of eight kinds and machines of four: `docs/bounds.md`.
//!
//! `cargo run --release --example gaps -- 2000 > docs/bounds.md` gives each search 2000 steps. `gaps jobs FOLDER` writes the
//! jobs as traces, for other programs and for other versions of this one: `before.csv` has the bounds of the version before
//! certificates, which its `map --json` printed of these traces.

#![allow(
    clippy::disallowed_methods,
    reason = "a program reads its arguments and writes what it is asked for"
)]

mod boxes;
mod jobs;
mod known;

use std::fmt::Write;
use std::ops::ControlFlow;
use std::path::Path;

use meshwright_core::Result;
use meshwright_core::units::NodeId;
use meshwright_mapping::{Mapping, certificate, exact};
use meshwright_network::topology::Machine;
use meshwright_network::topology::costs::SWITCHINGS;
use meshwright_verdict::look;

use jobs::Shaped;

/// `job,machine,switching,cycles`, as the version before printed them.
const BEFORE: &str = include_str!("before.csv");

/// Nodes of the tree that a branch and bound looks at, for jobs that are small enough for one.
const TREE_NODES: u64 = 4_000_000;

/// A job on a machine under a switching.
struct Cell {
    job: String,
    machine: &'static str,
    switching: &'static str,
    before: Option<u64>,
    bound: u64,
    kind: &'static str,
    simulated: u64,
    placement: String,
}

impl Cell {
    fn gap(&self, bound: u64) -> f64 {
        self.simulated as f64 / bound as f64 - 1.0
    }

    fn row(&self) -> String {
        let before = self.before.map_or([String::new(), String::new()], |before| {
            [before.to_string(), format!("{:.1} %", 100.0 * self.gap(before))]
        });
        format!(
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.1} % |",
            self.job,
            self.machine,
            self.switching,
            before[0],
            before[1],
            self.bound,
            self.kind,
            self.simulated,
            self.placement,
            100.0 * self.gap(self.bound)
        )
    }
}

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [first, folder] = &words[..]
        && first == "jobs"
    {
        return jobs::write(Path::new(folder));
    }
    let steps = words.first().and_then(|word| word.parse().ok()).unwrap_or(2000);
    let only = words.get(1).map_or("", String::as_str);
    let mut cells = Vec::new();
    for job in jobs::all()?.iter().filter(|job| job.graph.name.contains(only)) {
        for machine in jobs::machines(job.graph.tasks) {
            cells.extend(on(job, machine, steps)?);
        }
    }
    print!("{}", page(&cells, steps));
    Ok(())
}

/// A job on a machine, under every switching.
fn on(job: &Shaped, name: &'static str, steps: u64) -> Result<Vec<Cell>> {
    let of = |&(word, switching): &(&'static str, _)| {
        let machine = Machine::new(name)?.with_switching(switching);
        let bound = Mapping::new(&job.graph, &machine).bound_under(switching);
        let proof = bound.certificate;
        let proved = certificate::verify(&proof, &job.graph, &machine, switching);
        assert!(proved.as_ref().is_ok_and(|&ticks| ticks >= bound.ticks), "{name}: {proved:?}");
        let before = before(&job.graph.name, name, word);
        assert!(
            before.is_none_or(|before| machine.costs().cycles(bound.ticks).0 >= before),
            "{name}: a weaker bound"
        );
        let (placement, simulated) = known::best(job, &machine, steps)?;
        let mut cell = Cell {
            job: job.graph.name.clone(),
            machine: name,
            switching: word,
            before,
            bound: machine.costs().cycles(bound.ticks).0,
            kind: proof.main_kind(),
            simulated,
            placement,
        };
        if job.graph.tasks <= exact::ALWAYS_TASKS && cell.bound < cell.simulated {
            by_tree(&mut cell, job, &machine)?;
        }
        eprintln!("{}", cell.row());
        Ok(cell)
    };
    SWITCHINGS.iter().map(of).collect()
}

/// What a branch and bound adds: a better placement, a better bound.
fn by_tree(cell: &mut Cell, job: &Shaped, machine: &Machine) -> Result<()> {
    let found = look::exact(&job.graph, machine, 1, TREE_NODES, &mut |_| ControlFlow::Continue(()))?;
    let best = machine.costs().cycles(found.ticks).0;
    if best < cell.simulated {
        (cell.simulated, cell.placement) = (best, exact::NAME.to_string());
    }
    let bound = machine.costs().cycles(found.bound.ticks).0;
    if bound > cell.bound {
        let proof = &found.bound.certificate;
        let mut simulator = |nodes: &[NodeId]| known::ticks(&job.graph, machine, nodes).ok();
        let proved = certificate::verify_by(proof, &job.graph, machine, machine.switching(), &mut simulator);
        assert!(proved.as_ref().is_ok_and(|&ticks| ticks >= found.bound.ticks), "{}: {proved:?}", cell.job);
        (cell.bound, cell.kind) = (bound, proof.main_kind());
    }
    Ok(())
}

fn before(job: &str, machine: &str, switching: &str) -> Option<u64> {
    let row = |line: &&str| line.split(',').take(3).eq([job, machine, switching]);
    BEFORE.lines().find(row)?.rsplit(',').next()?.parse().ok()
}

/// The page: what is close, what is not, and every cell.
fn page(cells: &[Cell], steps: u64) -> String {
    let close = |gap: &dyn Fn(&Cell) -> Option<f64>| {
        cells.iter().filter(|cell| gap(cell).is_some_and(|gap| gap <= 0.1)).count()
    };
    let after = close(&|cell| Some(cell.gap(cell.bound)));
    let before = close(&|cell| Some(cell.gap(cell.before?)));
    let mut text = format!(
        "# Bounds\n\nWhat no placement beats, beside the best placement known. Written by `cargo run --release --example gaps \
         -- {steps}`; c = 100, b = 1, h = 2. Every bound is proved again by its certificate before it is printed. Times are \
         cycles, simulated with a barrier after each phase; the placement is the best of all the program knows and of a \
         search of {steps} steps, and the argument named is the one that proves the most of the bound. Jobs of up to {} tasks \
         have a branch and bound of {TREE_NODES} nodes of its tree, too. A gap is \
         simulated / bound - 1: it does not say which of the two is to blame.\n\n\
         **Of {} cells {after} ({:.0} %) have a gap of at most 10 %; with the bounds before certificates it was {before}.**\n",
        exact::ALWAYS_TASKS,
        cells.len(),
        100.0 * after as f64 / cells.len().max(1) as f64,
    );
    text += &by("argument", cells, |cell| cell.kind);
    text += &by("job", cells, |cell| &cell.job);
    text += "\n| job | machine | switching | bound before | gap before | bound | argument | simulated | placement | gap |\n\
             |---|---|---|--:|--:|--:|---|--:|---|--:|\n";
    cells.iter().for_each(|cell| writeln!(text, "{}", cell.row()).expect("text grows"));
    text
}

/// How many cells are close, of each kind in the order of their first.
fn by<'c>(word: &str, cells: &'c [Cell], key: impl Fn(&'c Cell) -> &'c str) -> String {
    let mut keys: Vec<&str> = Vec::new();
    for cell in cells {
        if !keys.contains(&key(cell)) {
            keys.push(key(cell));
        }
    }
    let mut text = format!("\n| {word} | cells | gap at most 10 % |\n|---|--:|--:|\n");
    for one in keys {
        let own = || cells.iter().filter(|cell| key(cell) == one);
        let close = own().filter(|cell| cell.gap(cell.bound) <= 0.1).count();
        writeln!(text, "| {one} | {} | {close} |", own().count()).expect("text grows");
    }
    text
}
