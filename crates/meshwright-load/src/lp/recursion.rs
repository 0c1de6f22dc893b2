//! A bound by recursion over the time that is left: how much load one message can bring, if all of it is to be worked off.

use std::collections::VecDeque;

use super::variant::{Ports, Variant};
use crate::optimum::Paid;
use crate::{Problem, layers};
use meshwright_core::units::{LinkId, NodeId};
use meshwright_network::topology::Topology;

/// The most moments, and the most for all links together.
const MOMENTS_MAX: usize = 20_000;
const CELLS_MAX: usize = 1_500_000;

/// With fewer moments in a start-up its length is not told from that of others.
const PER_STARTUP_MIN: usize = 8;

/// Machines of more links are taken for one all of whose nodes are like its best.
const LINKS_MAX: usize = 300;

/// What is lost when the loads are added up.
const ROUNDING: f64 = 1e-9;

/// Until so many times the bound that is known moments are looked at; if that is too few, once more.
const FAR: f64 = 1.5;

/// A makespan that no schedule beats where every message costs `startup` on every link, in units of w Tcp; at least `least`, which is a
/// bound that is known, and no more where start-ups are paid once.
///
/// ```text
/// V(u -> v, t) = (t - b_v) / w_v + O(v, t)        the most of what has come to v over a link when t is left until the end
/// O(v, t)      = sum over links e out of v, but not v -> u, of G(e, t);   with k ports no more than k P(v, t)
/// G(e, t)      = max over x of  min(V(e, t'), x + G(e, t'))                           t' = t - s - z_e x
/// P(v, t)      = max over x, e of  x + P(v, t'),   x <= V(e, t')
/// bound        = least T with  sum over sources of min(L, V(T - r)) >= 1
/// ```
///
/// s is the start-up, z the time of a link, b_v that of a start-up for every link that results have to cross; no x out of a port is larger
/// than the room of a node. What of a message is worked off by v takes its processor, what is sent on takes its links and ports after the
/// message has come; both can only take longer if other messages come, too. So V holds for all load that comes over a link with t
/// left, G for all that goes over one from then on, and P for all that leaves a port, by induction; a processor counts once for every
/// link, or message, over which load comes to it. Load that goes straight back might as well have stayed; where room is short it might
/// not, and may. Without a front end, on one port, what is sent costs its time as work.
///
/// Time is cut into moments, and everything rounded up.
///
/// # Complexity
///
/// O(links moments), no more than some millions; larger machines are taken for one all of whose nodes are like its best.
///
/// # Source
///
/// `karp1993`: how many terms can be added up in the time that is left, by the same recursion.
///
/// # Examples
///
/// ```
/// use meshwright_core::units::NodeId;
/// use meshwright_load::lp::{Ports, Variant, by_recursion};
/// use meshwright_load::optimum::Paid;
/// use meshwright_load::{Problem, Source};
/// use meshwright_network::topology::Machine;
/// let line = Machine::new("mesh:1x2")?;
/// let problem = Problem::new(&line, vec![Source::at(NodeId(0), 1.0)], 0.1)?;
/// let bound = by_recursion(&problem, &Variant::default(), 0.5, Paid::EveryHop, 0.5);
/// // One message of x that ends with x left: T = 0.5 + 0.1 x + x, T + x = 1.
/// let best = 1.0 - 0.5 / 2.1;
/// assert!(0.999 * best < bound && bound <= best);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn by_recursion(problem: &Problem, variant: &Variant, startup: f64, paid: Paid, least: f64) -> f64 {
    if paid == Paid::Once || startup <= 0.0 {
        return least;
    }
    // What holds where there is room holds with less, too.
    let least = match variant.memory {
        Some(_) => by_recursion(problem, &variant.fluid(), startup, paid, least),
        None => least,
    };
    let unrolled = Unrolled::new(problem, variant, startup);
    let moments = MOMENTS_MAX.min(CELLS_MAX / unrolled.places.len().max(1));
    let mut known = least;
    while known.is_finite() {
        let per_startup = (startup * moments as f64 / (FAR * known)).ceil() as usize;
        if per_startup < PER_STARTUP_MIN || per_startup > moments {
            break;
        }
        let step = startup / per_startup as f64;
        let (last, is_enough) = unrolled.time(per_startup, step, moments);
        known = known.max(last as f64 * step);
        if is_enough || (last as f64 * step) < known {
            break;
        }
    }
    known
}

/// Where load has come to: over a link, or as a source.
struct Place {
    /// The time of the whole load on the processor, and how long before the end that has to be done.
    work: f64,
    late: f64,
    /// Where it can go from there: a place, and the time of the link to it.
    onward: Vec<(usize, f64)>,
}

