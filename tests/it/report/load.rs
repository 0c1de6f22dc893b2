//! The page of divisible loads, and the figures of the thesis.

use meshwright_core::units::NodeId;
use meshwright_load::Source;
use meshwright_network::topology::Machine;
use meshwright_papers::audit;
use meshwright_papers::page::claims_files;
use meshwright_report::{File, PlanReport, files, page};
use meshwright_verdict::load::{Job, judge};
use meshwright_verdict::{JobVerdict, LoadVerdict};

use super::{assert_balanced, markup};

/// Node, load, release.
type Entry = (u32, f64, f64);

fn verdict(machine: &Machine, sources: &[Entry], sigma: f64) -> LoadVerdict {
    let source = |&(node, load, release): &Entry| Source { node: NodeId(node), load, release };
    let job = Job::new(machine, sources.iter().map(source).collect(), sigma, 1_000_000);
    judge("cameras <b>", &job, machine, &mut |_| {}).expect("this load can be judged")
}

fn page_and_files(machine: &Machine, job: LoadVerdict) -> (String, Vec<File>) {
    let jobs = [JobVerdict::Load(job)];
    let report = PlanReport { title: "loads", scenario: "loads.toml", machine, seed: 0, jobs: &jobs };
    (page(&report).expect("the verdict is one of this machine"), files(&report).expect("so it is here"))
}

fn assert_sound(name: &str, text: &str) {
    let text = markup(text);
    assert_balanced(name, &text);
    for word in ["NaN", "inf\"", "undefined", "url(", "<script"] {
        assert!(!text.contains(word), "{name} contains {word}");
    }
}

#[test]
fn a_page_shows_cells_flow_timing_and_the_certificate() {
    let mesh = Machine::new("mesh:6x6").unwrap();
    let job = verdict(&mesh, &[(2, 3.0, 0.0), (33, 1.0, 0.0)], 0.2);
    let bound = job.facts.bound.speedup;
    let (text, files) = page_and_files(&mesh, job);
    assert_sound("page", &text);
    for wanted in [
        "<h3>Cells</h3>",
        "<h3>Flow of the optimum</h3>",
        "<h3>Timing</h3>",
        "No schedule is faster: node (0,2)",
    ] {
        assert!(text.contains(wanted), "{wanted}");
    }
    // Node 2 has three links and three quarters of the load, and works alone for a start-up: l + (0.75 - l) / (1 + 3 / 0.2).
    let startup = mesh.costs().startup.0 as f64 / 5_000_000.0;
    assert!((1.0 / bound - (startup + (0.75 - startup) / 16.0)).abs() < 1e-9, "{bound}");
    assert!(text.contains("nothing is faster than 21.32"));
    assert!(text.contains("cameras &lt;b&gt;"), "markup in a name stays text");
    assert!(!text.contains("How to read the section"), "there is no other kind of job");
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    for ending in ["cells", "flow", "timing"] {
        assert!(names.contains(&format!("cameras-b-{ending}.svg").as_str()), "{names:?}");
    }
    files.iter().for_each(|file| assert_sound(&file.name, &file.text));
}

#[test]
fn any_machine_and_any_sigma_has_a_page() {
    let cases: [(&str, &[Entry], f64); 7] = [
        ("mesh:1x1", &[(0, 1.0, 0.0)], 0.5),
        ("mesh:7", &[(3, 1.0, 0.0)], 2.0),
        ("torus:5x5", &[(0, 1.0, 0.0), (12, 1.0, 0.0)], 0.0),
        ("torus:4x4", &[(0, 1.0, 0.0), (1, 2.0, 0.0)], 0.3),
        ("hypercube:3", &[(5, 1.0, 0.0)], 0.1),
        ("torus:3x3x3", &[(5, 1.0, 0.0), (20, 1.0, 0.0)], 0.1),
        ("mesh:3x3", &[(0, 1.0, 0.0), (8, 1.0, 0.05)], 0.4),
    ];
    for (name, sources, sigma) in cases {
        let machine = Machine::new(name).unwrap();
        let job = verdict(&machine, sources, sigma);
        let (text, files) = page_and_files(&machine, job.clone());
        assert_sound(name, &text);
        let (again, _) = page_and_files(&machine, job);
        assert!(text == again, "{name}: two pages differ");
        // The one load that comes later has its mark.
        assert_eq!(text.contains("the load is there at 0.05"), name == "mesh:3x3", "{name}");
        let cast = files.iter().any(|file| file.name.ends_with("-torus.svg"));
        assert_eq!(cast, name == "torus:5x5" || name == "torus:4x4", "{name}");
    }
}

#[test]
fn a_load_of_another_machine_is_refused() {
    let large = Machine::new("mesh:4x4").unwrap();
    let job = verdict(&large, &[(15, 1.0, 0.0)], 0.5);
    let small = Machine::new("mesh:3x3").unwrap();
    let jobs = [JobVerdict::Load(job)];
    let report = PlanReport { title: "", scenario: "", machine: &small, seed: 0, jobs: &jobs };
    assert!(page(&report).unwrap_err().to_string().contains("a node from 0 to 8"));
}

/// Both chapters of curves, the cells on both networks, and every comparison.
#[test]
fn the_figures_of_the_thesis_are_drawn() {
    let audit = audit(Some("zhang2018"), 8, &["Z1"], &mut |_| {}).unwrap();
    let files = claims_files(&audit);
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    let timing = ["3.2", "3.5", "3.8", "3.11", "3.14", "4.1", "4.3", "4.5", "4.7"];
    let single = (16..=27).map(|i| format!("3.{i}"));
    let stored = (8..=23).map(|i| format!("4.{i}"));
    let toroidal = (12..=27).map(|i| format!("5.{i}"));
    for number in timing.iter().map(ToString::to_string).chain(single).chain(stored).chain(toroidal) {
        assert!(names.contains(&format!("figure-{number}.svg").as_str()), "{number}");
    }
    for file in &files[1..] {
        assert_sound(&file.name, &file.text);
        assert!(file.text.len() < 300_000, "{}: {} bytes", file.name, file.text.len());
    }
    // The flow matrix of the 2 x 2 mesh at sigma = 1/2: all is done at 2/7.
    let timing = files.iter().find(|file| file.name == "figure-3.2.svg").unwrap();
    assert!(timing.text.contains("all done at 0.2857"));
}
