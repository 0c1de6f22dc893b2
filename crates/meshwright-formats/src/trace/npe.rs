//! The event lists of tt-npe: what the profiler of tt-metal writes, a JSON list of zones and transactions.
//!
//! `sx`, `sy` are the column and row of the processor, `dx`, `dy` those of the other node. A multicast names the corners of
//! its box, `mcast_start_x` … `mcast_end_y`, in the order of its network: where that runs downwards they change places.
//! All nodes of the box receive it, and each acknowledges it. The time of a trace is that
//! from its first to its last stamp without 20 cycles, which tt-npe allows for the profiler.
//!
//! # Source
//!
//! The trace format of tt-npe (`tt_npe/doc/noc_trace_format.md` in its repository).

use std::path::Path;

use serde::Deserialize;

use super::{
    ALLOWANCE, CYCLES_MAX, Event, RecordedTrace, TRANSACTION_BYTES_MAX, other_processors, program,
    transaction,
};
use crate::scenario;
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Cycles, NodeId};
use meshwright_core::words::quoted;
use meshwright_network::fabric::{Fabric, Turn};
use meshwright_network::topology::Topology;
use meshwright_schedule::transactions::{Operation, ProcessorProgram, Receivers};

/// One entry of the list.
#[derive(Deserialize)]
struct Entry {
    proc: String,
    sx: i64,
    sy: i64,
    timestamp: u64,
    #[serde(default)]
    zone_phase: Option<String>,
    #[serde(default)]
    noc: Option<String>,
    #[serde(default)]
    dx: Option<i64>,
    #[serde(default)]
    dy: Option<i64>,
    #[serde(default)]
    mcast_start_x: Option<i64>,
    #[serde(default)]
    mcast_start_y: Option<i64>,
    #[serde(default)]
    mcast_end_x: Option<i64>,
    #[serde(default)]
    mcast_end_y: Option<i64>,
    #[serde(default)]
    num_bytes: Option<u64>,
    #[serde(default, rename = "type")]
    kind: Option<String>,
}

/// What an entry says.
enum Said {
    Begin,
    Transfer(Operation),
    Multicast,
    BarrierEnd,
    /// State that is set, starts of barriers, ends of zones: no bytes move.
    Nothing,
}

impl Entry {
    fn said(&self) -> Option<Said> {
        let bytes = self.num_bytes.unwrap_or(0) > 0;
        Some(match (self.kind.as_deref(), self.zone_phase.as_deref()) {
            (None, Some("begin" | "ZONE_START")) => Said::Begin,
            (None, Some(_)) => Said::Nothing,
            (Some(kind), _) if kind.ends_with("BARRIER_END") => Said::BarrierEnd,
            (Some(kind), _) if kind.ends_with("SET_STATE") || kind.contains("BARRIER") => Said::Nothing,
            (Some("WRITE_MULTICAST"), _) if bytes => Said::Multicast,
            (Some(kind), _) if kind.contains("MULTICAST") => return None,
            (Some(kind), _) if kind.starts_with("READ") && bytes => Said::Transfer(Operation::Read),
            (Some(kind), _) if kind.starts_with("WRITE") && bytes => Said::Transfer(Operation::Write),
            _ => return None,
        })
    }
}

/// Somebody's stamp: the processor's name, its node, the time.
type Stamp = (String, NodeId, u64);

/// What is gathered of the list.
struct Events<'f> {
    fabric: &'f Fabric,
    /// The first stamp of all.
    first: u64,
    events: Vec<Event>,
    begins: Vec<Stamp>,
    ends: Vec<Stamp>,
}

/// Reads the list.
pub(super) fn read(path: &Path, fabric: &Fabric) -> Result<RecordedTrace> {
    let text = scenario::text_of(path)?;
    let entries: Vec<Entry> = scenario::json_of(path, &text)?;
    let stamps = || entries.iter().map(|entry| entry.timestamp);
    let (Some(first), Some(last)) = (stamps().min(), stamps().max()) else {
        return Err(Error::value("trace", "an empty list", "events"));
    };
    if last - first > CYCLES_MAX {
        return Err(Error::value("time of the trace", last - first, format!("at most {CYCLES_MAX} cycles")));
    }
    let mut all = Events { fabric, first, events: Vec::new(), begins: Vec::new(), ends: Vec::new() };
    for (index, entry) in entries.iter().enumerate() {
        all.add(entry).map_err(|(value, expected)| {
            let value = format!("number {} with {value}", index + 1);
            Error::value("an event of the trace", value, expected)
        })?;
    }
    let Events { events, begins, ends, .. } = all;
    let mut trace = RecordedTrace {
        name: path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default(),
        program: program(events, fabric),
        has_begins: !begins.is_empty(),
        measured: Some(Cycles((last - first).saturating_sub(ALLOWANCE.0))),
        allowance: ALLOWANCE,
        finishes: Vec::new(),
    };
    super::csv::begin(&mut trace.program.processors, fabric, &begins);
    let ends_of = |own: &ProcessorProgram| {
        let name = &fabric.processors()[own.processor].name;
        let mine = ends.iter().filter(|(processor, node, _)| processor == name && *node == own.node);
        mine.map(|&(_, _, stamp)| Cycles(stamp)).collect()
    };
    trace.finishes = trace.program.processors.iter().map(ends_of).collect();
    Ok(trace)
}

