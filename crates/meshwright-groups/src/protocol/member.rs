//! The state machine of one node.

use super::pass::{Load, Pass, PassDirection};
use super::program::{Here, Operation, Outcome, Program};
use super::scheme::{Outbox, Position, Scheme};
use crate::Group;
use meshwright_core::error::Result;
use meshwright_core::units::{Cycles, NodeId};
use meshwright_network::topology::{Machine, Topology};
use meshwright_schedule::process::{Context, Process};

/// A message between members. Level and number say which operation it belongs to: messages of the next one may
/// overtake the last of this one, and are kept until it is time.
#[derive(Debug)]
pub struct Envelope<T> {
    level: u32,
    number: u32,
    body: Body<T>,
}

#[derive(Debug)]
enum Body<T> {
    Pass(PassDirection, Load),
    /// Of a split or an exchange.
    Own(T),
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

/// A group this member belongs to.
#[derive(Debug)]
struct Level<S: Scheme> {
    place: Position<S::Known>,
    /// How many operations were begun in this group.
    number: u32,
    /// See [`LogEntry::group`].
    id: u64,
    /// The split that made the groups of the next level or the present exchange, and its number.
    splitting: Option<(u32, S::Splitting)>,
}

/// What a member is doing.
#[derive(Debug)]
enum Doing {
    /// Nothing: its program has not begun or has come to its end.
    Nothing,
    Split,
    Exchange,
    Pass(Pass),
    Compute,
}

/// The process of one node: it does what its program asks for.
#[derive(Debug)]
pub struct Member<'s, S: Scheme, P> {
    scheme: &'s S,
    program: P,
    /// From the first group to the present one; empty for a node that takes no part.
    levels: Vec<Level<S>>,
    doing: Doing,
    operation: Operation,
    began: Cycles,
    colour: u32,
    early: Vec<(NodeId, Envelope<S::Packet>)>,
    early_most: usize,
    sent: Vec<u32>,
    outbox: Outbox<S::Packet>,
    post: Vec<(NodeId, PassDirection, Load)>,
    log: Vec<LogEntry>,
}

/// The processes of all nodes: of the members of a group, and of those that take no part.
///
/// # Errors
///
/// As for [`Scheme::places`].
///
/// # Panics
///
/// When there is not one program for each member.
pub fn members<'s, S: Scheme, P: Program + Default>(
    scheme: &'s S,
    machine: &Machine,
    group: &Group,
    programs: Vec<P>,
) -> Result<Vec<Member<'s, S, P>>> {
    assert_eq!(programs.len(), group.members().len(), "a program for each member");
    let absent = |_| Member::new(scheme, None, P::default());
    let mut all: Vec<_> = (0..machine.nodes()).map(absent).collect();
    let places = scheme.places(machine, group)?;
    for ((place, program), &node) in places.into_iter().zip(programs).zip(group.members()) {
        all[node.index()] = Member::new(scheme, Some(place), program);
    }
    Ok(all)
}

impl<'s, S: Scheme, P: Program> Member<'s, S, P> {
    /// A member with its place in the first group; without one, a node that takes no part.
    pub fn new(scheme: &'s S, place: Option<Position<S::Known>>, program: P) -> Self {
        let level = |place| Level { place, number: 0, id: 0, splitting: None };
        Self {
            scheme,
            program,
            levels: place.map(level).into_iter().collect(),
            doing: Doing::Nothing,
            operation: Operation::Stop,
            began: Cycles(0),
            colour: 0,
            early: Vec::new(),
            early_most: 0,
            sent: vec![0; S::STEPS.len() + 3],
            outbox: Outbox::default(),
            post: Vec::new(),
            log: Vec::new(),
        }
    }

    /// Its program.
    pub fn program(&self) -> &P {
        &self.program
    }

    /// Its places, from the first group to the present one.
    pub fn places(&self) -> impl Iterator<Item = &Position<S::Known>> {
        self.levels.iter().map(|level| &level.place)
    }

