//! A certificate that packets under a routing relation never wait for each other in a ring, or such a ring.
//!
//! A channel is a link and a class. Channel a depends on channel b when some packet can hold a while it may ask
//! for b. All states a packet can be in are explored, for every target, every source and every random header. If
//! the dependencies form no ring, no deadlock is possible. If they do, adaptive packets may still escape: their
//! last choice is an escape channel, and there is no deadlock if the escape channels form no ring, where one escape
//! channel also depends on another when a packet can hold the first, go on over adaptive channels and then ask for
//! the second.
//!
//! # Source
//!
//! `dally1987`, theorem 1; `duato1993`, theorem 1: extended channel dependencies.

mod dependencies;
mod exploration;

use dependencies::Dependencies;
use exploration::Exploration;

use super::Relation;
use super::deadlock::cycle_of;
use crate::topology::{Grid, Machine, Network, Topology};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::LinkId;

/// The most packet states explored: a few seconds.
pub const STATES_MAX: u64 = 1 << 27;

/// A link and a class of its virtual channels.
pub type Channel = (LinkId, u8);

/// Why packets cannot deadlock, or the ring of channels in which they can.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Certificate {
    /// The channels depend on each other in no ring.
    Acyclic {
        /// How many channels are used.
        channels: u32,
        /// How many different dependencies there are.
        dependencies: u64,
    },
    /// The channels depend on each other in rings, the escape channels do not.
    Escape {
        /// How many escape channels are used.
        channels: u32,
        /// How many different dependencies there are between them, direct or through adaptive channels.
        dependencies: u64,
    },
    /// Each channel may be held by a packet that asks for the next, and the last for the first.
    Ring(Vec<Channel>),
}

impl Certificate {
    /// Whether no deadlock is possible.
    pub fn is_free(&self) -> bool {
        self.ring().is_none()
    }

    /// The ring of channels, if there is one.
    pub fn ring(&self) -> Option<&[Channel]> {
        match self {
            Self::Ring(ring) => Some(ring),
            Self::Acyclic { .. } | Self::Escape { .. } => None,
        }
    }
}

/// Decides whether packets can deadlock under this relation on this machine.
///
/// Larger machines are refused, not tried: [`states`] says beforehand how much there is to do. For them,
/// [`reduced`] makes a smaller machine of the same family.
///
/// # Errors
///
/// [`Error::TooLarge`] when there are more than [`STATES_MAX`] packet states.
///
/// # Panics
///
/// When the relation was made for another machine, or has a bug and leaves a packet without a choice.
///
/// # Complexity
///
/// O([`states`] times the choices of a packet).
///
/// # Examples
///
/// ```
/// use meshwright_network::routing::{self, certify};
/// use meshwright_network::topology::Machine;
/// let ring = Machine::new("torus:6")?;
/// let safe = routing::relation("dimension-order", &ring)?;
/// assert!(certify::certify(&ring, &safe)?.is_free());
/// let unsafe_one = routing::relation("dimension-order-one-class", &ring)?;
/// assert_eq!(certify::certify(&ring, &unsafe_one)?.ring().map(<[_]>::len), Some(6));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn certify(machine: &Machine, relation: &Relation<'_>) -> Result<Certificate> {
    let states = states(machine, relation);
    if states > STATES_MAX {
        return Err(Error::TooLarge {
            what: "the deadlock check of this routing on this machine",
            needed: format!("{states} packet states"),
            limit: format!("{STATES_MAX}"),
        });
    }
    let mut exploration = Exploration::new(machine, relation);
    let mut dependencies = Dependencies::new(machine, relation.classes())?;
    let roles = exploration.direct(&mut dependencies);
    let channels = machine.links() * relation.classes();
    let arcs = dependencies.arcs();
    let Some(ring) = cycle_of(channels, &arcs) else {
        let channels = roles.iter().filter(|role| role.used()).count() as u32;
        return Ok(Certificate::Acyclic { channels, dependencies: arcs.len() as u64 });
    };
    let named = |ring: Vec<u32>| {
        let classes = relation.classes();
        Certificate::Ring(ring.iter().map(|c| (LinkId(c / classes), (c % classes) as u8)).collect())
    };
    // Without channels of their own the escapes prove nothing.
    if !relation.adaptive() || roles.iter().any(|role| role.escape && role.adaptive) {
        return Ok(named(ring));
    }
    let arcs = exploration.extended(&roles);
    Ok(match cycle_of(channels, &arcs) {
        Some(ring) => named(ring),
        None => Certificate::Escape {
            channels: roles.iter().filter(|role| role.escape).count() as u32,
            dependencies: arcs.len() as u64,
        },
    })
}

/// The direct dependencies between channels, sorted; channel `link * classes + class`.
///
/// # Errors
///
/// As for [`certify`].
pub fn dependencies(machine: &Machine, relation: &Relation<'_>) -> Result<Vec<(u32, u32)>> {
    let mut dependencies = Dependencies::new(machine, relation.classes())?;
    Exploration::new(machine, relation).direct(&mut dependencies);
    Ok(dependencies.arcs())
}

