//! The optimum as a linear programme: a second way to the fluid optimum, and the way to machines whose nodes do less
//! at a time.
//!
//! | file | what |
//! |---|---|
//! | `variant` | what nodes and links can do at a time, and what is to be done |
//! | `model` | variables and rows |
//! | `startup`, `few` | the same where every message has a start-up: a lower bound; what few messages can bring |
//! | `windows`, `left`, `through`, `slots` | rows for it: when everything can be in use; what can be done in the time that is left; load by the link over which it came; time in slots |
//! | `floor` | a bound where the programme is too large |
//! | `recursion`, `lane` | a bound for start-ups without a programme: what one message can bring in the time that is left; and those after it |
//! | `theorem` | variants whose optimum has a formula |
//!
//! In the fluid limit messages are as short as one likes, so a time that meets every row is met by sending and working
//! at constant rates. Rows that let a node take part in one message at a time are enough for that where the network
//! has no rings of odd length; elsewhere they give a lower bound, and [`Distribution::attained`] says so.

mod few;
mod floor;
mod lane;
mod left;
mod model;
#[cfg(test)]
mod orders;
mod recursion;
mod slots;
mod startup;
mod theorem;
mod through;
mod variant;
mod windows;

pub use floor::floor;
pub use recursion::by_recursion;
pub use startup::with_startups;
pub use theorem::{Theorem, theorem};
pub use variant::{Distribution, Duplex, Part, Ports, Variant};

use super::{Cells, Problem};
use meshwright_core::error::{Error, Result};
use meshwright_network::topology::{Machine, Topology};
use model::Model;
use variant::Kept;

/// The most variables accepted: a square of 32 by 32 nodes with the results of three sources is below.
pub const VARIABLES_MAX: usize = 30_000;

/// The least makespan of the problem on a machine of this variant, by a linear programme.
///
/// ```text
/// minimise T:  L_v + in_v = out_v + p_v,  w_v p_v <= T,  z_e f_e <= T   (one phase; all ports, front ends)
/// ```
///
/// Loads that are released later divide the time into phases, between which a node keeps what it has not passed on.
/// Results of different sources are kept apart: each goes back to its own.
///
/// # Errors
///
/// [`Error::TooLarge`] above [`VARIABLES_MAX`] variables (links and nodes, times phases, and with results times
/// sources), [`Error::Value`] for results that are not a finite number of at least 0, [`Error::NotApplicable`] when
/// some load can reach no processor, and when the solver loses its way in numbers of too different sizes.
///
/// # Complexity
///
/// That of the simplex method: a second for 32 by 32 nodes, half a minute at the worst below [`VARIABLES_MAX`].
///
/// # Source
///
/// `zhang2018`, chapter 7.2, leaves other constraints on processors as future work; none of these variants is in it.
///
/// # Examples
///
/// A corner of a square sends out on its two links at the same time, or on one after the other.
///
/// ```
/// use meshwright_load::lp::{Ports, Variant, solve};
/// use meshwright_load::{Problem, Source};
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let square = Machine::new("mesh:2x2")?;
/// let problem = Problem::new(&square, vec![Source::at(NodeId(0), 1.0)], 1.0)?;
/// let all = solve(&problem, &Variant::default())?;
/// assert!((1.0 / all.makespan - 3.0).abs() < 1e-6, "1 + 2 / sigma");
/// let one = solve(&problem, &Variant { ports: Ports::ONE, ..Variant::default() })?;
/// assert!((1.0 / one.makespan - 2.0).abs() < 1e-6, "1 + 1 / sigma");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn solve(problem: &Problem, variant: &Variant) -> Result<Distribution> {
    solved(problem, variant, None)
}

/// The least makespan within which these shares can be worked off on a machine of this variant, by the same linear
/// programme; with cells every source serves its own nodes.
///
/// A fluid answer: messages are as short as one likes, and nodes work on what arrives.
///
/// # Errors
///
/// As for [`solve`]; [`Error::Value`] when there is not one share (and label) per node.
///
/// # Complexity
///
/// That of [`solve`].
///
/// # Examples
///
/// The results of a node at the end of a wire come back over it after the load has gone.
///
/// ```
/// use meshwright_load::lp::{Duplex, Variant, keep};
/// use meshwright_load::{Problem, Source};
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let line = Machine::new("mesh:1x2")?;
/// let problem = Problem::new(&line, vec![Source::at(NodeId(0), 1.0)], 1.0)?;
/// let half = Variant { results: 1.0, duplex: Duplex::Half, ..Variant::default() };
/// let least = keep(&problem, &half, &[0.25, 0.75], None)?.makespan;
/// assert!((least - 1.5).abs() < 1e-6, "0.75 there and 0.75 back");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn keep(
    problem: &Problem,
    variant: &Variant,
    shares: &[f64],
    cells: Option<&Cells>,
) -> Result<Distribution> {
    let nodes = problem.machine().nodes() as usize;
    let lists = [Some(shares.len()), cells.map(|cells| cells.label.len())];
    if let Some(length) = lists.into_iter().flatten().find(|&length| length != nodes) {
        return Err(Error::value("number of shares", length, nodes.to_string()));
    }
    solved(problem, variant, Some(Kept { shares, cells }))
}

fn solved(problem: &Problem, variant: &Variant, kept: Option<Kept<'_>>) -> Result<Distribution> {
    if !(variant.results >= 0.0 && variant.results.is_finite()) {
        return Err(Error::value("size of the results", variant.results, "a number of at least 0"));
    }
    let model = Model::new(problem, variant, kept);
    let variables = model.size();
    if variables > VARIABLES_MAX {
        return Err(Error::TooLarge {
            what: "a linear programme of this size",
            needed: format!("{variables} variables"),
            limit: format!("{VARIABLES_MAX} variables"),
        });
    }
    let attained = !variant.is_one_at_a_time() || is_bipartite(problem.machine());
    Ok(Distribution { attained, ..model.solve()? })
}

/// Whether the living nodes can be coloured with two colours, so that wires join different ones.
fn is_bipartite(machine: &Machine) -> bool {
    let mut colour: Vec<Option<bool>> = vec![None; machine.nodes() as usize];
    for root in machine.living() {
        if colour[root.index()].is_some() {
            continue;
        }
        colour[root.index()] = Some(false);
        let mut waiting = vec![root];
        while let Some(node) = waiting.pop() {
            for (_, next) in machine.neighbours(node) {
                match colour[next.index()] {
                    None => {
                        colour[next.index()] = colour[node.index()].map(|colour| !colour);
                        waiting.push(next);
                    }
                    Some(_) if colour[next.index()] == colour[node.index()] => return false,
                    Some(_) => {}
                }
            }
        }
    }
    true
}