    /// What it keeps of the split it is inside of, by level.
    pub fn splitting(&self, level: u32) -> Option<&S::Splitting> {
        self.levels[level as usize].splitting.as_ref().map(|(_, splitting)| splitting)
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
        let kept = |level: &Level<S>| {
            S::bytes_kept(&level.place, level.splitting.as_ref().map(|(_, splitting)| splitting))
        };
        self.levels.iter().map(kept).sum()
    }

    fn top(&self) -> usize {
        self.levels.len() - 1
    }

    /// The level on whose tree the present operation runs.
    fn acting(&self) -> usize {
        match self.operation {
            Operation::Join => self.top() - 1,
            _ => self.top(),
        }
    }

    /// Runs the program until it has to wait.
    fn proceed(&mut self, mut outcome: Outcome, context: &mut Context<'_, Envelope<S::Packet>>) {
        loop {
            let place = &self.levels[self.top()].place;
            let here = Here {
                node: context.node(),
                rank: place.rank(),
                size: place.size(),
                level: self.top() as u32,
                now: context.now(),
                outcome,
            };
            self.operation = self.program.next(here);
            self.began = context.now();
            match self.begin(context) {
                Some(over) => outcome = self.end(over, context.now()),
                None => match self.catch_up(context) {
                    Some(over) => outcome = self.end(over, context.now()),
                    None => return,
                },
            }
        }
    }

    /// Begins the present operation; its outcome, if it is over at once.
    fn begin(&mut self, context: &mut Context<'_, Envelope<S::Packet>>) -> Option<Outcome> {
        match self.operation {
            Operation::Stop => {
                self.doing = Doing::Nothing;
                context.finish();
                return None;
            }
            Operation::Compute(cycles) => {
                self.doing = Doing::Compute;
                context.compute(cycles, 0);
                return None;
            }
            Operation::Join => assert!(self.levels.len() > 1, "a join follows a split"),
            _ => {}
        }
        let acting = self.acting();
        let level = &mut self.levels[acting];
        let number = level.number;
        level.number += 1;
        if let Operation::Split(label) = self.operation {
            self.doing = Doing::Split;
            self.colour = label.colour;
            let splitting = self.scheme.begin(context.node(), &level.place, label, &mut self.outbox);
            level.splitting = Some((number, splitting));
            self.flush(acting, number, context);
            return self.advance(acting);
        }
        if let Some(exchange) = self.scheme.exchange(&level.place, self.operation, &mut self.outbox) {
            self.doing = Doing::Exchange;
            level.splitting = Some((number, exchange));
            self.flush(acting, number, context);
            return self.advance(acting);
        }
        let rank = level.place.rank();
        let (pass, outcome) = if self.operation == Operation::Join {
            let join = self.scheme.join(&self.levels[acting].place, &self.levels[acting + 1].place);
            Pass::join(rank, &join, &mut self.post)
        } else {
            let links = level.place.links();
            Pass::begin(self.operation, rank, self.scheme.is_ordered(), links, &mut self.post)
        };
        self.doing = Doing::Pass(pass);
        self.flush(acting, number, context);
        outcome
    }

    /// Enters the new group or ends the exchange, if what is under way at this level has come so far.
    fn advance(&mut self, level: usize) -> Option<Outcome> {
        let Level { id, splitting, .. } = &mut self.levels[level];
        let (number, splitting) = splitting.as_mut().expect("a split is under way");
        if matches!(self.doing, Doing::Exchange) {
            return self.scheme.take_outcome(splitting);
        }
        let place = self.scheme.take_place(splitting)?;
        let id = child_id(*id, *number, self.colour);
        self.levels.push(Level { place, number: 0, id, splitting: None });
        Some(Outcome::Done)
    }

    /// Writes down an operation that is over.
    fn end(&mut self, outcome: Outcome, now: Cycles) -> Outcome {
        if self.operation == Operation::Join {
            self.levels.pop();
            let top = self.top();
            self.levels[top].splitting = None;
        }
        let level = match self.operation {
            // The new group is entered already: the split was done in the one before.
            Operation::Split(_) => self.top() - 1,
            _ => self.top(),
        };
        let Level { id, place, .. } = &self.levels[level];
        let size = place.size();
        let (operation, level) = (self.operation, level as u32);
        self.log.push(LogEntry { operation, level, group: *id, size, begin: self.began, end: now });
        self.doing = Doing::Nothing;
        outcome
    }

