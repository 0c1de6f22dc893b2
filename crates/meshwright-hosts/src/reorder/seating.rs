//! Where processes are.

use std::collections::BTreeMap;

use super::{Measure, Process};
use crate::launcher::seats::is_same_host;
use meshwright_core::budget;
use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Machine, Network, Topology, distances_from};

/// Distances of so many places stand in a table even where a formula has them.
const TABLE_PLACES: usize = 1 << 11;

/// Where every process of a communicator is: its place, the host of that, and how far places are from each other.
///
/// Places are numbered host by host; several processes may share one.
#[derive(Clone, Debug)]
pub struct Seating {
    /// By process.
    places: Vec<u32>,
    /// By place its host.
    hosts: Vec<u32>,
    /// By place its processes, in increasing order.
    members: Vec<Vec<u32>>,
    distance: Distance,
    /// The nodes of the places, on a machine that was declared.
    pub(super) nodes: Option<(Machine, Vec<NodeId>)>,
}

#[derive(Clone, Debug)]
enum Distance {
    /// By place the numbers of its groups, the outermost first; all have as many.
    Tree { groups: Vec<u32>, depth: usize },
    /// By pair of places.
    Table { hops: Vec<u32>, places: usize },
    /// On a box without holes, by formula.
    Box,
}

impl Seating {
    /// On the machine that the processes find: hosts are one from each other as many levels as lie between them.
    ///
    /// Two processes of one package are 0 hops apart, of two packages of a host 1, of two hosts 2 and one more for each switch
    /// that they do not share.
    ///
    /// # Complexity
    ///
    /// O(n log n) for n processes.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_hosts::reorder::{Process, Seating};
    /// let seating = Seating::found(&["a", "b", "a"].map(|host| Process::on_host(host, 0)));
    /// assert_eq!((seating.hosts(), seating.hops(0, 2), seating.hops(0, 1)), (2, 0, 2));
    /// ```
    pub fn found(processes: &[Process]) -> Self {
        let depth = processes.iter().map(|process| process.path().len()).max().unwrap_or(0);
        // Who names fewer switches hangs at the root: its path is filled at the front.
        let path = |process: &Process| {
            let own = process.path();
            let mut path = vec![String::new(); depth - own.len()];
            path.extend(own);
            path
        };
        // Of equal paths up to a level the group is the same; groups are numbered as they come.
        let mut numbers: Vec<BTreeMap<Vec<String>, u32>> = vec![BTreeMap::new(); depth];
        let mut keys = Vec::with_capacity(processes.len());
        for process in processes {
            let path = path(process);
            let mut group = |level: usize| {
                let known = &mut numbers[level];
                let next = known.len() as u32;
                *known.entry(path[..=level].to_vec()).or_insert(next)
            };
            keys.push((0..depth).map(&mut group).collect::<Vec<u32>>());
        }
        let hosts: Vec<u32> = keys.iter().map(|key| key[depth - 2]).collect();
        let mut seating = Self::sorted(&keys, &hosts);
        let groups = seating.members.iter().flat_map(|members| keys[members[0] as usize].clone()).collect();
        seating.distance = Distance::Tree { groups, depth };
        seating
    }

    /// On a machine that was declared; the world has so many processes.
    ///
    /// | machine | process |
    /// |---|---|
    /// | with hosts (`coordinates:`, `slurm`, `hwloc:`) | on the slot of its host that its number on the host says, over and over if there are fewer slots |
    /// | as many nodes as processes in the world | rank r of the world at the r-th living node |
    /// | as many nodes as hosts | the hosts one after the other, in the order of their least ranks |
    ///
    /// # Errors
    ///
    /// [`Error::Value`] for a machine that is none of these and for a host that it does not name, [`Error::NotApplicable`]
    /// for places that cannot reach each other, [`Error::TooLarge`].
    ///
    /// # Complexity
    ///
    /// O(n log n) for n processes, and for p places on a network without formula a breadth-first search of each.
    pub fn declared(machine: &Machine, processes: &[Process], world: u32) -> Result<Self> {
        let nodes = nodes(machine, processes, world)?;
        let mut known = BTreeMap::new();
        let mut hosts = Vec::with_capacity(processes.len());
        for process in processes {
            let next = known.len() as u32;
            hosts.push(*known.entry(process.seat.host.as_str()).or_insert(next));
        }
        let keys: Vec<Vec<u32>> = hosts.iter().zip(&nodes).map(|(&host, node)| vec![host, node.0]).collect();
        let mut seating = Self::sorted(&keys, &hosts);
        let at: Vec<NodeId> = seating.members.iter().map(|members| nodes[members[0] as usize]).collect();
        seating.distance = Distance::of(machine, &at)?;
        seating.nodes = Some((machine.clone(), at));
        Ok(seating)
    }

