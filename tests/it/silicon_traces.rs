//! Traces of a real chip: how far predictions may be from measured times, on the data of `data/silicon/wormhole/`.

#[path = "../../examples/silicon/page.rs"]
pub(crate) mod program;

use std::path::{Path, PathBuf};

use meshwright_core::units::{Bytes, Cycles, NodeId};
use meshwright_formats::presets;
use meshwright_formats::scenario::constants::MachineFile;
use meshwright_formats::trace::{self, Beside};
use meshwright_network::topology::Machine;
use meshwright_schedule::transactions::{Operation, Step};
use meshwright_sim::fabric::transactions::Movement;
use meshwright_verdict::fit::halves;
use meshwright_verdict::transactions::{Run, TraceVerdict};
use program::known::{CLASSES, Class, Known, errors, judged, read, score};
use program::npe::{busiest_link, capped, sustained, workload};
use program::traces::{CLOSED, OPEN, SEED, finish_errors};
use program::variants::without_routers;

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data/silicon")
}

fn wormhole() -> Machine {
    presets::named("wormhole").unwrap().machine().unwrap()
}

fn traces(machine: &Machine) -> Vec<Known> {
    let known = read(&data().join("wormhole"), machine).unwrap();
    let count = |class| known.iter().filter(|known| known.class == class).count();
    assert_eq!([Class::Block, Class::DramOne, Class::DramSeveral].map(count), [21, 8, 7]);
    known
}

/// Mean errors in percent: of all traces, then by class.
fn by_class(known: &[Known], errors: &[f64]) -> [f64; 4] {
    CLASSES.map(|(_, class)| 100.0 * score(known, errors, class).error)
}

/// No bound is above a simulated or a measured time.
fn bounded(known: &[Known], verdicts: &[TraceVerdict]) {
    for (known, verdict) in known.iter().zip(verdicts) {
        assert!(verdict.bound_cycles <= verdict.cycles, "{}", known.trace.name);
        let measured = verdict.measured_cycles.expect("traces.csv has them all");
        assert!(
            verdict.bound_cycles <= measured,
            "{}: {} {measured}",
            known.trace.name,
            verdict.bound_cycles
        );
    }
}

/// The claims of the open loop: every time of issue given, 2.8 % on all, 3.0 % on random halves, as good as tt-npe.
#[test]
fn open_loop_is_as_near_to_silicon_as_the_vendor() {
    let machine = wormhole();
    let known = traces(&machine);
    let verdicts = judged(&machine, &known, OPEN).unwrap();
    bounded(&known, &verdicts);
    let ours = errors(&verdicts);
    let theirs: Vec<f64> = known.iter().map(Known::npe_error).collect();
    // As recorded when tt-npe was run.
    let [all, block, ..] = by_class(&known, &theirs);
    assert!((all - 2.78).abs() < 0.01 && (block - 3.17).abs() < 0.01, "tt-npe: {all} {block}");
    let [all, ..] = by_class(&known, &ours);
    assert!(all <= 2.8, "open loop: {all:.2} %");
    let halves = halves(known.len(), 100, SEED);
    let mean = |errors: &[f64]| {
        let of = |held_out: &Vec<usize>| {
            held_out.iter().map(|&index| errors[index].abs()).sum::<f64>() / held_out.len() as f64
        };
        halves.iter().map(|[_, held_out]| of(held_out)).sum::<f64>() / halves.len() as f64
    };
    assert!(mean(&ours) <= 0.030 && mean(&ours) <= mean(&theirs), "{} {}", mean(&ours), mean(&theirs));
}

/// The claims of the closed loop: kernel begins, program order and barriers only.
#[test]
fn closed_loop_predicts_silicon_from_the_program_alone() {
    let machine = wormhole();
    let known = traces(&machine);
    let verdicts = judged(&machine, &known, CLOSED).unwrap();
    bounded(&known, &verdicts);
    let [_, block, one, several] = by_class(&known, &errors(&verdicts));
    assert!(block <= 3.5, "BLOCK: {block:.2} %");
    assert!(one <= 2.0, "DRAM, one barrier: {one:.2} %");
    assert!(several <= 5.0, "DRAM, several barriers: {several:.2} %");
    let ends: Vec<f64> =
        known.iter().zip(&verdicts).flat_map(|(known, verdict)| finish_errors(known, verdict)).collect();
    assert!(ends.len() > 1000 / 2, "{}", ends.len());
    let mean = ends.iter().sum::<f64>() / ends.len() as f64;
    assert!(mean <= 0.12, "ends of single barriers: {mean}");
}

