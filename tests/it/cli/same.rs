//! One word, one meaning: options, old names, machines, standard input and dead nodes are alike in every verb.

use std::io::Write;

use serde_json::Value;

use super::*;

/// A matrix of four tasks in a ring.
const RING: &str = "%%MatrixMarket matrix coordinate integer general\n4 4 4\n1 2 8\n2 3 8\n3 4 8\n4 1 8\n";

fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

/// What a command prints; it ends well.
fn answer(folder: &Path, line: &str) -> String {
    let (code, stdout, stderr) = run(folder, &words(line));
    assert_eq!((code, stderr.as_str()), (0, ""), "{line}");
    stdout
}

fn refused(folder: &Path, line: &str) -> String {
    let (code, stdout, stderr) = run(folder, &words(line));
    assert_eq!((code, stdout.as_str()), (2, ""), "{line}: {stderr}");
    stderr
}

/// A command with a standard input.
fn piped(folder: &Path, line: &str, input: &str) -> (i32, String, String) {
    let mut command = command(folder, &words(line));
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    // It may end before it reads.
    _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code().expect("no signal"), text(output.stdout), text(output.stderr))
}

/// Every old name of an option, and every other spelling of a value, means what the new one does.
#[test]
fn old_names_mean_the_same() {
    let folder = folder(&[]);
    let traffic = "--on mesh:4x4 --packet 2 --warm-up 50 --measure 100 --drain 100 --json --traffic";
    for (old, new) in [
        ("split mesh:3x3 --from 0,0 --sigma 0.1 -j", "split --on mesh:3x3 --source 0,0 --sigma 0.1 --json"),
        (
            "split mesh:3x3 --from 4 --sigma 0.1 --startup 1e-5 --method optimum",
            "split --on mesh:3x3 --source 1,1 --sigma 0.1 --message-startup 1e-5 --method optimum",
        ),
        (
            "split mesh:3x3 --from 0,0 --sigma 0.1 --ports one --results 0.5 --json",
            "split --on mesh:3x3 --source 0,0 --sigma 0.1 --ports one --result-size 0.5 --json",
        ),
        (
            "split mesh:3x3 --random 2 --rounds 2 --sigma 0.1 --seed 3",
            "split --on mesh:3x3 --random-sources 2 --repeat 2 --sigma 0.1 -s 3",
        ),
        (
            "groups mesh:3x3 --random 1 --repeat 2 --order row-major --json",
            "groups --on mesh:3x3 --levels 1 --repeat 2 --order row --json",
        ),
        (
            "groups mesh:3x3 --collective allreduce --tree ecrb2 --json",
            "groups --on mesh:3x3 --collective all-reduce --structure ecrb2 --json",
        ),
        (
            &format!("simulate {traffic} neighbor --load 0.1 --preset booksim"),
            &format!("simulate {traffic} neighbour --load 0.1 --router booksim"),
        ),
        (
            &format!("sweep {traffic} neighbor --loads 0.1 --preset booksim"),
            &format!("sweep {traffic} neighbour --loads 0.1 --router booksim"),
        ),
        (
            "map binomial:2 --on mesh:2x2 --combine_alpha=1/2 --byte_time 2 --placement row --json",
            "map binomial:2 --on mesh:2x2 --combine-alpha 1/2 --byte-time 2 --placement row-major -j",
        ),
    ] {
        assert_eq!(answer(folder.path(), old), answer(folder.path(), new), "{old}");
    }
}

/// Keys of scenarios have their old names, too, and hyphens are as good as underscores; both at once is an error.
#[test]
fn old_keys_mean_the_same() {
    let old = "[machine]\ntopology = \"mesh:2x2\"\nbyte-time = 2\n[[divide]]\ntasks = \"binomial:2\"\n\
               placement = \"row\"\ncombine-alpha = 0.5\n[[groups]]\nrandom = 1\nrepeat = 2\n";
    let new = old.replace("placement =", "placements =").replace("random =", "levels =").replace("-a", "_a");
    let new = new.replace("byte-time", "byte_time").replace("\"row\"", "\"row-major\"");
    let both = new.replace("placements =", "placement = \"snake\"\nplacements =");
    let twice = new.replace("combine_alpha =", "combine-alpha = 0.5\ncombine_alpha =");
    let folder =
        folder(&[("old.toml", old), ("new.toml", &new), ("both.toml", &both), ("twice.toml", &twice)]);
    assert_eq!(answer(folder.path(), "plan old.toml --json"), answer(folder.path(), "plan new.toml --json"));
    assert!(refused(folder.path(), "plan both.toml").contains("`placements` is given, too"));
    assert!(refused(folder.path(), "plan twice.toml").contains("unknown key `combine-alpha`"));
}

