//! Shortest ways round the holes of a box, found near the straight way.
//!
//! | holes | way |
//! |---|---|
//! | leave a way that always leads nearer | found first port by first port; nodes from which there is none are not entered twice |
//! | block all of these | a search from the target, the nodes first that lie on the shortest ways there could be |
//!
//! Both take, at each node, the first port in port order that leads nearer: the way of
//! [`shortest_path`](super::shortest_path), without a search of the whole machine. A node on a way of d links is at most d
//! links from both ends; the search enters no others.
//!
//! # Source
//!
//! `hart1968` (the search, with the distance on the whole box as the estimate).

use crate::topology::{Grid, Machine, Network, Topology};
use meshwright_core::units::{LinkId, NodeId, Port};

/// A node that no search came to.
const FAR: u32 = u32::MAX;

/// Ways round what is dead on a box.
#[derive(Debug)]
pub(super) struct Detours<'m> {
    machine: &'m Machine,
    grid: &'m Grid,
    target: Option<NodeId>,
    /// Whether no way that always leads nearer goes from a node to the target.
    is_blocked: Vec<bool>,
    blocked: Vec<NodeId>,
    /// The way that is tried: nodes, and the port that is tried next.
    way: Vec<(NodeId, u32)>,
    /// By axis the steps from each coordinate to the source.
    steps: Vec<Vec<u32>>,
    /// By node the links to the target.
    distance: Vec<u32>,
    reached: Vec<NodeId>,
    /// Nodes to look at on ways of as many links as now, of one more, of two more.
    levels: [Vec<NodeId>; 3],
}

impl<'m> Detours<'m> {
    /// No target yet; nothing for a machine that is no box.
    pub(super) fn new(machine: &'m Machine) -> Option<Self> {
        let Network::Grid(grid) = machine.network() else { return None };
        Some(Self {
            machine,
            grid,
            target: None,
            is_blocked: Vec::new(),
            blocked: Vec::new(),
            way: Vec::new(),
            steps: vec![Vec::new(); grid.dimensions()],
            distance: Vec::new(),
            reached: Vec::new(),
            levels: Default::default(),
        })
    }

    /// Appends a way between two living nodes that always leads nearer on the whole box, if there is one.
    pub(super) fn always_nearer(&mut self, from: NodeId, to: NodeId, links: &mut Vec<LinkId>) -> bool {
        self.aim(to);
        self.way.clear();
        self.way.push((from, 0));
        while let Some(&(at, port)) = self.way.last() {
            if at == to {
                let passed = &self.way[..self.way.len() - 1];
                links.extend(passed.iter().map(|&(at, port)| self.grid.link(at, Port(port - 1))));
                return true;
            }
            if port == 0 && self.straight_on(at, to) {
                continue;
            }
            let open = |port: u32| Some((self.nearer(at, to, Port(port))?, port + 1));
            match (port..self.grid.ports(at)).find_map(open) {
                Some((next, tried)) => {
                    self.way.last_mut().expect("it is there").1 = tried;
                    self.way.push((next, 0));
                }
                None => {
                    self.way.pop();
                    self.is_blocked[at.index()] = true;
                    self.blocked.push(at);
                }
            }
        }
        false
    }

    /// Goes along the first axis that leads nearer, as its port is tried first at every node of it, until the way turns, meets a
    /// hole or comes to the border; whether it went at all.
    fn straight_on(&mut self, from: NodeId, to: NodeId) -> bool {
        let ahead = |axis: usize| (axis, self.grid.offset(from, to, axis));
        let Some((axis, (links, up))) =
            (0..self.grid.dimensions()).rev().map(ahead).find(|(_, (links, _))| *links > 0)
        else {
            return false;
        };
        let (c, side, stride) =
            (self.grid.coordinate(from, axis), self.grid.sides()[axis], self.grid.stride(axis));
        let (port, room) = (self.grid.port(axis, up), if up { side - 1 - c } else { c });
        let (before, mut at) = (self.way.len(), from);
        for _ in 0..links.min(room) {
            let next = NodeId(if up { at.0 + stride } else { at.0 - stride });
            if self.is_blocked[next.index()] || !self.machine.leads(at, port, next) {
                break;
            }
            self.way.last_mut().expect("it begins at a node").1 = port.0 + 1;
            self.way.push((next, 0));
            at = next;
        }
        self.way.len() > before
    }

