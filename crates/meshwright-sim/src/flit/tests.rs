//! Invariants of every cycle, seen from inside.

use super::blocks::Blocks;
use super::injector::{Injector, Tally};
use super::lockstep;
use super::region::{FREE, LaneState, Region, Setup};
use super::router::Router;
use super::wiring::unpack;
use super::worm;
use crate::traffic::{OpenLoop, Pattern};
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Machine, PortModel, Switching, Topology};

impl Region<'_> {
    /// Flits that wait in source queues, counted anew.
    fn flits_queued(&self) -> u64 {
        let queue = |source: &super::source::SourceQueue| source.flits(&self.packets);
        self.sources.iter().map(queue).sum()
    }

    /// Flits of packets whose tail is on its way from the switch to the node, and those of the packets in front
    /// that came out before their tail.
    fn flits_leaving(&self) -> u64 {
        let tails = self.parts.here.wheel.cycles().iter().flat_map(|moment| &moment.ejected);
        let whole: u64 = tails.map(|&slot| u64::from(self.packets[slot].length)).sum();
        let begun = self.lanes.iter().enumerate().filter(|(_, lane)| match lane.state {
            LaneState::Body => u32::from(lane.out) >= self.degree,
            LaneState::Draining => true,
            _ => false,
        });
        whole
            + begun
                .map(|(index, lane)| u64::from(self.packets[self.front(index)].length - lane.left))
                .sum::<u64>()
    }
}

/// Routers of all kinds on machines of all kinds.
fn cases() -> Vec<(Machine, Router, u32)> {
    let mut cases = Vec::new();
    for (name, routing) in [
        ("mesh:5x4", "auto"),
        ("mesh:4x4", "min-adaptive"),
        ("mesh:4x5", "odd-even"),
        ("mesh:4x4", "o1turn"),
        ("mesh:4x4", "rajasekaran-tsantilas"),
        ("torus:4x5", "auto"),
        ("torus:3x3x2", "valiant"),
        ("hypercube:4", "auto"),
        ("mesh:5x3", "up-down"),
    ] {
        for preset in ["ideal", "booksim", "caminos", "cnsim"] {
            for switching in [Switching::Wormhole, Switching::CutThrough, Switching::StoreAndForward] {
                let mut machine = Machine::new(name).unwrap().with_switching(switching);
                if routing == "up-down" {
                    // Around a hole and a cut.
                    machine = machine.with_dead(vec![NodeId(7)]).unwrap();
                    machine = machine.with_dead_links(vec![(NodeId(0), NodeId(1))]).unwrap();
                }
                let mut router = Router::named(preset, &machine).unwrap();
                router.routing = routing.into();
                let vcs = if machine.ports(NodeId(0)) > 4 { 4 } else { 5 };
                router.virtual_channels = vcs;
                router.buffers = 3;
                if name == "mesh:5x4" {
                    router.virtual_channels = 1;
                    router.set("speculative", "0").unwrap();
                    (router.vc_alloc_delay, router.sw_alloc_delay) = (2, 2);
                }
                if name.starts_with("torus:4") && preset == "booksim" {
                    router.set("speculative", "1").unwrap();
                }
                for packet in [1, 5] {
                    cases.push((machine.clone(), router.clone(), packet));
                }
            }
        }
    }
    cases
}

fn open(machine: &Machine, packet: u32) -> OpenLoop {
    let pattern = Pattern::new("uniform", machine).unwrap();
    OpenLoop { pattern, load: 0.4, packet, warm_up: 20, measure: 80, drain: 100, seed: 3 }
}

