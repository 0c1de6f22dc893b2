//! The same protocols on the flit engine: where nobody waits, the same results at the same times.

use meshwright_sim::flit::Router;

use super::*;

/// The ideal router, with the two classes that the date-lines of a torus need.
fn routers(machine: &Machine) -> Router {
    let mut router = Router::ideal(machine);
    router.virtual_channels = 2;
    router
}

/// Runs on both engines; the traces, and what the processes know in the end, must be the same.
fn same_on_both(machine: &Machine, members: &[Member]) -> Trace {
    let (mut by_message, mut by_flit) = (members.to_vec(), members.to_vec());
    let expected = run(machine, &mut by_message, &Engine::Message).unwrap();
    let found = run(machine, &mut by_flit, &Engine::Flit(routers(machine).into())).unwrap();
    assert_eq!(found, expected, "{} {:?}", machine.name(), machine.switching());
    assert_eq!(by_flit, by_message, "{} {:?}", machine.name(), machine.switching());
    found
}

/// Costs and values with which everything takes a whole number of flit times: a flit of one byte.
fn fine(name: &str, switching: Switching) -> Machine {
    let mut machine = Machine::new(name).unwrap().with_switching(switching);
    machine = machine.with_flit(Bytes(1)).unwrap();
    machine
}

#[test]
fn a_ring_and_a_tree_are_the_same() {
    for &(_, switching) in SWITCHINGS {
        let ring = same_on_both(&fine("torus:8", switching), &group(Protocol::Ring, 0, 8));
        let tree = same_on_both(&fine("mesh:8", switching), &group(Protocol::Tree, 0, 8));
        assert_eq!((ring.messages, tree.messages), (15, 7));
        assert_eq!((ring.longest_wait, tree.longest_wait), (None, None), "{switching:?}");
    }
}

/// 1,536 groups: pairs on even rows of a 64 x 64 mesh, fours on odd ones, rings and trees by turns.
#[test]
fn more_than_a_thousand_groups_at_once_are_the_same() {
    let mut members = Vec::new();
    for row in 0..64u32 {
        let size = if row % 2 == 0 { 2 } else { 4 };
        for g in 0..64 / size {
            let protocol = if (row / 2 + g) % 2 == 0 { Protocol::Ring } else { Protocol::Tree };
            members.extend(group(protocol, 64 * row + size * g, size));
        }
    }
    let trace = same_on_both(&fine("mesh:64x64", Switching::Wormhole), &members);
    assert_eq!((trace.unfinished.len(), trace.longest_wait), (0, None));
    // Rings of two and four send 3 and 7 messages, trees 1 and 3; half of 1,024 pairs and of 512 fours are rings.
    assert_eq!(trace.messages, 512 * (3 + 1) + 256 * (7 + 3));
}

#[test]
fn silence_and_standstill_are_answers() {
    let mut ring = group(Protocol::Ring, 0, 4);
    ring[0].protocol = Protocol::Absent;
    let silent = same_on_both(&fine("mesh:4", Switching::Wormhole), &ring);
    assert_eq!((silent.unfinished, silent.deadlock), ([1, 2, 3].map(NodeId).to_vec(), None));

    let sends = || (0..5).map(|i| Once { to: (i + 2) % 5, bytes: 4096 }).collect::<Vec<_>>();
    let ring = Machine::new("torus:5").unwrap();
    let mut one_class = routers(&ring);
    one_class.virtual_channels = 1;
    one_class.set("routing", "dimension-order-one-class").unwrap();
    let stuck = run(&ring, &mut sends(), &Engine::Flit(one_class.into())).unwrap();
    assert_eq!(stuck.deadlock.expect("each holds a link and wants the next").len(), 5);
    assert_eq!((stuck.messages, stuck.unfinished.len()), (0, 5));
    let free = run(&ring, &mut sends(), &Engine::Flit(routers(&ring).into())).unwrap();
    assert_eq!((free.messages, free.unfinished.len(), free.deadlock), (5, 0, None), "with date-line classes");
}

#[test]
fn unacceptable_actions_are_errors_on_routers() {
    let run = |machine: &Machine, to: u32, bytes: u64| {
        let mut processes: Vec<Once> = (0..4).map(|_| Once { to, bytes }).collect();
        let trace = run(machine, &mut processes, &Engine::Flit(routers(machine).into()));
        trace.map(|trace| trace.messages).map_err(|error| error.to_string())
    };
    let line = Machine::new("mesh:4").unwrap();
    assert_eq!(run(&line, 4, 1).unwrap_err(), "target of a message is 4; expected a node from 0 to 3");
    assert!(run(&line, 1, (1 << 40) + 1).unwrap_err().contains("expected at most 1099511627776 bytes"));
    assert_eq!(run(&line, 1, 8), Ok(4));
    let cut = Machine::new("mesh:4").unwrap().with_dead(vec![NodeId(2)]).unwrap();
    let apart = run(&cut, 0, 1).unwrap_err();
    assert!(apart.contains("there is no path from node"), "{apart}");
    let dead = run(&Machine::new("mesh:2x2").unwrap().with_dead(vec![NodeId(3)]).unwrap(), 3, 1);
    assert!(dead.unwrap_err().contains("to node (1,1)"));
}
