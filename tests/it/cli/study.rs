//! `split` as a study: several machines and numbers of sources, rules of ties, timing diagrams, places together, whole pieces.

use super::*;

/// What a command answers in JSON.
fn json(folder: &Path, line: &str) -> Value {
    let (code, text, problems) = run(folder, &line.split_whitespace().collect::<Vec<_>>());
    assert_eq!(code, 0, "{line}: {problems}");
    serde_json::from_str(&text).unwrap()
}

fn float(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is a number"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("{value} is a list"))
}

/// A table of `--csv`: the heads, and the rows.
fn table(path: &Path) -> (Vec<String>, Vec<Vec<String>>) {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_string).collect::<Vec<_>>());
    (lines.next().unwrap(), lines.collect())
}

#[test]
fn a_series_over_machines_is_each_machine_alone() {
    let place = folder(&[]);
    let line = "split --on mesh:3x3..5x5,torus:4x4 --source middle --sigma 0.2,0.5 --method flow-matrix --switching cut-through";
    let series = json(place.path(), &format!("{line} --csv s.csv --out o --json"));
    assert_eq!(series["varies"], serde_json::json!(["machine", "sigma"]));
    assert_eq!(series["machine"], "mesh:3x3,mesh:4x4,mesh:5x5,torus:4x4");
    assert_eq!(list(&series["series"]).len(), 8);
    for member in list(&series["series"]) {
        let (machine, sigma) = (member["varies"]["machine"].as_str().unwrap(), &member["varies"]["sigma"]);
        let alone = format!(
            "split --on {machine} --source middle --sigma {sigma} --method flow-matrix --switching cut-through --json"
        );
        assert_eq!(json(place.path(), &alone)["methods"], member["methods"], "{machine}, {sigma}");
    }
    let (head, rows) = table(&place.path().join("s.csv"));
    let column = |name: &str| head.iter().position(|head| head == name).unwrap();
    assert_eq!(rows.len(), 8);
    assert_eq!(rows[0][column("machine")], "mesh:3x3");
    let makespan: f64 = rows[0][column("makespan_wtcp")].parse().unwrap();
    let share: f64 = rows[0][column("source_share")].parse().unwrap();
    assert!((makespan - share).abs() < 1e-12, "the source works all the time");
    for file in ["speedup.svg", "processors.svg", "share.svg", "report.html", "split.json"] {
        assert!(place.path().join("o").join(file).exists(), "{file}");
    }
}

#[test]
fn series_of_random_sources_are_each_alone() {
    let place = folder(&[]);
    let line = "split --on mesh:8x8 --random-sources 2,3 --repeat 6 --sigma 0.05,0.2 --seed 4";
    let series = json(place.path(), &format!("{line} --csv r.csv --out o --json"));
    assert_eq!(series["varies"], serde_json::json!(["sigma", "sources"]));
    for member in list(&series["series"]) {
        let (sources, sigma) = (&member["varies"]["sources"], &member["varies"]["sigma"]);
        let alone = format!(
            "split --on mesh:8x8 --random-sources {sources} --repeat 6 --sigma {sigma} --seed 4 --json"
        );
        let alone = json(place.path(), &alone);
        assert_eq!(alone["averages"], member["averages"], "{sources}, {sigma}");
        assert_eq!(alone["against_optimum"], member["against_optimum"], "{sources}, {sigma}");
    }
    // Two numbers of sources, two sigmas, three forwardings, four reductions.
    assert_eq!(table(&place.path().join("r.csv")).1.len(), 48);
    for file in ["saved.svg", "gain.svg", "report.html"] {
        assert!(place.path().join("o").join(file).exists(), "{file}");
    }
    // With ties to nobody at least as many nodes are idle, whatever the reduction keeps.
    let idle = |ties: &str| {
        let line =
            format!("split --on mesh:8x8 --random-sources 4 --repeat 8 --sigma 0.05 --ties {ties} --json");
        float(&json(place.path(), &line)["averages"][0]["reductions"][1]["saved_share"]["mean"])
    };
    assert_ne!(idle("nobody"), idle("lowest"));
}

