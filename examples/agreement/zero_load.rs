//! One packet alone in the network: every pair of nodes, against the formulae of the other simulators.

use std::fmt::Write as _;

use meshwright::sim::flit::{self, Router};
use meshwright::sim::traffic::{OpenLoop, Pattern};
use meshwright::topology::{Machine, Switching, Topology};
use meshwright::{Error, Result};

use super::in_parallel;

/// The delays of one router, as BookSim names them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Delays {
    pub(crate) routing: u64,
    pub(crate) channel: u64,
    pub(crate) switch: u64,
    pub(crate) transfer: u64,
    pub(crate) link: u64,
    pub(crate) speculative: bool,
}

impl Delays {
    /// The stages of one router: speculation runs both allocations side by side.
    fn router(&self) -> u64 {
        let allocation = match self.speculative {
            true => self.channel.max(self.switch),
            false => self.channel + self.switch,
        };
        self.routing + allocation + self.transfer
    }

    /// `T0 = (H+1) t_r + H t_l + 3 + (L-1)`.
    pub(crate) fn formula(&self, hops: u64, flits: u64) -> u64 {
        (hops + 1) * self.router() + hops * self.link + 3 + (flits - 1)
    }

    /// The same settings for the engine, with buffers deeper than any credit loop here.
    pub(crate) fn router_for(&self, machine: &Machine) -> Result<Router> {
        let mut router = Router::preset("booksim", machine)?;
        let settings = [
            ("routing_delay", self.routing),
            ("vc_alloc_delay", self.channel),
            ("sw_alloc_delay", self.switch),
            ("switch_delay", self.transfer),
            ("link_delay", self.link),
            ("speculative", u64::from(self.speculative)),
            ("buffers", 32),
        ];
        for (name, value) in settings {
            router.set(name, &value.to_string())?;
        }
        Ok(router)
    }
}

/// Routing 0 to 2 cycles, allocations of 1 to 3, with and without speculation; then slower switches and links.
pub(crate) fn delay_sets(link: u64) -> Vec<Delays> {
    let mut sets = Vec::new();
    for speculative in [false, true] {
        for routing in 0..=2 {
            for (channel, switch) in [(1, 1), (2, 1), (1, 3)] {
                sets.push(Delays { routing, channel, switch, transfer: 1, link, speculative });
            }
        }
        sets.push(Delays { routing: 1, channel: 1, switch: 1, transfer: 2, link, speculative });
        sets.push(Delays { routing: 1, channel: 1, switch: 1, transfer: 1, link: link + 2, speculative });
    }
    sets
}

/// The length of a shortest way between two nodes of a box, from their row-major numbers.
pub(crate) fn distance(sides: &[u32], wraps: bool, a: u32, b: u32) -> u64 {
    let (mut a, mut b, mut sum) = (a, b, 0);
    for &side in sides.iter().rev() {
        let apart = (a % side).abs_diff(b % side);
        sum += if wraps { apart.min(side - apart) } else { apart };
        (a, b) = (a / side, b / side);
    }
    u64::from(sum)
}

/// What packets between two nodes and nobody else measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Lone {
    /// The least latency of either direction.
    pub(crate) latency: u64,
    /// Links from one to the other, on average.
    pub(crate) hops: f64,
    /// Packets that took the least latency, and packets in all.
    pub(crate) least: u64,
    pub(crate) packets: u64,
}

/// Lets two nodes send to each other now and then, so that a packet is almost always alone.
///
/// A packet that follows another of the same source within its length waits, one in forty; all others have the
/// network to themselves, for the two ways between two nodes share no link in the same direction.
pub(crate) fn lone(machine: &Machine, router: &Router, (a, b): (u32, u32), flits: u32) -> Result<Lone> {
    let mut lines = String::new();
    for node in 0..machine.nodes() {
        let target = if node == a {
            b
        } else if node == b {
            a
        } else {
            node
        };
        writeln!(lines, "{node} {target}").expect("a string takes everything");
    }
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), lines).expect("a temporary file can be written");
    let pattern = Pattern::new(&format!("permutation:{}", file.path().display()), machine)?;
    let router = Router { self_traffic: false, ..router.clone() };
    let load = f64::from(flits) / (40.0 * f64::from(flits.max(16)));
    let open = OpenLoop {
        pattern,
        load,
        packet: flits,
        warm_up: 0,
        measure: 250 * u64::from(flits.max(16)),
        drain: 4000,
        seed: 1,
    };
    let measured = flit::run_traffic(machine, &router, &open, 1)?;
    assert_eq!(measured.undelivered, 0, "single packets arrive");
    let (latency, least) =
        measured.latencies.values().next().ok_or_else(|| {
            Error::not_applicable("agreement", "no packet was made in the measured interval")
        })?;
    let packets = measured.latencies.count();
    Ok(Lone { latency, hops: measured.latencies.hops_mean(), least, packets })
}

