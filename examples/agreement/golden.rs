//! The reference points of `tests/golden/network.json`.

use meshwright_core::Result;
use meshwright_network::topology::{Machine, Switching};
use meshwright_sim::flit::Router;
use meshwright_sim::traffic::Pattern;
use serde_json::Value;

/// One run of another simulator.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Point {
    pub(crate) simulator: String,
    pub(crate) pattern: String,
    pub(crate) pipe: String,
    pub(crate) side: u32,
    pub(crate) channels: u32,
    pub(crate) buffer: u32,
    pub(crate) flits: u32,
    pub(crate) cycles: u64,
    pub(crate) offered: f64,
    pub(crate) accepted: f64,
    pub(crate) latency: f64,
    pub(crate) hops: f64,
}

/// All points of a simulator, each once.
pub(crate) fn points(simulator: &str) -> Vec<Point> {
    let value: Value = serde_json::from_str(include_str!("../../tests/golden/network.json")).expect("JSON");
    let mut points: Vec<Point> = Vec::new();
    for entry in value["points"].as_array().expect("a list of points") {
        let text = |key: &str| entry[key].as_str().expect("a word").to_string();
        let count = |key: &str| entry[key].as_u64().expect("a whole number");
        let number = |key: &str| entry[key].as_f64().expect("a number");
        if text("sim") != simulator {
            continue;
        }
        let point = Point {
            simulator: text("sim"),
            pattern: text("pattern"),
            pipe: text("pipe"),
            side: count("k") as u32,
            channels: count("V") as u32,
            buffer: count("buf") as u32,
            flits: count("L") as u32,
            cycles: count("cycles"),
            offered: number("offered"),
            accepted: number("accepted"),
            latency: number("plat"),
            hops: number("hops"),
        };
        if !points.contains(&point) {
            points.push(point);
        }
    }
    points
}

impl Point {
    /// The mesh, the router and the pattern of this point, for our engine.
    pub(crate) fn set_up(&self) -> Result<(Machine, Router, Pattern)> {
        let mut mesh = Machine::mesh([self.side, self.side])?;
        let preset = if self.simulator == "booksim2" { "booksim" } else { &self.simulator };
        // CAMINOS and CNSim move packets whole: their buffers are counted in packets.
        let mut slots = self.buffer;
        if self.simulator != "booksim2" {
            mesh = mesh.with_switching(Switching::CutThrough);
            slots /= self.flits;
        }
        let mut router = Router::named(preset, &mesh)?;
        router.set("virtual_channels", &self.channels.to_string())?;
        router.set("buffers", &slots.to_string())?;
        if self.pipe == "rd0+spec" {
            router.set("routing_delay", "0")?;
            router.set("speculative", "1")?;
        }
        let pattern = match (self.pattern.as_str(), self.simulator.as_str()) {
            ("uniform", "booksim2") => "uniform-with-self",
            ("uniform", _) => "uniform",
            _ => "transpose",
        };
        Ok((mesh.clone(), router, Pattern::new(pattern, &mesh)?))
    }

    /// The measured window of a BookSim run, in cycles.
    ///
    /// Only the length of the whole run was noted: warm-up, window and drain. The window is the one that fits it
    /// and makes the accepted load a whole number of flits.
    pub(crate) fn window(&self) -> u64 {
        match self.cycles {
            60_000.. => 30_000,
            12_000.. => 6_000,
            4_000.. if self.side < 64 => 3_000,
            _ => 1_200,
        }
    }

    /// Cycles of zero-load latency that one more link costs.
    pub(crate) fn hop_cycles(&self) -> f64 {
        match (self.simulator.as_str(), self.pipe.as_str()) {
            ("booksim2", "rd0+spec") => 3.0,
            ("booksim2", _) => 5.0,
            ("cnsim", _) => 4.0,
            _ => 1.0,
        }
    }

    /// The zero-load latency at a mean distance, by the formula of the simulator.
    pub(crate) fn zero_load(&self, hops: f64) -> f64 {
        let flits = f64::from(self.flits);
        let ends = match (self.simulator.as_str(), self.pipe.as_str()) {
            ("booksim2", "rd0+spec") => 5.0 + flits - 1.0,
            ("booksim2", _) => 7.0 + flits - 1.0,
            ("cnsim", _) => flits.max(2.0),
            _ => 2.0 + flits - 1.0,
        };
        ends + self.hop_cycles() * hops
    }
}
