//! Poisson's equation in one dimension, `-u\'\' = f` on the unit interval with u = 0 at its ends, by V-cycles of multigrid.
//!
//! Each member has a block of consecutive points. Where a coarser level would leave a member one point, the upper of two
//! neighbours hands its block to the lower one and waits, and the lower ones are a team of half the size.

use meshwright_groups::nested::Team;

/// Weighted Jacobi steps before and after the coarser level.
const STEPS: u32 = 2;

/// The weight of a new value.
const WEIGHT: f64 = 2.0 / 3.0;

/// One step of weighted Jacobi at a point with its neighbours.
fn smoothed([left, here, right]: [f64; 3], f: f64, h: f64) -> f64 {
    here + WEIGHT * ((left + right + h * h * f) / 2.0 - here)
}

/// What is missing at a point.
fn residual([left, here, right]: [f64; 3], f: f64, h: f64) -> f64 {
    f - (2.0 * here - left - right) / (h * h)
}

/// The value just below the block of this member and just above it, 0 beyond the ends.
async fn beside(team: &mut Team, block: &[f64]) -> (f64, f64) {
    let (rank, last) = (team.rank(), team.size() - 1);
    let (lowest, highest) = (block[0], block[block.len() - 1]);
    if rank > 0 {
        team.send(rank - 1, &lowest).await;
    }
    if rank < last {
        team.send(rank + 1, &highest).await;
    }
    let left = if rank > 0 { team.receive(rank - 1).await } else { 0.0 };
    let right = if rank < last { team.receive(rank + 1).await } else { 0.0 };
    (left, right)
}

/// A function of each point with its neighbours; point 0 of the first block is the end of the interval, and 0.
async fn at_each(team: &mut Team, block: &[f64], f: &[f64], of: impl Fn([f64; 3], f64) -> f64) -> Vec<f64> {
    let (left, right) = beside(team, block).await;
    let value = |at: isize| match usize::try_from(at) {
        Err(_) => left,
        Ok(at) => block.get(at).copied().unwrap_or(right),
    };
    let first = usize::from(team.rank() == 0);
    let mut all: Vec<f64> = (0..block.len() as isize)
        .map(|at| of([value(at - 1), value(at), value(at + 1)], f[at as usize]))
        .collect();
    all[..first].fill(0.0);
    all
}

/// One V-cycle: better values in place of those of this member's block. All blocks have the same number of points, a
/// power of two; h is the distance of two points.
pub async fn v_cycle(team: &mut Team, mut u: Vec<f64>, f: &[f64], h: f64) -> Vec<f64> {
    if team.size() == 1 && u.len() == 2 {
        u[1] = f[1] * h * h / 2.0;
        return u;
    }
    if u.len() == 1 {
        return merged(team, &u, f, h).await;
    }
    team.introduce().await;
    for _ in 0..STEPS {
        u = at_each(team, &u, f, |three, f| smoothed(three, f, h)).await;
    }
    let missing = at_each(team, &u, f, |three, f| residual(three, f, h)).await;
    let zero = vec![0.0; u.len()];
    let restricted = at_each(team, &missing, &zero, |[a, b, c], _| (a + 2.0 * b + c) / 4.0).await;
    let coarse_f: Vec<f64> = restricted.into_iter().step_by(2).collect();
    let start = vec![0.0; coarse_f.len()];
    let coarse = team.call(async |team| v_cycle(team, start, &coarse_f, 2.0 * h).await).await;
    let (_, beyond) = beside(team, &coarse).await;
    for (at, value) in u.iter_mut().enumerate() {
        let here = coarse[at / 2];
        *value +=
            if at % 2 == 0 { here } else { (here + coarse.get(at / 2 + 1).copied().unwrap_or(beyond)) / 2.0 };
    }
    for _ in 0..STEPS {
        u = at_each(team, &u, f, |three, f| smoothed(three, f, h)).await;
    }
    u
}

/// The same by half of the members, each with the blocks of two.
async fn merged(team: &mut Team, u: &[f64], f: &[f64], h: f64) -> Vec<f64> {
    team.introduce().await;
    let (rank, points) = (team.rank(), u.len());
    let is_lower = rank % 2 == 0;
    let (mut u, mut f) = (u.to_vec(), f.to_vec());
    if is_lower {
        let (more_u, more_f): (Vec<f64>, Vec<f64>) = team.receive(rank + 1).await;
        u.extend(more_u);
        f.extend(more_f);
    } else {
        team.send(rank - 1, &(u.clone(), f.clone())).await;
    }
    let u = team
        .switch(u32::from(!is_lower), async |part| if is_lower { v_cycle(part, u, &f, h).await } else { u })
        .await;
    if is_lower {
        team.send(rank + 1, &u[points..].to_vec()).await;
        u[..points].to_vec()
    } else {
        team.receive(rank - 1).await
    }
}

/// So many V-cycles from 0 by one processor with all points, the first of which is the end of the interval.
///
/// # Panics
///
/// When the number of points is no power of two, or 1.
pub fn alone(f: &[f64], cycles: u32) -> Vec<f64> {
    assert!(f.len() > 1 && f.len().is_power_of_two(), "a power of two");
    let mut u = vec![0.0; f.len()];
    for _ in 0..cycles {
        cycle(&mut u, f, 1.0 / f.len() as f64);
    }
    u
}

fn cycle(u: &mut Vec<f64>, f: &[f64], h: f64) {
    let points = u.len();
    if points == 2 {
        u[1] = f[1] * h * h / 2.0;
        return;
    }
    let three = |of: &[f64], at: usize| [of[at - 1], of[at], of.get(at + 1).copied().unwrap_or(0.0)];
    let smooth = |u: &mut Vec<f64>| {
        let old = u.clone();
        (1..points).for_each(|at| u[at] = smoothed(three(&old, at), f[at], h));
    };
    (0..STEPS).for_each(|_| smooth(u));
    let mut missing = vec![0.0; points];
    (1..points).for_each(|at| missing[at] = residual(three(u, at), f[at], h));
    let mut coarse_f = vec![0.0; points / 2];
    for (at, value) in coarse_f.iter_mut().enumerate().skip(1) {
        let [a, b, c] = three(&missing, 2 * at);
        *value = (a + 2.0 * b + c) / 4.0;
    }
    let mut coarse = vec![0.0; points / 2];
    cycle(&mut coarse, &coarse_f, 2.0 * h);
    for at in 1..points {
        let here = coarse[at / 2];
        u[at] +=
            if at % 2 == 0 { here } else { (here + coarse.get(at / 2 + 1).copied().unwrap_or(0.0)) / 2.0 };
    }
    (0..STEPS).for_each(|_| smooth(u));
}

/// The largest residual, a measure of what is missing.
pub fn largest_residual(u: &[f64], f: &[f64]) -> f64 {
    let h = 1.0 / u.len() as f64;
    let three = |at: usize| [u[at - 1], u[at], u.get(at + 1).copied().unwrap_or(0.0)];
    (1..u.len()).map(|at| residual(three(at), f[at], h).abs()).fold(0.0, f64::max)
}
