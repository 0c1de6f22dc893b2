//! Blocks of routers side by side, in turn on one thread and on several at once.
//!
//! What crosses a border between blocks is handed over after each round, and nothing that does is due before the next
//! one. What a block does in a round depends on what came in and on nothing else: the bytes of the result are the
//! same for any number of blocks and of threads.

use std::sync::{Mutex, MutexGuard, OnceLock};

use super::blocks::Blocks;
use super::fabric::{Crossing, Fabric};
use super::injector::{Injector, Tally};
use super::meeting::{Meeting, Sums};
use super::region::{Region, Setup};
use super::router::Router;
use super::waiting;
use super::worm::{self, Many, One, Stream, Worms};
use crate::traffic::{Arrival, Measured, OpenLoop};
use meshwright_core::error::Result;
use meshwright_core::interrupt;
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
/// stands; O(1) per cycle beside that, idle routers cost nothing. Memory on a 2-D mesh with one virtual channel and one
/// port a node: some 200 bytes a router for packets of one flit, 350 for longer ones; with a port for each link 350 and
/// 650; and 48 bytes for each packet under way.
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
    Ok(run(machine, &setup, open, threads.clamp(1, worthwhile)).0)
}

/// The same with every packet that arrived, by creation and source.
pub(crate) fn record_traffic(machine: &Machine, router: &Router, open: &OpenLoop) -> Result<Recorded> {
    open.check()?;
    let setup = Setup { records: true, ..Setup::new(machine, router)? };
    Ok(run(machine, &setup, open, 1))
}

/// A run with the packets that arrived, if they were to be recorded.
pub(crate) type Recorded = (Measured, Vec<Arrival>);

/// One run on a setup that passed all checks.
pub(super) fn run(machine: &Machine, setup: &Setup<'_>, open: &OpenLoop, threads: usize) -> Recorded {
    let longest = open.warm_up.saturating_add(open.measure).saturating_add(open.drain);
    if worm::apply(setup, open.packet, longest.saturating_mul(2)) {
        if open.packet == 1 {
            narrowest::<One>(machine, setup, open, threads)
        } else {
            narrowest::<Many>(machine, setup, open, threads)
        }
    } else {
        let blocks = Blocks::new(setup, Region::bytes(setup), threads);
        let parts = side_by_side(machine, open, &blocks, |nodes| Region::new(setup, nodes, blocks.size));
        measured(machine, open, parts, waiting::ring)
    }
}

/// One run with packets as worms, in the narrowest layout that holds the network ports, injection and the sources.
fn narrowest<S: Stream>(machine: &Machine, setup: &Setup<'_>, open: &OpenLoop, threads: usize) -> Recorded {
    match setup.wiring.degree + 2 * setup.wiring.locals {
        0..=6 => worms::<S, 6>(machine, setup, open, threads),
        7..=8 => worms::<S, 8>(machine, setup, open, threads),
        9..=12 => worms::<S, 12>(machine, setup, open, threads),
        13..=18 => worms::<S, 18>(machine, setup, open, threads),
        _ => worms::<S, 32>(machine, setup, open, threads),
    }
}

/// One run with packets as worms.
fn worms<S: Stream, const P: usize>(
    machine: &Machine,
    setup: &Setup<'_>,
    open: &OpenLoop,
    threads: usize,
) -> Recorded {
    let blocks = Blocks::new(setup, Worms::<S, P>::BYTES, threads);
    let make = |nodes| Worms::<S, P>::new(setup, nodes, blocks.size, open.packet);
    measured(machine, open, side_by_side(machine, open, &blocks, make), |_| None)
}

/// What all threads together return.
struct Outcome<'o, F> {
    end: End,
    tallies: Vec<Tally<'o>>,
    fabrics: Vec<F>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct End {
    cycles: u64,
    stands_still: bool,
}

/// Runs the regions, each on a thread of its own.
#[expect(
    clippy::disallowed_methods,
    reason = "blocks wait for their neighbours, so the number of threads does not reach the result"
)]
fn side_by_side<'o, F: Fabric + Send>(
    machine: &Machine,
    open: &'o OpenLoop,
    blocks: &Blocks,
    make: impl Fn((u32, u32)) -> F + Sync,
) -> Outcome<'o, F> {
    let threads = blocks.threads();
    let shared = Shared {
        machine,
        open,
        blocks,
        regions: (0..threads).map(|_| OnceLock::new()).collect(),
        inboxes: (0..threads).map(|_| Mutex::default()).collect(),
        sums: Default::default(),
        meeting: Meeting::new(threads),
    };
    let work = |thread: usize| shared.work(thread, &make);
    let mut results: Vec<(End, Tally<'o>)> = if threads == 1 {
        vec![work(0)]
    } else {
        std::thread::scope(|scope| {
            let work = &work;
            let handles: Vec<_> = (0..threads).map(|thread| scope.spawn(move || work(thread))).collect();
            handles.into_iter().map(|handle| handle.join().expect("a thread does not panic")).collect()
        })
    };
    interrupt::stop_point();
    let end = results[0].0;
    let tallies = results.drain(..).map(|(_, tally)| tally).collect();
    let fabric = |cell: OnceLock<Mutex<Fed<'o, F>>>| {
        let region = cell.into_inner().expect("every thread made its region");
        region.into_inner().expect("no thread panics with the lock").fabric
    };
    Outcome { end, tallies, fabrics: shared.regions.into_iter().map(fabric).collect() }
}

