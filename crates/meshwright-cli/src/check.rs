//! `meshwright check`.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use meshwright_core::words::counted;
use meshwright_core::{Error, Result};
use meshwright_formats::barrier_table::{self, CheckedTable};
use meshwright_formats::certificate::{self, CheckedBound};
use meshwright_formats::scenario::claim;
use meshwright_formats::scenario::places::Change;
use meshwright_load::check::Reading;
use meshwright_load::witness::WitnessKind;
use meshwright_network::topology::Machine;
use meshwright_verdict::load::{self, CheckAnswer, Checked};

use super::costs::{OtherMachine, in_place_of};
use super::csv::{self, Column, CsvFile, column_list, known};
use super::files::{self, Force};
use super::input::FormatArgument;
use super::output::{self, Progress};
use super::{Answer, table};

const HELP: &str = "\
A claim is one JSON object:
  { \"machine\": \"mesh:5x5\", \"sigma\": 0.5, \"sources\": [[2, 2]], \"speedup\": 11.5,
    \"fractions\": [0.08695652, 0.08695652, 0.04347826, 0.02173913, 0.01086957] }
machine   as on the command line; \"dead\" and \"dead_links\" list dead nodes and links
sigma     a number, or a string such as \"1/2\"
sources   nodes by id or coordinates, or objects with \"at\" (or \"node\"), \"load\" and \"release\"
makespan  in units of w Tcp; or \"speedup\"
shares    by node id; or \"fractions\" by hops from the nearest source
switching cut-through (default): nodes work on what arrives; modified-store-and-forward: a node
          works when its whole share is there, relays pass load on without delay;
          store-and-forward: a share is one whole message from each source that serves it, hop by
          hop, and relays send it on when all of it is there
ports     \"one\" or a number: a node sends so many messages and receives so many at a time;
          front_end false: a processor moves its messages itself; results: their size over that of
          the load; home: the id of the node they go to, else the sources; memory: for which share
          of the load, beside its own, a node has room; duplex \"half\": both directions of a wire
          share its time. Or \"variant\", an object of them
startup   of a message over one link, in units of w Tcp
methods   a list of claims with \"name\" each, as `meshwright split --json` prints it

A certificate is what `meshwright map ... --emit certificate:FILE` writes: tasks, machine, a lower
bound with what proves it, and a placement. The bound is proved again from edges and wires, the
placement is simulated again. `meshwright race ... --emit certificate:FILE` writes that of a
collective operation.

A table of a barrier is what `meshwright groups ... --emit barrier-table:FILE` writes: for each
node its parent, its children, and how many arrivals it waits for. It holds if it is one tree over
its nodes, of the height that it says.

Examples:
  meshwright check claim.json
  meshwright map binomial:6 --on mesh:8x8 --placement auto --emit certificate:bound.json
  meshwright check bound.json
  meshwright race all-reduce --bytes 1MB --on torus:8x8 --emit certificate:race.json
  meshwright check race.json
  meshwright groups --on mesh:8x8 --collective barrier --emit barrier-table:barrier.json
  meshwright check barrier.json
  meshwright split mesh:50x50 --from 25,25 --sigma 0.1 --json > split.json
  meshwright check split.json --json

Exit codes:
  0  every claim is possible: as a flow, or by a schedule, and --json has it under \"witness\"; all
     that a certificate says is true
  1  a claim is not possible, or it could not be decided; a number of a certificate is wrong
  2  unacceptable input";

/// Check whether links can carry a claimed load distribution, and if not, print the violated cut; or check a certificate of `map` or `race`, or a barrier of `groups`
#[derive(Args)]
#[command(after_help = HELP)]
pub(super) struct CheckArguments {
    /// The claim, or what `split --json` printed, or what `--emit` of map, race or groups wrote;
    /// `-` for standard input
    #[arg(value_name = "CLAIM.json")]
    claim: PathBuf,
    #[command(flatten)]
    format: FormatArgument,
    #[command(flatten)]
    machine: OtherMachine,
    /// Print one JSON object and nothing else
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    csv: CsvFile,
    #[command(flatten)]
    force: Force,
}

/// Runs the verb.
pub(super) fn run(arguments: &CheckArguments) -> Result<Answer> {
    let _format = arguments.format.apply(&arguments.claim, &["json"])?;
    let change = arguments.machine.change();
    arguments.csv.check()?;
    if let Some(file) = certificate::read(&arguments.claim)? {
        if change != Change::default() {
            let expected =
                "no --on, --dead and --dead-links beside a certificate: its bound is that of its own machine";
            return Err(Error::value("the machine", "changed", expected));
        }
        arguments.csv.refuse_beside("a certificate, which has no table")?;
        let answer = file.check()?;
        let line = || if answer.holds { "the certificate holds" } else { "the certificate is refuted" };
        output::say(arguments.json.then(|| output::json(&answer)), || line().to_string(), || bound(&answer))?;
        return Ok(if answer.holds { Answer::Done } else { Answer::Negative });
    }
    if let Some(table) = barrier_table::read(&arguments.claim)? {
        if change != Change::default() {
            let expected = "no --on, --dead and --dead-links beside a table: it is that of its own machine";
            return Err(Error::value("the machine", "changed", expected));
        }
        arguments.csv.refuse_beside("the table of a barrier, which has no claims")?;
        let answer = table.check()?;
        let line = || if answer.holds { "the table holds" } else { "the table is refuted" };
        output::say(
            arguments.json.then(|| output::json(&answer)),
            || line().to_string(),
            || barrier(&answer),
        )?;
        return Ok(if answer.holds { Answer::Done } else { Answer::Negative });
    }
    let file = claim::read_on(&arguments.claim, &change)?;
    let replaced = file.replaced.as_deref();
    let mut progress = Progress::new();
    let answer = load::check(&file.problem()?, &file.terms, &file.claims, &mut |what| progress.tell(what))?;
    drop(progress);
    let no_folder = || Ok(Vec::new());
    let written = files::write_all(arguments.force, None, no_folder, (&arguments.csv, &|| rows(&answer)))?;
    let word = |claim: &Checked| format!("{}: {}", claim.name, claim.reading.word(claim.feasible));
    output::say(
        arguments.json.then(|| output::json(&InPlaceOf { answer: &answer, replaced_machine: replaced })),
        || answer.claims.iter().map(word).collect::<Vec<_>>().join("; "),
        || in_place_of(&file.machine, replaced) + &text(&answer, &file.machine) + &written,
    )?;
    Ok(if answer.feasible { Answer::Done } else { Answer::Negative })
}

/// The columns of claims for programs.
pub(super) fn columns<'a>() -> Vec<Column<&'a Checked>> {
    column_list![
        "claim", "its name", |claim| claim.name.clone();
        "switching", "whether a node works while its share arrives", |claim| claim.switching.name().to_string();
        "makespan", "the claimed makespan, in units of w Tcp", |claim| claim.makespan.to_string();
        "speedup", "the claimed speedup", |claim| claim.speedup.to_string();
        "bound_speedup", "no schedule is faster than this", |claim| claim.bound_speedup.to_string();
        "ratio_to_bound", "claimed speedup over that bound", |claim| claim.ratio_to_bound.to_string();
        "feasible", "whether some schedule keeps the claim: yes, no or undecided", |claim| claim.reading.word(claim.feasible).to_string();
        "witness_makespan", "when the flow or schedule that keeps it is done, in units of w Tcp; empty without one", |claim| known(claim.witness.as_ref().map(|witness| witness.makespan));
        "least_makespan", "these shares take at least so long on a machine that does less at a time; empty if not computed", |claim| known(claim.least_makespan);
        "cut_nodes", "how many nodes refute it: the violated cut", |claim| known(claim.violated_cut.as_ref().map(|cut| cut.nodes.len()));
    ]
}

/// A row for each claim.
fn rows(answer: &CheckAnswer) -> String {
    csv::table(&[], &columns(), answer.claims.iter().map(|claim| (Vec::new(), claim)))
}

/// An answer on another machine than that of the file.
#[derive(Serialize)]
struct InPlaceOf<'a> {
    #[serde(flatten)]
    answer: &'a CheckAnswer,
    #[serde(skip_serializing_if = "Option::is_none")]
    replaced_machine: Option<&'a str>,
}

