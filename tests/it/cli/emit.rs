//! `map --emit`, and docs/launching.md, whose commands are run.

use super::*;
use meshwright_hosts::launcher::FORMATS;

const MAP: [&str; 6] = ["map", "binomial:4", "--on", "mesh:4x4", "--placement", "reflecting"];

fn map_with(folder: &Path, more: &[&str]) -> (i32, String, String) {
    run(folder, &[&MAP, more].concat())
}

fn read(folder: &Path, file: &str) -> String {
    std::fs::read_to_string(folder.join(file)).unwrap()
}

#[test]
fn every_format_is_written_at_once_and_told_of() {
    let folder = folder(&[]);
    // Of trees MSCCL takes broadcasts only.
    let formats = || FORMATS.iter().filter(|format| format.name != "msccl-xml");
    let targets: Vec<String> = formats().map(|format| format!("{0}:{0}.txt", format.name)).collect();
    let options: Vec<&str> = targets.iter().flat_map(|target| ["--emit", target.as_str()]).collect();
    let (code, stdout, stderr) = map_with(folder.path(), &options);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(stdout.contains("\nEmitted: reflecting; ranks by tree\n"), "{stdout}");
    assert_eq!(entries(folder.path()).len(), targets.len());
    for format in formats() {
        assert!(
            stdout.contains(format.summary)
                && !read(folder.path(), &format!("{}.txt", format.name)).is_empty()
        );
    }
    assert!(run(folder.path(), &["map", "-h"]).1.contains("rankfile"));
    let help = run(folder.path(), &["map", "-h"]).1.split_whitespace().collect::<Vec<_>>().join(" ");
    for format in FORMATS {
        assert!(help.contains(format.name), "{}: {help}", format.name);
    }
    // The schedule is the one that `--out` writes.
    assert_eq!(map_with(folder.path(), &["--out", "m"]).0, 0);
    assert_eq!(read(folder.path(), "m/binomial-4.goal"), read(folder.path(), "goal.txt"));
}

#[test]
fn the_fastest_of_several_is_written_under_the_machines_switching() {
    for switching in ["wormhole", "cut-through", "store-and-forward"] {
        let folder = folder(&[]);
        let map = [
            "map",
            "binomial:6",
            "--on",
            "mesh:8x8",
            "--switching",
            switching,
            "--json",
            "--emit",
            "rankfile:r",
        ];
        let (code, stdout, _) = run(folder.path(), &map);
        assert_eq!((code, stdout.lines().count()), (0, 1));
        let report: Value = serde_json::from_str(&stdout).unwrap();
        let rows = report["placements"].as_array().unwrap();
        let cycles = |row: &Value| row["simulated_cycles"][switching].as_u64().unwrap();
        let fastest = rows.iter().min_by_key(|row| cycles(row)).unwrap();
        let emitted = &report["emitted"];
        let row = rows.iter().find(|row| row["name"] == emitted["placement"]).expect("it is listed");
        assert_eq!(cycles(row), cycles(fastest), "{switching}: {emitted}");
        assert!(rows.iter().any(|other| cycles(other) > cycles(row)));
        let file = serde_json::json!([{"format": "rankfile", "file": "r"}]);
        assert_eq!((&emitted["files"], &emitted["ranks"]), (&file, &"tree".into()));
        let root: Vec<u64> =
            row["positions"][63].as_array().unwrap().iter().map(|c| c.as_u64().unwrap()).collect();
        let first = format!("rank 0=node{} slot=0", 8 * root[0] + root[1]);
        assert_eq!(read(folder.path(), "r").lines().next(), Some(first.as_str()));
    }
    let plain: Value = serde_json::from_str(&map_with(folder(&[]).path(), &["--json"]).1).unwrap();
    assert!(plain.get("emitted").is_none());
}

