//! The split as messages: lemmas 2 and 3, what steps 2 and 5 are for, space.

use rand::{Rng, RngExt};

use super::definition::{self, way};
use super::{HOLDS, REMARK, Study};
use crate::Claim;
use crate::check::{Check, Derivation, Numbers};
use meshwright_core::error::Result;
use meshwright_core::rng;
use meshwright_core::units::NodeId;
use meshwright_groups::protocol::{Label, Member, Operation, Script, members};
use meshwright_groups::rank_split::RankSplit;
use meshwright_groups::rank_split::routing::{Role, Routed};
use meshwright_groups::{Group, rank_halving};
use meshwright_network::topology::Machine;
use meshwright_sim::any_order::{self, Adversary, Order};

pub(super) const CLAIMS: &[Claim<Study>] = &[
    Claim {
        id: "lemma-2",
        source: "Section 3.1, lemma 2",
        statement: "One pass up and one down give every vertex its functions",
        definition: "f, t, b and m as the sizes and largest elements of their sets",
        printed: "b = s_L + f_L, m_L = b - 1, m_R = b + f_R + delta - 1, -infinity for no vertex; s = 0 at the root",
        fails_if: "the passes give a vertex an f, t, b or m that is not the size or the largest element of its set",
        derive: lemma_2,
        ..HOLDS
    },
    Claim {
        id: "lemma-3",
        source: "Section 3.2, lemma 3 and figure 3",
        statement: "A packet (q, r, c) arrives at the vertex of rank r in state q, and passes no vertex twice",
        definition: "the way of a packet from every vertex to every rank, step by step",
        printed: "it has as many edges as the shortest way on the tree",
        fails_if: "a packet ends elsewhere or in another state, or takes more edges than the shortest way",
        derive: lemma_3,
        ..HOLDS
    },
    Claim {
        id: "figure-3-tests",
        source: "Section 3.2, figure 3",
        statement: "Where a packet turns into a sub-tree, one of its two tests would do",
        definition: "the outcome of the two tests, for every vertex and rank",
        printed: "on the left m_z >= r follows from b > r and f_L > 0, on the right m_z - f_z < r from b <= r",
        fails_if: "a test that is called needless fails for some vertex and rank but the target itself",
        derive: figure_3_tests,
        ..REMARK
    },
    Claim {
        id: "step-2",
        source: "Section 3, step 2; section 3.2",
        statement: "Partial synchronisation (step 2) is needed only where channels do not keep the order of messages, as the \
                    paper's randomised routing does not, and where vertices do not hold what comes early",
        definition: "how often a packet of step 4 comes to a vertex without its functions, when an adversary chooses the order \
                     in which messages arrive",
        printed: "never with step 2, if vertices hold packets until their own step 2 is over; never without it where the order is \
                  kept; in many runs without it where it is not, and then holding them back until the functions have come \
                  does as well",
        fails_if: "with step 2 a packet comes early, without it one does in order, or none does out of order, or holding it \
            back lets a run go wrong",
        derive: step_2,
        ..REMARK
    },
    Claim {
        id: "step-5",
        source: "Section 3, steps 5 and 6",
        statement: "A vertex may enter its new group before the routing of all has ended: step 5 is a barrier, if one is \
                    wanted, and no more",
        definition: "nested splits, barriers and joins without steps 2 and 5, under adversaries that keep no order",
        printed: "nothing goes wrong: packets carry the number of their operation, and a join needs every member",
        fails_if: "some order of messages makes a program without step 5 go wrong",
        derive: step_5,
        ..REMARK
    },
    Claim {
        id: "constant-space",
        source: "Section 2",
        statement: "A member needs constant space for its group",
        definition: "the bytes of a member's place and of a split under way, and the most messages that wait for their time; \
                     not its program and log",
        printed: "as many bytes for every size, and no more than eight messages",
        fails_if: "a member keeps more bytes in a larger group, or more than eight messages wait at one",
        derive: constant_space,
        ..HOLDS
    },
];

/// Every assignment of states to so many vertices.
fn all_states(size: u32) -> impl Iterator<Item = Vec<u8>> {
    (0..1u32 << size).map(move |set| (0..size).map(|bit| (set >> bit & 1) as u8).collect())
}

fn random_states(generator: &mut impl Rng, size: u32) -> Vec<u8> {
    let share: f64 = generator.random();
    (0..size).map(|_| u8::from(generator.random::<f64>() < share)).collect()
}

