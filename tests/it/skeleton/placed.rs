//! Trees that were placed on a machine first.

use meshwright_core::units::{Bytes, NodeId};
use meshwright_demos::applications::MergeSort;
use meshwright_mapping::PLACEMENTS;
use meshwright_mapping::divide::{PRESETS, Preset};
use meshwright_network::topology::Machine;
use meshwright_verdict::Ranked;
use meshwright_verdict::ranked::LAUNCHED;

use super::{from_threads, numbers, numbers_alone};

fn preset(name: &str) -> &'static Preset {
    PRESETS.iter().find(|preset| preset.name == name).unwrap()
}

/// Sorts 16 numbers for each rank, and counts what is sent.
fn sorts(machine: Option<Machine>, placement: Option<&str>, ranks: u32) -> Ranked {
    let volume = Bytes(u64::from(64 * ranks));
    let ranked = Ranked::new(preset("merge-sort"), volume, machine, placement, (ranks, 0)).unwrap();
    let run = from_threads(&MergeSort::new(1), &ranked.tree, numbers(16 * ranks));
    let what = format!("{} on {}", ranked.placement, ranked.machine);
    let sorted = run.solution.unwrap();
    assert!(sorted.is_sorted() && sorted.len() == 16 * ranks as usize, "{what}");
    assert_eq!(run.record.messages(), 2 * (u64::from(ranks) - 1), "{what}");
    assert_eq!(run.there.messages, u64::from(ranked.tree.root() != 0), "{what}");
    // M5: on uneven trees, too, since parts of data are planned in proportion.
    assert_eq!(numbers_alone(&run.record), ranked.planned(), "{what}");
    ranked
}

#[test]
fn every_placement_sorts() {
    let mesh = || Some(Machine::new("mesh:4x4").unwrap());
    // A tree has no axes.
    let names = PLACEMENTS.iter().map(|method| method.name).filter(|&name| name != "axes");
    for name in names.chain(["steps:x1y1x1y1", "auto", LAUNCHED]) {
        let ranked = sorts(mesh(), Some(name), 16);
        let mut ranks = ranked.ranks.clone();
        ranks.sort_unstable();
        assert_eq!(ranks, (0..16).collect::<Vec<_>>(), "{name}");
        assert_eq!(ranked.tree.root(), ranked.ranks[15], "{name}: the root is the last task");
    }
    assert_eq!(sorts(mesh(), Some(LAUNCHED), 16).tree.root(), 15);
}

#[test]
fn every_number_of_ranks_has_a_mesh() {
    for (ranks, mesh) in
        [(1, "mesh:1x1"), (2, "mesh:1x2"), (6, "mesh:2x3"), (7, "mesh:1x7"), (12, "mesh:3x4")]
    {
        assert_eq!(sorts(None, None, ranks).machine, mesh);
    }
}

#[test]
fn other_machines_sort() {
    for (name, ranks) in [("torus:3x5", 15), ("hypercube:3", 8), ("mesh:2x3x2", 12), ("ccc:3", 24)] {
        sorts(Some(Machine::new(name).unwrap()), None, ranks);
    }
    // Rank r is the r-th living node.
    let holes = Machine::new("mesh:3x3").unwrap().with_dead(vec![NodeId(0)]).unwrap();
    let ranked = sorts(Some(holes), None, 8);
    assert_eq!(ranked.placement, "bisection");
}

#[test]
fn what_does_not_fit_is_refused() {
    let sort = preset("merge-sort");
    let on = |machine: &str| Some(Machine::new(machine).unwrap());
    let refused = |machine, placement, ranks| {
        Ranked::new(sort, Bytes(64), machine, placement, (ranks, 0)).unwrap_err().to_string()
    };
    assert!(refused(on("mesh:4x4"), None, 8).contains("as many living nodes as ranks, 8"));
    assert!(refused(None, Some("nearest"), 8).contains("placement is `nearest`"));
    assert!(refused(on("mesh:3x3"), Some("growing"), 9).contains("growing"));
    assert!(refused(None, None, 0).contains("at least 1"));
}

#[test]
fn a_reduction_has_only_a_way_up() {
    let ranked = Ranked::new(preset("reduce"), Bytes(8), None, None, (4, 0)).unwrap();
    assert_eq!(ranked.planned(), [(0, Bytes(0)), (0, Bytes(0)), (2, Bytes(16)), (1, Bytes(8))]);
}
