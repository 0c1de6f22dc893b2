//! Trees: the way from the root to a task takes each phase at most once, and the tasks need room around the root.
//!
//! Phases between the same pairs have one dilation. The sets of phases that lead from the root to the tasks are different, so
//! of n dilations at most B(r) + 2^n - N of the 2^n sums stay within r links, N the tasks and B(r) the most nodes within r links
//! of one, below the radius of the machine. That does not ask which phase has which dilation: with weights that do not increase
//! the ascending order of dilations is the cheapest, so only these are looked at.

use super::Refuted;
use super::referee::Referee;

/// So many dilations are looked at before a claim is too long to be judged.
const STEPS_MAX: u64 = 1 << 22;

/// A step of the tree: its pairs, and of each of its phases the lightest and the heaviest message.
struct Step {
    pairs: Vec<(u32, u32)>,
    loads: Vec<(u128, u128)>,
}

/// Proves that a tree takes so many ticks.
pub(super) fn tree(referee: &Referee<'_>, phases: &[u32], root: u32, ticks: u64) -> Result<u128, Refuted> {
    referee.is_small()?;
    let mut steps = steps(referee, phases);
    if !is_tree(referee, root, &steps) {
        // Results alone come up from the leaves.
        steps.reverse();
    }
    if !is_tree(referee, root, &steps) {
        return Refuted::because(format!("the phases are no tree from task {root} on"));
    }
    let (n, tasks) = (steps.len(), referee.tasks() as u64);
    if n > 31 {
        return Refuted::because(format!("{n} steps of a tree are too many to look at"));
    }
    let missing = (1u64 << n) - tasks;
    let most = room(referee).into_iter().map(|nodes| nodes.min(tasks - 1) + missing).collect();
    // What does not depend on dilations, and what each link of a step adds.
    let costs = referee.machine.costs();
    let [mut fixed, mut weights] = [0u128, 0].map(|_| Vec::new());
    for step in &steps {
        let count = step.loads.len() as u128;
        let light: u128 = step.loads.iter().map(|(least, _)| least).sum();
        let ends = 2 * referee.overhead() * count;
        match referee.stores() {
            true => {
                fixed.push(ends);
                weights.push(light);
            }
            false => {
                fixed.push(u128::from(costs.startup_ticks()) * count + light + ends);
                weights.push(u128::from(costs.head_ticks()) * count);
            }
        }
    }
    (1..n).for_each(|at| weights[at] = weights[at].min(weights[at - 1]));
    let fixed: u128 = fixed.into_iter().sum();
    let mut search = Search { most, weights, ticks: u128::from(ticks).saturating_sub(fixed), looked_at: 0 };
    if search.ticks > 0 {
        search.all_below(&mut Vec::new(), &mut [1], 0)?;
    }
    Ok(ticks.into())
}

fn steps(referee: &Referee<'_>, phases: &[u32]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for &phase in phases {
        let edges: Vec<_> = referee.between(&[phase]).collect();
        let mut pairs: Vec<_> =
            edges.iter().map(|edge| (edge.source.min(edge.target), edge.source.max(edge.target))).collect();
        pairs.sort_unstable();
        let loads = || edges.iter().map(|edge| referee.load(edge));
        let (Some(least), Some(most)) = (loads().min(), loads().max()) else { continue };
        match steps.iter_mut().find(|step| step.pairs == pairs) {
            Some(step) => step.loads.push((least, most)),
            None => steps.push(Step { pairs, loads: vec![(least, most)] }),
        }
    }
    steps
}

/// Whether every step leads from tasks that are reached to as many others, and all are reached.
fn is_tree(referee: &Referee<'_>, root: u32, steps: &[Step]) -> bool {
    let mut is_reached = vec![false; referee.tasks()];
    match is_reached.get_mut(root as usize) {
        Some(reached) => *reached = true,
        None => return false,
    }
    for step in steps {
        let mut ends: Vec<u32> = step.pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
        ends.sort_unstable();
        let meets = ends.windows(2).any(|two| two[0] == two[1]);
        let leads_on = |&(a, b): &(u32, u32)| is_reached[a as usize] != is_reached[b as usize];
        if meets || !step.pairs.iter().all(leads_on) {
            return false;
        }
        ends.iter().for_each(|&end| is_reached[end as usize] = true);
    }
    is_reached.into_iter().all(|reached| reached)
}

/// The most nodes within 0, 1, 2, ... links of one, up to where some node has all tasks within reach.
fn room(referee: &Referee<'_>) -> Vec<u64> {
    let (all, tasks) = (referee.living.len(), referee.tasks());
    let mut rings: Vec<u64> = Vec::new();
    let mut radius = usize::MAX;
    for &node in &referee.living {
        let near = referee.nearest(node, all);
        if near.len() + 1 >= tasks {
            let reach = if tasks < 2 { 0 } else { near[tasks - 2] as usize };
            radius = radius.min(reach);
        }
        let farthest = near.last().map_or(0, |&far| far as usize);
        rings.resize(rings.len().max(farthest + 1), 0);
        for (hops, most) in rings.iter_mut().enumerate() {
            let within = 1 + near.iter().take_while(|&&distance| distance as usize <= hops).count();
            *most = (*most).max(within as u64);
        }
    }
    rings.truncate(radius.min(rings.len()));
    rings
}

/// All ascending dilations that cost less than what is claimed.
struct Search {
    /// The most sums that stay within 0, 1, 2, ... links.
    most: Vec<u64>,
    weights: Vec<u128>,
    ticks: u128,
    looked_at: u64,
}

impl Search {
    /// Those that begin so: `sums[r]` counts the sums of r links, up to the last radius.
    fn all_below(&mut self, settled: &mut Vec<u32>, sums: &mut [u64], cost: u128) -> Result<(), Refuted> {
        let at = settled.len();
        if at == self.weights.len() {
            return Refuted::because(format!(
                "dilations of {settled:?} links are not excluded, and take less than what is claimed"
            ));
        }
        let rest: u128 = self.weights[at..].iter().sum();
        let mut next = settled.last().copied().unwrap_or(1);
        // All that follow are no less than the next one.
        while cost + rest * u128::from(next) < self.ticks {
            self.looked_at += 1;
            if self.looked_at > STEPS_MAX {
                return Refuted::because("there are too many dilations to look at each");
            }
            let mut longer = vec![0; sums.len().max(self.most.len())];
            for (hops, &count) in sums.iter().enumerate() {
                longer[hops] += count;
                if let Some(sum) = longer.get_mut(hops + next as usize) {
                    *sum += count;
                }
            }
            if self.has_room(&longer) {
                settled.push(next);
                let judged = self.all_below(settled, &mut longer, cost + self.weights[at] * u128::from(next));
                settled.pop();
                judged?;
            }
            if next as usize > self.most.len() {
                // Whatever is longer is beyond the radius as well.
                return Refuted::because(format!(
                    "dilations of {settled:?} links are not excluded, and take less than what is claimed"
                ));
            }
            next += 1;
        }
        Ok(())
    }

    fn has_room(&self, sums: &[u64]) -> bool {
        let mut within = 0;
        self.most.iter().zip(sums).all(|(most, count)| {
            within += count;
            within <= *most
        })
    }
}
