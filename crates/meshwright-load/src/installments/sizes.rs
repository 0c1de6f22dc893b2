//! Sizes of installments: small ones first, so that all begin soon, large ones to save start-ups, small ones at the
//! end, so that nobody waits for the last.

/// The sizes of installments, against the largest.
///
/// ```text
/// size j = min(1, first * rise^j, last * fall^(n - 1 - j)),  j = 0 .. n - 1
/// ```
///
/// Links that carry little get fewer of them, by [`Layout`](super::layout::Layout); then n is what makes as many messages as
/// `installments` over every link.
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
    /// The place in [`THINNINGS`].
    pub(super) thinning: usize,
}

impl Sizes {
    /// So many, the rest from the tables.
    pub(super) fn at(installments: u32, [first, rise, last, fall, thinning]: SizePlaces) -> Self {
        let (first, rise, last, fall) = (ENDS[first], STEPS[rise], ENDS[last], STEPS[fall]);
        Self { installments, first, rise, last, fall, thinning }
    }

    /// All alike.
    pub(super) fn equal(installments: u32) -> Self {
        Self { installments, first: 1.0, rise: 1.0, last: 1.0, fall: 1.0, thinning: 0 }
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
        moments.sort_unstable_by(f64::total_cmp);
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

/// How much less often links pass on that carry less.
pub(super) const THINNINGS: &[f64] = &[0.0, 0.25, 0.5, 0.75, 1.0];

/// How many installments are tried.
pub(super) const COUNTS: &[u32] = &[
    1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 100, 130, 170, 220, 300, 400,
    600, 1000, 2000,
];

/// The places of five of the sizes in their tables, in the order of [`Sizes`].
pub(super) type SizePlaces = [usize; 5];

/// Where a search begins that knows nothing.
pub(super) const GUESS: SizePlaces = [2, 7, 5, 4, 0];

/// Where one begins that wants all alike.
pub(super) const EQUAL: SizePlaces = [0, 7, 0, 4, 0];

/// The numbers of installments up to the most, which is one of them.
pub(super) fn counts_up_to(most: u32) -> Vec<u32> {
    COUNTS.iter().copied().filter(|&count| count < most).chain([most]).collect()
}

/// Which sizes a search looks at.
pub(super) struct SizeSearch<'c> {
    pub(super) counts: &'c [u32],
    /// The place in them where it begins, and those of the sizes.
    pub(super) begin: usize,
    pub(super) guess: SizePlaces,
    /// How many of [`THINNINGS`] are tried.
    pub(super) thinnings: usize,
    /// How many sizes are tried.
    pub(super) tries: usize,
}

/// Sizes with the least time among those a search meets, with their places: from a guess one number after the other is
/// moved until none helps. `time` judges them.
pub(super) fn search(asked: &SizeSearch, mut time: impl FnMut(&Sizes) -> u64) -> (SizePlaces, Sizes, u64) {
    let &SizeSearch { counts, begin, guess, thinnings, tries } = asked;
    let sizes = |&[count, first, rise, last, fall, thinning]: &[usize; 6]| {
        Sizes::at(counts[count], [first, rise, last, fall, thinning])
    };
    let lengths = [counts.len(), ENDS.len(), STEPS.len(), ENDS.len(), STEPS.len(), thinnings];
    let [first, rise, last, fall, thinning] = guess;
    let mut best = [begin, first, rise, last, fall, thinning];
    let mut least = time(&sizes(&best));
    // With as many as there may be the sizes come first.
    let (mut tried, mut since, mut axis) = (1, 0, usize::from(begin + 1 == counts.len()));
    while since < lengths.len() && tried < tries {
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
        axis = (axis + 1) % lengths.len();
    }
    let [_, first, rise, last, fall, thinning] = best;
    ([first, rise, last, fall, thinning], sizes(&best), least)
}
