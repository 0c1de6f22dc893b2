use meshwright::Machine;
use meshwright::sim::flit::{self, Router};
use meshwright::sim::traffic::{OpenLoop, Pattern};
fn main() -> meshwright::Result<()> {
    let text = std::fs::read_to_string("tests/golden/network.json").unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let only = std::env::args().nth(1).unwrap_or("booksim2".into());
    for point in value["points"].as_array().unwrap() {
        let sim = point["sim"].as_str().unwrap();
        if sim != only {
            continue;
        }
        let k = point["k"].as_u64().unwrap();
        let mesh = Machine::new(&format!("mesh:{k}x{k}"))?;
        let preset = match sim {
            "booksim2" => "booksim",
            "caminos" => "caminos",
            "cnsim" => "cnsim",
            _ => continue,
        };
        let mut router = Router::preset(preset, &mesh)?;
        let v = point["V"].as_u64().unwrap();
        let b = point["buf"].as_u64().unwrap();
        router.set("virtual_channels", &v.to_string())?;
        router.set("buffers", &b.to_string())?;
        if point["pipe"].as_str().unwrap() == "rd0+spec" {
            router.set("routing_delay", "0")?;
            router.set("speculative", "1")?;
        }
        let pattern = match point["pattern"].as_str().unwrap() {
            "uniform" if sim == "booksim2" => "uniform-with-self",
            "uniform" => "uniform",
            _ => "transpose",
        };
        let load = point["offered"].as_f64().unwrap();
        let packet = point["L"].as_u64().unwrap() as u32;
        let start = std::time::Instant::now();
        let (warm, meas) = if k == 64 { (2000, 3000) } else { (6000, 30000) };
        let open = OpenLoop {
            pattern: Pattern::new(pattern, &mesh)?,
            load,
            packet,
            warm_up: warm,
            measure: meas,
            drain: 20000,
            seed: 1,
        };
        let m = flit::run_traffic(&mesh, &router, &open, 1)?;
        let s = start.elapsed().as_secs_f64();
        let plat = point["plat"].as_f64().unwrap();
        println!(
            "{sim} {:9} {:10} k{k} V{v} L{packet:<2} b{b} load {load:<6} acc {:.4} ours {:.4}  lat {plat:9.3} ours {:9.3} ({:+.2} %) T0 {:.2} {} {:.1} Mfh/s",
            point["pattern"].as_str().unwrap(),
            point["pipe"].as_str().unwrap(),
            point["accepted"].as_f64().unwrap(),
            m.accepted,
            m.latencies.mean(),
            (m.latencies.mean() / plat - 1.) * 100.,
            router.zero_load(&mesh, 0, packet as u64) as f64,
            if m.saturated { "SAT" } else { "" },
            m.flit_hops as f64 / s / 1e6
        );
        if let Some(d) = m.deadlock {
            println!("DEADLOCK {d:?}");
        }
    }
    Ok(())
}
