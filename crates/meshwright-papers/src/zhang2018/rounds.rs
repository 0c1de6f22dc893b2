//! Sections 3.1.5, 4.1.5 and 5.2.3: what the thesis reports of random sources, on average.

use super::cells::{random, run, with};
use super::{CORRECTED, HOLDS, NOT_CHECKABLE, Study};
use crate::Claim;
use crate::check::{Check, Derivation, Numbers};
use meshwright_core::error::Result;
use meshwright_core::statistics::{Estimate, estimate};
use meshwright_load::Forwarding::{CutThrough, ModifiedStoreAndForward};
use meshwright_load::Problem;
use meshwright_load::shares::schedulers::{Reduction, SchedulerSettings, Ties};
use meshwright_network::topology::{Machine, distances_from};

/// The claims in the order of the thesis.
pub(super) const CLAIMS: &[Claim<Study>] = &[
    Claim {
        id: "saved-average",
        source: "figure 3.28, section 3.1.5",
        statement: "what RMDVDA saves on the 50x50 mesh, 10 random sources, sigma = 0.01, on average",
        definition: "200 rounds, seed 0: mean and its standard error, for each rule of ties (to the lowest source, to nobody, to all) \
            and each reading of depth_min, none of which Zhang 2018 names",
        printed: "about 40 %",
        fails_if: "Zhang 2018 turns out to name rule and reading; until then, our algorithm 3 and `split` save \
            differently in some round",
        derive: saved_average,
        ..NOT_CHECKABLE
    },
    Claim {
        id: "saved-headline",
        source: "abstract, section 7.1",
        statement: "a task can be finished in the same suboptimal time and yet save processors",
        definition: "the same 200 rounds, layer by layer: mean of what is saved, and whether the makespan is kept",
        printed: "over 30 % (abstract), over 40 % (conclusion)",
        fails_if: "some round loses its makespan, or the mean saved is not above 40 % by 2.6 standard errors",
        derive: saved_headline,
        ..HOLDS
    },
    Claim {
        id: "acceleration",
        source: "sections 3.1.5, 4.1.5",
        statement: "how much faster the slowest cell becomes under ARMDVDA, 50x50 mesh, 10 random sources",
        definition: "200 rounds, seed 0, sigma = 0.01, freed nodes merged until no free one touches the slowest cell: mean of the gains, \
            and gain of the mean speedups; Zhang 2018 names neither average nor the sources of its figures",
        printed: "about 20 % (VCT) and 10 % (S&F)",
        fails_if: "Zhang 2018 turns out to name average or sources; until then, merging free nodes gains less than \
            10 % (50 % layer by layer) on average",
        derive: acceleration,
        ..NOT_CHECKABLE
    },
    Claim {
        id: "figure-5.15",
        source: "figure 5.15",
        statement: "ratio of the fastest to the slowest cell on the 50x50 torus from sigma = 0.4 on, 10 random sources",
        definition: "100 rounds, seed 0: mean of the ratio",
        printed: "about 1 (read as at most 1.1)",
        fails_if: "the mean ratio is at most 1.1 from sigma = 0.4 on, or not that of the corrected form",
        correct: Some("1.6 at sigma = 0.4, 1.4 at 0.5, 1.1 at 0.9"),
        errata: Some("Z26"),
        derive: slow_links,
        ..CORRECTED
    },
];

/// Rounds of the dearest of these experiments.
const ROUNDS_ACCELERATED: u32 = 200;

/// Mean and standard error of some numbers.
fn mean(values: &[f64]) -> (f64, f64) {
    let Estimate { count, mean, deviation, .. } = estimate(values);
    (mean, deviation / (count as f64).sqrt())
}

/// Whose a node is that is equally near to several sources.
const RULES: [(Ties, &str); 3] =
    [(Ties::Lowest, "to the lowest source"), (Ties::Nobody, "to nobody"), (Ties::Both, "to all of them")];

/// The readings of depth_min that are compared.
const READINGS: [Reduction; 3] = [Reduction::Literal, Reduction::LiteralMin, Reduction::Peel];

/// sigma of these experiments.
const SIGMA: f64 = 0.01;

/// 1 / alpha_0 of a cell with these layers, virtual cut-through.
fn speedup_of(layers: &[u32]) -> f64 {
    let load = |layer: usize| (1.0 - SIGMA).powi(layer.saturating_sub(1) as i32);
    layers.iter().enumerate().map(|(layer, &many)| f64::from(many) * load(layer)).sum()
}