fn lemma_2(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let mut look = |states: &[u8]| {
        let defined = definition::functions(&rank_halving::tree(states.len() as u32), states);
        check.case(definition::evaluate(states) == defined, || format!("states {states:?}"));
    };
    (1..=8).flat_map(all_states).for_each(|states| look(&states));
    let mut generator = rng::stream(0, "lemma 2");
    for size in 9..=40 {
        look(&random_states(&mut generator, size));
    }
    let note = "Printed slips: s_L of the root is the number 0, not the empty set; F_L and F_R have {Delta} for Delta.";
    Ok(Derivation::of("all states of trees up to 8, one of each size up to 40", check).note(note))
}

/// Edges between two ranks of a tree of this size.
fn edges(a: u32, b: u32, size: u32) -> usize {
    let ancestors = |rank: u32| {
        std::iter::successors(Some(rank), move |&rank| rank_halving::place(rank, size).parent)
            .collect::<Vec<_>>()
    };
    let (a, b) = (ancestors(a), ancestors(b));
    let common = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    a.len() + b.len() - 2 * common
}

fn lemma_3(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let mut look = |states: &[u8]| {
        let (functions, size) = (definition::evaluate(states), states.len() as u32);
        for (target, own) in (0..).zip(&functions) {
            let packet =
                Routed { state: own.state, rank: own.new_rank(), source: NodeId(0), role: Role::Left };
            for from in 0..size {
                let found = way(&functions, from, &packet);
                let shortest = found.as_ref().is_some_and(|way| {
                    way.last() == Some(&target) && way.len() == edges(from, target, size) + 1
                });
                check.case(shortest, || format!("states {states:?}, from {from} to {target}: {found:?}"));
            }
        }
    };
    (1..=8).flat_map(all_states).for_each(|states| look(&states));
    let mut generator = rng::stream(0, "lemma 3");
    for size in (20..=80).step_by(20) {
        look(&random_states(&mut generator, size));
    }
    let note = "Printed slips in the proof: f_L^b for f_L^q, \"minimal rank < r\" for <= r, m_L > r + f_L for m_L - f_L >= r.";
    Ok(Derivation::of("every packet of all states of trees up to 8, and of four larger ones", check)
        .note(note))
}

fn figure_3_tests(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    for states in (1..=10).flat_map(all_states) {
        for own in definition::evaluate(&states) {
            for q in 0..2usize {
                for r in 0..own.total[q] {
                    if own.before[q] > r {
                        let fine = own.max_left[q].is_none_or(|max| max >= r);
                        check.case(fine, || format!("states {states:?}: m_L < r"));
                    } else if let Some(max) = own.max_right[q].filter(|&max| max >= r) {
                        let begins = i64::from(max) - i64::from(own.right[q]) < i64::from(r);
                        // r is the vertex itself: then the packet has arrived, which is looked at first.
                        let here = own.state == q as u8 && own.new_rank() == r;
                        check.case(begins || here, || format!("states {states:?}: m_R - f_R >= r"));
                    }
                }
            }
        }
    }
    Ok(Derivation::of("all states of trees up to 10", check))
}

/// Members of a line of groups that run these programs under an adversary.
fn under<'p>(
    paper: &'p RankSplit,
    line: &Machine,
    programs: Vec<Vec<Operation>>,
    adversary: Adversary,
) -> Result<(Vec<Member<'p, RankSplit, Script>>, bool)> {
    let group = Group::whole(line, "row")?;
    let mut all = members(paper, line, &group, programs.into_iter().map(Script::new).collect())?;
    let trace = any_order::run_processes(&mut all, adversary)?;
    Ok((all, trace.unfinished.is_empty()))
}

fn split(state: u8) -> Operation {
    Operation::Split(Label { colour: state.into(), key: 0 })
}