fn measured<F: Fabric>(
    machine: &Machine,
    open: &OpenLoop,
    outcome: Outcome<'_, F>,
    ring: impl Fn(&[&F]) -> Option<Vec<LinkId>>,
) -> Recorded {
    let Outcome { end: End { cycles, stands_still }, mut tallies, fabrics } = outcome;
    let flits_of = |total: u64| total as f64 / f64::from(machine.living_count()) / open.measure as f64;
    let sum = |of: fn(&Tally<'_>) -> u64| tallies.iter().map(of).sum::<u64>();
    let (offered, accepted) = (flits_of(sum(|t| t.created)), flits_of(sum(|t| t.arrived)));
    let undelivered = sum(|t| t.measured) - sum(|t| t.finished);
    let flit_hops = fabrics.iter().map(Fabric::flit_hops).sum();
    let deadlock = stands_still.then(|| ring(&fabrics.iter().collect::<Vec<_>>())).flatten();
    let mut arrivals: Vec<_> =
        tallies.iter_mut().filter_map(|tally| tally.arrivals.take()).flatten().collect();
    arrivals.sort_unstable();
    let mut latencies = tallies.remove(0).latencies;
    for tally in &tallies {
        latencies.merge(&tally.latencies);
    }
    (Measured { cycles, offered, accepted, latencies, flit_hops, undelivered, deadlock }, arrivals)
}

/// The routers of a thread and their sources.
struct Fed<'o, F> {
    fabric: F,
    injector: Injector<'o>,
}

/// What waits for a region: crossings with the cycle they are due.
type Inbox = Mutex<Vec<(u64, Crossing)>>;

/// What the threads of one run share.
struct Shared<'o, 'a, F> {
    machine: &'a Machine,
    open: &'o OpenLoop,
    blocks: &'a Blocks,
    /// By thread; of another thread only blocks near the border are worked on.
    regions: Vec<OnceLock<Mutex<Fed<'o, F>>>>,
    inboxes: Vec<Inbox>,
    /// Sums over the threads; one is filled while the other is read.
    sums: [Sums; 2],
    meeting: Meeting,
}

/// Rounds that are done in turn.
#[derive(Clone, Copy)]
struct Rounds {
    /// The first cycle.
    start: u64,
    count: usize,
    /// Whether sources make packets; if not, those that have not left them stay there.
    fires: bool,
}

