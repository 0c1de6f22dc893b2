//! The page of several answers of one kind: what varies, one picture with a curve for each, one table.

use serde::Serialize;

use super::facts::Fact;
use super::svg::chart::{Axis, Chart, Scale, Series, SeriesColour, Stroke};
use super::sweep::headline;
use super::wording::counted;
use super::{File, style, template};
use meshwright_core::words::short;
use meshwright_sim::point::{Point, SweepReport};

/// The table of several answers; what varies stands in its first columns.
#[derive(Clone, Debug, Serialize)]
pub struct SeriesTable {
    /// So many columns hold words.
    pub words: usize,
    /// The heads.
    pub head: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
}

/// A curve over what varies.
#[derive(Clone, Debug, Default)]
pub struct NamedCurve {
    /// What it is called.
    pub name: String,
    /// Its points.
    pub points: Vec<(f64, f64)>,
    /// What each of them is in words.
    pub tips: Vec<String>,
    /// Half the width of an interval around each point; none if empty.
    pub spread: Vec<f64>,
    /// A value of x beyond which it cannot be.
    pub limit: Option<f64>,
}

/// A drawing below the curves.
#[derive(Clone, Debug, Serialize)]
pub struct Map {
    /// The name of its file.
    pub file: &'static str,
    /// What it shows.
    pub title: String,
    /// The drawing.
    pub svg: String,
}

/// What the page says.
#[derive(Serialize)]
struct SeriesView<'a> {
    title: &'a str,
    machine: &'a str,
    style: String,
    facts: Vec<Fact>,
    over: &'a str,
    headline: &'a str,
    notes: Vec<String>,
    chart: String,
    maps: Vec<Map>,
    /// Each with what it means.
    heads: Vec<(String, &'static str)>,
    table: SeriesTable,
}

/// What a head of the table means, for whoever points at it.
fn meaning(head: &str) -> &'static str {
    const MEANINGS: [(&str, &str); 35] = [
        ("load", "What the sources create, in flits per node and cycle"),
        ("of bound", "The load as a part of the bound"),
        ("accepted", "What arrives, in flits per node and cycle"),
        ("latency", "The mean time from the creation of a packet to the arrival of its last flit"),
        ("± 95 %", "Half the interval that holds the mean with 95 % confidence"),
        ("x zero-load", "The mean latency over that of packets which never wait"),
        ("p50", "Half of the packets take no longer"),
        ("p99", "99 of 100 packets take no longer"),
        ("mean hops", "The mean way of the packets, in links"),
        ("", "Whether the load was carried"),
        ("startup", "The start-up c of a message, in cycles"),
        ("placement", "How the tasks are placed; a star marks the least simulated time"),
        ("bound", "No method does better"),
        ("alone", "The time as if no two messages met"),
        ("link", "The busiest link: no schedule on these routes is faster"),
        ("path", "The time if each message waits for all that it meets"),
        ("simulated", "What the simulator measures"),
        ("gap", "How far the simulated time lies above the bound"),
        ("slowdown", "What contention costs: the link or path time over the time alone"),
        ("hops", "Links crossed by all messages, added up"),
        ("sigma", "The time of a load on a link over its time on a processor"),
        ("message startup", "The start-up of a message, in units of w Tcp"),
        ("method", "How the load is divided; a star marks the greatest simulated speedup"),
        ("switching", "How shares pass the nodes on their way"),
        ("speedup", "The speedup that the method promises"),
        ("feasible", "Whether the links can carry these shares in the promised time"),
        ("nodes", "How many nodes get a share"),
        ("bytes", "The buffer of one member"),
        ("flit", "The bytes of a head, paid again on each link"),
        ("algorithm", "Who sends what to whom, in which step; a star marks the least simulated time"),
        ("predicted", "The time by the closed form of the algorithm, in cycles"),
        ("steps", "How many steps the algorithm has, one after the other"),
        ("chunks", "Into how many pieces each message is cut, so that they stream"),
        ("root", "The node at which the operation begins or ends"),
        (
            "busiest link: cycles, messages",
            "The link that is busy for the longest, how long, and with how many messages",
        ),
    ];
    let known = MEANINGS.iter().find(|(name, _)| *name == head);
    known.map_or("What differs between the curves", |(_, meaning)| meaning)
}

