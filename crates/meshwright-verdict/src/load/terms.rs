//! What the machine that was asked for does less than that of the fluid optimum, and what messages cost on it.

use meshwright_core::error::Result;
use meshwright_core::words::short;
use meshwright_load::Problem;
use meshwright_load::installments::Scale;
use meshwright_load::lp::{Duplex, Ports, Variant};
use meshwright_load::optimum::{Paid, StartupBound, with_startup};
use meshwright_network::topology::{Endpoints, Machine, Switching};

/// The machine of a problem whose cycles are parts of w Tcp, and the bytes of the load: what messages cost there is the
/// sigma of the problem and this start-up, in units of w Tcp, whatever they cost on the machine itself.
///
/// # Errors
///
/// As for [`Scale::costs_of`].
pub fn in_units(problem: &Problem<'_>, startup: f64) -> Result<(Machine, u64)> {
    let (costs, bytes) = Scale::costs_for(problem, startup)?;
    let machine = problem.machine().clone().with_costs(costs)?.with_endpoints(Endpoints::default())?;
    Ok((machine.with_switching(Switching::StoreAndForward).with_clock(None), bytes))
}

/// Where a message pays its start-up.
pub(super) fn paid(switching: Switching) -> Paid {
    match switching {
        Switching::Wormhole | Switching::CutThrough => Paid::Once,
        Switching::StoreAndForward => Paid::EveryHop,
    }
}

/// On which terms a load is divided: ports, front ends, results, wires, and the start-up of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Terms {
    /// What nodes and wires do at a time, and what comes back.
    pub variant: Variant,
    /// The start-up of a message over one link, in units of w Tcp.
    pub startup: f64,
}

impl Terms {
    /// Whether nothing is asked beyond the fluid optimum.
    pub(super) fn is_plain(&self) -> bool {
        self.variant == Variant::default() && self.startup == 0.0
    }

    /// What start-ups say, where that is more than `least`, a bound without them.
    pub(super) fn startup_bound(
        &self,
        problem: &Problem<'_>,
        paid: Paid,
        least: f64,
    ) -> Option<StartupBound> {
        let bound = (self.startup > 0.0).then(|| with_startup(problem, self.startup, paid));
        bound.filter(|bound| bound.makespan > least)
    }

    /// What sets the machine apart, as in `one port, half duplex`.
    pub(super) fn limits(&self) -> String {
        let Variant { ports, front_end, results, home, memory, duplex } = self.variant;
        let mut words = Vec::new();
        match ports {
            Ports::All => {}
            Ports::ONE => words.push("one port".to_string()),
            Ports::Few(ports) => words.push(format!("{ports} ports")),
        }
        if !front_end {
            words.push("no front end".to_string());
        }
        if results > 0.0 {
            let home = home.map_or(String::new(), |home| format!(" for node {home}"));
            words.push(format!("results {} times the load{home}", short(results)));
        }
        if duplex == Duplex::Half {
            words.push("half duplex".to_string());
        }
        if let Some(memory) = memory {
            words.push(format!("room for {} of the load", short(memory)));
        }
        words.join(", ")
    }
}
