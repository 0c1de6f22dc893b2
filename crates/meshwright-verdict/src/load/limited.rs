//! Machines that do less at a time: their optimum bounds every row, and its shares are one more method.

use super::answer::{Answer, Case};
use super::detail::BoundKind;
use super::feasible::SOLVER;
use super::job::Job;
use super::terms::Terms;
use super::{PROGRAMME, VariantAnswer};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_load::lp::{self, Duplex, Ports, Theorem, Variant};
use meshwright_load::optimum::Paid;
use meshwright_load::{Forwarding, Plan, Problem};
use meshwright_network::topology::{Machine, PortModel, Topology};

/// What bounds a machine whose programme is too large.
const FLOOR: &str = "at most what a machine with one of these limits alone, or a single node, allows";

/// The variant that is wanted, and whether it was asked for: a machine of one port asks by itself.
pub(super) fn variant(job: &Job, machine: &Machine) -> Option<(Variant, bool)> {
    let of_machine = Variant { ports: machine.port_model().into(), ..Variant::default() };
    let wanted = job.further.variant.unwrap_or(of_machine);
    // Nothing that comes back goes nowhere; room for all of the load, and a port for each link, limit nothing.
    let wanted = Variant {
        home: wanted.home.filter(|_| wanted.results > 0.0),
        memory: wanted.memory.filter(|&memory| memory < 1.0),
        ports: match wanted.ports {
            Ports::Few(ports) if ports >= links_at_once(machine, wanted.duplex) => Ports::All,
            ports => ports,
        },
        ..wanted
    };
    (wanted != Variant::default()).then_some((wanted, job.further.variant.is_some()))
}

/// The ports of nodes as the job has them, or the machine.
pub(super) fn port_model(job: &Job, machine: &Machine) -> PortModel {
    variant(job, machine).map_or(PortModel::All, |(variant, _)| variant.ports.model())
}

/// The most links of a node that can carry something at a time.
fn links_at_once(machine: &Machine, duplex: Duplex) -> u32 {
    let mut into = vec![0; machine.nodes() as usize];
    let mut out = vec![0; machine.nodes() as usize];
    for node in machine.living() {
        for (_, next) in machine.neighbours(node) {
            out[node.index()] += 1;
            // Of a wire whose directions take turns one counts.
            if duplex == Duplex::Full || machine.wire(next, node).is_none() {
                into[next.index()] += 1;
            }
        }
    }
    let at_once =
        |(out, into): (&u32, &u32)| if duplex == Duplex::Full { *out.max(into) } else { out + into };
    out.iter().zip(&into).map(at_once).max().unwrap_or(0)
}

/// Refuses a machine whose nodes send on one link at a time, where the answer would be that of others.
pub(super) fn refuse_one_port(machine: &Machine, asked: &'static str) -> Result<()> {
    match machine.port_model() {
        PortModel::All => Ok(()),
        PortModel::One => {
            Err(Error::not_applicable(asked, "nodes have one port; this is for nodes that send on all links"))
        }
    }
}

/// The optimum of a machine that does less at a time.
pub(super) struct Limited {
    /// What is told of it; where nothing else is known its makespan is that of the machine that does more.
    pub(super) answer: VariantAnswer,
    /// The distribution that has it, or why there is none.
    programme: std::result::Result<lp::Distribution, String>,
}