impl<'o, F: Fabric> Shared<'o, '_, F> {
    /// The work of one thread.
    fn work(&self, thread: usize, make: impl Fn((u32, u32)) -> F) -> (End, Tally<'o>) {
        let fabric = make(self.blocks.nodes(thread));
        let injector = Injector::new(self.open, self.machine, &fabric);
        let mut tally = Tally::new(self.open, fabric.setup().records);
        let made = self.regions[thread].set(Mutex::new(Fed { fabric, injector }));
        assert!(made.is_ok(), "a region belongs to one thread");
        self.meeting.meet(|| {});
        (self.run(thread, &mut tally), tally)
    }

    fn run(&self, thread: usize, tally: &mut Tally<'o>) -> End {
        let stride = self.blocks.stride;
        let measured_end = self.open.warm_up + self.open.measure;
        let last = measured_end.saturating_add(self.open.drain);
        let (mut now, mut cycles) = (0u64, None);
        for turn in 0.. {
            // Nothing can end the run before the interval does, and nothing changes it after the last packet.
            let free =
                if cycles.is_some() { u64::MAX } else { measured_end.saturating_sub(now).div_ceil(stride) };
            let count = (self.blocks.rounds as u64).min(free).max(1);
            let rounds = Rounds { start: now, count: count as usize, fires: cycles.is_none() };
            let busy = self.rounds(thread, rounds, tally);
            now += count * stride;
            let waiting = tally.measured.wrapping_sub(tally.finished);
            let (pending, busy) = self.add_up(turn, waiting, busy);
            if self.is_stopped(turn) {
                return End { cycles: now, stands_still: false };
            }
            let stands_still = !busy && self.blocks.can_stand && self.stuck(thread, turn) > 0;
            match cycles {
                None if now >= measured_end && pending == 0 => {
                    return End { cycles: now, stands_still: false };
                }
                None if stands_still => return End { cycles: now, stands_still },
                // Sources hold back what has not left them, and what is in the network comes out or stands still.
                None if now >= last => cycles = Some(now),
                Some(cycles) if !busy => return End { cycles, stands_still },
                _ => {}
            }
        }
        unreachable!("a network that takes nothing in comes to rest")
    }

    /// Rounds of the blocks of a thread; whether any was busy in the last.
    ///
    /// A block can do a round when its neighbours have done the round before. So each thread does its blocks in waves
    /// that follow each other closely, and a block is in the cache for all rounds; at a border to another thread one
    /// block less in each round, and these when all have met.
    fn rounds(&self, thread: usize, rounds: Rounds, tally: &mut Tally<'o>) -> bool {
        let (mut busy, last) = (false, self.blocks.threads() - 1);
        {
            let region = &mut *self.region(thread);
            let blocks = region.fabric.parts();
            for wave in 0..blocks + rounds.count - 1 {
                for round in 0..rounds.count.min(wave + 1) {
                    let from = if thread > 0 { round } else { 0 };
                    let to = if thread < last { blocks - round } else { blocks };
                    if (from..to).contains(&(wave - round)) {
                        busy |= self.step(region, thread, (wave - round, round), rounds, tally);
                    }
                }
            }
        }
        if rounds.count > 1 && last > 0 {
            for parity in 0..2.min(last) {
                self.meeting.meet(|| {});
                if thread > 0 && thread % 2 != parity {
                    busy |= self.border(thread, rounds, tally);
                }
            }
        }
        busy
    }

    /// What is left of some rounds at the border to the thread before.
    fn border(&self, thread: usize, rounds: Rounds, tally: &mut Tally<'o>) -> bool {
        let mut busy = false;
        let (before, here) = (&mut *self.region(thread - 1), &mut *self.region(thread));
        let blocks = before.fabric.parts();
        for round in 1..rounds.count {
            for block in blocks - round..blocks {
                busy |= self.step(before, thread - 1, (block, round), rounds, tally);
            }
            for block in 0..round {
                busy |= self.step(here, thread, (block, round), rounds, tally);
            }
        }
        busy
    }

    /// One round of one block; whether it was busy, if it was the last round.
    #[inline]
    fn step(
        &self,
        Fed { fabric, injector }: &mut Fed<'o, F>,
        thread: usize,
        (block, round): (usize, usize),
        rounds: Rounds,
        tally: &mut Tally<'o>,
    ) -> bool {
        fabric.enter(block);
        let threads = self.blocks.threads();
        if threads > 1 && (block == 0 || block + 1 == fabric.parts()) {
            for (at, crossing) in self.inbox(thread).drain(..) {
                fabric.take_in(at, crossing);
            }
        }
        if !rounds.fires {
            fabric.hold_sources();
        }
        let mut busy = false;
        let start = rounds.start + round as u64 * self.blocks.stride;
        for now in start..start + self.blocks.stride {
            fabric.arrivals(now);
            if rounds.fires {
                injector.fire(fabric, block, tally);
            }
            fabric.visits();
            tally.collect(fabric);
            busy |= round + 1 == rounds.count && fabric.is_busy();
        }
        for (at, crossing) in fabric.outbox().drain(..) {
            self.inbox(self.blocks.owner(crossing.node())).push((at, crossing));
        }
        busy
    }

    fn region(&self, thread: usize) -> MutexGuard<'_, Fed<'o, F>> {
        let cell = self.regions[thread].get().expect("all regions are made before the first round");
        cell.lock().expect("no thread panics with the lock")
    }

    fn inbox(&self, thread: usize) -> MutexGuard<'_, Vec<(u64, Crossing)>> {
        self.inboxes[thread].lock().expect("no thread panics with the lock")
    }

    /// Adds up over all threads: measured packets on the way, and whether anything moves.
    fn add_up(&self, turn: usize, pending: u64, busy: bool) -> (u64, bool) {
        if self.blocks.threads() == 1 {
            return (pending, busy);
        }
        let (now, before) = (&self.sums[turn % 2], &self.sums[1 - turn % 2]);
        now.add(pending, busy);
        // One of them looks, so that all end in the same turn.
        let last = || {
            before.clear();
            now.set_stopped(interrupt::is_stopped());
        };
        self.meeting.meet(last);
        now.read()
    }

    /// Whether the run is to unwind: all threads say the same.
    fn is_stopped(&self, turn: usize) -> bool {
        if self.blocks.threads() == 1 { interrupt::is_stopped() } else { self.sums[turn % 2].is_stopped() }
    }

    /// Flits in buffers of a network in which nothing moves.
    fn stuck(&self, thread: usize, turn: usize) -> u64 {
        let stuck = self.region(thread).fabric.flits_stuck();
        if self.blocks.threads() == 1 {
            return stuck;
        }
        let now = &self.sums[turn % 2];
        now.add_stuck(stuck);
        self.meeting.meet(|| {});
        now.stuck()
    }
}
