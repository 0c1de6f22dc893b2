//! The messages of a divided load: of all schedules that are known for the machine that was asked for, the fastest.

use super::answer::{Case, reason};
use super::limited::Limited;
use super::run::{self, Run};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::Cycles;
use meshwright_load::installments::{self, Installments, ListSettings};
use meshwright_load::lp::Distribution;
use meshwright_network::topology::{Costs, Endpoints, Topology};

/// So many messages over each link that the optimum uses are tried at first where nobody says how many.
const CHUNKS_PER_LINK: u64 = 60;

/// In all at least this many, and at most so many.
const CHUNKS: std::ops::RangeInclusive<u64> = 10_000..=60_000;

/// No more are tried as long as they gain something.
const CHUNKS_MAX: u64 = 2_500_000;

/// From so many nodes on each part of the flow has sizes of its own, in at most so many messages.
const LARGE: (u32, u64) = (1 << 16, 8_200_000);

/// Where messages have a start-up, schedules with few messages are looked for on machines of at most so many nodes.
const SEARCHED_NODES_MAX: u32 = 20_000;

/// Of the front: up to so many messages are listed one number after the other, on machines of at most so many nodes.
const FEW: (u64, u32) = (8, 64);

/// On machines of at most so many nodes these take part whether the front is asked for or not.
const FEW_NODES_MAX: u32 = 16;

/// The optimum in messages, and the referee's word on it.
pub(super) type Sent = (Installments, Option<Run>);

impl Case<'_, '_> {
    /// The optimum in messages of a machine that does all at a time and has no start-ups.
    fn planned(&self) -> Result<Installments> {
        let (scale, optimum) = (&self.scale, &self.optimum);
        match self.job.chunks {
            Some(chunks) => installments::plan(scale, optimum, &installments::InstallmentSettings { chunks }),
            None if self.machine.nodes() >= LARGE.0 && self.problem.starts_at_once() => {
                installments::plan_apart(scale, optimum, LARGE.1)
            }
            None => {
                let used = optimum.flow.link.iter().filter(|&&share| share > 0.0).count() as u64;
                let first = (CHUNKS_PER_LINK * used).clamp(*CHUNKS.start(), *CHUNKS.end());
                installments::plan_by_gain(scale, optimum, first, CHUNKS_MAX)
            }
        }
    }

    /// The fastest schedule of a machine that does less at a time; what takes long to find is not looked for near the bound.
    fn send_limited(&self) -> Result<Sent> {
        let listed = self.listed().as_ref();
        let listed = listed.map_err(|error| Error::not_applicable("installments", reason(error)))?;
        let faster = |known: Sent, sent: Option<Sent>| {
            let sent = sent.filter(|(one, _)| self.is_allowed(one));
            [known].into_iter().chain(sent).min_by_key(ended).expect("there is one")
        };
        let is_far = |best: &Sent| !self.is_near(self.scale.units_of_ticks(ended(best).0));
        let mut best = self.run(listed.first().expect("a list of schedules has one").clone())?;
        if let Ok(single) = self.single() {
            best = faster(best, Some(self.run(single.clone())?));
        }
        if !self.has_startup() {
            best = faster(best, self.fitting(|| self.planned())?);
        } else if is_far(&best) {
            best = faster(best, self.fitting(|| self.in_rounds())?);
        }
        if is_far(&best)
            && let Some(few) = least_of(self.few_wanted())
        {
            best = faster(best, Some(self.run(few)?));
        }
        Ok(best)
    }

    /// The optimum sent in messages over one link each, or what is faster than that with few of them, run by the
    /// referee; what takes long to find is not looked for near the bound.
    fn send(&self) -> Result<Sent> {
        if self.limited.is_some() {
            return self.send_limited();
        }
        let (planned, why) = match self.planned() {
            Ok(planned) => (Some(planned), None),
            Err(error @ Error::NotApplicable { .. }) => (None, Some(error)),
            Err(error) => return Err(error),
        };
        let (is_few, has_startup) = (self.job.chunks.is_some(), self.has_startup());
        let is_searched = has_startup && self.machine.nodes() <= SEARCHED_NODES_MAX;
        let mut best = self.better(planned, installments::stay(&self.scale).ok());
        if is_few || has_startup {
            best = self.better(best, self.single().as_ref().ok().cloned());
        }
        if self.job.front || is_searched {
            best = self.better(best, least_of(self.searched()));
        }
        // What follows are linear programmes.
        let is_far =
            |best: &Option<Installments>| !best.as_ref().is_some_and(|best| self.is_near(best.makespan));
        let in_rounds = || self.in_rounds().ok().or_else(|| least_of(self.few_wanted()));
        if has_startup && is_far(&best) {
            best = self.better(best, in_rounds());
        }
        if (is_few || self.programme_found().is_some()) && is_far(&best) {
            best = self.better(best, self.listed().as_ref().ok().and_then(|listed| listed.first().cloned()));
        }
        // With many messages no few are as good.
        let takes_few = |best: &Installments| best.messages <= FEW.0;
        if self.job.front || ((is_few || has_startup) && best.as_ref().is_none_or(takes_few)) {
            best = self.better(best, least_of(self.few()));
        }
        let Some(best) = best else { return Err(why.expect("a reason for no plan")) };
        self.run(best)
    }

    /// The faster of two schedules, of those with no more messages than were asked for; the first if they are as fast.
    fn better(&self, known: Option<Installments>, found: Option<Installments>) -> Option<Installments> {
        let found = found.filter(|one| self.is_allowed(one));
        known.into_iter().chain(found).min_by_key(|one| (one.predicted_cycles, one.messages))
    }

    /// Whether this makespan is so near the bound that no linear programmes are solved for a better one.
    fn is_near(&self, makespan: f64) -> bool {
        makespan <= self.least() * (1.0 + installments::NEAR)
    }

