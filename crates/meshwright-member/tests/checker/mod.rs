//! The checker: members of a chip, and every way in which their messages can come.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use meshwright_member::chip::{ChipMember, Message, Seat};
use meshwright_member::halving;
use meshwright_member::list::List;
use meshwright_member::tree::Neighbours;
use meshwright_member::{Act, Chip, Label, Member, Over, Steps, WordOperation};

/// What all members call; the values they bring are made of their nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    /// By the colours of this split.
    Split,
    /// See [`Act::Join`].
    Join,
    /// The value in it is not looked at.
    Pass(WordOperation),
}

/// In which order messages come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Channels {
    /// Those of one node to another in the order in which they were sent.
    InOrder,
    /// Any.
    AnyOrder,
}

/// What a network does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Nothing.
    None,
    /// It loses the first message that a member sends up when its first call is a pass.
    Lost,
    /// It turns that message round: the sender is told to go on.
    Released,
}

/// What was found.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Found {
    /// Colourings.
    pub(crate) runs: u64,
    /// Different states.
    pub(crate) states: u64,
    /// States in which nothing can happen any more.
    pub(crate) ends: u64,
    /// The most messages that waited for their time at one member, and packets that were held.
    pub(crate) early_most: usize,
    /// See above.
    pub(crate) held_most: usize,
}

impl Found {
    /// Puts two together.
    pub(crate) fn add(&mut self, other: &Self) {
        self.runs += other.runs;
        self.states += other.states;
        self.ends += other.ends;
        self.early_most = self.early_most.max(other.early_most);
        self.held_most = self.held_most.max(other.held_most);
    }
}

/// By split, the colour of each node: all there are.
pub(crate) fn colourings(nodes: u32, splits: u32) -> impl Iterator<Item = Vec<u32>> {
    (0..1_u64 << (nodes * splits)).map(move |bits| {
        (0..splits).map(|split| (bits >> (split * nodes)) as u32 & ((1 << nodes) - 1)).collect()
    })
}

type Node = ChipMember<3, 12, 8>;

/// A member, how many operations it has begun and ended, and a fingerprint of all that.
#[derive(Clone)]
struct Seated {
    member: Node,
    begun: usize,
    ended: usize,
    print: u128,
}

impl Seated {
    fn printed(mut self) -> Self {
        self.print = print(&(&self.member, self.begun, self.ended));
        self
    }
}

/// 128 bits of two hashes.
fn print(value: &impl Hash) -> u128 {
    let half = |seed: u64| {
        let mut hasher = DefaultHasher::new();
        seed.hash(&mut hasher);
        value.hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(1) << 64 | half(2)
}

#[derive(Clone)]
struct State {
    members: Vec<Rc<Seated>>,
    /// From, to, what: by channel, in the order in which they were sent where that counts.
    flight: Vec<(u32, u32, Message)>,
}

impl State {
    fn print(&self) -> u128 {
        let members: Vec<u128> = self.members.iter().map(|member| member.print).collect();
        print(&(members, &self.flight))
    }
}

/// What should come of it: by call the groups before it, lists of nodes by rank.
struct Expected<'c> {
    calls: &'c [Call],
    /// By split, bits by node.
    colours: &'c [u32],
    /// By call: the group each node is in when it begins it, and after it.
    before: Vec<Vec<Vec<u32>>>,
    after: Vec<Vec<Vec<u32>>>,
    fault: Fault,
}

impl<'c> Expected<'c> {
    fn new(nodes: u32, calls: &'c [Call], colours: &'c [u32], fault: Fault) -> Self {
        let mut stack = vec![vec![(0..nodes).collect::<Vec<u32>>(); nodes as usize]];
        let (mut before, mut after, mut split) = (vec![], vec![], 0);
        for call in calls {
            let now = stack.last().expect("a group").clone();
            match call {
                Call::Split => {
                    let bits = colours[split];
                    split += 1;
                    let alike = |node: usize| {
                        let like = |other: &&u32| bits >> **other & 1 == bits >> node & 1;
                        now[node].iter().filter(like).copied().collect()
                    };
                    stack.push((0..nodes as usize).map(alike).collect());
                }
                Call::Join => _ = stack.pop(),
                Call::Pass(_) => {}
            }
            before.push(now);
            after.push(stack.last().expect("a group").clone());
        }
        Self { calls, colours, before, after, fault }
    }

