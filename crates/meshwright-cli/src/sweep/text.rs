//! Curves in tables and words.

use meshwright_core::words;
use meshwright_network::topology::Machine;
use meshwright_sim::point::{Point, SweepReport};

use super::series::Member;
use crate::{table, traffic};

/// The columns of a point.
const HEAD: [&str; 10] =
    ["load", "of bound", "accepted", "latency", "± 95 %", "x zero-load", "p50", "p99", "mean hops", ""];

/// The answer to `sweep`.
pub(super) fn one(report: &SweepReport, machine: &Machine) -> String {
    let mut text =
        format!("{}\n{}\n", traffic::heading(&report.conditions, &report.reference), limits(report, machine));
    let rows = report.curve.points.iter().map(|point| row(report, point, machine));
    text += &table::table(&HEAD, 0, rows.collect());
    text + &remarks(report, machine, "")
}

/// The answer to `sweep` over several values: what varies stands before the points.
pub(super) fn several(members: &[Member], machine: &Machine) -> String {
    let first = &members[0];
    let keys: Vec<&str> = first.values.iter().map(|(key, _)| key.as_str()).collect();
    let (head, rows) = rows(members, machine);
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    let conditions = &first.report.conditions;
    let mut text = format!(
        "{} · {} of {} · packets of {} · {} · flit engine · seed {}\n",
        conditions.machine,
        words::counted(members.len() as u64, "curve"),
        keys.join(" and "),
        conditions.packet,
        conditions.switching,
        conditions.seed,
    );
    text += &table::table(&head, keys.len(), rows);
    for member in members {
        let name = member.name();
        text += &format!("{name}: {}\n", limits(&member.report, machine));
        text += &remarks(&member.report, machine, &format!("{name}: "));
    }
    text
}

/// Heads and rows of the table of several curves.
pub(super) fn rows(members: &[Member], machine: &Machine) -> (Vec<String>, Vec<Vec<String>>) {
    let keys = members[0].values.iter().map(|(key, _)| key.replace('_', " "));
    let head = keys.chain(HEAD.map(str::to_string)).collect();
    let of = |member: &Member| {
        let values: Vec<String> = member.values.iter().map(|(_, value)| value.clone()).collect();
        let points = member.report.curve.points.iter();
        points.map(|point| [values.clone(), row(&member.report, point, machine)].concat()).collect::<Vec<_>>()
    };
    (head, members.iter().flat_map(of).collect())
}

/// What theory says.
fn limits(report: &SweepReport, machine: &Machine) -> String {
    let reference = &report.reference;
    let in_words = |zero| table::mean_in_words(zero, machine);
    let zero = reference.zero_load_cycles.map_or("unknown".to_string(), in_words);
    let bound = reference.bound.map_or("none known".to_string(), |bound| {
        format!("{} flits per node and cycle ({})", table::number(bound, 4), reference.bound_of)
    });
    format!("T0 {zero} · bound {bound}")
}

/// What stands below the table, each line after these words.
fn remarks(report: &SweepReport, machine: &Machine, whose: &str) -> String {
    let mut text = String::new();
    if let Some(found) = report.curve.saturation {
        let not = found.not_carried.map_or(String::new(), |load| format!("; {load} is not carried"));
        text +=
            &format!("{whose}carried up to {}{not}; at most {:.4} arrived\n", found.load, found.throughput);
    }
    if let Some(over) = report.accepted_above_the_bound() {
        text += &format!(
            "{whose}more than the bound arrived at load {}: what avoids the busiest channels passes, the rest waits\n",
            over.load
        );
    }
    for point in &report.curve.points {
        if let Some(ring) = &point.deadlock {
            text += &match point.is_simulated() {
                true => format!("{whose}deadlock at load {}, each waits for the next:\n", point.load),
                false => format!(
                    "{whose}not simulated: under this routing packets can wait for each other in a ring of channels:\n"
                ),
            };
            text += &(table::ring(ring, machine) + "\n");
            if !point.is_simulated() {
                // One ring of the routing, whatever the load.
                break;
            }
        }
    }
    text
}

/// What a point is called that is not carried.
pub(super) fn state(point: &Point) -> &'static str {
    match (&point.deadlock, point.saturated) {
        (Some(_), _) if !point.is_simulated() => "not simulated",
        (Some(_), _) => "deadlock",
        (None, true) => "saturated",
        (None, false) => "",
    }
}

fn row(report: &SweepReport, point: &Point, machine: &Machine) -> Vec<String> {
    let time = |cycles: f64| table::in_seconds(cycles, machine);
    let mean = |cycles: f64| time(cycles).unwrap_or_else(|| format!("{cycles:.2}"));
    let whole = |cycles: u64| time(cycles as f64).unwrap_or_else(|| cycles.to_string());
    let of =
        |whole: Option<f64>, part: f64| whole.map_or(String::new(), |whole| table::number(part / whole, 3));
    let latency = &point.latency;
    let seen = |number: String| if point.packets > 0 { number } else { "none".to_string() };
    let accepted = if point.is_simulated() { format!("{:.4}", point.accepted) } else { "none".to_string() };
    vec![
        point.load.to_string(),
        of(report.reference.bound, point.load),
        accepted,
        seen(mean(latency.mean)),
        latency.ci95.map_or(String::new(), mean),
        if point.packets > 0 { of(report.reference.zero_load_cycles, latency.mean) } else { String::new() },
        seen(whole(latency.p50)),
        seen(whole(latency.p99)),
        seen(format!("{:.2}", point.hops_mean)),
        state(point).to_string(),
    ]
}
