//! The router: what can be set, and the presets that speak for other simulators.
//!
//! ```text
//! a head that comes in at cycle a   is routed until            a + r
//!                                   gets its output channel at a + r + v - 1, at the earliest
//!                                   crosses the switch         one cycle after that (speculative: with it)
//! a flit granted at cycle s         is at the next router at   s + w + x + l
//!                                   and its slot is known free s + 1 + l + k, one hop up
//! ```
//!
//! r = `routing_delay`, v = `vc_alloc_delay`, w = `sw_alloc_delay`, x = `switch_delay`, l = `link_delay`, k =
//! `credit_delay`. All stages are pipelined: each cycle a new allocation begins.
//!
//! # Source
//!
//! `dally2004`, chapters 16 and 17; the constants of the presets were calibrated by measurement. `chochia1996`,
//! section 5, for store-and-forward: a packet is sent when the acknowledgement of a free buffer is back, here the
//! credit of one of the q = `buffers` slots; each virtual channel has slots of its own.

use serde::Serialize;

use meshwright_core::error::{Error, Result};
use meshwright_core::find;
use meshwright_network::routing;
use meshwright_network::topology::{Machine, Network, PortModel};

/// The most slots of a virtual channel: credits are bytes.
pub(super) const BUFFERS_MAX: u32 = 255;

/// The most virtual channels of a link: sets of them are words of bits.
pub(super) const CHANNELS_MAX: u32 = 32;

/// How a head gets its output channel and the switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stages {
    /// First the channel, in a later cycle the switch.
    Separate,
    /// It asks for both at once; a switch grant without a channel is lost.
    Speculative,
    /// Both in one cycle, the channel first: the ideal router.
    Combined,
}

/// Who gets which output when several inputs ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Allocator {
    /// One round of iSLIP: outputs grant, inputs accept, pointers move past accepted pairs.
    Islip,
    /// Separable, input first, round robin: inputs choose one request each, outputs grant one input each.
    Separable,
}

/// How one router is built. All delays are in cycles.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Router {
    /// Virtual channels of a link.
    pub virtual_channels: u32,
    /// Slots of a virtual channel: flits under wormhole, whole packets under cut-through and store-and-forward.
    pub buffers: u32,
    /// Cycles to find the output of a head.
    pub routing_delay: u32,
    /// Cycles of virtual-channel allocation.
    pub vc_alloc_delay: u32,
    /// Cycles of switch allocation.
    pub sw_alloc_delay: u32,
    /// Cycles through the switch.
    pub switch_delay: u32,
    /// Cycles over a link.
    pub link_delay: u32,
    /// Cycles until a returned credit counts.
    pub credit_delay: u32,
    /// Cycles from the source queue into the router.
    pub injection_delay: u32,
    /// Cycles from the switch to the node.
    pub ejection_delay: u32,
    /// How a head gets channel and switch.
    pub stages: Stages,
    /// Who gets which output.
    pub allocator: Allocator,
    /// A name of [`meshwright_network::routing::ROUTINGS`], or `auto`: dimension order on whole boxes, else up-down.
    pub routing: String,
    /// Injection and ejection ports of a node: one, or one for each of its links.
    pub ports: PortModel,
    /// A shorter packet takes as long to come out as one of this many flits.
    pub shortest_packet: u32,
    /// Whether a packet from a node to itself is simulated; if not it is dropped.
    pub self_traffic: bool,
}

/// A router with a name.
pub struct RouterModel {
    /// Its name.
    pub name: &'static str,
    /// What it is, in half a sentence.
    pub summary: &'static str,
    build: fn(&Machine) -> Router,
}

/// Every preset the program knows.
pub const ROUTERS: &[RouterModel] = &[
    RouterModel {
        name: "ideal",
        summary: "one cycle a hop, as the message engine counts",
        build: Router::ideal,
    },
    RouterModel {
        name: "booksim",
        summary: "BookSim 2: T0 = (H+1) t_r + H t_l + 3 + (L-1), iSLIP",
        build: Router::booksim,
    },
    RouterModel { name: "caminos", summary: "CAMINOS 0.6: T0 = H + 2 + (L-1)", build: Router::caminos },
    RouterModel { name: "cnsim", summary: "CNSim, three stages: T0 = 4 H + max(L, 2)", build: Router::cnsim },
];

impl Router {
    /// The router of the message engine: one cycle a hop, ports and slots as the machine says; on a torus at least
    /// the two virtual channels of date-lines.
    pub fn ideal(machine: &Machine) -> Self {
        let least = if is_torus(machine) { 2 } else { 1 };
        Self {
            virtual_channels: machine.virtual_channels().max(least),
            buffers: machine.buffers(),
            routing_delay: 0,
            vc_alloc_delay: 0,
            sw_alloc_delay: 0,
            switch_delay: 0,
            link_delay: 1,
            credit_delay: 0,
            injection_delay: 0,
            ejection_delay: 0,
            stages: Stages::Combined,
            allocator: Allocator::Islip,
            routing: "auto".into(),
            ports: machine.port_model(),
            shortest_packet: 1,
            self_traffic: true,
        }
    }

    /// The router of BookSim 2 with its default pipeline; links of a torus take two cycles, as there.
    fn booksim(machine: &Machine) -> Self {
        Self {
            virtual_channels: 4,
            buffers: 8,
            routing_delay: 1,
            vc_alloc_delay: 1,
            sw_alloc_delay: 1,
            switch_delay: 1,
            link_delay: if is_torus(machine) { 2 } else { 1 },
            credit_delay: 1,
            injection_delay: 2,
            ejection_delay: 1,
            stages: Stages::Separate,
            ports: PortModel::One,
            ..Self::ideal(machine)
        }
    }

