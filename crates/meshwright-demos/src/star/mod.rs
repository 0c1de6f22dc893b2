//! A single-level tree (a star): rank 0 holds the load and hands out one piece to each of the others, one message after
//! the other; messages have a start-up (affine costs), ranks differ, results may come back.
//!
//! | file | what |
//! |---|---|
//! | this one | [`Star`]: what ranks and links take |
//! | [`timetable`] | [`Timetable`]: who receives, works and returns when, for any shares |
//! | [`division`] | shares that end together, in a given order; which ranks take part |
//! | `programme` | the best shares for an order as a linear programme |
//!
//! Rank 0 sends first, works then, and takes the results in the order in which it sent. A rank begins when its whole
//! piece is there. Times are in seconds and loads in bytes, so rates are in seconds per byte.
//!
//! | field | here | unit |
//! |---|---|---|
//! | w_i | [`Rank::work`] | seconds per byte |
//! | z_i | [`Rank::link`] | seconds per byte |
//! | s_i | [`Rank::startup`] | seconds |
//! | alpha_i W | [`Division::shares`] | bytes |

pub mod division;
mod programme;
pub mod timetable;

pub use division::Division;
pub use timetable::{StarRow, Timetable};

use serde::Serialize;

use meshwright_core::error::{Error, Result};

/// What one rank takes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rank {
    /// w: seconds of work per byte.
    pub work: f64,
    /// z: seconds per byte between rank 0 and this one.
    pub link: f64,
    /// s: seconds of a message without bytes.
    pub startup: f64,
}

/// How large the results of a piece are: `constant + share x` for x bytes of load.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Results {
    /// Bytes of the results of any piece.
    pub constant: f64,
    /// Bytes of results per byte of load.
    pub share: f64,
}

impl Results {
    /// The size of the results of so many bytes.
    pub fn bytes(&self, load: f64) -> f64 {
        self.constant + self.share * load
    }
}

/// Rank 0 and those it sends to.
///
/// # Examples
///
/// Two ranks alike and a link that takes half as long as the work: rank 0 sends first, then both work side by side.
///
/// ```
/// use meshwright_demos::star::{Rank, Star};
/// let root = Rank { work: 1.0, link: 0.0, startup: 0.0 };
/// let star = Star::new(vec![root, Rank { link: 0.5, ..root }], None)?;
/// let division = star.divide(90.0);
/// assert_eq!(division.shares, [45.0, 45.0]);
/// assert_eq!(star.timetable(&division.order, &division.shares).makespan, 67.5);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Star {
    ranks: Vec<Rank>,
    results: Option<Results>,
}

impl Star {
    /// The star of these ranks, rank 0 first, whose link and start-up mean nothing; without results nothing comes back.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] for no ranks, a work time that is not above 0, and anything below 0 or not finite.
    pub fn new(ranks: Vec<Rank>, results: Option<Results>) -> Result<Self> {
        if ranks.is_empty() {
            return Err(Error::value("number of ranks", 0, "at least one rank"));
        }
        if let Some(rank) = ranks.iter().find(|rank| !(rank.work > 0.0 && rank.work.is_finite())) {
            return Err(Error::value("work time", rank.work, "a finite number above 0"));
        }
        let others =
            ranks.iter().skip(1).flat_map(|rank| [("link time", rank.link), ("start-up", rank.startup)]);
        let back = results
            .iter()
            .flat_map(|r| [("size of the results", r.constant), ("size of the results", r.share)]);
        for (what, value) in others.chain(back) {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(Error::value(what, value, "a finite number of at least 0"));
            }
        }
        Ok(Self { ranks, results })
    }

    /// By rank, what it takes.
    pub fn ranks(&self) -> &[Rank] {
        &self.ranks
    }

    /// What comes back.
    pub fn results(&self) -> Option<Results> {
        self.results
    }

    /// Every rank but 0, the fastest links first.
    ///
    /// Theorem: without start-ups and results no order is better, whatever the ranks take for work.
    ///
    /// # Source
    ///
    /// `bharadwaj1996`, on sequences in single-level trees.
    pub fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (1..self.ranks.len()).collect();
        let key = |rank: usize| {
            let rank = self.ranks[rank];
            (rank.link, rank.startup, rank.work)
        };
        order.sort_by(|&a, &b| key(a).partial_cmp(&key(b)).expect("times are numbers"));
        order
    }

    /// The time of a message of so many bytes to a rank, or from it.
    pub fn transfer(&self, rank: usize, bytes: f64) -> f64 {
        self.ranks[rank].startup + self.ranks[rank].link * bytes
    }

    /// The time of the results of so many bytes of load from a rank.
    pub fn returning(&self, rank: usize, load: f64) -> f64 {
        self.results.map_or(0.0, |results| self.transfer(rank, results.bytes(load)))
    }
}
