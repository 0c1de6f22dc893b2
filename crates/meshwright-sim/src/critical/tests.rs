use super::*;
use crate::{Engine, simulate};
use meshwright_core::units::{Bytes, Cycles};
use meshwright_network::routing;
use meshwright_network::topology::costs::SWITCHINGS;
use meshwright_network::topology::{Endpoints, PortModel, Switching, Topology};
use meshwright_schedule::Schedule;
use proptest::prelude::*;

const MACHINES: [&str; 6] = ["mesh:4x4", "mesh:3x5", "torus:5x4", "torus:6", "hypercube:4", "ccc:3"];

/// Messages between nodes that look random, in two phases.
fn phases(machine: &Machine, ends: &[(u32, u32, u64)]) -> Phases {
    let living: Vec<NodeId> = machine.living().collect();
    let node = |index: u32| living[index as usize % living.len()];
    let message = |(place, &(from, to, bytes)): (usize, &(u32, u32, u64))| Message {
        source: node(from),
        target: node(to),
        bytes: Bytes(bytes),
        phase: 1 + place as u32 % 2,
    };
    Phases::new(machine.nodes(), ends.iter().enumerate().map(message).collect())
}

/// The steps fill the run without a gap.
fn is_gapless(path: &CriticalPath) -> Result<(), TestCaseError> {
    let mut at = 0;
    for step in &path.steps {
        prop_assert_eq!(step.begin, at);
        prop_assert!(step.end >= step.begin);
        prop_assert!(step.startup + step.overhead + step.waiting <= step.end - step.begin, "{:?}", step);
        at = step.end;
    }
    prop_assert_eq!(at, path.trace.ticks);
    Ok(())
}

/// The links of a message.
fn way(machine: &Machine, message: &Message) -> Vec<LinkId> {
    let routes = routing::routes(machine, &[message.pair()]).unwrap();
    let mut links = Vec::new();
    routes.for_each_link(0, message.pair(), |link| links.push(link));
    links
}

/// How long the closed formula says that a step takes: from the link it waited for, or its start, to the link that the
/// next step waited for, or its target.
fn by_formula(machine: &Machine, step: &Step, next: Option<&Step>) -> u64 {
    let Mover::Message(message) = step.mover else { panic!("messages only") };
    let (costs, links) = (machine.costs(), way(machine, &message));
    let index = |link: Option<LinkId>| {
        links.iter().position(|&one| Some(one) == link).expect("what it waits for or holds is on its way")
    };
    let from = step.blocked.map_or(0, |blocked| index(blocked.link));
    let to = next.and_then(|next| next.blocked).map_or(links.len(), |blocked| index(blocked.link) + 1);
    let startup = if step.blocked.is_none() { costs.startup_ticks() } else { 0 };
    match machine.switching() {
        Switching::StoreAndForward if links.is_empty() => 0,
        Switching::StoreAndForward => {
            (to - from) as u64 * (costs.startup_ticks() + costs.transfer_ticks(message.bytes))
        }
        // A worm that has gone on leaves a link behind its head.
        Switching::Wormhole | Switching::CutThrough => {
            let ahead = (to as i64 - from as i64) * costs.head_ticks() as i64;
            (startup as i64 + ahead + costs.transfer_ticks(message.bytes) as i64) as u64
        }
    }
}

