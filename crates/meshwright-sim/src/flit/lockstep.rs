//! Regions side by side: each thread works on its own routers, and what crosses a border is handed over between
//! steps.
//!
//! Nothing that leaves a region is due before the shortest delay of a link or a credit has passed, so regions meet
//! once in that many cycles only. What a region does in a cycle depends on what came in and on nothing else:
//! the bytes of the result are the same for any number of threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::fabric::{Crossing, Fabric};
use super::injector::Injector;
use super::region::{Region, Setup};
use super::router::Router;
use super::worm::{self, Worms};
use super::{setup, waiting};
use crate::traffic::{Measured, OpenLoop};
use meshwright_core::error::Result;
use meshwright_core::units::LinkId;
use meshwright_network::topology::{Machine, Topology};

/// A thread with fewer routers waits for the others longer than it works.
const ROUTERS_LEAST: u32 = 1 << 11;

/// Runs open-loop traffic on so many threads, or fewer if the machine is small; the result does not depend on their
/// number.
///
/// # Errors
///
/// As for [`OpenLoop::check`]; [`meshwright_core::Error::Value`] for settings that do not go together,
/// [`meshwright_core::Error::NotApplicable`] when routing and machine do not, [`meshwright_core::Error::TooLarge`] when the routers do not fit
/// into memory.
///
/// # Complexity
///
/// O(flits times hops), with one virtual channel and dimension order on a mesh O(packets times hops) while nobody
/// stands; O(1) per cycle beside that, idle routers cost nothing. Memory on a 2-D mesh with one virtual channel of 4
/// flits: some 250 bytes a router flit by flit, 450 where packets move as worms (machines of at most 2^18 nodes), and
/// 48 bytes for each packet under way.
///
/// # Examples
///
/// ```
/// use meshwright_sim::flit;
/// use meshwright_sim::traffic::{OpenLoop, Pattern};
/// let mesh = meshwright_network::topology::Machine::new("mesh:4x4")?;
/// let router = flit::Router::named("booksim", &mesh)?;
/// let pattern = Pattern::new("uniform", &mesh)?;
/// let open = OpenLoop { pattern, load: 0.05, packet: 1, warm_up: 100, measure: 1000, drain: 1000, seed: 1 };
/// let measured = flit::run_traffic(&mesh, &router, &open, 1)?;
/// assert_eq!(measured.undelivered, 0);
/// // T0 = 7 + 5 H for one flit, and little waiting at this load.
/// let zero_load = 7.0 + 5.0 * measured.latencies.hops_mean();
/// assert!((zero_load..zero_load + 1.0).contains(&measured.latencies.mean()));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn run_traffic(machine: &Machine, router: &Router, open: &OpenLoop, threads: usize) -> Result<Measured> {
    open.check()?;
    let setup = Setup::new(machine, router)?;
    let worthwhile = (machine.nodes() / ROUTERS_LEAST).max(1) as usize;
    Ok(run(machine, &setup, open, threads.clamp(1, worthwhile)))
}

/// One run on a setup that passed all checks.
pub(super) fn run(machine: &Machine, setup: &Setup<'_>, open: &OpenLoop, threads: usize) -> Measured {
    let shares = setup::shares(setup, threads.min(64) as u32);
    let longest = open.warm_up.saturating_add(open.measure).saturating_add(open.drain);
    if worm::apply(setup, longest.saturating_mul(2)) {
        // The narrowest layout that holds the network ports, injection and the source.
        match setup.wiring.degree + 2 {
            0..=4 => worms::<4>(machine, setup, open, shares),
            5..=6 => worms::<6>(machine, setup, open, shares),
            7..=8 => worms::<8>(machine, setup, open, shares),
            9..=16 => worms::<16>(machine, setup, open, shares),
            _ => worms::<32>(machine, setup, open, shares),
        }
    } else {
        let parts = side_by_side(machine, open, shares, |first, last| Region::new(setup, first, last));
        measured(machine, open, &parts, waiting::ring)
    }
}

