//! The verdict on one job, and the one loop that reaches it: every method bounded, predicted and simulated.

use std::sync::Arc;

use meshwright_core::error::{Error, Result};
use meshwright_core::units::Cycles;
use meshwright_schedule::{Plan, Planner, Proposal, Schedule};

use crate::{LinkUse, LinkWait, Skipped, gap, nothing_applies};

/// What is known of a job of one kind beside its outcomes, and of what kind its outcomes are.
pub trait Facts {
    /// The kind's name in files.
    const KIND: &'static str;
    /// What is known of a method beside its times.
    type Detail;
}

/// The verdict on one job.
#[derive(Clone, Debug)]
pub struct Verdict<F: Facts> {
    /// The job's name.
    pub name: String,
    /// Why the winner wins, or that none does, in one sentence.
    pub reason: String,
    /// What else is to be known, in one sentence.
    pub advice: Option<String>,
    /// Every method that was simulated, in the order of the table.
    pub results: Vec<Outcome<F::Detail>>,
    /// Methods that do not apply.
    pub skipped: Vec<Skipped>,
    /// What is known of the job.
    pub facts: F,
    bound: Cycles,
    winner: Option<usize>,
    schedule: Option<Arc<Schedule>>,
}

/// What one method does with one job.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome<D> {
    /// The method's name.
    pub method: String,
    /// No plan of the kind that was compared is faster, in cycles.
    pub bound_cycles: u64,
    /// What the formula says, in cycles.
    pub predicted_cycles: u64,
    /// What the simulator measures, in cycles; none where nothing was sent.
    pub simulated_cycles: Option<u64>,
    /// The busiest link, by time; none when nothing is sent over a link.
    pub busiest_link: Option<LinkUse>,
    /// The link messages waited for longest; none when no message ever waited, or nobody looked.
    pub waited_link: Option<LinkWait>,
    /// What else is known of it.
    pub detail: D,
}

impl<D> Outcome<D> {
    /// simulated / bound - 1; none where nothing was sent.
    pub fn gap(&self) -> Option<f64> {
        self.simulated_cycles.map(|cycles| gap(self.bound_cycles, cycles))
    }

    /// The simulated time in cycles, of a kind of job whose every outcome was simulated.
    ///
    /// # Panics
    ///
    /// If nothing was sent.
    pub fn simulated(&self) -> u64 {
        self.simulated_cycles.expect("phases and programs of groups are simulated or skipped")
    }
}

/// The winner: its time is known.
pub struct Winner<'v, D> {
    /// The method's name.
    pub method: &'v str,
    /// The simulated time.
    pub time: Cycles,
    /// All that is known of it.
    pub outcome: &'v Outcome<D>,
    schedule: Option<&'v Schedule>,
}

impl<'v, D> Winner<'v, D> {
    /// What was simulated, to be run or exported; none for processes, which decide as they run.
    pub fn schedule(&self) -> Option<&'v Schedule> {
        self.schedule
    }
}

impl<F: Facts> Verdict<F> {
    /// A verdict of these outcomes, the one with this index the winner's; reason, advice and skipped methods are empty.
    ///
    /// # Panics
    ///
    /// If the winner is none of the outcomes.
    pub fn new(
        name: &str,
        bound: Cycles,
        results: Vec<Outcome<F::Detail>>,
        winner: Option<usize>,
        facts: F,
    ) -> Self {
        assert!(winner.is_none_or(|winner| winner < results.len()), "the winner is one of the outcomes");
        let (name, reason, advice, skipped) = (name.to_string(), String::new(), None, Vec::new());
        Self { name, reason, advice, results, skipped, facts, bound, winner, schedule: None }
    }

    /// A time that no plan beats.
    pub fn bound(&self) -> Cycles {
        self.bound
    }

