//! Schedules with barriers, beside CAMINOS.

use std::fmt::Write as _;

use meshwright::Result;
use meshwright::schedule::{Message, Phases};
use meshwright::sim::flit::Router;
use meshwright::sim::run_phased;
use meshwright::topology::{Machine, Switching};
use meshwright::units::{Bytes, Cycles, NodeId, Ratio};
use serde_json::Value;

use super::zero_load::lone;

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

/// Phase by phase, the flit engine's latency of each phase's message alone: nobody meets anybody in this scatter.
pub(crate) fn scatter_alone(flits: u32) -> Result<u64> {
    let mesh = mesh()?;
    let router = Router::preset("caminos", &mesh)?;
    let mut sum = LAST;
    for sends in scatter() {
        sum += lone(&mesh, &router, sends[0], flits)?.latency;
    }
    Ok(sum)
}

/// The message engine with the times of CAMINOS: one cycle for each end and each link, one for each flit.
pub(crate) fn by_messages(phases: &[Vec<(u32, u32)>], flits: u64) -> Result<u64> {
    let mut mesh = mesh()?;
    mesh.costs.startup = Cycles(1);
    mesh.costs.byte_time = Ratio::whole(1);
    mesh.costs.flit = Bytes(1);
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
    Ok(run_phased(&mesh, &Phases::new(SIDE * SIDE, messages))?.cycles.0 + LAST)
}

fn mesh() -> Result<Machine> {
    Ok(Machine::new(&format!("mesh:{SIDE}x{SIDE}"))?.with_switching(Switching::CutThrough))
}

/// The last table of the page.
pub(crate) fn section() -> Result<String> {
    let mut text = String::from(
        "## Phases, beside CAMINOS\n\n\
         16x16 mesh, a barrier after each phase. The binomial scatter has eight phases over 8, 4, 2, 1, 8, 4, 2 and 1 links;\n\
         a message of 64 flits goes as four packets of 16 there and as one packet here. CAMINOS ends one cycle after the last\n\
         message: sum of (h + L + 1), and 1. The flit engine measures the message of each phase alone, for in this scatter\n\
         no two messages meet; the message engine runs the phases as they are, cut-through, with one cycle to start, one\n\
         for each link and one for each flit.\n\n\
         | phases | flits | CAMINOS | flit engine, preset `caminos` | message engine |\n|---|--:|--:|--:|--:|\n",
    );
    for (flits, reference) in [(16, 167), (64, 551)] {
        let (alone, messages) = (scatter_alone(flits)?, by_messages(&scatter(), flits.into())?);
        writeln!(text, "| binomial scatter | {flits} | {reference} | {alone} | {messages} |")
            .expect("a string takes everything");
    }
    for flits in [16, 64] {
        let mut cycles = of_caminos(flits);
        cycles.sort_unstable();
        let (least, most) = (cycles[0], cycles[cycles.len() - 1]);
        let messages = by_messages(&permutations(), flits)?;
        writeln!(text, "| ten permutations | {flits} | {least} to {most} | | {messages} |")
            .expect("a string takes everything");
    }
    text.push_str(
        "\nThe permutations stand in `tests/golden/phases.json`: 256 nodes shuffled ten times. CAMINOS 0.6.3 ran them as a\n\
         `Sequence` of ten `Burst`s, each with an `EmbeddedMap`, with five random seeds; its allocator draws lots, so its\n\
         cycles depend on the seed. The figures 1435 and 5403 published for ten other permutations cannot be repeated, since\n\
         their maps were not recorded. The message engine has no virtual channels: a message waits for whole links, and\n\
         two never share one.\n",
    );
    Ok(text)
}