    /// Whether there are no more messages than were asked for.
    fn is_allowed(&self, one: &Installments) -> bool {
        self.job.chunks.is_none_or(|chunks| one.messages <= chunks)
    }

    /// A distribution that the programme with start-ups allows.
    pub(super) fn programme_found(&self) -> Option<&Distribution> {
        self.started.as_ref()?.found.as_ref()
    }

    fn in_rounds(&self) -> Result<Installments> {
        installments::in_rounds(&self.scale, self.terms.startup)
    }

    /// A schedule with the referee's word on it.
    fn run(&self, one: Installments) -> Result<Sent> {
        let run = run::run(&self.scale, &self.terms.variant, &self.depth, &one.schedule)?;
        Ok((one, run))
    }

    /// A schedule for a machine that does all at a time, with its run, if it keeps to what this one does less. It brings no
    /// results back, and does not know how much room there is.
    fn fitting(&self, known: impl FnOnce() -> Result<Installments>) -> Result<Option<Sent>> {
        let variant = &self.terms.variant;
        if variant.results > 0.0 || variant.memory.is_some() {
            return Ok(None);
        }
        let Ok(one) = known() else { return Ok(None) };
        let sent = self.run(one)?;
        Ok(Some(sent).filter(|(_, run)| run.as_ref().is_some_and(|run| run.misfit.is_none())))
    }

    /// List schedules, the fastest first, also for a machine that does less at a time.
    fn listed(&self) -> &Result<Vec<Installments>> {
        self.listed.get_or_init(|| self.listed_in(self.job.chunks))
    }

    /// List schedules of at most so many messages.
    fn listed_in(&self, chunks: Option<u64>) -> Result<Vec<Installments>> {
        let programme = self.limited.as_ref().and_then(Limited::distribution);
        let programmes: Vec<_> = programme.into_iter().chain(self.programme_found()).collect();
        let settings = ListSettings { chunks, moves: true, whole: false };
        installments::limited(&self.scale, &self.terms.variant, &programmes, self.least(), &settings)
    }

    /// The best schedules of one message, two, and so on.
    pub(super) fn few(&self) -> &[Installments] {
        self.few.get_or_init(|| {
            let (messages, nodes) = FEW;
            if self.machine.nodes() > nodes {
                return Vec::new();
            }
            let most = self.job.chunks.unwrap_or(messages).min(messages);
            (1..=most).filter_map(|chunks| self.listed_in(Some(chunks)).ok()?.into_iter().next()).collect()
        })
    }

    /// The same where the front is asked for, or they take no time.
    fn few_wanted(&self) -> &[Installments] {
        if self.job.front || self.machine.nodes() <= FEW_NODES_MAX { self.few() } else { &[] }
    }

    pub(super) fn sent(&self) -> &Result<Sent> {
        self.sent.get_or_init(|| match self.sent_as_startups()? {
            None => self.send(),
            Some(sent) => {
                let single = self.single().as_ref().ok().cloned().map(|one| self.run(one)).transpose()?;
                Ok([sent].into_iter().chain(single).min_by_key(ended).expect("one at least"))
            }
        })
    }

    /// The schedule for a machine on which messages have a longer start-up in place of what they cost the nodes at their ends, run on this
    /// one; none where they cost them nothing, or that schedule does not suit.
    fn sent_as_startups(&self) -> Result<Option<Sent>> {
        let ends = self.machine.endpoints();
        if ends.is_free() {
            return Ok(None);
        }
        let costs = self.machine.costs();
        let longer = Cycles(costs.startup.0 + ends.gap.0.max(2 * ends.overhead.0));
        let machine = self.machine.clone().with_endpoints(Endpoints::default())?;
        let machine = machine.with_costs(Costs { startup: longer, ..*costs })?;
        let problem = self.problem.on(&machine);
        let case = Case::new(self.job, &problem, &mut |_| {})?;
        let Ok((planned, _)) = case.sent() else { return Ok(None) };
        let (mut sent, run) = self.run(planned.clone())?;
        let Some(run) = run.filter(|run| run.misfit.is_none()) else { return Ok(None) };
        sent.predicted_cycles = costs.cycles(run.ticks).0;
        sent.makespan = self.scale.units_of_ticks(run.ticks);
        Ok(Some((sent, Some(run))))
    }

    /// One message for each processor.
    pub(super) fn single(&self) -> &Result<Installments> {
        self.single.get_or_init(|| {
            if self.limited.is_none() {
                return installments::one_each(&self.scale);
            }
            let settings = ListSettings { chunks: None, moves: true, whole: true };
            let all = installments::limited(&self.scale, &self.terms.variant, &[], self.least(), &settings)?;
            let listed = all.into_iter().next().expect("a list of schedules has one");
            let fitting = self.fitting(|| installments::one_each(&self.scale))?;
            let all = fitting.into_iter().chain([self.run(listed)?]);
            Ok(all.min_by_key(ended).expect("there is one").0)
        })
    }

    /// Installments with fewer processors and messages.
    pub(super) fn searched(&self) -> &[Installments] {
        self.searched.get_or_init(|| {
            let chunks = self.job.chunks.unwrap_or(installments::InstallmentSettings::default().chunks);
            installments::front(&self.scale, &self.optimum, &installments::InstallmentSettings { chunks })
        })
    }
}

/// The fastest of some schedules.
fn least_of(all: &[Installments]) -> Option<Installments> {
    all.iter().min_by_key(|one| one.predicted_cycles).cloned()
}

/// When a run ends, and in how many messages; one that does not end is the last.
fn ended((sent, run): &Sent) -> (u64, u64) {
    (run.as_ref().map_or(u64::MAX, |run| run.ticks), sent.messages)
}
