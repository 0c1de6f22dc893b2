//! Sweeps on ranks: the curve and the lines of one thread, whoever measures and whoever dies.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use meshwright_core::error::{Error, Result};
use meshwright_network::topology::Machine;
use meshwright_runtime::sweep as ranks;
use meshwright_runtime::sweep::Ranks;
use meshwright_runtime::transport::threads::{self, ThreadEndpoint};
use meshwright_runtime::transport::{Endpoint, Lost, Parcel, Watched};
use meshwright_sim::experiment::Reference;
use meshwright_sim::point::Point;
use meshwright_sim::sweep::{Curve, Sweep, run, run_with, spread};
use meshwright_sim::traffic::{Latencies, Measured};

/// The tag of a fake end's last word.
const OBITUARY: u32 = 99;

/// A network that carries up to 0.37, with noise from the seed.
fn point(load: f64, seed: u64) -> Point {
    let reference = Reference::default();
    let noise = (seed % 1000) as f64 * 1e-7;
    let mut latencies = Latencies::new(1);
    latencies.record(0, seed % 1000, 3);
    let run = Measured {
        cycles: 1000,
        offered: load + noise / 3.0,
        accepted: load.min(0.37) + noise / 7.0,
        latencies,
        flit_hops: seed,
        undelivered: u64::from(load > 0.37),
        deadlock: None,
    };
    Point::new(load, &run, &Machine::new("mesh:1x2").unwrap(), &reference)
}

fn sweep() -> Sweep {
    Sweep { loads: spread(0.05, 0.8, 16).unwrap(), saturation: true, seed: 5, threads: 1 }
}

fn line(point: &Point) -> String {
    serde_json::to_string(point).unwrap()
}

/// The curve and the lines of one thread.
fn alone(known: &[Point]) -> (Curve, Vec<String>) {
    let mut lines = Vec::new();
    let curve = run(&sweep(), known, |load, seed, _| Ok(point(load, seed)), &mut |point| {
        lines.push(line(point));
        Ok(())
    });
    lines.sort();
    (curve.unwrap(), lines)
}

/// Which rank dies, told of which job.
type Death = (u32, u32);

/// An end that dies at some job, as a process that is killed: it says nothing more, and rank 0 hears that it is lost, once.
struct Mortal<'a> {
    end: ThreadEndpoint,
    deaths: &'a [Death],
    jobs: u32,
    /// Rank 0 takes this rank for lost after so many of its messages, though it goes on.
    slandered: Option<(u32, u32)>,
    /// The messages of a slandered rank so far.
    heard: u32,
}

impl Endpoint for Mortal<'_> {
    fn rank(&self) -> u32 {
        self.end.rank()
    }

    fn ranks(&self) -> u32 {
        self.end.ranks()
    }

    fn send(&mut self, to: u32, tag: u32, bytes: Vec<u8>) -> Result<(), Lost> {
        self.end.send(to, tag, bytes)
    }

    fn next(&mut self, wait: Duration) -> Result<Option<Parcel>, Lost> {
        if let Some((rank, messages)) = self.slandered
            && self.heard == messages
        {
            self.slandered = None;
            return Err(Lost { rank, why: "it is slow".to_string() });
        }
        let Some(parcel) = self.end.next(wait)? else { return Ok(None) };
        if parcel.tag == OBITUARY {
            return Err(Lost { rank: parcel.from, why: "it was killed".to_string() });
        }
        self.heard += u32::from(self.slandered.is_some_and(|(rank, _)| rank == parcel.from));
        // Rank 0 sends jobs, and at last the end, which is no job.
        self.jobs += u32::from(!parcel.bytes.is_empty());
        if self.deaths.contains(&(self.rank(), self.jobs)) {
            self.end.send(0, OBITUARY, Vec::new())?;
            return Err(Lost { rank: 0, why: "this rank is dead".to_string() });
        }
        Ok(Some(parcel))
    }
}

