//! The state machine of one node.

use core::marker::PhantomData;

use crate::list::{Full, List};
use crate::pass::{Cargo, Pass, PassDirection, Post};
use crate::program::{Act, Over};
use crate::scheme::{Outbox, Scheme};
use crate::tree::Place;

/// A message between members. Level and number say which operation it belongs to: messages of the next one may
/// overtake the last of this one, and are kept until it is time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Envelope<L, T> {
    /// How many splits are around the operation.
    pub level: u32,
    /// Which operation of that group it is.
    pub number: u32,
    /// What it carries.
    pub body: Body<L, T>,
}

/// What a message carries: L in passes, T of a scheme's own.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Body<L, T> {
    /// Of a pass over the tree.
    Pass(PassDirection, L),
    /// Of a split or an exchange.
    Own(T),
}

/// What a pass over the trees of this scheme carries.
pub type LoadOf<S> = <<S as Scheme>::Cargo as Cargo>::Load;
/// What an operation leaves.
pub type OutcomeOf<S> = <<S as Scheme>::Cargo as Cargo>::Outcome;
/// A message between members that split by this scheme.
pub type EnvelopeOf<S> = Envelope<LoadOf<S>, <S as Scheme>::Packet>;
/// A message that came before its time, and its sender.
pub type Early<S> = (<S as Scheme>::Node, EnvelopeOf<S>);
/// An operation that is over, if it is.
pub type Progress<S> = Result<Option<Over<OutcomeOf<S>>>, Full>;

/// A group this member belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Level<P, T> {
    /// Where the member is in it.
    pub place: P,
    /// How many operations were begun in this group.
    number: u32,
    /// See [`Over::group`].
    id: u64,
    /// The split that made the groups of the next level or the present exchange, and its number.
    splitting: Option<(u32, T)>,
}

impl<P, T> Level<P, T> {
    fn new(place: P, id: u64) -> Self {
        Self { place, number: 0, id, splitting: None }
    }

    /// The split that made the groups of the next level.
    pub fn splitting(&self) -> Option<&T> {
        self.splitting.as_ref().map(|(_, splitting)| splitting)
    }
}

/// What a member is doing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Doing<N, C> {
    /// Nothing: it waits to be asked.
    Nothing,
    /// A split, with its colour.
    Split(u32),
    Exchange,
    Pass(Pass<N, C>),
    Join(Pass<N, C>),
}

/// Where a member puts its messages.
pub trait Port<S: Scheme> {
    /// Sends a message of so many bytes to a node.
    fn send(&mut self, to: S::Node, bytes: u64, envelope: EnvelopeOf<S>);
}

/// Messages of one operation on their way to a port.
struct Sender<'p, S, O> {
    port: &'p mut O,
    level: u32,
    number: u32,
    scheme: PhantomData<S>,
}

impl<'p, S, O> Sender<'p, S, O> {
    fn new(port: &'p mut O, level: usize, number: u32) -> Self {
        Self { port, level: level as u32, number, scheme: PhantomData }
    }
}

impl<S: Scheme, O: Port<S>> Outbox<S::Node, S::Packet> for Sender<'_, S, O> {
    fn send(&mut self, to: S::Node, bytes: u64, packet: S::Packet) {
        let (level, number) = (self.level, self.number);
        self.port.send(to, bytes, Envelope { level, number, body: Body::Own(packet) });
    }
}

impl<S: Scheme, O: Port<S>> Post<S::Node, LoadOf<S>> for Sender<'_, S, O> {
    fn post(&mut self, to: S::Node, way: PassDirection, load: LoadOf<S>) {
        let (level, number, bytes) = (self.level, self.number, S::Cargo::bytes(&load));
        self.port.send(to, bytes, Envelope { level, number, body: Body::Pass(way, load) });
    }
}

/// One node in a group: it begins what it is asked to, and answers what comes.
///
/// It keeps one level for each split it is inside of, and waits for nobody but the members of its own group. Whoever
/// drives it asks for one operation at a time, and for the next one when that is over.
///
/// # Examples
///
/// Two members meet at a barrier, the messages carried by hand.
///
/// ```
/// use meshwright_member::chip::{Chip, Message, Seat};
/// use meshwright_member::{Act, Member, Steps, WordOperation};
/// let chip = || Chip::<4, 8, 0>::new(Steps { partial: false, full: true });
/// let mut members = [0, 1].map(|node| Member::new(chip(), node, Seat::in_group(&[0, 1], node)));
/// let mut sent: Vec<(u32, Message)> = Vec::new();
/// let barrier = Act::Pass(WordOperation::Barrier);
/// // Node 0 is the child: it tells node 1, the root, and waits.
/// assert_eq!(members[0].begin(barrier, &mut |to, message| sent.push((to, message))), Ok(None));
/// let (to, message) = sent.pop().unwrap();
/// assert_eq!(to, 1);
/// // What comes before its time is kept.
/// assert_eq!(members[1].receive(0, message.open().unwrap(), &mut |_, _| ()), Ok(None));
/// let over = members[1].begin(barrier, &mut |to, message| sent.push((to, message)));
/// assert_eq!(over.unwrap().unwrap().size, 2);
/// let (to, message) = sent.pop().unwrap();
/// assert!(members[to as usize].receive(1, message.open().unwrap(), &mut |_, _| ()).unwrap().is_some());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Member<S: Scheme> {
    scheme: S,
    node: S::Node,
    /// From the first group to the present one.
    levels: S::Levels,
    doing: Doing<S::Node, S::Cargo>,
    early: S::Early,
}