/// Flows are the other way to the same numbers.
#[test]
fn flows_stay_near_flits() {
    let machine = wormhole();
    let known = traces(&machine);
    for closed_loop in [false, true] {
        let verdicts =
            judged(&machine, &known, Run { closed_loop, movement: Some(Movement::Flows) }).unwrap();
        bounded(&known, &verdicts);
        let [all, ..] = by_class(&known, &errors(&verdicts));
        assert!(all <= 3.0, "closed loop {closed_loop}: {all:.2} %");
    }
}

/// What the page says of other routers: flows without channels are several times as far off where many streams merge.
#[test]
fn links_without_channels_are_refuted() {
    let file = MachineFile::read("wormhole").unwrap();
    let machine = file.machine().unwrap();
    let known = traces(&machine);
    let run = Run { closed_loop: true, movement: Some(Movement::Flows) };
    let free = without_routers(&file).unwrap();
    assert!(!free.text().contains("routers") && free.text().contains("[[machine.processors]]"));
    let errors = errors(&judged(&free.machine().unwrap(), &known, run).unwrap());
    let several = score(&known, &errors, Some(Class::DramSeveral));
    assert!(several.error > 0.08 && several.bias < -0.08, "{several:?}");
}

/// PR 125 of tt-npe: what a controller gave, by the trace alone; and a limit below that misses the trace.
#[test]
fn a_controller_gives_more_than_tt_npe_thinks() {
    let file = MachineFile::read("wormhole").unwrap();
    let machine = file.machine().unwrap();
    let known = traces(&machine);
    let fabric = machine.fabric().unwrap();
    let busy = known.iter().position(|known| known.trace.name == "DRAM_TO_2x8_BLOCK").unwrap();
    let all = sustained(fabric, &known[busy]);
    let bytes: u64 = all.iter().map(|one| one.bytes).sum();
    let program = &known[busy].trace.program;
    let read: u64 = program.processors.iter().flat_map(|own| own.transactions()).map(|one| one.bytes.0).sum();
    assert_eq!(bytes, read, "every read is of a controller");
    let most = all.iter().map(|one| one.over_the_run).fold(0.0, f64::max);
    assert!(most > 27.0, "{most}");
    let limited = capped(&file, 23.6).unwrap().machine().unwrap();
    assert_eq!(limited.fabric().unwrap().shared().len(), fabric.shared().len() + 6);
    let slow = judged(&limited, &known[busy..=busy], CLOSED).unwrap()[0].error.unwrap();
    assert!(slow > 0.10, "{slow}");
}

/// Issue 127 of tt-npe: the workload is what its description says.
#[test]
fn the_workload_of_issue_127_is_as_described() {
    let machine = wormhole();
    let fabric = machine.fabric().unwrap();
    let program = workload(fabric, 1);
    assert_eq!(program, workload(fabric, 1));
    assert_ne!(program, workload(fabric, 2));
    assert_eq!(program.processors.len(), 64);
    for own in &program.processors {
        let reads: Vec<_> = own.transactions().collect();
        assert_eq!(reads.len(), 8);
        assert!(
            reads.iter().all(|read| read.bytes == Bytes(8192) && read.peer != own.node && read.plane == 0)
        );
        assert!(reads.iter().all(|read| read.issue == Some(Cycles(0))));
        assert!(reads.iter().all(|read| program.processors.iter().any(|other| other.node == read.peer)));
    }
    // 512 reads over 2 x 8 used rings of 10 and 12 links: no link has fewer than their mean.
    let links: u32 = program
        .processors
        .iter()
        .flat_map(|own| own.transactions().map(|read| fabric.hops(0, read.peer, own.node)))
        .sum();
    let used = 8 * 10 + 8 * 12;
    assert!(busiest_link(fabric, &program) >= u64::from(links / used) && busiest_link(fabric, &program) < 64);
}

