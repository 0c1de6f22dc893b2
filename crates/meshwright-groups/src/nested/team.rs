//! The handle a program holds of the group it is in.

use std::cell::RefCell;
use std::future::poll_fn;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::pin::Pin;
use std::rc::Rc;
use std::task::Poll;

use super::run::{Desk, Shared};
use crate::protocol::{Around, Label, Operation, Operator, Outcome};
use meshwright_core::units::{Cycles, NodeId};

/// The group a member is in, as its program sees it.
///
/// All members of a team await the same operations in the same order; only [`Team::compute`] is a member's own. While a
/// [`Part`] of a team is in use the team itself is borrowed, so a program cannot speak to both at once:
///
/// ```compile_fail,E0499
/// use meshwright_groups::nested::Team;
/// async fn wrong(team: &mut Team) {
///     let mut part = team.split(0).await;
///     team.barrier().await; // `team` is borrowed by `part`
///     part.barrier().await;
/// }
/// ```
///
/// The same holds inside of a branch:
///
/// ```compile_fail,E0500
/// use meshwright_groups::nested::Team;
/// async fn wrong(team: &mut Team) {
///     team.branch(true, async |_| team.barrier().await, async |_| ()).await; // two borrows of `team`
/// }
/// ```
///
/// and what was not split cannot join:
///
/// ```compile_fail,E0599
/// use meshwright_groups::nested::Team;
/// async fn wrong(team: &mut Team) {
///     team.join().await; // only a `Part` joins
/// }
/// ```
///
/// # Panics
///
/// An operation panics when a part of this team was dropped and has not joined.
///
/// # Examples
///
/// A member's place among the smaller and the larger half of its team.
///
/// ```
/// use meshwright_groups::nested::Team;
/// async fn halve(team: &mut Team) -> (u32, u32) {
///     let upper = team.rank() >= team.size() / 2;
///     let mut half = team.split(u32::from(upper)).await;
///     half.barrier().await;
///     let place = (half.rank(), half.size());
///     half.join().await;
///     place
/// }
/// # let _ = meshwright_groups::nested::Run::of(halve);
/// ```
#[derive(Debug)]
pub struct Team {
    desk: Shared,
    node: NodeId,
    rank: u32,
    size: u32,
    level: u32,
    /// What it knows of its group, once it has looked.
    around: Option<Around>,
}

impl Team {
    /// The team the member is in at the moment.
    pub(super) fn here(desk: Shared) -> Self {
        let (node, rank, size, level) = {
            let desk: &RefCell<Desk> = &desk;
            let desk = desk.borrow();
            let here = desk.here();
            (here.node, here.rank, here.size, here.level)
        };
        Self { desk, node, rank, size, level, around: None }
    }

    /// The node this member runs on.
    pub fn node(&self) -> NodeId {
        self.node
    }

    /// The rank of this member, from 0.
    pub fn rank(&self) -> u32 {
        self.rank
    }

    /// s: how many members there are.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// How many splits deep this team is.
    pub fn level(&self) -> u32 {
        self.level
    }

