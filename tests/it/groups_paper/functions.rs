//! Lemma 2 against the definitions, figure 3 against the paths of the tree.

use meshwright_core::rng::stream;
use meshwright_core::units::NodeId;
use meshwright_groups::protocol::Side;
use meshwright_groups::rank_split::Functions;
use meshwright_groups::rank_split::routing::{Hop, Role, Routed, route};
use meshwright_groups::{Tree, rank_halving};
use meshwright_papers::chochia1996::definition::{self, evaluate};
use rand::RngExt;

/// All states of up to eight vertices, and some of more.
fn labellings() -> Vec<Vec<u8>> {
    let bits = |size: u32, bits: u32| (0..size).map(|r| (bits >> r & 1) as u8).collect::<Vec<_>>();
    let mut all: Vec<_> = (1..=8).flat_map(|s| (0..1u32 << s).map(move |b| bits(s, b))).collect();
    let mut random = stream(6, "states");
    for size in [9, 20, 33, 47] {
        for ones in [1, 2, 5, 9] {
            all.push((0..size).map(|_| u8::from(random.random_range(0..10) < ones)).collect());
        }
    }
    all
}

/// Whether v is u or below u.
fn is_within(tree: &Tree, v: u32, u: u32) -> bool {
    v == u || tree.parent(v).is_some_and(|parent| is_within(tree, parent, u))
}

#[test]
fn the_recursions_are_the_definitions() {
    for states in labellings() {
        let tree = rank_halving::tree(states.len() as u32);
        let functions = evaluate(&states);
        assert_eq!(functions, definition::functions(&tree, &states), "{states:?}");
        for (u, functions) in (0..).zip(&functions) {
            for &child in tree.children(u) {
                let side = if child < u { Side::Left } else { Side::Right };
                let first = (0..tree.size()).find(|&v| is_within(&tree, v, child)).unwrap();
                let before = |x| states[..first as usize].iter().filter(|&&state| state == x).count() as u32;
                assert_eq!(
                    functions.before_child(side),
                    [before(0), before(1)],
                    "{states:?}: {u} -> {child}"
                );
            }
            for x in [0, 1] {
                let up_to_here = states[..=u as usize].iter().filter(|&&state| state == x).count();
                assert_eq!(functions.rank(x), (up_to_here as u32).checked_sub(1));
            }
        }
    }
}

/// Where the path of the tree goes from u to v.
fn toward(tree: &Tree, u: u32, v: u32) -> Hop {
    match v.cmp(&u) {
        std::cmp::Ordering::Equal => Hop::Here,
        _ if !is_within(tree, v, u) => Hop::Parent,
        std::cmp::Ordering::Less => Hop::Left,
        std::cmp::Ordering::Greater => Hop::Right,
    }
}

#[test]
fn packets_go_along_the_paths_of_the_tree() {
    let mut hops = [0u32; 4];
    for states in labellings() {
        let tree = rank_halving::tree(states.len() as u32);
        let functions = evaluate(&states);
        for (v, to) in (0..).zip(&functions) {
            let (state, rank) = (to.state, to.new_rank());
            let packet = Routed { state, rank, source: NodeId(0), role: Role::Parent };
            for (u, at) in (0..).zip(&functions) {
                let hop = route(at, &packet);
                assert_eq!(hop, toward(&tree, u, v), "{states:?}: from {u} to {v}");
                hops[hop as usize] += 1;
            }
        }
    }
    assert!(hops.iter().all(|&count| count > 1000), "all four are met: {hops:?}");
}

#[test]
fn two_tests_of_the_figure_follow_from_the_others() {
    // Where b > r and there is something on the left, m_L >= r: the first test of the left branch decides nothing.
    // Where b <= r, the other end of the right side is not above r: neither does the second of the right branch.
    for states in labellings() {
        for Functions { state, before, total, max_left, max_right, right, .. } in evaluate(&states) {
            for q in [0, 1] {
                for r in 0..total[q] {
                    let is_here = usize::from(state) == q && before[q] == r;
                    if let (true, Some(largest)) = (before[q] > r, max_left[q]) {
                        assert!(largest >= r);
                    }
                    if let (false, false, Some(largest)) = (is_here, before[q] > r, max_right[q]) {
                        assert!(largest < r + right[q]);
                    }
                }
            }
        }
    }
}
