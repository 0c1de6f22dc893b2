//! The files of `plan --out`: every example runs, and its schedules give the times of its table.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

const SCENARIOS: [&str; 8] = [
    "broken-mesh.toml",
    "choose.toml",
    "collective.toml",
    "device-order.toml",
    "groups.toml",
    "ingest.toml",
    "quickstart.toml",
    "torus-trace.toml",
];

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples")
}

/// Runs the program and returns what it printed; it must succeed.
fn run(arguments: &[&dyn AsRef<Path>]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshwright"));
    let output = command
        .args(arguments.iter().map(|argument| argument.as_ref()))
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("the program prints UTF-8")
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().expect("names are ASCII")).collect();
    names.sort();
    names
}

#[test]
fn the_list_of_scenarios_is_complete() {
    // Files without a job are machines.
    let has_jobs = |name: &String| {
        name.ends_with(".toml") && std::fs::read_to_string(examples().join(name)).unwrap().contains("\n[[")
    };
    let names: Vec<String> = names(&examples()).into_iter().filter(has_jobs).collect();
    assert_eq!(names, SCENARIOS);
}

#[test]
fn every_schedule_gives_the_time_of_its_table() {
    for scenario in SCENARIOS {
        let (folder, scenario) = (tempfile::tempdir().unwrap(), examples().join(scenario));
        let printed = run(&[&"plan", &scenario, &"--out", &folder.path()]);
        let text = std::fs::read_to_string(folder.path().join("plan.json")).unwrap();
        let plan: Value = serde_json::from_str(&text).expect("plan.json is JSON");
        let jobs = plan["jobs"].as_array().expect("a list of jobs");
        let (_, list) = printed.split_once("Files in ").expect("the files are listed");
        let mut listed: Vec<_> =
            list.lines().skip(1).map(|line| line.split_whitespace().next().unwrap()).collect();
        listed.sort_unstable();
        assert_eq!(listed, names(folder.path()));
        // Programs of groups have a drawing of each kind of operation there is; loads have four and a schedule, phased jobs
        // three, a schedule and the messages between their tasks; collective operations have bars, links and a schedule.
        let races = jobs.iter().filter(|job| job["kind"] == "collective").count();
        if jobs.iter().all(|job| job["kind"] != "groups") {
            assert_eq!(listed.len(), 3 + 5 * (jobs.len() - races) + 3 * races);
        }
        let goals: Vec<&str> = listed.iter().copied().filter(|name| name.ends_with(".goal")).collect();
        let mut named: Vec<&str> = jobs.iter().filter_map(|job| job["schedule"].as_str()).collect();
        named.sort_unstable();
        assert_eq!(named, goals, "the plan names every schedule");
        for job in jobs {
            let Some(goal) = job["schedule"].as_str() else {
                assert_eq!(job["kind"], "groups");
                continue;
            };
            let answer = run(&[&"simulate", &folder.path().join(goal), &"--on", &scenario, &"--json"]);
            let simulated: Value = serde_json::from_str(&answer).expect("JSON");
            let results = job["results"].as_array().unwrap();
            let is_race = job["kind"] == "collective";
            let named = if is_race { "algorithm" } else { "method" };
            let method = results.iter().find(|result| result[named] == job["schedule_method"]).unwrap();
            let key = if is_race || job["kind"] == "load" { "simulated_cycles" } else { "dependency_cycles" };
            assert!(method[key].is_u64());
            assert_eq!(simulated["cycles"], method[key], "{goal}");
            assert!(job["kind"] == "load" || job["schedule_method"] == job["winner"]);
        }
    }
}

#[test]
fn drawings_alone_bring_their_colours() {
    let folder = tempfile::tempdir().unwrap();
    run(&[&"plan", &examples().join("broken-mesh.toml"), &"--out", &folder.path()]);
    let drawings: Vec<String> =
        names(folder.path()).into_iter().filter(|name| name.ends_with(".svg")).collect();
    assert_eq!(drawings.len(), 3);
    for name in drawings {
        let svg = std::fs::read_to_string(folder.path().join(&name)).unwrap();
        assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" "), "{name}");
        assert!(!svg.contains("var(") && !svg.contains("url(") && !svg.contains("@import"), "{name}");
        assert!(svg.ends_with("</svg>\n"), "{name}");
    }
}

/// Painted drawings are the same on every machine, as their letters come with the program.
#[test]
fn drawings_are_painted_if_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = examples().join("broken-mesh.toml");
    let painted = |name: &str| {
        let out = folder.path().join(name);
        run(&[&"plan", &scenario, &"--png", &"--out", &out]);
        let names: Vec<String> = names(&out).into_iter().filter(|name| name.ends_with(".png")).collect();
        names.iter().map(|name| std::fs::read(out.join(name)).unwrap()).collect::<Vec<_>>()
    };
    let pictures = painted("one");
    assert_eq!(pictures.len(), 3);
    assert!(pictures.iter().all(|bytes| bytes.starts_with(b"\x89PNG") && bytes.len() > 5000));
    assert_eq!(pictures, painted("two"));
    let output =
        Command::new(env!("CARGO_BIN_EXE_meshwright")).args(["plan", "--png"]).arg(&scenario).output();
    assert_eq!(output.unwrap().status.code(), Some(2), "without a folder there is nowhere to put them");
}

/// The quickstart tells a story in its comments; the numbers must bear it out.
#[test]
fn the_comments_of_the_quickstart_are_true() {
    let plan: Value =
        serde_json::from_str(&run(&[&"plan", &examples().join("quickstart.toml"), &"--json"])).unwrap();
    let sort = &plan["jobs"][0];
    let gap = |method: &str| {
        let results = sort["results"].as_array().unwrap();
        let result = results.iter().find(|result| result["method"] == method).unwrap();
        (result["gap"].as_f64().unwrap() * 1000.0).round() / 10.0
    };
    assert_eq!(gap(sort["winner"].as_str().unwrap()), 0.0);
    assert_eq!((gap("row-major"), gap("hilbert")), (7.6, 16.6));
    assert!((45.0..55.0).contains(&gap("random")));
}

#[test]
fn jobs_of_one_name_do_not_share_files() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = folder.path().join("s.toml");
    let job = "[[divide]]\nname = \"a/b\"\ntasks = \"binomial:2\"\nplacement = \"row-major\"\n";
    std::fs::write(&scenario, format!("[machine]\ntopology = \"mesh:2x2\"\n{job}{job}")).unwrap();
    let out = folder.path().join("out");
    run(&[&"plan", &scenario, &"--out", &out]);
    let goals: Vec<String> = names(&out).into_iter().filter(|name| name.ends_with(".goal")).collect();
    assert_eq!(goals, ["a-b-2.goal", "a-b.goal"]);
}