    /// Splits the team: members of equal colour are a team together, in the order of their ranks here.
    pub async fn split(&mut self, colour: u32) -> Part<'_> {
        self.split_by(colour, 0).await
    }

    /// Splits the team: members of equal colour are a team together, by key and, of equal keys, by rank here.
    pub async fn split_by(&mut self, colour: u32, key: u32) -> Part<'_> {
        self.perform(Operation::Split(Label { colour, key })).await;
        Part { team: Self::here(Rc::clone(&self.desk)), outer: PhantomData }
    }

    /// The conditional of a PRAM: each branch runs in the team of the members that take it.
    ///
    /// Inside, a branch proceeds as any team does; it waits for the other branch only at the end, where both become this
    /// team again. The members for which the condition holds have colour 1.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_groups::nested::Team;
    /// use meshwright_groups::protocol::Operator;
    /// async fn smaller_and_larger_sums(team: &mut Team, value: u64, pivot: u64) -> u64 {
    ///     let sum = async |part: &mut Team| part.all_reduce(Operator::Sum, value).await;
    ///     team.branch(value < pivot, sum, sum).await
    /// }
    /// # let _ = meshwright_groups::nested::Run::of(async |team: &mut Team| smaller_and_larger_sums(team, 1, 2).await);
    /// ```
    pub async fn branch<T>(
        &mut self,
        condition: bool,
        then: impl AsyncFnOnce(&mut Self) -> T,
        otherwise: impl AsyncFnOnce(&mut Self) -> T,
    ) -> T {
        let mut part = self.split(u32::from(condition)).await;
        let value = if condition { boxed(then(&mut part)).await } else { boxed(otherwise(&mut part)).await };
        part.join().await;
        value
    }

    /// The conditional of many branches: the body runs in the team of the members with the same case.
    ///
    /// The body may `match` the case; as in [`Team::branch`], the teams proceed on their own and join at the end. It may call
    /// the function that it stands in: a branch is kept in a box of its own.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_groups::nested::Team;
    /// use meshwright_core::units::Cycles;
    /// async fn thirds(team: &mut Team) {
    ///     let case = team.rank() % 3;
    ///     team.switch(case, async |part| match case {
    ///         0 => part.barrier().await,
    ///         1 => part.step(Cycles(10)).await,
    ///         _ => (),
    ///     })
    ///     .await;
    /// }
    /// # let _ = meshwright_groups::nested::Run::of(thirds);
    /// ```
    pub async fn switch<T>(&mut self, case: u32, body: impl AsyncFnOnce(&mut Self) -> T) -> T {
        let mut part = self.split(case).await;
        let value = boxed(body(&mut part)).await;
        part.join().await;
        value
    }

    /// Calls a body in this team, in a box of its own, so that it may be the function that it stands in.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_groups::nested::Team;
    /// async fn rounds(team: &mut Team, left: u32) -> u32 {
    ///     team.barrier().await;
    ///     if left == 0 { 0 } else { 1 + team.call(async |team| rounds(team, left - 1).await).await }
    /// }
    /// # let _ = meshwright_groups::nested::Run::of(async |team: &mut Team| rounds(team, 3).await);
    /// ```
    pub async fn call<T>(&mut self, body: impl AsyncFnOnce(&mut Self) -> T) -> T {
        boxed(body(self)).await
    }

    /// What this member knows of its group.
    pub(super) async fn look(&mut self) -> &mut Around {
        if self.around.is_none() {
            let Outcome::Around(around) = self.perform(Operation::Look).await else {
                unreachable!("whoever looks sees")
            };
            self.around = Some(*around);
        }
        self.around.as_mut().expect("it has looked")
    }

    /// Sends bytes to a node of this team.
    pub(super) async fn send_bytes(&mut self, to: NodeId, bytes: Vec<u8>) {
        self.desk.borrow_mut().hand_over(bytes);
        self.perform(Operation::Send { to }).await;
    }

    /// See [`Operation::Keep`].
    pub(super) async fn keep_bytes(&mut self, bytes: Vec<u8>) {
        self.desk.borrow_mut().hand_over(bytes);
        self.perform(Operation::Keep).await;
    }

    /// Waits until all members have come here.
    pub async fn barrier(&mut self) {
        self.perform(Operation::Barrier).await;
    }

    /// This member computes alone.
    pub async fn compute(&mut self, cycles: Cycles) {
        self.perform(Operation::Compute(cycles)).await;
    }

    /// A synchronous step: every member computes, then waits for all others.
    pub async fn step(&mut self, cycles: Cycles) {
        self.compute(cycles).await;
        self.barrier().await;
    }

    /// The value of the member with rank `from`, which all must name; what the others pass is not looked at.
    ///
    /// # Panics
    ///
    /// When the rank is not below the size.
    pub async fn broadcast(&mut self, from: u32, value: u64) -> u64 {
        assert!(from < self.size, "a member of the team broadcasts");
        value_of(self.perform(Operation::Broadcast { from, value }).await)
    }

    /// The values of all members put together.
    pub async fn all_reduce(&mut self, operator: Operator, value: u64) -> u64 {
        value_of(self.perform(Operation::AllReduce(operator, value)).await)
    }

    /// The values of all members put together, at the one that is the root of the team's tree.
    pub async fn reduce(&mut self, operator: Operator, value: u64) -> Option<u64> {
        match self.perform(Operation::Reduce(operator, value)).await {
            Outcome::Value(value) => Some(value),
            _ => None,
        }
    }

    /// The values of the ranks up to this member's own put together.
    pub async fn scan(&mut self, operator: Operator, value: u64) -> u64 {
        value_of(self.perform(Operation::Scan(operator, value)).await)
    }

    /// The values of all members by rank, at the one that is the root of the team's tree.
    pub async fn gather(&mut self, value: u64) -> Option<Vec<u64>> {
        match self.perform(Operation::Gather(value)).await {
            Outcome::Values(values) => Some(values),
            _ => None,
        }
    }

    /// Asks for an operation and waits for what comes of it.
    pub(super) async fn perform(&mut self, operation: Operation) -> Outcome {
        self.desk.borrow_mut().ask(self.level, operation);
        poll_fn(|_| self.desk.borrow_mut().take_outcome().map_or(Poll::Pending, Poll::Ready)).await
    }
}

/// A future of a known size, whatever it waits for: so a function may call itself inside of a branch.
fn boxed<'b, T>(future: impl Future<Output = T> + 'b) -> Pin<Box<dyn Future<Output = T> + 'b>> {
    Box::pin(future)
}

fn value_of(outcome: Outcome) -> u64 {
    let Outcome::Value(value) = outcome else { unreachable!("this operation leaves a value") };
    value
}

/// A team that a split made, until it joins; the team it came from is borrowed as long.
#[derive(Debug)]
#[must_use = "a part that is dropped never joins, and its team cannot be used again"]
pub struct Part<'t> {
    team: Team,
    outer: PhantomData<&'t mut Team>,
}

impl Part<'_> {
    /// Waits until all parts of the team have come here; they are one team again.
    pub async fn join(mut self) {
        self.team.perform(Operation::Join).await;
    }
}

impl Deref for Part<'_> {
    type Target = Team;

    fn deref(&self) -> &Team {
        &self.team
    }
}

impl DerefMut for Part<'_> {
    fn deref_mut(&mut self) -> &mut Team {
        &mut self.team
    }
}