    /// Processes of equal keys share a place; places stand in the order of the keys.
    fn sorted(keys: &[Vec<u32>], hosts: &[u32]) -> Self {
        let mut order: Vec<u32> = (0..keys.len() as u32).collect();
        order.sort_unstable_by_key(|&process| (&keys[process as usize], process));
        let mut seating = Self {
            places: vec![0; keys.len()],
            hosts: Vec::new(),
            members: Vec::new(),
            distance: Distance::Box,
            nodes: None,
        };
        for same in order.chunk_by(|a, b| keys[*a as usize] == keys[*b as usize]) {
            same.iter().for_each(|&process| seating.places[process as usize] = seating.members.len() as u32);
            seating.hosts.push(hosts[same[0] as usize]);
            seating.members.push(same.to_vec());
        }
        // Host by host in the order of the places.
        let mut number = BTreeMap::new();
        for host in &mut seating.hosts {
            let next = number.len() as u32;
            *host = *number.entry(*host).or_insert(next);
        }
        seating
    }

    /// How many processes there are.
    pub fn processes(&self) -> u32 {
        self.places.len() as u32
    }

    /// How many hosts there are.
    pub fn hosts(&self) -> u32 {
        self.hosts.last().map_or(0, |last| last + 1)
    }

    /// The hops between two processes.
    pub fn hops(&self, from: u32, to: u32) -> u64 {
        self.hops_of_places(self.places[from as usize], self.places[to as usize])
    }

    pub(super) fn places(&self) -> u32 {
        self.members.len() as u32
    }

    pub(super) fn places_of_processes(&self) -> &[u32] {
        &self.places
    }

    pub(super) fn host(&self, place: u32) -> u32 {
        self.hosts[place as usize]
    }

    /// How many processes share a place.
    pub(super) fn room(&self, place: u32) -> u32 {
        self.members[place as usize].len() as u32
    }

    pub(super) fn hops_of_places(&self, from: u32, to: u32) -> u64 {
        if from == to {
            return 0;
        }
        match &self.distance {
            Distance::Tree { groups, depth } => {
                let group = |place: u32| &groups[place as usize * depth..][..*depth];
                let shared = group(from).iter().zip(group(to)).take_while(|(a, b)| a == b).count();
                (depth - shared) as u64
            }
            Distance::Table { hops, places } => hops[from as usize * places + to as usize].into(),
            Distance::Box => {
                let (machine, nodes) = self.nodes.as_ref().expect("a declared machine");
                let hops = machine.distance(nodes[from as usize], nodes[to as usize]);
                hops.map_or(u64::MAX, |hops| hops.0.into())
            }
        }
    }

    /// The most hops between two places, or a little more.
    pub(super) fn hops_max(&self) -> u64 {
        match &self.distance {
            Distance::Tree { depth, .. } => *depth as u64,
            Distance::Table { hops, .. } => hops.iter().copied().max().unwrap_or(0).into(),
            Distance::Box => {
                let sides = self.nodes.as_ref().expect("a declared machine").0.sides().iter();
                sides.map(|&side| u64::from(side)).sum()
            }
        }
    }

    /// What an edge of this weight costs between two places.
    pub(super) fn cost(&self, from: u32, to: u32, weight: u64) -> Measure {
        if from == to {
            return Measure::ZERO;
        }
        let weight = weight as i64;
        let is_between = self.hosts[from as usize] != self.hosts[to as usize];
        let weighted_hops = weight * self.hops_of_places(from, to) as i64;
        Measure { between_hosts: if is_between { weight } else { 0 }, weighted_hops }
    }

