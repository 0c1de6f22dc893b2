//! The flit engine: flit-hops per second beside CAMINOS, growth, threads, memory, and a whole curve.
//!
//! `cargo bench --bench flit`, with `CAMINOS=path` or `caminos` on the path (`cargo install caminos --locked`).
//!
//! A flit-hop is one flit over one link between routers. Times are processor times of the thread or process where
//! nothing else is said, since the machine may be shared; without `/proc` they are times on the wall.

#![allow(clippy::disallowed_methods, reason = "a bench measures time")]

use std::process::Command;
use std::time::Instant;

use comfy_table::{CellAlignment, Table, TableStyle};
use meshwright_network::topology::{Machine, Switching};
use meshwright_sim::flit::{self, Router};
use meshwright_sim::traffic::{Measured, OpenLoop, Pattern};
use peak_alloc::PeakAlloc;

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

const ROUNDS: usize = 3;

fn main() {
    beside_caminos();
    growth();
    threads();
    a_million_routers();
    curve();
}

/// Uniform traffic on a square mesh.
#[derive(Clone, Copy)]
struct Work {
    side: u32,
    flits: u32,
    load: f64,
    cycles: u64,
}

/// What one run cost.
#[derive(Clone, Copy)]
struct Cost {
    flit_hops: f64,
    seconds: f64,
    megabytes: f64,
}

/// Our routers: one channel and one cycle a hop; BookSim's; and that of CAMINOS, whose buffers hold whole packets.
const ROUTERS: [&str; 3] = ["ideal, 1 channel", "booksim, 4 channels", "caminos, 4 channels"];

fn router(name: &str, work: Work) -> (Machine, Router) {
    let mut mesh = Machine::mesh([work.side, work.side]).expect("a mesh");
    let preset = name.split(',').next().expect("a word");
    if preset == "caminos" && work.flits > 1 {
        mesh = mesh.with_switching(Switching::CutThrough);
    }
    let mut router = Router::named(preset, &mesh).expect("a preset");
    let slots = match mesh.switching() {
        Switching::CutThrough => "2",
        _ if work.side > 256 => "4",
        _ => "8",
    };
    router.set("buffers", slots).expect("a setting");
    if preset == "ideal" {
        router.set("virtual_channels", "1").expect("a setting");
        router.set("ports", "one").expect("a setting");
    }
    (mesh, router)
}

fn run(mesh: &Machine, router: &Router, work: Work, seed: u64, threads: usize) -> Measured {
    let open = OpenLoop {
        pattern: Pattern::new("uniform", mesh).expect("a pattern"),
        load: work.load,
        packet: work.flits,
        warm_up: 0,
        measure: work.cycles,
        // On a large mesh the way out alone takes thousands of cycles.
        drain: if work.side > 64 { 0 } else { 20_000 },
        seed,
    };
    flit::run_traffic(mesh, router, &open, threads).expect("it fits")
}

/// Seconds this thread has been on a processor.
fn processor_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split(' ').next()?.parse::<f64>().ok()? / 1e9)
}

fn ours(name: &str, work: Work, seed: u64) -> Cost {
    let before = HEAP.current_usage();
    HEAP.reset_peak_usage();
    let (wall, start) = (Instant::now(), processor_seconds());
    let (mesh, router) = router(name, work);
    let measured = run(&mesh, &router, work, seed, 1);
    let seconds = match (start, processor_seconds()) {
        (Some(start), Some(end)) => end - start,
        _ => wall.elapsed().as_secs_f64(),
    };
    let carries = work.side > 64 || measured.undelivered == 0;
    assert!(carries, "{name} does not carry {} flits a packet, load {}", work.flits, work.load);
    let megabytes = HEAP.peak_usage().saturating_sub(before) as f64 / 1e6;
    Cost { flit_hops: measured.flit_hops as f64, seconds, megabytes }
}

