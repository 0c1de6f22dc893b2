//! Sizes of installments: small ones first, so that all begin soon, large ones to save start-ups, small ones at the
//! end, so that nobody waits for the last.

/// The sizes of installments, against the largest.
///
/// ```text
/// size j = min(1, first * rise^j, last * fall^(n - 1 - j)),  j = 0 .. n - 1
/// ```
///
/// # Source
///
/// `yang2003`: rounds that grow while start-ups are many and shrink towards the end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sizes {
    pub(super) installments: u32,
    pub(super) first: f64,
    pub(super) rise: f64,
    pub(super) last: f64,
    pub(super) fall: f64,
}

impl Sizes {
    /// All alike.
    pub(super) fn equal(installments: u32) -> Self {
        Self { installments, first: 1.0, rise: 1.0, last: 1.0, fall: 1.0 }
    }

    /// The shares of the installments; they sum to 1.
    pub(super) fn shares(&self) -> Vec<f64> {
        let count = self.installments as i32;
        let size = |j: i32| {
            let (up, down) = (self.first * self.rise.powi(j), self.last * self.fall.powi(count - 1 - j));
            up.min(down).min(1.0)
        };
        let sizes: Vec<f64> = (0..count).map(size).collect();
        let sum: f64 = sizes.iter().sum();
        sizes.into_iter().map(|size| size / sum).collect()
    }

    /// The ends of the installments on a time from `from` to the last of `ends`; each of those, in increasing order, is
    /// one as well.
    pub(super) fn moments(&self, from: f64, ends: &[f64]) -> Vec<f64> {
        let until = ends.last().copied().unwrap_or(from);
        let (mut sum, mut moments) = (0.0, ends.to_vec());
        for share in self.shares() {
            sum += share;
            moments.push(from + sum * (until - from));
        }
        moments.sort_by(f64::total_cmp);
        // What would end just before or after such an end ends with it.
        let near = 1e-9 * (until - from);
        let mut kept: Vec<f64> = Vec::with_capacity(moments.len());
        for moment in moments {
            let is_end = ends.contains(&moment);
            match kept.last() {
                Some(&before) if moment - before > near => kept.push(moment),
                Some(&before) if is_end && !ends.contains(&before) => {
                    kept.pop();
                    kept.push(moment);
                }
                Some(_) => {}
                None if moment > from => kept.push(moment),
                None => {}
            }
        }
        kept.retain(|moment| *moment <= until);
        kept
    }
}

/// What each of the sizes may be.
const ENDS: &[f64] = &[1.0, 0.5, 0.25, 0.1, 0.05, 0.02, 0.01, 0.003, 0.001, 1e-4];
const STEPS: &[f64] = &[1.05, 1.1, 1.15, 1.2, 1.3, 1.45, 1.7, 2.0, 2.5, 3.5, 6.0];
const COUNTS: &[u32] = &[
    1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 100, 130, 170, 220, 300, 400,
    600, 1000,
];

/// Sizes with the least time among those a search meets: from a good guess one number after the other is moved
/// until none helps. `time` judges sizes, of at most `most` installments, at most `tries` times.
pub(super) fn search(most: u32, tries: usize, mut time: impl FnMut(&Sizes) -> u64) -> (Sizes, u64) {
    let mut counts: Vec<u32> = COUNTS.iter().copied().filter(|&count| count < most).collect();
    counts.push(most);
    let sizes = |places: &[usize; 5]| Sizes {
        installments: counts[places[0]],
        first: ENDS[places[1]],
        rise: STEPS[places[2]],
        last: ENDS[places[3]],
        fall: STEPS[places[4]],
    };
    let lengths = [counts.len(), ENDS.len(), STEPS.len(), ENDS.len(), STEPS.len()];
    let mut best = [counts.len() / 2, 2, 7, 5, 4];
    let mut least = time(&sizes(&best));
    let (mut tried, mut since, mut axis) = (1, 0, 0);
    while since < 5 && tried < tries {
        let before = least;
        for (down, step) in [(false, 2), (true, 2), (false, 1), (true, 1)] {
            loop {
                let mut places = best;
                places[axis] = match down {
                    true => match places[axis].checked_sub(step) {
                        Some(place) => place,
                        None => break,
                    },
                    false if places[axis] + step < lengths[axis] => places[axis] + step,
                    false => break,
                };
                tried += 1;
                let found = time(&sizes(&places));
                if found >= least || tried >= tries {
                    break;
                }
                (best, least) = (places, found);
            }
        }
        since = if least < before { 0 } else { since + 1 };
        axis = (axis + 1) % 5;
    }
    (sizes(&best), least)
}
