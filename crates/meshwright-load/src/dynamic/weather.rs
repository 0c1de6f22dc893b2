//! How fast every processor is at every moment.

use meshwright_core::units::NodeId;

/// The factor of a processor that is as fast as planned; factors are multiples of 1 / FULL.
pub const FULL: u32 = 1 << 16;

/// The speeds of all processors over time, as factors of what they were planned to be: constant between changes.
///
/// # Examples
///
/// ```
/// use meshwright_core::units::NodeId;
/// use meshwright_load::dynamic::{FULL, Weather};
/// let weather = Weather::new(2, vec![(NodeId(0), 100, FULL / 2)]);
/// assert_eq!(weather.end(NodeId(0), 0, 100), Some(100), "all before it slows down");
/// assert_eq!(weather.end(NodeId(0), 50, 100), Some(201), "50 cycles, then twice 50, and one for rounding");
/// assert_eq!(weather.end(NodeId(1), 50, 100), Some(150));
/// assert_eq!(weather.done(NodeId(0), 0, 300), 200.0);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weather {
    /// By node the moments of its changes in increasing order, each with the factor from then on.
    changes: Vec<Vec<(u64, u32)>>,
}

impl Weather {
    /// Speeds that change like this, in any order; of changes of a node at one moment the last one counts.
    pub fn new(nodes: u32, changes: Vec<(NodeId, u64, u32)>) -> Self {
        let mut by_node = vec![Vec::new(); nodes as usize];
        for (node, at, factor) in changes {
            by_node[node.index()].push((at, factor));
        }
        by_node.iter_mut().for_each(|changes| changes.sort_by_key(|&(at, _)| at));
        Self { changes: by_node }
    }

    /// Nothing changes.
    pub fn steady(nodes: u32) -> Self {
        Self::new(nodes, Vec::new())
    }

    /// The changes of a node: from when on, and the factor.
    pub fn changes(&self, node: NodeId) -> &[(u64, u32)] {
        &self.changes[node.index()]
    }

    /// From when on a processor does nothing any more.
    pub fn death(&self, node: NodeId) -> Option<u64> {
        let changes = self.changes(node);
        let last = changes.iter().rposition(|&(_, factor)| factor > 0).map_or(0, |at| at + 1);
        changes.get(last).map(|&(at, _)| at)
    }

    /// When a processor ends what takes it `work` cycles at full speed and begins at `start`; never, if it dies before.
    ///
    /// Rounded up to whole cycles, and by one cycle more if the speed changes meanwhile.
    ///
    /// # Complexity
    ///
    /// O(changes of the node).
    pub fn end(&self, node: NodeId, start: u64, work: u64) -> Option<u64> {
        let changes = self.changes(node);
        let next = changes.partition_point(|&(at, _)| at <= start);
        let mut factor = next.checked_sub(1).map_or(FULL, |last| changes[last].1);
        let (mut now, mut left) = (start, u128::from(work) << 16);
        for &(at, then) in &changes[next..] {
            let possible = u128::from(at - now) * u128::from(factor);
            if possible >= left {
                break;
            }
            (left, now, factor) = (left - possible, at, then);
        }
        if factor == 0 {
            return (left == 0).then_some(now);
        }
        let changed = u64::from(now > start);
        Some(now + u64::try_from(left.div_ceil(u128::from(factor))).ok()? + changed)
    }

    /// What a processor can do between two moments, in cycles at full speed.
    ///
    /// # Complexity
    ///
    /// O(changes of the node).
    pub fn done(&self, node: NodeId, from: u64, until: u64) -> f64 {
        let (mut now, mut factor, mut sum) = (from, FULL, 0u128);
        for &(at, then) in self.changes(node) {
            if at >= until {
                break;
            }
            if at > now {
                sum += u128::from(at - now) * u128::from(factor);
                now = at;
            }
            factor = then;
        }
        sum += u128::from(until.saturating_sub(now)) * u128::from(factor);
        sum as f64 / f64::from(FULL)
    }
}