/// What an entry has, and what would be accepted.
type Refused = (String, String);

impl Events<'_> {
    /// Adds an entry.
    fn add(&mut self, entry: &Entry) -> Result<(), Refused> {
        let (own, stamp) = (self.node(entry.sx, entry.sy)?, entry.timestamp - self.first);
        let who = || (entry.proc.clone(), own, stamp);
        match entry.said() {
            None => {
                let kind = entry.kind.as_deref().unwrap_or("no type");
                let expected = "READ, WRITE_, WRITE_MULTICAST, their barriers and states";
                Err((format!("type `{kind}`"), expected.to_string()))
            }
            Some(Said::Nothing) => Ok(()),
            Some(Said::Begin) => {
                self.begins.push(who());
                Ok(())
            }
            Some(Said::BarrierEnd) => {
                self.ends.push(who());
                Ok(())
            }
            Some(Said::Transfer(operation)) => {
                let peer = self.node(entry.dx.unwrap_or(-1), entry.dy.unwrap_or(-1))?;
                self.transfer(entry, (operation, peer), own)
            }
            Some(Said::Multicast) => {
                let corner = |x: Option<i64>, y: Option<i64>| self.node(x.unwrap_or(-1), y.unwrap_or(-1));
                let start = corner(entry.mcast_start_x, entry.mcast_start_y)?;
                let end = corner(entry.mcast_end_x, entry.mcast_end_y)?;
                let plane = entry.noc.as_deref().and_then(|noc| self.fabric.plane(noc)).unwrap_or(0);
                let down = self.fabric.planes()[plane].legs.iter().all(|leg| leg.turn == Turn::Down);
                let (first, last) = if down { (end, start) } else { (start, end) };
                let receivers = Receivers::UpTo(last);
                self.transfer(entry, (Operation::Multicast { receivers, acknowledged: true }, first), own)
            }
        }
    }

    fn transfer(
        &mut self,
        entry: &Entry,
        (operation, peer): (Operation, NodeId),
        own: NodeId,
    ) -> Result<(), Refused> {
        let noc = entry.noc.as_deref().unwrap_or("");
        let plane = self.fabric.plane(noc).ok_or_else(|| {
            let names: Vec<&str> = self.fabric.planes().iter().map(|plane| plane.name.as_str()).collect();
            (format!("noc `{noc}`"), quoted(&names))
        })?;
        if let Some(expected) = other_processors(&entry.proc, self.fabric) {
            return Err((format!("proc `{}`", entry.proc), expected));
        }
        let bytes = entry.num_bytes.unwrap_or(0);
        if bytes > TRANSACTION_BYTES_MAX {
            return Err((format!("{bytes} bytes"), format!("at most {TRANSACTION_BYTES_MAX} bytes")));
        }
        let issue = Some(entry.timestamp - self.first);
        let passed = self.ends.iter().filter(|(name, at, _)| *name == entry.proc && *at == own).count();
        self.events.push(Event {
            processor: entry.proc.clone(),
            node: own,
            epoch: passed as u64,
            transaction: transaction((operation, peer, bytes), plane, issue),
        });
        Ok(())
    }

    /// The node in a column and a row.
    fn node(&self, x: i64, y: i64) -> Result<NodeId, Refused> {
        let grid = self.fabric.grid();
        let inside = |value: i64, side: u32| u32::try_from(value).ok().filter(|&value| value < side);
        let at = match *grid.sides() {
            [rows, columns] => inside(y, rows).zip(inside(x, columns)),
            _ => None,
        };
        let refused = || (format!("place {x}, {y}"), "a column and a row of the machine".to_string());
        at.map(|(row, column)| grid.node_at(&[row, column])).ok_or_else(refused)
    }
}
