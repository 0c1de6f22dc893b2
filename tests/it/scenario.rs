//! Scenario files: what is read, what is refused and where the error points.

use std::path::Path;

use meshwright_core::Error;
use meshwright_core::error::ParseError;
use meshwright_core::units::{Bytes, Cycles, NodeId, Ratio};
use meshwright_formats::scenario::{self, Scenario, Work};
use meshwright_mapping::Shape;
use meshwright_network::topology::{PortModel, Switching};
use proptest::prelude::*;

const GOOD: &str = r#"
seed = 7
[machine]
topology = "mesh:4x8"
switching = "store-and-forward"
clock = "2 GHz"
startup = "1 us"
byte_time = "1 GB/s"
flit = "4 B"
buffers = 8
virtual_channels = 2
ports = "one"
dead = [[3, 5], [0, 0]]
dead_links = [[[1, 2], [0, 2]], [[1, 2], [1, 3]]]
[[divide]]
name = "sort"
tasks = "binomial:4"
alpha = "1/4"
combine_alpha = 0.5
volume = "1.5 KiB"
placement = ["snake", "row-major", "snake"]
[[divide]]
tasks = "binomial:0x"
"#;

fn read(text: impl Into<Vec<u8>>) -> meshwright_core::Result<Scenario> {
    scenario::read_bytes(Path::new("s.toml"), text.into())
}

fn refused(text: impl Into<Vec<u8>>) -> ParseError {
    match read(text) {
        Err(Error::Parse(error)) => *error,
        other => panic!("expected an error with a place, got {other:?}"),
    }
}

#[test]
fn every_key_is_read() {
    let scenario = read(GOOD.replace("0x", "2")).unwrap();
    let machine = &scenario.machine;
    assert_eq!((scenario.seed, machine.name()), (7, "mesh:4x8"));
    assert_eq!(machine.switching(), Switching::StoreAndForward);
    assert_eq!(machine.costs().startup, Cycles(2000));
    assert_eq!(machine.costs().byte_time, Ratio::whole(2));
    assert_eq!(machine.costs().flit, Bytes(4));
    assert_eq!((machine.buffers(), machine.virtual_channels(), machine.port_model()), (8, 2, PortModel::One));
    assert_eq!(machine.dead(), [NodeId(0), NodeId(29)]);
    assert_eq!(machine.dead_links(), [(NodeId(2), NodeId(10)), (NodeId(10), NodeId(11))]);
    let [sort, plain] = scenario.jobs.as_slice() else { panic!("two jobs") };
    let [Work::Divide(divide), Work::Divide(plain_work)] = [&sort.work, &plain.work] else {
        panic!("both are divide and conquer");
    };
    assert_eq!((sort.name.as_str(), divide.methods.join(" ").as_str()), ("sort", "snake row-major"));
    let tree = divide.job.tasks.divide.as_ref().expect("a binomial tree");
    assert_eq!((&tree.shape, tree.alpha, tree.combine_alpha), (&Shape::Binomial(4), Some(0.25), Some(0.5)));
    assert_eq!(tree.volume, Bytes(1536));
    assert_eq!(
        (plain.name.as_str(), plain_work.methods.len()),
        ("binomial:2", meshwright_mapping::PLACEMENTS.len() - 1),
        "all but axes: a tree is no logical mesh"
    );
}

#[test]
fn numbers_may_be_written_in_every_way_of_toml() {
    let text = "[machine]\ntopology = 'hypercube:3'\nstartup = 0x10\nbyte_time = 2.5e-1\nflit = 1_6\ndead = [7]\n\
                [[divide]]\ntasks = 'binomial:2'\nvolume = 1_000\n";
    let scenario = read(text).unwrap();
    let costs = scenario.machine.costs();
    assert_eq!((costs.startup, costs.flit), (Cycles(16), Bytes(16)));
    assert_eq!(costs.byte_time, Ratio::new(1, 4).unwrap());
    assert_eq!(scenario.machine.dead(), [NodeId(7)]);
}

