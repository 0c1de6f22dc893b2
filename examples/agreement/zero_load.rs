//! One packet alone in the network: every pair of nodes, against the formulae of the other simulators.

use std::fmt::Write as _;

use meshwright_core::units::{Bytes, Cycles, NodeId, Ratio};
use meshwright_core::{Error, Result};
use meshwright_network::topology::costs::Costs;
use meshwright_network::topology::{Machine, Network, Switching, Topology};
use meshwright_schedule::{Message, Phases};
use meshwright_sim::flit::{Replay, Router};
use meshwright_sim::{Engine, simulate};

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
        let mut router = Router::named("booksim", machine)?;
        let settings = [
            ("routing_delay", self.routing),
            ("vc_alloc_delay", self.channel),
            ("sw_alloc_delay", self.switch),
            ("switch_delay", self.transfer),
            ("link_delay", self.link),
            ("speculative", u64::from(self.speculative)),
            ("buffers", 64),
        ];
        for (name, value) in settings {
            router.set(name, &value.to_string())?;
        }
        Ok(router)
    }
}

/// Routing of 0 to 2 cycles, each allocation of 1 to 3, a switch of 1 or 2, with and without speculation.
pub(crate) fn delay_sets(link: u64) -> Vec<Delays> {
    let mut sets = Vec::new();
    for speculative in [false, true] {
        for (routing, transfer) in [(0, 1), (1, 1), (2, 1), (0, 2), (1, 2), (2, 2)] {
            for (channel, switch) in (1..=3).flat_map(|channel| (1..=3).map(move |switch| (channel, switch)))
            {
                sets.push(Delays { routing, channel, switch, transfer, link, speculative });
            }
        }
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

/// The cycles of each phase of a schedule on the flit engine, messages given in flits.
///
/// Nothing is paid before a message enters the network, and a link passes one flit a cycle.
pub(crate) fn phase_cycles(
    machine: &Machine,
    router: &Router,
    packet: Option<u32>,
    flits: u64,
    phases: &[Vec<(u32, u32)>],
) -> Result<Vec<u64>> {
    let mut machine = machine.clone();
    machine = machine.with_costs(Costs { startup: Cycles(0), byte_time: Ratio::whole(1), flit: Bytes(1) })?;
    // The engine adds a head flit to the bytes of a message.
    let message = |phase: usize, (source, target)| Message {
        source: NodeId(source),
        target: NodeId(target),
        bytes: Bytes(flits - 1),
        phase: phase as u32 + 1,
    };
    let sends = |(phase, sends): (usize, &Vec<_>)| -> Vec<Message> {
        sends.iter().map(|&pair| message(phase, pair)).collect()
    };
    let messages = phases.iter().enumerate().flat_map(sends).collect();
    let routers = Engine::Flit(Replay { router: router.clone(), packet, seed: 0 });
    let trace = simulate(&machine, &Phases::new(machine.nodes(), messages), &routers)?;
    assert_eq!(trace.deadlock, None, "dimension order does not deadlock");
    Ok(trace.phase_ticks)
}

/// Ordered pairs checked and how many of them differ from the formula: each pair is a phase of its own.
pub(crate) fn check(
    machine: &Machine,
    router: &Router,
    flits: u64,
    formula: impl Fn(u64) -> u64,
) -> Result<(u64, u64)> {
    let Network::Grid(grid) = machine.network() else {
        return Err(Error::not_applicable("agreement", "distances are those of boxes"));
    };
    let nodes = machine.nodes();
    let pairs = (0..nodes).flat_map(|a| (0..nodes).filter(move |&b| a != b).map(move |b| (a, b)));
    let phases: Vec<Vec<(u32, u32)>> = pairs.map(|pair| vec![pair]).collect();
    let cycles = phase_cycles(machine, router, None, flits, &phases)?;
    assert_eq!(cycles.len(), phases.len(), "each pair is a phase");
    let differs = |(sends, cycles): &(&Vec<(u32, u32)>, &u64)| {
        let (a, b) = sends[0];
        **cycles != formula(distance(grid.sides(), grid.wraps(), a, b))
    };
    let wrong = phases.iter().zip(&cycles).filter(differs).count();
    Ok((phases.len() as u64, wrong as u64))
}

const MACHINES: [&str; 3] = ["mesh:6x6", "torus:5x5", "torus:4x4x3"];

/// Packets of these lengths are tried.
const FLITS: [u64; 4] = [1, 2, 5, 16];

/// The first table of the page.
pub(crate) fn section() -> Result<String> {
    let mut text = String::from(
        "## One packet alone\n\n\
         Every ordered pair of different nodes sends a packet, one pair after the other, of 1, 2, 5 and 16 flits. The formulae are\n\
         those found for each simulator by measurement, written down in the program a second time and not taken from the\n\
         engine. H is the distance, L the flits of a packet.\n\n\
         | preset | formula | machine | sets of delays | packets | differences |\n|---|---|---|--:|--:|--:|\n",
    );
    for name in MACHINES {
        let machine = Machine::new(name)?;
        let link = if name.starts_with("torus") { 2 } else { 1 };
        let sets: Vec<Delays> = [link, link + 1].into_iter().flat_map(delay_sets).collect();
        let counted = in_parallel(&sets, |delays| {
            let router = delays.router_for(&machine)?;
            FLITS.iter().try_fold((0, 0), |sum, &flits| {
                let (pairs, wrong) = check(&machine, &router, flits, |hops| delays.formula(hops, flits))?;
                Ok((sum.0 + pairs, sum.1 + wrong))
            })
        })?;
        row(&mut text, ("booksim", "(H+1) t_r + H t_l + 3 + (L-1)", name), sets.len(), &counted);
    }
    for (preset, formula, law) in others() {
        for name in MACHINES {
            let machine = Machine::new(name)?.with_switching(Switching::CutThrough);
            let router = Router::named(preset, &machine)?;
            let counted =
                in_parallel(&FLITS, |&flits| check(&machine, &router, flits, |hops| law(hops, flits)))?;
            row(&mut text, (preset, formula, name), 1, &counted);
        }
    }
    text.push_str(
        "\nA set of delays is one of t_r = r + v + s + x, with speculation r + max(v, s) + x: routing r from 0 to 2, channel and\n\
         switch allocation v and s from 1 to 3 each, switch x of 1 and 2; t_l is 1 and 2 on a mesh, 2 and 3 on a torus. BookSim\n\
         itself stops when v or s is more than 1. Buffers hold 64 flits here: where they hold fewer than the credit loop is\n\
         long, a packet longer than the buffer stops and goes. The presets of CAMINOS and CNSim move packets whole.\n\n",
    );
    Ok(text)
}

fn row(text: &mut String, (preset, formula, name): (&str, &str, &str), sets: usize, counted: &[(u64, u64)]) {
    let pairs: u64 = counted.iter().map(|counted| counted.0).sum();
    let wrong: u64 = counted.iter().map(|counted| counted.1).sum();
    writeln!(text, "| {preset} | {formula} | {name} | {sets} | {pairs} | {wrong} |")
        .expect("a string takes everything");
}

/// The name, the formula as text and the formula of a preset, in hops and flits.
pub(crate) type Law = (&'static str, &'static str, fn(u64, u64) -> u64);

/// The presets that move packets whole.
pub(crate) fn others() -> [Law; 2] {
    [
        ("caminos", "H + 2 + (L-1)", |hops, flits| hops + 2 + flits - 1),
        ("cnsim", "4 H + max(L, 2)", |hops, flits| 4 * hops + flits.max(2)),
    ]
}
