//! The same fabric with something else: ports, links, what is shared, memories, routers, processors.

use meshwright_core::csr::Csr;
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Cycles, NodeId, Ratio};

use crate::topology::Topology;

use super::{Fabric, PORTS, Processor, RateTable, Routers, Shared, Ways, positive, slot};

impl Fabric {
    /// The same with rates of injection and ejection at some nodes; `None` leaves a rate as it is.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when there is no such network or node, or a rate is 0.
    pub fn with_ports(
        mut self,
        planes: &[usize],
        nodes: &[NodeId],
        (out, into): (Option<Ratio>, Option<Ratio>),
    ) -> Result<Self> {
        for &plane in planes {
            for &node in nodes {
                let first = self.first(plane, self.inside(node)?)?;
                for (slot, rate) in [(0, out), (1, into)] {
                    if let Some(rate) = rate {
                        self.rates[first + slot] = positive("rate of a port", rate)?;
                    }
                }
            }
        }
        Ok(self)
    }

    /// The same with another rate of the links that leave some nodes along an axis, and the name of their class, in the place of
    /// what was said of them before.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when there is no such network, node or axis, no link leaves these nodes so, or the rate is 0.
    pub fn with_links(
        mut self,
        planes: &[usize],
        nodes: &[NodeId],
        (axis, ups): (usize, &[bool]),
        (class, rate): (&str, Ratio),
    ) -> Result<Self> {
        if axis >= self.grid.dimensions() {
            let expected = format!("an axis from 0 to {}", self.grid.dimensions() - 1);
            return Err(Error::value("axis", axis, expected));
        }
        let (mut described, mut is_any) = (Vec::new(), false);
        for &plane in planes {
            for &node in nodes {
                for &up in ups {
                    let link = self.first(plane, self.inside(node)?)? + PORTS + slot(axis, up);
                    is_any |=
                        self.grid.sides()[axis] > 1 && (self.grid.wraps() || !self.is_border(node, axis, up));
                    self.rates[link] = positive("rate of a link", rate)?;
                    described.push(link as u32);
                }
            }
        }
        described.sort_unstable();
        described.dedup();
        self.classes.retain(|(link, _)| described.binary_search(link).is_err());
        self.classes.extend(described.into_iter().map(|link| (link, class.to_string())));
        self.classes.sort_unstable();
        match is_any {
            true => Ok(self),
            false => {
                Err(Error::value("number of links that are described", 0, "nodes that links leave this way"))
            }
        }
    }

    /// Whether a node is the last of its line.
    fn is_border(&self, node: NodeId, axis: usize, up: bool) -> bool {
        self.grid.coordinate(node, axis) == if up { self.grid.sides()[axis] - 1 } else { 0 }
    }

    /// The same with one more resource that the ports of some nodes share.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when there is no such node or a rate is 0.
    pub fn with_shared(self, shared: Shared) -> Result<Self> {
        self.sharing(vec![shared])
    }

    /// The same with a memory at each of these nodes, which all networks share in both directions; of a node that has one its
    /// rate changes.
    ///
    /// # Errors
    ///
    /// As for [`Fabric::with_shared`].
    pub fn with_memory_rate(mut self, nodes: &[NodeId], rate: Ratio) -> Result<Self> {
        let first = self.rates.len() - self.shared.len();
        let (mut nodes, mut more) = (nodes.to_vec(), Vec::new());
        nodes.sort_unstable();
        nodes.dedup();
        for node in nodes {
            let at = self.grid.coordinates(self.inside(node)?);
            let at: Vec<String> = at.iter().map(u32::to_string).collect();
            let name = format!("memory of ({})", at.join(","));
            let behind = self.shared_out(node).iter().map(|&resource| resource as usize - first);
            match behind.into_iter().find(|&index| self.shared[index].name == name) {
                Some(index) => {
                    self.rates[first + index] = positive("rate of a shared resource", rate)?;
                    self.shared[index].rate = rate;
                }
                None => more.push(Shared { name, nodes: vec![node], ways: Ways::Both, rate }),
            }
        }
        self.sharing(more)
    }

    /// The same with more shared resources, all put in at once: O(nodes + ports that share).
    fn sharing(mut self, more: Vec<Shared>) -> Result<Self> {
        let rows = self.shared_of.rows().enumerate();
        let mut pairs: Vec<(usize, u32)> =
            rows.flat_map(|(row, entries)| entries.iter().map(move |&entry| (row, entry))).collect();
        for shared in more {
            let resource = self.rates.len() as u32;
            self.rates.push(positive("rate of a shared resource", shared.rate)?);
            let mut nodes = shared.nodes.clone();
            nodes.sort_unstable();
            nodes.dedup();
            for node in nodes {
                let row = 2 * self.inside(node)?.index();
                let ways: &[usize] = match shared.ways {
                    Ways::Out => &[0],
                    Ways::In => &[1],
                    Ways::Both => &[0, 1],
                };
                pairs.extend(ways.iter().map(|way| (row + way, resource)));
            }
            self.shared.push(shared);
        }
        self.shared_of = Csr::from_pairs(self.shared_of.len(), pairs.iter().copied());
        Ok(self)
    }

    /// The same with so many messages of some nodes in service at a time, on each network; others wait in the order in
    /// which they come. 1 is one after the other, 0 no limit: all share at max-min fair rates.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when there is no such node.
    pub fn with_in_service(mut self, nodes: &[NodeId], most: u32) -> Result<Self> {
        for &node in nodes {
            let node = self.inside(node)?;
            self.in_service[node.index()] = most;
        }
        Ok(self)
    }

    /// The same with so many cycles of a head over a link.
    pub fn with_hop(mut self, hop: Cycles) -> Self {
        self.hop = hop;
        self
    }

    /// The same with so many cycles of the memory at some nodes, from a request to the first byte of the answer.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when there is no such node.
    pub fn with_memory(mut self, nodes: &[NodeId], memory: Cycles) -> Result<Self> {
        for &node in nodes {
            let node = self.inside(node)?;
            self.memory[node.index()] = memory;
        }
        Ok(self)
    }

    /// The same with routers that move flits.
    ///
    /// # Errors
    ///
    /// As for [`Routers::check`].
    pub fn with_routers(mut self, routers: Routers) -> Result<Self> {
        routers.check()?;
        self.routers = Some(routers);
        Ok(self)
    }

    /// The same with another bandwidth by message size.
    pub fn with_rate_table(mut self, rate_table: RateTable) -> Self {
        self.rate_table = rate_table;
        self
    }

    /// The same with these kinds of processors at every node.
    pub fn with_processors(mut self, processors: Vec<Processor>) -> Self {
        self.processors = processors;
        self
    }
}
