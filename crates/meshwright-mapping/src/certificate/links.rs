//! Arguments of the busiest link: what it carries in some phases together bounds the sum of what it carries in each.

use super::leaving::{Crossing, Leaving};
use super::referee::Referee;
use super::{Refuted, Side};
use meshwright_core::units::NodeId;

/// Of the nodes with the fewest links one holds a task with much traffic.
pub(super) fn degrees(
    referee: &Referee<'_>,
    phases: &[u32],
    nodes: u32,
    side: Side,
) -> Result<u128, Refuted> {
    let mut links = vec![0u128; referee.nodes()];
    for (from, to) in referee.wires() {
        links[if side == Side::Sent { from } else { to }.index()] += 1;
    }
    let mut links: Vec<u128> = referee.living.iter().map(|node| links[node.index()]).collect();
    links.sort_unstable();
    let mut traffic = referee.traffic(&referee.loads(phases), side);
    traffic.sort_unstable();
    let nodes = nodes as usize;
    // So many of these nodes hold a task, so that one holds a task of that rank or above.
    let held = nodes.saturating_sub(referee.spare());
    let (Some(rank), Some(&most)) = (held.checked_sub(1), nodes.checked_sub(1).and_then(|at| links.get(at)))
    else {
        return Refuted::because(format!("no task need be on {nodes} nodes"));
    };
    match most {
        0 => Refuted::because(format!("{nodes} nodes have no link")),
        _ => Ok(whole(referee, phases, traffic[rank].div_ceil(most))),
    }
}

/// What leaves a set of nodes, or enters it, over the links that lead out of it, or in.
pub(super) fn cut(
    referee: &Referee<'_>,
    phases: &[u32],
    ranges: &[[u32; 2]],
    leaving: &Leaving,
) -> Result<u128, Refuted> {
    let mut inside = vec![false; referee.nodes()];
    let mut count = 0usize;
    for &[first, last] in ranges {
        for node in first..=last {
            let is_free = (node as usize) < inside.len()
                && referee.machine.is_alive(NodeId(node))
                && !std::mem::replace(&mut inside[node as usize], true);
            if !is_free {
                return Refuted::because(format!("node {node} is dead, counted twice, or there is none"));
            }
            count += 1;
        }
    }
    let (mut out, mut into) = (0u128, 0u128);
    for (from, to) in referee.wires() {
        out += u128::from(inside[from.index()] && !inside[to.index()]);
        into += u128::from(!inside[from.index()] && inside[to.index()]);
    }
    if out == 0 || into == 0 {
        return Refuted::because("no link leads out of the set, or none into it");
    }
    let crossing = Crossing {
        least: count.saturating_sub(referee.spare()),
        most: count.min(referee.tasks()),
        links: [out, into],
    };
    Ok(whole(referee, phases, leaving.busiest(referee, &referee.loads(phases), &crossing)?))
}

/// The sum over tasks of load times distance, each message counted at both ends, spread over all links.
pub(super) fn distances(referee: &Referee<'_>, phases: &[u32]) -> Result<u128, Refuted> {
    let partners = referee.partners(&referee.loads(phases));
    let most = partners.iter().map(Vec::len).max().unwrap_or(0);
    // The least distance of the nearest other node, of the second nearest, ..., from any node.
    let mut least = vec![u32::MAX; most];
    for &node in &referee.living {
        let near = referee.nearest(node, most);
        least.iter_mut().zip(near).for_each(|(least, near)| *least = near.min(*least));
    }
    let far = |loads: &Vec<u128>| -> u128 {
        loads.iter().zip(&least).map(|(load, &distance)| load * u128::from(distance)).sum()
    };
    over_all_links(referee, phases, partners.iter().map(far).sum())
}

/// The same from the potentials of an assignment.
pub(super) fn assignment(
    referee: &Referee<'_>,
    phases: &[u32],
    tasks: &[i64],
    nodes: &[i64],
) -> Result<u128, Refuted> {
    let partners = referee.partners(&referee.loads(phases));
    if tasks.len() != partners.len() || nodes.len() != referee.living.len() {
        return Refuted::because(format!(
            "{} and {} potentials for {} tasks and {} nodes",
            tasks.len(),
            nodes.len(),
            partners.len(),
            referee.living.len()
        ));
    }
    if referee.spare() > 0
        && let Some(node) = nodes.iter().find(|&&potential| potential > 0)
    {
        return Refuted::because(format!("the potential {node} of a node is above 0, and nodes stay free"));
    }
    let most = partners.iter().map(Vec::len).max().unwrap_or(0);
    for (node, &on_node) in referee.living.iter().zip(nodes) {
        let near = referee.nearest(*node, most);
        for (task, loads) in partners.iter().enumerate() {
            if loads.len() > near.len() {
                // Too few nodes can be reached: the task cannot be here.
                continue;
            }
            let cost: u128 = loads.iter().zip(&near).map(|(load, &hops)| load * u128::from(hops)).sum();
            let potential = i128::from(tasks[task]) + i128::from(on_node);
            if potential > 0 && potential as u128 > cost {
                return Refuted::because(format!(
                    "task {task} on node {node} costs {cost} ticks times links, below its potentials' {potential}"
                ));
            }
        }
    }
    let sum: i128 = tasks.iter().chain(nodes).map(|&potential| i128::from(potential)).sum();
    over_all_links(referee, phases, sum.max(0) as u128)
}

/// Load times distance, counted at both ends, over all links.
fn over_all_links(referee: &Referee<'_>, phases: &[u32], twice: u128) -> Result<u128, Refuted> {
    match referee.wires().count() as u128 {
        0 => Refuted::because("there are no links"),
        links => Ok(whole(referee, phases, twice.div_ceil(2 * links))),
    }
}

/// The busiest link carries so much at least: messages go whole, so that it carries a multiple of what divides them all.
fn whole(referee: &Referee<'_>, phases: &[u32], least: u128) -> u128 {
    let loads = || referee.between(phases).map(|edge| referee.load(edge)).filter(|&load| load > 0);
    // Euclid's way, from the least on: what is left over divides no further.
    let mut divisor = loads().min().unwrap_or(0);
    while let Some(rest) = loads().map(|load| load % divisor).find(|&rest| rest > 0) {
        let (mut a, mut b) = (divisor, rest);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        divisor = a;
    }
    referee.beside_links(phases) + if divisor == 0 { 0 } else { least.next_multiple_of(divisor) }
}
