//! `race`: the contract, the same numbers in table, JSON, CSV and file, and laws over many commands.

use rand::seq::IndexedRandom;

use super::contract::{Contract, hold};
use super::*;

const ROW: &[&str] = &[
    "algorithm",
    "bound_cycles",
    "predicted_cycles",
    "simulated_cycles",
    "gap",
    "steps",
    "chunks",
    "messages",
    "bytes_hops",
    "busiest_link",
];

const RACE: &[&str] =
    &["operation", "bytes", "members", "bound_cycles", "bound", "winner", "reason", "results", "skipped"];

const ONE: &Contract =
    &[("", &["format", "machine"]), ("", RACE), ("bound", &["cycles", "kind", "why"]), ("results/*", ROW)];

const SEVERAL: &Contract = &[
    ("", &["format", "machine", "operation", "races", "regimes"]),
    ("races/*", RACE),
    ("races/*/results/*", ROW),
    ("regimes/*", &["bytes", "startup", "flit", "winners", "simulated_cycles", "gap"]),
];

fn words(line: &str) -> Vec<&str> {
    std::iter::once("race").chain(line.split_whitespace()).collect()
}

fn json(line: &str) -> Value {
    let folder = folder(&[]);
    let (code, stdout, stderr) = run(folder.path(), &words(&format!("{line} --json")));
    assert_eq!((code, stderr.as_str()), (0, ""), "{line}");
    serde_json::from_str(&stdout).expect("one object")
}

/// No row is below the bound, and the winner is the least of those that were simulated.
fn check(race: &Value, line: &str) {
    let bound = race["bound_cycles"].as_u64().unwrap();
    assert_eq!(race["bound"]["cycles"], race["bound_cycles"], "{line}");
    let rows = race["results"].as_array().unwrap();
    let times: Vec<u64> = rows.iter().filter_map(|row| row["simulated_cycles"].as_u64()).collect();
    assert!(!times.is_empty() && times.iter().all(|&time| time >= bound), "{line}: {times:?}, bound {bound}");
    let winner = rows.iter().find(|row| row["algorithm"] == race["winner"]).expect("one of the rows");
    assert_eq!(winner["simulated_cycles"].as_u64(), times.iter().copied().min(), "{line}");
    for row in rows {
        let Some(time) = row["simulated_cycles"].as_u64() else {
            assert!(row["not_simulated"].is_string() && row["gap"].is_null(), "{line}: {row}");
            continue;
        };
        if bound == 0 {
            assert!(row["gap"].is_null() || time == 0, "{line}: {row}");
            continue;
        }
        let gap = time as f64 / bound as f64 - 1.0;
        assert!((row["gap"].as_f64().unwrap() - gap).abs() < 1e-9, "{line}: {row}");
    }
}

#[test]
fn the_contract_holds() {
    let folder = folder(&[]);
    let one = hold(ONE, folder.path(), &words("broadcast --bytes 4KB --on mesh:4x4 --json"));
    assert_eq!((one["operation"].as_str(), one["bytes"].as_u64()), (Some("broadcast"), Some(4000)));
    let line = "all-reduce --bytes 1KB,64KB --startup 10,100 --on torus:4x4 --json";
    let several = hold(SEVERAL, folder.path(), &words(line));
    assert_eq!(several["races"].as_array().unwrap().len(), 4);
    let regimes = several["regimes"].as_array().unwrap();
    for (race, regime) in several["races"].as_array().unwrap().iter().zip(regimes) {
        check(race, "several");
        assert_eq!((&race["bytes"], &race["startup"]), (&regime["bytes"], &regime["startup"]));
        assert!(regime["winners"].as_array().unwrap().contains(&race["winner"]), "{regime}");
    }
}

