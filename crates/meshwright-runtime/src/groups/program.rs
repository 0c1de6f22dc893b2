//! Programs for the simulator on real ranks.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use super::Group;
use crate::transport::{Endpoint, Lost};
use meshwright_core::units::{Cycles, NodeId};
use meshwright_groups::protocol::{Around, Here, Links, Operation, Outcome, Program};

/// Runs the program of this member to its end, for instance an async function over a [`Team`](meshwright_groups::nested::Team).
///
/// The same program text runs on the simulator and here, and computes the same as long as it does not look at the time. A
/// cycle is a nanosecond: [`Here::now`] counts them from the beginning, and [`Operation::Compute`] waits for as many.
///
/// # Errors
///
/// [`Lost`] when a rank is lost.
///
/// # Panics
///
/// When a join comes without a split, or the end without a join.
///
/// # Examples
///
/// ```
/// use meshwright_runtime::groups::{self, Group};
/// use meshwright_groups::nested::{Run, Team};
/// use meshwright_groups::protocol::Operator;
/// use meshwright_groups::trees;
/// use meshwright_network::topology::Machine;
/// use meshwright_runtime::transport::{Mailbox, threads};
/// async fn sum_of_alike(team: &mut Team) -> u64 {
///     let number = u64::from(team.rank());
///     let sum = async |part: &mut Team| part.all_reduce(Operator::Sum, number).await;
///     team.branch(number % 2 == 1, sum, sum).await
/// }
/// let mesh = Machine::new("mesh:2x2")?;
/// let tree = trees::tree("rank-halving")?;
/// let sums = threads::run(4, |endpoint| {
///     let mut mail = Mailbox::new(endpoint);
///     let mut world = Group::world(&mut mail, &mesh, tree).expect("four ranks on four nodes");
///     let mut run = Run::of(sum_of_alike);
///     groups::drive(&mut world, &mut run)?;
///     Ok(run.into_result().expect("it has come to its end"))
/// })?;
/// assert_eq!(sums, [2, 4, 2, 4]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn drive<E: Endpoint>(group: &mut Group<'_, E>, program: &mut impl Program) -> Result<(), Lost> {
    drive_keeping(group, program, &mut Kept::default())
}

/// What a rank keeps at its calls of [`Operation::Keep`]: the last two, since others may have come one call less far.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// How many calls all members have come through, as far as this one knows.
    pub(super) calls: u64,
    /// What was handed over at the last call but one, and at the last one.
    pub(super) values: [Option<Vec<u8>>; 2],
    /// What [`Operation::Recall`] finds.
    pub(super) recalled: Option<Vec<u8>>,
}

/// The same; what is kept is found again by a later run.
pub(super) fn drive_keeping<E: Endpoint>(
    group: &mut Group<'_, E>,
    program: &mut impl Program,
    kept: &mut Kept,
) -> Result<(), Lost> {
    let mut driver = Driver { begin: Instant::now(), stash: BTreeMap::new(), kept };
    let last = driver.run(group, program, 0)?;
    assert!(last == Operation::Stop, "a join follows a split");
    Ok(())
}

/// What a rank has beside its groups while it runs a program.
struct Driver<'k> {
    begin: Instant,
    /// By sender and group: messages from one member to another that were not asked for yet.
    stash: BTreeMap<(u32, u64), VecDeque<Vec<u8>>>,
    kept: &'k mut Kept,
}

impl Driver<'_> {
    /// Runs a program as long as it stays in this group; what it called last, [`Operation::Join`] or [`Operation::Stop`].
    fn run<E: Endpoint>(
        &mut self,
        group: &mut Group<'_, E>,
        program: &mut impl Program,
        level: u32,
    ) -> Result<Operation, Lost> {
        let mut outcome = Outcome::Done;
        loop {
            let now = Cycles(self.begin.elapsed().as_nanos() as u64);
            let here =
                Here { node: group.node(), rank: group.rank(), size: group.size(), level, now, outcome };
            let operation = program.next(here);
            outcome = match operation {
                Operation::Split(label) => {
                    let mut part = group.split(label.colour, label.key)?;
                    let last = self.run(&mut part, program, level + 1)?;
                    assert!(last == Operation::Join, "a program ends when all parts have joined");
                    part.join()?;
                    Outcome::Done
                }
                Operation::Join | Operation::Stop => return Ok(operation),
                Operation::Send { to } => {
                    self.send(group, to, &program.parcel())?;
                    Outcome::Done
                }
                Operation::Receive { from } => Outcome::Bytes(self.receive(group, from)?),
                Operation::Keep => {
                    group.barrier()?;
                    self.kept.calls += 1;
                    self.kept.values.swap(0, 1);
                    self.kept.values[1] = Some(program.parcel());
                    Outcome::Done
                }
                Operation::Recall => self.kept.recalled.clone().map_or(Outcome::Done, Outcome::Bytes),
                other => perform(group, other)?,
            }
        }
    }

    fn send<E: Endpoint>(&self, group: &mut Group<'_, E>, to: NodeId, bytes: &[u8]) -> Result<(), Lost> {
        let (to, tag, id) = (group.rank_of_node(to), group.direct_tag(), group.id());
        group.mail.send_bytes(to, tag, [&id.to_le_bytes()[..], bytes].concat())
    }

    fn receive<E: Endpoint>(&mut self, group: &mut Group<'_, E>, from: NodeId) -> Result<Vec<u8>, Lost> {
        let (from, tag, id) = (group.rank_of_node(from), group.direct_tag(), group.id());
        if let Some(bytes) = self.stash.get_mut(&(from, id)).and_then(VecDeque::pop_front) {
            return Ok(bytes);
        }
        loop {
            let mut bytes = group.mail.receive_bytes(from, tag)?;
            let its = *bytes.first_chunk().expect("a message begins with its group");
            bytes.drain(..size_of::<u64>());
            if u64::from_le_bytes(its) == id {
                return Ok(bytes);
            }
            self.stash.entry((from, u64::from_le_bytes(its))).or_default().push_back(bytes);
        }
    }
}

/// The edges of this member by nodes, and the nodes of all.
fn around<E: Endpoint>(group: &Group<'_, E>) -> Around {
    let tree_group = group.membership.group();
    let links = Links::in_tree(group.tree(), tree_group, group.rank());
    Around { links, nodes: Some(group.nodes().to_vec()) }
}

/// An operation that leaves the group as it is.
fn perform<E: Endpoint>(group: &mut Group<'_, E>, operation: Operation) -> Result<Outcome, Lost> {
    let or_nothing = |value: Option<u64>| value.map_or(Outcome::Done, Outcome::Value);
    Ok(match operation {
        Operation::Barrier => {
            group.barrier()?;
            Outcome::Done
        }
        Operation::Broadcast { from, value } => Outcome::Value(group.broadcast(from, value)?),
        Operation::Reduce(operator, value) => or_nothing(group.reduce(value, |a, b| operator.apply(a, b))?),
        Operation::AllReduce(operator, value) => {
            Outcome::Value(group.all_reduce(value, |a, b| operator.apply(a, b))?)
        }
        Operation::Scan(operator, value) => Outcome::Value(group.scan(value, |a, b| operator.apply(a, b))?),
        Operation::Gather(value) => group.gather(value)?.map_or(Outcome::Done, Outcome::Values),
        Operation::Compute(cycles) => {
            let time = Duration::from_nanos(cycles.0);
            group.mail().compute(|| std::thread::sleep(time))?;
            Outcome::Done
        }
        Operation::Look => Outcome::Around(Box::new(around(group))),
        _ => unreachable!("handled by the caller"),
    })
}
