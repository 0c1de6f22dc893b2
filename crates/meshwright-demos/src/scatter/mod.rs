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
//! | [`root`] | [`conduct`]: what rank 0 does; [`ScatterReport`] |
//! | [`worker`] | [`serve`]: what the others do |
//! | `protocol` | what they say to each other |

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

pub use application::{Load, PieceWork};
pub use calibrate::{Calibration, Measured};
pub use root::{ScatterOutcome, ScatterReport, WorkedPart, conduct, dismiss};
pub use split::{SPLITS, Split};
pub use worker::serve;

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
            host: "here".to_string(),
        }
    }
}

impl ScatterSettings {
    /// How often a rank does its work: 1 unless it is slowed down.
    pub fn times(&self, rank: u32) -> u32 {
        self.slow.iter().rev().find(|(slow, _)| *slow == rank).map_or(1, |&(_, times)| times)
    }
}