/// The network with a place for every link, or one for all.
struct Unrolled {
    places: Vec<Place>,
    /// The place of each source, its part of the load, and its release.
    sources: Vec<(usize, f64, f64)>,
    ports: Option<u32>,
    /// Whether what is sent costs its time as work.
    is_blocked: bool,
    /// What fits into one message.
    room: f64,
    startup: f64,
}

impl Unrolled {
    fn new(problem: &Problem, variant: &Variant, startup: f64) -> Self {
        let machine = problem.machine();
        let late = late(problem, variant, startup);
        let mut wires: Vec<(LinkId, NodeId, NodeId)> = Vec::new();
        for from in machine.living() {
            let out = machine.neighbours(from).map(|(link, to)| (link, from, to));
            wires.extend(out.filter(|(link, ..)| problem.link_time(*link).is_finite()));
        }
        let mut leaving = vec![Vec::new(); machine.nodes() as usize];
        wires.iter().enumerate().for_each(|(index, &(_, from, _))| leaving[from.index()].push(index));
        let place = |node: NodeId, from: Option<NodeId>| {
            // Where room is short load may go back and come again.
            let is_way = |wire: &&usize| variant.memory.is_some() || Some(wires[**wire].2) != from;
            let out = leaving[node.index()].iter().filter(is_way);
            let onward = out.map(|&wire| (wire, problem.link_time(wires[wire].0))).collect();
            Place { work: problem.work(node), late: late[node.index()], onward }
        };
        let whole: f64 = problem.sources().iter().map(|source| source.load).sum();
        let mut places: Vec<Place> = Vec::new();
        if wires.len() <= LINKS_MAX {
            places.extend(wires.iter().map(|&(_, from, to)| place(to, Some(from))));
        } else {
            let best = |values: &mut dyn Iterator<Item = f64>| values.fold(f64::INFINITY, f64::min);
            let work = best(&mut machine.living().map(|node| problem.work(node)));
            let time = best(&mut wires.iter().map(|wire| problem.link_time(wire.0)));
            let degree = leaving.iter().map(Vec::len).max().unwrap_or(0);
            let degree = if variant.memory.is_some() { degree } else { degree.saturating_sub(1) };
            places.push(Place { work, late: 0.0, onward: vec![(0, time); degree] });
        }
        let links = places.len();
        let mut sources = Vec::new();
        for source in problem.sources() {
            let mut root = place(source.node, None);
            root.onward.iter_mut().for_each(|(to, _)| *to = (*to).min(links - 1));
            sources.push((places.len(), source.load / whole, source.release));
            places.push(root);
        }
        let ports = match variant.ports {
            Ports::All => None,
            Ports::Few(ports) => Some(ports),
        };
        let is_blocked = !variant.front_end && variant.ports == Ports::ONE;
        let room = variant.memory.unwrap_or(f64::INFINITY);
        Self { places, sources, ports, is_blocked, room, startup }
    }

    /// What leaves a place by a port.
    fn port(&self, place: &Place) -> Lane {
        let time = place.onward.iter().map(|way| way.1).fold(f64::INFINITY, f64::min);
        let work = if self.is_blocked { place.work } else { f64::INFINITY };
        let to = place.onward.iter().map(|way| way.0).collect();
        let (kept, cost) = (1.0 - time / work, self.startup / work);
        Lane { to, is_link: false, room: self.room, kept, cost, ..Lane::of_link(0, time) }
    }

    /// The last moment at which not all can be done, and whether there is a later one.
    fn time(&self, per_startup: usize, step: f64, moments: usize) -> (usize, bool) {
        let mut brings: Vec<Vec<f64>> = vec![Vec::with_capacity(moments); self.places.len()];
        let lanes_of = |place: &Place| {
            let of_link = |&(to, time): &(usize, f64)| Lane::of_link(to, time);
            let links: Vec<Lane> = place.onward.iter().map(of_link).collect();
            (links, self.ports.map(|_| self.port(place)))
        };
        let mut lanes: Vec<(Vec<Lane>, Option<Lane>)> = self.places.iter().map(lanes_of).collect();
        for moment in 0..moments {
            for (place, (own, (links, port))) in self.places.iter().zip(&mut lanes).enumerate() {
                let of_links = links.iter_mut().map(|lane| lane.advance(moment, per_startup, step, &brings));
                let mut sent: f64 = of_links.sum();
                if let (Some(ports), Some(port)) = (self.ports, port) {
                    let most = port.advance(moment, per_startup, step, &brings);
                    sent = sent.min(f64::from(ports) * most);
                }
                let time = (moment as f64 * step - own.late).max(0.0);
                let worked = if own.work == 0.0 { f64::INFINITY } else { time / own.work };
                brings[place].push(worked + sent);
            }
            let done = |&(place, load, release): &(usize, f64, f64)| {
                let left = moment as f64 - (release / step).floor();
                if left < 0.0 { 0.0 } else { brings[place][left as usize].min(load) }
            };
            if self.sources.iter().map(done).sum::<f64>() >= 1.0 - ROUNDING {
                return (moment.saturating_sub(1), true);
            }
        }
        (moments - 1, false)
    }
}

