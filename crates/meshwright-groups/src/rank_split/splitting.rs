//! The part of one member in one split: the six steps.

use super::functions::{Functions, PerState, in_sub_tree};
use super::neighbours::{AdjacentRoot, Neighbours};
use super::packet::RankSplitPacket;
use super::routing::{Hop, Role, Routed, route};
use super::scheme::RankSplit;
use crate::protocol::{Outbox, Position, Side};
use crate::rank_halving;
use meshwright_core::units::NodeId;

/// What a member keeps of a split, from its own call of it until the groups join again.
#[derive(Debug)]
pub struct RankSplitting {
    node: NodeId,
    state: u8,
    /// f_L and f_R, as far as the children have told them.
    counts: [PerState; 2],
    functions: Option<Functions>,
    neighbours: Neighbours,
    /// Children that have not told their counts, have not passed on step 2, have not passed on step 5.
    waiting: [u8; 3],
    /// New neighbours that have not been heard of; known once the functions are.
    missing: u8,
    /// Packets of others that came before this member was at step 4.
    held: Vec<Routed>,
    held_all: u32,
    /// How many of them even came before the functions.
    unready: u32,
    progress: Progress,
}

/// How far a member has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Progress {
    /// It has not sent its own packets on their way.
    Evaluating,
    /// It has, and waits for those of its new neighbours.
    Routing,
    /// It has told its parent that its sub-tree is done, and waits for the release.
    Gathered,
    /// It may go on.
    Released,
    /// It has taken its new place.
    Active,
}

const COUNTS: usize = 0;
const PARTIAL: usize = 1;
const GATHER: usize = 2;

/// What does not change while a member handles one event.
pub(super) struct RankSplitEvent<'e> {
    pub paper: &'e RankSplit,
    pub place: &'e Position<AdjacentRoot>,
    pub out: &'e mut Outbox<RankSplitPacket>,
}

impl RankSplitEvent<'_> {
    fn send(&mut self, to: NodeId, packet: RankSplitPacket) {
        self.out.send(to, RankSplitPacket::BYTES, packet);
    }

    /// To the parent; whether there is one.
    fn send_up(&mut self, packet: RankSplitPacket) -> bool {
        let parent = self.place.links().parent;
        if let Some(parent) = parent {
            self.send(parent, packet);
        }
        parent.is_some()
    }

    fn child(&self, side: Side) -> NodeId {
        let child = self.place.links().children.iter().find(|child| child.1 == side);
        child.expect("a side with vertices has a child").0
    }
}

impl RankSplitting {
    /// A member begins to split its group.
    pub(super) fn begin(node: NodeId, state: u8, event: &mut RankSplitEvent<'_>) -> Self {
        let children = event.place.links().children.len() as u8;
        let mut splitting = Self {
            node,
            state,
            counts: [[0; 2]; 2],
            functions: None,
            neighbours: Neighbours::default(),
            waiting: [children; 3],
            missing: 0,
            held: Vec::new(),
            held_all: 0,
            unready: 0,
            progress: Progress::Evaluating,
        };
        splitting.count(event);
        splitting
    }

    /// A packet has come.
    pub(super) fn receive(&mut self, from: NodeId, packet: RankSplitPacket, event: &mut RankSplitEvent<'_>) {
        match packet {
            RankSplitPacket::Forward(counts) => {
                let child = event.place.links().children.iter().find(|child| child.0 == from);
                let (_, side) = child.expect("counts come from children");
                self.counts[*side as usize] = counts;
                self.waiting[COUNTS] -= 1;
                self.count(event);
            }
            RankSplitPacket::Backward { total, before } => {
                let [left, _] = self.counts;
                // Ranks before the sub-tree: all before this member but its left sub-tree.
                let all_before = event.place.rank() - left[0] - left[1];
                let total = [total, event.place.size() - total];
                self.evaluate(total, [before, all_before - before], event);
            }
            RankSplitPacket::Partial => {
                self.waiting[PARTIAL] -= 1;
                self.synchronise_partially(event);
            }
            RankSplitPacket::Routing(routed) if self.progress == Progress::Evaluating => {
                self.held.push(routed);
                self.held_all += 1;
                self.unready += u32::from(self.functions.is_none());
            }
            RankSplitPacket::Routing(routed) => self.pass_on(routed, event),
            RankSplitPacket::Gather => {
                self.waiting[GATHER] -= 1;
                self.synchronise(event);
            }
            RankSplitPacket::Release => self.release(event),
        }
    }

    /// Step 1, the forward pass.
    fn count(&mut self, event: &mut RankSplitEvent<'_>) {
        if self.waiting[COUNTS] > 0 {
            return;
        }
        let [left, right] = self.counts;
        let counts = in_sub_tree(self.state, left, right);
        if !event.send_up(RankSplitPacket::Forward(counts)) {
            self.evaluate(counts, [0; 2], event);
        }
    }

    /// Step 1, the backward pass, and step 3.
    fn evaluate(&mut self, total: PerState, before: PerState, event: &mut RankSplitEvent<'_>) {
        let [left, right] = self.counts;
        let functions = Functions::new(self.state, left, right, total, before);
        self.functions = Some(functions);
        for &(child, side) in &event.place.links().children {
            let before = functions.before_child(side)[0];
            event.out.send(
                child,
                RankSplitPacket::BYTES,
                RankSplitPacket::Backward { total: total[0], before },
            );
        }
        self.missing = requests(&functions, self.node).count() as u8;
        if event.paper.partial {
            self.synchronise_partially(event);
        } else {
            self.send_requests(event);
        }
    }