#[test]
fn hosts_and_ranks_are_chosen() {
    let hosts: String = (0..16).map(|node| format!("n{:02}.cluster\n", node / 2)).collect();
    let folder = folder(&[("hosts", &hosts), ("a.csv", "phase,source,target,bytes\n1,0,2,64\n")]);
    let emit = ["--force", "--emit", "rankfile:r", "--hosts", "hosts", "--ranks"];
    for (ranks, first) in [("tree", "rank 0=n05.cluster slot=0"), ("task", "rank 0=n00.cluster slot=0")] {
        assert_eq!(map_with(folder.path(), &[&emit[..], &[ranks]].concat()).0, 0);
        assert_eq!(read(folder.path(), "r").lines().next(), Some(first), "{ranks}");
    }
    // Rank 1 of the mirrored tree is rank 8 of the other: the first child, task 7.
    assert_eq!(map_with(folder.path(), &["--emit", "slurm-hostfile:m", "--ranks", "mirrored-tree"]).0, 0);
    assert_eq!(map_with(folder.path(), &["--emit", "slurm-hostfile:t"]).0, 0);
    let line = |file: &str, line: usize| read(folder.path(), file).lines().nth(line).unwrap().to_string();
    assert_eq!((line("m", 1), line("m", 8)), (line("t", 8), line("t", 1)));
    // A trace has no tree: rank r is task r.
    let trace =
        ["map", "a.csv", "--on", "mesh:2x2", "--placement", "row-major", "--emit", "slurm-hostfile:s"];
    let (code, stdout, _) = run(folder.path(), &trace);
    assert_eq!((code, read(folder.path(), "s").as_str()), (0, "node0\nnode1\nnode2\n"));
    assert!(stdout.contains("; ranks by task\n"), "{stdout}");
}

#[test]
fn what_cannot_be_written_is_refused_before_the_work() {
    let folder = folder(&[
        ("few", "a\nb\n"),
        ("a.csv", "phase,source,target,bytes\n1,0,2,64\n"),
        ("pair.graph", "2 1\n2\n1\n"),
        ("holes.toml", "[machine]\ntopology = \"mesh:4x4\"\ndead = [[0, 1]]\n"),
    ]);
    std::fs::create_dir(folder.path().join("d")).unwrap();
    let before = entries(folder.path());
    let on = |tasks: &'static str, machine: &'static str, emit: &'static str| {
        ["map", tasks, "--on", machine, "--placement", "row-major", "--emit", emit]
    };
    let names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
    let list = names.join(", ");
    let cases: Vec<(Vec<&str>, &str)> = vec![
        ([&MAP[..], &["--emit", "hostfile:r"]].concat(), list.as_str()),
        ([&MAP[..], &["--emit", "rankfile"]].concat(), list.as_str()),
        ([&MAP[..], &["--emit", "rankfile:"]].concat(), list.as_str()),
        ([&MAP[..], &["--emit", "rankfile:-"]].concat(), "standard output has the tables"),
        ([&MAP[..], &["--emit", "rankfile:d"]].concat(), "d: this is no file that could be replaced"),
        ([&MAP[..], &["--emit", "rankfile:no/r", "--out", "x"]].concat(), "no: there is no such folder"),
        ([&MAP[..], &["--emit", "rankfile:r", "--emit", "goal:r"]].concat(), "`r` twice"),
        ([&MAP[..], &["--hosts", "few"]].concat(), "--emit"),
        ([&MAP[..], &["--ranks", "tree"]].concat(), "--emit"),
        ([&MAP[..], &["--emit", "goal:r", "--ranks", "bush"]].concat(), "task, tree, mirrored-tree"),
        ([&MAP[..], &["--emit", "rankfile:r", "--hosts", "few"]].concat(), "few:3:1"),
        ([&MAP[..], &["--emit", "rankfile:r", "--hosts", "none"]].concat(), "none: No such file"),
        (on("binomial:6", "hypercube:6", "bgq-mapfile:r").to_vec(), "at most 5 coordinates"),
        (on("binomial:4", "hypercube:4", "vcoordfile:r").to_vec(), "at most 3 coordinates"),
        (on("binomial:1", "graph:pair.graph", "vcoordfile:r").to_vec(), "no coordinates"),
        (on("binomial:3", "holes.toml", "bgq-mapfile:r").to_vec(), "node (0,1) is dead"),
        (
            [&on("a.csv", "mesh:2x2", "goal:r")[..], &["--ranks", "tree"]].concat(),
            "no binomial tree; expected `task`",
        ),
    ];
    for (arguments, said) in cases {
        let (code, stdout, stderr) = run(folder.path(), &arguments);
        let words = stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!((code, stdout.as_str()), (2, ""), "{arguments:?}: {stderr}");
        assert!(words.contains(said), "{arguments:?}: {stderr}");
        assert_eq!(entries(folder.path()), before, "{arguments:?}");
    }
}

