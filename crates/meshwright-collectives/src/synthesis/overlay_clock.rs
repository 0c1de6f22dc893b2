//! A clock for overlay trees: when all have what they need, under cut-through or wormhole.
//!
//! Links serve in the order of asking, as in the message engine, and of messages that ask at the same time first that of the first member, of its own the one
//! whose turn is first: on meshes it tells what the engine does.

use super::calendar::Calendar;
use super::clock::{End, Times};
use super::overlay::{Letter, NOBODY, Overlay};
use super::ways::Ways;

/// The bit of an event of a message, and that of one that has come; events of a moment are those of links that are free, by link, and then these, by rank.
const MESSAGE: u32 = 1 << 31;
const CAME: u32 = 1;

/// When a link is free that somebody holds.
const HELD: u32 = u32::MAX;

/// When trees end whose worms stand in a ring.
pub(super) const NEVER: u32 = u32::MAX;

/// Links, and the events to come.
pub(super) struct OverlayClock<'w> {
    ways: &'w Ways,
    times: Times,
    /// By turn the message, and how many bits a turn has.
    messages: Vec<u32>,
    bits: u32,
    /// By message when it asked for its first link.
    pub(super) begun: Vec<u32>,
    /// Whether a message that waits stands on the links behind it.
    worms: bool,
    /// By piece for how long it takes a link, but for its head; by piece and member where each has a part of its own.
    bodies: Vec<u32>,
    /// The same by piece and member, of the parts of all below it.
    carried: Vec<u32>,
    /// Results that are to come.
    missing: usize,
    /// The messages that ask for their next link, or have come, and links that are free.
    calendar: Calendar,
    /// By message how many links it has asked for.
    asked: Vec<u16>,
    /// How many it has left.
    left: Vec<u16>,
    free_at: Vec<u32>,
    /// By link the first and the last message that waits for it, and by message the one after it.
    queue: Vec<(u32, u32)>,
    behind: Vec<u32>,
    /// By piece and member how many sums are to come, and by piece and hub.
    awaited: Vec<u32>,
    awaited_between: Vec<u32>,
    /// By piece and member the last that has it from there, and by member the one before.
    takes: Vec<u32>,
    before: Vec<u32>,
    /// By message when it has come.
    pub(super) when: Vec<u32>,
    end: u32,
    sum: f64,
}

impl<'w> OverlayClock<'w> {
    pub(super) fn new(ways: &'w Ways, times: Times, worms: bool, bodies: Vec<u32>) -> Self {
        Self {
            ways,
            times,
            worms,
            bodies,
            carried: Vec::new(),
            messages: Vec::new(),
            bits: 0,
            begun: Vec::new(),
            missing: 0,
            left: Vec::new(),
            queue: Vec::new(),
            behind: Vec::new(),
            calendar: Calendar::default(),
            asked: Vec::new(),
            free_at: Vec::new(),
            awaited: Vec::new(),
            awaited_between: Vec::new(),
            takes: Vec::new(),
            before: Vec::new(),
            when: Vec::new(),
            end: 0,
            sum: 0.0,
        }
    }

    /// The start-up.
    pub(super) fn startup(&self) -> f64 {
        self.times.startup as f64
    }

    /// What a head takes.
    pub(super) fn head(&self) -> u32 {
        self.times.head
    }

    /// The same trees, whose turns are those in which messages began in the last run.
    pub(super) fn ordered(&self, overlay: &Overlay) -> Overlay {
        let begun = |index: usize| ((self.begun[index], overlay.turn[index]), index);
        let mut ordered = overlay.clone();
        ordered.turn_by((0..overlay.messages()).map(begun).collect());
        ordered
    }

    /// When it ends, [`NEVER`] where worms stand in a ring.
    ///
    /// # Complexity
    ///
    /// O(links of all ways, and moments / 64).
    pub(super) fn run(&mut self, overlay: &Overlay) -> End {
        self.begin(overlay);
        while let Some((now, mut all)) = self.calendar.next() {
            all.sort_unstable();
            for &event in &all {
                if event & MESSAGE == 0 {
                    self.serve(overlay, event, now);
                    continue;
                }
                let index = self.messages[(event >> 1 & ((1 << self.bits) - 1)) as usize];
                if event & CAME == 0 {
                    self.ask(overlay, index, now);
                } else {
                    self.when[index as usize] = now as u32;
                    self.comes(overlay, overlay.letter(index as usize), now);
                }
            }
            self.calendar.done(now, all);
        }
        if self.missing > 0 {
            return End { last: NEVER, late: f64::INFINITY };
        }
        End { last: self.end, late: self.sum.powf(1.0 / 24.0) * 1024.0 }
    }

