//! The audit of `chochia1996`.

use std::collections::BTreeSet;

use meshwright::claims::{Audit, Verdict, audit};
use meshwright::groups::{Group, rank_halving};
use meshwright::topology::Machine;
use meshwright::units::NodeId;

fn of(only: &[&str]) -> Audit {
    audit(Some("chochia1996"), 8, only, &mut |_| {}).unwrap()
}

#[test]
fn every_verdict_is_the_one_that_is_expected() {
    let audit = of(&[]);
    for finding in &audit.claims {
        assert!(finding.as_expected, "{}: {}", finding.id, finding.evidence);
    }
    let counts = [Verdict::Holds, Verdict::Corrected, Verdict::Refuted].map(|verdict| audit.count(verdict));
    assert_eq!(counts, [18, 16, 2]);
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
    let numbers: BTreeSet<String> = (1..=18).map(|number| format!("G{number}")).collect();
    assert_eq!(errata.iter().map(ToString::to_string).collect::<BTreeSet<_>>(), numbers);
    assert_eq!(errata.len(), numbers.len(), "each number once");
    for finding in &audit.claims {
        assert_eq!(finding.errata.is_some(), finding.verdict != Verdict::Holds, "{}", finding.id);
        assert_eq!(finding.counterexample.is_some(), finding.verdict != Verdict::Holds, "{}", finding.id);
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
