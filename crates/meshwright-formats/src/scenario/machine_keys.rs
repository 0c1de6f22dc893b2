//! The keys of `[machine]` and its tables: what each means, takes and is if it is not there. What is read is checked
//! against these tables, and the page `docs/machines.md` is written from them.

use std::fmt::Write;

/// A key of a table.
#[derive(Debug)]
pub struct Key {
    /// The key.
    pub name: &'static str,
    /// What it means.
    pub doc: &'static str,
    /// The values it takes, with their unit.
    pub takes: &'static str,
    /// What holds where it is not there; empty if it must be there.
    pub default: &'static str,
}

/// A table of a machine file.
#[derive(Debug)]
pub struct KeyTable {
    /// Its header: `[machine]`, `[[machine.links]]`.
    pub name: &'static str,
    /// What it describes.
    pub doc: &'static str,
    /// Its keys.
    pub keys: &'static [Key],
    /// A whole machine file in which each of its keys stands.
    pub example: &'static str,
}

impl KeyTable {
    /// The names of its keys.
    pub(super) fn names(&self) -> Vec<&'static str> {
        self.keys.iter().map(|key| key.name).collect()
    }
}

pub(super) const fn key(
    name: &'static str,
    doc: &'static str,
    takes: &'static str,
    default: &'static str,
) -> Key {
    Key { name, doc, takes, default }
}

const CYCLES: &str = "whole cycles, or with a clock a time such as `\"2 us\"`";
const RATE: &str = "bytes per cycle above 0: `32`, `28.4`, `\"1/2\"`; with a clock also `\"25 GB/s\"`";
const NODES: &str = "a list of nodes such as `[[0, 5], [\"*\", 3], \"0..4,7\", 12]`: coordinates, words as on the command line, \
                     or ids; `*` is all along an axis, and a range has both its ends";
const NAMES: &str = "a list of names of networks";

/// The table `[machine]`.
pub const MACHINE: KeyTable = KeyTable {
    name: "[machine]",
    doc: "What everything runs on. The keys up to `clock` describe a machine with equal links in both directions. One \
          `[[machine.networks]]` and it is described by its networks, links and ports; then `switching`, `startup`, \
          `byte_time`, `flit`, `overhead`, `gap`, `buffers`, `virtual_channels`, `ports`, `dead` and `dead_links` are \
          refused, since they would say nothing.",
    keys: &[
        key("topology", "the network of nodes", "what `--on` takes, such as `\"torus:12x10\"`", ""),
        key(
            "switching",
            "how messages move",
            "`\"wormhole\"`, `\"cut-through\"` or `\"store-and-forward\"`",
            "wormhole",
        ),
        key("startup", "before a message enters the network", CYCLES, "100"),
        key(
            "byte_time",
            "of a byte on a link",
            "cycles per byte: `1`, `0.25`, `\"1/30\"`; with a clock also a rate such as `\"1 GB/s\"`",
            "1",
        ),
        key(
            "flit",
            "the head of a message, paid again on each link",
            "bytes, or a volume such as `\"2 KiB\"`",
            "2",
        ),
        key("overhead", "o of LogGP: of each node for a message that it sends or receives", CYCLES, "0"),
        key(
            "gap",
            "g of LogGP: the least time between two messages that a node sends, and between two that it receives",
            CYCLES,
            "0",
        ),
        key(
            "buffers",
            "flits of a buffer of the routers",
            "a whole number from 1 to 65536; the flit engine takes 255 at most",
            "4",
        ),
        key(
            "virtual_channels",
            "virtual channels of a link",
            "a whole number from 1 to 256; the flit engine takes 32 at most",
            "1",
        ),
        key(
            "ports",
            "over how many links a node sends and receives at a time",
            "`\"all\"` or `\"one\"`",
            "all",
        ),
        key("dead", "nodes that do not work", NODES, "none"),
        key(
            "dead_links",
            "links that do not work",
            "a list of pairs of neighbours such as `[[[0, 0], [0, 1]], \"*,3-*,4\"]`; `*` and ranges as for `dead`",
            "none",
        ),
        key(
            "clock",
            "turns seconds into cycles",
            "a frequency such as `\"1 GHz\"`",
            "none: times in cycles only",
        ),
        key("networks", "networks on the same nodes", "tables `[[machine.networks]]`", "none"),
        key(
            "sharing",
            "how messages that want the same link or port share it",
            "`\"fair\"`: all at once, at max-min fair rates; `\"in-turn\"`: of one source's messages on a network one after the other; or how many of them are in service at a time, such as `3`",
            "fair",
        ),
        key("interfaces", "what nodes put in and take out", "tables `[[machine.interfaces]]`", "no limit"),
        key("links", "links that differ from those of their network", "tables `[[machine.links]]`", "none"),
        key(
            "shared",
            "what several nodes share, such as a memory controller",
            "tables `[[machine.shared]]`",
            "none",
        ),
        key("hop", "of the head of a message over a link", CYCLES, "0"),
        key(
            "routers",
            "flits, virtual channels and buffers",
            "a table `[machine.routers]`",
            "none: messages are flows of bytes",
        ),
        key(
            "rate_by_size",
            "the most that a message of a size ever gets, linear between sizes; flows only",
            "a list of `[bytes, bytes per cycle]`, sizes growing",
            "no limit",
        ),
        key(
            "processors",
            "who issues messages, and how long its steps take",
            "tables `[[machine.processors]]`",
            "one that takes no time",
        ),
    ],
    example: "[machine]\ntopology = \"torus:4x4\"\nclock = \"1 GHz\"\nsharing = 1\nhop = \"9 ns\"\nrate_by_size = [[128, 5.5], [2048, 30]]\n\n\
              [[machine.networks]]\nname = \"ICI\"\nroute = [\"1\", \"0\"]\nrate = \"50 GB/s\"\n",
};