fn step_2(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let mut numbers =
        Numbers::new(&["step 2", "order of messages kept", "runs", "runs in which a vertex was not ready"]);
    let mut generator = rng::stream(0, "step 2");
    for (partial, in_channels) in [(true, false), (true, true), (false, false), (false, true)] {
        let paper = RankSplit { partial, ..RankSplit::default() };
        let mut unready = 0;
        for seed in 0..300u32 {
            let size = 2 + seed % 30;
            let line = Machine::mesh([1, size])?;
            let states = random_states(&mut generator, size);
            let programs = states.iter().map(|&state| vec![split(state)]).collect();
            let adversary = Adversary { order: Order::Random, in_channels, seed: seed.into() };
            let (all, finished) = under(&paper, &line, programs, adversary)?;
            let early: u32 =
                all.iter().filter_map(|member| member.splitting(0)).map(|split| split.unready()).sum();
            unready += u32::from(early > 0);
            let words =
                || format!("{size} members, states {states:?}, seed {seed}: {early} packets came too early");
            // Where neither step 2 nor the order of messages keeps them away, they are held, and nothing goes wrong.
            check.case(finished && (early == 0 || !(partial || in_channels)), words);
        }
        if !partial && !in_channels {
            check.case(unready > 0, || {
                "300 runs without step 2, order not kept: every vertex was ready".into()
            });
        }
        let yes = |is: bool| if is { "yes" } else { "no" };
        numbers.row(&[&yes(partial), &yes(in_channels), &300, &unready]);
    }
    let note = "Why: a packet climbs to vertices that have been told before, and where it goes down an edge, the functions went \
                down the same edge before it; with step 2, the vertex where it turns down knows that all below have theirs.";
    Ok(Derivation::of("groups of 2 to 31, messages arrive in random order", check)
        .numbers(numbers)
        .note(note))
}

fn step_5(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let mut generator = rng::stream(0, "step 5");
    let (paper, mut early_most) = (RankSplit::short(), 0);
    for seed in 0..200u32 {
        let size = 2 + seed % 40;
        let line = Machine::mesh([1, size])?;
        let (first, second) = (random_states(&mut generator, size), random_states(&mut generator, size));
        let program = |(&a, &b): (&u8, &u8)| {
            vec![
                split(a),
                Operation::Barrier,
                split(b),
                Operation::Barrier,
                Operation::Join,
                split(b),
                Operation::Join,
            ]
            .into_iter()
            .chain([Operation::Join, Operation::Barrier, split(a)])
            .collect()
        };
        let programs = first.iter().zip(&second).map(program).collect();
        let order = [Order::Random, Order::NewestFirst, Order::StarveNode(NodeId(0))][seed as usize % 3];
        let (all, finished) =
            under(&paper, &line, programs, Adversary { order, in_channels: false, seed: seed.into() })?;
        let group = Group::whole(&line, "row")?;
        let colours: Vec<u32> = first.iter().map(|&state| state.into()).collect();
        let right = group.split(&colours).iter().all(|(_, part)| {
            (0..part.size()).all(|rank| {
                let place = all[part.node(rank).index()].places().last().expect("a member has a place");
                let here = rank_halving::place(rank, part.size());
                (place.rank(), place.size()) == (rank, part.size())
                    && place.links().parent == here.parent.map(|up| part.node(up))
            })
        });
        early_most = early_most.max(all.iter().map(Member::early_most).max().unwrap_or(0));
        check.case(right && finished, || format!("{size} members, seed {seed}: a tree is wrong"));
    }
    let note = format!(
        "At most {early_most} messages of later operations waited at a member. What is lost is a barrier, if one is wanted."
    );
    Ok(Derivation::of("200 programs of nested splits, three adversaries", check).note(note))
}

fn constant_space(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let mut numbers = Numbers::new(&["s", "bytes", "messages that waited"]);
    let paper = RankSplit::default();
    let mut first = None;
    for (seed, size) in (0..).zip([8u32, 64, 512, 4096]) {
        let line = Machine::mesh([1, size])?;
        let programs = (0..size).map(|rank| vec![split((rank % 2) as u8)]).collect();
        let adversary = Adversary { order: Order::Random, in_channels: false, seed };
        let (all, _) = under(&paper, &line, programs, adversary)?;
        let bytes = all.iter().map(Member::bytes_kept).max().unwrap_or(0);
        let expected = *first.get_or_insert(bytes);
        check.equal(&expected, &bytes, || format!("s = {size}"));
        let waited = all.iter().map(Member::early_most).max().unwrap_or(0);
        check.case(waited <= 8, || format!("s = {size}: {waited} messages waited at one member"));
        numbers.row(&[&size, &bytes, &waited]);
    }
    let note = "Two levels, the split between them included.";
    Ok(Derivation::of("s = 8 to 4096", check).numbers(numbers).note(note))
}
