//! All states that packets can be in, target by target and header by header.

use super::dependencies::Dependencies;
use crate::routing::{Choices, Header, PortChoice, Relation};
use crate::topology::{Machine, Topology};
use meshwright_core::units::{LinkId, NodeId};

/// A packet whose head has been given a channel, with its header as it was when it asked.
#[derive(Clone, Copy)]
struct ChannelState {
    link: LinkId,
    class: u8,
    header: Header,
}

/// What a channel is used for.
#[derive(Clone, Copy, Default)]
pub(super) struct Role {
    /// Some packet has it as its last choice.
    pub(super) escape: bool,
    /// Some packet has it as a choice before the last.
    pub(super) adaptive: bool,
}

impl Role {
    pub(super) fn used(self) -> bool {
        self.escape || self.adaptive
    }
}

/// Stages of a header that are told apart.
const STAGES: u32 = 2;

/// The states seen in one round: a state counts as seen if its mark is the number of the round.
struct Marks {
    round: u32,
    marks: Vec<u32>,
}

impl Marks {
    fn new(states: u32) -> Self {
        Self { round: 0, marks: vec![0; states as usize] }
    }

    fn next_round(&mut self) {
        self.round = self.round.checked_add(1).expect("fewer rounds than states");
    }

    /// Marks a state; whether it is new.
    #[inline]
    fn mark(&mut self, state: usize) -> bool {
        let new = self.marks[state] != self.round;
        self.marks[state] = self.round;
        new
    }
}

/// A walk over all states of all packets.
pub(super) struct Exploration<'e> {
    machine: &'e Machine,
    relation: &'e Relation<'e>,
    /// Where each link leads.
    heads: Vec<NodeId>,
    classes: u32,
    choices: Choices,
}

impl<'e> Exploration<'e> {
    pub(super) fn new(machine: &'e Machine, relation: &'e Relation<'e>) -> Self {
        let heads =
            (0..machine.links()).map(|link| machine.target(LinkId(link)).unwrap_or(UNWIRED)).collect();
        Self { machine, relation, heads, classes: relation.classes(), choices: Choices::new() }
    }

    /// Notes every direct dependency; what each channel is used for.
    pub(super) fn direct(&mut self, dependencies: &mut Dependencies) -> Vec<Role> {
        let mut roles = vec![Role::default(); (self.machine.links() * self.classes) as usize];
        self.for_each_state(|exploration, at, held| {
            exploration.note_roles(at, &mut roles);
            let Some(state) = held else { return };
            for &choice in exploration.choices.as_slice() {
                dependencies.insert((state.link, state.class), exploration.channel(at, choice));
            }
        });
        roles
    }

    fn note_roles(&self, at: NodeId, roles: &mut [Role]) {
        if let Some((last, others)) = self.choices.as_slice().split_last() {
            roles[self.channel(at, *last) as usize].escape = true;
            for &choice in others {
                roles[self.channel(at, choice) as usize].adaptive = true;
            }
        }
    }

    /// The dependencies between escape channels, direct and through adaptive channels, sorted.
    pub(super) fn extended(&mut self, roles: &[Role]) -> Vec<(u32, u32)> {
        let mut arcs = Vec::new();
        let mut full = 1 << 22;
        let mut marks = Marks::new(self.machine.links() * self.classes * STAGES);
        let mut stack = Vec::new();
        self.for_each_state(|exploration, _, held| {
            let Some(state) = held else { return };
            let held = state.link.0 * exploration.classes + u32::from(state.class);
            if !roles[held as usize].escape {
                return;
            }
            marks.next_round();
            stack.push(state);
            while let Some(state) = stack.pop() {
                let at = exploration.heads[state.link.index()];
                let header = exploration.choose(at, Some(state.link), state.header);
                let Some((&escape, adaptive)) = exploration.choices.as_slice().split_last() else { continue };
                arcs.push((held, exploration.channel(at, escape)));
                for &choice in adaptive {
                    let next = exploration.follow(at, choice, header);
                    if marks.mark(exploration.index(next)) {
                        stack.push(next);
                    }
                }
            }
            if arcs.len() > full {
                arcs.sort_unstable();
                arcs.dedup();
                full = full.max(2 * arcs.len());
            }
        });
        arcs.sort_unstable();
        arcs.dedup();
        arcs
    }

    /// Calls `visit` wherever a packet asks for channels: with the node, the state it arrived in (`None` at its
    /// source), and its choices in `self`.
    fn for_each_state(&mut self, mut visit: impl FnMut(&mut Self, NodeId, Option<ChannelState>)) {
        let mut marks = Marks::new(self.machine.links() * self.classes * STAGES);
        let mut stack: Vec<ChannelState> = Vec::new();
        let mut starts: Vec<(Header, NodeId)> = Vec::new();
        for target in self.machine.living() {
            starts.clear();
            for source in self.machine.living() {
                starts
                    .extend(self.relation.headers(source, target).into_iter().map(|header| (header, source)));
            }
            starts.sort_unstable_by_key(|(header, source)| (header.via, header.variant, *source));
            // Packets with the same target and the same random choices share their states.
            for alike in starts.chunk_by(|(a, _), (b, _)| (a.via, a.variant) == (b.via, b.variant)) {
                marks.next_round();
                for &(header, source) in alike {
                    let header = self.choose(source, None, header);
                    self.push_new(source, header, &mut marks, &mut stack);
                    visit(self, source, None);
                }
                while let Some(state) = stack.pop() {
                    let at = self.heads[state.link.index()];
                    let header = self.choose(at, Some(state.link), state.header);
                    self.push_new(at, header, &mut marks, &mut stack);
                    visit(self, at, Some(state));
                }
            }
        }
    }

    /// Puts the states behind the present choices on the stack, if they are new.
    fn push_new(&self, at: NodeId, header: Header, marks: &mut Marks, stack: &mut Vec<ChannelState>) {
        for &choice in self.choices.as_slice() {
            let state = self.follow(at, choice, header);
            if marks.mark(self.index(state)) {
                stack.push(state);
            }
        }
    }

    /// Asks the relation; the header afterwards.
    fn choose(&mut self, at: NodeId, arrived: Option<LinkId>, mut header: Header) -> Header {
        self.relation.choose(at, arrived, &mut header, &mut self.choices);
        let stuck = self.choices.as_slice().is_empty() && at != header.target;
        assert!(!stuck, "a packet for node {} has no choice at node {at}", header.target);
        assert!(u32::from(header.stage) < STAGES, "a header has no stage {}", header.stage);
        header
    }

    fn follow(&self, at: NodeId, choice: PortChoice, header: Header) -> ChannelState {
        let link = self.machine.link(at, choice.port);
        assert!(self.heads[link.index()] != UNWIRED, "port {} of node {at} is not wired", choice.port.0);
        ChannelState { link, class: choice.class, header }
    }

    /// The number of the channel behind a choice.
    fn channel(&self, at: NodeId, choice: PortChoice) -> u32 {
        self.machine.link(at, choice.port).0 * self.classes + u32::from(choice.class)
    }

    fn index(&self, state: ChannelState) -> usize {
        let channel = state.link.0 * self.classes + u32::from(state.class);
        (channel * STAGES + u32::from(state.header.stage)) as usize
    }
}

/// Stands for the far end of an unwired port.
const UNWIRED: NodeId = NodeId(u32::MAX);
