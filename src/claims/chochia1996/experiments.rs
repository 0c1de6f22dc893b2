//! Section 5: what the simulated executions show.

use std::cell::OnceCell;

use super::{CORRECTED, HOLDS, Study};
use crate::claims::Claim;
use crate::claims::check::{Check, Derivation, Numbers};
use crate::error::Result;
use crate::topology::Machine;
use crate::verdict::groups::experiment::{self, Experiment};
use crate::verdict::groups::program::Kind;
use crate::verdict::groups::{Drawn, Job, Labels, Pace, methods};

pub(super) const CLAIMS: &[Claim<Study>] = &[
    Claim {
        id: "figure-4-split",
        source: "Section 5, figure 4, curves 1 and 3",
        statement: "How long a split takes depends on the size of the group only while it is small",
        definition: "mean steps of splits on 16 x 16, four levels of random labels, by the size before the split",
        printed: "it grows for s < n and stays nearly constant beyond: within a quarter",
        fails_if: "mean steps do not grow for s < n, or leave 0.8 to 1.25 times those of 17 to 40 nodes beyond",
        derive: figure_4_split,
        ..HOLDS
    },
    Claim {
        id: "figure-4-barrier",
        source: "Section 5, figure 4, curves 2 and 4",
        statement: "Barriers behave alike and take less",
        definition: "mean steps of barriers in the same runs, against those of splits of groups of the same size",
        printed: "they take less, grow for s < n and stay nearly constant beyond",
        fails_if: "barriers do not grow for s < n, do not stay beyond, or take as long as splits in a class of sizes",
        derive: figure_4_barrier,
        ..HOLDS
    },
    Claim {
        id: "figure-5",
        source: "Section 5, figure 5",
        statement: "Splits of consecutive nodes take almost twice as long in row-major order",
        definition: "mean steps of splits of groups of 17 to 255 consecutive nodes, sizes counted alike, row order over Hilbert order",
        printed: "a factor of 1.8 to 2.2",
        fails_if: "row order over Hilbert order is below 1.8 or above 2.2",
        derive: figure_5,
        ..HOLDS
    },
    Claim {
        id: "figure-5-whole-mesh",
        source: "Section 5, figure 5",
        statement: "The same for groups of every size",
        definition: "as for figure-5, the whole mesh alone",
        printed: "row order takes longer",
        fails_if: "row order takes longer on the whole mesh too, or less for 17 to 255 nodes",
        correct: Some(
            "of the whole mesh row order takes less: its tree is aligned with the sides; of 17 nodes and more it takes longer",
        ),
        errata: Some("G18"),
        derive: figure_5_whole_mesh,
        ..CORRECTED
    },
];

/// Repetitions of an experiment: enough for the statements, a tenth of a second in all.
const REPEAT: u32 = 48;

/// An experiment of the paper on 16 x 16, run once for all claims.
fn once<'s>(cell: &'s OnceCell<Experiment>, order: &str, kind: Drawn) -> Result<&'s Experiment> {
    if let Some(experiment) = cell.get() {
        return Ok(experiment);
    }
    let mesh = Machine::new("mesh:16x16")?.in_packets();
    let mut job = Job::new(order, Labels::Drawn { levels: 4, kind });
    (job.repeat, job.pace) = (REPEAT, Pace::Lockstep);
    let experiment = experiment::run(&job, &mesh, methods(Some("paper"), None)?[0], &|| ())?;
    Ok(cell.get_or_init(|| experiment))
}

/// Experiments 1 and 2: random labels, Hilbert order.
fn scattered(study: &Study) -> Result<&Experiment> {
    once(&study.scattered, "hilbert", Drawn::Scattered)
}

/// Sizes in five classes: two below n = 16, three above.
const CLASSES: [(u32, u32); 5] = [(3, 6), (7, 14), (17, 40), (41, 100), (101, 255)];

/// Mean and largest of each class.
fn means(experiment: &Experiment, kind: Kind) -> [(f64, u64); 5] {
    CLASSES.map(|(least, most)| {
        let found = experiment.overhead(kind, |sample| (least..=most).contains(&sample.size));
        found.map_or((0.0, 0), |overhead| (overhead.mean.mean, overhead.max))
    })
}