#[test]
fn table_json_and_csv_have_the_same_numbers() {
    let folder = folder(&[]);
    let line = "all-reduce --bytes 64KB --on torus:4x4 --startup 40 --byte-time 1/32 --flit 32";
    let race = json(line);
    let (code, table, stderr) = run(folder.path(), &words(&format!("{line} --csv race.csv")));
    assert_eq!((code, stderr.as_str()), (0, ""));
    let csv = std::fs::read_to_string(folder.path().join("race.csv")).unwrap();
    let rows = race["results"].as_array().unwrap();
    assert_eq!(csv.lines().count(), rows.len() + 1);
    for row in rows {
        let name = row["algorithm"].as_str().unwrap();
        let cells = |text: &str| text.split_whitespace().map(str::to_string).collect::<Vec<_>>();
        let rows = table.lines().filter(|line| line.starts_with(' '));
        let line = rows.map(cells).find(|cells| cells.iter().take(2).any(|cell| cell == name));
        let line = line.unwrap_or_else(|| panic!("{name} is missing in\n{table}"));
        for key in ["predicted_cycles", "simulated_cycles", "steps", "chunks"] {
            let value = row[key].as_u64().map_or("run".to_string(), |value| value.to_string());
            assert!(line.contains(&value), "{name}, {key} {value}: {line:?}");
        }
        let own = csv.lines().find(|line| line.split(',').nth(4) == Some(name)).expect("a row");
        let value = row["simulated_cycles"].as_u64().map_or(String::new(), |value| value.to_string());
        assert_eq!(own.split(',').nth(9), Some(value.as_str()), "{own}");
    }
    let starred: Vec<&str> = table.lines().filter(|line| line.starts_with(" * ")).collect();
    assert!(starred.iter().any(|line| line.contains(race["winner"].as_str().unwrap())), "{table}");
    assert!(!table.contains("no placement"), "{table}");
    let (_, quiet, _) = run(folder.path(), &words(&format!("{line} -q")));
    assert_eq!(quiet.lines().count(), 1, "{quiet}");
}

/// Over commands drawn at random nothing is below its bound, and the winner is the least.
#[test]
fn nothing_is_below_its_bound() {
    races_are_not_below_their_bounds(8);
}

#[test]
#[ignore = "takes minutes: more races"]
fn nothing_of_more_is_below_its_bound() {
    races_are_not_below_their_bounds(32);
}