    /// The colours of the split that is this call.
    fn bits(&self, call: usize) -> u32 {
        self.colours[self.calls[..call].iter().filter(|&&call| call == Call::Split).count()]
    }

    fn act(&self, call: usize, node: u32) -> Act<WordOperation> {
        let value = value(node);
        match self.calls[call] {
            Call::Split => Act::Split(Label { colour: self.bits(call) >> node & 1, key: 0 }),
            Call::Join => Act::Join,
            Call::Pass(WordOperation::AllReduce(by, _)) => Act::Pass(WordOperation::AllReduce(by, value)),
            Call::Pass(WordOperation::Scan(by, _)) => Act::Pass(WordOperation::Scan(by, value)),
            Call::Pass(WordOperation::Reduce(by, _)) => Act::Pass(WordOperation::Reduce(by, value)),
            Call::Pass(WordOperation::Broadcast { from, .. }) => {
                Act::Pass(WordOperation::Broadcast { from, value })
            }
            Call::Pass(WordOperation::Barrier) => Act::Pass(WordOperation::Barrier),
        }
    }

    /// Everything that can be said when an operation is over at a node.
    fn check(&self, call: usize, node: u32, over: &Over<Option<u64>>, state: &State, member: &Node) {
        let group = &self.before[call][node as usize];
        let kind = self.calls[call];
        let begun = |other: &u32| state.members[*other as usize].begun > call;
        let rank = group.iter().position(|&other| other == node).expect("it is a member");
        let root = halving::root(group.len() as u32).expect("a group") as usize;
        let sum = |some: &[u32]| Some(some.iter().map(|&other| value(other)).sum::<u64>());
        let (waits_for_all, left): (bool, Option<u64>) = match kind {
            Call::Split => (false, None),
            Call::Join => (true, None),
            Call::Pass(WordOperation::Barrier) => (true, None),
            Call::Pass(WordOperation::AllReduce(..)) => (true, sum(group)),
            Call::Pass(WordOperation::Scan(..)) => (true, sum(&group[..=rank])),
            Call::Pass(WordOperation::Reduce(..)) => (rank == root, sum(group).filter(|_| rank == root)),
            Call::Pass(WordOperation::Broadcast { from, .. }) => (false, Some(value(group[from as usize]))),
        };
        assert_eq!(over.outcome, left, "what {kind:?} leaves at node {node}");
        let of_others = match kind {
            // Over the trees of both parts: all of the group that was split.
            Call::Join => &self.after[call][node as usize],
            _ => group,
        };
        if waits_for_all {
            assert!(of_others.iter().all(begun), "{kind:?} is over at node {node} before all have come");
        }
        if kind == Call::Split {
            assert_eq!(*member.place(), self.place(call, node), "the place of node {node}");
        }
    }

    /// The place of a node after a split, and the root of the other group.
    fn place(&self, call: usize, node: u32) -> Seat {
        let (old, new) = (&self.before[call][node as usize], &self.after[call][node as usize]);
        let rank = new.iter().position(|&other| other == node).expect("it is a member") as u32;
        let vertex = halving::place(rank, new.len() as u32);
        let name = |rank: Option<u32>| rank.map(|rank| new[rank as usize]);
        let others: Vec<u32> = old.iter().filter(|other| !new.contains(other)).copied().collect();
        let other_root = halving::root(others.len() as u32).map(|root| others[root as usize]);
        let (parent, left, right) = (name(vertex.parent), name(vertex.left), name(vertex.right));
        let adjacent_root = other_root.filter(|_| parent.is_none());
        Seat::new(rank, new.len() as u32, Neighbours { parent, left, right, adjacent_root })
    }
}

/// What a node brings to sums.
fn value(node: u32) -> u64 {
    1 << (8 * node)
}

