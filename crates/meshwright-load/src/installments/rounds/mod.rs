//! Few messages, each with its start-up: what every node sends and works off between two messages, by a linear programme.
//!
//! | file | what |
//! |---|---|
//! | this one | how many rounds, and which links in each |
//! | `programme` | the sizes of messages, for links that are known |
//! | `execute` | whole bytes, and when everything begins |
//!
//! In a round a node sends at most one message over each of its links, of load that it has when the round begins.
//! The nodes' rounds need not begin at the same time, only a message that has come in a round can be sent on in the next.

mod execute;
mod programme;

use self::execute::Execution;
use self::programme::{Amounts, Programme, Wire};
use super::record::{Installments, Nothing, Programs};
use super::scale::Scale;
use meshwright_core::error::{Error, Result};
use meshwright_network::topology::Topology;

/// A programme of more variables is not solved.
const VARIABLES_MAX: usize = 2_700;

/// How many rounds are tried, one number after the other.
const ROUNDS: &[u32] = &[1, 2, 3, 4, 5, 6, 8, 10, 12];

/// What more rounds must gain, as a part of the time; after so many tries without it no more are tried.
const WORTH: f64 = 1e-4;
const IDLE_TRIES: u32 = 2;

/// How often links without load are left out, and sizes sought for the others.
const PRUNINGS: u32 = 3;

/// Messages that bring the load to its processors in few rounds on a machine where each costs a start-up of `startup` w Tcp.
///
/// ```text
/// over T, x, w >= 0, rounds r = 0 .. R - 1, links u -> v, nodes v:   least T with
///   stock(v, 0) = L_v     stock(v, r + 1) = stock(v, r) - w(v, r) - out(v, r) + in(v, r)     stock(v, R) = w(v, R)
///   w(v, r) + out(v, r) <= stock(v, r)
///   t(v, r) + w_v w(v, r) <= t(v, r + 1)           t(v, R) + w_v w(v, R) <= T
///   t(u, r) <= b(u, v, r),   b(u, v, r) + s + z x(u, v, r) <= t(v, r + 1), b(u, v, r')      where u -> v is used in round r, next in r'
/// ```
///
/// At first all nodes' rounds and messages begin together, and all links may be used; then those that carry something are, every node
/// has its own times t, and a message begins at b, when its link is free.
///
/// # Errors
///
/// [`Error::NotApplicable`] where loads are released later; [`Error::TooLarge`] on a machine with too many links for one round.
///
/// # Complexity
///
/// Some thirty linear programmes of up to 2,700 variables.
///
/// # Examples
///
/// ```
/// use meshwright_core::units::NodeId;
/// use meshwright_load::installments::{Scale, in_rounds};
/// use meshwright_load::{Problem, Source};
/// use meshwright_network::topology::{Machine, Switching};
/// let (costs, bytes) = Scale::costs_of(0.1, 0.5)?;
/// let line = Machine::new("mesh:1x2")?.with_costs(costs)?.with_switching(Switching::StoreAndForward);
/// let problem = Problem::new(&line, vec![Source::at(NodeId(0), 1.0)], 0.1)?;
/// let found = in_rounds(&Scale::new(&problem, bytes)?, 0.5)?;
/// // One message of x: 1 - x = 0.5 + 0.1 x + x. A second one would come too late.
/// assert!((found.makespan - (1.0 - 0.5 / 2.1)).abs() < 1e-6 && found.messages == 1);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn in_rounds(scale: &Scale, startup: f64) -> Result<Installments> {
    let problem = scale.problem();
    if !problem.starts_at_once() || problem.releases().first().is_some_and(|&release| release > 0.0) {
        return Err(Error::not_applicable("rounds of messages", "loads are released later"));
    }
    let Some((_, amounts)) = over_rounds(scale, startup, &programme::wires(problem)) else {
        return Err(Error::TooLarge {
            what: "a programme in rounds",
            needed: format!("{} links", problem.machine().links()),
            limit: format!("{VARIABLES_MAX} variables"),
        });
    };
    let machine = problem.machine();
    let mut programs = Programs::new(machine.nodes(), machine.links());
    let done = Execution::new(scale, &amounts).run(&mut programs);
    Ok(done.described(scale, programs.into_schedule()))
}

/// The best number of rounds in which these links may be used, and its time in ticks.
fn over_rounds(scale: &Scale, startup: f64, wires: &[Wire]) -> Option<(u64, Amounts)> {
    let mut best: Option<(u64, Amounts)> = None;
    let mut idle = 0;
    for &rounds in ROUNDS {
        let all = Programme::with_links(scale.problem(), startup, rounds, wires);
        if all.variables() > VARIABLES_MAX {
            break;
        }
        let Some(amounts) = searched(scale, &all, startup) else { continue };
        let ticks = Execution::new(scale, &amounts).run(&mut Nothing).last;
        let known = best.as_ref().map_or(u64::MAX, |best| best.0);
        idle = if ticks as f64 > known as f64 * (1.0 - WORTH) { idle + 1 } else { 0 };
        if ticks < known {
            best = Some((ticks, amounts));
        }
        if idle == IDLE_TRIES {
            break;
        }
    }
    best
}

/// The amounts of a programme: of those with links left out the ones that are executed the soonest.
fn searched(scale: &Scale, all: &Programme<'_, '_>, startup: f64) -> Option<Amounts> {
    let time = |amounts: &Amounts| Execution::new(scale, amounts).run(&mut Nothing).last;
    let mut best = all.solve()?;
    let mut least = time(&best);
    let mut now = best.clone();
    for _ in 0..PRUNINGS {
        let Some(next) = Programme::with_links_of(scale.problem(), startup, &now).solve() else { break };
        let ticks = time(&next);
        let is_same = next.messages() == now.messages();
        now = next;
        if ticks < least {
            (least, best) = (ticks, now.clone());
        }
        if is_same {
            break;
        }
    }
    Some(best)
}

#[cfg(test)]
mod tests;
