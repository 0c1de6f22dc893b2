//! Traces as tables: a line per transaction.
//!
//! ```text
//! noc,processor,index,barrier,source_row,source_col,target_row,target_col,bytes,issue_cycle
//! NOC_1,BRISC,0,0,1,1,1,1,4096,234
//! ```
//!
//! `source` is where the bytes are and `target` where they go. A column `operation` says `read` (the target asks, the
//! default), `write` (the source sends and is told when the bytes are there), `posted-write` (nobody tells it),
//! `multicast` or `posted-multicast` (to all nodes of a box: from `target` upwards along both axes, over the border too,
//! to columns `target_row_end`, `target_col_end`). `barrier` counts the barriers that the processor has passed before; without it
//! there is one, at the end. `begin_cycle` is when the kernel began. Further columns mean nothing.

use std::path::Path;

use super::columns::{Columns, Line};
use super::{
    ALLOWANCE, Beside, CYCLES_MAX, Event, RecordedTrace, TRANSACTION_BYTES_MAX, other_processors, program,
    transaction,
};
use meshwright_core::error::Result;
use meshwright_core::units::{Cycles, NodeId};
use meshwright_core::words::quoted;
use meshwright_network::fabric::Fabric;
use meshwright_network::topology::{Grid, Topology};
use meshwright_schedule::transactions::{Operation, ProcessorProgram, Receivers};

/// Where two coordinates of a node stand.
struct NodeColumns([usize; 2]);

impl NodeColumns {
    fn of(table: &Columns, row: &str, column: &str) -> Result<Self> {
        Ok(Self([table.require(row)?, table.require(column)?]))
    }

    fn node(&self, line: Line<'_>, grid: &Grid) -> Result<NodeId> {
        let coordinate = |axis: usize| -> Result<u32> {
            let most = grid.sides()[axis] - 1;
            Ok(line.whole(self.0[axis], u64::from(most))? as u32)
        };
        Ok(grid.node_at(&[coordinate(0)?, coordinate(1)?]))
    }
}

/// Reads the transactions.
pub(super) fn read(path: &Path, fabric: &Fabric) -> Result<RecordedTrace> {
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    Columns::with(path, |table| {
        let (mut events, mut begins) = (Vec::new(), Vec::new());
        let is_profiled = fabric.processors().iter().any(|kind| kind.profiler.is_some());
        let columns = EventColumns::of(table)?;
        for line in table.lines() {
            let event = columns.event(line, fabric)?;
            if let Some(column) = columns.begin {
                begins.push((event.processor.clone(), event.node, line.whole(column, CYCLES_MAX)?));
            }
            events.push(event);
        }
        let mut trace = RecordedTrace {
            name,
            program: program(events, fabric),
            has_begins: columns.begin.is_some(),
            measured: None,
            allowance: if is_profiled { ALLOWANCE } else { Cycles(0) },
            finishes: Vec::new(),
        };
        begin(&mut trace.program.processors, fabric, &begins);
        if !trace.has_begins {
            begin_late(&mut trace.program.processors, fabric);
        }
        Ok(trace)
    })
}

/// The columns of transactions.
struct EventColumns {
    network: usize,
    processor: usize,
    source: NodeColumns,
    target: NodeColumns,
    bytes: usize,
    issue: Option<usize>,
    barrier: Option<usize>,
    operation: Option<usize>,
    last: Option<NodeColumns>,
    begin: Option<usize>,
}

impl EventColumns {
    fn of(table: &Columns) -> Result<Self> {
        Ok(Self {
            network: table.require("noc")?,
            processor: table.require("processor")?,
            source: NodeColumns::of(table, "source_row", "source_col")?,
            target: NodeColumns::of(table, "target_row", "target_col")?,
            bytes: table.require("bytes")?,
            issue: table.column("issue_cycle"),
            barrier: table.column("barrier"),
            operation: table.column("operation"),
            last: table
                .column("target_row_end")
                .zip(table.column("target_col_end"))
                .map(|(row, column)| NodeColumns([row, column])),
            begin: table.column("begin_cycle"),
        })
    }

    fn event(&self, line: Line<'_>, fabric: &Fabric) -> Result<Event> {
        let names: Vec<&str> = fabric.planes().iter().map(|plane| plane.name.as_str()).collect();
        let plane = fabric.plane(line.text(self.network));
        let plane = plane.ok_or_else(|| line.error(self.network, format!("one of {}", quoted(&names))))?;
        let processor = line.text(self.processor);
        if let Some(expected) = other_processors(processor, fabric) {
            return Err(line.error(self.processor, expected));
        }
        let operation = self.operation(line, fabric.grid())?;
        let (source, target) =
            (self.source.node(line, fabric.grid())?, self.target.node(line, fabric.grid())?);
        let (node, peer) = match operation {
            Operation::Read => (target, source),
            Operation::Write | Operation::PostedWrite | Operation::Multicast { .. } => (source, target),
        };
        let bytes = line.whole(self.bytes, TRANSACTION_BYTES_MAX)?;
        let issue = self.issue.map(|column| line.whole(column, CYCLES_MAX)).transpose()?;
        let epoch = self.barrier.map_or(Ok(0), |column| line.whole(column, CYCLES_MAX))?;
        let transaction = transaction((operation, peer, bytes), plane, issue);
        Ok(Event { processor: processor.to_string(), node, epoch, transaction })
    }

