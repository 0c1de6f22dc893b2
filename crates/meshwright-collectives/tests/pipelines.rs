//! Rooted trees that stream: their simulated times.

use meshwright_collectives::algorithms::auto_gen::Model;
use meshwright_collectives::{Operation, Task, algorithm, chunks, flow::Flow};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Bytes, Cycles, Ratio};
use meshwright_network::topology::{Machine, Topology};
use meshwright_sim::{Engine, simulate};

/// The flow of an algorithm by its name.
fn flow(name: &str, task: &Task<'_>) -> Result<Flow> {
    algorithm::all().find(|algorithm| algorithm.name == name).expect("in the table").of(task)
}

/// The simulated time in so many chunks.
fn time(task: &Task<'_>, flow: &Flow, chunks: u32) -> Result<u64> {
    let schedule = flow.chunked(chunks)?.schedule(task.nodes(), task.machine().nodes(), task.combine);
    Ok(simulate(task.machine(), &schedule, &Engine::Message)?.cycles.0)
}

/// The best of the candidates: its time and its number of chunks.
fn best(task: &Task<'_>, flow: &Flow) -> Result<(u64, u32)> {
    let all = chunks::chunks(task, flow).into_iter().map(|chunks| Ok((time(task, flow, chunks)?, chunks)));
    Ok(all.collect::<Result<Vec<_>>>()?.into_iter().min().expect("one candidate"))
}

/// Costs like those of the wafer-scale engine: a wavelet of 4 bytes takes a cycle over a link.
fn wafer(machine: &str) -> Result<Machine> {
    let machine = Machine::new(machine)?;
    machine.with_startup(Cycles(5))?.with_byte_time(Ratio::new(1, 4).unwrap())?.with_flit(Bytes(4))
}

/// A chain of L links in k chunks: (k + L - 1) (b V / k + b h) + L c.
#[test]
fn a_chain_takes_what_its_formula_says() -> Result<()> {
    for name in ["mesh:9", "mesh:2", "mesh:17"] {
        let machine = Machine::new(name)?;
        let task = Task::new(&machine, Operation::Broadcast, 7200, 0)?;
        let flow = flow("chain", &task)?;
        let links = u64::from(task.members() - 1);
        for chunks in [1u32, 2, 4, 8, 40, 100] {
            let k = u64::from(chunks);
            let expected = (k + links - 1) * (7200 / k + 2) + links * 100;
            assert_eq!(time(&task, &flow, chunks)?, expected, "{name} in {chunks} chunks");
        }
    }
    Ok(())
}

/// The candidates come within 6 % of the best of all numbers of chunks where trees share no links.
#[test]
fn the_number_of_chunks_is_nearly_the_best() -> Result<()> {
    for (name, bytes) in [("mesh:9", 4000), ("mesh:4x4", 2000), ("torus:4x4", 3000), ("mesh:3x5", 500)] {
        let machine = Machine::new(name)?;
        for operation in [Operation::Broadcast, Operation::Reduce, Operation::AllReduce] {
            let task = Task::new(&machine, operation, bytes, 0)?;
            for way in ["chain", "xy-chain", "disjoint-trees", "binary-tree", "double-tree", "two-phase"] {
                let Ok(flow) = flow(way, &task) else { continue };
                let (found, chunks) = best(&task, &flow)?;
                let all = (1..=150).map(|chunks| time(&task, &flow, chunks)).collect::<Result<Vec<_>>>()?;
                let least = *all.iter().min().unwrap();
                // The two trees share links, so that their time jumps by a quarter from one number of chunks to the next.
                let most = if way == "double-tree" { 1.11 } else { 1.06 };
                let what = format!("{way} {} on {name}: {found} in {chunks}", operation.name());
                assert!(found as f64 <= most * least as f64, "{what}, at best {least}");
            }
        }
    }
    Ok(())
}

/// 1 MB on 16 x 16 from a corner with two links: V/2 = 500,000 cycles at least.
#[test]
#[cfg_attr(debug_assertions, ignore = "a million messages")]
fn a_megabyte_on_a_mesh_is_broadcast_within_five_per_cent() -> Result<()> {
    let machine = Machine::new("mesh:16x16")?;
    let task = Task::new(&machine, Operation::Broadcast, 1_000_000, 0)?;
    let rows = flow("xy-chain", &task)?;
    // 30 links from the corner: (100 + 29) (10000 + 2) + 30 * 100.
    assert_eq!(time(&task, &rows, 100)?, 129 * 10_002 + 3000);
    let (found, chunks) = best(&task, &flow("disjoint-trees", &task)?)?;
    assert!((500_000..525_000).contains(&found), "{found} in {chunks} chunks");
    Ok(())
}

/// Few bytes on 512 x 512: from the centre the same tree is faster by the distance, and as fast as the wafer-scale model says.
#[test]
#[cfg_attr(debug_assertions, ignore = "a quarter of a million members")]
fn the_centre_of_a_wafer_beats_its_corner() -> Result<()> {
    let machine = wafer("mesh:512x512")?;
    let of = |operation, bytes, chunks, root: u32| -> Result<u64> {
        let task = Task::new(&machine, operation, bytes, 0)?.with(operation, root);
        time(&task, &flow("xy-auto-gen", &task)?, chunks)
    };
    let centre = 256 * 512 + 256;
    for (operation, bytes, chunks, least) in [
        (Operation::Reduce, 4, 1, 1.8),
        (Operation::Broadcast, 4, 1, 1.8),
        (Operation::AllReduce, 4, 1, 1.8),
        // 16 wavelets: the model itself has 1217 to 722 cycles, a ratio of 1.69.
        (Operation::Reduce, 64, 4, 1.69),
    ] {
        let (corner, centre) = (of(operation, bytes, chunks, 0)?, of(operation, bytes, chunks, centre)?);
        let what = format!(
            "{} of {bytes} bytes: {corner} from the corner, {centre} from the centre",
            operation.name()
        );
        assert!(corner as f64 >= least * centre as f64, "{what}");
    }
    let model = 2.0 * Model::new(1, 1, 5, 512).time(512);
    let found = of(Operation::Reduce, 4, 1, 0)? as f64;
    assert!((model..1.02 * model).contains(&found), "{found} cycles, by the model {model}");
    Ok(())
}

/// A scatter along deep trees names too many blocks: refused, not tried.
#[test]
fn a_scatter_along_a_deep_tree_is_refused() -> Result<()> {
    let machine = wafer("mesh:512x512")?;
    let task = Task::new(&machine, Operation::Scatter, 1 << 20, 0)?;
    assert!(matches!(flow("xy-chain", &task), Err(Error::TooLarge { .. })));
    Ok(())
}
