//! Schedules in which nobody waits take what LogGP says: a recurrence of its own beside both engines.

use meshwright_core::units::{Bytes, Cycles, LinkId, NodeId, Ratio};
use meshwright_network::routing;
use meshwright_network::topology::{Machine, Switching, Topology};
use meshwright_schedule::goal;
use meshwright_sim as sim;
use meshwright_sim::Trace;
use meshwright_sim::flit::Router;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// One step: what it does, where, and the steps of the same rank it waits for (their start only, if so said).
struct Step {
    rank: u32,
    act: Act,
    after: Vec<(usize, bool)>,
}

#[derive(Clone, Copy)]
enum Act {
    Calc(u64),
    Send { to: u32, bytes: u64, tag: usize },
    Recv { from: u32, bytes: u64, tag: usize },
}

/// The parameters of LogGP, in cycles.
struct LogGp {
    switching: Switching,
    o: u64,
    /// G: one byte; and what a link adds.
    per_byte: Ratio,
    per_link: u64,
}

impl LogGp {
    fn of(machine: &Machine) -> Self {
        let costs = machine.costs();
        let per_link = costs.flit.0 * costs.byte_time.numerator() / costs.byte_time.denominator();
        Self { switching: machine.switching(), o: costs.startup.0, per_byte: costs.byte_time, per_link }
    }

    fn bytes(&self, bytes: u64) -> u64 {
        let product = bytes * self.per_byte.numerator();
        assert_eq!(product % self.per_byte.denominator(), 0, "the test asks for whole cycles");
        product / self.per_byte.denominator()
    }

    /// From the start of a send to its end, and to the arrival of its last byte.
    fn message(&self, bytes: u64, hops: u64) -> (u64, u64) {
        let long = self.bytes(bytes);
        match self.switching {
            Switching::StoreAndForward => (self.o + long, hops * (self.o + long)),
            _ => (self.o + self.per_link + long, self.o + hops * self.per_link + long),
        }
    }
}

/// The end of everything, and the latency of each message by rank and step of its send.
fn recurrence(machine: &Machine, steps: &[Step]) -> (u64, Vec<u64>) {
    let law = LogGp::of(machine);
    let (mut start, mut end) = (vec![0; steps.len()], vec![0; steps.len()]);
    let (mut arrival, mut latency) = (vec![0; steps.len()], Vec::new());
    for (index, step) in steps.iter().enumerate() {
        let met = |&(on, start_only): &(usize, bool)| if start_only { start[on] } else { end[on] };
        start[index] = step.after.iter().map(met).max().unwrap_or(0);
        end[index] = match step.act {
            Act::Calc(cycles) => start[index] + cycles,
            Act::Send { to, bytes, tag } => {
                let hops = machine.distance(NodeId(step.rank), NodeId(to)).unwrap().0;
                let (sent, arrived) = law.message(bytes, u64::from(hops));
                arrival[tag] = start[index] + arrived;
                latency.push((step.rank, index, arrived));
                start[index] + sent
            }
            Act::Recv { tag, .. } => start[index].max(arrival[tag]),
        };
    }
    latency.sort_unstable();
    (end.into_iter().max().unwrap_or(0), latency.into_iter().map(|(_, _, ticks)| ticks).collect())
}

/// The schedule as GOAL text.
fn text(ranks: u32, steps: &[Step]) -> String {
    let mut text = format!("num_ranks {ranks}\n");
    for rank in 0..ranks {
        let own = || steps.iter().enumerate().filter(|(_, step)| step.rank == rank);
        text += &format!("rank {rank} {{\n");
        for (index, step) in own() {
            text += &match step.act {
                Act::Calc(cycles) => format!("l{index}: calc {cycles}\n"),
                Act::Send { to, bytes, tag } => format!("l{index}: send {bytes}b to {to} tag {tag}\n"),
                Act::Recv { from, bytes, tag } => format!("l{index}: recv {bytes}b from {from} tag {tag}\n"),
            };
        }
        for (index, step) in own() {
            for &(on, start_only) in &step.after {
                let word = if start_only { "irequires" } else { "requires" };
                text += &format!("l{index} {word} l{on}\n");
            }
        }
        text += "}\n";
    }
    text
}

/// Random schedules of one machine.
struct Maker<'m> {
    machine: &'m Machine,
    rng: ChaCha8Rng,
    steps: Vec<Step>,
    used: Vec<LinkId>,
}

