//! Stored routes on a box, straight piece by straight piece.

use std::sync::Arc;

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
    /// By message, those before the first of ours included: who keeps a part of the routes shares the list of all.
    runs: Arc<Csr<Run>>,
    first: usize,
}

impl<'m> Runs<'m> {
    /// The routes with these runs.
    pub(super) fn new(grid: &'m Grid, runs: Csr<Run>) -> Self {
        Self { grid, runs: runs.into(), first: 0 }
    }

    /// The box.
    pub fn grid(&self) -> &'m Grid {
        self.grid
    }

    /// The runs of a message.
    #[inline]
    pub fn of(&self, message: usize) -> &[Run] {
        self.runs.row(self.first + message)
    }

    /// The routes of the messages from this one on, known by their places behind it. O(1).
    pub(super) fn starting_at(&self, message: usize) -> Self {
        Self { first: self.first + message, ..self.clone() }
    }

    /// The routes of some of the messages.
    pub(super) fn of_some(&self, messages: &[usize]) -> Self {
        let mut runs = Csr::default();
        messages.iter().for_each(|&message| runs.push_row(self.of(message).iter().copied()));
        Self { grid: self.grid, runs: runs.into(), first: 0 }
    }

    /// What is added to a link to come to the one behind it.
    #[inline]
    pub fn step(&self, link: LinkId) -> i32 {
        step(self.grid, link)
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

/// What is added to a link of a box to come to the one behind it.
#[inline]
fn step(grid: &Grid, link: LinkId) -> i32 {
    let ports = 2 * grid.dimensions() as u32;
    let (axis, up) = grid.direction(Port(link.0 % ports));
    let step = (grid.stride(axis) * ports) as i32;
    if up { step } else { -step }
}

/// Adds links that follow each other as runs of a row.
pub(super) fn push_links(grid: &Grid, links: &[LinkId], runs: &mut Csr<Run>) {
    let mut rest = links;
    while let [first, ..] = *rest {
        let step = step(grid, first);
        let is_next = |pair: &&[LinkId]| pair[0].0.wrapping_add_signed(step) == pair[1].0;
        let links = 1 + rest.windows(2).take_while(is_next).count();
        runs.push(Run { first, links: links as u32 });
        rest = &rest[links..];
    }
}

/// Ends the row of a message.
///
/// # Errors
///
/// As for [`check_stored`].
pub(super) fn end_row(runs: &mut Csr<Run>) -> Result<()> {
    check_stored(runs.entries().len())?;
    runs.end_row();
    Ok(())
}
