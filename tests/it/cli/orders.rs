//! Names that hold orders for a terminal or turn the reading direction: none of them leaves the program raw.

use super::*;

/// Colours, a title, a bell, a control sequence in one byte, directions, isolates, marks, a delete.
const EVIL: &str =
    "\u{1b}[31mR\u{1b}]0;t\u{7}\u{9b}2J\u{202e}x\u{202d}\u{2066}\u{2069}\u{200e}\u{200f}\u{61c}\u{7f}\r\t";

/// What no output may hold, beside line ends.
fn is_order(c: char) -> bool {
    c != '\n' && c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn assert_harmless(what: &str, text: &str) {
    if let Some((at, c)) = text.char_indices().find(|(_, c)| is_order(*c)) {
        let around: String =
            text[..at].chars().rev().take(60).collect::<Vec<_>>().into_iter().rev().collect();
        panic!("{what} holds {c:?} after {around:?}");
    }
}

/// Takes away the colours that errors and tables have by themselves: what is left of a sequence is not ours.
fn without_own_colours(stderr: &str) -> String {
    let mut text = String::new();
    let mut rest = stderr;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        text += before;
        let end = after.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(after.len());
        // The red of the names above is not used by them, whose colours are bright or bold.
        let own = after[end..].starts_with('m') && &after[..end] != "31";
        rest = if own { &after[end + 1..] } else { after };
        text += if own { "" } else { "\u{1b}" };
    }
    text + rest
}

/// Runs it as on a terminal; nothing that it prints or writes holds an order. Its exit code.
fn check(folder: &Path, arguments: &[&str]) -> i32 {
    let before: Vec<_> = everything(folder);
    let mut all = vec!["--color", "always"];
    all.extend(arguments);
    let (code, stdout, stderr) = run(folder, &all);
    assert!((0..=2).contains(&code), "{arguments:?}: {code}\n{stderr}");
    assert_harmless(&format!("stdout of {arguments:?}"), &without_own_colours(&stdout));
    assert_harmless(&format!("stderr of {arguments:?}"), &without_own_colours(&stderr));
    if arguments.contains(&"--json") && code < 2 {
        serde_json::from_str::<Value>(&stdout).unwrap();
    }
    for file in everything(folder).into_iter().filter(|file| !before.contains(file)) {
        let text = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
        assert_harmless(&format!("{} of {arguments:?}", file.display()), &text);
    }
    code
}

/// All files in a folder and below.
fn everything(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(everything(&path)) } else { files.push(path) }
    }
    files
}

fn toml(text: &str) -> String {
    text.chars().flat_map(|c| format!("\\u{:04x}", c as u32).chars().collect::<Vec<_>>()).collect()
}

/// R3: jobs of every kind in a scenario, with files whose names are as bad; the page, its drawings and schedules.
#[test]
fn names_in_a_scenario_leave_no_order_anywhere() {
    let name = toml(EVIL);
    let text = format!(
        "[machine]\ntopology = \"mesh:2x3\"\nstartup = 0\n[[divide]]\nname = \"{name}\"\ntasks = \"binomial:2\"\n\
         [[load]]\nname = \"{name}\"\nsources = [{{ at = [1, 1] }}]\nsigma = 0.5\nmethods = [\"voronoi\", \"installments\"]\n\
         [[groups]]\nname = \"{name}\"\nrandom = 2\nrepeat = 2\n\
         [[divide]]\ntasks = \"{name}.phases.csv\"\nplacement = [\"all\", \"{name}.map\"]\n"
    );
    let map: String = "4\n".to_string() + &(0..4).map(|task| format!("{task}\t{task}\n")).collect::<String>();
    let (scenario, out) = (format!("{EVIL}.toml"), format!("{EVIL}out"));
    let folder = folder(&[(&scenario, &text)]);
    let write =
        |name: &str, text: &str| std::fs::write(folder.path().join(format!("{EVIL}{name}")), text).unwrap();
    write(".phases.csv", "phase,source,target,bytes\n1,0,1,5\n1,2,3,5\n");
    write(".map", &map);
    assert_eq!(check(folder.path(), &["plan", &scenario, "--out", &out]), 0);
    assert_eq!(check(folder.path(), &["plan", &scenario]), 0);
    assert_eq!(check(folder.path(), &["plan", &scenario, "--json"]), 0);
    // JSON gives the name back, and `run` finds the job by it.
    let plan = folder.path().join(&out).join("plan.json");
    let read: Value = serde_json::from_str(&std::fs::read_to_string(&plan).unwrap()).unwrap();
    assert_eq!(read["jobs"][0]["name"], EVIL.trim());
    let run_it =
        ["run", plan.to_str().unwrap(), "--repeat", "1", "--job", EVIL.trim(), "--force", "--out", &out];
    assert_eq!(check(folder.path(), &run_it), 0);
    assert_eq!(check(folder.path(), &["run", plan.to_str().unwrap(), "--job", EVIL]), 2);
    // Where a line ends, a name could forge the next one.
    let text =
        "[machine]\ntopology = \"mesh:2x2\"\n[[divide]]\nname = \"a\\n* b wins\"\ntasks = \"binomial:1\"\n";
    std::fs::write(folder.path().join("two.toml"), text).unwrap();
    let (code, _, stderr) = run(folder.path(), &["plan", "two.toml"]);
    assert!(code == 2 && stderr.contains("expected a name of one line"), "{stderr}");
}

