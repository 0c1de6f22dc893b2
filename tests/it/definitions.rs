//! Closed-form placements held to the recursive definitions of the paper, built literally.

use meshwright_core::units::{Hops, NodeId};
use meshwright_mapping::{Request, centred_halving, growing, place, reflecting};
use meshwright_network::topology::Machine;

/// Row and column of every task; labels as in Definition 1.
type Positions = Vec<(i64, i64)>;

/// Definition 2: the second copy mirrored to the right (odd n) or below (even n).
fn reflecting_by_definition(n: u32) -> Positions {
    if n == 0 {
        return vec![(0, 0)];
    }
    let copy = reflecting_by_definition(n - 1);
    let (rows, columns) = (1i64 << ((n - 1) / 2), 1i64 << (n - 1).div_ceil(2));
    let mirrored = |&(row, column): &(i64, i64)| {
        if n % 2 == 1 { (row, 2 * columns - 1 - column) } else { (2 * rows - 1 - row, column) }
    };
    copy.iter().copied().chain(copy.iter().map(mirrored)).collect()
}

/// Definition 3: B(n - 1) in the middle, a leaf grown outwards from each of its nodes.
///
/// In postorder labels of B(n) the old node y becomes 2 y + 1 and its leaf 2 y.
fn growing_by_definition(n: u32) -> Positions {
    if n <= 2 {
        return reflecting_by_definition(n);
    }
    let old = growing_by_definition(n - 1);
    let (rows, columns) = (1i64 << (n / 2), 1i64 << n.div_ceil(2));
    let (old_rows, old_columns) = (1i64 << ((n - 1) / 2), 1i64 << (n - 1).div_ceil(2));
    let distance = 1i64 << (n.div_ceil(2) - 2);
    let mut positions = vec![(0, 0); 1 << n];
    for (label, &(row, column)) in old.iter().enumerate() {
        let (row, column) = (row + (rows - old_rows) / 2, column + (columns - old_columns) / 2);
        let leaf = if n % 2 == 1 {
            (row, if column >= columns / 2 { column + distance } else { column - distance })
        } else {
            (if row >= rows / 2 { row + distance } else { row - distance }, column)
        };
        positions[2 * label] = leaf;
        positions[2 * label + 1] = (row, column);
    }
    positions
}

/// Centred halving as bisection: an owner of an interval keeps the half at its own end and sends to the
/// inner end of the other half.
fn halving_by_definition(n: u32) -> Positions {
    // What an owner has along one axis: its own coordinate, how many nodes, and which way they lie. The
    // first cut is in the middle (before it, nodes lie both ways), owners at the inner ends.
    #[derive(Clone, Copy)]
    struct Interval {
        owner: i64,
        length: i64,
        outwards: i64,
    }
    fn cut(whole: Interval) -> (Interval, Interval) {
        let half = whole.length / 2;
        if whole.outwards == 0 {
            // Uncut: the owner sits south or east of the centre line, its partner is the mirror image.
            let keep = Interval { owner: whole.owner, length: half, outwards: 1 };
            let send = Interval { owner: whole.owner - 1, length: half, outwards: -1 };
            (keep, send)
        } else {
            let send = Interval { owner: whole.owner + whole.outwards * half, ..whole };
            (Interval { length: half, ..whole }, Interval { length: half, ..send })
        }
    }
    fn split(axes: [Interval; 2], phase: u32, n: u32, label: u32, positions: &mut Positions) {
        if phase > n {
            positions[label as usize] = (axes[0].owner, axes[1].owner);
            return;
        }
        // Phase 1 cuts the rows (if there are two), 2 the columns, then the longer side, columns first.
        let axis = match phase {
            1 if n == 1 => 1,
            1 => 0,
            2 => 1,
            _ => usize::from(axes[1].length >= axes[0].length),
        };
        let (keep, send) = cut(axes[axis]);
        let with = |interval: Interval| {
            let mut both = axes;
            both[axis] = interval;
            both
        };
        // The receiver roots the larger of the remaining subtrees: B(n - phase), the lower labels.
        split(with(keep), phase + 1, n, label, positions);
        split(with(send), phase + 1, n, label - (1 << (n - phase)), positions);
    }
    let (rows, columns) = (1i64 << (n / 2), 1i64 << n.div_ceil(2));
    let whole = |length: i64| Interval { owner: length / 2, length, outwards: 0 };
    let mut positions = vec![(0, 0); 1 << n];
    split([whole(rows), whole(columns)], 1, n, (1 << n) - 1, &mut positions);
    positions
}

