//! What the traces say about two open questions of tt-npe.

use std::fmt::Write as _;
use std::path::Path;

use rand::RngExt;

use super::known::{CLASSES, Known, errors, judged, read, score};
use super::traces::{CLOSED, OPEN, percent, signed};
use super::variants::without_routers;
use meshwright_core::units::{Bytes, Cycles, NodeId};
use meshwright_core::{Result, rng};
use meshwright_formats::scenario::constants::MachineFile;
use meshwright_network::fabric::{Fabric, Resource};
use meshwright_schedule::transactions::{Operation, ProcessorProgram, Program, Step, Transaction};
use meshwright_sim::fabric::transactions::Movement;
use meshwright_verdict::transactions::{Recorded, Run, fabric_of, judge};

/// Rows and columns of the workers of a chip with 8x8 of them.
const ROWS: [u32; 8] = [1, 2, 3, 4, 5, 7, 8, 9];
const COLUMNS: [u32; 8] = [1, 2, 3, 4, 6, 7, 8, 9];

/// Reads of a worker, their bytes.
const READS: usize = 8;
const BYTES: u64 = 8192;

/// What tt-npe says of an earlier set of such workloads, with the bytes of the busiest link over 30 bytes per cycle there.
const EARLIER: [(u64, u64); 3] = [(14_103, 10_377), (13_760, 10_377), (14_620, 11_469)];

/// The most of one controller, by the map of tt-npe: rows and columns of its ports.
pub(crate) const CONTROLLERS: [[[u32; 2]; 3]; 6] = [
    [[0, 0], [1, 0], [11, 0]],
    [[5, 0], [6, 0], [7, 0]],
    [[0, 5], [1, 5], [11, 5]],
    [[2, 5], [9, 5], [10, 5]],
    [[3, 5], [4, 5], [8, 5]],
    [[5, 5], [6, 5], [7, 5]],
];

/// Limits of a controller that are tried, in bytes per cycle.
const CAPS: [f64; 7] = [23.6, 26.0, 28.0, 30.0, 31.0, 36.0, 48.0];

/// The trace in which controllers are busiest.
const BUSY: &str = "DRAM_TO_2x8_BLOCK";

/// The section.
pub(crate) fn section(data: &Path) -> Result<String> {
    let file = MachineFile::read("wormhole")?;
    let machine = file.machine()?;
    let known = read(&data.join("wormhole"), &machine)?;
    let mut text = String::from(
        "## For the maintainers of tt-npe\n\nTwo questions of your tracker, with what this program can say about them. Nothing here ran on a chip but the traces.\n",
    );
    text += &congestion(&file)?;
    text += &controllers(&file, &known)?;
    Ok(text)
}

/// 64 workers, each 8 reads of 8 KiB from other workers at random, all at cycle 0, on the first network.
pub(crate) fn workload(fabric: &Fabric, seed: u64) -> Program {
    let grid = fabric.grid();
    let workers: Vec<NodeId> =
        ROWS.iter().flat_map(|&row| COLUMNS.map(|column| grid.node_at(&[row, column]))).collect();
    let mut random = rng::stream(seed, "reads of other workers");
    let kind =
        fabric.processors().iter().position(|kind| kind.plane == 0 && kind.peers.is_empty()).unwrap_or(0);
    let mut of = |(index, &node): (usize, &NodeId)| {
        let mut read = || {
            let other = random.random_range(1..workers.len());
            let peer = workers[(index + other) % workers.len()];
            let (operation, bytes, issue) = (Operation::Read, Bytes(BYTES), Some(Cycles(0)));
            Step::Issue(Transaction { operation, peer, bytes, plane: 0, issue })
        };
        let mut steps: Vec<Step> = (0..READS).map(|_| read()).collect();
        steps.push(Step::Barrier);
        ProcessorProgram { processor: kind, node, begin: Cycles(0), steps }
    };
    let processors = workers.iter().enumerate().map(&mut of).collect();
    Program { processors, ..Program::default() }
}

/// The reads that cross the link with the most of them.
pub(crate) fn busiest_link(fabric: &Fabric, program: &Program) -> u64 {
    let mut reads = vec![0; fabric.rates().len()];
    for own in &program.processors {
        for one in own.transactions() {
            fabric.route(one.plane, one.peer, own.node, |resource| {
                if matches!(fabric.resource(resource), Resource::Link { .. }) {
                    reads[resource as usize] += 1;
                }
            });
        }
    }
    reads.into_iter().max().unwrap_or(0)
}

