//! The parts of a region: blocks of routers that are worked on in turn, each with what comes to it.

use super::wheel::{Events, Wheel};

/// A block of routers that is worked on.
#[derive(Debug)]
pub(super) struct Part<E> {
    /// Its first node, and the first behind it.
    pub(super) first: u32,
    pub(super) last: u32,
    /// By node: whether it is to be visited.
    pub(super) awake: Vec<u64>,
    /// What comes in.
    pub(super) wheel: Wheel<E>,
    /// By cycle, senders whose plan is to be looked at: a ring of its own, for plans reach far ahead and lists that
    /// are used every few cycles stay in the cache.
    pub(super) plans: Wheel<Vec<u32>>,
    /// Plans to come.
    pub(super) planned: u64,
}

impl<E: Events> Part<E> {
    fn new((first, last): (u32, u32), longest: u64, ahead: u64) -> Self {
        Self {
            first,
            last,
            awake: vec![0; ((last - first) as usize).div_ceil(64)],
            wheel: Wheel::new(longest),
            plans: Wheel::new(ahead),
            planned: 0,
        }
    }

    /// Whether a node belongs to it.
    #[inline(always)]
    pub(super) fn has(&self, node: u32) -> bool {
        (self.first..self.last).contains(&node)
    }

    /// Has a node visited.
    #[inline(always)]
    pub(super) fn wake(&mut self, node: u32) {
        let index = node - self.first;
        self.awake[index as usize / 64] |= 1 << (index % 64);
    }

    /// Whether anything is to come.
    pub(super) fn is_busy(&self) -> bool {
        self.planned > 0 || !self.wheel.is_empty() || self.awake.iter().any(|&word| word != 0)
    }
}

/// The parts of a region, one of which is worked on.
#[derive(Debug)]
pub(super) struct Parts<E> {
    /// That one; its place among the others is taken by one without routers.
    pub(super) here: Part<E>,
    others: Vec<Part<E>>,
    current: usize,
    first: u32,
    size: u32,
}

impl<E: Events> Parts<E> {
    /// Parts of so many routers, the last of less than twice as many; delays up to `longest` cycles, plans up to
    /// `ahead`.
    pub(super) fn new(first: u32, last: u32, size: u32, longest: u64, ahead: u64) -> Self {
        let count = ((last - first) / size).max(1);
        let end = |index: u32| if index + 1 == count { last } else { first + (index + 1) * size };
        let part = |index: u32| Part::new((first + index * size, end(index)), longest, ahead);
        let mut parts = Self {
            here: Part::new((first, first), 0, 0),
            others: (0..count).map(part).collect(),
            current: 0,
            first,
            size,
        };
        std::mem::swap(&mut parts.here, &mut parts.others[0]);
        parts
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.others.len()
    }

    /// The number of the part of a node.
    pub(super) fn index(&self, node: u32) -> usize {
        (((node - self.first) / self.size) as usize).min(self.others.len() - 1)
    }

    /// From now on this one is worked on.
    pub(super) fn enter(&mut self, index: usize) {
        std::mem::swap(&mut self.here, &mut self.others[self.current]);
        std::mem::swap(&mut self.here, &mut self.others[index]);
        self.current = index;
    }

    /// The part of a node at the other end of a link from the part that is worked on.
    #[inline(always)]
    pub(super) fn of(&mut self, node: u32) -> &mut Part<E> {
        if self.here.has(node) { &mut self.here } else { self.elsewhere(node) }
    }

    /// The part of any node.
    pub(super) fn any(&mut self, node: u32) -> &mut Part<E> {
        let index = self.index(node);
        if index == self.current { &mut self.here } else { &mut self.others[index] }
    }

    /// Links lead into the part before or behind.
    #[inline(always)]
    fn elsewhere(&mut self, node: u32) -> &mut Part<E> {
        let index = if node < self.here.first { self.current - 1 } else { self.current + 1 };
        debug_assert!(self.others[index].has(node), "a link leads into the next part");
        &mut self.others[index]
    }

    /// All of them, in no particular order.
    pub(super) fn all(&self) -> impl Iterator<Item = &Part<E>> {
        self.others.iter().chain([&self.here])
    }
}
