//! A program for MPI that uses groups: quicksort of one key for each rank, then sums of rows and columns.
//!
//! `cargo build -p meshwright-mpi --example nested && mpirun -n 16 target/debug/examples/nested`
//!
//! The first part is the text of a nested program as it also runs on the simulator; the second part calls the groups
//! themselves, with vectors of values. Every rank checks its numbers.

use meshwright_demos::teams::{integration, kd_tree, multigrid};
use meshwright_groups::barrier_time::Delays;
use meshwright_groups::nested::{Run, Team};
use meshwright_groups::protocol::{Member, Operator};
use meshwright_groups::rank_split::RankSplit;
use meshwright_mpi::MpiEndpoint;
use meshwright_network::topology::{Machine, Topology};
use meshwright_runtime::groups as live;
use meshwright_runtime::groups::Group;
use meshwright_runtime::transport::{Endpoint, Lost, Mailbox};
use meshwright_verdict::nearest_to_a_square;

/// The place of this member's key in the sorted order, if those of the team begin at `first`.
async fn quicksort(team: &mut Team, key: u64, first: u64) -> u64 {
    let pivot = team.broadcast(team.size() / 2, key).await;
    // Two counts in one word.
    let counts = u64::from(key < pivot) << 32 | u64::from(key == pivot);
    let counts = team.all_reduce(Operator::Sum, counts).await;
    let (smaller, equal) = (counts >> 32, counts & u64::from(u32::MAX));
    if equal == u64::from(team.size()) {
        return first + u64::from(team.rank());
    }
    let (is_upper, lower) = if smaller > 0 { (key >= pivot, smaller) } else { (key > pivot, equal) };
    let first = if is_upper { first + lower } else { first };
    team.switch(is_upper.into(), async |part| quicksort(part, key, first).await).await
}

/// Some keys are equal.
fn key(rank: u32, ranks: u32) -> u64 {
    u64::from(rank * 7919 % ranks / 2)
}

/// Sorts, and checks the place of this rank's key.
fn sort(world: &mut Group<'_, impl Endpoint>) -> Result<u64, Lost> {
    let (rank, ranks) = (world.rank(), world.size());
    let mut program = Run::of(async |team: &mut Team| quicksort(team, key(rank, ranks), 0).await);
    live::drive(world, &mut program)?;
    let place = program.into_result().expect("it has come to its end");
    let is_before = |other: &u32| (key(*other, ranks), *other) < (key(rank, ranks), rank);
    assert_eq!(place, (0..ranks).filter(is_before).count() as u64, "the place of rank {rank}");
    Ok(place)
}

/// The sum of the numbers of all ranks with the same colour, and how many they are; `is_alike` says who they are.
fn sum(
    world: &mut Group<'_, impl Endpoint>,
    colour: u32,
    is_alike: impl Fn(u32) -> bool,
) -> Result<(), Lost> {
    let (rank, ranks) = (world.rank(), world.size());
    let mut part = world.split(colour, rank)?;
    let own = vec![u64::from(rank), 1];
    let sums = part.all_reduce(own, |a, b| a.iter().zip(&b).map(|(a, b)| a + b).collect())?;
    part.join()?;
    let alike: Vec<u64> = (0..ranks).filter(|&other| is_alike(other)).map(u64::from).collect();
    assert_eq!(sums, [alike.iter().sum(), alike.len() as u64], "the sums of colour {colour}");
    Ok(())
}

/// Sums of rows and then of columns; how many messages all ranks sent.
fn rows_and_columns(world: &mut Group<'_, impl Endpoint>, columns: u32) -> Result<u64, Lost> {
    let rank = world.rank();
    let before = world.mail().sent();
    sum(world, rank / columns, |other| other / columns == rank / columns)?;
    sum(world, rank % columns, |other| other % columns == rank % columns)?;
    let sent = world.mail().sent() - before;
    world.all_reduce(sent, |a, b| a + b)
}