/// By node how long before the end it has to be done so that its results are back.
fn late(problem: &Problem, variant: &Variant, startup: f64) -> Vec<f64> {
    let machine = problem.machine();
    if variant.results == 0.0 {
        return vec![0.0; machine.nodes() as usize];
    }
    let sources = problem.sources().iter().map(|source| source.node);
    let homes: Vec<NodeId> = variant.home.map_or_else(|| sources.collect(), |home| vec![home]);
    let costs = |hops: u32| if hops == u32::MAX { f64::INFINITY } else { f64::from(hops) * startup };
    layers::depths(machine, &homes).into_iter().map(costs).collect()
}

/// Messages one after the other over a link, or out of a port.
struct Lane {
    /// Where they may go to.
    to: Vec<usize>,
    /// Whether that is one node, which works off all of them.
    is_link: bool,
    /// What fits into one message, and the least time of the whole load on a link.
    room: f64,
    time: f64,
    /// What is gained with each part of a load, and lost with each message.
    kept: f64,
    cost: f64,
    /// By moment, the most that can be gained from then on.
    gains: Vec<f64>,
    /// Of a port: moments at which a message of what there is time for ends, those behind the best left out; none below `first`.
    ends: VecDeque<(usize, f64)>,
    /// The first moment at which a message ends that carries no more than can be made use of.
    first: usize,
}

impl Lane {
    fn of_link(to: usize, time: f64) -> Self {
        Self {
            to: vec![to],
            is_link: true,
            room: f64::INFINITY,
            time,
            kept: 1.0,
            cost: 0.0,
            gains: Vec::new(),
            ends: VecDeque::new(),
            first: 0,
        }
    }

    /// The most that can be gained if the next message begins at this moment or later.
    fn advance(&mut self, moment: usize, per_startup: usize, step: f64, brings: &[Vec<f64>]) -> f64 {
        let mut best = self.gains.last().copied().unwrap_or(0.0);
        if let Some(latest) = moment.checked_sub(per_startup)
            && !self.to.is_empty()
            && self.kept > 0.0
        {
            let most =
                |end: usize| self.to.iter().map(|&to| brings[to][end]).fold(0.0, f64::max).min(self.room);
            // A message that ends at a moment ends after the one before: a step is what it may have gained.
            let fits = |end: usize| (latest + 1 - end) as f64 * step / self.time;
            let later = |end: usize| if self.is_link { self.gains[end] } else { 0.0 };
            while self.first <= latest && most(self.first) < fits(self.first) + later(self.first) {
                self.first += 1;
            }
            let first = self.first;
            if let Some(end) = first.checked_sub(1) {
                let later = if self.is_link { 0.0 } else { self.gains[end] };
                best = best.max(most(end) * self.kept + later - self.cost);
            }
            if self.is_link {
                best = best.max(if first <= latest { fits(first) + self.gains[first] } else { 0.0 });
            } else {
                best = best.max(self.fitting(latest, step) - self.cost);
            }
        }
        self.gains.push(best);
        best
    }

    /// The most that can be gained with a message of what there is time for, which ends at the latest then.
    fn fitting(&mut self, latest: usize, step: f64) -> f64 {
        let slope = if self.time > 0.0 { step / self.time * self.kept } else { 0.0 };
        let value = self.gains[latest] - latest as f64 * slope;
        while self.ends.back().is_some_and(|&(_, other)| other <= value) {
            self.ends.pop_back();
        }
        self.ends.push_back((latest, value));
        while self.ends.front().is_some_and(|&(end, _)| end < self.first) {
            self.ends.pop_front();
        }
        self.ends.front().map_or(0.0, |&(_, value)| value + (latest + 1) as f64 * slope)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Source, Speeds};
    use meshwright_core::rng;
    use meshwright_network::topology::Machine;
    use rand::RngExt;

