//! One table per bench: named ways to do the same thing, timed in turn within one run.
//!
//! On a shared machine only ratios within a run mean something, so the ways take turns and each row gives the
//! median of its rounds and the ratio to the first way. Memory is the peak of the heap above its level before.

#![allow(clippy::disallowed_methods, reason = "a bench measures time")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use comfy_table::{CellAlignment, Table, TableStyle};
use peak_alloc::PeakAlloc;

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

/// A named way to do something at one size.
pub(crate) struct Way<'w> {
    name: &'w str,
    run: Box<dyn FnMut() -> u64 + 'w>,
}

/// A way from a closure; what it returns is kept from the optimiser.
pub(crate) fn way<'w>(name: &'w str, run: impl FnMut() -> u64 + 'w) -> Way<'w> {
    Way { name, run: Box::new(run) }
}

/// Rows of one table.
pub(crate) struct Comparison {
    table: Table,
}

impl Comparison {
    pub(crate) fn new(title: &str, unit: &str) -> Self {
        println!("\n{title}");
        let mut table = Table::new();
        *table.style_mut() = TableStyle::new();
        table.set_header(["size", "way", "median", &format!("per {unit}"), "to the first", "peak heap"]);
        for column in 2..6 {
            table.column_mut(column).expect("six columns").set_cell_alignment(CellAlignment::Right);
        }
        Self { table }
    }

    /// Times the ways at one size, in turn, `rounds` times; `items` is how many things one run does.
    pub(crate) fn size(&mut self, size: &str, items: u64, rounds: usize, mut ways: Vec<Way<'_>>) {
        let mut times = vec![Vec::new(); ways.len()];
        let mut peaks = vec![0usize; ways.len()];
        for _ in 0..rounds {
            for (index, way) in ways.iter_mut().enumerate() {
                let before = HEAP.current_usage();
                HEAP.reset_peak_usage();
                let start = Instant::now();
                black_box((way.run)());
                times[index].push(start.elapsed());
                peaks[index] = peaks[index].max(HEAP.peak_usage().saturating_sub(before));
            }
        }
        let medians: Vec<Duration> = times.iter_mut().map(|times| median(times)).collect();
        for ((way, time), peak) in ways.iter().zip(&medians).zip(peaks) {
            let per_item = time.as_nanos() as f64 / items as f64;
            let ratio = time.as_secs_f64() / medians[0].as_secs_f64();
            self.table.add_row([
                size.to_string(),
                way.name.to_string(),
                format!("{:.3} ms", time.as_secs_f64() * 1e3),
                format!("{per_item:.1} ns"),
                format!("{ratio:.3}x"),
                format!("{:.1} MB", peak as f64 / 1e6),
            ]);
        }
    }

    pub(crate) fn print(self) {
        println!("{}", self.table);
    }
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
