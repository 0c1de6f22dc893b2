//! The sum of vectors, one from each rank.

use super::{Collectives, Endpoint, Lost, Peers, PoolWay, Task};
use crate::applications::reduce::add;
use crate::applications::{Contributions, Reduce};
use meshwright_core::units::Bytes;
use meshwright_runtime::skeleton::DivideAndConquer;

/// Which number stands where in the contribution with this number.
type Element = Box<dyn Fn(u32, u32) -> u64 + Send + Sync>;

/// A vector of this length from every rank.
pub(in super::super) struct ReduceCase {
    length: u32,
    contributions: u32,
    app: Reduce<Element>,
}

impl super::SpeedupCase for ReduceCase {
    type App = Reduce<Element>;

    const WAYS: &'static [PoolWay<Self>] =
        &[("rayon: join by hand", |case, wanted| sum(&case.app, wanted.first, wanted.count))];

    const COLLECTIVES: &'static str = "*Reduce";

    fn new(task: &Task) -> Self {
        let seed = task.seed;
        let element = move |number, at| scattered(seed ^ u64::from(number) << 32 ^ u64::from(at));
        let app = Reduce::new(task.size, Box::new(element) as Element);
        Self { length: task.size, contributions: task.ranks, app }
    }

    fn app(&self) -> &Self::App {
        &self.app
    }

    fn problem(&self) -> Contributions {
        Contributions { first: 0, count: self.contributions }
    }

    fn volume(&self) -> Bytes {
        Bytes(8)
    }

    /// Element by element, not vector by vector.
    fn reference(&self, wanted: &Contributions) -> Vec<u64> {
        let numbers = wanted.first..wanted.first + wanted.count;
        let element =
            |at| numbers.clone().fold(0, |sum: u64, number| sum.wrapping_add(self.app.element(number, at)));
        (0..self.length).map(element).collect()
    }

    fn collective<E: Endpoint, C: Collectives>(
        &self,
        peers: &mut Peers<'_, E, C>,
        _: Option<Contributions>,
    ) -> Result<Option<Vec<u64>>, Lost> {
        let own = peers.mail.rank();
        let contribution = peers.mail.compute(|| self.app.contribution(own))?;
        peers.collectives.sum(peers.root, &contribution)
    }
}

/// A number that looks like no other: one round of SplitMix64.
fn scattered(number: u64) -> u64 {
    let mut bits = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

/// The sum of so many contributions from this one on.
fn sum(app: &Reduce<Element>, first: u32, count: u32) -> Vec<u64> {
    if count < 2 {
        return app.solve(Contributions { first, count });
    }
    let half = count / 2;
    let (mut one, other) = rayon::join(|| sum(app, first, half), || sum(app, first + half, count - half));
    add(&mut one, &other);
    one
}