/// Several answers on one page.
#[derive(Clone, Debug)]
pub struct SeriesPage<'a> {
    /// The headline of the page.
    pub title: &'a str,
    /// The machine.
    pub machine: &'a str,
    /// What is the same in all answers: a name and a value.
    pub facts: Vec<(&'static str, String)>,
    /// What the picture shows.
    pub over: &'a str,
    /// The answer in one sentence.
    pub headline: &'a str,
    /// A sentence for each answer.
    pub notes: Vec<String>,
    /// The titles of the axes, with their units.
    pub axes: [&'a str; 2],
    /// Where the axis of y ends, if curves go on beyond.
    pub most: Option<f64>,
    /// Whether equal ways on the axes are equal factors.
    pub is_doubling: bool,
    /// The curves.
    pub curves: Vec<NamedCurve>,
    /// Drawings below the curves.
    pub maps: Vec<Map>,
    /// The numbers.
    pub table: SeriesTable,
}

impl SeriesPage<'_> {
    /// The page, and the picture under this name.
    pub fn files(self, picture: &str) -> Vec<File> {
        let chart = self.chart();
        let file = |name: &str, what: &str, text| File { name: name.into(), what: what.into(), text };
        let drawing = file(picture, self.over, style::alone(&chart));
        let maps = self.maps.iter().map(|map| file(map.file, &map.title, style::alone(&map.svg)));
        let maps: Vec<File> = maps.collect();
        let view = SeriesView {
            title: self.title,
            machine: self.machine,
            style: style::page(),
            facts: self.facts.iter().map(|(name, value)| Fact::new(name, value, "")).collect(),
            over: self.over,
            headline: self.headline,
            notes: self.notes,
            chart,
            maps: self.maps,
            heads: self.table.head.iter().map(|head| (head.clone(), meaning(head))).collect(),
            table: self.table,
        };
        let page = template::page(include_str!("series.html"), view);
        let page = file("report.html", "curves and table: open it in a browser", page);
        [vec![page, drawing], maps].concat()
    }

    fn chart(&self) -> String {
        chart(self.axes, &self.curves, self.is_doubling, self.most)
    }
}

/// Curves over each other on a drawing of their own, under these titles of the axes.
pub fn overlaid(axes: [&str; 2], curves: &[NamedCurve]) -> String {
    chart(axes, curves, false, None)
}

/// All curves over each other, each with a colour, dashes and marks of its own.
fn chart(axes: [&str; 2], curves: &[NamedCurve], is_doubling: bool, most: Option<f64>) -> String {
    let series = curves.iter().enumerate().map(|(place, curve)| Series {
        tips: curve.tips.clone(),
        spread: curve.spread.clone(),
        limit: curve.limit,
        ..Series::curve(&*curve.name, SeriesColour::Hue(place), curve.points.clone())
            .stroked(Stroke::Kind(place))
    });
    let xs = curves.iter().flat_map(|curve| curve.points.iter().map(|point| point.0).chain(curve.limit));
    let ys = curves.iter().flat_map(|curve| curve.points.iter().map(|point| point.1));
    let scale = |values: Vec<f64>| match is_doubling {
        true => Scale::doubling(values.into_iter()),
        false => Scale::linear(values.into_iter()),
    };
    let axis = |title: &str, scale| Axis { title: title.to_string(), scale };
    Chart {
        label: format!("{} over {}", axes[1], axes[0]),
        x: axis(axes[0], scale(xs.collect())),
        y: axis(axes[1], most.map_or_else(|| scale(ys.collect()), Scale::Linear)),
        series: series.collect(),
        references: Vec::new(),
    }
    .draw()
}

/// Latencies are drawn to at most so many times the greatest zero-load latency: near saturation they know no end.
const LATENCY_DRAWN: (f64, f64) = (2.0, 5.0);

