//! What becomes of the errors when the routers of the machine are others.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::known::{CLASSES, Known, errors, judged, score};
use super::traces::{CLOSED, OPEN, percent, signed};
use meshwright_core::Result;
use meshwright_formats::scenario::constants::MachineFile;
use meshwright_network::fabric::{Fabric, Resource};
use meshwright_sim::fabric::transactions::Movement;
use meshwright_verdict::transactions::{Run, fabric_of};

/// Names, keys of the machine's file, their values.
const VARIANTS: &[(&str, &str, f64)] = &[
    ("1 channel on each side of the date-line", "routers.channels", 1.0),
    ("3 channels", "routers.channels", 3.0),
    ("4 channels", "routers.channels", 4.0),
    ("2 requests at a node at a time", "routers.requests", 2.0),
    ("8 requests", "routers.requests", 8.0),
    ("buffers of 24 flits", "routers.buffers", 24.0),
    ("no header flit", "routers.header", 0.0),
    ("worker ports of 30 bytes per cycle", "interfaces[0].out", 30.0),
];

/// The same text without its routers, and with ports that serve all at once: flows share links and ports at will.
pub(crate) fn without_routers(file: &MachineFile) -> Result<MachineFile> {
    let text = file.text();
    let begin = text.find("[machine.routers]").unwrap_or(text.len());
    let end = text[begin..].find("\n[[").map_or(text.len(), |end| begin + end);
    let text = format!("{}{}", &text[..begin], &text[end..]).replace("\"in-turn\"", "\"fair\"");
    MachineFile::of_text("wormhole without routers", &text)
}

/// The part of the page.
pub(crate) fn section(file: &MachineFile, known: &[Known]) -> Result<String> {
    let mut text = String::from(
        "\n### Other routers\n\nThe machine's file with one number changed. Mean error in % by kind, with the bias.\n\n\
         | | open: all | closed: all | BLOCK | DRAM, one barrier | DRAM, several |\n|---|--:|--:|--:|--:|--:|\n",
    );
    let mut row = |name: &str, file: &MachineFile, [open, closed]: [Run; 2]| -> Result<()> {
        let machine = file.machine()?;
        let open = errors(&judged(&machine, known, open)?);
        let closed = errors(&judged(&machine, known, closed)?);
        _ = write!(text, "| {name} | {} |", percent(score(known, &open, None).error));
        for (_, class) in CLASSES {
            let own = score(known, &closed, class);
            _ = write!(text, " {} ({}) |", percent(own.error), signed(own.bias));
        }
        text += "\n";
        Ok(())
    };
    row("**as it is: 2 channels**", file, [OPEN, CLOSED])?;
    for &(name, key, value) in VARIANTS {
        row(name, &file.with(&[key.to_string()], &[value])?, [OPEN, CLOSED])?;
    }
    let flows = [false, true].map(|closed_loop| Run { closed_loop, movement: Some(Movement::Flows) });
    row("flows, 2 channels", file, flows)?;
    row("flows that share links and ports at will, without channels", &without_routers(file)?, flows)?;
    let machine = file.machine()?;
    let rings = known.iter().map(|known| Ok(can_lock(fabric_of(&machine)?, known)));
    let rings: usize = rings.collect::<Result<Vec<bool>>>()?.into_iter().map(usize::from).sum();
    _ = writeln!(
        text,
        "\n*Without date-lines*: in {rings} of {} traces the links that packets hold while they wait for others close a ring, so that any\n\
         number of channels can end in a standstill (found on the routes, not by a run). The traces end on the chip, so it has them.\n\
         One channel makes everything wait, three let merging streams through that the chip holds back: both are refuted by the traces\n\
         from DRAM, whose ways go round the columns.",
        known.len()
    );
    Ok(text)
}

/// Whether packets could wait for each other in a ring of links: each holds a link and waits for the next on its way.
fn can_lock(fabric: &Fabric, known: &Known) -> bool {
    let mut next: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for own in &known.trace.program.processors {
        for one in own.transactions() {
            let mut before = None;
            // Reads: the bytes come from the peer.
            fabric.route(one.plane, one.peer, own.node, |resource| {
                if matches!(fabric.resource(resource), Resource::Link { .. })
                    && let Some(before) = before.replace(resource)
                {
                    next.entry(before).or_default().push(resource);
                }
            });
        }
    }
    // Links from which nothing is waited for are taken away until none is left, or only rings and what leads there.
    loop {
        let ends: Vec<u32> = next.keys().copied().collect();
        let is_end = |link: &u32| ends.binary_search(link).is_err();
        let mut changed = false;
        for targets in next.values_mut() {
            let before = targets.len();
            targets.retain(|link| !is_end(link));
            changed |= targets.len() < before;
        }
        next.retain(|_, targets| !targets.is_empty());
        if !changed {
            return !next.is_empty();
        }
    }
}
