//! The paper's split as a scheme.

use super::RankSplitting;
use super::neighbours::AdjacentRoot;
use super::packet::RankSplitPacket;
use super::routing::Routed;
use crate::Group;
use crate::protocol::{Join, Label, Outbox, Position, Scheme};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Bytes, NodeId};
use meshwright_member as core;
use meshwright_member::splitting::{RankSplitEvent, Steps};
use meshwright_network::topology::Machine;

/// On whose trees groups join again.
///
/// Messages that come before a member is ready for them are at most two of its present tree, and of each split around
/// it one of the adjacent root, or two of children in the other group: their number does not grow with the groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Joining {
    /// Up the trees of both groups, their roots tell each other, and down again: the paper's.
    #[default]
    SubTrees,
    /// A barrier on the tree of the group they came from: it needs no adjacent roots.
    ParentTree,
}

/// The paper's split into the groups of state 0 and state 1, which keep the order of their members.
///
/// A vertex does the steps one after the other: it holds packets of others until its own step 4.
///
/// The steps 2 and 5 can be left out. Step 2 makes sure that every vertex has its functions when a packet comes; holding
/// packets until one's own functions have come does so alone, and where channels keep the order of messages none ever
/// come earlier. Step 5 is a barrier: without it a member goes on as soon as it has heard of
/// its own new neighbours, and answers packets of others later.
///
/// # Source
///
/// `chochia1996`, section 3.
///
/// # Examples
///
/// ```
/// use meshwright_groups::rank_split::RankSplit;
/// use meshwright_groups::protocol::{Label, Operation, Script, members};
/// use meshwright_groups::Group;
/// use meshwright_sim as sim;
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let mesh = Machine::new("mesh:2x2")?;
/// let group = Group::whole(&mesh, "hilbert")?; // nodes 0, 2, 3, 1
/// let split = |colour| Script::new(vec![Operation::Split(Label { colour, key: 0 })]);
/// let paper = RankSplit::default();
/// let mut members = members(&paper, &mesh, &group, [1, 0, 1, 1].map(split).to_vec())?;
/// sim::run(&mesh, &mut members, &sim::Engine::Message)?;
/// let place = members[3].places().last().unwrap();
/// assert_eq!((place.rank(), place.size()), (1, 3));
/// assert_eq!(place.adjacent_root(), Some(NodeId(2)));
/// assert_eq!(members[3].splitting(0).unwrap().functions().unwrap().before, [1, 1]);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankSplit {
    /// Whether step 2 is done: a pass up the tree before packets are routed.
    pub partial: bool,
    /// Whether step 5 is done: a barrier before the new groups are entered.
    pub full: bool,
    /// On whose trees groups join again.
    pub joining: Joining,
}

impl Default for RankSplit {
    /// All steps, and the paper's join.
    fn default() -> Self {
        Self { partial: true, full: true, joining: Joining::SubTrees }
    }
}

impl RankSplit {
    /// Without the steps 2 and 5.
    pub fn short() -> Self {
        Self { partial: false, full: false, ..Self::default() }
    }

    fn steps(&self) -> Steps {
        Steps { partial: self.partial, full: self.full }
    }

    /// Whether this split can do what the labels ask for; they stand in the order of ranks.
    ///
    /// # Errors
    ///
    /// [`Error::NotApplicable`] when a colour is neither 0 nor 1, or keys would change the order of members.
    ///
    /// # Complexity
    ///
    /// O(s).
    pub fn check(labels: &[Label]) -> Result<()> {
        let refuse = |why: String| Err(Error::not_applicable("the paper's split", why));
        let mut last = [0; 2];
        for (rank, label) in labels.iter().enumerate() {
            let Some(last) = last.get_mut(label.colour as usize) else {
                return refuse(format!("rank {rank} has colour {}: its states are 0 and 1", label.colour));
            };
            if label.key < *last {
                return refuse(format!("the key of rank {rank} would move it: members keep their order"));
            }
            *last = label.key;
        }
        Ok(())
    }
}

impl core::Outbox<NodeId, RankSplitPacket> for Outbox<RankSplitPacket> {
    fn send(&mut self, to: NodeId, bytes: u64, packet: RankSplitPacket) {
        self.messages.push((to, Bytes(bytes), packet));
    }
}

impl Scheme for RankSplit {
    const STEPS: &'static [&'static str] = RankSplitPacket::STEPS;

    type Known = AdjacentRoot;
    type Packet = RankSplitPacket;
    type Splitting = RankSplitting;

    fn is_ordered(&self) -> bool {
        true
    }

    fn places(&self, _: &Machine, group: &Group) -> Result<Vec<Position<AdjacentRoot>>> {
        Ok((0..group.size()).map(|rank| Position::in_group(group, rank)).collect())
    }

    fn join<'p>(&self, parent: &'p Position<AdjacentRoot>, own: &'p Position<AdjacentRoot>) -> Join<'p> {
        match self.joining {
            Joining::SubTrees => Join { links: own.links(), across: own.adjacent_root() },
            Joining::ParentTree => Join { links: parent.links(), across: None },
        }
    }

    /// # Panics
    ///
    /// When the colour is neither 0 nor 1; see [`RankSplit::check`]. Keys are not looked at.
    fn begin(
        &self,
        node: NodeId,
        place: &Position<AdjacentRoot>,
        label: Label,
        out: &mut Outbox<RankSplitPacket>,
    ) -> RankSplitting {
        assert!(label.colour < 2, "the paper's states are 0 and 1");
        RankSplitting::begin(node, label.colour as u8, &mut RankSplitEvent::at(self.steps(), place, out))
            .expect("lists grow")
    }

    fn receive(
        &self,
        _: NodeId,
        place: &Position<AdjacentRoot>,
        splitting: &mut RankSplitting,
        from: NodeId,
        packet: RankSplitPacket,
        out: &mut Outbox<RankSplitPacket>,
    ) {
        let event = &mut RankSplitEvent::at(self.steps(), place, out);
        splitting.receive(from, packet, event).expect("lists grow");
    }

    fn take_place(&self, splitting: &mut RankSplitting) -> Option<Position<AdjacentRoot>> {
        let (rank, size, neighbours) = splitting.take_place()?;
        Some(Position::beside(rank, size, neighbours))
    }

    fn step(packet: &RankSplitPacket) -> usize {
        packet.step()
    }

    fn bytes_kept(place: &Position<AdjacentRoot>, splitting: Option<&RankSplitting>) -> usize {
        let held =
            |splitting: &RankSplitting| size_of_val(splitting) + splitting.waiting() * size_of::<Routed>();
        place.bytes() + splitting.map_or(0, held)
    }
}
