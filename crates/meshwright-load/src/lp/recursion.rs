//! A bound by recursion over the time that is left: how much load one message can bring, if all of it is to be worked off.

use super::lane::{Grid, Lane};
use super::variant::{Ports, Variant};
use crate::optimum::Paid;
use crate::{Problem, layers};
use meshwright_core::units::NodeId;
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
/// W(T)         = min( sum over sources of min(L, V(T - r)),   W(T - d) + d sum over v of 1 / w_v )
/// bound        = least T with  W(T) >= 1;   with results, of the same going backwards,  W(T - t) + W'(t) >= 1 for each t, too
/// ```
///
/// s is the start-up, z the time of a link, b_v that of a start-up for every link that results have to cross; no x out of a port is larger
/// than the room of a node. What of a message is worked off by v takes its processor, what is sent on takes its links and ports after the
/// message has come; both can only take longer if other messages come, too. So V holds for all load that comes over a link with t
/// left, G for all that goes over one from then on, and P for all that leaves a port, by induction. A processor counts in V once for every
/// link, or message, over which load comes to it; W counts it once. Load that goes straight back might as well have stayed; where room is
/// short it might not, and may. Without a front end there is one port, and what is sent costs its time as work.
///
/// W' follows the results, backwards in time: what is done until T - t has come by then, and the results of what is done later come home
/// in the t that are left. Time is cut into moments, and everything rounded up.
///
/// # Complexity
///
/// O(links moments), no more than some millions; larger machines are taken for one all of whose nodes are like its best.
///
/// # Source
///
/// `karp1993`: how many terms can be added up in the time that is left, by the same recursion. Theorems 10 and 11 of
/// `docs/divisible-load.md`.
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
    let unrolled = |followed| Unrolled::new(problem, variant, startup, followed);
    let loads = unrolled(Followed::Loads);
    let known = refined(&loads, least, &|grid| loads.time(grid));
    if variant.results == 0.0 {
        return known;
    }
    let both = [unrolled(Followed::LoadsAlone), unrolled(Followed::Results)];
    refined(&loads, known, &|grid| time_of_both(&both, grid))
}

/// The greatest bound that is found with finer moments; `time` tells the last moment at which not all can be done, and whether there is a
/// later one.
fn refined(unrolled: &Unrolled, least: f64, time: &dyn Fn(Grid) -> (usize, bool)) -> f64 {
    let startup = unrolled.startup;
    let moments = MOMENTS_MAX.min(CELLS_MAX / unrolled.places.len().max(1));
    let mut known = least;
    while known.is_finite() {
        let per_startup = (startup * moments as f64 / (FAR * known)).ceil() as usize;
        if per_startup < PER_STARTUP_MIN || per_startup > moments {
            break;
        }
        let step = startup / per_startup as f64;
        let (last, is_enough) = time(Grid { per_startup, step, moments });
        known = known.max(last as f64 * step);
        if is_enough || (last as f64 * step) < known {
            break;
        }
    }
    known
}

/// The last moment at which not all can be done if loads take a part of the time to come, and results the rest to return, and whether
/// there is a later one.
fn time_of_both([there, back]: &[Unrolled; 2], grid: Grid) -> (usize, bool) {
    let [loads, results] = [there.curves(grid), back.curves(grid)];
    let done = |moment: usize| -> f64 {
        let of_source = |(index, source): (usize, &Origin)| {
            let Some(left) = moment.checked_sub(source.release(grid)) else { return 0.0 };
            let done = |back: usize| loads.of_source(index, left - back) + results.of_source(index, back);
            (0..=left).map(done).fold(source.load, f64::min)
        };
        let of_sources: f64 = there.sources.iter().enumerate().map(of_source).sum();
        (0..=moment).map(|back| loads.sum(moment - back) + results.sum(back)).fold(of_sources, f64::min)
    };
    let (mut low, mut high) = (0, grid.moments);
    while high - low > 1 {
        let middle = low.midpoint(high);
        if is_enough(done(middle)) { high = middle } else { low = middle }
    }
    (low, high < grid.moments)
}

/// What goes through the network in a recursion.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Followed {
    /// Loads, worked off so early that their results can be back.
    Loads,
    /// Loads, whatever comes of their results.
    LoadsAlone,
    /// Results, from the end to the begin.
    Results,
}

/// Where load has come to: over a link, or as a source.
struct Place {
    /// The time of the whole load on the processor, and how long before the end that has to be done.
    work: f64,
    late: f64,
    /// Where it can go from there: a place, and the time of the link to it.
    onward: Vec<(usize, f64)>,
}