impl Limited {
    /// Solves a variant; none where it does no less than the machine of the optimum, whose makespan is `plain`. What
    /// was asked for by name must be solved.
    pub(super) fn solve(
        wanted: Option<(Variant, bool)>,
        problem: &Problem<'_>,
        plain: f64,
        progress: &mut dyn FnMut(&str),
    ) -> Result<Option<Self>> {
        let Some((variant, asked)) = wanted else { return Ok(None) };
        progress(PROGRAMME);
        let theorem = lp::theorem(problem, &variant)?;
        let answer = |makespan: f64, attained: bool| {
            // What a machine that does more needs is needed here too.
            let makespan = makespan.max(plain);
            let Variant { ports, front_end, results, home, memory, duplex } = variant;
            let (speedup, loss) = (1.0 / makespan, makespan / plain - 1.0);
            let theorem = theorem.map(|theorem| theorem.formula);
            let attained = attained && memory.is_none();
            VariantAnswer {
                ports,
                front_end,
                results,
                home,
                memory,
                duplex,
                makespan,
                speedup,
                loss,
                attained,
                theorem,
            }
        };
        Ok(Some(match solve(problem, &variant, plain, theorem) {
            Ok(programme) => {
                let makespan = theorem.map_or(programme.makespan, |theorem| theorem.makespan);
                Self { answer: answer(makespan, programme.attained), programme: Ok(programme) }
            }
            Err(error @ (Error::TooLarge { .. } | Error::NotApplicable { .. }))
                if theorem.is_some() || !asked || matches!(error, Error::TooLarge { .. }) =>
            {
                let known = theorem.map(|theorem| theorem.makespan);
                let least = known.map_or_else(|| lp::floor(problem, &variant, None), Ok)?;
                let mut answer = answer(least, known.is_some());
                answer.theorem = answer.theorem.or((least > plain).then_some(FLOOR));
                Self { answer, programme: Err(error.to_string()) }
            }
            Err(error) => return Err(error),
        }))
    }
}

/// The linear programme, unless its solver lost its way: it must find what a theorem says, and nothing faster than
/// the optimum of a machine that does more.
fn solve(
    problem: &Problem<'_>,
    variant: &Variant,
    least: f64,
    theorem: Option<Theorem>,
) -> Result<lp::Distribution> {
    // Load that flows takes no room.
    let answer = lp::solve(problem, variant)?;
    let found = answer.makespan;
    let is_off = |theorem: Theorem| (found - theorem.makespan).abs() > SOLVER * theorem.makespan.max(found);
    if found.is_nan() || found < least * (1.0 - SOLVER) || theorem.is_some_and(is_off) {
        let why = format!("its solver finds {found}: these numbers are of too different sizes for it");
        return Err(Error::not_applicable("the linear programme", why));
    }
    Ok(answer)
}

impl Limited {
    /// The distribution that has the optimum, if it is known.
    pub(super) fn distribution(&self) -> Option<&lp::Distribution> {
        self.programme.as_ref().ok()
    }
}

/// What start-ups say beyond a bound that is known.
pub(super) struct Started {
    /// No schedule ends earlier, in units of w Tcp.
    pub(super) makespan: f64,
    /// What proves it, the end of a sentence.
    pub(super) proof: (BoundKind, &'static str),
    /// A distribution that the programme with start-ups allows shortly after its own bound; none for machines that are too large for it.
    pub(super) found: Option<lp::Distribution>,
}

/// What a recursion and the programme with start-ups say beyond `least`, which is known; none where that is nothing.
pub(super) fn started(
    problem: &Problem<'_>,
    terms: &Terms,
    paid: Paid,
    least: f64,
) -> Result<Option<Started>> {
    if terms.startup == 0.0 {
        return Ok(None);
    }
    let recursive = lp::by_recursion(problem, &terms.variant, terms.startup, paid, least);
    // From the bound without the recursion: the programme's own distribution leads to the better schedules.
    let solve = |variant: &Variant| match lp::with_startups(problem, variant, terms.startup, paid, least) {
        // Its solver is good for so much.
        Ok((bound, found)) => Ok(Some((bound * (1.0 - SOLVER), found))),
        Err(Error::TooLarge { .. } | Error::NotApplicable { .. }) => Ok(None),
        Err(error) => Err(error),
    };
    let found = solve(&terms.variant)?;
    // Some rows hold only where there is room; what they prove holds with less.
    let roomy = if terms.variant.memory.is_some() { solve(&terms.variant.fluid())? } else { None };
    let solved = found.as_ref().into_iter().chain(&roomy).map(|(bound, _)| *bound).fold(0.0, f64::max);
    if found.is_none() && recursive <= least {
        return Ok(None);
    }
    let (makespan, proof) = match solved > recursive {
        true => (solved, (BoundKind::Programme, "the least of a linear programme that counts messages")),
        false => (recursive, (BoundKind::Theorem, "by what a message can bring in the time that is left")),
    };
    Ok(Some(Started { makespan, proof, found: found.map(|(_, found)| found) }))
}

impl Case<'_, '_> {
    /// No schedule on the machine that was asked for ends earlier, in units of w Tcp: the greatest bound there is.
    pub(super) fn least(&self) -> f64 {
        let limited = self.limited.as_ref().map_or(self.optimum.makespan, |limited| limited.answer.makespan);
        let cut = self.startup.as_ref().map_or(limited, |startup| startup.makespan.max(limited));
        self.started.as_ref().map_or(cut, |started| started.makespan.max(cut))
    }

