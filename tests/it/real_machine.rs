//! Machines that stand somewhere: hwloc, tables of coordinates, jobs of Slurm; launcher files read again.

mod launched;

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use meshwright_core::units::NodeId;
use meshwright_formats::scenario;
use meshwright_hosts as real;
use meshwright_hosts::launcher;
use meshwright_hosts::launcher::expected::{self, by_slots, parse_rank_order, rankfile};
use meshwright_hosts::launcher::seats::{self, Seat, compare};
use meshwright_hosts::launcher::{Hosts, Launch, Ranks};
use meshwright_hosts::started::{Started, started};
use meshwright_hosts::{coordinates, hwloc, slurm};
use meshwright_mapping::{Placement, task_file};
use meshwright_network::topology::Slot;
use meshwright_network::topology::{Machine, Topology, distances_from};
use meshwright_runtime::transport::threads;
use proptest::prelude::*;

fn data(file: &str) -> String {
    format!("{}/tests/data/{file}", env!("CARGO_MANIFEST_DIR"))
}

fn slot_names(machine: &Machine) -> Vec<String> {
    machine.places().iter().map(|place| place.slot.to_string()).collect()
}

#[test]
fn files_of_hwloc_1_and_2_are_one_machine() {
    let new = real::machine(&format!("hwloc:{}", data("two-packages.xml"))).unwrap();
    let old = real::machine(&format!("hwloc:{}", data("two-packages-hwloc-1.xml"))).unwrap();
    assert_eq!(slot_names(&new), ["0:0", "0:1", "0:2", "0:3", "1:0", "1:1", "1:2", "1:3"]);
    assert_eq!(new.places(), old.places());
    let table =
        |machine: &Machine| (0..8).map(|node| distances_from(machine, NodeId(node))).collect::<Vec<_>>();
    assert_eq!(table(&new), table(&old));
    assert_eq!(table(&new)[3], [2, 3, 1, 0, 3, 4, 4, 5]);
    assert!(new.places().iter().all(|place| place.host == "localhost"), "a synthetic host has no name");
}

/// What `lstopo` would write of a host of so many things in things, the last being cores.
fn host_xml(arities: &[u32], is_old: bool) -> String {
    fn object(arities: &[u32], depth: usize, text: &mut String) {
        let kinds = ["Package", "Group", "L3Cache", "L2Cache"];
        let Some((&count, below)) = arities.split_first() else { return };
        for _ in 0..count {
            let kind = if below.is_empty() { "Core" } else { kinds[depth] };
            write!(text, "<object type=\"{kind}\">").unwrap();
            match below {
                [] => text.push_str("<object type=\"PU\"/><object type=\"PU\"/>"),
                _ => object(below, depth + 1, text),
            }
            text.push_str("</object>\n");
        }
    }
    let head = if is_old {
        "<topology>"
    } else {
        "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology version=\"2.0\">"
    };
    let mut text = format!(
        "<?xml version=\"1.0\"?>\n{head}<object type=\"Machine\"><info name=\"HostName\" value=\"big-1\"/>"
    );
    object(arities, 0, &mut text);
    text + "<object type=\"NUMANode\"/></object></topology>"
}

/// The digits of a core: which member it is of its group at every level, the outermost first.
fn digits(mut core: u32, arities: &[u32]) -> Vec<u32> {
    let mut digits: Vec<u32> = arities
        .iter()
        .rev()
        .map(|arity| {
            let digit = core % arity;
            core /= arity;
            digit
        })
        .collect();
    digits.reverse();
    digits
}

