//! Placements in tables and words.

use meshwright_network::topology::{Machine, Switching};
use meshwright_verdict::map::{self, MapReport, MapRow};
use meshwright_verdict::mapping;

use crate::{explain, search, table};

/// The placements with the least simulated time under a switching.
pub(super) fn best(placements: &[MapRow], switching: Switching) -> Vec<&MapRow> {
    let time = |row: &MapRow| *row.simulated_cycles.of(switching);
    let least = placements.iter().filter_map(time).min();
    placements.iter().filter(|row| least.is_some() && time(row) == least).collect()
}

/// The answer in one line: which placement takes the least time, and how far from the bound it is.
pub(super) fn line(report: &MapReport, machine: &Machine) -> String {
    let own = machine.switching();
    let best = best(&report.placements, own);
    let names: Vec<&str> = best.iter().map(|row| &*row.name).collect();
    match best.first().and_then(|row| Some((row, (*row.simulated_cycles.of(own))?))) {
        Some((row, cycles)) => format!(
            "{}: {}, {} above the bound",
            names.join(", "),
            table::in_words(cycles, machine),
            row.gap.of(own).map_or("not known how far".to_string(), table::percent)
        ),
        None if report.switchings.is_empty() => {
            format!("no placement takes less than {}", table::in_words(report.bound_cycles, machine))
        }
        None => "every placement ends in a deadlock".to_string(),
    }
}

/// That a search may gain something, where several placements were compared and none was searched for.
fn unsearched(report: &MapReport, machine: &Machine) -> String {
    let own = machine.switching();
    let is_proved = report.placements.iter().any(|row| row.proved.is_some());
    let is_searched = report.choice.is_some() || report.searched.is_some() || is_proved;
    let is_compared = report.placements.len() > 1 && !is_searched;
    let gap = best(&report.placements, own).first().and_then(|row| *row.gap.of(own));
    let words = gap.filter(|_| is_compared).and_then(mapping::unsearched);
    words.map(|words| words + "\n").unwrap_or_default()
}

/// The tables: one for each switching, and the phases of a single placement.
pub(super) fn one(report: &MapReport, machine: &Machine) -> String {
    let mut text = format!("{} on {} · seed {}\n", report.tasks, report.machine, report.seed);
    let own = [machine.switching()];
    for &switching in if report.switchings.is_empty() { &own[..] } else { &report.switchings } {
        text += &format!("\n{}; times in {}\n", switching.name(), table::unit(machine));
        text += &times(&report.placements, switching, machine);
        text += &links(&report.placements, switching, machine);
        let runs = report.placements.iter().map(|row| (&*row.name, row.routers.of(switching).as_ref()));
        text += &table::on_routers(runs);
    }
    // What a described machine's links differ in is known to the simulation alone.
    let links = if machine.fabric().is_some() { "all links as fast as the fastest: " } else { "" };
    text += &format!(
        "\n{links}alone: as if no two messages met · link: no schedule on these routes is faster · \
         path: each message waits for all it meets\n"
    );
    // An explanation begins with it.
    if let Some(best) = report.culprit.as_ref().filter(|_| report.explain.is_none()) {
        text += &format!("{}, {}:\n", best.placement, best.switching.name());
        for sentence in best.culprit.sentences(&table::times(machine), best.simulated_cycles) {
            text += &format!("  {sentence}\n");
        }
    }
    text += &unsearched(report, machine);
    if let Some(searched) = &report.searched {
        let simulated =
            |cycles: Option<u64>| cycles.map_or("endless".to_string(), |cycles| cycles.to_string());
        text += &format!(
            "search: {} steps from {} simulated cycles to {} (predicted {}); --steps {0} gives the same again\n\
             search: {}\n",
            searched.steps,
            simulated(searched.start_simulated_cycles),
            simulated(searched.simulated_cycles[0]),
            searched.predicted_cycles[0],
            search::since(searched.last_improved_steps, searched.converged)
        );
    }
    for placement in &report.placements {
        text.extend(placement.proved.iter().map(|proved| search::proved(proved, machine)));
    }
    if report.interrupted {
        text += search::INTERRUPTED;
    }
    if let Some(choice) = &report.choice {
        text += &format!("auto, under {}: {}\n", choice.switching.name(), choice.reason);
        text.extend(choice.advice.iter().map(|advice| format!("{advice}\n")));
    }
    for row in &report.placements {
        text.extend(row.axes.iter().map(|words| format!("{}: {words}\n", row.name)));
    }
    text += &table::left_out(&report.skipped);
    if let [placement] = report.placements.as_slice() {
        text += &format!("\n{}, phase by phase\n", placement.name);
        text += &phases(placement);
    }
    if let Some(told) = &report.explain {
        text += &format!("\n{}", explain::text(told, machine));
    }
    text
}

