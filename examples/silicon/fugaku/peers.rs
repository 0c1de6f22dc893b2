//! Who exchanges with whom, step by step, nearest first, as `HLC-Lab/bine_trees_fugaku` at a61e2dc has it.

/// The two families of exchanges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// Bine: along a side from an even place 1, −1, 3, −5, 11, … further, from an odd one back.
    Bine,
    /// Recursive doubling: the other half of 2, 4, 8, … places.
    Doubling,
}

/// The families.
pub(crate) const FAMILIES: [Family; 2] = [Family::Bine, Family::Doubling];

/// Half the sum of an alternating series of powers of two: 1, −1, 3, −5, 11, …
fn stride_of_bine(step: u32) -> i64 {
    (1 - (-2i64).pow(step + 1)) / 3
}

/// The peer of every rank in every step. Sides, all powers of two, take turns; one that is used up is skipped.
pub(crate) fn exchanges(shape: &[u32], family: Family) -> Vec<Vec<u32>> {
    let ranks: u32 = shape.iter().product();
    let mut taken = vec![0; shape.len()];
    let (mut side, mut steps) = (0, Vec::new());
    while steps.len() < ranks.trailing_zeros() as usize {
        while taken[side] >= shape[side].trailing_zeros() {
            side = (side + 1) % shape.len();
        }
        let step = taken[side];
        taken[side] += 1;
        let (stride, places) = (shape[side + 1..].iter().product::<u32>(), shape[side]);
        let peer = |rank: u32| {
            let place = rank / stride % places;
            let peer = match family {
                Family::Doubling => place ^ 1 << step,
                Family::Bine => {
                    let sense = if place.is_multiple_of(2) { 1 } else { -1 };
                    (i64::from(place) + sense * stride_of_bine(step)).rem_euclid(places.into()) as u32
                }
            };
            rank - place * stride + peer * stride
        };
        steps.push((0..ranks).map(peer).collect());
        side = (side + 1) % shape.len();
    }
    steps
}

/// The messages of a broadcast from rank 0 over these exchanges, farthest first.
pub(crate) fn tree(exchanges: &[Vec<u32>]) -> Vec<Vec<(u32, u32)>> {
    let mut reached = vec![false; exchanges[0].len()];
    reached[0] = true;
    let step = |peers: &Vec<u32>| {
        let pairs = (0..).zip(peers.iter().copied());
        let sends = |&(from, to): &(u32, u32)| reached[from as usize] && !reached[to as usize];
        let messages: Vec<(u32, u32)> = pairs.filter(sends).collect();
        messages.iter().for_each(|&(_, to)| reached[to as usize] = true);
        messages
    };
    exchanges.iter().rev().map(step).collect()
}

/// The number of every rank in the post-order of the tree of these exchanges, nearest first: with it blocks are contiguous.
pub(crate) fn renumbered(exchanges: &[Vec<u32>]) -> Vec<u32> {
    fn visit(rank: u32, from: usize, exchanges: &[Vec<u32>], next: &mut u32, numbers: &mut [u32]) {
        for step in from..exchanges.len() {
            visit(exchanges[step][rank as usize], step + 1, exchanges, next, numbers);
        }
        *next -= 1;
        numbers[rank as usize] = *next;
    }
    let ranks = exchanges[0].len();
    let (mut numbers, mut next) = (vec![0; ranks], ranks as u32);
    visit(0, 0, exchanges, &mut next, &mut numbers);
    numbers
}
