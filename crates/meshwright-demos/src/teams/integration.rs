//! Adaptive integration: a team halves its interval, splits as difficult as the halves are, and joins again.

use meshwright_groups::nested::Team;

/// What is integrated.
pub type Function = fn(f64) -> f64;

/// Simpson's rule over an interval, and over its two halves.
fn simpson(f: Function, from: f64, to: f64) -> (f64, f64) {
    let rule = |a: f64, b: f64| (b - a) / 6.0 * (f(a) + 4.0 * f((a + b) / 2.0) + f(b));
    let middle = (from + to) / 2.0;
    (rule(from, to), rule(from, middle) + rule(middle, to))
}

/// The integral over an interval by one processor: halved until Simpson's rule and that over the halves differ by less than
/// 15 times the tolerance.
pub fn alone(f: Function, from: f64, to: f64, tolerance: f64) -> f64 {
    let (whole, halves) = simpson(f, from, to);
    if (whole - halves).abs() <= 15.0 * tolerance {
        return halves + (halves - whole) / 15.0;
    }
    let middle = (from + to) / 2.0;
    alone(f, from, middle, tolerance / 2.0) + alone(f, middle, to, tolerance / 2.0)
}

/// What each member did: the intervals it integrated alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Integral {
    /// Over all intervals.
    pub value: f64,
    /// How many times this member's team was split.
    pub splits: u32,
}

/// The integrals over consecutive intervals, summed up: for each of them the team splits and is one team again.
pub async fn integral(team: &mut Team, f: Function, bounds: &[f64], tolerance: f64) -> Integral {
    let (mut value, mut splits) = (0.0, 0);
    for ends in bounds.windows(2) {
        let part = over(team, f, (ends[0], ends[1]), tolerance).await;
        value += part.value;
        splits += part.splits;
    }
    Integral { value, splits }
}

/// Over one interval, known to all members of the team at the end.
async fn over(team: &mut Team, f: Function, (from, to): (f64, f64), tolerance: f64) -> Integral {
    let (whole, halves) = simpson(f, from, to);
    let is_easy = (whole - halves).abs() <= 15.0 * tolerance;
    if team.size() == 1 || is_easy {
        // All members compute an easy interval, and none of them needs to be told.
        return Integral { value: alone(f, from, to, tolerance), splits: 0 };
    }
    let (middle, size) = ((from + to) / 2.0, team.size());
    let error = |(whole, halves): (f64, f64)| (whole - halves).abs();
    let (left, right) = (error(simpson(f, from, middle)), error(simpson(f, middle, to)));
    let share = (f64::from(size) * left / (left + right).max(f64::MIN_POSITIVE)).round() as u32;
    let lower = share.clamp(1, size - 1);
    let is_upper = team.rank() >= lower;
    let half = if is_upper { (middle, to) } else { (from, middle) };
    let is_first = [0, lower].contains(&team.rank());
    let part = team.switch(is_upper.into(), async |part| over(part, f, half, tolerance / 2.0).await).await;
    // One of each half tells the others.
    let mut own = (0.0, 0.0);
    match (is_first, is_upper) {
        (true, false) => own.0 = part.value,
        (true, true) => own.1 = part.value,
        (false, _) => {}
    }
    let (left, right) = team.all_reduce_with(own, |a, b| (a.0 + b.0, a.1 + b.1)).await;
    Integral { value: left + right, splits: part.splits + 1 }
}
