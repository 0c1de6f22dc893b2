//! Other operations in the place of the one that is asked for, each by the best that is found for it: what our own entry is where nothing else is as fast.

use meshwright_collectives::bound::{self, Bound};
use meshwright_collectives::synthesis::joined::{Joined, Narrowed, Part, of_all, pairs};
use meshwright_collectives::synthesis::{Found, Recipe, good_enough};
use meshwright_collectives::{Operation, Task, predict};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Cycles, NodeId};

use super::field::{self, Entry};
use super::{Asked, Effort, root, synthesis, trial};

/// Races of the parts are run among so many members.
const MEMBERS_MAX: u32 = 256;

/// So many of the fastest are simulated: where a second part begins before the first has ended, one is in the way of the other.
const SIMULATED: usize = 16;

/// Races the operations that do the one that is asked for together, and the one that does it for all members, and takes the best of them where it is
/// faster than all others.
pub(super) fn improve(
    entries: &mut [Entry],
    asked: &Asked,
    tasks: &[Task<'_>],
    bounds: &[Bound],
    progress: &mut dyn FnMut(&str),
) -> Result<()> {
    if !asked.effort.searches || tasks[0].members() > MEMBERS_MAX {
        return Ok(());
    }
    let ways = pairs(asked.operation).iter().map(|pair| Way::Joined(*pair));
    for way in ways.chain(of_all(asked.operation).map(Way::Narrowed)) {
        let best = entries.iter().filter_map(|entry| Some((entry.rank()?, entry.task))).min();
        let Some(((best, _), at)) = best else { return Ok(()) };
        if Cycles(best) <= good_enough(bounds[at].cycles) {
            return Ok(());
        }
        let own = |entry: &&mut Entry| entry.task == at && synthesis::is_searched(entry.algorithm);
        let Some(entry) = entries.iter_mut().find(own) else { return Ok(()) };
        let mut parts = Parts { asked, task: &tasks[at], left: best, progress: &mut *progress };
        let found = match way {
            Way::Joined(pair) => parts.joined(pair)?,
            Way::Narrowed(operation) => parts.narrowed(operation)?,
        };
        if let Some(found) = found {
            synthesis::take(entry, &tasks[at], found)?;
        }
    }
    Ok(())
}

/// How other operations do the one that is asked for.
enum Way {
    Joined([Operation; 2]),
    Narrowed(Operation),
}

/// A search for other operations.
struct Parts<'a, 'm> {
    asked: &'a Asked,
    task: &'a Task<'m>,
    /// Cycles that they must not take together.
    left: u64,
    progress: &'a mut dyn FnMut(&str),
}

impl<'m> Parts<'_, 'm> {
    /// The best two of those that are expected to be faster than what is known.
    fn joined(&mut self, [first, second]: [Operation; 2]) -> Result<Option<Found>> {
        let root = self.task.operation.is_rooted().then_some(self.task.root);
        let after = self.bounds(&self.tasks(second, root)?)?.into_iter().map(|bound| bound.cycles.0).min();
        let ones = self.parts(first, root, self.left.saturating_sub(after.unwrap_or(0)))?;
        let Some((one, cycles)) = ones.first() else { return Ok(None) };
        let root = if first.is_rooted() { Some(one.root) } else { root };
        let others = self.parts(second, root, self.left.saturating_sub(*cycles))?;
        let mut pairs: Vec<(u64, usize, usize)> = Vec::new();
        for (at, (one, cycles)) in ones.iter().enumerate() {
            if first.is_rooted() && Some(one.root) != root {
                continue;
            }
            pairs.extend(others.iter().enumerate().map(|(other, (_, more))| (cycles + more, at, other)));
        }
        pairs.retain(|&(together, ..)| together < self.left);
        pairs.sort_unstable();
        let recipes = pairs.into_iter().map(|(together, one, other)| {
            let joined = Joined([ones[one].0.clone(), others[other].0.clone()]);
            (Recipe::Joined(Box::new(joined)), Some(together))
        });
        self.best(recipes)
    }

    /// What this operation needs of the fastest that do it for all members. In what does it for all, half of the time may be for the others.
    fn narrowed(&mut self, operation: Operation) -> Result<Option<Found>> {
        let all = self.parts(operation, None, 2 * self.left)?;
        self.best(all.into_iter().map(|(part, _)| (Recipe::Narrowed(Box::new(Narrowed(part))), None)))
    }

    /// The fastest of the first of these; with each when it is expected to end, if somebody knows.
    fn best(&self, recipes: impl Iterator<Item = (Recipe, Option<u64>)>) -> Result<Option<Found>> {
        let mut best: Option<Found> = None;
        for (recipe, predicted) in recipes.take(SIMULATED) {
            let flow = match recipe.flow(self.task) {
                Err(Error::NotApplicable { .. }) => continue,
                flow => flow?,
            };
            let Some(cycles) = trial::cycles(self.task, &flow)? else { continue };
            if best.as_ref().map_or(self.left, |best| best.cycles.0) > cycles {
                let predicted = predicted
                    .map_or_else(|| predict::in_order(self.task, &flow), |cycles| Ok(Cycles(cycles)))?;
                best = Some(Found { recipe, flow, cycles: Cycles(cycles), predicted });
            }
        }
        Ok(best)
    }

    /// A part from this root, or from all that are compared.
    fn tasks(&self, operation: Operation, root: Option<u32>) -> Result<Vec<Task<'m>>> {
        let root = root.filter(|_| operation.is_rooted()).map(|root| self.task.nodes()[root as usize]);
        root::tasks(&self.of(operation, root), self.task.machine())
    }

    /// What is asked of a part. Routers copy in neither: most operations that are parts have nothing to copy.
    fn of(&self, operation: Operation, root: Option<NodeId>) -> Asked {
        let effort = Effort { searches: false, ..self.asked.effort };
        Asked { operation, root, algorithms: Vec::new(), effort, multicast: false, ..self.asked.clone() }
    }

    fn bounds(&self, tasks: &[Task<'_>]) -> Result<Vec<Bound>> {
        tasks.iter().map(bound::bound).collect()
    }

    /// Ways to do an operation in less than so many cycles and the cycles of each, the fastest first.
    fn parts(&mut self, operation: Operation, root: Option<u32>, most: u64) -> Result<Vec<(Part, u64)>> {
        let asked = self.of(operation, None);
        let tasks = self.tasks(operation, root)?;
        let bounds = self.bounds(&tasks)?;
        if bounds.iter().all(|bound| bound.cycles.0 >= most) {
            return Ok(Vec::new());
        }
        let mut progress = |what: &str| (self.progress)(&format!("{}: {what}", operation.name()));
        let (entries, _) = field::entries(&asked, &tasks, &bounds, &mut progress)?;
        let mut ranked: Vec<(u64, u64, usize)> = Vec::new();
        for (at, entry) in entries.iter().enumerate() {
            ranked.extend(entry.rank().map(|(cycles, traffic)| (cycles, traffic, at)));
        }
        ranked.sort_unstable();
        // What takes as long is mostly much the same.
        ranked.dedup_by_key(|(cycles, ..)| *cycles);
        let mut parts = Vec::new();
        for (cycles, _, at) in ranked.into_iter().filter(|(cycles, ..)| *cycles < most) {
            let (entry, root) = (&entries[at], tasks[entries[at].task].root);
            let chunks = entry.run.as_ref().map_or(1, |run| run.chunks);
            parts.push((
                Part { operation, root, recipe: Recipe::Published(entry.algorithm.name, chunks) },
                cycles,
            ));
        }
        Ok(parts)
    }
}