fn shape(n: u32) -> (u32, u32) {
    (1 << (n / 2), 1 << n.div_ceil(2))
}

fn placed(name: &str, n: u32) -> Positions {
    let (rows, columns) = shape(n);
    let mesh = Machine::mesh([rows, columns]).unwrap();
    let placement = place(name, &Request::count(1 << n, &mesh, 0)).unwrap();
    placement.nodes.iter().map(|node| (i64::from(node.0 / columns), i64::from(node.0 % columns))).collect()
}

#[test]
fn closed_forms_equal_the_recursive_definitions() {
    check_closed_forms(0..=14);
}

#[test]
#[ignore = "long: up to a million tasks"]
fn closed_forms_equal_the_recursive_definitions_to_a_million_tasks() {
    check_closed_forms(15..=20);
}

fn check_closed_forms(sizes: std::ops::RangeInclusive<u32>) {
    for n in sizes {
        assert_eq!(placed("reflecting", n), reflecting_by_definition(n), "reflecting B({n})");
        assert_eq!(placed("growing", n), growing_by_definition(n), "growing B({n})");
        assert_eq!(placed("centred-halving", n), halving_by_definition(n), "centred halving B({n})");
    }
}

#[test]
fn dilations_have_their_closed_forms() {
    for n in 1..=14u32 {
        for (name, formula) in [
            ("reflecting", Box::new(move |i| reflecting::dilation(n, i)) as Box<dyn Fn(u32) -> Hops>),
            ("growing", Box::new(growing::dilation)),
            ("centred-halving", Box::new(move |i| centred_halving::dilation(n, i))),
        ] {
            let positions = placed(name, n);
            for label in 0..(1u32 << n) - 1 {
                let (phase, parent) = (n - label.trailing_ones(), label | (label + 1));
                let (a, b) = (positions[label as usize], positions[parent as usize]);
                let hops = (a.0 - b.0).unsigned_abs() + (a.1 - b.1).unsigned_abs();
                assert!(a.0 == b.0 || a.1 == b.1, "{name} B({n}): task {label} lies in line with its parent");
                assert_eq!(hops, u64::from(formula(phase).0), "{name} B({n}), task {label}, phase {phase}");
            }
        }
    }
}

#[test]
fn closed_forms_work_on_boxes_of_any_dimension_and_inside_larger_machines() {
    for (machine, tasks) in [
        ("mesh:4x8x2", 64),
        ("torus:4x4x4", 64),
        ("hypercube:7", 128),
        ("mesh:9x5", 32),
        ("mesh:2x32", 64),
        ("mesh:1x1", 1),
    ] {
        let machine = Machine::new(machine).unwrap();
        for name in ["reflecting", "growing", "centred-halving"] {
            let mut nodes = place(name, &Request::count(tasks, &machine, 0)).unwrap().nodes;
            nodes.sort_unstable();
            nodes.dedup();
            assert_eq!(nodes.len(), tasks as usize, "{name} on {} is one-to-one", machine.name());
        }
    }
}

#[test]
fn tasks_on_dead_nodes_move_to_the_nearest_free_one() {
    let machine = Machine::new("mesh:4x5").unwrap().with_dead(vec![NodeId(6)]).unwrap();
    let placement = place("centred-halving", &Request::count(16, &machine, 0)).unwrap();
    let whole = Machine::new("mesh:4x5").unwrap();
    let undisturbed = place("centred-halving", &Request::count(16, &whole, 0)).unwrap();
    let moved: Vec<usize> =
        (0..16).filter(|&task| placement.nodes[task] != undisturbed.nodes[task]).collect();
    assert_eq!(moved.len(), 1, "only the task of the dead node moves");
    assert_eq!(undisturbed.nodes[moved[0]], NodeId(6));
    // The box is the first four columns; the nearest free node of (1, 1) is (0, 4) or (1, 4), the latter nearer.
    assert_eq!(placement.nodes[moved[0]], NodeId(9));
}
