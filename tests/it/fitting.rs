//! M3: the referee that fits: whole messages, with date-line classes on a torus, and routers where they wait in a ring.

use meshwright_core::units::{Bytes, NodeId};
use meshwright_network::routing;
use meshwright_network::topology::{Machine, Switching, Topology};
use meshwright_schedule::cost::{self, LinkLoads};
use meshwright_schedule::{Message, Phases};
use meshwright_sim::fitting::{self, FLIT_HOPS_MAX};
use meshwright_sim::flit::Router;
use meshwright_sim::{Engine, simulate};
use proptest::prelude::*;

const RINGS: [&str; 7] =
    ["torus:4x4", "torus:5", "torus:3x6", "torus:2x4x4", "torus:8", "gaussian:3+2i", "ccc:3"];

fn messages(machine: &Machine, drawn: &[(u32, u32, u64, u32)]) -> Vec<Message> {
    let node = |id: u32| NodeId(id % machine.nodes());
    let message = |&(source, target, bytes, phase): &(u32, u32, u64, u32)| Message {
        source: node(source),
        target: node(target),
        bytes: Bytes(bytes),
        phase,
    };
    drawn.iter().map(message).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    /// M3: on networks with rings every phased graph has a time under wormhole. It is that of whole messages where
    /// those end, on a torus always, else that of the flit engine, and never below what no schedule on these routes beats.
    #[test]
    fn rings_have_an_answer_above_every_bound(
        which in 0..RINGS.len(),
        drawn in prop::collection::vec((0u32..64, 0u32..64, 0u64..600, 1u32..3), 1..60),
    ) {
        let machine = Machine::new(RINGS[which]).unwrap();
        let phases = Phases::new(machine.nodes(), messages(&machine, &drawn));
        let fitted = fitting::simulate(&machine, &phases, FLIT_HOPS_MAX).unwrap();
        prop_assert_eq!(&fitted.trace.deadlock, &None);
        let whole = simulate(&machine, &phases, &Engine::Message).unwrap();
        prop_assert!(whole.deadlock.is_none() || machine.whole_grid().is_none());
        if whole.deadlock.is_none() {
            prop_assert_eq!((&fitted.trace, fitted.engine()), (&whole, "message"));
            let channels = fitted.routers.map(|routers| (routers.whole_messages, routers.virtual_channels));
            prop_assert_eq!(channels, (whole.passes > 0).then_some((true, 2)));
        } else {
            let routers = Engine::Flit(Router::ideal(&machine).into());
            prop_assert_eq!(&fitted.trace, &simulate(&machine, &phases, &routers).unwrap());
            prop_assert_eq!(fitted.routers.as_ref().map(|routers| routers.flit), Some(2));
        }
        let mut loads = LinkLoads::new(machine.links());
        for index in 0..phases.len() {
            let messages = phases.phase(index);
            let pairs: Vec<_> = messages.iter().map(Message::pair).collect();
            let routes = routing::routes(&machine, &pairs).unwrap();
            loads.fill(messages, &routes);
            let bound = match machine.whole_grid() {
                Some(_) => cost::link_bound(messages, &routes, &loads, Switching::Wormhole, machine.costs()),
                // The routers of other networks go other ways, no shorter ones.
                None => cost::alone(messages, &routes, Switching::Wormhole, machine.costs()),
            };
            prop_assert!(bound <= fitted.trace.phase_ticks[index]);
        }
    }

    /// M3: longer flits keep the bounds, and take at most twice and at least half as long as short ones where every
    /// message has 64 of them.
    #[test]
    fn longer_flits_keep_the_bounds_and_stay_near(
        which in 0usize..5,
        drawn in prop::collection::vec((0u32..64, 0u32..64, 512u64..2000, 1u32..2), 8..40),
    ) {
        let machine = Machine::new(RINGS[which]).unwrap();
        let phases = Phases::new(machine.nodes(), messages(&machine, &drawn));
        let routers = Engine::Flit(Router::ideal(&machine).into());
        let fine = simulate(&machine, &phases, &routers).unwrap();
        let mut coarse = machine.clone();
        coarse = coarse.with_flit(Bytes(8)).unwrap();
        let long = simulate(&coarse, &phases, &routers).unwrap();
        let pairs: Vec<_> = phases.messages().iter().map(Message::pair).collect();
        let routes = routing::routes(&machine, &pairs).unwrap();
        let mut loads = LinkLoads::new(machine.links());
        loads.fill(phases.messages(), &routes);
        prop_assert!(cost::link_bound(phases.messages(), &routes, &loads, Switching::Wormhole, machine.costs()) <= long.ticks);
        let ratio = long.ticks as f64 / fine.ticks as f64;
        prop_assert!((0.5..2.0).contains(&ratio), "{ratio}");
    }
}

/// M3: a run that would take too many flits takes longer ones and says so; one of too many messages is refused with its
/// price, and the ring stays the answer.
#[test]
fn work_is_priced_before_it_is_done() {
    // The ways of a Gaussian machine close rings that no date-line cuts.
    let ring = Machine::new("gaussian:3+2i").unwrap();
    let across = |bytes| {
        let send =
            |at| Message { source: NodeId(at), target: NodeId((at + 3) % 13), bytes: Bytes(bytes), phase: 1 };
        Phases::new(13, (0..13).map(send).collect())
    };
    let large = fitting::simulate(&ring, &across(1 << 30), FLIT_HOPS_MAX).unwrap();
    let flit = large.routers.expect("it ran on routers").flit;
    let hops = |at| u64::from(ring.distance(NodeId(at), NodeId((at + 3) % 13)).unwrap().0);
    let hops: u64 = (0..13).map(hops).sum();
    assert!(
        flit > 2 && u128::from((1u64 << 30) / flit) * u128::from(hops) <= u128::from(FLIT_HOPS_MAX),
        "flits of {flit} B"
    );
    assert!(large.trace.ticks >= 100 + (1 << 30));
    // Short enough for the machine's own flits, the same in proportion.
    let small = fitting::simulate(&ring, &across(1 << 20), FLIT_HOPS_MAX).unwrap();
    assert_eq!(small.routers.expect("it ran on routers").flit, 2);
    let ratio = large.trace.ticks as f64 / small.trace.ticks as f64 / 1024.0;
    assert!((ratio - 1.0).abs() < 0.05, "late by some flits at most: {ratio}");
}