    /// Whether a message costs more than its bytes.
    pub(super) fn has_startup(&self) -> bool {
        self.terms.startup > 0.0
    }

    /// What the bound comes from, with its verb.
    pub(super) fn allowing(&self) -> &'static str {
        match (&self.limited, self.has_startup()) {
            (Some(_), _) => "this machine allows",
            (None, true) => "links and start-ups allow",
            (None, false) => "the links allow",
        }
    }

    /// The programme as a method among others; its shares are sent as messages where these can be made.
    pub(super) fn programme(&self, limited: &Limited) -> Result<Answer> {
        let found = &limited.answer;
        let answer =
            limited.programme.as_ref().map_err(|why| Error::not_applicable(PROGRAMME, why.clone()))?;
        // The solver rounds shares and makespan apart: what is claimed, each node can work off.
        let work = |(node, share): (usize, &f64)| share * self.problem.work(NodeId(node as u32));
        let busiest = answer.work.iter().enumerate().filter(|(_, share)| **share > 0.0).map(work);
        let makespan = busiest.fold(found.makespan, f64::max);
        let plan = Plan { makespan, shares: answer.work.clone(), cells: None };
        let (run, schedule) = self.followed();
        let warning = match (found.attained, answer.attained) {
            (true, _) => None,
            (false, false) => Some(
                "a lower bound: on a network with rings of odd length nodes that take part in one message at a \
                 time may need longer",
            ),
            (false, true) => Some("a lower bound: load that flows takes no room"),
        };
        let warning = warning.map(str::to_string);
        let is_possible = found.attained && self.terms.startup == 0.0;
        let flow = Some(answer.flow.clone());
        Ok(Answer { run, schedule, flow, warning, is_possible, ..Answer::of(plan, Forwarding::CutThrough) })
    }

    /// Why a machine that does less has no such row.
    pub(super) fn of_another_machine(&self, method: &'static str, what: &str) -> Error {
        Error::not_applicable(method, format!("{what}; asked for is a machine with {}", self.terms.limits()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_load::Source;

    #[test]
    fn a_machine_of_one_port_asks_by_itself() {
        let mut machine = Machine::new("mesh:3x3").unwrap();
        let mut job = Job::new(&machine, vec![Source::at(NodeId(4), 1.0)], 0.5, 1000);
        assert_eq!(variant(&job, &machine), None);
        machine = machine.with_port_model(PortModel::One);
        let one = Variant { ports: Ports::ONE, ..Variant::default() };
        assert_eq!(variant(&job, &machine), Some((one, false)));
        job.further.variant = Some(one);
        assert_eq!(variant(&job, &machine), Some((one, true)));
        job.further.variant = Some(Variant::default());
        assert_eq!(variant(&job, &machine), None, "all ports: that is the optimum itself");
        assert_eq!(port_model(&job, &machine), PortModel::All, "whatever the ports of the machine");
        let limits = |duplex, ports, memory| {
            let asked = Variant { ports: Ports::Few(ports), duplex, memory, ..Variant::default() };
            let mut job = job.clone();
            job.further.variant = Some(asked);
            variant(&job, &machine).map(|(variant, _)| variant)
        };
        assert_eq!(
            limits(Duplex::Full, 4, Some(1.0)),
            None,
            "no node has more links, and there is room for all"
        );
        let half = Variant { duplex: Duplex::Half, ..Variant::default() };
        assert_eq!(limits(Duplex::Half, 4, None), Some(half));
        assert_eq!(limits(Duplex::Full, 3, None).map(|variant| variant.ports), Some(Ports::Few(3)));
    }
}
