//! The best sizes of messages whose order is kept: a linear programme.

use microlp::{ComparisonOp, OptimizationDirection, Variable};

use super::run::{self, Times};
use super::steps::{Kind, Steps};
use super::{Found, Task, steps};
use crate::installments::record::Installments;
use crate::installments::streams::supplies;
use crate::lp::{Ports, Variant};
use meshwright_core::units::NodeId;

/// Schedules of no more steps have a programme: some hundredths of a second each.
const STEPS_MAX: usize = 80;

/// So many installments are tried on the same ways; from the third on only as long as each is faster than all before.
const ROUNDS_MAX: u32 = 5;
const ROUNDS_MIN: u32 = 3;

/// So many programmes are solved for each, to see which messages are not worth their start-ups: at a time of so many, and of
/// fewer where one has to go.
const TRIES: usize = 100;
const MANY: usize = 12;
const FEW: usize = 3;

/// What leaving out a message must gain.
const GAIN: f64 = 1e-6;

/// The whole load, for the solver; a share that is none; and how fine the order of times is.
const UNIT: f64 = 100.0;
const NOTHING: f64 = 1e-6;
const FINE: f64 = (1u64 << 40) as f64;

/// A source, and a node that has some of its load.
type Place = (usize, NodeId);

/// Steps, and when each begins and ends.
type Timed = (Steps, Times);

/// Steps, and by step its share of the load and when it begins, in parts of [`FINE`]; and when all is done.
struct Sized {
    steps: Steps,
    begins: Vec<u64>,
    shares: Vec<f64>,
    end: f64,
}

