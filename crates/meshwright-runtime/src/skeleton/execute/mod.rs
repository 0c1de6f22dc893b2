//! Any schedule on ranks that really run: every rank works through its own program and checks every byte that comes.
//!
//! | file | what |
//! |---|---|
//! | this one | [`execute`]: one rank's program, from its first step to its last |
//! | `executor` | one rank at work: steps begin and end, messages come |
//! | `program` | which step lets which begin |
//! | `payload` | what messages carry |
//! | `wrong` | [`Wrong`], [`Waiting`]: what can be found wrong |
//! | `progress` | what rank 0 knows of all ranks |
//! | `gather` | [`gather()`]: the times of all ranks at rank 0, phase by phase |
//! | `probe` | [`clock`]: one time for all ranks; [`links`]: start-up and time per byte of the real ranks |

mod executor;
mod gather;
mod payload;
mod probe;
mod program;
mod progress;
mod wrong;

use std::time::{Duration, Instant};

pub use gather::{Gathered, PhaseTimes, gather};
pub use probe::{Clock, Links, clock, links};
pub use wrong::{Defect, Waiting, Wrong};

use super::host::meet;
use crate::transport::{Endpoint, Lost, Mailbox, Topic};
use executor::Executor;
use meshwright_schedule::Rank;
use program::RankProgram;

/// Messages of a schedule, what ranks say of themselves, and what rank 0 says to all; all of the tags of this module.
const DATA: u32 = Topic::Play.tag(0);
const STATE: u32 = Topic::Play.tag(1);
const VERDICT: u32 = Topic::Play.tag(2);
const SUMMARY: u32 = Topic::Play.tag(3);
const PING: u32 = Topic::Play.tag(4);
const PONG: u32 = Topic::Play.tag(5);

/// A message may be so large: what MPI counts in one piece, with room for a header.
pub const MESSAGE_MAX: u64 = 1 << 30;

/// How a schedule is executed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// How long a rank computes for one cycle of a computation; none to compute nothing.
    pub cycle_nanoseconds: Option<f64>,
    /// After how long a rank for which nothing comes says so; when no rank has anything to do any more, the run is given
    /// up after as long again.
    pub patience: Duration,
}

impl Default for Settings {
    /// A cycle is a nanosecond; ten seconds.
    fn default() -> Self {
        Self { cycle_nanoseconds: Some(1.0), patience: Duration::from_secs(10) }
    }
}

/// One rank's run.
#[derive(Clone, Debug)]
pub struct Executed {
    /// By step, when it began and ended; only of steps that did.
    pub spans: Vec<Option<(Instant, Instant)>>,
    /// How many messages came that a step waited for.
    pub messages: u64,
    /// How many bytes were compared with what was sent.
    pub checked_bytes: u64,
    /// What was found wrong, the first few.
    pub wrong: Vec<Wrong>,
    /// How many messages were found wrong.
    pub wrong_count: u64,
    /// Whether all ranks came to their ends.
    pub over: bool,
    /// At rank 0, who waits for whom, if nobody had anything to do any more.
    pub waiting: Vec<Waiting>,
}

/// Plays one rank's program of a schedule; `number` tells runs apart. Every rank calls it at the same time, and it returns
/// on all of them when all have ended.
///
/// A step begins when its dependencies are met. A send ends when the message is handed over, a receive when its message is
/// here, a computation when its time has passed; computations of a rank go one after the other. A message carries bytes
/// that follow from its ends, its tag and its number. Sending never waits, so that what [`verify`] accepts comes to its
/// end.
///
/// [`verify`]: meshwright_schedule::Schedule::verify
///
/// # Errors
///
/// [`Lost`] when a rank died or hangs. A message that is wrong, or one that never comes, is an answer.
///
/// # Panics
///
/// When a step names a rank or a step that does not exist: the schedule was not verified.
///
/// # Complexity
///
/// O(bytes + (steps + dependencies) log steps).
///
/// # Examples
///
/// ```
/// use meshwright_schedule::goal;
/// use meshwright_runtime::skeleton::execute::{Settings, execute};
/// use meshwright_runtime::transport::{Endpoint, Mailbox, threads};
/// let text = "num_ranks 2\nrank 0 {\na: calc 50\nb: send 8b to 1\nb requires a\n}\nrank 1 { recv 8b from 0 }\n";
/// let schedule = goal::parse(text.as_bytes(), "two.goal")?;
/// let executed = threads::run(2, |endpoint| {
///     let rank = &schedule.ranks[endpoint.rank() as usize];
///     execute(rank, 0, &Settings::default(), &mut Mailbox::new(endpoint))
/// });
/// let executed = executed.expect("no thread is lost");
/// assert!(executed.iter().all(|executed| executed.over && executed.wrong.is_empty()));
/// assert_eq!((executed[1].messages, executed[1].checked_bytes), (1, 8));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn execute<E: Endpoint>(
    rank: &Rank,
    number: u32,
    settings: &Settings,
    mail: &mut Mailbox<E>,
) -> Result<Executed, Lost> {
    let mut executor = Executor::new(&rank.ops, RankProgram::new(rank), number, settings, mail);
    executor.mail.endpoint().tell(&format!("run {number} of a schedule"));
    executor.prepare();
    meet(executor.mail)?;
    let waiting = executor.run()?;
    Ok(executor.ended(waiting))
}
