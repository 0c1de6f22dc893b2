//! Tables of errors.

use std::collections::BTreeMap;

use super::data::Table;
use super::study::{Errors, Outcome, PARTS, Part, Predicted, Study, pairs};

/// Errors of parts of the rows on every shape, with sizes left out, and on a plain torus.
pub(crate) fn summary(study: &Study<'_>, plain: &Study<'_>) -> String {
    let mut text = String::from(
        "\n### Result\n\nErrors in percent. *Faster of two*: pairs of one collective and size whose measured times differ by \
         more than 10 %.\n\n| rows | shape | n | median | mean | worst | faster of two | on a plain torus: median, mean, \
         worst | faster of two |\n|---|---|---|---|---|---|---|---|---|\n",
    );
    let left_out = study.sizes_left_out();
    for (part, name) in PARTS {
        for (index, (ours, torus)) in study.tables.iter().zip(&plain.tables).enumerate() {
            let shape =
                format!("{}, {}", ours.table.name, if index == 0 { "fitted" } else { "**predicted**" });
            let other = errors(&torus.outcomes, part);
            text += &format!(
                "| {name} | {shape} | {} | {} | {:.1}, {:.1}, {:.0} | {} |\n",
                numbers(errors(&ours.outcomes, part)),
                right(&ours.outcomes, part),
                other.median,
                other.mean,
                other.worst,
                right(&torus.outcomes, part),
            );
            if index == 0 {
                let numbers = numbers(errors(&left_out, part));
                text += &format!(
                    "| {name} | {}, its size left out of the fit | {numbers} | | | |\n",
                    ours.table.name
                );
            }
        }
    }
    for Predicted { table, outcomes, .. } in &study.tables {
        text += &without_formula(table, outcomes);
    }
    text
}

fn without_formula(table: &Table, outcomes: &[Outcome<'_>]) -> String {
    let (all, with) = (table.rows.len(), outcomes.len());
    format!(
        "\n{}: {with} of {all} rows have a formula; the others use several ports, several links or unknown messages.\n",
        table.name
    )
}

/// Rows that took less than the bound of the messages we take them for: their messages are others.
pub(crate) fn below_bound(study: &Study<'_>) -> String {
    let mut text = String::new();
    let all =
        study.tables.iter().flat_map(|predicted| predicted.outcomes.iter().map(move |o| (predicted, o)));
    for (predicted, outcome) in all.filter(|(_, outcome)| outcome.row.measured < outcome.bound) {
        text += &format!(
            "- {}, {}, `{}`, {} B: measured {} us, bound {} us\n",
            predicted.table.name,
            outcome.row.collective,
            outcome.row.algorithm,
            outcome.row.bytes,
            time(outcome.row.measured),
            time(outcome.bound)
        );
    }
    match text.as_str() {
        "" => "\nNo row was measured below its bound.\n".to_string(),
        _ => format!(
            "\nMeasured below the bound, so that the messages are not those we take them for:\n\n{text}"
        ),
    }
}

fn errors(outcomes: &[Outcome<'_>], part: Part) -> Errors {
    Errors::of(outcomes.iter().filter(|outcome| part.has(outcome.row)))
}

fn numbers(errors: Errors) -> String {
    if errors.count == 0 {
        return "0 | – | – | –".to_string();
    }
    format!("{} | {:.1} | {:.1} | {:.0}", errors.count, errors.median, errors.mean, errors.worst)
}

fn right(outcomes: &[Outcome<'_>], part: Part) -> String {
    let pairs = pairs(outcomes, part);
    format!("{} of {}", pairs.iter().filter(|pair| pair.2).count(), pairs.len())
}

/// Pairs of the measured library whose faster one is not ours.
pub(crate) fn wrong_pairs(study: &Study<'_>) -> String {
    let mut text = String::from(
        "\n### Faster of two: where we are wrong\n\nOf all one-port rows of PICO's library; times in us, measured / ours.\n\n\
         | shape | collective | bytes | faster | | slower | |\n|---|---|---|---|---|---|---|\n",
    );
    for predicted in &study.tables {
        for (faster, slower, right) in pairs(&predicted.outcomes, Part::Library) {
            if !right {
                let times = |outcome: &Outcome<'_>| {
                    format!(
                        "`{}` | {} / {}",
                        outcome.row.algorithm,
                        time(outcome.row.measured),
                        time(outcome.ours)
                    )
                };
                text += &format!(
                    "| {} | {} | {} | {} | {} |\n",
                    predicted.table.name,
                    faster.row.collective,
                    faster.row.bytes,
                    times(faster),
                    times(slower)
                );
            }
        }
    }
    text
}

/// Errors of every algorithm on every shape.
pub(crate) fn algorithms(study: &Study<'_>) -> String {
    let mut text = String::from(
        "\n### Every algorithm\n\nn; median, mean, worst error and bias in percent. 64x64 is fitted.\n\n| collective | algorithm |",
    );
    let shapes: Vec<&str> = study.tables.iter().map(|predicted| predicted.table.name.as_str()).collect();
    text += &shapes.iter().map(|shape| format!(" {shape} |")).collect::<String>();
    text += &format!("\n|---|---|{}\n", "---|".repeat(shapes.len()));
    let mut all: BTreeMap<(&str, &str), Vec<Vec<Outcome<'_>>>> = BTreeMap::new();
    for (index, predicted) in study.tables.iter().enumerate() {
        for outcome in &predicted.outcomes {
            let key = (outcome.row.collective.as_str(), outcome.row.algorithm.as_str());
            all.entry(key).or_insert_with(|| vec![Vec::new(); shapes.len()])[index].push(*outcome);
        }
    }
    for ((collective, algorithm), by_shape) in all {
        text += &format!("| {collective} | `{algorithm}` |");
        for outcomes in by_shape {
            let Errors { count, median, mean, worst, bias } = Errors::of(outcomes.iter());
            text += &match count {
                0 => " – |".to_string(),
                _ => format!(" {count}; {median:.1}, {mean:.1}, {worst:.0}, {bias:+.0} |"),
            };
        }
        text.push('\n');
    }
    text
}

/// Every row of a shape that has a formula.
pub(crate) fn rows(predicted: &Predicted<'_>) -> String {
    let mut text = format!(
        "\n### Every row of {}\n\nIn us.\n\n| collective | algorithm | bytes | measured | ours | error % | bound |\n\
         |---|---|---|---|---|---|---|\n",
        predicted.table.name
    );
    for outcome in &predicted.outcomes {
        let row = outcome.row;
        text += &format!(
            "| {} | `{}` | {} | {} | {} | {:+.1} | {} |\n",
            row.collective,
            row.algorithm,
            row.bytes,
            time(row.measured),
            time(outcome.ours),
            outcome.error(),
            time(outcome.bound)
        );
    }
    text
}

/// Microseconds with as many decimals as mean something.
fn time(microseconds: f64) -> String {
    match microseconds {
        us if us < 10.0 => format!("{us:.2}"),
        us if us < 1000.0 => format!("{us:.1}"),
        us => format!("{us:.0}"),
    }
}
