//! Distances within a group on a mesh or torus on which everything works.

use crate::Group;
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Grid, Topology};

/// How far from each member the farthest member is, by rank.
///
/// ```text
/// mesh:   ecc(v) = max over signs of |max_u(sign . u) - sign . v|
/// torus:  ecc(v) = sum floor(side / 2) - min over members u of d(u, v's antipode)
/// ```
///
/// On a ring of even side m, `d(x, y) = m / 2 - d(x + m / 2, y)`, and the axes add up. On a ring of odd side the antipode
/// lies half-way between two nodes, and the nearer of both counts.
///
/// # Complexity
///
/// Mesh of k dimensions: the less of O(2^k k s) and O(k nodes). Torus: the less of O(k s^2) and O(k nodes).
///
/// # Examples
///
/// ```
/// use meshwright_groups::Group;
/// use meshwright_groups::extent::eccentricities;
/// use meshwright_network::topology::Grid;
/// use meshwright_core::units::NodeId;
/// let ring = Grid::torus(&[8])?;
/// let group = Group::in_order([0, 1, 3].map(NodeId).to_vec());
/// assert_eq!(eccentricities(&ring, &group), [3, 2, 3]);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn eccentricities(grid: &Grid, group: &Group) -> Vec<u32> {
    let nodes = u64::from(grid.nodes());
    let long_axes = grid.sides().iter().filter(|&&side| side > 1).count() as u32;
    let (size, axes) = (u64::from(group.size()), u64::from(long_axes));
    if grid.wraps() {
        if size * size <= 4 * nodes { by_pairs(grid, group) } else { by_antipodes(grid, group) }
    } else if size << long_axes.saturating_sub(1) <= 8 * nodes * axes.max(1) {
        by_signs(grid, group)
    } else {
        by_lines(grid, group)
    }
}

/// The definition.
fn by_pairs(grid: &Grid, group: &Group) -> Vec<u32> {
    let farthest = |&v: &NodeId| {
        let links = |&u: &NodeId| grid.distance(v, u).expect("a box is connected").0;
        group.members().iter().map(links).max().unwrap_or(0)
    };
    group.members().iter().map(farthest).collect()
}

/// Mesh: the distance is the greatest of the differences of `sign . v` over all signs.
fn by_signs(grid: &Grid, group: &Group) -> Vec<u32> {
    let long: Vec<usize> = (0..grid.dimensions()).filter(|&axis| grid.sides()[axis] > 1).collect();
    let mut eccentricity = vec![0; group.members().len()];
    let mut sums = vec![0i32; group.members().len()];
    // One half of the signs is the other half turned round.
    for signs in 0..1u32 << long.len().saturating_sub(1) {
        for (sum, &node) in sums.iter_mut().zip(group.members()) {
            let signed = |(bit, &axis): (usize, &usize)| {
                let c = grid.coordinate(node, axis) as i32;
                if signs >> bit & 1 == 1 { -c } else { c }
            };
            *sum = long.iter().enumerate().map(signed).sum();
        }
        let (least, most) = (sums.iter().min().copied(), sums.iter().max().copied());
        let (least, most) = (least.unwrap_or(0), most.unwrap_or(0));
        for (far, &sum) in eccentricity.iter_mut().zip(&sums) {
            *far = (*far).max((most - sum).max(sum - least) as u32);
        }
    }
    eccentricity
}

/// Below every distance.
const NOBODY: i32 = i32::MIN / 2;

/// Mesh: `max_u sum |v_i - u_i|`, one axis after the other along all lines of the box.
fn by_lines(grid: &Grid, group: &Group) -> Vec<u32> {
    let mut far = vec![NOBODY; grid.nodes() as usize];
    group.members().iter().for_each(|node| far[node.index()] = 0);
    along_all_lines(grid, &mut far, |line| {
        let end = line.len() as i32 - 1;
        let (mut before, mut after) = (vec![NOBODY; line.len()], NOBODY);
        for x in 0..line.len() {
            let last = if x == 0 { NOBODY } else { before[x - 1] + 1 };
            before[x] = line[x].max(last);
        }
        for x in (0..=end as usize).rev() {
            after = line[x].max(after + 1);
            line[x] = before[x].max(after);
        }
    });
    group.members().iter().map(|node| far[node.index()] as u32).collect()
}