/// Where a load begins: its place, its part of all loads, and when it is released.
struct Origin {
    place: usize,
    load: f64,
    release: f64,
}

/// By moment, how much of the load can be done in that time.
struct Curves {
    of_sources: Vec<Vec<f64>>,
    /// Of all loads; no processor does more than one thing at a time.
    sums: Vec<f64>,
}

/// The network with a place for every link, or one for all.
struct Unrolled {
    places: Vec<Place>,
    sources: Vec<Origin>,
    /// What all processors together do in a unit of time.
    rate: f64,
    ports: Option<u32>,
    /// Whether what is sent costs its time as work.
    is_blocked: bool,
    /// What fits into one message.
    room: f64,
    startup: f64,
}

impl Unrolled {
    fn new(problem: &Problem, variant: &Variant, startup: f64, followed: Followed) -> Self {
        let machine = problem.machine();
        let late = match followed {
            Followed::Loads => late(problem, variant, startup),
            _ => vec![0.0; machine.nodes() as usize],
        };
        let wires = wires(problem, variant, followed);
        let memory = variant.memory.filter(|_| followed != Followed::Results);
        let mut leaving = vec![Vec::new(); machine.nodes() as usize];
        wires.iter().enumerate().for_each(|(index, &(_, from, _))| leaving[from.index()].push(index));
        let place = |node: NodeId, from: Option<NodeId>| {
            // Where room is short load may go back and come again.
            let is_way = |wire: &&usize| memory.is_some() || Some(wires[**wire].2) != from;
            let out = leaving[node.index()].iter().filter(is_way);
            let onward = out.map(|&wire| (wire, wires[wire].0)).collect();
            Place { work: problem.work(node), late: late[node.index()], onward }
        };
        let whole: f64 = problem.sources().iter().map(|source| source.load).sum();
        let mut places: Vec<Place> = Vec::new();
        if wires.len() <= LINKS_MAX {
            places.extend(wires.iter().map(|&(_, from, to)| place(to, Some(from))));
        } else {
            let best = |values: &mut dyn Iterator<Item = f64>| values.fold(f64::INFINITY, f64::min);
            let work = best(&mut machine.living().map(|node| problem.work(node)));
            let time = best(&mut wires.iter().map(|wire| wire.0));
            let degree = leaving.iter().map(Vec::len).max().unwrap_or(0);
            let degree = if memory.is_some() { degree } else { degree.saturating_sub(1) };
            places.push(Place { work, late: 0.0, onward: vec![(0, time); degree] });
        }
        let links = places.len();
        let mut sources = Vec::new();
        for source in problem.sources() {
            let (node, release) = match followed == Followed::Results {
                true => (variant.home.unwrap_or(source.node), 0.0),
                false => (source.node, source.release),
            };
            let mut root = place(node, None);
            root.onward.iter_mut().for_each(|(to, _)| *to = (*to).min(links - 1));
            sources.push(Origin { place: places.len(), load: source.load / whole, release });
            places.push(root);
        }
        let ports = match variant.ports {
            _ if !variant.front_end => Some(1),
            Ports::All => None,
            Ports::Few(ports) => Some(ports),
        };
        let is_blocked = !variant.front_end;
        let room = memory.unwrap_or(f64::INFINITY);
        let rate = machine.living().map(|node| 1.0 / problem.work(node)).sum();
        Self { places, sources, rate, ports, is_blocked, room, startup }
    }

    /// What leaves a place by a port.
    fn port(&self, place: &Place) -> Lane {
        let time = place.onward.iter().map(|way| way.1).fold(f64::INFINITY, f64::min);
        let work = if self.is_blocked { place.work } else { f64::INFINITY };
        let to = place.onward.iter().map(|way| way.0).collect();
        let (kept, cost) = (1.0 - time / work, self.startup / work);
        Lane::of_port(to, time, self.room, (kept, cost))
    }

    /// The last moment at which not all can be done, and whether there is a later one.
    fn time(&self, grid: Grid) -> (usize, bool) {
        let sums = self.curves(grid).sums;
        let is_enough = sums.last().is_some_and(|&most| is_enough(most));
        (sums.len().saturating_sub(if is_enough { 2 } else { 1 }), is_enough)
    }

