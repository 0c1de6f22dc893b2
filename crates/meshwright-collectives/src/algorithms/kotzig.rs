//! Two Hamiltonian cycles that share no link, through the product of two rings of lengths even and odd.
//!
//! # Source
//!
//! `kotzig1973` proves that every product of two rings has them; the walk over squares is our own.

use fixedbitset::FixedBitSet;

/// With more nodes none are looked for: each square that is tried costs a walk along all cycles.
const NODES_MAX: usize = 4096;

/// How often every square may be looked at; the most that any torus of at most [`NODES_MAX`] nodes was seen to need is 20.
const ROUNDS: usize = 64;

/// The links of a product of two rings in two colours, two of each colour at every node.
///
/// At first the links along the second ring are red, those along the first are not.
struct Coloured {
    sides: [usize; 2],
    /// By node whether its links to the next node of the first ring and of the second are red.
    red: Vec<[bool; 2]>,
}

impl Coloured {
    fn new(sides: [usize; 2]) -> Self {
        Self { sides, red: vec![[false, true]; sides[0] * sides[1]] }
    }

    /// The node so many steps along a ring.
    fn along(&self, node: usize, ring: usize, steps: usize) -> usize {
        let [length, width] = self.sides;
        match ring {
            0 => (node / width + steps) % length * width + node % width,
            _ => node / width * width + (node % width + steps) % width,
        }
    }

    /// The node of a cycle after this one that was not visited yet.
    fn next(&self, red: bool, node: usize, visited: &FixedBitSet) -> Option<usize> {
        (0..2).find_map(|ring| {
            let (next, before) = (self.along(node, ring, 1), self.along(node, ring, self.sides[ring] - 1));
            let [onward, back] = [self.red[node][ring], self.red[before][ring]].map(|is| is == red);
            let free = |there: usize| !visited.contains(there);
            if onward && free(next) { Some(next) } else { (back && free(before)).then_some(before) }
        })
    }

    /// The cycles of one colour: how many there are, and the first.
    fn cycles(&self, red: bool) -> (usize, Vec<usize>) {
        let mut visited = FixedBitSet::with_capacity(self.red.len());
        let (mut many, mut first) = (0, Vec::new());
        for start in 0..self.red.len() {
            let mut at = Some(start).filter(|&start| !visited.contains(start));
            many += usize::from(at.is_some());
            while let Some(node) = at {
                visited.insert(node);
                if many == 1 {
                    first.push(node);
                }
                at = self.next(red, node, &visited);
            }
        }
        (many, first)
    }

    fn many(&self) -> usize {
        self.cycles(true).0 + self.cycles(false).0
    }

    /// Whether opposite links of the square above a node are of one colour, and the other two of the other.
    fn is_alternate(&self, node: usize) -> bool {
        let [down, right] = [0, 1].map(|ring| self.along(node, ring, 1));
        let [first, second] = self.red[node];
        first != second && self.red[right][0] == first && self.red[down][1] == second
    }

    /// Exchanges the colours of the square above a node: every node keeps two links of each.
    fn exchange(&mut self, node: usize) {
        let [down, right] = [0, 1].map(|ring| self.along(node, ring, 1));
        for (at, ring) in [(node, 0), (node, 1), (right, 0), (down, 1)] {
            self.red[at][ring] ^= true;
        }
    }
}

/// Two cycles through the sums of a node of one ring and a node of the other that share no link; none where the walk finds none, or there
/// are more than 4096 nodes.
///
/// An exchange on the diagonal joins two cycles of each colour. What is left apart is joined by going over all squares in great
/// strides and exchanging each after which there are no more cycles than before.
///
/// # Panics
///
/// When a ring has fewer than three nodes.
///
/// # Complexity
///
/// O(n²) for n nodes on all that were tried.
pub(super) fn two(one: &[u32], other: &[u32]) -> Option<[Vec<u32>; 2]> {
    let sides = [one.len(), other.len()];
    let (nodes, shorter) = (sides[0] * sides[1], sides[0].min(sides[1]));
    assert!(shorter >= 3, "rings");
    if nodes > NODES_MAX {
        return None;
    }
    let mut links = Coloured::new(sides);
    (0..shorter - 1).for_each(|k| links.exchange(k * sides[1] + k));
    let mut many = links.many();
    let stride = stride(nodes);
    let mut at = 0;
    for _ in 0..ROUNDS * nodes {
        if many == 2 {
            let node = |&at: &usize| one[at / sides[1]] + other[at % sides[1]];
            return Some([true, false].map(|red| links.cycles(red).1.iter().map(node).collect()));
        }
        at = (at + stride) % nodes;
        if !links.is_alternate(at) {
            continue;
        }
        links.exchange(at);
        match links.many() {
            now if now <= many => many = now,
            _ => links.exchange(at),
        }
    }
    None
}

/// The least number from the golden part of all on that has no divisor in common with it.
fn stride(nodes: usize) -> usize {
    let shares_none = |&stride: &usize| {
        let (mut a, mut b) = (nodes, stride);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a == 1
    };
    (nodes * 382 / 1000..).find(shares_none).expect("a number less than all nodes, by one, has none")
}
