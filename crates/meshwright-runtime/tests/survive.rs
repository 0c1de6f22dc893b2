//! Ranks that fall silent: a program of 16 comes to its end on those that are left, with what all of them have kept.

use std::time::Duration;

use meshwright_groups::nested::{Run, Team};
use meshwright_groups::trees;
use meshwright_network::topology::Machine;
use meshwright_runtime::groups::survive::{Survived, survive};
use meshwright_runtime::transport::{Endpoint, Mailbox, Watched, threads};

const RANKS: u32 = 16;

/// Rounds of the program.
const ROUNDS: u64 = 6;

/// Shorter than any test waits, longer than a busy machine holds a thread back.
const PATIENCE: Duration = Duration::from_millis(1500);

/// A panic that ends a rank without a word: nothing of it is unwound into the others.
struct Dead;

/// By round the size of the larger part; and whether a run has begun with what was kept.
type Sums = (Vec<u64>, bool);

/// A program of rounds: in each one a split, sums of both parts, a join, and the sums so far are kept. The rank that is to die
/// does so in this round, in the part.
async fn rounds(team: &mut Team, dies_in: Option<u64>) -> Sums {
    let kept: Option<Vec<u64>> = team.recall().await;
    let (has_kept, mut sums) = (kept.is_some(), kept.unwrap_or_default());
    while (sums.len() as u64) < ROUNDS {
        let round = sums.len() as u64;
        let colour = team.rank() % 2;
        let sum = team
            .switch(colour, async |part| {
                if dies_in == Some(round) {
                    std::panic::resume_unwind(Box::new(Dead));
                }
                part.all_reduce_with(1_u64, |a, b| a + b).await
            })
            .await;
        sums.push(team.all_reduce_with(sum, u64::max).await);
        team.keep(&sums).await;
    }
    (sums, has_kept)
}

/// Runs it; by rank what came of it, none for those who died.
fn run(deaths: &[(u32, u64)]) -> Vec<Option<(Vec<u32>, u32, Sums)>> {
    let machine = Machine::new("mesh:4x4").expect("a mesh");
    let tree = trees::tree("ecrb2").expect("a tree");
    let found = threads::run(RANKS, |endpoint| {
        let mut endpoint = Watched::new(endpoint, PATIENCE);
        endpoint.forgive();
        let rank = endpoint.rank();
        let dies_in = deaths.iter().find(|death| death.0 == rank).map(|death| death.1);
        let mut mail = Mailbox::new(&mut endpoint);
        let made = || Run::of(async move |team: &mut Team| rounds(team, dies_in).await);
        let body = std::panic::AssertUnwindSafe(|| survive(&mut mail, &machine, tree, made));
        let Ok(survived) = std::panic::catch_unwind(body) else { return Ok(None) };
        let Survived { program, lost, size } = survived.expect("the others are left");
        // Rank 0 calls the end of a watch: where it is lost, nobody does.
        _ = endpoint.finish();
        let lost = lost.into_iter().map(|lost| lost.rank).collect();
        Ok(Some((lost, size, program.into_result().expect("it has come to its end"))))
    });
    found.expect("losses are forgiven")
}

#[test]
fn nobody_is_lost_and_nothing_is_begun_anew() {
    for found in run(&[]) {
        assert_eq!(found, Some((vec![], RANKS, (vec![8; ROUNDS as usize], false))));
    }
}

#[test]
fn a_team_of_16_loses_one_and_ends_on_15_with_what_was_kept() {
    for (rank, round) in [(5, 3), (0, 0), (15, 5)] {
        for (at, found) in (0..).zip(run(&[(rank, round)])) {
            let Some((lost, size, (sums, has_kept))) = found else {
                assert_eq!(at, rank);
                continue;
            };
            assert_eq!((lost, size), (vec![rank], 15), "rank {at}");
            // Rounds before the loss were those of 16: 8 in each part; those after it are of 15: 8 and 7.
            assert_eq!((sums, has_kept), (vec![8; ROUNDS as usize], round > 0), "rank {at}");
        }
    }
}

#[test]
fn it_loses_three_one_after_the_other_and_two_at_once() {
    let deaths = [(3, 1), (8, 1), (12, 4)];
    let found = run(&deaths);
    for (at, found) in (0..).zip(found) {
        let Some((mut lost, size, (sums, _))) = found else {
            assert!(deaths.iter().any(|death| death.0 == at));
            continue;
        };
        lost.sort_unstable();
        assert_eq!((lost, size), (vec![3, 8, 12], 13), "rank {at}");
        // 16, then 14: 7 and 7, then 13: 7 and 6.
        assert_eq!(sums, [8, 7, 7, 7, 7, 7], "rank {at}");
    }
}