/// The text with `[machine]` and `[[divide]]` around what is tested.
fn machine(line: &str) -> String {
    format!("[machine]\ntopology = \"mesh:4x4\"\n{line}\n[[divide]]\ntasks = \"binomial:2\"\n")
}

fn divide(line: &str) -> String {
    format!("[machine]\ntopology = \"mesh:4x4\"\n[[divide]]\n{line}\n")
}

/// The text, then line, column, the marked text, a part of the message, a part of what is expected.
type Case = (String, u64, u64, &'static str, &'static str, &'static str);

fn check(cases: Vec<Case>) {
    for (text, line, column, marked, message, expected) in cases {
        let error = refused(text.clone());
        assert_eq!((error.line, error.column), (line, column), "{text}\n{error}");
        assert_eq!(&error.excerpt[error.start..error.start + error.length], marked, "{text}\n{error}");
        assert!(error.message.contains(message), "{text}\n{error}");
        assert!(error.expected.contains(expected), "{text}\n{error}");
        assert_eq!(error.file, "s.toml");
    }
}

#[test]
fn bad_documents_are_refused_with_a_place() {
    let graph = "[machine]\ntopology = \"graph:no/such.mtx\"\n";
    check(vec![
        (String::new(), 1, 1, "", "empty", "[machine]"),
        (" \n\n".into(), 1, 1, "", "empty", "[machine]"),
        ("seed = 1\n".into(), 1, 1, "", "no `[machine]`", "topology"),
        ("[machine]\ntopology = \"mesh:4x4\"\n".into(), 2, 22, "", "no job", "[[divide]]"),
        ("[machine".into(), 1, 9, "", "unclosed", "`]`"),
        ("a = = 1".into(), 1, 5, "=", "", ""),
        ("[machine]\n[machine]\n".into(), 2, 2, "machine", "stands here twice", "each key once"),
        ("[machin]\n".into(), 1, 2, "machin", "unknown key `machin`", "`machine`"),
        ("machine = 3\n".into(), 1, 11, "3", "`machine` is 3", "[machine]"),
        (machine("[[groups]]\nrepeat = 4"), 3, 1, "[[groups]]", "no `levels`", "labels"),
        (format!("seed = -1\n{}", machine("")), 1, 8, "-1", "`seed` is -1", "0 to 18446744073709551615"),
        ("[machine]\ntopology = \"mesh:4x4\"\n[divide]\n".into(), 3, 2, "divide", "a table", "two brackets"),
        (graph.into(), 2, 12, "\"graph:no/such.mtx\"", "no/such.mtx", "a file"),
    ]);
}

#[test]
fn bad_machines_are_refused_with_a_place() {
    let topology = |text: &str| format!("[machine]\ntopology = {text}\n");
    check(vec![
        ("[machine]\n".into(), 1, 2, "machine", "no `topology`", "mesh:8x8"),
        (topology("8"), 2, 12, "8", "`topology` is 8", "mesh:8x8"),
        (topology("\"mesh:8y8\""), 2, 12, "\"mesh:8y8\"", "8y8", "sides"),
        (topology("\"ring:8\""), 2, 12, "\"ring:8\"", "ring:8", "hypercube:D"),
        (topology("\"mesh:0x8\""), 2, 12, "\"mesh:0x8\"", "0", "at least 1"),
        (topology("\"mesh:99999x99999\""), 2, 12, "\"mesh:99999x99999\"", "", "at most"),
        (machine("swithing = 1"), 3, 1, "swithing", "unknown key `swithing` in [machine]", "`switching`"),
        (machine("xyz = 1"), 3, 1, "xyz", "unknown key `xyz`", "`topology`, `switching`"),
        (machine("switching = \"wormhol\""), 3, 13, "\"wormhol\"", "`wormhol`", "did you mean `wormhole`"),
        (machine("startup = -1"), 3, 11, "-1", "`startup` is -1", "cycles"),
        (machine("startup = nan"), 3, 11, "nan", "nan", "cycles"),
        (machine("startup = 2.5"), 3, 11, "2.5", "2.5", "whole cycles"),
        (machine("startup = 99999999999"), 3, 11, "99999999999", "startup is", "at most"),
        (machine("startup = \"2 us\""), 3, 11, "\"2 us\"", "2 us", "no `clock`"),
        (machine("byte_time = \"1 GB/s\""), 3, 13, "\"1 GB/s\"", "1 GB/s", "no `clock`"),
        (machine("byte_time = inf"), 3, 13, "inf", "inf", "cycles per byte"),
        (machine("byte_time = [1]"), 3, 13, "[1]", "a list", "cycles per byte"),
        (machine("clock = 3"), 3, 9, "3", "`clock` is 3", "GHz"),
        (machine("clock = \"0 GHz\""), 3, 9, "\"0 GHz\"", "0 GHz", "GHz"),
        (machine("flit = 0"), 3, 8, "0", "`flit` is 0", "from 1"),
        (machine("flit = \"2 parsec\""), 3, 8, "\"2 parsec\"", "2 parsec", "KiB"),
        (machine("buffers = 0"), 3, 11, "0", "`buffers` is 0", "1 to 65536"),
        (machine("virtual_channels = true"), 3, 20, "true", "true", "1 to 256"),
        (machine("ports = \"two\""), 3, 9, "\"two\"", "two", "`all` or `one`"),
        (machine("dead = 3"), 3, 8, "3", "`dead` is 3", "[[3, 5]"),
        (machine("dead = [16]"), 3, 9, "16", "`dead` is 16", "id from 0 to 15"),
        (machine("dead = [\"4,*\"]"), 3, 9, "\"4,*\"", "`dead` is `4,*`", "0..3,0..3 or 0..15"),
        (machine("dead = [[0, 1], [3, 4]]"), 3, 21, "4", "`dead` is 4", "0 to 3"),
        (machine("dead = [[0, 1, 2]]"), 3, 9, "[0, 1, 2]", "3 coordinates", "[0..3, 0..3]"),
    ]);
    check(vec![
        (machine("dead_links = 3"), 3, 14, "3", "`dead_links` is 3", "[[[0, 0], [0, 1]]"),
        (machine("dead_links = [3]"), 3, 15, "3", "`dead_links` is 3", "neighbouring"),
        (machine("dead_links = [[[0, 1]]]"), 3, 15, "[[0, 1]]", "1 ends", "neighbouring"),
        (machine("dead_links = [[3, 4]]"), 3, 15, "[3, 4]", "(0,3) and (1,0) are not wired", "neighbouring"),
        (
            machine("dead_links = [\"0,0-1,1\"]"),
            3,
            15,
            "\"0,0-1,1\"",
            "dead link is `0,0-1,1`",
            "neighbouring",
        ),
        (machine("dead_links = [[[0, 1], [0, 4]]]"), 3, 28, "4", "`dead_links` is 4", "0 to 3"),
        (
            machine("dead_links = [[[0, 0], [1, 0]], [[0, 1], [1, 2]]]"),
            3,
            33,
            "[[0, 1], [1, 2]]",
            "(0,1) and (1,2) are not wired",
            "neighbouring",
        ),
    ]);
    let cube =
        "[machine]\ntopology = 'hypercube:3'\ndead_links = [[7, 5]]\n[[divide]]\ntasks = 'binomial:2'\n";
    assert_eq!(read(cube).unwrap().machine.dead_links(), [(NodeId(5), NodeId(7))]);
    let all_dead = "[machine]\ntopology = 'mesh:1x2'\ndead = [[0, 0], [0, 1]]\n";
    assert!(refused(all_dead).expected.contains("living"));
}

#[test]
fn bad_jobs_are_refused_with_a_place() {
    let binomial = |line: &str| divide(&format!("tasks = \"binomial:2\"\n{line}"));
    check(vec![
        (divide("name = \"a\""), 3, 1, "[[divide]]", "no `tasks`", "binomial"),
        (divide("tasks = 6"), 4, 9, "6", "`tasks` is 6", "binomial:N"),
        (divide("tasks = \"binomial:5\""), 4, 9, "\"binomial:5\"", "32 tasks", "at most 16"),
        (divide("tasks = \"binomial:25\""), 4, 9, "\"binomial:25\"", "binomial:25", "binomial:24"),
        (divide("tasks = \"binomial:-1\""), 4, 9, "\"binomial:-1\"", "binomial:-1", "binomial:0"),
        (divide("tasks = \"binomial:+1\""), 4, 9, "\"binomial:+1\"", "binomial:+1", "binomial:0"),
        (divide("tasks = \"no.phases.csv\""), 4, 9, "\"no.phases.csv\"", "no.phases.csv", "relative"),
        (divide("tasks = \"no.csv\"\nalpha = 1"), 5, 9, "1", "alpha", "binomial:N"),
        (binomial("alpha = 0"), 5, 9, "0", "`alpha` is 0", "above 0"),
        (binomial("alpha = 1.5"), 5, 9, "1.5", "1.5", "at most 1"),
        (binomial("alpha = -0.5"), 5, 9, "-0.5", "-0.5", "above 0"),
        (binomial("alpha = nan"), 5, 9, "nan", "nan", "above 0"),
        (binomial("alpha = \"1/0\""), 5, 9, "\"1/0\"", "1/0", "above 0"),
        (binomial("combine_alpha = 2"), 5, 17, "2", "`combine_alpha` is 2", "at most 1"),
        (binomial("volume = 0"), 5, 10, "0", "`volume` is 0", "from 1"),
        (binomial("volume = 9999999999999999999999"), 5, 10, "9999999999999999999999", "9999", "bytes"),
        (binomial("volume = \"1.5 B\""), 5, 10, "\"1.5 B\"", "1.5 B", "whole number of bytes"),
        (binomial("volume = inf"), 5, 10, "inf", "inf", "bytes"),
        (binomial("placement = \"hilbrt\""), 5, 13, "\"hilbrt\"", "`hilbrt`", "did you mean `hilbert`"),
        (binomial("placement = [\"snake\", \"x\"]"), 5, 23, "\"x\"", "`x`", "`all`, `search`"),
        (binomial("placement = []"), 5, 13, "[]", "an empty list", "a placement"),
        (binomial("placement = [3]"), 5, 14, "3", "3", "a placement"),
        (binomial("name = \" \""), 5, 8, "\" \"", "`name`", "a name"),
        (binomial("colour = 1"), 5, 1, "colour", "unknown key `colour` in [[divide]]", "`name`"),
        (
            "divide = [3]\n[machine]\ntopology = \"mesh:4x4\"\n".into(),
            1,
            11,
            "3",
            "`divide` is 3",
            "two brackets",
        ),
    ]);
}

/// A machine with a clock and one `[[load]]` whose lines begin at line 5.
fn load(lines: &str) -> String {
    format!("[machine]\ntopology = \"mesh:4x4\"\nclock = \"1 GHz\"\n[[load]]\n{lines}\n")
}

#[test]
fn every_key_of_a_load_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("s.csv"), "node,to,time\n5,,2\n").expect("a file");
    let text = load(
        "name = \"cameras\"\nsources = [{ at = [0, 2], load = \"2/5\" }, { at = [3, 3], release = \"2 us\" }]\n\
         work = 4\nbytes = \"2 kB\"\nmethods = [\"reduced\", \"optimum\"]\nreduction = \"node\"\nchunks = 50\nfront = true\n\
         deadline = 4000\nspeeds = \"s.csv\"",
    );
    let scenario = scenario::read_bytes(&folder.path().join("s.toml"), text.into()).expect("a scenario");
    let [job] = scenario.jobs.as_slice() else { panic!("one job") };
    let Work::Load(load) = &job.work else { panic!("a load") };
    assert_eq!((job.name.as_str(), load.sigma, load.bytes), ("cameras", 0.25, 2000));
    let sources: Vec<(u32, f64, f64)> =
        load.sources.iter().map(|source| (source.node.0, source.load, source.release)).collect();
    // w Tcp is 2000 bytes of 4 cycles each: 2000 cycles are a quarter of it.
    assert_eq!(sources, [(2, 0.4, 0.0), (15, 1.0, 0.25)]);
    assert_eq!(load.methods, ["reduced", "optimum"]);
    assert_eq!(load.settings.reduction, meshwright_load::shares::schedulers::Reduction::Node);
    assert_eq!((load.chunks, load.deadline, load.front), (Some(50), Some(0.5), true));
    assert_eq!(load.speeds.as_ref().map(|speeds| speeds.work[5]), Some(2.0));
}

