//! The drawings of a load, and the words below them.

use super::timing;
use crate::drawings::Figure;
use crate::style;
use crate::svg::chart::{Axis, Chart, Scale, Series, SeriesColour, Stroke};
use crate::svg::load::{cells, flow, torus};
use crate::wording::counted;
use meshwright_core::units::NodeId;
use meshwright_core::words::grouped;
use meshwright_network::topology::Machine;
use meshwright_verdict::installments::FrontRow;
use meshwright_verdict::{LoadOutcome, LoadVerdict};

/// The drawings of a whole job: the ending of a file name, what it shows, and the figure.
pub(crate) fn drawings(machine: &Machine, job: &LoadVerdict) -> Vec<(&'static str, String, Figure)> {
    let mut all = vec![];
    let divided = job.results.iter().filter(|outcome| outcome.detail.plan.cells.is_some());
    let best = divided.min_by_key(|outcome| (outcome.simulated_cycles.is_none(), outcome.simulated_cycles));
    if let Some(outcome) = best {
        all.extend(
            cells_of(machine, job, outcome)
                .map(|figure| ("-cells.svg", format!("the cells of {}", outcome.method), figure)),
        );
        all.extend(
            cast(machine, job, outcome)
                .map(|figure| ("-torus.svg", "the same on a torus".to_string(), figure)),
        );
    }
    if let Some(outcome) = job.results.iter().find(|outcome| outcome.detail.flow.is_some()) {
        let what = "the flow of the optimum and the cut that bounds it".to_string();
        all.extend(flow_of(machine, job, outcome).map(|figure| ("-flow.svg", what, figure)));
    }
    all.extend(front(job).map(|figure| ("-front.svg", "processors against makespan".to_string(), figure)));
    if let Some(outcome) = timed(job).or(best) {
        all.extend(
            timing_of(machine, job, outcome)
                .map(|figure| ("-timing.svg", format!("who computes when under {}", outcome.method), figure)),
        );
    }
    all
}

/// Whose timing stands beside the drawings of the job.
fn timed(job: &LoadVerdict) -> Option<&LoadOutcome> {
    let winner = job.winner().map(|winner| winner.outcome);
    winner.into_iter().chain(&job.results).find(|outcome| !outcome.detail.timing.is_empty())
}

/// A figure as a drawing that stands alone.
pub(crate) fn alone(figure: &Figure) -> String {
    style::alone(&figure.svg)
}

/// The drawings of one method that the job has not got already.
pub(super) fn of_method(machine: &Machine, job: &LoadVerdict, outcome: &LoadOutcome) -> Vec<Figure> {
    let divided = outcome.detail.plan.cells.is_some() && job.facts.sources.len() > 1;
    let before = job.results.iter().take_while(|other| !std::ptr::eq(*other, outcome));
    let is_new = before.filter(|other| other.detail.plan.cells == outcome.detail.plan.cells).count() == 0;
    let cells = (divided && is_new).then(|| cells_of(machine, job, outcome)).flatten();
    let is_shown = timed(job).is_some_and(|other| std::ptr::eq(other, outcome));
    let timing = (!is_shown && (divided || !outcome.detail.timing.is_empty()))
        .then(|| timing_of(machine, job, outcome))
        .flatten();
    cells.into_iter().chain(timing).collect()
}

fn sources(job: &LoadVerdict) -> Vec<NodeId> {
    job.facts.sources.iter().map(|source| source.node).collect()
}

fn cells_of(machine: &Machine, job: &LoadVerdict, outcome: &LoadOutcome) -> Option<Figure> {
    let sources = sources(job);
    let cells = outcome.detail.plan.cells.as_ref()?;
    let (svg, block) = cells::draw(&cells::CellsView { machine, cells, sources: &sources })?;
    let mut caption =
        "A hue is a source and all nodes that work for it, strongest at the source; a line parts the cells."
            .to_string();
    if let Some(speedups) = outcome.detail.cell_speedups.as_ref().filter(|speedups| speedups.len() > 1) {
        let (least, most) = speedups.iter().fold((f64::INFINITY, 0.0f64), |(l, m), &s| (l.min(s), m.max(s)));
        caption += &format!(
            " Speedups of the cells: {} to {}.",
            super::words::short(least),
            super::words::short(most)
        );
    }
    if let Some(block) = block {
        caption += &format!(" Each tile stands for {block}.");
    }
    Some(Figure { title: "Cells", svg, caption })
}

fn cast(machine: &Machine, job: &LoadVerdict, outcome: &LoadOutcome) -> Option<Figure> {
    let sources = sources(job);
    let cells = outcome.detail.plan.cells.as_ref()?;
    let svg = torus::draw(&cells::CellsView { machine, cells, sources: &sources })?;
    let caption = "The same cells on a torus: no cell ends at a border, for there is none.".to_string();
    Some(Figure { title: "Cells, cast on a torus", svg, caption })
}

