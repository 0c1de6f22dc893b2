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

impl Work {
    /// 30 % of the bisection bound.
    fn a_third(side: u32, flits: u32, cycles: u64) -> Self {
        Self { side, flits, load: 1.2 / f64::from(side), cycles }
    }
}

/// What one run cost.
#[derive(Clone, Copy)]
struct Cost {
    flit_hops: f64,
    seconds: f64,
    megabytes: f64,
}

impl Cost {
    fn rate(&self) -> f64 {
        self.flit_hops / self.seconds / 1e6
    }
}

/// How our routers are built: a preset, its virtual channels, and ports of a node.
#[derive(Clone, Copy)]
struct Built {
    preset: &'static str,
    channels: u32,
    ports: &'static str,
}

impl Built {
    fn name(self) -> String {
        let Self { preset, channels, ports } = self;
        let s = |plural: bool| if plural { "s" } else { "" };
        format!("{preset}, {channels} channel{}, {ports} port{}", s(channels > 1), s(ports == "all"))
    }
}

/// One channel and one cycle a hop, with one port a node; the same with one for each link, the default.
const IDEAL: [Built; 2] = [
    Built { preset: "ideal", channels: 1, ports: "one" },
    Built { preset: "ideal", channels: 1, ports: "all" },
];

/// As many channels as CAMINOS has by default: that one, BookSim's, and that of CAMINOS, whose buffers hold packets.
const CHANNELS: [Built; 3] = [
    Built { preset: "ideal", channels: 4, ports: "one" },
    Built { preset: "booksim", channels: 4, ports: "one" },
    Built { preset: "caminos", channels: 4, ports: "one" },
];

/// Flits of a buffer in CAMINOS and here.
fn buffer(flits: u32) -> u32 {
    if flits == 1 { 8 } else { 2 * flits }
}

