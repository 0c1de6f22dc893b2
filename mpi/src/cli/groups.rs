//! `meshwright-mpi groups`.

use std::rc::Rc;

use clap::Args;
use meshwright_cli::output::{self, Progress};
use meshwright_cli::{Answer, Broken, MACHINES, table};
use meshwright_core::{Error, Result};
use meshwright_formats::scenario;
use meshwright_groups::barrier_time::Delays;
use meshwright_groups::trees::{self, TREES, TreeMethod};
use meshwright_mpi::{Attendant, MpiEndpoint};
use meshwright_network::topology::Machine;
use meshwright_runtime::groups as live;
use meshwright_runtime::groups::{Beside, Group, Messages, Other, Series, TimesBeside};
use meshwright_runtime::transport::{Endpoint, Mailbox};
use meshwright_verdict as verdict;
use mpi::collective::SystemOperation;
use mpi::topology::{Color, CommunicatorRelation, SimpleCommunicator, UserGroup};
use mpi::traits::{Communicator, CommunicatorCollectives, Group as _, Root};
use serde::Serialize;

use super::Outcome;

const HELP: &str = "\
Each split draws a colour and a key for every rank; in every fourth one some ranks draw no colour
and take no part. Ours is MASK over messages from point to point; beside it MPI_Comm_split, with
the same colours and keys, which may be negative. Ranks, sizes and members of all groups are
compared; MPI_Comm_create_group makes a communicator of ours, which has to be congruent to that of
MPI: the same ranks, and a context of its own. The new groups pass barriers and sum up words, at
the root of our tree. A time is that of the rank that is ready last; the table has the medians. By
formula, s members send 2 (s - 1) messages, and s - 1 for a reduce.

Examples:
  mpirun -n 16 meshwright-mpi groups
  mpirun -n 16 meshwright-mpi groups --on torus:4x4 --tree ecrb4 --repeat 500 --depth 3
  mpirun -n 64 meshwright-mpi groups --repeat 200 --json

Exit codes:
  0  all groups are equal, and the messages are those of the formula
  1  they are not
  2  unacceptable input
  3  a rank was lost";

/// Split groups of ranks at random, beside MPI_Comm_split, MPI_Barrier and MPI_Reduce
#[derive(Args)]
#[command(after_help = HELP)]
pub(super) struct GroupsArguments {
    #[arg(long, value_name = "MACHINE", help = format!("Where the ranks are, with a working node for each [default: the mesh nearest to a square]: {MACHINES}"))]
    on: Option<String>,
    /// The same without --on, its old place
    #[arg(value_name = "MACHINE", hide = true, conflicts_with = "on")]
    machine: Option<String>,
    #[command(flatten)]
    broken: Broken,
    /// How often all ranks are split
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    repeat: u32,
    /// From how many colours each rank draws
    #[arg(long, value_name = "K", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1_000_000_000))]
    colours: u32,
    /// How deep: 2 splits the new groups once more
    #[arg(long, value_name = "D", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=16))]
    depth: u32,
    /// How many barriers are passed in each new group, one after the other, and how many words are summed up
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1000))]
    barriers: u32,
    #[arg(long, value_name = "NAME", default_value = "auto", help = trees_help())]
    tree: String,
    /// The seed of colours and keys
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Print one JSON object and nothing else
    #[arg(long)]
    json: bool,
}

/// What a message costs its sender, and its receiver, in links that it could cross meanwhile: some microseconds of
/// software against some fifty nanoseconds of a link.
const OVERHEAD_LINKS: u64 = 16;

fn trees_help() -> String {
    let names: Vec<&str> = TREES.iter().filter(|tree| tree.takes_any_members).map(|tree| tree.name).collect();
    format!(
        "The trees: {}, {}, or auto: {} where ranks share cores, else where a barrier is over first if a message costs \
         {OVERHEAD_LINKS} links at each end",
        names.join(", "),
        live::FLAT.name,
        live::FLAT.name
    )
}

