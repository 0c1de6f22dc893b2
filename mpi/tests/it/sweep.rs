//! `meshwright-mpi sweep`: what one machine finds, whatever dies.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use meshwright_network::topology::Machine;
use meshwright_sim::experiment::{Experiment, pattern};
use meshwright_sim::flit::Router;
use meshwright_sim::point::SweepReport;
use meshwright_sim::sweep::{self, Sweep, spread};
use meshwright_sim::traffic::OpenLoop;

use crate::mpirun::{command, ended, printed};

const SEED: u64 = 3;
const POINTS: usize = 16;
const PATIENCE: Duration = Duration::from_secs(60);

/// The sweep in question on so many ranks.
fn on_ranks(folder: &Path, ranks: u32, file: &str) -> Command {
    let mut command = command(ranks, &["sweep", "--on", "mesh:4x4", "--traffic", "uniform", "--saturation"]);
    command.args(["--warm-up", "100", "--drain", "1000", "--measure", "2000", "--threads", "1", "--json"]);
    command.args(["--patience", "2", "--seed", &SEED.to_string(), "--points", &POINTS.to_string()]);
    command.args(["--results", file]).current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn started(command: &mut Command) -> Child {
    command.spawn().expect("mpirun is there")
}

/// The answer and the finished file of one machine, by the library alone.
fn expected() -> &'static (String, String) {
    static EXPECTED: LazyLock<(String, String)> = LazyLock::new(on_one_machine);
    &EXPECTED
}

