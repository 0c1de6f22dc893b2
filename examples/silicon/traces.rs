//! Traces of a Wormhole chip: measured, simulated, bounded, beside tt-npe.

use std::fmt::Write as _;
use std::path::Path;

use super::known::{CLASSES, Class, Known, errors, judged, read, score};
use super::variants;
use meshwright_core::Result;
use meshwright_core::statistics::estimate;
use meshwright_formats::scenario::constants::MachineFile;
use meshwright_sim::fabric::transactions::Movement;
use meshwright_verdict::fit::{FitOptions, FitVerdict, fit, halves};
use meshwright_verdict::transactions::{Recorded, Run, TraceVerdict};

/// What the halves follow from.
pub(crate) const SEED: u64 = 20_261_123;

/// How many halves.
const FOLDS: u32 = 100;

/// Open and closed loop, by flits and by flows.
pub(crate) const OPEN: Run = Run { closed_loop: false, movement: Some(Movement::Flits) };
pub(crate) const CLOSED: Run = Run { closed_loop: true, movement: Some(Movement::Flits) };
const OPEN_FLOWS: Run = Run { closed_loop: false, movement: Some(Movement::Flows) };
const CLOSED_FLOWS: Run = Run { closed_loop: true, movement: Some(Movement::Flows) };

const MODEL: &str = "\
## Traces of a Wormhole chip

The machine is the preset `wormhole`, as `meshwright machines wormhole` prints it. Its rates and ways are from documents and point-to-point
tables, the times of its processors are means over 36 of these traces (issue times, isolated reads), and three numbers of its routers,
`buffers`, `requests` and `memory_rate`, are those with which the 36 come out best: no document has them. So its form was settled with the
traces in view; the halves below say what that is worth, by choosing the three again on one half only. Two engines run it:

* *flits*: each read is a request of one flit, then a packet of a header and 32 bytes a flit, through routers with credits. A link
  has two virtual channels for data on each side of its ring's border (date-line), and channels of their own for requests. A packet
  holds one from its header to its tail, so that a third one waits though the link has bytes to spare. A node takes four requests
  from the network at a time and answers them one after the other; its memory has one rate for both networks.
* *flows*: the bytes of a read flow at one rate over its whole way, at max-min fair rates, and hold a channel of each link as above; who
  finds none waits, and holds up nobody.

*Open loop*: every time of issue is given. *Closed loop*: only kernel begins, the order of each program and its barriers are.
tt-npe has every time of issue. Errors are (predicted - measured) / measured. Every bound is below every simulated time, and
the program stops where it is not.
";

/// The section.
pub(crate) fn section(data: &Path) -> Result<String> {
    let file = MachineFile::read("wormhole")?;
    let machine = file.machine()?;
    let known = read(&data.join("wormhole"), &machine)?;
    let runs = [OPEN, OPEN_FLOWS, CLOSED, CLOSED_FLOWS];
    let verdicts = runs.iter().map(|&run| judged(&machine, &known, run)).collect::<Result<Vec<_>>>()?;
    let [open, open_flows, closed, closed_flows] =
        <[Vec<TraceVerdict>; 4]>::try_from(verdicts).expect("four runs");
    let mut text = MODEL.to_string();
    text += &summary(&known, &[&open, &open_flows, &closed, &closed_flows]);
    text += &held_out(&file, &known, &[&open, &closed])?;
    text += &finishes(&known, &closed, &closed_flows);
    text += &variants::section(&file, &known)?;
    text += &worse(&known, &open);
    text += &every_trace(&known, &[&open, &open_flows, &closed, &closed_flows]);
    Ok(text)
}

/// A share as a percentage with a sign.
pub(crate) fn signed(share: f64) -> String {
    if share.is_nan() { "–".to_string() } else { format!("{:+.1}", share * 100.0) }
}

/// A share as a percentage.
pub(crate) fn percent(share: f64) -> String {
    if share.is_nan() { "–".to_string() } else { format!("{:.2}", share * 100.0) }
}

/// Error, bias and worst by class.
fn summary(known: &[Known], [open, open_flows, closed, closed_flows]: &[&Vec<TraceVerdict>; 4]) -> String {
    let mut text = String::from("\n### By kind\n\nMean error in %, with the bias and the worst.\n\n| |");
    for (name, class) in CLASSES {
        _ = write!(text, " {name} ({}) |", score(known, &vec![0.0; known.len()], class).count);
    }
    text += "\n|---|--:|--:|--:|--:|\n";
    let npe: Vec<f64> = known.iter().map(Known::npe_error).collect();
    let bound: Vec<f64> = known
        .iter()
        .zip(*open)
        .map(|(known, verdict)| verdict.bound_cycles as f64 / known.measured() - 1.0)
        .collect();
    let rows = [
        ("**flits, open loop**", errors(open)),
        ("flows, open loop", errors(open_flows)),
        ("tt-npe, with every time of issue", npe),
        ("**flits, closed loop**", errors(closed)),
        ("flows, closed loop", errors(closed_flows)),
        ("the bound, open loop", bound),
    ];
    for (name, errors) in rows {
        _ = write!(text, "| {name} |");
        for (_, class) in CLASSES {
            let own = score(known, &errors, class);
            _ = write!(text, " {} ({}, {}) |", percent(own.error), signed(own.bias), percent(own.worst));
        }
        text += "\n";
    }
    for (name, verdicts) in [("open", open), ("closed", closed)] {
        let over = verdicts
            .iter()
            .zip(known)
            .map(|(verdict, known)| verdict.bound_cycles as f64 / known.measured() - 1.0);
        let over: Vec<f64> = over.filter(|over| *over > 0.0).collect();
        let most = over.iter().copied().fold(0.0, f64::max);
        _ = write!(
            text,
            "\nIn {name} loop the bound is above the measured time in {} of {} traces, by {} % at most.",
            over.len(),
            known.len(),
            percent(most)
        );
    }
    text += "\nIt is a bound of the machine as its file has it, whose rates are measured to a hundredth and whose gaps are means.\n";
    text
}