/// Up to the first core of what does not contain the other, across, and down: a link for each digit that is not 0.
fn distance_by_digits(a: &[u32], b: &[u32]) -> u32 {
    let Some(level) = a.iter().zip(b).position(|(a, b)| a != b) else { return 0 };
    let climb = |digits: &[u32]| digits[level + 1..].iter().filter(|digit| **digit != 0).count() as u32;
    1 + climb(a) + climb(b)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn cores_are_as_far_as_what_they_share_is_deep(arities in prop::collection::vec(1u32..5, 1..5), is_old: bool) {
        let host = hwloc::parse("hwloc:a.xml", host_xml(&arities, is_old).as_bytes(), "a.xml").unwrap();
        let cores: u32 = arities.iter().product();
        prop_assert_eq!(host.nodes(), cores);
        for a in 0..cores {
            let found = distances_from(&host, NodeId(a));
            for b in 0..cores {
                let expected = distance_by_digits(&digits(a, &arities), &digits(b, &arities));
                prop_assert_eq!(found[b as usize], expected, "{} to {} of {:?}", a, b, arities);
            }
        }
        let of_package = cores / arities[0];
        for (place, core) in host.places().iter().zip(0..) {
            let slot = if arities.len() == 1 {
                Slot::OfHost(core)
            } else {
                Slot::OfPackage { package: core / of_package, core: core % of_package }
            };
            prop_assert_eq!((place.node, place.host.as_str(), place.slot), (NodeId(core), "big-1", slot));
        }
    }

    #[test]
    fn no_text_breaks_the_readers(text in "[<>/ =\"a-z0-9,\\[\\]()x:#\n-]{0,60}", cut in 0usize..6000) {
        let _ = hwloc::parse("h", text.as_bytes(), "a.xml");
        let _ = coordinates::parse("c", text.as_bytes(), "a.csv");
        let _ = coordinates::parse("c", format!("host,x\n{text}").as_bytes(), "a.csv");
        let _ = slurm::hosts("V", &text);
        let _ = slurm::tasks_per_node("V", &text, 3);
        let _ = rankfile(text.as_bytes(), "r");
        let _ = parse_rank_order(text.as_bytes(), "o");
        let whole = std::fs::read(data("two-packages.xml")).unwrap();
        let _ = hwloc::parse("h", &whole[..cut.min(whole.len())], "a.xml");
    }
}

/// Asks hwloc itself, where it is installed.
#[test]
fn hwloc_counts_the_same_cores() {
    let Ok(version) = Command::new("lstopo").arg("--version").output() else {
        eprintln!("lstopo is not installed: nobody counts beside us");
        return;
    };
    assert!(version.status.success());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("host.xml");
    for synthetic in [
        "core:1 pu:1",
        "pack:2 core:3 pu:2",
        "pack:2 numa:2 l3:2 l2:1 core:3 pu:1",
        "group:2 pack:3 core:5 pu:4",
    ] {
        let made =
            Command::new("lstopo").args(["-i", synthetic, "--of", "xml", "-f"]).arg(&file).output().unwrap();
        assert!(made.status.success());
        let ask = |arguments: &[&str]| {
            let mut calc = Command::new("hwloc-calc");
            let output = calc.arg("-i").arg(&file).args(arguments).output().unwrap();
            String::from_utf8(output.stdout).unwrap().trim().to_string()
        };
        let host = real::machine(&format!("hwloc:{}", file.display())).unwrap();
        assert_eq!(ask(&["--number-of", "core", "machine:0"]), host.nodes().to_string(), "{synthetic}");
        for place in host.places() {
            let Slot::OfPackage { package, core } = place.slot else { continue };
            let logical = ask(&["--intersect", "core", &format!("package:{package}.core:{core}")]);
            assert_eq!(logical, place.node.to_string(), "{synthetic}: {}", place.slot);
        }
    }
}

#[test]
fn a_bad_topology_is_refused_at_its_place() {
    let deep = "<object type=\"Group\">".repeat(70) + &"</object>".repeat(70);
    for (text, error) in [
        ("", "1:1: this is no XML: "),
        (
            "<topology>\n  <object type=\"Core\"",
            "1:1: this is no XML: the root node was opened but never closed; expected",
        ),
        ("<topology>\n<a></b></topology>", "2:4: this is no XML: "),
        ("<graph/>", "1:1: the outermost element is `graph`; expected a file of `lstopo --of xml`"),
        ("<topology/>", "1:1: there are no cores in this topology; expected"),
        ("<topology>\n <object kind=\"Core\"/></topology>", "2:2: an object has no type; expected"),
        (
            "<topology><object type=\"Core\"/>\n <info name=\"HostName\" value=\"a b\"/></topology>",
            "2:2: `a b` is no host name; expected letters",
        ),
        (&format!("<topology>{deep}</topology>"), "1:1355: more than 64 objects lie in each other; expected"),
    ] {
        let found = hwloc::parse("h", text.as_bytes(), "a.xml").unwrap_err().to_string();
        assert!(found.starts_with(&format!("a.xml:{error}")), "{text:?}: {found}");
    }
    let found = hwloc::parse("h", b"<topology>\n\xff</topology>", "a.xml").unwrap_err().to_string();
    assert!(found.starts_with("a.xml:2:1: this is no text in UTF-8"), "{found}");
    let crowd = host_xml(&[20_000], false);
    let found = hwloc::parse("h", crowd.as_bytes(), "a.xml").unwrap_err().to_string();
    assert!(found.contains("399980000 links"), "{found}");
    for specification in ["hwloc:", "hwloc", "coordinates:"] {
        assert!(Machine::new(specification).unwrap_err().to_string().contains("FILE"), "{specification}");
    }
    assert!(real::machine("hwloc:/no/such.xml").unwrap_err().to_string().starts_with("/no/such.xml: "));
    let unknown = real::machine("hwlock:a.xml").unwrap_err().to_string();
    assert!(unknown.contains("hwloc:FILE.xml") && unknown.contains("mesh:RxC"), "{unknown}");
}

