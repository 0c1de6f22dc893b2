//! The linear programme of sizes: when messages that keep their order begin, and how large they are.

use microlp::{ComparisonOp, OptimizationDirection, Variable};

use super::Task;
use super::resize::{FINE, Sized, place};
use super::run;
use super::steps::{Kind, Steps};

/// The whole load, for the solver.
const UNIT: f64 = 100.0;

/// What ends so little after another begins, in parts of [`FINE`], ends before it.
const ROUNDING: u64 = 1 << 10;

/// When a step begins and ends.
pub(super) type Span = (u64, u64);

/// When a step begins, and its share of the load: of what it carries, or works off.
type Column = (Variable, Variable);

impl Task<'_, '_, '_> {
    /// The sizes with which steps end the earliest, where every link, port and processor serves in the order of these times, and room is
    /// used again by whom it was.
    pub(super) fn programme(&self, steps: Steps, spans: &[Span]) -> Option<Sized> {
        let (scale, problem) = (self.scale, self.scale.problem());
        let mut programme = microlp::Problem::new(OptimizationDirection::Minimize);
        let end = programme.add_var(1.0, (0.0, f64::INFINITY));
        let all: Vec<Column> = (steps.all.iter())
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
        for (before, next) in run::successions(scale, self.variant, &steps, |step| spans[step].0) {
            after(before, all[next].0);
        }
        let rooms = self.rooms(&steps, spans);
        for (begun, over, next) in &rooms {
            over.iter().for_each(|&before| after(before, all[*next].0));
            debug_assert!(begun.contains(next));
        }
        self.add_rooms(&mut programme, &all, &rooms);
        self.add_balances(&mut programme, &steps, &all);
        self.add_results(&mut programme, &steps, &all);
        let solution = programme.solve().ok()?.into_solution().ok()?;
        let value = |variable: Variable| (solution.var_value(variable) / UNIT).max(0.0);
        let shares: Vec<f64> = all.iter().map(|&(_, share)| value(share)).collect();
        let fine = |time: f64| (time * FINE) as u64;
        let span = |(step, &(begin, _)): (usize, &Column)| {
            let (fixed, slow) = time(step);
            (fine(value(begin)), fine(value(begin) + fixed / UNIT + slow * shares[step]))
        };
        let spans = all.iter().enumerate().map(span).collect();
        Some(Sized { steps, spans, shares, end: value(end) })
    }

    /// A node sends on and works off what it has, by source, and all of it.
    fn add_balances(&self, programme: &mut microlp::Problem, steps: &Steps, all: &[Column]) {
        let places = self.places(steps);
        let mut used: Vec<Vec<(Variable, f64)>> = vec![Vec::new(); places.len()];
        let held: Vec<f64> =
            places.iter().map(|place| place.1 as f64 / self.scale.bytes() as f64 * UNIT).collect();
        for (step, &(_, share)) in steps.all.iter().zip(all).filter(|(step, _)| step.kind != Kind::Back) {
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

    /// Results set out when they are there, and all of them, but from where they go.
    fn add_results(&self, programme: &mut microlp::Problem, steps: &Steps, all: &[Column]) {
        if self.variant.results == 0.0 {
            return;
        }
        let places = self.places(steps);
        let mut used: Vec<Vec<(Variable, f64)>> = vec![Vec::new(); places.len()];
        for (step, &(_, share)) in steps.all.iter().zip(all).filter(|(step, _)| step.kind != Kind::Load) {
            let here = place(&places, step.source, step.from);
            if step.kind == Kind::Work {
                used[here].push((share, -self.variant.results));
                continue;
            }
            used[here].push((share, 1.0));
            programme.add_constraint(used[here].clone(), ComparisonOp::Le, 0.0);
            used[place(&places, step.source, step.to)].push((share, -1.0));
        }
        for (&((source, node), _), used) in places.iter().zip(used) {
            if node != self.home(source) {
                programme.add_constraint(used, ComparisonOp::Eq, 0.0);
            }
        }
    }

    /// For each message of load that takes room, those that have begun to take room there until it begins, itself too, and those that
    /// have given it back.
    fn rooms(&self, steps: &Steps, spans: &[Span]) -> Vec<(Vec<usize>, Vec<usize>, usize)> {
        let takes_room = |step: usize| {
            let to = steps.all[step].to;
            steps.all[step].kind == Kind::Load
                && run::takes_room(self.scale, self.variant, &steps.all[step], to)
        };
        let of_message = |next: usize| {
            let (to, begin) = (steps.all[next].to, (spans[next].0, next));
            let others = || (0..steps.all.len()).filter(|&step| step != next);
            let begun = others().filter(|&step| {
                steps.all[step].to == to && takes_room(step) && (spans[step].0, step) < begin
            });
            let over = others().filter(|&step| {
                let given = &steps.all[step];
                given.from == to
                    && given.kind != Kind::Back
                    && run::takes_room(self.scale, self.variant, given, to)
                    && spans[step].1 <= begin.0 + ROUNDING
            });
            (begun.chain([next]).collect(), over.collect(), next)
        };
        (0..steps.all.len()).filter(|&step| takes_room(step)).map(of_message).collect()
    }

    fn add_rooms(
        &self,
        programme: &mut microlp::Problem,
        all: &[Column],
        rooms: &[(Vec<usize>, Vec<usize>, usize)],
    ) {
        let Some(memory) = self.variant.memory else { return };
        // Sizes are whole bytes.
        let room = memory - 2.0 * all.len() as f64 / self.scale.bytes() as f64;
        for (begun, over, _) in rooms {
            let taken = begun.iter().map(|&step| (all[step].1, 1.0));
            let given = over.iter().map(|&step| (all[step].1, -1.0));
            programme.add_constraint(taken.chain(given).collect::<Vec<_>>(), ComparisonOp::Le, room * UNIT);
        }
    }
}
