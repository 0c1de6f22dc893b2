//! U2: one link to blame, the busiest by time: in tables, sentences, pictures and JSON.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{folder, run};

const SIDES: [u64; 2] = [4, 5];

/// A number that looks random.
fn drawn(state: &mut u64, below: u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) % below
}

/// Some messages between 20 tasks, of very different sizes.
fn graph(seed: u64) -> Vec<(usize, usize, u64)> {
    let mut state = seed;
    let mut edges = Vec::new();
    while edges.len() < 30 {
        let (from, to) = (drawn(&mut state, 20) as usize, drawn(&mut state, 20) as usize);
        let bytes = 1 + drawn(&mut state, 10) * drawn(&mut state, 4000);
        if from != to {
            edges.push((from, to, bytes));
        }
    }
    edges
}

type Node = (u64, u64);

/// Messages and bytes of each link: along the row first, then along the column.
fn loads(edges: &[(usize, usize, u64)], positions: &[Node]) -> BTreeMap<(Node, Node), (u64, u64)> {
    let mut loads = BTreeMap::new();
    for &(from, to, bytes) in edges {
        let (mut at, end) = (positions[from], positions[to]);
        while at != end {
            let step = |here: u64, there: u64| if there > here { here + 1 } else { here - 1 };
            let next = if at.1 == end.1 { (step(at.0, end.0), at.1) } else { (at.0, step(at.1, end.1)) };
            let load: &mut (u64, u64) = loads.entry((at, next)).or_default();
            *load = (load.0 + 1, load.1 + bytes);
            at = next;
        }
    }
    loads
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("a number: {value}"))
}

/// The page names this link, with its cycles and messages, in the sentence and under the ring of the picture.
fn names_it(page: &str, [from, to]: [Node; 2], [cycles, messages]: [u64; 2]) {
    let spaced = meshwright_core::words::grouped(cycles);
    let far = |(row, column): Node| format!("({row}, {column})");
    let plural = if messages == 1 { "" } else { "s" };
    let sentence = format!(
        "The busiest link is {} → {}: {spaced} cycles in {messages} message{plural}.",
        far(from),
        far(to)
    );
    assert!(page.contains(&sentence), "{sentence}");
    let legend =
        format!("busiest link {} → {}: {spaced} cycles in {messages} message{plural}", far(from), far(to));
    assert!(page.contains(&legend), "{legend}");
    assert_eq!(page.matches("class=\"ring\"").count(), 2, "one in the picture, one in the legend");
}

/// U2: the busiest link of random graphs, added up here from the positions alone, is the one in the JSON of `map` and
/// `plan`, in their tables, in the sentence, and under the ring of the picture.
#[test]
fn the_busiest_link_is_the_same_everywhere_and_right() {
    let mut others = 0;
    for seed in 0..6 {
        let edges = graph(seed);
        let mut trace = "phase,source,target,bytes\n".to_string();
        for (index, (from, to, bytes)) in edges.iter().enumerate() {
            trace += &format!("{},{from},{to},{bytes}\n", 1 + index / 15);
        }
        let folder = folder(&[("g.phases.csv", &trace)]);
        let words = [
            "map",
            "g.phases.csv",
            "--on",
            "mesh:4x5",
            "--placement",
            "snake",
            "--out",
            "o",
            "--switching",
            "wormhole",
        ];
        let (code, text, stderr) = run(folder.path(), &words);
        assert_eq!(code, 0, "{stderr}");
        let read = |name: &str| std::fs::read_to_string(folder.path().join("o").join(name)).unwrap();
        let map: Value = serde_json::from_str(&read("map.json")).unwrap();
        let plan: Value = serde_json::from_str(&read("plan.json")).unwrap();
        let row = &map["placements"][0];
        let node = |value: &Value| (number(&value[0]), number(&value[1]));
        let positions: Vec<Node> = row["positions"].as_array().unwrap().iter().map(node).collect();
        let loads = loads(&edges, &positions);
        let found = &row["busiest_link"]["wormhole"];
        let at = |id: &Value| (number(id) / SIDES[1], number(id) % SIDES[1]);
        let (from, to) = (at(&found["from"]), at(&found["to"]));
        let (messages, bytes) = loads[&(from, to)];
        let most = loads.values().map(|&(_, bytes)| bytes).max().unwrap();
        assert_eq!((number(&found["messages"]), number(&found["bytes"])), (messages, bytes));
        assert_eq!((bytes, number(&found["busy_cycles"])), (most, most), "one cycle a byte");
        others += u32::from(loads.values().any(|&(count, _)| count > messages));
        let planned = &plan["jobs"][0]["results"][0];
        assert_eq!((&planned["busiest_link"], &planned["hottest_link"]), (found, found));
        assert_eq!(planned["waited_link"], planned["blame"]);
        assert_eq!(row["waited_link"]["wormhole"], planned["waited_link"]);
        let name = |(row, column): Node| format!("({row},{column})");
        let cell = format!("{} → {}  {most}, {messages}", name(from), name(to));
        assert!(text.contains(&cell), "{cell} in {text}");
        names_it(&read("report.html"), [from, to], [most, messages]);
    }
    assert!(others > 0, "in some graph another link has more messages");
}

/// U2: `simulate` and the tables of `plan` name the same link as `map`.
#[test]
fn schedules_name_the_busiest_link_too() {
    // Two small messages over one link, a large one over another.
    let goal = "num_ranks 4\nrank 0 {\nsend 10b to 1\nsend 10b to 1 tag 2\n}\nrank 1 {\nrecv 10b from 0\nrecv 10b from 0 tag 2\n}\nrank 2 {\nsend 500b to 3\n}\nrank 3 {\nrecv 500b from 2\n}\n";
    let folder = folder(&[("a.goal", goal)]);
    let (code, stdout, _) = run(folder.path(), &["simulate", "a.goal", "--on", "mesh:4", "--json"]);
    let report: Value = serde_json::from_str(&stdout).unwrap();
    let link = serde_json::json!({"from": 2, "to": 3, "messages": 1, "bytes": 500, "busy_cycles": 500});
    assert_eq!((code, &report["busiest_link"], &report["hottest_link"]), (0, &link, &link));
    assert_eq!(report["waited_link"]["from"], 0, "the second small message waits for the first");
    let text = run(folder.path(), &["simulate", "a.goal", "--on", "mesh:4"]).1;
    assert!(text.contains("(2) → (3)  500, 1"), "{text}");
}