/// A communicator as a group beside ours.
struct MpiGroup {
    communicator: SimpleCommunicator,
    world: Rc<UserGroup>,
    attendant: Attendant,
    is_mpich: bool,
}

impl MpiGroup {
    /// Another group of the same world.
    fn with(&self, communicator: SimpleCommunicator) -> Self {
        Self {
            communicator,
            world: Rc::clone(&self.world),
            attendant: self.attendant.clone(),
            is_mpich: self.is_mpich,
        }
    }
}

impl Other for MpiGroup {
    fn split(&mut self, colour: Option<u32>, key: i32) -> Option<Self> {
        let colour = colour.map_or_else(Color::undefined, |colour| Color::with_value(colour as i32));
        let communicator =
            self.attendant.during(|| self.communicator.split_by_color_with_key(colour, key))?;
        Some(self.with(communicator))
    }

    fn made_of(&mut self, members: &[u32]) -> Option<Self> {
        let ranks: Vec<i32> = members.iter().map(|&rank| rank as i32).collect();
        let (group, parent) = (self.world.include(&ranks), &self.communicator);
        // MPI_Comm_create_group of MPICH 4.0.2 ends in a segmentation fault where the order is another than that of the parent; MPI_Comm_create
        // does the same, and all members of the parent call it.
        let communicator = match members {
            _ if self.is_mpich => self.attendant.during(|| parent.split_by_subgroup_collective(&group)),
            [] => None,
            _ => self.attendant.during(|| parent.split_by_subgroup(&group)),
        };
        Some(self.with(communicator?))
    }

    fn is_like(&self, other: &Self) -> bool {
        self.communicator.compare(&other.communicator) == CommunicatorRelation::Congruent
    }

    fn barrier(&mut self) {
        self.attendant.during(|| CommunicatorCollectives::barrier(&self.communicator));
    }

    fn sum(&mut self, root: u32, value: u64) -> Option<u64> {
        let (process, mut sum) = (self.communicator.process_at_rank(root as i32), 0_u64);
        let is_root = root == self.rank();
        self.attendant.during(|| match is_root {
            true => process.reduce_into_root(&value, &mut sum, SystemOperation::sum()),
            false => process.reduce_into(&value, SystemOperation::sum()),
        });
        is_root.then_some(sum)
    }

    fn rank(&self) -> u32 {
        self.communicator.rank() as u32
    }

    fn members(&self) -> Vec<u32> {
        let ranks: Vec<i32> = (0..self.communicator.size()).collect();
        let in_world = self.communicator.group().translate_ranks(&ranks, &*self.world);
        in_world.into_iter().map(|rank| rank.expect("all members are in the world") as u32).collect()
    }
}

#[derive(Serialize)]
struct Report<'r> {
    machine: &'r str,
    tree: &'static str,
    #[serde(flatten)]
    series: &'r Series,
    #[serde(flatten)]
    found: &'r Beside,
}