/// Flits that entered the network and have not come out, from the credits of all channels.
fn check_conservation(region: &Region<'_>, tally: &Tally<'_>, packet: u32) {
    let (vcs, slots) = (region.vcs, region.slots);
    let mut under_way = vec![0u32; region.channels.len()];
    for moment in region.parts.here.wheel.cycles() {
        for &word in &moment.credits {
            let (node, local) = unpack(word);
            under_way[region.channels_of(region.site(node)) + local as usize] += 1;
        }
    }
    let mut wires = vec![0u32; region.lanes.len()];
    for moment in region.parts.here.wheel.cycles() {
        for &word in moment.heads.iter().map(|(word, _)| word).chain(&moment.bodies) {
            let (node, local) = unpack(word);
            wires[region.lanes_of(region.site(node)) + local as usize] += 1;
        }
    }
    for node in region.first..region.last {
        let site = region.site(node);
        for port in 0..region.degree {
            let peer = region.setup.wiring.peer(node, port);
            if peer == super::wiring::NO_PEER {
                continue;
            }
            let (next, back) = unpack(peer);
            for vc in 0..vcs {
                let index = region.channels_of(site) + (port * vcs + vc) as usize;
                let lane = region.lanes_of(region.site(next)) + (back * vcs + vc) as usize;
                let channel = region.channels[index];
                if !region.whole {
                    let all = u32::from(channel.credits)
                        + under_way[index]
                        + region.lanes[lane].flits
                        + wires[lane];
                    assert_eq!(all, slots, "slots of node {node}, port {port}, channel {vc}");
                }
                if channel.owner != FREE {
                    let owner = &region.lanes[region.lanes_of(site) + usize::from(channel.owner)];
                    assert!(
                        matches!(owner.state, LaneState::Head | LaneState::Body),
                        "an owner has its channel"
                    );
                    assert_eq!((u32::from(owner.out), u32::from(owner.channel)), (port, vc));
                }
            }
        }
    }
    let made = tally.flits_made();
    let inside = region.flits() as u64 + region.flits_queued() + tally.flits_out() + region.flits_leaving();
    assert_eq!(made, inside, "flits made = queued + in the network + come out, packets of {packet}");
}

#[test]
fn flits_and_slots_are_conserved_in_every_cycle() {
    for (machine, router, packet) in cases() {
        let setup = Setup::new(&machine, &router).unwrap();
        let open = open(&machine, packet);
        let mut region = Region::new(&setup, (0, setup.wiring.nodes), setup.wiring.nodes);
        let mut injector = Injector::new(&open, &machine, &region);
        let mut tally = Tally::new(&open, false);
        for now in 0..100 {
            region.arrivals(now);
            injector.fire(&mut region, 0, &mut tally);
            region.visits();
            tally.collect(&mut region);
            check_conservation(&region, &tally, packet);
        }
        assert!(tally.flits_out() > 0, "{} {router:?}: something comes out", machine.name());
    }
}

/// Routers whose packets are noted one by one: they are the same ones, too.
fn recorded<'m>(machine: &'m Machine, router: &Router) -> Setup<'m> {
    Setup { records: true, ..Setup::new(machine, router).unwrap() }
}

#[test]
fn neither_the_order_of_visits_nor_the_number_of_threads_changes_a_byte() {
    for (machine, router, packet) in cases() {
        let open = open(&machine, packet);
        let setup = recorded(&machine, &router);
        let forward = lockstep::run(&machine, &setup, &open, 1);
        assert!(lockstep::run(&machine, &setup, &open, 1) == forward, "twice, {} {router:?}", machine.name());
        for threads in [2, 3] {
            let parallel = lockstep::run(&machine, &setup, &open, threads);
            assert!(parallel == forward, "{threads} threads, {} {router:?}", machine.name());
        }
        let backward = Setup { reverse: true, ..recorded(&machine, &router) };
        assert!(
            lockstep::run(&machine, &backward, &open, 1) == forward,
            "in reverse, {} {router:?}",
            machine.name()
        );
        assert_eq!(forward.0.deadlock, None, "{} {}", machine.name(), router.routing);
    }
}