/// `plan` and `check` take another machine, and say so.
#[test]
fn files_run_on_other_machines() {
    let claim = "{\"machine\": \"mesh:1x3\", \"sigma\": 0.5, \"sources\": [1], \"speedup\": 1.1, \"fractions\": [0.4, 0.3]}";
    let folder =
        folder(&[("s.toml", SMALL), ("torus.toml", &SMALL.replace("mesh", "torus")), ("c.json", claim)]);
    let folder = folder.path();
    let other: Value = serde_json::from_str(&answer(folder, "plan s.toml --json --on torus:4x4")).unwrap();
    let own: Value = serde_json::from_str(&answer(folder, "plan torus.toml --json")).unwrap();
    assert_eq!((&other["jobs"], &other["replaced_machine"]), (&own["jobs"], &"mesh:4x4".into()));
    assert!(own.get("replaced_machine").is_none());
    let told = answer(folder, "plan s.toml --on torus:4x4 --out o");
    assert!(told.starts_with("torus:4x4 in place of mesh:4x4, as --on asks\n"), "{told}");
    let page = std::fs::read_to_string(folder.join("o/report.html")).unwrap();
    assert!(page.contains("torus:4x4 in place of mesh:4x4"));
    let checked = |rest: &str| run(folder, &words(&format!("check c.json{rest}"))).1;
    assert!(checked(" --on torus:1x3").starts_with("torus:1x3 in place of mesh:1x3, as --on asks\n"));
    assert!(checked(" --on torus:1x3 --json").contains("\"replaced_machine\":\"mesh:1x3\""));
    assert!(!checked("").contains("in place of"));
}

/// `-` is standard input wherever a file is read; the fault in it is shown as that in a file.
#[test]
fn standard_input_is_a_file() {
    let claim = "{\"machine\": \"mesh:1x2\", \"sigma\": 0.5, \"sources\": [0], \"speedup\": 1.1, \"fractions\": [0.6, 0.4]}";
    let labels = "0,0,1\n0,1,0\n1,0,1\n";
    let folder = folder(&[
        ("ring.mtx", RING),
        ("ring.txt", RING),
        ("a.goal", GOAL),
        ("s.toml", SMALL),
        ("c.json", claim),
        ("l.csv", labels),
        ("w.csv", "0,,2\n"),
    ]);
    for (line, file, text, format) in [
        ("map FILE --on mesh:2x2 --placement hilbert", "ring.mtx", RING, " --format mtx"),
        ("simulate FILE --on mesh:1x2 --json", "a.goal", GOAL, ""),
        ("plan FILE --json", "s.toml", SMALL, ""),
        ("check FILE --json", "c.json", claim, " --format json"),
        ("groups --on mesh:2x2 --labels FILE --json", "l.csv", labels, ""),
        ("groups --on mesh:2x2 --labels FILE --json --threads 2", "l.csv", labels, ""),
        ("split --on mesh:2x2 --source 0,0 --sigma 0.1 --json --speeds FILE", "w.csv", "0,,2\n", ""),
    ] {
        let (code, of_file, _) = run(folder.path(), &words(&line.replace("FILE", file)));
        let by_name = line.replace("FILE", "-") + format;
        let (piped_code, of_input, stderr) = piped(folder.path(), &by_name, text);
        assert_eq!((piped_code, stderr.as_str()), (code, ""), "{by_name}");
        assert_eq!(of_input.replace("standard input", file), of_file, "{by_name}");
    }
    let as_matrix = answer(folder.path(), "map ring.txt --format mtx --on mesh:2x2 --placement hilbert");
    assert!(as_matrix.starts_with("ring.txt on mesh:2x2"), "{as_matrix}");
    let refused = |line: &str, input: &str, expected: &str| {
        let (code, stdout, stderr) = piped(folder.path(), line, input);
        assert_eq!((code, stdout.as_str()), (2, ""), "{line}");
        assert!(stderr.contains(expected), "{line}: {stderr}");
    };
    let map = |rest: &str| format!("map - --on mesh:2x2{rest}");
    refused(
        &map(" --format mtx"),
        "%%MatrixMarket matrix coordinate integer general\n4 4 1\n1 x 8\n",
        " --> -:3:3\n",
    );
    refused(&map(" --format mtx"), &RING.replace("4 4 4", "5 5 4"), " --> -:2:1\n");
    refused(&map(""), RING, "--format beside `-`: csv, mtx, graph, grf, goal");
    refused(&map(" --format mtz"), RING, "(did you mean `mtx`?)");
    refused("map binomial:2 --on mesh:2x2 --format mtx", "", "a file to be read");
    refused("map ring.txt --on mesh:2x2", "", "or --format");
}

