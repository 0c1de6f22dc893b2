//! What leaves a set of members: no sooner than it can be there, and not when it would come too late.
//!
//! A link x to y carries something useful from the first moment to the last at most:
//!
//! ```text
//! from   o + start + hop * (links from u to x)      u: the member, or the nearest, from which something must come
//! to T - o - hop * (links from y to v)              v: the member, or the nearest, to which it must still get
//! ```
//!
//! and a head of that. T is too small while what all links out of the set carry together is less than what must leave it.

use meshwright_core::words::counted;

use super::certificate::Certificate;
use super::flow::Network;
use super::terms::{Side, Terms, Wires, bytes, part};
use super::{MEMBERS_MAX, Proof};
use crate::{Operation, Task};

/// Pairs of members between which flows are sought on larger machines.
const PAIRS_MAX: usize = 10;

/// A cut that is being looked for.
struct Search<'a> {
    task: &'a Task<'a>,
    terms: &'a Terms,
    wires: &'a Wires,
    best: Option<Proof>,
    ticks: u64,
}

/// The least T at which windows that are shut before these moments carry so many ticks of bytes.
pub(super) fn least_time(mut shut: Vec<u64>, ticks: u128) -> u64 {
    shut.sort_unstable();
    let mut sum = 0u128;
    for (open, &from) in (1u128..).zip(&shut) {
        sum += u128::from(from);
        let time = (ticks + sum).div_ceil(open);
        if shut.get(open as usize).is_none_or(|&next| time <= u128::from(next)) {
            return u64::try_from(time).unwrap_or(u64::MAX);
        }
    }
    0
}

/// Whether each byte that leaves the set comes from this member, and whether each must get to that one.
pub(super) fn ends(task: &Task<'_>, from: u32, to: u32) -> (Option<u32>, Option<u32>) {
    use Operation as O;
    match task.operation {
        O::Broadcast | O::Reduce | O::AllReduce | O::Scan => (Some(from), Some(to)),
        O::AllGather | O::Gather => (None, Some(to)),
        O::ReduceScatter | O::Scatter => (Some(from), None),
        O::AllToAll | O::Barrier => (None, None),
    }
}