/// Errors on halves that were held out.
fn held_out(file: &MachineFile, known: &[Known], [open, closed]: &[&Vec<TraceVerdict>; 2]) -> Result<String> {
    let halves = halves(known.len(), FOLDS, SEED);
    let by_half = |errors: &[f64], class: Option<Class>| -> Vec<f64> {
        let of = |held_out: &[usize]| {
            let own = held_out.iter().filter(|&&index| class.is_none_or(|class| known[index].class == class));
            let own: Vec<f64> = own.map(|&index| errors[index].abs()).collect();
            own.iter().sum::<f64>() / own.len() as f64
        };
        halves.iter().map(|[_, held_out]| of(held_out)).filter(|mean| !mean.is_nan()).collect()
    };
    let shown = |errors: &[f64]| {
        let estimate = estimate(errors);
        format!("{} ± {}", percent(estimate.mean), percent(estimate.deviation))
    };
    let mut text = format!(
        "\n### {FOLDS} random halves\n\nThe traces are halved at random {FOLDS} times (seed {SEED}); the error is that on the half held out, mean ± standard\n\
         deviation over the halves, in %. Where something is chosen on the other half, it is\n\
         by `meshwright fit wormhole`: what it frees by default (the tail of barriers, the ports of workers), or the three numbers above.\n\n| held out |"
    );
    for (name, _) in CLASSES {
        _ = write!(text, " {name} |");
    }
    text += "\n|---|--:|--:|--:|--:|\n";
    let npe: Vec<f64> = known.iter().map(Known::npe_error).collect();
    let hows = ["tail and ports chosen on the other half", "routers chosen on the other half"];
    let keys = [file.usual()?, ROUTERS.map(str::to_string).to_vec()];
    let by_keys = |run| keys.iter().map(|keys| fitted(file, keys, known, run)).collect::<Result<Vec<_>>>();
    let (fitted_open, fitted_closed) = (by_keys(OPEN)?, by_keys(CLOSED)?);
    for (name, errors, fitted) in [
        ("flits, open loop, file as it is", errors(open), &fitted_open[..]),
        ("tt-npe, with every time of issue", npe.clone(), &[]),
        ("flits, closed loop, file as it is", errors(closed), &fitted_closed[..]),
    ] {
        _ = write!(text, "| {name} |");
        for (_, class) in CLASSES {
            _ = write!(text, " {} |", shown(&by_half(&errors, class)));
        }
        text += "\n";
        for (how, fitted) in hows.iter().zip(fitted) {
            let (name, held) = (name.replace("file as it is", how), fitted.error_held_out);
            _ = writeln!(text, "| {name} | {} ± {} | | | |", percent(held.mean), percent(held.deviation));
        }
    }
    let theirs = by_half(&npe, None);
    let better = |ours: &[f64]| ours.iter().zip(&theirs).filter(|(ours, theirs)| ours < theirs).count();
    let [open_better, closed_better] =
        [open, closed].map(|verdicts| better(&by_half(&errors(verdicts), None)));
    _ = writeln!(
        text,
        "\nBetter than tt-npe, file as it is: in {open_better} of {FOLDS} halves in open loop, in {closed_better} in closed loop, where tt-npe is still told\n\
         every time of issue. Whether tt-npe was made to fit these very traces is not known to us.\n"
    );
    chosen(&mut text, &fitted_open, &fitted_closed);
    Ok(text)
}

/// What all traces together choose.
fn chosen(text: &mut String, open: &[FitVerdict], closed: &[FitVerdict]) {
    for (name, fitted) in open.iter().map(|one| ("open", one)).chain(closed.iter().map(|one| ("closed", one)))
    {
        let found: Vec<String> = fitted
            .free
            .iter()
            .map(|(key, value)| format!("`{key}` {value} (as given {})", fitted.given[key]))
            .collect();
        _ = writeln!(
            text,
            "* Chosen by all traces, {name} loop: {}; what one half chooses predicts the other better than the file in {} halves, worse in {}.",
            found.join(", "),
            fitted.fitted_better,
            fitted.fitted_worse
        );
    }
}

/// Numbers of the routers that no document says.
const ROUTERS: [&str; 3] = ["routers.buffers", "routers.requests", "interfaces[0].memory_rate"];

