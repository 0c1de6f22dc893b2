//! Amounts moved from nodes that end late to those that end early.

use super::steps::Kind;
use super::ways::Way;
use super::{Found, Task};
use meshwright_network::topology::Topology;

/// How often amounts are moved.
const MOVES: usize = 24;

/// How much of the difference is moved at first.
const EAGERNESS: f64 = 0.7;

/// What a way keeps at least, of what it has; and one that would lose so many times that much is given up.
const LEFT: f64 = 0.25;
const GIVEN_UP: f64 = 2.0;

/// Moves amounts until that helps no more.
pub(super) fn improve(task: &Task, found: Found) -> Found {
    let mut best = found.clone();
    let mut now = found;
    let mut eager = EAGERNESS;
    for _ in 0..MOVES {
        let Some(ways) = moved(task, &now, eager) else { break };
        let Some(last) = task.time(&ways, &now.sizes, now.order) else { break };
        let next = Found { ways, last, ..now.clone() };
        if next.last < best.last {
            best = next.clone();
            now = next;
        } else {
            // Too far: less of it from the best.
            eager /= 2.0;
            now = best.clone();
            if eager < 0.02 {
                break;
            }
        }
    }
    best
}

/// The ways with amounts moved: a node that ends earlier than the mean gets more.
fn moved(task: &Task, found: &Found, eager: f64) -> Option<Vec<Way>> {
    let (steps, times) = task.run(&found.ways, &found.sizes, found.order)?;
    let nodes = task.scale.problem().machine().nodes() as usize;
    // When a node has worked, and when its results have left it.
    let mut ended = vec![0u64; nodes];
    for (index, step) in steps.all.iter().enumerate() {
        if step.kind != Kind::Load {
            let end = &mut ended[step.from.index()];
            *end = times.end[index].max(*end);
        }
    }
    let problem = task.scale.problem();
    let end = |way: &Way| task.scale.units_of_ticks(ended[way.node.index()]);
    let mut ways = found.ways.clone();
    for source in 0..problem.sources().len() {
        let own = || (0..found.ways.len()).filter(|&way| found.ways[way].source == source);
        let speed = |way: usize| 1.0 / problem.work(found.ways[way].node);
        let rate: f64 = own().map(speed).sum();
        let mean: f64 = own().map(|way| end(&found.ways[way]) * speed(way)).sum::<f64>() / rate;
        for way in own() {
            let more = eager * (mean - end(&found.ways[way])) * speed(way);
            // A way that loses a little more than all may have been worth less, and is none if it loses far more.
            let amount = ways[way].amount;
            let rest = if more < -GIVEN_UP * amount { 0.0 } else { amount * LEFT };
            ways[way].amount = (amount + more).max(rest);
        }
        let sum: f64 = own().map(|way| ways[way].amount).sum();
        own().for_each(|way| ways[way].amount *= problem.sources()[source].load / sum);
    }
    ways.retain(|way| way.amount > 0.0);
    Some(ways)
}
