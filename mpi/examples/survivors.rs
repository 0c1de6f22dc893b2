//! A program for MPI that loses a rank and goes on: rounds of splits and sums, each of them kept.
//!
//! `cargo build -p meshwright-mpi --example survivors && mpirun --enable-recovery -n 16 target/debug/examples/survivors 5 3`
//!
//! Rank 5 kills itself in round 3, inside of a split. The others agree that it is lost, are a group of 15, and go on with round 3.

#![allow(clippy::disallowed_methods, reason = "a program reads its arguments, and this one kills itself")]

use std::time::Duration;

use meshwright_groups::nested::{Run, Team};
use meshwright_groups::trees;
use meshwright_mpi::MpiEndpoint;
use meshwright_network::topology::Machine;
use meshwright_runtime::groups::survive::survive;
use meshwright_runtime::transport::{Endpoint, Mailbox, Watched};
use meshwright_verdict::nearest_to_a_square;

/// Rounds of the program.
const ROUNDS: usize = 6;

/// Without a sign of life a rank is lost after so long.
const PATIENCE: Duration = Duration::from_secs(3);

/// By round, the sizes of the two parts.
type Sizes = Vec<(u32, u32)>;

async fn rounds(team: &mut Team, dies_in: Option<usize>) -> (usize, Sizes) {
    let mut sizes: Sizes = team.recall().await.unwrap_or_default();
    let first = sizes.len();
    while sizes.len() < ROUNDS {
        let (round, odd) = (sizes.len(), team.rank() % 2);
        let own = team
            .switch(odd, async |part| {
                if dies_in == Some(round) {
                    kill();
                }
                let size = part.all_reduce_with(1, |a, b| a + b).await;
                if odd == 0 { (size, 0) } else { (0, size) }
            })
            .await;
        sizes.push(team.all_reduce_with(own, |a, b| (a.0.max(b.0), a.1.max(b.1))).await);
        team.keep(&sizes).await;
    }
    (first, sizes)
}

/// As an operator would: nothing is said and nothing is tidied up.
fn kill() {
    let process = std::process::id().to_string();
    _ = std::process::Command::new("kill").args(["-KILL", &process]).status();
    std::thread::sleep(Duration::from_secs(60));
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let numbers: Vec<u32> = std::env::args().skip(1).map(|text| text.parse()).collect::<Result<_, _>>()?;
    let universe = mpi::initialize().ok_or("MPI is started once in a process")?;
    let mut endpoint = Watched::new(MpiEndpoint::new(&universe.world()), PATIENCE);
    endpoint.forgive();
    let (rank, ranks) = (endpoint.rank(), endpoint.ranks());
    let dies_in =
        numbers.first().filter(|&&dies| dies == rank).and(numbers.get(1)).map(|&round| round as usize);
    let machine = Machine::new(&nearest_to_a_square(ranks))?;
    let made = || Run::of(async move |team: &mut Team| rounds(team, dies_in).await);
    let survived = survive(&mut Mailbox::new(&mut endpoint), &machine, trees::tree("ecrb2")?, made)?;
    let size = survived.size;
    let lost: Vec<String> = survived.lost.iter().map(ToString::to_string).collect();
    let (first, sizes) = survived.program.into_result().ok_or("it has come to its end")?;
    for (round, &(even, odd)) in sizes.iter().enumerate() {
        let all = if round < first || lost.is_empty() { ranks } else { size };
        assert_eq!((even, odd), (all.div_ceil(2), all / 2), "round {round} at rank {rank}");
    }
    // Those that are left say it one after the other: the first of them for all.
    if (0..rank).all(|below| survived.lost.iter().any(|lost| lost.rank == below)) {
        println!("{size} of {ranks} ranks came to the end, from round {first} on; {}", lost.join("; "));
    }
    // Rank 0 calls the end of a watch: where it is lost, nobody does.
    if survived.lost.iter().all(|lost| lost.rank > 0) {
        endpoint.finish()?;
    }
    // MPI itself would wait for those that are lost.
    if !lost.is_empty() {
        std::process::exit(0);
    }
    Ok(())
}
