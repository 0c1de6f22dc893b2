//! Places for several sources at once, and what it costs to get the load there.

use crate::shares::earth_mover::{self, Rebalance};
use crate::{Problem, Source, layers, optimum};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_network::topology::Topology;

/// Makespans that differ by less are the same, computed in another order.
const ROUNDING: f64 = 1e-9;

/// The best places that were found for several sources of equal loads.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// The places, in increasing order.
    pub places: Vec<NodeId>,
    /// The least makespan with an equal part of the load at each, in units of w Tcp.
    pub makespan: f64,
    /// No places have a smaller one.
    pub bound: f64,
    /// Whether it is proved that no others have a smaller makespan.
    pub proved: bool,
    /// How many makespans were computed.
    pub trials: usize,
    /// What it takes to move the load there from where it enters.
    pub moving: Rebalance,
}

/// The best places for `count` sources that have an equal part of the load each, among the nodes that load can be moved to.
///
/// Of places with the same makespan those nearest to the given sources win, by the earth mover's distance: shares of the load
/// times the hops they move. All sets are tried where there are at most `trials`; else one place after the other is
/// moved to a neighbour for as long as that helps, from places far apart, those with the most links alone and all, and from those
/// around the sources.
///
/// ```text
/// makespan >= max( 1 / sum_v 1/w_v,  (1/count) min_v 1 / (1/w_v + links out of v) )
/// ```
///
/// # Errors
///
/// [`Error::Value`] for no places, more than there are such nodes that work, and no trials; [`Error::NotApplicable`] for a load
/// with releases; what [`optimum::makespan`] and [`earth_mover::move_to`] refuse.
///
/// # Complexity
///
/// `trials` times that of [`optimum::makespan`] at most, and one [`earth_mover::distance`] for each set that is as good as the best.
///
/// # Source
///
/// `zhang2018`, chapter 7.2, asks for good positions; section 3.1.6 for the distance.
///
/// # Examples
///
/// Link-limited, two places inside the border that are no neighbours double what comes out.
///
/// ```
/// use meshwright_load::{Problem, Source, joint};
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let mesh = Machine::new("mesh:5x5")?;
/// let problem = Problem::new(&mesh, vec![Source::at(NodeId(0), 1.0)], 1.0)?;
/// let found = joint::place(&problem, 2, 1000)?;
/// assert!(found.proved && (found.makespan - 0.1).abs() < 1e-9, "two sources with four links each");
/// // Half of the load moves two hops, to (1, 1), the other half at least four.
/// assert!((found.moving.distance - 3.0).abs() < 1e-9);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn place(problem: &Problem, count: u32, trials: usize) -> Result<Joint> {
    let machine = problem.machine();
    let depth = layers::depths(machine, &[problem.sources()[0].node]);
    let can = |&node: &NodeId| problem.work(node).is_finite() && depth[node.index()] != u32::MAX;
    let working: Vec<NodeId> = machine.living().filter(can).collect();
    if count == 0 || count as usize > working.len() {
        return Err(Error::value("number of places", count, format!("1 to {}", working.len())));
    }
    if trials == 0 {
        return Err(Error::value("number of trials", 0, "at least 1"));
    }
    if !problem.starts_at_once() {
        return Err(Error::not_applicable("placing several sources", "the load arrives later"));
    }
    let mut search = Search { problem, count, trials, tried: 0, best: None };
    let is_all = sets(working.len() as u64, u64::from(count)).is_some_and(|sets| sets <= trials as u64);
    if is_all {
        search.all(&working)?;
    } else {
        let given: Vec<NodeId> = problem.sources().iter().map(|source| source.node).collect();
        let around = around(problem, &working, &given, count);
        let inside = far_apart(problem, &widest(problem, &working, count), count);
        for begin in [inside, far_apart(problem, &working, count), around] {
            search.climb(begin)?;
        }
    }
    let bound = bound(problem, &working, count);
    let Search { tried, best, .. } = search;
    let why = "no set of places lets all of the load be worked off";
    let best = best.ok_or_else(|| Error::not_applicable("placing several sources", why))?;
    Ok(Joint {
        makespan: best.makespan,
        bound: if is_all { best.makespan } else { bound },
        proved: is_all || best.makespan <= bound * (1.0 + ROUNDING),
        trials: tried,
        moving: earth_mover::move_to(problem, &best.places)?,
        places: best.places,
    })
}

