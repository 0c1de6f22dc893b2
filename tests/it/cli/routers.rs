//! The flit engine as a user meets it: what the issue asks to be shown, broken machines, and what does not fit.

use std::time::{Duration, Instant};

use super::*;

/// Runs words that must end in one error, exit 2 and nothing written.
fn refused(folder: &Path, line: &str) -> String {
    let before = entries(folder);
    let (code, stdout, stderr) = run(folder, &line.split(' ').collect::<Vec<_>>());
    assert_eq!((code, stdout.as_str()), (2, ""), "{line}: {stderr}");
    assert!(stderr.starts_with("error: ") && stderr.matches("error:").count() == 1, "{line}: {stderr}");
    assert_eq!(entries(folder), before, "nothing is written");
    stderr
}

fn json(folder: &Path, line: &str) -> (i32, Value) {
    let (code, stdout, stderr) = run(folder, &line.split(' ').collect::<Vec<_>>());
    assert_eq!(stderr, "", "{line}");
    (code, serde_json::from_str(&stdout).unwrap())
}

/// An allreduce by recursive doubling.
fn allreduce(ranks: u32) -> String {
    let mut text = format!("num_ranks {ranks}\n");
    for rank in 0..ranks {
        text += &format!("rank {rank} {{\n");
        for round in 0..ranks.ilog2() {
            let peer = rank ^ 1 << round;
            text += &format!(
                "s{round}: send 8b to {peer} tag {round}\nr{round}: recv 8b from {peer} tag {round}\n"
            );
            if round > 0 {
                let last = round - 1;
                text += &format!("s{round} requires s{last}\ns{round} requires r{last}\n");
            }
        }
        text += "}\n";
    }
    text
}

#[test]
fn an_allreduce_runs_on_both_engines() {
    let folder = folder(&[("a.goal", &allreduce(64))]);
    let (code, message) =
        json(folder.path(), "simulate a.goal --on torus:8x8 --switching cut-through --json");
    let (other, flit) = json(
        folder.path(),
        "simulate a.goal --on torus:8x8 --switching cut-through --engine flit --set virtual_channels=2 --json",
    );
    assert_eq!((code, other), (0, 0));
    assert_eq!((&message["engine"], &flit["engine"]), (&"message".into(), &"flit".into()));
    for key in ["messages", "flit_hops", "deadlock"] {
        assert_eq!(message[key], flit[key], "{key}");
    }
    assert_eq!(message["messages"], 64 * 6);
    let [message, flit] = [message, flit].map(|report| report["cycles"].as_f64().unwrap());
    // Six rounds of a start-up, eight bytes and distances 1, 2 and 4 in each dimension.
    assert!(message >= 6.0 * 108.0 + 2.0 * 14.0 && flit / message > 0.8 && flit / message < 1.25);
}

#[test]
fn broken_machines_are_gone_around_or_refused() {
    let machine = |topology: &str, dead: &str| format!("[machine]\ntopology = \"{topology}\"\n{dead}\n");
    let folder = folder(&[
        ("mesh.toml", &machine("mesh:5x5", "dead = [[2, 2], [1, 3]]\ndead_links = [[[0, 0], [0, 1]]]")),
        ("torus.toml", &machine("torus:5x5", "dead = [[2, 2], [1, 3]]\ndead_links = [[[0, 0], [0, 4]]]")),
        ("apart.toml", &machine("mesh:4x4", "dead = [[0, 1], [1, 0]]")),
        ("a.goal", "num_ranks 16\nrank 0 { send 8b to 15 }\nrank 15 { recv 8b from 0 }\n"),
        ("b.goal", "num_ranks 3\nrank 0 { send 8b to 2 }\nrank 2 { recv 8b from 0 }\n"),
    ]);
    let run = |line: &str| json(folder.path(), line);
    for file in ["mesh.toml", "torus.toml"] {
        let traffic = format!("simulate --on {file} --traffic uniform --load 0.05 --measure 2000 --json");
        let (code, report) = run(&traffic);
        assert_eq!((code, &report["undelivered"], &report["saturated"]), (0, &0.into(), &false.into()));
        let (code, report) = run(&format!("simulate a.goal --on {file} --engine flit --json"));
        assert_eq!((code, &report["deadlock"]), (0, &Value::Null));
    }
    for engine in ["message", "flit"] {
        let told = refused(folder.path(), &format!("simulate a.goal --on apart.toml --engine {engine}"));
        assert!(told.contains("there is no path from node (0,0) to node "), "{told}");
    }
    let told = refused(folder.path(), "simulate --on apart.toml --traffic uniform --load 0.1");
    assert!(told.contains("there is no path from node (0,0) to node (0,2)"), "{told}");
    let told = refused(folder.path(), "simulate --on mesh.toml --traffic transpose --load 0.1");
    assert!(told.contains("(3,1) sends to (1,3), which is dead"), "{told}");
}

/// Sixteen million routers with 255 slots each are refused with the memory they need, before it is asked for.
#[test]
fn machines_that_do_not_fit_are_refused_at_once() {
    let folder = folder(&[("b.goal", "num_ranks 3\nrank 0 { send 8b to 2 }\nrank 2 { recv 8b from 0 }\n")]);
    let begin = Instant::now();
    for (line, told) in [
        (
            "simulate b.goal --on mesh:4096x4096 --engine flit --set buffers=255",
            "needs 135424 MiB; the limit is 16384 MiB",
        ),
        (
            "simulate b.goal --on hypercube:20 --engine flit --set buffers=255",
            "needs 84064 MiB; the limit is 16384 MiB",
        ),
        (
            "simulate b.goal --on hypercube:20 --engine flit --set virtual_channels=2",
            "channels; the limit is 64 channels",
        ),
        ("simulate --on hypercube:24 --traffic uniform --load 0.1", "needs 805306368 links, about 18 GiB"),
    ] {
        let stderr = refused(folder.path(), line);
        // Less may be free on this machine than the flit engine takes at most.
        let less = told.contains("MiB") && stderr.contains("GiB of memory; the limit is ");
        assert!(less || stderr.contains(told), "{line}: {stderr}");
    }
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
}