/// Issue 127.
fn congestion(file: &MachineFile) -> Result<String> {
    let mut text = String::from(
        "\n### Congestion among many live transfers (issue 127)\n\n*Workload*, as the one of the issue is not public: the 64 workers in rows 1–5 and 7–9, columns 1–4 and 6–9; each reads 8\n\
         times 8,192 bytes on NOC_0, every read at cycle 0, every source drawn at random from the 63 other workers (generator\n\
         ChaCha8, seeds 1 to 3). *At will* are flows at max-min fair rates on links without channels, so no link idles while somebody\n\
         could use it. Two bounds: that of this program, and the bytes of the busiest link at your 30 bytes per cycle.\n\n\
         | seed | bound | busiest link at 30 | flows at will | flows, 2 channels | flits, 2 channels |\n|--:|--:|--:|--:|--:|--:|\n",
    );
    let (machine, free) = (file.machine()?, without_routers(file)?.machine()?);
    let fabric = fabric_of(&machine)?;
    let mut ratios = Vec::new();
    for seed in 1..=3 {
        let program = workload(fabric, seed);
        let recorded = Recorded {
            name: "issue 127",
            program: &program,
            measured: None,
            finishes: &[],
            allowance: Cycles(0),
        };
        let run = |movement| Run { closed_loop: false, movement: Some(movement) };
        let at_will = judge(&free, &recorded, run(Movement::Flows))?;
        let flows = judge(&machine, &recorded, run(Movement::Flows))?;
        let flits = judge(&machine, &recorded, run(Movement::Flits))?;
        let link = (busiest_link(fabric, &program) * BYTES) as f64 / 30.0;
        ratios.push([at_will.cycles, flows.cycles, flits.cycles].map(|cycles| cycles as f64 / link));
        _ = writeln!(
            text,
            "| {seed} | {} | {link:.0} | {} | {} | {} |",
            flits.bound_cycles, at_will.cycles, flows.cycles, flits.cycles
        );
    }
    let range = |values: &[f64]| {
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(0.0, f64::max);
        format!("{least:.2} to {most:.2}")
    };
    let of = |column: usize| range(&ratios.iter().map(|row| row[column]).collect::<Vec<f64>>());
    let theirs: Vec<f64> = EARLIER.iter().map(|&(cycles, link)| cycles as f64 / link as f64).collect();
    _ = writeln!(
        text,
        "\ntt-npe at commit 1021603 was run on three earlier workloads of the same description, whose random numbers were others and are\n\
         not kept: {}. Their busiest links need {} cycles at 30 bytes per cycle. So only ratios compare, of the answer to the\n\
         time of the busiest link: tt-npe {}; flows at will {}; flows with two channels {}; flits with two channels {}.\n\n\
         What follows: (1) a pass that scales every transfer by its own worst resource, and gives what it leaves to nobody, costs {} over\n\
         the busiest link; one that shares all of it (progressive filling, max-min) costs {} on workloads of the same description. The\n\
         workloads are not the same ones, so this says how large the artefact can be, not how large it was.\n\
         (2) A chip with two channels a link and class does not share at will: on the traces that is refuted (table *Other routers*). For\n\
         this workload the last two columns are ours, and they differ because both models are far from the traces here, deep in saturation; only a\n\
         run on silicon can decide between them.",
        EARLIER.map(|(cycles, _)| cycles.to_string()).join(", "),
        EARLIER.map(|(_, link)| link.to_string()).join(", "),
        range(&theirs),
        of(0),
        of(1),
        of(2),
        range(&theirs),
        of(0),
    );
    Ok(text)
}

/// What a trace takes out of each controller.
pub(crate) struct Sustained {
    /// Bytes.
    pub(crate) bytes: u64,
    /// Bytes per cycle over the measured time, and from the first read's issue to the last stamp of the trace.
    pub(crate) over_the_run: f64,
    pub(crate) from_first_issue: f64,
}

