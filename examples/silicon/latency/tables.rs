//! The tables of the page.

use std::fmt::Write as _;

use super::numbers::Numbers;
use super::predict::median;
use super::table::{Mechanism, Row};
use super::{Judged, Judgement, VARIANTS};

const HEAD: &str = "\
## Latency tables of Wormhole and Blackhole

Times of batches of reads, writes and multicasts between cores, from `tenstorrent/tt-metal` (`data/silicon/noc-latencies/`).
All gaps, rates and latencies come from the point-to-point rows. Every collective row is predicted, cells that the source
filled in are left out, the error of a row is the mean over its sizes of |predicted - measured| / measured.

- One core to or from several, multicasts: closed formulae. Routes, multicast trees and whole rings are those of the
  library's fabric (`torus:12x10` and `torus:12x17`, two networks of one-way rings).
- Many cores at once: flits in those rings, with the issue order of the measuring program. Acknowledgements are packets
  here, which the library's flit engine takes as a time: so this is a network of its own (`examples/silicon/latency/network.rs`).
- Many multicasts to one rectangle: their reserved paths exclude each other.

*Strict*: no number chosen on collective rows. *Calibrated*: the numbers below chosen on the visible rows. *Across halves*:
chosen on the even lines and judged on the odd ones, and the other way round. **What no half can show:** the form of the
model (what acknowledgements share, what is exclusive, which Wormhole rows are switched off, 4 requests held by a core and 64
by a bank, 10 flits of buffer, 20 cycles at a port) was found while looking at visible rows, and strict shares it. Rows of
other files than `collective-visible.csv` are judged with the calibrated numbers and never chosen on.
";

/// The part of some numbers at which so many of them are not greater.
fn quantile(values: &[f64], part: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let index = ((sorted.len() as f64 * part).ceil() as usize).clamp(1, sorted.len().max(1)) - 1;
    sorted.get(index).copied().unwrap_or(f64::NAN)
}

/// The errors of some rows in one line.
pub(crate) struct Summary {
    pub(crate) rows: usize,
    pub(crate) median: f64,
    pub(crate) ninety: f64,
    /// Of all rows those with at most 5 and 12 %.
    pub(crate) within: [f64; 2],
    pub(crate) mean: f64,
}

impl Summary {
    /// Of rows and one variant.
    pub(crate) fn of<'j>(rows: impl Iterator<Item = &'j Judged>, variant: usize) -> Self {
        let errors: Vec<f64> = rows.map(|judged| judged.error(variant)).collect();
        let within =
            |most: f64| errors.iter().filter(|&&error| error <= most).count() as f64 / errors.len() as f64;
        Self {
            rows: errors.len(),
            median: median(&errors),
            ninety: quantile(&errors, 0.9),
            within: [within(0.05), within(0.12)],
            mean: errors.iter().sum::<f64>() / errors.len() as f64,
        }
    }
}

fn percent(part: f64) -> String {
    format!("{:.1}", 100.0 * part)
}

/// The whole section.
pub(crate) fn page(judgement: &Judgement) -> String {
    let mut page = HEAD.to_string();
    summaries(&mut page, judgement);
    numbers(&mut page, &judgement.numbers);
    groups(&mut page, &judgement.rows);
    worst(&mut page, &judgement.rows);
    bounds(&mut page, &judgement.rows);
    page
}

