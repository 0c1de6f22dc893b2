//! Bine trees: from the right root the distance-halving tree is the reflecting mapping of Lo et al.

use meshwright_collectives::algorithms::bine::tree;
use meshwright_collectives::{Operation, Task};
use meshwright_core::units::Hops;
use meshwright_network::topology::Machine;

/// Nodes of a mesh by label, as the reflecting mapping is defined: a copy, then a mirrored copy beside it, along the rows and along
/// the columns in turn.
fn reflected(rows: u32, columns: u32, doublings: u32) -> Vec<(u32, u32)> {
    let mut places = vec![(0, 0)];
    let (mut high, mut wide) = (1, 1);
    for doubling in 0..doublings {
        let is_wider = doubling % 2 == 0;
        let mirror = |&(row, column): &(u32, u32)| {
            if is_wider { (row, 2 * wide - 1 - column) } else { (2 * high - 1 - row, column) }
        };
        let mirrored: Vec<_> = places.iter().map(mirror).collect();
        places.extend(mirrored);
        if is_wider { wide *= 2 } else { high *= 2 }
    }
    assert_eq!((high, wide), (rows, columns));
    places
}

#[test]
fn distance_halving_is_the_reflecting_mapping() {
    for n in 1..=20 {
        let (rows, columns) = (1 << (n / 2), 1 << (n - n / 2));
        let mesh = Machine::mesh([rows, columns]).unwrap();
        let places = reflected(rows, columns, n);
        // Along a side of 4^k reflecting tells the far half first downwards, as Bine does; along other sides upwards in a mirror.
        let seen = |at: u32, side: u32| if side.ilog2().is_multiple_of(2) { at } else { side - 1 - at };
        let member = |label: usize| seen(places[label].0, rows) * columns + seen(places[label].1, columns);
        let root = member((1 << n) - 1);
        let task = Task::new(&mesh, Operation::Broadcast, 8, root).unwrap();
        let mut edges = tree(&task, true).unwrap().edges;
        // In step s, who has it is a label that ends with n - s ones; the first of them is cleared in the one it tells.
        let of_step = |step: u32| {
            let ones = (1usize << (n - step)) - 1;
            let to = move |label: usize| label ^ 1 << (n - 1 - step);
            let holders = (0..1usize << n).filter(move |label| label & ones == ones);
            holders.map(move |label| (step, member(label), member(to(label))))
        };
        let mut expected: Vec<(u32, u32, u32)> = (0..n).flat_map(of_step).collect();
        edges.sort_unstable();
        expected.sort_unstable();
        assert!(edges == expected, "B({n}) from {root}");
        if n == 12 {
            assert_eq!(root, 42 * 64 + 42);
            let far = |step: u32| {
                let of_step = edges.iter().filter(move |edge| edge.0 == step);
                of_step.filter_map(|&(_, from, to)| task.distance(from, to)).max().unwrap_or(Hops(0)).0
            };
            assert_eq!((0..n).map(far).sum::<u32>(), 84, "the hops of all steps on 64x64");
        }
    }
}

/// On a torus every root sees the same tree.
#[test]
fn every_root_of_a_torus_is_alike() {
    let torus = Machine::new("torus:8x8").unwrap();
    for farthest in [true, false] {
        let hops = |root: u32| {
            let task = Task::new(&torus, Operation::Broadcast, 8, root).unwrap();
            let edges = tree(&task, farthest).unwrap().edges;
            edges
                .iter()
                .map(|&(step, from, to)| (step, task.distance(from, to).unwrap().0))
                .collect::<Vec<_>>()
        };
        let from_corner = hops(0);
        assert!((1..64).all(|root| hops(root) == from_corner));
        let mut far: Vec<u32> = (0..6)
            .map(|step| from_corner.iter().filter(|hop| hop.0 == step).map(|hop| hop.1).max().unwrap())
            .collect();
        if !farthest {
            far.reverse();
        }
        assert_eq!(far, [3, 3, 1, 1, 1, 1]);
    }
}

/// Every even side is reached, from every root. Some odd ones are, too: from all roots or from none, which is refused.
#[test]
fn even_sides_are_reached() {
    for members in 2u32..=64 {
        let line = Machine::new(&format!("mesh:{members}")).unwrap();
        for farthest in [true, false] {
            let reached = (0..members).filter(|&root| {
                let task = Task::new(&line, Operation::Broadcast, 8, root).unwrap();
                tree(&task, farthest).is_ok_and(|tree| tree.edges.len() as u32 == members - 1)
            });
            let reached = reached.count() as u32;
            assert!(
                reached == members || !members.is_multiple_of(2) && reached == 0,
                "{members}: {reached}, {farthest}"
            );
        }
    }
}
