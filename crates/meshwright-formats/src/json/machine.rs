//! The form of a machine, which `scenario::planned` reads back.

use serde::Serialize;

use meshwright_network::topology::{Machine, PortModel, Switching, Topology};

/// A machine as it was planned for.
#[derive(Debug, Serialize)]
pub struct MachineForm<'a> {
    /// Its specification.
    pub topology: &'a str,
    /// How many nodes, dead ones included.
    pub nodes: u32,
    /// The coordinates of dead nodes.
    pub dead: Vec<Vec<u32>>,
    /// The coordinates of the two ends of each dead link.
    pub dead_links: Vec<[Vec<u32>; 2]>,
    /// How messages move.
    pub switching: Switching,
    /// c, in cycles.
    pub startup: u64,
    /// b, in cycles per byte.
    pub byte_time: f64,
    /// h, in bytes.
    pub flit: u64,
    /// Flits per virtual channel.
    pub buffers: u32,
    /// Virtual channels per link.
    pub virtual_channels: u32,
    /// How many messages a node sends and receives at a time.
    pub ports: PortModel,
    /// o, in cycles.
    pub overhead: u64,
    /// g, in cycles.
    pub gap: u64,
    /// The text of its file, where networks or a clock are described.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub described: Option<&'a str>,
}

impl<'a> From<&'a Machine> for MachineForm<'a> {
    fn from(machine: &'a Machine) -> Self {
        let costs = machine.costs();
        Self {
            topology: machine.name(),
            nodes: machine.nodes(),
            dead: machine.dead_coordinates(),
            dead_links: machine.dead_link_coordinates(),
            switching: machine.switching(),
            startup: costs.startup.0,
            byte_time: costs.byte_time.to_f64(),
            flit: costs.flit.0,
            buffers: machine.buffers(),
            virtual_channels: machine.virtual_channels(),
            ports: machine.port_model(),
            overhead: machine.endpoints().overhead.0,
            gap: machine.endpoints().gap.0,
            described: machine.description(),
        }
    }
}
