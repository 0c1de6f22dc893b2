//! The discrete Poisson equation on a whole grid, solved by transforms along the axes.

use std::f64::consts::PI;
use std::sync::Arc;

use rustdct::TransformType2And3;
use rustdct::algorithm::Type2And3ConvertToFft;
use rustdct::num_complex::Complex;
use rustdct::rustfft::{Fft, FftDirection, FftPlannerScalar};

use meshwright_network::topology::{Grid, Topology};

/// How many lines across the memory are gathered at a time.
const BATCH: usize = 32;

/// Solves `sum over neighbours u of (phi_v - phi_u) = values_v` in place; the mean of the potential is 0.
///
/// The values should sum to 0; their mean is left out.
///
/// # Complexity
///
/// O(N log N): along each axis once there and once back. A mesh takes the cosine transform, whose waves have no
/// slope at the borders, a torus the Hartley transform.
pub(super) fn solve(grid: &Grid, values: &mut [f64]) {
    let mut axes: Vec<Axis> = (0..grid.dimensions()).rev().map(|axis| Axis::new(grid, axis)).collect();
    axes.iter_mut().for_each(|axis| axis.transform(values, false));
    divide(&axes, values);
    axes.iter_mut().rev().for_each(|axis| axis.transform(values, true));
}

/// Divides by the eigenvalues and by what a transform there and back multiplies with.
fn divide(axes: &[Axis], values: &mut [f64]) {
    let scale: f64 = axes.iter().map(Axis::scale).product();
    let (last, others) = axes.split_first().expect("a grid has an axis");
    for (row, line) in values.chunks_exact_mut(last.side).enumerate() {
        let first = row * last.side;
        let sum: f64 = others.iter().map(|axis| axis.eigenvalues[first / axis.stride % axis.side]).sum();
        for (value, eigenvalue) in line.iter_mut().zip(&last.eigenvalues) {
            *value /= (sum + eigenvalue) * scale;
        }
    }
    values[0] = 0.0;
}

/// What diagonalises the differences along one axis.
enum Waves {
    /// A line of one node has none.
    None,
    /// Two nodes: sum and difference.
    Pair,
    /// A path: cosines of half waves.
    Cosine(Arc<dyn TransformType2And3<f64>>),
    /// A ring: cosines plus sines of whole waves.
    Hartley(Arc<dyn Fft<f64>>),
}

/// One axis of the grid with its transform and the memory for it.
struct Axis {
    side: usize,
    stride: usize,
    waves: Waves,
    eigenvalues: Vec<f64>,
    lines: Vec<f64>,
    real: Vec<f64>,
    complex: Vec<Complex<f64>>,
    scratch: Vec<Complex<f64>>,
}

impl Axis {
    fn new(grid: &Grid, axis: usize) -> Self {
        let side = grid.sides()[axis] as usize;
        let stride = grid.sides()[axis + 1..].iter().map(|&side| side as usize).product();
        let ring = grid.wraps() && side > 2;
        let turn = if ring { 2.0 * PI } else { PI } / side as f64;
        // Not the planner that asks the processor what it can do: the same input shall give the same bits.
        let fft = FftPlannerScalar::new().plan_fft(side, FftDirection::Forward);
        let scratch = vec![Complex::ZERO; fft.get_inplace_scratch_len()];
        let waves = match side {
            1 => Waves::None,
            2 => Waves::Pair,
            _ if ring => Waves::Hartley(fft),
            _ => Waves::Cosine(Arc::new(Type2And3ConvertToFft::new(fft))),
        };
        let real = match &waves {
            Waves::Cosine(cosine) => vec![0.0; cosine.get_scratch_len()],
            _ => Vec::new(),
        };
        Self {
            side,
            stride,
            waves,
            // 2 - 2 cos x without the loss of digits at small x.
            eigenvalues: (0..side).map(|k| 4.0 * libm::sin(turn * k as f64 / 2.0).powi(2)).collect(),
            lines: vec![0.0; (side + 8) * BATCH],
            real,
            complex: vec![Complex::ZERO; side],
            scratch,
        }
    }

    /// What the transform there and back multiplies with.
    fn scale(&self) -> f64 {
        match self.waves {
            Waves::None => 1.0,
            Waves::Pair => 2.0,
            Waves::Cosine(_) => self.side as f64 / 2.0,
            Waves::Hartley(_) => self.side as f64,
        }
    }

