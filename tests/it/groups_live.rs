//! Groups of ranks that really run, on threads: against what the words mean, and programs as on the simulator.

mod beside;

use meshwright_core::units::{Bytes, NodeId};
use meshwright_core::{Error, rng};
use meshwright_groups as groups;
use meshwright_groups::mask::Mask;
use meshwright_groups::nested::{Run, Team};
use meshwright_groups::protocol::{Operator, members};
use meshwright_groups::{TREES, trees};
use meshwright_network::topology::{Machine, Topology};
use meshwright_runtime::groups as live;
use meshwright_runtime::groups::{Group, MaybePart, tree_for};
use meshwright_runtime::transport::threads::{self, ThreadEndpoint};
use meshwright_runtime::transport::{Lost, Mailbox};
use meshwright_sim as sim;
use rand::RngExt;

/// Runs a body on every rank of a machine; what it returns, by rank.
fn on_ranks<T: Send>(
    machine: &Machine,
    tree: &str,
    body: impl Fn(&mut Group<'_, ThreadEndpoint>) -> Result<T, Lost> + Sync,
) -> Vec<T> {
    let tree = trees::tree(tree).unwrap();
    let run = |endpoint| {
        let mut mail = Mailbox::new(endpoint);
        body(&mut Group::world(&mut mail, machine, tree).expect("a rank for each working node"))
    };
    threads::run(machine.living_count(), run).expect("no rank is lost")
}

/// Machines with 1 to 17 working nodes.
fn machines() -> Vec<Machine> {
    let mut all: Vec<_> = (1..=7).map(|nodes| Machine::mesh([1, nodes]).unwrap()).collect();
    all.extend(["mesh:2x4", "torus:3x3", "mesh:2x5", "mesh:3x4"].map(|name| Machine::new(name).unwrap()));
    let holes = Machine::new("mesh:4x4").unwrap().with_dead([5, 6, 15].map(NodeId).to_vec()).unwrap();
    all.extend([holes, Machine::new("hypercube:4").unwrap(), Machine::new("mesh:1x17").unwrap()]);
    all
}

/// What a member may bring to a split.
type Choice = (Option<u32>, u32);

/// Labels of many kinds: all alike, all different, few colours with ties, some that take no part, the largest numbers.
fn choices(size: u32, random: &mut impl RngExt) -> Vec<Vec<Choice>> {
    let mut all: Vec<Vec<Choice>> = vec![
        vec![(Some(7), 0); size as usize],
        (0..size).map(|rank| (Some(u32::MAX - rank), u32::MAX)).collect(),
        vec![(None, 0); size as usize],
    ];
    for colours in [1, 2, 3, 5] {
        let key = [0, 1, u32::MAX];
        let mut draw = |nobody: bool| {
            let colour = random.random_range(0..colours + u32::from(nobody));
            ((colour < colours).then_some(colour * (u32::MAX / 5)), key[random.random_range(0..3)])
        };
        all.push((0..size).map(|_| draw(false)).collect());
        all.push((0..size).map(|_| draw(true)).collect());
    }
    all
}

/// By rank, the new rank and the ranks of the new group in order: a sort of the members of equal colour.
fn by_sorting(choices: &[Choice]) -> Vec<Option<(u32, Vec<u32>)>> {
    let of = |rank: u32| {
        let colour = choices[rank as usize].0?;
        let mut alike: Vec<u32> =
            (0..).zip(choices).filter(|(_, c)| c.0 == Some(colour)).map(|(r, _)| r).collect();
        alike.sort_by_key(|&other| choices[other as usize].1);
        let new = alike.iter().position(|&other| other == rank).expect("it is like itself");
        Some((new as u32, alike))
    };
    (0..choices.len() as u32).map(of).collect()
}

/// How many messages a call sends, at this rank.
fn counted<T>(
    group: &mut Group<'_, ThreadEndpoint>,
    call: impl FnOnce(&mut Group<'_, ThreadEndpoint>) -> Result<T, Lost>,
) -> Result<(T, u64), Lost> {
    let before = group.mail().sent();
    let value = call(group)?;
    Ok((value, group.mail().sent() - before))
}

#[test]
fn colours_that_all_know_make_the_same_groups_without_a_message() {
    let mut random = rng::stream(9, "known splits");
    for (index, machine) in machines().iter().enumerate() {
        let tree = TREES.iter().filter(|tree| tree.takes_any_members).nth(index % 5).unwrap();
        for choices in choices(machine.living_count(), &mut random) {
            // The order of ranks stays: keys are all alike.
            let choices: Vec<Choice> = choices.into_iter().map(|(colour, _)| (colour, 0)).collect();
            let found = on_ranks(machine, tree.name, |world| {
                let before = world.mail().sent();
                let mut part = world.split_known(|rank| choices[rank as usize].0);
                let mut place = None;
                if let Some(part) = part.part() {
                    assert_eq!(part.mail().sent(), before, "nothing is sent");
                    let ranks: Vec<u32> = (0..part.size()).map(|rank| part.rank_on_endpoint(rank)).collect();
                    let own = ranks[part.rank() as usize];
                    let least = part.all_reduce(own, u32::min)?;
                    assert_eq!(Some(&least), ranks.iter().min(), "they are a group together");
                    place = Some((part.rank(), ranks));
                }
                part.join()?;
                // Joined, all can go on together, and split once more by telling.
                let (colour, key) = choices[world.rank() as usize];
                let told = world.split_some(colour, key)?.part().map(|part| part.rank());
                Ok((place, told))
            });
            let (places, told): (Vec<_>, Vec<_>) = found.into_iter().unzip();
            let ranks: Vec<Option<u32>> = places
                .iter()
                .map(|place: &Option<(u32, Vec<u32>)>| place.as_ref().map(|place| place.0))
                .collect();
            assert_eq!(places, by_sorting(&choices), "{} {} {choices:?}", machine.name(), tree.name);
            assert_eq!(told, ranks, "{} {}", machine.name(), tree.name);
        }
    }
}

#[test]
fn splits_are_those_of_a_sort_and_messages_those_of_the_formula() {
    let mut random = rng::stream(7, "live splits");
    for (index, machine) in machines().iter().enumerate() {
        let tree = TREES.iter().filter(|tree| tree.takes_any_members).nth(index % 5).unwrap();
        let size = machine.living_count();
        for choices in choices(size, &mut random) {
            let found = on_ranks(machine, tree.name, |world| {
                let (colour, key) = choices[world.rank() as usize];
                counted(world, |world| {
                    let mut part = world.split_some(colour, key)?;
                    let place = part.part().map(|part| {
                        let ranks = (0..part.size()).map(|rank| part.rank_on_endpoint(rank)).collect();
                        assert_eq!((part.level(), part.nodes().len()), (1, part.size() as usize));
                        (part.rank(), ranks)
                    });
                    assert_eq!(place.is_none(), matches!(part, MaybePart::Outside(_)));
                    Ok(place)
                })
            });
            let (places, sent): (Vec<_>, Vec<u64>) = found.into_iter().unzip();
            assert_eq!(places, by_sorting(&choices), "{} {} {choices:?}", machine.name(), tree.name);
            assert_eq!(
                sent.iter().sum::<u64>(),
                2 * (u64::from(size) - 1),
                "{} {}",
                machine.name(),
                tree.name
            );
        }
    }
}

/// A split that is begun, with small blocks and messages of one's own from rank to rank before it is over: the same groups.
#[test]
fn a_split_that_is_begun_makes_the_same_groups_while_its_members_do_something_else() {
    const OWN: u32 = 1;
    let mut random = rng::stream(11, "begun splits");
    for (index, machine) in machines().iter().enumerate() {
        let tree =
            trees::tree(TREES.iter().filter(|tree| tree.takes_any_members).nth(index % 5).unwrap().name);
        let tree = tree.unwrap();
        let size = machine.living_count();
        for choices in choices(size, &mut random) {
            let found = threads::run(size, |endpoint| {
                let mut mail = Mailbox::new(endpoint);
                let world = Group::world(&mut mail, machine, tree).expect("a rank for each working node");
                let mut world = world.in_blocks(Bytes(16));
                let (own, next) = (world.rank(), (world.rank() + 1) % size);
                let (colour, key) = choices[own as usize];
                let mut splitting = world.split_start(colour, key)?;
                splitting.mail().send(next, OWN, &own)?;
                let is_early = splitting.test()?;
                let before: u32 = splitting.mail().receive((own + size - 1) % size, OWN)?;
                assert_eq!(before, (own + size - 1) % size);
                // Whoever waits and whoever asks again and again.
                while own % 2 == 0 && !splitting.test()? {
                    std::thread::yield_now();
                }
                assert!(!is_early || splitting.test()?, "what is over stays over");
                let mut part = splitting.wait()?;
                let place = part.part().map(|part| {
                    let ranks: Vec<u32> = (0..part.size()).map(|rank| part.rank_on_endpoint(rank)).collect();
                    (part.rank(), ranks)
                });
                part.join()?;
                world.barrier()?;
                Ok(place)
            });
            assert_eq!(found.unwrap(), by_sorting(&choices), "{} {}", machine.name(), tree.name);
        }
    }
}

/// The groups of the simulator know the same: [`groups::Group::split_by`].
#[test]
fn nodes_are_those_of_groups_on_the_simulator() {
    let mut random = rng::stream(8, "live nodes");
    let machine = Machine::new("mesh:4x4").unwrap().with_dead(vec![NodeId(3)]).unwrap();
    let world = groups::Group::in_order(machine.living().collect());
    let draw = |most| (0..15).map(|_| random.random_range(0..most)).collect::<Vec<u32>>();
    let [colours, keys] = [3, 4].map({
        let mut draw = draw;
        move |most| draw(most)
    });
    let found = on_ranks(&machine, "ecrb2", |world| {
        let part = world.split(colours[world.rank() as usize], keys[world.rank() as usize])?;
        assert_eq!(part.node(), part.nodes()[part.rank() as usize]);
        Ok(part.nodes().to_vec())
    });
    let parts = world.split_by(&colours, &keys);
    for (rank, nodes) in found.iter().enumerate() {
        let (_, expected) = parts.iter().find(|(colour, _)| *colour == colours[rank]).unwrap();
        assert_eq!(nodes, expected.members(), "rank {rank}");
    }
}

/// Blocks of few bytes: more messages, the same groups.
#[test]
fn small_blocks_make_the_same_groups() {
    let machine = Machine::new("mesh:1x17").unwrap();
    let mut random = rng::stream(9, "live blocks");
    for choices in choices(17, &mut random) {
        let [large, small] = [Bytes(1 << 16), Bytes(1)].map(|block| {
            let tree = trees::tree("rank-halving").unwrap();
            threads::run(17, |endpoint| {
                let mut mail = Mailbox::new(endpoint);
                let mut world = Group::world(&mut mail, &machine, tree).unwrap().in_blocks(block);
                let (colour, key) = choices[world.rank() as usize];
                let mut part = world.split_some(colour, key)?;
                let place = part.part().map(|part| (part.rank(), part.nodes().to_vec()));
                Ok((place, mail.sent()))
            })
            .unwrap()
        });
        let sent = |found: &[(_, u64)]| found.iter().map(|(_, sent)| sent).sum::<u64>();
        assert!(large.iter().zip(&small).all(|(a, b)| a.0 == b.0), "{choices:?}");
        let are_equal = choices.iter().all(|choice| choice == &choices[0]);
        assert_eq!(sent(&large), 32);
        assert_eq!(sent(&small) == 32, are_equal, "{choices:?}");
    }
}

/// What the members of a group bring, by rank.
fn value(rank: u32) -> Vec<u64> {
    (0..3).map(|place| u64::from(rank) * 5 + place).collect()
}

#[test]
fn operations_say_what_they_mean_and_count_their_messages() {
    fn add(a: Vec<u64>, b: Vec<u64>) -> Vec<u64> {
        a.iter().zip(b).map(|(a, b)| a + b).collect()
    }
    for (index, machine) in machines().iter().enumerate() {
        let tree = TREES.iter().filter(|tree| tree.takes_any_members).nth(index % 5).unwrap();
        let size = machine.living_count();
        let sum = (0..size).map(value).reduce(add).unwrap();
        let found = on_ranks(machine, tree.name, |world| {
            let rank = world.rank();
            let (_, barrier) = counted(world, |world| world.barrier())?;
            let (all, all_reduce) = counted(world, |world| world.all_reduce(value(rank), add))?;
            assert_eq!(all, sum);
            let from = (index as u32 * 3) % size;
            let own = if rank == from { value(from) } else { Vec::new() };
            let (heard, broadcast) = counted(world, |world| world.broadcast(from, own))?;
            assert_eq!(heard, value(from));
            let (at_root, reduce) = counted(world, |world| world.reduce(value(rank), add))?;
            assert_eq!(at_root, (world.tree().root() == rank).then_some(sum.clone()));
            let (by_rank, gather) = counted(world, |world| world.gather(value(rank)))?;
            assert_eq!(by_rank, (world.tree().root() == rank).then(|| (0..size).map(value).collect()));
            // Strings: an operation that does not commute.
            let (text, scan) = counted(world, |world| world.scan(rank.to_string(), |a, b| a + &b))?;
            assert_eq!(text, (0..=rank).map(|rank| rank.to_string()).collect::<String>());
            Ok([barrier, all_reduce, broadcast, reduce, gather, scan])
        });
        let edges = u64::from(size) - 1;
        let sent: Vec<u64> = (0..6).map(|at| found.iter().map(|sent| sent[at]).sum()).collect();
        assert_eq!(sent, [2, 2, 1, 1, 1, 2].map(|times| times * edges), "{} {}", machine.name(), tree.name);
    }
}

/// Four splits inside of each other, with barriers that nobody waits for outside, and back again; some parts join, the
/// others are dropped.
#[test]
fn groups_nest_and_come_back() {
    fn descend(group: &mut Group<'_, ThreadEndpoint>, depth: u32, seed: u64) -> Result<Vec<u64>, Lost> {
        let mut seen = vec![u64::from(group.size())];
        if depth == 0 {
            return Ok(seen);
        }
        for round in 0..2 {
            let number = u64::from(group.mail().rank());
            let purpose = format!("{depth} {round} {number}");
            let colour = rng::stream(seed, &purpose).random_range(0..3);
            let mut part = group.split(colour, 0)?;
            let steps = part.rank() % 3;
            let together = part.all_reduce((number, 1u64), |a, b| (a.0 + b.0, a.1 + b.1))?;
            let members = (0..part.size()).map(|rank| u64::from(part.rank_on_endpoint(rank)));
            assert_eq!(together, (members.sum(), part.size().into()));
            let steps = part.broadcast(0, steps)?;
            for _ in 0..steps {
                part.barrier()?;
            }
            seen.extend(descend(&mut part, depth - 1, seed)?);
            if round == 0 {
                part.join()?;
            }
        }
        seen.push(group.all_reduce(1u64, |a, b| a + b)?);
        assert_eq!(seen.last(), seen.first());
        Ok(seen)
    }
    for seed in 0..3 {
        let machine = Machine::new("mesh:3x5").unwrap();
        let seen = on_ranks(&machine, "monotone-nearest", |world| descend(world, 4, seed));
        assert!(seen.iter().all(|seen| seen.len() == 46), "f(0) = 1, f(d) = 2 + 2 f(d - 1)");
    }
}

/// Nobody leaves a barrier, or a join, before the last has come.
#[test]
fn barriers_and_joins_wait_for_all() {
    use std::sync::atomic::{AtomicU32, Ordering};
    let machine = Machine::new("mesh:2x4").unwrap();
    let come = AtomicU32::new(0);
    on_ranks(&machine, "ecrb4", |world| {
        for round in 1..=20 {
            come.fetch_add(1, Ordering::SeqCst);
            let part = world.split_some((world.rank() % 3 > 0).then_some(1), 0)?;
            if round % 2 == 0 {
                part.join()?;
            } else {
                drop(part);
                world.barrier()?;
            }
            assert!(come.load(Ordering::SeqCst) >= 8 * round);
        }
        Ok(())
    });
}

#[test]
fn what_does_not_fit_is_refused() {
    let mesh = Machine::new("mesh:2x3").unwrap();
    let holes = Machine::new("mesh:1x4").unwrap().with_dead(vec![NodeId(1)]).unwrap();
    let refusal = |machine: &Machine, ranks: u32, tree: &str| {
        let mut mail = Mailbox::new(threads::endpoints(ranks).remove(0));
        Group::world(&mut mail, machine, trees::tree(tree).unwrap()).err()
    };
    assert!(refusal(&mesh, 6, "tac").is_none());
    let text = refusal(&mesh, 5, "tac").unwrap().to_string();
    assert!(text.contains('5') && text.contains("6, one for each working node of mesh:2x3"), "{text}");
    assert!(matches!(refusal(&mesh, 6, "gibbons-paterson"), Some(Error::NotApplicable { .. })));
    assert!(matches!(refusal(&holes, 3, "monotone-nearest"), Some(Error::NotApplicable { .. })));
}

#[test]
#[should_panic(expected = "all members of a group call the same operations in the same order")]
fn members_that_disagree_are_told() {
    let machine = Machine::new("mesh:1x3").unwrap();
    on_ranks(&machine, "rank-halving", |world| match world.rank() {
        0 => world.barrier(),
        _ => world.all_reduce((), |(), ()| ()),
    });
}

#[test]
fn the_tree_is_chosen_by_the_machine() {
    use meshwright_groups::barrier_time::{Delays, barrier};
    for machine in machines().into_iter().filter(|machine| machine.living_count() > 4) {
        for overhead in [0, 16] {
            let delays = Delays { link: 1, overhead };
            let all = groups::Group::in_order(machine.living().collect());
            let time = |method: &trees::TreeMethod| {
                let tree = (method.build)(&machine, &all).unwrap();
                barrier(&tree, &tree.edge_links(&machine, &all), delays)
            };
            let least = TREES.iter().filter(|method| method.takes_any_members).map(time).min();
            assert_eq!(Some(time(tree_for(&machine, delays).unwrap())), least, "{}", machine.name());
        }
    }
}

/// The place of a member's key in the sorted order: teams split as the keys tell.
async fn quicksort(team: &mut Team, key: u64, first: u64) -> u64 {
    let pivot = team.broadcast(team.size() / 2, key).await;
    let counts = u64::from(key < pivot) << 32 | u64::from(key == pivot);
    let counts = team.all_reduce(Operator::Sum, counts).await;
    let (smaller, equal) = (counts >> 32, counts & u64::from(u32::MAX));
    if equal == u64::from(team.size()) {
        let before = team.scan(Operator::Sum, 1).await - 1;
        return first + before;
    }
    let (is_upper, lower) = if smaller > 0 { (key >= pivot, smaller) } else { (key > pivot, equal) };
    let first = if is_upper { first + lower } else { first };
    team.switch(is_upper.into(), async |part| quicksort(part, key, first).await).await
}

#[test]
fn a_program_computes_the_same_on_the_simulator_and_on_threads() {
    let machine = Machine::new("mesh:4x4").unwrap().in_packets();
    let method = trees::tree("monotone-nearest").unwrap();
    let world = groups::Group::in_order(machine.living().collect());
    for seed in 0..5 {
        let mut random = rng::stream(seed, "keys");
        let keys: Vec<u64> = (0..machine.nodes()).map(|_| random.random_range(0..12)).collect();
        let program = |rank: usize| {
            let key = keys[rank];
            Run::of(async move |team: &mut Team| quicksort(team, key, 0).await)
        };
        let mask = Mask::new(&machine, method.build);
        let mut simulated = members(&mask, &machine, &world, (0..16).map(program).collect()).unwrap();
        assert!(sim::run(&machine, &mut simulated, &sim::Engine::Packet).unwrap().unfinished.is_empty());
        let simulated: Vec<u64> =
            simulated.iter().map(|member| *member.program().result().expect("it has ended")).collect();
        let real = on_ranks(&machine, method.name, |world| {
            let mut run = program(world.rank() as usize);
            live::drive(world, &mut run)?;
            Ok(run.into_result().expect("it has ended"))
        });
        assert_eq!(real, simulated, "seed {seed}");
        let mut sorted: Vec<usize> = (0..16).collect();
        sorted.sort_by_key(|&rank| real[rank]);
        assert!(
            sorted.windows(2).all(|pair| keys[pair[0]] <= keys[pair[1]] && real[pair[0]] < real[pair[1]])
        );
    }
}