pub(crate) const SMALL_CSV: &str = "\
noc,processor,index,barrier,source_row,source_col,target_row,target_col,bytes,issue_cycle,begin_cycle
NOC_1,BRISC,0,0,2,3,1,1,4096,190,0
NOC_1,BRISC,1,0,2,4,1,1,4096,350,0
NOC_1,BRISC,2,1,2,4,1,1,2048,1000,0
NOC_0,NCRISC,0,0,5,5,3,2,2048,300,50
";

/// The same in the form of tt-npe, made by hand: stamps begin at 7000, columns come before rows.
const SMALL_JSON: &str = r#"[
{"proc": "BRISC", "sx": 1, "sy": 1, "timestamp": 7000, "zone": "BRISC-KERNEL", "zone_phase": "begin"},
{"proc": "NCRISC", "sx": 2, "sy": 3, "timestamp": 7050, "zone": "NCRISC-KERNEL", "zone_phase": "begin"},
{"proc": "BRISC", "noc": "NOC_1", "sx": 1, "sy": 1, "dx": 3, "dy": 2, "num_bytes": 4096, "type": "READ", "timestamp": 7190},
{"proc": "NCRISC", "noc": "NOC_0", "sx": 2, "sy": 3, "dx": 5, "dy": 5, "num_bytes": 2048, "type": "READ", "timestamp": 7300},
{"proc": "BRISC", "noc": "NOC_1", "sx": 1, "sy": 1, "dx": 4, "dy": 2, "num_bytes": 4096, "type": "READ", "timestamp": 7350},
{"proc": "NCRISC", "sx": 2, "sy": 3, "type": "READ_BARRIER_START", "timestamp": 7401},
{"proc": "BRISC", "sx": 1, "sy": 1, "type": "READ_BARRIER_START", "timestamp": 7475},
{"proc": "NCRISC", "sx": 2, "sy": 3, "type": "READ_BARRIER_END", "timestamp": 7810},
{"proc": "BRISC", "sx": 1, "sy": 1, "type": "READ_BARRIER_END", "timestamp": 7906},
{"proc": "BRISC", "noc": "NOC_1", "sx": 1, "sy": 1, "dx": 4, "dy": 2, "num_bytes": 2048, "type": "READ", "timestamp": 8000},
{"proc": "BRISC", "sx": 1, "sy": 1, "type": "READ_BARRIER_START", "timestamp": 8125},
{"proc": "BRISC", "sx": 1, "sy": 1, "type": "READ_BARRIER_END", "timestamp": 8505}
]
"#;

#[test]
fn both_forms_of_a_trace_are_the_same_program() {
    let machine = wormhole();
    let fabric = machine.fabric().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let read = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        trace::read(&path, &Beside::default(), fabric).unwrap()
    };
    let (table, list) = (read("small.csv", SMALL_CSV), read("small.json", SMALL_JSON));
    assert_eq!(table.program, list.program);
    assert!(table.has_begins && list.has_begins);
    assert_eq!((table.measured, list.measured), (None, Some(Cycles(1505 - 20))));
    assert_eq!(list.finishes, [vec![Cycles(906), Cycles(1505)], vec![Cycles(810)]]);
    let at = |row, column| fabric.grid().node_at(&[row, column]);
    let [first, second] = table.program.processors.as_slice() else { panic!("two processors") };
    assert_eq!(
        (first.node, first.begin, second.node, second.begin),
        (at(1, 1), Cycles(0), at(3, 2), Cycles(50))
    );
    let steps: Vec<Option<(Operation, NodeId)>> = first
        .steps
        .iter()
        .map(|step| match step {
            Step::Issue(one) => Some((one.operation, one.peer)),
            Step::Barrier => None,
        })
        .collect();
    let read = |row, column| Some((Operation::Read, at(row, column)));
    assert_eq!(steps, [read(2, 3), read(2, 4), None, read(2, 4), None]);
    // Its kind is that of kernels that read controllers only.
    assert!(!fabric.processors()[second.processor].peers.is_empty());
}

#[test]
#[ignore = "minutes: the whole page"]
fn the_page_is_what_the_program_writes() {
    let page = program::document(&data()).unwrap();
    assert_eq!(page, include_str!("../../docs/silicon.md"), "run the example again");
}