/// What a run on ranks came to.
struct Campaign {
    curve: Result<Curve>,
    lines: Vec<String>,
    lost: Vec<u32>,
    /// How often each load was measured, by its bits.
    measured: BTreeMap<u64, u32>,
    ended: Vec<Option<Result<(), Lost>>>,
}

/// A sweep on so many ranks of so many threads.
#[derive(Default)]
struct Setting<'a> {
    ranks: u32,
    threads: usize,
    deaths: &'a [Death],
    slandered: Option<(u32, u32)>,
    known: &'a [Point],
    /// Loads above this one cannot be measured.
    fails_above: Option<f64>,
    /// So many loads the search measures at a time.
    width: usize,
    /// Only these lines can be measured, if there are any.
    only: &'a [String],
    /// This rank has read something else, or nothing.
    strange: Option<(u32, Option<&'a str>)>,
}

impl Setting<'_> {
    fn run(&self) -> Campaign {
        let measured = Mutex::new(BTreeMap::new());
        let result = Mutex::new(None);
        let measure = |load: f64, seed, _| {
            *measured.lock().unwrap().entry(load.to_bits()).or_insert(0) += 1;
            std::thread::sleep(Duration::from_millis(1));
            match self.fails_above {
                Some(most) if load > most => Err(Error::value("load", load, "less")),
                _ if !self.only.is_empty() && !self.only.contains(&line(&point(load, seed))) => {
                    Err(Error::value("load", load, "another"))
                }
                _ => Ok(point(load, seed)),
            }
        };
        let ended = threads::run(self.ranks, |end| {
            let slandered = self.slandered.filter(|_| end.rank() == 0);
            let mut end = Mortal { end, deaths: self.deaths, jobs: 0, slandered, heard: 0 };
            if end.rank() == 0 {
                *result.lock().unwrap() = Some(self.lead(&mut end, measure));
                ranks::dismiss(&mut end);
                return Ok(None);
            }
            Ok(Some(match self.strange.filter(|(rank, _)| *rank == end.rank()) {
                Some((_, None)) => ranks::refuse(&mut end, &Error::value("alpha", 2, "a share")),
                Some((_, Some(what))) => ranks::serve(&mut end, what, self.threads, &[&measure], |_| {}),
                None => ranks::serve(&mut end, "mesh", self.threads, &[&measure], |_| {}),
            }))
        });
        let (curve, mut lines, lost) = result.into_inner().unwrap().expect("rank 0 came to its end");
        lines.sort();
        Campaign { curve, lines, lost, measured: measured.into_inner().unwrap(), ended: ended.unwrap() }
    }

    fn lead(
        &self,
        end: &mut Mortal<'_>,
        measure: impl Fn(f64, u64, usize) -> Result<Point> + Sync,
    ) -> (Result<Curve>, Vec<String>, Vec<u32>) {
        let (mut lines, mut lost) = (Vec::new(), Vec::new());
        let crew = Ranks::muster(end, "mesh", self.threads, |gone: &Lost| lost.push(gone.rank));
        let curve = crew.and_then(|crew| {
            let mut crew = crew.looking_ahead(self.width);
            run_with(&mut crew.curve(0, measure), &sweep(), self.known, &mut |point| {
                lines.push(line(point));
                Ok(())
            })
        });
        (curve, lines, lost)
    }
}

#[test]
fn any_number_of_ranks_finds_the_curve_and_the_lines_of_one_thread() {
    let (curve, lines) = alone(&[]);
    assert!(lines.len() > 16 && curve.saturation.is_some());
    for ranks in 1..=5 {
        for threads in 1..=3 {
            let found = Setting { ranks, threads, ..Setting::default() }.run();
            assert_eq!(found.curve.unwrap(), curve);
            assert_eq!(found.lines, lines);
            assert!(found.measured.values().all(|&times| times == 1), "no load is measured twice");
            assert_eq!(found.measured.len(), lines.len());
            assert!(found.lost.is_empty() && found.ended[1..].iter().all(|end| *end == Some(Ok(()))));
        }
    }
}

