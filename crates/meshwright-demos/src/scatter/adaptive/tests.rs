//! Runs that correct themselves, on threads.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use meshwright_runtime::transport::{Lost, Mailbox, threads};

use crate::scatter::root::ADAPTIVE;
use crate::scatter::words::{self, CountWords, Text};
use crate::scatter::{self, Load, Pace, PieceWork, SPLITS, ScatterReport, ScatterSettings, Split};

fn settings(splits: &[Split]) -> ScatterSettings {
    let calibration = Duration::from_micros(500);
    ScatterSettings { splits: splits.to_vec(), calibration, adaptive: true, ..ScatterSettings::default() }
}

const ALL: [Split; 3] = [SPLITS[0].1, SPLITS[1].1, SPLITS[2].1];

fn text(bytes: usize) -> Vec<u8> {
    b"to be or not to be that is the question\n".iter().copied().cycle().take(bytes).collect()
}

/// What rank 0 found, where every other rank does its own thing; panics of theirs are what is tested.
fn run<'w>(
    ranks: u32,
    load: &dyn Load,
    splits: &[Split],
    work: &(dyn Fn(u32) -> Box<dyn PieceWork + 'w> + Sync),
) -> ScatterReport {
    let served = |mut mail: Mailbox<threads::ThreadEndpoint>| -> Result<(), Lost> {
        let rank = mail.rank();
        scatter::serve_on(&mut mail, work(rank).as_ref(), "thread", Pace { sampled: 1, worked: 1 })
    };
    let served = &served;
    thread::scope(|scope| {
        let mut ends = threads::endpoints(ranks).into_iter();
        let first = ends.next().expect("there is a rank 0");
        for end in ends {
            scope.spawn(move || {
                std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| served(Mailbox::new(end))))
            });
        }
        let mut mail = Mailbox::new(first);
        scatter::conduct(&mut mail, load, work(0).as_ref(), &settings(splits))
            .expect("rank 0 comes to the end")
    })
}

/// Every byte is worked off once, whatever the ranks and the load.
#[test]
fn the_result_is_that_of_one_rank() {
    for bytes in [0, 1, 300, 50_000] {
        let load = Text(text(bytes));
        for ranks in [1, 2, 5] {
            let report = run(ranks, &load, &ALL, &|_| Box::new(CountWords));
            let adapted = report.outcomes.last().expect("it ran");
            assert_eq!(adapted.split, ADAPTIVE);
            assert_eq!(words::join(&adapted.parts), words::count(&load.0), "{bytes} bytes on {ranks} ranks");
            assert_eq!(adapted.share_bytes.iter().sum::<u64>(), load.bytes());
            let sides = adapted.parts.windows(2).all(|pair| pair[0].part.end == pair[1].part.start);
            assert!(sides, "the parts lie side by side");
        }
    }
}

/// A byte takes a microsecond, asleep; many times more once it is no sample.
struct Tiring<'a> {
    times: u64,
    begun: &'a AtomicBool,
}

impl PieceWork for Tiring<'_> {
    fn work(&self, piece: &[u8]) -> Vec<u8> {
        let times = if self.begun.load(Ordering::Relaxed) { self.times } else { 1 };
        thread::sleep(Duration::from_nanos(1_000 * piece.len() as u64 * times));
        CountWords.work(piece)
    }
}

/// A rank that becomes 8 times slower once it was measured costs a static division nearly all of it, and a run that
/// corrects itself little.
#[test]
fn a_rank_that_tires_is_relieved() {
    let begun = AtomicBool::new(false);
    // Every division cuts the load, and nothing is cut before.
    let load = Telling(Text(text(400_000)), &begun);
    let work = |rank| -> Box<dyn PieceWork + '_> {
        Box::new(Tiring { times: if rank == 3 { 8 } else { 1 }, begun: &begun })
    };
    let report = run(4, &load, &ALL[..2], &work);
    let time = |name: &str| {
        let outcome = report.outcomes.iter().find(|outcome| outcome.split == name).expect("it ran");
        outcome.measured.makespan
    };
    for name in ["ours", "equal"] {
        assert!(time(ADAPTIVE) < 0.75 * time(name), "{} {name} {}", time(ADAPTIVE), time(name));
    }
}

/// A load that tells when it is handed out: nothing is cut before.
struct Telling<'a>(Text, &'a AtomicBool);

impl Load for Telling<'_> {
    fn bytes(&self) -> u64 {
        self.0.bytes()
    }

    fn cuts(&self, wanted: &[u64]) -> Vec<u64> {
        self.1.fetch_or(wanted.len() >= 2, Ordering::Relaxed);
        self.0.cuts(wanted)
    }

    fn piece(&self, part: Range<u64>) -> Vec<u8> {
        self.0.piece(part)
    }

    fn beside(&self) -> u64 {
        self.0.beside()
    }

    fn sample(&self, near: u64, bytes: u64) -> Range<u64> {
        self.0.sample(near, bytes)
    }
}

/// What rank 0 has not lost by sharing it would have needed alone: the account is complete.
#[test]
fn no_run_is_slower_than_rank_0_alone_but_for_what_was_measured() {
    let begun = AtomicBool::new(false);
    let load = Telling(Text(text(200_000)), &begun);
    for times in [1, 4] {
        let work = |rank: u32| -> Box<dyn PieceWork + '_> {
            Box::new(Tiring { times: if rank == 1 { times } else { 2 }, begun: &begun })
        };
        let report = run(3, &load, &[], &work);
        let adapted = report.outcomes.last().expect("it ran");
        let overhead = adapted.corrections.as_ref().expect("it is adaptive").overhead;
        let most = overhead.alone_seconds + overhead.seconds();
        assert!(adapted.measured.makespan <= most + 1e-6, "{} {overhead:?}", adapted.measured.makespan);
        assert!(overhead.alone_seconds > 0.1, "two or four hundred thousand microseconds: {overhead:?}");
        assert!(adapted.measured.makespan < overhead.alone_seconds, "three share it: {overhead:?}");
    }
}

/// Dies at its second piece, if it is to.
struct Dying<'a> {
    pieces: AtomicU32,
    dies: bool,
    begun: &'a AtomicBool,
}

impl PieceWork for Dying<'_> {
    fn work(&self, piece: &[u8]) -> Vec<u8> {
        let is_piece = self.begun.load(Ordering::Relaxed);
        if is_piece && self.pieces.fetch_add(1, Ordering::Relaxed) == 1 && self.dies {
            // As a panic, but without a word.
            std::panic::resume_unwind(Box::new("this rank is to die"));
        }
        thread::sleep(Duration::from_nanos(500 * piece.len() as u64));
        CountWords.work(piece)
    }
}

/// A rank that dies on the way loses no load, and the others go on.
#[test]
fn a_rank_that_dies_loses_no_load() {
    let begun = AtomicBool::new(false);
    let load = Telling(Text(text(400_000)), &begun);
    let work = |rank| Dying { pieces: AtomicU32::new(0), dies: rank == 2, begun: &begun };
    let report = run(4, &load, &[], &|rank| Box::new(work(rank)));
    let adapted = report.outcomes.last().expect("it ran");
    let corrections = adapted.corrections.as_ref().expect("it is adaptive");
    assert_eq!(words::join(&adapted.parts), words::count(&load.0.0));
    assert_eq!(corrections.lost, [2]);
    assert!(corrections.redone_bytes > 0);
    assert!(adapted.share_bytes[1] > 0 && adapted.share_bytes[3] > 0, "{:?}", adapted.share_bytes);
}
