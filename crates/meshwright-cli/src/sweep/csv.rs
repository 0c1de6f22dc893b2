//! The columns of a sweep for programs.

use meshwright_sim::experiment::Reference;
use meshwright_sim::point::{Point, SweepReport};

use super::series::Member;
use crate::csv::{self, Column, column_list, known};

/// A point with what theory says of its curve.
pub(crate) type Row<'r> = (&'r str, &'r Reference, &'r Point);

/// The columns.
pub(crate) fn columns<'r>() -> Vec<Column<Row<'r>>> {
    column_list![
        "traffic", "the traffic pattern", |(traffic, ..)| (*traffic).to_string();
        "routing", "the routing that runs", |(_, reference, _)| reference.routing.to_string();
        "load_flits_per_node_cycle", "the load asked for", |(.., point)| point.load.to_string();
        "offered_flits_per_node_cycle", "what the sources created", |(.., point)| point.offered.to_string();
        "accepted_flits_per_node_cycle", "what arrived", |(.., point)| point.accepted.to_string();
        "saturated", "whether the load was not carried", |(.., point)| point.saturated.to_string();
        "deadlock", "whether packets wait for each other in a ring", |(.., point)| point.deadlock.is_some().to_string();
        "latency_mean_cycles", "mean time from creation to the last flit", |(.., point)| cycles(point.latency.mean);
        "latency_ci95_cycles", "half the 95 % interval of the mean", |(.., point)| known(point.latency.ci95);
        "latency_p50_cycles", "half of the packets take no longer", |(.., point)| whole(point.latency.p50);
        "latency_p99_cycles", "99 of 100 packets take no longer", |(.., point)| whole(point.latency.p99);
        "latency_max_cycles", "the longest", |(.., point)| whole(point.latency.max);
        "hops_mean", "mean way of the packets, in links", |(.., point)| point.hops_mean.to_string();
        "packets", "measured packets that arrived", |(.., point)| point.packets.to_string();
        "undelivered", "measured packets that did not arrive", |(.., point)| point.undelivered.to_string();
        "cycles", "all cycles simulated", |(.., point)| whole(point.cycles);
        "zero_load_cycles", "mean latency of packets that never wait", |(_, reference, _)| known(reference.zero_load_cycles);
        "bound_flits_per_node_cycle", "the load that no routing of this name carries more of", |(_, reference, _)| known(reference.bound);
    ]
}

/// No packet takes no time: 0 stands for none.
fn whole(cycles: u64) -> String {
    known((cycles > 0).then_some(cycles))
}

fn cycles(cycles: f64) -> String {
    known((cycles > 0.0).then_some(cycles))
}

fn rows(report: &SweepReport) -> impl Iterator<Item = Row<'_>> {
    let (traffic, reference) = (&*report.conditions.traffic, &report.reference);
    report.curve.points.iter().map(move |point| (traffic, reference, point))
}

/// One point.
pub(crate) fn point(traffic: &str, reference: &Reference, point: &Point) -> String {
    csv::table(&[], &columns(), [(Vec::new(), (traffic, reference, point))].into_iter())
}

/// One curve.
pub(super) fn one(report: &SweepReport) -> String {
    csv::table(&[], &columns(), rows(report).map(|row| (Vec::new(), row)))
}

/// Several curves; traffic and routing have columns of their own already.
pub(super) fn several(members: &[Member]) -> String {
    let columns = columns();
    let is_further = |key: &&String| !columns.iter().any(|column| column.name == key.as_str());
    let further: Vec<String> =
        members[0].values.iter().map(|(key, _)| key).filter(is_further).cloned().collect();
    let of = |member: &'_ Member| -> Vec<String> {
        member.values.iter().filter(|(key, _)| is_further(&key)).map(|(_, value)| value.clone()).collect()
    };
    let rows = members.iter().flat_map(|member| rows(&member.report).map(move |row| (of(member), row)));
    csv::table(&further, &columns, rows)
}
