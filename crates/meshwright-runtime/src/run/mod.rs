//! A schedule on real ranks: what they measure beside what the referee says of ranks like these.
//!
//! | file | what |
//! |---|---|
//! | this one | [`RunInput`]; [`lead`] on rank 0 and [`follow`] on all others |
//! | `order` | what rank 0 tells the others to do |
//! | `predicted` | the referee's time of every phase |
//! | `report` | [`RunReport`]: measured beside predicted |

mod order;
pub(crate) mod predicted;
mod report;

use crate::skeleton::execute::{self, Gathered, MESSAGE_MAX, clock, execute, gather, links};
use crate::transport::{Endpoint, Lost, Mailbox, Topic};
use meshwright_core::error::{Error, Result};
use meshwright_network::topology::{Machine, Topology};
use meshwright_schedule::{Op, Schedule};
use order::Order;

pub use report::{PhaseRow, RunReport};

/// What rank 0 says before each run: whether there is one.
const MORE: u32 = Topic::Run.tag(0);
const ORDER: u32 = Topic::Run.tag(1);

/// More runs than this are a slip of the pen.
pub const REPEAT_MAX: u32 = 100_000;

/// A schedule to be run.
#[derive(Clone, Debug)]
pub struct RunInput {
    /// What it is called.
    pub name: String,
    /// The schedule.
    pub schedule: Schedule,
    /// What it was planned for, if that is known.
    pub machine: Option<Machine>,
}

/// How often and how it is run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// How many runs there are; the medians of their times are told.
    pub repeat: u32,
    /// How each of them is executed.
    pub execute: execute::Settings,
}

impl RunInput {
    /// How many ranks it takes.
    pub fn ranks(&self) -> u32 {
        self.schedule.ranks.len() as u32
    }

    /// Refuses what cannot be run.
    ///
    /// # Errors
    ///
    /// [`Error::NotApplicable`] when the schedule cannot come to its end, [`Error::TooLarge`] when a message is larger than
    /// [`MESSAGE_MAX`], [`Error::Value`] when it has more ranks than its machine has
    /// nodes, or work for a dead one.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_schedule::goal;
    /// use meshwright_runtime::run::RunInput;
    /// let text = "num_ranks 2\nrank 0 { send 8b to 1 }\nrank 1 { recv 8b from 0 }\n";
    /// let schedule = goal::parse(text.as_bytes(), "pair.goal")?;
    /// let work = RunInput { name: "pair".into(), schedule, machine: None };
    /// assert!(work.check().is_ok() && work.check_ranks(2).is_ok());
    /// assert!(work.check_ranks(3).unwrap_err().to_string().contains("mpirun -n 2"));
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn check(&self) -> Result<()> {
        let unfit = |why: String| Error::not_applicable("running the schedule", why);
        self.schedule.verify().map_err(|fault| unfit(fault.to_string()))?;
        let sizes = self.schedule.ranks.iter().flat_map(|rank| &rank.ops).map(|op| match op {
            Op::Send { bytes, .. } | Op::Recv { bytes, .. } => bytes.0,
            Op::Calc { .. } => 0,
        });
        if let Some(largest) = sizes.max().filter(|&largest| largest > MESSAGE_MAX) {
            return Err(Error::TooLarge {
                what: "a message",
                needed: format!("{largest} bytes"),
                limit: format!("{MESSAGE_MAX} bytes between real ranks"),
            });
        }
        let Some(machine) = &self.machine else { return Ok(()) };
        if machine.nodes() < self.ranks() {
            let expected = format!("at most the {} nodes of {}", machine.nodes(), machine.name());
            return Err(Error::value("number of ranks", self.ranks(), expected));
        }
        match self.schedule.dead_rank(machine) {
            Some(dead) => Err(Error::value(
                "a rank",
                format!("{dead}, whose node is dead"),
                "work for living nodes only, since rank r runs on node r",
            )),
            None => Ok(()),
        }
    }

    /// Refuses another number of ranks than the schedule has.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] with the number that fits.
    pub fn check_ranks(&self, ranks: u32) -> Result<()> {
        let wanted = self.ranks();
        if ranks == wanted {
            return Ok(());
        }
        let expected =
            format!("{wanted}, as many as `{}` has: start it with `mpirun -n {wanted}`", self.name);
        Err(Error::value("number of ranks", ranks, expected))
    }
}

/// Tells the other ranks, which all wait in [`follow`], that rank 0 refuses the input.
///
/// # Errors
///
/// [`Lost`] when a rank died or hangs.
pub fn refuse<E: Endpoint>(mail: &mut Mailbox<E>) -> Result<(), Lost> {
    mail.send_to_others(ORDER, &Order::Nothing)
}

/// Runs it, at rank 0: `work` has passed [`RunInput::check`] and [`RunInput::check_ranks`], and all other ranks are in [`follow`].
///
/// # Errors
///
/// [`Lost`] when a rank died or hangs.
pub fn lead<E: Endpoint>(
    work: &RunInput,
    settings: &Settings,
    mail: &mut Mailbox<E>,
) -> Result<RunReport, Lost> {
    for rank in 1..mail.ranks() {
        let program = work.schedule.ranks[rank as usize].clone();
        mail.send(rank, ORDER, &Order::Play(settings.execute, program))?;
    }
    let (links, clock) = (links(mail)?, clock(mail)?);
    let mut runs: Vec<Gathered> = Vec::new();
    for number in 0..settings.repeat {
        let goes_on = runs.last().is_none_or(report::is_right);
        if !goes_on {
            break;
        }
        say(mail, true)?;
        let own = &work.schedule.ranks[0];
        let executed = execute(own, number, &settings.execute, mail)?;
        runs.extend(gather(own, &executed, &clock, mail)?);
    }
    say(mail, false)?;
    mail.compute(|| RunReport::new(work, settings, links, &runs))
}

fn say<E: Endpoint>(mail: &mut Mailbox<E>, more: bool) -> Result<(), Lost> {
    mail.send_to_others(MORE, &more)
}

/// Runs one rank's part, at every other rank: nothing, if rank 0 refused the input.
///
/// # Errors
///
/// [`Lost`] when a rank died or hangs.
pub fn follow<E: Endpoint>(mail: &mut Mailbox<E>) -> Result<(), Lost> {
    let (settings, rank) = match mail.receive(0, ORDER)? {
        Order::Nothing => return Ok(()),
        Order::Play(settings, rank) => (settings, rank),
    };
    links(mail)?;
    let clock = clock(mail)?;
    let mut number = 0;
    while mail.receive::<bool>(0, MORE)? {
        let executed = execute(&rank, number, &settings, mail)?;
        gather(&rank, &executed, &clock, mail)?;
        number += 1;
    }
    Ok(())
}
