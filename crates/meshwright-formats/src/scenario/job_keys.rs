//! The keys of a scenario beside its `[machine]`: what each means, takes and is if it is not there. What is read is checked
//! against these tables, and the page `docs/reference/scenario.md` is written from them.

use super::machine_keys::{KeyTable, key, write_tables};

const TIME: &str = "whole cycles, or with a clock a time such as `\"2 us\"`";
const NUMBER: &str = "a number, or a fraction such as `\"1/4\"`";
const NAME: &str = "a text of one line";

/// What stands before the first table.
pub const TOP: KeyTable = KeyTable {
    name: "top level",
    doc: "What stands before the first table, and the tables there are.",
    keys: &[
        key("about", "what the file says of itself", "a table `[about]`, as in a machine file", "none"),
        key("seed", "of everything random", "a whole number", "0"),
        key("machine", "what everything runs on", "a table `[machine]`, as in a machine file", ""),
        key("divide", "jobs of tasks that are placed", "tables `[[divide]]`", "none"),
        key("load", "jobs that divide a load", "tables `[[load]]`", "none"),
        key("groups", "jobs that split groups", "tables `[[groups]]`", "none"),
        key("collective", "collective operations by all algorithms", "tables `[[collective]]`", "none"),
    ],
    example: "seed = 7\n\n[machine]\ntopology = \"mesh:4x4\"\n\n[[divide]]\ntasks = \"binomial:4\"\n",
};

/// The table `[[divide]]`.
pub const DIVIDE: KeyTable = KeyTable {
    name: "[[divide]]",
    doc: "Tasks that are placed on the machine, as `meshwright map` places them.",
    keys: &[
        key("name", "of the job, in tables and file names", NAME, "its tasks"),
        key(
            "tasks",
            "what is placed",
            "`\"binomial:N\"`, `\"divide:N\"`, `\"divide:RxC\"`, `\"complete-binary:N\"`, `\"logical:RxC\"`, or a file relative to the scenario",
            "",
        ),
        key(
            "preset",
            "the shares of a well-known computation",
            "a name of [computations](names.md#computations)",
            "none",
        ),
        key(
            "alpha",
            "what a child gets of its parent's part, on the way down",
            NUMBER,
            "1/2, without a `preset`",
        ),
        key(
            "combine_alpha",
            "what comes back of a child's part, on the way up",
            NUMBER,
            "nothing comes back",
        ),
        key("volume", "what the root holds", "bytes, or a volume such as `\"8 KiB\"`", "64 KiB"),
        key(
            "axis",
            "what runs along the axes of a logical mesh, phase by phase",
            "a list such as `[\"data=all-reduce:512MB\"]`; [operations](names.md#operations-along-an-axis)",
            "none",
        ),
        key(
            "placements",
            "how the tasks are placed",
            "`\"auto\"`, `\"all\"`, a name of [placements](names.md#placements), or a list of them",
            "all",
        ),
        key(
            "search",
            "how the placements `search` and `exact` look",
            "a table, below",
            "as it is by default",
        ),
    ],
    example: "[machine]\ntopology = \"mesh:4x4\"\n\n[[divide]]\nname = \"merge sort\"\ntasks = \"binomial:4\"\nalpha = 0.5\n\
              combine_alpha = 0.5\nvolume = \"8 KiB\"\nplacements = [\"growing\", \"search\"]\nsearch = { steps = 2000 }\n\n[[divide]]\n\
              tasks = \"divide:10\"\npreset = \"matrix-chain\"\n\n[[divide]]\ntasks = \"logical:4x4\"\naxis = [\"0=all-reduce:1MB\"]\n",
};

/// The table `search` in `[[divide]]`.
pub const SEARCH: KeyTable = KeyTable {
    name: "search",
    doc: "How the placement `search` of a `[[divide]]` job looks for an answer.",
    keys: &[
        key("start", "where it begins", "`\"best\"` or `\"random\"`", "best"),
        key("steps", "how many moves it tries", "a whole number", "some seconds of them"),
        key("answers", "how many different placements it gives, at most", "a whole number", "1"),
        key("pins", "tasks that must be on these nodes", "pairs such as `[[0, [0, 0]]]`", "none"),
    ],
    example: "[machine]\ntopology = \"mesh:4x4\"\n\n[[divide]]\ntasks = \"binomial:4\"\nplacements = \"search\"\n\
              search = { start = \"random\", steps = 2000, answers = 2, pins = [[0, [0, 0]]] }\n",
};

