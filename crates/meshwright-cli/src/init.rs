//! `meshwright init`: a commented scenario to begin with.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use meshwright_core::output::Writing;
use meshwright_core::units::NodeId;
use meshwright_core::{Error, Result};
use meshwright_formats::presets::PRESETS;
use meshwright_formats::scenario;
use meshwright_network::topology::{Machine, Network};

use super::costs::MACHINES;
use super::files::Force;
use super::{Answer, output};

const HELP: &str = "\
Examples:
  meshwright init
  meshwright init --on torus:4x4x4 --job map,load cluster.toml
  meshwright init --on noc noc.toml

Exit codes:
  0  done
  2  unacceptable input, or another file stands there; nothing is written";

/// Write a commented scenario for a machine, to begin with
///
/// The file runs as it is: meshwright plan FILE.
#[derive(Args)]
#[command(after_help = HELP)]
pub(super) struct InitArguments {
    #[arg(long, value_name = "MACHINE", default_value = "mesh:8x8", help = machines())]
    on: String,
    /// What is planned, with commas between: map, a task graph; load, a load that may be cut anywhere; groups, groups that
    /// split and join; collective, what all nodes do together, such as an all-reduce
    #[arg(long, value_name = "JOBS", value_delimiter = ',', default_value = "map")]
    job: Vec<Job>,
    /// The file to write; - prints it
    #[arg(value_name = "FILE", default_value = "scenario.toml")]
    file: PathBuf,
    #[command(flatten)]
    force: Force,
}

/// The machines there are; a file of one becomes a scenario by itself.
fn machines() -> String {
    MACHINES.replace("a TOML file with a [machine] table; or ", "or ")
}

/// What is planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Job {
    #[value(alias = "divide")]
    Map,
    #[value(alias = "split")]
    Load,
    Groups,
    #[value(alias = "race")]
    Collective,
}

/// More tasks than this take more than a few seconds with every placement.
const TASKS_MAX: u32 = 256;

/// Runs the verb.
pub(super) fn run(arguments: &InitArguments) -> Result<Answer> {
    let InitArguments { on, job, file, force } = arguments;
    if on.ends_with(".toml") {
        let expected = "a machine that is no file: a [machine] file becomes a scenario when a [[divide]], [[load]] or \
                        [[groups]] table is added to it";
        return Err(Error::value("on", format!("`{on}`"), expected));
    }
    let machine = scenario::machine(on)?;
    let printed = file.as_os_str() == "-";
    let named = if printed { "FILE".to_string() } else { output::shown(file) };
    let text = text(on, &machine, job, &named)?;
    // What is written runs.
    scenario::read_bytes(file, text.clone().into_bytes())?;
    if printed {
        output::say(None, || text.trim_end().to_string(), || text.clone())?;
        return Ok(Answer::Done);
    }
    let mut writing = Writing::new(force.force);
    writing.file(file, text.as_bytes())?;
    writing.finish()?;
    let file = output::shown(file);
    output::say(
        None,
        || file.clone(),
        || format!("{file} is written. Change what you like, then run it:\n\n  meshwright plan {file}\n"),
    )?;
    Ok(Answer::Done)
}

/// The scenario.
fn text(on: &str, machine: &Machine, jobs: &[Job], file: &str) -> Result<String> {
    let mut text = format!(
        "# A scenario of Meshwright: one machine, and the jobs that are planned for it.\n\
         #\n\
         #     meshwright plan {file}\n\
         #\n\
         # Every method is tried for every job. Each gets a lower bound, a predicted and a simulated time.\n\n"
    );
    text += &match PRESETS.iter().find(|preset| preset.name == on) {
        Some(preset) => preset.toml.trim_end().to_string() + "\n",
        None => described(on),
    };
    for (at, job) in jobs.iter().enumerate() {
        if jobs[..at].contains(job) {
            return Err(Error::value("job", "the same kind twice", "each kind once"));
        }
        text += "\n";
        text += &match job {
            Job::Map => tasks(machine),
            Job::Load => {
                machine.equal_links("dividing a load")?;
                load(machine)
            }
            Job::Groups => {
                machine.equal_links("splitting groups")?;
                GROUPS.to_string()
            }
            Job::Collective => {
                machine.equal_links("a collective operation")?;
                COLLECTIVE.to_string()
            }
        };
    }
    Ok(text)
}

