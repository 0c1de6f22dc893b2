//! The report drawn from verdicts made by hand: well-formed, self-contained, the same twice.
//!
//! To look at the pages: `MESHWRIGHT_PAGES=/tmp/pages cargo test --test it report`.

mod by_hand;
mod load;

use std::fs;
use std::path::Path;

use by_hand::*;
use meshwright_core::output::{Writing, check_place, write_all, write_atomically};
use meshwright_core::units::{Bytes, NodeId};
use meshwright_mapping::task_graph::TaskGraph;
use meshwright_mapping::{Divide, PLACEMENTS, Shape};
use meshwright_network::topology::{Machine, Topology};
use meshwright_report::{PlanReport, page};
use meshwright_verdict::{Job, LinkUse, mapping};

fn pages() -> Vec<(&'static str, String)> {
    vec![
        ("mesh", mesh_page()),
        ("wounded", wounded_page()),
        ("torus3", torus_page()),
        ("torus2", flat_torus_page()),
        ("graph3", graph_page(3)),
        ("graph40", graph_page(40)),
        ("hypercube", large_page("hypercube:12")),
        ("cube6", small_page("hypercube:6")),
        ("box", small_page("mesh:3x4x6")),
        ("wide", large_page("mesh:64x64")),
        ("plane", large_page("mesh:200x150")),
        ("space", large_page("torus:32x32x16")),
        ("line", large_page("mesh:5000")),
        ("empty", empty_page()),
    ]
}

/// The elements of a page, each closed where it was opened.
fn assert_balanced(name: &str, page: &str) {
    let mut open = vec![];
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        let end = start + rest[start..].find('>').unwrap_or_else(|| panic!("{name}: a tag has no end"));
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        let element = tag.split([' ', '/']).find(|word| !word.is_empty()).unwrap_or("");
        match tag {
            _ if tag.starts_with('!') || tag.ends_with('/') || ["meta", "br"].contains(&element) => {}
            _ if tag.starts_with('/') => {
                assert_eq!(open.pop(), Some(element), "{name}: closed by </{element}>");
            }
            _ => open.push(element),
        }
    }
    assert_eq!(open, Vec::<&str>::new(), "{name}: left open");
}

/// A page without its one script and what that reads.
fn markup(page: &str) -> String {
    let mut parts = page.split("<script");
    let mut text = parts.next().unwrap_or_default().to_string();
    for part in parts {
        text += part.split_once("</script>").expect("each script ends").1;
    }
    text
}

#[test]
fn pages_are_well_formed_and_load_nothing() {
    for (name, page) in pages() {
        let script = page.rsplit_once("<script>").expect("a page has a script").1;
        assert!(!page[..page.len() - script.len() - 8].contains("<script>"), "{name}: two scripts");
        let page = markup(&page);
        assert_balanced(name, &page);
        for word in
            ["http:", "https:", "//www", "<script", "url(", "src=", "NaN", "inf\"", "undefined", "@import"]
        {
            assert!(!page.contains(word), "{name}: the page contains {word}");
        }
        assert!(
            page.contains("default-src 'none'") && page.contains("script-src 'sha256-"),
            "{name}: no policy"
        );
    }
}

#[test]
fn drawings_stay_small() {
    for (name, page) in pages() {
        for svg in markup(&page).split("<svg").skip(1) {
            let size = svg.find("</svg>").expect("each drawing ends");
            assert!(size < 300_000, "{name}: a drawing of {size} bytes");
        }
    }
}

#[test]
fn the_same_report_gives_the_same_bytes() {
    for ((name, first), (_, second)) in pages().into_iter().zip(pages()) {
        assert!(first == second, "{name}: two runs differ");
    }
}

#[test]
fn a_page_shows_every_method_and_its_numbers() {
    let page = mesh_page();
    for method in ["row", "snake", "random", "growing"] {
        assert!(page.contains(&format!("{method}</b>")) || page.contains(&format!(">{method} ")), "{method}");
    }
    assert!(page.contains("1\u{202f}480"), "the bound stands on the page, grouped");
    assert!(page.contains("No message ever waited") || page.contains("For no link did messages wait longer"));
    assert_eq!(page.matches("<details class=\"method\" open>").count(), 1, "the winner is open");
    assert!(page.contains("class=\"root\""), "the root of the tree is marked");
}

