//! A grid of values of free constants, and the search along its axes.

use std::collections::BTreeMap;

use super::FreeConstant;
use meshwright_core::error::Result;

/// A point of a grid: for each constant the number of its value.
pub(super) type Point = Vec<usize>;

/// The points that were looked at, with the error of every trace; `None` where the machine cannot have these values.
pub(super) struct Grid<'c, M> {
    constants: &'c [FreeConstant],
    measure: M,
    known: BTreeMap<Point, Option<Vec<f64>>>,
}

/// The most rounds over all constants.
const ROUNDS_MAX: usize = 8;

impl<'c, M: FnMut(&[f64]) -> Result<Option<Vec<f64>>>> Grid<'c, M> {
    pub(super) fn new(constants: &'c [FreeConstant], measure: M) -> Self {
        Self { constants, measure, known: BTreeMap::new() }
    }

    /// The values of the machine's file.
    pub(super) fn start(&self) -> Point {
        self.constants.iter().map(FreeConstant::start).collect()
    }

    /// Takes the errors of a point that is known already.
    pub(super) fn know(&mut self, point: Point, errors: Vec<f64>) {
        self.known.insert(point, Some(errors));
    }

    /// The values of a point.
    pub(super) fn values(&self, point: &[usize]) -> Vec<f64> {
        self.constants.iter().zip(point).map(|(constant, &index)| constant.values[index]).collect()
    }

    /// How many points were simulated.
    pub(super) fn simulated(&self) -> usize {
        self.known.len()
    }

    /// The errors of all traces at a point.
    pub(super) fn errors(&mut self, point: &Point) -> Result<Option<&[f64]>> {
        if !self.known.contains_key(point) {
            let values = self.values(point);
            let errors = (self.measure)(&values)?;
            self.known.insert(point.clone(), errors);
        }
        Ok(self.known[point].as_deref())
    }

    /// The best point that a search along one axis after the other finds for some traces: the least mean error, of equal
    /// ones that nearest to the start.
    pub(super) fn search(&mut self, traces: &[usize]) -> Result<Point> {
        let start = self.start();
        let mut at = start.clone();
        for _ in 0..ROUNDS_MAX {
            let before = at.clone();
            for axis in 0..at.len() {
                let mut best = (f64::INFINITY, usize::MAX, at[axis]);
                for index in 0..self.constants[axis].values.len() {
                    let mut point = at.clone();
                    point[axis] = index;
                    let error = self.errors(&point)?.map_or(f64::INFINITY, |errors| mean(errors, traces));
                    let found = (error, index.abs_diff(start[axis]), index);
                    if (found.0, found.1) < (best.0, best.1) {
                        best = found;
                    }
                }
                at[axis] = best.2;
            }
            if at == before {
                break;
            }
        }
        Ok(at)
    }
}

/// The mean of some of the errors.
pub(super) fn mean(errors: &[f64], traces: &[usize]) -> f64 {
    traces.iter().map(|&trace| errors[trace]).sum::<f64>() / traces.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn constant(name: &str, value: f64, values: &[f64]) -> FreeConstant {
        FreeConstant { name: name.to_string(), value, values: values.to_vec() }
    }

    #[test]
    fn a_search_finds_the_valley_and_measures_each_point_once() {
        let steps = [0.0, 1.0, 2.0, 3.0, 4.0];
        let constants = [constant("a", 0.0, &steps), constant("b", 4.0, &steps)];
        let mut runs = 0;
        let mut grid = Grid::new(&constants, |values: &[f64]| {
            runs += 1;
            let error =
                (values[0] - 3.0).abs() + (values[1] - 1.0).abs() + 0.5 * (values[0] - values[1]).abs();
            // Where both are 4 there is no such machine.
            Ok((values != [4.0, 4.0]).then(|| vec![error, 100.0]))
        });
        let found = grid.search(&[0]).unwrap();
        let at_best = grid.errors(&found).unwrap().unwrap()[0];
        for (axis, index) in (0..2).flat_map(|axis| (0..5).map(move |index| (axis, index))) {
            let mut beside = found.clone();
            beside[axis] = index;
            let error = grid.errors(&beside).unwrap().map_or(f64::INFINITY, |errors| errors[0]);
            assert!(error >= at_best, "{found:?} is the least along both axes: {beside:?}");
        }
        // For a trace whose error is the same everywhere nothing changes.
        assert_eq!(grid.search(&[1]).unwrap(), [0, 4]);
        let points = grid.simulated();
        drop(grid);
        assert!(runs == points && runs <= 25, "{runs} {points}");
    }
}