/// A machine with the costs that it has where nobody names others.
fn described(on: &str) -> String {
    let topology = on.replace('\\', "\\\\").replace('"', "\\\"");
    format!(
        "[machine]\n\
         topology  = \"{topology}\"\n\
         switching = \"wormhole\"   # or cut-through, store-and-forward\n\
         startup   = 100          # cycles before a message enters the network\n\
         byte_time = 1            # cycles per byte on a link\n\
         flit      = 2            # bytes of the head flit, paid again on each link\n\
         # clock   = \"1 GHz\"      # then times may be \"2 us\", rates \"25 GB/s\", and tables show seconds, too\n\
         # ports   = \"one\"        # a node sends one message and receives one at a time\n\
         # dead    = [0]          # nodes that do not work: ids, or [row, column]\n"
    )
}

fn tasks(machine: &Machine) -> String {
    let nodes = machine.living_count();
    let (tasks, note) = match nodes.is_power_of_two() || nodes > TASKS_MAX {
        true => {
            let phases = nodes.min(TASKS_MAX).ilog2();
            (format!("binomial:{phases}"), format!("a tree of 2^{phases} tasks"))
        }
        false => (format!("divide:{nodes}"), format!("a tree of {nodes} tasks, one for each node")),
    };
    format!(
        "# Which task on which node? Other tasks: a file *.mtx, *.graph, *.grf, *.goal or *.phases.csv.\n\
         [[divide]]\n\
         name   = \"tree\"\n\
         tasks  = \"{tasks}\"   # {note}\n\
         volume = \"64 KiB\"     # at the root\n\
         alpha  = 0.5          # the share of it that a child gets; or preset = \"merge-sort\", \"broadcast\", …\n\
         # placement = [\"auto\"] # those that may win; else all methods\n"
    )
}

fn load(machine: &Machine) -> String {
    let middle = NodeId(machine.living().nth(machine.living_count() as usize / 2).map_or(0, |node| node.0));
    let at = match machine.network() {
        Network::Grid(grid) if !machine.name().starts_with("hypercube:") => {
            format!("{:?}", grid.coordinates(middle))
        }
        _ => middle.to_string(),
    };
    format!(
        "# How much of a load on which node? The load may be cut anywhere.\n\
         [[load]]\n\
         name    = \"load\"\n\
         sources = [{{ at = {at}, load = 1 }}]   # where it enters; several are possible\n\
         sigma   = 0.1      # the time of the load on a link over its time on a processor\n\
         bytes   = \"1 MB\"\n\
         # methods = [\"optimum\", \"installments\"]   # else all that suit\n"
    )
}

const GROUPS: &str = "\
# Groups that split, wait for each other and join again.
[[groups]]
name   = \"groups\"
random = 2        # levels of splits, by labels drawn at random; or labels = \"FILE.csv\"
repeat = 5        # repetitions, of which means are shown
# order = \"hilbert\" # the order of the members: row, column, snake or hilbert
";

const COLLECTIVE: &str = "\
# What all nodes do together: every published algorithm that suits the machine is tried.
[[collective]]
operation = \"all-reduce\" # or broadcast, reduce, scatter, gather, all-gather, reduce-scatter, all-to-all, barrier, scan
bytes     = \"64 KiB\"     # the buffer of one member
# algorithm = [\"ring\", \"rabenseifner\"] # else all
# root    = 0            # of broadcast, reduce, scatter and gather
";