fn races_are_not_below_their_bounds(count: usize) {
    let mut rng = meshwright_core::rng::stream(20, "races");
    let mut pick = |all: &[&'static str]| *all.choose(&mut rng).expect("some");
    for _ in 0..count {
        let operation =
            pick(&["broadcast", "reduce", "scatter", "gather", "all-gather", "reduce-scatter", "all-reduce"]);
        let machine =
            pick(&["mesh:4x4", "torus:4x4", "mesh:3x5", "torus:3x5", "mesh:2x3x2", "hypercube:3", "ccc:3"]);
        let bytes = pick(&["1", "7", "100", "4KB", "64KiB"]);
        let startup = pick(&["0", "1", "100", "5000"]);
        let byte_time = pick(&["1", "1/32", "2"]);
        let flit = pick(&["1", "2", "32", "1000"]);
        let switching = pick(&["wormhole", "cut-through", "store-and-forward"]);
        let line = format!(
            "{operation} --bytes {bytes} --on {machine} --startup {startup} --byte-time {byte_time} --flit {flit} \
             --switching {switching}"
        );
        let folder = folder(&[]);
        let (code, stdout, stderr) = run(folder.path(), &words(&format!("{line} --json")));
        let race: Value = serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{line}: {stderr}"));
        match code {
            0 => check(&race, &line),
            _ => assert!(code == 1 && race["winner"].is_null(), "{line}: {stderr}"),
        }
    }
    check(&json("barrier --on torus:5x3"), "barrier");
}

#[test]
fn a_root_that_is_chosen_is_no_worse_than_one_that_is_given() {
    let race = |root: &str| json(&format!("broadcast --bytes 16 --on mesh:9x9{root}"));
    let [chosen, corner, centre] = ["", " --root 0,0", " --root 40"].map(race);
    let least = |race: &Value| {
        let rows = race["results"].as_array().unwrap();
        rows.iter().filter_map(|row| row["simulated_cycles"].as_u64()).min().unwrap()
    };
    assert!(least(&chosen) <= least(&corner).min(least(&centre)), "{chosen}, {corner}, {centre}");
    assert_eq!(chosen["roots"], serde_json::json!([40, 0]));
    assert!(chosen["results"].as_array().unwrap().iter().all(|row| row["root"].is_u64()));
}

/// What is emitted takes as long, and runs on threads with its bytes verified; around a hole few bytes take few messages in a row.
#[test]
fn the_winner_can_be_written_and_run() {
    for (race, on) in
        [("broadcast --bytes 4KiB", "--on mesh:2x3"), ("all-reduce --bytes 100", "--on mesh:3x4 --dead 5")]
    {
        let folder = folder(&[]);
        let line = format!("{race} {on} --emit goal:b.goal --json");
        let (code, stdout, stderr) = run(folder.path(), &words(&line));
        assert_eq!((code, stderr.as_str()), (0, ""));
        let race: Value = serde_json::from_str(&stdout).unwrap();
        let rows = race["results"].as_array().unwrap();
        let winner = rows.iter().find(|row| row["algorithm"] == race["winner"]).unwrap();
        assert!(winner["steps"].as_u64() <= Some(8), "{line}: {winner}");
        let with = |verb: &str, rest: &str| {
            let line = format!("{verb} b.goal {on} {rest}");
            let (code, stdout, stderr) = run(folder.path(), &line.split_whitespace().collect::<Vec<_>>());
            assert_eq!((code, stderr.as_str()), (0, ""), "{line}");
            stdout
        };
        let simulated: Value = serde_json::from_str(&with("simulate", "--json")).unwrap();
        assert_eq!(simulated["cycles"], winner["simulated_cycles"]);
        let ran = with("run", "--repeat 1");
        assert!(ran.contains("verified: every message came"), "{ran}");
    }
}

/// Trees of copies meet the bound of a broadcast from few bytes to many; file, simulation, check and ranks agree with the race.
#[test]
fn routers_that_copy_meet_the_bound() {
    const COSTS: &str = "--switching cut-through --startup 40 --byte-time 1/32 --flit 32";
    for bytes in ["1KB", "64KB", "1MB"] {
        let line = format!("broadcast --bytes {bytes} --on mesh:16x16 {COSTS} --multicast");
        let race = json(&line);
        check(&race, &line);
        assert_eq!(
            (&race["winner"], &race["multicast"]),
            (&"multicast-trees".into(), &true.into()),
            "{line}"
        );
        let best = race["results"].as_array().unwrap().iter().filter_map(|row| row["gap"].as_f64());
        assert_eq!(best.fold(f64::MAX, f64::min), 0.0, "{line}");
    }
    let folder = folder(&[]);
    let told = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (code, stdout, stderr) = run(folder.path(), &words);
        assert_eq!(code, 0, "{line}: {stderr}");
        serde_json::from_str::<Value>(&stdout).unwrap_or_default()
    };
    for (operation, on) in
        [("broadcast", "torus:4x4"), ("all-gather", "mesh:3x4"), ("all-reduce", "mesh:3x3")]
    {
        let race = told(&format!(
            "race {operation} --bytes 6KB --on {on} {COSTS} --multicast --algorithm multicast --json --force \
             --emit goal:copies.goal --emit certificate:bound.json"
        ));
        let text = std::fs::read_to_string(folder.path().join("copies.goal")).unwrap();
        assert!(text.contains(" relays "), "{operation}");
        let again = told(&format!("simulate copies.goal --on {on} {COSTS} --json"));
        assert_eq!(again["cycles"], race["results"][0]["simulated_cycles"], "{operation}");
        told("check bound.json --json");
        told("run copies.goal --json");
    }
}

/// Where routers cannot copy, or copies are of no use, that is said, and what would be accepted.
#[test]
fn copies_that_cannot_be_are_refused() {
    let folder = folder(&[]);
    for (line, expected) in [
        (
            "reduce --bytes 1KB --on mesh:4x4 --switching cut-through --multicast",
            "broadcast, all-gather, all-reduce",
        ),
        ("broadcast --bytes 1KB --on mesh:4x4 --multicast", "--switching cut-through"),
        ("broadcast --bytes 1KB --on mesh:4x4 --switching cut-through --multicast --explain", "no --explain"),
        (
            "broadcast --bytes 1KB --on mesh:4x4 --switching cut-through --algorithm multicast",
            "--multicast says",
        ),
    ] {
        let (code, stdout, stderr) = run(folder.path(), &words(line));
        assert_eq!((code, stdout.as_str()), (2, ""), "{line}");
        assert!(stderr.contains(expected), "{line}: {stderr}");
    }
}

