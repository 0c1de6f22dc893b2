//! Symmetries of a box that keep its ways: moves round a torus, mirrors of a mesh. What holds of one piece then holds of its images.

use std::fmt::{self, Display, Formatter};

use meshwright_core::units::NodeId;
use meshwright_network::routing::dimension_order::for_each_link;
use meshwright_network::topology::{Grid, Topology};

/// A group of symmetries of a box under which ways in dimension order stay such ways.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Symmetry {
    /// Round a torus: by axis by how much an image lies further on, which divides the side.
    Moved(Vec<u32>),
    /// By axis whether an image may be mirrored.
    Mirrored(Vec<bool>),
}

impl Display for Symmetry {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Moved(by) => {
                let by: Vec<String> = by.iter().map(u32::to_string).collect();
                write!(f, "moved on by {}", by.join("x"))
            }
            Self::Mirrored(axes) if axes.contains(&true) => {
                let along = |(axis, &is_mirrored): (usize, &bool)| is_mirrored.then(|| axis.to_string());
                let along: Vec<String> = axes.iter().enumerate().filter_map(along).collect();
                write!(f, "mirrored along {}", along.join(" "))
            }
            Self::Mirrored(_) => f.write_str("once"),
        }
    }
}

impl Symmetry {
    /// Those of a box with at most so many images.
    pub fn all(grid: &Grid, most: u32) -> Vec<Self> {
        if grid.wraps() {
            let is_few = |period: &Vec<u32>| grid.nodes() / period.iter().product::<u32>() <= most;
            return periods(grid).into_iter().filter(is_few).map(Self::Moved).collect();
        }
        let axes = grid.dimensions();
        let mirrors = (most.max(1).ilog2() as usize).min(axes);
        let first = |many: usize| Self::Mirrored((0..axes).map(|axis| axis < many).collect());
        if mirrors == 0 { vec![first(0)] } else { vec![first(0), first(mirrors)] }
    }

    /// By image where it has each node; the first is the original.
    pub fn images(&self, grid: &Grid) -> Vec<Vec<u32>> {
        let mut all = vec![vec![0; grid.nodes() as usize]];
        for (axis, &side) in grid.sides().iter().enumerate() {
            let ways: Vec<Box<dyn Fn(u32) -> u32>> = match self {
                Self::Moved(by) => (0..side / by[axis])
                    .map(|k| -> Box<dyn Fn(u32) -> u32> {
                        let on = k * by[axis];
                        Box::new(move |at| (at + on) % side)
                    })
                    .collect(),
                Self::Mirrored(axes) if axes[axis] => {
                    vec![Box::new(|at| at), Box::new(move |at| side - 1 - at)]
                }
                Self::Mirrored(_) => vec![Box::new(|at| at)],
            };
            let further = |image: &Vec<u32>| -> Vec<Vec<u32>> {
                let along = |way: &dyn Fn(u32) -> u32| {
                    let at = |node: u32| way(grid.coordinate(NodeId(node), axis)) * grid.stride(axis);
                    image.iter().zip(0..).map(|(&to, node)| to + at(node)).collect()
                };
                ways.iter().map(|way| along(way.as_ref())).collect()
            };
            all = all.iter().flat_map(further).collect();
        }
        all
    }
}

/// Periods that differ by no more than twice.
fn periods(grid: &Grid) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new()];
    for &side in grid.sides() {
        let longer = |period: &Vec<u32>| {
            let period = period.clone();
            (1..=side)
                .filter(move |&of| side.is_multiple_of(of))
                .map(move |of| [period.as_slice(), &[of]].concat())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all.retain(|period: &Vec<u32>| {
        period.iter().max() <= period.iter().min().map(|least| 2 * least).as_ref()
    });
    all
}

/// Links that carry alike when every piece has its images: each set counts as one.
#[derive(Debug)]
pub struct Alike<'g> {
    /// The box.
    pub grid: &'g Grid,
    /// By link the number of its set.
    set: Vec<u32>,
    /// By two nodes how many links lie between them.
    apart: Vec<u16>,
    /// By set on how many ways a link of it lies for each way of a first piece over the set: more than one where an image of a link is itself.
    pub weight: Vec<u32>,
}

impl<'g> Alike<'g> {
    /// The links of a box under a symmetry.
    ///
    /// # Complexity
    ///
    /// O(images links + nodes²).
    pub fn new(grid: &'g Grid, symmetry: &Symmetry) -> Self {
        let images = symmetry.images(grid);
        let (mut set, mut weight) = (vec![u32::MAX; grid.links() as usize], Vec::new());
        for node in (0..grid.nodes()).map(NodeId) {
            for (axis, up) in (0..grid.dimensions()).flat_map(|axis| [(axis, true), (axis, false)]) {
                let Some(next) = grid.step(node, axis, up) else { continue };
                let mut many = 0;
                for image in &images {
                    let (from, to) = (NodeId(image[node.index()]), NodeId(image[next.index()]));
                    for_each_link(grid, from, to, |link| {
                        let of = &mut set[link.index()];
                        if *of == u32::MAX {
                            (*of, many) = (weight.len() as u32, many + 1);
                        }
                    });
                }
                weight.extend((images.len() as u32).checked_div(many));
            }
        }
        let all = grid.nodes();
        let hops = |from, to| grid.distance(NodeId(from), NodeId(to)).map_or(0, |hops| hops.0 as u16);
        let apart = (0..all).flat_map(|from| (0..all).map(move |to| hops(from, to))).collect();
        Self { grid, set, weight, apart }
    }

    /// The sets on the way from one node to another.
    pub fn way(&self, from: u32, to: u32, way: &mut Vec<u32>) {
        way.clear();
        for_each_link(self.grid, NodeId(from), NodeId(to), |link| way.push(self.set[link.index()]));
    }

    /// How many links lie between two nodes.
    pub fn hops(&self, from: u32, to: u32) -> u32 {
        self.apart[(from * self.grid.nodes() + to) as usize].into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_network::topology::Machine;

    /// Of the ways of all images each link lies on as many as are counted for its set.
    #[test]
    fn links_carry_alike() {
        for name in ["torus:6x4", "torus:5", "mesh:4x5", "mesh:3x3", "mesh:2x3x4", "hypercube:4"] {
            let machine = Machine::new(name).unwrap();
            let grid = machine.whole_grid().unwrap();
            for symmetry in Symmetry::all(grid, 24) {
                let (alike, images) = (Alike::new(grid, &symmetry), symmetry.images(grid));
                assert_eq!(images[0], (0..grid.nodes()).collect::<Vec<_>>(), "{name} {symmetry}");
                for (from, to) in (0..grid.nodes()).map(|from| (from, (from * 7 + 3) % grid.nodes())) {
                    let (mut carried, mut counted) =
                        (vec![0; grid.links() as usize], vec![0; alike.weight.len()]);
                    for image in &images {
                        let ends = [from, to].map(|node| NodeId(image[node as usize]));
                        for_each_link(grid, ends[0], ends[1], |link| carried[link.index()] += 1);
                    }
                    let mut way = Vec::new();
                    alike.way(from, to, &mut way);
                    way.iter().for_each(|&set| counted[set as usize] += alike.weight[set as usize]);
                    for (link, &many) in carried.iter().enumerate().filter(|(_, many)| **many > 0) {
                        assert_eq!(counted[alike.set[link] as usize], many, "{name} {symmetry}: {from} {to}");
                    }
                }
            }
        }
    }
}
