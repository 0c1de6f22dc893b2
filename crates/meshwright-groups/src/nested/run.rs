//! A program that runs: the bridge between awaited operations and whoever carries them out.

use std::cell::RefCell;
use std::fmt;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use super::team::Team;
use crate::protocol::{Here, Operation, Outcome, Program};

/// Where a team puts the operation it waits for, and finds what came of it.
#[derive(Debug, Default)]
pub(super) struct Desk {
    /// What the member was told last.
    here: Option<Here>,
    /// What the program asks for next.
    asked: Option<Operation>,
    /// What goes with it.
    parcel: Vec<u8>,
    /// What came of the operation before.
    outcome: Option<Outcome>,
}

/// The desk that a program shares with all its teams.
pub(super) type Shared = Rc<RefCell<Desk>>;

impl Desk {
    /// Asks for an operation of the team at this level.
    pub(super) fn ask(&mut self, level: u32, operation: Operation) {
        assert_eq!(level, self.here().level, "a team is used again when its parts have joined");
        assert!(self.asked.is_none(), "an operation that was begun is awaited before the next one");
        self.asked = Some(operation);
        self.outcome = None;
    }

    /// What goes with the operation that is asked for.
    pub(super) fn hand_over(&mut self, parcel: Vec<u8>) {
        self.parcel = parcel;
    }

    /// What came of the operation, when it is over.
    pub(super) fn take_outcome(&mut self) -> Option<Outcome> {
        self.outcome.take()
    }

    /// Where the member is.
    pub(super) fn here(&self) -> &Here {
        self.here.as_ref().expect("a program that is polled has been told where it is")
    }
}

/// A program written as an async function over its team, at one member; `T` is what it returns.
///
/// A node that takes no part has the default one, which stops at once. Futures are polled where
/// [`next`](Program::next) is called and nowhere else, so a run must stay on the thread that made it.
///
/// # Examples
///
/// Programs may borrow from their surroundings.
///
/// ```
/// use meshwright_groups::nested::{Run, Team};
/// use meshwright_groups::protocol::{Here, Operation, Outcome, Program};
/// use meshwright_core::units::{Cycles, NodeId};
/// let keys = vec![30, 10, 20];
/// let mut run = Run::of(async |team: &mut Team| {
///     team.barrier().await;
///     keys[team.rank() as usize]
/// });
/// let here = Here { node: NodeId(7), rank: 2, size: 3, level: 0, now: Cycles(0), outcome: Outcome::Done };
/// assert_eq!(run.next(here.clone()), Operation::Barrier);
/// assert_eq!((run.next(here), run.result()), (Operation::Stop, Some(&20)));
/// ```
pub struct Run<'p, T> {
    desk: Shared,
    /// None when it has come to its end.
    body: Option<Pin<Box<dyn Future<Output = T> + 'p>>>,
    result: Option<T>,
}

impl<T> Default for Run<'_, T> {
    fn default() -> Self {
        Self { desk: Shared::default(), body: None, result: None }
    }
}

impl<T: fmt::Debug> fmt::Debug for Run<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").field("desk", &self.desk).field("result", &self.result).finish_non_exhaustive()
    }
}

impl<'p, T: 'p> Run<'p, T> {
    /// The program that calls this function with the first team; it begins when its member begins.
    pub fn of(body: impl AsyncFnOnce(&mut Team) -> T + 'p) -> Self {
        let desk = Shared::default();
        let inside = Rc::clone(&desk);
        let future = async move { body(&mut Team::here(inside)).await };
        Self { desk, body: Some(Box::pin(future)), result: None }
    }
}

impl<T> Run<'_, T> {
    /// What the function returned, if it has.
    pub fn result(&self) -> Option<&T> {
        self.result.as_ref()
    }

    /// What the function returned, if it has.
    pub fn into_result(self) -> Option<T> {
        self.result
    }
}

impl<T> Program for Run<'_, T> {
    /// Goes on with the function until it waits for its next operation.
    ///
    /// # Panics
    ///
    /// When the function misuses its team in a way that types cannot forbid: it returns, or uses a team, while a part of
    /// it was dropped and has not joined; it begins an operation before another one is over; it waits for something that
    /// is no operation of a team.
    fn next(&mut self, here: Here) -> Operation {
        let Some(body) = &mut self.body else { return Operation::Stop };
        let mut desk = self.desk.borrow_mut();
        desk.outcome = Some(here.outcome.clone());
        desk.here = Some(here);
        drop(desk);
        let polled = body.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        let mut desk = self.desk.borrow_mut();
        match polled {
            Poll::Ready(result) => {
                assert_eq!(desk.here().level, 0, "a program ends when all parts have joined");
                assert!(
                    desk.asked.is_none(),
                    "an operation that was begun is awaited before the program ends"
                );
                self.result = Some(result);
                self.body = None;
                Operation::Stop
            }
            Poll::Pending => desk.asked.take().expect("a program waits for operations of its team alone"),
        }
    }
    fn parcel(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.desk.borrow_mut().parcel)
    }
}