/// The winner is explained as other plans are: the critical path adds up to its time, and half the start-up is no slower.
#[test]
fn the_winner_is_explained() {
    let folder = folder(&[]);
    for line in [
        "broadcast --bytes 4KiB --on mesh:3x4",
        "all-reduce --bytes 100 --on torus:2x3 --switching cut-through",
    ] {
        let race = json(&format!("{line} --explain"));
        let told = &race["explain"];
        let winner =
            race["results"].as_array().unwrap().iter().find(|row| row["algorithm"] == race["winner"]);
        assert_eq!(told["simulated_cycles"], winner.unwrap()["simulated_cycles"], "{line}");
        assert_eq!(told["method"], race["winner"], "{line}");
        let path = told["critical_path"].as_array().unwrap();
        let sum: u64 = path.iter().map(|step| step["cycles"].as_u64().unwrap()).sum();
        assert_eq!(Some(sum), told["simulated_cycles"].as_u64(), "{line}");
        let changes = told["what_if"].as_array().unwrap();
        let startup = changes.iter().find(|change| change["name"] == "startup").expect("half the start-up");
        assert!(startup["gain"].as_f64().unwrap() > 0.0, "{line}: {startup}");
        let (_, stdout, _) = run(folder.path(), &words(&format!("{line} --explain")));
        assert!(stdout.contains("The critical path, backwards") && stdout.contains("What if"), "{stdout}");
    }
}

/// The winner as an algorithm of MSCCL: each message is sent once and received once; what MSCCL does not take is refused before anything is written.
#[test]
fn the_winner_is_written_for_msccl() {
    let folder = folder(&[]);
    let line = "all-reduce --bytes 4KiB --on torus:4x4 --algorithm recursive-doubling --emit msccl-xml:a.xml";
    assert_eq!(run(folder.path(), &words(line)).0, 0);
    let text = std::fs::read_to_string(folder.path().join("a.xml")).unwrap();
    let document = roxmltree::Document::parse(&text).unwrap();
    let note = document.root().first_child().and_then(|comment| comment.text()).unwrap();
    let answer = json(&line[..line.find(" --emit").unwrap()]);
    let simulated = &answer["results"][0]["simulated_cycles"];
    let begin = format!(" all-reduce of 4096 bytes on torus:4x4: {simulated} cycles simulated, at least ");
    assert!(note.starts_with(&begin), "{note}");
    let root = document.root_element();
    let word = |key: &str| root.attribute(key).unwrap();
    assert_eq!((word("coll"), word("ngpus"), word("inplace")), ("allreduce", "16", "1"));
    let kinds = |kind| root.descendants().filter(|node| node.attribute("type") == Some(kind)).count();
    assert_eq!((kinds("s"), kinds("rrc"), kinds("r")), (64, 64, 0), "four exchanges of 16 members");
    std::fs::remove_file(folder.path().join("a.xml")).unwrap();
    for line in [
        "all-to-all --bytes 64KiB --on torus:8x8 --algorithm direct --emit msccl-xml:a.xml",
        "barrier --on torus:4x4 --emit msccl-xml:a.xml",
    ] {
        let (code, stdout, stderr) = run(folder.path(), &words(line));
        assert!(code == 2 && stdout.is_empty() && stderr.contains("msccl-xml"), "{line}: {code} {stderr}");
    }
    assert!(entries(folder.path()).is_empty(), "nothing is written");
}

/// Start-ups and head flits as ranges, as --bytes has them.
#[test]
fn costs_are_ranges() {
    let race =
        json("broadcast --bytes 64 --on mesh:2x2 --startup 1..1000/4 --flit 2..32/2 --algorithm chain");
    let regimes = race["regimes"].as_array().unwrap();
    let of = |key: &str| -> Vec<u64> { regimes.iter().map(|regime| regime[key].as_u64().unwrap()).collect() };
    assert_eq!(of("startup"), [1, 1, 10, 10, 100, 100, 1000, 1000]);
    assert_eq!(of("flit"), [2, 32, 2, 32, 2, 32, 2, 32]);
}