/// Dead nodes and links are alike on the command line, in words and in lists; ranges have both their ends.
#[test]
fn what_is_dead_is_said_alike_everywhere() {
    let machine = |keys: &str| format!("[machine]\ntopology = \"mesh:4x4\"\n{keys}\n");
    let folder = folder(&[
        (
            "lists.toml",
            &machine(
                "dead = [[3, \"*\"], [0, 1], [0, 2], [0, 3]]\ndead_links = [[[1, 0], [2, 0]], [[1, 1], [2, 1]]]",
            ),
        ),
        ("words.toml", &machine("dead = [\"3,*\", \"0,1..3\"]\ndead_links = [\"1,0..1-2,*\"]")),
        ("ids.toml", &machine("dead = [\"12..15\", 1, 2, \"(0,3)\"]\ndead_links = [[4, 8], \"5-9\"]")),
        ("ring.mtx", RING),
        ("l.goal", GOAL),
    ]);
    let folder = folder.path();
    let given = "--on mesh:4x4 --dead 3,*;0,1..3 --dead-links 1,0..1-2,*";
    for verb in [
        "map ring.mtx --placement recursive-bisection MACHINE --json",
        "split MACHINE --source 1,0 --sigma 0.1 --json",
        "groups MACHINE --levels 1 --repeat 2 --json",
    ] {
        let on = |machine: &str| {
            answer(folder, &verb.replace("MACHINE", machine)).replace("lists.toml", "mesh:4x4")
        };
        let lists = on("--on lists.toml");
        for other in ["--on words.toml", "--on ids.toml", given] {
            assert_eq!(on(other), lists, "{verb}: {other}");
        }
        assert_ne!(on("--on mesh:4x4"), lists, "{verb}");
    }
    assert!(refused(folder, "simulate l.goal --on mesh:1x2 --dead 0,1").contains("is dead"));
    assert!(
        refused(folder, "plan ids.toml --dead 4,0")
            .contains("expected 0..3,0..3 or 0..15; `*` is all along an axis")
    );
    assert!(refused(folder, "run l.goal --dead 0").contains("--on MACHINE beside it"));
    let dead = "1, whose node is dead";
    assert!(refused(folder, "run l.goal --on mesh:1x2 --dead 0,1").contains(dead));
    assert!(refused(folder, "scatter words l.goal --on mesh:1x2 --dead 0,1").contains(dead));
    let links = refused(folder, "map ring.mtx --on mesh:4x4 --dead-links 0,0-1,1");
    assert!(links.contains("two neighbouring nodes with `-` between"), "{links}");
    assert!(
        refused(folder, "map ring.mtx --on wormhole --dead 0,0")
            .contains("describes links and ports that work")
    );
    let parts = refused(folder, "map ring.mtx --on mesh:3x3 --dead 0..2,1;1,*");
    assert!(parts.contains("dead nodes cut mesh:3x3 into 4 parts, 1 node from (0,0)"), "{parts}");
}

