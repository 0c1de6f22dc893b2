//! The page of groups over time, read again.

use meshwright_core::units::Cycles;
use meshwright_groups::Group;
use meshwright_groups::history::History;
use meshwright_groups::nested::{Run, Team};
use meshwright_network::topology::Topology;
use meshwright_report::{GroupsOverTime, groups_files};

use super::roster::Roster;
use super::{machine, run};

/// Halves of halves, down to single nodes; the last one of a team works longest.
async fn halve(team: &mut Team) {
    if team.size() > 1 {
        let is_upper = team.rank() >= team.size() / 2;
        let both = async |part: &mut Team| halve(part).await;
        team.branch(is_upper, both, both).await;
    }
    team.step(Cycles(5 * u64::from(team.rank()))).await;
}

fn history(mesh: &str) -> History {
    let machine = machine(mesh);
    let group = Group::whole(&machine, "hilbert").unwrap();
    let all = run(&Roster, &machine, &group, |_| Run::of(halve));
    History::of(&group, |node| all[node.index()].log())
}

/// What a page shows: its script speaks of numbers that are none.
fn without_script(text: &str) -> String {
    let parts = text.split("<script").enumerate();
    parts
        .map(|(index, part)| if index == 0 { part } else { part.split_once("</script>").unwrap().1 })
        .collect()
}

#[test]
fn the_page_shows_every_group() {
    let machine = machine("mesh:4x8");
    let history = history("mesh:4x8");
    assert_eq!(history.groups().len(), 63);
    let page = GroupsOverTime {
        title: "Halves & halves",
        machine: &machine,
        unit: "steps",
        runs: &[("roster", &history)],
    };
    let files = groups_files(&page);
    assert!(files == groups_files(&page), "the same bytes every time");
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(
        names,
        ["report.html", "roster-over-time.svg", "roster-by-rank.svg", "roster-on-the-machine.svg"]
    );
    for file in &files {
        let text = without_script(&file.text);
        assert!(!text.contains("NaN") && !text.contains("inf"), "{}", file.name);
        assert_eq!(text.matches("<g").count(), text.matches("</g>").count(), "{}", file.name);
    }
    assert!(files[0].text.contains("<h1>Halves &amp; halves</h1>"));
    // One row of the table for each level: 1, 2, 4, 8, 16, 32 groups.
    for (level, groups) in (0..6).map(|level| (level, 1u32 << level)) {
        let row = format!("<tr><td>{level}</td><td>{groups}</td><td>{}</td>", 32 / groups);
        assert!(files[0].text.contains(&row), "{row}");
    }
    // Where groups are ranges of ranks, both orders of the members are the same.
    let drawn = |name: usize| files[name].text.split("<path").skip(1).take(63).collect::<Vec<_>>();
    assert_eq!(drawn(1), drawn(2));
    let tip = |size: u32, level: u32| format!("<title>level {level}: {size} members, from ");
    assert!(files[1].text.contains(&tip(32, 0)) && files[1].text.contains(&tip(2, 4)));
    let labels = |size: u32| files[1].text.matches(&format!("boxed\">{size}</text>")).count();
    assert_eq!([labels(32), labels(16)], [1, 2]);
    assert_eq!(files[3].text.matches("class=\"label\">after ").count(), 8);
}

/// The areas of the drawing cover every member and moment exactly once: their sizes add up to the frame.
#[test]
fn blocks_cover_the_frame() {
    let history = history("mesh:4x8");
    let machine = machine("mesh:4x8");
    let page = GroupsOverTime { title: "t", machine: &machine, unit: "steps", runs: &[("r", &history)] };
    let svg = &groups_files(&page)[1].text;
    let blocks = svg.split("<path d=\"").skip(1).filter_map(|path| path.split_once("\" class=\"fill "));
    let blocks = blocks.filter(|(data, _)| !data.contains('"'));
    let area: f64 = blocks.map(|(data, _)| size(data)).sum();
    let rows = f64::from(machine.nodes()) * 16.0;
    assert!((area / (800.0 * rows) - 1.0).abs() < 0.01, "{area} of {}", 800.0 * rows);
}

/// The area within closed outlines of `m`, `h`, `v` and `z`.
fn size(data: &str) -> f64 {
    let (mut pen, mut start, mut sum) = ((0.0f64, 0.0f64), (0.0, 0.0), 0.0);
    let mut rest = data;
    while let Some(letter) = rest.chars().next() {
        let end = rest[1..].find(|c: char| c.is_ascii_alphabetic()).map_or(rest.len(), |at| at + 1);
        let numbers = rest[1..end].replace('-', " -");
        let numbers: Vec<f64> = numbers.split_whitespace().map(|number| number.parse().unwrap()).collect();
        match (letter, numbers.as_slice()) {
            ('m', [x, y]) => {
                pen = (pen.0 + x, pen.1 + y);
                start = pen;
            }
            ('h', [x]) => {
                sum -= x * pen.1;
                pen.0 += x;
            }
            ('v', [y]) => pen.1 += y,
            // The last side runs along a row.
            ('z', []) => {
                sum -= (start.0 - pen.0) * pen.1;
                pen = start;
            }
            other => panic!("{other:?}"),
        }
        rest = &rest[end..];
    }
    sum.abs()
}

#[test]
fn machines_of_any_shape_are_drawn() {
    for (mesh, drawings) in [("mesh:7", 4), ("mesh:2x2x2", 3), ("mesh:1x1", 4), ("mesh:23x23", 4)] {
        let (machine, history) = (machine(mesh), history(mesh));
        let page =
            GroupsOverTime { title: mesh, machine: &machine, unit: "steps", runs: &[("run", &history)] };
        let files = groups_files(&page);
        assert_eq!(files.len(), drawings, "{mesh}");
        assert!(files.iter().all(|file| !without_script(&file.text).contains("NaN")), "{mesh}");
        let left_out = files[0].text.contains("480 of 529 nodes are drawn");
        assert_eq!(left_out, mesh == "mesh:23x23");
    }
}