    fn begin(&mut self, overlay: &Overlay) {
        let (members, many) = (overlay.members as usize, overlay.many());
        let reset = |all: &mut Vec<u32>, many: usize, to: u32| {
            all.clear();
            all.resize(many, to);
        };
        for hops in [&mut self.asked, &mut self.left] {
            hops.clear();
            hops.resize(overlay.messages(), 0);
        }
        reset(&mut self.behind, overlay.messages(), NOBODY);
        self.queue.clear();
        self.queue.resize(self.ways.links(), (NOBODY, NOBODY));
        reset(&mut self.when, overlay.messages(), 0);
        reset(&mut self.begun, overlay.messages(), 0);
        self.number(overlay);
        reset(&mut self.free_at, self.ways.links(), 0);
        reset(&mut self.awaited, overlay.up.len(), 0);
        reset(&mut self.awaited_between, overlay.hubs.len() * many, many as u32);
        self.weigh(overlay);
        reset(&mut self.takes, overlay.down.len(), NOBODY);
        reset(&mut self.before, overlay.down.len(), NOBODY);
        (self.end, self.sum) = (0, 0.0);
        self.missing = if overlay.down.is_empty() { overlay.hubs.len() } else { overlay.down.len() };
        let row = |at: usize| at - at % members;
        for (at, &over) in overlay.up.iter().enumerate().filter(|(_, over)| **over != NOBODY) {
            self.awaited[row(at) + over as usize] += 1;
        }
        for (at, &over) in overlay.down.iter().enumerate().filter(|(_, over)| **over != NOBODY) {
            let takes = &mut self.takes[row(at) + over as usize];
            self.before[at] = std::mem::replace(takes, at as u32);
        }
        if overlay.up.is_empty() {
            for (piece, &hub) in
                (0..).zip(&overlay.hubs).flat_map(|(piece, hubs)| hubs.iter().map(move |hub| (piece, hub)))
            {
                self.hands_down(overlay, piece * members + hub as usize, 0);
            }
        }
        for at in 0..overlay.up.len() {
            if self.awaited[at] == 0 {
                self.has_sum(overlay, at, 0);
            }
        }
    }

    /// Finds the message of each turn.
    fn number(&mut self, overlay: &Overlay) {
        self.messages.resize(overlay.messages(), 0);
        (0..).zip(&overlay.turn).for_each(|(index, &turn)| self.messages[turn as usize] = index);
        self.bits = usize::BITS - overlay.messages().leading_zeros();
        let members = u32::BITS - overlay.members.leading_zeros();
        assert!(members + self.bits + 4 <= u32::BITS, "sender, phase and turn fit in an event");
    }

    /// A message asks: by who sends it, its phase and its turn.
    fn event(&self, overlay: &Overlay, index: u32) -> u32 {
        let letter = overlay.letter(index as usize);
        let sender = overlay.ends(letter).0 << 2 | overlay.phase(letter);
        MESSAGE | (sender << self.bits | overlay.turn[index as usize]) << 1
    }

    /// Adds up the parts below each member.
    fn weigh(&mut self, overlay: &Overlay) {
        if !overlay.is_personalised {
            return;
        }
        self.carried.clone_from(&self.bodies);
        for part in 0..self.carried.len() {
            overlay.above(part).skip(1).for_each(|at| self.carried[at] += self.bodies[part]);
        }
    }

    /// For how long a message takes a link, but for its head.
    fn body(&self, overlay: &Overlay, index: usize) -> u32 {
        if overlay.is_personalised { self.carried[index] } else { self.bodies[overlay.piece(index)] }
    }

