//! `split --show timing`: timing diagrams as data.

use serde::Serialize;

use meshwright_core::Result;
use meshwright_core::output::Writing;
use meshwright_verdict::load::TimingRow;
use meshwright_verdict::{LoadOutcome, LoadVerdict};

use super::SplitArguments;
use super::series::Member;
use crate::csv::{self, Column, column_list};
use crate::{Answer, output, table};

/// The diagrams of all methods; times in units of w Tcp.
#[derive(Serialize)]
struct Timings {
    format: u32,
    machine: String,
    sigma: f64,
    timings: Vec<Timing>,
}

/// The diagram of one method.
#[derive(Serialize)]
pub(crate) struct Timing {
    method: String,
    switching: &'static str,
    /// Of its formulas, or of its simulation.
    of: &'static str,
    /// When all is done in what is shown.
    makespan: f64,
    /// When all is done by the method's formulas.
    promised: f64,
    rows: Vec<Row>,
}

impl Timing {
    /// What is shown in words, and whether it can be.
    fn title(&self) -> String {
        let Self { method, switching, of, makespan, promised, rows } = self;
        let [end, told] = [*makespan, *promised].map(|time| table::number(time, 6));
        let told = if end == told { String::new() } else { format!(", {told} by its formulas") };
        let mut bars = rows.iter().flat_map(|row| &row.communication);
        let is_late = bars.any(|(_, until)| *until > makespan * (1.0 + 1e-6));
        let late =
            if is_late { "; a link is in use after that: nobody can keep to these formulas" } else { "" };
        format!("{method} under {switching}, of its {of}; makespan {end}{told}{late}")
    }
}

/// What a node, one node of a layer, or a link does.
#[derive(Serialize)]
pub(crate) struct Row {
    label: String,
    /// When something arrives, or is on the link: pairs of begin and end.
    communication: Vec<(f64, f64)>,
    /// When it works.
    computing: Vec<(f64, f64)>,
}

impl Timings {
    fn of(verdict: &LoadVerdict, machine: &str) -> Self {
        let row = |row: &TimingRow| Row {
            label: row.label.clone(),
            communication: row.communication.clone(),
            computing: row.computing.clone(),
        };
        let timing = |outcome: &LoadOutcome| {
            let promised = outcome.detail.makespan;
            let simulated = outcome.detail.simulated_speedup.filter(|_| outcome.method != "flow-matrix");
            Timing {
                method: outcome.method.clone(),
                switching: outcome.detail.switching.name(),
                of: if simulated.is_some() { "simulation" } else { "formulas" },
                makespan: simulated.map_or(promised, |speedup| 1.0 / speedup),
                promised,
                rows: outcome.detail.timing.iter().map(row).collect(),
            }
        };
        let drawn = verdict.results.iter().filter(|outcome| !outcome.detail.timing.is_empty());
        Self {
            format: 1,
            machine: machine.to_string(),
            sigma: verdict.facts.sigma,
            timings: drawn.map(timing).collect(),
        }
    }
}

/// Tells the diagrams of a division.
pub(super) fn answer(arguments: &SplitArguments, member: &Member) -> Result<Answer> {
    let answer = Timings::of(&member.verdict, member.machine.name());
    let mut writing = Writing::new(arguments.force.force);
    let written = arguments.csv.add(&mut writing, || csv(&answer))?;
    writing.finish()?;
    output::say(
        arguments.json.then(|| output::json(&answer)),
        || line(&answer),
        || text(&answer) + &written,
    )?;
    Ok(Answer::Done)
}

fn line(answer: &Timings) -> String {
    let of = |timing: &Timing| {
        format!("{} {}: {}", timing.method, timing.switching, table::number(timing.makespan, 6))
    };
    answer.timings.iter().map(of).collect::<Vec<_>>().join("; ")
}

/// More spans of a row are counted, not listed.
const SPANS_SHOWN: usize = 2;

fn text(answer: &Timings) -> String {
    const HEAD: [&str; 3] = ["", "communication", "computing"];
    let spans = |spans: &[(f64, f64)]| {
        let span =
            |(from, until): &(f64, f64)| format!("{}–{}", table::number(*from, 6), table::number(*until, 6));
        let shown: Vec<String> = spans.iter().take(SPANS_SHOWN).map(span).collect();
        let more = spans.len().saturating_sub(SPANS_SHOWN);
        shown.join(", ") + &if more > 0 { format!(" and {more} more") } else { String::new() }
    };
    let mut text = format!("{} · sigma {} · times in units of w Tcp\n", answer.machine, answer.sigma);
    for timing in &answer.timings {
        text += &format!("\n{}\n", timing.title());
        let row = |row: &Row| vec![row.label.clone(), spans(&row.communication), spans(&row.computing)];
        text += &table::table(&HEAD, 3, timing.rows.iter().map(row).collect());
    }
    text
}

/// A span of a row of a diagram: its diagram, its row, what is done, from when until when.
type Span<'t> = (&'t Timing, &'t Row, &'static str, (f64, f64));

/// The columns of `--csv`: one row for each bar of the diagrams.
pub(crate) fn columns<'t>() -> Vec<Column<Span<'t>>> {
    column_list![
        "method", "the method", |(timing, ..)| timing.method.clone();
        "switching", "how shares pass the nodes on their way", |(timing, ..)| timing.switching.to_string();
        "of", "what the diagram shows: the method's formulas, or its simulation", |(timing, ..)| timing.of.to_string();
        "row", "a node, one node of a layer, or a link of a source", |(_, row, ..)| row.label.clone();
        "what", "communication or computing", |(_, _, what, _)| (*what).to_string();
        "begin_wtcp", "when it begins, in units of w Tcp", |(.., (begin, _))| begin.to_string();
        "end_wtcp", "when it ends, in units of w Tcp", |(.., (_, end))| end.to_string();
    ]
}

fn csv(answer: &Timings) -> String {
    let spans = |timing: &'_ Timing| -> Vec<(usize, &'static str, (f64, f64))> {
        let of = |(at, row): (usize, &Row)| {
            let sent = row.communication.iter().map(move |&span| (at, "communication", span));
            sent.chain(row.computing.iter().map(move |&span| (at, "computing", span))).collect::<Vec<_>>()
        };
        timing.rows.iter().enumerate().flat_map(of).collect()
    };
    let rows = answer.timings.iter().flat_map(|timing| {
        spans(timing).into_iter().map(move |(at, what, span)| (timing, &timing.rows[at], what, span))
    });
    csv::table(&[], &columns(), rows.map(|row| (Vec::new(), row)))
}
