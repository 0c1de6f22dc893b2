//! A maximum flow along shortest paths, and its cut.
//!
//! # Source
//!
//! `dinitz1970`.

/// A network with capacities in ticks.
#[derive(Debug)]
pub(super) struct Network {
    /// By node its arcs.
    arcs_of: Vec<Vec<u32>>,
    /// Target and what may still cross; an arc and the one back differ in the last bit.
    arcs: Vec<(u32, u128)>,
    level: Vec<u32>,
    next: Vec<usize>,
}

impl Network {
    pub(super) fn new(nodes: usize) -> Self {
        Self {
            arcs_of: vec![Vec::new(); nodes],
            arcs: Vec::new(),
            level: vec![0; nodes],
            next: vec![0; nodes],
        }
    }

    pub(super) fn arc(&mut self, from: u32, to: u32, capacity: u128) {
        self.arcs_of[from as usize].push(self.arcs.len() as u32);
        self.arcs_of[to as usize].push(self.arcs.len() as u32 + 1);
        self.arcs.extend([(to, capacity), (from, 0)]);
    }

    /// The greatest flow.
    ///
    /// # Complexity
    ///
    /// O(nodes^2 arcs), by far less on machines.
    pub(super) fn most(&mut self, from: u32, to: u32) -> u128 {
        let mut flow = 0;
        while self.levels(from, to) {
            self.next.fill(0);
            while let Some(more) = self.path(from, to) {
                flow += more;
            }
        }
        flow
    }

    /// By node whether it can still be got to: the side of the source, once the flow is the greatest.
    pub(super) fn side(&self) -> Vec<bool> {
        self.level.iter().map(|&level| level != u32::MAX).collect()
    }

    /// Distances over arcs with room; whether the sink is among them.
    fn levels(&mut self, from: u32, to: u32) -> bool {
        self.level.fill(u32::MAX);
        self.level[from as usize] = 0;
        let mut queue = vec![from];
        let mut done = 0;
        while done < queue.len() {
            let at = queue[done] as usize;
            done += 1;
            for &arc in &self.arcs_of[at] {
                let (target, room) = self.arcs[arc as usize];
                if room > 0 && self.level[target as usize] == u32::MAX {
                    self.level[target as usize] = self.level[at] + 1;
                    queue.push(target);
                }
            }
        }
        self.level[to as usize] != u32::MAX
    }

    /// One more shortest path, filled.
    fn path(&mut self, from: u32, to: u32) -> Option<u128> {
        let mut path: Vec<u32> = Vec::new();
        let mut at = from;
        while at != to {
            let of = &self.arcs_of[at as usize];
            let goes = |&arc: &u32| {
                let (target, room) = self.arcs[arc as usize];
                room > 0 && self.level[target as usize] == self.level[at as usize] + 1
            };
            match of[self.next[at as usize]..].iter().position(goes) {
                Some(more) => {
                    self.next[at as usize] += more;
                    let arc = of[self.next[at as usize]];
                    path.push(arc);
                    at = self.arcs[arc as usize].0;
                }
                None => {
                    let back = path.pop()?;
                    at = self.arcs[back as usize ^ 1].0;
                    self.next[at as usize] += 1;
                }
            }
        }
        let least = path.iter().map(|&arc| self.arcs[arc as usize].1).min()?;
        for &arc in &path {
            self.arcs[arc as usize].1 -= least;
            self.arcs[arc as usize ^ 1].1 += least;
        }
        Some(least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The greatest flow is the least cut, of all cuts.
    #[test]
    fn the_flow_is_the_least_cut() {
        let arcs = [(0, 1, 3), (0, 2, 2), (1, 2, 5), (1, 3, 2), (2, 4, 4), (3, 5, 9), (4, 3, 1), (4, 5, 2)];
        let mut network = Network::new(6);
        arcs.iter().for_each(|&(from, to, capacity)| network.arc(from, to, capacity));
        let crossing = |is_in: &dyn Fn(u32) -> bool| -> u128 {
            arcs.iter().filter(|arc| is_in(arc.0) && !is_in(arc.1)).map(|arc| arc.2).sum()
        };
        let cuts = (0..1u32 << 6).filter(|set| set & 1 == 1 && set >> 5 & 1 == 0);
        let least = cuts.map(|set| crossing(&|node| set >> node & 1 == 1)).min().unwrap();
        assert_eq!(network.most(0, 5), least);
        let side = network.side();
        assert_eq!(crossing(&|node| side[node as usize]), least);
    }
}