/// CAMINOS on the same work, or `None` where it is not installed.
fn caminos(work: Work, seed: u64) -> Option<Cost> {
    let program = std::env::var("CAMINOS").unwrap_or_else(|_| "caminos".into());
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (config, results) = (folder.path().join("work.cfg"), folder.path().join("results"));
    let Work { side, flits, load, cycles } = work;
    let (buffer, output) = if flits == 1 { (8, 4) } else { (2 * flits, flits) };
    let text = format!(
        "Configuration {{ random_seed: {seed}, warmup: 0, measured: {cycles},
            topology: Mesh {{ sides: [{side},{side}], servers_per_router: 1 }},
            traffic: HomogeneousTraffic {{ pattern: Uniform, servers: {}, load: {load}, message_size: {flits} }},
            maximum_packet_size: {flits},
            router: InputOutput {{
                virtual_channels: 4, virtual_channel_policies: [ EnforceFlowControl, Random ],
                crossbar_delay: 0, crossbar_frequency_divisor: 1, allocator: Random {{ seed: {seed} }},
                buffer_size: {buffer}, bubble: false, flit_size: {flits}, allow_request_busy_port: true,
                intransit_priority: false, output_buffer_size: {output}, neglect_busy_output: false }},
            routing: DOR {{ order: [0,1] }},
            link_classes: [ LinkClass {{ delay: 1 }}, LinkClass {{ delay: 1 }}, LinkClass {{ delay: 1 }} ] }}\n",
        side * side
    );
    std::fs::write(&config, text).expect("a temporary folder can be written");
    let output = Command::new(program).arg(&config).arg("--results").arg(&results).output().ok()?;
    assert!(output.status.success(), "CAMINOS failed: {}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(&results).expect("CAMINOS writes its results");
    let value = |key: &str| -> f64 {
        let rest = text.split_once(&format!("{key}:")).expect("CAMINOS reports it").1;
        rest.trim_start().split([',', '\n']).next().expect("a number").trim().parse().expect("a number")
    };
    let nodes = f64::from(side * side);
    Some(Cost {
        flit_hops: value("accepted_load") * nodes * cycles as f64 * value("average_packet_hops"),
        seconds: value("user_time"),
        megabytes: value("linux_high_water_mark") / 1024.0,
    })
}

/// The run with the median rate.
fn median(mut costs: Vec<Cost>) -> Cost {
    costs.sort_by(|a, b| (a.flit_hops / a.seconds).total_cmp(&(b.flit_hops / b.seconds)));
    costs[costs.len() / 2]
}

