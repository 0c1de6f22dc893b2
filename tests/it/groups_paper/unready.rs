//! What keeps packets from vertices that do not have their functions yet.

use meshwright_core::error::Result;
use meshwright_core::rng::stream;
use meshwright_core::units::{Bytes, NodeId};
use meshwright_groups::Group;
use meshwright_groups::protocol::{Label, Operation, Outbox, Position, Scheme, Script, Side, members};
use meshwright_groups::rank_split::packet::RankSplitPacket;
use meshwright_groups::rank_split::routing::{Hop, route};
use meshwright_groups::rank_split::{AdjacentRoot, RankSplit, RankSplitting};
use meshwright_network::topology::Machine;
use meshwright_sim::any_order::{Adversary, Order};
use rand::RngExt;

use super::protocol::run;

/// The paper's split by members that pass packets of others on whenever they have their functions, at their own step 2
/// too.
#[derive(Debug)]
struct Hasty(RankSplit);

impl Scheme for Hasty {
    const STEPS: &'static [&'static str] = RankSplit::STEPS;
    type Known = AdjacentRoot;
    type Packet = RankSplitPacket;
    type Splitting = RankSplitting;

    fn is_ordered(&self) -> bool {
        self.0.is_ordered()
    }

    fn places(&self, machine: &Machine, group: &Group) -> Result<Vec<Position<AdjacentRoot>>> {
        self.0.places(machine, group)
    }
    fn begin(
        &self,
        node: NodeId,
        place: &Position<AdjacentRoot>,
        label: Label,
        out: &mut Outbox<RankSplitPacket>,
    ) -> RankSplitting {
        self.0.begin(node, place, label, out)
    }
    fn receive(
        &self,
        node: NodeId,
        place: &Position<AdjacentRoot>,
        splitting: &mut RankSplitting,
        from: NodeId,
        packet: RankSplitPacket,
        out: &mut Outbox<RankSplitPacket>,
    ) {
        let hop = match (&packet, splitting.functions()) {
            (RankSplitPacket::Routing(routed), Some(functions)) => route(functions, routed),
            _ => Hop::Here,
        };
        let child = |side| place.links().children.iter().find(|child| child.1 == side).unwrap().0;
        let to = match hop {
            Hop::Here => return self.0.receive(node, place, splitting, from, packet, out),
            Hop::Left => child(Side::Left),
            Hop::Right => child(Side::Right),
            Hop::Parent => place.links().parent.unwrap(),
        };
        out.send(to, Bytes(RankSplitPacket::BYTES), packet);
    }
    fn take_place(&self, splitting: &mut RankSplitting) -> Option<Position<AdjacentRoot>> {
        self.0.take_place(splitting)
    }
    fn step(packet: &RankSplitPacket) -> usize {
        RankSplit::step(packet)
    }
    fn bytes_kept(place: &Position<AdjacentRoot>, splitting: Option<&RankSplitting>) -> usize {
        RankSplit::bytes_kept(place, splitting)
    }
}

const RUNS: u64 = 60;

/// In how many runs a packet came to a vertex that did not have its functions yet.
fn unready<S: Scheme<Splitting = RankSplitting>>(scheme: &S, in_channels: bool) -> usize {
    let machine = Machine::new("mesh:6x6").unwrap();
    let group = Group::whole(&machine, "hilbert").unwrap();
    let mut random = stream(5, "labels");
    let mut is_unready = |seed: &u64| {
        let mut script = |_| {
            let colour = random.random_range(0..2);
            Script::new(vec![Operation::Split(Label { colour, key: 0 })])
        };
        let scripts = (0..36).map(&mut script).collect();
        let mut members = members(scheme, &machine, &group, scripts).unwrap();
        run(&mut members, Adversary { order: Order::Random, in_channels, seed: *seed });
        members.iter().any(|member| member.splitting(0).unwrap().unready() > 0)
    };
    (0..RUNS).filter(&mut is_unready).count()
}

#[test]
fn step_2_or_the_order_of_messages_keeps_packets_from_unready_vertices() {
    let (with_step_2, without) = (RankSplit::default(), RankSplit { partial: false, ..RankSplit::default() });
    assert_eq!(unready(&with_step_2, false), 0, "step 2 does its job on any channels");
    assert_eq!(unready(&without, true), 0, "where messages keep their order it is not needed");
    let needed = unready(&without, false);
    assert!(needed > RUNS as usize / 2, "where they do not it is, or packets are held: {needed}");
    // Step 2 does its job only where vertices hold packets until their own step 2 is over.
    assert_eq!(unready(&Hasty(with_step_2), true), 0);
    let hasty = unready(&Hasty(with_step_2), false);
    assert!(0 < hasty && hasty < needed, "{hasty}, {needed}");
}
