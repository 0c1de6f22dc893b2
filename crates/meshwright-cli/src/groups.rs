//! `meshwright groups`.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use clap::Args;

use meshwright_core::output::{self as disk, Writing};
use meshwright_core::text;
use meshwright_core::{Error, Result};
use meshwright_formats::perfetto::Run;
use meshwright_formats::scenario::groups as words;
use meshwright_groups::label_file;
use meshwright_network::topology::Machine;
use meshwright_network::topology::order::{ORDERS, order};
use meshwright_report::{File, PlanReport};
use meshwright_verdict::groups::{
    self, Drawn, ENGINES, Engine, GroupsAnswer, Job, LEVELS_MAX, Labels, Method, Pace, REPEAT_MAX,
};

use super::costs::{MachineName, seed, told};
use super::csv::CsvFile;
use super::files::{self, Force, Png};
use super::output::{self, Progress};
use super::{Answer, collective, emit, group_csv as csv, group_tables as tables, manner};

const HELP: &str = "\
A repetition is a split at every level with a barrier in each new group, and then as many joins.
Times are in steps: a packet crosses one link in a step. A machine file that names a start-up or
other costs is taken at its word, as by `plan`, and times are in cycles. Overhead counts from the
last member's entry to the last member's exit.

Examples:
  meshwright groups --on mesh:16x16 --order hilbert --levels 4 --repeat 2000
  meshwright groups --on mesh:16x16 --order row --levels 4 --contiguous --split paper
  meshwright groups --on mesh:16x16 --levels 4 --split mask --tree auto --asynchronous
  meshwright groups --on mesh:16x16 --levels 1 --colours 16 --split mask --json
  meshwright groups --on mesh:64x64 --levels 1 --colours 100 --keys 4096 --split sort --repeat 1
  meshwright groups --on torus:8x8 --order snake --labels labels.csv --json | jq '.vertices[0]'
  meshwright groups --on mesh:16x16 --collective all-reduce --random-members 64 --overhead 4
  meshwright groups --on mesh:8x8 --collective barrier --emit barrier-table:barrier.json
  meshwright groups --on mesh:16x16 --levels 4 --split mask --emit perfetto:groups.json
  meshwright groups --on mesh:16x16 --levels 4 --split auto --repeat 100 --out groups

LABELS.csv lists the members of the group and their labels, `row,column,label` (on a hypercube, on
a graph or below the header `node,label` by ids, `17,1`); a further number is the key by which the
members of a new group are ordered, which may be negative. Labels may be words; new groups then
come in the order of the alphabet. A member whose label is left out, or is `-` or `undefined`, is
in no new group (MPI_UNDEFINED).

Exit codes:
  0  done
  1  a negative answer: messages wait for each other in a ring
  2  unacceptable input; nothing is written
 70  two numbers of the program contradict each other: a bug, please report it";

/// Simulate group splits, barriers and joins, and collectives, message by message
///
/// With --labels one split, with every member's values and the trees of the new groups; with --levels many splits, and
/// what they take by the size of the group.
#[derive(Args)]
#[command(after_help = HELP, override_usage = "meshwright groups [OPTIONS] --on <MACHINE>")]
pub(super) struct GroupsArguments {
    #[command(flatten)]
    machine: MachineName,
    #[arg(long, value_name = "NAME", default_value = "hilbert", help = orders())]
    order: String,
    #[arg(long, value_name = "NAME", help = trees())]
    tree: Option<String>,
    #[arg(long, value_name = "NAME", help = splits())]
    split: Option<String>,
    /// The members of the group and their labels
    #[arg(long, value_name = "FILE.csv", conflicts_with_all = ["levels", "contiguous", "colours", "keys", "seed"])]
    labels: Option<PathBuf>,
    /// All nodes, split so many levels deep by random labels [default: 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(LEVELS_MAX)))]
    levels: Option<u32>,
    /// With --levels: new groups are runs of consecutive ranks
    #[arg(long, conflicts_with_all = ["colours", "keys"])]
    contiguous: bool,
    /// With --levels: so many labels, all alike (default: two, such that all sizes are alike)
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    colours: Option<u32>,
    /// With --colours: a random key, too, below K, by which new ranks are given
    #[arg(long, value_name = "K", requires = "colours", value_parser = clap::value_parser!(u32).range(1..))]
    keys: Option<u32>,
    /// How often [default: 100 with random labels, else 1]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=i64::from(REPEAT_MAX)))]
    repeat: Option<u32>,
    /// The seed of the labels, and of --random-members [default: 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = seed)]
    seed: Option<u64>,
    /// Every group goes on by itself; without, all groups begin each operation together
    #[arg(long)]
    asynchronous: bool,
    #[arg(long, value_name = "NAME", help = engines(), value_parser = |name: &str| told(words::engine(name)))]
    engine: Option<Engine>,
    /// Packets that wait before a router, on each link that comes in [default: as the machine file says, else 4]
    #[arg(long, value_name = "Q", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    buffers: Option<u32>,
    /// How many threads share the repetitions [default: one for each core]; the answer is the same
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    threads: Option<u32>,
    #[command(flatten)]
    collective: collective::CollectiveArguments,
    /// What `map` has: it is looked for here
    #[arg(long, hide = true)]
    volume: Option<String>,
    /// Print one JSON object and nothing else
    #[arg(long)]
    json: bool,
    /// Write groups.json, report.html, plan.json and drawings into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    png: Png,
    #[command(flatten)]
    force: Force,
    #[command(flatten)]
    csv: CsvFile,
}

