//! Collective operations on ranks that really run: every member goes through its part of a flow with real bytes, and compares
//! what it has in the end with what the operation owes it.
//!
//! | file | what |
//! |---|---|
//! | this one | [`measure`]: a flow, run again and again; [`Measured`] |
//! | `member` | one member: what it holds, sends and takes |
//! | `owed` | what a member is to have in the end, worked out without the flow |
//! | `wrong` | [`Wrong`]: what can be found wrong |
//! | [`library`] | the same operation by another implementation, such as that of MPI: [`Library`] |
//! | [`race`](mod@race) | every algorithm, measured beside the other implementation and beside the referee |

pub mod library;
mod member;
mod owed;
pub mod race;
mod wrong;

use std::time::Instant;

use crate::skeleton::meet;
use crate::transport::{Endpoint, Lost, Mailbox, Topic};
use member::Member;
use meshwright_collectives::Operation;
use meshwright_collectives::flow::Flow;
use meshwright_core::statistics::median;

pub use library::{Library, measure_library};
pub use race::{RaceInput, RaceReport, race};
pub use wrong::{Defect, Wrong};

/// Messages of a flow, and what ranks found.
const DATA: u32 = Topic::Collective.tag(0);
const FOUND: u32 = Topic::Collective.tag(1);

/// More defects of a rank than this are counted, not told.
const TOLD_MAX: usize = 5;

/// What came of one rank's part, or of all parts together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Found {
    /// How many messages came, and their bytes without what stands before them.
    messages: u64,
    bytes: u64,
    /// How many bytes were compared with what is owed.
    verified_bytes: u64,
    wrong: Vec<Wrong>,
    wrong_count: u64,
}

impl Found {
    fn complain(&mut self, member: u32, defect: Defect) {
        self.wrong_count += 1;
        if self.wrong.len() < TOLD_MAX {
            self.wrong.push(Wrong { member, defect });
        }
    }
}

/// As it travels: nanoseconds, messages, bytes; verified bytes and number of defects; defects.
type Part = ((u64, u64, u64), (u64, u64), Vec<Wrong>);

/// What was measured of one way to do an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measured {
    /// How many messages came in one run.
    pub messages: u64,
    /// The bytes of the blocks in them.
    pub bytes: u64,
    /// How many bytes were compared with what the operation owes, in all runs.
    pub verified_bytes: u64,
    /// Run by run, the time of the member that was ready last, in nanoseconds; the first run is not among them.
    pub runs_nanoseconds: Vec<u64>,
    /// What was found wrong, the first few of each member and run.
    pub wrong: Vec<Wrong>,
    /// How often something was found wrong.
    pub wrong_count: u64,
}

impl Measured {
    /// Whether every byte was right.
    pub fn is_right(&self) -> bool {
        self.wrong_count == 0
    }

    /// The median of the runs, in nanoseconds.
    pub fn median_nanoseconds(&self) -> f64 {
        median(self.runs_nanoseconds.iter().map(|&time| time as f64)).unwrap_or(0.0)
    }

    /// The shortest run, in nanoseconds.
    pub fn min_nanoseconds(&self) -> u64 {
        self.runs_nanoseconds.iter().copied().min().unwrap_or(0)
    }
}

/// Runs a flow so many times, and once before to warm up; rank r is member r. At rank 0 what was measured, elsewhere none.
/// Every rank calls it at the same time with the same flow.
///
/// A member contributes pseudo-random bytes that follow from the run, its number and the block. It goes through its messages
/// by their steps: in each it sends what it held before the step, then takes what comes; sending never waits, so every flow comes to its
/// end. Sums are of words of 8 bytes that wrap, the last word shorter. In the end every byte that the operation owes a
/// member is compared with the sum of the contributions themselves: one that is missing or counts twice makes it another.
/// Where no block has bytes (a barrier), each carries a bit for every member that was heard of.
///
/// The time of a run is that of the member that is ready last, each from when all had come together.
///
/// # Errors
///
/// [`Lost`] when a rank died or hangs. Wrong bytes are an answer.
///
/// # Panics
///
/// When there are not as many ranks as members.
///
/// # Complexity
///
/// Each run: O(bytes of the messages + members · bytes of the result).
///
/// # Examples
///
/// ```
/// use meshwright_collectives::{Operation, Task, algorithm};
/// use meshwright_network::topology::Machine;
/// use meshwright_runtime::collective::measure;
/// use meshwright_runtime::transport::{Mailbox, threads};
/// let mesh = Machine::new("mesh:2x2")?;
/// let task = Task::new(&mesh, Operation::AllReduce, 1000, 0)?;
/// let ring = algorithm::all().find(|algorithm| algorithm.name == "ring").expect("it is in the table");
/// let flow = ring.of(&task)?;
/// let measured = threads::run(4, |endpoint| measure(&flow, task.operation, 3, &mut Mailbox::new(endpoint)));
/// let measured = measured.expect("no thread is lost").swap_remove(0).expect("rank 0 knows");
/// assert!(measured.is_right());
/// assert_eq!((measured.messages, measured.verified_bytes), (2 * 3 * 4, (1 + 3) * 4 * 1000));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn measure<E: Endpoint>(
    flow: &Flow,
    operation: Operation,
    repeat: u32,
    mail: &mut Mailbox<E>,
) -> Result<Option<Measured>, Lost> {
    assert_eq!(flow.members(), mail.ranks(), "one rank for each member");
    let me = mail.rank();
    let events = member::events(flow, me);
    let prepare = |run| Member::new(flow, operation, me, run);
    let play = |member: &mut Member<'_>, mail: &mut Mailbox<E>| member.play(&events, mail);
    repeated(repeat, mail, prepare, play, |member| member.ended())
}

/// Prepares, does and checks something so many times and once before; what all ranks found, at rank 0.
fn repeated<E: Endpoint, S: Send>(
    repeat: u32,
    mail: &mut Mailbox<E>,
    prepare: impl Fn(u32) -> S + Sync,
    mut perform: impl FnMut(&mut S, &mut Mailbox<E>) -> Result<(), Lost>,
    check: impl Fn(S) -> Found + Sync,
) -> Result<Option<Measured>, Lost> {
    let mut all = Found::default();
    let mut runs_nanoseconds = Vec::new();
    for run in 0..=repeat {
        mail.endpoint().tell(&format!("run {run} of a collective operation"));
        let mut state = mail.compute(|| prepare(run))?;
        meet(mail)?;
        let begin = Instant::now();
        perform(&mut state, mail)?;
        let nanoseconds = begin.elapsed().as_nanos() as u64;
        // Nobody checks before all are ready: large messages need their senders until they are there.
        meet(mail)?;
        let Found { messages, bytes, verified_bytes, wrong, wrong_count } = mail.compute(|| check(state))?;
        let part: Part = ((nanoseconds, messages, bytes), (verified_bytes, wrong_count), wrong);
        let Some(parts) = mail.gather(0, FOUND, part)? else { continue };
        runs_nanoseconds.extend(parts.iter().map(|part| part.0.0).max().filter(|_| run > 0));
        (all.messages, all.bytes) = (0, 0);
        for ((_, messages, bytes), (verified_bytes, wrong_count), wrong) in parts {
            all.messages += messages;
            all.bytes += bytes;
            all.verified_bytes += verified_bytes;
            all.wrong_count += wrong_count;
            all.wrong.extend(wrong);
        }
    }
    let Found { messages, bytes, verified_bytes, wrong, wrong_count } = all;
    let measured = Measured { messages, bytes, verified_bytes, runs_nanoseconds, wrong, wrong_count };
    Ok((mail.rank() == 0).then_some(measured))
}
