//! Traces, for `simulate --trace`.

use std::path::{Path, PathBuf};

use clap::Args;

use meshwright_core::Result;
use meshwright_core::text::{STANDARD_INPUT, open};
use meshwright_core::words::counted;
use meshwright_formats::perfetto;
use meshwright_formats::trace::{self, Beside, RecordedTrace};
use meshwright_network::topology::Machine;
use meshwright_sim::fabric::transactions::Movement;
use meshwright_verdict::transactions::{self, Finish, Run, TraceVerdict};

use super::csv::{self, Column, column_list, known};
use super::table;

/// A trace and what is known of it.
#[derive(Args)]
pub(super) struct TraceArguments {
    /// In place of a schedule, the reads and writes of a real program: a CSV table or tt-npe's JSON
    #[arg(long, value_name = "FILE", conflicts_with_all = ["packet", "warm_up", "measure", "drain", "threads"])]
    trace: Option<PathBuf>,
    /// Leave the times of issue out: program order, barriers and kernel begins only
    #[arg(long, requires = "trace", conflicts_with_all = ["schedule", "traffic"])]
    closed_loop: bool,
    /// When the kernels began, as a table [default: begins.csv beside the trace, if it is there]
    #[arg(long, value_name = "FILE", requires = "trace", conflicts_with_all = ["schedule", "traffic"])]
    begins: Option<PathBuf>,
    /// The measured times, as a table [default: traces.csv beside the trace, if it is there]
    #[arg(long, value_name = "FILE", requires = "trace", conflicts_with_all = ["schedule", "traffic"])]
    measured: Option<PathBuf>,
    /// The measured ends of barriers, as a table [default: barriers.csv beside the trace, if it is there]
    #[arg(long, value_name = "FILE", requires = "trace", conflicts_with_all = ["schedule", "traffic"])]
    barriers: Option<PathBuf>,
}

impl TraceArguments {
    /// The file.
    pub(super) fn path(&self) -> Option<&Path> {
        self.trace.as_deref()
    }

    /// The verdict on the trace.
    ///
    /// # Panics
    ///
    /// When none is named.
    pub(super) fn judge(&self, machine: &Machine, movement: Option<Movement>) -> Result<TraceVerdict> {
        let trace = self.read(machine)?;
        transactions::judge(machine, &trace.recorded(), Run { closed_loop: self.closed_loop, movement })
    }

    /// The run of the trace, event by event.
    ///
    /// # Panics
    ///
    /// When none is named.
    pub(super) fn events(&self, machine: &Machine, movement: Option<Movement>) -> Result<perfetto::Run> {
        let trace = self.read(machine)?;
        let run = Run { closed_loop: self.closed_loop, movement };
        let (program, times) = transactions::recorded(machine, trace.recorded().program, run)?;
        Ok(perfetto::Run::Transactions(program, times))
    }

    fn read(&self, machine: &Machine) -> Result<RecordedTrace> {
        let path = self.trace.as_ref().expect("the grammar asks for a trace");
        let fabric = transactions::fabric_of(machine)?;
        let found = beside(path);
        let tables = Beside {
            begins: self.begins.clone().or(found.begins),
            measured: self.measured.clone().or(found.measured),
            barriers: self.barriers.clone().or(found.barriers),
        };
        trace::read(path, &tables, fabric)
    }
}

/// The names of tables beside traces: kernel begins, measured times, measured ends of barriers.
pub(super) const TABLES: [&str; 3] = ["begins.csv", "traces.csv", "barriers.csv"];

/// The tables in the folder of a trace, as far as they are there.
pub(super) fn beside(trace: &Path) -> Beside {
    let has_folder = trace != Path::new(STANDARD_INPUT);
    let [begins, measured, barriers] =
        TABLES.map(|name| Some(trace.with_file_name(name)).filter(|path| has_folder && open(path).is_ok()));
    Beside { begins, measured, barriers }
}

/// A barrier of a processor, by its number.
pub(super) type Row<'r> = (&'r Finish, usize);

/// The columns for programs.
pub(super) fn columns<'r>() -> Vec<Column<Row<'r>>> {
    column_list![
        "processor", "the kind of processor", |(finish, _)| finish.processor.clone();
        "node", "its coordinates", |(finish, _)| coordinates(&finish.at);
        "barrier", "the number of its barrier", |(_, barrier)| barrier.to_string();
        "cycles", "when the barrier ends, simulated", |(finish, barrier)| finish.cycles[*barrier].to_string();
        "measured_cycles", "the same, measured; empty where it was not", |(finish, barrier)| known(finish.measured_cycles.get(*barrier));
    ]
}

fn coordinates(at: &[u32]) -> String {
    format!("({})", at.iter().map(u32::to_string).collect::<Vec<_>>().join(","))
}

/// A row for each barrier of each processor.
pub(super) fn csv(verdict: &TraceVerdict) -> String {
    let barriers = |finish: &Finish| 0..finish.cycles.len();
    let rows =
        verdict.finishes.iter().flat_map(|finish| barriers(finish).map(move |barrier| (finish, barrier)));
    csv::table(&[], &columns(), rows.map(|row| (Vec::new(), row)))
}

/// The verdict in a table.
pub(super) fn text(verdict: &TraceVerdict, machine: &Machine) -> String {
    let engine = match verdict.engine {
        "flit" => "flits through routers",
        _ => "flows at fair rates",
    };
    let times = if verdict.closed_loop { "closed loop" } else { "open loop" };
    let unknown = || "unknown".to_string();
    let time = |cycles| table::cycles(cycles, machine);
    let mut rows = vec![
        ["cycles".to_string(), time(verdict.cycles)],
        ["bound".to_string(), time(verdict.bound_cycles)],
        ["measured".to_string(), verdict.measured_cycles.map_or_else(unknown, time)],
        ["error".to_string(), verdict.error.map_or_else(unknown, signed_percent)],
        ["transactions".to_string(), verdict.transactions.to_string()],
        ["bytes".to_string(), verdict.bytes.to_string()],
    ];
    if let Some(busiest) = &verdict.busiest {
        rows.push(["busiest resource".to_string(), busiest.resource.clone()]);
        rows.push([
            "its cycles, messages".to_string(),
            format!("{}, {}", time(busiest.busy_cycles), busiest.messages),
        ]);
        for share in &busiest.shared_by {
            let what = format!("{}, {} B", counted(share.messages, "message"), share.bytes);
            rows.push([format!("  from {}", coordinates(&share.from)), what]);
        }
    }
    let rows = rows.into_iter().map(Vec::from).collect();
    let head = format!("{} · {} · {times} · {engine}\n", verdict.trace, machine.name());
    head + &table::table(&["measure", "value"], 1, rows)
}

fn signed_percent(share: f64) -> String {
    format!("{:+.2} %", share * 100.0)
}
