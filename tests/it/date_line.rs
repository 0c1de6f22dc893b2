//! Laws of whole messages in date-line classes: on every torus every worm arrives, and the rules are followed to the tick.

use meshwright_core::units::{Bytes, Cycles, NodeId, Ratio};
use meshwright_network::routing;
use meshwright_network::topology::{Machine, PortModel, Topology};
use meshwright_schedule::cost::{self, LinkLoads};
use meshwright_schedule::{Message, Phases, Schedule};
use meshwright_sim::{Engine, simulate, watch_schedule};
use proptest::prelude::*;

mod naive;

/// Tori of one to three axes, from one node to some hundreds.
fn tori() -> impl Strategy<Value = Machine> {
    let side = || prop_oneof![4 => 2u32..9, 1 => Just(16u32), 1 => Just(1u32)];
    prop::collection::vec(side(), 1..4)
        .prop_filter("some hundred nodes", |sides| sides.iter().product::<u32>() <= 512)
        .prop_map(|sides| {
            let sides: Vec<String> = sides.iter().map(u32::to_string).collect();
            Machine::new(&format!("torus:{}", sides.join("x"))).unwrap()
        })
}

/// Source, target, bytes, phase.
type Drawn = (u32, u32, u64, u32);

/// Messages at random, shifts, and shifts of a part: these fill rings.
fn messages(bytes: std::ops::Range<u64>, most: usize) -> impl Strategy<Value = Vec<Drawn>> {
    let random = prop::collection::vec((0..1u32 << 16, 0..1u32 << 16, bytes.clone(), 1..3u32), 1..most);
    let shift = (0..600u32, 1..64u32, bytes, 1..most as u32).prop_map(|(first, by, bytes, count)| {
        (first..first + count).map(|node| (node, node + by, bytes, 1)).collect()
    });
    prop_oneof![random, shift]
}