proptest! {
    /// The critical path is that of the run, has no gap, and knows who was waited for.
    #[test]
    fn steps_add_up_to_the_run(
        (which, switching, one_port, dead) in (0usize..6, 0usize..3, any::<bool>(), any::<bool>()),
        (startup, flit) in (0u64..4, 0u64..4),
        (overhead, gap) in (0u64..6, 0u64..12),
        ends in prop::collection::vec((0u32..24, 0u32..24, 0u64..9), 1..40),
    ) {
        let mut machine = Machine::new(MACHINES[which]).unwrap().with_switching(SWITCHINGS[switching].1);
        machine = machine.with_startup(Cycles(startup)).unwrap().with_flit(Bytes(flit)).unwrap();
        let endpoints = Endpoints { overhead: Cycles(overhead / 3), gap: Cycles(gap / 3) };
        machine = machine.with_endpoints(endpoints).unwrap();
        if one_port {
            machine = machine.with_port_model(PortModel::One);
        }
        if dead && which < 2 {
            machine = machine.with_dead(vec![NodeId(5)]).unwrap();
        }
        let phases = phases(&machine, &ends);
        let trace = simulate(&machine, &phases, &Engine::Message).unwrap();
        if trace.deadlock.is_none() {
            let path = of_phases(&machine, &phases).unwrap();
            is_gapless(&path)?;
            prop_assert_eq!(&path.trace, &trace);
            prop_assert!(path.steps.iter().all(|step| step.waiting == 0), "{:?}", path.steps);
        }
        let schedule = Schedule::from_phases(&phases);
        let trace = simulate(&machine, &schedule, &Engine::Message).unwrap();
        if trace.deadlock.is_none() {
            let path = of_schedule(&machine, &schedule).unwrap();
            is_gapless(&path)?;
            prop_assert_eq!(&path.trace, &trace);
            prop_assert!(path.steps.iter().all(|step| step.waiting == 0), "{:?}", path.steps);
        }
    }

    /// Every step takes what the closed formula says of its message between the two links: a second way to each time.
    #[test]
    fn steps_take_what_the_formula_says(
        (which, switching) in (0usize..5, 0usize..3),
        (startup, flit) in (0u64..5, 1u64..4),
        ends in prop::collection::vec((0u32..20, 0u32..20, 0u64..30), 1..40),
    ) {
        let name = ["mesh:4x4", "mesh:3x5", "mesh:9", "hypercube:4", "mesh:2x2x4"][which];
        let mut machine = Machine::new(name).unwrap().with_switching(SWITCHINGS[switching].1);
        machine = machine.with_startup(Cycles(startup)).unwrap().with_flit(Bytes(flit)).unwrap();
        let path = of_phases(&machine, &phases(&machine, &ends)).unwrap();
        for (index, step) in path.steps.iter().enumerate() {
            let next = path.steps.get(index + 1);
            let expected = by_formula(&machine, step, next);
            prop_assert_eq!(step.end - step.begin, expected, "{:?} before {:?}", step, next);
        }
    }

    /// A second wire: messages over one link only take what two machines take that serve them in their order.
    #[test]
    fn a_second_wire_serves_as_two_machines_do(
        switching in 0usize..3,
        flit in 0u64..3,
        sizes in prop::collection::vec(0u64..40, 0..12),
    ) {
        let line = Machine::new("mesh:2").unwrap().with_switching(SWITCHINGS[switching].1);
        let line = line.with_flit(Bytes(flit)).unwrap();
        let send = |&bytes: &u64| Message { source: NodeId(0), target: NodeId(1), bytes: Bytes(bytes), phase: 1 };
        let phases = Phases::new(2, sizes.iter().map(send).collect());
        let link = line.wire(NodeId(0), NodeId(1)).unwrap();
        // c = 100, b = 1. A worm's head comes after the tail before it.
        let (before, each) = match line.switching() {
            Switching::StoreAndForward => (0, 100),
            Switching::Wormhole | Switching::CutThrough => (100, flit),
        };
        let mut wires = [before; 2];
        for bytes in sizes {
            let wire = usize::from(wires[1] < wires[0]);
            wires[wire] += each + bytes;
        }
        let trace = simulate(&line, &phases, &Engine::Doubled(link)).unwrap();
        prop_assert_eq!(trace.ticks, if phases.is_empty() { 0 } else { wires[0].max(wires[1]) });
    }

    /// The same on a longer way, and among others: messages whose only shared link has two wires never wait.
    #[test]
    fn two_messages_pass_a_second_wire_together(
        switching in 0usize..3,
        (one, other) in (1u64..200, 1u64..200),
    ) {
        let mesh = Machine::new("mesh:2x4").unwrap().with_switching(SWITCHINGS[switching].1);
        let send = |source, target, bytes| Message { source: NodeId(source), target: NodeId(target), bytes: Bytes(bytes), phase: 1 };
        // Both cross the link from node 1 to node 2; they come from different nodes and go to different ones.
        let messages = vec![send(0, 6, one), send(1, 3, other)];
        let link = mesh.wire(NodeId(1), NodeId(2)).unwrap();
        let alone = |message: &Message| {
            let hops = mesh.distance(message.source, message.target).unwrap();
            mesh.costs().alone_ticks(mesh.switching(), message.bytes, hops)
        };
        let expected = messages.iter().map(alone).max().unwrap();
        let phases = Phases::new(8, messages);
        prop_assert_eq!(simulate(&mesh, &phases, &Engine::Doubled(link)).unwrap().ticks, expected);
    }

    /// A second wire beside a link that nobody shares changes nothing.
    #[test]
    fn a_second_wire_that_nobody_needs_changes_nothing(
        (which, switching) in (0usize..6, 0usize..3),
        ends in prop::collection::vec((0u32..24, 0u32..24, 0u64..9), 1..30),
    ) {
        let machine = Machine::new(MACHINES[which]).unwrap().with_switching(SWITCHINGS[switching].1);
        let phases = phases(&machine, &ends);
        let uses = |link: LinkId| phases.messages().iter().filter(|one| way(&machine, one).contains(&link)).count();
        let lonely = (0..machine.links()).map(LinkId).find(|&link| {
            machine.target(link).is_some() && uses(link) <= 1
        });
        if let Some(link) = lonely {
            let [own, doubled] =
                [Engine::Message, Engine::Doubled(link)].map(|engine| simulate(&machine, &phases, &engine).unwrap());
            prop_assert_eq!((own.ticks, own.phase_ticks), (doubled.ticks, doubled.phase_ticks));
        }
    }
}

