//! Stored routes on a box, straight piece by straight piece.

use super::dimension_order::Straight;
use super::shortest_path::check_stored;
use crate::topology::{Grid, Topology};
use meshwright_core::csr::Csr;
use meshwright_core::error::Result;
use meshwright_core::units::{Hops, LinkId, Port};

/// Links of one line of a box, one after the other, none of them behind the border of a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The first of them.
    pub first: LinkId,
    /// How many, one at least.
    pub links: u32,
}

/// The routes of a list of messages as runs of links.
///
/// # Examples
///
/// ```
/// use meshwright_network::routing::{Routes, routes};
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let mesh = Machine::new("mesh:3x9")?.with_dead(vec![NodeId(13)])?;
/// let Routes::Runs(runs) = routes(&mesh, &[(NodeId(9), NodeId(17))])? else { panic!("a box with a hole") };
/// let lengths: Vec<u32> = runs.of(0).iter().map(|run| run.links).collect();
/// assert_eq!(lengths, [3, 1, 5, 1], "along the row to the hole, down, on, and up again");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Runs<'m> {
    grid: &'m Grid,
    /// By message.
    runs: Csr<Run>,
}

impl<'m> Runs<'m> {
    /// No routes yet.
    pub(super) fn new(grid: &'m Grid) -> Self {
        Self { grid, runs: Csr::default() }
    }

    /// The box.
    pub fn grid(&self) -> &'m Grid {
        self.grid
    }

    /// The runs of a message.
    #[inline]
    pub fn of(&self, message: usize) -> &[Run] {
        self.runs.row(message)
    }

    /// Adds the route of one more message.
    pub(super) fn push(&mut self, links: &[LinkId]) -> Result<()> {
        let mut rest = links;
        while let [first, ..] = *rest {
            let step = self.step(first);
            let next = |link: u32, after: &LinkId| {
                Some(link.wrapping_add_signed(step)).filter(|&next| next == after.0)
            };
            let mut at = first.0;
            let more =
                rest[1..].iter().take_while(|link| next(at, link).map(|next| at = next).is_some()).count();
            self.runs.push(Run { first, links: 1 + more as u32 });
            rest = &rest[1 + more..];
        }
        self.end_row()
    }

    /// Adds the route of one more message, whose runs are known.
    pub(super) fn push_runs(&mut self, runs: &[Run]) -> Result<()> {
        runs.iter().for_each(|&run| self.runs.push(run));
        self.end_row()
    }

    /// The routes of some of the messages.
    pub(super) fn of_some(&self, messages: &[usize]) -> Self {
        let mut runs = Csr::default();
        messages.iter().for_each(|&message| runs.push_row(self.of(message).iter().copied()));
        Self { grid: self.grid, runs }
    }

    fn end_row(&mut self) -> Result<()> {
        check_stored(self.runs.entries().len())?;
        self.runs.end_row();
        Ok(())
    }

    /// What is added to a link to come to the one behind it.
    #[inline]
    pub fn step(&self, link: LinkId) -> i32 {
        let ports = 2 * self.grid.dimensions() as u32;
        let (axis, up) = self.grid.direction(Port(link.0 % ports));
        let step = (self.grid.stride(axis) * ports) as i32;
        if up { step } else { -step }
    }

    /// How many links the route of a message has.
    #[inline]
    pub(super) fn hops(&self, message: usize) -> Hops {
        Hops(self.of(message).iter().map(|run| run.links).sum())
    }

    /// The link a message takes after so many.
    pub(super) fn link(&self, message: usize, mut hop: u32) -> Option<LinkId> {
        for run in self.of(message) {
            if hop < run.links {
                return Some(LinkId(run.first.0.wrapping_add_signed(self.step(run.first) * hop as i32)));
            }
            hop -= run.links;
        }
        None
    }

    /// Calls `visit` with each link of a route in turn.
    #[inline]
    pub(super) fn for_each_link(&self, message: usize, mut visit: impl FnMut(LinkId)) {
        for run in self.of(message) {
            let step = self.step(run.first);
            let mut link = run.first;
            for _ in 0..run.links {
                visit(link);
                link.0 = link.0.wrapping_add_signed(step);
            }
        }
    }

    /// Calls `visit` with each run of a route in turn.
    #[inline]
    pub(super) fn for_each_piece(&self, message: usize, mut visit: impl FnMut(Straight)) {
        for run in self.of(message) {
            let from = self.grid.source(run.first);
            let (axis, up) = self.grid.direction(Port(run.first.0 - self.grid.first_link(from).0));
            visit(Straight { axis, up, from, links: run.links });
        }
    }
}
