//! The page of a sweep: the curve, the table of its points, and the router.

use serde::Serialize;
use serde_json::Value;

use super::facts::Fact;
use super::svg::curve;
use super::wording::counted;
use super::{File, style, template};
use meshwright_core::words::{NONE, grouped};
use meshwright_sim::point::{ACCEPTED_MIN, LATENCY_MAX, Point, SweepReport};

#[derive(Serialize)]
struct SweepView<'a> {
    title: String,
    machine: &'a str,
    style: String,
    facts: Vec<Fact>,
    headline: String,
    reason: String,
    bound: String,
    curve: Option<String>,
    points: Vec<PointRow>,
    settings: Vec<(&'a str, String)>,
}

#[derive(Serialize)]
struct PointRow {
    state: &'static str,
    numbers: Vec<String>,
}

/// The sweep as one page of HTML; the same report gives the same bytes.
pub fn sweep_page(report: &SweepReport) -> String {
    let conditions = &report.conditions;
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_string);
    let view = SweepView {
        title: format!(
            "{} traffic on {}, {}",
            conditions.traffic, conditions.machine, report.reference.routing
        ),
        machine: &conditions.machine,
        style: style::page(),
        facts: facts(report),
        headline: headline(report),
        reason: reason(report),
        bound: bound(report),
        curve: curve::draw(report),
        points: report.curve.points.iter().map(row).collect(),
        settings: conditions.router.iter().map(|(name, value)| (name.as_str(), text(value))).collect(),
    };
    template::page(include_str!("sweep.html"), view)
}

/// The page, and the curve as a drawing that stands alone; none when no point was measured.
pub fn sweep_files(report: &SweepReport) -> Vec<File> {
    let page = "curve and table: open it in a browser".to_string();
    let mut files = vec![File { name: "report.html".to_string(), what: page, text: sweep_page(report) }];
    files.extend(curve::draw(report).map(|svg| File {
        name: "curve.svg".to_string(),
        what: "latency against load".to_string(),
        text: style::alone(&svg),
    }));
    files
}

fn facts(report: &SweepReport) -> Vec<Fact> {
    let conditions = &report.conditions;
    let number = |number: Option<f64>| number.map_or(NONE.to_string(), |number| format!("{number:.2}"));
    let measured = format!("after {}", counted(conditions.warm_up, "cycle"));
    vec![
        Fact::new("Machine", &conditions.machine, ""),
        Fact::new("Dead nodes", grouped(conditions.dead.len() as u64), ""),
        Fact::new("Dead links", grouped(conditions.dead_links.len() as u64), ""),
        Fact::new("Switching", conditions.switching, ""),
        Fact::new("Routing", report.reference.routing, ""),
        Fact::new("Traffic", &conditions.traffic, ""),
        Fact::new("Packets", counted(conditions.packet.into(), "flit"), "each"),
        Fact::new("Measured", counted(conditions.measure, "cycle"), &measured),
        Fact::new("Drain", counted(conditions.drain, "cycle"), "at most"),
        Fact::new("Mean distance", number(report.reference.mean_hops), "links"),
        Fact::new("Seed", conditions.seed, "of every random choice"),
    ]
}

/// The answer in one sentence.
pub fn headline(report: &SweepReport) -> String {
    if report.deadlocks() {
        let is_simulated = report.curve.points.iter().any(Point::is_simulated);
        let told =
            if is_simulated { "The network deadlocks" } else { "Not simulated: the routing can deadlock" };
        return told.to_string();
    }
    let share = |load: f64| report.reference.bound.map(|bound| super::wording::percent(load / bound));
    let of_bound = |load| {
        share(load)
            .map_or(String::new(), |share| format!(", {share} of the bound of {}", report.reference.bound_of))
    };
    if let Some(saturation) = report.curve.saturation {
        let load = saturation.load;
        return format!("Carries {load} flits per node and cycle{}", of_bound(load));
    }
    match report.curve.points.iter().take_while(|point| !point.saturated).last() {
        Some(Point { load, .. }) => {
            format!("Carries at least {load} flits per node and cycle{}", of_bound(*load))
        }
        None => "No measured load is carried".to_string(),
    }
}

/// What the bound is, in words.
fn bound(report: &SweepReport) -> String {
    let of = report.reference.bound_of;
    match report.reference.bound {
        None => "not known for this traffic on this machine".to_string(),
        Some(_) if of == report.reference.routing => {
            format!(
                "the load at which the busiest channel is always in use under {of} routing, the routing of this run"
            )
        }
        Some(_) => format!("the load that fills a cut of the machine under {of}"),
    }
}

fn reason(report: &SweepReport) -> String {
    let saturation = report.curve.saturation;
    let not_carried = saturation.and_then(|found| found.not_carried);
    let next = not_carried.map(|load| format!(" The least load found that is not carried is {load}."));
    let most = saturation.map(|found| format!(" At most {:.4} arrived.", found.throughput));
    format!(
        "A load is carried when it is within the bound, every measured packet arrives before the drain ends, at least {} % of what is \
         offered arrives, and the mean latency is at most {LATENCY_MAX} times T0.{}{}",
        100.0 * ACCEPTED_MIN,
        next.unwrap_or_default(),
        most.unwrap_or_default()
    )
}

fn row(point: &Point) -> PointRow {
    let latency = &point.latency;
    let state = match (&point.deadlock, point.saturated) {
        (Some(_), _) => "deadlock",
        (None, true) => "saturated",
        (None, false) => "",
    };
    let half = latency.ci95.map_or(NONE.to_string(), |half| format!("{half:.2}"));
    let numbers = vec![
        point.load.to_string(),
        format!("{:.4}", point.offered),
        format!("{:.4}", point.accepted),
        format!("{:.2}", latency.mean),
        half,
        grouped(latency.p50),
        grouped(latency.p99),
        grouped(latency.max),
        format!("{:.2}", point.hops_mean),
        grouped(point.packets),
        grouped(point.undelivered),
    ];
    PointRow { state, numbers }
}
