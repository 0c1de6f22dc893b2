//! Merge sort on a mesh: every placement judged, the best one simulated again.

use meshwright::prelude::*;

fn main() -> Result<()> {
    // Merge sort of 64 KiB on an 8 x 8 mesh with wormhole routing: every placement, judged.
    let mesh = Machine::mesh([8, 8])?;
    let tasks = TaskGraph::binomial(6).volume(KiB(64)).halving()?;
    let verdict = judge(&Mapping::new(&tasks, &mesh), PLACEMENTS, &Options::default(), &mut Silent)?;
    let best = verdict.winner().expect("one placement comes to its end");
    println!("{}: {} cycles, bound {}", best.method, best.time, verdict.bound());
    println!("{}", verdict.reason()); // why it wins, in one sentence
    assert_eq!((best.method, best.time), ("centred-halving", verdict.bound()));
    let schedule = best.schedule().expect("a placement has one");
    let trace = simulate(&mesh, schedule, &Engine::Message)?;
    assert!(trace.cycles <= best.time, "without a barrier after each phase");
    Ok(())
}