/// The table `[[machine.networks]]`.
pub const NETWORKS: KeyTable = KeyTable {
    name: "[[machine.networks]]",
    doc: "One of the networks: every node has a router on it, and every message goes over one of them: that which it names, \
          else that on which it crosses the fewest links. Its links are those that its route uses.",
    keys: &[
        key("name", "its name, in traces and in other tables", "a string", ""),
        key(
            "route",
            "the axes in the order in which every message takes them, and which way",
            "a list with each axis once: `\"+1\"` upwards along axis 1 only, `\"-1\"` downwards only, `\"1\"` the shorter way, `\"straight 1\"` the way inside the box, never over the border; on rows and columns also `\"east\"` (`+1`), `\"west\"`, `\"south\"` (`+0`), `\"north\"`. One way only needs a torus",
            "",
        ),
        key("rate", "of each of its links", RATE, ""),
    ],
    example: "[machine]\ntopology = \"torus:12x10\"\n\n[[machine.networks]]\nname = \"NOC_0\"\nroute = [\"east\", \"south\"]\nrate = 32\n\n\
              [[machine.networks]]\nname = \"NOC_1\"\nroute = [\"-0\", \"-1\"]\nrate = 32\n",
};

/// The table `[[machine.interfaces]]`.
pub const INTERFACES: KeyTable = KeyTable {
    name: "[[machine.interfaces]]",
    doc: "Ports and memories of some nodes. Later tables win over earlier ones, so that what holds for all comes first.",
    keys: &[
        key("nodes", "whose they are", NODES, "all nodes"),
        key("networks", "on which networks", NAMES, "all networks"),
        key(
            "out",
            "of the port into the network, which all messages of the node on that network share",
            RATE,
            "no limit",
        ),
        key("in", "of the port out of it", RATE, "no limit"),
        key("memory", "from a request to the first byte of its answer", CYCLES, "0"),
        key(
            "sharing",
            "how the messages of these nodes share, as `sharing` of `[machine]`; flows only",
            "`\"fair\"`, `\"in-turn\"` or a number",
            "that of `[machine]`",
        ),
        key(
            "memory_rate",
            "of the node's memory, which all networks share in both directions",
            RATE,
            "no limit",
        ),
    ],
    example: "[machine]\ntopology = \"mesh:4x4\"\n\n[[machine.networks]]\nname = \"NOC\"\nroute = [\"1\", \"0\"]\nrate = 16\n\n\
              [[machine.interfaces]]\nout = 15\nin = 16\nmemory = 35\nmemory_rate = 24\nsharing = \"in-turn\"\n\n\
              [[machine.interfaces]]\nnodes = [[\"*\", 0]]\nnetworks = [\"NOC\"]\nout = 8\n",
};

