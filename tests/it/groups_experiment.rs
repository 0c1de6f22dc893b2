//! The three experiments of section 5 of the paper, and the better splits on the same runs, against an independent
//! packet simulation: averages within 5 % of its.

use meshwright_core::Result;
use meshwright_network::topology::Machine;
use meshwright_verdict::groups;
use meshwright_verdict::groups::experiment::{self, Experiment};
use meshwright_verdict::groups::program::{self, Kind};
use meshwright_verdict::groups::{Drawn, ENGINES, Job, Labels, Pace, Viewed, Visitor};

fn job(order: &str, kind: Drawn, repeat: u32) -> Job {
    let labels = Labels::Drawn { levels: 4, kind };
    Job { repeat, seed: 1996, pace: Pace::Lockstep, ..Job::new(order, labels) }
}

/// The repetitions of a job on a mesh of 16 x 16.
fn run(job: &Job, method: &str) -> Experiment {
    let mesh = Machine::new("mesh:16x16").unwrap().in_packets();
    let method = groups::METHODS.iter().find(|known| known.name == method).expect("a method of the table");
    let experiment = experiment::run(job, &mesh, method, &|| ()).unwrap();
    assert_eq!(experiment.deadlock(), None);
    experiment
}

/// Sizes from, to; splits by the size before, barriers, joins by the size after.
const PAPER: [(u32, u32, [f64; 3]); 9] = [
    (2, 2, [66.0, 21.6, 18.3]),
    (4, 4, [104.0, 36.2, 31.6]),
    (7, 8, [144.0, 49.3, 48.9]),
    (13, 16, [187.0, 64.5, 63.7]),
    (25, 32, [220.0, 75.5, 76.0]),
    (49, 64, [239.0, 81.6, 83.7]),
    (97, 128, [246.0, 83.1, 87.8]),
    (161, 192, [242.0, 81.3, 88.6]),
    (256, 256, [202.0, 63.0, 86.0]),
];

const KINDS: [Kind; 3] = [Kind::Split, Kind::Barrier, Kind::Join];

/// Every mean lies within 5 % of the reference, and of what so few repetitions leave open.
fn agrees(experiment: &Experiment, reference: &[(u32, u32, [f64; 3])]) {
    for &(least, most, means) in reference {
        for (kind, expected) in KINDS.into_iter().zip(means) {
            let found = experiment.overhead(kind, |sample| (least..=most).contains(&sample.size));
            let Some(found) = found.filter(|found| found.mean.count > 1) else {
                assert!(experiment.rounds.len() < 1000, "{kind:?} of {least} to {most} members was seen");
                continue;
            };
            let away = (found.mean.mean - expected).abs();
            assert!(
                away <= 0.05 * expected + found.mean.ci95,
                "{kind:?} of {least} to {most} members: {} +- {}, the reference has {expected}",
                found.mean.mean,
                found.mean.ci95
            );
        }
    }
}

#[test]
fn the_paper_s_protocol_takes_what_the_reference_takes() {
    agrees(&run(&job("hilbert", Drawn::Scattered, 40), "paper"), &PAPER);
}

#[test]
#[ignore = "3000 repetitions: a minute"]
fn the_paper_s_protocol_takes_what_the_reference_takes_in_3000_repetitions() {
    let experiment = run(&job("hilbert", Drawn::Scattered, 3000), "paper");
    agrees(&experiment, &PAPER);
    // Splits grow up to about n members, and stay.
    let mean = |least, most| {
        let found = experiment.overhead(Kind::Split, |sample| (least..=most).contains(&sample.size));
        found.unwrap().mean.mean
    };
    assert!(mean(3, 6) < 0.6 * mean(33, 64) && mean(7, 12) < 0.8 * mean(33, 64));
    assert!((mean(65, 255) / mean(33, 64) - 1.0).abs() < 0.05);
}

/// The mean over sizes of the mean of the splits of that size.
fn over_sizes(experiment: &Experiment) -> f64 {
    let rows = experiment.by_size();
    let means: Vec<f64> = rows
        .iter()
        .filter(|row| (17..=255).contains(&row.sizes.0))
        .filter_map(|row| Some(row.split?.mean.mean))
        .collect();
    means.iter().sum::<f64>() / means.len() as f64
}

#[test]
#[ignore = "2000 repetitions: a minute"]
fn row_order_takes_twice_as_long_as_the_curve_on_consecutive_members() {
    let hilbert = over_sizes(&run(&job("hilbert", Drawn::Contiguous, 1000), "paper"));
    let row = over_sizes(&run(&job("row", Drawn::Contiguous, 1000), "paper"));
    let ratio = row / hilbert;
    assert!((ratio - 1.98).abs() <= 0.1, "{row} / {hilbert} = {ratio}");
}