/// The search measures loads that it may need together with the one it needs; nobody hears of those it does not.
#[test]
fn a_search_that_looks_ahead_leaves_the_same_lines() {
    let (curve, lines) = alone(&[]);
    for (ranks, width) in [(3, 3), (7, 7), (2, 9), (8, 8)] {
        let found = Setting { ranks, threads: 1, width, ..Setting::default() }.run();
        assert_eq!(found.curve.unwrap(), curve);
        assert_eq!(found.lines, lines);
        assert!(found.measured.values().all(|&times| times == 1));
        assert_eq!(found.measured.len() > lines.len(), ranks > 2, "three loads make two steps");

        let found = Setting { ranks, threads: 1, width, only: &lines, ..Setting::default() }.run();
        assert_eq!(found.curve.unwrap(), curve, "what is not needed cannot fail");
        assert_eq!(found.lines, lines);
        let found =
            Setting { ranks, threads: 1, width, deaths: &[(1, 5), (2, 3)], ..Setting::default() }.run();
        assert_eq!(found.curve.unwrap(), curve);
        assert_eq!(found.lines, lines);
    }
}

#[test]
fn a_dead_rank_costs_only_its_own_unfinished_points() {
    let (curve, lines) = alone(&[]);
    for threads in 1..=2 {
        for deaths in [&[(2, 1)][..], &[(1, 3)], &[(1, 1), (2, 2)], &[(1, 1), (2, 1), (3, 1)]] {
            let doomed = deaths.iter().map(|&(rank, _)| rank).collect::<Vec<_>>();
            // On a busy machine the others may have done all before a rank is told of the job at which it dies.
            let died = (0..100).any(|_| {
                let found = Setting { ranks: 4, threads, deaths, ..Setting::default() }.run();
                assert_eq!(found.curve.unwrap(), curve, "{deaths:?}");
                assert_eq!(found.lines, lines);
                // The job at which it dies is not begun; with more threads others may be under way.
                let again: u32 = found.measured.values().map(|times| times - 1).sum();
                assert!(
                    again as usize <= found.lost.len() * (threads - 1),
                    "{again} points again for {deaths:?}"
                );
                let survivors = (1..4).filter(|rank| !found.lost.contains(rank));
                assert!(survivors.into_iter().all(|rank| found.ended[rank as usize] == Some(Ok(()))));
                assert!(found.lost.iter().all(|rank| doomed.contains(rank)), "{:?} lost", found.lost);
                found.lost.len() == deaths.len()
            });
            assert!(died, "of a hundred runs all of {deaths:?} come to pass in one");
        }
    }
}

/// A rank that was stopped for a while is taken for lost, and its points come after all.
#[test]
fn a_rank_that_was_taken_for_lost_may_answer_late() {
    let (curve, lines) = alone(&[]);
    for messages in 1..=3 {
        let slandered = Some((1, messages));
        let run = || Setting { ranks: 3, threads: 1, slandered, ..Setting::default() }.run();
        // On a busy machine the others may have done all before it has sent so many messages.
        let found = std::iter::repeat_with(run).take(100).find(|found| !found.lost.is_empty());
        let found = found.expect("of a hundred runs it sends so many messages in one");
        assert_eq!(found.lost, [1]);
        assert_eq!(found.curve.unwrap(), curve);
        assert_eq!(found.lines, lines, "each point is kept once");
    }
}

/// Rank 0 was stopped for so long that the others have left it: it goes on alone.
#[test]
fn rank_0_that_was_taken_for_lost_measures_alone() {
    let (curve, lines) = alone(&[]);
    let found = Setting { ranks: 3, threads: 1, slandered: Some((0, 0)), ..Setting::default() }.run();
    assert_eq!(found.lost, [1, 2]);
    assert_eq!(found.curve.unwrap(), curve);
    assert_eq!(found.lines, lines);
}

