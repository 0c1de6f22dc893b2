//! Messages along their routes, side by side where they share a link: the plan of an underground railway.
//!
//! A run of links in one direction is one straight line. It keeps to the right hand of its way, in the first
//! lane that is free on all its links; so opposite messages never coincide, and where lanes lie side by side
//! messages of the job share a link.

use std::collections::BTreeMap;

use super::path::Path;
use super::{Layout, Point};
use meshwright_core::units::{LinkId, Port};
use meshwright_network::routing::{self, Pair};
use meshwright_network::topology::{Grid, Machine, Network, Topology};

/// The greatest distance between two lanes, in pitches.
const LANE_MAX: f64 = 0.075;

/// All lanes of one direction lie within this share of the pitch, right of the middle.
const BUNDLE_MAX: f64 = 0.28;

/// How far the corner of a route is rounded, in pitches.
const ROUND: f64 = 0.13;

/// How far from the middle of a node a route has come to its lane, in pitches.
const LEAVE: f64 = 0.18;

/// From this pitch on, lanes can be told apart.
const PITCH_MIN: f64 = 14.0;

/// Links of one route in one direction, in order.
struct StraightRun {
    axis: usize,
    up: bool,
    links: Vec<LinkId>,
    lane: u32,
}

/// The routes of all pairs, in their lanes.
pub(super) struct Lanes {
    routes: Vec<Vec<StraightRun>>,
    /// From lane to lane, in pixels.
    step: f64,
}

impl Lanes {
    /// Lays out the routes of these pairs, the first ones innermost; `None` where routes cannot be drawn on
    /// one plane or do not exist.
    pub(super) fn of(layout: &Layout<'_>, pairs: &[Pair]) -> Option<Self> {
        let machine = layout.machine;
        let grid =
            layout.grid().filter(|_| layout.is_flat() && !layout.is_cube() && layout.pitch >= PITCH_MIN)?;
        if pairs.iter().any(|&(from, to)| !machine.is_alive(from) || !machine.is_alive(to)) {
            return None;
        }
        let found = routing::routes(machine, pairs).ok()?;
        let mut taken: BTreeMap<LinkId, Vec<bool>> = BTreeMap::new();
        let mut routes = Vec::with_capacity(pairs.len());
        for (index, &pair) in pairs.iter().enumerate() {
            let mut runs = vec![];
            found.for_each_link(index, pair, |link| extend(&mut runs, machine, grid, link));
            for run in &mut runs {
                run.lane = first_free(&mut taken, &run.links);
            }
            routes.push(runs);
        }
        let lanes = taken.values().map(Vec::len).max().unwrap_or(0).max(1);
        let step = layout.pitch * LANE_MAX.min(BUNDLE_MAX / lanes as f64);
        Some(Self { routes, step })
    }

    /// From lane to lane, in pixels.
    pub(super) fn step(&self) -> f64 {
        self.step
    }

    /// Adds the route of one pair to a path.
    pub(super) fn draw(&self, layout: &Layout<'_>, pair: usize, path: &mut Path) {
        let runs = &self.routes[pair];
        let Some(first) = runs.first() else { return };
        let centre = layout.centre(layout.machine.source(first.links[0]));
        let (x, y) = heading(layout, first);
        // From the middle of the node to the lane: who passes by does not touch the middle.
        let leave = layout.pitch * LEAVE;
        path.start(centre).line(centre.shifted(self.aside(layout, first)).plus(x * leave, y * leave));
        for (index, run) in runs.iter().enumerate() {
            let aside = self.aside(layout, run);
            over_the_border(layout, run, aside, path);
            let Some(end) = run.links.last().and_then(|&link| layout.machine.target(link)) else { continue };
            let (centre, at) = (layout.centre(end), layout.centre(end).shifted(aside));
            let (x, y) = heading(layout, run);
            match runs.get(index + 1) {
                // The lanes of two runs at a right angle cross where both offsets add up.
                Some(next) if next.axis != run.axis => {
                    let corner = at.shifted(self.aside(layout, next));
                    let (u, v) = heading(layout, next);
                    let round = layout.pitch * ROUND;
                    path.line(corner.plus(-x * round, -y * round));
                    path.curve(corner, corner.plus(u * round, v * round));
                }
                Some(next) => {
                    path.line(at).line(centre.shifted(self.aside(layout, next)));
                }
                None => {
                    path.line(at.plus(-x * leave, -y * leave)).line(centre);
                }
            }
        }
    }

    /// How far a run lies right of the middle of its links.
    fn aside(&self, layout: &Layout<'_>, run: &StraightRun) -> Point {
        let (x, y) = heading(layout, run);
        let far = self.step * (f64::from(run.lane) + 0.6);
        Point::new(-y * far, x * far)
    }
}