fn table(text: &str) -> Result<Machine, String> {
    coordinates::parse("coordinates:a.csv", text.as_bytes(), "a.csv").map_err(|error| error.to_string())
}

#[test]
fn a_table_of_coordinates_is_a_box() {
    let torus = real::machine(&format!("coordinates:{}", data("coordinates.csv"))).unwrap();
    assert_eq!((torus.sides(), torus.dead().len()), ([2, 4].as_slice(), 0));
    assert_eq!(torus.distance(NodeId(0), NodeId(3)).unwrap().0, 1, "it wraps");
    let names: Vec<(u32, &str)> = torus.places().iter().map(|p| (p.node.0, p.host.as_str())).collect();
    assert_eq!(names[2..5], [(4, "n03"), (5, "n04"), (2, "n05")]);
    // Slots of hosts, sides of its own, a hole, and comments everywhere.
    let mesh =
        table("# made by hand\n# mesh 1x3\n\nhost,slot,row,t # head\na,1:4,0,0\n\na,3,0,2 # last").unwrap();
    assert_eq!((slot_names(&mesh), mesh.dead()), (vec!["1:4".into(), "3".into()], [NodeId(1)].as_slice()));
    assert_eq!(slot_names(&table("host,t\na,0\nb,1\na,2\n").unwrap()), ["0", "0", "1"]);
    assert_eq!(table("host,x\r\na,7\r\n").unwrap().nodes(), 1);
    let five = table("#torus\nhost,a,b,c,d,e\nn,1,1,1,1,1\nm,2,2,2,2,2\n").unwrap();
    assert_eq!((five.nodes(), five.living_count()), (32, 2));
}

#[test]
fn a_bad_table_is_refused_at_its_place() {
    for (text, error) in [
        ("", "1:1: the file is empty; expected a head such as `host,x,y` or `host,slot,x,y,z`"),
        ("name,x\n", "1:1: `name` cannot stand here; expected a head"),
        ("host\n", "1:5: a column of coordinates is missing; expected a head"),
        ("host,slot\n", "1:10: a column of coordinates is missing; expected a head"),
        ("host,x,x\n", "1:8: `x` cannot stand here; expected a head"),
        ("host,x,slot\n", "1:8: `slot` cannot stand here; expected a head"),
        ("host,,x\n", "1:6: `,` cannot stand here; expected a head"),
        ("host,x\n", "2:1: the table names no host; expected a line for each host"),
        ("host,x\na\n", "2:2: the line ends here; expected `,`"),
        ("host,x\na,\n", "2:3: the coordinate is missing; expected an integer from 0 to 16777215"),
        ("host,x\na,4294967295\n", "2:3: the coordinate is `4294967295`; expected an integer"),
        ("host,x\na,-1\n", "2:3: the coordinate is `-1`; expected an integer"),
        ("host,x\na,0,1\n", "2:4: `,` is too much on this line; expected a host with its coordinates"),
        ("host,x\na=b,0\n", "2:1: `a=b` is no host name; expected letters"),
        ("host,slot,x\na,0-3,0\n", "2:3: `0-3` cannot stand here; expected a core such as 3"),
        ("host,slot,x\na,0,0\na,0,1\n", "3:3: slot 0 of `a` stands here twice; expected each slot once"),
        (
            "host,x,y\na,0,0\nb,0,1\nc,0,0\n",
            "4:1: `c` stands where `a` on line 2 stands; expected places of their own",
        ),
        (
            "# torus 2x2\nhost,x\na,0\n",
            "1:9: there are 2 sides, but 1 columns of coordinates; expected a side",
        ),
        ("# torus 2x0\nhost,x\n", "1:9: `2x0` cannot stand here; expected sides joined by x"),
        ("# mesh 2 2\nhost,x\n", "1:10: `2` is too much on this line"),
        ("# mesh 2\nhost,x\na,2\n", "3:3: the coordinate is `2`; expected an integer from 0 to 1"),
    ] {
        let found = table(text).unwrap_err();
        assert!(found.starts_with(&format!("a.csv:{error}")), "{text:?}: {found}");
    }
    let far = table("host,x,y\na,0,0\nb,9999999,9999999\n").unwrap_err();
    assert!(far.contains("at most 16777216 nodes"), "{far}");
}