fn table(title: &str, header: &[&str]) -> Table {
    println!("\n{title}");
    let mut table = Table::new();
    *table.style_mut() = TableStyle::new();
    table.set_header(header.iter().copied());
    for column in 2..header.len() {
        table.column_mut(column).expect("a column").set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn rate(cost: &Cost) -> String {
    format!("{:.2}", cost.flit_hops / cost.seconds / 1e6)
}

/// The same mesh, load and packets; the routers differ as their names say. CAMINOS runs fewer cycles.
fn beside_caminos() {
    let mut table = table(
        "Beside CAMINOS: uniform traffic, one core, taking turns",
        &["work", "router", "Mflit-hops/s", "times CAMINOS", "peak MB"],
    );
    let works = [(16, 1, 0.075, 40_000, 4000), (16, 16, 0.075, 40_000, 8000), (64, 1, 0.019, 4000, 200)];
    for (side, flits, load, cycles, fewer) in works {
        let work = Work { side, flits, load, cycles };
        let mut theirs = Vec::new();
        let mut costs = vec![Vec::new(); ROUTERS.len()];
        for seed in 1..=ROUNDS as u64 {
            theirs.extend(caminos(Work { cycles: fewer, ..work }, seed));
            for (costs, name) in costs.iter_mut().zip(ROUTERS) {
                costs.push(ours(name, work, seed));
            }
        }
        let title = format!("{side}x{side}, {flits} flits, load {load}");
        let theirs = (!theirs.is_empty()).then(|| median(theirs));
        match &theirs {
            Some(cost) => {
                let memory = format!("{:.0} (process)", cost.megabytes);
                table.add_row([title.clone(), "CAMINOS, 4 channels".into(), rate(cost), "1".into(), memory])
            }
            None => table.add_row([title.as_str(), "CAMINOS was not found", "", "", ""]),
        };
        for (costs, name) in costs.into_iter().zip(ROUTERS) {
            let cost = median(costs);
            let times = theirs.map_or(String::new(), |theirs| {
                format!("{:.1}", cost.flit_hops / cost.seconds / (theirs.flit_hops / theirs.seconds))
            });
            let memory = format!("{:.1} (heap)", cost.megabytes);
            table.add_row([title.clone(), name.into(), rate(&cost), times, memory]);
        }
    }
    println!("{table}");
}

/// Three sizes at 30 % of the bisection bound.
fn growth() {
    let header = ["mesh", "router", "Mflit-hops/s", "peak MB", "bytes a router"];
    let mut table = table("Growth: 1-flit packets at 30 % of the bisection bound, one core", &header);
    for (side, cycles) in [(16u32, 40_000u64), (64, 4000), (256, 600)] {
        let work = Work { side, flits: 1, load: 1.2 / f64::from(side), cycles };
        let rounds = if side > 64 { 1 } else { ROUNDS as u64 };
        for name in &ROUTERS[..2] {
            let cost = median((1..=rounds).map(|seed| ours(name, work, seed)).collect());
            table.add_row([
                format!("{side}x{side}"),
                name.to_string(),
                rate(&cost),
                format!("{:.1}", cost.megabytes),
                format!("{:.0}", cost.megabytes * 1e6 / f64::from(side * side)),
            ]);
        }
    }
    println!("{table}");
}

/// One and two threads on 256x256: the same bytes; times on the wall.
fn threads() {
    let mut table =
        table("Threads: 256x256, 30 % load, time on the wall", &["router", "threads", "ms", "speed-up"]);
    let work = Work { side: 256, flits: 1, load: 1.2 / 256.0, cycles: 300 };
    for name in &ROUTERS[..1] {
        let (mesh, router) = router(name, work);
        let mut times = [Vec::new(), Vec::new()];
        let mut results: Option<Measured> = None;
        for _ in 0..ROUNDS {
            for (threads, times) in (1..).zip(&mut times) {
                let start = Instant::now();
                let measured = run(&mesh, &router, work, 1, threads);
                times.push(start.elapsed().as_secs_f64());
                let first = results.get_or_insert_with(|| measured.clone());
                assert_eq!(*first, measured, "the result does not depend on the number of threads");
            }
        }
        let [one, two] = times.map(|mut times| {
            times.sort_by(f64::total_cmp);
            times[ROUNDS / 2]
        });
        for (threads, time) in [(1, one), (2, two)] {
            let row = [name.to_string(), threads.to_string()];
            table
                .add_row(row.into_iter().chain([format!("{:.0}", time * 1e3), format!("{:.2}", one / time)]));
        }
    }
    println!("{table}");
}

fn a_million_routers() {
    let mut table = table(
        "A million routers, light load, 4 flits of buffer",
        &["mesh", "router", "Mflit-hops/s", "peak MB"],
    );
    let work = Work { side: 1024, flits: 1, load: 0.0002, cycles: 200 };
    let cost = ours(ROUTERS[0], work, 1);
    let memory = format!("{:.0}", cost.megabytes);
    table.add_row(["1024x1024".to_string(), ROUTERS[0].to_string(), rate(&cost), memory]);
    println!("{table}");
}

/// Ten loads, each with its 95 % interval, two at a time.
fn curve() {
    let header = ["mesh", "router", "ms on the wall", "widest interval"];
    let mut table = table("A curve of ten loads with 95 % intervals, two threads, 1-flit packets", &header);
    for name in &ROUTERS[..2] {
        let start = Instant::now();
        let halves = [0, 1].map(|offset| {
            let name = *name;
            std::thread::spawn(move || {
                let point = |index: u32| {
                    let load = 0.02 * f64::from(index + 1);
                    let work = Work { side: 16, flits: 1, load, cycles: 5000 };
                    let (mesh, router) = router(name, work);
                    let latencies = run(&mesh, &router, work, 1, 1).latencies;
                    latencies.ci95().expect("thirty batches") / latencies.mean()
                };
                (0..10).filter(|index| index % 2 == offset).map(point).fold(0.0, f64::max)
            })
        });
        let widest = halves.map(|half| half.join().expect("no panic")).into_iter().fold(0.0, f64::max);
        let time = format!("{:.0}", start.elapsed().as_secs_f64() * 1e3);
        table.add_row(["16x16".to_string(), name.to_string(), time, format!("± {:.1} %", widest * 100.0)]);
    }
    println!("{table}");
}
