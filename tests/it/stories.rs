//! The Rust stories of `examples/` assert their numbers; here they run.

use meshwright_network::topology::Machine;
use meshwright_schedule::goal;
use meshwright_sim::{Engine, simulate};

#[path = "../../examples/allreduce.rs"]
#[allow(dead_code, reason = "its `main` reads the arguments of a command line")]
mod allreduce;
#[path = "../../examples/nested_quicksort.rs"]
#[allow(dead_code, reason = "its `main` reads the arguments of a command line")]
mod nested_quicksort;
#[path = "../../examples/switching_decides.rs"]
mod switching_decides;

#[test]
fn switching_decides_holds() {
    switching_decides::main().unwrap();
}

/// Each rank waits for a message before it sends the next, so on a hypercube, where partners are neighbours, a
/// step takes as long as one message alone over one link.
#[test]
fn the_allreduce_is_a_schedule_of_one_step_for_each_bit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("allreduce.goal");
    for bits in [0u32, 1, 4, 12] {
        let ranks = 1 << bits;
        assert_eq!(allreduce::write(&path, ranks, 64).unwrap(), u64::from(ranks) * u64::from(bits));
        let schedule = goal::read(&path).unwrap();
        assert_eq!(
            (schedule.ranks.len(), schedule.messages().len()),
            (ranks as usize, (ranks * bits) as usize)
        );
        let cube = Machine::hypercube(bits).unwrap();
        let trace = simulate(&cube, &schedule, &Engine::Message).unwrap();
        // c + b (W + h) with c = 100, b = 1, W = 64, h = 2.
        assert_eq!(trace.cycles.0, u64::from(bits) * (100 + 64 + 2));
    }
}

/// A chain of splits and joins, decided by data, under four splits: all sort, and the paper's takes longest.
#[test]
fn the_nested_quicksort_sorts() {
    let machine = Machine::new("mesh:16x16").unwrap().in_packets();
    let keys = nested_quicksort::keys(256, 6);
    let runs = nested_quicksort::runs(&machine, &keys).unwrap();
    let mut expected: Vec<u64> = keys.clone();
    expected.sort_unstable();
    for (name, sorted) in &runs {
        let in_order = |node: usize| expected[sorted.places[node] as usize] == keys[node];
        assert!((0..256).all(in_order), "{name}");
        let mut places = sorted.places.clone();
        places.sort_unstable();
        assert!(places.into_iter().eq(0..256), "{name}");
        let levels = sorted.history.levels();
        assert_eq!(
            (levels.len(), sorted.history.groups().len()),
            (18, 311),
            "the keys decide, not the split"
        );
    }
    let steps: Vec<_> = runs.iter().map(|(name, sorted)| (*name, sorted.cycles.0)).collect();
    assert_eq!(steps, [("paper", 6003), ("paper-fast", 4406), ("tac", 2678), ("mask", 1687)]);
}
