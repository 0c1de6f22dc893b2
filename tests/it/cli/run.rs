//! `run`: schedules on ranks that are threads, and plans read again.

use super::*;

/// Runs with these arguments and `--json`: exit code and the report.
fn report(folder: &Path, arguments: &[&str]) -> (i32, Value) {
    let (code, stdout, stderr) = run(folder, &[&["run"], arguments, &["--json"]].concat());
    (code, serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{stdout}{stderr}")))
}

/// What is refused: exit code 2, nothing printed; the message.
fn refused(folder: &Path, arguments: &[&str]) -> String {
    let (code, stdout, stderr) = run(folder, &[&["run"], arguments].concat());
    assert_eq!((code, stdout.as_str()), (2, ""), "{stderr}");
    stderr
}

const TWO_JOBS: &str = "[machine]\ntopology = \"mesh:4x4\"\nbyte_time = \"1/30\"\ndead = [[0, 0]]\n\
    [[divide]]\nname = \"sort\"\ntasks = \"binomial:3\"\nvolume = 3000\nplacement = \"bisection\"\n\
    [[load]]\nname = \"cameras\"\nsources = [{ at = [1, 1] }]\nsigma = 0.5\nbytes = 20000\nchunks = 60\nmethods = [\"installments\"]\n\
    [[groups]]\nname = \"teams\"\norder = \"row\"\nrandom = 2\nrepeat = 1\n";

#[test]
fn goal_text_runs_and_every_byte_is_verified() {
    let folder = folder(&[("a.goal", GOAL)]);
    let (code, stdout, _) = run(folder.path(), &["run", "a.goal", "--repeat", "3"]);
    assert_eq!(code, 0, "{stdout}");
    assert!(stdout.starts_with("a.goal · 2 ranks, threads · 3 runs\n"), "{stdout}");
    assert!(stdout.ends_with("verified: every message came, and all 24 bytes were as sent\n"), "{stdout}");
    assert!(!stdout.contains("planned"), "there is no plan: {stdout}");
    let (code, report) = report(folder.path(), &["a.goal", "--repeat", "3", "--on", "mesh:1x2"]);
    assert_eq!((code, &report["right"], &report["machine"]), (0, &true.into(), &"mesh:1x2".into()));
    assert_eq!((&report["repeat"], &report["verified_bytes"]), (&3.into(), &24.into()));
    let phase = &report["phases"][0];
    assert_eq!((&phase["phase"], &phase["messages"], &phase["bytes"]), (&1.into(), &1.into(), &8.into()));
    // c + b (W + h) with the costs of any machine: 100 + 8 + 2.
    assert_eq!((&phase["planned_cycles"], &report["planned_cycles"]), (&110.0.into(), &110.0.into()));
    assert!(phase["measured_nanoseconds"].as_u64() <= report["measured_nanoseconds"].as_u64());
    let expected = report["startup_nanoseconds"].as_f64().unwrap();
    let predicted = report["predicted_nanoseconds"].as_f64().unwrap();
    assert!((predicted - expected).abs() <= 1.0 + 8.0 * report["byte_nanoseconds"].as_f64().unwrap());
}

#[test]
fn a_plan_leads_to_the_schedules_of_its_jobs_and_to_its_machine() {
    let folder = folder(&[("s.toml", TWO_JOBS)]);
    let (code, _, stderr) = run(folder.path(), &["plan", "s.toml", "--out", "p"]);
    assert_eq!(code, 0, "{stderr}");
    let plan: Value =
        serde_json::from_str(&std::fs::read_to_string(folder.path().join("p/plan.json")).unwrap()).unwrap();
    for (index, key) in [(0, "dependency_cycles"), (1, "simulated_cycles")] {
        let job = &plan["jobs"][index];
        let (code, report) =
            report(folder.path(), &["p/plan.json", "--job", job["name"].as_str().unwrap(), "--repeat", "1"]);
        assert_eq!((code, &report["right"]), (0, &true.into()), "{report}");
        let results = job["results"].as_array().unwrap();
        let method = results.iter().find(|result| result["method"] == job["schedule_method"]).unwrap();
        let planned = report["planned_cycles"].as_f64().unwrap().ceil() as u64;
        assert_eq!(method[key], planned, "the machine and its costs came back");
        let text = std::fs::read_to_string(folder.path().join("p").join(job["schedule"].as_str().unwrap()));
        let sends = text.unwrap().lines().filter(|line| line.contains(": send ")).count();
        assert_eq!(report["messages"], sends);
        assert_eq!(report["ranks"], 16);
    }
    let message = refused(folder.path(), &["p/plan.json", "--job", "teams"]);
    assert!(
        message.contains("`meshwright groups` simulates it, `meshwright-mpi groups` runs it"),
        "{message}"
    );
    let message = refused(folder.path(), &["p/plan.json", "--job", "sorts"]);
    assert!(
        message.contains("`sorts`; expected one of `sort`, `cameras`, `teams` (did you mean `sort`?)"),
        "{message}"
    );
    let message = refused(folder.path(), &["p/plan.json"]);
    assert!(message.contains("--job with one of `sort`, `cameras`, `teams`"), "{message}");
}

#[test]
fn the_answer_to_plan_without_files_names_none() {
    let folder = folder(&[("s.toml", SMALL)]);
    let (_, stdout, _) = run(folder.path(), &["plan", "s.toml", "--json"]);
    std::fs::write(folder.path().join("plan.json"), &stdout).unwrap();
    assert!(!stdout.contains("schedule_method"));
    let message = refused(folder.path(), &["plan.json"]);
    assert!(message.contains("`sort` names no schedule"), "{message}");
}

#[test]
fn broken_plans_are_refused_at_their_place() {
    const MACHINE: &str = "{\"topology\":\"mesh:2x2\",\"switching\":\"wormhole\",\"startup\":1,\"byte_time\":1.0,\"flit\":2,\"ports\":\"all\"}";
    let plan = |machine: &str, jobs: &str| format!("{{\n\"machine\":{machine},\n\"jobs\":{jobs}\n}}");
    let good = "[{\"kind\":\"divide\",\"name\":\"x\",\"schedule\":\"x.goal\"}]";
    let cases = [
        ("{".to_string(), "p.json:1:"),
        ("[]".to_string(), "the file is no object"),
        ("{}".to_string(), "there is no `machine`"),
        ("{\"format\":2}".to_string(), "`format` is 2"),
        (plan("3", good), "p.json:2:1"),
        (plan(&MACHINE.replace("mesh:2x2", "mash:2x2"), good), "p.json:2:12"),
        (plan(&MACHINE.replace("wormhole", "worm"), good), "switching is `worm`"),
        (plan(&MACHINE.replace("1.0", "3.14159265358979"), good), "`byte_time` is 3.14159265358979"),
        (plan(&MACHINE.replace("\"startup\":1", "\"startup\":-1"), good), "`startup` is -1"),
        (plan(&MACHINE.replace("\"all\"", "\"some\""), good), "`ports` is \"some\""),
        (plan(MACHINE, "[]"), "`jobs` is a list of 0 entries"),
        (plan(MACHINE, "[3]"), "`jobs` is a list of 1 entry"),
        (plan(MACHINE, &good.replace("\"x.goal\"", "7")), "p.json:3:"),
        (plan(MACHINE, good), "x.goal: "),
        (plan(MACHINE, &good.replace("x.goal", "large.goal")), "number of ranks is 5"),
        (plan(MACHINE, &good.replace("x.goal", "broken.goal")), "broken.goal:2:"),
    ];
    let files = [
        ("large.goal", "num_ranks 5\n".to_string()),
        ("broken.goal", "num_ranks 2\nrank 0 { send 8b to 1 }\n".to_string()),
    ];
    for (text, expected) in cases {
        let folder = folder(&[("p.json", &text), (files[0].0, &files[0].1), (files[1].0, &files[1].1)]);
        let message = refused(folder.path(), &["p.json", "--out", "o"]);
        assert!(message.contains(expected), "{expected}: {message}");
        assert!(!folder.path().join("o").exists());
    }
}

#[test]
fn schedules_that_cannot_end_are_refused_before_anything_starts() {
    let circle = "num_ranks 2\nrank 0 {\na: recv 8b from 1\nb: send 8b to 1\nb requires a\n}\n\
                  rank 1 {\na: recv 8b from 0\nb: send 8b to 0\nb requires a\n}\n";
    let large = "num_ranks 2\nrank 0 { send 2000000000b to 1 }\nrank 1 { recv 2000000000b from 0 }\n";
    let folder = folder(&[
        ("circle.goal", circle),
        ("large.goal", large),
        ("many.goal", "num_ranks 5000\n"),
        ("a.goal", GOAL),
    ]);
    for (arguments, expected) in [
        (&["circle.goal"][..], "wait"),
        (&["large.goal"], "2000000000 bytes; the limit is 1073741824 bytes between real ranks"),
        (&["many.goal"], "`mpirun -n 5000 meshwright-mpi` takes more"),
        (&["none.goal"], "none.goal: "),
        (&["a.goal", "--out", "many.goal"], "expected a folder, which many.goal is not"),
        (&["a.goal", "--job", "x"], "GOAL text holds one schedule"),
        (&["a.goal", "--on", "mesh:1x1"], "at most the 1 nodes of mesh:1x1"),
        (&["a.goal", "--repeat", "0"], "0 is not in 1..=100000"),
        (&["a.goal", "--cycle-time", "0"], "expected nanoseconds from 0.000001"),
    ] {
        let message = refused(folder.path(), arguments);
        assert!(message.contains(expected), "{expected}: {message}");
    }
}

#[test]
fn a_schedule_without_messages_and_one_of_a_single_rank_run() {
    let own = "num_ranks 1\nrank 0 {\na: send 100b to 0 tag 4\nb: recv 100b from 0 tag 4\nc: calc 1000\nc requires b\n}\n";
    let folder = folder(&[("empty.goal", "num_ranks 3\n"), ("own.goal", own)]);
    let (code, empty) = report(folder.path(), &["empty.goal"]);
    assert_eq!(
        (code, &empty["phases"], &empty["measured_nanoseconds"]),
        (0, &Value::Array(vec![]), &0.into())
    );
    let (code, own) =
        report(folder.path(), &["own.goal", "--cycle-time", "50", "--repeat", "2", "--out", "o"]);
    assert_eq!((code, &own["verified_bytes"]), (0, &200.into()));
    assert!(own["measured_nanoseconds"].as_u64().unwrap() >= 50_000);
    let written = std::fs::read_to_string(folder.path().join("o/run.json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&written).unwrap(), own);
    assert_eq!(entries(&folder.path().join("o")), ["meshwright.json", "run.json"]);
}

/// The second job of a name is called as its files are.
#[test]
fn jobs_of_one_name_are_told_apart() {
    let job = |tree| {
        format!("[[divide]]\nname = \"a\"\ntasks = \"binomial:{tree}\"\nplacements = [\"row-major\"]\n")
    };
    let text = format!("[machine]\ntopology = \"mesh:4x4\"\n{}{}", job(4), job(3));
    let folder = folder(&[("s.toml", &text)]);
    let folder = folder.path();
    assert_eq!(run(folder, &["plan", "s.toml", "--out", "p", "-q"]).0, 0);
    for (name, messages) in [("a", 15), ("a-2", 7)] {
        let (code, stdout, stderr) =
            run(folder, &["run", "p/plan.json", "--job", name, "--json", "--repeat", "1"]);
        assert_eq!((code, stderr.as_str()), (0, ""));
        let answer: Value = serde_json::from_str(&stdout).unwrap();
        assert_eq!(answer["messages"], messages, "{name}: {stdout}");
    }
    let (code, _, stderr) = run(folder, &["explain", "p/plan.json"]);
    assert!(code == 2 && stderr.contains("--job with one of `a`, `a-2`"), "{stderr}");
}