/// What has come of a table of a barrier.
fn barrier(answer: &CheckedTable) -> String {
    let members = counted(u64::from(answer.members), "member");
    let mut text =
        format!("barrier of {members} on {}; the file calls its tree {}\n", answer.machine, answer.tree);
    if let (Some(root), Some(links)) = (answer.root, answer.height_links) {
        text += &format!(
            "root {root}, {} high: every node waits for its children, is released once, and so is everybody\n",
            counted(links.into(), "link")
        );
    }
    text.extend(answer.refuted.iter().map(|why| format!("refuted: {why}\n")));
    text
}

/// What has come of a certificate.
fn bound(answer: &CheckedBound) -> String {
    let mut text = format!("{} on {} · {}\n", answer.tasks, answer.machine, answer.switching);
    if let Some(proved) = answer.proved_cycles {
        text += &format!("bound: {proved} cycles, proved by `{}`\n", answer.kind);
    }
    if let (Some(name), Some(cycles)) = (&answer.placement, answer.simulated_cycles) {
        text += &format!("placement `{name}`: {cycles} cycles, simulated");
        text += &match answer.gap {
            Some(0.0) => " · optimal: simulated = bound\n".to_string(),
            Some(gap) => format!(" · within {} of the bound\n", table::percent(gap)),
            None => "\n".to_string(),
        };
    }
    text.extend(answer.refuted.iter().map(|why| format!("refuted: {why}\n")));
    text
}

