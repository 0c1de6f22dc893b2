//! The time of a barrier on a tree, if nobody is in the way but sending and receiving take time.

use super::Tree;

/// What a message between members costs, all in one unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delays {
    /// For every link it crosses.
    pub link: u64,
    /// alpha: for its sender, and once more for its receiver; a node sends or receives one message at a time.
    pub overhead: u64,
}

impl Default for Delays {
    /// Steps of the mesh: one for each link and nothing else.
    fn default() -> Self {
        Self { link: 1, overhead: 0 }
    }
}

impl Delays {
    /// What no barrier can beat in which two members are so many links apart: one message says so, at the least.
    ///
    /// ```text
    /// D link + 2 alpha,  0 for D = 0
    /// ```
    pub fn bound(&self, diameter: u32) -> u64 {
        if diameter == 0 { 0 } else { u64::from(diameter) * self.link + 2 * self.overhead }
    }
}

/// How long a barrier takes from the moment when all members have come until the last one goes on.
///
/// Up: a member takes reports as they arrive, alpha for each, and then sends its own, for alpha. Down: it sends alpha by
/// alpha, first to the child below which most is left to do. Both halves are the best their tree admits, and take the
/// same time: one is the other backwards.
///
/// ```text
/// below(v) = max over children c_1, c_2, .. in the order in which it falls of
///            i alpha + link d(v, c_i) + alpha + below(c_i),         barrier = 2 below(root)
/// ```
///
/// With alpha = 0 that is 2 H times the delay of a link.
///
/// # Panics
///
/// When there is not one length for each vertex, that of the edge to its parent.
///
/// # Complexity
///
/// O(s log s).
///
/// # Examples
///
/// ```
/// use meshwright_groups::barrier_time::{Delays, barrier};
/// use meshwright_groups::Tree;
/// // Children at 1 and at 5 links.
/// let tree = Tree::new(1, vec![1, Tree::NONE, 1]);
/// let delays = |overhead| Delays { link: 1, overhead };
/// assert_eq!(barrier(&tree, &[1, 0, 5], delays(0)), 2 * 5);
/// assert_eq!(barrier(&tree, &[1, 0, 5], delays(2)), 2 * (2 + 5 + 2), "the near child is told second");
/// ```
pub fn barrier(tree: &Tree, edge_links: &[u32], delays: Delays) -> u64 {
    2 * down(tree, edge_links, delays)
}

/// How long the news of the root takes to all members.
pub fn down(tree: &Tree, edge_links: &[u32], delays: Delays) -> u64 {
    assert_eq!(edge_links.len(), tree.size() as usize, "a length for each edge");
    let Delays { link, overhead } = delays;
    let mut below = vec![0u64; edge_links.len()];
    let mut left = Vec::new();
    for &rank in tree.top_down().iter().rev() {
        let tail =
            |&child: &u32| u64::from(edge_links[child as usize]) * link + overhead + below[child as usize];
        left.clear();
        left.extend(tree.children(rank).iter().map(tail));
        left.sort_unstable_by(|a, b| b.cmp(a));
        let ends = (1..).zip(&left).map(|(messages, tail)| messages * overhead + tail);
        below[rank as usize] = ends.max().unwrap_or(0);
    }
    below[tree.root() as usize]
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_core::rng;
    use rand::RngExt;

    /// The way up, played through: reports taken as they arrive.
    fn up(tree: &Tree, edge_links: &[u32], delays: Delays) -> u64 {
        let mut ready = vec![0; edge_links.len()];
        for &rank in tree.top_down().iter().rev() {
            let arrival = |&child: &u32| {
                ready[child as usize] + delays.overhead + u64::from(edge_links[child as usize]) * delays.link
            };
            let mut arrivals: Vec<u64> = tree.children(rank).iter().map(arrival).collect();
            arrivals.sort_unstable();
            let mut now = 0;
            for arrival in arrivals {
                now = arrival.max(now) + delays.overhead;
            }
            ready[rank as usize] = now;
        }
        ready[tree.root() as usize]
    }

    /// The way down with the children of every vertex told in the best of all orders.
    fn best_down(tree: &Tree, rank: u32, edge_links: &[u32], delays: Delays) -> u64 {
        fn orders(left: &mut Vec<u64>, at: usize, alpha: u64, best: &mut u64) {
            if at == left.len() {
                let ends = (1..).zip(left.iter()).map(|(i, tail)| i * alpha + tail);
                *best = (*best).min(ends.max().unwrap_or(0));
            }
            for other in at..left.len() {
                left.swap(at, other);
                orders(left, at + 1, alpha, best);
                left.swap(at, other);
            }
        }
        let tail = |&child: &u32| {
            let link = u64::from(edge_links[child as usize]) * delays.link;
            link + delays.overhead + best_down(tree, child, edge_links, delays)
        };
        let mut best = u64::MAX;
        orders(&mut tree.children(rank).iter().map(tail).collect(), 0, delays.overhead, &mut best);
        best
    }

    #[test]
    fn down_is_the_best_order_and_up_backwards() {
        let mut random = rng::stream(5, "barrier time");
        for size in 1..60u32 {
            let mut parent = vec![Tree::NONE];
            let mut edges = vec![0];
            for rank in 1..size {
                parent.push(random.random_range(rank.saturating_sub(4)..rank));
                edges.push(random.random_range(1..20));
            }
            let tree = Tree::new(0, parent);
            for overhead in [0, 1, 5, 40] {
                let delays = Delays { link: 2, overhead };
                let time = down(&tree, &edges, delays);
                assert_eq!(time, up(&tree, &edges, delays));
                assert_eq!(time, best_down(&tree, 0, &edges, delays));
                assert_eq!(barrier(&tree, &edges, delays), 2 * time);
            }
        }
    }
}