/// Ordered pairs checked and how many of them differ from the formula.
pub(crate) fn check(
    machine: &Machine,
    router: &Router,
    flits: u32,
    formula: impl Fn(u64) -> u64 + Sync,
) -> Result<(u64, u64)> {
    let meshwright::topology::Network::Grid(grid) = &machine.network else {
        return Err(Error::not_applicable("agreement", "distances are those of boxes"));
    };
    let nodes = machine.nodes();
    let pairs: Vec<(u32, u32)> = (0..nodes).flat_map(|a| (a + 1..nodes).map(move |b| (a, b))).collect();
    let wrong = in_parallel(&pairs, |&(a, b)| {
        let hops = distance(grid.sides(), grid.wraps(), a, b);
        let lone = lone(machine, router, (a, b), flits)?;
        // If one direction took longer, about half of the packets would.
        let agrees =
            lone.latency == formula(hops) && lone.hops == hops as f64 && lone.least * 3 >= lone.packets * 2;
        Ok(u64::from(!agrees))
    })?;
    Ok((2 * pairs.len() as u64, 2 * wrong.iter().sum::<u64>()))
}

const MACHINES: [&str; 3] = ["mesh:6x6", "torus:5x5", "torus:4x4x3"];

/// The first table of the page.
pub(crate) fn section() -> Result<String> {
    let mut text = String::from(
        "## One packet alone\n\n\
         Every ordered pair of different nodes; packets of 1 and of 16 flits by turns from one set of delays to the\n\
         next. The formulae are those found for each simulator by measurement, written down in the program a second\n\
         time and not taken from the engine. H is the distance, L the flits of a packet.\n\n\
         | preset | formula | machine | sets of delays | pairs | differences |\n|---|---|---|--:|--:|--:|\n",
    );
    for name in MACHINES {
        let machine = Machine::new(name)?;
        let sets = delay_sets(if name.starts_with("torus") { 2 } else { 1 });
        let (mut pairs, mut wrong) = (0, 0);
        for (index, delays) in sets.iter().enumerate() {
            let flits = [1, 16][index % 2];
            let router = delays.router_for(&machine)?;
            let counted = check(&machine, &router, flits, |hops| delays.formula(hops, flits.into()))?;
            (pairs, wrong) = (pairs + counted.0, wrong + counted.1);
        }
        let formula = "(H+1) t_r + H t_l + 3 + (L-1)";
        writeln!(text, "| booksim | {formula} | {name} | {} | {pairs} | {wrong} |", sets.len())
            .expect("a string takes everything");
    }
    for (preset, formula, law) in others() {
        for name in ["mesh:6x6", "torus:5x5"] {
            let machine = Machine::new(name)?.with_switching(Switching::CutThrough);
            let router = Router::preset(preset, &machine)?;
            let (mut pairs, mut wrong) = (0, 0);
            for flits in [1, 2, 16] {
                let counted = check(&machine, &router, flits, |hops| law(hops, flits.into()))?;
                (pairs, wrong) = (pairs + counted.0, wrong + counted.1);
            }
            writeln!(text, "| {preset} | {formula} | {name} | 1 | {pairs} | {wrong} |")
                .expect("a string takes everything");
        }
    }
    text.push_str(
        "\nA set of delays is one of t_r = r + v + s + x, with speculation r + max(v, s) + x: routing r from 0 to 2, channel and\n\
         switch allocation (v, s) of (1, 1), (2, 1) and (1, 3), switch x of 1 and 2; t_l is 1 and 3 on a mesh, 2 and 4 on a\n\
         torus. Buffers hold 32 flits here: with fewer than the credit loop is long, a packet longer than the buffer stops.\n\
         The presets of CAMINOS and CNSim move packets whole and were run with packets of 1, 2 and 16 flits.\n\n",
    );
    Ok(text)
}

/// The name, the formula as text and the formula of a preset, in hops and flits.
type Law = (&'static str, &'static str, fn(u64, u64) -> u64);

/// The presets that move packets whole.
pub(crate) fn others() -> [Law; 2] {
    [
        ("caminos", "H + 2 + (L-1)", |hops, flits| hops + 2 + flits - 1),
        ("cnsim", "4 H + max(L, 2)", |hops, flits| 4 * hops + flits.max(2)),
    ]
}