/// The worked programs, each beside what one processor computes, and quicksort once more by the members of the simulator.
fn worked(world: &mut Group<'_, impl Endpoint>) -> Result<(), Lost> {
    let (rank, ranks) = (world.rank() as usize, world.size() as usize);
    let points: Vec<kd_tree::Point> = (0..ranks).map(|i| [i * 7 % 5, i * 3 % 7].map(|x| x as f64)).collect();
    let own = points[rank];
    let mut program = Run::of(async |team: &mut Team| kd_tree::leaf(team, own).await);
    live::drive(world, &mut program)?;
    assert_eq!(
        program.into_result().as_ref(),
        Some(&kd_tree::leaves(&points)[rank]),
        "the leaf of rank {rank}"
    );
    let peak: integration::Function = |x| 1.0 / ((x - 0.3) * (x - 0.3) + 1e-4);
    let mut program =
        Run::of(async |team: &mut Team| integration::integral(team, peak, &[0.0, 0.5, 1.0], 1e-6).await);
    live::drive(world, &mut program)?;
    let alone = integration::alone(peak, 0.0, 0.5, 1e-6) + integration::alone(peak, 0.5, 1.0, 1e-6);
    let found = program.into_result().expect("it has come to its end").value;
    assert!((found - alone).abs() < 1e-9 * alone, "{found} beside {alone}");
    if ranks.is_power_of_two() {
        let f: Vec<f64> = (0..4 * ranks).map(|at| (at as f64).sin()).collect();
        let (own, h) = (&f[4 * rank..4 * rank + 4], 0.25 / ranks as f64);
        let cycle = async |team: &mut Team| multigrid::v_cycle(team, vec![0.0; 4], own, h).await;
        let mut program = Run::of(cycle);
        live::drive(world, &mut program)?;
        let found = program.into_result().expect("it has come to its end");
        assert_eq!(found, multigrid::alone(&f, 1)[4 * rank..4 * rank + 4], "the block of rank {rank}");
    }
    world.barrier()
}

/// Quicksort by the state machine that the simulator runs and chips may, event by event.
fn by_members<E: Endpoint>(mail: &mut Mailbox<E>) -> Result<u64, Lost> {
    let (rank, ranks, paper) = (mail.rank(), mail.ranks(), RankSplit::default());
    let program = Run::of(async |team: &mut Team| quicksort(team, key(rank, ranks), 0).await);
    let mut member = Member::new(&paper, Some(live::members::seat(mail)), program);
    live::members::run(&mut member, mail, 0)?;
    Ok(*member.program().result().expect("it has come to its end"))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let universe = mpi::initialize().ok_or("MPI is started once in a process")?;
    let mut mail = Mailbox::new(MpiEndpoint::new(&universe.world()));
    let machine = Machine::new(&nearest_to_a_square(mail.ranks()))?;
    let tree = live::tree_for(&machine, Delays { link: 1, overhead: 16 })?;
    let mut world = Group::world(&mut mail, &machine, tree)?;
    let place = sort(&mut world)?;
    let (rows, columns) = (machine.sides()[0], machine.sides()[1]);
    worked(&mut world)?;
    let again = by_members(world.mail())?;
    assert_eq!(again, place, "the members of the simulator sort alike");
    world.barrier()?;
    let messages = rows_and_columns(&mut world, columns)?;
    // 2 (s - 1) for each split, each join and each sum.
    let ranks = u64::from(rows * columns);
    assert_eq!(messages, 4 * 2 * (ranks - 1) + 2 * (2 * ranks - u64::from(rows + columns)));
    let places = world.all_reduce(place, |a, b| a + b)?;
    assert_eq!(places, ranks * (ranks - 1) / 2);
    if world.rank() == 0 {
        println!(
            "{ranks} keys sorted; sums of rows and columns of {} in {messages} messages",
            machine.name()
        );
    }
    Ok(())
}