/// Tables name nodes by coordinates or by ids, as their header says.
#[test]
fn tables_take_coordinates_and_ids() {
    let folder = folder(&[
        ("ids.csv", "node,to,time\n4,,2\n4,5,0.5\n"),
        ("places.csv", "row,column,to_row,to_column,time\n1,1,,,2\n1,1,1,2,0.5\n"),
        ("far.csv", "row,column,to_row,to_column,time\n0,0,1,1,2\n"),
        ("labels.csv", "0,0,1\n0,1,0\n2,2,1\n"),
        ("by-id.csv", "node,label\n0,1\n1,0\n8,1\n"),
    ]);
    let split = |file: &str| format!("split --on mesh:3x3 --source 0,0 --sigma 0.1 --json --speeds {file}");
    let of = |line: String| answer(folder.path(), &line);
    assert_eq!(of(split("ids.csv")), of(split("places.csv")));
    let far = refused(folder.path(), &split("far.csv"));
    assert!(far.contains("nodes (0,0) and (1,1) are not wired together\n --> far.csv:2:"), "{far}");
    let groups = |file: &str| format!("groups --on mesh:3x3 --json --labels {file}");
    assert_eq!(of(groups("labels.csv")), of(groups("by-id.csv")));
}

/// An option that would change nothing is refused, and says beside what it would.
#[test]
fn options_without_effect_are_refused() {
    let folder = folder(&[("a.goal", GOAL), ("l.csv", "0,0,1\n0,1,0\n"), ("n.bin", "12345678")]);
    for (line, expected) in [
        ("map binomial:2 --on mesh:2x2 --placement hilbert --seed 1", "a placement that draws: random"),
        ("map binomial:2 --on mesh:2x2 --formulas --explain", "cannot be used with"),
        ("map binomial:2 --on mesh:2x2 --nodes 4 --explain", "no --work, --nodes or --per-node beside it"),
        ("split --on mesh:2x2 --source 0,0 --sigma 0.1 --seed 1", "--random-sources or --dynamic"),
        ("groups --on mesh:2x2 --labels l.csv --seed 1", "cannot be used with"),
        ("groups --on mesh:2x2 --collective barrier --seed 1", "--random-members beside it"),
        ("groups --on mesh:2x2 --structure ecrb2", "--collective"),
        ("simulate a.goal --on mesh:1x2 --seed 1", "whole messages, which draw nothing"),
        ("sort n.bin --out s.bin --seed 1", "--placement"),
        ("scatter words a.goal --ranks 2 --method equal --on mesh:1x2", "--method thesis or all"),
        ("split --on mesh:2x2 --source 0 --sigma 0.1 --reduction peel", "several --source"),
        (
            "split --on mesh:2x2 --source 0 --sigma 0.1 --chunks 4 --method flow-matrix",
            "the method `installments`",
        ),
        ("split --on mesh:2x2 --source 0 --sigma 0.1 --units time", "parts of w Tcp"),
        ("groups --on mesh:2x2 --engine message --buffers 2", "--engine packet or flit"),
        ("groups --on mesh:2x2 --units time", "has no clock"),
        ("map binomial:2 --on mesh:2x2 --startup 2us", "the machine has no `clock`"),
        ("map binomial:2 --on mesh:2x2 -o map.json", "--json > map.json writes one file"),
    ] {
        let stderr = refused(folder.path(), line);
        assert!(stderr.contains(expected), "{line}: {stderr}");
    }
    assert_eq!(entries(folder.path()), ["a.goal", "l.csv", "n.bin"]);
}

/// Keys of another table and units say where they belong, trees as machines do.
#[test]
fn what_is_elsewhere_is_named() {
    let scenario = |rest: &str| format!("[machine]\ntopology = \"mesh:2x2\"\n{rest}");
    let folder = folder(&[
        ("key.toml", &scenario("[[divide]]\ntasks = \"binomial:2\"\nsigma = 0.1\n")),
        ("job.toml", &scenario("[[sweep]]\ntraffic = \"uniform\"\n")),
        ("clock.toml", &scenario("clock = \"1 ghz\"\n")),
        ("time.toml", &scenario("clock = \"1 GHz\"\nstartup = \"2 US\"\n")),
    ]);
    for (line, expected) in [
        ("plan key.toml", "; it is a key of [[load]]"),
        ("plan job.toml", "; traffic is measured by `meshwright sweep`"),
        ("map binomial:2 --on clock.toml", "(did you mean `1 GHz`?)"),
        ("map binomial:2 --on time.toml", "(did you mean `2 us`?)"),
        ("map binomail:2 --on mesh:2x2", "(did you mean `binomial:2`?)"),
    ] {
        let stderr = refused(folder.path(), line);
        assert!(stderr.contains(expected), "{line}: {stderr}");
    }
}