/// Constants fitted on each half.
fn fitted(file: &MachineFile, keys: &[String], known: &[Known], run: Run) -> Result<FitVerdict> {
    let constants = file.constants(keys)?;
    let recorded: Vec<Recorded<'_>> = known.iter().map(|known| known.trace.recorded()).collect();
    let options = FitOptions { run, folds: FOLDS, seed: SEED };
    fit(&constants, &recorded, |values| file.with(keys, values)?.machine(), options, |_| ())
}

/// Errors of the ends of single barriers.
fn finishes(known: &[Known], closed: &[TraceVerdict], flows: &[TraceVerdict]) -> String {
    let mut text = String::from(
        "\n### Single processors\n\nClosed loop, every end of a barrier that waits for reads, of every processor: mean of |simulated - measured| / (measured -\n\
         kernel begin) in %. A finish in the middle of a run tells more of a model than the end of all.\n\n| | BLOCK | DRAM, one barrier | DRAM, several |\n|---|--:|--:|--:|\n",
    );
    for (name, verdicts) in [("flits", closed), ("flows", flows)] {
        _ = write!(text, "| {name} |");
        for (_, class) in &CLASSES[1..] {
            let own = known.iter().zip(verdicts).filter(|(known, _)| Some(known.class) == *class);
            let errors: Vec<f64> = own.flat_map(|(known, verdict)| finish_errors(known, verdict)).collect();
            let estimate = estimate(&errors);
            _ = write!(text, " {} ({} ends) |", percent(estimate.mean), estimate.count);
        }
        text += "\n";
    }
    text
}

/// The errors of the barriers' ends of one trace.
pub(crate) fn finish_errors(known: &Known, verdict: &TraceVerdict) -> Vec<f64> {
    let mut errors = Vec::new();
    for (own, finish) in known.trace.program.processors.iter().zip(&verdict.finishes) {
        for (&simulated, &measured) in finish.cycles.iter().zip(&finish.measured_cycles) {
            errors.push((simulated as f64 - measured as f64).abs() / (measured - own.begin.0) as f64);
        }
    }
    errors
}

/// The traces on which tt-npe is more than a hundredth better.
fn worse(known: &[Known], open: &[TraceVerdict]) -> String {
    let mut rows: Vec<(f64, &Known, &TraceVerdict)> = known
        .iter()
        .zip(open)
        .map(|(known, verdict)| {
            (verdict.error.unwrap_or(0.0).abs() - known.npe_error().abs(), known, verdict)
        })
        .filter(|(more, ..)| *more > 0.01)
        .collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut text = format!(
        "\n### Where tt-npe is better\n\nOpen loop, the {} of {} traces where our error is more than a hundredth of the time larger. *Stalls*: gaps between two reads of a\n\
         processor of more than 250 cycles, where it was held up while it issued.\n\n\
         | trace | flits % | tt-npe % | stalls | busiest resource | its messages |\n|---|--:|--:|--:|---|--:|\n",
        rows.len(),
        known.len()
    );
    for (_, known, verdict) in &rows {
        let (resource, messages) =
            verdict.busiest.as_ref().map_or(("none", 0), |busiest| (&*busiest.resource, busiest.messages));
        _ = writeln!(
            text,
            "| {} | {} | {} | {} | {resource} | {messages} |",
            known.trace.name,
            signed(verdict.error.unwrap_or(f64::NAN)),
            signed(known.npe_error()),
            known.stalls()
        );
    }
    let fast = rows.iter().filter(|(_, _, verdict)| verdict.error.unwrap_or(0.0) < 0.0).count();
    _ = writeln!(
        text,
        "\nIn {fast} of them we are too fast. Congested traces are also noise to any model: issue times jittered by three cycles move our own\n\
         prediction by .5 to 1.7 % (standard deviation). What is in no model here: how the arbiters of a router really take turns, and the\n\
         back-pressure on a processor that issues (the stalls are given in open loop, and are not predicted in closed loop)."
    );
    text
}

/// One line a trace.
fn every_trace(
    known: &[Known],
    [open, open_flows, closed, closed_flows]: &[&Vec<TraceVerdict>; 4],
) -> String {
    let mut text = String::from(
        "\n### Every trace\n\nCycles; behind them errors in %.\n\n\
         | trace | measured | bound | flits, open | flows, open | tt-npe | flits, closed | flows, closed |\n|---|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for (index, known) in known.iter().enumerate() {
        let shown = |verdict: &TraceVerdict| {
            format!("{} ({})", verdict.cycles, signed(verdict.error.unwrap_or(f64::NAN)))
        };
        let npe = known
            .npe
            .map_or("–".to_string(), |cycles| format!("{cycles:.0} ({})", signed(known.npe_error())));
        _ = writeln!(
            text,
            "| {} | {:.0} | {} | {} | {} | {npe} | {} | {} |",
            known.trace.name,
            known.measured(),
            open[index].bound_cycles,
            shown(&open[index]),
            shown(&open_flows[index]),
            shown(&closed[index]),
            shown(&closed_flows[index])
        );
    }
    text
}