/// The table `[[machine.links]]`.
pub const LINKS: KeyTable = KeyTable {
    name: "[[machine.links]]",
    doc: "Links that are faster or slower than their network says.",
    keys: &[
        key("nodes", "the nodes they leave", NODES, "all nodes"),
        key("networks", "on which networks", NAMES, "all networks"),
        key("along", "the way they run", "a direction as in `route`; `\"1\"` is both ways along axis 1", ""),
        key("rate", "of each of them", RATE, ""),
        key("class", "what they are called", "a string", "no name"),
    ],
    example: "[machine]\ntopology = \"mesh:4x8\"\n\n[[machine.networks]]\nname = \"NOC\"\nroute = [\"1\", \"0\"]\nrate = 16\n\n\
              # Two chips side by side: what crosses the seam is slower.\n\
              [[machine.links]]\nnodes = [[\"*\", 3]]\nnetworks = [\"NOC\"]\nalong = \"+1\"\nrate = 4\nclass = \"seam\"\n",
};

/// The table `[[machine.shared]]`.
pub const SHARED: KeyTable = KeyTable {
    name: "[[machine.shared]]",
    doc: "A resource behind the ports of several nodes. Exactly one of `out`, `in` and `both` is its rate.",
    keys: &[
        key("name", "what it is called in answers", "a string", ""),
        key("nodes", "whose traffic passes it", NODES, "all nodes"),
        key("out", "its rate, if what leaves the nodes passes it", RATE, "nothing passes it"),
        key("in", "its rate, if what comes to them passes it", RATE, "nothing passes it"),
        key("both", "its rate, if both pass it", RATE, "nothing passes it"),
    ],
    example: "[machine]\ntopology = \"mesh:4x4\"\n\n[[machine.networks]]\nname = \"NOC\"\nroute = [\"1\", \"0\"]\nrate = 16\n\n\
              [[machine.shared]]\nname = \"controller 0\"\nnodes = [[0, 0], [1, 0]]\nboth = 24\n\n\
              [[machine.shared]]\nname = \"host, downwards\"\nnodes = [[3, \"*\"]]\nout = 8\n\n\
              [[machine.shared]]\nname = \"host, upwards\"\nnodes = [[3, \"*\"]]\nin = 8\n",
};

/// The table `[machine.routers]`.
pub const ROUTERS: KeyTable = KeyTable {
    name: "[machine.routers]",
    doc: "Routers that move flits: wormhole switching with virtual channels and credits. Where they are described, traces \
          are simulated flit by flit; `--engine message` has them as flows, of which at most so many are in service on a link \
          and side of its date-line as it has channels. No link or port may carry more than a flit in \
          a cycle then.",
    keys: &[
        key("flit", "bytes of a flit", "bytes from 1 to 65536, or a volume", "32"),
        key("header", "flits before the bytes of a packet", "a whole number from 0 to 256", "1"),
        key(
            "channels",
            "virtual channels of a link for packets with bytes; on a torus so many on each side of the date-line",
            "a whole number from 1 to 4",
            "2",
        ),
        key(
            "buffers",
            "flits of a virtual channel, those on the wire among them",
            "a whole number from 1 to 65536",
            "16",
        ),
        key(
            "requests",
            "requests a node works on at a time; further ones wait in the network",
            "a whole number from 0 to 65536; 0 is no limit",
            "0",
        ),
    ],
    example: "[machine]\ntopology = \"torus:4x4\"\nhop = 9\n\n[[machine.networks]]\nname = \"NOC\"\nroute = [\"east\", \"south\"]\nrate = 32\n\n\
              [machine.routers]\nflit = 32\nheader = 1\nchannels = 2\nbuffers = 13\nrequests = 4\n",
};

