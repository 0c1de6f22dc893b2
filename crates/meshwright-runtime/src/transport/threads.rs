//! Ranks that are threads of this process.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use super::{Endpoint, Lost, Parcel};

/// What a thread finds in its channel.
#[derive(Debug)]
enum Delivery {
    Parcel(Parcel),
    Lost(Lost),
}

/// One rank's end of a network inside of this process.
#[derive(Debug)]
pub struct ThreadEndpoint {
    rank: u32,
    post: Vec<Sender<Delivery>>,
    inbox: Receiver<Delivery>,
}

/// The ends of a network of so many ranks, by rank.
pub fn endpoints(ranks: u32) -> Vec<ThreadEndpoint> {
    let (post, inboxes): (Vec<_>, Vec<_>) = (0..ranks).map(|_| channel()).unzip();
    let end = |(rank, inbox)| ThreadEndpoint { rank, post: post.clone(), inbox };
    (0..).zip(inboxes).map(end).collect()
}

/// Runs a function on every rank, each on a thread of its own; what they return, by rank.
///
/// # Errors
///
/// The first [`Lost`] by rank.
///
/// # Panics
///
/// When the function panics on a rank; the others are told that it is lost, and do not wait for it.
pub fn run<T: Send>(
    ranks: u32,
    body: impl Fn(ThreadEndpoint) -> Result<T, Lost> + Sync,
) -> Result<Vec<T>, Lost> {
    let body = &body;
    let results: Vec<_> = thread::scope(|scope| {
        let started: Vec<_> =
            endpoints(ranks).into_iter().map(|endpoint| scope.spawn(move || body(endpoint))).collect();
        started.into_iter().map(|thread| thread.join()).collect()
    });
    let ended: Vec<_> = results
        .into_iter()
        .map(|result| result.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        .collect();
    ended.into_iter().collect()
}

impl Endpoint for ThreadEndpoint {
    fn rank(&self) -> u32 {
        self.rank
    }

    fn ranks(&self) -> u32 {
        self.post.len() as u32
    }

    fn send(&mut self, to: u32, tag: u32, bytes: Vec<u8>) -> Result<(), Lost> {
        // A rank that has come to its end takes nothing more: whoever waits for it hears of it, not the sender.
        _ = self.post[to as usize].send(Delivery::Parcel(Parcel { from: self.rank, tag, bytes }));
        Ok(())
    }

    fn next(&mut self, wait: Duration) -> Result<Option<Parcel>, Lost> {
        match self.inbox.recv_timeout(wait) {
            Ok(Delivery::Parcel(parcel)) => Ok(Some(parcel)),
            Ok(Delivery::Lost(lost)) => {
                // The next call says the same.
                _ = self.post[self.rank as usize].send(Delivery::Lost(lost.clone()));
                Err(lost)
            }
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => unreachable!("a rank can send to itself"),
        }
    }
}

impl Drop for ThreadEndpoint {
    fn drop(&mut self) {
        if thread::panicking() {
            let lost = Lost { rank: self.rank, why: "its thread panicked".to_string() };
            for post in &self.post {
                _ = post.send(Delivery::Lost(lost.clone()));
            }
        }
    }
}