impl Search<'_> {
    /// Moments before which the links out of a set are shut.
    fn shut(&self, is_in: &[bool], ends: (Option<u32>, Option<u32>)) -> Vec<u64> {
        let windows = self.windows(ends);
        let out = self.wires.all().zip(windows);
        out.filter(|((x, y), _)| is_in[*x as usize] && !is_in[*y as usize]).map(|(_, shut)| shut).collect()
    }

    /// By link the moment before which it is shut, its head included.
    fn windows(&self, (from, to): (Option<u32>, Option<u32>)) -> Vec<u64> {
        let terms = self.terms;
        let away = |end: Option<u32>| end.map(|end| self.wires.distances(end));
        let (before, behind) = (away(from), away(to));
        let hops = |away: &Option<Vec<u32>>, at: u32| away.as_ref().map_or(0, |away| away[at as usize]);
        let shut =
            |(x, y): (u32, u32)| terms.empty() + terms.hop * u64::from(hops(&before, x) + hops(&behind, y));
        self.wires.all().map(shut).collect()
    }

    /// The bytes that must leave a set; from one member to another where there are such ends.
    fn leaving(&self, is_in: &[bool], (from, to): (Option<u32>, Option<u32>)) -> u128 {
        let leaving = Side::of(self.task, |member| is_in[member as usize]).leaving(self.task);
        if from.is_some() && to.is_some() { leaving.min(bytes(self.task).into()) } else { leaving }
    }

    fn keep(&mut self, ticks: u64, is_in: &[bool], ends: (Option<u32>, Option<u32>)) {
        if ticks <= self.ticks {
            return;
        }
        let links = self.wires.all().filter(|&(x, y)| is_in[x as usize] && !is_in[y as usize]).count();
        let leaving = self.leaving(is_in, ends);
        let members: Vec<u32> = (0..self.task.members()).filter(|&member| is_in[member as usize]).collect();
        let bytes = if leaving == 1 { "1 byte leaves".to_string() } else { format!("{leaving} bytes leave") };
        let [around, across] =
            [(members.len(), "member"), (links, "link")].map(|(n, noun)| counted(n as u64, noun));
        let mut why = format!("{bytes} {around} over {across}");
        if let Some(from) = ends.0 {
            why += &format!(", no sooner than member {from} can have sent something there");
        }
        if let Some(to) = ends.1 {
            why += &format!(", in time to get to member {to}");
        }
        self.ticks = ticks;
        let certificate = Certificate::Cut { from: ends.0, to: ends.1, members: ranges(&members) };
        self.best = Some(Proof { ticks, why, certificate });
    }

    /// One set.
    fn set(&mut self, is_in: &[bool], ends: (Option<u32>, Option<u32>)) {
        let leaving = self.leaving(is_in, ends);
        let ticks = leaving * u128::from(self.terms.byte);
        if ticks > 0 {
            self.keep(least_time(self.shut(is_in, ends), ticks), is_in, ends);
        }
    }

    /// All sets with a member on this side and another on that: the least cut, again and again, with links that are open
    /// until the time that the last one proved.
    fn between(&mut self, from: u32, to: u32) {
        let (task, members) = (self.task, self.task.members());
        let ends = ends(task, from, to);
        let windows = self.windows(ends);
        let byte = u128::from(self.terms.byte);
        let needed = byte * u128::from(bytes(task));
        loop {
            let before = self.ticks;
            let mut network = Network::new(members as usize + 2);
            for ((x, y), &shut) in self.wires.all().zip(&windows) {
                network.arc(x, y, u128::from(before.saturating_sub(shut)));
            }
            match ends {
                (Some(_), Some(_)) => {
                    network.arc(members, from, needed);
                    network.arc(to, members + 1, needed);
                }
                (None, _) => {
                    (0..members).for_each(|m| network.arc(members, m, byte * u128::from(part(task, m))));
                    network.arc(to, members + 1, needed);
                }
                (_, None) => {
                    network.arc(members, from, needed);
                    (0..members).for_each(|m| network.arc(m, members + 1, byte * u128::from(part(task, m))));
                }
            }
            if network.most(members, members + 1) >= needed {
                return;
            }
            let mut side = network.side();
            side.truncate(members as usize);
            self.set(&side, ends);
            if self.ticks <= before {
                return;
            }
        }
    }

    /// All sets of the first members of an order.
    fn first_of(&mut self, order: &[u32]) {
        let members = order.len();
        let mut place = vec![0; members];
        order.iter().enumerate().for_each(|(at, &member)| place[member as usize] = at);
        let (mut side, mut crossing) = (Side::default(), 0u128);
        let mut best = (0, 0);
        for (at, &member) in order.iter().enumerate().take(members - 1) {
            side.add(self.task, member);
            // Whether this one came right after one inside, and whether now the next comes right after this one.
            let is_in = |other: u32| place[other as usize] < at;
            side.switches -= u32::from(member > 0 && is_in(member - 1));
            side.switches += u32::from(member + 1 < members as u32 && !is_in(member + 1));
            // Links to those outside come on top, those from inside do so no more: there are as many back.
            for &next in self.wires.to.row(member as usize) {
                crossing = if place[next as usize] > at { crossing + 1 } else { crossing - 1 };
            }
            let ticks = side.leaving(self.task) * u128::from(self.terms.byte);
            if ticks > 0 {
                let time = u128::from(self.terms.empty()) + ticks.div_ceil(crossing.max(1));
                best = best.max((u64::try_from(time).unwrap_or(u64::MAX), at + 1));
            }
        }
        if best.0 > self.ticks {
            let is_in: Vec<bool> = place.iter().map(|&at| at < best.1).collect();
            self.keep(best.0, &is_in, (None, None));
        }
    }

    /// Halves of the machine: the first of every axis, those nearest to a member, each from both ends.
    fn orders(&self) -> Vec<Vec<u32>> {
        let task = self.task;
        let coordinates: Vec<Vec<u32>> =
            task.nodes().iter().map(|&node| task.machine().coordinates(node)).collect();
        let along = |axis: usize| {
            let mut order: Vec<u32> = (0..task.members()).collect();
            order.sort_unstable_by_key(|&member| (coordinates[member as usize][axis], member));
            order
        };
        let mut orders: Vec<Vec<u32>> = (0..coordinates[0].len()).map(along).collect();
        for center in [task.root, 0] {
            let away = self.wires.distances(center);
            let mut order: Vec<u32> = (0..task.members()).collect();
            order.sort_unstable_by_key(|&member| (away[member as usize], member));
            orders.push(order);
        }
        let back: Vec<Vec<u32>> = orders.iter().map(|order| order.iter().rev().copied().collect()).collect();
        orders.extend(back);
        orders
    }

    /// Members between which little may flow: the root, those with the fewest links, the farthest.
    fn pairs(&self) -> Vec<(u32, u32)> {
        let (task, members) = (self.task, self.task.members());
        let mut few: Vec<u32> = (0..members).collect();
        few.sort_unstable_by_key(|&member| (self.wires.degree(member), member));
        let farthest = |from: u32| {
            let away = self.wires.distances(from);
            (0..members).max_by_key(|&to| (away[to as usize], to)).expect("a member")
        };
        let some: Vec<u32> = if members <= 32 {
            (0..members).collect()
        } else {
            [task.root, farthest(task.root), few[0], farthest(few[0]), few[1], few[few.len() - 1]].to_vec()
        };
        let mut pairs: Vec<(u32, u32)> = match task.operation {
            Operation::Broadcast | Operation::Scatter => some.iter().map(|&to| (task.root, to)).collect(),
            Operation::Reduce | Operation::Gather => some.iter().map(|&from| (from, task.root)).collect(),
            Operation::Barrier | Operation::AllToAll => Vec::new(),
            Operation::Scan => vec![(0, members - 1), (0, 1), (members - 2, members - 1)],
            _ if members <= 32 => some.iter().map(|&from| (from, farthest(from))).collect(),
            _ => some.iter().flat_map(|&from| some.iter().map(move |&to| (from, to))).collect(),
        };
        pairs.retain(|(from, to)| from != to);
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }
}

