//! Merge sort of 32-bit integers.

use rand::Rng;
use rayon::slice::ParallelSliceMut;

use super::{Collectives, Endpoint, Lost, Peers, PoolWay, Task, share};
use crate::applications::MergeSort;
use meshwright_core::rng;
use meshwright_core::units::Bytes;
use meshwright_runtime::skeleton::DivideAndConquer;

/// So many numbers at random.
pub(in super::super) struct MergeSortCase {
    count: usize,
    seed: u64,
    app: MergeSort<u32>,
}

impl super::SpeedupCase for MergeSortCase {
    type App = MergeSort<u32>;

    const WAYS: &'static [PoolWay<Self>] = &[
        ("std: sort_unstable", |_, mut list| {
            list.sort_unstable();
            list
        }),
        ("rayon: par_sort_unstable", |_, mut list| {
            list.par_sort_unstable();
            list
        }),
        ("rayon: join by hand", |_, mut list| {
            let mut place = list.clone();
            sort(&mut list, &mut place);
            list
        }),
    ];

    const COLLECTIVES: &'static str = "*Scatterv, sort_unstable, *Gatherv, merge";

    fn new(task: &Task) -> Self {
        Self { count: task.size as usize, seed: task.seed, app: MergeSort::default() }
    }

    fn app(&self) -> &Self::App {
        &self.app
    }

    fn problem(&self) -> Vec<u32> {
        let mut generator = rng::stream(self.seed, "numbers to sort");
        (0..self.count).map(|_| generator.next_u32()).collect()
    }

    fn volume(&self) -> Bytes {
        Bytes(8 + 4 * self.count as u64)
    }

    fn reference(&self, problem: &Vec<u32>) -> Vec<u32> {
        let mut list = problem.clone();
        list.sort();
        list
    }

    fn collective<E: Endpoint, C: Collectives>(
        &self,
        peers: &mut Peers<'_, E, C>,
        problem: Option<Vec<u32>>,
    ) -> Result<Option<Vec<u32>>, Lost> {
        let ranks = peers.mail.ranks();
        let parts = problem
            .map(|list| (0..ranks).map(|rank| list[share(list.len(), rank, ranks)].to_vec()).collect());
        let sorted = peers.scatter_work_gather(parts, |mut list: Vec<u32>| {
            list.sort_unstable();
            list
        })?;
        let Some(lists) = sorted else { return Ok(None) };
        peers.mail.compute(|| Some(merge_all(&self.app, lists)))
    }
}

/// Sorts a list; the other one of the same length is used on the way.
fn sort(list: &mut [u32], place: &mut [u32]) {
    if list.len() <= 1 << 14 {
        return list.sort_unstable();
    }
    let middle = list.len() / 2;
    let (first, second) = list.split_at_mut(middle);
    let (first_place, second_place) = place.split_at_mut(middle);
    rayon::join(|| sort(first, first_place), || sort(second, second_place));
    let (mut i, mut j) = (0, 0);
    for target in place.iter_mut() {
        let takes_first = j == second.len() || i < first.len() && first[i] <= second[j];
        *target = if takes_first { first[i] } else { second[j] };
        i += usize::from(takes_first);
        j += usize::from(!takes_first);
    }
    list.copy_from_slice(place);
}

/// Sorted lists become one: neighbours are merged until one is left.
fn merge_all(app: &MergeSort<u32>, mut lists: Vec<Vec<u32>>) -> Vec<u32> {
    while lists.len() > 1 {
        let mut rest = lists.into_iter();
        let mut merged = Vec::new();
        while let Some(first) = rest.next() {
            merged.push(match rest.next() {
                Some(second) => app.combine(first, second),
                None => first,
            });
        }
        lists = merged;
    }
    lists.pop().unwrap_or_default()
}
