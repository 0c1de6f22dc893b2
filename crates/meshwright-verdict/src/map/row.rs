//! One placement under every switching: formulas, and what the referee that fits measures.

use super::form::{BySwitching, Levels, MapRow, Positions, SWITCHINGS};
use super::{Limits, in_cycles, in_weights, phases};
use crate::axes;
use crate::measure::{self, Measured};
use crate::{Job, LinkUse, LinkWait, MappingOutcome, gap};
use meshwright_core::error::Result;
use meshwright_core::words::grouped;
use meshwright_mapping::times::{Times, times};
use meshwright_mapping::{Placement, bound, exact};
use meshwright_network::topology::{Machine, Switching};
use meshwright_schedule::cost::LinkLoads;
use meshwright_sim::fitting::{self, FLIT_HOPS_MAX, Fitted, Routers};
use meshwright_sim::link_use::{self, Way};

/// Of several placements those are not simulated whose messages cross more links: some ten seconds for each switching.
const HOPS_MAX: u64 = 1 << 26;

/// What all rows have in common.
pub(super) struct Table<'a> {
    pub(super) job: &'a Job,
    pub(super) machine: &'a Machine,
    /// What is simulated.
    pub(super) switchings: &'a [Switching],
    pub(super) weights: &'a [f64],
    pub(super) limits: &'a BySwitching<Limits>,
    /// Whether this is the only placement, which is simulated however long it takes.
    pub(super) is_only: bool,
}

/// What needs no simulation: the figures under the switching with this index, and the loads of the usual routes.
struct Figures<'a> {
    measured: &'a Measured<'a>,
    index: usize,
    loads: &'a LinkLoads,
}

/// What is known of a placement under one switching.
struct SwitchingRun {
    levels: Levels,
    routers: Option<Routers>,
    busiest: Option<LinkUse>,
    waited: Option<LinkWait>,
    reason: Option<String>,
}

impl Table<'_> {
    /// A placement under every switching; `judged` is what was measured under the machine's own. With it why it was not
    /// simulated, where that would take long.
    pub(super) fn row(
        &self,
        placement: Placement,
        judged: Option<&MappingOutcome>,
        progress: &mut dyn FnMut(&str),
    ) -> Result<(MapRow, Option<String>)> {
        let Self { job, machine, switchings, weights, limits, is_only } = *self;
        let further = switchings.iter().copied().filter(|one| !SWITCHINGS.contains(one));
        let all: Vec<Switching> = SWITCHINGS.into_iter().chain(further).collect();
        let measured = measure::measure(&job.tasks, &placement, machine, &all)?;
        let index = |switching| all.iter().position(|&one| one == switching).expect("it was asked for");
        let scale = scale(&measured, weights);
        let time = BySwitching::each(switchings, |switching| {
            let exact = in_cycles(machine, measured.total(index(switching), |known| known.predicted));
            times(switching, &measured.metrics, &scale, exact)
        });
        let loads = measured.loads(machine);
        let hops = measured.hops_run();
        let is_long = hops > HOPS_MAX && !switchings.is_empty();
        let runs = |switching: Switching| switchings.contains(&switching) && (is_only || !is_long);
        let left_out = (is_long && !is_only && judged.is_none()).then(|| {
            let hops = grouped(hops);
            format!("it is priced by formulas only, as its messages cross {hops} links; named alone it is simulated")
        });
        if is_long && is_only {
            progress(&format!("{}: {} links are crossed", placement.name, grouped(hops)));
        }
        let ran = BySwitching::try_each(switchings, |switching| {
            let on = machine.clone().with_switching(switching);
            let known = Figures { measured: &measured, index: index(switching), loads: &loads };
            match judged.filter(|_| switching == machine.switching()) {
                Some(outcome) => taken_over(&on, &known, outcome),
                None if runs(switching) => run(&on, &known),
                None => Ok(formulas(&on, &known)),
            }
        })?;
        let bound = limits.map(|limits| machine.costs().cycles(limits.bound.ticks).0);
        let row = MapRow {
            slowdown: BySwitching::each(switchings, |switching| {
                time.of(switching).over(&perfect(job, machine, switching, weights))
            }),
            bound: limits.map(|limits| limits.times),
            phases: phases(job, &measured, weights, &scale),
            hops_total: measured.hops_total(),
            proved: job.proved.clone().filter(|_| placement.name == exact::NAME),
            axes: axes::words(&placement.name, job.axes.as_deref()).map(ToString::to_string),
            name: placement.name,
            positions: Positions { nodes: placement.nodes, network: machine.network().clone() },
            simulated_cycles: ran.map(|ran| ran.levels.simulated),
            engine: ran.map(|ran| fitting::engine_name(ran.routers.as_ref())),
            routers: ran.map(|ran| ran.routers.clone()),
            busiest_link: ran.map(|ran| ran.busiest),
            waited_link: ran.map(|ran| ran.waited),
            reason: BySwitching::each(switchings, |switching| {
                let ran = ran.of(switching);
                let own = || why(*bound.of(switching), &ran.levels, ran.waited.as_ref(), machine);
                ran.reason.clone().or_else(own)
            }),
            levels: ran.map(|ran| ran.levels),
            gap: BySwitching::each(switchings, |switching| {
                let simulated = ran.of(switching).levels.simulated?;
                Some(gap(*bound.of(switching), simulated))
            }),
            time,
        };
        Ok((row, left_out))
    }
}

