//! Simulations in tables and words.

use meshwright_network::topology::Machine;
use meshwright_sim::point::TrafficReport;
use meshwright_sim::report::SimulateReport;

use crate::table;
use crate::traffic::heading;

/// What is said beside a ring of channels.
const RING: &str = "deadlock, each waits for the next";

/// The answer in one line.
pub(super) fn line(report: &SimulateReport, machine: &Machine) -> String {
    match report.cycles {
        Some(cycles) => table::in_words(cycles, machine),
        None => "deadlock".to_string(),
    }
}

/// The answer in one line.
pub(super) fn traffic_line(report: &TrafficReport, machine: &Machine) -> String {
    let point = &report.point;
    match &point.deadlock {
        Some(_) if !point.is_simulated() => "not simulated: the routing can deadlock".to_string(),
        Some(_) => "deadlock".to_string(),
        None if point.packets == 0 => format!("load {}: no packet was measured", point.load),
        None => {
            let state = if point.saturated { "saturated" } else { "carried" };
            let mean = table::mean_in_words(point.latency.mean, machine);
            format!("load {} is {state}, mean latency {mean}", point.load)
        }
    }
}

/// The measured schedule.
pub(super) fn one(report: &SimulateReport, machine: &Machine) -> String {
    let latency = &report.latency;
    let whole =
        |cycles: Option<u64>| cycles.map_or("none".to_string(), |cycles| table::cycles(cycles, machine));
    let mut rows = [
        [if table::in_seconds(1.0, machine).is_some() { "time" } else { "cycles" }, &whole(report.cycles)],
        ["messages", &report.messages.to_string()],
        ["flit hops", &report.flit_hops.map_or("unknown".to_string(), |hops| hops.to_string())],
        ["busiest link", &table::busiest(report.hottest_link, machine)],
        ["most waiting for a link, summed", &table::waited(report.waited_link, machine)],
        ["latency, mean", &latency.mean.map_or("none".to_string(), |mean| table::time(mean, 2, machine))],
        ["latency, p50", &whole(latency.p50)],
        ["latency, p99", &whole(latency.p99)],
        ["latency, max", &whole(latency.max)],
    ]
    .map(|row| row.map(str::to_string).to_vec())
    .to_vec();
    if let Some(ring) = &report.deadlock {
        rows.push(vec![RING.to_string(), table::ring(ring, machine)]);
    }
    let (engine, switching) = (report.engine, machine.switching().name());
    let mut text = format!("{} · {switching} · {engine} engine\n", machine.name());
    if let Some(routers) = &report.routers {
        text += &format!("{}\n", table::routers(routers));
    }
    text += &table::table(&["measure", "value"], 1, rows);
    text.extend(report.refused.iter().map(|why| format!("not on routers: {why}\n")));
    text
}

/// The measured point of open-loop traffic.
pub(super) fn traffic(report: &TrafficReport, machine: &Machine) -> String {
    let TrafficReport { conditions, reference, point, .. } = report;
    let heading = heading(conditions, reference) + "\n";
    if let (Some(ring), false) = (&point.deadlock, point.is_simulated()) {
        // Refused before the first cycle: there is nothing else to tell.
        return heading
            + "Not simulated: under this routing packets can wait for each other in a ring of channels.\n"
            + &table::ring(ring, machine)
            + "\n";
    }
    let latency = &point.latency;
    let known =
        |number: Option<f64>, decimals| number.map_or("unknown".into(), |x| table::number(x, decimals));
    let seen = |number: String| if point.packets > 0 { number } else { "none".to_string() };
    let mean = |cycles: f64| table::time(cycles, 2, machine);
    let whole = |cycles: u64| seen(table::cycles(cycles, machine));
    let half = latency.ci95.map_or(String::new(), |half| format!(" ± {}", mean(half)));
    let mut rows = [
        ["load, flits per node and cycle", &point.load.to_string()],
        ["bound of the load", &(known(reference.bound, 4) + &format!(" ({})", reference.bound_of))],
        ["offered", &table::number(point.offered, 5)],
        ["accepted", &table::number(point.accepted, 5)],
        ["saturated", if point.saturated { "yes" } else { "no" }],
        ["latency if no packet waits", &reference.zero_load_cycles.map_or("unknown".to_string(), mean)],
        ["latency, mean", &seen(mean(latency.mean) + &half)],
        ["latency, p50", &whole(latency.p50)],
        ["latency, p99", &whole(latency.p99)],
        ["latency, max", &whole(latency.max)],
        ["links passed, mean", &seen(table::number(point.hops_mean, 3))],
        ["packets measured", &point.packets.to_string()],
        ["packets not arrived", &point.undelivered.to_string()],
        ["cycles", &point.cycles.to_string()],
        ["flit hops", &point.flit_hops.to_string()],
    ]
    .map(|row| row.map(str::to_string).to_vec())
    .to_vec();
    if let Some(ring) = &point.deadlock {
        rows.push(vec![RING.to_string(), table::ring(ring, machine)]);
    }
    heading + &table::table(&["measure", "value"], 1, rows)
}