/// One run with packets as worms.
fn worms<const P: usize>(
    machine: &Machine,
    setup: &Setup<'_>,
    open: &OpenLoop,
    shares: Vec<(u32, u32)>,
) -> Measured {
    let parts =
        side_by_side(machine, open, shares, |first, last| Worms::<P>::new(setup, first, last, open.packet));
    measured(machine, open, &parts, |_| None)
}

/// Runs the ranges of routers, each on its own thread.
#[expect(
    clippy::disallowed_methods,
    reason = "regions meet after each cycle, so their number does not reach the result"
)]
fn side_by_side<'o, F: Fabric + Send>(
    machine: &Machine,
    open: &'o OpenLoop,
    shares: Vec<(u32, u32)>,
    make: impl Fn(u32, u32) -> F + Sync,
) -> Vec<ThreadPart<'o, F>> {
    let count = shares.len();
    let shared = Shared {
        inboxes: (0..count).map(|_| Mutex::default()).collect(),
        firsts: shares.iter().map(|&(first, _)| first).collect(),
        sums: Default::default(),
        meeting: Meeting::new(count),
    };
    let work = |index: usize, (first, last): (u32, u32)| shared.work(index, make(first, last), machine, open);
    if count == 1 {
        return vec![work(0, shares[0])];
    }
    std::thread::scope(|scope| {
        let work = &work;
        let start = |(index, share)| scope.spawn(move || work(index, share));
        let handles: Vec<_> = shares.into_iter().enumerate().map(start).collect();
        handles.into_iter().map(|handle| handle.join().expect("a thread does not panic")).collect()
    })
}

/// What a thread returns.
struct ThreadPart<'o, F> {
    end: End,
    injector: Injector<'o>,
    fabric: F,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct End {
    cycles: u64,
    stands_still: bool,
}