    /// The recursion by its definition, over all ends of all messages, on the same moments.
    fn by_definition(unrolled: &Unrolled, per_startup: usize, step: f64, moments: usize) -> Vec<Vec<f64>> {
        let places = &unrolled.places;
        let mut brings = vec![vec![0.0; moments]; places.len()];
        let mut links: Vec<Vec<Vec<f64>>> =
            places.iter().map(|place| vec![vec![0.0; moments]; place.onward.len()]).collect();
        let mut port = vec![vec![0.0f64; moments]; places.len()];
        for now in 0..moments {
            let ends = || 0..(now + 1).saturating_sub(per_startup);
            let fits = |end: usize, time: f64| (now - per_startup + 1 - end) as f64 * step / time;
            for (here, place) in places.iter().enumerate() {
                for (way, &(to, time)) in place.onward.iter().enumerate() {
                    let of_end =
                        |end: usize| f64::min(brings[to][end], fits(end, time) + links[here][way][end]);
                    links[here][way][now] = ends().map(of_end).fold(0.0, f64::max);
                }
                let time = place.onward.iter().map(|way| way.1).fold(f64::INFINITY, f64::min);
                let most = |end: usize| place.onward.iter().map(|way| brings[way.0][end]).fold(0.0, f64::max);
                let of_end = |end: usize| {
                    let size = f64::min(most(end), fits(end, time)).min(unrolled.room);
                    let takes = if unrolled.is_blocked { unrolled.startup + time * size } else { 0.0 };
                    size - takes / place.work + port[here][end]
                };
                port[here][now] = ends().map(of_end).fold(0.0, f64::max);
            }
            for (here, place) in places.iter().enumerate() {
                let sum: f64 = links[here].iter().map(|link| link[now]).sum();
                let sent = unrolled.ports.map_or(sum, |ports| sum.min(f64::from(ports) * port[here][now]));
                brings[here][now] = (now as f64 * step - place.late).max(0.0) / place.work + sent;
            }
        }
        brings
    }

    #[test]
    fn lanes_find_what_the_definition_says() {
        let mut random = rng::stream(3, "recursion");
        for name in ["mesh:1x3", "mesh:2x3", "torus:3x3", "hypercube:3"] {
            for ports in [Ports::All, Ports::ONE, Ports::Few(2)] {
                for front_end in [true, false] {
                    let machine = Machine::new(name).unwrap();
                    let work = (0..machine.nodes()).map(|_| random.random_range(0.5..2.0)).collect();
                    let link = (0..machine.links()).map(|_| random.random_range(0.1..0.6)).collect();
                    let problem = Problem::new(&machine, vec![Source::at(NodeId(1), 1.0)], 0.3).unwrap();
                    let problem = problem.with_speeds(Speeds { work, link }).unwrap();
                    let results = if random.random_bool(0.5) { 0.3 } else { 0.0 };
                    let memory = random.random_bool(0.5).then_some(0.1);
                    let variant = Variant { ports, front_end, results, memory, ..Variant::default() };
                    let unrolled = Unrolled::new(&problem, &variant, 0.05);
                    let (per_startup, step, moments) = (10, 0.005, 120);
                    let brings = by_definition(&unrolled, per_startup, step, moments);
                    let (source, ..) = unrolled.sources[0];
                    let enough = brings[source].iter().position(|&most| most >= 1.0);
                    let expected = enough.map_or((moments - 1, false), |moment| (moment - 1, true));
                    assert_eq!(unrolled.time(per_startup, step, moments), expected, "{name} {variant:?}");
                }
            }
        }
    }

    /// Sixths and thirds do not add up to 1.
    #[test]
    fn loads_are_whole() {
        let line = Machine::new("mesh:5x1").unwrap();
        let loads = [(2, 0.5, 0.0), (3, 1.0, 0.0), (4, 0.5, 0.5), (0, 1.0, 0.0)];
        let sources = loads.map(|(node, load, release)| Source { release, ..Source::at(NodeId(node), load) });
        let problem = Problem::new(&line, sources.to_vec(), 2.5).unwrap();
        let bound = by_recursion(&problem, &Variant::default(), 0.1, Paid::EveryHop, 0.3);
        assert!(bound < 0.5 + 0.5 / 3.0, "each can keep its load: {bound}");
    }

    /// A binomial tree in a hypercube: on one port nothing is much faster.
    #[test]
    fn one_port_of_a_hypercube_has_a_bound_that_is_attained() {
        let cube = Machine::new("hypercube:4").unwrap();
        let problem = Problem::new(&cube, vec![Source::at(NodeId(0), 1.0)], 0.05).unwrap();
        let one = Variant { ports: Ports::ONE, ..Variant::default() };
        let bound = by_recursion(&problem, &one, 0.05, Paid::EveryHop, 0.0625);
        assert!((1.0 / bound - 4.0127).abs() < 1e-3, "a schedule with a speedup of 4.0122 is known: {bound}");
    }
}
