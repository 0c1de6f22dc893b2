//! What splitting a communicator costs on 10^3 to 10^6 ranks, in LogGP: the splits of libraries and papers beside ours.
//!
//! `cargo run --release --example split_prices [-- L o G c]` prints a table for 2, 1000 and p / 8 colours with keys, all
//! numbers in microseconds: L a byte on its way, o a rank with a message, G a byte of a long message, c a record in memory.
//! Formulas and sources: `meshwright_groups::prices`.

#![allow(clippy::disallowed_methods, reason = "a program reads its arguments")]

use meshwright_groups::prices::{LogGp, PRICES, SplitCase, context};

/// The numbers of ranks.
const RANKS: [u32; 7] = [1000, 4000, 16_000, 64_000, 250_000, 500_000, 1_000_000];

/// One table in Markdown: a row for each number of ranks, the cheapest that takes any labels last.
pub(crate) fn table(costs: &LogGp, what: &str, colours: impl Fn(u32) -> u32) -> String {
    let names: Vec<&str> = PRICES.iter().map(|priced| priced.name).collect();
    let mut text = format!("{what}\n\n| ranks | {} | context | least |\n", names.join(" | "));
    text += &format!("|{}\n", "--:|".repeat(names.len() + 2) + "---|");
    for ranks in RANKS {
        let case = SplitCase { ranks, colours: colours(ranks), has_keys: true };
        let times: Vec<f64> = PRICES.iter().map(|priced| (priced.time)(costs, &case)).collect();
        let any = PRICES.iter().zip(&times).filter(|(priced, _)| priced.takes_any_labels);
        let least = any.min_by(|a, b| a.1.total_cmp(b.1)).expect("the table is not empty").0;
        let cells: Vec<String> = times.iter().map(|time| format!("{time:.1}")).collect();
        let agreed = context(costs, &case);
        text += &format!("| {ranks} | {} | {agreed:.1} | {} |\n", cells.join(" | "), least.name);
    }
    text
}

fn main() {
    let given: Vec<f64> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let costs = match given[..] {
        [latency, overhead, gap_per_byte, record] => LogGp { latency, overhead, gap_per_byte, record },
        _ => LogGp::default(),
    };
    println!("{costs:?}, microseconds\n");
    println!("{}", table(&costs, "Two colours, random keys", |_| 2));
    println!("{}", table(&costs, "1000 colours, random keys", |_| 1000));
    println!("{}", table(&costs, "Groups of eight, random keys", |ranks| ranks / 8));
    println!("Bytes at a rank, 1000 colours\n");
    for ranks in RANKS {
        let case = SplitCase { ranks, colours: 1000, has_keys: true };
        let bytes = |priced: &meshwright_groups::prices::PricedSplit| {
            format!("{} {:.0}", priced.name, (priced.bytes)(&costs, &case))
        };
        println!("{ranks}: {}", PRICES.iter().map(bytes).collect::<Vec<_>>().join(", "));
    }
}