#[cfg(test)]
mod tests {
    use super::super::judge;
    use super::*;
    use meshwright_network::topology::{Endpoints, Machine, PortModel, Switching};

    /// Where a search for trees knows nothing of ports and gaps, two operations one after the other are a tenth faster than all that is published, and
    /// hardly slower than each of them alone.
    #[test]
    fn two_operations_do_a_third_where_ports_and_gaps_matter() {
        let ends = Endpoints { overhead: Cycles(10), gap: Cycles(20) };
        let machine = Machine::new("mesh:3x4").unwrap().with_port_model(PortModel::One);
        let machine = machine.with_startup(Cycles(40)).unwrap().with_endpoints(ends).unwrap();
        let judged = |operation: Operation| {
            let root = operation.is_rooted().then_some(NodeId(0));
            judge("", &Asked { root, ..Asked::new(operation, 256) }, &machine, &mut |_| ()).unwrap()
        };
        let best = |operation| judged(operation).winner().unwrap().time.0;
        let verdict = judged(Operation::Broadcast);
        let cycles = verdict.winner().unwrap().time.0;
        for row in &verdict.results {
            match &row.detail.recipe {
                Some(recipe) => {
                    assert!(matches!(recipe, Recipe::Joined(_) | Recipe::Narrowed(_)), "{recipe}");
                }
                None => assert!(row.simulated_cycles.is_none_or(|other| 10 * other > 11 * cycles), "{row:?}"),
            }
        }
        for pair in pairs(Operation::Broadcast) {
            let together: u64 = pair.map(best).iter().sum();
            assert!(20 * cycles <= 21 * together, "{cycles} {together}");
        }
    }

    /// Where messages need a gap, a scatter that is all that the root takes part in of a reduce-scatter is a tenth faster than all others.
    #[test]
    fn what_is_done_for_all_members_is_done_for_one() {
        let ends = Endpoints { overhead: Cycles(5), gap: Cycles(50) };
        let machine = Machine::new("torus:4x4").unwrap().with_startup(Cycles(100)).unwrap();
        let machine = machine.with_endpoints(ends).unwrap();
        let asked = Asked { root: Some(NodeId(0)), ..Asked::new(Operation::Scatter, 2048) };
        let verdict = judge("", &asked, &machine, &mut |_| ()).unwrap();
        let cycles = verdict.winner().unwrap().time.0;
        for row in &verdict.results {
            match &row.detail.recipe {
                Some(recipe) => assert!(matches!(recipe, Recipe::Narrowed(_)), "{recipe}"),
                None => assert!(row.simulated_cycles.is_none_or(|other| 10 * other > 11 * cycles), "{row:?}"),
            }
        }
    }

    /// Where routers copy, parts that have nothing to copy are raced all the same.
    #[test]
    fn routers_that_copy_stop_no_race() {
        let machine = Machine::new("mesh:2x3").unwrap().with_switching(Switching::CutThrough);
        let machine = machine.with_startup(Cycles(40)).unwrap();
        for operation in [Operation::AllReduce, Operation::AllGather, Operation::Broadcast] {
            let asked = Asked { multicast: true, ..Asked::new(operation, 256) };
            let verdict = judge("", &asked, &machine, &mut |_| ()).unwrap();
            assert!(verdict.bound() <= verdict.winner().unwrap().time, "{}", operation.name());
        }
    }
}