#[test]
fn the_better_splits_keep_to_their_steps() {
    let program = job("hilbert", Drawn::Scattered, 20);
    let most = |experiment: &Experiment, kind| {
        [(33, 64), (65, 128), (129, 255), (256, 256)]
            .into_iter()
            .filter_map(|(least, most)| {
                experiment.overhead(kind, |sample| (least..=most).contains(&sample.size))
            })
            .map(|overhead| overhead.mean.mean)
            .fold(0.0, f64::max)
    };
    let mask = run(&program, "mask/monotone-nearest");
    assert!(most(&mask, Kind::Barrier) <= 33.0 && most(&mask, Kind::Split) <= 53.0);
    assert!(most(&run(&program, "tac"), Kind::Split) <= 80.0);
    let colours = Job { labels: Labels::Drawn { levels: 1, kind: Drawn::Colours(16) }, ..program };
    let split = run(&colours, "mask/monotone-nearest").overhead(Kind::Split, |_| true).unwrap();
    assert!(split.max <= 110, "16 ways in {} steps", split.max);
}

/// Lock-step runs every operation of all groups by itself: another way to the same trees, and to the same messages.
#[test]
fn lock_step_changes_moments_and_nothing_else() {
    let slow = job("hilbert", Drawn::Scattered, 3);
    let free = Job { pace: Pace::Free, ..slow.clone() };
    for method in groups::METHODS {
        let (slow, free) = (run(&slow, method.name), run(&free, method.name));
        assert!(free.cycles() < slow.cycles(), "{}", method.name);
        for (slow, free) in slow.rounds.iter().zip(&free.rounds) {
            assert_eq!(slow.samples.len(), free.samples.len(), "{}", method.name);
            assert_eq!(slow.sent.iter().sum::<u64>(), slow.messages, "what is sent arrives");
            // A message that finds its member at another operation waits there.
            assert_eq!(slow.early_most, 0, "{}: nobody is early in lock-step", method.name);
        }
    }
}

#[test]
fn nobody_in_the_way_is_never_slower_than_the_bound_nor_than_a_barrier_s_two_heights() {
    let mesh = Machine::new("mesh:6x6").unwrap().in_packets();
    let mut program = job("snake", Drawn::Scattered, 2);
    program.alone = true;
    for method in groups::METHODS {
        let experiment = experiment::run(&program, &mesh, method, &|| ()).unwrap();
        assert!(experiment.cycles() >= groups::bound_cycles(&program, &mesh).unwrap());
        let shown = groups::show(&program, &mesh, method).unwrap().expect("no standstill");
        for tree in &shown.trees {
            let barriers = experiment.rounds[0].samples.iter().filter(|sample| {
                (sample.kind, sample.level, sample.size) == (Kind::Barrier, 1, tree.members.len() as u32)
            });
            for barrier in barriers {
                let exact = shown.trees.iter().filter(|other| other.members.len() == tree.members.len());
                let heights: Vec<u64> = exact.map(|tree| 2 * u64::from(tree.height_links)).collect();
                assert!(
                    heights.contains(&barrier.cycles),
                    "{}: {} of {heights:?}",
                    method.name,
                    barrier.cycles
                );
            }
        }
    }
}

/// Every repetition on processes and engines of its own, beside those of an experiment.
struct Anew<'a>(&'a Job, &'a Machine, &'a Experiment);

impl Visitor for Anew<'_> {
    type Output = ();

    fn visit<S: Viewed>(self, scheme: &S) -> Result<()> {
        let Self(job, machine, experiment) = self;
        let group = job.group(machine)?;
        for (number, ran) in (0..).zip(&experiment.rounds) {
            let alone = program::run(scheme, job, machine, &group, &job.round(&group, number))?;
            assert_eq!(format!("{ran:?}"), format!("{alone:?}"), "{number} on {}", machine.name());
        }
        Ok(())
    }
}

/// Members and routers are used again by the next repetition; nothing of the one before may be left in them.
#[test]
fn repetitions_know_nothing_of_each_other() {
    let flat = ["packet", "three-phase"];
    for (name, buffers) in [("mesh:4x4", 1), ("torus:4x4", 4)] {
        let machine = Machine::new(name).unwrap().in_packets().with_buffers(buffers);
        for (engine, pace) in
            ENGINES.iter().flat_map(|engine| [(engine, Pace::Free), (engine, Pace::Lockstep)])
        {
            if name.starts_with("torus") && matches!(engine.1, groups::Engine::Unbounded(_)) {
                continue;
            }
            let methods = groups::METHODS.iter().take(if flat.contains(&engine.0) { usize::MAX } else { 1 });
            for method in methods {
                let job = Job { engine: engine.1, pace, ..job("snake", Drawn::Scattered, 5) };
                let experiment = experiment::run(&job, &machine, method, &|| ()).unwrap();
                method.apply(&job, &machine, Anew(&job, &machine, &experiment)).unwrap();
            }
        }
    }
}