fn router(built: Built, work: Work) -> (Machine, Router) {
    let mut mesh = Machine::mesh([work.side, work.side]).expect("a mesh");
    if built.preset == "caminos" && work.flits > 1 {
        mesh = mesh.with_switching(Switching::CutThrough);
    }
    let mut router = Router::named(built.preset, &mesh).expect("a preset");
    let slots = match mesh.switching() {
        Switching::CutThrough => 2,
        _ if work.side > 256 => 4,
        _ => buffer(work.flits),
    };
    let settings = [
        ("buffers", slots.to_string()),
        ("virtual_channels", built.channels.to_string()),
        ("ports", built.ports.to_string()),
    ];
    for (name, value) in settings {
        router.set(name, &value).expect("a setting");
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

fn ours(built: Built, work: Work, seed: u64) -> Cost {
    let before = HEAP.current_usage();
    HEAP.reset_peak_usage();
    let (wall, start) = (Instant::now(), processor_seconds());
    let (mesh, router) = router(built, work);
    let measured = run(&mesh, &router, work, seed, 1);
    let seconds = match (start, processor_seconds()) {
        (Some(start), Some(end)) => end - start,
        _ => wall.elapsed().as_secs_f64(),
    };
    let carries = work.side > 64 || measured.undelivered == 0;
    let name = built.name();
    assert!(carries, "{name} does not carry {} flits a packet, load {}", work.flits, work.load);
    let megabytes = HEAP.peak_usage().saturating_sub(before) as f64 / 1e6;
    Cost { flit_hops: measured.flit_hops as f64, seconds, megabytes }
}

/// CAMINOS on the same work with so many channels, as a whole process, or `None` where it is not installed.
fn caminos(work: Work, channels: u32, seed: u64) -> Option<Cost> {
    let program = std::env::var("CAMINOS").unwrap_or_else(|_| "caminos".into());
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (config, results) = (folder.path().join("work.cfg"), folder.path().join("results"));
    let Work { side, flits, load, cycles } = work;
    let (buffer, output) = (buffer(flits), if flits == 1 { 4 } else { flits });
    let text = format!(
        "Configuration {{ random_seed: {seed}, warmup: 0, measured: {cycles},
            topology: Mesh {{ sides: [{side},{side}], servers_per_router: 1 }},
            traffic: HomogeneousTraffic {{ pattern: Uniform, servers: {}, load: {load}, message_size: {flits} }},
            maximum_packet_size: {flits},
            router: InputOutput {{
                virtual_channels: {channels}, virtual_channel_policies: [ EnforceFlowControl, Random ],
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
    costs.sort_by(|a, b| a.rate().total_cmp(&b.rate()));
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

/// The same mesh, load, packets, channels, buffers and ports; the routers differ as their names say, and one row of
/// ours has a port for each link. CAMINOS runs fewer cycles.
fn beside_caminos() {
    let mut table = table(
        "Beside CAMINOS: uniform traffic, one core, taking turns",
        &["work", "router", "Mflit-hops/s", "times CAMINOS", "peak MB"],
    );
    let works = [
        (16, 1, 0.075, 40_000, 4000),
        (16, 16, 0.075, 40_000, 8000),
        (64, 1, 0.019, 4000, 200),
        (64, 16, 0.019, 4000, 400),
    ];
    for (side, flits, load, cycles, fewer) in works {
        let work = Work { side, flits, load, cycles };
        for (channels, routers) in [(1, &IDEAL[..]), (4, &CHANNELS[..])] {
            let mut theirs = Vec::new();
            let mut costs = vec![Vec::new(); routers.len()];
            for seed in 1..=ROUNDS as u64 {
                theirs.extend(caminos(Work { cycles: fewer, ..work }, channels, seed));
                for (costs, &built) in costs.iter_mut().zip(routers) {
                    costs.push(ours(built, work, seed));
                }
            }
            let title = format!("{side}x{side}, {flits} flits, load {load}");
            let theirs = (!theirs.is_empty()).then(|| median(theirs));
            let row = match &theirs {
                Some(cost) => {
                    [format!("{:.2}", cost.rate()), "1".into(), format!("{:.0} (process)", cost.megabytes)]
                }
                None => ["not found".into(), String::new(), String::new()],
            };
            table.add_row([title.clone(), format!("CAMINOS, {channels} channels")].into_iter().chain(row));
            for (costs, built) in costs.into_iter().zip(routers) {
                let cost = median(costs);
                let times =
                    theirs.map_or(String::new(), |theirs| format!("{:.1}", cost.rate() / theirs.rate()));
                let memory = format!("{:.1} (heap)", cost.megabytes);
                table.add_row([title.clone(), built.name(), format!("{:.2}", cost.rate()), times, memory]);
            }
        }
    }
    println!("{table}");
}

/// Four sizes at 30 % of the bisection bound, with the rate beside that of 64x64. On the largest mesh packets do not
/// come out before the interval ends: most of its routers are idle.
fn growth() {
    let header = ["mesh", "router", "flits", "Mflit-hops/s", "of 64x64", "peak MB", "bytes a router"];
    let mut table = table("Growth: 30 % of the bisection bound, one core", &header);
    for built in IDEAL.into_iter().chain([CHANNELS[0]]) {
        for flits in [1, 16] {
            let mut usual = None;
            for (side, cycles) in [(64u32, 4000u64), (16, 40_000), (256, 600), (1024, 60)] {
                if side > 256 && built.channels > 1 {
                    continue;
                }
                let work = Work::a_third(side, flits, cycles);
                let rounds = if side > 64 { 1 } else { ROUNDS as u64 };
                let cost = median((1..=rounds).map(|seed| ours(built, work, seed)).collect());
                let usual = *usual.get_or_insert(cost.rate());
                table.add_row([
                    format!("{side}x{side}"),
                    built.name(),
                    flits.to_string(),
                    format!("{:.2}", cost.rate()),
                    format!("{:.2}", cost.rate() / usual),
                    format!("{:.1}", cost.megabytes),
                    format!("{:.0}", cost.megabytes * 1e6 / f64::from(side * side)),
                ]);
            }
        }
    }
    println!("{table}");
}

/// One and two threads on 256x256: the same bytes; times on the wall.
fn threads() {
    let mut table =
        table("Threads: 256x256, 30 % load, time on the wall", &["router", "threads", "ms", "speed-up"]);
    let work = Work::a_third(256, 1, 300);
    for built in IDEAL {
        let (mesh, router) = router(built, work);
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
            let row = [built.name(), threads.to_string()];
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
    for built in IDEAL {
        let cost = ours(built, work, 1);
        let memory = format!("{:.0}", cost.megabytes);
        table.add_row(["1024x1024".to_string(), built.name(), format!("{:.2}", cost.rate()), memory]);
    }
    println!("{table}");
}

/// Ten loads, each with its 95 % interval, two at a time.
fn curve() {
    let header = ["mesh", "router", "ms on the wall", "widest interval"];
    let mut table = table("A curve of ten loads with 95 % intervals, two threads, 1-flit packets", &header);
    for built in [IDEAL[0], CHANNELS[1]] {
        let start = Instant::now();
        let halves = [0, 1].map(|offset| {
            std::thread::spawn(move || {
                let point = |index: u32| {
                    let load = 0.02 * f64::from(index + 1);
                    let work = Work { side: 16, flits: 1, load, cycles: 5000 };
                    let (mesh, router) = router(built, work);
                    let latencies = run(&mesh, &router, work, 1, 1).latencies;
                    latencies.ci95().expect("thirty batches") / latencies.mean()
                };
                (0..10).filter(|index| index % 2 == offset).map(point).fold(0.0, f64::max)
            })
        });
        let widest = halves.map(|half| half.join().expect("no panic")).into_iter().fold(0.0, f64::max);
        let time = format!("{:.0}", start.elapsed().as_secs_f64() * 1e3);
        table.add_row(["16x16".to_string(), built.name(), time, format!("± {:.1} %", widest * 100.0)]);
    }
    println!("{table}");
}