    /// What can be done in so much time, moment by moment until that is enough.
    fn curves(&self, grid: Grid) -> Curves {
        let mut brings: Vec<Vec<f64>> = vec![Vec::with_capacity(grid.moments); self.places.len()];
        let lanes_of = |place: &Place| {
            let of_link = |&(to, time): &(usize, f64)| Lane::of_link(to, time);
            let links: Vec<Lane> = place.onward.iter().map(of_link).collect();
            (links, self.ports.map(|_| self.port(place)))
        };
        let mut lanes: Vec<(Vec<Lane>, Option<Lane>)> = self.places.iter().map(lanes_of).collect();
        let mut sums: Vec<f64> = Vec::new();
        for moment in 0..grid.moments {
            for (place, (own, (links, port))) in self.places.iter().zip(&mut lanes).enumerate() {
                let of_links = links.iter_mut().map(|lane| lane.advance(moment, grid, &brings));
                let mut sent: f64 = of_links.sum();
                if let (Some(ports), Some(port)) = (self.ports, port) {
                    let most = port.advance(moment, grid, &brings);
                    sent = sent.min(f64::from(ports) * most);
                }
                let time = (moment as f64 * grid.step - own.late).max(0.0);
                let worked = if own.work == 0.0 { f64::INFINITY } else { time / own.work };
                brings[place].push(worked + sent);
            }
            let done = |source: &Origin| {
                let left = moment.checked_sub(source.release(grid));
                left.map_or(0.0, |left| brings[source.place][left].min(source.load))
            };
            let sum: f64 = self.sources.iter().map(done).sum();
            let by_rate = sums.last().map_or(f64::INFINITY, |before| before + self.rate * grid.step);
            sums.push(sum.min(by_rate));
            if is_enough(sums[moment]) {
                break;
            }
        }
        let of_source = |source: &Origin| brings[source.place].clone();
        Curves { of_sources: self.sources.iter().map(of_source).collect(), sums }
    }
}

impl Curves {
    fn of_source(&self, source: usize, moment: usize) -> f64 {
        self.of_sources[source].get(moment).copied().unwrap_or(f64::INFINITY)
    }

    fn sum(&self, moment: usize) -> f64 {
        self.sums.get(moment).copied().unwrap_or(f64::INFINITY)
    }
}

impl Origin {
    fn release(&self, grid: Grid) -> usize {
        (self.release / grid.step) as usize
    }
}

/// Whether so much is all.
fn is_enough(done: f64) -> bool {
    done >= 1.0 - ROUNDING
}

/// The links that can carry something: the time of all, from and to which node it goes.
fn wires(problem: &Problem, variant: &Variant, followed: Followed) -> Vec<(f64, NodeId, NodeId)> {
    let machine = problem.machine();
    let mut wires = Vec::new();
    for from in machine.living() {
        for (link, to) in machine.neighbours(from) {
            let time = problem.link_time(link);
            wires.push(match followed == Followed::Results {
                true => (time * variant.results, to, from),
                false => (time, from, to),
            });
        }
    }
    wires.retain(|wire| wire.0.is_finite());
    wires
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Source, Speeds};
    use meshwright_core::rng;
    use meshwright_network::topology::Machine;
    use rand::RngExt;

    /// The recursion by its definition, over all ends of all messages, on the same moments.
    fn by_definition(unrolled: &Unrolled, Grid { per_startup, step, moments }: Grid) -> Vec<Vec<f64>> {
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
                    let unrolled = Unrolled::new(&problem, &variant, 0.05, Followed::Loads);
                    let grid = Grid { per_startup: 10, step: 0.005, moments: 120 };
                    let brings = by_definition(&unrolled, grid);
                    let mut most: f64 = 0.0;
                    let enough = brings[unrolled.sources[0].place].iter().position(|&brought| {
                        most = brought.min(most + unrolled.rate * grid.step);
                        most >= 1.0
                    });
                    let expected = enough.map_or((grid.moments - 1, false), |moment| (moment - 1, true));
                    assert_eq!(unrolled.time(grid), expected, "{name} {variant:?}");
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

    /// Loads take a part of the time, and their results another: with loads alone the bound is a speedup of 6.73.
    #[test]
    fn loads_and_results_share_the_time() {
        let cube = Machine::new("hypercube:4").unwrap();
        let sources = [7, 15].map(|node| Source::at(NodeId(node), 1.0));
        let problem = Problem::new(&cube, sources.to_vec(), 0.01).unwrap();
        let one = Variant { ports: Ports::ONE, results: 0.3, ..Variant::default() };
        let bound = by_recursion(&problem, &one, 0.03, Paid::EveryHop, 0.0625);
        assert!((1.0 / bound - 5.213).abs() < 1e-3, "a schedule with a speedup of 4.94 is known: {bound}");
    }
}