impl GroupsArguments {
    /// The name of the order, whatever its spelling.
    fn order(&self) -> &str {
        order(&self.order).map_or(self.order.as_str(), |order| order.name)
    }

    /// What it runs on: what knows the costs of the machine, unless it was named.
    fn engine_on(&self, machine: &Machine) -> Engine {
        self.engine.unwrap_or_else(|| Engine::of(machine))
    }

    fn tree(&self) -> &str {
        self.tree.as_deref().unwrap_or("auto")
    }
}

fn orders() -> String {
    let all = ORDERS.iter().map(|order| format!("{}: {}", order.name, order.summary));
    format!("The order of the members; {}", all.collect::<Vec<_>>().join("; "))
}

fn trees() -> String {
    format!(
        "The trees: {}, or auto: what is fastest with the split, found as for --split [default: auto]",
        groups::trees().join(", ")
    )
}

fn splits() -> String {
    format!(
        "The split: {}, or auto: what is fastest on the trees, by a trial of the first {} repetitions on this machine \
         with its costs (above {} members by a formula) [default: paper, if it works on the trees and knows the labels, \
         else auto]",
        groups::splits().join(", "),
        groups::TRIAL_REPEAT,
        groups::TRIAL_SIZE_MAX
    )
}

fn engines() -> String {
    let names: Vec<&str> = ENGINES.iter().map(|(name, _)| *name).collect();
    format!(
        "What it runs on: {}; packet is the model of Chochia 1996 [default: packet; message where nodes have an overhead or a \
         gap, or store-and-forward a start-up]",
        names.join(", ")
    )
}

/// Runs the verb.
pub(super) fn run(arguments: &GroupsArguments) -> Result<Answer> {
    match arguments.threads {
        None => answer(arguments),
        Some(threads) => {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads as usize).build();
            let pool = pool.map_err(|error| {
                Error::value("number of threads", threads, format!("fewer threads ({error})"))
            })?;
            let provisions = text::provisions();
            pool.install(|| {
                let _provided = provisions.here();
                answer(arguments)
            })
        }
    }
}