/// What shows that a claim can be kept, or what speaks against it beside a set of nodes.
fn reason(claim: &Checked, machine: &Machine, startup: f64) -> Option<String> {
    if let Some(witness) = &claim.witness {
        let done = table::number(witness.makespan, 6);
        return Some(match witness.kind {
            WitnessKind::Flow => {
                let mut links: Vec<_> =
                    witness.flow.iter().map(|stretch| (stretch.from, stretch.to)).collect();
                links.sort_unstable();
                links.dedup();
                format!(
                    "as a flow over {}, done by {done}; --json has it",
                    counted(links.len() as u64, "link")
                )
            }
            WitnessKind::Schedule => {
                let messages = counted(witness.messages.unwrap_or_default(), "message");
                format!("by a schedule of {messages}, simulated, done by {done}")
            }
        });
    }
    if let Some(node) = claim.overloaded {
        let is_dead = !machine.is_alive(node);
        let node = machine.node_name(node);
        if is_dead {
            return Some(format!("node {node} is dead and has a share"));
        }
        return Some(match claim.moment {
            Some(moment) => {
                let moment = table::number(moment, 6);
                format!(
                    "the share of node {node} is there whole at {moment} at the earliest, too late for its work"
                )
            }
            None if startup > 0.0 => {
                format!("node {node} cannot work off its share after the start-up of its first message")
            }
            None => format!("node {node} cannot work off its own share in time"),
        });
    }
    match (claim.reading, claim.least_makespan) {
        (Reading::Undecided, _) => {
            Some("nothing refutes it, and no schedule was found that keeps it".to_string())
        }
        (Reading::Programme, Some(least)) => {
            Some(format!("these shares take at least {}", table::number(least, 6)))
        }
        _ => None,
    }
}

fn text(answer: &CheckAnswer, machine: &Machine) -> String {
    const HEAD: [&str; 6] = ["claim", "switching", "speedup", "bound", "of bound", "feasible"];
    let row = |claim: &Checked| {
        vec![
            claim.name.clone(),
            claim.switching.name().to_string(),
            table::number(claim.speedup, 4),
            table::number(claim.bound_speedup, 4),
            table::number(claim.ratio_to_bound, 3),
            claim.reading.word(claim.feasible).to_string(),
        ]
    };
    let mut text = format!("{} · sigma {}", answer.machine, answer.sigma);
    text.extend(answer.variant.iter().map(|variant| format!(" · {}", variant.limits())));
    if answer.startup > 0.0 {
        text += &format!(" · startup {}", table::number(answer.startup, 9));
    }
    text.push('\n');
    text += &table::table(&HEAD, 2, answer.claims.iter().map(row).collect());
    for claim in &answer.claims {
        let is_only = answer.claims.iter().filter(|other| other.name == claim.name).count() == 1;
        let name = match is_only {
            true => claim.name.clone(),
            false => format!("{} under {}", claim.name, claim.switching.name()),
        };
        if let Some(cut) = &claim.violated_cut {
            let by = claim.moment.unwrap_or(claim.makespan);
            text += &format!("{name}: {}\n", load::violation(cut, by, machine));
        }
        if let Some(why) = reason(claim, machine, answer.startup) {
            text += &format!("{name}: {why}\n");
        }
    }
    text + &format!("{}\n", answer.bound.certificate)
}