    /// Transforms all lines along this axis.
    fn transform(&mut self, values: &mut [f64], back: bool) {
        let (side, stride) = (self.side, self.stride);
        match self.waves {
            Waves::None => {}
            Waves::Pair => {
                for block in values.chunks_exact_mut(2 * stride) {
                    let (low, high) = block.split_at_mut(stride);
                    low.iter_mut().zip(high).for_each(|(a, b)| (*a, *b) = (*a + *b, *a - *b));
                }
            }
            _ if stride == 1 => {
                for lines in values.chunks_mut(2 * side) {
                    self.two_lines(lines, side, back);
                }
            }
            _ => {
                for block in values.chunks_exact_mut(side * stride) {
                    for first in (0..stride).step_by(BATCH) {
                        self.batch(block, first, BATCH.min(stride - first), back);
                    }
                }
            }
        }
    }

    /// Transforms `count` neighbouring lines, of which each has its values `stride` apart.
    fn batch(&mut self, block: &mut [f64], first: usize, count: usize, back: bool) {
        let (side, stride) = (self.side, self.stride);
        // Lines lie a little more than their length apart: powers of two would all meet in one cache set.
        let pitch = side + 8;
        let mut lines = std::mem::take(&mut self.lines);
        for (i, values) in block.chunks_exact(stride).enumerate() {
            for (j, value) in values[first..first + count].iter().enumerate() {
                lines[j * pitch + i] = *value;
            }
        }
        lines[..count * pitch].chunks_mut(2 * pitch).for_each(|pair| self.two_lines(pair, pitch, back));
        for (i, values) in block.chunks_exact_mut(stride).enumerate() {
            for (j, value) in values[first..first + count].iter_mut().enumerate() {
                *value = lines[j * pitch + i];
            }
        }
        self.lines = lines;
    }

    /// Transforms the line at the beginning and, if there is one, the line `pitch` later. Lines of zeros stay.
    fn two_lines(&mut self, lines: &mut [f64], pitch: usize, back: bool) {
        let side = self.side;
        let (one, rest) = lines.split_at_mut(pitch);
        let (one, mut none) = (&mut one[..side], []);
        let two = if rest.is_empty() { &mut none[..] } else { &mut rest[..side] };
        if one.iter().chain(&*two).all(|&value| value == 0.0) {
            return;
        }
        match &self.waves {
            Waves::Cosine(cosine) => {
                for line in [one, two].into_iter().filter(|line| !line.is_empty()) {
                    if back {
                        cosine.process_dct3_with_scratch(line, &mut self.real);
                    } else {
                        cosine.process_dct2_with_scratch(line, &mut self.real);
                    }
                }
            }
            Waves::Hartley(fft) => {
                for (i, z) in self.complex.iter_mut().enumerate() {
                    *z = Complex::new(one[i], two.get(i).copied().unwrap_or(0.0));
                }
                fft.process_with_scratch(&mut self.complex, &mut self.scratch);
                // The spectrum of two real lines packed as real and imaginary part, taken apart again.
                let packed = |i: usize| (self.complex[i], self.complex[(side - i) % side]);
                for (i, value) in one.iter_mut().enumerate() {
                    let (z, mirror) = packed(i);
                    *value = (z.re + mirror.re - z.im + mirror.im) / 2.0;
                }
                for (i, value) in two.iter_mut().enumerate() {
                    let (z, mirror) = packed(i);
                    *value = (z.im + mirror.im + z.re - mirror.re) / 2.0;
                }
            }
            Waves::None | Waves::Pair => unreachable!("these have no lines to transform"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_core::units::{NodeId, Port};

    /// The potential put back into the equation gives the values, on every kind of axis.
    #[test]
    fn the_potential_solves_its_equation() {
        let mesh = |sides: &[u32]| Grid::mesh(sides).expect("a mesh");
        let torus = |sides: &[u32]| Grid::torus(sides).expect("a torus");
        let grids = [
            mesh(&[1]),
            mesh(&[7]),
            mesh(&[5, 1, 6]),
            mesh(&[33, 40]),
            mesh(&[2, 2, 2, 2]),
            torus(&[9]),
            torus(&[5, 2, 3]),
            torus(&[8, 35]),
            torus(&[3, 4, 5, 6]),
        ];
        for grid in grids {
            let n = grid.nodes();
            let mut values: Vec<f64> = (0..n).map(|i| f64::from(i * i % 11)).collect();
            let mean = values.iter().sum::<f64>() / f64::from(n);
            values.iter_mut().for_each(|value| *value -= mean);
            let mut potential = values.clone();
            solve(&grid, &mut potential);
            assert!(potential.iter().sum::<f64>().abs() < 1e-9, "{grid:?}");
            for v in 0..n {
                let neighbours =
                    (0..grid.ports(NodeId(v))).filter_map(|port| grid.neighbour(NodeId(v), Port(port)));
                let sum: f64 = neighbours.map(|u| potential[v as usize] - potential[u.index()]).sum();
                assert!((sum - values[v as usize]).abs() < 1e-10, "{grid:?}, node {v}");
            }
        }
    }
}