/// U16: on 8 x 8 bisection takes as long as centred-halving, over as many hops.
#[test]
fn equals_of_the_winner_are_marked() {
    let tree =
        Divide { shape: Shape::Binomial(6), alpha: Some(0.5), combine_alpha: None, volume: Bytes(1024) };
    let (job, machine) = (Job::divide(&tree).unwrap(), Machine::mesh([8, 8]).unwrap());
    let methods: Vec<&str> = PLACEMENTS.iter().map(|method| method.name).collect();
    let verdict = mapping::judge("sort", &job, &machine, &methods, 0, &mut |_| {}).unwrap();
    let equal = verdict.results.iter().filter(|row| verdict.is_equal_to_best(row));
    let equal: Vec<String> = equal.map(|row| row.method.clone()).collect();
    assert_eq!(equal, ["bisection"]);
    let jobs = [verdict.into()];
    let page =
        page(&PlanReport { title: "", scenario: "", machine: &machine, seed: 0, jobs: &jobs }).unwrap();
    assert_eq!((page.matches(">best<").count(), page.matches(">equal<").count()), (1, 1));
}

#[test]
fn long_traces_are_shortened_and_large_machines_summed_up() {
    let torus = torus_page();
    assert!(torus.contains("The 12 slowest of 228 phases"));
    assert!(torus.contains("of 228: when a pair first talks"));
    assert!(large_page("mesh:200x150").contains("Each block stands for 4 × 3 nodes"));
}

#[test]
fn markup_in_names_stays_text() {
    let machine = Machine::new("mesh:2x2").expect("a mesh");
    let wild = "<b>\"&'</b><script>";
    let tasks = TaskGraph::new(wild, 4, binomial(2).phase(0).iter().map(|&edge| (1, edge)).collect())
        .expect("tasks lie in range");
    let nodes: Vec<_> = machine.living().collect();
    let mut job = job(wild, tasks.clone(), vec![outcome(&machine, &tasks, wild, nodes)]);
    job.reason = wild.to_string();
    job.skipped[0].why = wild.to_string();
    let page = markup(&render(wild, wild, &machine, &[job]));
    assert_balanced("wild", &page);
    assert!(!page.contains("<b>\"") && !page.contains("<script"));
    assert!(page.contains("&lt;script&gt;"));
}

/// Nothing here can come from a planner of ours; a verdict may also come from a file some day.
#[test]
fn odd_verdicts_are_drawn_as_far_as_they_can_be() {
    for specification in ["mesh:1x1", "mesh:7", "torus:2x1x3", "torus:5", "hypercube:5", "mesh:3x128"] {
        let machine = Machine::new(specification).expect("a machine");
        let dead = (1..machine.nodes()).map(NodeId).collect();
        let tasks = binomial(3);
        let mut result = outcome(&machine, &tasks, &"long name ".repeat(30), vec![NodeId(0); 8]);
        result.detail.placement.nodes = vec![NodeId(0), NodeId(machine.nodes() - 1)];
        result.detail.link_messages = vec![u32::MAX; 5000];
        result.detail.link_busy = vec![u64::MAX; 5000];
        result.busiest_link =
            Some(LinkUse { from: 0, to: 0, messages: u64::MAX, bytes: u64::MAX, busy_cycles: u64::MAX });
        (result.bound_cycles, result.simulated_cycles) = (u64::MAX, Some(u64::MAX));
        let job = job("odd", tasks, vec![result]);
        for machine in [machine.clone(), machine.with_dead(dead).expect("node 0 lives")] {
            let page = render("odd", "", &machine, std::slice::from_ref(&job));
            assert_balanced(specification, &markup(&page));
        }
    }
    let machine = Machine::new("mesh:2x2").expect("a mesh");
    assert!(render("none", "", &machine, &[]).contains("The plan has no jobs."));
}