fn classes(means: &[(f64, u64); 5]) -> Numbers {
    let mut numbers = Numbers::new(&["s", "mean steps", "most"]);
    for ((least, most), (mean, max)) in CLASSES.iter().zip(means) {
        numbers.row(&[&format!("{least} to {most}"), &format!("{mean:.1}"), max]);
    }
    numbers
}

/// Growth below n, and the same within a quarter above.
fn grows_then_stays(means: &[(f64, u64); 5], check: &mut Check) {
    for pair in means[..3].windows(2) {
        check.case(pair[0].0 < pair[1].0, || format!("{:.1}, then {:.1}", pair[0].0, pair[1].0));
    }
    for later in &means[3..] {
        let ratio = later.0 / means[2].0;
        check.case((0.8..=1.25).contains(&ratio), || format!("{:.1}, then {:.1}", means[2].0, later.0));
    }
}

fn range() -> String {
    format!("{REPEAT} repetitions, seed 0; `groups mesh:16x16 --repeat 3000` draws more")
}

fn figure_4_split(study: &Study) -> Result<Derivation> {
    let means = means(scattered(study)?, Kind::Split);
    let mut check = Check::default();
    grows_then_stays(&means, &mut check);
    Ok(Derivation::of(range(), check).numbers(classes(&means)))
}

fn figure_4_barrier(study: &Study) -> Result<Derivation> {
    let experiment = scattered(study)?;
    let (splits, barriers) = (means(experiment, Kind::Split), means(experiment, Kind::Barrier));
    let mut check = Check::default();
    grows_then_stays(&barriers, &mut check);
    for (split, barrier) in splits.iter().zip(&barriers) {
        check.case(barrier.0 < split.0, || {
            format!("a barrier takes {:.1}, a split {:.1}", barrier.0, split.0)
        });
    }
    Ok(Derivation::of(range(), check).numbers(classes(&barriers)))
}

/// Mean steps of splits, row order and Hilbert order: the mean of these classes of sizes, each counted alike.
fn both(study: &Study, classes: &[(u32, u32)]) -> Result<(f64, f64)> {
    let mean = |cell, order| -> Result<f64> {
        let found = once(cell, order, Drawn::Contiguous)?;
        let of = |&(least, most): &(u32, u32)| {
            let overhead = found.overhead(Kind::Split, |sample| (least..=most).contains(&sample.size));
            overhead.expect("some groups have these sizes").mean.mean
        };
        Ok(classes.iter().map(of).sum::<f64>() / classes.len() as f64)
    };
    let [row, hilbert] = &study.consecutive;
    Ok((mean(row, "row")?, mean(hilbert, "hilbert")?))
}

/// The sizes from 17 to 255 in classes as wide as each other.
fn even_classes() -> Vec<(u32, u32)> {
    (0..10).map(|class| (17 + 24 * class, (40 + 24 * class).min(255))).collect()
}

fn figure_5(study: &Study) -> Result<Derivation> {
    let (row, hilbert) = both(study, &even_classes())?;
    let mut check = Check::default();
    check.case((1.8..=2.2).contains(&(row / hilbert)), || format!("{row:.1} / {hilbert:.1}"));
    let note = format!("{row:.1} / {hilbert:.1} = {:.2}.", row / hilbert);
    Ok(Derivation::of(range(), check).note(note))
}

fn figure_5_whole_mesh(study: &Study) -> Result<Derivation> {
    let (row, hilbert) = both(study, &[(256, 256)])?;
    let (mut printed, mut corrected) = (Check::default(), Check::default());
    printed.case(row > hilbert, || format!("s = 256: row order takes {row:.1}, Hilbert order {hilbert:.1}"));
    corrected
        .case(row < hilbert, || format!("s = 256: row order takes {row:.1}, Hilbert order {hilbert:.1}"));
    let (row, hilbert) = both(study, &even_classes())?;
    corrected.case(row > hilbert, || format!("17 to 255: {row:.1} and {hilbert:.1}"));
    let note = "The paper speaks of the figure as a whole and does not single out its last point.";
    Ok(Derivation::of(range(), printed).corrected(corrected).note(note))
}