#[test]
fn overhead_and_gap_of_nodes_are_part_of_the_path() {
    let endpoints = Endpoints { overhead: Cycles(7), gap: Cycles(20) };
    let line = Machine::new("mesh:4").unwrap().with_endpoints(endpoints).unwrap();
    let send = |target| Message { source: NodeId(0), target: NodeId(target), bytes: Bytes(5), phase: 1 };
    let path = of_phases(&line, &Phases::new(4, vec![send(1), send(2), send(3)])).unwrap();
    let [step] = path.steps[..] else { panic!("one message") };
    assert_eq!(step.mover, Mover::Message(send(3)), "the third that node 0 sends");
    assert_eq!((step.overhead, step.startup, step.transfer()), (2 * 20 + 7 + 7, 100, 3 * 2 + 5));
    assert_eq!(path.trace.ticks, step.end);
}

/// Of two messages that ask for a link at the same time the one of the lower source is first on a torus, whether nodes take time or
/// not: the run of phases, its path and the schedule that is made of them end together.
#[test]
fn ties_on_rings_are_broken_alike() {
    for overhead in [0, 5] {
        let endpoints = Endpoints { overhead: Cycles(overhead), gap: Cycles(0) };
        let torus = Machine::new("torus:4x4").unwrap().with_startup(Cycles(10)).unwrap();
        let torus = torus.with_endpoints(endpoints).unwrap();
        let send = |source, target| Message {
            source: NodeId(source),
            target: NodeId(target),
            bytes: Bytes(100),
            phase: 1,
        };
        let phases = Phases::new(16, vec![send(13, 7), send(8, 3)]);
        let run = simulate(&torus, &phases, &Engine::Message).unwrap();
        assert_eq!(run.ticks, 220 + 2 * overhead, "the one of node 8 goes first");
        assert_eq!(of_phases(&torus, &phases).unwrap().trace, run);
        let schedule = Schedule::from_phases(&phases);
        assert_eq!(simulate(&torus, &schedule, &Engine::Message).unwrap().ticks, run.ticks);
    }
}