#[test]
fn single_channels_are_allocated_as_many_are() {
    // The general allocation with one channel is the other way to the same bytes.
    for (machine, mut router, packet) in cases() {
        router.virtual_channels = 1;
        for speculative in ["0", "1"] {
            if router.vc_alloc_delay > 0 {
                router.set("speculative", speculative).unwrap();
            }
            let Ok(setup) = Setup::new(&machine, &router) else { continue };
            let open = open(&machine, packet);
            let general = Setup { general: true, ..Setup::new(&machine, &router).unwrap() };
            let expected = lockstep::run(&machine, &general, &open, 1);
            assert!(lockstep::run(&machine, &setup, &open, 1) == expected, "{} {router:?}", machine.name());
        }
    }
}

#[test]
fn worms_are_flits_bit_for_bit() {
    for name in ["mesh:5x4", "mesh:7", "mesh:3x2x3", "hypercube:3"] {
        for (preset, speculative) in
            [("booksim", "0"), ("booksim", "1"), ("caminos", "-"), ("cnsim", "-"), ("ideal", "-")]
        {
            for (buffers, packet, load) in
                [(1, 3, 0.1), (3, 5, 0.3), (8, 5, 0.2), (4, 1, 0.5), (5, 20, 0.6), (16, 4, 0.4)]
            {
                for ports in [PortModel::One, PortModel::All] {
                    let machine = Machine::new(name).unwrap();
                    let mut router = Router::named(preset, &machine).unwrap();
                    (router.virtual_channels, router.buffers, router.ports) = (1, buffers, ports);
                    if speculative != "-" {
                        router.set("speculative", speculative).unwrap();
                    }
                    let setup = recorded(&machine, &router);
                    assert!(worm::apply(&setup, packet, 1000));
                    let flits = Setup { general: true, ..recorded(&machine, &router) };
                    let mut open = OpenLoop { load, ..open(&machine, packet) };
                    if ports == PortModel::All {
                        open.pattern = Pattern::new("uniform-with-self", &machine).unwrap();
                    }
                    let expected = lockstep::run(&machine, &flits, &open, 1);
                    for threads in 1..4 {
                        let found = lockstep::run(&machine, &setup, &open, threads);
                        assert!(
                            found == expected,
                            "{name} {router:?}, packets of {packet}, {threads} threads"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn blocks_in_turn_change_no_byte() {
    for name in ["mesh:40", "mesh:30x2", "mesh:16x3", "mesh:12x2x2", "torus:8x3"] {
        for (preset, buffers, packet) in
            [("ideal", 2, 1), ("ideal", 3, 5), ("booksim", 4, 7), ("booksim", 1, 1), ("cnsim", 5, 3)]
        {
            for (channels, ports) in [(1, PortModel::One), (1, PortModel::All), (3, PortModel::One)] {
                let machine = Machine::new(name).unwrap();
                let mut router = Router::named(preset, &machine).unwrap();
                let rings = name.starts_with("torus");
                router.virtual_channels = channels + u32::from(rings);
                (router.buffers, router.ports) = (buffers, ports);
                let uncut = Setup::new(&machine, &router).unwrap();
                let open = OpenLoop { load: 0.2, drain: 7, measure: 81, ..open(&machine, packet) };
                let expected = lockstep::run(&machine, &uncut, &open, 1);
                for (rounds, threads) in [(2, 1), (3, 1), (9, 1), (2, 2), (5, 2), (2, 3), (3, 4)] {
                    let setup = Setup { rounds: Some(rounds), ..Setup::new(&machine, &router).unwrap() };
                    let blocks = Blocks::new(&setup, 1, threads);
                    let found = lockstep::run(&machine, &setup, &open, threads);
                    assert!(found == expected, "{name} {router:?}, {rounds} rounds, {threads} threads");
                    assert!(!rings || blocks.rounds == 1, "{name}: links of a ring leap over blocks");
                    assert!(rings || threads > 2 || blocks.rounds > 1, "{name}, {rounds} rounds");
                    assert_eq!(blocks.threads(), threads);
                }
            }
        }
    }
}
