//! The options of the flit engine and of open-loop traffic.

use std::num::NonZero;

use clap::Args;

use meshwright_core::{Error, Result};
use meshwright_network::topology::Machine;
use meshwright_sim::experiment::{self, Conditions, Experiment, Reference};
use meshwright_sim::flit::Router;
use meshwright_sim::traffic::OpenLoop;

use super::costs::seed;

/// The router of the flit engine.
#[derive(Args)]
pub(super) struct RouterArguments {
    /// How the routers of the flit engine are built: ideal, booksim, caminos or cnsim [default: ideal]
    #[arg(long, value_name = "NAME")]
    pub(super) router: Option<String>,
    /// A setting of the router, as virtual_channels=2; may be repeated, once for each key. sweep takes several values with commas between, as routing=odd-even,west-first, and compares them. Keys: virtual_channels, buffers, routing_delay, vc_alloc_delay, sw_alloc_delay, switch_delay, link_delay, credit_delay, injection_delay, ejection_delay, speculative (0 or 1), allocator (islip or separable), ports (one or all), routing (auto, dimension-order, yx, o1turn, valiant, min-adaptive, west-first, odd-even, rajasekaran-tsantilas, up-down, shortest-path or dimension-order-one-class)
    #[arg(long, value_name = "KEY=VALUE", value_parser = assignment)]
    pub(super) set: Vec<(String, String)>,
}

/// The settings that vary between routers, each with its value.
pub(super) type Varied = Vec<(String, String)>;

impl RouterArguments {
    /// The router.
    pub(super) fn router(&self, machine: &Machine) -> Result<Router> {
        if let Some((key, values)) = self.set.iter().find(|(_, values)| values.contains(',')) {
            let expected = "one value of each key; `sweep` compares several";
            return Err(Error::value("set", format!("`{key}={values}`"), expected));
        }
        let mut routers = self.routers(machine)?;
        Ok(routers.remove(0).1)
    }

    /// A router for each combination of the values of --set, with those of the keys that have several.
    pub(super) fn routers(&self, machine: &Machine) -> Result<Vec<(Varied, Router)>> {
        let router = Router::named(self.router.as_deref().unwrap_or("ideal"), machine)?;
        let mut routers = vec![(Varied::new(), router)];
        for (index, (key, values)) in self.set.iter().enumerate() {
            if self.set[..index].iter().any(|(earlier, _)| earlier == key) {
                let expected = "each key once; several values of a key have commas between";
                return Err(Error::value("set", format!("`{key}` twice"), expected));
            }
            let values = several(key, values)?;
            let mut with = Vec::new();
            for (varied, router) in &routers {
                for value in &values {
                    let (mut varied, mut router) = (varied.clone(), router.clone());
                    router.set(key, value)?;
                    if values.len() > 1 {
                        varied.push((key.clone(), (*value).to_string()));
                    }
                    with.push((varied, router));
                }
            }
            routers = with;
        }
        Ok(routers)
    }

    /// The option that was given, if one was.
    pub(super) fn given(&self) -> Option<(&'static str, String)> {
        let router = self.router.as_ref().map(|name| ("router", name.clone()));
        router.or_else(|| self.set.first().map(|(key, value)| ("set", format!("{key}={value}"))))
    }
}

/// Open-loop traffic, except its load.
#[derive(Args)]
pub(super) struct TrafficArguments {
    /// Flits of a packet
    #[arg(long, value_name = "FLITS", default_value_t = 1, requires = "traffic")]
    packet: u32,
    /// Cycles before the measurement
    #[arg(long, value_name = "N", default_value_t = 2_000, requires = "traffic")]
    warm_up: u64,
    /// Cycles in which created packets are measured
    #[arg(long, value_name = "N", default_value_t = 10_000, requires = "traffic")]
    measure: u64,
    /// Cycles to wait for measured packets afterwards, at most
    #[arg(long, value_name = "N", default_value_t = 10_000, requires = "traffic")]
    drain: u64,
    /// The seed of every draw: a whole number [default: 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = seed)]
    seed: Option<u64>,
    /// How many threads work; the result does not depend on it [default: one for each core]
    #[arg(long, value_name = "N", requires = "traffic", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

impl TrafficArguments {
    /// The seed of every draw.
    pub(super) fn seed(&self) -> u64 {
        self.seed.unwrap_or(0)
    }

    /// Refuses a seed where nothing is drawn.
    pub(super) fn refuse_seed(&self, expected: &str) -> Result<()> {
        self.seed.map_or(Ok(()), |seed| Err(Error::value("--seed", seed, expected)))
    }

    /// The runs of this traffic on a machine.
    pub(super) fn experiment<'m>(
        &self,
        machine: &'m Machine,
        router: Router,
        traffic: &str,
        preset: Option<&str>,
    ) -> Result<Experiment<'m>> {
        let Self { packet, warm_up, measure, drain, .. } = *self;
        let seed = self.seed();
        let pattern = experiment::pattern(traffic, preset, machine)?;
        let runs = OpenLoop { pattern, load: 1.0, packet, warm_up, measure, drain, seed };
        Experiment::new(machine, router, runs)
    }

    /// How many threads of this process work, when so many processes share the cores.
    pub(super) fn threads(&self, sharers: usize) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        self.threads.map_or((cores / sharers.max(1)).max(1), usize::from)
    }
}

/// Values with commas between, each of them once.
pub(super) fn several<'t>(what: &str, text: &'t str) -> Result<Vec<&'t str>> {
    let values: Vec<&str> = text.split(',').map(str::trim).collect();
    for (index, value) in values.iter().enumerate() {
        if value.is_empty() || values[..index].contains(value) {
            let which = if value.is_empty() { "no value between commas" } else { "a value twice" };
            let expected = format!("{what}: each value once, with one comma between two");
            return Err(Error::value("list of values", format!("`{text}` ({which})"), expected));
        }
    }
    Ok(values)
}

fn assignment(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("expected KEY=VALUE, such as virtual_channels=2")?;
    Ok((key.trim().to_string(), value.trim().to_string()))
}

/// The first line of an answer about open-loop traffic, without its end.
pub(super) fn heading(conditions: &Conditions, reference: &Reference) -> String {
    let Conditions { traffic, machine, packet, switching, seed, .. } = conditions;
    let routing = &reference.routing;
    format!(
        "{traffic} on {machine} · packets of {packet} · {switching} · {routing} · flit engine · seed {seed}"
    )
}
