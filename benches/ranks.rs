//! Ranks that are threads: what an endpoint, a mailbox and watching add to a channel, lists of numbers as messages, and keep half, send
//! half beside rayon.
//!
//! `cargo bench --bench ranks`
//!
//! Times are on the wall, for ranks wait for each other: medians of rounds in which all take turns. Memory is the peak of the heap
//! above what was there before.

#![allow(clippy::disallowed_methods, reason = "a bench measures time")]

use std::hint::black_box;
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use comfy_table::{CellAlignment, Table, TableStyle};
use meshwright_core::rng;
use meshwright_demos::applications::MergeSort;
use meshwright_runtime::skeleton::{DivideAndConquer, on_ranks, on_threads};
use meshwright_runtime::transport::{Endpoint, Mailbox, Parcel, Watched, Wire, threads};
use meshwright_schedule::RankTree;
use peak_alloc::PeakAlloc;
use rand::Rng;
use rayon::slice::ParallelSliceMut;

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

/// Rounds, of which the median counts.
const ROUNDS: usize = 5;

fn main() {
    streams();
    round_trips();
    numbers();
    sorts();
}

/// A table with these columns, numbers from the second on.
fn table(title: &str, header: &[&str]) -> Table {
    println!("\n{title}");
    let mut table = Table::new();
    *table.style_mut() = TableStyle::new();
    table.set_header(header);
    for column in 1..header.len() {
        table.column_mut(column).expect("it is there").set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// What one run cost: seconds, and bytes of heap.
#[derive(Clone, Copy)]
struct Cost {
    seconds: f64,
    bytes: usize,
}

fn measure(run: impl FnOnce()) -> Cost {
    let before = HEAP.current_usage();
    HEAP.reset_peak_usage();
    let begin = Instant::now();
    run();
    let seconds = begin.elapsed().as_secs_f64();
    Cost { seconds, bytes: HEAP.peak_usage().saturating_sub(before) }
}

/// Of each of the ways the round in the middle.
fn medians(ways: &mut [&mut dyn FnMut() -> Cost]) -> Vec<Cost> {
    let mut all: Vec<Vec<Cost>> = ways.iter().map(|_| Vec::new()).collect();
    for _ in 0..ROUNDS {
        for (costs, way) in all.iter_mut().zip(ways.iter_mut()) {
            costs.push(way());
        }
    }
    let middle = |mut costs: Vec<Cost>| {
        costs.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
        costs[ROUNDS / 2]
    };
    all.into_iter().map(middle).collect()
}

/// Rows of ways that do the same so many times: each, per second, and over the first.
fn rows(table: &mut Table, names: &[&str], times: f64, costs: &[Cost]) {
    for (name, cost) in names.iter().zip(costs) {
        table.add_row([
            (*name).to_string(),
            format!("{:.3}", cost.seconds / times * 1e6),
            format!("{:.2}", times / cost.seconds / 1e6),
            format!("{:.2}", cost.seconds / costs[0].seconds),
            format!("{:.1}", cost.bytes as f64 / 1e6),
        ]);
    }
}

const EACH: [&str; 5] = ["way", "us each", "million/s", "over the first", "peak heap, MB"];

/// From one thread to another, as fast as it goes.
fn streams() {
    const COUNT: u32 = 200_000;
    let plain = || {
        let (sender, receiver) = channel::<Parcel>();
        thread::scope(|scope| {
            scope.spawn(move || {
                for _ in 0..COUNT {
                    sender.send(Parcel { from: 0, tag: 0, bytes: vec![0; 8] }).expect("it is received");
                }
            });
            (0..COUNT).for_each(|_| _ = black_box(receiver.recv().expect("it was sent")));
        });
    };
    fn through<E: Endpoint>(mut endpoint: E) -> Result<(), meshwright_runtime::transport::Lost> {
        for _ in 0..COUNT {
            if endpoint.rank() == 0 {
                endpoint.send(1, 0, vec![0; 8])?;
            } else {
                while endpoint.next(Duration::from_secs(1))?.is_none() {}
            }
        }
        Ok(())
    }
    let costs = medians(&mut [
        &mut || measure(plain),
        &mut || measure(|| _ = threads::run(2, through).expect("nobody is lost")),
        &mut || {
            let watched = |endpoint| through(Watched::new(endpoint, Duration::from_secs(10)));
            measure(|| _ = threads::run(2, watched).expect("nobody is lost"))
        },
        &mut || {
            measure(|| {
                let mailed = |endpoint| {
                    let mut mail = Mailbox::new(endpoint);
                    for number in 0..u64::from(COUNT) {
                        if mail.rank() == 0 {
                            mail.send(1, 0, &number)?;
                        } else {
                            black_box(mail.receive::<u64>(0, 0)?);
                        }
                    }
                    Ok(())
                };
                _ = threads::run(2, mailed).expect("nobody is lost");
            })
        },
    ]);
    let names = ["mpsc channel", "endpoint", "endpoint, watched", "mailbox"];
    let mut table = table("Messages of 8 bytes, one after the other", &EACH);
    rows(&mut table, &names, f64::from(COUNT), &costs);
    println!("{table}");
}

/// There and back.
fn round_trips() {
    const COUNT: u32 = 20_000;
    let plain = || {
        let ((there, at_there), (back, at_back)) = (channel::<Vec<u8>>(), channel::<Vec<u8>>());
        thread::scope(|scope| {
            scope.spawn(move || at_there.iter().for_each(|bytes| back.send(bytes).expect("it is received")));
            for _ in 0..COUNT {
                there.send(Vec::new()).expect("it is received");
                at_back.recv().expect("it was sent");
            }
            drop(there);
        });
    };
    fn through<E: Endpoint>(endpoint: E) -> Result<(), meshwright_runtime::transport::Lost> {
        let mut mail = Mailbox::new(endpoint);
        let other = 1 - mail.rank();
        for _ in 0..COUNT {
            if mail.rank() == 0 {
                mail.send_bytes(other, 0, Vec::new())?;
                mail.receive_bytes(other, 0)?;
            } else {
                let bytes = mail.receive_bytes(other, 0)?;
                mail.send_bytes(other, 0, bytes)?;
            }
        }
        Ok(())
    }
    let costs = medians(&mut [
        &mut || measure(plain),
        &mut || measure(|| _ = threads::run(2, through).expect("nobody is lost")),
        &mut || {
            let watched = |endpoint| through(Watched::new(endpoint, Duration::from_secs(10)));
            measure(|| _ = threads::run(2, watched).expect("nobody is lost"))
        },
    ]);
    let mut table = table("Round trips of empty messages", &EACH);
    rows(&mut table, &["mpsc channel", "mailbox", "mailbox, watched"], f64::from(COUNT), &costs);
    println!("{table}");
}

/// Lists of numbers become bytes, and lists again; beside a copy of the bytes.
fn numbers() {
    const COUNT: usize = 10_000_000;
    let list: Vec<u32> = (0..COUNT as u32).collect();
    let mut bytes = Vec::new();
    list.write(&mut bytes);
    let costs = medians(&mut [
        &mut || measure(|| _ = black_box(bytes.clone())),
        &mut || {
            measure(|| {
                let mut out = Vec::with_capacity(list.volume().0 as usize);
                list.write(&mut out);
                black_box(out);
            })
        },
        &mut || measure(|| _ = black_box(Vec::<u32>::read(&mut bytes.as_slice()))),
    ]);
    let mut table = table("Lists of ten million 32-bit numbers, by number", &EACH);
    rows(&mut table, &["clone of the bytes", "write", "read"], COUNT as f64, &costs);
    println!("{table}");
}

/// Merge sort.
fn sorts() {
    let header = ["numbers", "way", "seconds", "over the first", "peak heap, MB"];
    let mut table = table("Sorting 32-bit numbers at random", &header);
    let threads = rayon::current_num_threads();
    for count in [10_000, 1_000_000, 10_000_000] {
        let mut generator = rng::stream(0, "numbers to sort");
        let list: Vec<u32> = (0..count).map(|_| generator.next_u32()).collect();
        let app = MergeSort::default();
        let mut ways: Vec<(String, Box<dyn FnMut() -> Cost>)> = vec![
            ("rayon: par_sort_unstable".into(), {
                let list = list.clone();
                Box::new(move || {
                    let mut list = list.clone();
                    measure(|| list.par_sort_unstable())
                })
            }),
            ("one thread".into(), {
                let list = list.clone();
                Box::new(move || {
                    let list = list.clone();
                    measure(|| _ = black_box(app.solve_alone(list)))
                })
            }),
            (format!("{threads} threads"), {
                let list = list.clone();
                Box::new(move || {
                    let list = list.clone();
                    measure(|| _ = black_box(on_threads(&app, list)))
                })
            }),
        ];
        for ranks in [2, 4, 16] {
            let list = list.clone();
            let way = move || {
                let tree = RankTree::halving(ranks);
                measure(|| {
                    let ended = threads::run(ranks, |endpoint| {
                        let mut mail = Mailbox::new(endpoint);
                        let problem = (mail.rank() == tree.root()).then(|| list.clone());
                        on_ranks(&app, &tree, &mut mail, problem)
                    });
                    black_box(ended.expect("nobody is lost"));
                })
            };
            ways.push((format!("{ranks} ranks on threads"), Box::new(way)));
        }
        let mut calls: Vec<&mut dyn FnMut() -> Cost> =
            ways.iter_mut().map(|(_, way)| &mut **way as _).collect();
        let costs = medians(&mut calls);
        for ((name, _), cost) in ways.iter().zip(&costs) {
            table.add_row([
                count.to_string(),
                name.clone(),
                format!("{:.4}", cost.seconds),
                format!("{:.2}", cost.seconds / costs[0].seconds),
                format!("{:.1}", cost.bytes as f64 / 1e6),
            ]);
        }
    }
    println!("{table}");
}
