//! `meshwright split --random-sources`: averages over sources drawn at random.

use std::sync::Mutex;

use meshwright_core::Result;
use meshwright_core::statistics::Estimate;
use meshwright_load::shares::experiment::Experiment;
use meshwright_verdict::load::{self, RandomAnswer};

use super::output::Progress;
use super::table;
use meshwright_core::words::counted;

/// Runs an experiment with a bar for the waiting.
pub(super) fn run(experiment: &Experiment<'_>) -> Result<RandomAnswer> {
    let rounds =
        u64::from(experiment.rounds) + u64::from(load::long_rounds(experiment.rounds, experiment.machine));
    let progress = Mutex::new(Progress::with_steps(rounds));
    load::random(experiment, &|| {
        if let Ok(mut progress) = progress.lock() {
            progress.step("rounds");
        }
    })
}

/// How many sources and rounds there were, and what the first schedule saved, in one line.
pub(super) fn line(answer: &RandomAnswer) -> String {
    let row = answer.averages.first().and_then(|average| average.reductions.first());
    let saved = row.map_or(String::new(), |row| {
        format!(": {} leaves {} of the nodes idle", row.reduction.name(), percent(&row.saved_share))
    });
    let rounds = counted(answer.rounds as u64, "round");
    format!("{} at random, {rounds}{saved}", counted(answer.sources as u64, "source"))
}

/// The tables.
pub(super) fn text(answer: &RandomAnswer) -> String {
    const HEAD: [&str; 5] = ["switching", "reduction", "saved", "makespan broken", "accelerated by"];
    let mut rows = Vec::new();
    for average in &answer.averages {
        for row in &average.reductions {
            rows.push(vec![
                average.forwarding.name().to_string(),
                row.reduction.name().to_string(),
                percent(&row.saved_share),
                table::percent(row.broken_share),
                percent(&row.gain),
            ]);
        }
    }
    let sigma = answer.averages.first().map_or(0.0, |average| average.sigma);
    let mut text = format!(
        "{} at random on {} · sigma {sigma} · {} · seed {}\n",
        counted(answer.sources as u64, "source"),
        answer.machine,
        counted(answer.rounds as u64, "round"),
        answer.seed
    );
    text += &table::table(&HEAD, 2, rows);
    text += "saved: nodes that RMDVDA leaves idle · accelerated by: what ARMDVDA adds to the speedup of the cells\n";
    for row in &answer.against_optimum {
        text += &format!("\nfirst {} rounds, cut-through, means with 95 % intervals\n", answer.long_rounds);
        const HEAD: [&str; 3] = ["", "speedup", "nodes"];
        let line = |name: &str, speedup: &Estimate, nodes: Option<&Estimate>| {
            vec![name.to_string(), interval(speedup), nodes.map_or_else(String::new, interval)]
        };
        let lines = vec![
            line("optimum", &row.optimum, Some(&row.needed_nodes)),
            line("best within the cells of voronoi", &row.within_voronoi, None),
            line("best within the cells of reduced", &row.within_reduced, Some(&row.reduced_nodes)),
            line(
                "best within the cells of accelerated",
                &row.within_accelerated,
                Some(&row.accelerated_nodes),
            ),
            line("claimed by voronoi", &row.claimed_voronoi, None),
            line("claimed by accelerated", &row.claimed_accelerated, None),
            line("most that Zhang 2018 could claim", &row.claimed_partition, None),
        ];
        text += &table::table(&HEAD, 1, lines);
        text += &format!(
            "optimum over best within the cells of voronoi: {}; claim of voronoi over optimum: {}, at most {}\n",
            interval(&row.optimum_over_voronoi),
            interval(&row.claim_over_optimum),
            table::number(row.claim_over_optimum_max, 3)
        );
    }
    text
}

/// A mean with its interval, as far as there is one.
fn interval(estimate: &Estimate) -> String {
    match estimate.ci95.is_finite() {
        true => format!("{} ± {}", table::number(estimate.mean, 2), table::number(estimate.ci95, 2)),
        false => table::number(estimate.mean, 2),
    }
}

/// The same as percentages.
fn percent(estimate: &Estimate) -> String {
    let [mean, half] = [estimate.mean, estimate.ci95].map(|share| format!("{:.1}", 100.0 * share));
    if estimate.ci95.is_finite() { format!("{mean} ± {half} %") } else { format!("{mean} %") }
}