    /// The links of a message.
    fn way(&self, overlay: &Overlay, index: u32) -> &'w [u32] {
        let (from, to) = overlay.ends(overlay.letter(index as usize));
        self.ways.way(from as usize, to as usize)
    }

    /// A message asks for its next link.
    fn ask(&mut self, overlay: &Overlay, index: u32, now: usize) {
        let way = self.way(overlay, index);
        let link = way[usize::from(self.asked[index as usize])];
        let free_at = self.free_at[link as usize];
        let queue = &mut self.queue[link as usize];
        if queue.0 == NOBODY && free_at <= now as u32 {
            self.enter(overlay, way, index, now);
            return;
        }
        if queue.0 == NOBODY {
            *queue = (index, index);
            if free_at != HELD {
                self.calendar.at(free_at as usize, link);
            }
        } else {
            self.behind[queue.1 as usize] = index;
            queue.1 = index;
        }
    }

    /// A link is free that somebody waits for.
    fn serve(&mut self, overlay: &Overlay, link: u32, now: usize) {
        let queue = &mut self.queue[link as usize];
        let index = queue.0;
        queue.0 = std::mem::replace(&mut self.behind[index as usize], NOBODY);
        self.enter(overlay, self.way(overlay, index), index, now);
    }

    /// A message enters its next link.
    fn enter(&mut self, overlay: &Overlay, way: &[u32], index: u32, now: usize) {
        let body = self.body(overlay, index as usize);
        let asked = &mut self.asked[index as usize];
        let link = way[usize::from(*asked)] as usize;
        *asked += 1;
        let (hops, head) = (u32::from(*asked), self.times.head);
        let has_come = hops as usize == way.len();
        let through = now as u32 + head;
        if !self.worms {
            self.release(link, through + body);
        } else {
            self.free_at[link] = HELD;
            if (hops - 1) * head >= body {
                self.release_tail(way, index, through + body - body.div_ceil(head) * head);
            }
        }
        if !has_come {
            self.calendar.at(through as usize, self.event(overlay, index));
            return;
        }
        let end = through + body;
        if self.worms {
            for behind in (0..hops - u32::from(self.left[index as usize])).rev() {
                self.release_tail(way, index, end - behind * head);
            }
        }
        self.calendar.at(end as usize, self.event(overlay, index) | CAME);
    }

    fn release_tail(&mut self, way: &[u32], index: u32, time: u32) {
        let left = &mut self.left[index as usize];
        let link = way[usize::from(*left)] as usize;
        *left += 1;
        self.release(link, time);
    }

    fn release(&mut self, link: usize, time: u32) {
        self.free_at[link] = time;
        if self.queue[link].0 != NOBODY {
            self.calendar.at(time as usize, link as u32);
        }
    }

    fn send(&mut self, overlay: &Overlay, letter: Letter, now: usize) {
        let index = overlay.index(letter);
        self.begun[index] = (now + self.times.startup) as u32;
        self.calendar.at(now + self.times.startup, self.event(overlay, index as u32));
    }

    /// A member has the sum of all below it, by piece and member.
    fn has_sum(&mut self, overlay: &Overlay, at: usize, now: usize) {
        if overlay.up[at] != NOBODY {
            self.send(overlay, Letter::Up(at), now);
            return;
        }
        let (piece, member) = (at / overlay.members as usize, at as u32 % overlay.members);
        if overlay.down.is_empty() {
            self.ends(now);
        } else if overlay.exchanges() {
            let hubs = &overlay.hubs[piece];
            let own = hubs.iter().position(|&hub| hub == member).expect("a hub");
            for other in (0..hubs.len()).filter(|&other| other != own) {
                self.send(overlay, Letter::Between(piece, own, other), now);
            }
            self.met(overlay, piece, own, now);
        } else {
            self.hands_down(overlay, at, now);
        }
    }

    /// One more sum is at a hub.
    fn met(&mut self, overlay: &Overlay, piece: usize, hub: usize, now: usize) {
        let left = &mut self.awaited_between[piece * overlay.many() + hub];
        *left -= 1;
        if *left == 0 {
            let member = overlay.hubs[piece][hub] as usize;
            self.hands_down(overlay, piece * overlay.members as usize + member, now);
        }
    }

    /// A member has a piece, by piece and member.
    fn hands_down(&mut self, overlay: &Overlay, at: usize, now: usize) {
        self.ends(now);
        let mut next = self.takes[at];
        while next != NOBODY {
            self.send(overlay, Letter::Down(next as usize), now);
            next = self.before[next as usize];
        }
    }

    fn ends(&mut self, now: usize) {
        self.missing -= 1;
        self.end = self.end.max(now as u32);
        self.counts(now);
    }

    /// Something is there that is wanted early.
    fn counts(&mut self, now: usize) {
        self.sum += (now as f64 / 1024.0).powi(24);
    }

    fn comes(&mut self, overlay: &Overlay, letter: Letter, now: usize) {
        match letter {
            Letter::Up(at) => {
                let to = at - at % overlay.members as usize + overlay.up[at] as usize;
                self.awaited[to] -= 1;
                if overlay.is_personalised && overlay.up[to] == NOBODY {
                    self.counts(now);
                }
                if self.awaited[to] == 0 {
                    self.has_sum(overlay, to, now);
                }
            }
            Letter::Down(at) => self.hands_down(overlay, at, now),
            Letter::Between(piece, _, to) => self.met(overlay, piece, to, now),
        }
    }
}
