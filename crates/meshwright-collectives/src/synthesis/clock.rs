//! A clock for the first pieces of a spread: when all have the result, under cut-through, if every link carries what those alike to it do.
//!
//! One link stands for all that carry alike, so that a run takes the time of the first pieces alone. Links serve in the order of asking, as in the message
//! engine; of messages that ask at the same time the one whose turn is first.

use meshwright_core::units::Bytes;
use meshwright_network::topology::Costs;

use super::calendar::Calendar;
use super::spread::{ROUNDS, Spread};
use super::symmetry::Alike;
use crate::Task;

/// No member.
const NONE: u32 = u32::MAX;

/// The bit of an event that says that a message has come.
const CAME: u32 = 1 << 31;

/// Into how many units the longest of start-up, head and body is divided at most.
const PARTS: u64 = 1 << 11;

/// What messages take, in units of the clock.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// The start-up.
    pub startup: usize,
    pub(super) head: u32,
    body: u32,
    /// Ticks.
    pub unit: u64,
}

impl Times {
    /// Those of a task in so many pieces.
    pub fn of(task: &Task<'_>, pieces: u32) -> Self {
        Self::exact(task.machine().costs(), [task.bytes.div_ceil(u64::from(pieces))].into_iter())
    }

    /// Those of messages of so many bytes, the body that of the longest; exact but where that takes too many units.
    pub fn exact(costs: &Costs, bytes: impl Iterator<Item = u64>) -> Self {
        let (startup, head) = (costs.startup_ticks(), costs.head_ticks());
        let (mut common, mut longest) = (gcd(startup, head), 0);
        for body in bytes.map(|bytes| costs.transfer_ticks(Bytes(bytes))) {
            (common, longest) = (gcd(common, body), longest.max(body));
        }
        let unit = common.max(1).max(startup.max(head).max(longest).div_ceil(PARTS));
        let mut times = Self { startup: 1, head: 1, body: 0, unit };
        times.startup = times.units(startup).max(1) as usize;
        times.head = times.units(head).max(1);
        times.body = times.units(longest);
        times
    }

    /// So many ticks.
    pub fn units(self, ticks: u64) -> u32 {
        ((ticks + self.unit / 2) / self.unit) as u32
    }

    /// How long a message keeps a link.
    pub fn kept(self) -> u32 {
        self.head + self.body
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// When a spread ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct End {
    /// The last result, in units.
    pub last: u32,
    /// About the same, less where fewer are late.
    pub late: f64,
}

/// Links, and the events to come.
#[derive(Debug)]
pub struct Clock<'a> {
    alike: &'a Alike<'a>,
    times: Times,
    /// By message the links of its way.
    ways: Vec<Vec<u32>>,
    /// The messages that ask for their next link, or have come.
    calendar: Calendar,
    /// By message how many links it has asked for.
    asked: Vec<u32>,
    free_at: Vec<u32>,
    /// By first piece, round but the last, and point how many messages are to come.
    awaited: Vec<u32>,
    /// By first piece and point the last member that takes the result from there, and by member the one before.
    takes: Vec<u32>,
    before: Vec<u32>,
    /// What has come in this moment.
    come: Vec<u32>,
}

impl<'a> Clock<'a> {
    /// The clock of a spread.
    pub fn new(alike: &'a Alike<'a>, times: Times, spread: &Spread) -> Self {
        let mut clock = Self {
            alike,
            times,
            ways: vec![Vec::new(); spread.messages()],
            calendar: Calendar::default(),
            asked: Vec::new(),
            free_at: Vec::new(),
            awaited: Vec::new(),
            takes: Vec::new(),
            before: Vec::new(),
            come: Vec::new(),
        };
        (0..spread.messages()).for_each(|index| clock.look(spread, index));
        clock
    }

    /// Looks at the way of a message again.
    pub fn look(&mut self, spread: &Spread, index: usize) {
        let (from, to) = spread.ends(spread.letter(index));
        self.alike.way(from, to, &mut self.ways[index]);
    }

    /// Links of all ways.
    pub fn links(&self) -> usize {
        self.ways.iter().map(Vec::len).sum()
    }

