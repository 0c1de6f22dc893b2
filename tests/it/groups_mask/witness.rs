//! Every member alone makes of the blocks it has seen what the simulation makes once for all.

use std::sync::Mutex;

use meshwright_core::error::Result;
use meshwright_core::units::{Bytes, NodeId};
use meshwright_groups::Group;
use meshwright_groups::mask::coding::LabelRun;
use meshwright_groups::mask::{Block, Coding, Extent, Mask, MaskPacket, Membership, Parts};
use meshwright_groups::protocol::{Label, Operation, Outbox, Position, Scheme, Script, members};
use meshwright_network::topology::{Machine, Topology};
use meshwright_sim as sim;

use super::{HALVING, label, mix};

/// MASK, with a note of every block that comes down to every node.
struct Witness<'m> {
    mask: Mask<'m>,
    seen: Mutex<Vec<Vec<Block>>>,
}

impl<'m> Scheme for Witness<'m> {
    const STEPS: &'static [&'static str] = Mask::STEPS;
    type Known = <Mask<'m> as Scheme>::Known;
    type Packet = MaskPacket;
    type Splitting = <Mask<'m> as Scheme>::Splitting;

    fn is_ordered(&self) -> bool {
        self.mask.is_ordered()
    }

    fn places(&self, machine: &Machine, group: &Group) -> Result<Vec<Position<Self::Known>>> {
        self.mask.places(machine, group)
    }
    fn begin(
        &self,
        node: NodeId,
        place: &Position<Self::Known>,
        label: Label,
        out: &mut Outbox<MaskPacket>,
    ) -> Self::Splitting {
        self.mask.begin(node, place, label, out)
    }
    fn receive(
        &self,
        node: NodeId,
        place: &Position<Self::Known>,
        splitting: &mut Self::Splitting,
        from: NodeId,
        packet: MaskPacket,
        out: &mut Outbox<MaskPacket>,
    ) {
        if let MaskPacket::Spread(block, _) = &packet {
            self.seen.lock().unwrap()[node.index()].push(block.clone());
        }
        self.mask.receive(node, place, splitting, from, packet, out);
    }
    fn take_place(&self, splitting: &mut Self::Splitting) -> Option<Position<Self::Known>> {
        self.mask.take_place(splitting)
    }
    fn step(packet: &MaskPacket) -> usize {
        Mask::step(packet)
    }
    fn bytes_kept(place: &Position<Self::Known>, splitting: Option<&Self::Splitting>) -> usize {
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
    let whole = Membership::new(group.clone(), HALVING(&machine, &group).unwrap());
    let seen = witness.seen.lock().unwrap();
    for (rank, &node) in (0..).zip(group.members()) {
        let mut blocks = seen[node.index()].clone();
        if whole.tree().root() == rank {
            assert!(blocks.is_empty(), "nothing comes down to the root");
            continue;
        }
        assert!(blocks.len() > 1);
        blocks.sort_by_key(|block| block.first);
        let runs: Vec<LabelRun> = blocks.iter().flat_map(|block| coding.decode(block)).collect();
        let parts = Parts::new(&machine, HALVING, &whole, &coding, &runs);
        let (membership, new) = parts.place(rank);
        let place = processes[node.index()].places().last().unwrap();
        assert_eq!(
            (membership.group(), membership.tree(), new),
            (place.known().group(), place.known().tree(), place.rank())
        );
        assert_eq!(membership.links(new), place.known().links(new));
    }
    assert_eq!(machine.nodes(), 42);
}