    fn caminos(machine: &Machine) -> Self {
        Self {
            virtual_channels: 4,
            buffers: 8,
            injection_delay: 1,
            ejection_delay: 1,
            allocator: Allocator::Separable,
            ports: PortModel::One,
            self_traffic: false,
            ..Self::ideal(machine)
        }
    }

    fn cnsim(machine: &Machine) -> Self {
        Self {
            switch_delay: 1,
            link_delay: 3,
            injection_delay: 0,
            ejection_delay: 0,
            buffers: 16,
            shortest_packet: 2,
            ..Self::caminos(machine)
        }
    }

    /// The preset of this name, for this machine.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] listing the presets.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_sim::flit::Router;
    /// use meshwright_network::topology::Machine;
    /// let mesh = Machine::new("mesh:4x4")?;
    /// assert_eq!(Router::named("booksim", &mesh)?.zero_load(&mesh, 5, 16), 7 + 5 * 5 + 15);
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn named(name: &str, machine: &Machine) -> Result<Self> {
        Ok((find("router", name, ROUTERS, |preset| preset.name)?.build)(machine))
    }

    /// The router that the file of this machine describes, if it comes from a simulator of routers; else none.
    ///
    /// # Errors
    ///
    /// As for [`Router::set`].
    pub fn described(machine: &Machine) -> Result<Option<Self>> {
        let Some(imported) = machine.imported().filter(|imported| !imported.router.is_empty()) else {
            return Ok(None);
        };
        let mut router = Self::named(imported.model, machine)?;
        imported.router.iter().try_for_each(|(key, value)| router.set(key, value))?;
        Ok(Some(router))
    }

    /// The name of the routing on this machine: `auto` is the [usual](routing::usual) one.
    pub fn routing_on(&self, machine: &Machine) -> &str {
        if self.routing == "auto" { routing::usual(machine) } else { &self.routing }
    }

    /// Cycles from the grant of the switch until a flit has crossed it.
    fn crossing(&self) -> u32 {
        match self.stages {
            Stages::Separate | Stages::Combined => self.sw_alloc_delay + self.switch_delay,
            // The longer of the two allocations stands in `first_try`.
            Stages::Speculative => 1 + self.switch_delay,
        }
    }

    /// Cycles from the grant of the switch to the next router.
    pub(super) fn hop(&self) -> u32 {
        self.crossing() + self.link_delay
    }

    /// Cycles from the grant of the switch to the node.
    pub(super) fn eject(&self) -> u32 {
        self.crossing() + self.ejection_delay
    }

    /// Cycles from the grant of the switch to a credit one hop up.
    pub(super) fn credit(&self) -> u32 {
        1 + self.link_delay + self.credit_delay
    }

    /// Cycles from the grant of the switch to a credit at the source queue.
    pub(super) fn source_credit(&self) -> u32 {
        self.injection_delay.max(1)
    }

    /// Cycles from a head in front of its buffer to its first try for a channel.
    pub(super) fn first_try(&self) -> u32 {
        let allocation = match self.stages {
            Stages::Separate => self.vc_alloc_delay - 1,
            Stages::Speculative => self.vc_alloc_delay.max(self.sw_alloc_delay) - 1,
            Stages::Combined => self.vc_alloc_delay,
        };
        self.routing_delay + allocation
    }

    /// Refuses settings that do not go together.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when an allocation of a staged router takes no cycle.
    pub(super) fn check(&self) -> Result<()> {
        for (name, value, most) in [
            ("buffers", self.buffers, BUFFERS_MAX),
            ("virtual_channels", self.virtual_channels, CHANNELS_MAX),
        ] {
            if !(1..=most).contains(&value) {
                return Err(Error::value(name, value, format!("1 to {most} in routers of the flit engine")));
            }
        }
        let least = self.vc_alloc_delay.min(self.sw_alloc_delay);
        if self.stages != Stages::Combined && least == 0 {
            let expected = "at least 1 cycle each, or a preset that allocates both in one cycle";
            return Err(Error::value("allocation delay", 0, expected));
        }
        Ok(())
    }

    /// The latency of a packet of `flits` flits over `hops` links with the network to itself, in cycles.
    ///
    /// ```text
    /// T0 = i + H (t + l) + t + e + max(L, m) - 1,   t = r + x + (speculative: max(v, w), else v + w)
    /// ```
    ///
    /// i and e are the delays of injection and ejection, m is the shortest packet. Under store-and-forward each node on the way adds L - 1.
    ///
    /// # Source
    ///
    /// `dally2004`, section 23.1 (zero-load latency), with the stages of this router.
    pub fn zero_load(&self, machine: &Machine, hops: u64, flits: u64) -> u64 {
        let allocation = match self.stages {
            Stages::Separate => self.vc_alloc_delay + self.sw_alloc_delay,
            Stages::Speculative => self.vc_alloc_delay.max(self.sw_alloc_delay),
            Stages::Combined => self.vc_alloc_delay + self.sw_alloc_delay,
        };
        let router = u64::from(self.routing_delay + allocation + self.switch_delay);
        let body = flits.max(u64::from(self.shortest_packet)) - 1;
        let whole = match machine.switching() {
            meshwright_network::topology::Switching::StoreAndForward => (flits - 1) * hops.saturating_sub(1),
            _ => 0,
        };
        let ends = u64::from(self.injection_delay + self.ejection_delay);
        ends + hops * (router + u64::from(self.link_delay)) + router + body + whole
    }
}

fn is_torus(machine: &Machine) -> bool {
    matches!(machine.network(), Network::Grid(grid) if grid.wraps())
}
