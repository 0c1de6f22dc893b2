//! The page of theorem 4 and its two curves, from the runs that are kept.

use std::fmt::Write as _;

use meshwright_core::statistics::{Estimate, estimate};
use meshwright_papers::chochia1996::dynamic::{NETWORKS, Trend};
use meshwright_report::style;
use meshwright_report::svg::chart::{Axis, Chart, Scale, Series, SeriesColour, Stroke};

use super::runs::{Of, Row};

/// The largest side that constants are fitted on; what is beyond is held out.
const FITTED: u32 = 128;

/// How steps could grow with n: a name, and the function whose constant is fitted.
type Growth = (&'static str, fn(f64) -> f64);

const GROWTHS: [Growth; 3] = [
    ("c n", |n| n),
    ("c n sqrt(log2 n)", |n| n * libm::log2(n).sqrt()),
    ("c n log2 n", |n| n * libm::log2(n)),
];

const HEAD: &str = "# Theorem 4 as an experiment

All groups of the dynamic context at once: the program of section 5 of the paper (four levels of nested splits by random labels,
barriers in the new groups, joins, every group at its own pace) on n x n nodes in Hilbert order, n = 16 to 512. *Theorem 4* says: a
group of s members is split in O(n log s) steps, with queues of O(log n) packets, with high probability.

`cargo run --release --example theorem_4 -- 512 1` adds the runs of a side and so many seeds to `examples/theorem_4/runs.csv`;
without words it writes this page from them. Steps are exact and do not depend on the machine that counts them.

| network | ways | queues |
|---|---|---|
| xy-4 | along the row, then the column | four packets where a link comes in: the paper's section 5 |
| xy | the same | without bound, one before each link |
| three-phase | to a random row, along it, along the column of the target | the same |

The random row lies within min(d, h) rows of the source, for a way of d links and h = n / log2 n rows, so that a way has at most
3 d links: a routing after Rajasekaran and Tsantilas that keeps locality. The packet on its first leg goes first, then the one with most
links left of its leg. A queue is what stands before one link at once, packets of its own node included. Intervals are 95 % over
seeds; where there is one seed there is none.
";

/// The mean of a measure over the seeds of a network and side.
fn over_seeds(rows: &[Row], (side, network): (u32, &str), of: Of, measure: fn(&Row) -> f64) -> Estimate {
    let here = rows.iter().filter(|row| row.side == side && row.network == network && row.of == of);
    estimate(&here.map(measure).collect::<Vec<_>>())
}

/// A mean with its interval, if it has one.
fn shown(found: Estimate, digits: usize) -> String {
    match found {
        Estimate { count: 0, .. } => "-".into(),
        Estimate { count: 1, mean, .. } => format!("{mean:.digits$}"),
        Estimate { mean, ci95, .. } => format!("{mean:.digits$} ± {ci95:.digits$}"),
    }
}

fn steps_over_side(row: &Row) -> f64 {
    row.mean / f64::from(row.side)
}

fn queue(row: &Row) -> f64 {
    row.queue.map_or(f64::NAN, |queue| queue as f64)
}

/// The sides there are.
fn sides(rows: &[Row]) -> Vec<u32> {
    let mut sides: Vec<u32> = rows.iter().map(|row| row.side).collect();
    sides.sort_unstable();
    sides.dedup();
    sides
}

fn main_table(rows: &[Row]) -> String {
    let mut text = String::from(
        "\n## What was seen\n\nSteps over n: splits of groups of n members and more. Ratio: steps over n log2 s, of all splits of \
         two members and more.\n\n| n | network | seeds | steps / n | mean ratio | largest ratio | longest queue | over log2 n |\n\
         |--:|---|--:|--:|--:|--:|--:|--:|\n",
    );
    for side in sides(rows) {
        for (network, _) in NETWORKS {
            let at = (side, network);
            let all = |measure| over_seeds(rows, at, Of::All, measure);
            let found = all(|row| row.mean_ratio);
            if found.count == 0 {
                continue;
            }
            let of_network = rows.iter().filter(|row| row.side == side && row.network == network);
            let largest = of_network.map(|row| row.most_ratio).fold(0.0, f64::max);
            let (queues, log) = (all(queue), libm::log2(f64::from(side)));
            let (longest, over) = match queues.mean.is_nan() {
                true => ("-".to_string(), "-".to_string()),
                false => (shown(queues, 1), format!("{:.1}", queues.mean / log)),
            };
            let steps = shown(over_seeds(rows, at, Of::Large, steps_over_side), 2);
            writeln!(
                text,
                "| {side} | {network} | {} | {steps} | {} | {largest:.2} | {longest} | {over} |",
                found.count,
                shown(found, 2)
            )
            .expect("text");
        }
    }
    text
}

/// Mean ratio by level and by size, under three phases.
fn kinds_table(rows: &[Row]) -> String {
    let network = NETWORKS[2].0;
    let mut text = String::from(
        "\n## By level and by size\n\nMean steps over n log2 s, three-phase; most in brackets.\n\n| splits | ",
    );
    let sides = sides(rows);
    let heads: Vec<String> = sides.iter().map(|side| format!("n = {side}")).collect();
    writeln!(text, "{} |\n|---|{}", heads.join(" | "), "--:|".repeat(sides.len())).expect("text");
    let mut kinds: Vec<Of> =
        rows.iter().map(|row| row.of).filter(|of| matches!(of, Of::Level(_) | Of::Class(_))).collect();
    kinds.sort_unstable();
    kinds.dedup();
    for of in kinds {
        let cell = |&side: &u32| {
            let found = over_seeds(rows, (side, network), of, |row| row.mean_ratio);
            let here = rows.iter().filter(|row| (row.side, row.network, row.of) == (side, network, of));
            match found.count {
                0 => "-".to_string(),
                _ => format!("{:.2} ({:.2})", found.mean, here.map(|row| row.most_ratio).fold(0.0, f64::max)),
            }
        };
        let name = match of {
            Of::Level(level) => format!("level {level}"),
            Of::Class(log) => format!("s = {} to {}", 1u64 << log, (2u64 << log) - 1),
            _ => continue,
        };
        writeln!(text, "| {name} | {} |", sides.iter().map(cell).collect::<Vec<_>>().join(" | "))
            .expect("text");
    }
    text
}

/// The error of a prediction, in per cent.
fn error(predicted: f64, found: f64) -> String {
    format!("{:+.1} %", 100.0 * (predicted / found - 1.0))
}

/// Constants of three growths, fitted on small sides, against the larger ones.
fn growth_table(rows: &[Row]) -> String {
    let held: Vec<u32> = sides(rows).into_iter().filter(|&side| side > FITTED).collect();
    let mut text = format!(
        "\n## Constants, and what they predict\n\nOne constant for each growth, the mean over all runs up to n = {FITTED}; what it \
         predicts for the sides that were held out, against the mean found there. Steps of splits of n members and more.\n\n\
         | network | growth | c |"
    );
    held.iter().for_each(|side| write!(text, " error at n = {side} |").expect("text"));
    writeln!(text, "\n|---|---|--:|{}", "--:|".repeat(held.len())).expect("text");
    for (network, _) in NETWORKS {
        for (name, growth) in GROWTHS {
            let small =
                rows.iter().filter(|row| row.network == network && row.of == Of::Large && row.side <= FITTED);
            let constant =
                estimate(&small.map(|row| row.mean / growth(f64::from(row.side))).collect::<Vec<_>>());
            write!(text, "| {network} | {name} | {} |", shown(constant, 2)).expect("text");
            for &side in &held {
                let found = over_seeds(rows, (side, network), Of::Large, |row| row.mean);
                let cell = match found.count {
                    0 => "-".into(),
                    _ => error(constant.mean * growth(f64::from(side)), found.mean),
                };
                write!(text, " {cell} |").expect("text");
            }
            text.push('\n');
        }
    }
    text
}

/// The points of the longest queue up to the largest side fitted, by seed; x is log2 n or n.
fn queue_points(rows: &[Row], network: &str, x: fn(f64) -> f64) -> Vec<Vec<(f64, f64)>> {
    let fitted: Vec<u32> = sides(rows).into_iter().filter(|&side| side <= FITTED).collect();
    let of_seed = |seed: u64| {
        let here = rows.iter().filter(|row| {
            row.network == network && row.of == Of::All && row.seed == seed && row.side <= FITTED
        });
        here.filter_map(|row| Some((x(f64::from(row.side)), row.queue? as f64))).collect::<Vec<_>>()
    };
    // Only seeds that have been run on every side.
    (1..=99).map(of_seed).filter(|points| points.len() == fitted.len()).collect()
}

const QUEUE_LAWS: [Growth; 2] = [("a + b log2 n", |n| libm::log2(n)), ("a + b n", |n| n)];

fn queue_table(rows: &[Row]) -> String {
    let held: Vec<u32> = sides(rows).into_iter().filter(|&side| side > FITTED).collect();
    let mut text = format!(
        "\nThe longest queue: a line for each seed through n = 16 to {FITTED}, in log2 n and, as a rival, in n.\n\n| network | law | a | b |"
    );
    held.iter().for_each(|side| write!(text, " found at n = {side} | predicted |").expect("text"));
    writeln!(text, "\n|---|---|--:|--:|{}", "--:|--:|".repeat(held.len())).expect("text");
    for (network, _) in &NETWORKS[1..] {
        for (name, x) in QUEUE_LAWS {
            let trend = Trend::of(&queue_points(rows, network, x));
            write!(
                text,
                "| {network} | {name} | {} | {} |",
                shown(trend.intercept, 2),
                shown(trend.slope, 3)
            )
            .expect("text");
            for &side in &held {
                let found = over_seeds(rows, (side, network), Of::All, queue);
                let predicted = trend.at(x(f64::from(side)));
                write!(text, " {} | {predicted:.1} ({}) |", shown(found, 1), error(predicted, found.mean))
                    .expect("text");
            }
            text.push('\n');
        }
    }
    text
}

/// A curve of a measure for every network that has it, and the law that was fitted, dashed.
fn curves(
    rows: &[Row],
    of: Of,
    measure: fn(&Row) -> f64,
    law: &dyn Fn(&str, f64) -> Option<f64>,
) -> Vec<Series> {
    let mut series = Vec::new();
    for (hue, (network, _)) in NETWORKS.into_iter().enumerate() {
        let (mut points, mut spread, mut fitted) = (Vec::new(), Vec::new(), Vec::new());
        for side in sides(rows) {
            let found = over_seeds(rows, (side, network), of, measure);
            if found.count > 0 && found.mean.is_finite() {
                points.push((f64::from(side), found.mean));
                spread.push(Some(found.ci95).filter(|half| half.is_finite()).unwrap_or(0.0));
            }
            fitted.extend(law(network, f64::from(side)).map(|value| (f64::from(side), value)));
        }
        if points.is_empty() {
            continue;
        }
        let ink = SeriesColour::Hue(hue);
        series.push(Series { spread, ..Series::curve(network, ink, points) });
        if !fitted.is_empty() {
            series.push(
                Series::curve(format!("{network}, fitted to n = {FITTED}"), ink, fitted)
                    .stroked(Stroke::Dashed),
            );
        }
    }
    series
}

fn chart(rows: &[Row], label: &str, title: &str, series: Vec<Series>) -> String {
    let ends = sides(rows);
    let exponents =
        [ends.first(), ends.last()].map(|side| libm::log2(f64::from(*side.expect("there are runs"))));
    let values: Vec<f64> = series.iter().flat_map(|one| one.points.iter().map(|point| point.1)).collect();
    let chart = Chart {
        label: label.into(),
        x: Axis { title: "n, side of the mesh".into(), scale: Scale::Doubling(exponents[0], exponents[1]) },
        y: Axis { title: title.into(), scale: Scale::linear(values.into_iter()) },
        series,
        references: Vec::new(),
    };
    style::alone(&chart.draw())
}

/// The curve of steps and the curve of queues.
pub(crate) fn drawings(rows: &[Row]) -> [String; 2] {
    let none = |_: &str, _: f64| None;
    let steps = curves(rows, Of::Large, steps_over_side, &none);
    let law = |network: &str, side: f64| {
        let points = queue_points(rows, network, QUEUE_LAWS[0].1);
        (!points.is_empty()).then(|| Trend::of(&points).at(libm::log2(side)))
    };
    let queues = curves(rows, Of::All, queue, &law);
    [
        chart(rows, "Steps of a split over n, groups of n members and more", "steps / n", steps),
        chart(rows, "Longest queue of packets before a link", "packets", queues),
    ]
}

/// The page.
pub(crate) fn document(rows: &[Row]) -> String {
    let pictures = "\n![Steps over n against n: flat](images/theorem-4-steps.svg)\n\n\
                    ![Longest queue against n: as log n](images/theorem-4-queues.svg)\n";
    let end = "\nThat random groups take c n and no logarithm is section 5's \"much less than in the worst case\"; groups that take n log s \
               are those of `claims --only any-order`, measured beside others in `claims --only theorem-4`. Smaller runs are made again \
               by `claims chochia1996`: theorem-4, theorem-4-queues, theorem-4-routing, theorem-4-hilbert.\n";
    [HEAD, &main_table(rows), pictures, &kinds_table(rows), &growth_table(rows), &queue_table(rows), end]
        .concat()
}
