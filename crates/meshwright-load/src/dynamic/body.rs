//! What every node does whatever the policy: it holds load, works it off grain by grain, and sends.

use std::cell::RefCell;
use std::collections::VecDeque;

use super::{Case, Ledger, Piece};
use meshwright_core::units::{Bytes, Cycles, NodeId};
use meshwright_schedule::Process;
use meshwright_schedule::process::Context;

/// What crosses the links: load, or a note of the policy.
#[derive(Clone, Debug)]
pub enum Content<N> {
    /// Load; `rest` bytes more of the same answer follow.
    Load {
        /// The load.
        piece: Piece,
        /// What follows.
        rest: u64,
    },
    /// What a policy says.
    Note(N),
}

/// What a policy is shown and may ask for.
pub type Hands<'c, N> = Context<'c, Content<N>>;

/// How the nodes share the load: what one of them does when something happens.
///
/// A policy knows what is on its own node and what others tell it by messages, no more: not the speeds to come, nor
/// the loads.
pub trait Policy {
    /// What its messages say.
    type Note: Clone;

    /// The run begins.
    fn start(&mut self, _: &mut Body<'_>, _: &mut Hands<'_, Self::Note>) {}

    /// Load has entered the machine here.
    fn arrived(&mut self, piece: Piece, body: &mut Body<'_>, _: &mut Hands<'_, Self::Note>) {
        body.take(piece);
    }

    /// Load has come from another node.
    fn loaded(&mut self, piece: Piece, _rest: u64, body: &mut Body<'_>, _: &mut Hands<'_, Self::Note>) {
        body.take(piece);
    }

    /// A note has come.
    fn noted(
        &mut self,
        from: NodeId,
        note: Self::Note,
        body: &mut Body<'_>,
        hands: &mut Hands<'_, Self::Note>,
    );

    /// A message with this token has left.
    fn sent(&mut self, _token: u32, _: &mut Body<'_>, _: &mut Hands<'_, Self::Note>) {}

    /// The alarm with this token.
    fn alarm(&mut self, _token: u32, _: &mut Body<'_>, _: &mut Hands<'_, Self::Note>) {}

    /// How many bytes the processor takes up next.
    fn grain(&self, body: &Body<'_>) -> u64 {
        body.case.grain
    }

    /// After everything that happens, before the processor takes up the next grain.
    fn act(&mut self, _: &mut Body<'_>, _: &mut Hands<'_, Self::Note>) {}
}

/// The load of a node and its processor.
#[derive(Debug)]
pub struct Body<'c> {
    /// What is to be done.
    pub case: &'c Case<'c>,
    /// Who this is.
    pub node: NodeId,
    /// Whether its processor has stopped.
    pub is_dead: bool,
    /// Measured: how many cycles at full speed the last grain took for each cycle.
    pub speed: f64,
    ledger: &'c RefCell<Ledger>,
    stock: VecDeque<Piece>,
    stocked: u64,
    /// What is being worked off, and since when.
    working: Option<(Piece, u64)>,
}

impl<'c> Body<'c> {
    /// Bytes that wait here.
    pub fn stocked(&self) -> u64 {
        self.stocked
    }

    /// Puts load to what waits here.
    pub fn take(&mut self, piece: Piece) {
        if piece.bytes == 0 {
            return;
        }
        self.stocked += piece.bytes;
        match self.stock.back_mut() {
            Some(last) if last.job == piece.job => last.bytes += piece.bytes,
            _ => self.stock.push_back(piece),
        }
    }

    /// Takes at most so many bytes of one load out of what waits, the newest of it.
    pub fn give(&mut self, most: u64) -> Option<Piece> {
        let last = self.stock.back_mut()?;
        let piece = cut(last, most);
        if last.bytes == 0 {
            self.stock.pop_back();
        }
        self.stocked -= piece.bytes;
        Some(piece).filter(|piece| piece.bytes > 0)
    }