#[test]
fn a_verdict_of_another_machine_is_refused() {
    let machine = Machine::new("mesh:2x2").expect("a mesh");
    let tasks = binomial(2);
    let mut result = outcome(&machine, &tasks, "row", machine.living().collect());
    result.detail.placement.nodes[3] = NodeId(4);
    let jobs = [job("a", tasks, vec![result]).into()];
    let report = PlanReport { title: "", scenario: "", machine: &machine, seed: 0, jobs: &jobs };
    assert_eq!(page(&report).unwrap_err().to_string(), "node of a verdict is 4; expected a node from 0 to 3");
}

#[test]
fn a_report_replaces_the_old_one_and_leaves_nothing_else() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("report.html");
    write_atomically(&path, "old").expect("the directory is ours");
    write_atomically(&path, "new").expect("the directory is ours");
    assert_eq!(fs::read_to_string(&path).expect("it was written"), "new");
    assert_eq!(fs::read_dir(directory.path()).expect("it exists").count(), 1);
    assert!(write_atomically(&directory.path().join("missing/report.html"), "").is_err());
}

#[test]
fn several_files_appear_together_or_not_at_all() {
    let directory = tempfile::tempdir().expect("a directory");
    let (good, bad) = (directory.path().join("a"), directory.path().join("missing/b"));
    let error = write_all(&[(good, "a"), (bad, "b")]).unwrap_err();
    assert!(error.to_string().contains("missing"), "{error}");
    assert_eq!(fs::read_dir(directory.path()).expect("it exists").count(), 0);
}

/// A device stays a device, and a link stays a link.
#[cfg(unix)]
#[test]
fn what_is_no_plain_file_is_written_through() {
    use std::os::unix::fs::{FileTypeExt, symlink};
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name);
    fs::write(path("old"), "old").expect("the directory is ours");
    symlink(path("old"), path("link")).expect("the directory is ours");
    symlink("/dev/null", path("sink")).expect("the directory is ours");
    for (times, text) in ["atomic", "streamed"].into_iter().enumerate() {
        for name in ["link", "sink"] {
            check_place("OUT", &path(name)).expect("there is a place");
            match times {
                0 => write_atomically(&path(name), text),
                _ => {
                    let mut writing = Writing::new(true);
                    let added = writing.streamed(&path(name), &mut |file| file.write_all(text.as_bytes()));
                    added.and_then(|()| writing.finish())
                }
            }
            .expect("the directory is ours");
            assert!(fs::symlink_metadata(path(name)).expect("it exists").is_symlink());
        }
        assert_eq!(fs::read_to_string(path("old")).expect("it was written"), text);
        assert!(fs::metadata(path("sink")).expect("it exists").file_type().is_char_device());
    }
    assert_eq!(fs::read_dir(directory.path()).expect("it exists").count(), 3);
}

/// Bars that look alike get a second scale, others do not.
#[test]
fn small_gaps_have_a_panel_of_their_own() {
    let machine = Machine::new("mesh:2x2").expect("a mesh");
    let tasks = binomial(2);
    let page = |gaps: [f64; 2]| {
        let results = gaps.map(|gap| {
            let mut result = outcome(&machine, &tasks, "row", machine.living().collect());
            result.simulated_cycles = Some((result.bound_cycles as f64 * (1.0 + gap)).round() as u64);
            result
        });
        render("bars", "", &machine, &[job("a", tasks.clone(), results.to_vec())])
    };
    for (gaps, has_panel) in [([0.0, 0.01], true), ([0.0, 0.06], false), ([0.0, 0.0], false)] {
        assert_eq!(page(gaps).contains(">Above the bound</text>"), has_panel, "{gaps:?}");
    }
}

/// Writes the pages for the eye; does nothing unless a directory is named.
#[test]
fn pages_can_be_looked_at() {
    let Ok(directory) = std::env::var("MESHWRIGHT_PAGES") else { return };
    for (name, page) in pages() {
        write_atomically(&Path::new(&directory).join(format!("{name}.html")), &page)
            .expect("a writable directory");
    }
}

#[test]
fn the_nodes_of_a_graph_stand_on_a_circle() {
    let page = graph_page(40);
    assert!(page.contains("aria-label=\"Placement of ring by identity\""));
    assert!(!page.contains("column →"));
}