/// How many outer layers a cell may lose and stay at least this fast.
fn needed(layers: &[u32], least: f64) -> usize {
    (1..=layers.len()).find(|&kept| speedup_of(&layers[..kept]) >= least).unwrap_or(layers.len()) - 1
}

/// The share of processors that RMDVDA frees under a rule of ties; algorithm 3 word by word.
fn saved(distances: &[Vec<u32>], ties: Ties, reduction: Reduction) -> f64 {
    let nodes = distances[0].len();
    let owners = |node: usize| -> Vec<usize> {
        let nearest = distances.iter().map(|from| from[node]).min().unwrap_or(0);
        let mut owners: Vec<usize> =
            (0..distances.len()).filter(|&source| distances[source][node] == nearest).collect();
        match ties {
            Ties::Lowest => owners.truncate(1),
            Ties::Nobody if owners.len() > 1 => owners.clear(),
            Ties::Nobody | Ties::Both => {}
        }
        owners
    };
    let owners: Vec<Vec<usize>> = (0..nodes).map(owners).collect();
    let mut layers = vec![Vec::new(); distances.len()];
    for (node, owners) in owners.iter().enumerate() {
        for &owner in owners {
            let (depth, cell): (_, &mut Vec<u32>) = (distances[owner][node] as usize, &mut layers[owner]);
            cell.resize(cell.len().max(depth + 1), 0);
            cell[depth] += 1;
        }
    }
    let speedups: Vec<f64> = layers.iter().map(|cell| speedup_of(cell)).collect();
    let slowest = (0..layers.len()).min_by(|&a, &b| speedups[a].total_cmp(&speedups[b])).unwrap_or(0);
    let smallest = layers.iter().map(Vec::len).min().unwrap_or(1) - 1;
    let depths: Vec<usize> = layers
        .iter()
        .map(|cell| match reduction {
            Reduction::Literal => layers[slowest].len() - 1,
            Reduction::LiteralMin => smallest,
            Reduction::Peel | Reduction::Node => needed(cell, speedups[slowest]),
        })
        .collect();
    let stays =
        |node: &usize| owners[*node].iter().any(|&owner| distances[owner][*node] as usize <= depths[owner]);
    1.0 - (0..nodes).filter(stays).count() as f64 / nodes as f64
}

fn saved_average(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let mut numbers = Numbers::new(&["ties", "depth_min", "saved, mean", "standard error"]);
    let machine = Machine::new("mesh:50x50")?;
    let (mut rounds, mut agree) = (Vec::new(), Vec::new());
    for round in 0..200 {
        let sources = random(&machine, 10, round);
        rounds.push(sources.iter().map(|source| distances_from(&machine, source.node)).collect::<Vec<_>>());
    }
    for (ties, rule) in RULES {
        for reduction in READINGS {
            let shares: Vec<f64> = rounds.iter().map(|distances| saved(distances, ties, reduction)).collect();
            let (mean, error) = mean(&shares);
            let shown = [mean, error].map(|share| format!("{:.1} %", 100.0 * share));
            numbers.row(&[&rule, &reduction.name(), &shown[0], &shown[1]]);
            agree.push((mean - 0.40).abs() <= 2.6 * error);
            // The planner has these rules of ties, too: round by round the same.
            let settings = SchedulerSettings { ties, reduction, ..SchedulerSettings::default() };
            for (round, share) in (0u32..).zip(&shares) {
                let problem = Problem::new(&machine, random(&machine, 10, round), SIGMA)?;
                let planned = with("reduced", &problem, CutThrough, &settings)?.saved_share;
                check.case((planned - share).abs() < 1e-9, || {
                    let reduction = reduction.name();
                    format!("{rule}, {reduction}, round {round}: {share:.4} by hand, {planned:.4} by `split`")
                });
            }
        }
    }
    // Were all readings for it or all against it, there would be a verdict.
    let some = agree.contains(&true) && agree.contains(&false);
    check.case(some, || format!("readings within 2.6 standard errors of 40 %: {agree:?}"));
    let note = "The mean depends on two things Zhang 2018 leaves open: from 23 % to 38 % as algorithm 3 is printed, where only the \
                smallest radius with ties to nobody agrees with 40 %; layer by layer, which alone keeps the makespan, 58 % or more.";
    let range = "200 rounds, seed 0, three rules of ties by three readings; each against `split`";
    Ok(Derivation::of(range, check).numbers(numbers).note(note))
}

