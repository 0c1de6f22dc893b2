//! One rank of MPI as an endpoint.

mod attendant;
mod port;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use meshwright_runtime::transport::{Endpoint, Finder, Lost, Parcel, Watched};
use mpi::Threading;
use mpi::environment::threading_support;
use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;

use crate::process::{self, Process};
pub use attendant::Attendant;
use attendant::{Network, Thread, lock};
use port::Port;

/// One rank's end of the network; ranks may watch each other.
///
/// All calls are made by the thread that started MPI; but see [`Attendant`].
///
/// # Examples
///
/// ```no_run
/// use meshwright_runtime::transport::{Endpoint, Mailbox};
/// use meshwright_mpi::MpiEndpoint;
/// let universe = mpi::initialize().expect("MPI is started once in a process");
/// let mut mail = Mailbox::new(MpiEndpoint::new(&universe.world()));
/// let (rank, ranks) = (mail.rank(), mail.ranks());
/// mail.send((rank + 1) % ranks, 7, &rank)?;
/// assert_eq!(mail.receive::<u32>((rank + ranks - 1) % ranks, 7)?, (rank + ranks - 1) % ranks);
/// # Ok::<(), meshwright_runtime::transport::Lost>(())
/// ```
pub struct MpiEndpoint {
    world: SimpleCommunicator,
    processes: Vec<Process>,
    attendant: Attendant,
    /// Ends before the network does.
    _thread: Option<Thread>,
    network: Arc<Network>,
}

impl MpiEndpoint {
    /// The end of this process in communicators of its own; nobody watches. All ranks call this together.
    pub fn new(world: &SimpleCommunicator) -> Self {
        Self::watching(world, Duration::ZERO)
    }

    /// The same, but a rank that is silent for longer than this is [`Lost`]. All ranks call this together, with the same
    /// patience, and [`MpiEndpoint::finish`] at the end. Without patience nobody watches.
    ///
    /// From now on work that takes more than a fifth of the patience belongs into [`Endpoint::compute`], and calls of MPI
    /// that block into [`Attendant::during`].
    pub fn watching(world: &SimpleCommunicator, patience: Duration) -> Self {
        let processes = process::gather(world);
        let port = Port::new(world, process::crowd(&processes, world.rank() as usize));
        let network = Arc::new(Mutex::new(Watched::new(port, patience)));
        let attendant = Attendant::default();
        let needs_thread = patience > Duration::ZERO && processes.len() > 1;
        let thread = (needs_thread && threading_support() == Threading::Multiple)
            .then(|| Thread::start(Arc::clone(&network), &attendant, patience));
        Self { world: world.duplicate(), processes, attendant, _thread: thread, network }
    }

    /// For calls of MPI that block. It is of use where MPI was started with [`Threading::Multiple`]; without, nobody answers
    /// or watches during such a call.
    pub fn attendant(&self) -> Attendant {
        self.attendant.clone()
    }

    /// A communicator for the caller's own use: the endpoint's messages travel in another one.
    pub fn world(&self) -> &SimpleCommunicator {
        &self.world
    }

    /// All processes, by rank.
    pub fn processes(&self) -> &[Process] {
        &self.processes
    }

    /// How many ranks share a core of this rank's host, rounded up.
    pub fn crowd(&self) -> u32 {
        process::crowd(&self.processes, self.world.rank() as usize)
    }

    /// What to do as soon as this rank knows that another one is lost, such as ending all ranks; during
    /// a call of MPI that blocks another thread does it.
    pub fn on_lost(&mut self, hook: impl FnMut(&Lost, Finder) + Send + 'static) {
        lock(&self.network).on_lost(hook);
    }

    /// From now on the ranks go on without those that are lost, as [`Watched::forgive`] says. `mpirun` has to let them:
    /// Open MPI does with `--enable-recovery`.
    pub fn forgive(&mut self) {
        lock(&self.network).forgive();
    }

    /// All losses that are known.
    pub fn losses(&self) -> Vec<Lost> {
        lock(&self.network).losses().to_vec()
    }

    /// Waits until all ranks have come here, and goes on watching meanwhile.
    ///
    /// # Errors
    ///
    /// As for [`Watched::finish`].
    pub fn finish(&mut self) -> Result<(), Lost> {
        lock(&self.network).finish()
    }

    /// The longest message that is sent in one piece; at first 1 GiB. Longer ones travel in pieces of this size.
    ///
    /// # Panics
    ///
    /// When it is 0 or more than 2 GiB - 1, which MPI cannot count.
    pub fn set_piece(&mut self, bytes: usize) {
        lock(&self.network).inner_mut().set_piece(bytes);
    }
}

impl Endpoint for MpiEndpoint {
    fn rank(&self) -> u32 {
        lock(&self.network).rank()
    }

    fn ranks(&self) -> u32 {
        lock(&self.network).ranks()
    }

    fn send(&mut self, to: u32, tag: u32, bytes: Vec<u8>) -> Result<(), Lost> {
        lock(&self.network).send(to, tag, bytes)
    }

    fn next(&mut self, wait: Duration) -> Result<Option<Parcel>, Lost> {
        lock(&self.network).next(wait)
    }

    fn compute<T: Send>(&mut self, work: impl FnOnce() -> T + Send) -> Result<T, Lost> {
        lock(&self.network).compute(work)
    }

    fn tell(&mut self, doing: &str) {
        lock(&self.network).tell(doing);
    }
}
