//! What is raced, and the tables of the page.

use std::collections::{BTreeMap, BTreeSet};

use meshwright_collectives::{OPERATIONS, Operation};
use meshwright_core::Result;
use meshwright_core::units::{Bytes, Cycles, Ratio};
use meshwright_network::topology::{Machine, Switching, Topology};
use meshwright_verdict::race::{self, Asked, Effort, RaceOutcome, RaceVerdict};

/// Bytes of the whole buffer of a member.
pub(crate) const SIZES: [u64; 5] = [4 << 10, 64 << 10, 1 << 20, 16 << 20, 64 << 20];

/// The same with one below, for all-reduce.
const MORE_SIZES: [u64; 6] = [1 << 10, 4 << 10, 64 << 10, 1 << 20, 16 << 20, 64 << 20];

/// Where all of it is raced.
pub(crate) const MACHINES: [&str; 6] =
    ["mesh:8x8", "torus:8x8", "mesh:16x16", "torus:16x16", "mesh:32x32", "torus:32x32"];

/// Start-ups and sizes of the regime maps.
const STARTUPS: [u64; 4] = [10, 100, 1000, 10_000];
const REGIME_SIZES: [u64; 5] = [64, 1 << 10, 16 << 10, 256 << 10, 4 << 20];

/// An algorithm of more messages, chunks counted, is not simulated unless its prediction is below the best time: on few nodes, and on more.
const MESSAGES_MAX: [u64; 2] = [1 << 18, 1 << 17];
const FEW_NODES: u32 = 64;

/// Nor is one whose busiest link or longest chain of messages alone takes so many times the best time.
const HOPELESS: u64 = 2;

/// Costs of a network.
pub(crate) struct Setting {
    name: &'static str,
    startup: u64,
    /// Bytes of a cycle.
    bytes: u64,
    flit: u64,
}

/// As on a chip: a start-up of 40 cycles, 32 bytes a cycle, a cycle for each link.
pub(crate) const CHIP: Setting = Setting { name: "chip-like", startup: 40, bytes: 32, flit: 32 };

/// As of network cards, a cycle a nanosecond: 500, 50 bytes a cycle, 400 for each link.
pub(crate) const CARD: Setting = Setting { name: "card-like", startup: 500, bytes: 50, flit: 20_000 };

impl Setting {
    fn machine(&self, name: &str) -> Result<Machine> {
        let machine = Machine::new(name)?.with_switching(Switching::CutThrough);
        let machine = machine.with_startup(Cycles(self.startup))?;
        machine.with_byte_time(Ratio::new(1, self.bytes)?)?.with_flit(Bytes(self.flit))
    }

    fn options(&self) -> String {
        format!(
            "--switching cut-through --startup {} --byte-time 1/{} --flit {}",
            self.startup, self.bytes, self.flit
        )
    }
}

fn sizes(operation: Operation) -> &'static [u64] {
    match operation {
        Operation::Barrier => &[0],
        Operation::AllReduce => &MORE_SIZES,
        _ => &SIZES,
    }
}

/// What is simulated on so many nodes.
fn effort(nodes: u32, is_brief: bool) -> Effort {
    // Schedules of our own are searched for on few nodes.
    let searches = !is_brief && nodes <= FEW_NODES;
    Effort { hopeless: HOPELESS, messages: messages_max(nodes), chunked: messages_max(nodes), searches }
}

fn messages_max(nodes: u32) -> u64 {
    MESSAGES_MAX[usize::from(nodes > FEW_NODES)]
}

/// The races of an operation on a machine, one for each size.
pub(crate) struct Section {
    operation: Operation,
    machine: String,
    setting: &'static str,
    verdicts: Vec<RaceVerdict>,
}

impl Section {
    pub(crate) fn raced(operation: Operation, name: &str, setting: &Setting, is_brief: bool) -> Result<Self> {
        let machine = setting.machine(name)?;
        let of = |&bytes: &u64| {
            let effort = effort(machine.nodes(), is_brief);
            race::judge("", &Asked { effort, ..Asked::new(operation, bytes) }, &machine, &mut |_| ())
        };
        let verdicts = sizes(operation).iter().map(of).collect::<Result<_>>()?;
        Ok(Self { operation, machine: name.to_string(), setting: setting.name, verdicts })
    }

    /// By size the bound.
    pub(crate) fn bounds(&self) -> Vec<u64> {
        self.verdicts.iter().map(|verdict| verdict.facts.bound.cycles.0).collect()
    }