impl<S: Scheme> Member<S> {
    /// A member with its place in the first group.
    ///
    /// # Panics
    ///
    /// When there is no memory for one group.
    pub fn new(scheme: S, node: S::Node, place: S::Place) -> Self {
        let (mut levels, early) = (S::Levels::default(), S::Early::default());
        assert!(levels.push(Level::new(place, 0)).is_ok(), "there is room for one group");
        Self { scheme, node, levels, doing: Doing::Nothing, early }
    }

    /// Begins again in another first group, in the memory it has.
    ///
    /// # Panics
    ///
    /// When there is no memory for one group.
    pub fn renew(&mut self, place: S::Place) {
        while self.levels.pop().is_some() {}
        while self.early.pop().is_some() {}
        assert!(self.levels.push(Level::new(place, 0)).is_ok(), "there is room for one group");
        self.doing = Doing::Nothing;
    }

    /// How it splits.
    pub fn scheme(&self) -> &S {
        &self.scheme
    }

    /// The same, to be changed by whoever drives it.
    pub fn scheme_mut(&mut self) -> &mut S {
        &mut self.scheme
    }

    /// Its node.
    pub fn node(&self) -> S::Node {
        self.node
    }

    /// The groups it is inside of, from the first to the present one.
    pub fn levels(&self) -> &S::Levels {
        &self.levels
    }

    /// Its place in the present group.
    pub fn place(&self) -> &S::Place {
        &self.level(self.top()).place
    }

    /// A number for the present group: equal for all its members.
    pub fn group(&self) -> u64 {
        self.level(self.top()).id
    }

    /// How many splits deep it is.
    pub fn depth(&self) -> u32 {
        self.top() as u32
    }

    /// How many messages wait for their time.
    pub fn early(&self) -> usize {
        self.early.len()
    }

    /// Whether an operation is under way.
    pub fn is_busy(&self) -> bool {
        !matches!(self.doing, Doing::Nothing)
    }

    fn top(&self) -> usize {
        self.levels.len() - 1
    }

    fn level(&self, at: usize) -> &Level<S::Place, S::Splitting> {
        self.levels.get(at).expect("a level that was entered")
    }

    /// Begins an operation; what it left, if it is over at once.
    ///
    /// # Errors
    ///
    /// [`Full`] when there is no memory for it; the member cannot be used any more.
    ///
    /// # Panics
    ///
    /// When another operation is under way, or a join does not follow a split.
    pub fn begin(
        &mut self,
        act: Act<<S::Cargo as Cargo>::Operation>,
        port: &mut impl Port<S>,
    ) -> Progress<S> {
        assert!(!self.is_busy(), "one operation at a time");
        match self.start(act, port)? {
            Some(outcome) => {
                let over = self.end(outcome);
                // Others may wait for answers of a split that was over at once here.
                self.catch_up(port)?;
                Ok(Some(over))
            }
            None => self.catch_up(port),
        }
    }

    /// A message has come; what the present operation left, if it is over now.
    ///
    /// # Errors
    ///
    /// [`Full`] when there is no memory for it; the member cannot be used any more.
    pub fn receive(
        &mut self,
        from: S::Node,
        envelope: EnvelopeOf<S>,
        port: &mut impl Port<S>,
    ) -> Progress<S> {
        if !self.is_due(&envelope) {
            self.early.push((from, envelope))?;
            return Ok(None);
        }
        let outcome = self.handle(from, envelope, port)?;
        Ok(outcome.map(|outcome| self.end(outcome)))
    }

