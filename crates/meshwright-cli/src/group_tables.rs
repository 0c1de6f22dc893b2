//! Programs of groups in tables and words.

use meshwright_core::text::harmless;
use meshwright_core::units::NodeId;
use meshwright_network::topology::Machine;
use meshwright_verdict::groups::experiment::{Overhead, SizeRow};
use meshwright_verdict::groups::{GroupsAnswer, Vertex};
use meshwright_verdict::{GroupsOutcome, GroupsVerdict};

use super::table::{self, busiest, number, percent, table};
use meshwright_core::words::counted;

/// Groups of more members are not listed member by member.
const LISTED_MAX: usize = 32;

/// The answer to `groups` in one line.
pub(super) fn line(answer: &GroupsAnswer, machine: &Machine) -> String {
    let GroupsAnswer { split, tree, simulated_cycles, bound_cycles, .. } = answer;
    match &answer.deadlock {
        Some(_) => format!("{split}/{tree}: deadlock"),
        None => {
            let [all, least] = [*simulated_cycles, *bound_cycles].map(|steps| span(steps, answer, machine));
            format!("{split}/{tree}: {all}; no method needs less than {least}")
        }
    }
}

/// A time with its unit: steps, or cycles and seconds on a machine with costs of its own.
fn span(steps: u64, answer: &GroupsAnswer, machine: &Machine) -> String {
    match answer.unit {
        "cycles" => table::in_words(steps, machine),
        unit => format!("{steps} {unit}"),
    }
}

/// The answer to `groups`.
pub(super) fn text(answer: &GroupsAnswer, sizes: &[SizeRow], given: bool, machine: &Machine) -> String {
    let mut text = format!(
        "{} · {} in {} order · {} split on {} trees · {} · {} engine, {} · seed {}\n",
        answer.machine,
        counted(answer.vertices.len() as u64, "member"),
        answer.order,
        answer.split,
        answer.tree,
        counted(answer.runs as u64, "repetition"),
        answer.engine,
        if answer.lockstep { "lock-step" } else { "asynchronous" },
        answer.seed,
    );
    if let Some(why) = &answer.why {
        text += &format!("{}/{} has {why}.\n", answer.split, answer.tree);
    }
    if let Some(ring) = &answer.deadlock {
        let links = ring.iter().map(|&[from, to]| table::link(from, to, machine) + "\n");
        return text
            + "\nMessages wait for each other, round this ring of links:\n"
            + &links.collect::<String>();
    }
    if given {
        text += &split(answer, machine);
    }
    let unit = if table::in_seconds(1.0, machine).is_some() { "seconds" } else { answer.unit };
    text += &format!("\nOverhead in {unit}, by members of the group (splits: before; joins: after)\n");
    text += &by_size(sizes, machine);
    text += &format!(
        "All repetitions: {}, and no method needs less than {}.\n",
        span(answer.simulated_cycles, answer, machine),
        span(answer.bound_cycles, answer, machine)
    );
    text += &format!(
        "A member kept at most {} bytes of its groups, and {} that came early.\n",
        answer.bytes_kept_max,
        counted(answer.early_messages_max as u64, "message")
    );
    if !given && answer.levels > 1 {
        text += "Hint: --json has every size by itself, every level, and the first split vertex by vertex.\n";
    }
    text
}

fn by_size(sizes: &[SizeRow], machine: &Machine) -> String {
    const HEAD: [&str; 10] =
        ["members", "splits", "mean", "± 95 %", "most", "barriers", "mean", "most", "joins", "mean"];
    let unknown = || "–".to_string();
    let count = |overhead: &Option<Overhead>| overhead.map_or_else(unknown, |o| o.mean.count.to_string());
    let tenths = |steps: f64| table::in_seconds(steps, machine).unwrap_or_else(|| format!("{steps:.1}"));
    let whole = |steps: u64| table::in_seconds(steps as f64, machine).unwrap_or_else(|| steps.to_string());
    let mean = |overhead: &Option<Overhead>| overhead.map_or_else(unknown, |o| tenths(o.mean.mean));
    let most = |overhead: &Option<Overhead>| overhead.map_or_else(unknown, |o| whole(o.max));
    let width = |overhead: &Option<Overhead>| {
        let known = overhead.map(|o| o.mean.ci95).filter(|width| width.is_finite());
        known.map_or_else(unknown, tenths)
    };
    let row = |row: &SizeRow| {
        let SizeRow { sizes: (least, greatest), split, barrier, join } = row;
        vec![
            if least == greatest { least.to_string() } else { format!("{least}–{greatest}") },
            count(split),
            mean(split),
            width(split),
            most(split),
            count(barrier),
            mean(barrier),
            most(barrier),
            count(join),
            mean(join),
        ]
    };
    table(&HEAD, 0, sizes.iter().map(row).collect())
}

