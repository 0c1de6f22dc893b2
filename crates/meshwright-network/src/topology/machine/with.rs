//! The same machine with something else: costs, switching, ports, networks.

use std::sync::Arc;

use super::{Imported, Machine};
use crate::fabric::Fabric;
use crate::topology::{Costs, Endpoints, Network, PortModel, Switching};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Bytes, Cycles, Ratio};

impl Machine {
    /// The same machine under another name, which stands for it in tables and files.
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// The same machine with a clock of so many cycles per second, or none.
    pub fn with_clock(mut self, clock: Option<Ratio>) -> Self {
        self.clock = clock;
        self
    }

    /// Cycles per second, if that is known.
    pub fn clock(&self) -> Option<Ratio> {
        self.clock
    }

    /// The text of the file that describes it, where its name and costs do not say all.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// So many cycles in seconds; none without a clock.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_core::units::Ratio;
    /// use meshwright_network::Machine;
    /// let mesh = Machine::mesh([4, 4])?;
    /// assert_eq!(mesh.seconds(500.0), None);
    /// assert_eq!(mesh.with_clock(Some(Ratio::whole(1_000_000_000))).seconds(500.0), Some(5e-7));
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn seconds(&self, cycles: f64) -> Option<f64> {
        self.clock.map(|clock| cycles / clock.to_f64())
    }

    /// The same machine with another switching.
    pub fn with_switching(mut self, switching: Switching) -> Self {
        self.switching = switching;
        self
    }

    /// The same machine with other costs.
    ///
    /// # Errors
    ///
    /// As for [`Costs::check`].
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_core::units::{Bytes, Cycles};
    /// use meshwright_network::{Costs, Machine};
    /// let mesh = Machine::mesh([4, 4])?.with_costs(Costs { startup: Cycles(7), flit: Bytes(4), ..Costs::default() })?;
    /// assert_eq!(mesh.costs().startup, Cycles(7));
    /// assert!(mesh.with_startup(Cycles(u64::MAX)).is_err(), "it would leave 64 bits");
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn with_costs(mut self, costs: Costs) -> Result<Self> {
        costs.check()?;
        self.costs = costs;
        Ok(self)
    }

    /// The same machine with another start-up c.
    ///
    /// # Errors
    ///
    /// As for [`Costs::check`].
    pub fn with_startup(self, startup: Cycles) -> Result<Self> {
        let costs = Costs { startup, ..self.costs };
        self.with_costs(costs)
    }

    /// The same machine with another time b of a byte on a link.
    ///
    /// # Errors
    ///
    /// As for [`Costs::check`].
    pub fn with_byte_time(self, byte_time: Ratio) -> Result<Self> {
        let costs = Costs { byte_time, ..self.costs };
        self.with_costs(costs)
    }

    /// The same machine with another head flit h.
    ///
    /// # Errors
    ///
    /// As for [`Costs::check`].
    pub fn with_flit(self, flit: Bytes) -> Result<Self> {
        let costs = Costs { flit, ..self.costs };
        self.with_costs(costs)
    }

    /// The same machine with nodes that send and receive so many messages at a time.
    pub fn with_port_model(mut self, ports: PortModel) -> Self {
        self.ports = ports;
        self
    }

    /// The same machine with what messages cost the nodes at their ends.
    ///
    /// # Errors
    ///
    /// As for [`Endpoints::check`].
    pub fn with_endpoints(mut self, endpoints: Endpoints) -> Result<Self> {
        endpoints.check()?;
        self.endpoints = endpoints;
        Ok(self)
    }

    /// The same machine with so many flits per virtual channel (packets under store-and-forward).
    pub fn with_buffers(mut self, buffers: u32) -> Self {
        self.buffers = buffers;
        self
    }

    /// The same machine with so many virtual channels per link.
    pub fn with_virtual_channels(mut self, virtual_channels: u32) -> Self {
        self.virtual_channels = virtual_channels;
        self
    }

    /// The same machine with links, ports and routers that nobody describes: what crosses them costs what its costs say.
    pub fn alike(mut self) -> Self {
        (self.fabric, self.imported, self.description, self.endpoints) =
            (None, None, None, Endpoints::default());
        self
    }

    /// The same machine with the text of the file that describes it.
    pub fn with_description(mut self, text: &str) -> Self {
        self.description = Some(text.into());
        self
    }

    /// The same machine with what the file of another simulator says of it.
    pub fn with_imported(mut self, imported: Imported) -> Self {
        self.imported = Some(Arc::new(imported));
        self
    }

    /// The same machine with its links and ports as they are. Its costs become the best that any message on it can have:
    /// with them bounds hold, whatever network a message takes.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when the box of the fabric is another, or a node or link of the machine is dead.
    pub fn with_fabric(mut self, fabric: Fabric) -> Result<Self> {
        let same = matches!(&self.network, Network::Grid(grid) if grid == fabric.grid());
        if !same {
            return Err(Error::value("box of the networks", self.name, "the box of the machine"));
        }
        if !self.is_whole() {
            let expected = "none: dead nodes and links are not possible beside networks";
            return Err(Error::value(
                "dead nodes or links",
                self.dead.len() + self.dead_links.len(),
                expected,
            ));
        }
        self.switching = Switching::CutThrough;
        self = self.with_costs(fabric.best_costs()?)?;
        self.fabric = Some(Arc::new(fabric));
        Ok(self)
    }

    /// The same machine in steps of packets: a packet of 8 bytes takes one cycle over a link, is stored before it goes on
    /// and costs no start-up; queues have four slots. Its steps have no clock.
    ///
    /// # Source
    ///
    /// `chochia1996`, section 5; the bytes of a packet are ours.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_network::topology::Machine;
    /// use meshwright_core::units::{Bytes, Hops};
    /// let mesh = Machine::new("mesh:16x16")?.in_packets();
    /// let ticks = mesh.costs().alone_ticks(mesh.switching(), Bytes(8), Hops(5));
    /// assert_eq!(ticks, 5 * mesh.costs().ticks_per_cycle());
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn in_packets(mut self) -> Self {
        let byte_time = Ratio::new(1, 8).expect("eight is not zero");
        self.switching = Switching::StoreAndForward;
        self.costs = Costs { startup: Cycles(0), byte_time, flit: Bytes(8) };
        self.ports = PortModel::All;
        self.endpoints = Endpoints::default();
        self.buffers = 4;
        self.fabric = None;
        self.clock = None;
        self
    }
}
