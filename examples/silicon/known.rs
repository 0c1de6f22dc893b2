//! Traces with what is known of them: their class, the measured time, the prediction of tt-npe.

use std::path::Path;

use meshwright_core::{Error, Result};
use meshwright_formats::trace::{self, Beside, RecordedTrace};
use meshwright_network::topology::Machine;
use meshwright_schedule::transactions::{ProcessorProgram, Step};
use meshwright_verdict::transactions::{Recorded, Run, TraceVerdict, fabric_of, judge};
use rayon::prelude::*;

/// What traces have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Between the memories of workers.
    Block,
    /// From memory controllers, one barrier at the end.
    DramOne,
    /// The same with several barriers.
    DramSeveral,
}

/// Each with its name; `None` is all.
pub(crate) const CLASSES: [(&str, Option<Class>); 4] = [
    ("all", None),
    ("BLOCK", Some(Class::Block)),
    ("DRAM, one barrier", Some(Class::DramOne)),
    ("DRAM, several", Some(Class::DramSeveral)),
];

/// A trace.
pub(crate) struct Known {
    pub(crate) trace: RecordedTrace,
    pub(crate) class: Class,
    /// What tt-npe predicts, given every time of issue.
    pub(crate) npe: Option<f64>,
}

impl Known {
    pub(crate) fn measured(&self) -> f64 {
        self.trace.measured.map_or(f64::NAN, |cycles| cycles.0 as f64)
    }

    /// (predicted - measured) / measured, of tt-npe.
    pub(crate) fn npe_error(&self) -> f64 {
        self.npe.map_or(f64::NAN, |cycles| cycles / self.measured() - 1.0)
    }

    /// How often a processor was held up between two reads: a gap of more than 250 cycles.
    pub(crate) fn stalls(&self) -> usize {
        let issue = |step: &Step| match step {
            Step::Issue(one) => one.issue.map(|cycles| cycles.0),
            Step::Barrier => None,
        };
        let held_up = |pair: &&[Step]| issue(&pair[0]).zip(issue(&pair[1])).is_some_and(|(a, b)| b > a + 250);
        let of = |own: &ProcessorProgram| own.steps.windows(2).filter(held_up).count();
        self.trace.program.processors.iter().map(of).sum()
    }
}

/// The traces of a folder, in the order of its `traces.csv`; those whose file is missing are left out.
pub(crate) fn read(folder: &Path, machine: &Machine) -> Result<Vec<Known>> {
    let tables = Beside {
        begins: Some(folder.join("begins.csv")),
        measured: Some(folder.join("traces.csv")),
        barriers: Some(folder.join("barriers.csv")),
    };
    let path = folder.join("traces.csv");
    let text = std::fs::read_to_string(&path).map_err(|error| Error::io(&path, error))?;
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let mut all = Vec::new();
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let cell = |name: &str| {
            let column = head.iter().position(|known| *known == name);
            column.and_then(|column| cells.get(column)).copied().unwrap_or_default()
        };
        let file = folder.join(format!("{}.csv", cell("trace")));
        if !file.is_file() {
            continue;
        }
        let class = match (cell("kind"), cell("barriers")) {
            ("BLOCK", _) => Class::Block,
            (_, "1") => Class::DramOne,
            _ => Class::DramSeveral,
        };
        let trace = trace::read(&file, &tables, fabric_of(machine)?)?;
        all.push(Known { trace, class, npe: cell("tt_npe_predicted").parse().ok() });
    }
    Ok(all)
}

/// The verdicts on all traces, on all cores.
pub(crate) fn judged(machine: &Machine, known: &[Known], run: Run) -> Result<Vec<TraceVerdict>> {
    let one = |known: &Known| {
        let recorded: Recorded<'_> = known.trace.recorded();
        judge(machine, &recorded, run)
    };
    known.par_iter().map(one).collect()
}

/// Errors of one predictor on some traces.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Score {
    /// Their number, the mean of their sizes, their mean, the largest size.
    pub(crate) count: usize,
    pub(crate) error: f64,
    pub(crate) bias: f64,
    pub(crate) worst: f64,
}

/// The score of signed errors on the traces of a class.
pub(crate) fn score(known: &[Known], errors: &[f64], class: Option<Class>) -> Score {
    let own: Vec<f64> = known
        .iter()
        .zip(errors)
        .filter(|(known, _)| class.is_none_or(|class| known.class == class))
        .map(|(_, &error)| error)
        .collect();
    let mean =
        |of: &dyn Fn(f64) -> f64| own.iter().map(|&error| of(error)).sum::<f64>() / own.len().max(1) as f64;
    Score {
        count: own.len(),
        error: mean(&f64::abs),
        bias: mean(&|error| error),
        worst: own.iter().map(|error| error.abs()).fold(0.0, f64::max),
    }
}

/// The signed errors of verdicts.
pub(crate) fn errors(verdicts: &[TraceVerdict]) -> Vec<f64> {
    verdicts.iter().map(|verdict| verdict.error.unwrap_or(f64::NAN)).collect()
}