/// How many sets of so many; none if they are more than a word holds.
fn sets(of: u64, count: u64) -> Option<u64> {
    (0..count).try_fold(1u64, |sets, taken| sets.checked_mul(of - taken).map(|sets| sets / (taken + 1)))
}

/// A lower bound of every set of places.
fn bound(problem: &Problem, working: &[NodeId], count: u32) -> f64 {
    let speed: f64 = working.iter().map(|&node| 1.0 / problem.work(node)).sum();
    let widest = working.iter().map(|&node| alone(problem, node)).fold(0.0, f64::max);
    (1.0 / speed).max(1.0 / f64::from(count) / widest)
}

/// What a node works off and sends out in a unit of time.
fn alone(problem: &Problem, node: NodeId) -> f64 {
    let out = problem.machine().neighbours(node).map(|(link, _)| 1.0 / problem.link_time(link));
    1.0 / problem.work(node) + out.sum::<f64>()
}

/// The nodes that get rid of a load the soonest alone; all of them where those are fewer than the places.
fn widest(problem: &Problem, working: &[NodeId], count: u32) -> Vec<NodeId> {
    let most = working.iter().map(|&node| alone(problem, node)).fold(0.0, f64::max);
    let is_widest = |node: &NodeId| alone(problem, *node) >= most * (1.0 - ROUNDING);
    let widest: Vec<NodeId> = working.iter().copied().filter(is_widest).collect();
    if widest.len() < count as usize { working.to_vec() } else { widest }
}

/// Places one after the other, each as far from those before as can be, the first one the middle of the machine.
fn far_apart(problem: &Problem, working: &[NodeId], count: u32) -> Vec<NodeId> {
    let machine = problem.machine();
    let mut places = vec![working[working.len() / 2]];
    while places.len() < count as usize {
        let depth = layers::depths(machine, &places);
        let degree = |node: NodeId| machine.neighbours(node).count();
        let key = |node: &&NodeId| (depth[node.index()], degree(**node), std::cmp::Reverse(**node));
        let free = working.iter().filter(|node| !places.contains(node));
        places.push(*free.max_by_key(key).expect("there are enough nodes"));
    }
    places
}

/// The nodes nearest to the given sources, those with more links first.
fn around(problem: &Problem, working: &[NodeId], given: &[NodeId], count: u32) -> Vec<NodeId> {
    let machine = problem.machine();
    let depth = layers::depths(machine, given);
    let mut order = working.to_vec();
    order.sort_unstable_by_key(|node| {
        (depth[node.index()], std::cmp::Reverse(machine.neighbours(*node).count()), *node)
    });
    order.truncate(count as usize);
    order
}

/// A set of places with what is known of it.
struct Found {
    places: Vec<NodeId>,
    makespan: f64,
    distance: f64,
}

struct Search<'a, 'm> {
    problem: &'a Problem<'m>,
    count: u32,
    trials: usize,
    tried: usize,
    best: Option<Found>,
}

impl Search<'_, '_> {
    /// What is known of a set; none where not all of the load can be worked off.
    fn look(&mut self, mut places: Vec<NodeId>) -> Result<Option<Found>> {
        places.sort_unstable();
        self.tried += 1;
        let load = 1.0 / f64::from(self.count);
        let sources = places.iter().map(|&node| Source::at(node, load)).collect();
        let mut placed = Problem::new(self.problem.machine(), sources, self.problem.sigma())?;
        if let Some(speeds) = self.problem.speeds() {
            placed = placed.with_speeds(speeds.clone())?;
        }
        match optimum::makespan(&placed) {
            Err(Error::NotApplicable { .. }) => Ok(None),
            found => Ok(Some(Found { makespan: found?.0, distance: f64::NAN, places })),
        }
    }

    /// Whether the first is better: sooner, or as soon and nearer to where the load is. Distances are found when they are needed.
    fn is_better(&self, one: &mut Found, other: &mut Found) -> Result<bool> {
        if (one.makespan - other.makespan).abs() > ROUNDING * other.makespan {
            return Ok(one.makespan < other.makespan);
        }
        for found in [&mut *one, &mut *other] {
            if found.distance.is_nan() {
                found.distance = earth_mover::distance(self.problem, &found.places)?;
            }
        }
        Ok(one.distance < other.distance * (1.0 - ROUNDING))
    }

