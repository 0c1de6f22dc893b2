//! A second thread that answers others while this rank is inside of a call of MPI that blocks.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use meshwright_runtime::transport::Watched;

use super::port::Port;

/// The network of a rank, which one thread at a time uses.
pub(super) type Network = Mutex<Watched<Port>>;

/// The attendant looks so often within the patience.
const LOOKS: u32 = 20;

pub(super) fn lock(network: &Network) -> MutexGuard<'_, Watched<Port>> {
    network.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whoever calls what blocks in MPI, such as a collective operation, does it inside of [`Attendant::during`]: others see
/// meanwhile that this rank lives, and this rank sees whether they do.
///
/// Made by [`MpiEndpoint::attendant`](super::MpiEndpoint::attendant).
#[derive(Clone, Debug, Default)]
pub struct Attendant {
    is_inside: Arc<AtomicBool>,
}

impl Attendant {
    /// Does what blocks.
    pub fn during<T>(&self, blocking: impl FnOnce() -> T) -> T {
        self.is_inside.store(true, Relaxed);
        let result = blocking();
        self.is_inside.store(false, Relaxed);
        result
    }
}

/// The second thread, which ends with this value.
pub(super) struct Thread {
    /// What it waits for, and itself.
    parts: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Thread {
    /// Starts it. MPI must allow calls of several threads at the same time.
    pub(super) fn start(network: Arc<Network>, attendant: &Attendant, patience: Duration) -> Self {
        let (end, is_end) = channel();
        let is_inside = Arc::clone(&attendant.is_inside);
        let attend = move || {
            while is_end.recv_timeout(patience / LOOKS) == Err(RecvTimeoutError::Timeout) {
                if is_inside.load(Relaxed) {
                    lock(&network).look();
                }
            }
        };
        Self { parts: Some((end, thread::spawn(attend))) }
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        if let Some((end, thread)) = self.parts.take() {
            drop(end);
            _ = thread.join(); // a panic there has been told there
        }
    }
}
