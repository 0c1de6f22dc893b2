//! The options that change a machine.

use clap::Args;

use meshwright::Result;
use meshwright::scenario::{self, machine::switching, quantity};
use meshwright::topology::{Machine, Switching};
use meshwright::units::{Bytes, Cycles, Ratio};

/// `--on` and what changes that machine.
#[derive(Args)]
pub(super) struct MachineArguments {
    /// mesh:RxC[xD…], torus:RxC[…], hypercube:D, graph:FILE, or a TOML file with a [machine] table
    #[arg(long, value_name = "MACHINE")]
    on: String,
    /// How messages move: wormhole, cut-through or store-and-forward
    #[arg(long, value_name = "NAME", value_parser = switching)]
    switching: Option<Switching>,
    /// c: cycles before a message enters the network
    #[arg(long, value_name = "CYCLES", value_parser = |text: &str| quantity::cycles(text, None))]
    startup: Option<Cycles>,
    /// b: cycles per byte on a link, such as 1, 0.25 or 1/30
    #[arg(long, value_name = "CYCLES", value_parser = |text: &str| quantity::byte_time(text, None))]
    byte_time: Option<Ratio>,
    /// h: bytes of the head flit
    #[arg(long, value_name = "BYTES", value_parser = quantity::bytes)]
    flit: Option<Bytes>,
}

impl MachineArguments {
    /// The machine.
    pub(super) fn machine(&self) -> Result<Machine> {
        let mut machine = scenario::machine(&self.on)?;
        machine.switching = self.switching.unwrap_or(machine.switching);
        machine.costs.startup = self.startup.unwrap_or(machine.costs.startup);
        machine.costs.byte_time = self.byte_time.unwrap_or(machine.costs.byte_time);
        machine.costs.flit = self.flit.unwrap_or(machine.costs.flit);
        machine.costs.check()?;
        Ok(machine)
    }
}