/// Torus: by the member nearest the antipode.
fn by_antipodes(grid: &Grid, group: &Group) -> Vec<u32> {
    let mut near = vec![-NOBODY; grid.nodes() as usize];
    group.members().iter().for_each(|node| near[node.index()] = 0);
    along_all_lines(grid, &mut near, |line| {
        let side = line.len();
        // Twice round: the second time every node hears of those behind the seam.
        for at in 1..2 * side {
            line[at % side] = line[at % side].min(line[(at - 1) % side] + 1);
        }
        for at in (0..2 * side - 1).rev() {
            line[at % side] = line[at % side].min(line[(at + 1) % side] + 1);
        }
    });
    // From here on at every node what is nearest its antipode.
    along_all_lines(grid, &mut near, |line| {
        let side = line.len();
        let ahead = |x: usize| (x + side / 2) % side;
        let of_antipode = |x: usize| {
            let own = line[ahead(x)];
            if side % 2 == 0 { own } else { own.min(line[(ahead(x) + 1) % side]) }
        };
        let moved: Vec<i32> = (0..side).map(of_antipode).collect();
        line.copy_from_slice(&moved);
    });
    let half: u32 = grid.sides().iter().map(|side| side / 2).sum();
    group.members().iter().map(|node| half - near[node.index()] as u32).collect()
}

/// Changes the values along every line of every axis.
fn along_all_lines(grid: &Grid, values: &mut [i32], mut change: impl FnMut(&mut [i32])) {
    let mut stride = 1;
    for &side in grid.sides().iter().rev() {
        let side = side as usize;
        let mut line = vec![0; side];
        for block in values.chunks_mut(stride * side) {
            for first in 0..stride {
                let places = (0..side).map(|x| first + x * stride);
                places.clone().zip(&mut line).for_each(|(place, value)| *value = block[place]);
                change(&mut line);
                places.zip(&line).for_each(|(place, &value)| block[place] = value);
            }
        }
        stride *= side;
    }
}

/// The mean of the coordinates of all members, times their number; on a torus there is none.
pub(super) struct Mean {
    size: u64,
    sums: Vec<u64>,
}

impl Mean {
    pub(super) fn new(grid: &Grid, group: &Group) -> Self {
        let axes = if grid.wraps() { 0 } else { grid.dimensions() };
        let coordinate = |axis| move |&node: &NodeId| u64::from(grid.coordinate(node, axis));
        let sum = |axis| group.members().iter().map(coordinate(axis)).sum();
        Self { size: u64::from(group.size()), sums: (0..axes).map(sum).collect() }
    }

    /// s times the links from a node to the mean.
    pub(super) fn distance(&self, grid: &Grid, node: NodeId) -> u64 {
        let away =
            |(axis, sum): (usize, &u64)| (self.size * u64::from(grid.coordinate(node, axis))).abs_diff(*sum);
        self.sums.iter().enumerate().map(away).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_core::rng;
    use rand::RngExt;

    #[test]
    fn four_ways_to_one_eccentricity() {
        let mut random = rng::stream(1, "eccentricity");
        let shapes: &[&[u32]] = &[
            &[7, 9],
            &[8, 6],
            &[1, 11],
            &[12],
            &[1],
            &[2, 2, 2, 2],
            &[3, 4, 5],
            &[2, 5],
            &[1, 4, 1, 3],
            &[2, 3, 4, 5],
        ];
        for shape in shapes {
            let (mesh, torus) = (Grid::mesh(shape).unwrap(), Grid::torus(shape).unwrap());
            for round in 1..20 {
                let keep: Vec<NodeId> =
                    (0..mesh.nodes()).map(NodeId).filter(|_| random.random_range(0..20) < round).collect();
                let group = Group::in_order(keep);
                let by_definition = by_pairs(&mesh, &group);
                assert_eq!(by_definition, by_signs(&mesh, &group), "{shape:?}");
                assert_eq!(by_definition, by_lines(&mesh, &group), "{shape:?}");
                assert_eq!(by_definition, eccentricities(&mesh, &group), "{shape:?}");
                assert_eq!(by_pairs(&torus, &group), by_antipodes(&torus, &group), "{shape:?}");
            }
        }
    }
}
