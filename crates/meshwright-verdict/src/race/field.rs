//! All algorithms from all roots, those with the best prospects first.
//!
//! They run in lots of a fixed size, the members of a lot beside each other on as many threads as there are. Who is left out
//! depends on the lots before alone, so that the answer is the same on any number of threads.

use meshwright_collectives::bound::Bound;
use meshwright_collectives::synthesis::Recipe;
use meshwright_collectives::{Algorithm, Task};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::Cycles;
use meshwright_core::words::counted;
use rayon::prelude::*;

use super::joined;
use super::synthesis;
use super::trial::{self, Known, Look, Run};
use super::{Asked, Effort};

/// A flow of more messages than this takes a minute: it is not simulated, whatever is asked.
const MESSAGES_MAX: u64 = 1 << 22;

/// So many run beside each other.
const LOT: usize = 2;

/// An algorithm that suits.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) algorithm: &'static Algorithm,
    /// Its root, as the place of a task.
    pub(super) task: usize,
    pub(super) look: Look,
    pub(super) run: Option<Run>,
    pub(super) not_simulated: Option<String>,
    /// How it was found, if it was searched for.
    pub(super) recipe: Option<Recipe>,
}

impl Entry {
    /// Less is better; none where there is no time.
    pub(super) fn rank(&self) -> Option<(u64, u64)> {
        Some((self.run.as_ref()?.cycles?, self.look.bytes_hops))
    }
}

