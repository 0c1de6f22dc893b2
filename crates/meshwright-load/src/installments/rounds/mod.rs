//! Few messages, each with its start-up: what every node sends and works off between two messages, by linear programmes.
//!
//! | file | what |
//! |---|---|
//! | this one | how many rounds, and more messages after that |
//! | `programme` | messages in rounds that begin everywhere together |
//! | `order`, `times` | messages in a known order, and their times and sizes by a programme |
//! | `gaps` | more messages where links are idle |
//! | `execute` | whole bytes, and when everything begins |
//!
//! In a round a node sends at most one message over each of its links, of load that it has when the round begins. Of the rounds only
//! the order of messages is kept: on each link, at each node, and what has come before a message begins.

mod execute;
mod gaps;
mod order;
mod programme;
mod times;

use self::execute::Execution;
use self::order::Order;
use self::programme::{Programme, Wire};
use self::times::{Times, Timing};
use super::record::{Installments, Programs};
use super::scale::Scale;
use crate::Problem;
use meshwright_core::error::{Error, Result};
use meshwright_network::topology::Topology;

/// A programme of more variables is not solved.
const VARIABLES_MAX: usize = 2_700;

/// How many rounds are tried, one number after the other.
const ROUNDS: &[u32] = &[1, 2, 3, 4, 5, 6, 8, 10, 12];

/// With more messages where links are idle a programme of more variables is not solved.
const FILLED_MAX: usize = 1_200;

/// What more rounds, or more messages, must gain, as a part of the time.
const WORTH: f64 = 0.003;

/// After so many rounds without it no more are tried.
const IDLE_ROUNDS: u32 = 2;

/// Messages that bring the load to its processors in few rounds on a machine where each costs a start-up of `startup` w Tcp.
///
/// ```text
/// over T, b, x, w >= 0, messages m over links u -> v, nodes v, of which K_v messages come to v:   least T with
///   b(m) + s + z x(m) <= b(m')                             m' next after m on its link
///   t(v, 0) = 0,   t(v, k) = b(m) + s + z x(m)             m the k-th to come to v,        t(v, K_v + 1) = T
///   t(v, k) + w_v w(v, k) <= t(v, k + 1)
///   t(u, k) <= b(m)                                        m the next from u after k have come to it
///   sum over j <= k of w(v, j) + out(v, j) <= L_v + sum over j <= k of x(j-th to come to v),   = for k = K_v
/// ```
///
/// out(v, k) is what leaves v after k messages have come and before more are waited for. At first there are rounds, all of whose messages
/// begin together, over all links; then the order of those that carry something is kept, and every message begins when it can.
/// Where a link is idle for longer than a start-up another message is put, as late as it fits, and those that carry nothing are
/// left out, as long as that gains something.
///
/// # Errors
///
/// [`Error::NotApplicable`] where loads are released later; [`Error::TooLarge`] on a machine with too many links for one round.
///
/// # Complexity
///
/// Some forty linear programmes of up to 2,700 variables.
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
    let wires = programme::wires(problem);
    let Some(found) = over_rounds(problem, startup, &wires) else {
        return Err(Error::TooLarge {
            what: "a programme in rounds",
            needed: format!("{} links", problem.machine().links()),
            limit: format!("{VARIABLES_MAX} variables"),
        });
    };
    let (order, times) = filled(problem, startup, &wires, found);
    let machine = problem.machine();
    let mut programs = Programs::new(machine.nodes(), machine.links());
    let done = Execution::new(scale, &order, &times).run(&mut programs).ok_or_else(|| {
        Error::not_applicable("rounds of messages", "the start-up is too short to tell their order")
    })?;
    Ok(done.described(scale, programs.into_schedule()))
}

/// Messages in order, and their times.
type Timed = (Order, Times);

/// The best number of rounds in which these links may be used, with the order of its messages kept.
fn over_rounds(problem: &Problem<'_>, startup: f64, wires: &[Wire]) -> Option<Timed> {
    let mut best: Option<Timed> = None;
    let mut gained = 0;
    for &rounds in ROUNDS {
        let all = Programme::new(problem, startup, rounds, wires);
        if all.variables() > VARIABLES_MAX {
            break;
        }
        let Some(sent) = all.solve() else { continue };
        let order = Order::of_rounds(problem, &sent);
        let Some(times) = (Timing { problem, startup, order: &order }).solve() else { continue };
        let known = best.as_ref().map_or(f64::INFINITY, |best| best.1.end);
        if times.end <= known * (1.0 - WORTH) {
            gained = rounds;
        }
        if times.end < known {
            best = Some((order, times));
        }
        if rounds >= gained + IDLE_ROUNDS {
            break;
        }
    }
    best
}

/// With more messages where links are idle, as long as they gain something.
fn filled(problem: &Problem<'_>, startup: f64, wires: &[Wire], found: Timed) -> Timed {
    let (mut order, mut times) = found;
    loop {
        (order, times) = order.pruned(&times);
        let most = FILLED_MAX.saturating_sub(order.variables()) / order::VARIABLES;
        let more = Timing { problem, startup, order: &order }.gaps(&times, wires, most);
        if more.is_empty() {
            break;
        }
        let next = order.with(&more);
        let Some(better) = (Timing { problem, startup, order: &next }).solve() else { break };
        let is_worth = better.end <= times.end * (1.0 - WORTH);
        if better.end < times.end {
            (order, times) = (next, better);
        }
        if !is_worth {
            break;
        }
    }
    (order, times)
}

#[cfg(test)]
mod tests;
