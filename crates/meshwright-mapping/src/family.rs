//! The permutation family: every placement between growing and centred halving.
//!
//! | name | here | unit |
//! |---|---|---|
//! | a member | [`AxisStep`]s, one for each phase | |
//! | S_w, S_sf | [`slowdowns`] | times over those of the perfect mapping |
//! | the Pareto front | [`front()`] | |
//!
//! Along an axis of 2^k nodes the first step mirrors the root about the centre line; the other k - 1 move away from
//! the centre by 1, 2, ..., 2^(k-2), each once and in any order; the axes take turns in any way. Each phase of
//! a member makes one step. Growing takes the steps in increasing order, centred halving in decreasing order.
//!
//! All messages of a phase go as far as its step s, and 2^q of them share a link, q the number of shorter steps their
//! axis has made before. So a member costs sum of w_i s_i under store-and-forward and sum of
//! w_i 2^(q_i) under wormhole routing, w_i = alpha^i. The dilations of every member sum to the radius of its box.

mod front;

pub use front::{Member, front, front_of};

use super::axes::{Axes, AxisStep};
use super::growing::outwards;
use super::{Request, TaskGraph, divide};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Machine, Network, Topology};

/// What the names of members begin with on the command line.
pub const PREFIX: &str = "steps:";

/// The letters of the axes, from the last axis of the machine to the first.
const LETTERS: &[u8; 24] = b"xyzwvutsrqponmlkjihgfedc";

/// More members of a front than this are not placed one by one: it is thinned.
pub const NAMED_MAX: usize = 64;

/// The name of a member on a machine of so many dimensions: axis and length of each step.
///
/// # Examples
///
/// ```
/// use meshwright_mapping::family::{name, steps};
/// let member = steps("steps:x1y1x2x1", 2)?;
/// assert_eq!((member.len(), member[2].axis, member[2].length), (4, 1, 2), "x is the last axis");
/// assert_eq!(name(&member, 2), "steps:x1y1x2x1");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn name(steps: &[AxisStep], dimensions: usize) -> String {
    let one = |step: &AxisStep| format!("{}{}", LETTERS[dimensions - 1 - step.axis] as char, step.length);
    PREFIX.to_string() + &steps.iter().map(one).collect::<String>()
}

/// The member with this name on a machine of so many dimensions: x is the last axis, y the one before, then
/// z, w, v and so on.
///
/// # Errors
///
/// [`Error::Value`] when a step is not an axis and a number, or the steps of an axis are not 1 and then 1, 2, 4, ...
/// in some order; [`Error::NotApplicable`] when the machine has no such axis.
pub fn steps(name: &str, dimensions: usize) -> Result<Vec<AxisStep>> {
    let steps = read(name)?;
    match steps.iter().find(|(letter, _)| *letter >= dimensions) {
        Some((letter, _)) => {
            let axis = LETTERS[*letter] as char;
            Err(Error::not_applicable("steps", format!("the machine has no axis {axis}")))
        }
        None => Ok(steps
            .iter()
            .map(|&(letter, length)| AxisStep { axis: dimensions - 1 - letter, length })
            .collect()),
    }
}

/// Refuses a name that no machine has a member for.
///
/// # Errors
///
/// [`Error::Value`] as for [`steps`].
pub fn check(name: &str) -> Result<()> {
    read(name).map(|_| ())
}

/// The steps of a name: number of the letter, and length.
fn read(name: &str) -> Result<Vec<(usize, u32)>> {
    let refuse = || {
        let expected = "steps: and for each phase an axis (x, y, z, w, ...) and a length, of each axis first 1 and then \
                        1, 2, 4, ... in any order, such as steps:x1y1x2x1y1";
        Error::value("placement", format!("`{name}`"), expected)
    };
    let mut rest = name.strip_prefix(PREFIX).ok_or_else(refuse)?;
    let mut steps = Vec::new();
    let mut made: Vec<Vec<u32>> = vec![Vec::new(); LETTERS.len()];
    while let Some(&first) = rest.as_bytes().first() {
        let letter = LETTERS.iter().position(|&letter| letter == first).ok_or_else(refuse)?;
        let digits = rest[1..].bytes().take_while(u8::is_ascii_digit).count();
        let length: u32 = rest[1..=digits].parse().map_err(|_| refuse())?;
        rest = &rest[1 + digits..];
        made[letter].push(length);
        steps.push((letter, length));
    }
    for axis in made.iter_mut().filter(|axis| !axis.is_empty()) {
        let mirror = axis.remove(0);
        axis.sort_unstable();
        if mirror != 1 || axis.len() > 24 || (0..).zip(&*axis).any(|(bit, &length)| length != 1 << bit) {
            return Err(refuse());
        }
    }
    Ok(steps)
}