fn answer(arguments: &GroupsArguments) -> Result<Answer> {
    if let Some(volume) = &arguments.volume {
        let expected = "nothing: members send packets of a few words, not volumes (`map --volume`)";
        return Err(Error::value("--volume", format!("`{volume}`"), expected));
    }
    let mut machine = arguments.machine.in_packets()?;
    if let Some(buffers) = arguments.buffers {
        let has_none = matches!(arguments.engine_on(&machine), Engine::Message | Engine::Unbounded(_));
        if arguments.collective.collective.is_none() && has_none {
            let expected = "--engine packet or flit beside it: the others know no buffers";
            return Err(Error::value("buffers", buffers, expected));
        }
        machine = machine.with_buffers(buffers);
    }
    manner::check(&machine)?;
    manner::check_costs(&machine)?;
    arguments.csv.check()?;
    if let Some(asked) = &arguments.collective.collective {
        let members = arguments.collective.members(&machine, arguments.order(), arguments.seed)?;
        let wanted = arguments.collective.structure(arguments.tree.as_deref());
        let shown = collective::Shown { json: arguments.json, csv: &arguments.csv, force: arguments.force };
        return collective::answer(asked, &arguments.collective, &machine, &members, wanted, shown);
    }
    let job = job(arguments, &machine)?;
    job.group(&machine)?;
    let trace = arguments.collective.trace()?;
    let named = disk::NamedJob::new("groups", [arguments.machine.named()]);
    files::check(arguments.out.as_ref(), arguments.force, &named)?;
    let mut progress = Progress::with_steps(job.repeat.into());
    progress.tell("repetitions");
    let (method, why) = groups::choose(&job, &machine, split(arguments, &job)?, arguments.tree())?;
    let progress = Mutex::new(progress);
    let found = groups::find(&job, &machine, method, why, &|| {
        if let Ok(mut progress) = progress.lock() {
            progress.step("repetitions");
        }
    })?;
    drop(progress);
    let doubling = found.experiment.by_doubling();
    let answer = GroupsAnswer::new(&job, &machine, found);
    let json = output::json(&answer);
    let of_folder = || Ok(arguments.png.with(of_folder(&machine, &job, method, &json)?));
    let folder = arguments.out.as_deref().map(|folder| (folder, &named));
    let mut writing = Writing::new(arguments.force.force);
    let mut written = match trace {
        Some(path) => record(path, &mut writing, &job, &machine, method)?,
        None => String::new(),
    };
    let table = || csv::sizes(&answer);
    written += &files::add_all(&mut writing, folder, of_folder, (&arguments.csv, &table))?;
    writing.finish()?;
    let given = arguments.labels.is_some();
    let words = || tables::text(&answer, &doubling, given, &machine) + &written;
    output::say(arguments.json.then(|| json.clone()), || tables::line(&answer, &machine), words)?;
    Ok(if answer.deadlock.is_none() { Answer::Done } else { Answer::Negative })
}

/// Adds who does what when, event by event, to what is written; what there is to say of it.
fn record(
    path: &Path,
    writing: &mut Writing,
    job: &Job,
    machine: &Machine,
    method: &Method,
) -> Result<String> {
    match groups::history(job, machine, method)? {
        Some(history) => emit::add_trace(writing, path, machine, &Run::Groups(history)),
        None => Ok("\nNothing is emitted: the first repetition ends in a deadlock\n".to_string()),
    }
}

/// The split that is meant: that of Chochia 1996, if none is named and it works on the trees and knows the labels.
fn split<'a>(arguments: &'a GroupsArguments, job: &Job) -> Result<&'a str> {
    if let Some(split) = &arguments.split {
        return Ok(split);
    }
    let tree = Some(arguments.tree()).filter(|&tree| tree != "auto");
    let needed = job.labels.needed();
    let fits =
        groups::methods(None, tree)?.iter().any(|method| method.split == "paper" && method.labels >= needed);
    Ok(if fits { "paper" } else { "auto" })
}

/// What is asked for.
fn job(arguments: &GroupsArguments, machine: &Machine) -> Result<Job> {
    let labels = match (&arguments.labels, arguments.colours) {
        (Some(path), _) => Labels::Given(label_file::read(path, machine)?),
        (None, colours) => Labels::Drawn {
            levels: arguments.levels.unwrap_or(4),
            kind: match (colours, arguments.keys) {
                _ if arguments.contiguous => Drawn::Contiguous,
                (Some(colours), Some(keys)) => Drawn::Keyed { colours, keys },
                (Some(colours), None) => Drawn::Colours(colours),
                (None, _) => Drawn::Scattered,
            },
        },
    };
    let drawn = matches!(labels, Labels::Drawn { .. });
    Ok(Job {
        repeat: arguments.repeat.unwrap_or(if drawn { 100 } else { 1 }),
        seed: arguments.seed.unwrap_or(0),
        engine: arguments.engine_on(machine),
        pace: if arguments.asynchronous { Pace::Free } else { Pace::Lockstep },
        ..Job::new(arguments.order(), labels)
    })
}

/// The answer and the files of a plan with this one job.
fn of_folder(machine: &Machine, job: &Job, method: &'static Method, json: &str) -> Result<Vec<File>> {
    let job = Job { methods: vec![method], named: true, ..job.clone() };
    let mut progress = Progress::new();
    let verdict = groups::judge("groups", &job, machine, &mut |what| progress.tell(what))?;
    drop(progress);
    let jobs = [verdict.into()];
    let title = format!("Groups on {}", machine.name());
    let plan = PlanReport { title: &title, scenario: "", machine, seed: job.seed, jobs: &jobs };
    let mut all = files::of_plan(&plan)?;
    all.push(files::file("groups.json", "the answer for scripts", json.to_string()));
    Ok(all)
}
