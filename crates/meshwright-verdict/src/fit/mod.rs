//! The free constants of a machine, found from traces, and the error on traces that did not take part.
//!
//! | file | what |
//! |---|---|
//! | this one | [`fit`]: halves of the traces at random; the answer |
//! | `grid` | the values a constant may have, and the search along them |
//!
//! A constant that is fitted to a trace says nothing about it. So the traces are halved at random, again and again: the
//! constants found on one half predict the other. The same halves are predicted with the machine as it is given.

mod grid;

use std::collections::BTreeMap;

use rand::seq::SliceRandom;
use rayon::prelude::*;
use serde::Serialize;

use crate::transactions::{Recorded, Run, TraceVerdict, judge};
use grid::{Grid, Point, mean};
use meshwright_core::error::{Error, Result};
use meshwright_core::rng;
use meshwright_core::statistics::estimate;
use meshwright_network::topology::Machine;

/// A constant that may be changed.
#[derive(Clone, Debug, PartialEq)]
pub struct FreeConstant {
    /// Its key.
    pub name: String,
    /// Its value as given.
    pub value: f64,
    /// The values it may have, the given one among them.
    pub values: Vec<f64>,
}

impl FreeConstant {
    /// The number of the given value.
    fn start(&self) -> usize {
        self.values.iter().position(|value| *value == self.value).unwrap_or(0)
    }
}

/// How a machine is fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FitOptions {
    /// What is simulated.
    pub run: Run,
    /// How many random halves.
    pub folds: u32,
    /// What the halves follow from.
    pub seed: u64,
}

/// The least number of traces: two to fit, two to predict.
pub const TRACES_MIN: usize = 4;

/// The most constants at a time.
pub const CONSTANTS_MAX: usize = 6;

/// The answer to `fit`.
#[derive(Clone, Debug, Serialize)]
pub struct FitVerdict {
    /// The version of the form.
    pub format: u32,
    /// The machine.
    pub machine: String,
    /// `message` (flows) or `flit`.
    pub engine: &'static str,
    /// Whether the times of issue were left out.
    pub closed_loop: bool,
    /// What the halves follow from.
    pub seed: u64,
    /// The constants as all traces together choose them.
    pub free: BTreeMap<String, f64>,
    /// The same constants as given.
    pub given: BTreeMap<String, f64>,
    /// The mean over traces of the error of those predictions in which the trace was held out.
    pub error_mean: f64,
    /// By half: the mean error on the other half.
    pub error_held_out: HeldOut,
    /// The same halves, predicted with the constants as given.
    pub error_given: HeldOut,
    /// Halves in which the fitted constants predict better than the given ones, worse, and as well.
    pub fitted_better: u32,
    /// See `fitted_better`.
    pub fitted_worse: u32,
    /// The constants whose value found is the least or the greatest that was tried: a better one may lie beyond it.
    pub at_edge: Vec<String>,
    /// By constant, how often a half chose a value.
    pub chosen: BTreeMap<String, Vec<Chosen>>,
    /// Points of the grid that were simulated, each with every trace.
    pub points: usize,
    /// By trace.
    pub traces: Vec<TraceFit>,
}

/// Errors on traces that were held out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct HeldOut {
    /// Their mean over the halves.
    pub mean: f64,
    /// Their standard deviation over the halves.
    pub deviation: f64,
    /// How many halves.
    pub folds: u32,
}

/// How often a value was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Chosen {
    /// The value.
    pub value: f64,
    /// In how many halves.
    pub folds: u32,
}

/// What is known of one trace.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceFit {
    /// Its name.
    pub trace: String,
    /// The measured time.
    pub measured_cycles: u64,
    /// In how many halves it was held out.
    pub folds: u32,
    /// The mean of its errors there; `None` if it never was.
    pub error_held_out: Option<f64>,
    /// With the constants as given: (simulated - measured) / measured.
    pub error_given: f64,
}