fn measured<F: Fabric>(
    machine: &Machine,
    open: &OpenLoop,
    parts: &[ThreadPart<'_, F>],
    ring: impl Fn(&[&F]) -> Option<Vec<LinkId>>,
) -> Measured {
    let flits_of = |total: u64| total as f64 / f64::from(machine.living_count()) / open.measure as f64;
    let sum = |of: fn(&Injector<'_>) -> u64| parts.iter().map(|part| of(&part.injector)).sum::<u64>();
    let (offered, accepted) = (flits_of(sum(|i| i.created)), flits_of(sum(|i| i.arrived)));
    let undelivered = sum(|i| i.measured) - sum(|i| i.finished);
    let flit_hops = parts.iter().map(|part| part.fabric.flit_hops()).sum();
    let End { cycles, stands_still } = parts[0].end;
    let fabrics: Vec<&F> = parts.iter().map(|part| &part.fabric).collect();
    let deadlock = stands_still.then(|| ring(&fabrics)).flatten();
    let mut latencies = parts[0].injector.latencies.clone();
    for part in &parts[1..] {
        latencies.merge(&part.injector.latencies);
    }
    Measured { cycles, offered, accepted, latencies, flit_hops, undelivered, deadlock }
}

/// What the threads of one run share.
struct Shared {
    inboxes: Vec<Mutex<Vec<(u64, Crossing)>>>,
    firsts: Vec<u32>,
    /// Sums over the regions; one is filled while the other is read.
    sums: [Sums; 2],
    meeting: Meeting,
}

/// What the regions add up in a step.
#[derive(Default)]
struct Sums {
    pending: AtomicU64,
    busy: AtomicU64,
    stuck: AtomicU64,
}

impl Shared {
    /// The work of one thread.
    fn work<'o, F: Fabric>(
        &self,
        index: usize,
        mut fabric: F,
        machine: &Machine,
        open: &'o OpenLoop,
    ) -> ThreadPart<'o, F> {
        let mut injector = Injector::new(open, machine, &fabric);
        let end = self.run(index, &mut fabric, &mut injector, open);
        ThreadPart { end, injector, fabric }
    }

    fn run(
        &self,
        index: usize,
        fabric: &mut impl Fabric,
        injector: &mut Injector<'_>,
        open: &OpenLoop,
    ) -> End {
        let stride = setup::stride(&fabric.setup().router);
        let measured_end = open.warm_up + open.measure;
        let last = measured_end.saturating_add(open.drain);
        let (mut now, mut cycles) = (0u64, None);
        for round in 0.. {
            let mut busy = false;
            for _ in 0..stride {
                fabric.arrivals(now);
                if cycles.is_none() {
                    injector.fire(fabric);
                }
                fabric.visits();
                injector.collect(fabric);
                busy |= fabric.is_busy();
                now += 1;
            }
            let waiting = injector.measured.wrapping_sub(injector.finished);
            let (pending, stuck, busy) = self.meet(index, fabric, round, (waiting, busy));
            let stands_still = !busy && stuck > 0;
            match cycles {
                None if now >= measured_end && pending == 0 => {
                    return End { cycles: now, stands_still: false };
                }
                None if stands_still => return End { cycles: now, stands_still },
                // Sources hold back what has not left them, and what is in the network comes out or stands still.
                None if now >= last => {
                    fabric.hold_sources();
                    cycles = Some(now);
                }
                Some(cycles) if !busy => return End { cycles, stands_still },
                _ => {}
            }
        }
        unreachable!("a network that takes nothing in comes to rest")
    }

    /// Hands over what crossed a border and adds up over all regions: measured packets on the way, flits in
    /// buffers if nothing moves, and whether anything does.
    fn meet(
        &self,
        index: usize,
        fabric: &mut impl Fabric,
        round: usize,
        (pending, busy): (u64, bool),
    ) -> (u64, u64, bool) {
        if self.inboxes.len() == 1 {
            let stuck = if busy { 0 } else { fabric.flits_stuck() };
            return (pending, stuck, busy);
        }
        let (now, before) = (&self.sums[round % 2], &self.sums[1 - round % 2]);
        self.hand_over(fabric);
        now.pending.fetch_add(pending, Ordering::Relaxed);
        now.busy.fetch_add(u64::from(busy), Ordering::Relaxed);
        if !busy {
            now.stuck.fetch_add(fabric.flits_stuck(), Ordering::Relaxed);
        }
        self.meeting.meet(|| {
            for sum in [&before.pending, &before.busy, &before.stuck] {
                sum.store(0, Ordering::Relaxed);
            }
        });
        self.collect(index, fabric);
        let read = |sum: &AtomicU64| sum.load(Ordering::Relaxed);
        (read(&now.pending), read(&now.stuck), read(&now.busy) > 0)
    }

    /// Puts what left the region where its new owner finds it.
    fn hand_over(&self, fabric: &mut impl Fabric) {
        for (at, crossing) in fabric.outbox().drain(..) {
            let owner = self.firsts.partition_point(|&first| first <= crossing.node()) - 1;
            self.inboxes[owner].lock().expect("no thread panics with the lock").push((at, crossing));
        }
    }

    fn collect(&self, index: usize, fabric: &mut impl Fabric) {
        let mut inbox = self.inboxes[index].lock().expect("no thread panics with the lock");
        for (at, crossing) in inbox.drain(..) {
            fabric.take_in(at, crossing);
        }
    }
}

/// So often a thread looks before it lets others run.
const SPINS: u32 = 1 << 9;

/// Where threads wait for each other; they spin, for a step is shorter than a sleep.
struct Meeting {
    members: usize,
    arrived: AtomicUsize,
    turn: AtomicUsize,
}

impl Meeting {
    fn new(members: usize) -> Self {
        Self { members, arrived: AtomicUsize::new(0), turn: AtomicUsize::new(0) }
    }

    /// Waits for the others; the last to come calls `last` before anyone goes on.
    fn meet(&self, last: impl FnOnce()) {
        let turn = self.turn.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.members {
            last();
            self.arrived.store(0, Ordering::Relaxed);
            self.turn.store(turn + 1, Ordering::Release);
            return;
        }
        let mut spins = 0u32;
        while self.turn.load(Ordering::Acquire) == turn {
            spins += 1;
            // A core that somebody else needs is given up soon.
            if spins > SPINS {
                std::thread::yield_now();
            } else {
                std::hint::spin_loop();
            }
        }
    }
}