    /// Begins the present operation; its outcome, if it is over at once.
    fn start(
        &mut self,
        act: Act<<S::Cargo as Cargo>::Operation>,
        port: &mut impl Port<S>,
    ) -> Result<Option<OutcomeOf<S>>, Full> {
        let top = self.top();
        let is_join = matches!(act, Act::Join);
        assert!(!is_join || top > 0, "a join follows a split");
        let acting = top - usize::from(is_join);
        let Self { scheme, node, levels, doing, .. } = self;
        let level = levels.get_mut(acting).expect("a level that was entered");
        let number = level.number;
        level.number = number.wrapping_add(1);
        let sender = &mut Sender::new(port, acting, number);
        match act {
            Act::Split(label) => {
                *doing = Doing::Split(label.colour);
                level.splitting = Some((number, scheme.begin(*node, &level.place, label, sender)?));
                self.advance(acting)
            }
            Act::Join => {
                let (parent, own) = (levels.get(acting), levels.get(top));
                let (parent, own) = parent.zip(own).expect("levels that were entered");
                let join = scheme.join(&parent.place, &own.place);
                let (pass, outcome) = Pass::join(parent.place.rank(), join.across, join.edges, sender);
                *doing = Doing::Join(pass);
                Ok(outcome)
            }
            Act::Pass(operation) => {
                if let Some(exchange) = scheme.exchange(&level.place, operation, sender) {
                    *doing = Doing::Exchange;
                    level.splitting = Some((number, exchange));
                    return self.advance(acting);
                }
                let place = &level.place;
                let (rank, edges) = (place.rank(), place.edges());
                let (pass, outcome) = Pass::begin(operation, rank, scheme.is_ordered(), edges, sender)?;
                *doing = Doing::Pass(pass);
                Ok(outcome)
            }
        }
    }

    /// Enters the new group or ends the exchange, if what is under way at this level has come so far.
    fn advance(&mut self, at: usize) -> Result<Option<OutcomeOf<S>>, Full> {
        let Self { scheme, levels, doing, .. } = self;
        let level = levels.get_mut(at).expect("a level that was entered");
        let (number, splitting) = level.splitting.as_mut().expect("a split is under way");
        let &mut Doing::Split(colour) = doing else { return Ok(scheme.take_outcome(splitting)) };
        let Some(place) = scheme.take_place(splitting) else { return Ok(None) };
        let id = child_id(level.id, *number, colour);
        levels.push(Level::new(place, id))?;
        Ok(Some(OutcomeOf::<S>::default()))
    }

    /// The present operation is over.
    fn end(&mut self, outcome: OutcomeOf<S>) -> Over<OutcomeOf<S>> {
        if matches!(self.doing, Doing::Join(_)) {
            self.levels.pop();
            let top = self.top();
            self.levels.get_mut(top).expect("a join leaves a group").splitting = None;
        }
        // Of a split the new group is entered already: it was done in the one before.
        let at = self.top() - usize::from(matches!(self.doing, Doing::Split(_)));
        self.doing = Doing::Nothing;
        let level = self.level(at);
        Over { outcome, level: at as u32, group: level.id, size: level.place.size() }
    }

    /// Whether a message can be handled now.
    fn is_due(&self, envelope: &EnvelopeOf<S>) -> bool {
        let Envelope { level: at, number, ref body } = *envelope;
        let at = at as usize;
        let Some(level) = self.levels.get(at) else { return false };
        match body {
            Body::Own(_) => level.splitting.as_ref().is_some_and(|(present, _)| *present == number),
            Body::Pass(..) => {
                let acting = match self.doing {
                    Doing::Pass(_) => Some(self.top()),
                    Doing::Join(_) => self.top().checked_sub(1),
                    _ => None,
                };
                acting == Some(at) && level.number == number.wrapping_add(1)
            }
        }
    }

    /// Handles a message that is due; the outcome, if it ends the present operation.
    fn handle(
        &mut self,
        from: S::Node,
        envelope: EnvelopeOf<S>,
        port: &mut impl Port<S>,
    ) -> Result<Option<OutcomeOf<S>>, Full> {
        let Envelope { level, number, body } = envelope;
        let (at, top) = (level as usize, self.top());
        let Self { scheme, node, levels, doing, .. } = self;
        let sender = &mut Sender::new(port, at, number);
        match body {
            Body::Pass(way, load) => {
                let place = &levels.get(at).expect("it is due").place;
                Ok(match doing {
                    Doing::Pass(pass) => pass.receive(from, way, load, place.edges(), sender),
                    Doing::Join(pass) => {
                        let own = &levels.get(top).expect("the present group").place;
                        pass.receive(from, way, load, scheme.join(place, own).edges, sender)
                    }
                    _ => None,
                })
            }
            Body::Own(packet) => {
                let level = levels.get_mut(at).expect("it is due");
                let (_, splitting) = level.splitting.as_mut().expect("it is due");
                scheme.receive(*node, &level.place, splitting, from, packet, sender)?;
                let is_present = matches!(doing, Doing::Split(_) | Doing::Exchange) && at == top;
                if is_present { self.advance(at) } else { Ok(None) }
            }
        }
    }

    /// Handles early messages whose time has come.
    fn catch_up(&mut self, port: &mut impl Port<S>) -> Progress<S> {
        let mut at = 0;
        while let Some((_, envelope)) = self.early.get(at) {
            if !self.is_due(envelope) {
                at += 1;
                continue;
            }
            let (from, envelope) = self.early.remove(at).expect("it was there");
            if let Some(outcome) = self.handle(from, envelope, port)? {
                let over = self.end(outcome);
                // Nothing is under way now, so what is left is answered and ends nothing.
                self.catch_up(port)?;
                return Ok(Some(over));
            }
            // What it changed may have made an earlier one due.
            at = 0;
        }
        Ok(None)
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