    /// Sends what was put down during an operation.
    fn flush(&mut self, level: usize, number: u32, context: &mut Context<'_, Envelope<S::Packet>>) {
        let level = level as u32;
        for (to, bytes, packet) in self.outbox.messages.drain(..) {
            self.sent[S::step(&packet)] += 1;
            context.send(to, bytes, Envelope { level, number, body: Body::Own(packet) });
        }
        for (to, way, load) in self.post.drain(..) {
            self.sent[S::STEPS.len() + way as usize] += 1;
            context.send(to, load.bytes(), Envelope { level, number, body: Body::Pass(way, load) });
        }
    }

    /// Whether a message can be handled now.
    fn is_due(&self, envelope: &Envelope<S::Packet>) -> bool {
        let Envelope { level, number, ref body } = *envelope;
        let Some(own) = self.levels.get(level as usize) else { return false };
        match body {
            Body::Own(_) => own.splitting.as_ref().is_some_and(|(present, _)| *present == number),
            Body::Pass(..) => {
                matches!(self.doing, Doing::Pass(_))
                    && self.acting() == level as usize
                    && own.number == number + 1
            }
        }
    }

    /// Handles a message that is due; the outcome, if it ends the present operation.
    fn handle(
        &mut self,
        from: NodeId,
        envelope: Envelope<S::Packet>,
        context: &mut Context<'_, Envelope<S::Packet>>,
    ) -> Option<Outcome> {
        let Envelope { level, number, body } = envelope;
        let at = level as usize;
        match body {
            Body::Pass(way, load) => {
                let Doing::Pass(pass) = &mut self.doing else { unreachable!("it is due") };
                let links = match self.operation {
                    Operation::Join => {
                        self.scheme.join(&self.levels[at].place, &self.levels[at + 1].place).links
                    }
                    _ => self.levels[at].place.links(),
                };
                let outcome = pass.receive(from, way, load, links, &mut self.post);
                self.flush(at, number, context);
                outcome
            }
            Body::Own(packet) => {
                let own = &mut self.levels[at];
                let (_, splitting) = own.splitting.as_mut().expect("it is due");
                self.scheme.receive(context.node(), &own.place, splitting, from, packet, &mut self.outbox);
                self.flush(at, number, context);
                let is_present = matches!(self.doing, Doing::Split | Doing::Exchange) && at == self.top();
                if is_present { self.advance(at) } else { None }
            }
        }
    }

    /// Handles early messages whose time has come; the outcome, if one ends the present operation.
    fn catch_up(&mut self, context: &mut Context<'_, Envelope<S::Packet>>) -> Option<Outcome> {
        while let Some(at) = self.early.iter().position(|(_, envelope)| self.is_due(envelope)) {
            let (from, envelope) = self.early.remove(at);
            if let Some(outcome) = self.handle(from, envelope, context) {
                return Some(outcome);
            }
        }
        None
    }
}

/// A number for a new group that all its members find alone.
pub fn child_id(parent: u64, number: u32, colour: u32) -> u64 {
    // The finaliser of SplitMix64: a bijection, so siblings never meet; cousins do with chance 2^-64.
    let mut z = parent.wrapping_add((u64::from(number) << 32 | u64::from(colour)) ^ 0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl<S: Scheme, P: Program> Process for Member<'_, S, P> {
    type Payload = Envelope<S::Packet>;

    const HEARS_SENT: bool = false;

    fn on_start(&mut self, context: &mut Context<'_, Self::Payload>) {
        if self.levels.is_empty() {
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
        if !self.is_due(&envelope) {
            self.early.push((from, envelope));
            self.early_most = self.early_most.max(self.early.len());
            return;
        }
        if let Some(outcome) = self.handle(from, envelope, context) {
            let outcome = self.end(outcome, context.now());
            self.proceed(outcome, context);
        }
    }

    fn on_computed(&mut self, _: u32, context: &mut Context<'_, Self::Payload>) {
        let outcome = self.end(Outcome::Done, context.now());
        self.proceed(outcome, context);
    }
}
