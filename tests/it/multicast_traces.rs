//! Traces with multicasts: tables and tt-npe's events say the same, and flows run them where routers cannot.

use std::path::Path;

use meshwright_core::units::NodeId;
use meshwright_formats::presets::named;
use meshwright_formats::trace::{Beside, read};
use meshwright_network::topology::Machine;
use meshwright_schedule::transactions::{Operation, Program, Receivers, Transaction};
use meshwright_sim::fabric::transactions::Movement;
use meshwright_verdict::transactions::{Run, judge};

fn wormhole() -> Machine {
    named("wormhole").unwrap().machine().unwrap()
}

fn written(name: &str, text: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

fn program(path: &Path) -> meshwright_core::Result<Program> {
    let machine = wormhole();
    Ok(read(path, &Beside::default(), machine.fabric().unwrap())?.program)
}

const HEAD: &str = "noc,processor,barrier,operation,source_row,source_col,target_row,target_col,\
target_row_end,target_col_end,bytes,issue_cycle\n";

#[test]
fn a_table_and_the_events_of_tt_npe_name_the_same_box() {
    // On NOC_1, which runs downwards, the corners change places.
    for noc in ["NOC_0", "NOC_1"] {
        let (x, y) = if noc == "NOC_0" { ([6, 8], [2, 4]) } else { ([8, 6], [4, 2]) };
        let event = format!(
            r#"{{"proc":"BRISC","sx":1,"sy":1,"timestamp":100,"noc":"{noc}","type":"WRITE_MULTICAST","num_bytes":512,
            "mcast_start_x":{},"mcast_start_y":{},"mcast_end_x":{},"mcast_end_y":{}}}"#,
            x[0], y[0], x[1], y[1]
        );
        let (_folder, path) = written("events.json", &format!("[{event}]"));
        let events = program(&path).unwrap();
        let (_folder, path) =
            written("table.csv", &format!("{HEAD}{noc},BRISC,0,multicast,1,1,2,6,4,8,512,0\n"));
        let table = program(&path).unwrap();
        let machine = wormhole();
        let grid = machine.fabric().unwrap().grid();
        let first =
            |program: &Program| -> Transaction { *program.processors[0].transactions().next().unwrap() };
        assert_eq!(first(&events), first(&table), "{noc}");
        let corner = Receivers::UpTo(grid.node_at(&[4, 8]));
        let operation = Operation::Multicast { receivers: corner, acknowledged: true };
        assert_eq!((first(&table).operation, first(&table).peer), (operation, grid.node_at(&[2, 6])));
        assert_eq!(table.receivers(grid, NodeId(11), &first(&table)).count(), 9);
    }
}

#[test]
fn flows_run_what_routers_cannot_copy() {
    let lines = "NOC_0,BRISC,0,multicast,1,1,2,6,4,8,4096,0\nNOC_0,BRISC,0,posted-write,1,1,2,6,0,0,64,200\n";
    let (_folder, path) = written("both.csv", &format!("{HEAD}{lines}"));
    let machine = wormhole();
    let trace = read(&path, &Beside::default(), machine.fabric().unwrap()).unwrap();
    let run = |movement| judge(&machine, &trace.recorded(), Run { closed_loop: true, movement });
    let verdict = run(None).unwrap();
    assert_eq!((verdict.engine, verdict.bytes), ("message", 4096 + 64));
    assert!(verdict.bound_cycles <= verdict.cycles);
    assert!(run(Some(Movement::Flits)).unwrap_err().to_string().contains("message engine"));
}

#[test]
fn a_multicast_without_its_last_node_is_refused_where_it_stands() {
    let head = "noc,processor,operation,source_row,source_col,target_row,target_col,bytes\n";
    let (_folder, path) = written("short.csv", &format!("{head}NOC_0,BRISC,multicast,1,1,2,6,64\n"));
    let refused = program(&path).unwrap_err().to_string();
    assert!(refused.contains("target_row_end"), "{refused}");
    let (_folder, path) = written("other.csv", &format!("{head}NOC_0,BRISC,shout,1,1,2,6,64\n"));
    let refused = program(&path).unwrap_err().to_string();
    assert!(refused.contains("posted-multicast"), "{refused}");
}
