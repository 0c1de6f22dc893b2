//! No winner below any simple rival: keeping the load, one message each, equal shares, the thesis's shares. `docs/start-up-table.md` is the
//! table of it.

use std::fmt::Write;

use meshwright_core::units::{Cycles, NodeId};
use meshwright_load::installments::Scale;
use meshwright_load::{FORWARDINGS, Source};
use meshwright_network::topology::{Machine, Switching};
use meshwright_verdict::LoadVerdict;
use meshwright_verdict::load::{self, Job};

use crate::book::reference::{WRITTEN, hold};

/// Machines, and where the load enters.
const MACHINES: [(&str, u32); 4] = [("torus:4x4", 0), ("mesh:4x4", 5), ("mesh:3x5", 0), ("hypercube:4", 3)];

const SIGMAS: [f64; 5] = [0.02, 0.05, 0.1, 0.3, 1.0];

const STARTUPS: [f64; 5] = [0.0, 0.001, 0.01, 0.1, 0.5];

/// The rivals with the heads of their columns; the last are all of the thesis.
const RIVALS: [(&str, &str); 4] =
    [("local", "kept"), ("serial", "one each"), ("equal", "equal"), ("flow-matrix", "thesis")];

fn judged(name: &str, node: u32, sigma: f64, startup: f64) -> LoadVerdict {
    let machine = Machine::new(name).expect("a machine");
    let mut job = Job::new(&machine, vec![Source::at(NodeId(node), 1.0)], sigma, 1);
    let (costs, bytes) = Scale::costs_of(sigma, startup).expect("costs");
    let machine = machine.with_costs(costs).unwrap().with_switching(Switching::StoreAndForward);
    (job.bytes, job.named) = (bytes, true);
    job.forwardings = FORWARDINGS.iter().map(|(_, forwarding)| *forwarding).collect();
    let asked = RIVALS.iter().map(|(method, _)| method.to_string()).chain(["installments".to_string()]);
    job.methods = asked.collect();
    load::judge("rivals", &job, &machine, &mut |_| {}).expect("a verdict")
}

/// The speedups of the bound, of the winner and of the best of each kind of rival.
fn held(name: &str, node: u32, sigma: f64, startup: f64) -> (f64, f64, [f64; RIVALS.len()]) {
    let what = format!("{name} sigma {sigma} start-up {startup}");
    let verdict = judged(name, node, sigma, startup);
    let won = verdict.winner().expect("somebody wins").outcome;
    let best = won.detail.simulated_speedup.expect("a winner was simulated");
    let rivals = RIVALS.map(|(method, _)| {
        let of_method = verdict.results.iter().filter(|row| row.method == method);
        let speed = of_method.filter_map(|row| row.detail.simulated_speedup).fold(0.0, f64::max);
        assert!(speed > 0.0, "{what}: {method} was not run");
        assert!(best >= speed, "{what}: {} with {best} wins over {method} with {speed}", won.method);
        speed
    });
    let bound = verdict.facts.bound.speedup;
    assert!(best <= bound * (1.0 + 1e-6), "{what}: {best} beats the bound {bound}");
    (bound, best, rivals)
}

#[test]
fn no_winner_is_below_a_simple_rival() {
    for (index, (name, node)) in MACHINES.into_iter().enumerate() {
        held(name, node, SIGMAS[index + 1], STARTUPS[4 - index]);
    }
}

#[test]
#[ignore = "a hundred verdicts"]
fn the_table_of_start_ups_is_what_is_measured() {
    let mut page = format!(
        "# Start-ups, a table\n\n{WRITTEN}\n\nOne command writes this page: `MESHWRIGHT_SNAPSHOTS=record cargo test --test it load_rivals -- \
         --ignored`. Speedups of one load from one node, simulated with whole messages hop by hop; the start-up is in units of w Tcp. *kept*: \
         all of it stays where it enters; *one each*: one message for each processor that is worth one; *equal*: everybody gets the same; \
         *thesis*: the shares of Zhang 2018, under the best of three forwardings. No winner is below any of them, and none above the \
         bound. More: [dividing a load](dividing.md).\n"
    );
    for (name, node) in MACHINES {
        let heads: Vec<&str> = RIVALS.iter().map(|(_, head)| *head).collect();
        let _ = write!(
            page,
            "\n## {name}, from node {node}\n\n| sigma | start-up | bound | winner | {} |\n",
            heads.join(" | ")
        );
        page += "|--:|--:|--:|--:|--:|--:|--:|--:|\n";
        for sigma in SIGMAS {
            for startup in STARTUPS {
                let (bound, best, rivals) = held(name, node, sigma, startup);
                let cells: Vec<String> = rivals.iter().map(|speed| format!("{speed:.3}")).collect();
                let _ = writeln!(
                    page,
                    "| {sigma} | {startup} | {bound:.3} | {best:.3} | {} |",
                    cells.join(" | ")
                );
            }
        }
    }
    hold("start-up-table.md", &page);
}

#[test]
fn schedulers_of_very_many_sources_are_compared_only_by_name() {
    let machine = Machine::new("mesh:128x128").expect("a mesh").with_startup(Cycles(0)).expect("a start-up");
    let sources: Vec<Source> = (0..8_193).map(|node| Source::at(NodeId(node), 1.0)).collect();
    let mut job = Job::new(&machine, sources, 0.01, 1_000_000_000);
    job.methods = vec!["voronoi".into(), "optimum".into()];
    let verdict = load::judge("many", &job, &machine, &mut |_| {}).expect("an answer");
    assert_eq!(verdict.skipped.len(), 1);
    assert_eq!(verdict.skipped[0].method, "voronoi");
}
