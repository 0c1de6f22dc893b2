//! The endpoint on real ranks: `examples/endpoint.rs` checks it from inside.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use crate::mpirun::{ended, printed, started};

fn example(ranks: u32, arguments: &[&str]) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_meshwright-mpi")).with_file_name("examples/endpoint");
    let mut command = started(&[], ranks, &program);
    command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    printed(&ended(command.spawn().expect("mpirun is there"), Duration::from_secs(100)))
}

#[test]
fn every_byte_comes_in_order_and_everybody_has_a_turn() {
    for ranks in [1, 2, 4, 16] {
        assert_eq!(example(ranks, &[]), format!("checked on {ranks} ranks\n"));
    }
}

#[test]
fn our_messages_and_those_of_mpi_live_side_by_side() {
    assert_eq!(example(3, &["speed"]).lines().count(), 5);
}

#[test]
#[ignore = "takes 7 GB of memory"]
fn messages_may_be_longer_than_mpi_counts() {
    assert!(example(2, &["long"]).ends_with("bytes came\n"));
}
