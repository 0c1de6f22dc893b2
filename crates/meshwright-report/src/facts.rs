//! The machine in a dozen facts.

use serde::Serialize;

use super::PlanReport;
use super::wording::{counted, node};
use meshwright_core::words::{self, grouped};
use meshwright_load::lp::Ports;
use meshwright_network::topology::{Machine, Switching, Topology};
use meshwright_verdict::JobVerdict;

/// More dead nodes or links than this are counted, not named.
const DEAD_NAMED_MAX: usize = 8;

/// A name, its value and what the value is measured in or means.
#[derive(Serialize)]
pub struct Fact {
    name: &'static str,
    value: String,
    note: String,
}

impl Fact {
    pub fn new(name: &'static str, value: impl ToString, note: &str) -> Self {
        Self { name, value: value.to_string(), note: note.to_string() }
    }
}

/// What the page says about the machine, in the order of the page.
pub fn facts(report: &PlanReport<'_>) -> Vec<Fact> {
    let machine = report.machine;
    let costs = machine.costs();
    let fact = |name, value: String, note: &str| Fact::new(name, value, note);
    let ports = match ports(report) {
        Ports::All => ("all-port".to_string(), "one message per link at a time".to_string()),
        Ports::ONE => ("one-port".to_string(), "one message in, one out at a time".to_string()),
        Ports::Few(ports) => {
            (format!("{ports} ports"), format!("{ports} messages in, {ports} out at a time"))
        }
    };
    let (startup, flit) = (counted(costs.startup.0, "cycle"), counted(costs.flit.0, "byte"));
    let clock = machine.seconds(1.0).map(|cycle| fact("Cycle", words::seconds(cycle), "by the clock"));
    let all = [
        fact("Topology", machine.name().to_string(), ""),
        fact("Nodes", grouped(machine.nodes().into()), ""),
        fact("Dead nodes", grouped(machine.dead().len() as u64), &dead_names(machine)),
        fact("Dead links", grouped(machine.dead_links().len() as u64), &dead_link_names(machine)),
        fact("Switching", machine.switching().name().to_string(), ""),
        fact("Ports", ports.0, &ports.1),
        fact("Start-up c", startup, "per message"),
        fact("Byte time b", costs.byte_time.to_string(), "cycles per byte"),
        fact("Head flit h", flit, "ahead of the message"),
        fact("Seed", report.seed.to_string(), "of every random choice"),
    ];
    // What the machine has not, and what plays no part, is not shown.
    let sends_heads = machine.switching() != Switching::StoreAndForward;
    let is_shown = |fact: &Fact| match fact.name {
        "Dead nodes" => !machine.dead().is_empty(),
        "Dead links" => !machine.dead_links().is_empty(),
        "Head flit h" => sends_heads,
        _ => true,
    };
    all.into_iter().filter(is_shown).chain(clock).collect()
}

/// The ports of the machine, or those that a single load asks for.
fn ports(report: &PlanReport<'_>) -> Ports {
    match report.jobs {
        [JobVerdict::Load(load)] => load.facts.further.variant.as_ref().map(|variant| variant.ports),
        _ => None,
    }
    .unwrap_or(report.machine.port_model().into())
}

fn dead_names(machine: &Machine) -> String {
    listed(machine.dead().iter().map(|&dead| node(machine, dead)))
}

fn dead_link_names(machine: &Machine) -> String {
    listed(machine.dead_links().iter().map(|&(a, b)| format!("{}–{}", node(machine, a), node(machine, b))))
}

/// The first few names, and a sign that there are more.
fn listed(names: impl ExactSizeIterator<Item = String>) -> String {
    let more = if names.len() > DEAD_NAMED_MAX { " …" } else { "" };
    format!("{}{more}", names.take(DEAD_NAMED_MAX).collect::<Vec<_>>().join(" "))
}