#[test]
fn a_map_that_was_written_is_a_placement_again() {
    let folder = folder(&[("bad.map", "16\n0\t0\n0\t1\n")]);
    assert_eq!(map_with(folder.path(), &["--emit", "scotch-map:b4.map"]).0, 0);
    let rows = |placement: &str| {
        let map = ["map", "binomial:4", "--on", "mesh:4x4", "--placement", placement, "--json"];
        let (code, stdout, stderr) = run(folder.path(), &map);
        assert_eq!((code, stderr.as_str()), (0, ""), "{placement}");
        let report: Value = serde_json::from_str(&stdout).unwrap();
        report["placements"].as_array().unwrap().clone()
    };
    let both = rows("b4.map,reflecting,b4.map");
    assert_eq!((both.len(), &both[0]["name"], &both[1]["name"]), (2, &"b4.map".into(), &"reflecting".into()));
    let renamed = |row: &Value| {
        let mut row = row.clone();
        row["name"] = "reflecting".into();
        row
    };
    assert_eq!(renamed(&both[0]), both[1]);
    assert_eq!(renamed(&rows("b4.map")[0]), both[1]);
    let all = rows("b4.map,all");
    // One more than the table, and one less: a tree has no axes.
    assert_eq!((all.len(), &all[all.len() - 1]), (meshwright_mapping::PLACEMENTS.len(), &both[0]));
    // What was read is written again, for another launcher and with `--out`.
    let again = ["map", "binomial:4", "--on", "mesh:4x4", "--placement", "b4.map"];
    assert_eq!(
        run(folder.path(), &[&again[..], &["--emit", "scotch-map:c.map", "--out", "m"]].concat()).0,
        0
    );
    assert_eq!(read(folder.path(), "c.map"), read(folder.path(), "b4.map"));
    for (placement, said) in
        [("bad.map", "bad.map:3:1"), ("none.map", "none.map: No such file"), ("b4.map,no", "`no`")]
    {
        let map = ["map", "binomial:4", "--on", "mesh:4x4", "--placement", placement];
        let (code, stdout, stderr) = run(folder.path(), &map);
        assert_eq!((code, stdout.as_str()), (2, ""), "{placement}");
        assert!(stderr.contains(said), "{stderr}");
    }
}

#[test]
fn auto_is_followed() {
    let folder = folder(&[]);
    let map = ["map", "binomial:6", "--on", "mesh:8x8", "--placement", "auto", "--emit", "rankfile:r"];
    let (code, stdout, _) = run(folder.path(), &map);
    assert_eq!(code, 0);
    let (_, json, _) = run(folder.path(), &[&map[..], &["--json"]].concat());
    let report: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(report["emitted"]["placement"], report["choice"]["placement"]);
    let chosen = report["choice"]["placement"].as_str().unwrap();
    assert!(
        stdout.contains(&format!("\nEmitted: {chosen}, the choice of auto; ranks by tree\n")),
        "{stdout}"
    );
}

/// The console blocks of a page: commands, each with the lines printed below it.
fn sessions(page: &str) -> Vec<Vec<(String, Vec<String>)>> {
    let page = crate::text(Path::new(page));
    let blocks = page.split("```console\n").skip(1).map(|rest| rest.split("```").next().unwrap().to_string());
    let session = |block: String| {
        let mut session: Vec<(String, Vec<String>)> = vec![];
        for line in block.lines() {
            match line.strip_prefix("$ ") {
                Some(command) => session.push((command.to_string(), vec![])),
                None => session.last_mut().expect("a command comes first").1.push(line.to_string()),
            }
        }
        session
    };
    blocks.map(session).collect()
}

