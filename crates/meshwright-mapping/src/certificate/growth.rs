//! Dilations that no placement has: what comes near a task must find room near its node.

use std::collections::BinaryHeap;

use super::Refuted;
use super::referee::Referee;

/// So many dilations with a tasks-times-edges each are looked at before a claim is too long to be judged.
const STEPS_MAX: u64 = 1 << 32;

/// The messages of a phase that are not left out.
pub(super) struct Heavy {
    /// The pairs of tasks, the lower one first, in increasing order.
    pairs: Vec<(u32, u32)>,
    /// The lightest and the heaviest of them, in ticks on a link.
    least: u128,
    most: u128,
}

/// Phases whose heavy messages go between the same pairs of tasks: they have one dilation.
struct Class {
    pairs: Vec<(u32, u32)>,
    /// Of each phase the lightest and the heaviest message, and how often it is counted.
    loads: Vec<(u128, u128, u128)>,
}

/// Proves that some phases take so many ticks: the dilations with which they could take less are all impossible.
pub(super) fn growth(referee: &Referee<'_>, phases: &[u32], ticks: u64, share: u32) -> Result<u128, Refuted> {
    referee.is_small()?;
    let classes = classes(referee, phases, share);
    let growth = Growth::new(referee, &classes);
    if growth.diameter.is_none() {
        return Refuted::because("some nodes do not reach each other");
    }
    let mut search = Search { growth, referee, classes, ticks: ticks.into(), steps: 0 };
    search.all_below(&mut Vec::new())?;
    Ok(ticks.into())
}

fn heavy(referee: &Referee<'_>, phase: u32, share: u32) -> Option<Heavy> {
    let most = referee.between(&[phase]).map(|edge| edge.bytes).max()?;
    let is_heavy = |edge: &&crate::task_graph::Edge| {
        share == 0 || u128::from(edge.bytes.0) * u128::from(share) >= u128::from(most.0)
    };
    let heavy: Vec<_> = referee.between(&[phase]).filter(is_heavy).collect();
    let mut pairs: Vec<_> =
        heavy.iter().map(|edge| (edge.source.min(edge.target), edge.source.max(edge.target))).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let loads = || heavy.iter().map(|edge| referee.load(edge));
    Some(Heavy { pairs, least: loads().min()?, most: loads().max()? })
}

fn classes(referee: &Referee<'_>, phases: &[u32], share: u32) -> Vec<Class> {
    let mut classes: Vec<Class> = Vec::new();
    for &phase in phases {
        let Some(Heavy { pairs, least, most }) = heavy(referee, phase, share) else { continue };
        let loads = (least, most, referee.times(phases, phase));
        match classes.iter_mut().find(|class| class.pairs == pairs) {
            Some(class) => class.loads.push(loads),
            None => classes.push(Class { pairs, loads: vec![loads] }),
        }
    }
    classes
}

/// Tasks and nodes by what is near them.
struct Growth {
    /// Of each task its partners and their classes.
    partners: Vec<Vec<(usize, usize)>>,
    /// Of each living node how many nodes are within 0, 1, 2, ... links; each different list once.
    balls: Vec<Vec<usize>>,
    /// The longest distance, if all nodes reach each other.
    diameter: Option<u32>,
    /// Whether there is a task on every node.
    is_full: bool,
}

impl Growth {
    fn new(referee: &Referee<'_>, classes: &[Class]) -> Self {
        let mut partners = vec![Vec::new(); referee.tasks()];
        for (class, Class { pairs, .. }) in classes.iter().enumerate() {
            for &(a, b) in pairs {
                partners[a as usize].push((b as usize, class));
                partners[b as usize].push((a as usize, class));
            }
        }
        let all = referee.living.len();
        let near: Vec<Vec<u32>> = referee.living.iter().map(|&node| referee.nearest(node, all)).collect();
        let is_whole = near.iter().all(|near| near.len() + 1 == all);
        let diameter = near.iter().flatten().copied().max().unwrap_or(0);
        let ball = |near: &Vec<u32>, hops: u32| 1 + near.iter().filter(|&&distance| distance <= hops).count();
        let mut balls: Vec<Vec<usize>> =
            near.iter().map(|near| (0..=diameter).map(|hops| ball(near, hops)).collect()).collect();
        balls.sort_unstable();
        balls.dedup();
        Self { partners, balls, diameter: is_whole.then_some(diameter), is_full: referee.spare() == 0 }
    }