    /// Step 2: all below have their functions.
    fn synchronise_partially(&mut self, event: &mut RankSplitEvent<'_>) {
        if self.functions.is_some() && self.waiting[PARTIAL] == 0 {
            event.send_up(RankSplitPacket::Partial);
            self.send_requests(event);
        }
    }

    /// Step 4 begins: packets of others that wait here go on, and this member tells each of its new neighbours where it
    /// is.
    fn send_requests(&mut self, event: &mut RankSplitEvent<'_>) {
        let functions = self.functions.expect("the functions are known");
        self.progress = Progress::Routing;
        for routed in std::mem::take(&mut self.held).into_iter().chain(requests(&functions, self.node)) {
            self.pass_on(routed, event);
        }
        self.synchronise(event);
    }

    /// Step 4: a packet at this vertex.
    fn pass_on(&mut self, routed: Routed, event: &mut RankSplitEvent<'_>) {
        let functions = self.functions.as_ref().expect("the functions are known");
        let to = match route(functions, &routed) {
            Hop::Here => return self.hear(routed, event),
            Hop::Left => event.child(Side::Left),
            Hop::Right => event.child(Side::Right),
            Hop::Parent => event.place.links().parent.expect("every destination is below the root"),
        };
        event.send(to, RankSplitPacket::Routing(routed));
    }

    /// A new neighbour has told where it is.
    fn hear(&mut self, Routed { source, role, .. }: Routed, event: &mut RankSplitEvent<'_>) {
        let known = match role {
            Role::Parent => &mut self.neighbours.parent,
            Role::Left => &mut self.neighbours.left,
            Role::Right => &mut self.neighbours.right,
            Role::Adjacent => &mut self.neighbours.adjacent_root,
        };
        assert!(known.replace(source).is_none(), "a neighbour tells once");
        self.missing -= 1;
        self.synchronise(event);
    }

    /// Step 5, up: all below have heard of all their new neighbours. Without step 5, this member alone is asked.
    fn synchronise(&mut self, event: &mut RankSplitEvent<'_>) {
        if self.progress != Progress::Routing || self.missing > 0 {
            return;
        }
        if !event.paper.full {
            self.progress = Progress::Released;
        } else if self.waiting[GATHER] == 0 {
            self.progress = Progress::Gathered;
            if !event.send_up(RankSplitPacket::Gather) {
                self.release(event);
            }
        }
    }

    /// Step 5, down.
    fn release(&mut self, event: &mut RankSplitEvent<'_>) {
        for &(child, _) in &event.place.links().children {
            event.out.send(child, RankSplitPacket::BYTES, RankSplitPacket::Release);
        }
        self.progress = Progress::Released;
    }

    /// Step 6: the new place, once, when the member may go on.
    pub(super) fn take_place(&mut self) -> Option<Position<AdjacentRoot>> {
        if self.progress != Progress::Released {
            return None;
        }
        self.progress = Progress::Active;
        let functions = self.functions.expect("the functions are known");
        Some(Position::beside(functions.new_rank(), functions.new_size(), self.neighbours))
    }

    /// The state of the member: its label.
    pub fn state(&self) -> u8 {
        self.state
    }

    /// Its functions, once its backward packet has come; its new rank is [`Functions::new_rank`].
    pub fn functions(&self) -> Option<&Functions> {
        self.functions.as_ref()
    }

    /// Its new neighbours, as far as they have been heard of.
    pub fn neighbours(&self) -> Neighbours {
        self.neighbours
    }

    /// How many packets of others came before this member was at step 4 and had to be held: with step 2 up to
    /// O(log s), what climbs from its children; with neither step 2 nor messages out of order, none.
    pub fn held(&self) -> u32 {
        self.held_all
    }

    /// How many packets of others came before the functions.
    ///
    /// None, if step 2 is done, or if messages from one node to another keep their order. Packets climb only to vertices
    /// that had their functions earlier. The first vertex at which they turn down has ended step 2 by then, so that all
    /// below have theirs; or it has sent what makes the functions of its child before the packet.
    pub fn unready(&self) -> u32 {
        self.unready
    }

    /// The memory it takes, in bytes.
    pub fn bytes_kept(&self) -> usize {
        size_of::<Self>() + size_of_val(&self.held[..])
    }
}

/// Step 3: the packets a vertex sends, one to each of its new neighbours, with what it is to them.
///
/// The parent learns of its left child from a smaller rank, of its right child from a larger one. The adjacent root is
/// looked for by roots, if the other state has vertices.
fn requests(functions: &Functions, source: NodeId) -> impl Iterator<Item = Routed> + use<> {
    let (state, rank) = (functions.state, functions.new_rank());
    let place = rank_halving::place(rank, functions.new_size());
    let other = 1 - state;
    let adjacent = match place.parent {
        None => rank_halving::root(functions.total[usize::from(other)]),
        Some(_) => None,
    };
    let to = move |state, role| move |rank| Routed { state, rank, source, role };
    let as_child = if place.parent.is_some_and(|parent| rank < parent) { Role::Left } else { Role::Right };
    let parent = place.parent.map(to(state, as_child));
    let left = place.left.map(to(state, Role::Parent));
    let right = place.right.map(to(state, Role::Parent));
    let adjacent = adjacent.map(to(other, Role::Adjacent));
    [parent, left, right, adjacent].into_iter().flatten()
}