#[test]
fn rules_of_ties_and_thresholds_change_what_they_should() {
    let place = folder(&[]);
    let split = |words: &str| {
        let line = format!(
            "split --on mesh:1x7 --source 0,1 --source 0,3 --sigma 0.1 --switching cut-through {words} --json"
        );
        json(place.path(), &line)
    };
    let nodes =
        |words: &str| split(&format!("--method voronoi {words}"))["methods"][0]["nodes_used"].as_u64();
    assert_eq!((nodes(""), nodes("--ties lowest"), nodes("--ties nobody")), (Some(7), Some(7), Some(6)));
    let both = split("--method voronoi --ties both");
    let row = &both["methods"][0];
    assert_eq!((&row["feasible"], &row["cells"]), (&false.into(), &Value::Null), "one node with two shares");
    let speedups: Vec<f64> = list(&row["cell_speedups"]).iter().map(float).collect();
    // One source, two neighbours, and of the second cell one node each two and three hops away.
    assert!((speedups[0] - 3.0).abs() < 1e-12 && (speedups[1] - (3.0 + 0.9 + 0.81)).abs() < 1e-12, "{row}");
    // Algorithm 4 ends where it is told to.
    let line = "split --on mesh:1x9 --source 0,0 --source 0,5 --sigma 0.01 --switching cut-through --method accelerated --json";
    let saved = |words: &str| json(place.path(), &format!("{line} {words}"))["methods"][0]["saved"].as_u64();
    assert_eq!(saved(""), Some(1), "as far as it goes");
    assert_eq!(saved("--save-at-least 1/3"), Some(3), "a third is idle already");
    assert_eq!(saved("--save-at-least 1/4"), Some(2));
    assert_eq!(saved("--finish 1"), Some(3), "it is done by then already");
    for (words, why) in [
        ("--source 0,0 --ties nobody", "several --source"),
        ("--source 0,0 --source 1,1 --method voronoi --finish 0.1", "accelerated"),
        ("--source 0,0 --source 1,1 --ties some", "expected"),
    ] {
        let line = format!("split --on mesh:3x3 --sigma 0.1 {words}");
        let (code, _, problems) = run(place.path(), &line.split(' ').collect::<Vec<_>>());
        assert!(code == 2 && problems.contains(why), "{problems}");
    }
}

#[test]
fn what_evening_out_costs_is_told() {
    let place = folder(&[]);
    let line = "split --on mesh:2x2 --source 0,0=7 --source 0,1=1 --source 1,0=1 --source 1,1=1 --sigma 0.5 --method epsea";
    let answer = json(place.path(), &format!("{line} --json"));
    let rebalance = &answer["methods"][0]["rebalances"][0];
    // Two neighbours get 0.15 each, the far corner 0.15 over two links; 0.45 leave by two links.
    assert!((float(&rebalance["distance"]) - 0.6).abs() < 1e-9);
    assert!((float(&rebalance["busiest_link"]) - 0.225).abs() < 1e-9);
    assert!((float(&rebalance["time"]) - 0.1125).abs() < 1e-9);
    let text = run(place.path(), &line.split(' ').collect::<Vec<_>>()).1;
    assert!(text.contains("earth mover's distance 0.6"), "{text}");
}