/// An environment of these variables.
fn job<'a>(variables: &'a [(&'a str, &'a str)]) -> impl Fn(&str) -> Option<String> + 'a {
    |name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.to_string())
}

#[test]
fn lists_of_slurm_are_expanded() {
    let hosts =
        |list: &str| slurm::hosts("V", list).map(|all| all.join(" ")).map_err(|error| error.to_string());
    for (list, expected) in [
        ("n1", "n1"),
        ("n[001-004,7],m2", "n001 n002 n003 n004 n7 m2"),
        ("n[8-11].cluster", "n8.cluster n9.cluster n10.cluster n11.cluster"),
        ("r[1-2]n[0-1,5]", "r1n0 r1n1 r1n5 r2n0 r2n1 r2n5"),
        ("t[0YZx1ZZ]", "t0YZ t0ZZ t1YZ t1ZZ"),
        ("a,a,b", "a a b"),
    ] {
        assert_eq!(hosts(list), Ok(expected.to_string()));
    }
    for (list, error) in [
        ("", "V:1:1: `` is no host name; expected letters"),
        ("a,,b", "V:1:3: `` is no host name; expected letters"),
        ("n[", "V:1:3: the list ends here; expected hosts such as n[001-004,7],m2"),
        ("n[]", "V:1:3: `]` cannot stand here"),
        ("n[1-", "V:1:3: this range has no first and last number"),
        ("n[3-1]", "V:1:3: this range has no first and last number"),
        ("n[00x1]", "V:1:3: this range has no first and last number"),
        ("n[1 2]", "V:1:4: ` ` cannot stand here"),
        ("n 1", "V:1:2: ` ` cannot stand here"),
        ("-n", "V:1:1: `-n` is no host name"),
        ("n[0-99999999]", "a job of this size needs 100000000 nodes; the limit is 16777216 nodes"),
        ("n[0-18446744073709551615]", "a job of this size needs 18446744073709551615 nodes"),
        ("n[0-9999][0-9999]", "a job of this size needs 100000000 nodes"),
        ("n[000000x999999Z]", "V:1:3: this range"),
        ("n[0000000xZZZZZZZ]", "a job of this size needs 60466176 nodes"),
    ] {
        let found = hosts(list).unwrap_err();
        assert!(found.starts_with(error), "{list:?}: {found}");
    }
    let counts = |text: &str| slurm::tasks_per_node("V", text, 4).map_err(|error| error.to_string());
    assert_eq!(counts("2(x3),1"), Ok(vec![2, 2, 2, 1]));
    assert_eq!(counts("4,3,2,1"), Ok(vec![4, 3, 2, 1]));
    for (text, error) in [
        ("", "V:1:1: expected a whole number"),
        ("2(x3)", "V:1:1: these are counts for 3 of 4 hosts; expected counts such as 2(x3),1"),
        ("2(x5)", "V:1:1: these are counts for more than 4 hosts"),
        ("2(3)", "V:1:3: `3` cannot stand here"),
        ("2(x3", "V:1:5: the list ends here"),
        ("2(x3)1", "V:1:6: `1` cannot stand here"),
        ("2,-1", "V:1:3: expected a whole number"),
        ("1(x4294967295)", "V:1:4: expected a whole number"),
    ] {
        let found = counts(text).unwrap_err();
        assert!(found.starts_with(error), "{text:?}: {found}");
    }
}

