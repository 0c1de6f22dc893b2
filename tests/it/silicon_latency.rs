//! Latency tables of Wormhole and Blackhole: the targets of the section of `docs/silicon.md`, on the repository's rows.

use std::path::Path;

use crate::silicon_traces::program::latency;
use latency::network::{self, DEPTH, Sender, Setting};
use latency::predict::median;
use latency::table::{Mechanism, Pattern, Row};
use latency::tables::Summary;
use latency::{Judged, Judgement, judge};
use meshwright_core::units::{Bytes, Cycles, NodeId};
use meshwright_network::fabric::{Processor, Routers};
use meshwright_schedule::transactions::{Operation, ProcessorProgram, Program, Step, Transaction};
use meshwright_sim::fabric::transactions::{Movement, simulate};

fn data() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/data/silicon"))
}

/// Rows that need no network.
fn by_formula(row: &Row) -> bool {
    row.mechanism != Mechanism::Unicast || !row.pattern.has_many_masters()
}

fn summary<'j>(judged: &'j Judgement, variant: usize, takes: impl Fn(&Judged) -> bool + 'j) -> Summary {
    Summary::of(judged.rows.iter().filter(move |it| it.visible && takes(it)), variant)
}

/// No prediction and no measured time is below its bound.
fn assert_bounds(judged: &Judgement) {
    for it in &judged.rows {
        for (size, &bound) in it.bounds.iter().enumerate() {
            let row = &it.row;
            assert!(it.times.iter().all(|times| bound <= times[size]), "{row:?} {bound} {:?}", it.times);
            assert!(bound <= row.cycles[size], "{row:?} {bound}");
        }
    }
}

#[test]
fn one_core_to_or_from_several_is_predicted_from_point_to_point_rows() {
    let judged = judge(data(), |row| by_formula(row) && !row.pattern.has_many_masters()).unwrap();
    let l1 = |variant| summary(&judged, variant, |it| !it.row.dram);
    let [strict, calibrated, across] = [l1(0), l1(1), l1(2)];
    assert_eq!(strict.rows, 129, "all rows of one master in L1");
    assert!(strict.median <= 0.035 && strict.ninety <= 0.09, "{} {}", strict.median, strict.ninety);
    assert!(calibrated.median <= 0.02 && calibrated.ninety <= 0.05, "{}", calibrated.ninety);
    assert!(across.median <= 0.02 && across.ninety <= 0.05, "{}", across.ninety);
    assert_bounds(&judged);
}

#[test]
fn numbers_that_halves_choose_are_nearly_the_same() {
    let judged = judge(data(), by_formula).unwrap();
    let [strict, all, even, odd] = judged.numbers;
    for half in [even, odd] {
        assert!((half.new_peer - all.new_peer).abs() <= 1.0, "{half:?}");
        assert!((half.reserve[1] - all.reserve[1]).abs() <= 0.5, "{half:?}");
        assert!((half.median_part - all.median_part).abs() <= 0.05, "{half:?}");
        assert_ne!(half, strict);
    }
    let many = summary(&judged, 2, |it| it.row.pattern.has_many_masters());
    assert!(many.median <= 0.12, "random back-off: {}", many.median);
    assert_bounds(&judged);
}

#[test]
#[ignore = "about a minute: many cores flit by flit"]
fn all_rows_are_predicted() {
    let judged = judge(data(), |_| true).unwrap();
    let [strict, calibrated, across] = [0, 1, 2].map(|variant| summary(&judged, variant, |_| true));
    assert_eq!(calibrated.rows, 207);
    assert!(calibrated.median <= 0.05 && calibrated.within[1] >= 0.9, "{}", calibrated.within[1]);
    assert!(across.median <= 0.05 && across.within[1] >= 0.88, "{}", across.within[1]);
    assert!(strict.median <= 0.05 && strict.within[1] >= 0.8, "{} {}", strict.median, strict.within[1]);
    assert_bounds(&judged);
}

#[test]
fn as_many_cores_take_part_as_the_table_says() {
    let model = latency::model(data()).unwrap();
    let rows = latency::collective_rows(data()).unwrap();
    for (row, _) in rows.iter().filter(|(row, _)| !row.dram) {
        let parties = model.chips[row.chip].parties(row);
        let expected = match row.pattern {
            _ if row.mechanism == Mechanism::Unicast => row.peers,
            Pattern::OneToAll | Pattern::OneToRow | Pattern::OneToColumn => row.peers,
            _ => parties.masters.len(),
        };
        assert_eq!(parties.peers.len(), expected, "{row:?}");
        let inside = parties.peers.contains(&parties.masters[0]);
        let multicast = row.mechanism != Mechanism::Unicast;
        assert!(!multicast || inside == row.loopback, "{row:?}");
    }
}

/// Writes of some cores to all of them in one order, by the page's network and by the library's flit engine: the medians.
fn both_engines(cores: usize, bytes: usize) -> [f64; 2] {
    let chip = &latency::chip::chips().unwrap()[0];
    let nodes: Vec<NodeId> =
        (0..cores).flat_map(|x| (0..cores).map(move |y| (x, y))).map(|(x, y)| chip.core(x, y)).collect();
    let sender = |&node: &NodeId| Sender { node, peers: nodes.clone(), packets: 4, gap: 22.0, new_peer: 0.0 };
    let setting = Setting {
        fabric: &chip.fabric,
        plane: 0,
        depth: DEPTH,
        answers: 1,
        hold: 4,
        read: false,
        flits: chip.flits(bytes),
        extra: 0.0,
        slow: Vec::new(),
    };
    let own = network::run(&setting, &nodes.iter().map(sender).collect::<Vec<_>>());
    let routers = Routers { channels: 1, buffers: DEPTH as u32, ..Routers::default() };
    let kind = Processor { gap: Cycles(22), ..Processor::default() };
    let fabric = chip.fabric.clone().with_routers(routers).unwrap().with_processors(vec![kind]);
    let write = |&peer: &NodeId| {
        let bytes = Bytes(bytes as u64);
        Step::Issue(Transaction { operation: Operation::Write, peer, bytes, plane: 0, issue: None })
    };
    let processor = |&node: &NodeId| {
        let writes = nodes.iter().flat_map(|peer| std::iter::repeat_n(write(peer), 4));
        let steps = writes.chain([Step::Barrier]).collect();
        ProcessorProgram { processor: 0, node, begin: Cycles(0), steps }
    };
    let program = Program { processors: nodes.iter().map(processor).collect(), lists: Vec::new() };
    let trace = simulate(&fabric, &program, Movement::Flits).unwrap();
    let ends: Vec<f64> = trace.finishes.iter().map(|ends| ends[0]).collect();
    assert!(program.bound(&fabric) <= trace.cycles);
    [median(&own), median(&ends)]
}

#[test]
fn the_network_of_the_page_agrees_with_the_librarys_flit_engine() {
    // Not two by two: there the hot spot has two steady states, and each engine finds another.
    let cases = [(3, 8192), (4, 2048), (4, 8192), (5, 4096)];
    let ratios = cases.map(|(cores, bytes)| {
        let [own, library] = both_engines(cores, bytes);
        own / library
    });
    assert!(ratios.iter().all(|ratio| (ratio - 1.0).abs() <= 0.1), "{ratios:?}");
}