#[test]
fn timing_diagrams_are_data() {
    let place = folder(&[]);
    let line =
        "split --on mesh:2x2 --source 0,0 --sigma 0.5 --switching cut-through --show timing --csv t.csv";
    let answer = json(place.path(), &format!("{line} --json"));
    let thesis = &answer["timings"][0];
    assert_eq!((&thesis["method"], &thesis["of"]), (&"flow-matrix".into(), &"formulas".into()));
    // T = 2/7; layer 1 is sent 2/7 in 1/7, layer 2 waits for it.
    let rows = list(&thesis["rows"]);
    let span = |value: &Value| (float(&value[0][0]), float(&value[0][1]));
    let is = |(a, b): (f64, f64), (c, d): (f64, f64)| (a - c).abs() < 1e-12 && (b - d).abs() < 1e-12;
    assert!(is(span(&rows[0]["computing"]), (0.0, 2.0 / 7.0)));
    assert!(is(span(&rows[1]["communication"]), (0.0, 1.0 / 7.0)));
    assert!(is(span(&rows[2]["computing"]), (1.0 / 7.0, 2.0 / 7.0)));
    let (head, rows) = table(&place.path().join("t.csv"));
    assert_eq!(head, ["method", "switching", "of", "row", "what", "begin_wtcp", "end_wtcp"]);
    let spans: usize = list(&answer["timings"])
        .iter()
        .flat_map(|timing| list(&timing["rows"]))
        .map(|row| list(&row["communication"]).len() + list(&row["computing"]).len())
        .sum();
    assert_eq!(rows.len(), spans);
    for row in rows {
        // Commas within quotes are cut here, too; the last two cells are numbers.
        let [begin, end] = [2, 1].map(|back: usize| row[row.len() - back].parse::<f64>().unwrap());
        assert!(begin <= end, "{row:?}");
    }
}

#[test]
fn several_places_are_found_together() {
    let place = folder(&[]);
    let answer = json(place.path(), "split --on mesh:5x5 --source 0,0 --sigma 1 --place 2 --json");
    assert_eq!((&answer["proved"], list(&answer["placed"]).len()), (&true.into(), 2));
    assert!(
        (float(&answer["makespan"]) - 0.1).abs() < 1e-9
            && (float(&answer["moving"]["distance"]) - 3.0).abs() < 1e-9
    );
    // The optimum with the load there is what is promised.
    let at = |row: &Value| format!("{},{}", row["at"][0], row["at"][1]);
    let placed = list(&answer["placed"]);
    let line = format!(
        "split --on mesh:5x5 --source {} --source {} --sigma 1 --method optimum --chunks 40 --json",
        at(&placed[0]),
        at(&placed[1])
    );
    assert!((float(&json(place.path(), &line)["bound"]["makespan"]) - 0.1).abs() < 1e-9);
    // Half of the load goes to each: hops by hand.
    let hops: f64 = placed.iter().map(|row| float(&row["at"][0]) + float(&row["at"][1])).sum();
    assert!((hops / 2.0 - float(&answer["moving"]["distance"])).abs() < 1e-9);
    // 0.1 there and 0.5 for the way; to move all and then begin is a schedule from where it is, too.
    for (words, told) in [
        ("--sigma 1 --place 2", "together 0.6, never sooner than from where it is"),
        ("--sigma 0.01 --place 1", "The load is there already"),
        ("--sigma 0.2 --place 1", "together 0.147619, never sooner"),
    ] {
        let line = format!("split --on mesh:5x5 --source 0,0 {words}");
        let text = run(place.path(), &line.split(' ').collect::<Vec<_>>()).1;
        assert!(text.contains(told), "{line}: {text}");
        let answer = json(place.path(), &format!("{line} --json"));
        let together = float(&answer["makespan"]) + float(&answer["moving"]["time"]);
        assert!(together >= float(&answer["makespan_before"]) - 1e-9, "{line}: {answer}");
    }
}

