//! The model once more, word by word: every worm and every place looked at in every tick.

use meshwright_core::rng;
use meshwright_core::units::{LinkId, NodeId};
use meshwright_network::routing::{self, Choices};
use meshwright_network::topology::{Machine, PortModel, Topology};

/// What a worm needs on its way, one at a time: a port, or a class of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Injection(NodeId),
    Lane(LinkId, u8),
    Ejection(NodeId),
}

impl Place {
    /// The other class of a lane.
    fn beside(self) -> Option<Self> {
        match self {
            Self::Lane(link, class) => Some(Self::Lane(link, 1 - class)),
            Self::Injection(_) | Self::Ejection(_) => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// At its source until this tick.
    Starting(u64),
    Moving,
    /// In the line of the next place since then.
    Waiting(u64),
    /// The next place is its own, but a wire under it carries another worm.
    Ready,
    Arrived(u64),
}

struct Worm {
    way: Vec<Place>,
    lanes: u64,
    body: u64,
    /// Ticks it has moved.
    moved: u64,
    /// Places it was given.
    given: usize,
    state: State,
    /// Whether it moved up to this tick.
    came: bool,
}

impl Worm {
    /// Ticks it has moved when its tail leaves its first lanes.
    fn off(&self, lanes: u64, head: u64) -> u64 {
        lanes * head + self.body
    }

    /// The places it holds.
    fn held(&self, head: u64) -> impl Iterator<Item = Place> {
        let mut lanes = 0;
        let is_held = move |place: &Place| {
            lanes += u64::from(matches!(place, Place::Lane(..)));
            let off = match place {
                Place::Injection(_) => self.off(1, head),
                Place::Lane(..) => self.off(lanes, head),
                Place::Ejection(_) => u64::MAX,
            };
            self.moved < off && !matches!(self.state, State::Arrived(_))
        };
        self.way[..self.given].iter().copied().filter(is_held)
    }
}

/// Worms that start at once, in the order of their numbers.
pub(crate) struct Model {
    worms: Vec<Worm>,
    startup: u64,
    head: u64,
    now: u64,
    /// How often a worm went beside one that stood.
    pub(crate) passes: u64,
}

impl Model {
    /// Messages by source, target and the ticks of their bodies.
    pub(crate) fn new(machine: &Machine, messages: &[(NodeId, NodeId, u64)]) -> Self {
        let startup = machine.costs().startup_ticks();
        let worm = |&(from, to, body): &(NodeId, NodeId, u64)| {
            let mut way = lanes(machine, from, to);
            let (lanes, mut state) = (way.len() as u64, State::Starting(startup));
            if machine.port_model() == PortModel::One && from != to {
                way.insert(0, Place::Injection(from));
                way.push(Place::Ejection(to));
                state = State::Waiting(0);
            }
            Worm { way, lanes, body, moved: 0, given: 0, state, came: false }
        };
        let worms = messages.iter().map(worm).collect();
        Self { worms, startup, head: machine.costs().head_ticks(), now: 0, passes: 0 }
    }

    /// The ticks at which they arrive.
    pub(crate) fn run(&mut self) -> Vec<u64> {
        for _ in 0..100_000 {
            let arrived = |worm: &Worm| match worm.state {
                State::Arrived(at) => Some(at),
                _ => None,
            };
            if let Some(arrivals) = self.worms.iter().map(arrived).collect() {
                return arrivals;
            }
            self.arrivals();
            while self.give_free() {}
            for worm in 0..self.worms.len() {
                self.go_if_ready(worm);
            }
            self.pass();
            for worm in &mut self.worms {
                worm.moved += u64::from(worm.state == State::Moving);
            }
            self.now += 1;
        }
        panic!("somebody waits for ever")
    }

    /// Start-ups that end, heads that come to a node, tails that come in.
    fn arrivals(&mut self) {
        let (now, head) = (self.now, self.head);
        for worm in &mut self.worms {
            worm.came = worm.state == State::Moving;
            let is_last = worm.given == worm.way.len();
            let is_lane = |place: &&Place| matches!(place, Place::Lane(..));
            let crossed = worm.way[..worm.given].iter().filter(is_lane).count() as u64 * head;
            worm.state = match worm.state {
                State::Starting(end) if now == end && worm.lanes > 0 => State::Waiting(now),
                State::Starting(end) if now == end + worm.body && worm.lanes == 0 => State::Arrived(now),
                State::Moving if is_last && worm.moved == worm.off(worm.lanes, head) => State::Arrived(now),
                State::Moving if !is_last && worm.moved == crossed => State::Waiting(now),
                state => state,
            };
        }
    }

    /// Who holds a place.
    fn holder(&self, place: Place) -> Option<usize> {
        self.worms.iter().position(|worm| worm.held(self.head).any(|held| held == place))
    }

    /// The first in the line of a place.
    fn first(&self, place: Place) -> Option<(u64, usize)> {
        let waits = |(number, worm): (usize, &Worm)| match worm.state {
            State::Waiting(since) if worm.way[worm.given] == place => Some((since, number)),
            _ => None,
        };
        self.worms.iter().enumerate().filter_map(waits).min()
    }

    /// The places somebody waits for, each once.
    fn wanted(&self) -> Vec<Place> {
        let wanted = |worm: &Worm| matches!(worm.state, State::Waiting(_)).then(|| worm.way[worm.given]);
        let mut places: Vec<Place> = self.worms.iter().filter_map(wanted).collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    /// A port, or a link on which nobody is, goes to who asked first, whatever the class; whether any did.
    fn give_free(&mut self) -> bool {
        let mut given = Vec::new();
        for place in self.wanted() {
            let both = [Some(place), place.beside()];
            let both = || both.iter().flatten().copied();
            if both().all(|place| self.holder(place).is_none()) {
                given.extend(both().filter_map(|place| self.first(place)).min());
            }
        }
        given.sort_unstable();
        given.dedup();
        for &(_, number) in &given {
            let worm = &mut self.worms[number];
            worm.given += 1;
            worm.state = match worm.way[worm.given - 1] {
                Place::Injection(_) if self.startup == 0 => State::Waiting(self.now),
                Place::Injection(_) => State::Starting(self.now + self.startup),
                // Who moved up to now has the wires under it; who stood must ask for them.
                _ if worm.came => State::Moving,
                _ => State::Ready,
            };
        }
        !given.is_empty()
    }

    /// Who stood and was given a place goes on if nobody else moves on the wires under it.
    fn go_if_ready(&mut self, number: usize) {
        let worm = &self.worms[number];
        let beside = worm.held(self.head).filter_map(|place| self.holder(place.beside()?));
        let is_free = beside.into_iter().all(|other| self.worms[other].state != State::Moving);
        if worm.state == State::Ready && is_free {
            self.worms[number].state = State::Moving;
        }
    }

    /// Who waits for a free lane beside one who does not move passes.
    fn pass(&mut self) {
        let lanes = self.wanted().into_iter().filter(|place| place.beside().is_some());
        let mut lanes: Vec<_> = lanes.filter_map(|lane| Some((self.first(lane)?.1, lane))).collect();
        lanes.sort_unstable();
        for (number, lane) in lanes {
            let other = lane.beside().and_then(|beside| self.holder(beside));
            let stands = other.is_some_and(|other| self.worms[other].state != State::Moving);
            if stands && self.holder(lane).is_none() {
                self.worms[number].given += 1;
                self.worms[number].state = State::Ready;
                self.passes += 1;
                self.go_if_ready(number);
            }
        }
    }
}

/// The lanes of a way, by the relation that the flit engine follows.
fn lanes(machine: &Machine, from: NodeId, to: NodeId) -> Vec<Place> {
    let relation = routing::relation("dimension-order", machine).unwrap();
    let mut header = relation.header(from, to, &mut rng::stream(0, "no draw"));
    let (mut at, mut arrived, mut lanes) = (from, None, Vec::new());
    while at != to {
        let mut choices = Choices::new();
        relation.choose(at, arrived, &mut header, &mut choices);
        let choice = choices.as_slice()[0];
        let link = machine.link(at, choice.port);
        lanes.push(Place::Lane(link, choice.class));
        (at, arrived) = (machine.target(link).unwrap(), Some(link));
    }
    lanes
}