/// Runs a command with each of these words behind it; each must be refused with this phrase.
fn all_refused(command: &str, cases: &[(&str, &str)]) {
    let folder =
        folder(&[("other.jsonl", "{\"load\": 1}\n"), ("empty.txt", ""), ("twice.txt", "0 1\n0 2\n1 0\n")]);
    std::fs::create_dir(folder.path().join("folder")).unwrap();
    for (words, told) in cases {
        let stderr = refused(folder.path(), &format!("{command} {words} --out new"));
        assert!(stderr.contains(told), "{words}: {stderr}");
    }
}

#[test]
fn hostile_numbers_are_refused() {
    all_refused(
        "simulate --on mesh:4x4 --traffic uniform",
        &[
            ("--load 0", "load is 0"),
            ("--load nan", "load is NaN"),
            ("--load inf", "load is inf"),
            ("--load -1", "load is -1"),
            ("--load 1e300", "load is 1"),
            ("--load 1.0000001", "load is 1.0000001"),
            ("--load x", "'--load <LOAD>'"),
            ("--load 0.1 --packet 0", "packet is 0"),
            ("--load 0.1 --packet 65537", "packet is 65537"),
            ("--load 0.1 --packet 99999999999999999999", "'--packet <FLITS>'"),
            ("--load 0.1 --warm-up 18446744073709551615", "warm-up is 18446744073709551615"),
            ("--load 0.1 --drain 18446744073709551616", "'--drain <N>'"),
            ("--load 0.1 --threads 0", "'--threads <N>'"),
            ("--load 0.1 --seed -1", "'--seed <N>'"),
            ("--load 0.1 --preset BookSim", "router is `BookSim`"),
            ("--load 0.1 --set virtual_channels=0", "virtual_channels is `0`"),
            ("--load 0.1 --set virtual_channels=33", "virtual_channels is `33`"),
            ("--load 0.1 --set virtual_channels=32", "256 channels; the limit is 64"),
            ("--load 0.1 --set buffers=256", "buffers is `256`"),
            ("--load 0.1 --set link_delay=0", "link_delay is `0`"),
            ("--load 0.1 --set routing_delay=1e3", "routing_delay is `1e3`"),
            ("--load 0.1 --set speculative=2", "speculative is `2`"),
            ("--load 0.1 --set allocator=lottery", "allocator is `lottery`"),
            ("--load 0.1 --set ports=two", "ports is `two`"),
            ("--load 0.1 --set routing=north", "routing is `north`"),
            ("--load 0.1 --set routing=valiant", "virtual_channels is 1; expected at least 2"),
            ("--load 0.1 --set =1", "setting is ``"),
            ("--load 0.1 --set speculative=1", "allocation delay is 0"),
        ],
    );
}

#[test]
fn traffic_without_targets_is_refused() {
    all_refused(
        "simulate --on mesh:4x4",
        &[
            ("--traffic transposed --load 0.1", "traffic is `transposed`"),
            ("--traffic permutation: --load 0.1", "No such file"),
            ("--traffic permutation:none.txt --load 0.1", "none.txt: No such file"),
            ("--traffic permutation:folder --load 0.1", "folder: "),
            ("--traffic permutation:empty.txt --load 0.1", "empty.txt"),
            ("--traffic permutation:twice.txt --load 0.1", "twice.txt:2:1"),
        ],
    );
}

#[test]
fn sweeps_that_cannot_be_are_refused() {
    all_refused(
        "sweep --on mesh:4x4 --traffic uniform --measure 100",
        &[
            ("--loads 0.1,nan", "load is NaN"),
            ("--loads 0", "load is 0"),
            ("--loads 0.1,,0.2", "--loads"),
            ("--points 0", "number of points is 0"),
            ("--points 99999999", "number of points is 99999999"),
            ("--from 0.5 --to 0.1", "first load is 0.5"),
            ("--to 2", "load is 2"),
            ("--loads 0.1 --points 3", "cannot be used with"),
            ("--results other.jsonl", "other.jsonl"),
            ("--results folder", "folder"),
            ("--results none/new.jsonl", "none"),
        ],
    );
}

/// Memory is looked at before the channel loads of the pattern are, which take half a minute here.
#[test]
fn traffic_on_machines_that_do_not_fit_is_refused_at_once() {
    let begin = Instant::now();
    let line = "simulate --on mesh:2048x2048 --traffic transpose --load 0.1 --set buffers=255";
    let stderr = refused(folder(&[]).path(), line);
    let less = stderr.contains("needs 33.1 GiB of memory; the limit is ");
    assert!(less || stderr.contains("MiB; the limit is 16384 MiB"), "{stderr}");
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
}

/// The names that a routing is also known by are good for a setting, too.
#[test]
fn a_routing_is_set_by_any_of_its_names() {
    let folder = folder(&[]);
    for name in ["xy", "dimension-order"] {
        let line = format!(
            "simulate --on mesh:4x4 --traffic uniform --load 0.1 --measure 100 --json --set routing={name}"
        );
        assert_eq!(json(folder.path(), &line).0, 0, "{name}");
    }
}