    fn keep(&mut self, mut found: Found) -> Result<()> {
        let Some(mut best) = self.best.take() else {
            self.best = Some(found);
            return Ok(());
        };
        let is_better = self.is_better(&mut found, &mut best)?;
        self.best = Some(if is_better { found } else { best });
        Ok(())
    }

    /// Every set, in the order of its nodes.
    fn all(&mut self, working: &[NodeId]) -> Result<()> {
        let count = self.count as usize;
        let mut at: Vec<usize> = (0..count).collect();
        loop {
            if let Some(found) = self.look(at.iter().map(|&at| working[at]).collect())? {
                self.keep(found)?;
            }
            let Some(next) = (0..count).rev().find(|&i| at[i] < working.len() - count + i) else {
                return Ok(());
            };
            at[next] += 1;
            (next + 1..count).for_each(|i| at[i] = at[i - 1] + 1);
        }
    }

    /// Moves one place after the other to a neighbour for as long as that is better.
    fn climb(&mut self, begin: Vec<NodeId>) -> Result<()> {
        let machine = self.problem.machine();
        let Some(mut here) = self.look(begin)? else { return Ok(()) };
        let mut moved = true;
        while moved && self.tried < self.trials {
            moved = false;
            for at in 0..here.places.len() {
                let nexts: Vec<NodeId> = machine.neighbours(here.places[at]).map(|(_, next)| next).collect();
                for next in nexts {
                    let is_free = !here.places.contains(&next) && self.problem.work(next).is_finite();
                    if !is_free || self.tried >= self.trials {
                        continue;
                    }
                    let mut places = here.places.clone();
                    places[at] = next;
                    let Some(mut there) = self.look(places)? else { continue };
                    if self.is_better(&mut there, &mut here)? {
                        (here, moved) = (there, true);
                        break;
                    }
                }
            }
        }
        self.keep(here)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_network::topology::Machine;

    /// Every set, compared here by its own words; and the search never beats them.
    #[test]
    fn the_best_of_all_sets_is_found_and_never_beaten() {
        for (name, count, sigma) in
            [("mesh:3x4", 2, 1.0), ("mesh:4x4", 2, 0.3), ("torus:3x4", 3, 0.7), ("hypercube:3", 2, 2.0)]
        {
            let machine = Machine::new(name).expect("a machine");
            let sources = vec![Source::at(NodeId(0), 2.0), Source::at(NodeId(5), 1.0)];
            let problem = Problem::new(&machine, sources, sigma).expect("a problem");
            let all = place(&problem, count, 100_000).expect("places");
            assert!(all.proved, "{name}");
            let mut least = f64::INFINITY;
            for code in 0u64..1 << machine.nodes() {
                if code.count_ones() != count {
                    continue;
                }
                let chosen = (0..machine.nodes()).filter(|node| code >> node & 1 == 1);
                let placed = chosen.map(|node| Source::at(NodeId(node), 1.0)).collect();
                let placed = Problem::new(&machine, placed, sigma).expect("a problem");
                least = least.min(optimum::makespan(&placed).expect("it can be done").0);
            }
            assert!((all.makespan - least).abs() < 1e-9, "{name}: {} {least}", all.makespan);
            let searched = place(&problem, count, 40).expect("places");
            assert!(searched.makespan >= least - 1e-9 && searched.bound <= least + 1e-9, "{name}");
            assert!(searched.makespan <= 1.25 * least, "{name}: {searched:?}, {least}");
        }
    }

    /// Where every place can have its links to itself, that is found, wherever the load is.
    #[test]
    fn places_inside_do_not_depend_on_where_the_load_is() {
        for (name, count, sigma) in [("mesh:9x9", 3, 0.5), ("mesh:9x9", 4, 0.5), ("mesh:20x20", 5, 0.1)] {
            let machine = Machine::new(name).expect("a machine");
            for at in [0, 40, 57] {
                let problem =
                    Problem::new(&machine, vec![Source::at(NodeId(at), 1.0)], sigma).expect("a problem");
                let found = place(&problem, count, 300).expect("places");
                let speedup = f64::from(count) * (1.0 + 4.0 / sigma);
                assert!(
                    found.proved && (found.makespan * speedup - 1.0).abs() < 1e-9,
                    "{name} from {at}: {found:?}"
                );
            }
        }
    }
}