#[test]
fn a_job_of_slurm_is_a_machine() {
    let two = [("SLURM_JOB_NODELIST", "n[1-3]"), ("SLURM_TASKS_PER_NODE", "2(x2),1")];
    let switch = slurm::machine("slurm", "", &job(&two)).unwrap();
    assert_eq!(distances_from(&switch, NodeId(3)), [2, 3, 1, 0, 2], "slots n1/0 n1/1 n2/0 n2/1 n3/0");
    let places: Vec<String> = switch.places().iter().map(|p| format!("{}/{}", p.host, p.slot)).collect();
    assert_eq!(places, ["n1/0", "n1/1", "n2/0", "n2/1", "n3/0"]);
    let line = slurm::machine("slurm:mesh:1x5", "mesh:1x5", &job(&two)).unwrap();
    assert_eq!((line.name(), line.places()), ("slurm:mesh:1x5", switch.places()));

    let digits = [("SLURM_NODELIST", "tux[000x011,10Z]")];
    let torus = slurm::machine("slurm:names", "names", &job(&digits)).unwrap();
    assert_eq!((torus.sides(), torus.living_count()), ([2, 2, 36].as_slice(), 5));
    let last = torus.places().last().unwrap();
    assert_eq!((torus.coordinates(last.node), last.host.as_str()), (vec![1, 0, 35], "tux10Z"));

    for (wiring, variables, error) in [
        ("", [("A", "b"), ("C", "d")].as_slice(), "machine is `slurm`; expected a job of Slurm"),
        ("mesh:2x2", &two, "machine is 5 slots for mesh:2x2; expected 4 tasks in the job"),
        ("ring:5", &two, "machine is `ring:5`; expected mesh:"),
        ("names", &two, "slurm:names is not possible here: the name n1 does not end in three digits"),
        ("names", &[("SLURM_NODELIST", "a0 1")], "SLURM_NODELIST:1:3: "),
        ("names", &[("SLURM_NODELIST", "a001,b001")], "slurm:names is not possible here: a001 and b001 have"),
        (
            "names",
            &[("SLURM_NODELIST", "a001"), ("SLURM_TASKS_PER_NODE", "2")],
            "slurm:names is not possible here: a001 takes several tasks",
        ),
        ("", &[("SLURM_NODELIST", "n[0-99999]")], "a machine of this size needs 9999900000 links"),
    ] {
        let found = slurm::machine("slurm", wiring, &job(variables)).unwrap_err().to_string();
        assert!(found.starts_with(error), "{wiring}: {found}");
    }
}

#[test]
fn many_hosts_are_quick() {
    let big = [("SLURM_JOB_NODELIST", "n[000000-099999]")];
    let torus = slurm::machine("slurm:torus:100x1000", "torus:100x1000", &job(&big)).unwrap();
    assert_eq!((torus.nodes(), torus.places()[99_999].host.as_str()), (100_000, "n099999"));
    let mut text = "host,x,y,z\n".to_string();
    for place in torus.places().iter().rev() {
        let node = place.node.0;
        writeln!(text, "{},{},{},{}", place.host, node / 2000, node / 40 % 50, node % 40).unwrap();
    }
    let mesh = table(&text).unwrap();
    assert_eq!((mesh.sides(), mesh.dead().len()), ([50, 50, 40].as_slice(), 0));
    assert_eq!(mesh.places()[0].node, NodeId(99_999));
    let cores = host_xml(&[100, 10, 10, 10], false);
    assert_eq!(hwloc::parse("h", cores.as_bytes(), "a.xml").unwrap().nodes(), 100_000);
}

#[test]
fn a_scenario_finds_the_files_beside_it_and_keeps_the_dead() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.csv"), "# mesh 2x2\nhost,x,y\na,0,0\nb,0,1\nc,1,0\n").unwrap();
    let toml = folder.path().join("a.toml");
    std::fs::write(&toml, "[machine]\ntopology = \"coordinates:a.csv\"\ndead = [[0, 1]]\n").unwrap();
    let machine = scenario::machine(toml.to_str().unwrap()).unwrap();
    assert_eq!((machine.name(), machine.dead()), ("coordinates:a.csv", [NodeId(1), NodeId(3)].as_slice()));
    assert_eq!(machine.slot_order(), [NodeId(0), NodeId(2)]);
    assert_eq!(Machine::new("mesh:1x3").unwrap().slot_order(), [0, 1, 2].map(NodeId));
}