    fn operation(&self, line: Line<'_>, grid: &Grid) -> Result<Operation> {
        let Some((column, text)) = self.operation.map(|column| (column, line.text(column))) else {
            return Ok(Operation::Read);
        };
        let multicast = |acknowledged| -> Result<Operation> {
            let expected = "columns `target_row_end` and `target_col_end` for the last node of its box";
            let last = self.last.as_ref().ok_or_else(|| line.error(column, expected))?;
            let receivers = Receivers::UpTo(last.node(line, grid)?);
            Ok(Operation::Multicast { receivers, acknowledged })
        };
        let expected = "`read`, `write`, `posted-write`, `multicast` or `posted-multicast`";
        match text {
            "read" => Ok(Operation::Read),
            "write" => Ok(Operation::Write),
            "posted-write" => Ok(Operation::PostedWrite),
            "multicast" => multicast(true),
            "posted-multicast" => multicast(false),
            _ => Err(line.error(column, expected)),
        }
    }
}

/// Sets the begins of processors.
pub(super) fn begin(processors: &mut [ProcessorProgram], fabric: &Fabric, begins: &[(String, NodeId, u64)]) {
    for own in processors {
        let name = &fabric.processors()[own.processor].name;
        let known = begins.iter().find(|(processor, node, _)| processor == name && *node == own.node);
        if let Some(&(_, _, cycle)) = known {
            own.begin = Cycles(cycle);
        }
    }
}

/// Lets processors begin as late as their first transaction allows.
fn begin_late(processors: &mut [ProcessorProgram], fabric: &Fabric) {
    for own in processors {
        let first = own.transactions().next().and_then(|transaction| transaction.issue).unwrap_or(Cycles(0));
        own.begin = Cycles(first.0.saturating_sub(fabric.processors()[own.processor].first.0));
    }
}

/// Adds what tables beside a trace know of it.
pub(super) fn add_tables(trace: &mut RecordedTrace, beside: &Beside, fabric: &Fabric) -> Result<()> {
    if let Some(path) = beside.begins.as_ref().filter(|_| !trace.has_begins) {
        let begins = Columns::with(path, |table| {
            let (name, node) = (table.require("trace")?, NodeColumns::of(table, "row", "col")?);
            let (processor, cycle) = (table.require("processor")?, table.require("begin_cycle")?);
            let own = table.lines().filter(|line| line.text(name) == trace.name);
            let read = |line: Line<'_>| {
                let at = node.node(line, fabric.grid())?;
                Ok((line.text(processor).to_string(), at, line.whole(cycle, CYCLES_MAX)?))
            };
            own.map(read).collect::<Result<Vec<_>>>()
        })?;
        if !begins.is_empty() {
            trace.has_begins = true;
            begin(&mut trace.program.processors, fabric, &begins);
        }
    }
    if let Some(path) = &beside.measured {
        trace.measured = Columns::with(path, |table| {
            let (name, cycles) = (table.require("trace")?, table.require("measured_cycles")?);
            let own = table.lines().find(|line| line.text(name) == trace.name);
            own.map(|line| line.whole(cycles, CYCLES_MAX).map(Cycles)).transpose()
        })?;
    }
    if let Some(path) = &beside.barriers {
        add_finishes(trace, path, fabric)?;
    }
    Ok(())
}

/// Adds the measured ends of barriers.
fn add_finishes(trace: &mut RecordedTrace, path: &Path, fabric: &Fabric) -> Result<()> {
    let mut finishes = vec![Vec::new(); trace.program.processors.len()];
    Columns::with(path, |table| {
        let (name, node) = (table.require("trace")?, NodeColumns::of(table, "row", "col")?);
        let (processor, cycle) = (table.require("processor")?, table.require("end_cycle")?);
        let reads = table.column("reads_before");
        for line in table.lines().filter(|line| line.text(name) == trace.name) {
            let at = node.node(line, fabric.grid())?;
            let own = trace.program.processors.iter().position(|own| {
                own.node == at && fabric.processors()[own.processor].name == line.text(processor)
            });
            let end = line.whole(cycle, CYCLES_MAX)?;
            // A barrier before the first read waits for nothing.
            let waits = reads.map_or(Ok(1), |column| line.whole(column, CYCLES_MAX))? > 0;
            if let Some(own) = own.filter(|_| waits) {
                finishes[own].push(Cycles(end));
            }
        }
        Ok(())
    })?;
    trace.finishes = finishes;
    Ok(())
}