/// Interrupts a run where it leaves over one border and comes back over the other.
fn over_the_border(layout: &Layout<'_>, run: &StraightRun, aside: Point, path: &mut Path) {
    let Some(grid) = layout.grid() else { return };
    for from in run.links.iter().map(|&link| layout.machine.source(link)) {
        let place = grid.coordinate(from, run.axis);
        let is_last = if run.up { place + 1 == grid.sides()[run.axis] } else { place == 0 };
        if let (true, Some(to)) = (is_last, grid.step(from, run.axis, run.up)) {
            path.line(layout.beyond(from, run.axis, run.up).shifted(aside));
            path.start(layout.beyond(to, run.axis, !run.up).shifted(aside));
        }
    }
}

/// The direction of a run on paper.
fn heading(layout: &Layout<'_>, run: &StraightRun) -> (f64, f64) {
    let sign = if run.up { 1.0 } else { -1.0 };
    match layout.machine.network() {
        Network::Grid(grid) if grid.dimensions() - run.axis == 1 => (sign, 0.0),
        _ => (0.0, sign),
    }
}

/// Appends a link to the last run, or begins a new one where the direction changes.
fn extend(runs: &mut Vec<StraightRun>, machine: &Machine, grid: &Grid, link: LinkId) {
    let from = machine.source(link);
    let (axis, up) = grid.direction(Port(link.0 - machine.first_link(from).0));
    match runs.last_mut() {
        Some(run) if (run.axis, run.up) == (axis, up) => run.links.push(link),
        _ => runs.push(StraightRun { axis, up, links: vec![link], lane: 0 }),
    }
}

/// Takes the first lane that is free on all these links.
fn first_free(taken: &mut BTreeMap<LinkId, Vec<bool>>, links: &[LinkId]) -> u32 {
    let is_free = |lane: usize| {
        links.iter().all(|link| taken.get(link).is_none_or(|lanes| !lanes.get(lane).is_some_and(|&t| t)))
    };
    let lane = (0..).find(|&lane| is_free(lane)).expect("beyond the last lane taken, all are free");
    for &link in links {
        let lanes = taken.entry(link).or_default();
        if lanes.len() <= lane {
            lanes.resize(lane + 1, false);
        }
        lanes[lane] = true;
    }
    lane as u32
}

#[cfg(test)]
mod tests {
    use super::{Lanes, Layout, Path};
    use meshwright_core::units::NodeId;
    use meshwright_network::topology::Machine;

    fn drawn(machine: &str, dead: Vec<NodeId>, pairs: &[(u32, u32)]) -> Option<Vec<String>> {
        let machine = Machine::new(machine).unwrap().with_dead(dead).unwrap();
        let layout = Layout::of(&machine).expect("a small machine");
        let pairs: Vec<_> = pairs.iter().map(|&(from, to)| (NodeId(from), NodeId(to))).collect();
        let lanes = Lanes::of(&layout, &pairs)?;
        let draw = |pair| {
            let mut path = Path::default();
            lanes.draw(&layout, pair, &mut path);
            path.data().to_string()
        };
        Some((0..pairs.len()).map(draw).collect())
    }

    #[test]
    fn routes_that_share_a_link_lie_side_by_side() {
        let paths = drawn("mesh:2x4", vec![], &[(0, 2), (1, 3), (2, 0), (3, 2)]).unwrap();
        assert!(paths.iter().all(|path| path.contains('h') && !path.contains('v')), "{paths:?}");
        // The stroke from the middle of the first node to the lane: across and down.
        let aside = |path: &str| path.split_once('l').unwrap().1.split_once('h').unwrap().0.to_string();
        assert_ne!(aside(&paths[0]), aside(&paths[1]), "they share the link 1 -> 2");
        assert_ne!(aside(&paths[0]), aside(&paths[2]), "opposite ways keep to their right");
        assert_eq!(aside(&paths[2]), aside(&paths[3]), "nothing shared, same lane");
    }

    #[test]
    fn routes_go_around_corners_borders_and_dead_nodes() {
        let corner = drawn("mesh:4x4", vec![], &[(0, 15)]).unwrap();
        assert_eq!((corner[0].matches('q').count(), corner[0].matches('m').count()), (1, 1));
        let border = drawn("torus:4x4", vec![], &[(0, 3)]).unwrap();
        assert_eq!(border[0].matches('m').count(), 2, "{border:?}");
        let around = drawn("mesh:3x3", vec![NodeId(4)], &[(3, 5)]).unwrap();
        assert_eq!(around[0].matches('q').count(), 2, "{around:?}");
        assert_eq!(drawn("mesh:3x3", vec![NodeId(4)], &[(3, 4)]), None, "nobody reaches a dead node");
        assert_eq!(drawn("mesh:3x3x3", vec![], &[(3, 4)]), None, "routes leave the plane");
    }
}