    /// The method with the least simulated time; none when no method comes to an end.
    pub fn winner(&self) -> Option<Winner<'_, F::Detail>> {
        let outcome = &self.results[self.winner?];
        let time = Cycles(outcome.simulated_cycles.expect("only what was simulated can win"));
        Some(Winner { method: &outcome.method, time, outcome, schedule: self.schedule.as_deref() })
    }

    /// Whose schedule is kept, and the schedule: the winner's, if any is.
    pub fn kept_schedule(&self) -> Option<(&str, &Schedule)> {
        Some((self.winner_name()?, self.schedule.as_deref()?))
    }

    /// The name of the method that wins.
    pub fn winner_name(&self) -> Option<&str> {
        Some(&self.results[self.winner?].method)
    }

    /// Why the winner wins, or that none does, in one sentence.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// Whether this outcome, one of [`Self::results`], is the winner's.
    pub fn is_won_by(&self, outcome: &Outcome<F::Detail>) -> bool {
        self.winner.is_some_and(|winner| std::ptr::eq(outcome, &raw const self.results[winner]))
    }
}

/// How the simulation of a plan ends.
pub enum Ending<D> {
    /// It comes to its end; with what was simulated, if that is a schedule.
    Done(Outcome<D>, Option<Arc<Schedule>>),
    /// The method turns out not to suit: why.
    Unsuitable(String),
    /// Messages wait for each other in a ring: which, in words.
    Standstill(String),
    /// It would not fit into memory or time: why.
    TooLarge(String),
}

/// How good an outcome is: less is better, the first figure counts most.
pub type Rank = (u64, u64, u64);

/// What is known of a method of a planner beside its times.
pub type DetailOf<P> = <<P as Contest>::Facts as Facts>::Detail;

/// A planner whose plans are compared.
pub trait Contest: Planner<Method: Clone> + Sized {
    /// What the verdict says of the job.
    type Facts: Facts;

    /// What is tried, for the error that none of it suits.
    const WHAT: &'static str;

    /// The name under which a method is listed.
    fn name_of(&self, method: &Self::Method) -> String;

    /// What is being worked on, for the progress line; `place` is "3 of 7".
    fn activity(&self, method: &Self::Method, _place: &str) -> String {
        self.name_of(method)
    }

    /// Predicts and simulates a plan, and holds its times against the bound.
    ///
    /// # Errors
    ///
    /// [`Error::Contradiction`] when a time falls below the bound.
    fn measure(
        &self,
        method: &Self::Method,
        plan: Plan<Self::Workload, Self::Detail>,
        seed: u64,
    ) -> Result<Ending<DetailOf<Self>>>;

    /// Less is better; only what was simulated has a rank.
    fn rank(outcome: &Outcome<DetailOf<Self>>) -> Option<Rank>;

    /// The error when nothing suits; none if a verdict without outcomes is an answer, too.
    fn nothing(&self, skipped: &[Skipped]) -> Option<Error> {
        Some(nothing_applies(Self::WHAT, skipped))
    }

    /// Whether a method that does not apply is worth a word.
    fn is_told(&self, _skipped: &Skipped) -> bool {
        true
    }

    /// Why the winner wins, or that none does; what else is to be known.
    fn words(
        &self,
        winner: Option<&Outcome<DetailOf<Self>>>,
        results: &[Outcome<DetailOf<Self>>],
    ) -> (String, Option<String>);

    /// What the verdict says of the job.
    ///
    /// # Errors
    ///
    /// Those of what was asked beyond the comparison.
    fn facts(
        &self,
        winner: Option<&Outcome<DetailOf<Self>>>,
        results: &[Outcome<DetailOf<Self>>],
        skipped: &mut Vec<Skipped>,
        watch: &mut dyn Watch,
    ) -> Result<Self::Facts>;
}

/// What a comparison is called, and what its lots are drawn from.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The job's name.
    pub name: String,
    /// The seed of what is random.
    pub seed: u64,
    /// Methods that were left out before, and why.
    pub left_out: Vec<Skipped>,
    /// Whether the winner's schedule is kept: some 200 bytes a message.
    pub keeps_schedule: bool,
}

impl Default for Options {
    /// No name, seed 0, and the winner's schedule is kept.
    fn default() -> Self {
        Self::new("", 0)
    }
}

impl Options {
    /// A job of this name; what is random comes from this seed.
    pub fn new(name: &str, seed: u64) -> Self {
        Self { name: name.to_string(), seed, left_out: Vec::new(), keeps_schedule: true }
    }

    /// With methods that were left out before, and why.
    pub fn with_left_out(mut self, left_out: Vec<Skipped>) -> Self {
        self.left_out = left_out;
        self
    }
}