/// All states of one program under these colours.
///
/// # Panics
///
/// When one of them is wrong.
pub(crate) fn check_with(
    nodes: u32,
    calls: &[Call],
    colours: &[u32],
    steps: Steps,
    channels: Channels,
    fault: Fault,
) -> Found {
    let expected = Expected::new(nodes, calls, colours, fault);
    let all: Vec<u32> = (0..nodes).collect();
    let seated = |&node: &u32| {
        let member = Member::new(Chip::new(steps), node, Seat::in_group(&all, node));
        Rc::new(Seated { member, begun: 0, ended: 0, print: 0 }.printed())
    };
    let mut open = vec![State { members: all.iter().map(seated).collect(), flight: Vec::new() }];
    let mut known = BTreeSet::from([open[0].print()]);
    let mut found = Found { runs: 1, states: 1, ..Found::default() };
    while let Some(state) = open.pop() {
        let mut is_end = true;
        let mut go = |next: State, found: &mut Found| {
            is_end = false;
            if known.insert(next.print()) {
                found.states += 1;
                open.push(next);
            }
        };
        for node in 0..nodes {
            let seated = &state.members[node as usize];
            if !seated.member.is_busy() && seated.begun < calls.len() {
                go(step(&state, node, None, channels, &expected), &mut found);
            }
        }
        for at in 0..state.flight.len() {
            if comes_next(&state.flight, at, channels) {
                let to = state.flight[at].1;
                go(step(&state, to, Some(at), channels, &expected), &mut found);
            }
        }
        for seated in &state.members {
            found.early_most = found.early_most.max(seated.member.early());
            let held = seated.member.levels();
            let held = (0..held.len()).filter_map(|at| held.get(at)?.splitting()).map(|own| own.waiting());
            found.held_most = found.held_most.max(held.max().unwrap_or(0));
        }
        if is_end {
            found.ends += 1;
            assert!(state.flight.is_empty(), "messages that nobody takes");
            for seated in &state.members {
                assert_eq!((seated.ended, seated.member.early()), (calls.len(), 0), "a member that waits");
            }
        }
    }
    found
}

/// Whether a message may be the next one; of equal ones the first alone.
fn comes_next(flight: &[(u32, u32, Message)], at: usize, channels: Channels) -> bool {
    let one = &flight[at];
    match channels {
        Channels::InOrder => flight[..at].iter().all(|other| (other.0, other.1) != (one.0, one.1)),
        Channels::AnyOrder => at == 0 || flight[at - 1] != *one,
    }
}

/// The state after a member has begun its next call, or has taken a message.
fn step(
    state: &State,
    node: u32,
    message: Option<usize>,
    channels: Channels,
    expected: &Expected<'_>,
) -> State {
    let mut next = state.clone();
    let mut seated = Seated::clone(&state.members[node as usize]);
    let mut sent = Vec::new();
    let mut port = |to: u32, message: Message| sent.push((node, to, message));
    let over = match message {
        None => {
            let act = expected.act(seated.begun, node);
            seated.begun += 1;
            seated.member.begin(act, &mut port)
        }
        Some(at) => {
            let (from, _, message) = next.flight.remove(at);
            let envelope = message.open().expect("a member has sent it");
            seated.member.receive(from, envelope, &mut port)
        }
    };
    // The last node is a leaf below another one in groups of three; its first message tells that it has come.
    if message.is_none() && node as usize == next.members.len() - 1 && seated.begun == 1 {
        match expected.fault {
            Fault::None => {}
            Fault::Lost => sent.clear(),
            Fault::Released => {
                for (from, to, message) in &mut sent {
                    (*from, *to, message.kind) = (*to, *from, message.kind + 2);
                }
            }
        }
    }
    let over = over.expect("the memory suffices");
    let member = seated.member.clone();
    let call = seated.begun.wrapping_sub(1);
    seated.ended += usize::from(over.is_some());
    next.members[node as usize] = Rc::new(seated.printed());
    if let Some(over) = over {
        expected.check(call, node, &over, &next, &member);
    }
    next.flight.extend(sent);
    match channels {
        Channels::InOrder => next.flight.sort_by_key(|&(from, to, _)| (from, to)),
        Channels::AnyOrder => next.flight.sort_unstable(),
    }
    next
}