/// The table `[[load]]`.
pub const LOAD: KeyTable = KeyTable {
    name: "[[load]]",
    doc: "A load that may be cut anywhere, divided as `meshwright split` divides it. One of `sigma` and `work` must be there.",
    keys: &[
        key("name", "of the job", NAME, "load"),
        key("sources", "where the load enters", "a list of tables, below", ""),
        key("sigma", "time of the load on a link over its time on a processor", NUMBER, "byte_time / work"),
        key(
            "work",
            "of a processor for a byte",
            "cycles above 0, or with a clock a rate such as `\"50 MB/s\"`",
            "byte_time / sigma",
        ),
        key("bytes", "the whole load", "bytes, or a volume such as `\"48 MB\"`", "1,000,000"),
        key(
            "methods",
            "how it is divided",
            "`\"all\"`, a name of [load methods](names.md#load-methods), or a list of them",
            "all",
        ),
        key(
            "reduction",
            "which processors a cell gives up",
            "a name of [reductions](names.md#reductions)",
            "peel",
        ),
        key(
            "ties",
            "whose cell a node is in that is equally near to several",
            "`lowest`, `nobody` or `both`",
            "lowest",
        ),
        key("finish", "f_T: accelerating ends at this makespan", "in units of w Tcp", "0"),
        key("save_at_least", "r_save: accelerating ends when no more than this share is idle", NUMBER, "0"),
        key("chunks", "the most messages of the installments", "1 to 1,000,000", "as many as gain something"),
        key("front", "also with fewer processors and messages", "`true` or `false`", "false"),
        key("deadline", "also the fewest processors that are done by then", TIME, "none"),
        key("speeds", "processors and links that differ", "a file of lines `node,to,time`", "all alike"),
        key("results", "their size over that of the load; they go back to the sources", NUMBER, "0"),
        key("results_at", "the node to which all results go", "a node", "the sources of their loads"),
        key("duplex", "whether a link carries both directions at once", "`\"full\"` or `\"half\"`", "full"),
        key("front_end", "whether a node sends while it works", "`true` or `false`", "true"),
        key(
            "node_ports",
            "how many messages a node sends, and how many it receives, at a time; with `duplex = \"half\"` both together",
            "`\"all\"`, `\"one\"` or a number",
            "`ports` of the machine",
        ),
        key(
            "memory",
            "for how much of the load, beside its own, a node has room at a time",
            "a share of the whole",
            "all of it",
        ),
        key(
            "next",
            "ranks the places for one more source that takes this share",
            "`\"equal\"`, or a share between 0 and 1",
            "no ranking",
        ),
        key("places", "how many places the ranking has", "1 to 1000", "5"),
        key("every", "the load comes again after this time", TIME, "it comes once"),
        key(
            "dynamic",
            "also shared out while it is worked off, by these policies",
            "`\"all\"`, a name of [policies](names.md#policies), or a list of them",
            "no policy",
        ),
        key(
            "arrivals",
            "with `dynamic`: when loads arrive",
            "`\"once\"`, `\"poisson:LOADS@RATE\"` or a file of lines `time,node,load`",
            "once",
        ),
        key(
            "drift",
            "with `dynamic`: how processors change",
            "`\"none\"`, [changes](names.md#changes) such as `\"halve:0.5+die\"`, or a file of lines `time,node,speed`",
            "none",
        ),
        key(
            "grains",
            "with `dynamic`: into how many grains an equal share is cut",
            "1 to 1024",
            "64, or as few as start-ups leave worth a message",
        ),
    ],
    example: "[machine]\ntopology = \"mesh:4x4\"\n\n[[load]]\nname = \"cameras\"\nsources = [{ at = [0, 2], load = 0.4, release = 100 }]\nsigma = 0.1\n\
              bytes = \"1 MB\"\nmethods = [\"reduced\", \"installments\", \"optimum\"]\nreduction = \"peel\"\nties = \"nobody\"\nchunks = 50\nfront = true\n\
              deadline = 9000000\nnext = \"equal\"\nplaces = 3\n\n[[load]]\nsources = [{ at = [1, 1] }]\nwork = 10\nresults = 0.5\nduplex = \"half\"\n\
              front_end = false\nresults_at = [0, 0]\nnode_ports = 2\nmemory = 0.1\n\n[[load]]\nsources = [{ at = [1, 1] }]\nsigma = 0.2\nevery = 900000\n\
              dynamic = [\"resolved\", \"guided\"]\narrivals = \"poisson:8@0.8\"\ndrift = \"halve:0.5\"\ngrains = 32\n",
};

/// An entry of `sources` in `[[load]]`.
pub const SOURCES: KeyTable = KeyTable {
    name: "sources",
    doc: "Where a load enters.",
    keys: &[
        key("at", "the node", "coordinates such as `[0, 2]`, or an id", ""),
        key("load", "its part of the load, beside those of the others", "a number above 0", "1"),
        key("release", "when it is there", TIME, "0"),
    ],
    example: "[machine]\ntopology = \"mesh:4x4\"\n\n[[load]]\nsources = [{ at = [0, 2], load = 3 }, { at = [3, 1], release = 500 }]\nsigma = 0.1\n",
};