    fn aim(&mut self, target: NodeId) {
        if self.target != Some(target) {
            self.is_blocked.resize(self.machine.nodes() as usize, false);
            self.blocked.drain(..).for_each(|node| self.is_blocked[node.index()] = false);
            self.target = Some(target);
        }
    }

    /// The node behind a port, if it is nearer to the target and not known to be blocked.
    #[inline]
    fn nearer(&self, at: NodeId, to: NodeId, port: Port) -> Option<NodeId> {
        let axis = self.grid.direction(port).0;
        let next = self.machine.neighbour(at, port).filter(|next| !self.is_blocked[next.index()])?;
        (self.grid.offset(next, to, axis).0 < self.grid.offset(at, to, axis).0).then_some(next)
    }

    /// Appends a shortest way between two living nodes, if there is any; how many nodes were entered.
    pub(super) fn around(&mut self, from: NodeId, to: NodeId, links: &mut Vec<LinkId>) -> (bool, usize) {
        let is_reached = self.search(from, to);
        let mut at = from;
        while is_reached && at != to {
            let nearer = self.distance[at.index()] - 1;
            let mut ports = (0..self.grid.ports(at)).map(Port);
            let step = |port| {
                let next = self.machine.neighbour(at, port)?;
                (self.distance[next.index()] == nearer).then_some((port, next))
            };
            let (port, next) = ports.find_map(step).expect("a way was found");
            links.push(self.grid.link(at, port));
            at = next;
        }
        (is_reached, self.reached.len())
    }

    /// Measures the links to the target from all nodes on shortest ways of a source, and from some beside them.
    fn search(&mut self, from: NodeId, to: NodeId) -> bool {
        self.distance.resize(self.machine.nodes() as usize, FAR);
        self.reached.drain(..).for_each(|node| self.distance[node.index()] = FAR);
        self.levels.iter_mut().for_each(Vec::clear);
        for (axis, steps) in self.steps.iter_mut().enumerate() {
            let (here, stride) = (self.grid.coordinate(from, axis), self.grid.stride(axis));
            let base = from.0 - here * stride;
            steps.clear();
            steps.extend(
                (0..self.grid.sides()[axis])
                    .map(|c| self.grid.offset(NodeId(base + c * stride), from, axis).0),
            );
        }
        self.distance[to.index()] = 0;
        self.reached.push(to);
        self.levels[0].push(to);
        while self.levels.iter().any(|level| !level.is_empty()) {
            // All of a level is gone through: every way of so many links is in it.
            while let Some(node) = self.levels[0].pop() {
                self.look_around(node);
            }
            if self.distance[from.index()] != FAR && self.levels_hold_no_shorter(from) {
                return true;
            }
            self.levels.rotate_left(1);
        }
        false
    }

    /// Whether the source was come to in this level, and not only seen from it.
    fn levels_hold_no_shorter(&self, from: NodeId) -> bool {
        !self.levels[1].contains(&from) && !self.levels[2].contains(&from)
    }

    #[inline]
    fn look_around(&mut self, node: NodeId) {
        let distance = self.distance[node.index()] + 1;
        for (axis, steps) in self.steps.iter().enumerate() {
            let (side, stride) = (steps.len() as u32, self.grid.stride(axis));
            let is_ring = self.grid.wraps() && side > 2;
            let c = node.0 / stride % side;
            let base = node.0 - c * stride;
            let above = if c + 1 < side { Some(c + 1) } else { is_ring.then_some(0) };
            let below = if c > 0 { Some(c - 1) } else { is_ring.then_some(side - 1) };
            for (to, up) in [(above, true), (below, false)] {
                let Some(to) = to else { continue };
                let next = NodeId(base + to * stride);
                let known = &mut self.distance[next.index()];
                if *known <= distance || !self.machine.leads(node, self.grid.port(axis, up), next) {
                    continue;
                }
                if *known == FAR {
                    self.reached.push(next);
                }
                *known = distance;
                let more = 1 + steps[to as usize] - steps[c as usize];
                self.levels[more as usize].push(next);
            }
        }
    }
}
