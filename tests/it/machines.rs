//! Machines that come with the program, the reference page of their files, and what is refused in such a file.

use std::path::Path;

use meshwright_core::Error;
use meshwright_core::error::ParseError;
use meshwright_formats::presets::{PRESETS, named};
use meshwright_formats::scenario::machine_keys::{TABLES, reference};
use meshwright_formats::scenario::{self, Scenario};
use meshwright_network::topology::Machine;
use meshwright_schedule::{Message, Phases};
use meshwright_sim::{Engine, simulate};

const PAGE: &str = "docs/machines.md";
const BEGIN: &str = "<!-- keys: written from the code -->\n";
const END: &str = "<!-- end of keys -->\n";

/// A machine file read as `--on` reads it.
pub(crate) fn of_file(text: &str) -> meshwright_core::Result<Machine> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.toml");
    std::fs::write(&path, text).unwrap();
    scenario::machine(path.to_str().unwrap())
}

/// The TOML texts of the page.
fn examples(page: &str) -> Vec<&str> {
    page.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

/// Held to the code; `MESHWRIGHT_SNAPSHOTS=record` writes it.
#[test]
fn the_page_has_every_key() {
    let page = crate::text(Path::new(PAGE));
    let (before, rest) = page.split_once(BEGIN).expect("the page says where keys begin");
    let (_, after) = rest.split_once(END).expect("and where they end");
    let wanted = format!("{before}{BEGIN}{}{END}{after}", reference());
    if std::env::var("MESHWRIGHT_SNAPSHOTS").is_ok_and(|word| word == "record") {
        std::fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE), wanted).unwrap();
        return;
    }
    assert!(
        page == wanted,
        "{PAGE} is not what the keys in the code say: MESHWRIGHT_SNAPSHOTS=record writes it"
    );
}