/// A rank that falls silent at its first job, among ranks that watch each other.
struct Mute {
    end: Watched<ThreadEndpoint>,
    dies: bool,
}

impl Endpoint for Mute {
    fn rank(&self) -> u32 {
        self.end.rank()
    }

    fn ranks(&self) -> u32 {
        self.end.ranks()
    }

    fn send(&mut self, to: u32, tag: u32, bytes: Vec<u8>) -> Result<(), Lost> {
        self.end.send(to, tag, bytes)
    }

    fn next(&mut self, wait: Duration) -> Result<Option<Parcel>, Lost> {
        match self.end.next(wait)? {
            Some(_) if self.dies => Err(Lost { rank: 0, why: "this rank is dead".to_string() }),
            parcel => Ok(parcel),
        }
    }
}

/// Whoever else is taken for lost on a busy machine, the answer is the same.
#[test]
fn ranks_that_watch_each_other_go_on_without_a_silent_one() {
    let (curve, lines) = alone(&[]);
    let found = threads::run(4, |end| {
        let mut end = Watched::new(end, Duration::from_millis(400));
        end.forgive();
        let mut end = Mute { dies: end.rank() == 2, end };
        let measure = |load, seed, _| Ok(point(load, seed));
        if end.rank() > 0 {
            _ = ranks::serve(&mut end, "mesh", 1, &[&measure], |_| {});
            return Ok(None);
        }
        let (mut lost, mut told) = (Vec::new(), Vec::new());
        let mut crew = Ranks::muster(&mut end, "mesh", 1, |gone: &Lost| lost.push(gone.rank)).unwrap();
        let curve = run_with(&mut crew.curve(0, measure), &sweep(), &[], &mut |point| {
            told.push(line(point));
            Ok(())
        });
        ranks::dismiss(&mut end);
        told.sort();
        Ok(Some((curve.unwrap(), told, lost)))
    });
    let (found, told, lost) = found.unwrap().swap_remove(0).expect("rank 0 leads");
    assert!(found == curve && told == lines);
    assert!(lost.contains(&2), "{lost:?}");
}

#[test]
fn what_is_known_is_not_measured_again() {
    let (curve, _) = alone(&[]);
    for known in [0, 1, 7, curve.points.len() - 1, curve.points.len()] {
        let found =
            Setting { ranks: 3, threads: 2, known: &curve.points[..known], ..Setting::default() }.run();
        assert_eq!(found.curve.unwrap(), curve);
        assert_eq!(found.measured.len(), curve.points.len() - known);
        assert_eq!(found.lines, alone(&curve.points[..known]).1);
    }
}

#[test]
fn a_load_that_cannot_be_measured_ends_the_sweep_on_all_ranks() {
    for ranks in 1..=4 {
        let found = Setting { ranks, threads: 1, fails_above: Some(0.55), ..Setting::default() }.run();
        let error = found.curve.unwrap_err().to_string();
        assert!(error.contains("load is 0.") && error.contains("expected less"), "{error}");
        assert!(found.measured.len() <= 2 * ranks as usize, "no further load is begun");
        assert!(found.ended[1..].iter().all(|end| *end == Some(Ok(()))));
    }
    let found = Setting { ranks: 2, threads: 1, fails_above: Some(0.55), ..Setting::default() }.run();
    assert!(found.lines.len() < 16);
}

#[test]
fn ranks_that_have_read_something_else_are_found_before_the_first_load() {
    for (strange, wanted) in [
        ((2, None), "rank 2: alpha is 2; expected a share"),
        ((1, Some("torus")), "torus (rank 1); expected what rank 0 has read: mesh"),
    ] {
        let found = Setting { ranks: 3, threads: 1, strange: Some(strange), ..Setting::default() }.run();
        let error = found.curve.unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}");
        assert!(found.measured.is_empty());
        assert!(found.ended[1..].iter().all(|end| *end == Some(Ok(()))));
    }
}