impl Maker<'_> {
    fn new(machine: &Machine, seed: u64) -> Maker<'_> {
        let rng = meshwright_core::rng::stream(seed, "schedules without contention");
        Maker { machine, rng, steps: Vec::new(), used: Vec::new() }
    }

    fn node(&mut self) -> u32 {
        self.rng.random_range(0..self.machine.nodes())
    }

    /// The earlier steps of a rank it might wait for.
    fn some_of(&mut self, rank: u32) -> Vec<(usize, bool)> {
        let own: Vec<usize> = (0..self.steps.len()).filter(|&step| self.steps[step].rank == rank).collect();
        own.into_iter()
            .filter_map(|step| match self.rng.random_range(0..4) {
                0 => Some((step, self.rng.random_bool(0.3))),
                1 | 2 => Some((step, false)),
                _ => None,
            })
            .collect()
    }

    fn push(&mut self, rank: u32, act: Act, after: Vec<(usize, bool)>) {
        self.steps.push(Step { rank, act, after });
    }

    /// A whole number of flit times, so that the flit engine loses nothing to rounding.
    fn calc(&mut self, rank: u32) {
        let mut after = self.some_of(rank);
        let is_calc = |step: &Step| step.rank == rank && matches!(step.act, Act::Calc(_));
        // One processor: computations of a rank come one after the other.
        if let Some(last) = self.steps.iter().rposition(is_calc) {
            after.retain(|&(on, _)| on != last);
            after.push((last, false));
        }
        let cycles = LogGp::of(self.machine).per_link * self.rng.random_range(1..60);
        self.push(rank, Act::Calc(cycles), after);
    }

    fn message(&mut self, (from, to): (u32, u32), after: Vec<(usize, bool)>) {
        let bytes = self.machine.costs().flit.0 * self.rng.random_range(1..50);
        let tag = self.steps.len();
        self.push(from, Act::Send { to, bytes, tag }, after);
        let after = self.some_of(to);
        self.push(to, Act::Recv { from, bytes, tag }, after);
    }

    /// A message of which no link is a link of another; whether there was room for it.
    fn apart(&mut self) -> bool {
        let (from, to) = (self.node(), self.node());
        let pair = (NodeId(from), NodeId(to));
        let mut links = Vec::new();
        let routes = routing::routes(self.machine, &[pair]).unwrap();
        routes.for_each_link(0, pair, |link| links.push(link));
        if from == to || links.iter().any(|link| self.used.contains(link)) {
            return false;
        }
        self.used.extend(links);
        let after = self.some_of(from);
        self.message((from, to), after);
        true
    }

    /// Trees and meshes of waiting, no two messages on one link.
    fn forest(mut self) -> Vec<Step> {
        for _ in 0..4 * self.machine.nodes() {
            if self.rng.random_bool(0.3) {
                let rank = self.node();
                self.calc(rank);
            } else {
                self.apart();
            }
        }
        self.steps
    }

    /// A token that wanders and computes: the same links again and again, one message at a time.
    fn chain(mut self) -> Vec<Step> {
        let mut at = self.node();
        for _ in 0..20 {
            let mut last = self.steps.len().checked_sub(1);
            if self.rng.random_bool(0.5) {
                let cycles = LogGp::of(self.machine).per_link * self.rng.random_range(1..60);
                self.push(at, Act::Calc(cycles), last.map(|on| (on, false)).into_iter().collect());
                last = Some(self.steps.len() - 1);
            }
            let to = (at + self.rng.random_range(1..self.machine.nodes())) % self.machine.nodes();
            self.message((at, to), last.map(|on| (on, false)).into_iter().collect());
            at = to;
        }
        self.steps
    }
}

/// Machines with costs such that start-ups, messages and computations are whole numbers of flit times.
fn machines() -> Vec<Machine> {
    let names = ["mesh:1x7", "mesh:4x5", "mesh:3x3x2", "torus:5x4", "torus:3x3x3", "hypercube:4"];
    let costs = [(100, Ratio::whole(1), 2), (0, Ratio::whole(1), 1), (24, Ratio::whole(3), 4)];
    let costs = costs.into_iter().chain([(6, Ratio::new(1, 4).unwrap(), 8)]);
    let machine = |name: &str, (startup, byte_time, flit)| {
        let mut machine = Machine::new(name).unwrap();
        machine = machine.with_startup(Cycles(startup)).unwrap().with_byte_time(byte_time).unwrap();
        machine = machine.with_flit(Bytes(flit)).unwrap();
        machine
    };
    costs.flat_map(|costs| names.map(|name| machine(name, costs))).collect()
}

fn check(machine: &Machine, steps: &[Step]) -> usize {
    let schedule = goal::parse(text(machine.nodes(), steps).as_bytes(), "made.goal").unwrap();
    let mut router = Router::ideal(machine);
    router.virtual_channels = 2; // date-lines of a torus
    let routers = sim::Engine::Flit(router.into());
    let (cycles, latencies) = recurrence(machine, steps);
    let scale = machine.costs().ticks_per_cycle();
    let engines: [(&str, Trace); 2] = [
        ("message", sim::simulate(machine, &schedule, &sim::Engine::Message).unwrap()),
        ("flit", sim::simulate(machine, &schedule, &routers).unwrap()),
    ];
    for (engine, trace) in engines {
        let place = format!("{engine} engine, {} {:?}", machine.name(), machine.switching());
        assert_eq!((trace.longest_wait, trace.deadlock), (None, None), "{place}");
        assert_eq!((trace.cycles, trace.ticks), (Cycles(cycles), cycles * scale), "{place}");
        let found: Vec<u64> = trace.latency_ticks.iter().map(|ticks| ticks / scale).collect();
        assert_eq!(found, latencies, "{place}");
    }
    latencies.len()
}

#[test]
fn schedules_in_which_nobody_waits_take_what_loggp_says() {
    let mut messages = 0;
    for machine in machines() {
        for switching in [Switching::Wormhole, Switching::CutThrough, Switching::StoreAndForward] {
            let machine = machine.clone().with_switching(switching);
            for seed in 0..12 {
                messages += check(&machine, &Maker::new(&machine, seed).forest());
                messages += check(&machine, &Maker::new(&machine, seed).chain());
            }
        }
    }
    assert!(messages > 20_000, "{messages} messages");
}