/// The node of every task of the member with this name.
pub(super) fn place(name: &str, request: &Request<'_>) -> Result<Vec<NodeId>> {
    let Network::Grid(grid) = request.machine.network() else {
        check(name)?;
        return Err(Error::not_applicable("steps", "it needs a mesh, torus or hypercube"));
    };
    let steps = steps(name, grid.dimensions())?;
    let mut exponents = vec![0u32; grid.dimensions()];
    steps.iter().for_each(|step| exponents[step.axis] += 1);
    let fits = exponents.iter().zip(grid.sides()).all(|(&exponent, &side)| side >> exponent > 0);
    if !fits || request.tasks != 1 << steps.len() {
        let sides: Vec<String> = exponents.iter().map(|exponent| format!("{}", 1u64 << exponent)).collect();
        let why = format!("`{name}` places 2^{} tasks on {} nodes", steps.len(), sides.join("x"));
        return Err(Error::not_applicable("steps", why));
    }
    Ok(outwards(&Axes::with(grid, exponents), &steps))
}

/// S_w and S_sf of a member: its communication times over those of the perfect mapping, for volumes so large that
/// start-ups and heads do not count.
///
/// ```text
/// S_w = sum of w_i 2^(q_i) / sum of w_i,   S_sf = sum of w_i s_i / sum of w_i
/// ```
///
/// # Complexity
///
/// O(n).
///
/// # Examples
///
/// ```
/// use meshwright_mapping::family::{slowdowns, steps};
/// // Broadcast on 4 x 4 nodes: every step is one hop, and nothing meets.
/// assert_eq!(slowdowns(&steps("steps:y1x1x1y1", 2)?, &[1.0; 4]), (1.0, 1.0));
/// // A line of 8: the step of 2 comes last, when two messages share a link.
/// assert_eq!(slowdowns(&steps("steps:x1x1x2", 1)?, &[1.0; 3]), (4.0 / 3.0, 4.0 / 3.0));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn slowdowns(steps: &[AxisStep], weights: &[f64]) -> (f64, f64) {
    let mut made = [None; LETTERS.len()];
    let (mut wormhole, mut stored, mut perfect) = (0.0, 0.0, 0.0);
    for (step, weight) in steps.iter().zip(weights) {
        let before: u32 = made[step.axis].unwrap_or(0);
        let load = made[step.axis].map_or(1, |_| load(before, step.length));
        made[step.axis] = Some(before | made[step.axis].map_or(0, |_| step.length));
        wormhole += weight * f64::from(load);
        stored += weight * f64::from(step.length);
        perfect += weight;
    }
    if perfect > 0.0 { (wormhole / perfect, stored / perfect) } else { (1.0, 1.0) }
}

/// 2^q: how many messages share a link when the steps in `made`, a sum of their lengths, came before this one.
fn load(made: u32, length: u32) -> u32 {
    1 << (made & (length - 1)).count_ones()
}

/// The names of the Pareto members for a job of divide and conquer on a machine: [`front_of`] its weights on the most
/// nearly square box that fits. Of a front of more than [`NAMED_MAX`] members only as many are named, spread evenly
/// over it, its ends among them.
///
/// # Errors
///
/// [`Error::NotApplicable`] when the tasks are no binomial tree or no box of its size fits.
///
/// # Complexity
///
/// As [`front()`].
///
/// # Examples
///
/// ```
/// use meshwright_mapping::{Divide, Shape};
/// use meshwright_mapping::divide::task_graph;
/// use meshwright_mapping::family::names;
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::Bytes;
/// let tree = task_graph(&Divide { shape: Shape::Binomial(6), alpha: Some(0.5), combine_alpha: None, volume: Bytes(64) })?;
/// let front = names(&tree, &Machine::new("mesh:8x8")?)?;
/// assert_eq!(front.first().map(String::as_str), Some("steps:x1y1x2x1y2y1"), "no contention: centred halving");
/// assert_eq!(front.last().map(String::as_str), Some("steps:x1y1x1y1x2y2"), "short steps first: growing");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn names(tasks: &TaskGraph, machine: &Machine) -> Result<Vec<String>> {
    let Some(job) = &tasks.divide else {
        return Err(Error::not_applicable("front", "only a tree of divide and conquer has one"));
    };
    let axes = Axes::of("front", &Request::of(tasks, machine, 0))?;
    let weight = |i| job.stages().map(|alpha| divide::weight(alpha, i)).sum();
    let weights: Vec<f64> = (1..=axes.n).map(weight).collect();
    let members = front_of(&axes.exponents, &weights);
    let dimensions = axes.exponents.len();
    Ok(thin(&members).map(|member| name(&member.steps, dimensions)).collect())
}

/// At most [`NAMED_MAX`] members, evenly spread by their place on the front.
fn thin(members: &[Member]) -> impl Iterator<Item = &Member> {
    let (last, named) = (members.len() - 1, members.len().min(NAMED_MAX));
    (0..named).map(move |index| &members[if named == 1 { 0 } else { index * last / (named - 1) }])
}
