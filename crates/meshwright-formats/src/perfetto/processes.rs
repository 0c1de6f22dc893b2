//! Processes that decide while they run, as trace events: a track for each node that computes, and the messages beside each other.

use std::io;

use meshwright_schedule::Message;
use meshwright_schedule::watched::{LoggedComputation, LoggedMessage, ProcessLog};
use meshwright_sim::recording::Recorder;

use super::Writer;

/// Tells what the processes sent and computed.
pub(super) fn tell(log: &ProcessLog, writer: &mut Writer<'_>) -> io::Result<()> {
    let ticks = writer.machine.costs().ticks_per_cycle();
    for (number, &LoggedMessage { source, target, bytes, sent, arrived }) in (0..).zip(&log.messages) {
        let message = Message { source, target, bytes, phase: 0 };
        writer.message(number, &message, (sent.0 * ticks, arrived.0 * ticks))?;
    }
    for &LoggedComputation { node, begin, end } in &log.computations {
        writer.computation((node.0, 0), (begin.0 * ticks, end.0 * ticks))?;
    }
    Ok(())
}