    /// By task how many tasks are within 0, 1, 2, ... links at most, where every class goes over so many.
    fn tasks(&self, dilations: &[u32]) -> Vec<Vec<usize>> {
        let radii = self.diameter.unwrap_or(0) as usize + 1;
        let around = |task: usize| {
            let mut within = vec![0; radii];
            let mut seen = vec![false; self.partners.len()];
            let mut open = BinaryHeap::from([(std::cmp::Reverse(0u32), task)]);
            while let Some((std::cmp::Reverse(far), task)) = open.pop() {
                if far as usize >= radii {
                    break;
                }
                if std::mem::replace(&mut seen[task], true) {
                    continue;
                }
                within[far as usize..].iter_mut().for_each(|count| *count += 1);
                for &(partner, class) in &self.partners[task] {
                    if !seen[partner] {
                        open.push((std::cmp::Reverse(far + dilations[class]), partner));
                    }
                }
            }
            within
        };
        (0..self.partners.len()).map(around).collect()
    }

    /// Whether some task fits on no node, or some node must hold a task and none fits on it.
    fn is_impossible(&self, dilations: &[u32]) -> bool {
        let tasks = self.tasks(dilations);
        let fits =
            |task: &Vec<usize>, ball: &Vec<usize>| task.iter().zip(ball).all(|(task, ball)| task <= ball);
        let homeless = tasks.iter().any(|task| !self.balls.iter().any(|ball| fits(task, ball)));
        let empty = || self.balls.iter().any(|ball| !tasks.iter().any(|task| fits(task, ball)));
        homeless || self.is_full && empty()
    }
}

/// All dilations with which the phases take less than what is claimed.
struct Search<'a> {
    growth: Growth,
    referee: &'a Referee<'a>,
    classes: Vec<Class>,
    ticks: u128,
    steps: u64,
}

impl Search<'_> {
    /// What the phases of a class take at least: the heaviest over one link, or the lightest over all.
    fn cost(&self, class: usize, dilation: u32) -> u128 {
        let costs = self.referee.machine.costs();
        let alone = |load: u128, hops: u32| match self.referee.stores() {
            true => load * u128::from(hops),
            false => {
                u128::from(costs.startup_ticks()) + load + u128::from(hops) * u128::from(costs.head_ticks())
            }
        };
        let ends = 2 * self.referee.overhead();
        let one = |&(least, most, times): &(u128, u128, u128)| {
            times * (alone(least, dilation).max(alone(most, 1)) + ends)
        };
        self.classes[class].loads.iter().map(one).sum()
    }

    /// All that begin so.
    fn all_below(&mut self, dilations: &mut Vec<u32>) -> Result<(), Refuted> {
        let class = dilations.len();
        let settled: u128 = dilations.iter().enumerate().map(|(class, &hops)| self.cost(class, hops)).sum();
        let rest: u128 = (class..self.classes.len()).map(|class| self.cost(class, 1)).sum();
        if settled + rest >= self.ticks {
            return Ok(());
        }
        if class == self.classes.len() {
            return self.judge(dilations);
        }
        let diameter = self.growth.diameter.unwrap_or(0);
        let after = rest - self.cost(class, 1);
        let fits = |&hops: &u32| settled + self.cost(class, hops) + after < self.ticks;
        let most = (1..=diameter).take_while(fits).last().unwrap_or(1);
        // What is impossible stays so with shorter ways: of the last class the longest stands for all.
        let first = if class + 1 == self.classes.len() { most } else { 1 };
        for hops in first..=most {
            dilations.push(hops);
            let judged = self.all_below(dilations);
            dilations.pop();
            judged?;
        }
        Ok(())
    }

    fn judge(&mut self, dilations: &[u32]) -> Result<(), Refuted> {
        self.steps += self.growth.partners.iter().map(|partners| 1 + partners.len() as u64).sum::<u64>()
            * self.growth.partners.len() as u64;
        if self.steps > STEPS_MAX {
            return Refuted::because("there are too many dilations to look at each");
        }
        match self.growth.is_impossible(dilations) {
            true => Ok(()),
            false => Refuted::because(format!(
                "dilations of {dilations:?} links are not excluded, and take less than {} ticks",
                self.ticks
            )),
        }
    }
}
