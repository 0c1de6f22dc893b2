//! Changes of overlay trees, one after the other, so that the [clock](super::overlay_clock) stops early. A change for the worse is kept as long as it is
//! small, ever less so.

use meshwright_core::rng;
use rand::{Rng, RngExt};

use super::clock::End;
use super::overlay::{Letter, NOBODY, Overlay};
use super::overlay_clock::{NEVER, OverlayClock};
use super::ways::Ways;

/// The seed of the changes.
const SEED: u32 = 4;

/// How many results are drawn of which the latest is looked at.
const DRAWS: usize = 6;

/// How many members are drawn at most of which the best takes the place of another.
const CHOICES: usize = 12;

/// By how many links more than the present one an edge may go.
const FURTHER: usize = 3;

/// How much worse a change may be at first, as a part of the start-up.
const WORSE: f64 = 0.025;

/// Of so many changes, these are of the order.
const ORDER: (u32, u32) = (3, 10);

/// How often the clock runs at most.
const RUNS: usize = 1 << 16;

/// What is changed.
#[derive(Clone, Copy)]
enum Change {
    /// To whom a member sends its sum, from whom it has a piece, by piece and member.
    Up(usize, u32),
    Down(usize, u32),
    /// Two messages in the order of sending.
    Turns(usize, usize),
}

/// Makes a change, and tells what takes it back.
fn change(overlay: &mut Overlay, change: Change) -> Change {
    match change {
        Change::Up(at, over) => Change::Up(at, std::mem::replace(&mut overlay.up[at], over)),
        Change::Down(at, over) => Change::Down(at, std::mem::replace(&mut overlay.down[at], over)),
        Change::Turns(one, other) => {
            overlay.turn.swap(one, other);
            change
        }
    }
}

/// Draws changes for overlay trees by when their messages came.
struct Draws<'a, R> {
    ways: &'a Ways,
    rng: R,
    /// The messages of a late result, the last first.
    chain: Vec<Letter>,
}

impl<R: Rng> Draws<'_, R> {
    /// Of one of the latest results the messages that led to it, each the last that its sender waited for.
    fn trace(&mut self, overlay: &Overlay, clock: &OverlayClock<'_>) {
        self.chain.clear();
        let members = overlay.members as usize;
        let mut at = if overlay.down.is_empty() {
            let piece = self.rng.random_range(0..overlay.hubs.len());
            piece * members + overlay.hubs[piece][0] as usize
        } else {
            let draws = (0..DRAWS).map(|_| self.rng.random_range(0..overlay.down.len()));
            draws.max_by_key(|&at| clock.when[overlay.index(Letter::Down(at))]).expect("a draw")
        };
        let row = at - at % members;
        while let Some(&from) = overlay.down.get(at).filter(|from| **from != NOBODY) {
            self.chain.push(Letter::Down(at));
            at = row + from as usize;
        }
        if overlay.exchanges() {
            at = row + overlay.hubs[row / members][self.rng.random_range(0..overlay.many())] as usize;
        }
        while !overlay.up.is_empty() {
            let member = (at - row) as u32;
            let senders = (row..row + members).filter(|&from| overlay.up[from] == member);
            let Some(last) = senders.max_by_key(|&from| clock.when[from]) else { break };
            self.chain.push(Letter::Up(last));
            at = last;
        }
    }

    /// Something to change; none where the draw is of no use.
    fn change(&mut self, overlay: &Overlay, clock: &OverlayClock<'_>) -> Option<Change> {
        self.trace(overlay, clock);
        if self.chain.is_empty() {
            return None;
        }
        let letter = self.chain[self.rng.random_range(0..self.chain.len())];
        if self.rng.random_range(0..ORDER.1) < ORDER.0 {
            let other = self.rng.random_range(0..overlay.messages());
            return Some(Change::Turns(overlay.index(letter), other));
        }
        match letter {
            Letter::Up(at) => {
                // The longer before the other's own sum goes on, the better.
                let apart = |member: usize, to: u32| usize::from(self.ways.hops_to(to as usize)[member]);
                let cost = |there: usize| -i64::from(clock.begun[there]);
                let next = self.over(overlay, (&overlay.up, at), apart, clock.head(), cost)?;
                Some(Change::Up(at, next))
            }
            Letter::Down(at) => {
                let apart = |member: usize, to: u32| usize::from(self.ways.hops_to(member)[to as usize]);
                let cost = |there: usize| i64::from(clock.when[overlay.index(Letter::Down(there))]);
                let next = self.over(overlay, (&overlay.down, at), apart, clock.head(), cost)?;
                Some(Change::Down(at, next))
            }
            Letter::Between(..) => None,
        }
    }

    /// The best of some members drawn to take the place of the one over a member in its tree.
    fn over(
        &mut self,
        overlay: &Overlay,
        (tree, at): (&[u32], usize),
        apart: impl Fn(usize, u32) -> usize,
        head: u32,
        cost: impl Fn(usize) -> i64,
    ) -> Option<u32> {
        let members = overlay.members as usize;
        let (row, member) = (at - at % members, at % members);
        let is_below = |to: u32| {
            let mut over = to;
            while over != NOBODY && over as usize != member {
                over = tree[row + over as usize];
            }
            over != NOBODY
        };
        let most = apart(member, tree[at]) + FURTHER;
        let mut best: Option<(i64, u32)> = None;
        for _ in 0..self.rng.random_range(1..CHOICES) {
            let to = self.rng.random_range(0..overlay.members);
            let far = apart(member, to);
            if to == tree[at] || far > most {
                continue;
            }
            let cost = cost(row + to as usize) + far as i64 * i64::from(head);
            if best.is_none_or(|(known, _)| cost < known) && !is_below(to) {
                best = Some((cost, to));
            }
        }
        best.map(|(_, to)| to)
    }
}

/// The trees that end first by the clock of those that come of these by changes, their turns those in which messages begin, and when they end; none if all
/// stand still.
///
/// # Complexity
///
/// Messages ask for as many links as `asks` says, or begin 2^16 times.
pub(super) fn changed(
    ways: &Ways,
    clock: &mut OverlayClock<'_>,
    mut overlay: Overlay,
    asks: usize,
) -> Option<(Overlay, u32)> {
    let mut draws = Draws { ways, rng: rng::numbered(&[SEED]), chain: Vec::new() };
    let cost = |end: End| f64::from(end.last) + end.late;
    let end = clock.run(&overlay);
    let (mut now, mut best) = (cost(end), (clock.ordered(&overlay), end.last));
    let ends = (0..overlay.messages()).map(|index| overlay.ends(overlay.letter(index)));
    let links: usize = ends.map(|(from, to)| usize::from(ways.hops_to(to as usize)[from as usize])).sum();
    let runs = (asks / links.max(1)).min(RUNS);
    let mut backs = Vec::new();
    for run in 0..runs {
        for _ in 0..draws.rng.random_range(1..3) {
            let next = draws.change(&overlay, clock);
            backs.extend(next.map(|next| change(&mut overlay, next)));
        }
        let end = clock.run(&overlay);
        let left = 1.0 - run as f64 / runs as f64;
        if cost(end) <= now + WORSE * clock.startup() * left * draws.rng.random_range(0.0..1.0) {
            now = cost(end);
            backs.clear();
            if end.last < best.1 {
                best = (clock.ordered(&overlay), end.last);
            }
        }
        backs.drain(..).rev().for_each(|back| {
            change(&mut overlay, back);
        });
    }
    (best.1 < NEVER).then_some(best)
}
