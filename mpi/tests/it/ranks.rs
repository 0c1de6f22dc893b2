//! `meshwright-mpi ranks`.

use crate::mpirun::{printed, run};

#[test]
fn every_rank_has_a_line() {
    for ranks in [1, 4, 16, 64] {
        let text = printed(&run(ranks, &["ranks"]));
        let named: Vec<u32> =
            text.lines().filter_map(|line| line.split_whitespace().next()?.parse().ok()).collect();
        assert_eq!(named, (0..ranks).collect::<Vec<_>>(), "{text}");
    }
}
