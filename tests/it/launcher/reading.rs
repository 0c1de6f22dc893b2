//! Scotch maps and host files, good and bad.

use meshwright_mapping::map_file;
use proptest::prelude::*;

use super::*;

fn map(text: &str) -> Result<Vec<u32>, String> {
    let mesh = Machine::new("mesh:2x2").unwrap().with_dead(vec![NodeId(2)]).unwrap();
    let nodes = map_file::parse(text.as_bytes(), "a.map", 2, &mesh);
    nodes.map(|nodes| nodes.iter().map(|node| node.0).collect()).map_err(|error| error.to_string())
}

#[test]
fn a_scotch_map_is_read() {
    assert_eq!(map("2\n0\t3\n1\t1\n"), Ok(vec![3, 1]));
    assert_eq!(map("\n2\r\n1 1\r\n\n 0 3"), Ok(vec![3, 1]), "in any order, with any blanks");
    let empty = map_file::parse("0\n".as_bytes(), "a.map", 0, &Machine::new("mesh:1").unwrap());
    assert_eq!(empty.unwrap(), []);
}

#[test]
fn a_bad_scotch_map_is_refused_at_its_place() {
    for (text, error) in [
        ("", "1:1: the file is empty; expected 2"),
        ("3\n0\t0\n1\t1\n", "1:1: the number of pairs is `3`; expected 2"),
        ("2 0\n", "1:3: `0` is too much on this line; expected the number of pairs"),
        ("2\n0\t0\n", "3:1: the file ends after 1 of 2 pairs; expected a pair for every task"),
        ("2\n0\t0\n0\t1\n", "3:1: task 0 is placed twice; expected each task once"),
        ("2\n0\t0\n1\t0\n", "3:3: node 0 has two tasks; expected one task on a node"),
        ("2\n0\t0\n1\t2\n", "3:3: node 2 is dead; expected a working node"),
        ("2\n0\t0\n1\t4\n", "3:3: node is `4`; expected an integer from 0 to 3"),
        ("2\n0\t0\n1\t-1\n", "3:3: node is `-1`; expected an integer from 0 to 3"),
        ("2\n2\t0\n", "2:1: task is `2`; expected an integer from 0 to 1"),
        ("2\n0\n", "2:2: node is missing; expected an integer from 0 to 3"),
        ("2\n0\t0 1\n", "2:5: `1` is too much on this line; expected a task and its node"),
        ("2\n0\t0\n1\t1\n2\t3\n", "4:1: `2` follows the last pair; expected the end of the file"),
    ] {
        assert_eq!(map(text), Err(format!("a.map:{error}")), "{text:?}");
    }
}

fn hosts(text: &str) -> Result<Hosts, String> {
    Hosts::parse(text.as_bytes(), "hosts", &Machine::new("mesh:1x3").unwrap())
        .map_err(|error| error.to_string())
}

#[test]
fn host_files_name_every_node() {
    let named = hosts("# rack 1\na-1.x_y\n\nb # spare\na-1.x_y").unwrap();
    let all = [0, 1, 2].map(|node| (named.name(NodeId(node)), named.slot(NodeId(node)).to_string()));
    let expected = [("a-1.x_y", "0"), ("b", "0"), ("a-1.x_y", "1")];
    assert_eq!(all, expected.map(|(host, slot)| (host.to_string(), slot.to_string())));
    for (text, error) in [
        ("", "1:1: the file ends after 0 host names; expected 3 names, one for each node of mesh:1x3"),
        ("a\nb\n", "3:1: the file ends after 2 host names; expected 3 names, one for each node of mesh:1x3"),
        ("a\nb\nc\nd\n", "4:1: `d` is one name too many; expected 3 names, one for each node of mesh:1x3"),
        ("a\nb c\n", "2:3: `c` is too much on this line; expected one host name"),
        (
            "a\nb=c\n",
            "2:1: `b=c` is no host name; expected letters, digits, `-`, `.` and `_`, such as `node10.cluster`",
        ),
    ] {
        assert_eq!(hosts(text), Err(format!("hosts:{error}")), "{text:?}");
    }
}

#[test]
fn hosts_and_their_slots_stand_in_the_files() {
    let (tasks, pair) = (tree(1, true, false), Machine::new("mesh:1x2").unwrap());
    let placement = placed("row-major", &tasks, &pair, 0);
    let hosts = Hosts::parse("big\nbig\n".as_bytes(), "hosts", &pair).unwrap();
    let launch =
        Launch { tasks: &tasks, placement: &placement, machine: &pair, ranks: Ranks::Tree, hosts: &hosts };
    let text = |format: &str| (launcher::format(format).unwrap().write)(&launch);
    assert_eq!(text("rankfile"), "rank 0=big slot=1\nrank 1=big slot=0\n");
    assert_eq!(text("slurm-hostfile"), "big\nbig\n");
}

proptest! {
    #[test]
    fn a_written_map_is_read_back(seed: u64, tasks in 2u32..36) {
        let (tasks, mesh) = (ring(tasks), Machine::new("mesh:6x6").unwrap());
        let placement = placed("random", &tasks, &mesh, seed);
        let text = written("scotch-map", &tasks, &placement, &mesh);
        let nodes = map_file::parse(text.as_bytes(), "a.map", tasks.tasks, &mesh).unwrap();
        prop_assert_eq!(nodes, placement.nodes);
    }

    #[test]
    fn no_text_makes_a_reader_panic(bytes in prop::collection::vec(prop_oneof![Just(b'\n'), Just(b'\t'), b'0'..b'4', any::<u8>()], 0..40)) {
        let mesh = Machine::new("mesh:2x2").unwrap();
        let nodes = map_file::parse(bytes.as_slice(), "a.map", 2, &mesh);
        prop_assert!(nodes.is_err() || nodes.is_ok_and(|nodes| nodes.len() == 2 && nodes[0] != nodes[1]));
        let _ = Hosts::parse(bytes.as_slice(), "hosts", &mesh);
    }
}