/// The weight of a byte in each phase.
fn scale(measured: &Measured<'_>, weights: &[f64]) -> Vec<f64> {
    let heaviest = measured.metrics.iter().map(|metrics| metrics.heaviest.0 as f64);
    let of_byte = |(heaviest, weight): (f64, &f64)| if heaviest == 0.0 { 0.0 } else { weight / heaviest };
    heaviest.zip(weights).map(of_byte).collect()
}

/// The times of the perfect mapping.
fn perfect(job: &Job, machine: &Machine, switching: Switching, weights: &[f64]) -> Times {
    let phase = |index| bound::phase_ticks(&job.tasks, index, switching, machine.costs());
    let exact = in_cycles(machine, (0..job.tasks.phases()).map(phase).sum());
    Times::without_contention(job.tasks.phases_total() as f64, in_weights(&job.tasks, weights), exact)
}

/// The figures that need no simulation; the index is that of the machine's switching.
fn levels(machine: &Machine, measured: &Measured<'_>, index: usize) -> Levels {
    Levels {
        alone: in_cycles(machine, measured.total(index, |known| known.alone)),
        link: in_cycles(machine, measured.total(index, |known| known.link)),
        path: in_cycles(machine, measured.total(index, |known| known.path)),
        simulated: None,
    }
}

/// A switching that nobody asked to simulate.
fn formulas(machine: &Machine, known: &Figures<'_>) -> SwitchingRun {
    SwitchingRun {
        levels: levels(machine, known.measured, known.index),
        routers: None,
        busiest: link_use::busiest_link(known.loads, machine),
        waited: None,
        reason: None,
    }
}

/// What a verdict under this switching says already.
fn taken_over(machine: &Machine, known: &Figures<'_>, outcome: &MappingOutcome) -> Result<SwitchingRun> {
    let mut levels = on_way(machine, known, outcome.detail.routers.as_ref())?.0;
    levels.simulated = outcome.simulated_cycles;
    Ok(SwitchingRun {
        levels,
        routers: outcome.detail.routers.clone(),
        busiest: outcome.busiest_link,
        waited: outcome.waited_link,
        reason: None,
    })
}

/// Runs it.
fn run(machine: &Machine, known: &Figures<'_>) -> Result<SwitchingRun> {
    let fitted = fitting::simulate(machine, &known.measured.routed(), FLIT_HOPS_MAX)?;
    let (mut levels, busiest) = on_way(machine, known, fitted.routers.as_ref())?;
    let reason = measure::deadlock_sentence(machine, &fitted);
    let Fitted { trace, routers, .. } = fitted;
    levels.simulated = reason.is_none().then_some(trace.cycles.0);
    let waited = link_use::blame(&trace, machine).filter(|_| reason.is_none());
    Ok(SwitchingRun { levels, routers, busiest, waited, reason })
}

/// The figures on the routes of these routers, or of whole messages.
fn on_way(
    machine: &Machine,
    known: &Figures<'_>,
    routers: Option<&Routers>,
) -> Result<(Levels, Option<LinkUse>)> {
    let way = Way::of(machine, routers)?;
    if !way.is_other() {
        let levels = levels(machine, known.measured, known.index);
        return Ok((levels, link_use::busiest_link(known.loads, machine)));
    }
    let schedule = &known.measured.schedule;
    let again = measure::along(schedule.clone(), machine, &[machine.switching()], &way)?;
    Ok((levels(machine, &again, 0), link_use::busiest_link(&again.loads(machine), machine)))
}

/// What a simulated time is made of, in a clause.
fn why(bound: u64, levels: &Levels, waited: Option<&LinkWait>, machine: &Machine) -> Option<String> {
    let simulated = levels.simulated?;
    let above = |level: f64| simulated as f64 > level.ceil();
    Some(match waited {
        _ if simulated <= bound => "it meets the bound".to_string(),
        _ if !above(levels.alone) => {
            "nobody waits: the longest message on its way is what takes the time".to_string()
        }
        _ if !above(levels.link) => "the busiest links are what takes the time".to_string(),
        Some(_) => "messages wait for others that wait themselves".to_string(),
        None if machine.fabric().is_some() => {
            "ports, links slower than the fastest and the way to go are what takes the time".to_string()
        }
        None if !machine.endpoints().is_free() => {
            "nodes that send or receive one message after the other are what takes the time".to_string()
        }
        None => "messages wait for ports".to_string(),
    })
}
