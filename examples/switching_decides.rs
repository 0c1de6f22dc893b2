//! Which placement is right depends on how the machine switches messages.
//!
//! A binomial tree of 1024 tasks on a 32 x 32 mesh, message sizes halving from phase to phase. Under wormhole
//! routing distance hardly matters and contention does: centred halving meets the bound. Under
//! store-and-forward each hop costs the whole message again: growing, which keeps the early, heavy messages
//! short, takes less than half the time of the mapping that is best under wormhole.
//!
//! `cargo run --release --example switching_decides`

use meshwright_core::units::Bytes;
use meshwright_mapping::{Divide, Shape};
use meshwright_network::topology::{Machine, Switching};
use meshwright_verdict::{Job, MappingVerdict, mapping};

pub(crate) fn main() -> meshwright_core::Result<()> {
    let job = Job::divide(&Divide {
        shape: Shape::Binomial(10),
        alpha: Some(0.5),
        combine_alpha: None,
        volume: Bytes(1 << 20),
    })?;
    let judge = |switching| -> meshwright_core::Result<MappingVerdict> {
        let mesh = Machine::new("mesh:32x32")?.with_switching(switching);
        let methods = ["reflecting", "growing", "centred-halving", "row-major", "hilbert"];
        mapping::judge("scatter", &job, &mesh, &methods, 0, &mut |_| {})
    };
    let (wormhole, stored) = (judge(Switching::Wormhole)?, judge(Switching::StoreAndForward)?);
    println!("{:<16} {:>16} {:>20}", "cycles", "wormhole", "store-and-forward");
    for (worm, store) in wormhole.results.iter().zip(&stored.results) {
        println!("{:<16} {:>16} {:>20}", worm.method, worm.simulated(), store.simulated());
    }
    println!(
        "{:<16} {:>16} {:>20}",
        "lower bound", wormhole.results[0].bound_cycles, stored.results[0].bound_cycles
    );
    println!("\nwormhole: {}\nstore-and-forward: {}", wormhole.reason, stored.reason);

    assert_eq!(wormhole.winner_name(), Some("centred-halving"));
    assert_eq!(stored.winner_name(), Some("growing"));
    let time = |verdict: &MappingVerdict, method: &str| {
        let result = verdict.results.iter().find(|result| result.method == method);
        result.expect("it was asked for").simulated()
    };
    assert_eq!(time(&wormhole, "centred-halving"), wormhole.results[0].bound_cycles);
    assert!(time(&stored, "growing") * 1000 < stored.results[0].bound_cycles * 1002);
    assert!(time(&stored, "centred-halving") > 2 * time(&stored, "growing"));
    Ok(())
}
