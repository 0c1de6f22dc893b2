//! Pairs of vertices that change places, as long as that gains.

use meshwright_core::units::Port;
use meshwright_network::topology::Topology;

use super::{Job, Measure, Seating};

/// Times all vertices are looked at, at most.
const PASSES: usize = 16;
/// A vertex looks around so many of those it talks to, most of all.
const PARTNERS: usize = 8;
/// At a place it looks at so many.
const LOOKED_AT: usize = 32;

/// Lets vertices change places; whether nothing was left to do when it ended.
///
/// A vertex may go to the places of those it talks to, and to places one link from there; whom it drives away takes its old
/// place. The first change that gains is made.
///
/// # Complexity
///
/// O(c d^2) for each vertex and pass, for c processes a place and d neighbours.
pub(super) fn exchange(job: &Job<'_>, places: &mut [u32]) -> bool {
    let mut members = vec![Vec::new(); job.seating.places() as usize];
    (0..).zip(places.iter()).for_each(|(vertex, &place)| members[place as usize].push(vertex));
    let around = Around::new(job.seating);
    let mut state = Exchange { job, places, members };
    let mut looked_at = Vec::new();
    for _ in 0..PASSES {
        let mut gained = false;
        for vertex in 0..job.topology.vertices() {
            if vertex % 64 == 0 && !(job.goes_on)() {
                return false;
            }
            around.of(&state, vertex, &mut looked_at);
            gained |= state.improve(vertex, &looked_at);
        }
        if !gained {
            return true;
        }
    }
    true
}

struct Exchange<'a> {
    job: &'a Job<'a>,
    places: &'a mut [u32],
    members: Vec<Vec<u32>>,
}

impl Exchange<'_> {
    /// Makes the first change with somebody at these places that gains; whether there was one.
    fn improve(&mut self, vertex: u32, looked_at: &[u32]) -> bool {
        let own = self.places[vertex as usize];
        for &place in looked_at.iter().filter(|place| **place != own) {
            let leaving = self.change(vertex, own, place, vertex);
            // Where two gain together one of them gains alone: it is found from there.
            if leaving >= Measure::ZERO {
                continue;
            }
            let index = self.members[place as usize].iter().take(LOOKED_AT).position(|&other| {
                let mut change = self.change(other, place, own, vertex);
                change.add(leaving);
                // An edge between the two costs the same as before.
                let both = self.job.topology.neighbours(vertex).iter().find(|(to, _)| *to == other);
                if let Some(&(_, weight)) = both {
                    let cost = self.job.seating.cost(own, place, weight);
                    change.between_hosts += cost.between_hosts;
                    change.weighted_hops += cost.weighted_hops;
                }
                change < Measure::ZERO
            });
            if let Some(index) = index {
                let other = self.members[place as usize][index];
                self.members[place as usize][index] = vertex;
                let old = self.members[own as usize].iter_mut().find(|member| **member == vertex);
                *old.expect("it stands at its place") = other;
                self.places.swap(vertex as usize, other as usize);
                return true;
            }
        }
        false
    }

    /// What it costs more when a vertex goes, and nobody else moves but `but`, to which nothing counts.
    fn change(&self, vertex: u32, from: u32, to: u32, but: u32) -> Measure {
        let mut sum = Measure::ZERO;
        for &(partner, weight) in self.job.topology.neighbours(vertex).iter().filter(|(who, _)| *who != but) {
            let at = self.places[partner as usize];
            sum.add(self.job.seating.cost(to, at, weight));
            let old = self.job.seating.cost(from, at, weight);
            sum.add(Measure { between_hosts: -old.between_hosts, weighted_hops: -old.weighted_hops });
        }
        sum
    }
}

/// The places next to each.
struct Around {
    next: Vec<Vec<u32>>,
}

impl Around {
    fn new(seating: &Seating) -> Self {
        let Some((machine, nodes)) = &seating.nodes else { return Self { next: Vec::new() } };
        let mut place_of = vec![u32::MAX; machine.nodes() as usize];
        (0..).zip(nodes).for_each(|(place, node)| place_of[node.index()] = place);
        let next = nodes.iter().map(|&node| {
            let ports = (0..machine.ports(node)).map(Port);
            let next = ports.filter_map(|port| machine.neighbour(node, port));
            next.map(|node| place_of[node.index()]).filter(|&place| place != u32::MAX).collect()
        });
        Self { next: next.collect() }
    }

    /// The places of those whom a vertex talks to most, and those next to them.
    fn of(&self, state: &Exchange<'_>, vertex: u32, looked_at: &mut Vec<u32>) {
        let mut partners = state.job.topology.neighbours(vertex).to_vec();
        if partners.len() > PARTNERS {
            partners.select_nth_unstable_by_key(PARTNERS, |&(to, weight)| (std::cmp::Reverse(weight), to));
            partners.truncate(PARTNERS);
        }
        looked_at.clear();
        for (partner, _) in partners {
            let place = state.places[partner as usize];
            looked_at.push(place);
            looked_at.extend(self.next.get(place as usize).into_iter().flatten());
        }
        looked_at.sort_unstable();
        looked_at.dedup();
    }
}
