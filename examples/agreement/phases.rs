//! Schedules with barriers, beside CAMINOS.

use std::fmt::Write as _;

use meshwright_core::Result;
use meshwright_core::units::{Bytes, Cycles, NodeId, Ratio};
use meshwright_network::topology::{Machine, Switching};
use meshwright_schedule::{Message, Phases};
use meshwright_sim::flit::Router;
use meshwright_sim::{Engine, simulate};
use serde_json::Value;

use super::zero_load::phase_cycles;

/// The side of the mesh.
const SIDE: u32 = 16;

/// CAMINOS ends a run in the cycle after its last message.
const LAST: u64 = 1;

/// A binomial scatter from a corner that halves the rows, then the columns: in phase i every node that has data
/// sends it so many rows or columns on.
pub(crate) fn scatter() -> Vec<Vec<(u32, u32)>> {
    let mut owners = vec![0];
    let mut phases = Vec::new();
    for stride in [SIDE, 1] {
        for step in [8, 4, 2, 1] {
            let sends: Vec<(u32, u32)> = owners.iter().map(|&owner| (owner, owner + step * stride)).collect();
            owners.extend(sends.iter().map(|&(_, target)| target));
            phases.push(sends);
        }
    }
    phases
}

/// The recorded permutations.
pub(crate) fn permutations() -> Vec<Vec<(u32, u32)>> {
    let map = |map: &Value| {
        let targets = map.as_array().expect("a map").iter().map(|node| node.as_u64().expect("a node") as u32);
        (0..).zip(targets).filter(|(source, target)| source != target).collect()
    };
    recorded()["maps"].as_array().expect("ten maps").iter().map(map).collect()
}

fn recorded() -> Value {
    serde_json::from_str(include_str!("../../tests/golden/phases.json")).expect("JSON")
}

/// The cycles of CAMINOS for the permutations, by seed.
fn of_caminos(flits: u64) -> Vec<u64> {
    let value = recorded();
    let runs = value["runs"].as_array().expect("runs");
    let run = runs.iter().find(|run| run["flits"] == flits).expect("it was run");
    run["cycles"].as_array().expect("cycles").iter().map(|cycles| cycles.as_u64().expect("cycles")).collect()
}

/// The flit engine, packets of 16 flits, preset of CAMINOS.
pub(crate) fn by_flits(phases: &[Vec<(u32, u32)>], flits: u64) -> Result<u64> {
    let mesh = mesh()?;
    let mut router = Router::named("caminos", &mesh)?;
    router.set("buffers", "2")?;
    Ok(phase_cycles(&mesh, &router, Some(16), flits, phases)?.iter().sum::<u64>() + LAST)
}

/// The message engine with the times of CAMINOS: one cycle for each end and each link, one for each flit.
pub(crate) fn by_messages(phases: &[Vec<(u32, u32)>], flits: u64) -> Result<u64> {
    let mut mesh = mesh()?;
    mesh = mesh.with_startup(Cycles(1))?;
    mesh = mesh.with_byte_time(Ratio::whole(1))?;
    mesh = mesh.with_flit(Bytes(1))?;
    let message = |phase: usize, (source, target)| Message {
        source: NodeId(source),
        target: NodeId(target),
        bytes: Bytes(flits),
        phase: phase as u32 + 1,
    };
    let messages = phases
        .iter()
        .enumerate()
        .flat_map(|(phase, sends)| sends.iter().map(move |&pair| message(phase, pair)))
        .collect();
    Ok(simulate(&mesh, &Phases::new(SIDE * SIDE, messages), &Engine::Message)?.cycles.0 + LAST)
}

fn mesh() -> Result<Machine> {
    Ok(Machine::mesh([SIDE, SIDE])?.with_switching(Switching::CutThrough))
}

/// The last table of the page.
pub(crate) fn section() -> Result<String> {
    let mut text = String::from(
        "## Phases, beside CAMINOS\n\n\
         16x16 mesh, a barrier after each phase, preset `caminos` with two packets of 16 flits in each buffer; a message of 64\n\
         flits goes as four packets. In the binomial scatter, eight phases over 8, 4, 2, 1, 8, 4, 2 and 1 links, no two\n\
         messages meet, and CAMINOS ends one cycle after the last one: sum of (h + L + 1), and 1. The message engine runs the\n\
         same phases cut-through, with one cycle to start, one for each link and one for each flit.\n\n\
         | phases | flits | CAMINOS | flit engine | message engine |\n|---|--:|--:|--:|--:|\n",
    );
    let mut line = |name: &str, phases: &[_], flits: u64, reference: String| -> Result<()> {
        let (ours, messages) = (by_flits(phases, flits)?, by_messages(phases, flits)?);
        writeln!(text, "| {name} | {flits} | {reference} | {ours} | {messages} |")
            .expect("a string takes everything");
        Ok(())
    };
    for (flits, reference) in [(16, 167), (64, 551)] {
        line("binomial scatter", &scatter(), flits, reference.to_string())?;
    }
    for flits in [16, 64] {
        let cycles = of_caminos(flits);
        let least = cycles.iter().min().expect("five runs");
        let most = cycles.iter().max().expect("five runs");
        line("ten permutations", &permutations(), flits, format!("{least} to {most}"))?;
    }
    text.push_str(
        "\nThe scatter agrees to the cycle. The permutations stand in `tests/golden/phases.json`: 256 nodes shuffled ten times.\n\
         CAMINOS 0.6.3 ran them as a `Sequence` of ten `Burst`s, each with an `EmbeddedMap`, with five random seeds; its\n\
         allocator draws lots, so its cycles depend on the seed, and it has output buffers, which the engine has not. The\n\
         figures 1435 and 5403 noted earlier for ten other permutations cannot be repeated, for their maps were not\n\
         recorded. On a mesh the message engine has no virtual channels: messages pass a link one after the other.\n",
    );
    Ok(text)
}
