//! Reads and writes of processors as trace events: the transactions beside each other, and a track for the barriers of each processor.

use std::io;

use serde_json::json;

use meshwright_core::units::Bytes;
use meshwright_network::fabric::Fabric;
use meshwright_network::topology::Machine;
use meshwright_schedule::transactions::{Operation, Program, Transaction};
use meshwright_sim::fabric::transactions::TransactionTimes;

use super::{MESSAGES, NODES, Writer};

/// Tells when transactions were issued and done, and when processors stood at barriers.
pub(super) fn tell(program: &Program, times: &TransactionTimes, writer: &mut Writer<'_>) -> io::Result<()> {
    let machine = writer.machine;
    let fabric = machine.fabric().expect("only a machine with networks runs transactions");
    let all: Vec<Vec<&Transaction>> =
        program.processors.iter().map(|own| own.transactions().collect()).collect();
    for (number, &(processor, index, issued, done)) in (0..).zip(&times.transactions) {
        let transaction = all[processor as usize][index as usize];
        let arguments = arguments(fabric, machine, program, processor, transaction);
        writer.span((MESSAGES, number), name(transaction.operation), (issued, done), &arguments)?;
    }
    for &(processor, came, ended) in &times.barriers {
        let track = (NODES, u64::from(processor));
        let own = &program.processors[processor as usize];
        let kind = &fabric.processors()[own.processor].name;
        writer.name(track, |machine| format!("{kind} of {}", machine.node_name(own.node)))?;
        writer.slice(track, "barrier", (came, ended), "")?;
    }
    Ok(())
}

fn name(operation: Operation) -> &'static str {
    match operation {
        Operation::Read => "read",
        Operation::Write => "write",
        Operation::PostedWrite => "posted write",
        Operation::Multicast { .. } => "multicast",
    }
}

/// What tells a transaction: whose it is, with whom, how much and over which network.
fn arguments(
    fabric: &Fabric,
    machine: &Machine,
    program: &Program,
    processor: u32,
    &Transaction { bytes: Bytes(bytes), peer, plane, .. }: &Transaction,
) -> String {
    let own = &program.processors[processor as usize];
    let [node, peer] = [own.node, peer].map(|node| machine.node_name(node));
    let kind = json!(fabric.processors()[own.processor].name);
    let network = json!(fabric.planes()[plane].name);
    format!(
        "\"bytes\":{bytes},\"processor\":{kind},\"node\":\"{node}\",\"peer\":\"{peer}\",\"network\":{network}"
    )
}