    /// Whether all load that ever comes has been worked off, or nobody is left to do that: a simulation has no need to go on.
    pub fn is_over(&self) -> bool {
        let ledger = self.ledger.borrow();
        ledger.left == 0 || ledger.alive == 0
    }

    /// The speed now, by what was measured: less than before once a grain takes longer than the last one.
    pub fn speed_now(&self, now: Cycles) -> f64 {
        match self.working {
            _ if self.is_dead => 0.0,
            Some((piece, since)) if now.0 > since => {
                let alone = self.case.scale.work(self.node, piece.bytes).0 as f64;
                self.speed.min(alone / (now.0 - since) as f64)
            }
            _ => self.speed,
        }
    }

    /// Bytes that are waiting or not yet worked off, as far as the node can know.
    pub fn held(&self, now: Cycles) -> u64 {
        let working = self.working.map_or(0, |(piece, since)| {
            let alone = self.case.scale.work(self.node, piece.bytes).0.max(1) as f64;
            let done = (now.0 - since) as f64 * self.speed_now(now) / alone;
            (piece.bytes as f64 * (1.0 - done).max(0.0)) as u64
        });
        self.stocked + working
    }

    /// Sends load.
    pub fn send<N>(&mut self, to: NodeId, piece: Piece, rest: u64, token: u32, hands: &mut Hands<'_, N>) {
        self.ledger.borrow_mut().send(piece.bytes, self.case.hops(self.node, to));
        hands.send_with(to, Bytes(piece.bytes), Content::Load { piece, rest }, token);
    }

    /// Sends load in messages of at most some grains, one behind the other.
    pub fn send_many<N>(&mut self, to: NodeId, pieces: Vec<Piece>, hands: &mut Hands<'_, N>) {
        let mut rest: u64 = pieces.iter().map(|piece| piece.bytes).sum();
        for mut piece in pieces {
            while piece.bytes > 0 {
                let part = cut(&mut piece, self.case.message_most());
                rest -= part.bytes;
                self.send(to, part, rest, NO_TOKEN, hands);
            }
        }
    }

    /// Sends load in one message that nobody asked for.
    pub fn send_back<N>(&mut self, to: NodeId, piece: Piece, hands: &mut Hands<'_, N>) {
        self.send(to, piece, RETURNED, NO_TOKEN, hands);
    }

    /// Sends a note that is so many times as long as the shortest.
    pub fn tell<N>(&mut self, to: NodeId, note: N, times: u64, hands: &mut Hands<'_, N>) {
        let bytes = self.case.note * times;
        self.ledger.borrow_mut().send(bytes, self.case.hops(self.node, to));
        hands.send_with(to, Bytes(bytes), Content::Note(note), NO_TOKEN);
    }

    /// Takes up the next grain, if the processor is free.
    fn begin<N>(&mut self, grain: u64, hands: &mut Hands<'_, N>) {
        if self.is_dead || self.working.is_some() {
            return;
        }
        let Some(first) = self.stock.front_mut() else { return };
        let piece = cut(first, grain.max(1));
        if first.bytes == 0 {
            self.stock.pop_front();
        }
        self.stocked -= piece.bytes;
        let now = hands.now().0;
        self.working = Some((piece, now));
        let work = self.case.scale.work(self.node, piece.bytes).0;
        if let Some(end) = self.case.weather.end(self.node, now, work) {
            hands.compute(Cycles(end - now), 0);
        }
    }

    /// The grain is done.
    fn done(&mut self, now: Cycles) {
        let (piece, since) = self.working.take().expect("it is told what it asked for");
        let alone = self.case.scale.work(self.node, piece.bytes).0 as f64;
        self.speed = if now.0 > since { alone / (now.0 - since) as f64 } else { 1.0 };
        self.ledger.borrow_mut().done(piece, now.0, now.0 - since);
    }