/// Runs the commands of a page, in one folder: later sections use the files of earlier ones. The formats that it writes.
fn shown_by(page: &str, folder: &Path) -> Vec<String> {
    let mut formats = vec![];
    for (command, shown) in sessions(page).into_iter().flatten() {
        let words: Vec<&str> = command.split(' ').collect();
        let printed: Vec<String> = match words[0] {
            "meshwright" => {
                let (code, stdout, stderr) = run(folder, &words[1..]);
                assert_eq!(code, 0, "{command}: {stderr}");
                assert!(stderr.lines().all(|line| line.starts_with("note: ")), "{command}: {stderr}");
                formats.extend(words.iter().filter_map(|word| Some(word.split_once(':')?.0.to_string())));
                stdout.lines().map(str::to_string).collect()
            }
            tool => {
                let lines: Vec<String> = read(folder, words[2]).lines().map(str::to_string).collect();
                let count = words[1].strip_prefix('-').unwrap().parse::<usize>().unwrap().min(lines.len());
                match tool {
                    "head" => lines[..count].to_vec(),
                    "tail" => lines[lines.len() - count..].to_vec(),
                    _ => panic!("{command}"),
                }
            }
        };
        // `…` stands for any lines; of a verb whose tables are not shown, nothing is.
        match shown.as_slice() {
            [] => assert_eq!(words[0], "meshwright", "{command}"),
            [dots, rest @ ..] if dots == "…" => {
                assert!(printed.ends_with(rest), "{command}: {printed:?}");
            }
            all => assert_eq!(printed, all, "{command}"),
        }
    }
    formats
}

#[test]
fn the_pages_show_what_the_program_writes() {
    let data = |file: &str| crate::text(&Path::new("tests/data").join(file));
    let real = ["two-packages.xml", "coordinates.csv"].map(|file| (file, data(file)));
    let launching = folder(&real.each_ref().map(|(file, text)| (*file, text.as_str())));
    let mut formats = shown_by("docs/launching.md", launching.path());
    let others = folder(&[]);
    for entry in std::fs::read_dir("tests/data/formats").unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, others.path().join(path.file_name().unwrap())).unwrap();
    }
    formats.extend(shown_by("docs/formats.md", others.path()));
    let pages = ["docs/launching.md", "docs/formats.md"].map(|page| crate::text(Path::new(page))).concat();
    for name in FORMATS.iter().map(|format| format.name).chain(["perfetto"]) {
        assert!(formats.iter().any(|shown| shown == name), "the pages show no {name}");
        assert!(pages.contains(&format!("| `{name}` | ")), "{name}");
    }
}

/// The tables of docs/formats.md are those of the program.
#[test]
fn the_page_of_formats_has_every_reader() {
    let page = crate::text(Path::new("docs/formats.md"));
    for format in meshwright_formats::task_files::FORMATS {
        let row = format!("| `{}` | {} | {} |\n", format.name, format.summary, format.numbers);
        assert!(page.contains(&row), "{row}");
    }
    for source in meshwright_hosts::SOURCES {
        let row =
            format!("| `{}` | {} | {} |\n", source.usage.replace('|', "\\|"), source.summary, source.numbers);
        assert!(page.contains(&row), "{row}");
    }
}

#[test]
fn a_divided_load_is_recorded_as_it_was_simulated() {
    for more in [&["--method", "installments"][..], &["--ports", "one", "--message-startup", "0.01"]] {
        let folder = folder(&[]);
        let split = ["split", "--on", "mesh:3x4", "--source", "1,1", "--sigma", "0.2", "--json"];
        let emit = ["--emit", "perfetto:trace.json", "--emit", "goal:load.goal"];
        let (code, stdout, stderr) = run(folder.path(), &[&split[..], more, &emit].concat());
        assert_eq!((code, stderr.as_str()), (0, ""));
        let report: Value = serde_json::from_str(&stdout).unwrap();
        let methods = report["methods"].as_array().unwrap();
        let winner = methods.iter().find(|method| method["name"] == report["winner"]).unwrap();
        let trace: Value = serde_json::from_str(&read(folder.path(), "trace.json")).unwrap();
        assert_eq!(trace["otherData"]["cycles"], winner["simulated_cycles"], "{more:?}");
        let events = trace["traceEvents"].as_array().unwrap();
        let messages = events.iter().filter(|event| event["ph"] == "b").count();
        let goal = read(folder.path(), "load.goal");
        assert_eq!(goal.lines().filter(|line| line.contains("send ")).count(), messages);
    }
    let folder = folder(&[]);
    let split =
        ["split", "--on", "mesh:3x4", "--source", "1,1", "--sigma", "0.1,0.2", "--emit", "goal:load.goal"];
    let (code, _, stderr) = run(folder.path(), &split);
    assert_eq!((code, entries(folder.path()).len()), (2, 0));
    assert!(stderr.contains("no --emit beside several values"), "{stderr}");
}
