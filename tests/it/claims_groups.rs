//! The audit of `chochia1996`.

use std::collections::BTreeSet;

use meshwright_core::units::NodeId;
use meshwright_groups::{Group, rank_halving};
use meshwright_network::topology::{Machine, Topology};
use meshwright_papers::{Audit, Verdict, audit};

fn of(only: &[&str]) -> Audit {
    audit(Some("chochia1996"), 8, only, &mut |_| {}).unwrap()
}

#[test]
fn every_verdict_is_the_one_that_is_expected() {
    let audit = of(&[]);
    for finding in &audit.claims {
        assert!(finding.as_expected, "{}: {}", finding.id, finding.evidence);
    }
    let counts = Verdict::ALL.map(|verdict| audit.count(verdict));
    assert_eq!(counts, [24, 11, 2, 7, 2, 0]);
    let sources = |word: &str| audit.claims.iter().filter(|finding| finding.source.contains(word)).count();
    for word in
        ["fact 1", "assertion 1", "assertion 2", "lemma 1", "lemma 2", "lemma 3", "lemma 4", "lemma 5"]
    {
        assert!(sources(word) > 0, "{word} is looked at");
    }
    for word in
        ["theorem 1", "theorem 2", "theorem 3", "theorem 4", "figure 1", "figure 3", "figure 4", "figure 5"]
    {
        assert!(sources(word) > 0, "{word} is looked at");
    }
    let errata: Vec<&str> = audit.claims.iter().filter_map(|finding| finding.errata).collect();
    // G2, G13 to G16 and G18 were statements of ours, and are remarks.
    let kept = (1..=19).filter(|number| ![2, 13, 14, 15, 16, 18].contains(number));
    let numbers: BTreeSet<String> = kept.map(|number| format!("G{number}")).collect();
    assert_eq!(errata.iter().map(ToString::to_string).collect::<BTreeSet<_>>(), numbers);
    assert_eq!(errata.len(), numbers.len(), "each number once");
    for finding in &audit.claims {
        let is_wrong = matches!(finding.verdict, Verdict::Corrected | Verdict::Refuted);
        assert_eq!(finding.errata.is_some(), is_wrong, "{}", finding.id);
        assert_eq!(finding.counterexample.is_some(), is_wrong, "{}", finding.id);
    }
}

/// G2: the walk of 20 x 30 passes 3, so no form of the claim says that it does not.
#[test]
fn ranks_64_and_179_of_20_by_30_are_farther_apart_than_fact_1_allows() {
    let mesh = Machine::new("mesh:20x30").unwrap();
    let walk = Group::whole(&mesh, "hilbert").unwrap();
    let distance = mesh.distance(walk.node(64), walk.node(179)).unwrap().0;
    assert_eq!(distance, 33);
    assert!(distance * distance > 9 * 115);
    let finding = of(&["fact-1-ranks"]).claims.remove(0);
    assert_eq!(finding.verdict, Verdict::Remark);
    let shown = finding.numbers.rows.iter().find(|row| row[0] == "20 x 30").expect("the box is shown");
    assert_eq!(shown[2], "3.077");
}

/// G3: near the whole mesh row order is the faster one, and the claim says from where to where it is not.
#[test]
fn row_order_is_slower_only_up_to_250_nodes() {
    let finding = of(&["figure-5-whole-mesh"]).claims.remove(0);
    assert_eq!((finding.verdict, finding.errata), (Verdict::Remark, None), "{}", finding.evidence);
    let ratio = |size: &str| -> f64 {
        let row = finding.numbers.rows.iter().find(|row| row[0] == size).expect("the size is shown");
        row[3].parse().unwrap()
    };
    assert!(ratio("17") > 2.0 && ratio("250") > 1.0 && ratio("255") < 1.0 && ratio("256") < 1.0);
}

/// G4: lemma 4 is false for 200 and 400 vertices, too; the table has the most there is.
#[test]
fn lemma_4_is_false_for_large_sub_trees_too() {
    let finding = of(&["lemma-4"]).claims.remove(0);
    assert_eq!(finding.verdict, Verdict::Corrected);
    let most = |from: &str| -> u32 {
        let row = finding.numbers.rows.iter().find(|row| row[0] == from).expect("the size is shown");
        row[1].parse().unwrap()
    };
    assert_eq!(["1", "2", "200", "400", "4096"].map(most), [3, 5, 24, 27, 37], "{:?}", finding.numbers);
    assert_eq!(finding.checked.cases_corrected.map(|cases| cases > finding.checked.cases), Some(true));
}

/// What the program's own queues say of theorem 4: a counter at one node breaks the law that splits keep.
#[test]
fn queues_of_splits_grow_as_log_n_and_those_of_a_counter_do_not() {
    let finding = of(&["theorem-4-queues"]).claims.remove(0);
    assert_eq!(finding.verdict, Verdict::Holds, "{}", finding.evidence);
    let last = finding.numbers.rows.last().expect("n = 64");
    let one: u64 = last[4].parse().unwrap();
    assert!(last[0] == "64" && one > 1000, "{last:?}");
}

/// Without combining n^2 members take n^2 / 2 steps at least; with it they take fewer than on a tree.
#[test]
fn a_counter_takes_n_squared_only_without_combining() {
    let finding = of(&["semaphore-worst"]).claims.remove(0);
    assert_eq!((finding.verdict, finding.errata), (Verdict::Corrected, Some("G19")), "{}", finding.evidence);
    for row in &finding.numbers.rows {
        let [n, single, combined, tree] = [0, 1, 3, 6].map(|at| row[at].parse::<u64>().unwrap());
        assert!(2 * single >= n * n && combined < tree && combined < 3 * n, "{row:?}");
    }
}

/// The group that is told is one whose tree has the path that is told.
#[test]
fn the_upper_bound_of_theorem_1_is_refuted_by_a_group_that_can_be_checked() {
    let audit = of(&["G7"]);
    let words = audit.claims[0].counterexample.clone().unwrap();
    assert!(words.starts_with("n = 16, s = 84: 141 links, printed at most 135.8"), "{words}");
    let nodes = words.split_once("the nodes ").unwrap().1;
    let nodes: Vec<NodeId> = nodes.split(' ').map(|node| NodeId(node.parse().unwrap())).collect();
    let mesh = Machine::new("mesh:16x16").unwrap();
    let group = Group::of(&mesh, "hilbert", &nodes).unwrap();
    assert_eq!((group.size(), group.members()), (84, &nodes[..]), "told in the order of the curve");
    assert_eq!(rank_halving::tree(84).height_links(&mesh, &group), 141);
    // 3 sqrt(2) 16 sqrt(4)
    assert!(141.0 > 3.0 * 2f64.sqrt() * 16.0 * 2.0);
}