    /// The processor stops: what it was at is not done.
    fn die(&mut self, now: Cycles) {
        let was_dead = std::mem::replace(&mut self.is_dead, true);
        self.ledger.borrow_mut().alive -= usize::from(!was_dead);
        if let Some((piece, since)) = self.working.take() {
            self.ledger.borrow_mut().busy += now.0 - since;
            self.stocked += piece.bytes;
            self.stock.push_front(piece);
        }
    }
}

/// What follows load that comes back.
pub(super) const RETURNED: u64 = u64::MAX;

/// The token of messages nobody waits for.
pub(super) const NO_TOKEN: u32 = u32::MAX;

/// Cuts at most so many bytes off.
pub(super) fn cut(piece: &mut Piece, most: u64) -> Piece {
    let bytes = piece.bytes.min(most);
    piece.bytes -= bytes;
    Piece { bytes, ..*piece }
}

/// A node with its policy.
#[derive(Debug)]
pub struct Worker<'c, P> {
    body: Body<'c>,
    policy: P,
}

/// The alarm of the end of a processor, and those of arrivals from this one on; below are those of policies.
const DEATH: u32 = u32::MAX;
const ARRIVALS: u32 = 1 << 31;

impl<'c, P: Policy> Worker<'c, P> {
    /// A node that has nothing yet. What happens is written into the ledger, which all nodes share.
    pub fn new(case: &'c Case<'c>, ledger: &'c RefCell<Ledger>, node: NodeId, policy: P) -> Self {
        let (stock, is_dead) = (VecDeque::new(), !case.can_work(node));
        let body = Body { case, node, is_dead, speed: 1.0, ledger, stock, stocked: 0, working: None };
        Self { body, policy }
    }

    fn settle(&mut self, hands: &mut Hands<'_, P::Note>) {
        self.body.begin(self.policy.grain(&self.body), hands);
        self.policy.act(&mut self.body, hands);
        self.body.begin(self.policy.grain(&self.body), hands);
    }
}

impl<P: Policy> Process for Worker<'_, P> {
    type Payload = Content<P::Note>;

    fn on_start(&mut self, hands: &mut Hands<'_, P::Note>) {
        let Self { body, policy } = self;
        policy.start(body, hands);
        let (case, node) = (body.case, body.node);
        for (job, arrival) in (0u32..).zip(&case.arrivals).filter(|(_, arrival)| arrival.node == node) {
            match arrival.at {
                0 => policy.arrived(Piece { job, bytes: arrival.bytes }, body, hands),
                at => hands.alarm(Cycles(at), ARRIVALS + job),
            }
        }
        if let Some(at) = body.case.weather.death(body.node) {
            hands.alarm(Cycles(at), DEATH);
        }
        self.settle(hands);
    }

    fn on_message(&mut self, from: NodeId, content: Self::Payload, hands: &mut Hands<'_, P::Note>) {
        match content {
            Content::Load { piece, rest } => self.policy.loaded(piece, rest, &mut self.body, hands),
            Content::Note(note) => self.policy.noted(from, note, &mut self.body, hands),
        }
        self.settle(hands);
    }

    fn on_sent(&mut self, token: u32, hands: &mut Hands<'_, P::Note>) {
        if token != NO_TOKEN {
            self.policy.sent(token, &mut self.body, hands);
            self.settle(hands);
        }
    }

    fn on_computed(&mut self, _: u32, hands: &mut Hands<'_, P::Note>) {
        self.body.done(hands.now());
        self.settle(hands);
    }

    fn on_alarm(&mut self, token: u32, hands: &mut Hands<'_, P::Note>) {
        match token {
            DEATH => self.body.die(hands.now()),
            token if token >= ARRIVALS => {
                let job = token - ARRIVALS;
                let bytes = self.body.case.arrivals[job as usize].bytes;
                self.policy.arrived(Piece { job, bytes }, &mut self.body, hands);
            }
            token => self.policy.alarm(token, &mut self.body, hands),
        }
        self.settle(hands);
    }
}
