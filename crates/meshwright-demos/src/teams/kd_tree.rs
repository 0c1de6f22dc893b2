//! A k-d tree over one point of each member: a team splits at the median of its longer side, until each is alone.

use meshwright_groups::nested::Team;

/// A point of the plane.
pub type Point = [f64; 2];

/// The way from the root of the tree to a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// How many cuts lead to it.
    pub depth: u32,
    /// By cut from the first one, bit i: whether the point is in the upper part.
    pub path: u64,
}

/// Where this member's point stands in the tree of the points of its team.
///
/// Lower parts have `floor(s / 2)` points; equal coordinates are told apart by the other one, and equal points by rank.
///
/// # Panics
///
/// When a coordinate is not a number, or there are more than 2^64 members.
///
/// # Complexity
///
/// `log2 s` levels, in each of them one message up and two down for every member of a team of s, of O(s) bytes.
pub async fn leaf(team: &mut Team, point: Point) -> Leaf {
    below(team, point, Leaf { depth: 0, path: 0 }).await
}

async fn below(team: &mut Team, point: Point, at: Leaf) -> Leaf {
    if team.size() == 1 {
        return at;
    }
    let own = (point[0], point[1]);
    let wider = |a: (f64, f64), b: (f64, f64), by: fn(f64, f64) -> f64| (by(a.0, b.0), by(a.1, b.1));
    let (low, high) =
        team.all_reduce_with((own, own), |a, b| (wider(a.0, b.0, f64::min), wider(a.1, b.1, f64::max))).await;
    let axis = usize::from(high.1 - low.1 > high.0 - low.0);
    let rank = team.rank();
    let mut all = team.gather_to_all((point[axis], point[1 - axis], rank)).await;
    all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
    let place = all.iter().position(|&(.., other)| other == rank).expect("its own point is among them");
    let is_upper = place >= all.len() / 2;
    let next = Leaf { depth: at.depth + 1, path: at.path | u64::from(is_upper) << at.depth };
    team.switch(is_upper.into(), async |part| below(part, point, next).await).await
}

/// The same tree by one processor, which sorts its list again at each cut: the leaves by point.
pub fn leaves(points: &[Point]) -> Vec<Leaf> {
    let mut leaves = vec![Leaf { depth: 0, path: 0 }; points.len()];
    let mut open = vec![(0..points.len()).collect::<Vec<usize>>()];
    while let Some(some) = open.pop() {
        if some.len() < 2 {
            continue;
        }
        let side = |axis: usize| {
            let of = some.iter().map(|&at| points[at][axis]);
            of.clone().fold(f64::NEG_INFINITY, f64::max) - of.fold(f64::INFINITY, f64::min)
        };
        let axis = if side(1) > side(0) { 1 } else { 0 };
        let mut sorted = some.clone();
        sorted.sort_by(|&a, &b| {
            let key = |at: usize| (points[at][axis], points[at][1 - axis]);
            key(a).partial_cmp(&key(b)).expect("numbers").then(a.cmp(&b))
        });
        let (lower, upper) = sorted.split_at(sorted.len() / 2);
        for &at in upper {
            leaves[at].path |= 1 << leaves[at].depth;
        }
        for &at in &sorted {
            leaves[at].depth += 1;
        }
        // Old ranks decide between equal points.
        for part in [lower, upper] {
            let mut part = part.to_vec();
            part.sort_unstable();
            open.push(part);
        }
    }
    leaves
}
