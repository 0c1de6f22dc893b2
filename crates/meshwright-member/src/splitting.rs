//! The part of one member in one split: the six steps.

use crate::functions::{Functions, PerState, in_sub_tree};
use crate::halving;
use crate::list::{Full, List};
use crate::packet::RankSplitPacket;
use crate::routing::{Hop, Role, Routed, route};
use crate::scheme::Outbox;
use crate::tree::{Edges, Neighbours, Place, Side};

/// Which of its steps the paper's split does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Steps {
    /// Whether step 2 is done: a pass up the tree before packets are routed.
    pub partial: bool,
    /// Whether step 5 is done: a barrier before the new groups are entered.
    pub full: bool,
}

/// What a member keeps of a split, from its own call of it until the groups join again.
///
/// N names a node; H is where packets of others are held.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RankSplitting<N, H> {
    node: N,
    state: u8,
    /// f_L and f_R, as far as the children have told them.
    counts: [PerState; 2],
    functions: Option<Functions>,
    neighbours: Neighbours<N>,
    /// Children that have not told their counts, have not passed on step 2, have not passed on step 5.
    waiting: [u8; 3],
    /// New neighbours that have not been heard of; known once the functions are.
    missing: u8,
    /// Packets of others that came before this member was at step 4.
    held: H,
    held_all: u32,
    /// How many of them even came before the functions.
    unready: u32,
    progress: Progress,
}

/// How far a member has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

/// What does not change while a member handles one event: its rank and its edges in the group that is split.
#[derive(Debug)]
pub struct RankSplitEvent<'e, N, O> {
    /// Which steps are done.
    pub steps: Steps,
    /// The rank of the member.
    pub rank: u32,
    /// The size of the group.
    pub size: u32,
    /// Its edges.
    pub edges: Edges<'e, N>,
    /// Where messages go.
    pub out: &'e mut O,
}

impl<'e, N: Copy, O: Outbox<N, RankSplitPacket<N>>> RankSplitEvent<'e, N, O> {
    /// An event at a member in this place.
    pub fn at(steps: Steps, place: &'e impl Place<Node = N>, out: &'e mut O) -> Self {
        Self { steps, rank: place.rank(), size: place.size(), edges: place.edges(), out }
    }

    fn send(&mut self, to: N, packet: RankSplitPacket<N>) {
        self.out.send(to, RankSplitPacket::<N>::BYTES, packet);
    }

    /// To the parent; whether there is one.
    fn send_up(&mut self, packet: RankSplitPacket<N>) -> bool {
        let parent = self.edges.parent;
        if let Some(parent) = parent {
            self.send(parent, packet);
        }
        parent.is_some()
    }

    fn child(&self, side: Side) -> N {
        self.edges.child(side).expect("a side with vertices has a child")
    }
}

impl<N: Copy + Default + PartialEq, H: List<Routed<N>>> RankSplitting<N, H> {
    /// A member begins to split its group.
    ///
    /// # Errors
    ///
    /// [`Full`] when more packets wait than there is room for.
    pub fn begin<O: Outbox<N, RankSplitPacket<N>>>(
        node: N,
        state: u8,
        event: &mut RankSplitEvent<'_, N, O>,
    ) -> Result<Self, Full> {
        let children = event.edges.children.len() as u8;
        let mut splitting = Self {
            node,
            state,
            counts: [[0; 2]; 2],
            functions: None,
            neighbours: Neighbours::default(),
            waiting: [children; 3],
            missing: 0,
            held: H::default(),
            held_all: 0,
            unready: 0,
            progress: Progress::Evaluating,
        };
        splitting.count(event)?;
        Ok(splitting)
    }

