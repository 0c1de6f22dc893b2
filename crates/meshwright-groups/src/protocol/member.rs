//! The state machine of one node, as a process that runs a program.

use smallvec::{SmallVec, smallvec};

use super::direct::Direct;
pub use super::direct::DirectMessage;
use super::hosted::Hosted;
use super::pass::Load;
use super::program::{Around, Here, Operation, Outcome, Program};
use super::scheme::{Position, Scheme};
use meshwright_core::units::{Bytes, Cycles, NodeId};
use meshwright_member::list::Full;
use meshwright_member::member::{self as core, Body, Level};
use meshwright_member::program::{Act, Over};
use meshwright_schedule::process::{Context, Process};

pub use meshwright_member::member::child_id;

/// A message between members; T is what those of a split carry.
#[derive(Clone, Debug)]
pub enum Envelope<T> {
    /// Of what a group does together.
    Together(core::Envelope<Load, T>),
    /// From one member to another.
    Direct(Box<DirectMessage>),
}

/// One operation of one member, in its log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// What it was.
    pub operation: Operation,
    /// How deep.
    pub level: u32,
    /// The group it was done in: equal for all its members, different for all groups of a run.
    pub group: u64,
    /// The size of that group.
    pub size: u32,
    /// When this member came.
    pub begin: Cycles,
    /// When it went on.
    pub end: Cycles,
}

/// The process of one node: it does what its program asks for.
#[derive(Debug)]
pub struct Member<'s, S: Scheme, P> {
    scheme: &'s S,
    /// None for a node that takes no part.
    core: Option<core::Member<Hosted<'s, S>>>,
    program: P,
    operation: Operation,
    began: Cycles,
    direct: Direct,
    early_most: usize,
    /// In place: it is counted up with every message.
    sent: SmallVec<[u32; 12]>,
    log: Vec<LogEntry>,
}

/// Where the messages of one event go, and are counted.
struct Counted<'c, 'a, T> {
    context: &'c mut Context<'a, Envelope<T>>,
    sent: &'c mut [u32],
}

impl<S: Scheme> core::Port<Hosted<'_, S>> for Counted<'_, '_, S::Packet> {
    fn send(&mut self, to: NodeId, bytes: u64, envelope: core::Envelope<Load, S::Packet>) {
        let kind = match &envelope.body {
            Body::Own(packet) => S::step(packet),
            Body::Pass(way, _) => S::STEPS.len() + *way as usize,
        };
        self.sent[kind] += 1;
        self.context.send(to, Bytes(bytes), Envelope::Together(envelope));
    }
}

impl<'s, S: Scheme, P: Program> Member<'s, S, P> {
    /// A member with its place in the first group; without one, a node that takes no part.
    pub fn new(scheme: &'s S, place: Option<(NodeId, Position<S::Known>)>, program: P) -> Self {
        Self {
            scheme,
            core: place.map(|(node, place)| core::Member::new(Hosted::new(scheme), node, place)),
            program,
            operation: Operation::Stop,
            began: Cycles(0),
            direct: Direct::default(),
            early_most: 0,
            sent: smallvec![0; S::STEPS.len() + 3],
            log: Vec::new(),
        }
    }

    /// The same in the memory of what it was.
    pub(super) fn renew(&mut self, place: Option<(NodeId, Position<S::Known>)>, program: P) {
        match (place, &mut self.core) {
            (Some((node, place)), Some(core)) if core.node() == node => core.renew(place),
            (place, core) => {
                *core = place.map(|(node, place)| core::Member::new(Hosted::new(self.scheme), node, place));
            }
        }
        self.program = program;
        self.operation = Operation::Stop;
        self.began = Cycles(0);
        self.direct = Direct::default();
        self.early_most = 0;
        self.sent.fill(0);
        self.log.clear();
    }

    /// Its program.
    pub fn program(&self) -> &P {
        &self.program
    }

    fn levels(&self) -> &[Level<Position<S::Known>, S::Splitting>] {
        self.core.as_ref().map_or(&[], |core| core.levels())
    }

    /// Its places, from the first group to the present one.
    pub fn places(&self) -> impl Iterator<Item = &Position<S::Known>> {
        self.levels().iter().map(|level| &level.place)
    }

    /// What it keeps of the split it is inside of, by level.
    pub fn splitting(&self, level: u32) -> Option<&S::Splitting> {
        self.levels()[level as usize].splitting()
    }

    /// Everything it did, in order.
    pub fn log(&self) -> &[LogEntry] {
        &self.log
    }

    /// The most messages that waited for their time at once.
    pub fn early_most(&self) -> usize {
        self.early_most
    }

    /// How many messages it sent: by [`Scheme::STEPS`], then up, down and across in passes.
    pub fn sent(&self) -> &[u32] {
        &self.sent
    }

    /// The memory it keeps of its groups, in bytes: without its program, its log and its buffers.
    pub fn bytes_kept(&self) -> usize {
        self.levels().iter().map(|level| S::bytes_kept(&level.place, level.splitting())).sum()
    }