/// The table `[[groups]]`.
pub const GROUPS: KeyTable = KeyTable {
    name: "[[groups]]",
    doc: "Groups that split by labels known only at run time, wait and join again, as `meshwright groups` runs them. One of \
          `levels` and `labels` must be there.",
    keys: &[
        key("name", "of the job", NAME, "groups"),
        key(
            "order",
            "the order of ranks on the machine",
            "a name of [orders](names.md#orders-of-nodes)",
            "hilbert",
        ),
        key("levels", "random labels, for so many nested splits", "a whole number", "none"),
        key(
            "labels",
            "labels of a file",
            "a file of lines `row,column,label`, with a key if members are ordered by one",
            "none",
        ),
        key("contiguous", "random groups are consecutive ranks", "`true` or `false`", "false: scattered"),
        key("colours", "random labels of so many colours", "a whole number", "2"),
        key(
            "keys",
            "beside `colours`: random keys below it",
            "a whole number",
            "no keys: ranks keep their order",
        ),
        key(
            "repeat",
            "how often it is done with other labels",
            "a whole number",
            "100 with random labels, else 1",
        ),
        key("seed", "of the labels", "a whole number", "that of the scenario"),
        key("tree", "the tree of a group", "`\"all\"` or a name of [trees](names.md#trees)", "all"),
        key("split", "how a group is split", "`\"all\"` or a name of [splits](names.md#splits)", "all"),
        key("engine", "what runs the messages", "`\"packet\"`, `\"message\"` or `\"flit\"`", "packet"),
        key("lockstep", "all groups begin each operation together", "`true` or `false`", "false"),
    ],
    example: "[machine]\ntopology = \"mesh:4x4\"\nswitching = \"store-and-forward\"\n\n[[groups]]\nname = \"two ways\"\norder = \"snake\"\nlevels = 1\n\
              contiguous = true\nrepeat = 3\nseed = 5\ntree = \"ecrb4\"\nsplit = \"mask\"\nengine = \"message\"\nlockstep = false\n\n[[groups]]\n\
              levels = 1\ncolours = 4\nkeys = 100\nrepeat = 2\n",
};

/// The table `[[collective]]`.
pub const COLLECTIVE: KeyTable = KeyTable {
    name: "[[collective]]",
    doc: "An operation of all nodes that work, by every published algorithm, as `meshwright race` compares them.",
    keys: &[
        key("name", "of the job", NAME, "the operation"),
        key(
            "operation",
            "what all do together",
            "a name of [operations](names.md#collective-operations)",
            "",
        ),
        key(
            "bytes",
            "the whole buffer of one member",
            "bytes, or a volume such as `\"1 MB\"`",
            "none, for a barrier alone",
        ),
        key(
            "root",
            "where a rooted operation begins or ends",
            "coordinates such as `[0, 2]`, or an id",
            "each algorithm chooses",
        ),
        key(
            "algorithm",
            "only these, simulated whatever their prospects",
            "`\"all\"`, a name of [algorithms](names.md#collective-algorithms), or a list of them",
            "all",
        ),
        key("combine_time", "of adding up a byte", "cycles such as `0.25` or `\"1/4\"`", "nothing"),
        key("multicast", "whether routers copy messages that pass them", "`true` or `false`", "`false`"),
    ],
    example: "[machine]\ntopology = \"mesh:4x4\"\n\n[[collective]]\nname = \"parameters\"\noperation = \"broadcast\"\nbytes = \"64 KiB\"\nroot = [0, 2]\n\
              algorithm = [\"chain\", \"binomial\"]\n\n[[collective]]\noperation = \"reduce\"\nbytes = 4096\ncombine_time = 0.25\n",
};

/// Every table, in the order of the page.
pub const TABLES: &[&KeyTable] = &[&TOP, &DIVIDE, &SEARCH, &LOAD, &SOURCES, &GROUPS, &COLLECTIVE];

/// Older names of keys, which are read as well.
const OLD: &[(&str, &str)] = &[("[[divide]]", "placement"), ("[[groups]]", "random")];

/// The keys of a table, then their older names.
pub(super) fn known(table: &KeyTable) -> Vec<&'static str> {
    let old = OLD.iter().filter(|(name, _)| *name == table.name).map(|(_, old)| *old);
    table.names().into_iter().chain(old).collect()
}

/// The tables as a page.
///
/// # Examples
///
/// ```
/// use meshwright_formats::scenario::job_keys::reference;
/// assert!(reference().contains("### `[[load]]`"));
/// ```
pub fn reference() -> String {
    write_tables(TABLES)
}