/// Algorithms that do not suit, and why.
pub(super) type Refused = Vec<(&'static str, String)>;

/// What became of an algorithm.
pub(super) enum Finish {
    /// Its better root.
    Ran(Box<Entry>),
    /// It does not suit, or comes to a standstill.
    Skipped { algorithm: &'static Algorithm, why: String, deadlock: bool },
}

impl Finish {
    pub(super) fn algorithm(&self) -> &'static Algorithm {
        match self {
            Self::Ran(entry) => entry.algorithm,
            Self::Skipped { algorithm, .. } => algorithm,
        }
    }
}

/// Runs all algorithms; one finish for each, in the order of the table.
pub(super) fn run(
    asked: &Asked,
    tasks: &[Task<'_>],
    bounds: &[Bound],
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<Finish>> {
    let (mut entries, refused) = entries(asked, tasks, bounds, progress)?;
    joined::improve(&mut entries, asked, tasks, bounds, progress)?;
    Ok(asked.algorithms().iter().map(|&algorithm| finish(algorithm, &entries, &refused)).collect())
}

/// Those that suit, each from each root; and why others do not.
pub(super) fn entries(
    asked: &Asked,
    tasks: &[Task<'_>],
    bounds: &[Bound],
    progress: &mut dyn FnMut(&str),
) -> Result<(Vec<Entry>, Refused)> {
    let algorithms = asked.algorithms();
    progress(&format!("{} before they run", counted(algorithms.len() as u64, "algorithm")));
    let all: Vec<(&'static Algorithm, usize)> = algorithms
        .iter()
        .flat_map(|&algorithm| (0..tasks.len()).map(move |task| (algorithm, task)))
        .collect();
    let looks: Vec<Result<Look>> = all
        .par_iter()
        .map(|&(algorithm, task)| trial::look(&tasks[task], &algorithm.of(&tasks[task])?, algorithm))
        .collect();
    let (mut entries, mut refused) = (Vec::new(), Refused::new());
    for (&(algorithm, task), look) in all.iter().zip(looks) {
        match look {
            Ok(look) => {
                entries.push(Entry { algorithm, task, look, run: None, not_simulated: None, recipe: None });
            }
            Err(error) => refused.push((algorithm.name, why(error)?)),
        }
    }
    compete(&mut entries, tasks, asked, progress)?;
    if asked.effort.searches {
        search(&mut entries, tasks, bounds, progress)?;
    }
    Ok((entries, refused))
}

/// Searches for schedules of our own, from the root that the best of the others has.
fn search(
    entries: &mut [Entry],
    tasks: &[Task<'_>],
    bounds: &[Bound],
    progress: &mut dyn FnMut(&str),
) -> Result<()> {
    let best = entries.iter().filter_map(|entry| Some((entry.rank()?, entry.task))).min();
    let task = best.map_or(0, |(_, task)| task);
    // What our own entry takes without a search is found again, with how it is made.
    let others = entries.iter().filter(|entry| !synthesis::is_searched(entry.algorithm));
    let known = others.filter_map(|entry| Some(Cycles(entry.rank()?.0))).min();
    let ours = entries.iter_mut().find(|entry| entry.task == task && synthesis::is_searched(entry.algorithm));
    let Some(entry) = ours else { return Ok(()) };
    progress("synthesis");
    synthesis::improve(entry, &tasks[task], bounds[task].cycles, known)
}

/// Why it does not suit; errors of the input are passed on.
fn why(error: Error) -> Result<String> {
    match error {
        Error::NotApplicable { why, .. } => Ok(why),
        Error::TooLarge { .. } => Ok(error.to_string()),
        error => Err(error),
    }
}

/// Simulates lot by lot; then those of many messages whose prediction is below the best time.
fn compete(
    entries: &mut [Entry],
    tasks: &[Task<'_>],
    asked: &Asked,
    progress: &mut dyn FnMut(&str),
) -> Result<()> {
    entries.sort_by_key(|entry| entry.look.expected);
    let mut best: Option<u64> = None;
    let hopeless = asked.algorithms.is_empty().then_some(asked.effort.hopeless);
    let total = entries.len();
    for (lot, entries) in entries.chunks_mut(LOT).enumerate() {
        let known = Known { best, hopeless, chunked: asked.effort.chunked };
        for entry in &mut *entries {
            entry.not_simulated = match asked.algorithms[..] {
                [] => prospects(&entry.look, &known, &asked.effort),
                _ => None,
            };
        }
        let names: Vec<&str> = entries.iter().map(|entry| entry.algorithm.name).collect();
        progress(&format!("{} of {total}: {}", lot * LOT + entries.len(), names.join(", ")));
        let runs: Vec<Result<()>> =
            entries.par_iter_mut().map(|entry| entry.compete(tasks, &known)).collect();
        runs.into_iter().collect::<Result<()>>()?;
        let times = entries.iter().filter_map(|entry| entry.run.as_ref()?.cycles);
        best = times.chain(best).min();
    }
    for entry in entries.iter_mut().filter(|entry| entry.not_simulated.is_some()) {
        let look = &entry.look;
        if look.messages > MESSAGES_MAX || best.is_some_and(|best| look.predicted >= best) {
            continue;
        }
        progress(&format!("{} of many messages", entry.algorithm.name));
        entry.not_simulated = None;
        entry.compete(tasks, &Known { best, hopeless, chunked: asked.effort.chunked })?;
        best = entry.run.as_ref().and_then(|run| run.cycles).into_iter().chain(best).min();
    }
    Ok(())
}

/// Why it is not worth a run; none if it is.
fn prospects(look: &Look, known: &Known, effort: &Effort) -> Option<String> {
    if look.messages > effort.messages.min(MESSAGES_MAX) {
        return Some(format!("{} messages", look.messages));
    }
    known.is_hopeless(look.floor).then(|| hopeless(look, known))
}

/// How long it takes at least, of the best time; said alike of all.
fn hopeless(look: &Look, known: &Known) -> String {
    let times = known.hopeless.unwrap_or(1);
    format!("the {} alone takes at least {times} times the best", look.floor_of)
}

impl Entry {
    /// Runs, unless it has no prospects.
    fn compete(&mut self, tasks: &[Task<'_>], known: &Known) -> Result<()> {
        if self.not_simulated.is_some() {
            return Ok(());
        }
        match trial::run(&tasks[self.task], self.algorithm, &mut self.look, known) {
            Ok(None) => self.not_simulated = Some(hopeless(&self.look, known)),
            Ok(run) => self.run = run,
            Err(error) => self.not_simulated = Some(why(error)?),
        }
        Ok(())
    }
}

/// The better root of an algorithm, or why it has none.
fn finish(algorithm: &'static Algorithm, entries: &[Entry], refused: &[(&str, String)]) -> Finish {
    let skipped = |why: &str, deadlock| Finish::Skipped { algorithm, why: why.to_string(), deadlock };
    let own: Vec<&Entry> = entries.iter().filter(|entry| entry.algorithm.name == algorithm.name).collect();
    let stands = |entry: &&&Entry| entry.run.as_ref().is_some_and(|run| run.cycles.is_none());
    // Those that ran before those that did not; among these the better prediction.
    let order = |entry: &&&Entry| match entry.rank() {
        Some((cycles, traffic)) => (0, cycles, traffic, entry.task),
        None => (1, entry.look.predicted, entry.look.bytes_hops, entry.task),
    };
    if let Some(&best) = own.iter().filter(|entry| !stands(entry)).min_by_key(order) {
        return Finish::Ran(Box::new(best.clone()));
    }
    if let Some(run) = own.iter().find_map(|entry| entry.run.as_ref()) {
        return skipped(run.standstill.as_deref().unwrap_or_default(), true);
    }
    let reason = refused.iter().find(|(name, _)| *name == algorithm.name);
    skipped(reason.map_or("it does not suit", |(_, why)| why), false)
}

#[cfg(test)]
mod tests {
    use meshwright_collectives::{Operation, algorithm};
    use meshwright_network::topology::Machine;

    use super::super::{Asked, Effort, judge};

    /// On a line recursive doubling crowds the middle: it is listed, and simulated if it is asked for.
    #[test]
    fn what_has_no_prospects_is_not_simulated() {
        let line = Machine::new("mesh:64").unwrap();
        let asked = Asked::new(Operation::AllReduce, 100_000);
        let verdict = judge("", &asked, &line, &mut |_| ()).unwrap();
        let row = verdict.results.iter().find(|row| row.method == "recursive-doubling").unwrap();
        assert_eq!(row.simulated_cycles, None);
        assert!(row.detail.not_simulated.as_ref().is_some_and(|why| why.contains("busiest link")), "{row:?}");
        let named: Vec<_> = algorithm::all().filter(|one| one.name == "recursive-doubling").collect();
        let asked = Asked { algorithms: named, ..asked };
        let alone = judge("", &asked, &line, &mut |_| ()).unwrap();
        let cycles = alone.results[0].simulated_cycles.expect("it was asked for");
        assert!(cycles >= Effort::default().hopeless * verdict.winner().unwrap().time.0, "{cycles}");
        assert_eq!((alone.results.len(), alone.results[0].method.as_str()), (1, "recursive-doubling"));
    }

    /// R4: however many threads there are, the answer is the same.
    #[test]
    fn threads_change_nothing() {
        let mesh = Machine::new("mesh:4x6").unwrap();
        let told = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let judged = || judge("", &Asked::new(Operation::Broadcast, 50_000), &mesh, &mut |_| ());
            pool.install(|| judged().unwrap().results)
        };
        let one = told(1);
        assert!(one == told(3) && one == told(2));
    }
}