/// The table `[[machine.processors]]`.
pub const PROCESSORS: KeyTable = KeyTable {
    name: "[[machine.processors]]",
    doc: "A kind of processor; every node has one of each kind. A trace names them, and its closed loop takes their times. \
          Of several of one name a processor is the first whose `peers` are all it exchanges bytes with. Messages of \
          plans and schedules are sent by the first, and take its `overhead` only.",
    keys: &[
        key("name", "its name in traces", "a string", ""),
        key(
            "network",
            "the network of its messages where they name none",
            "the name of a network",
            "the first",
        ),
        key(
            "peers",
            "the nodes it exchanges bytes with, where its times are those of a kernel made for them",
            NODES,
            "all nodes",
        ),
        key(
            "overhead",
            "o of LogP: from a step that sends or asks until its first flit enters the network",
            CYCLES,
            "0",
        ),
        key("first", "from its begin to its first message", CYCLES, "0"),
        key("gap", "g of LogP: from one message to the next", CYCLES, "0"),
        key("barrier", "from its last message to the barrier", CYCLES, "0"),
        key("tail", "from the last answer to the end of the barrier", CYCLES, "0"),
        key("empty", "from the begin of a barrier for which nothing is outstanding to its end", CYCLES, "0"),
        key("resume", "from the end of a barrier to the next message", CYCLES, "0"),
        key(
            "profiler",
            "a profiler that writes its records out after so many (one at the begin, one a message, two a barrier), and how long that takes",
            "`[records, cycles]`",
            "none",
        ),
    ],
    example: "[machine]\ntopology = \"torus:4x4\"\n\n[[machine.networks]]\nname = \"NOC\"\nroute = [\"east\", \"south\"]\nrate = 32\n\n\
              [[machine.processors]]\nname = \"reader\"\nnetwork = \"NOC\"\npeers = [[\"*\", 0]]\noverhead = 35\nfirst = 244\ngap = 127\n\
              barrier = 101\ntail = 110\nempty = 84\nresume = 94\nprofiler = [126, 181]\n\n[[machine.processors]]\nname = \"reader\"\ngap = 151\n",
};

/// The table `[about]`.
pub const ABOUT: KeyTable = KeyTable {
    name: "[about]",
    doc: "What `meshwright machines` says of a machine. A scenario may have it, too; nothing else reads it.",
    keys: &[
        key("summary", "what it is, in a line", "a string", ""),
        key("sources", "where its figures come from", "a list of strings", ""),
        key("measured", "which figures were measured, and on what", "a list of strings", ""),
        key("assumed", "what is assumed", "a list of strings", ""),
    ],
    example: "[about]\nsummary = \"a board of ours\"\nsources = [\"its data sheet\"]\nmeasured = [\"byte_time: ping-pong of 1 MB\"]\n\
              assumed = [\"flit\"]\n\n[machine]\ntopology = \"mesh:4x4\"\nclock = \"1 GHz\"\nswitching = \"cut-through\"\nstartup = \"2 us\"\n\
              byte_time = \"4 GB/s\"\nflit = 16\noverhead = 40\ngap = 60\nbuffers = 8\nvirtual_channels = 2\nports = \"one\"\ndead = [[1, 1]]\ndead_links = [[[0, 0], [0, 1]]]\n",
};

/// Every table of a machine file.
pub const TABLES: &[&KeyTable] =
    &[&MACHINE, &NETWORKS, &INTERFACES, &LINKS, &SHARED, &ROUTERS, &PROCESSORS, &ABOUT];

/// The reference of all tables, in Markdown.
///
/// # Examples
///
/// ```
/// let page = meshwright_formats::scenario::machine_keys::reference();
/// assert!(page.contains("### `[[machine.links]]`"));
/// ```
pub fn reference() -> String {
    write_tables(TABLES)
}

/// Tables of keys in Markdown, each with its example.
pub(super) fn write_tables(tables: &[&KeyTable]) -> String {
    let mut page = String::new();
    for table in tables {
        let KeyTable { name, doc, keys, example } = table;
        // Writing to a string cannot fail.
        _ = writeln!(page, "### `{name}`\n\n{doc}\n\n| key | meaning | takes | default |\n|---|---|---|---|");
        for Key { name, doc, takes, default } in *keys {
            let default = if default.is_empty() { "must be there" } else { default };
            _ = writeln!(page, "| `{name}` | {doc} | {takes} | {default} |");
        }
        _ = writeln!(page, "\n```toml\n{example}```\n");
    }
    page
}