#[test]
fn bad_loads_are_refused_with_a_place() {
    let one = |line: &str| load(&format!("sources = [{{ at = [0, 2] }}]\nsigma = 0.5\n{line}"));
    let source = |source: &str| load(&format!("sigma = 0.5\nsources = [{source}]"));
    check(vec![
        (load("sigma = 0.5"), 4, 1, "[[load]]", "no `sources`", "sources = "),
        (load("sources = [{ at = [0, 2] }]"), 4, 1, "[[load]]", "no `sigma`", "work = 6.7"),
        (load("sources = []\nsigma = 1"), 5, 11, "[]", "an empty list", "at least one source"),
        (load("sources = [{ at = [0, 2] }]\nsigma = nan"), 6, 9, "nan", "`sigma` is nan", "at least 0"),
        (load("sources = [{ at = [0, 2] }]\nsigma = -1"), 6, 9, "-1", "`sigma` is -1", "at least 0"),
        (load("sources = [{ at = [0, 2] }]\nsigma = 0"), 6, 9, "0", "links that take 1 cycles", "both 0"),
        (load("sources = [{ at = [0, 2] }]\nwork = 0"), 6, 8, "0", "`work` is 0", "above 0"),
        (one("work = 3"), 7, 8, "3", "both `sigma` and `work`", "one of them"),
        (source("{ at = [4, 0] }"), 6, 20, "4", "`at` is 4", "from 0 to 3"),
        (source("{ load = 1 }"), 6, 12, "{ load = 1 }", "no `at`", "the node"),
        (source("3"), 6, 12, "3", "`sources` is 3", "{ at = "),
        (source("{ at = [0, 0], load = 0 }"), 6, 34, "0", "`load` is 0", "above 0"),
        (source("{ at = [0, 0], release = \"1 hour\" }"), 6, 37, "\"1 hour\"", "`release`", "cycles"),
        (source("{ at = [0, 0], from = 1 }"), 6, 27, "from", "unknown key `from`", "`at`"),
        (one("bytes = 0"), 7, 9, "0", "`bytes` is 0", "from 1"),
        (one("methods = \"optimal\""), 7, 11, "\"optimal\"", "`optimal`", "did you mean `optimum`"),
        (one("methods = []"), 7, 11, "[]", "an empty list", "a method"),
        (one("reduction = \"peal\""), 7, 13, "\"peal\"", "`peal`", "did you mean `peel`"),
        (one("chunks = 0"), 7, 10, "0", "`chunks` is 0", "from 1"),
        (one("front = 1"), 7, 9, "1", "`front` is 1", "true or false"),
        (one("deadline = 0"), 7, 12, "0", "`deadline` is 0", "above 0"),
        (one("speeds = \"no.csv\""), 7, 10, "\"no.csv\"", "no.csv", "relative"),
        (one("colour = 1"), 7, 1, "colour", "unknown key `colour` in [[load]]", "`name`"),
    ]);
    let dead = "[machine]\ntopology = \"mesh:4x4\"\ndead = [[0, 2]]\n[[load]]\nsources = [{ at = [0, 2] }]\nsigma = 1\n";
    check(vec![(dead.into(), 5, 19, "[0, 2]", "a dead node", "a living node")]);
}

