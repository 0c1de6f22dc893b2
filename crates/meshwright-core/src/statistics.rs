//! Statistics of samples: means, medians, deviations and confidence intervals.

use serde::Serialize;

/// The mean of a sample and how sure it is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// How many values there are.
    pub count: usize,
    /// Their mean.
    pub mean: f64,
    /// The standard deviation of one value; 0 of fewer than two.
    pub deviation: f64,
    /// Half the width of the 95 % confidence interval of the mean; infinite for fewer than two values.
    pub ci95: f64,
}

/// The value in the middle; of an even number the mean of the two in the middle, of none none.
///
/// # Complexity
///
/// O(values log values).
///
/// # Examples
///
/// ```
/// use meshwright_core::statistics::median;
/// assert_eq!(median([3.0, 1.0, 2.0]), Some(2.0));
/// assert_eq!(median([4.0, 1.0, 2.0, 3.0]), Some(2.5));
/// assert_eq!(median([]), None);
/// ```
pub fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut ascending: Vec<f64> = values.into_iter().collect();
    ascending.sort_unstable_by(f64::total_cmp);
    let upper = *ascending.get(ascending.len() / 2)?;
    let lower = ascending[(ascending.len() - 1) / 2];
    Some(lower.midpoint(upper))
}

/// The mean of these values with its confidence interval; the mean of none is 0.
///
/// ```text
/// s^2 = sum (x - mean)^2 / (n - 1),    ci95 = t(n - 1) s / sqrt(n)
/// ```
///
/// # Complexity
///
/// O(values).
///
/// # Examples
///
/// ```
/// use meshwright_core::statistics::estimate;
/// let heights = estimate(&[1.0, 2.0, 3.0]);
/// assert_eq!((heights.mean, heights.deviation), (2.0, 1.0));
/// assert!((heights.ci95 - 4.3027 / 3f64.sqrt()).abs() < 1e-12);
/// ```
pub fn estimate(values: &[f64]) -> Estimate {
    let count = values.len();
    let mean = if count == 0 { 0.0 } else { values.iter().sum::<f64>() / count as f64 };
    if count < 2 {
        return Estimate { count, mean, deviation: 0.0, ci95: f64::INFINITY };
    }
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    let deviation = (squares / (count as f64 - 1.0)).sqrt();
    Estimate { count, mean, deviation, ci95: student_t95(count - 1) * deviation / (count as f64).sqrt() }
}

/// The 0.975 quantile of Student's t distribution: from a table up to 9 degrees of freedom, beyond by the
/// expansion around the normal quantile z, whose error is below 0.0002 there; infinite for 0 degrees.
///
/// # Source
///
/// `abramowitz1964`, formula 26.7.5 and table 26.10.
pub fn student_t95(degrees: usize) -> f64 {
    const TABLE: [f64; 9] = [12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622];
    if degrees == 0 {
        return f64::INFINITY;
    }
    if let Some(&quantile) = degrees.checked_sub(1).and_then(|index| TABLE.get(index)) {
        return quantile;
    }
    const Z: f64 = 1.959_964;
    let v = degrees as f64;
    let first = (Z.powi(3) + Z) / 4.0;
    let second = (5.0 * Z.powi(5) + 16.0 * Z.powi(3) + 3.0 * Z) / 96.0;
    let third = (3.0 * Z.powi(7) + 19.0 * Z.powi(5) + 17.0 * Z.powi(3) - 15.0 * Z) / 384.0;
    Z + first / v + second / v.powi(2) + third / v.powi(3)
}

#[cfg(test)]
mod tests {
    use super::student_t95;

    /// The density of t, up to a constant, integrated by Simpson's rule over 0 to x and 0 to infinity
    /// (substituting x = tan a): the share within plus and minus the quantile must be 95 %.
    #[test]
    fn the_quantile_leaves_a_fortieth_on_each_side() {
        for degrees in (1..=40).chain([100, 200]) {
            let v = degrees as f64;
            // (1 + tan^2/v)^(-(v+1)/2) / cos^2, bounded at the end of the range for every v >= 1.
            let density = |a: f64| {
                let (sin, cos) = a.sin_cos();
                let base: f64 = cos * cos + sin * sin / v;
                base.powf(-(v + 1.0) / 2.0) * cos.max(0.0).powf(v - 1.0)
            };
            let integral = |end: f64| {
                let n = 20_000;
                let h = end / f64::from(n);
                let weight = |i: i32| if i == 0 || i == n { 1.0 } else { f64::from(2 + 2 * (i % 2)) };
                (0..=n).map(|i| weight(i) * density(f64::from(i) * h)).sum::<f64>() * h / 3.0
            };
            let share = integral(student_t95(degrees).atan()) / integral(std::f64::consts::FRAC_PI_2);
            assert!((share - 0.95).abs() < 2e-5, "{degrees} degrees: {share}");
        }
    }
}
