//! Which messages are in service: limits by source, and virtual channels of links.

use meshwright_network::fabric::{Fabric, Resource};
use meshwright_network::topology::Topology;

/// Places that messages hold while they are in service, and those who wait for them in the order of their arrival.
///
/// A message that waits holds up no other: whoever finds all its places free is admitted.
#[derive(Debug)]
pub(super) struct Service {
    /// The most messages of a group, a network and a source, at a time; 0 if there is no limit.
    most: Vec<u32>,
    busy: Vec<u32>,
    /// The most messages of a link and a side of its ring's border at a time; 0 if there is no limit.
    channels: u32,
    /// By resource and side, how many there are.
    taken: Vec<u32>,
    /// The slots that wait.
    waiting: Vec<u32>,
}

impl Service {
    /// Everything free.
    pub(super) fn new(fabric: &Fabric) -> Self {
        let groups = fabric.planes().len() * fabric.grid().nodes() as usize;
        let nodes = fabric.grid().nodes() as usize;
        let most: Vec<u32> = (0..groups).map(|group| fabric.in_service(group % nodes)).collect();
        let channels = fabric.routers().map_or(0, |routers| routers.channels);
        let taken = if channels > 0 { 2 * fabric.rates().len() } else { 0 };
        Self { busy: vec![0; groups], most, channels, taken: vec![0; taken], waiting: Vec::new() }
    }

    /// Adds the places on its way to those of a message: each link on its side of the border, 0 before it is crossed.
    pub(super) fn places(&self, fabric: &Fabric, route: &[u32], places: &mut Vec<u32>) {
        if self.channels == 0 {
            return;
        }
        let (mut side, mut ring) = (0, None);
        for &resource in route {
            let Resource::Link { node, axis, up, .. } = fabric.resource(resource) else { continue };
            if ring != Some(axis) {
                (side, ring) = (0, Some(axis));
            }
            let at = |node| fabric.grid().coordinate(node, axis);
            if (at(fabric.step(node, axis, up)) > at(node)) != up {
                side = 1;
            }
            places.push(2 * resource + side);
        }
    }

    /// A slot waits from now on.
    pub(super) fn wait(&mut self, slot: u32) {
        self.waiting.push(slot);
    }

    /// Admits everybody whose places are free, in the order of arrival; `group` and `places` are those of a slot.
    pub(super) fn admit<'f>(&mut self, of: impl Fn(u32) -> (usize, &'f [u32]), active: &mut Vec<u32>) {
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.retain(|&slot| {
            let (group, places) = of(slot);
            let most = self.most[group];
            let source_is_free = most == 0 || self.busy[group] < most;
            let free = source_is_free && places.iter().all(|&at| self.taken[at as usize] < self.channels);
            if free {
                self.busy[group] += 1;
                places.iter().for_each(|&at| self.taken[at as usize] += 1);
                active.push(slot);
            }
            !free
        });
        self.waiting = waiting;
    }

    /// A message in service has ended.
    pub(super) fn leave(&mut self, group: usize, places: &[u32]) {
        self.busy[group] -= 1;
        places.iter().for_each(|&at| self.taken[at as usize] -= 1);
    }
}