    /// When it ends.
    ///
    /// # Complexity
    ///
    /// O(links of all ways of the first pieces, and moments / 64).
    pub fn run(&mut self, spread: &Spread) -> End {
        self.begin(spread);
        let (mut end, mut sum) = (0, 0.0);
        while let Some((now, mut all)) = self.calendar.next() {
            all.sort_unstable_by_key(|&event| spread.turn[(event & !CAME) as usize]);
            for &event in &all {
                if event & CAME == 0 {
                    self.ask(event, now);
                    continue;
                }
                let results = self.comes(spread, event & !CAME, now);
                if results > 0 {
                    end = now as u32;
                    sum += f64::from(results) * (now as f64 / 1024.0).powi(24);
                }
            }
            self.calendar.done(now, all);
        }
        End { last: end, late: sum.powf(1.0 / 24.0) * 1024.0 }
    }

    fn begin(&mut self, spread: &Spread) {
        let (pieces, many, members) = (spread.points.len(), spread.many(), spread.up[0].len());
        let reset = |all: &mut Vec<u32>, many: usize, to: u32| {
            all.clear();
            all.resize(many, to);
        };
        reset(&mut self.asked, spread.messages(), 0);
        reset(&mut self.free_at, self.alike.weight.len(), 0);
        reset(&mut self.awaited, pieces * (ROUNDS - 1) * many, 0);
        reset(&mut self.takes, pieces * many, NONE);
        reset(&mut self.before, pieces * members, NONE);
        let groups = many as u32 / spread.group;
        for piece in 0..pieces {
            let first = piece * (ROUNDS - 1) * many;
            self.awaited[first + many..][..many].fill(spread.group);
            self.awaited[first + 2 * many..][..many].fill(groups);
            for member in 0..members {
                self.awaited[first + spread.up[piece][member] as usize] += 1;
                let takes = &mut self.takes[piece * many + spread.down[piece][member] as usize];
                self.before[piece * members + member] = std::mem::replace(takes, member as u32);
            }
            let first = piece * spread.rounds()[ROUNDS];
            (first..first + members).for_each(|index| self.start(index as u32, 0));
        }
    }

    /// A message is there to be sent; one to the sender itself has come.
    fn start(&mut self, index: u32, now: usize) {
        if self.ways[index as usize].is_empty() {
            self.calendar.at(now, index | CAME);
        } else {
            self.calendar.at(now + self.times.startup, index);
        }
    }

    /// A message asks for its next link.
    fn ask(&mut self, index: u32, now: usize) {
        let way = &self.ways[index as usize];
        let asked = &mut self.asked[index as usize];
        let link = way[*asked as usize] as usize;
        *asked += 1;
        let has_come = *asked as usize == way.len();
        let begin = self.free_at[link].max(now as u32);
        self.free_at[link] = begin + self.times.kept() * self.alike.weight[link];
        let (after, event) =
            if has_come { (self.times.kept(), index | CAME) } else { (self.times.head, index) };
        self.calendar.at((begin + after) as usize, event);
    }

    /// A message has come, and with it those that go from a member to itself: how many results there are.
    fn comes(&mut self, spread: &Spread, index: u32, now: usize) -> u32 {
        let (mut results, many, rounds) = (0, spread.many(), spread.rounds());
        self.come.push(index);
        while let Some(index) = self.come.pop() {
            let letter = spread.letter(index as usize);
            if letter.round == ROUNDS - 1 {
                results += 1;
                continue;
            }
            let gate = (letter.piece * (ROUNDS - 1) + letter.round) * many + letter.to;
            self.awaited[gate] -= 1;
            if self.awaited[gate] > 0 {
                continue;
            }
            let first = letter.piece * rounds[ROUNDS];
            if letter.round == 2 {
                let members = rounds[1];
                let mut member = self.takes[letter.piece * many + letter.to];
                while member != NONE {
                    self.send((first + rounds[3]) as u32 + member, now);
                    member = self.before[letter.piece * members + member as usize];
                }
                continue;
            }
            let each = (rounds[letter.round + 2] - rounds[letter.round + 1]) / many;
            let next = first + rounds[letter.round + 1] + letter.to * each;
            (next..next + each).for_each(|index| self.send(index as u32, now));
        }
        results
    }

    fn send(&mut self, index: u32, now: usize) {
        if self.ways[index as usize].is_empty() {
            self.come.push(index);
        } else {
            self.calendar.at(now + self.times.startup, index);
        }
    }
}