    /// A packet has come.
    ///
    /// # Errors
    ///
    /// [`Full`] when more packets wait than there is room for.
    pub fn receive<O: Outbox<N, RankSplitPacket<N>>>(
        &mut self,
        from: N,
        packet: RankSplitPacket<N>,
        event: &mut RankSplitEvent<'_, N, O>,
    ) -> Result<(), Full> {
        match packet {
            RankSplitPacket::Forward(counts) => {
                let child = event.edges.children.iter().find(|child| child.0 == from);
                let (_, side) = child.expect("counts come from children");
                self.counts[*side as usize] = counts;
                self.waiting[COUNTS] -= 1;
                self.count(event)?;
            }
            RankSplitPacket::Backward { total, before } => {
                let [left, _] = self.counts;
                // Ranks before the sub-tree: all before this member but its left sub-tree.
                let all_before = event.rank - left[0] - left[1];
                let total = [total, event.size - total];
                self.evaluate(total, [before, all_before - before], event)?;
            }
            RankSplitPacket::Partial => {
                self.waiting[PARTIAL] -= 1;
                self.synchronise_partially(event)?;
            }
            RankSplitPacket::Routing(routed) if self.progress == Progress::Evaluating => {
                self.held.push(routed)?;
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
        Ok(())
    }

    /// Step 1, the forward pass.
    fn count<O: Outbox<N, RankSplitPacket<N>>>(
        &mut self,
        event: &mut RankSplitEvent<'_, N, O>,
    ) -> Result<(), Full> {
        if self.waiting[COUNTS] > 0 {
            return Ok(());
        }
        let [left, right] = self.counts;
        let counts = in_sub_tree(self.state, left, right);
        if !event.send_up(RankSplitPacket::Forward(counts)) {
            self.evaluate(counts, [0; 2], event)?;
        }
        Ok(())
    }

    /// Step 1, the backward pass, and step 3.
    fn evaluate<O: Outbox<N, RankSplitPacket<N>>>(
        &mut self,
        total: PerState,
        before: PerState,
        event: &mut RankSplitEvent<'_, N, O>,
    ) -> Result<(), Full> {
        let [left, right] = self.counts;
        let functions = Functions::new(self.state, left, right, total, before);
        self.functions = Some(functions);
        for &(child, side) in event.edges.children {
            let before = functions.before_child(side)[0];
            event.send(child, RankSplitPacket::Backward { total: total[0], before });
        }
        self.missing = requests(&functions, self.node).count() as u8;
        if event.steps.partial { self.synchronise_partially(event) } else { self.send_requests(event) }
    }

    /// Step 2: all below have their functions.
    fn synchronise_partially<O: Outbox<N, RankSplitPacket<N>>>(
        &mut self,
        event: &mut RankSplitEvent<'_, N, O>,
    ) -> Result<(), Full> {
        if self.functions.is_some() && self.waiting[PARTIAL] == 0 {
            event.send_up(RankSplitPacket::Partial);
            self.send_requests(event)?;
        }
        Ok(())
    }

    /// Step 4 begins: packets of others that wait here go on, and this member tells each of its new neighbours where it
    /// is.
    fn send_requests<O: Outbox<N, RankSplitPacket<N>>>(
        &mut self,
        event: &mut RankSplitEvent<'_, N, O>,
    ) -> Result<(), Full> {
        let functions = self.functions.expect("the functions are known");
        self.progress = Progress::Routing;
        while let Some(routed) = self.held.remove(0) {
            self.pass_on(routed, event);
        }
        for routed in requests(&functions, self.node) {
            self.pass_on(routed, event);
        }
        self.synchronise(event);
        Ok(())
    }

    /// Step 4: a packet at this vertex.
    fn pass_on<O: Outbox<N, RankSplitPacket<N>>>(
        &mut self,
        routed: Routed<N>,
        event: &mut RankSplitEvent<'_, N, O>,
    ) {
        let functions = self.functions.as_ref().expect("the functions are known");
        let to = match route(functions, &routed) {
            Hop::Here => return self.hear(routed, event),
            Hop::Left => event.child(Side::Left),
            Hop::Right => event.child(Side::Right),
            Hop::Parent => event.edges.parent.expect("every destination is below the root"),
        };
        event.send(to, RankSplitPacket::Routing(routed));
    }

    /// A new neighbour has told where it is.
    fn hear<O: Outbox<N, RankSplitPacket<N>>>(
        &mut self,
        Routed { source, role, .. }: Routed<N>,
        event: &mut RankSplitEvent<'_, N, O>,
    ) {
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
    fn synchronise<O: Outbox<N, RankSplitPacket<N>>>(&mut self, event: &mut RankSplitEvent<'_, N, O>) {
        if self.progress != Progress::Routing || self.missing > 0 {
            return;
        }
        if !event.steps.full {
            self.progress = Progress::Released;
        } else if self.waiting[GATHER] == 0 {
            self.progress = Progress::Gathered;
            if !event.send_up(RankSplitPacket::Gather) {
                self.release(event);
            }
        }
    }

    /// Step 5, down.
    fn release<O: Outbox<N, RankSplitPacket<N>>>(&mut self, event: &mut RankSplitEvent<'_, N, O>) {
        for &(child, _) in event.edges.children {
            event.send(child, RankSplitPacket::Release);
        }
        self.progress = Progress::Released;
    }

    /// Step 6: rank, size and neighbours in the new group, once, when the member may go on.
    pub fn take_place(&mut self) -> Option<(u32, u32, Neighbours<N>)> {
        if self.progress != Progress::Released {
            return None;
        }
        self.progress = Progress::Active;
        let functions = self.functions.expect("the functions are known");
        Some((functions.new_rank(), functions.new_size(), self.neighbours))
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
    pub fn neighbours(&self) -> Neighbours<N> {
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

    /// How many packets of others wait at the moment.
    pub fn waiting(&self) -> usize {
        self.held.len()
    }
}

/// Step 3: the packets a vertex sends, one to each of its new neighbours, with what it is to them.
///
/// The parent learns of its left child from a smaller rank, of its right child from a larger one. The adjacent root is
/// looked for by roots, if the other state has vertices.
fn requests<N: Copy>(functions: &Functions, source: N) -> impl Iterator<Item = Routed<N>> + use<N> {
    let (state, rank) = (functions.state, functions.new_rank());
    let place = halving::place(rank, functions.new_size());
    let other = 1 - state;
    let adjacent = match place.parent {
        None => halving::root(functions.total[usize::from(other)]),
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
