//! Every member alone makes of the blocks it has seen what the simulation makes once for all.

use std::sync::Mutex;

use meshwright_core::error::Result;
use meshwright_core::units::{Bytes, NodeId};
use meshwright_groups::Group;
use meshwright_groups::mask::coding::Run;
use meshwright_groups::mask::{Block, Coding, Extent, Mask, Packet, Parts, Roster};
use meshwright_groups::protocol::{Label, Links, Operation, Outbox, Scheme, Script, members};
use meshwright_network::topology::{Machine, Topology};
use meshwright_sim as sim;

use super::{HALVING, label, mix};

/// MASK, with a note of every block that comes down to every node.
struct Witness<'m> {
    mask: Mask<'m>,
    seen: Mutex<Vec<Vec<Block>>>,
}

impl<'m> Scheme for Witness<'m> {
    const ORDERED: bool = Mask::ORDERED;
    const STEPS: &'static [&'static str] = Mask::STEPS;
    type Place = <Mask<'m> as Scheme>::Place;
    type Packet = Packet;
    type Splitting = <Mask<'m> as Scheme>::Splitting;

    fn places(&self, machine: &Machine, group: &Group) -> Result<Vec<Self::Place>> {
        self.mask.places(machine, group)
    }
    fn links(place: &Self::Place) -> &Links {
        Mask::links(place)
    }
    fn rank_and_size(place: &Self::Place) -> (u32, u32) {
        Mask::rank_and_size(place)
    }
    fn begin(
        &self,
        node: NodeId,
        place: &Self::Place,
        label: Label,
        out: &mut Outbox<Packet>,
    ) -> Self::Splitting {
        self.mask.begin(node, place, label, out)
    }
    fn receive(
        &self,
        node: NodeId,
        place: &Self::Place,
        splitting: &mut Self::Splitting,
        from: NodeId,
        packet: Packet,
        out: &mut Outbox<Packet>,
    ) {
        if let Packet::Spread(block, _) = &packet {
            self.seen.lock().unwrap()[node.index()].push(block.clone());
        }
        self.mask.receive(node, place, splitting, from, packet, out);
    }
    fn take_place(&self, splitting: &mut Self::Splitting) -> Option<Self::Place> {
        self.mask.take_place(splitting)
    }
    fn step(packet: &Packet) -> usize {
        Mask::step(packet)
    }
    fn bytes_kept(place: &Self::Place, splitting: Option<&Self::Splitting>) -> usize {
        Mask::bytes_kept(place, splitting)
    }
}

#[test]
fn every_member_makes_the_same_of_what_it_has_seen() {
    let machine = Machine::new("mesh:6x7").unwrap();
    let group = Group::whole(&machine, "hilbert").unwrap();
    let labels: Vec<Label> = (0..42).map(|i| label(mix(i / 3) % 5, mix(i) % 6)).collect();
    let mask = Mask::new(&machine, HALVING).knowing(5, 6);
    let witness = Witness { mask, seen: Mutex::new(vec![Vec::new(); 42]) };
    let scripts = labels.iter().map(|&label| Script::new(vec![Operation::Split(label)])).collect();
    let mut processes = members(&witness, &machine, &group, scripts).unwrap();
    sim::run(&machine, &mut processes, &sim::Engine::Message).unwrap();
    let coding = Coding::new(Extent { colours: (0, 4), keys: (0, 5) }, 42, Bytes(8));
    assert_eq!(coding.bits(), 6);
    let whole = Roster::new(group.clone(), HALVING(&machine, &group).unwrap());
    let seen = witness.seen.lock().unwrap();
    for (rank, &node) in (0..).zip(group.members()) {
        let mut blocks = seen[node.index()].clone();
        if whole.tree().root() == rank {
            assert!(blocks.is_empty(), "nothing comes down to the root");
            continue;
        }
        assert!(blocks.len() > 1);
        blocks.sort_by_key(|block| block.first);
        let runs: Vec<Run> = blocks.iter().flat_map(|block| coding.decode(block)).collect();
        let parts = Parts::new(&machine, HALVING, &whole, &coding, &runs);
        let (roster, new) = parts.place(rank);
        let place = processes[node.index()].places().last().unwrap();
        assert_eq!(
            (roster.group(), roster.tree(), new),
            (place.roster.group(), place.roster.tree(), place.rank)
        );
        assert_eq!(roster.links(new), place.roster.links(new));
    }
    assert_eq!(machine.nodes(), 42);
}