    /// The table of all algorithms.
    pub(crate) fn text(&self) -> String {
        let words: Vec<String> = sizes(self.operation).iter().map(|&bytes| size(bytes)).collect();
        let bounds = self.bounds();
        let mut text = format!("\n### {} on {}\n\n", self.operation.name(), self.machine);
        text += &table(std::iter::once("algorithm".to_string()).chain(words).collect());
        text += &row("bound, cycles", bounds.iter().map(u64::to_string));
        self.rows(&bounds).iter().for_each(|row| text += row);
        text + &self.left_out()
    }

    /// A row for each algorithm that was looked at for some size, over these bounds.
    pub(crate) fn rows(&self, bounds: &[u64]) -> Vec<String> {
        let names: BTreeSet<&str> = self
            .verdicts
            .iter()
            .flat_map(|verdict| &verdict.results)
            .map(|row| row.method.as_str())
            .collect();
        let of = |name: &&str| {
            let cells = self.verdicts.iter().zip(bounds).map(|(verdict, &bound)| cell(verdict, name, bound));
            row(name, cells)
        };
        names.iter().map(of).collect()
    }

    /// Who does not suit, by reason.
    fn left_out(&self) -> String {
        let mut reasons: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for skipped in self.verdicts.iter().flat_map(|verdict| &verdict.skipped) {
            reasons.entry(&skipped.why).or_default().insert(&skipped.method);
        }
        if reasons.is_empty() {
            return String::new();
        }
        let of = |(why, names): (&&str, &BTreeSet<&str>)| {
            format!("{} ({why})", names.iter().copied().collect::<Vec<_>>().join(", "))
        };
        format!("\nLeft out: {}.\n", reasons.iter().map(of).collect::<Vec<_>>().join("; "))
    }

    /// A row of the table of winners.
    fn winners(&self) -> String {
        row(&format!("{}, {}", self.machine, self.setting), self.verdicts.iter().map(winner))
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        0 => "no bytes".to_string(),
        bytes if bytes >= 1 << 20 => format!("{} MiB", bytes >> 20),
        bytes if bytes >= 1 << 10 => format!("{} KiB", bytes >> 10),
        bytes => format!("{bytes} B"),
    }
}

/// A time over a bound.
fn ratio(cycles: u64, bound: u64) -> String {
    let ratio = cycles as f64 / bound.max(1) as f64;
    let digits = if ratio < 9.995 { 2 } else { usize::from(ratio < 99.95) };
    format!("{ratio:.digits$}")
}

fn table(head: Vec<String>) -> String {
    let rule = format!("|---|{}\n", "---:|".repeat(head.len() - 1));
    format!("| {} |\n{rule}", head.join(" | "))
}

fn row(name: &str, cells: impl Iterator<Item = String>) -> String {
    format!("| {name} | {} |\n", cells.collect::<Vec<_>>().join(" | "))
}

/// What became of an algorithm.
fn cell(verdict: &RaceVerdict, name: &str, bound: u64) -> String {
    let Some(outcome) = verdict.results.iter().find(|row| row.method == name) else {
        return "–".to_string();
    };
    let least = verdict.winner().map(|winner| winner.time.0);
    match outcome.simulated_cycles {
        Some(cycles) if Some(cycles) == least => format!("**{}**", ratio(cycles, bound)),
        Some(cycles) => ratio(cycles, bound),
        None if outcome.detail.messages > messages_max(verdict.facts.members) => {
            format!("~{}", ratio(outcome.predicted_cycles.max(outcome.detail.floor_cycles), bound))
        }
        None => format!("> {}", ratio(outcome.detail.floor_cycles, bound)),
    }
}

/// The fastest published algorithm, and ours.
fn winner(verdict: &RaceVerdict) -> String {
    let bound = verdict.facts.bound.cycles.0;
    let time = |row: &&RaceOutcome| row.simulated_cycles.unwrap_or(u64::MAX);
    let is_ours = |row: &&RaceOutcome| row.method == "synthesis";
    let ran = || verdict.results.iter().filter(|row| row.simulated_cycles.is_some());
    let published = ran().filter(|row| !is_ours(row)).min_by_key(time);
    let published =
        published.map_or("–".to_string(), |row| format!("{} {}", row.method, ratio(time(&row), bound)));
    let ours =
        ran().find(is_ours).map_or(String::new(), |row| format!("; ours {}", ratio(time(&row), bound)));
    published + &ours
}