/// What is planned is what is explained, from the plan and from its files: phases that run several times, and loads of whichever method wins.
#[test]
fn a_plan_is_explained_as_it_was_planned() {
    let phases = "[machine]\ntopology = \"mesh:4x4\"\n[[divide]]\nname = \"j\"\ntasks = \"logical:4x4\"\n\
                  axis = [\"0=all-reduce:1024\", \"1=exchange:100\"]\nplacements = [\"row-major\", \"hilbert\"]\n";
    let load = "[machine]\ntopology = \"torus:8\"\nswitching = \"store-and-forward\"\nstartup = 0\nbyte_time = 0.25\nflit = 16\n\
                ports = \"one\"\n[[load]]\nname = \"j\"\nsources = [{ at = 7 }]\nsigma = \"1/20\"\nbytes = 100000\nchunks = 5\n";
    let winners = [phases, load].map(|scenario| {
        let folder = folder(&[("s.toml", scenario)]);
        let number = |text: &str, key: &str| {
            serde_json::from_str::<Value>(text).expect("JSON")[key].as_u64().expect("cycles")
        };
        let plan: Value =
            serde_json::from_str(&answer(folder.path(), "plan s.toml --out p --json")).expect("JSON");
        let job = &plan["jobs"][0];
        let row = job["results"].as_array().expect("rows").iter().find(|row| row["method"] == job["winner"]);
        let planned = row.expect("the winner is a row")["simulated_cycles"].as_u64().expect("it ends");
        assert_eq!(number(&answer(folder.path(), "explain p/plan.json --json"), "simulated_cycles"), planned);
        if scenario == phases {
            let map =
                "map p/j.phases.csv --on mesh:4x4 --placement row-major --emit graphml:g.graphml --json";
            let map: Value = serde_json::from_str(&answer(folder.path(), map)).expect("JSON");
            assert_eq!(map["culprit"]["simulated_cycles"], planned, "{map}");
            let again = answer(folder.path(), "map g.graphml --on mesh:4x4 --placement row-major --json");
            let again: Value = serde_json::from_str(&again).expect("JSON");
            assert_eq!((&again["culprit"], &again["bound"]), (&map["culprit"], &map["bound"]));
        }
        job["winner"].as_str().expect("a name").to_string()
    });
    assert_eq!(winners, ["row-major", "serial"]);
}

/// A job that says how many ports nodes have is not held to those of the machine.
#[test]
fn ports_of_a_job_are_its_own() {
    let load = "startup = 0\nbyte_time = 1\nflit = 1\n[[load]]\nsources = [{ at = 1 }]\nsigma = 0.5\nbytes = 100000\nnode_ports = \"all\"\n";
    let results = ["ports = \"one\"\n", ""].map(|ports| {
        let scenario =
            format!("[machine]\ntopology = \"mesh:1x3\"\nswitching = \"cut-through\"\n{ports}{load}");
        let folder = folder(&[("s.toml", &scenario)]);
        let plan: Value = serde_json::from_str(&answer(folder.path(), "plan s.toml --json")).expect("JSON");
        plan["jobs"][0]["results"].clone()
    });
    assert_eq!(results[0], results[1]);
}

/// Nodes with one port do not start messages side by side, on packets as in a race.
#[test]
fn one_port_starts_one_message_after_the_other() {
    let machine = "[machine]\ntopology = \"mesh:4x4\"\nstartup = 40\nbyte_time = \"1/32\"\nflit = 32\nports = \"one\"\n";
    let folder = folder(&[("m.toml", machine)]);
    let groups: Value =
        serde_json::from_str(&answer(folder.path(), "groups --on m.toml --collective barrier --json"))
            .expect("JSON");
    let race: Value =
        serde_json::from_str(&answer(folder.path(), "race barrier --on m.toml --json")).expect("JSON");
    let bound = race["bound_cycles"].as_u64().expect("a bound");
    let rows = groups["structures"].as_array().expect("rows");
    let times = |key: &str| rows.iter().filter_map(|row| row[key].as_u64()).min().expect("one ends");
    assert!(times("simulated_cycles") >= bound, "{groups}");
    // Both ask how soon all can have heard of one, from one port after the other.
    assert_eq!(times("bound_cycles"), bound, "{groups}");
    for row in rows {
        let [predicted, simulated] =
            ["predicted_cycles", "simulated_cycles"].map(|key| row[key].as_u64().unwrap());
        assert!(bound <= predicted && predicted <= simulated, "{row}");
    }
}