fn saved_headline(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let machine = Machine::new("mesh:50x50")?;
    let mut shares = Vec::new();
    for round in 0..200 {
        let problem = Problem::new(&machine, random(&machine, 10, round), SIGMA)?;
        let before = run("voronoi", &problem, CutThrough, Reduction::Peel, true)?.plan.makespan;
        let after = run("reduced", &problem, CutThrough, Reduction::Peel, true)?;
        let kept = after.plan.makespan <= before * (1.0 + 1e-12);
        check
            .case(kept, || format!("round {round}: makespan {before:.6} becomes {:.6}", after.plan.makespan));
        shares.push(after.saved_share);
    }
    let (mean, error) = mean(&shares);
    check.case(mean - 2.6 * error > 0.40, || format!("{:.1} % +- {:.1}", 100.0 * mean, 100.0 * error));
    let note = format!(
        "{:.1} +- {:.1} % layer by layer, as the prose of algorithm 3 has it. With depth_min as printed it is less, and the makespan \
         grows in some rounds: saved-average, depth-min.",
        100.0 * mean,
        100.0 * error
    );
    Ok(Derivation::of("200 rounds, seed 0", check).note(note))
}

fn acceleration(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let columns = ["forwarding", "reduction", "mean of gains", "standard error", "gain of means"];
    let mut numbers = Numbers::new(&columns);
    let machine = Machine::new("mesh:50x50")?;
    for forwarding in [CutThrough, ModifiedStoreAndForward] {
        for reduction in [Reduction::Literal, Reduction::Peel] {
            let (mut before, mut after, mut gains) = (0.0, 0.0, Vec::new());
            for round in 0..ROUNDS_ACCELERATED {
                let problem = Problem::new(&machine, random(&machine, 10, round), SIGMA)?;
                let speedup = |method| -> Result<f64> {
                    Ok(run(method, &problem, forwarding, reduction, true)?.plan.speedup())
                };
                let (plain, accelerated) = (speedup("voronoi")?, speedup("accelerated")?);
                before += plain;
                after += accelerated;
                gains.push(accelerated / plain - 1.0);
            }
            let ((mean, error), of_means) = (mean(&gains), after / before - 1.0);
            let percent = |share: f64| format!("{:.1} %", 100.0 * share);
            let words = || format!("{}, {}: {}", forwarding.name(), reduction.name(), percent(of_means));
            // Merging free nodes into the slowest cell must pay on average, and far more where more are free.
            check.case(of_means > if reduction == Reduction::Peel { 0.5 } else { 0.1 }, words);
            check.case(mean > 0.0 && gains.iter().all(|gain| gain.is_finite()), words);
            numbers.row(&[
                &forwarding.name(),
                &reduction.name(),
                &percent(mean),
                &percent(error),
                &percent(of_means),
            ]);
        }
    }
    let note = "The mean of gains has so wide an error that it agrees with both figures, within 2.6 standard errors, and at this sigma it \
                is the same under either forwarding; the gain of the means is 13 %. Both with depth_min as printed. Single rounds with a very small cell gain many times as much.";
    Ok(Derivation::of("200 rounds, seed 0", check).numbers(numbers).note(note))
}

fn slow_links(_: &Study) -> Result<Derivation> {
    let (mut printed, mut corrected) = (Check::default(), Check::default());
    let mut numbers = Numbers::new(&["sigma", "mean ratio", "standard error"]);
    let machine = Machine::new("torus:50x50")?;
    for (sigma, right) in [(0.4, 1.6), (0.5, 1.4), (0.9, 1.1)] {
        let mut ratios = Vec::new();
        for round in 0..100 {
            let problem = Problem::new(&machine, random(&machine, 10, round), sigma)?;
            let speedups: Vec<f64> = run("voronoi", &problem, CutThrough, Reduction::Peel, true)?
                .cells
                .iter()
                .map(|cell| cell.speedup)
                .collect();
            let (least, most) = speedups.iter().fold((f64::MAX, 0.0f64), |(l, m), &s| (l.min(s), m.max(s)));
            ratios.push(most / least);
        }
        let (mean, error) = mean(&ratios);
        let words = || format!("sigma = {sigma}: {mean:.3} +- {error:.3}");
        printed.case(mean <= 1.1, words);
        corrected.case((mean - right).abs() <= 0.05 + 2.6 * error, words);
        numbers.row(&[&sigma, &format!("{mean:.3}"), &format!("{error:.3}")]);
    }
    Ok(Derivation::of("100 rounds, seed 0", printed).corrected(corrected).numbers(numbers))
}
