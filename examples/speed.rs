use meshwright::Machine;
use meshwright::sim::flit::{self, Router};
use meshwright::sim::traffic::{OpenLoop, Pattern};
fn main() -> meshwright::Result<()> {
    let a: Vec<String> = std::env::args().collect();
    let get = |i: usize, d: &str| a.get(i).cloned().unwrap_or(d.into());
    let mesh = Machine::new(&get(1, "mesh:16x16"))?;
    let mut router = Router::preset(&get(2, "booksim"), &mesh)?;
    let packet: u32 = get(3, "1").parse().unwrap();
    let load: f64 = get(4, "0.075").parse().unwrap();
    let cycles: u64 = get(5, "100000").parse().unwrap();
    let threads: usize = get(6, "1").parse().unwrap();
    for s in a.iter().skip(7) {
        let (k, v) = s.split_once('=').unwrap();
        router.set(k, v)?;
    }
    let open = OpenLoop {
        pattern: Pattern::new("uniform", &mesh)?,
        load,
        packet,
        warm_up: 1000,
        measure: cycles,
        drain: 20000,
        seed: 1,
    };
    let start = std::time::Instant::now();
    let m = flit::run_traffic(&mesh, &router, &open, threads)?;
    let s = start.elapsed().as_secs_f64();
    println!(
        "{:.3} s {:.2} Mfh/s {:.0} cycles/s lat {:.3} acc {:.4} sat {}",
        s,
        m.flit_hops as f64 / s / 1e6,
        m.cycles as f64 / s,
        m.latencies.mean(),
        m.accepted,
        m.saturated
    );
    Ok(())
}