/// The page of several sweeps, each with its name, and their picture.
pub fn sweep_series_files(curves: &[(String, &SweepReport)], table: SeriesTable) -> Vec<File> {
    let conditions = &curves[0].1.conditions;
    let is_one = curves.iter().all(|(_, report)| report.conditions.traffic == conditions.traffic);
    let traffic = if is_one { &*conditions.traffic } else { "several patterns of" };
    let sentence = |(name, report): &(String, &SweepReport)| format!("{name}: {}.", headline(report));
    let page = SeriesPage {
        title: &format!("{traffic} traffic on {}: {} curves", conditions.machine, curves.len()),
        machine: &conditions.machine,
        facts: vec![
            ("Machine", conditions.machine.clone()),
            ("Switching", conditions.switching.to_string()),
            ("Packets", counted(conditions.packet.into(), "flit")),
            ("Measured", counted(conditions.measure, "cycle")),
            ("Seed", conditions.seed.to_string()),
        ],
        over: "Latency against load",
        headline: &best(curves),
        notes: curves.iter().map(sentence).collect(),
        axes: ["offered load, flits per node and cycle", "mean latency, cycles"],
        most: Some(most(curves)),
        is_doubling: false,
        maps: Vec::new(),
        curves: curves.iter().map(|(name, report)| curve(name, report)).collect(),
        table,
    };
    page.files("curve.svg")
}

/// Which curve carries the most.
fn best(curves: &[(String, &SweepReport)]) -> String {
    let carried = |report: &SweepReport| match report.curve.saturation {
        Some(saturation) => saturation.load,
        None => {
            let carried = report.curve.points.iter().take_while(|point| !point.saturated);
            carried.last().map_or(0.0, |point| point.load)
        }
    };
    let most = curves.iter().map(|(_, report)| carried(report)).fold(0.0, f64::max);
    let names: Vec<&str> =
        curves.iter().filter(|(_, report)| carried(report) == most).map(|(name, _)| name.as_str()).collect();
    let best = match names.as_slice() {
        _ if most == 0.0 => return "No measured load is carried".to_string(),
        [one] => format!("{one} carries the most"),
        all if all.len() == curves.len() => "All curves carry the same load".to_string(),
        [some @ .., last] => format!("{} and {last} carry the most", some.join(", ")),
        [] => unreachable!("somebody carries the most"),
    };
    format!("{best}: {most} flits per node and cycle")
}

/// How far latencies are drawn.
fn most(curves: &[(String, &SweepReport)]) -> f64 {
    let zeros = curves.iter().filter_map(|(_, report)| report.reference.zero_load_cycles);
    let zero = zeros.fold(0.0, f64::max);
    let points = || curves.iter().flat_map(|(_, report)| &report.curve.points);
    let carried =
        points().filter(|point| !point.saturated).map(|point| point.latency.mean).fold(0.0, f64::max);
    match (zero > 0.0, carried > 0.0) {
        (true, _) => (carried * 1.06).clamp(LATENCY_DRAWN.0 * zero, LATENCY_DRAWN.1 * zero),
        (false, true) => carried * 1.06,
        (false, false) => points().map(|point| point.latency.mean).fold(1.0, f64::max),
    }
}

fn curve(name: &str, report: &SweepReport) -> NamedCurve {
    // A network that stands still has no latencies.
    let points: Vec<&Point> = report.curve.points.iter().filter(|point| point.latency.mean > 0.0).collect();
    let tip = |point: &&Point| {
        format!(
            "{name}, load {}: mean latency {} cycles, accepted {}{}",
            short(point.load),
            short(point.latency.mean),
            short(point.accepted),
            if point.saturated { ", not carried" } else { "" }
        )
    };
    let greatest = report.curve.points.last().map_or(1.0, |point| point.load);
    NamedCurve {
        name: name.to_string(),
        points: points.iter().map(|point| (point.load, point.latency.mean)).collect(),
        tips: points.iter().map(tip).collect(),
        spread: Vec::new(),
        limit: report.reference.bound.filter(|&bound| bound <= 2.0 * greatest),
    }
}