fn on_one_machine() -> (String, String) {
    let mesh = Machine::new("mesh:4x4").unwrap();
    let pattern = pattern("uniform", None, &mesh).unwrap();
    let runs =
        OpenLoop { pattern, load: 1.0, packet: 1, warm_up: 100, measure: 2000, drain: 1000, seed: SEED };
    let experiment = Experiment::new(&mesh, Router::ideal(&mesh), runs).unwrap();
    let bound = experiment.reference.bound.expect("a mesh has one");
    let loads = spread(bound / POINTS as f64, bound, POINTS).unwrap();
    let sweep = Sweep { loads, saturation: true, seed: SEED, threads: 1 };
    let measure = |load, seed, threads| experiment.measure(load, seed, threads);
    let curve = sweep::run(&sweep, &[], measure, &mut |_| Ok(())).unwrap();
    let mut file = experiment.conditions.line() + "\n";
    for point in &curve.points {
        file += &(serde_json::to_string(point).unwrap() + "\n");
    }
    let report = SweepReport { conditions: experiment.conditions, reference: experiment.reference, curve };
    (serde_json::to_string(&report).unwrap() + "\n", file)
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

/// The process of a rank that `mpirun` has started.
fn process_of(mpirun: &Child, rank: u32) -> u32 {
    let children = text(Path::new(&format!("/proc/{0}/task/{0}/children", mpirun.id())));
    let variable = format!("OMPI_COMM_WORLD_RANK={rank}");
    let is_rank = |process: &u32| {
        let environment = std::fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
        environment.split(|&byte| byte == 0).any(|one| one == variable.as_bytes())
    };
    let mut all = children.split_whitespace().filter_map(|word| word.parse().ok());
    all.find(is_rank).expect("every rank is a child of mpirun")
}

/// Waits until so many points are on the disk, and sends a signal to this rank.
fn strike(mpirun: &Child, file: &Path, points: usize, rank: u32, signal: &str) -> u32 {
    let begin = Instant::now();
    while text(file).lines().count() < points + 1 {
        assert!(begin.elapsed() < PATIENCE, "no points come");
        std::thread::sleep(Duration::from_millis(1));
    }
    let process = process_of(mpirun, rank);
    let killed = Command::new("kill").args([format!("-{signal}"), process.to_string()]).status();
    assert!(killed.expect("kill is there").success());
    process
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn ranks_answer_with_the_bytes_of_one_machine() {
    let folder = tempfile::tempdir().unwrap();
    let (answer, file) = expected();
    for ranks in [1, 4, 16] {
        let name = format!("{ranks}.jsonl");
        let output = ended(started(&mut on_ranks(folder.path(), ranks, &name)), PATIENCE);
        assert_eq!(&printed(&output), answer, "{ranks} ranks");
        assert_eq!(&text(&folder.path().join(name)), file, "{ranks} ranks");
    }
}

/// Several curves are measured one after the other by all ranks, each with a file of its own.
#[test]
fn ranks_compare_several_curves() {
    let answers = [1, 4].map(|ranks| {
        let folder = tempfile::tempdir().unwrap();
        let mut command = on_ranks(folder.path(), ranks, "r.jsonl");
        command.args(["--set", "routing=yx,odd-even"]);
        let answer = printed(&ended(started(&mut command), PATIENCE));
        [answer, text(&folder.path().join("r.yx.jsonl")), text(&folder.path().join("r.odd-even.jsonl"))]
    });
    assert_eq!(answers[0], answers[1]);
    let answer: serde_json::Value = serde_json::from_str(&answers[0][0]).unwrap();
    assert_eq!(answer["series"].as_array().map(Vec::len), Some(2));
    assert!(answers[0][1..].iter().all(|file| file.lines().count() > POINTS));
}

#[test]
fn a_killed_rank_costs_no_other_rank_its_points() {
    let folder = tempfile::tempdir().unwrap();
    let (answer, file) = expected();
    let path = folder.path().join("r.jsonl");
    let mut command = on_ranks(folder.path(), 4, "r.jsonl");
    let child = started(command.env("OMPI_MCA_orte_enable_recovery", "1"));
    let process = strike(&child, &path, 3, 2, "KILL");
    let before = text(&path);
    let output = ended(child, PATIENCE);
    assert_eq!(&printed(&output), answer);
    assert_eq!(&text(&path), file);
    assert!(before.lines().all(|line| file.contains(line)), "no finished point is lost");
    let said = format!("rank 2 (process {process} on ");
    assert_eq!(stderr(&output).matches(&said).count(), 1, "{}", stderr(&output));
}

/// Open MPI ends all ranks when one is killed; what is on the disk is not measured again.
#[test]
fn a_campaign_that_was_ended_goes_on_with_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let (answer, file) = expected();
    for (rank, points) in [(1, 2), (0, 4)] {
        let name = format!("{rank}.jsonl");
        let path = folder.path().join(&name);
        let child = started(&mut on_ranks(folder.path(), 4, &name));
        strike(&child, &path, points, rank, "KILL");
        let output = ended(child, PATIENCE);
        assert!(!output.status.success() && output.stdout.is_empty());
        let kept = text(&path);
        let whole = kept.rfind('\n').map_or("", |end| &kept[..end]);
        assert!(whole.lines().count() > points && whole.lines().all(|line| file.contains(line)));

        // A forged point shows that nobody looks again: another number of packets.
        let line = whole.lines().last().expect("there are points");
        let forged = line.replace("\"packets\":", "\"packets\":7");
        let forge = |text: &str| text.replace(line, &forged);
        assert!(forge(answer) != *answer);
        std::fs::write(&path, forge(&kept)).unwrap();
        let output = ended(started(&mut on_ranks(folder.path(), 3, &name)), PATIENCE);
        assert_eq!(printed(&output), forge(answer));
        assert_eq!(text(&path), forge(file));
    }
}

#[test]
fn what_no_rank_can_read_is_told_once_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = on_ranks(folder.path(), 4, "r.jsonl");
    let output = ended(started(command.args(["--preset", "nonsense"])), PATIENCE);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert_eq!(stderr(&output).matches("nonsense").count(), 1, "{}", stderr(&output));
    assert!(output.stdout.is_empty() && !folder.path().join("r.jsonl").exists());
}