/// The strongest of some cuts, and of all between some members where one proves more than is known.
pub(super) fn cut(task: &Task<'_>, terms: &Terms, wires: &Wires, known: u64) -> Option<Proof> {
    if bytes(task) == 0 {
        return None;
    }
    let mut search = Search { task, terms, wires, best: None, ticks: 0 };
    for order in search.orders() {
        search.first_of(&order);
    }
    let mut pairs = search.pairs();
    let alone = |is_in: bool, one: u32| -> Vec<bool> {
        (0..task.members()).map(|member| (member == one) == is_in).collect()
    };
    let mut strength = Vec::new();
    for &(from, to) in &pairs {
        let ends = ends(task, from, to);
        let before = search.ticks;
        search.set(&alone(true, from), ends);
        search.set(&alone(false, to), ends);
        strength.push((search.ticks - before, (from, to)));
    }
    if wires.members() <= MEMBERS_MAX {
        strength.sort_unstable_by_key(|&(more, _)| std::cmp::Reverse(more));
        pairs = strength.into_iter().map(|(_, pair)| pair).collect();
        // Where a flow is large enough at a time that is proved anyway, no cut proves more.
        search.ticks = search.ticks.max(known);
        for &(from, to) in pairs.iter().take(if wires.members() <= 64 { 64 } else { PAIRS_MAX }) {
            search.between(from, to);
        }
    }
    search.best
}

/// Numbers in increasing order as ranges, both ends included.
pub(super) fn ranges(numbers: &[u32]) -> Vec<[u32; 2]> {
    let mut ranges: Vec<[u32; 2]> = Vec::new();
    for &number in numbers {
        match ranges.last_mut() {
            Some(last) if last[1] + 1 == number => last[1] = number,
            _ => ranges.push([number, number]),
        }
    }
    ranges
}