#[test]
fn bytes_that_are_no_text_have_a_place() {
    let error = refused(b"[machine]\ntopology = \"\xc3\x28\"\n".to_vec());
    assert_eq!((error.line, error.column, error.message.as_str()), (2, 13, "this is not UTF-8"));
}

#[test]
fn deep_and_long_values_end_in_an_error() {
    for text in ["[".repeat(200_000), "{a=".repeat(100_000)] {
        refused(format!("x = {text}"));
    }
    refused(format!("[{}b]", "a.".repeat(100_000)));
    let long = refused(divide(&format!("tasks = \"{}\"", "é".repeat(100_000))));
    assert!(long.message.chars().count() < 300 && long.excerpt.len() < 300, "{long}");
    assert!(refused(format!("{} = 1", "k".repeat(100_000))).message.len() < 300);
}

#[test]
fn a_file_too_large_is_refused_before_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.toml");
    // A hole of two gigabytes: reading it would take seconds.
    std::fs::File::create(&path).unwrap().set_len(2 << 30).unwrap();
    let Err(Error::Parse(error)) = scenario::read(&path) else { panic!("it is refused") };
    assert_eq!((error.line, error.column), (1, 1));
    assert!(error.message.contains("2147483648 bytes"), "{error}");
    assert!(error.expected.contains("16777216"), "{error}");
}