fn on(machine: &Machine, drawn: &[Drawn]) -> Vec<Message> {
    let node = |id: u32| NodeId(id % machine.nodes());
    let message = |&(source, target, bytes, phase): &Drawn| Message {
        source: node(source),
        target: node(target),
        bytes: Bytes(bytes),
        phase,
    };
    drawn.iter().map(message).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// The engine and the rules word by word, tick by tick: every arrival.
    #[test]
    fn every_tick_is_that_of_the_rules(
        machine in tori().prop_filter("small", |machine| machine.nodes() <= 64),
        drawn in messages(0..40, 40),
        (startup, flit, one_port) in (0u64..5, 1u64..4, any::<bool>()),
    ) {
        let machine = machine.with_startup(Cycles(startup)).unwrap().with_flit(Bytes(flit)).unwrap();
        let machine = machine.with_port_model(if one_port { PortModel::One } else { PortModel::All });
        // Else who comes into a port within no time is a convention.
        let least = Bytes(u64::from(one_port));
        let at_once = |message: Message| Message { phase: 1, bytes: message.bytes.max(least), ..message };
        let messages: Vec<Message> = on(&machine, &drawn).into_iter().map(at_once).collect();
        let schedule = Schedule::from_phases(&Phases::new(machine.nodes(), messages));
        let ends: Vec<_> = schedule.messages().iter().map(|m| (m.source, m.target, m.bytes.0)).collect();
        let (trace, timeline) = watch_schedule(&machine, &schedule).unwrap();
        prop_assert_eq!(&trace.deadlock, &None);
        let mut model = naive::Model::new(&machine, &ends);
        prop_assert_eq!(model.run(), timeline.arrivals);
        prop_assert_eq!(model.passes, trace.passes);
    }

    /// No torus, job or port model deadlocks under wormhole, and no time is below its bound or above the sum of all.
    #[test]
    fn worms_on_tori_arrive_between_the_bounds(
        machine in tori(),
        drawn in messages(0..300, 120),
        (startup, flit) in (0u64..120, 0u64..40),
        (one_port, byte_time) in (any::<bool>(), 1u64..4),
    ) {
        let machine = machine.with_startup(Cycles(startup)).unwrap().with_flit(Bytes(flit)).unwrap();
        let machine = machine.with_byte_time(Ratio::new(byte_time, 3).unwrap()).unwrap();
        let ports = if one_port { PortModel::One } else { PortModel::All };
        let machine = machine.with_port_model(ports);
        let phases = Phases::new(machine.nodes(), on(&machine, &drawn));
        let trace = simulate(&machine, &phases, &Engine::Message).unwrap();
        prop_assert_eq!(&trace, &simulate(&machine, &phases, &Engine::Message).unwrap());
        prop_assert_eq!(&trace.deadlock, &None);
        let mut loads = LinkLoads::new(machine.links());
        for index in 0..phases.len() {
            let messages = phases.phase(index);
            let pairs: Vec<_> = messages.iter().map(Message::pair).collect();
            let routes = routing::routes(&machine, &pairs).unwrap();
            loads.fill(messages, &routes);
            let (switching, costs) = (machine.switching(), machine.costs());
            let mut low = cost::link_bound(messages, &routes, &loads, switching, costs);
            if one_port {
                low = low.max(cost::ports(messages, switching, costs));
            }
            let high = cost::serial_sum(0, messages, &routes, switching, costs).unwrap();
            let ticks = trace.phase_ticks[index];
            prop_assert!(low <= ticks && ticks <= high, "{low} <= {ticks} <= {high}");
        }
        let free = simulate(&machine, &Schedule::from_phases(&phases), &Engine::Message).unwrap();
        prop_assert_eq!((&free.deadlock, free.messages), (&None, phases.messages().len() as u64));
        prop_assert!(phases.len() > 1 || free.ticks == trace.ticks, "one phase is its schedule");
    }

    /// Where all worms of a link are in one class, it is as if there were no classes: mesh and torus agree on what stays
    /// inside a box of half the sides, ports or not.
    #[test]
    fn worms_that_stay_inside_move_as_on_a_mesh(
        sides in prop::collection::vec(1u32..5, 1..4),
        drawn in messages(0..300, 80),
        (startup, flit, one_port) in (0u64..20, 0u64..20, any::<bool>()),
    ) {
        let build = |family: &str| {
            let doubled: Vec<String> = sides.iter().map(|side| (2 * side).to_string()).collect();
            let machine = Machine::new(&format!("{family}:{}", doubled.join("x"))).unwrap();
            let machine = machine.with_startup(Cycles(startup)).unwrap().with_flit(Bytes(flit)).unwrap();
            machine.with_port_model(if one_port { PortModel::One } else { PortModel::All })
        };
        let inside = |id: u32| {
            let (mut left, mut node) = (id, 0);
            for &side in &sides {
                node = node * 2 * side + left % side;
                left /= side;
            }
            NodeId(node)
        };
        let (mesh, torus) = (build("mesh"), build("torus"));
        let send = |&(source, target, bytes, phase): &Drawn| Message {
            source: inside(source),
            target: inside(target),
            bytes: Bytes(bytes),
            phase,
        };
        let mut messages: Vec<Message> = drawn.iter().map(send).collect();
        // On a torus those of lower sources are first among equals.
        messages.sort_by_key(|message| message.source);
        let phases = Phases::new(mesh.nodes(), messages);
        let run = |machine| simulate(machine, &phases, &Engine::Message).unwrap();
        let [on_mesh, on_torus] = [run(&mesh), run(&torus)];
        prop_assert_eq!((on_mesh.phase_ticks, on_torus.passes), (on_torus.phase_ticks, 0));
    }
}

/// Everybody half-way round a ring of four, by hand.
#[test]
fn worms_pass_where_they_would_wait_in_a_ring() {
    let ring = Machine::new("torus:4").unwrap().with_startup(Cycles(0)).unwrap(); // b = 1, h = 2
    let send = |at| Message { source: NodeId(at), target: NodeId((at + 2) % 4), bytes: Bytes(10), phase: 1 };
    let phases = Phases::new(4, (0..4).map(send).collect());
    let trace = simulate(&ring, &phases, &Engine::Message).unwrap();
    // At 2 all stand on their first links. 2 and 3 have to cross the border and stand in the upper class, so 1 passes 2.
    // Its tail leaves its first link, for which 0 waits, at 2 + 10; for 0's waits 3, for 3's 2: ten ticks later each.
    assert_eq!((trace.ticks, trace.deadlock, trace.passes), (2 + 3 * 10 + 2 + 10, None, 1));
}