    /// Writes down an operation that is over.
    fn end(&mut self, over: Over<Outcome>, now: Cycles) -> Outcome {
        let Over { outcome, level, group, size } = over;
        let (operation, begin) = (self.operation, self.began);
        self.log.push(LogEntry { operation, level, group, size, begin, end: now });
        outcome
    }

    /// An operation of this member alone is over.
    fn end_alone(&mut self, outcome: Outcome, context: &mut Context<'_, Envelope<S::Packet>>) {
        let core = self.core.as_ref().expect("members have operations");
        let (level, size) = (core.depth(), core.place().size());
        let outcome = self.end(Over { outcome, level, group: core.group(), size }, context.now());
        self.proceed(outcome, context);
    }

    /// Runs the program until it has to wait.
    fn proceed(&mut self, mut outcome: Outcome, context: &mut Context<'_, Envelope<S::Packet>>) {
        let Some(core) = &mut self.core else { return };
        loop {
            let place = core.place();
            let (rank, size, level) = (place.rank(), place.size(), core.depth());
            let (node, now) = (context.node(), context.now());
            self.operation = self.program.next(Here { node, rank, size, level, now, outcome });
            self.began = now;
            let act = match self.operation {
                Operation::Stop => return context.finish(),
                Operation::Compute(cycles) => return context.compute(cycles, 0),
                Operation::Look | Operation::Recall | Operation::Send { .. } | Operation::Receive { .. } => {
                    match alone(self.operation, core, &mut self.direct, &mut self.program, context) {
                        Some(left) => outcome = left,
                        None => return,
                    }
                    continue;
                }
                Operation::Split(label) => Act::Split(label),
                Operation::Join => Act::Join,
                operation => Act::Pass(operation),
            };
            match self.operation {
                // Nobody is lost in a simulation.
                Operation::Keep => drop(self.program.parcel()),
                Operation::Join => self.direct.forget(core.group()),
                _ => {}
            }
            let over = core.begin(act, &mut Counted { context, sent: &mut self.sent });
            let Some(over) = endless(over) else { return };
            outcome = over.outcome;
            let Over { level, group, size, .. } = over;
            self.log.push(LogEntry { operation: self.operation, level, group, size, begin: now, end: now });
        }
    }
}

/// What a member does by itself; its outcome, if there is nothing to wait for.
fn alone<S: Scheme>(
    operation: Operation,
    core: &core::Member<Hosted<'_, S>>,
    direct: &mut Direct,
    program: &mut impl Program,
    context: &mut Context<'_, Envelope<S::Packet>>,
) -> Option<Outcome> {
    let group = core.group();
    match operation {
        Operation::Send { to } => {
            let (number, bytes) = (direct.number(group, to), program.parcel());
            let volume = Bytes((bytes.len() as u64).max(1));
            context.send(to, volume, Envelope::Direct(Box::new(DirectMessage { group, number, bytes })));
            Some(Outcome::Done)
        }
        Operation::Receive { from } => direct.take(group, from).map(Outcome::Bytes),
        Operation::Look => {
            let (links, nodes) = (core.place().links().clone(), S::nodes(core.place()));
            let nodes = nodes.map(<[NodeId]>::to_vec);
            Some(Outcome::Around(Box::new(Around { links, nodes })))
        }
        _ => Some(Outcome::Done),
    }
}

/// Lists that grow are never full.
fn endless<T>(result: std::result::Result<T, Full>) -> T {
    result.expect("lists grow")
}

impl<S: Scheme, P: Program> Process for Member<'_, S, P> {
    type Payload = Envelope<S::Packet>;

    const HEARS_SENT: bool = false;

    fn on_start(&mut self, context: &mut Context<'_, Self::Payload>) {
        if self.core.is_none() {
            context.finish();
        } else {
            self.proceed(Outcome::Done, context);
        }
    }

    fn on_message(
        &mut self,
        from: NodeId,
        envelope: Self::Payload,
        context: &mut Context<'_, Self::Payload>,
    ) {
        let core = self.core.as_mut().expect("messages go to members");
        let envelope = match envelope {
            Envelope::Together(envelope) => envelope,
            Envelope::Direct(message) => {
                let DirectMessage { group, number, bytes } = *message;
                if let Some(bytes) = self.direct.come((group, from, number), bytes) {
                    self.end_alone(Outcome::Bytes(bytes), context);
                }
                return;
            }
        };
        let over = endless(core.receive(from, envelope, &mut Counted { context, sent: &mut self.sent }));
        self.early_most = self.early_most.max(core.early());
        if let Some(over) = over {
            let outcome = self.end(over, context.now());
            self.proceed(outcome, context);
        }
    }

    fn on_computed(&mut self, _: u32, context: &mut Context<'_, Self::Payload>) {
        self.end_alone(Outcome::Done, context);
    }
}