#[test]
fn the_error_of_a_network_file_points_into_that_file() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("net.mtx"), "%%MatrixMarket matrix coordinate\nrubbish\n").unwrap();
    let path = folder.path().join("s.toml");
    std::fs::write(&path, "[machine]\ntopology = \"graph:net.mtx\"\n").unwrap();
    let Err(Error::Parse(error)) = scenario::read(&path) else { panic!("it is refused") };
    assert!(error.file.ends_with("net.mtx"), "{error}");
}

#[test]
fn a_machine_may_stand_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.toml");
    std::fs::write(&path, "[machine]\ntopology = \"torus:2x3\"\nstartup = 5\n").unwrap();
    let machine = scenario::machine(path.to_str().unwrap()).unwrap();
    assert_eq!((machine.name(), machine.costs().startup), ("torus:2x3", Cycles(5)));
    assert!(scenario::machine("mesh:2x").is_err());
}

/// A placement of bytes in the good file: what a slip of a finger or a bad disk does.
fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let edit = (0..GOOD.len(), 0..12usize, proptest::collection::vec(any::<u8>(), 0..6));
    proptest::collection::vec(edit, 1..4).prop_map(|edits| {
        let mut bytes = GOOD.replace("0x", "2").into_bytes();
        for (at, removed, added) in edits {
            let at = at.min(bytes.len());
            let end = (at + removed).min(bytes.len());
            bytes.splice(at..end, added);
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig::default())]

    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = read(bytes);
    }

    #[test]
    fn arbitrary_values_never_panic(key in "[a-z_]{1,12}", value in "\\PC{0,40}") {
        let _ = read(machine(&format!("{key} = {value}")));
        let _ = read(divide(&format!("{key} = {value}")));
    }

    #[test]
    fn mutated_scenarios_never_panic(bytes in mutated()) {
        if let Err(Error::Parse(error)) = read(bytes) {
            let marked = error.excerpt.get(error.start..error.start + error.length);
            prop_assert!(marked.is_some(), "{error}: the mark lies in the excerpt");
        }
    }
}