fn summaries(page: &mut String, judgement: &Judgement) {
    page.push_str(
        "\n| rows | variant | number | median | 90 % | at most 5 % | at most 12 % | mean |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    type Takes = fn(&Judged) -> bool;
    let sets: [(&str, Takes); 3] = [
        ("visible", |it| it.visible),
        ("visible, without reads", |it| it.visible && !it.row.pattern.reads()),
        ("other files", |it| !it.visible),
    ];
    for (name, takes) in sets {
        for (variant, label) in VARIANTS.iter().enumerate() {
            let sum = Summary::of(judgement.rows.iter().filter(|it| takes(it)), variant);
            let skipped = sum.rows == 0 || name == "other files" && variant == 2;
            if !skipped {
                let cells = [sum.median, sum.ninety, sum.within[0], sum.within[1], sum.mean].map(percent);
                let _ = writeln!(page, "| {name} | {label} | {} | {} |", sum.rows, cells.join(" | "));
            }
        }
    }
    page.push_str("\nAll figures in percent.\n");
}

fn numbers(page: &mut String, numbers: &[Numbers; 4]) {
    page.push_str(
        "\nThe numbers chosen on collective rows, in cycles where nothing else is said:\n\n\
         | number | strict | calibrated | even lines choose | odd lines choose |\n| --- | --- | --- | --- | --- |\n",
    );
    type Get = fn(&Numbers) -> f64;
    let lines: [(&str, Get); 7] = [
        ("processor, for a new peer", |it| it.new_peer),
        ("reservation of a multicast's path, once", |it| it.reserve[0]),
        ("and for each link to the farthest receiver", |it| it.reserve[1]),
        ("address of the next bank, Wormhole", |it| it.next_bank[0]),
        ("address of the next bank, Blackhole", |it| it.next_bank[1]),
        ("part of the total at which the median of many multicasting cores is done", |it| it.median_part),
        ("failed reservations at a handover", |it| it.retries),
    ];
    for (name, get) in lines {
        let cells = numbers.each_ref().map(|it| get(it).to_string());
        let _ = writeln!(page, "| {name} | {} |", cells.join(" | "));
    }
}

/// The name of the group of a row.
fn group(row: &Row) -> String {
    let chip = ["Wormhole", "Blackhole"][row.chip];
    let memory = if row.dram { "DRAM" } else { "L1" };
    let mechanism = match row.mechanism {
        Mechanism::Unicast => "unicast",
        Mechanism::Multicast => "multicast",
        Mechanism::Linked => "multicast, linked",
    };
    format!("{chip} | `{}` | {memory} | {mechanism}", row.pattern.name())
}

fn groups(page: &mut String, rows: &[Judged]) {
    page.push_str(
        "\nBy group, in percent:\n\n| chip | pattern | memory | mechanism | rows | strict: median | 90 % | \
         calibrated: median | 90 % | at most 12 % |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    let mut names: Vec<String> = rows.iter().map(|it| group(&it.row)).collect();
    names.sort();
    names.dedup();
    for name in names {
        let own = || rows.iter().filter(|it| group(&it.row) == name);
        let [strict, calibrated] = [0, 1].map(|variant| Summary::of(own(), variant));
        let figures =
            [strict.median, strict.ninety, calibrated.median, calibrated.ninety, calibrated.within[1]];
        let _ = writeln!(page, "| {name} | {} | {} |", strict.rows, figures.map(percent).join(" | "));
    }
}

/// Why rows of a kind are wrong, as far as is known.
fn why(row: &Row) -> &'static str {
    match (row.pattern.name(), row.mechanism, row.dram) {
        ("all_from_all", _, false) => {
            "readers wait for each other's requests longer than the network says; the rows jump from size to size"
        }
        ("all_to_all", _, false) => {
            "two steady states of the hot spot: silicon changes between them with the size, the network does not"
        }
        (_, Mechanism::Unicast, true) if row.pattern.has_many_masters() => {
            "eight cores at one bank: the cost of a bank that serves several is in no point-to-point row"
        }
        (_, Mechanism::Unicast, true) => "the first bank's queue; few transactions",
        (_, Mechanism::Multicast | Mechanism::Linked, _) if row.pattern.has_many_masters() => {
            "random back-off of reservations; the rows jump from size to size"
        }
        _ => "",
    }
}

fn worst(page: &mut String, rows: &[Judged]) {
    let mut all: Vec<&Judged> = rows.iter().collect();
    all.sort_by(|a, b| b.error(1).total_cmp(&a.error(1)));
    let over = all.iter().filter(|it| it.error(1) > 0.12).count();
    let _ = writeln!(
        page,
        "\nThe worst {} of {over} rows above 12 % (calibrated; predicted / measured - 1 at the least and the largest \
         size):\n\n| chip | pattern | memory | mechanism | transactions | peers | error | least | largest | why |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
        over.min(20)
    );
    for judged in all.iter().take(over.min(20)) {
        let ratio = |index: usize| percent(judged.times[1][index] / judged.row.cycles[index] - 1.0);
        let Row { transactions, peers, .. } = judged.row;
        let _ = writeln!(
            page,
            "| {} | {transactions} | {peers} | {} | {} | {} | {} |",
            group(&judged.row),
            percent(judged.error(1)),
            ratio(0),
            ratio(judged.row.cycles.len() - 1),
            why(&judged.row)
        );
    }
}

fn bounds(page: &mut String, rows: &[Judged]) {
    let cells = rows.iter().flat_map(|it| (0..it.bounds.len()).map(move |size| (it, size)));
    let (mut above, mut below, mut ratios, mut largest) = (0, 0, Vec::new(), Vec::new());
    for (it, size) in cells {
        above += usize::from(it.times.iter().any(|times| it.bounds[size] > times[size]));
        below += usize::from(it.bounds[size] > it.row.cycles[size]);
        ratios.push(it.bounds[size] / it.row.cycles[size]);
        if size + 1 == it.bounds.len() {
            largest.extend(ratios.last());
        }
    }
    let _ = writeln!(
        page,
        "\nLower bound of a cell: the flits of a core's own port, or those that must have crossed the busiest link or port \
         when half of the cores are done; one flit a cycle. Of {} cells it is above a prediction in {above}, above the \
         measured time in {below}; in the median it is {} % of the measured time, at the largest size of a row {} %.",
        ratios.len(),
        percent(median(&ratios)),
        percent(median(&largest))
    );
}
