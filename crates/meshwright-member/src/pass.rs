//! Up a tree and down again: the part of one member in everything a group does together but a split.

use crate::list::Full;
use crate::tree::{Edges, Side};

/// Which way a message of a pass goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PassDirection {
    /// To the parent.
    Up,
    /// To a child.
    Down,
    /// From the root of a tree to that of another.
    Across,
}

/// The way of a pass through the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Course {
    /// From all members to the root, and no farther.
    Up,
    /// From all members to the root, and from it to all.
    UpAndDown,
    /// From the member of this rank to the root, and from it to all.
    From(u32),
}

/// What one member's part of a pass carries: the data, where [`Pass`] is who waits for whom.
pub trait Cargo {
    /// What passes there are.
    type Operation: Copy;
    /// What a message carries.
    type Load;
    /// What a pass leaves at a member; the default is nothing.
    type Outcome: Default;

    /// How much a load is, in bytes.
    fn bytes(load: &Self::Load) -> u64;

    /// The part of the member of this rank with so many children, in a tree that keeps the order of ranks or not.
    ///
    /// # Errors
    ///
    /// [`Full`] when there is no memory for what the children will report.
    fn begin(operation: Self::Operation, rank: u32, is_ordered: bool, children: usize) -> Result<Self, Full>
    where
        Self: Sized;

    /// Of a join, which carries nothing.
    fn nothing() -> Self;

    /// The way it goes.
    fn course(&self) -> Course;

    /// A child has reported; `child` finds its place among the children.
    fn take(&mut self, child: impl FnOnce() -> usize, load: Self::Load);

    /// What this member tells its parent when all children have reported, or all if it is the source.
    fn report(&mut self) -> Self::Load;

    /// What a pass that goes up leaves at the root.
    fn at_root(&mut self, report: Self::Load) -> Self::Outcome;

    /// What the root sends down when its sub-tree, the whole tree, has reported this.
    fn decide(&mut self, report: Self::Load) -> Self::Load;

    /// What has come down; the shares of the children are asked for next, one after the other.
    fn come_down(&mut self, load: Self::Load);

    /// What goes on to a child.
    fn share(&mut self, child: usize, side: Side) -> Self::Load;

    /// What this member is left with after that.
    fn outcome(&mut self) -> Self::Outcome;
}

/// Where a pass puts its messages.
pub trait Post<N, L> {
    /// Sends a load one edge on.
    fn post(&mut self, to: N, way: PassDirection, load: L);
}

/// The part of one member in one pass.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pass<N, C> {
    cargo: C,
    /// Rank of this member.
    rank: u32,
    /// Children that have not reported.
    waiting: u32,
    /// At a root: that of another tree, which has to be told and waited for.
    across: Option<N>,
    /// Whether that root has told that all of its tree have come.
    met: bool,
}

impl<N: Copy + PartialEq, C: Cargo> Pass<N, C> {
    /// Begins a pass; the outcome, if this member need not wait for anything.
    ///
    /// # Errors
    ///
    /// [`Full`] when there is no memory for what the children will report.
    pub fn begin(
        operation: C::Operation,
        rank: u32,
        is_ordered: bool,
        edges: Edges<'_, N>,
        post: &mut impl Post<N, C::Load>,
    ) -> Result<(Self, Option<C::Outcome>), Full> {
        let cargo = C::begin(operation, rank, is_ordered, edges.children.len())?;
        Ok(Self::of(cargo, rank, None, edges, post))
    }

    /// Begins a join over trees whose roots wait for each other; the outcome, if there is nobody to wait for.
    pub fn join(
        rank: u32,
        across: Option<N>,
        edges: Edges<'_, N>,
        post: &mut impl Post<N, C::Load>,
    ) -> (Self, Option<C::Outcome>) {
        Self::of(C::nothing(), rank, across, edges, post)
    }

    fn of(
        cargo: C,
        rank: u32,
        across: Option<N>,
        edges: Edges<'_, N>,
        post: &mut impl Post<N, C::Load>,
    ) -> (Self, Option<C::Outcome>) {
        let waiting = edges.children.len() as u32;
        let mut pass = Self { cargo, rank, waiting, across, met: false };
        let outcome = match pass.cargo.course() {
            Course::From(source) if source == rank => {
                let load = pass.cargo.report();
                pass.climb(load, edges, post)
            }
            Course::From(_) => None,
            _ if waiting == 0 => pass.complete(edges, post),
            _ => None,
        };
        (pass, outcome)
    }

    /// A message of this pass has come; the outcome, if this member need not wait any more.
    pub fn receive(
        &mut self,
        from: N,
        way: PassDirection,
        load: C::Load,
        edges: Edges<'_, N>,
        post: &mut impl Post<N, C::Load>,
    ) -> Option<C::Outcome> {
        match way {
            PassDirection::Down => return Some(self.down(load, edges, post)),
            PassDirection::Across => {
                self.met = true;
                return (self.waiting == 0).then(|| self.down(load, edges, post));
            }
            PassDirection::Up => {}
        }
        if let Course::From(_) = self.cargo.course() {
            return self.climb(load, edges, post);
        }
        let child = || edges.children.iter().position(|&(child, _)| child == from);
        self.cargo.take(|| child().expect("reports come from children"), load);
        self.waiting -= 1;
        if self.waiting == 0 { self.complete(edges, post) } else { None }
    }

    /// What the source brings goes on to the root.
    fn climb(
        &mut self,
        load: C::Load,
        edges: Edges<'_, N>,
        post: &mut impl Post<N, C::Load>,
    ) -> Option<C::Outcome> {
        match edges.parent {
            Some(parent) => {
                post.post(parent, PassDirection::Up, load);
                None
            }
            None => Some(self.down(load, edges, post)),
        }
    }

    /// All children have reported.
    fn complete(&mut self, edges: Edges<'_, N>, post: &mut impl Post<N, C::Load>) -> Option<C::Outcome> {
        let report = self.cargo.report();
        let goes_up = self.cargo.course() == Course::Up;
        if let Some(parent) = edges.parent {
            post.post(parent, PassDirection::Up, report);
            return goes_up.then(C::Outcome::default);
        }
        if goes_up {
            return Some(self.cargo.at_root(report));
        }
        if let Some(other) = self.across {
            let told = self.cargo.report();
            post.post(other, PassDirection::Across, told);
            if !self.met {
                return None;
            }
        }
        let load = self.cargo.decide(report);
        Some(self.down(load, edges, post))
    }

    /// What the root has decided comes down.
    fn down(&mut self, load: C::Load, edges: Edges<'_, N>, post: &mut impl Post<N, C::Load>) -> C::Outcome {
        self.cargo.come_down(load);
        for (at, &(child, side)) in edges.children.iter().enumerate() {
            let share = self.cargo.share(at, side);
            post.post(child, PassDirection::Down, share);
        }
        self.cargo.outcome()
    }

    /// What it carries.
    pub fn cargo(&self) -> &C {
        &self.cargo
    }

    /// The rank of this member.
    pub fn rank(&self) -> u32 {
        self.rank
    }
}