/// By controller.
pub(crate) fn sustained(fabric: &Fabric, known: &Known) -> Vec<Sustained> {
    let program = &known.trace.program;
    let last = known.trace.finishes.iter().flatten().map(|end| end.0).max().unwrap_or(0) as f64;
    let first = program.processors.iter().flat_map(ProcessorProgram::transactions);
    let first = first.filter_map(|one| one.issue).min().map_or(0.0, |cycles| cycles.0 as f64);
    let of = |ports: &[[u32; 2]; 3]| {
        let ports = ports.map(|port| fabric.grid().node_at(&port));
        let own = program.processors.iter().flat_map(ProcessorProgram::transactions);
        let bytes: u64 = own.filter(|one| ports.contains(&one.peer)).map(|one| one.bytes.0).sum();
        let over = |cycles: f64| bytes as f64 / cycles;
        Sustained { bytes, over_the_run: over(known.measured()), from_first_issue: over(last - first) }
    };
    CONTROLLERS.iter().map(of).collect()
}

/// The file with a limit of each controller.
pub(crate) fn capped(file: &MachineFile, rate: f64) -> Result<MachineFile> {
    let mut text = file.text().to_string();
    for (index, ports) in CONTROLLERS.iter().enumerate() {
        let ports: Vec<String> = ports.iter().map(|[row, column]| format!("[{row}, {column}]")).collect();
        _ = write!(
            text,
            "\n[[machine.shared]]\nname = \"controller {index}\"\nnodes = [{}]\nout = {rate}\n",
            ports.join(", ")
        );
    }
    MachineFile::of_text("wormhole with limited controllers", &text)
}

/// Pull request 125.
fn controllers(file: &MachineFile, known: &[Known]) -> Result<String> {
    let machine = file.machine()?;
    let fabric = fabric_of(&machine)?;
    let mut text = String::from(
        "\n### A limit of each DRAM controller (pull request 125)\n\nYour figure of a controller is 23.6 bytes per cycle (the mean of 23.2 out and 24.0 in). What the chip took out of one, by your map of\n\
         ports to controllers: bytes read over the time of the trace, and over that from the first issue of all to the last stamp; in the\n\
         six traces with the busiest controllers.\n\n\
         | trace | bytes of the busiest controller | over the run | from the first issue |\n|---|--:|--:|--:|\n",
    );
    let busiest = |known: &Known| -> Sustained {
        let all = sustained(fabric, known).into_iter();
        all.max_by(|a, b| a.over_the_run.total_cmp(&b.over_the_run)).expect("six controllers")
    };
    let mut rows: Vec<(&Known, Sustained)> = known.iter().map(|known| (known, busiest(known))).collect();
    rows.sort_by(|a, b| b.1.over_the_run.total_cmp(&a.1.over_the_run));
    for (known, own) in rows.iter().take(6) {
        let Sustained { bytes, over_the_run, from_first_issue } = own;
        _ = writeln!(text, "| {} | {bytes} | {over_the_run:.1} | {from_first_issue:.1} |", known.trace.name);
    }
    let dram: Vec<usize> =
        (0..known.len()).filter(|&index| known[index].trace.name.starts_with("DRAM")).collect();
    _ = write!(
        text,
        "\nA limit in our own model, over both ports in use of each controller ({} traces from DRAM; mean error in %, bias):\n\n\
         | limit | open: one barrier | several | closed: one barrier | several | `{BUSY}`, closed |\n|--:|--:|--:|--:|--:|--:|\n",
        dram.len()
    );
    let mut row = |name: &str, file: &MachineFile| -> Result<()> {
        let machine = file.machine()?;
        let open = errors(&judged(&machine, known, OPEN)?);
        let closed = errors(&judged(&machine, known, CLOSED)?);
        _ = write!(text, "| {name} |");
        for errors in [&open, &closed] {
            for (_, class) in &CLASSES[2..] {
                let own = score(known, errors, *class);
                _ = write!(text, " {} ({}) |", percent(own.error), signed(own.bias));
            }
        }
        let busy = known.iter().position(|known| known.trace.name == BUSY);
        _ = writeln!(text, " {} |", busy.map_or("–".to_string(), |busy| signed(closed[busy])));
        Ok(())
    };
    for rate in CAPS {
        row(&rate.to_string(), &capped(file, rate)?)?;
    }
    row("none", file)?;
    text += "\nA controller that gives less than the chip was seen to take from it is refuted by that trace alone, whatever the model. Our own\n\
             errors say which larger limits change nothing.\n";
    Ok(text)
}
