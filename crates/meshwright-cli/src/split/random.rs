//! `meshwright split --random-sources`: averages over sources drawn at random.

use std::sync::Mutex;

use meshwright_core::Result;
use meshwright_core::output as disk;
use meshwright_core::statistics::Estimate;
use meshwright_formats::json::SeriesForm;
use meshwright_load::shares::experiment::{AgainstOptimum, Averages, Experiment, OfReduction};
use meshwright_load::shares::schedulers::Ties;
use meshwright_report::{File, Map, NamedCurve, SeriesPage, SeriesTable, overlaid};
use meshwright_verdict::load::{self, RandomAnswer};

use super::SplitArguments;
use crate::csv::{self, Column, column_list, known};
use crate::output::Progress;
use crate::{Answer, files, output, table};
use meshwright_core::words::counted;

/// What came of one machine, number of sources and sigma.
struct Draws {
    values: Vec<(&'static str, f64)>,
    answer: RandomAnswer,
}

/// Runs the experiments that the options ask for, and tells what came of them.
pub(super) fn run(arguments: &SplitArguments, names: &[String], sigmas: &[f64]) -> Result<Answer> {
    let counts = arguments.counts()?;
    let named = disk::NamedJob::new("split", [arguments.machine.named().to_string()]);
    arguments.csv.check()?;
    files::check(arguments.out.as_ref(), arguments.force, &named)?;
    let mut draws = Vec::new();
    for name in names {
        let machine = arguments.machine.read_as(name)?;
        for &sources in &counts {
            for &sigma in sigmas {
                let experiment = Experiment {
                    machine: &machine,
                    sources,
                    rounds: arguments.repeat.unwrap_or(100),
                    accelerated_rounds: 0,
                    seed: arguments.seed.unwrap_or(0),
                    sigmas: vec![sigma],
                    forwardings: arguments.forwardings()?,
                    ties: arguments.rules.ties.unwrap_or(Ties::Lowest),
                };
                let varies = [
                    ("nodes", f64::from(machine.living_count()), names.len()),
                    ("sources", f64::from(sources), counts.len()),
                    ("sigma", sigma, sigmas.len()),
                ];
                let varies = varies.into_iter().filter(|(.., many)| *many > 1);
                let values = varies.map(|(key, value, _)| (key, value)).collect();
                draws.push(Draws { values, answer: drawn(&experiment)? });
            }
        }
    }
    let json = match &draws[..] {
        [one] => output::json(&one.answer),
        several => {
            let values = |draws: &Draws| -> Vec<(String, serde_json::Value)> {
                draws.values.iter().map(|(key, value)| ((*key).to_string(), (*value).into())).collect()
            };
            let forms = several.iter().map(|draws| (values(draws), &draws.answer)).collect();
            output::json(&SeriesForm::new(arguments.machine.named(), forms))
        }
    };
    let of_folder = || {
        let mut all = arguments.png.with(of_folder(arguments.machine.named(), &draws));
        all.push(files::file("split.json", "the answers for scripts", json.clone()));
        Ok(all)
    };
    let folder = arguments.out.as_deref().map(|folder| (folder, &named));
    let written = files::write_all(arguments.force, folder, of_folder, (&arguments.csv, &|| csv(&draws)))?;
    output::say(
        arguments.json.then(|| json.clone()),
        || draws.iter().map(|draws| line(&draws.answer)).collect::<Vec<_>>().join("\n"),
        || draws.iter().map(|draws| text(&draws.answer)).collect::<Vec<_>>().join("\n") + &written,
    )?;
    Ok(Answer::Done)
}

/// Runs an experiment with a bar for the waiting.
fn drawn(experiment: &Experiment<'_>) -> Result<RandomAnswer> {
    let rounds =
        u64::from(experiment.rounds) + u64::from(load::long_rounds(experiment.rounds, experiment.machine));
    let progress = Mutex::new(Progress::with_steps(rounds));
    load::random(experiment, &|| {
        if let Ok(mut progress) = progress.lock() {
            progress.step("rounds");
        }
    })
}

/// A reduction under one forwarding with what it is part of.
type Row<'r> = (&'r RandomAnswer, &'r Averages, &'r OfReduction);

