//! What the machine that was asked for does less than that of the fluid optimum, and what messages cost on it.

use meshwright_core::words::short;
use meshwright_load::Problem;
use meshwright_load::lp::{Duplex, Variant};
use meshwright_load::optimum::{Paid, StartupBound, with_startup};
use meshwright_network::topology::{PortModel, Switching};
use meshwright_schedule::Schedule;

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
        let Variant { ports, front_end, results, duplex } = self.variant;
        let mut words = Vec::new();
        if ports == PortModel::One {
            words.push("one port".to_string());
        }
        if !front_end {
            words.push("no front end".to_string());
        }
        if results > 0.0 {
            words.push(format!("results {} times the load", short(results)));
        }
        if duplex == Duplex::Half {
            words.push("half duplex".to_string());
        }
        words.join(", ")
    }

    /// Why a schedule, whose results come back as messages, is none of this machine; none if it is.
    ///
    /// The referee knows nodes with one port, out and in. It knows neither wires whose directions share their time nor
    /// processors that stand still while messages come and go: such schedules must not use what they have not.
    pub(super) fn misfit(&self, schedule: &Schedule) -> Option<String> {
        let Variant { ports, front_end, duplex, .. } = self.variant;
        let messages = schedule.messages();
        if messages.is_empty() || (front_end && duplex == Duplex::Full) {
            return None;
        }
        if !front_end {
            return Some("no schedule of messages is made for nodes without a front end".to_string());
        }
        if ports == PortModel::One {
            return Some("no schedule of messages is made for one port and half duplex together".to_string());
        }
        let mut ways: Vec<_> = messages.iter().map(|message| (message.source, message.target)).collect();
        ways.sort_unstable();
        ways.dedup();
        let is_twice = |&(from, to): &(_, _)| ways.binary_search(&(to, from)).is_ok();
        ways.iter().any(is_twice).then(|| {
            "its messages use both directions of a wire, which half duplex does not have at a time"
                .to_string()
        })
    }
}