/// Who is told what is being worked on.
pub trait Watch {
    /// Tells it.
    fn tell(&mut self, what: &str);
}

impl<F: FnMut(&str) + ?Sized> Watch for F {
    fn tell(&mut self, what: &str) {
        self(what);
    }
}

/// Nobody is told.
pub struct Silent;

impl Watch for Silent {
    fn tell(&mut self, _what: &str) {}
}

/// Plans a job by every method, simulates each plan, and names the winner: the least simulated time.
///
/// A method that does not suit, or whose simulation comes to a standstill, is listed with the reason.
///
/// # Errors
///
/// [`Error::NotApplicable`] when no method suits, [`Error::Contradiction`] when a simulated time falls below the bound, and
/// any error of the numbers themselves.
///
/// # Examples
///
/// ```
/// use meshwright_core::units::Bytes;
/// use meshwright_mapping::{Divide, Mapping, PLACEMENTS, Shape, divide};
/// use meshwright_network::Machine;
/// use meshwright_verdict::{Options, Silent, judge};
/// let tree = Divide { shape: Shape::Binomial(4), alpha: Some(0.5), combine_alpha: None, volume: Bytes(4096) };
/// let (tasks, mesh) = (divide::task_graph(&tree)?, Machine::mesh([4, 4])?);
/// let verdict = judge(&Mapping::new(&tasks, &mesh), PLACEMENTS, &Options::default(), &mut Silent)?;
/// let best = verdict.winner().expect("one placement comes to its end");
/// assert_eq!((best.method, best.time), ("reflecting", verdict.bound()));
/// assert!(verdict.results.iter().all(|other| other.simulated() >= best.time.0));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn judge<P: Contest>(
    planner: &P,
    methods: impl IntoIterator<Item = impl Into<P::Method>>,
    options: &Options,
    watch: &mut dyn Watch,
) -> Result<Verdict<P::Facts>> {
    let methods: Vec<P::Method> = methods.into_iter().map(Into::into).collect();
    let mut results: Vec<Outcome<_>> = Vec::new();
    let (mut skipped, mut too_large) = (options.left_out.clone(), Vec::new());
    let (mut best, mut schedule): (Option<Rank>, Option<Arc<Schedule>>) = (None, None);
    for (index, method) in methods.iter().enumerate() {
        watch.tell(&planner.activity(method, &format!("{} of {}", index + 1, methods.len())));
        let skip = |why, deadlock| Skipped { method: planner.name_of(method), why, deadlock };
        let ending = match planner.plan(method, options.seed)? {
            Proposal::Plan(plan) => planner.measure(method, plan, options.seed)?,
            Proposal::Unsuitable(why) => Ending::Unsuitable(why),
        };
        match ending {
            Ending::Done(outcome, simulated) => {
                let rank = P::rank(&outcome);
                if rank.is_some_and(|rank| best.is_none_or(|best| rank < best)) {
                    (best, schedule) = (rank, simulated.filter(|_| options.keeps_schedule));
                }
                results.push(outcome);
            }
            Ending::Unsuitable(why) => {
                // A method that is tried with several settings fails for one reason.
                let skip = skip(why, false);
                if !skipped.contains(&skip) {
                    skipped.push(skip);
                }
            }
            Ending::Standstill(why) => skipped.push(skip(why, true)),
            Ending::TooLarge(why) => too_large.push(skip(why, false)),
        }
    }
    if results.is_empty() && !skipped.iter().any(|skipped| skipped.deadlock) {
        let reasons = if skipped.is_empty() { &too_large } else { &skipped };
        if let Some(error) = planner.nothing(reasons) {
            return Err(error);
        }
    }
    skipped.retain(|skipped| planner.is_told(skipped));
    skipped.extend(too_large);
    let ranked = results.iter().enumerate().filter_map(|(index, outcome)| Some((P::rank(outcome)?, index)));
    let winner = ranked.min().map(|(_, index)| index);
    let first = winner.map(|index| &results[index]);
    let (reason, advice) = planner.words(first, &results);
    let facts = planner.facts(first, &results, &mut skipped, watch)?;
    let verdict = Verdict::new(&options.name, planner.bound()?, results, winner, facts);
    Ok(Verdict { reason, advice, skipped, schedule, ..verdict })
}