#[test]
fn a_scenario_races_and_its_plan_runs() {
    let scenario = "[machine]\ntopology = \"mesh:2x3\"\n\n[[collective]]\nname = \"w\"\noperation = \"broadcast\"\nbytes = \"4 KiB\"\nroot = [1, 2]\n";
    let folder = folder(&[("s.toml", scenario)]);
    let (code, stdout, stderr) = run(folder.path(), &["plan", "s.toml", "--out", "p"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let title = format!("w: broadcast of {} bytes on mesh:2x3", meshwright_core::words::grouped(4096));
    assert!(stdout.contains(&title), "{stdout}");
    let plan = std::fs::read_to_string(folder.path().join("p/plan.json")).unwrap();
    let plan: Value = serde_json::from_str(&plan).unwrap();
    let job = &plan["jobs"][0];
    assert_eq!((job["kind"].as_str(), job["roots"][0].as_u64()), (Some("collective"), Some(5)));
    check(job, "plan");
    let race = json("broadcast --bytes 4KiB --on mesh:2x3 --root 1,2");
    assert_eq!(race["results"], job["results"], "the verb and the scenario say the same");
    let (code, stdout, _) = run(folder.path(), &["run", "p/plan.json", "--repeat", "1"]);
    assert!(code == 0 && stdout.contains("verified"), "{stdout}");
    for (wrong, word) in [
        ("operation = \"broadcats\"", "did you mean `broadcast`?"),
        ("operation = \"broadcast\"", "bytes"),
        ("operation = \"barrier\"\nbytes = 8", "carries nothing"),
        ("operation = \"all-reduce\"\nbytes = 8\nroot = 0", "has no root"),
        ("operation = \"broadcast\"\nbytes = 8\nalgorithm = \"chian\"", "chain"),
        ("operation = \"broadcast\"\nbytes = 8\ncombine_time = 1", "adds nothing up"),
    ] {
        let text = format!("[machine]\ntopology = \"mesh:2x3\"\n\n[[collective]]\n{wrong}\n");
        std::fs::write(folder.path().join("w.toml"), text).unwrap();
        let (code, _, stderr) = run(folder.path(), &["plan", "w.toml", "--json"]);
        assert!(code == 2 && stderr.contains(word), "{wrong}: {stderr}");
    }
}

#[test]
fn what_has_no_effect_is_refused() {
    let folder = folder(&[]);
    for (line, word) in [
        ("broadcast --on mesh:4x4", "--bytes"),
        ("barrier --bytes 8 --on mesh:4x4", "carries nothing"),
        ("all-reduce --bytes 8 --on mesh:4x4 --root 0", "has no root"),
        ("broadcast --bytes 8 --on mesh:4x4 --root 4,4", "0..3,0..3"),
        ("broadcast --bytes 8 --on mesh:4x4 --combine-time 1", "adds nothing up"),
        ("broadcast --bytes 8 --on mesh:4x4 --algorithm chian", "chain"),
        ("broadcats --bytes 8 --on mesh:4x4", "broadcast"),
        ("broadcast --bytes 8KB..1KB --on mesh:4x4", "FIRST..LAST"),
        ("broadcast --bytes 8 --on mesh:4x4 --startup 0..10", "above 0"),
        ("broadcast --bytes 8 --on mesh:4x4 --flit 4..2", "FIRST..LAST"),
        ("broadcast --bytes 8,9 --on mesh:4x4 --explain", "one schedule"),
        ("broadcast --bytes 8,9 --on mesh:4x4 --emit goal:x.goal", "one schedule"),
        ("broadcast --bytes 8 --on mesh:4x4 --emit gaol:x.goal", "did you mean `goal`"),
        ("all-reduce --bytes 8 --on mesh:3x3 --algorithm reflecting", "power of two"),
        ("broadcast --bytes 8 --on wormhole", "equal links"),
        ("broadcast --bytes 8 --on mesh:4x4 --switching all", "map"),
    ] {
        let (code, stdout, stderr) = run(folder.path(), &words(line));
        assert!(code == 2 && stdout.is_empty() && stderr.contains(word), "{line}: {code} {stderr}");
        assert_eq!(stderr.matches("error").count(), 1, "{line}: {stderr}");
    }
    assert!(entries(folder.path()).is_empty(), "nothing is written");
    let sweep = ["sweep", "--on", "mesh:4x4", "--traffic", "uniform", "--flit", "2,4"];
    let (_, _, stderr) = run(folder.path(), &sweep);
    assert!(stderr.contains("compared by race"), "{stderr}");
}

/// Answers that are about one tree point to those about all algorithms.
#[test]
fn other_verbs_point_here() {
    let folder = folder(&[]);
    let map = ["map", "binomial:4", "--on", "mesh:4x4", "--preset", "broadcast", "--volume", "1MB"];
    let (_, stdout, _) = run(folder.path(), &map);
    assert!(stdout.contains("`meshwright race broadcast --bytes 1000000 --on mesh:4x4`"), "{stdout}");
    let groups = ["groups", "--on", "mesh:4x4", "--collective", "all-reduce"];
    let (_, stdout, _) = run(folder.path(), &groups);
    assert!(stdout.contains("`meshwright race all-reduce --bytes 1MB --on mesh:4x4`"), "{stdout}");
    let merge = ["map", "binomial:4", "--on", "mesh:4x4", "--preset", "merge-sort"];
    assert!(!run(folder.path(), &merge).1.contains("race"));
}