#[test]
fn every_example_of_the_page_loads_and_every_key_has_one() {
    let page = crate::text(Path::new(PAGE));
    let texts = examples(&page);
    assert!(texts.len() > TABLES.len(), "its own, and one of each table");
    for text in &texts {
        of_file(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    }
    let files: Vec<toml::Table> = texts.iter().map(|text| text.parse().unwrap()).collect();
    for table in TABLES {
        let path: Vec<&str> = table.name.trim_matches(['[', ']']).split('.').collect();
        for key in table.keys {
            let here = |file: &toml::Table| match path.as_slice() {
                [one] => file.get(*one).is_some_and(|table| table.get(key.name).is_some()),
                [first, second] => match file.get(*first).and_then(|table| table.get(second)) {
                    Some(toml::Value::Array(all)) => all.iter().any(|one| one.get(key.name).is_some()),
                    Some(table) => table.get(key.name).is_some(),
                    None => false,
                },
                _ => unreachable!("tables are one or two deep"),
            };
            assert!(files.iter().any(here), "no example of `{}` in {}", key.name, table.name);
        }
    }
}

#[test]
fn presets_say_where_their_figures_come_from() {
    for preset in PRESETS {
        let about = preset.about().unwrap();
        assert!(!about.sources.is_empty() && !about.assumed.is_empty(), "{}", preset.name);
        assert!(about.summary.chars().count() <= 90, "{} is a line", preset.name);
        // A block of figures says where they come from, or has only keys of blocks above, which do.
        let mut known: Vec<&str> = vec!["name", "route", "network", "peers", "nodes"];
        for block in preset.toml.split_once("[machine]").expect("a machine").1.split("\n\n") {
            let keys: Vec<&str> =
                block.lines().filter_map(|line| line.split_once(" = ")).map(|(key, _)| key).collect();
            let marks = ["Published", "Measured", "Assumed"];
            let mut words = block.lines().filter(|line| line.starts_with('#'));
            let marked = words.any(|line| marks.iter().any(|mark| line.contains(mark)));
            let new = keys.iter().find(|key| !known.contains(key));
            assert!(marked || new.is_none(), "{}: no word of where {new:?} comes from", preset.name);
            known.extend(keys);
        }
    }
}

/// All that is known of a machine.
fn told(machine: &Machine) -> String {
    let costs = (machine.costs(), machine.switching(), machine.port_model(), machine.endpoints());
    let routers = (machine.buffers(), machine.virtual_channels());
    format!("{} {costs:?} {routers:?} {:?} {:?}", machine.name(), machine.dead(), machine.dead_links())
        + &format!("{:?} {:?}", machine.network(), machine.fabric())
}

#[test]
fn a_preset_and_its_file_are_the_same_machine() {
    for preset in PRESETS {
        let machine = preset.machine().unwrap();
        assert_eq!(machine.name(), preset.name);
        let read = of_file(preset.toml).unwrap().with_name(preset.name);
        assert!(told(&machine) == told(&read), "{}", preset.name);
        let in_packets = scenario::machine_in_packets(preset.name).unwrap();
        assert!(told(&in_packets) == told(&machine), "{} names its costs", preset.name);
    }
    assert!(named("wormhol").unwrap_err().to_string().contains("did you mean `wormhole`"));
}

/// A machine with networks, whose tables end with these lines.
fn refused(topology: &str, lines: &str) -> ParseError {
    let text = format!("[machine]\ntopology = \"{topology}\"\n{lines}[[divide]]\ntasks = \"binomial:1\"\n");
    let read: meshwright_core::Result<Scenario> =
        scenario::read_bytes(Path::new("m.toml"), text.into_bytes());
    match read {
        Err(Error::Parse(error)) => *error,
        other => panic!("expected an error with a place, got {other:?}\n{lines}"),
    }
}

const NETWORK: &str = "[[machine.networks]]\nname = \"NOC_0\"\nroute = [\"1\", \"0\"]\nrate = 32\n";

/// Lines behind the topology, the line and column of the error, a part of what it says is wrong and of what is accepted.
const BAD: &[(&str, (u64, u64), &str, &str)] = &[
    ("hop = 9\n", (3, 7), "there is none", "[[machine.networks]]"),
    ("[[machine.links]]\nalong = \"1\"\nrate = 3\n", (3, 1), "there is none", "[[machine.networks]]"),
    ("startup = 20\nNET", (3, 11), "`startup` says nothing", "[[machine.processors]]"),
    ("overhead = 20\nNET", (3, 12), "`overhead` says nothing", "[[machine.processors]]"),
    ("gap = 20\nNET", (3, 7), "`gap` says nothing", "[[machine.processors]]"),
    ("ports = \"one\"\nNET", (3, 9), "`ports` says nothing", "[[machine.interfaces]]"),
    ("dead = [[0, 0]]\nNET", (3, 8), "`dead` says nothing", "rates"),
    ("sharing = \"fairly\"\nNET", (3, 11), "`sharing` is \"fairly\"", "\"in-turn\""),
    ("sharing = 0\nNET", (3, 11), "`sharing` is 0", "such as 3"),
    ("shraing = \"fair\"\nNET", (3, 1), "unknown key `shraing`", "`sharing`"),
    ("hop = \"9 ns\"\nNET", (3, 7), "`hop` is \"9 ns\"", "no `clock`"),
    ("rate_by_size = [[128, 5], [64, 6]]\nNET", (3, 16), "a size of the rate table is 64", "sizes that grow"),
    ("rate_by_size = [128, 5]\nNET", (3, 17), "`rate_by_size` is 128", "[bytes, rate]"),
    ("[[machine.networks]]\nroute = [\"1\", \"0\"]\nrate = 1\n", (3, 1), "has no `name`", "NOC_0"),
    ("[[machine.networks]]\nname = \"A\"\nrate = 1\n", (3, 1), "has no `route`", "east"),
    (
        "[[machine.networks]]\nname = \"A\"\nroute = [\"1\", \"0\"]\n",
        (3, 1),
        "has no `rate`",
        "bytes per cycle",
    ),
    (
        "[[machine.networks]]\nname = \"A\"\nroute = [\"1\", \"0\"]\nrate = 0\n",
        (6, 8),
        "`rate` is 0",
        "bytes per cycle",
    ),
    (
        "[[machine.networks]]\nname = \"A\"\nroute = [\"1\", \"0\"]\nrate = 1e10\n",
        (6, 8),
        "`rate` is",
        "at most 1e9",
    ),
    (
        "[[machine.networks]]\nname = \"A\"\nroute = [\"1\", \"0\"]\nrate = \"25 GB/s\"\n",
        (6, 8),
        "`rate` is \"25 GB/s\"",
        "no `clock`",
    ),
    (
        "[[machine.networks]]\nname = \"A\"\nroute = [\"1\", \"up\"]\nrate = 1\n",
        (5, 15),
        "`route` is \"up\"",
        "east",
    ),
    (
        "[[machine.networks]]\nname = \"A\"\nroute = [\"1\", \"1\"]\nrate = 1\n",
        (5, 9),
        "along axis 1 twice",
        "0 to 1 once",
    ),
    (
        "[[machine.networks]]\nname = \"A\"\nroute = [\"1\"]\nrate = 1\n",
        (5, 9),
        "without axis 0",
        "0 to 1 once",
    ),
    (
        "[[machine.networks]]\nname = \"A\"\nroute = [\"east\", \"0\"]\nrate = 1\n",
        (5, 9),
        "one-way along axis 1",
        "a torus",
    ),
    ("NETNET", (8, 8), "`NOC_0` is there already", "of its own"),
    ("NET[[machine.interfaces]]\nout = 0\n", (8, 7), "`out` is 0", "bytes per cycle"),
    ("NET[[machine.interfaces]]\nnodes = [[9, 0]]\n", (8, 11), "`nodes` is 9", "0 to 3, or \"*\""),
    ("NET[[machine.interfaces]]\nnetworks = [\"NOC_1\"]\n", (8, 13), "`networks` is \"NOC_1\"", "`NOC_0`"),
    ("NET[[machine.interfaces]]\nmemory_rat = 3\n", (8, 1), "unknown key `memory_rat`", "`memory_rate`"),
    ("NET[[machine.links]]\nrate = 3\n", (7, 1), "has no `along`", "east"),
    ("NET[[machine.links]]\nalong = \"2\"\nrate = 3\n", (8, 9), "`along` is \"2\"", "the shorter way"),
    ("NET[[machine.shared]]\nname = \"host\"\n", (7, 1), "has no `out`", "one of out, in and both"),
    (
        "NET[[machine.shared]]\nname = \"host\"\nout = 1\nin = 1\n",
        (10, 6),
        "`in` stands beside `out`",
        "one of out, in and both",
    ),
    (
        "NET[[machine.shared]]\nname = \"host\"\nout = 1\n[[machine.shared]]\nname = \"host\"\nin = 1\n",
        (11, 8),
        "`host` is there already",
        "of its own",
    ),
    (
        "NET[[machine.links]]\nnodes = [[\"*\", 3]]\nalong = \"east\"\nrate = 3\n",
        (9, 9),
        "links that are described is 0",
        "nodes that links leave",
    ),
    ("NET[machine.routers]\nflit = 0\n", (8, 8), "`flit` is 0", "bytes"),
    ("NET[machine.routers]\nflit = \"1 MiB\"\n", (8, 8), "bytes of a flit is 1048576", "1 to 65536"),
    ("NET[machine.routers]\nchannels = 5\n", (8, 12), "`channels` is 5", "1 to 4"),
    ("NET[machine.routers]\nbufers = 5\n", (8, 1), "unknown key `bufers`", "`buffers`"),
    (
        "NET[[machine.processors]]\nname = \"P\"\nnetwork = \"NOC_O\"\n",
        (9, 11),
        "`network` is \"NOC_O\"",
        "`NOC_0`",
    ),
    ("NET[[machine.processors]]\nname = \"P\"\npeers = [[0, 4]]\n", (9, 14), "`peers` is 4", "0 to 3"),
    (
        "NET[[machine.processors]]\nname = \"P\"\nprofiler = 126\n",
        (9, 12),
        "`profiler` is 126",
        "[records, cycles]",
    ),
    (
        "NET[[machine.processors]]\nname = \"P\"\nprofiler = [0, 5]\n",
        (9, 13),
        "`profiler` is 0",
        "1 to 1048576",
    ),
];

#[test]
fn bad_values_are_one_error_with_a_place() {
    let mut found = Vec::new();
    for &(lines, place, wrong, accepted) in BAD {
        let error = refused("mesh:4x4", &lines.replace("NET", NETWORK));
        let fits = (error.line, error.column) == place
            && error.message.contains(wrong)
            && error.expected.contains(accepted);
        if !fits {
            found.push(format!("{lines}\n  {error}\n  wanted {place:?} {wrong} … {accepted}"));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    let error = refused("hypercube:3", &NETWORK.replace("[\"1\", \"0\"]", "[\"0\"]"));
    assert!(error.line >= 2, "{error}");
    let error = refused("ccc:3", NETWORK);
    assert!((error.line, error.expected.contains("torus")) == (2, true), "{error}");
}

/// Flows do not mind; flit by flit it would be cut short.
#[test]
fn a_link_faster_than_a_flit_is_told_when_flits_are_simulated() {
    let text = format!("[machine]\ntopology = \"mesh:4x4\"\n{NETWORK}[machine.routers]\nflit = 16\n");
    let machine = of_file(&text).unwrap();
    let message = Message {
        source: meshwright_core::units::NodeId(0),
        target: meshwright_core::units::NodeId(5),
        bytes: meshwright_core::units::Bytes(64),
        phase: 1,
    };
    let phases = Phases::new(16, vec![message]);
    assert!(simulate(&machine, &phases, &Engine::Message).is_ok());
    let error = simulate(&machine, &phases, &Engine::Flit(router(&machine))).unwrap_err().to_string();
    assert!(
        error.contains("at most 16") && error.contains("`rate`") && error.contains("[machine.routers]"),
        "{error}"
    );
}

fn router(machine: &Machine) -> meshwright_sim::flit::Replay {
    meshwright_sim::flit::Router::ideal(machine).into()
}