fn flow_of(machine: &Machine, job: &LoadVerdict, outcome: &LoadOutcome) -> Option<Figure> {
    let flow = outcome.detail.flow.as_ref()?;
    let parts = |amounts: &[f64], time: f64| -> Vec<f64> {
        let parts: Vec<f64> = amounts.iter().map(|amount| amount * time / outcome.detail.makespan).collect();
        // Where links or processors are not alike, the busiest of them is the measure.
        let most = parts.iter().copied().fold(0.0, f64::max);
        if most > 1.0 + 1e-6 { parts.iter().map(|part| part / most).collect() } else { parts }
    };
    let (links, nodes) = (parts(flow, job.facts.sigma), parts(&outcome.detail.plan.shares, 1.0));
    let sources = sources(job);
    let view = flow::FlowView {
        machine,
        links: &links,
        nodes: &nodes,
        sources: &sources,
        cut: &job.facts.bound.cut.nodes,
    };
    let drawing = flow::draw(&view)?;
    let mut caption = "The flow that attains the optimum: a stroke is a direction of a link, its colour and width the part of \
                       the time it is busy; a tile is a node that computes."
        .to_string();
    if drawing.links_drawn < drawing.links {
        caption += &format!(
            " Only the {} busiest links are drawn, of {}.",
            grouped(drawing.links_drawn as u64),
            grouped(drawing.links as u64)
        );
    }
    if let Some(block) = drawing.block {
        caption = format!(
            "The flow that attains the optimum: each tile stands for {block}, its colour is how busy the busiest link is that leaves one of them."
        );
    }
    Some(Figure { title: "Flow of the optimum", svg: drawing.svg, caption })
}

fn timing_of(machine: &Machine, job: &LoadVerdict, outcome: &LoadOutcome) -> Option<Figure> {
    let (gantt, rows) = timing::gantt(machine, job, outcome)?;
    let mut caption = format!(
        "Timing of {} ({}): above each axis what comes in, below it what is computed.",
        outcome.method,
        outcome.detail.switching.name()
    );
    if gantt.rows.len() < rows {
        caption += &format!(" The {} busiest rows of {}.", gantt.rows.len(), grouped(rows as u64));
    }
    if gantt.promised {
        caption += " These are the times the method promises; the links cannot keep them.";
    }
    Some(Figure { title: "Timing", svg: gantt.draw(), caption })
}

/// Processors against simulated makespan of all that was simulated; what is beaten in both is drawn pale.
fn front(job: &LoadVerdict) -> Option<Figure> {
    let all: Vec<(&LoadOutcome, f64)> =
        // The simulation of the optimum is that of its installments, with their processors.
        job.results.iter().filter(|outcome| !outcome.is_fluid()).filter_map(|outcome| Some((outcome, 1.0 / outcome.detail.simulated_speedup?))).collect();
    if all.len() < 2 {
        return None;
    }
    let beaten = |outcome: &LoadOutcome, time: f64| {
        all.iter().any(|&(other, t)| {
            other.detail.nodes_used <= outcome.detail.nodes_used
                && t <= time
                && (other.detail.nodes_used, t) != (outcome.detail.nodes_used, time)
        })
    };
    let series = |name: &str, hue, wanted: bool| {
        let own: Vec<_> = all.iter().filter(|&&(outcome, time)| beaten(outcome, time) == wanted).collect();
        let mut series = Series::curve(
            name,
            SeriesColour::Hue(hue),
            own.iter().map(|(o, time)| (o.detail.nodes_used as f64, *time)).collect(),
        );
        series.tips = own.iter().map(|(o, time)| tip(o, *time)).collect();
        series.stroked(Stroke::Points)
    };
    let chart = Chart {
        label: "Processors against simulated makespan".to_string(),
        x: Axis {
            title: "processors used".to_string(),
            scale: Scale::linear(
                all.iter()
                    .map(|(o, _)| o.detail.nodes_used as f64)
                    .chain(job.facts.front.iter().map(|row| row.processors as f64)),
            ),
        },
        y: Axis {
            title: "simulated makespan, w Tcp".to_string(),
            scale: Scale::linear(
                all.iter()
                    .map(|(_, time)| *time)
                    .chain(job.facts.front.iter().map(|row| row.makespan))
                    .chain([job.facts.bound.makespan]),
            ),
        },
        series: [series("not beaten in both", 0, false), series("beaten in both", 1, true)]
            .into_iter()
            .chain((!job.facts.front.is_empty()).then(|| fewer(job)))
            .collect(),
        references: vec![(
            job.facts.bound.makespan,
            format!("bound {}", super::words::short(job.facts.bound.makespan)),
        )],
    };
    let caption = "Each point is a method: fewer processors to the left, faster below. Point at it for its name and its messages.".to_string();
    Some(Figure { title: "Processors against time", svg: chart.draw(), caption })
}

/// Installments with fewer processors and fewer messages.
fn fewer(job: &LoadVerdict) -> Series {
    let points = job.facts.front.iter().map(|row| (row.processors as f64, row.makespan)).collect();
    let mut series = Series::curve("installments in fewer messages", SeriesColour::Hue(2), points);
    let tip = |row: &FrontRow| {
        format!(
            "{}, {}, makespan {}",
            counted(row.processors as u64, "processor"),
            counted(row.messages, "message"),
            super::words::short(row.makespan)
        )
    };
    series.tips = job.facts.front.iter().map(tip).collect();
    series.stroked(Stroke::Points)
}

fn tip(outcome: &LoadOutcome, time: f64) -> String {
    let messages = outcome
        .detail
        .messages
        .map_or(String::new(), |messages| format!(", {}", counted(messages, "message")));
    format!(
        "{} ({}): {}, makespan {}{messages}",
        outcome.method,
        outcome.detail.switching.name(),
        counted(outcome.detail.nodes_used as u64, "processor"),
        super::words::short(time)
    )
}