#[test]
fn pieces_are_given_out_whole() {
    let place = folder(&[]);
    let sizes = [50u64, 40, 30, 30, 20, 20, 10, 10, 5, 5];
    let lines: String = sizes.iter().enumerate().map(|(at, size)| format!("p{at},{size}\n")).collect();
    std::fs::write(place.path().join("p.csv"), format!("piece,size\n{lines}")).unwrap();
    let line = "split --on mesh:2x2 --source 0,0 --sigma 0.05 --pieces p.csv --csv a.csv --json";
    let answer = json(place.path(), line);
    assert_eq!((&answer["size"], &answer["largest"]), (&220.into(), &50.into()));
    let bound = float(&answer["bound"]["makespan"]);
    let methods = list(&answer["methods"]);
    let local = methods.iter().find(|row| row["name"] == "local").unwrap();
    assert!((float(&local["makespan"]) - 1.0).abs() < 1e-6, "all at the source");
    for row in methods {
        assert!(float(&row["makespan"]) >= bound * (1.0 - 1e-9), "{row}");
        assert!(float(&row["makespan"]) >= float(&methods[0]["makespan"]), "{row}");
        assert!(float(&row["over"]) <= float(&row["over_max"]) + 1e-12, "{row}");
    }
    // The winner by hand: a message to each neighbour, one more hop to the far corner, work when all is there.
    let mut load = [0u64; 4];
    for (row, size) in list(&answer["assignment"]).iter().zip(sizes) {
        load[row["node"].as_u64().unwrap() as usize] += size;
    }
    assert_eq!(load.iter().sum::<u64>(), 220);
    let longest = load.iter().map(|&size| size as f64 / 220.0).fold(0.0, f64::max);
    let makespan = float(&methods[0]["makespan"]);
    assert!(makespan >= longest && makespan <= longest + 0.05, "{makespan}, {longest}");
    assert_eq!(table(&place.path().join("a.csv")).1.len(), sizes.len());
    for (words, why) in [
        ("--pieces q.csv", "q.csv"),
        ("--pieces p.csv --source 1,1", "one source"),
        ("--pieces p.csv --method optimum", "no --method beside --pieces"),
        ("--pieces p.csv --place 2", "cannot be used"),
    ] {
        let line = format!("split --on mesh:2x2 --source 0,0 --sigma 0.05 {words}");
        let (code, _, problems) = run(place.path(), &line.split(' ').collect::<Vec<_>>());
        assert!(code == 2 && problems.contains(why), "{problems}");
    }
}

#[test]
fn ranks_work_off_whole_pieces() {
    let place = folder(&[]);
    let text: String = (0..60).map(|at| format!("{}\n", "word ".repeat(at % 7 + 1))).collect();
    let lines: String =
        text.lines().enumerate().map(|(at, line)| format!("p{at},{}\n", line.len() + 1)).collect();
    std::fs::write(place.path().join("t.txt"), &text).unwrap();
    std::fs::write(place.path().join("p.csv"), format!("piece,size\n{lines}")).unwrap();
    let line = "scatter --ranks 3 words t.txt --pieces p.csv --calibrate 0.01 --verify --slow 2=3 --json";
    let answer = json(place.path(), line);
    assert_eq!(answer["verified"]["equal"], true);
    assert_eq!(answer["pieces"], serde_json::json!({"count": 60, "largest": 36}));
    let mut ends = vec![0];
    text.lines().for_each(|line| ends.push(ends.last().unwrap() + line.len() as u64 + 1));
    for outcome in list(&answer["outcomes"]) {
        let mut sum = 0;
        for share in list(&outcome["share_bytes"]) {
            sum += share.as_u64().unwrap();
            assert!(ends.contains(&sum), "{sum} is inside a piece");
        }
        let number = |key: &str| float(&outcome[key]);
        let most = number("anywhere_seconds") + number("loss_max_seconds");
        assert!(float(&outcome["predicted"]["makespan"]) <= most * 1.01, "{outcome}");
    }
    std::fs::write(place.path().join("q.csv"), "piece,size\na,3\n").unwrap();
    let line = "scatter --ranks 3 words t.txt --pieces q.csv";
    let (code, _, problems) = run(place.path(), &line.split(' ').collect::<Vec<_>>());
    assert!(code == 2 && problems.contains("the bytes of the text"), "{problems}");
}
