//! The least makespan of a single source where it is a theorem: in O(1) on meshes, tori and hypercubes.

use crate::{Cut, Problem};
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Grid, Topology};

/// The set that decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// All nodes: there are not enough processors.
    Everything,
    /// The source: its links are too slow.
    Source(NodeId),
    /// A strip of whole lines of a narrow mesh: the lines `from..until` along `axis`.
    Strip {
        /// The axis across the strip.
        axis: usize,
        /// The first line.
        from: u32,
        /// The line after the last one.
        until: u32,
    },
}

/// The least makespan of a single source, and the set that admits no smaller one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosedForm {
    /// The least makespan, in units of w Tcp.
    pub makespan: f64,
    /// The set that decides.
    pub region: Region,
}

impl ClosedForm {
    /// The certificate as a list of nodes.
    ///
    /// # Complexity
    ///
    /// O(nodes of the set); O(nodes of the machine) for a strip.
    ///
    /// # Panics
    ///
    /// When the problem is not the one that was solved.
    pub fn cut(&self, problem: &Problem) -> Cut {
        let grid = problem.machine().whole_grid().expect("closed forms hold on whole boxes");
        let all = (0..grid.nodes()).map(NodeId);
        let nodes = match self.region {
            Region::Everything => all.collect(),
            Region::Source(source) => vec![source],
            Region::Strip { axis, from, until } => {
                all.filter(|&node| (from..until).contains(&grid.coordinate(node, axis))).collect()
            }
        };
        Cut { nodes, capacity: 1.0, demand: 1.0 }
    }
}

/// The least makespan where it has a closed form: one source at time 0, all processors and links alike, nothing
/// dead, on a torus, a hypercube, a mesh of at most two sides above 1, or at a corner of any mesh. None elsewhere.
///
/// ```text
/// 1 / T = min(N, 1 + deg/sigma)                            torus, hypercube, corner of a mesh
/// 1 / T = min(N, 1 + deg/sigma, m (c + 1) + m/sigma, ...)  strips of c + 1 whole lines of m nodes with the source
/// ```
///
/// Where the least cut between nodes has as many links as the source has, no set with the source can do less per unit
/// of time than the source alone, unless it is everything. On a mesh of two sides only strips from one end have
/// fewer links.
///
/// # Complexity
///
/// O(sides + links of the source).
///
/// # Examples
///
/// ```
/// use meshwright_load::{Problem, Source};
/// use meshwright_load::optimum::closed_form;
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let mesh = Machine::new("mesh:1000x1000")?;
/// let problem = Problem::new(&mesh, vec![Source::at(NodeId(500_500), 1.0)], 0.1)?;
/// let form = closed_form(&problem).expect("one source on a mesh");
/// assert_eq!(1.0 / form.makespan, 1.0 + 4.0 / 0.1);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn closed_form(problem: &Problem) -> Option<ClosedForm> {
    let [source] = problem.sources() else { return None };
    let grid = problem.machine().whole_grid()?;
    if !problem.is_uniform() || source.release > 0.0 {
        return None;
    }
    let node = source.node;
    let degree = grid.neighbours(node).count();
    let long: Vec<usize> = (0..grid.dimensions()).filter(|&axis| grid.sides()[axis] > 1).collect();
    let is_corner = degree == long.len();
    if !grid.wraps() && !is_corner && long.len() > 2 {
        return None;
    }
    let per_link = 1.0 / problem.sigma();
    let speed =
        |nodes: u32, links: usize| f64::from(nodes) + if links == 0 { 0.0 } else { links as f64 * per_link };
    let mut least = (speed(grid.nodes(), 0), Region::Everything);
    let mut consider = |speed: f64, region: Region| {
        if speed < least.0 {
            least = (speed, region);
        }
    };
    consider(speed(1, degree), Region::Source(node));
    if !grid.wraps() && long.len() <= 2 {
        for &axis in &long {
            strips(grid, node, axis, &speed, &mut consider);
        }
    }
    Some(ClosedForm { makespan: 1.0 / least.0, region: least.1 })
}

/// The two strips of whole lines from either end to the source.
fn strips(
    grid: &Grid,
    node: NodeId,
    axis: usize,
    speed: &impl Fn(u32, usize) -> f64,
    consider: &mut impl FnMut(f64, Region),
) {
    let (at, side) = (grid.coordinate(node, axis), grid.sides()[axis]);
    let line = grid.nodes() / side;
    for (from, until) in [(0, at + 1), (at, side)] {
        if until - from < side {
            consider(speed((until - from) * line, line as usize), Region::Strip { axis, from, until });
        }
    }
}
