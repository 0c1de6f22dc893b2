//! Tables of next hops: one port for every node and target, for networks without formulas.

use crate::topology::{Machine, Topology, search};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{NodeId, Port};

/// Larger tables are refused: 1 GiB.
pub const TABLE_BYTES_MAX: u64 = 1 << 30;

/// One port per node and target, perhaps in several phases; flat, the targets of one node side by side.
#[derive(Clone, Debug)]
pub struct NextHops {
    nodes: usize,
    ports: Ports,
}

/// The entries; the largest number means that there is no way.
#[derive(Clone, Debug)]
enum Ports {
    Narrow(Vec<u8>),
    Wide(Vec<u16>),
}

impl NextHops {
    /// A table without ways.
    ///
    /// # Errors
    ///
    /// [`Error::TooLarge`] when it takes more than [`TABLE_BYTES_MAX`].
    pub(super) fn new(machine: &Machine, phases: u64) -> Result<Self> {
        let nodes = u64::from(machine.nodes());
        let most_ports = (0..machine.nodes()).map(|node| machine.ports(NodeId(node))).max().unwrap_or(0);
        let wide = most_ports > u32::from(u8::MAX);
        let entries = nodes * nodes * phases;
        let bytes = entries * if wide { 2 } else { 1 };
        if bytes > TABLE_BYTES_MAX {
            return Err(Error::TooLarge {
                what: "the table of next hops",
                needed: format!("{bytes} bytes"),
                limit: format!("{TABLE_BYTES_MAX} bytes"),
            });
        }
        // A table of this size has fewer than 2^15 nodes, and no node has more ports than there are nodes.
        let ports = match wide {
            true => Ports::Wide(vec![u16::MAX; entries as usize]),
            false => Ports::Narrow(vec![u8::MAX; entries as usize]),
        };
        Ok(Self { nodes: nodes as usize, ports })
    }

    /// Enters the port that leads from `at` towards `target`.
    pub(super) fn set(&mut self, phase: usize, at: NodeId, target: NodeId, port: Port) {
        let index = self.index(phase, at, target);
        match &mut self.ports {
            Ports::Narrow(ports) => ports[index] = port.0 as u8,
            Ports::Wide(ports) => ports[index] = port.0 as u16,
        }
    }

    /// The port that leads from `at` towards `target`.
    ///
    /// # Panics
    ///
    /// When there is no way: one of the nodes is dead or lies outside the machine.
    #[inline]
    pub(super) fn get(&self, phase: usize, at: NodeId, target: NodeId) -> Port {
        let index = self.index(phase, at, target);
        let (port, none) = match &self.ports {
            Ports::Narrow(ports) => (u32::from(ports[index]), u32::from(u8::MAX)),
            Ports::Wide(ports) => (u32::from(ports[index]), u32::from(u16::MAX)),
        };
        assert!(port != none, "no packet stands at node {at} on a way to node {target}");
        Port(port)
    }

    #[inline]
    fn index(&self, phase: usize, at: NodeId, target: NodeId) -> usize {
        (phase * self.nodes + at.index()) * self.nodes + target.index()
    }
}

/// Refuses a machine whose living nodes do not all reach each other.
///
/// # Errors
///
/// [`Error::NotApplicable`] naming two nodes without a path.
pub(super) fn check_connected(method: &'static str, machine: &Machine) -> Result<()> {
    let Some(first) = machine.living().next() else { return Ok(()) };
    let mut distance = Vec::new();
    search(machine, first, &mut distance);
    match machine.living().find(|node| distance[node.index()] == u32::MAX) {
        Some(cut_off) => {
            let [first, cut_off] = [first, cut_off].map(|node| machine.node_name(node));
            let why = format!(
                "there is no path from node {first} to node {cut_off}; nodes that are cut off must be dead"
            );
            Err(Error::not_applicable(method, why))
        }
        None => Ok(()),
    }
}