/// The halves of so many traces: those to fit, those to predict, in the order of the traces.
///
/// # Examples
///
/// ```
/// use meshwright_verdict::fit::halves;
/// let three = halves(5, 3, 7);
/// assert_eq!(three.len(), 3);
/// assert!(three.iter().all(|[fit, held_out]| fit.len() == 2 && held_out.len() == 3));
/// assert_eq!(three, halves(5, 3, 7), "they follow from the seed");
/// ```
pub fn halves(traces: usize, folds: u32, seed: u64) -> Vec<[Vec<usize>; 2]> {
    let mut random = rng::stream(seed, "halves of traces");
    let mut half = || {
        let mut order: Vec<usize> = (0..traces).collect();
        order.shuffle(&mut random);
        let mut held_out = order.split_off(traces / 2);
        order.sort_unstable();
        held_out.sort_unstable();
        [order, held_out]
    };
    (0..folds).map(|_| half()).collect()
}

/// Finds the constants and the error they leave on traces that did not take part; `machine` is the one with such
/// constants, `told` hears of each point that was simulated.
///
/// # Errors
///
/// [`Error::Value`] when there are fewer than [`TRACES_MIN`] traces, a measured time is unknown, there is no constant or
/// more than [`CONSTANTS_MAX`]; as for [`judge`] of the machine as given. Values that a machine cannot have are passed over.
///
/// # Complexity
///
/// O(points looked at times traces) simulations, on all cores, whatever the number of halves.
pub fn fit(
    constants: &[FreeConstant],
    traces: &[Recorded<'_>],
    machine: impl Fn(&[f64]) -> Result<Machine>,
    options: FitOptions,
    told: impl FnMut(&[f64]),
) -> Result<FitVerdict> {
    check(constants, traces)?;
    let given: Vec<f64> = constants.iter().map(|constant| constant.values[constant.start()]).collect();
    let as_given = judged(&machine(&given)?, traces, options.run)?;
    let mut told = told;
    let mut grid = Grid::new(constants, |values: &[f64]| {
        let errors = match machine(values).and_then(|machine| judged(&machine, traces, options.run)) {
            Ok(verdicts) => Some(verdicts.iter().map(|verdict| error_of(verdict).abs()).collect()),
            // More than the routers or the file can have; the machine as given was accepted above.
            Err(Error::Value { .. } | Error::Parse(_)) => None,
            Err(other) => return Err(other),
        };
        told(values);
        Ok(errors)
    });
    let start = grid.start();
    grid.know(start.clone(), as_given.iter().map(|verdict| error_of(verdict).abs()).collect());
    let mut tally = Tally::new(traces.len());
    for [fitted, held_out] in halves(traces.len(), options.folds, options.seed) {
        let found = grid.search(&fitted)?;
        tally.given.push(mean(grid.errors(&start)?.expect("judged above"), &held_out));
        tally.add(&held_out, grid.errors(&found)?.expect("a search ends at a machine"));
        tally.found.push(found);
    }
    let all: Vec<usize> = (0..traces.len()).collect();
    let best = grid.search(&all)?;
    let named = |values: Vec<f64>| constants.iter().map(|one| one.name.clone()).zip(values).collect();
    let first = &as_given[0];
    Ok(FitVerdict {
        format: 1,
        machine: first.machine.clone(),
        engine: first.engine,
        closed_loop: options.run.closed_loop,
        seed: options.seed,
        free: named(grid.values(&best)),
        given: named(given),
        error_mean: tally.mean(),
        error_held_out: HeldOut::of(&tally.fitted),
        error_given: HeldOut::of(&tally.given),
        at_edge: at_edge(constants, &best),
        fitted_better: tally.count(|fitted, given| fitted < given),
        fitted_worse: tally.count(|fitted, given| fitted > given),
        chosen: tally.chosen(constants),
        points: grid.simulated(),
        traces: tally.traces(&as_given),
    })
}

/// The constants at the least or the greatest of several values. Nothing lies below 0.
fn at_edge(constants: &[FreeConstant], found: &Point) -> Vec<String> {
    let is_edge = |&(constant, &index): &(&FreeConstant, &usize)| {
        let (values, value) = (&constant.values, constant.values[index]);
        let is_least = value > 0.0 && values.iter().all(|other| *other >= value);
        values.len() > 1 && (is_least || values.iter().all(|other| *other <= value))
    };
    constants.iter().zip(found).filter(is_edge).map(|(constant, _)| constant.name.clone()).collect()
}

/// Refuses what cannot be fitted.
fn check(constants: &[FreeConstant], traces: &[Recorded<'_>]) -> Result<()> {
    if constants.is_empty() || constants.len() > CONSTANTS_MAX {
        let expected = format!("1 to {CONSTANTS_MAX} constants");
        return Err(Error::value("number of free constants", constants.len(), expected));
    }
    if traces.len() < TRACES_MIN {
        let expected = format!("at least {TRACES_MIN}: half of them fit, the other half is predicted");
        return Err(Error::value("number of traces", traces.len(), expected));
    }
    let known = |trace: &Recorded<'_>| trace.measured.is_some_and(|measured| measured.0 > 0);
    match traces.iter().find(|trace| !known(trace)) {
        Some(trace) => {
            let expected = "a trace whose measured time is known: a line with its name in traces.csv beside it \
                            (trace, measured_cycles)";
            Err(Error::value("trace", format!("`{}`", trace.name), expected))
        }
        None => Ok(()),
    }
}

/// The verdicts on all traces.
fn judged(machine: &Machine, traces: &[Recorded<'_>], run: Run) -> Result<Vec<TraceVerdict>> {
    traces.par_iter().map(|trace| judge(machine, trace, run)).collect()
}

fn error_of(verdict: &TraceVerdict) -> f64 {
    verdict.error.expect("every measured time is known")
}

/// What the halves gave.
struct Tally {
    fitted: Vec<f64>,
    given: Vec<f64>,
    found: Vec<Point>,
    /// By trace, its errors where it was held out: their sum and number.
    by_trace: Vec<(f64, u32)>,
}

impl Tally {
    fn new(traces: usize) -> Self {
        Self { fitted: Vec::new(), given: Vec::new(), found: Vec::new(), by_trace: vec![(0.0, 0); traces] }
    }

    fn add(&mut self, held_out: &[usize], errors: &[f64]) {
        self.fitted.push(mean(errors, held_out));
        for &trace in held_out {
            let (sum, count) = &mut self.by_trace[trace];
            (*sum, *count) = (*sum + errors[trace], *count + 1);
        }
    }

    fn means(&self) -> impl Iterator<Item = Option<f64>> {
        self.by_trace.iter().map(|&(sum, count)| (count > 0).then(|| sum / f64::from(count)))
    }

    fn mean(&self) -> f64 {
        let known: Vec<f64> = self.means().flatten().collect();
        known.iter().sum::<f64>() / known.len().max(1) as f64
    }

    fn count(&self, is: impl Fn(f64, f64) -> bool) -> u32 {
        self.fitted.iter().zip(&self.given).filter(|&(&fitted, &given)| is(fitted, given)).count() as u32
    }

    fn chosen(&self, constants: &[FreeConstant]) -> BTreeMap<String, Vec<Chosen>> {
        let of = |(axis, constant): (usize, &FreeConstant)| {
            let times = |index: usize| self.found.iter().filter(|point| point[axis] == index).count() as u32;
            let values = constant.values.iter().enumerate();
            let chosen = values.map(|(index, &value)| Chosen { value, folds: times(index) });
            (constant.name.clone(), chosen.filter(|chosen| chosen.folds > 0).collect())
        };
        constants.iter().enumerate().map(of).collect()
    }

    fn traces(&self, as_given: &[TraceVerdict]) -> Vec<TraceFit> {
        let one = |((verdict, mean), &(_, folds)): ((&TraceVerdict, Option<f64>), &(f64, u32))| TraceFit {
            trace: verdict.trace.clone(),
            measured_cycles: verdict.measured_cycles.expect("every measured time is known"),
            folds,
            error_held_out: mean,
            error_given: error_of(verdict),
        };
        as_given.iter().zip(self.means()).zip(&self.by_trace).map(one).collect()
    }
}

impl HeldOut {
    /// Of the errors of all halves.
    fn of(errors: &[f64]) -> Self {
        let estimate = estimate(errors);
        Self { mean: estimate.mean, deviation: estimate.deviation, folds: errors.len() as u32 }
    }
}