impl Task<'_, '_, '_> {
    /// Schedules over the ways of one that was found, in few installments, whose sizes are the best for the order of their
    /// messages; none where results, room or several ports would need more rows.
    pub(super) fn resized(&self, found: &Found) -> Vec<Installments> {
        let variant = self.variant;
        let has_ports = matches!(variant.ports, Ports::Few(ports) if ports > 1);
        let needs_more = variant.results > 0.0 || variant.memory.is_some() || has_ports;
        // Where nothing is limited other searches are as good.
        let is_plain = *variant == Variant::default() && self.settings.chunks.is_none();
        if needs_more || is_plain {
            return Vec::new();
        }
        let of_rounds = |rounds: u32| {
            let ends: Vec<f64> = (1..=rounds).map(|round| f64::from(round) / f64::from(rounds)).collect();
            let steps = steps::of_ways(self.scale, variant, &found.ways, &ends)?;
            let times = run::run(self.scale, variant, &steps, &ends, found.order)?;
            self.cut_and_resized((steps, times))
        };
        let most = if self.settings.whole { 1 } else { ROUNDS_MAX };
        let (mut all, mut best) = (Vec::new(), u64::MAX);
        for rounds in 1..=most {
            let found = of_rounds(rounds).filter(|(steps, _)| self.allows(steps));
            let last = found.as_ref().map_or(u64::MAX, |(_, times)| times.last);
            all.extend(found.map(|(steps, times)| self.written(&steps, &times)));
            if rounds >= ROUNDS_MIN && last >= best {
                break;
            }
            best = best.min(last);
        }
        all
    }

    /// Whether there are no more messages than were asked for.
    fn allows(&self, steps: &Steps) -> bool {
        let messages = steps.all.iter().filter(|step| step.kind != Kind::Work).count() as u64;
        self.settings.chunks.is_none_or(|chunks| messages <= chunks)
    }

    /// A schedule with its best sizes, without the messages that are not worth their start-ups.
    fn cut_and_resized(&self, (steps, times): Timed) -> Option<Timed> {
        let mut best = self.sized(steps, times.begin)?;
        let mut tries = TRIES;
        loop {
            let messages = |step: &usize| best.steps.all[*step].kind == Kind::Load;
            let mut gone: Vec<usize> = (0..best.steps.all.len()).filter(messages).collect();
            // Those that carry the least are worth the least.
            let must = !self.allows(&best.steps);
            gone.sort_by(|&a, &b| best.shares[a].total_cmp(&best.shares[b]));
            gone.truncate(tries.min(if must { FEW } else { MANY }));
            tries -= gone.len();
            let without = |&message: &usize| {
                let (steps, begins) = best.without(&|step| step == message);
                self.sized(steps, begins)
            };
            let next = gone.iter().filter_map(without).min_by(|a, b| a.end.total_cmp(&b.end));
            match next.filter(|next| must || next.end < best.end * (1.0 - GAIN)) {
                Some(next) => best = next,
                None => break,
            }
        }
        self.rebuilt(&best)
    }

    /// Steps in the order of these times with their best sizes; those that get none are gone.
    fn sized(&self, steps: Steps, begins: Vec<u64>) -> Option<Sized> {
        let mut sized = self.programme(steps, begins)?;
        while sized.shares.iter().any(|&share| share < NOTHING) {
            let (steps, begins) = sized.without(&|step| sized.shares[step] < NOTHING);
            sized = self.programme(steps, begins)?;
        }
        Some(sized)
    }

    /// The sizes with which steps end the earliest, where every link, port and processor serves in the order of these times.
    fn programme(&self, steps: Steps, begins: Vec<u64>) -> Option<Sized> {
        let (scale, problem) = (self.scale, self.scale.problem());
        if steps.all.len() > STEPS_MAX {
            return None;
        }
        let mut programme = microlp::Problem::new(OptimizationDirection::Minimize);
        let end = programme.add_var(1.0, (0.0, f64::INFINITY));
        let all: Vec<(Variable, Variable)> = (steps.all.iter())
            .map(|step| {
                let release = problem.sources()[step.source].release;
                let begin = programme.add_var(0.0, (release * UNIT, f64::INFINITY));
                (begin, programme.add_var(0.0, (0.0, f64::INFINITY)))
            })
            .collect();
        let sent = steps.all.iter().find(|step| step.kind != Kind::Work);
        let startup = sent.map_or(0, |step| scale.message_ticks(scale.message(step.link, 0)));
        let startup = scale.units_of_ticks(startup);
        // What a step takes: a number, and so much for its share.
        let time = |step: usize| match steps.all[step].kind {
            Kind::Work => (0.0, problem.work(steps.all[step].from)),
            _ => (startup * UNIT, problem.link_time(steps.all[step].link)),
        };
        let mut after = |before: usize, next: Variable| {
            let (fixed, slow) = time(before);
            let (begin, share) = all[before];
            let terms = vec![(begin, 1.0), (share, slow), (next, -1.0)];
            programme.add_constraint(terms, ComparisonOp::Le, -fixed);
        };
        for (step, &(begin, _)) in all.iter().enumerate() {
            steps.waits_of(step).iter().for_each(|&on| after(on as usize, begin));
            after(step, end);
        }
        for (before, next) in run::neighbours(scale, self.variant, &steps, &begins) {
            after(before, all[next].0);
        }
        self.add_balances(&mut programme, &steps, &all);
        let solution = programme.solve().ok()?.into_solution().ok()?;
        let value = |variable: Variable| solution.var_value(variable) / UNIT;
        let shares = all.iter().map(|&(_, share)| value(share)).collect();
        let begins = all.iter().map(|&(begin, _)| (value(begin).max(0.0) * FINE) as u64).collect();
        let end = value(end);
        Some(Sized { steps, begins, shares, end })
    }

    /// A node sends on and works off what it has, by source, and all of it.
    fn add_balances(&self, programme: &mut microlp::Problem, steps: &Steps, all: &[(Variable, Variable)]) {
        let places = self.places(steps);
        let mut used: Vec<Vec<(Variable, f64)>> = vec![Vec::new(); places.len()];
        let held: Vec<f64> =
            places.iter().map(|place| place.1 as f64 / self.scale.bytes() as f64 * UNIT).collect();
        for (step, &(_, share)) in steps.all.iter().zip(all) {
            let here = place(&places, step.source, step.from);
            used[here].push((share, 1.0));
            programme.add_constraint(used[here].clone(), ComparisonOp::Le, held[here]);
            if step.kind == Kind::Load {
                used[place(&places, step.source, step.to)].push((share, -1.0));
            }
        }
        for (used, held) in used.into_iter().zip(held) {
            programme.add_constraint(used, ComparisonOp::Eq, held);
        }
    }

    /// Where load of a source may be, and the bytes that are there from the begin.
    fn places(&self, steps: &Steps) -> Vec<(Place, u64)> {
        let supplies = supplies(self.scale.problem(), self.scale.bytes());
        let mut places: Vec<(Place, u64)> =
            (0..).zip(&supplies).map(|(source, supply)| ((source, supply.node), supply.bytes)).collect();
        // A step from where nothing comes any more is still one.
        for (source, node) in
            steps.all.iter().flat_map(|step| [step.from, step.to].map(|node| (step.source, node)))
        {
            if places.iter().all(|(place, _)| *place != (source, node)) {
                places.push(((source, node), 0));
            }
        }
        places
    }

    /// The steps with these shares, in whole bytes, run in the order of their times.
    fn rebuilt(&self, sized: &Sized) -> Option<Timed> {
        let (scale, mut steps) = (self.scale, sized.steps.clone());
        let mut places = self.places(&steps);
        // The last step of a node takes what is left.
        let mut last = vec![0; places.len()];
        for (number, step) in steps.all.iter().enumerate() {
            last[place(&places, step.source, step.from)] = number;
        }
        for (number, (step, &share)) in steps.all.iter_mut().zip(&sized.shares).enumerate() {
            let here = place(&places, step.source, step.from);
            let left = &mut places[here].1;
            let due = (share * scale.bytes() as f64).round() as u64;
            step.bytes = if last[here] == number { *left } else { due.min(*left) };
            *left -= step.bytes;
            step.ticks = match step.kind {
                Kind::Work => scale.work(step.from, step.bytes).0 * scale.costs().ticks_per_cycle(),
                _ => scale.message_ticks(scale.message(step.link, step.bytes)),
            };
            if step.bytes == 0 {
                return None;
            }
            if step.kind == Kind::Load {
                let there = place(&places, step.source, step.to);
                places[there].1 += step.bytes;
            }
        }
        let is_all = places.iter().all(|(_, left)| *left == 0);
        let times = run::in_order(scale, self.variant, &steps, &sized.begins)?;
        is_all.then_some((steps, times))
    }
}

/// The number of a place of a source.
fn place(places: &[(Place, u64)], source: usize, node: NodeId) -> usize {
    places.iter().position(|(place, _)| *place == (source, node)).expect("a place of a step")
}

impl Sized {
    /// The steps without some, and the times of the others.
    fn without(&self, is_gone: &dyn Fn(usize) -> bool) -> (Steps, Vec<u64>) {
        let kept = (0..self.begins.len()).filter(|&step| !is_gone(step));
        (self.steps.without(is_gone), kept.map(|step| self.begins[step]).collect())
    }
}