/// An upper bound on the packet states [`certify`] explores.
///
/// ```text
/// one way per pair:   n^2 for n nodes              up to about 11,000 nodes
/// turn models:        2 n^2                        up to 90 x 90
/// valiant:            n^2 (n + 2 diameter)         up to about 500 nodes
/// three phases:       n^2 (slice + rows + columns) up to about 1,500 nodes
/// min-adaptive:       (dimensions + 1) times the sum of the boxes between all pairs of nodes; up to about 24 x 24
/// ```
pub fn states(machine: &Machine, relation: &Relation<'_>) -> u64 {
    let nodes = u64::from(machine.living_count());
    let pairs = nodes * nodes;
    let sides = || machine.sides().iter().map(|&side| u64::from(side));
    match relation {
        Relation::DimensionOrder(_) | Relation::UpDown(_) | Relation::ShortestPath(_) => pairs,
        Relation::O1turn(_) | Relation::WestFirst(_) | Relation::OddEven(_) => 2 * pairs,
        Relation::Valiant(_) => pairs.saturating_mul(nodes + 2 * sides().sum::<u64>()),
        Relation::RajasekaranTsantilas(_) => pairs.saturating_mul(2 * sides().sum::<u64>()),
        Relation::MinAdaptive(_) => {
            let choices = sides().count() as u64 + 1;
            // The sum over all pairs of coordinates of |a - b| + 1.
            let boxes = |side: u64| side * side + side * (side * side - 1) / 3;
            sides().map(boxes).fold(choices, u64::saturating_mul)
        }
    }
}

/// The same family with every side of at most five nodes, long sides cut to 4 or 5 by their parity.
///
/// The relations on boxes look, axis by axis, only at which way the target lies, whether the rest of the way
/// crosses the date-line, whether both ways round are equal and, for odd-even, at the parity of the column; never
/// at how long a way is. Each channel of the larger box then has a like channel in the smaller one, with the same
/// dependencies between neighbouring positions of an axis (first, inner, last), and the arguments that order the
/// channels, which stand with each relation, do not mention the sides. So the smaller box is a check of these
/// arguments and finds the same rings; it is not a proof by itself. `None` for a machine that is no whole box.
///
/// # Examples
///
/// ```
/// use meshwright_network::routing::certify;
/// use meshwright_network::topology::{Machine, Topology};
/// let large = Machine::new("torus:64x33x2")?;
/// assert_eq!(certify::reduced(&large).expect("a box").sides(), [4, 5, 2]);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn reduced(machine: &Machine) -> Option<Machine> {
    let grid = machine.whole_grid()?;
    let sides: Vec<u32> =
        grid.sides().iter().map(|&side| if side > 5 { 4 + side % 2 } else { side }).collect();
    let smaller = if grid.wraps() { Grid::torus(&sides) } else { Grid::mesh(&sides) };
    let names: Vec<String> = sides.iter().map(u32::to_string).collect();
    let name = format!("{}:{}", if grid.wraps() { "torus" } else { "mesh" }, names.join("x"));
    let smaller = Network::Grid(smaller.expect("a box with shorter sides is a box"));
    Some(machine.on_network(&name, smaller))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::min_adaptive::MinAdaptive;
    use crate::routing::{dimension_order, relation};
    use meshwright_core::units::NodeId;

    /// An escape channel by the definition of the date-line: class 1 while a step over the border is ahead.
    fn escape(grid: &Grid, at: NodeId, target: NodeId) -> Option<u32> {
        let mut way = Vec::new();
        dimension_order::for_each_link(grid, at, target, |link| way.push(link));
        let first = *way.first()?;
        let (rings, axis) = (dimension_order::has_rings(grid), |link: LinkId| {
            grid.direction(meshwright_core::units::Port(link.0 - grid.first_link(grid.source(link)).0)).0
        });
        let over_border = |&link: &LinkId| {
            let (from, to) = (grid.source(link), grid.target(link).expect("a wired link"));
            let axis = axis(link);
            grid.coordinate(from, axis).abs_diff(grid.coordinate(to, axis)) > 1
        };
        let ahead = way.iter().take_while(|&&link| axis(link) == axis(first)).any(over_border);
        let classes = if rings { 3 } else { 2 };
        Some(first.0 * classes + u32::from(rings && ahead))
    }

    /// The extended dependencies from distances alone: after the escape channel from u to v on the way to t, a
    /// packet can be at every node w on a shortest way from v to t and ask for the escape channel there.
    #[test]
    fn extended_dependencies_are_those_of_the_definition() {
        for name in ["mesh:3x4", "torus:4x3", "torus:6", "torus:5x4", "mesh:2x3x3", "hypercube:3"] {
            let machine = Machine::new(name).unwrap();
            let grid = machine.whole_grid().unwrap();
            let relation = relation("min-adaptive", &machine).unwrap();
            let mut exploration = Exploration::new(&machine, &relation);
            let roles = exploration.direct(&mut Dependencies::new(&machine, relation.classes()).unwrap());
            let nodes = || (0..machine.nodes()).map(NodeId);
            let hops = |a, b| grid.distance(a, b).unwrap().0;
            let mut expected = Vec::new();
            for (target, from) in nodes().flat_map(|target| nodes().map(move |from| (target, from))) {
                let Some(held) = escape(grid, from, target) else { continue };
                let next = grid.target(LinkId(held / relation.classes())).unwrap();
                let between = |&w: &NodeId| hops(next, w) + hops(w, target) == hops(next, target);
                expected
                    .extend(nodes().filter(between).filter_map(|w| Some((held, escape(grid, w, target)?))));
            }
            expected.sort_unstable();
            expected.dedup();
            assert_eq!(exploration.extended(&roles), expected, "{name}");
        }
    }

    #[test]
    fn an_escape_without_date_lines_is_refused_with_a_ring_of_escape_channels() {
        for (name, free) in
            [("torus:5", false), ("torus:4x4", false), ("torus:3x3", true), ("mesh:4x4", true)]
        {
            let machine = Machine::new(name).unwrap();
            let relation = Relation::MinAdaptive(MinAdaptive::without_date_line(&machine));
            let certificate = certify(&machine, &relation).unwrap();
            assert_eq!(certificate.is_free(), free, "{name}: {certificate:?}");
            assert!(certificate.ring().into_iter().flatten().all(|&(_, class)| class == 0));
        }
    }
}
