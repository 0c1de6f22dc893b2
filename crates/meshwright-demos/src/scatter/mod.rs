//! Divisible load on ranks that really run: measured, divided, distributed, and the prediction beside the clock.
//!
//! | file | what |
//! |---|---|
//! | this one | [`ScatterSettings`] |
//! | [`application`] | [`PieceWork`] and [`Load`]: what can be divided |
//! | [`words`], [`filter`] | two of them: counting words, filtering an image |
//! | [`whole`] | a text of pieces that must not be cut |
//! | [`pixels`] | images as PGM and PPM |
//! | [`calibrate`] | [`Calibration`]: w, z and start-up of every rank |
//! | [`split`] | [`SPLITS`]: ours, equal, the thesis's |
//! | [`adaptive`] | the load handed out while it is worked off |
//! | [`root`] | [`conduct`]: what rank 0 does; [`ScatterReport`] |
//! | [`worker`] | [`serve`]: what the others do |
//! | `protocol` | what they say to each other |

pub mod adaptive;
pub mod application;
pub mod calibrate;
pub mod filter;
pub mod pixels;
mod protocol;
pub mod root;
pub mod split;
pub mod whole;
pub mod words;
pub mod worker;

pub use adaptive::{Corrections, Overhead};
pub use application::{Load, PieceWork};
pub use calibrate::{Calibration, Measured};
pub use root::{ScatterOutcome, ScatterReport, WorkedPart, conduct, dismiss};
pub use split::{SPLITS, Split};
pub use worker::{Pace, serve, serve_on, serve_paced};

use std::time::Duration;

use meshwright_network::topology::Machine;

/// How a scatter is run.
///
/// # Examples
///
/// ```
/// use meshwright_runtime::transport::{Endpoint, Mailbox, threads};
/// use meshwright_demos::scatter::{self, ScatterSettings, words};
/// let text = b"to be or not to be".to_vec();
/// let settings = ScatterSettings::default();
/// let reports = threads::run(3, |endpoint| {
///     let mut mail = Mailbox::new(endpoint);
///     if mail.rank() > 0 {
///         return scatter::serve(&mut mail, &words::CountWords, "here", 1).map(|()| None);
///     }
///     scatter::conduct(&mut mail, &words::Text(text.clone()), &words::CountWords, &settings).map(Some)
/// })?;
/// let report = reports[0].as_ref().expect("rank 0 has it");
/// for outcome in &report.outcomes {
///     assert_eq!(words::join(&outcome.parts), words::count(&text));
/// }
/// # Ok::<(), meshwright_runtime::transport::Lost>(())
/// ```
#[derive(Clone, Debug)]
pub struct ScatterSettings {
    /// The splits to run, in this order.
    pub splits: Vec<Split>,
    /// What the thesis's split takes the ranks for, rank r as node r; none for ranks that are all one hop from rank 0.
    pub machine: Option<Machine>,
    /// How long all ranks work at the same time to be measured.
    pub calibration: Duration,
    /// Rank and how often it repeats its work, to play a machine of unequal ranks.
    pub slow: Vec<(u32, u32)>,
    /// Rank and how often it repeats its work once it was measured, to play one that slows down.
    pub tired: Vec<(u32, u32)>,
    /// Whether the load is also handed out while it is worked off; then the other ranks [`serve_on`].
    pub adaptive: bool,
    /// Where rank 0 runs, for tables.
    pub host: String,
}

impl Default for ScatterSettings {
    fn default() -> Self {
        Self {
            splits: SPLITS.iter().map(|&(_, split)| split).collect(),
            machine: None,
            calibration: Duration::from_millis(10),
            slow: vec![],
            tired: vec![],
            adaptive: false,
            host: "here".to_string(),
        }
    }
}

impl ScatterSettings {
    /// How often a rank does its work: 1 unless it is slowed down.
    pub fn times(&self, rank: u32) -> u32 {
        self.slow.iter().rev().find(|(slow, _)| *slow == rank).map_or(1, |&(_, times)| times)
    }

    /// How often it does its work while it is measured, and later.
    pub fn pace(&self, rank: u32) -> Pace {
        let sampled = self.times(rank);
        let tired = self.tired.iter().rev().find(|(tired, _)| *tired == rank).map_or(1, |&(_, times)| times);
        Pace { sampled, worked: sampled.saturating_mul(tired) }
    }
}