/// Who wins over bytes and start-ups, of the published ones.
fn regimes(operation: Operation, name: &str) -> Result<String> {
    let mut text = format!("\n{} on {name}:\n\n", operation.name());
    let words = REGIME_SIZES.iter().map(|&bytes| size(bytes));
    text += &table(std::iter::once("start-up".to_string()).chain(words).collect());
    for startup in STARTUPS {
        let machine = Setting { startup, ..CHIP }.machine(name)?;
        let of = |&bytes: &u64| {
            let effort = effort(machine.nodes(), true);
            let asked = Asked { effort, ..Asked::new(operation, bytes) };
            Ok(winner(&race::judge("", &asked, &machine, &mut |_| ())?))
        };
        let cells = REGIME_SIZES.iter().map(of).collect::<Result<Vec<String>>>()?;
        text += &row(&startup.to_string(), cells.into_iter());
    }
    Ok(text)
}

/// What stands above the tables.
pub(crate) fn head(seconds: u64, threads: usize, is_brief: bool) -> String {
    let sizes: Vec<String> = SIZES.iter().map(|&bytes| size(bytes)).collect();
    let [few, many] = MESSAGES_MAX;
    let (command, searches) = match is_brief {
        true => ("cargo run --release --example race -- brief", "not searched for".to_string()),
        false => (
            "cargo run --release --example race",
            format!(
                "searched for on up to {FEW_NODES} nodes (for all-reduce on more: `cargo run --release --example collective_gaps`)"
            ),
        ),
    };
    format!(
        "# The race, every algorithm\n\n\
         Every algorithm for every operation, simulated. Written by `{command}`; this page took {seconds} s \
         on {threads} threads. How to read it, and what is counted: [Collective operations](race-how.md). One cell is one line of\n\n\
         ```sh\nmeshwright race all-reduce --bytes 1MiB --on mesh:8x8 {}\n```\n\n\
         A cell is simulated time over the bound, a time that no algorithm beats. The fastest of a column is bold.\n\n\
         | cell | meaning |\n|---|---|\n\
         | 1.23 | simulated |\n\
         | > 4.56 | not simulated: its busiest link, or its longest chain of messages, alone takes so long, at least {HOPELESS} times the best of the column |\n\
         | ~7.89 | not simulated: it has more than {few} messages, on more than {FEW_NODES} nodes than {many}; predicted, and no less than the best that was simulated, unless it has more than four million |\n\
         | – | it does not suit at this size; the reason stands below the table |\n\n\
         Sizes: {}, of all-reduce also 1 KiB. Machines: {}. Costs: {} (`{}`), and for the winners of all-reduce also {} (`{}`).\n\n\
         What is less than the program does alone: an algorithm that streams is cut into chunks of at most as many messages in all, \
         which holds up the longest of chains and trees at the largest sizes; schedules of our own (`synthesis`) are {searches}; \
         regime maps are of the published ones. `meshwright race` has none of \
         these limits. Routers copy nothing here: multicasts (`--multicast`) have no row.\n",
        CHIP.options(),
        sizes.join(", "),
        MACHINES.join(", "),
        CHIP.name,
        CHIP.options(),
        CARD.name,
        CARD.options()
    )
}

/// All tables; `tell` hears what has been raced.
pub(crate) fn body(is_brief: bool, tell: &mut dyn FnMut(&str)) -> Result<String> {
    let (mut winners, mut maps, mut all) = (String::new(), String::new(), String::new());
    for &(name, operation) in OPERATIONS {
        let words = sizes(operation).iter().map(|&bytes| size(bytes));
        winners += &format!("\n### {name}\n\n");
        winners += &table(std::iter::once("machine, costs".to_string()).chain(words).collect());
        for &machine in &MACHINES {
            let section = Section::raced(operation, machine, &CHIP, is_brief)?;
            tell(&format!("{name} on {machine}"));
            winners += &section.winners();
            all += &section.text();
        }
        if operation == Operation::AllReduce {
            for &machine in &MACHINES {
                winners += &Section::raced(operation, machine, &CARD, is_brief)?.winners();
                tell(&format!("{name} on {machine}, {}", CARD.name));
            }
        }
        if operation != Operation::Barrier {
            for machine in &MACHINES[..if is_brief { 1 } else { 2 }] {
                maps += &regimes(operation, machine)?;
            }
            tell(&format!("{name}, regimes"));
        }
    }
    Ok(format!(
        "\n## Who wins\n\nThe fastest published algorithm with its time over the bound, and that of ours.\n{winners}\n\
         ## Regimes\n\nThe fastest published algorithm by bytes and start-up in cycles, 32 bytes a cycle, a cycle for each link.\n{maps}\n\
         ## Every algorithm\n\n{}: {}.\n{all}",
        CHIP.name,
        CHIP.options()
    ))
}
