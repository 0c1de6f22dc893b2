//! Programs that go on without the members that are lost: the group shrinks to those that are left.
//!
//! A loss ends every operation that was under way, on all ranks: none of its results counts. Those that are left agree on who is
//! lost and on how far all of them have come; their group is the old one without the lost, in the old order of ranks. The
//! program begins anew there, and [`Team::recall`](meshwright_groups::nested::Team::recall) gives each member what it handed over
//! at the last [`Team::keep`](meshwright_groups::nested::Team::keep) that all of them came through. Nothing else of the run before
//! is left: that is the state of a group that has shrunk.
//!
//! # Source
//!
//! The words are those of ULFM, User Level Failure Mitigation for MPI: `MPI_Comm_revoke`, `MPI_Comm_shrink`, `MPI_Comm_agree`.

use std::collections::{BTreeMap, BTreeSet};

use super::Group;
use super::program::{Kept, drive_keeping};
use crate::transport::{Endpoint, Lost, Mailbox, Topic};
use meshwright_core::error::{Error, Result};
use meshwright_groups::protocol::Program;
use meshwright_groups::trees::TreeMethod;
use meshwright_network::topology::Machine;

/// The tag of what those that are left say to each other.
const TAG: u32 = Topic::Survive.tag(0);

/// What one of those that are left says: whom it knows to be lost, how often it has kept something, and whether all have come
/// to their ends.
type Said = (Vec<u32>, u64, bool);

/// What has come of a run.
#[derive(Debug)]
pub struct Survived<P> {
    /// The program that came to its end, at this rank.
    pub program: P,
    /// Who was lost meanwhile, in the order in which this rank heard of it.
    pub lost: Vec<Lost>,
    /// How many members came to the end.
    pub size: u32,
}

/// Runs a program on all ranks, and anew on those that are left whenever one is lost; `make` makes it.
///
/// The endpoint reports each loss once and goes on: a [`Watched`](crate::transport::Watched) one that
/// [forgives](crate::transport::Watched::forgive).
///
/// # Errors
///
/// As for [`Group::world`]; [`Error::Value`] when a loss is reported twice, so that nobody can go on, or this rank itself is
/// taken for lost by the others.
///
/// # Complexity
///
/// For each loss s^2 messages of those that are left, and the run from the last value kept.
///
/// # Examples
///
/// Rank 2 of 5 falls silent after the first round; the sums of the second round are those of the other four.
///
/// ```
/// use meshwright_groups::nested::{Run, Team};
/// use meshwright_groups::trees;
/// use meshwright_network::topology::Machine;
/// use meshwright_runtime::groups::survive::survive;
/// use meshwright_runtime::transport::{Endpoint, Mailbox, Watched, threads};
/// use std::time::Duration;
/// let line = Machine::new("mesh:1x5")?;
/// let tree = trees::tree("rank-halving")?;
/// let found = threads::run(5, |endpoint| {
///     let mut endpoint = Watched::new(endpoint, Duration::from_millis(200));
///     endpoint.forgive();
///     let rank = endpoint.rank();
///     if rank == 2 {
///         return Ok(None);
///     }
///     let mut mail = Mailbox::new(endpoint);
///     let made = || Run::of(async move |team: &mut Team| team.all_reduce_with(rank, |a, b| a + b).await);
///     let survived = survive(&mut mail, &line, tree, made).expect("four are left");
///     Ok(Some((survived.lost[0].rank, survived.size, survived.program.into_result())))
/// })?;
/// assert_eq!(found[4], Some((2, 4, Some(8))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn survive<E: Endpoint, P: Program>(
    mail: &mut Mailbox<E>,
    machine: &Machine,
    tree: &'static TreeMethod,
    mut make: impl FnMut() -> P,
) -> Result<Survived<P>> {
    // What has to be so before anything is lost.
    Group::world(mail, machine, tree)?;
    let (mut losses, mut kept) = (Losses::default(), Kept::default());
    loop {
        let mut program = make();
        let mut group = Group::without(mail, machine, tree, &losses.ranks)?;
        let size = group.size();
        // The last barrier says that all have come to their ends.
        let result = drive_keeping(&mut group, &mut program, &mut kept).and_then(|()| group.barrier());
        let is_over = match result {
            Ok(()) => {
                losses.tell_the_others(mail, &(Vec::new(), 0, true));
                true
            }
            Err(lost) => {
                losses.add(lost, mail.rank())?;
                losses.agree(mail, &mut kept)?
            }
        };
        if is_over {
            return Ok(Survived { program, lost: losses.all, size });
        }
    }
}

/// Who is lost.
#[derive(Debug, Default)]
struct Losses {
    ranks: BTreeSet<u32>,
    all: Vec<Lost>,
    /// What each other one has said last: whom it knows to be lost, and how often it has kept something.
    heard: BTreeMap<u32, (Vec<u32>, u64)>,
}

impl Losses {
    fn add(&mut self, lost: Lost, own: u32) -> Result<()> {
        if lost.rank == own || !self.ranks.insert(lost.rank) {
            let expected = "a loss of another rank, reported once: an endpoint that forgives";
            return Err(Error::value("a loss", lost.to_string(), expected));
        }
        self.all.push(lost);
        Ok(())
    }

    /// Ranks that are left, but for this one.
    fn others<E: Endpoint>(&self, mail: &Mailbox<E>) -> Vec<u32> {
        let own = mail.rank();
        (0..mail.ranks()).filter(|rank| *rank != own && !self.ranks.contains(rank)).collect()
    }

    /// What cannot be sent goes to somebody who is lost; this rank hears of it when it waits.
    fn tell_the_others<E: Endpoint>(&self, mail: &mut Mailbox<E>, said: &Said) {
        for other in self.others(mail) {
            _ = mail.send(other, TAG, said);
        }
    }

    /// Those that are left agree on who is lost, and on what was kept by all; whether all had come to their ends before.
    fn agree<E: Endpoint>(&mut self, mail: &mut Mailbox<E>, kept: &mut Kept) -> Result<bool> {
        'anew: loop {
            let own: Vec<u32> = self.ranks.iter().copied().collect();
            let mut least = kept.calls;
            self.tell_the_others(mail, &(own.clone(), kept.calls, false));
            for other in self.others(mail) {
                // What it says of fewer losses is out of date; of more this rank will hear too, and then what was said counts.
                while self.heard.get(&other).is_none_or(|(its, _)| *its != own) {
                    let (its, calls, is_over): Said = match mail.receive(other, TAG) {
                        Ok(said) => said,
                        Err(lost) => {
                            self.add(lost, mail.rank())?;
                            continue 'anew;
                        }
                    };
                    if is_over {
                        return Ok(true);
                    }
                    self.heard.insert(other, (its, calls));
                }
                least = least.min(self.heard[&other].1);
            }
            let back = (kept.calls - least) as usize;
            kept.recalled = kept.values[1_usize.saturating_sub(back)].clone();
            kept.values = [None, kept.recalled.clone()];
            kept.calls = least;
            return Ok(false);
        }
    }
}