/// The columns of `--csv`: one row for each reduction under each forwarding.
pub(crate) fn columns<'r>() -> Vec<Column<Row<'r>>> {
    column_list![
        "machine", "the machine", |(answer, ..)| answer.machine.clone();
        "sources", "how many nodes are sources", |(answer, ..)| answer.sources.to_string();
        "sigma", "time of a load on a link over its time on a processor", |(_, average, _)| average.sigma.to_string();
        "switching", "how shares pass the nodes on their way", |(_, average, _)| average.forwarding.name().to_string();
        "reduction", "which processors a cell gives up", |(.., row)| row.reduction.name().to_string();
        "rounds", "how often sources were drawn", |(answer, ..)| answer.rounds.to_string();
        "saved_share", "mean share of the machine that is left idle", |(.., row)| row.saved_share.mean.to_string();
        "saved_share_ci95", "half the width of its 95 % confidence interval", |(.., row)| row.saved_share.ci95.to_string();
        "broken_share", "share of the rounds in which the makespan grew", |(.., row)| row.broken_share.to_string();
        "gain", "mean of what acceleration adds to the speedup, as a share of it", |(.., row)| row.gain.mean.to_string();
        "gain_ci95", "half the width of its 95 % confidence interval", |(.., row)| row.gain.ci95.to_string();
        "gain_of_means", "mean speedup after over mean before, less 1", |(.., row)| row.gain_of_means.to_string();
        "optimum_speedup", "mean of the optimum, cut-through", |(answer, ..)| known(optimum(answer).map(|row| row.optimum.mean));
        "optimum_speedup_ci95", "half the width of its 95 % confidence interval", |(answer, ..)| known(optimum(answer).map(|row| row.optimum.ci95));
        "needed_nodes", "mean of the fewest processors that can reach the optimum's speedup", |(answer, ..)| known(optimum(answer).map(|row| row.needed_nodes.mean));
    ]
}

fn optimum(answer: &RandomAnswer) -> Option<&AgainstOptimum> {
    answer.against_optimum.first()
}

fn csv(draws: &[Draws]) -> String {
    let rows = draws.iter().flat_map(|draws| {
        let answer = &draws.answer;
        answer
            .averages
            .iter()
            .flat_map(move |average| average.reductions.iter().map(move |row| (answer, average, row)))
    });
    csv::table(&[], &columns(), rows.map(|row| (Vec::new(), row)))
}

/// A page with curves of what is saved and gained, with intervals.
fn of_folder(machine: &str, draws: &[Draws]) -> Vec<File> {
    let over = draws[0].values.last().map_or("sigma", |(key, _)| *key);
    let most = draws.iter().flat_map(|draws| &draws.answer.averages).flat_map(|average| &average.reductions);
    let most = most.map(|row| row.saved_share.mean).fold(0.0, f64::max);
    let rounds = counted(draws[0].answer.rounds.into(), "round");
    const HEAD: [&str; 7] =
        ["machine", "sources", "sigma", "switching", "reduction", "saved", "accelerated by"];
    let rows = draws.iter().flat_map(|draws| {
        draws.answer.averages.iter().flat_map(move |average| {
            average.reductions.iter().map(move |row| {
                vec![
                    draws.answer.machine.clone(),
                    draws.answer.sources.to_string(),
                    average.sigma.to_string(),
                    average.forwarding.name().to_string(),
                    row.reduction.name().to_string(),
                    percent(&row.saved_share),
                    percent(&row.gain),
                ]
            })
        })
    });
    let gains = curves(draws, |row| &row.gain);
    let page = SeriesPage {
        title: &format!("Sources at random on {machine}"),
        machine,
        facts: vec![
            ("Machine", machine.to_string()),
            ("Rounds", draws[0].answer.rounds.to_string()),
            ("Seed", draws[0].answer.seed.to_string()),
        ],
        over: "Processors that reduction saves",
        headline: &format!("Up to {:.1} % of the processors are saved on average", 100.0 * most),
        notes: vec![format!("Means of {rounds} with 95 % intervals")],
        axes: [over, "saved, % of the processors"],
        most: None,
        is_doubling: false,
        maps: vec![Map {
            file: "gain.svg",
            title: "What acceleration adds to the speedup".to_string(),
            svg: overlaid([over, "gain, %"], &gains),
        }],
        curves: curves(draws, |row| &row.saved_share),
        table: SeriesTable { words: 5, head: HEAD.map(str::to_string).to_vec(), rows: rows.collect() },
    };
    page.files("saved.svg")
}

/// A curve for each reduction under each forwarding, and for each value of the options that vary but the last.
fn curves(draws: &[Draws], of: fn(&OfReduction) -> &Estimate) -> Vec<NamedCurve> {
    let mut curves: Vec<NamedCurve> = Vec::new();
    for Draws { values, answer } in draws {
        for average in &answer.averages {
            let (x, others) =
                values.split_last().map_or((average.sigma, &[][..]), |((_, x), others)| (*x, others));
            let whose: String = others.iter().map(|(key, value)| format!(", {key} {value}")).collect();
            for row in &average.reductions {
                let name = format!("{}, {}{whose}", row.reduction.name(), average.forwarding.name());
                let at = curves.iter().position(|curve| curve.name == name).unwrap_or_else(|| {
                    curves.push(NamedCurve { name: name.clone(), ..NamedCurve::default() });
                    curves.len() - 1
                });
                let estimate = of(row);
                let half = if estimate.ci95.is_finite() { estimate.ci95 } else { 0.0 };
                curves[at].points.push((x, 100.0 * estimate.mean));
                curves[at].spread.push(100.0 * half);
                curves[at].tips.push(format!("{name}: {} at {x}", percent(estimate)));
            }
        }
    }
    curves
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
