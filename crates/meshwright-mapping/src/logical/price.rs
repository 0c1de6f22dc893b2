//! The predicted time of a phase along one axis, from one line of it.
//!
//! An axis has f_j places of a dimension j, s_j links apart. The other axes fill the places between and around: in dimension
//! j they move a line by 0 to s_j - 1 links, elsewhere to other lines. So the phase on the whole machine is that of one line in a box of
//! unit cells, in which a step in dimension j is s_j links long, and a link carries s_j times as much: where lines lie side by
//! side, s_j of them cross one link. Parts of the machine that lie apart do not know of each other. The whole costs O(one
//! line), however many lines there are.

use meshwright_network::topology::Costs;
use meshwright_network::topology::Switching;

use super::lines::Step;

/// A dimension as one axis sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Places {
    /// How many places the axis has: f.
    pub(super) count: u32,
    /// How many links from one to the next: s.
    pub(super) apart: u32,
    /// Whether the last is next to the first.
    pub(super) wraps: bool,
}

/// What a phase costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Price {
    /// The link-level prediction, see [`meshwright_schedule::cost::predicted`].
    pub(super) ticks: u64,
    /// The hops of one line.
    pub(super) hops: u64,
}

/// Messages and bytes over the links of the unit cells.
#[derive(Debug)]
pub(super) struct Pricing<'a> {
    pub(super) costs: &'a Costs,
    pub(super) switching: Switching,
    loads: Vec<(u64, u64)>,
}

impl<'a> Pricing<'a> {
    pub(super) fn new(costs: &'a Costs, switching: Switching) -> Self {
        Self { costs, switching, loads: Vec::new() }
    }

    /// What a message of so many bytes takes at least over one link that so many lines cross.
    pub(super) fn least(&self, bytes: u64, lines: u32) -> u64 {
        let (lines, startup) = (u64::from(lines), self.costs.startup_ticks());
        let once = bytes.saturating_mul(self.costs.byte_time.numerator());
        match self.switching {
            Switching::Wormhole | Switching::CutThrough => {
                startup + once.saturating_mul(lines) + lines * self.costs.head_ticks()
            }
            Switching::StoreAndForward => once.saturating_add(startup).saturating_mul(lines),
        }
    }

    /// The price of a step run once, its members on these cells; `least` is what it takes wherever they are.
    ///
    /// # Complexity
    ///
    /// O(messages times dimensions + hops over unit cells + cells).
    pub(super) fn once(&mut self, step: &Step, cells: &[u32], places: &[Places], least: u64) -> Price {
        self.loads.clear();
        self.loads.resize(cells.len() * places.len() * 2, (0, 0));
        for message in &step.messages {
            walk(cells[message.from as usize], cells[message.to as usize], places, |link, _| {
                self.loads[link].0 += 1;
                self.loads[link].1 += message.bytes;
            });
        }
        let (startup, byte) = (self.costs.startup_ticks(), self.costs.byte_time.numerator());
        let stores = self.switching == Switching::StoreAndForward;
        let mut price = Price { ticks: least, hops: 0 };
        for message in &step.messages {
            let (mut busiest, mut hops) = (if stores { 0 } else { message.bytes * byte }, 0);
            walk(cells[message.from as usize], cells[message.to as usize], places, |link, dim| {
                let apart = u64::from(places[dim].apart);
                let (messages, bytes) = self.loads[link];
                let once = bytes.saturating_mul(byte);
                let busy = if stores { once.saturating_add(messages * startup) } else { once };
                busiest = busiest.max(busy.saturating_mul(apart));
                hops += apart;
            });
            let ticks = match self.switching {
                Switching::Wormhole | Switching::CutThrough => {
                    startup.saturating_add(busiest).saturating_add(hops * self.costs.head_ticks())
                }
                Switching::StoreAndForward => {
                    busiest.max(hops.saturating_mul(startup.saturating_add(message.bytes * byte)))
                }
            };
            price.ticks = price.ticks.max(ticks);
            price.hops += hops;
        }
        price
    }
}

/// Calls with each link on the way between two cells, and its dimension; the last dimension first.
fn walk(from: u32, to: u32, places: &[Places], mut call: impl FnMut(usize, usize)) {
    let (mut at, mut stride) = (from, 1);
    for (dim, &Places { count, wraps, .. }) in places.iter().enumerate().rev() {
        let (mut here, there) = (from / stride % count, to / stride % count);
        let straight = here.abs_diff(there);
        let around = count - straight;
        let is_up = there >= here;
        let goes_round = wraps && count > 2 && (around < straight || around == straight && !is_up);
        let (steps, up) = if goes_round { (around, !is_up) } else { (straight, is_up) };
        for _ in 0..steps {
            call((at as usize * places.len() + dim) * 2 + usize::from(up), dim);
            let next = if up { (here + 1) % count } else { (here + count - 1) % count };
            at = at - here * stride + next * stride;
            here = next;
        }
        stride *= count;
    }
}