    /// By vertex a process, if these are the places of the vertices: each stays where it is if that is its place.
    pub(super) fn processes_at(&self, places: &[u32]) -> Vec<u32> {
        let stays = |vertex: usize| self.places[vertex] == places[vertex];
        let mut free: Vec<std::vec::IntoIter<u32>> = self
            .members
            .iter()
            .map(|members| {
                let moving: Vec<u32> =
                    members.iter().copied().filter(|&process| !stays(process as usize)).collect();
                moving.into_iter()
            })
            .collect();
        let process = |(vertex, &place): (usize, &u32)| {
            if stays(vertex) {
                vertex as u32
            } else {
                free[place as usize].next().expect("room for every vertex")
            }
        };
        places.iter().enumerate().map(process).collect()
    }
}

impl Distance {
    fn of(machine: &Machine, nodes: &[NodeId]) -> Result<Self> {
        let places = nodes.len();
        let is_box = machine.is_whole() && matches!(machine.network(), Network::Grid(_));
        if is_box && places > TABLE_PLACES {
            return Ok(Self::Box);
        }
        budget::check("the distances of all places", 4 * (places as u64).pow(2))?;
        let mut hops = Vec::with_capacity(places * places);
        for &from in nodes {
            if is_box {
                let to = |&to| machine.distance(from, to).map_or(u32::MAX, |hops| hops.0);
                hops.extend(nodes.iter().map(to));
            } else {
                let all = distances_from(machine, from);
                hops.extend(nodes.iter().map(|to| all[to.index()]));
            }
        }
        if hops.contains(&u32::MAX) {
            return Err(Error::not_applicable(
                "placing ranks",
                "some nodes cannot reach each other".to_string(),
            ));
        }
        Ok(Self::Table { hops, places })
    }
}

/// The node of every process.
fn nodes(machine: &Machine, processes: &[Process], world: u32) -> Result<Vec<NodeId>> {
    if !machine.places().is_empty() {
        return nodes_of_hosts(machine, processes);
    }
    let living: Vec<NodeId> = machine.living().collect();
    if living.len() == world as usize {
        return Ok(processes.iter().map(|process| living[process.world as usize]).collect());
    }
    let mut first: BTreeMap<&str, u32> = BTreeMap::new();
    for process in processes {
        let least = first.entry(&process.seat.host).or_insert(process.world);
        *least = process.world.min(*least);
    }
    let mut hosts: Vec<(u32, &str)> = first.iter().map(|(host, least)| (*least, *host)).collect();
    hosts.sort_unstable();
    if living.len() != hosts.len() {
        let given = format!("{} ({} working nodes)", machine.name(), living.len());
        let expected = format!("a node for each of {world} ranks or of {} hosts", hosts.len());
        return Err(Error::value("machine", given, expected));
    }
    let number: BTreeMap<&str, NodeId> =
        hosts.iter().zip(living).map(|((_, host), node)| (*host, node)).collect();
    Ok(processes.iter().map(|process| number[process.seat.host.as_str()]).collect())
}

/// The node of every process on a machine that names its hosts.
fn nodes_of_hosts(machine: &Machine, processes: &[Process]) -> Result<Vec<NodeId>> {
    let mut slots: BTreeMap<&str, Vec<NodeId>> = BTreeMap::new();
    for place in machine.places().iter().filter(|place| machine.is_alive(place.node)) {
        slots.entry(&place.host).or_default().push(place.node);
    }
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    let mut nodes = Vec::with_capacity(processes.len());
    for process in processes {
        let host = process.seat.host.as_str();
        let short = || slots.iter().find(|(name, _)| is_same_host(name, host)).map(|(_, own)| own);
        let Some(own) = slots.get(host).or_else(short) else {
            let expected = format!("one of the hosts of {}", machine.name());
            return Err(Error::value("host", format!("`{host}`"), expected));
        };
        let count = counts.entry(host).or_default();
        let number = process.seat.started.as_ref().and_then(|told| told.local).unwrap_or(*count);
        *count += 1;
        nodes.push(own[number as usize % own.len()]);
    }
    Ok(nodes)
}