/// Files with such characters in their names and texts.
fn files_with_orders() -> Vec<(String, String)> {
    let name = |ending: &str| format!("{EVIL}{ending}");
    vec![
        (name(".csv"), "phase,source,target,bytes\n1,0,1,5\n".to_string()),
        (name(".goal"), GOAL.to_string()),
        (
            name(".mtx"),
            "%%MatrixMarket matrix coordinate pattern general\n4 4 3\n1 2\n2 3\n3 4\n".to_string(),
        ),
        (name(".toml"), "[machine]\ntopology = \"mesh:4x4\"\n".to_string()),
        (name(".map"), "2\n0\t0\n1\t1\n".to_string()),
        (
            name(".xml"),
            std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/two-packages.xml"))
                .unwrap(),
        ),
        (
            name("bad.xml"),
            format!(
                "<topology><object type=\"Core\"/><info name=\"HostName\" value=\"{}\"/></topology>",
                "\u{9b}\u{202e}\u{7f}"
            ),
        ),
        (name(".txt"), format!("{EVIL} {EVIL} word word")),
        (name(".bin"), "12345678".to_string()),
        (
            name("claim.json"),
            format!(
                "{{\"machine\":\"mesh:2x2\",\"sigma\":1,\"sources\":[0],\"methods\":[{{\"name\":\"{}\",\"speedup\":1.0,\"shares\":[1,0,0,0]}}]}}",
                toml(EVIL)
            ),
        ),
        (name(".labels"), "node,label,key\n0,\u{202e},0\n".to_string()),
    ]
}

/// Lines that name them, and are answered; words are apart by `|`.
fn answered_lines() -> Vec<String> {
    let e = EVIL;
    vec![
        format!(
            "map|{e}.csv|--on|mesh:2x2|--placement|row-major,{e}.map|--emit|goal:{e}goal|--emit|rankfile:{e}rf|--out|{e}a"
        ),
        format!("map|{e}.csv|--on|{e}.toml|--json"),
        format!("map|{e}.mtx|--on|graph:{e}.mtx|--placement|all|--out|{e}b"),
        format!(
            "map|binomial:2|--on|hwloc:{e}.xml|--placement|recursive-bisection,random|--emit|rankfile:{e}rg|--out|{e}c"
        ),
        format!("split|{e}.toml|--from|1,1|--sigma|0.5|--out|{e}d"),
        format!("split|graph:{e}.mtx|--from|1|--sigma|0.5|--json"),
        format!("split|graph:{e}.mtx|--random|1|--rounds|2|--sigma|0.5"),
        format!("groups|graph:{e}.mtx|--random|1|--out|{e}e"),
        format!("groups|{e}.toml|--collective|all"),
        format!("simulate|{e}.goal|--on|{e}.toml|--out|{e}f"),
        format!("simulate|{e}.goal|--on|hwloc:{e}.xml"),
        format!("simulate|--on|hwloc:{e}.xml|--traffic|uniform|--load|0.1|--measure|50"),
        format!(
            "sweep|--on|hwloc:{e}.xml|--traffic|uniform|--points|2|--to|0.1|--measure|50|--out|{e}g|--results|{e}r.jsonl"
        ),
        format!("run|{e}.goal|--repeat|1|--on|hwloc:{e}.xml"),
        format!("sort|{e}.bin|--out|{e}h|--ranks|2"),
        format!("divide|broadcast|--size|64|--on|hwloc:{e}.xml|--repeat|1"),
        format!("scatter|words|{e}.txt|--ranks|2|--out|{e}i"),
        format!("scatter|words|{e}.txt|--ranks|2|--json"),
        format!("check|{e}claim.json"),
        format!("check|{e}claim.json|--json"),
    ]
}

/// Lines with such words in the wrong place.
fn refused_lines() -> Vec<String> {
    let e = EVIL;
    vec![
        e.to_string(),
        format!("map|{e}"),
        format!("map|binomial:2|--on|{e}"),
        format!("map|binomial:2|--on|mesh:2x2|--placement|{e}"),
        format!("map|binomial:2|--on|mesh:2x2|--seed|{e}"),
        format!("map|binomial:2|--on|mesh:2x2|--{e}"),
        format!("map|binomial:2|--on|hwloc:{e}bad.xml"),
        format!("map|binomial:2|--on|mesh:2x2|--hosts|{e}.txt|--emit|rankfile:x"),
        format!("groups|mesh:4x4|--labels|{e}.labels"),
        format!("simulate|--on|mesh:2x2|--traffic|permutation:{e}.txt|--load|0.1"),
        format!("simulate|{e}.goal|--on|mesh:2x2|--set|{e}=1"),
        format!("run|{e}none.json"),
        format!("plan|{e}.txt"),
        format!("scatter|image|{e}.txt|--out-image|x.ppm"),
        format!("sort|{e}.txt|--out|{e}.bin/x"),
        format!("check|{e}.txt"),
        format!("claims|{e}"),
        "map|a\nb.csv|--on|mesh:2x2".to_string(),
        "map|binomial:1|--on|hwloc:a\nb.xml".to_string(),
    ]
}

/// R3: every verb, with such characters in every name it takes; what it refuses it shows harmless, too.
#[test]
fn no_verb_lets_an_order_out() {
    let named = files_with_orders();
    let named: Vec<(&str, &str)> = named.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let folder = folder(&named);
    for line in &answered_lines() {
        let arguments: Vec<&str> = line.split('|').collect();
        let code = check(folder.path(), &arguments);
        let (code2, _, stderr) =
            if code == 2 { run(folder.path(), &arguments) } else { (code, String::new(), String::new()) };
        assert!(code2 < 2, "{arguments:?}: {stderr}");
    }
    for line in &refused_lines() {
        let arguments: Vec<&str> = line.split('|').collect();
        assert_eq!(check(folder.path(), &arguments), 2, "{arguments:?}");
    }
}