/// What stands in place of a simulated time: a run that came to a standstill says why.
fn missing(placement: &MapRow, switching: Switching) -> &'static str {
    if placement.reason.of(switching).is_some() { "deadlock" } else { "not run" }
}

/// The columns of a placement.
pub(super) const HEAD: [&str; 9] =
    ["placement", "bound", "alone", "link", "path", "simulated", "gap", "slowdown", "hops"];

/// Every placement under one switching, all terms of the time kept.
fn times(placements: &[MapRow], switching: Switching, machine: &Machine) -> String {
    table::table(&HEAD, 1, rows(placements, switching, machine))
}

/// A row for each placement; the best have a star, if there are several.
pub(super) fn rows(placements: &[MapRow], switching: Switching, machine: &Machine) -> Vec<Vec<String>> {
    let best = best(placements, switching);
    let is_best = |row: &MapRow| best.iter().any(|one| std::ptr::eq(*one, row));
    let mark = |row: &MapRow| if placements.len() > 1 && is_best(row) { "* " } else { "  " };
    let row = |placement: &MapRow| {
        let levels = placement.levels.of(switching);
        let time = |cycles| table::time(cycles, 2, machine);
        let simulated = levels.simulated.map(|cycles| table::cycles(cycles, machine));
        vec![
            format!("{}{}", mark(placement), placement.name),
            time(placement.bound.of(switching).exact),
            time(levels.alone),
            time(levels.link),
            time(levels.path),
            simulated.unwrap_or_else(|| missing(placement, switching).to_string()),
            placement.gap.of(switching).map_or(String::new(), table::percent),
            format!("{:.3}", placement.slowdown.of(switching).exact),
            placement.hops_total.to_string(),
        ]
    };
    placements.iter().map(row).collect()
}

/// The links of every placement, and what its time is made of.
fn links(placements: &[MapRow], switching: Switching, machine: &Machine) -> String {
    const HEAD: [&str; 4] = ["placement", table::BUSIEST, table::WAITED, "reason"];
    let ends = |placement: &MapRow| placement.simulated_cycles.of(switching).is_some();
    let reason = |placement: &'_ MapRow| placement.reason.of(switching).clone().unwrap_or_default();
    let row = |placement: &MapRow| {
        vec![
            format!("  {}", placement.name),
            table::busiest(*placement.busiest_link.of(switching), machine),
            table::waited(*placement.waited_link.of(switching), machine),
            if ends(placement) { reason(placement) } else { missing(placement, switching).to_string() },
        ]
    };
    let standing =
        placements.iter().filter(|placement| placement.reason.of(switching).is_some() && !ends(placement));
    let lines = standing.map(|placement| format!("{}: {}\n", placement.name, reason(placement)));
    table::table(&HEAD, 4, placements.iter().map(row).collect()) + &lines.collect::<String>()
}

fn phases(placement: &MapRow) -> String {
    const HEAD: [&str; 6] = ["phase", "messages", "weight", "dilation", "contention", "link load"];
    let row = |phase: &map::MapPhase| {
        let last = phase.phase + phase.repeats - 1;
        vec![
            if phase.repeats == 1 { phase.phase.to_string() } else { format!("{} to {last}", phase.phase) },
            phase.messages.to_string(),
            table::number(phase.weight, 6),
            phase.dilation.to_string(),
            phase.contention.to_string(),
            phase.link_load.to_string(),
        ]
    };
    table::table(&HEAD, 0, placement.phases.iter().map(row).collect())
}
