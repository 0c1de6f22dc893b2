//! The answer to `sort`.

use serde::Serialize;

use meshwright_core::text::harmless;
use meshwright_core::units::Bytes;
use meshwright_core::words::grouped;
use meshwright_runtime::skeleton::HostRun;
use meshwright_runtime::skeleton::keep_half::PhaseRecord;
use meshwright_verdict::Ranked;

use super::{LEAST, SortArguments};
use crate::csv::{self, Column, column_list, known};
use crate::table;
use meshwright_core::words::counted;

/// A phase: what was sent, beside what the planner sees.
#[derive(Serialize)]
pub(crate) struct SortPhase {
    name: String,
    messages: u64,
    bytes: u64,
    planned_bytes: u64,
    work_seconds: f64,
    ended_seconds: Option<f64>,
}

/// Another executor on the same numbers.
#[derive(Serialize)]
pub(super) struct Executor {
    pub(super) name: String,
    pub(super) seconds: f64,
}

/// What was sorted where, and what was sent for it.
#[derive(Serialize)]
pub(super) struct SortAnswer {
    format: u32,
    input: String,
    output: String,
    numbers: usize,
    signed: bool,
    ranks: u32,
    machine: String,
    placement: String,
    root: u32,
    phases: Vec<SortPhase>,
    messages: u64,
    bytes: u64,
    seconds: f64,
    checked: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) executors: Vec<Executor>,
}

impl SortAnswer {
    /// Of a run whose result was found to be right.
    pub(super) fn new<S>(
        arguments: &SortArguments,
        ranked: &Ranked,
        run: &HostRun<S>,
        numbers: usize,
    ) -> Self {
        let n = ranked.tree.phases() as usize;
        let planned = if numbers == 0 { vec![(0, Bytes(0)); 2 * n] } else { ranked.planned() };
        let mut phases = Vec::new();
        let whole = Bytes(4 * numbers as u64);
        let crosses = run.there.messages > 0;
        if crosses {
            phases.push(phase("to the root", &run.there, whole, false));
        }
        for (index, (record, planned)) in run.record.phases.iter().zip(&planned).enumerate() {
            if index == n {
                phases.push(phase("sort", &run.record.solve, Bytes(0), true));
            }
            let stage = if index < n { "divide" } else { "combine" };
            phases.push(phase(&format!("{stage} {}", index + 1), record, planned.1, true));
        }
        if n == 0 {
            phases.push(phase("sort", &run.record.solve, Bytes(0), true));
        }
        if crosses {
            phases.push(phase("from the root", &run.back, whole, true));
        }
        Self {
            format: 1,
            input: arguments.input.display().to_string(),
            output: arguments.out.display().to_string(),
            numbers,
            signed: arguments.signed,
            ranks: ranked.tree.ranks(),
            machine: ranked.machine.clone(),
            placement: ranked.placement.clone(),
            root: ranked.tree.root(),
            messages: phases.iter().map(|phase| phase.messages).sum(),
            bytes: phases.iter().map(|phase| phase.bytes).sum(),
            phases,
            seconds: run.time.as_secs_f64(),
            checked: true,
            executors: Vec::new(),
        }
    }

    /// A row for each phase.
    pub(super) fn csv(&self) -> String {
        csv::table(&[], &columns(), self.phases.iter().map(|phase| (Vec::new(), phase)))
    }

    /// In one line.
    pub(super) fn line(&self) -> String {
        format!("{} numbers sorted in {} s, checked", grouped(self.numbers as u64), seconds(self.seconds))
    }

    /// For people.
    pub(super) fn text(&self) -> String {
        let kind = if self.signed { "signed" } else { "unsigned" };
        let Self { input, output, numbers, ranks, machine, placement, root, .. } = self;
        let numbers = grouped(*numbers as u64);
        let mut text = format!(
            "{numbers} {kind} 32-bit integers of {}, sorted into {}\n\
             {} on {machine}, {placement}, root at rank {root}\n\n",
            harmless(input),
            harmless(output),
            counted(*ranks as u64, "rank")
        );
        text += &self.table();
        text += "work: of the slowest rank, without waiting; ended: the last rank, since its beginning\n\
                 a message has up to 9 bytes more than the planner counts\n";
        // Two ranks that are the last to divide have so many.
        if *ranks > 1 && 2 * self.numbers <= LEAST * *ranks as usize {
            text += &format!(
                "lists of up to {LEAST} numbers are not divided; the planner does not count on that\n"
            );
        } else if !ranks.is_power_of_two() {
            text += "the planner counts equal halves; here each rank gets an equal part\n";
        }
        text += "checked: in increasing order; count, sum and sum of hashes are those of the input\n";
        if !self.executors.is_empty() {
            text += &self.comparison();
        }
        text
    }

    fn table(&self) -> String {
        const HEAD: [&str; 6] = ["phase", "messages", "bytes", "planned bytes", "work, s", "ended, s"];
        let row = |phase: &SortPhase| {
            vec![
                phase.name.clone(),
                phase.messages.to_string(),
                grouped(phase.bytes),
                grouped(phase.planned_bytes),
                seconds(phase.work_seconds),
                phase.ended_seconds.map_or(String::new(), seconds),
            ]
        };
        let mut rows: Vec<_> = self.phases.iter().map(row).collect();
        let planned = self.phases.iter().map(|phase| phase.planned_bytes).sum();
        let all = [self.messages.to_string(), grouped(self.bytes), grouped(planned)];
        let all = [vec!["all".to_string()], all.into(), vec![String::new(), seconds(self.seconds)]];
        rows.push(all.concat());
        table::table(&HEAD, 1, rows)
    }

    fn comparison(&self) -> String {
        let ranks = Executor { name: counted(self.ranks as u64, "rank"), seconds: self.seconds };
        let first = self.executors[0].seconds;
        let row = |executor: &Executor| {
            vec![executor.name.clone(), seconds(executor.seconds), format!("{:.2}", first / executor.seconds)]
        };
        let rows = self.executors.iter().chain([&ranks]).map(row).collect();
        "\n".to_string() + &table::table(&["executor", "seconds", "speed-up"], 1, rows)
    }
}

/// The columns for programs.
pub(crate) fn columns<'r>() -> Vec<Column<&'r SortPhase>> {
    column_list![
        "phase", "the phase", |phase| phase.name.clone();
        "messages", "how many were sent", |phase| phase.messages.to_string();
        "bytes", "their bytes", |phase| phase.bytes.to_string();
        "planned_bytes", "what the planner sees", |phase| phase.planned_bytes.to_string();
        "work_s", "work of the slowest rank, without waiting", |phase| phase.work_seconds.to_string();
        "ended_s", "when the last rank had ended it, since its beginning; empty where there is no end", |phase| known(phase.ended_seconds);
    ]
}

fn phase(name: &str, record: &PhaseRecord, planned: Bytes, has_end: bool) -> SortPhase {
    SortPhase {
        name: name.to_string(),
        messages: record.messages,
        bytes: record.bytes.0,
        planned_bytes: planned.0,
        work_seconds: record.work_seconds,
        ended_seconds: has_end.then_some(record.ended_seconds),
    }
}

fn seconds(seconds: f64) -> String {
    format!("{seconds:.6}")
}