/// The new groups of one split, and its members.
fn split(answer: &GroupsAnswer, machine: &Machine) -> String {
    const HEAD: [&str; 5] = ["label", "members", "root", "height, links", "diameter, links"];
    let messages: Vec<String> =
        answer.messages.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
    let mut text = format!(
        "\nThe split took {}; messages by kind: {}\n",
        span(answer.split_steps.unwrap_or(0), answer, machine),
        if messages.is_empty() { "none".to_string() } else { messages.join(", ") }
    );
    let row = |tree: &meshwright_verdict::groups::NewTree| {
        vec![
            label(Some(tree.label), tree.label_name.as_deref()),
            tree.members.len().to_string(),
            machine.node_name(tree.root),
            tree.height_links.to_string(),
            tree.diameter.to_string(),
        ]
    };
    text += &table(&HEAD, 0, answer.trees.iter().map(row).collect());
    if answer.vertices.len() <= LISTED_MAX {
        text += "\n";
        text += &members(&answer.vertices, machine);
    } else {
        text += "Hint: --json has every member with its place in its new group.\n";
    }
    text
}

fn members(vertices: &[Vertex], machine: &Machine) -> String {
    const HEAD: [&str; 7] =
        ["node", "rank", "label", "new rank", "new parent", "new children", "adjacent root"];
    let name = |node: Option<NodeId>| node.map_or("–".to_string(), |node| machine.node_name(node));
    let row = |vertex: &Vertex| {
        let children: Vec<String> =
            vertex.new_children.iter().map(|&child| machine.node_name(child)).collect();
        vec![
            machine.node_name(vertex.node),
            vertex.rank.to_string(),
            label(vertex.label, vertex.label_name.as_deref()),
            vertex.new_rank.map_or("–".to_string(), |rank| rank.to_string()),
            name(vertex.new_parent),
            if children.is_empty() { "–".to_string() } else { children.join(" ") },
            name(vertex.adjacent_root),
        ]
    };
    table(&HEAD, 0, vertices.iter().map(row).collect())
}

/// A label as the file has it.
fn label(colour: Option<u32>, name: Option<&str>) -> String {
    let number = || colour.map_or("–".to_string(), |colour| colour.to_string());
    name.map_or_else(number, |name| harmless(name).into_owned())
}

/// A job of a plan.
pub(super) fn plan(job: &GroupsVerdict, machine: &Machine) -> String {
    const HEAD: [&str; 9] = [
        "method",
        "bound",
        "predicted",
        "simulated",
        "gap",
        "split",
        "barrier",
        "join",
        "busiest link: cycles, packets",
    ];
    let mean = |mean: Option<f64>| mean.map_or("–".to_string(), |mean| number(mean, 1));
    let row = |outcome: &GroupsOutcome| {
        let mark = if job.is_won_by(outcome) { "* " } else { "  " };
        vec![
            format!("{mark}{}", outcome.method),
            table::time(outcome.bound_cycles as f64, 0, machine),
            table::time(outcome.predicted_cycles as f64, 0, machine),
            table::cycles(outcome.simulated(), machine),
            percent(outcome.gap().unwrap_or_default()),
            mean(outcome.detail.split_cycles_mean),
            mean(outcome.detail.barrier_cycles_mean),
            mean(outcome.detail.join_cycles_mean),
            busiest(outcome.busiest_link, machine),
        ]
    };
    let unit = table::unit(machine);
    let mut text = format!(
        "\n{} ({} in {} order, {} deep, {}); times in {unit}; of one split, barrier and join the mean, in cycles\n",
        job.name,
        counted(job.facts.members as u64, "member"),
        job.facts.order,
        counted(job.facts.levels as u64, "split"),
        counted(job.facts.runs as u64, "repetition"),
    );
    text += &table(&HEAD, 1, job.results.iter().map(row).collect());
    text += &table::left_out(&job.skipped);
    text += &format!("* {}\n", job.reason);
    text.extend(job.advice.iter().map(|advice| format!("  {advice}\n")));
    text
}