/// Runs the verb on this rank.
pub(super) fn run(arguments: &GroupsArguments, endpoint: &mut MpiEndpoint) -> Outcome {
    let (world, attendant) = (endpoint.world(), endpoint.attendant());
    let communicator = attendant.during(|| world.duplicate());
    // All ranks take the same tree.
    let (own, mut crowd) = (endpoint.crowd(), 0);
    attendant.during(|| communicator.all_reduce_into(&own, &mut crowd, SystemOperation::max()));
    let is_mpich = mpi::environment::library_version().is_ok_and(|version| version.contains("MPICH"));
    let mut other = MpiGroup { communicator, world: Rc::new(world.group()), attendant, is_mpich };
    endpoint.tell("splitting groups");
    let mut mail = Mailbox::new(endpoint);
    let (rank, ranks) = (mail.rank(), mail.ranks());
    let on = arguments.on.as_ref().or(arguments.machine.as_ref()).cloned();
    let specification = on.unwrap_or_else(|| verdict::nearest_to_a_square(ranks));
    let machine = arguments.broken.of(scenario::machine(&specification)?)?;
    let tree = tree(&arguments.tree, &machine, crowd > 1)?;
    let series = Series {
        splits: arguments.repeat,
        depth: arguments.depth,
        colours: arguments.colours,
        barriers: arguments.barriers,
        seed: arguments.seed,
    };
    let mut group = Group::world(&mut mail, &machine, tree)?;
    let mut progress = (rank == 0).then(|| Progress::with_steps(series.splits.into()));
    let step = || {
        if let Some(progress) = &mut progress {
            progress.step("splits");
        }
    };
    let found = live::compare(&mut group, &mut other, &series, step)?;
    drop(progress);
    if rank == 0 {
        let report = Report { machine: machine.name(), tree: tree.name, series: &series, found: &found };
        output::print(&if arguments.json { output::json(&report) } else { text(&report) })?;
    }
    let is_right = found.differences == 0 && kinds(&found).iter().all(|(_, m, _)| m.sent == m.expected);
    Ok(if is_right { Answer::Done } else { Answer::Negative })
}

fn tree(name: &str, machine: &Machine, is_crowded: bool) -> Result<&'static TreeMethod> {
    match name {
        "auto" if is_crowded => Ok(&live::FLAT),
        name if name == live::FLAT.name => Ok(&live::FLAT),
        "auto" => live::tree_for(machine, Delays { link: 1, overhead: OVERHEAD_LINKS }),
        name => trees::tree(name).map_err(|error| match error {
            Error::Value { what, value, expected } => {
                Error::Value { what, value, expected: format!("{expected}, {}, auto", live::FLAT.name) }
            }
            other => other,
        }),
    }
}

/// What a split takes that ends with a communicator.
fn with_communicator(times: TimesBeside) -> String {
    format!(
        "\nWith a communicator made of it, congruent to that of MPI: {} us, {} of MPI_Comm_split.",
        table::number(times.ours_microseconds, 1),
        table::number(times.ratio, 3)
    )
}

/// What was measured of each kind of operation.
fn kinds(found: &Beside) -> [(&'static str, Messages, Option<TimesBeside>); 4] {
    [
        ("split", found.split_messages, Some(found.split)),
        ("barrier", found.barrier_messages, Some(found.barrier)),
        ("reduce", found.reduce_messages, Some(found.reduce)),
        ("join", found.join_messages, None),
    ]
}

fn text(report: &Report<'_>) -> String {
    let Report { machine, tree, series, found } = report;
    let row = |(name, messages, times): (&str, Messages, Option<TimesBeside>)| {
        let each = |count: u64| table::number(count as f64 / messages.operations.max(1) as f64, 2);
        let time = |of: fn(&TimesBeside) -> f64, decimals| {
            times.map_or("-".to_string(), |times| table::number(of(&times), decimals))
        };
        vec![
            name.to_string(),
            messages.operations.to_string(),
            each(messages.sent),
            each(messages.expected),
            time(|times| times.ours_microseconds, 1),
            time(|times| times.other_microseconds, 1),
            time(|times| times.ratio, 3),
        ]
    };
    let head = ["operation", "times", "messages each", "by formula", "ours, us", "MPI, us", "ours / MPI"];
    let equal = match &found.first_difference {
        None => format!(
            "All {} groups: ranks, sizes and members are those of MPI_Comm_split.{}",
            found.groups,
            found.communicator.map(with_communicator).unwrap_or_default()
        ),
        Some(first) => format!("{} differences from MPI_Comm_split; the first: {first}", found.differences),
    };
    let of_levels = if series.depth == 1 { String::new() } else { format!(", {} levels deep", series.depth) };
    format!(
        "ranks: {} on {machine}, tree {tree}; splits: {}{of_levels}, colours: {}, seed {}\n{}{equal}\n",
        found.ranks,
        series.splits,
        series.colours,
        series.seed,
        table::table(&head, 1, kinds(found).map(row).to_vec()),
    )
}
