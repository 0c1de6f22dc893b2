//! Links with bandwidth and latency, and routes over them, as a network.

use std::collections::{BTreeMap, BTreeSet};

use roxmltree::Node;

use super::super::xml::Text;
use super::attribute;
use meshwright_core::error::Result;
use meshwright_core::text::printable;
use meshwright_core::units::{Bytes, Cycles, NodeId, Ratio};
use meshwright_network::topology::graph_file::{Arc, ArcList};
use meshwright_network::topology::{Costs, Graph, NODES_MAX, Topology};

/// Units of bandwidth, in bytes per second.
const BYTES: &[(&str, f64)] = &[
    ("Bps", 1.0),
    ("kBps", 1e3),
    ("KBps", 1e3),
    ("MBps", 1e6),
    ("GBps", 1e9),
    ("TBps", 1e12),
    ("KiBps", 1024.0),
    ("MiBps", 1_048_576.0),
    ("GiBps", 1_073_741_824.0),
    ("bps", 0.125),
    ("kbps", 125.0),
    ("Kbps", 125.0),
    ("Mbps", 125e3),
    ("Gbps", 125e6),
    ("Tbps", 125e9),
];

/// Units of time, in nanoseconds.
const TIMES: &[(&str, f64)] = &[("", 1e9), ("s", 1e9), ("ms", 1e6), ("us", 1e3), ("ns", 1.0), ("ps", 1e-3)];

/// What a link is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Link {
    /// Bytes in a nanosecond.
    rate: f64,
    /// Nanoseconds.
    latency: f64,
}

/// The value of a number with a unit.
fn quantity(word: &str, units: &[(&str, f64)]) -> Option<f64> {
    let value = |&(unit, factor): &(&str, f64)| {
        let number = word.strip_suffix(unit)?.parse::<f64>().ok()? * factor;
        (number.is_finite() && number >= 0.0).then_some(number)
    };
    units.iter().find_map(value)
}

impl Link {
    /// The link of two attributes of an element.
    pub(super) fn of(
        text: &Text<'_>,
        element: Node<'_, '_>,
        [bandwidth, latency]: [&str; 2],
    ) -> Result<Self> {
        let unfit = |name: &str, expected: &str| {
            let message = format!("`{name}` is `{}`", printable(attribute(element, name).as_bytes()));
            text.expecting(element, message, expected)
        };
        let rate = quantity(attribute(element, bandwidth), BYTES).filter(|rate| *rate > 0.0);
        let rate =
            rate.ok_or_else(|| unfit(bandwidth, "a bandwidth with its unit, such as 125MBps or 1Gbps"))?;
        let delay = match element.attribute(latency) {
            None => Some(0.0),
            Some(word) => quantity(word, TIMES),
        };
        let latency = delay.ok_or_else(|| unfit(latency, "a time with its unit, such as 50us"))?;
        Ok(Self { rate: rate / 1e9, latency })
    }

    /// The costs of a machine of such links in cycles of a nanosecond, and whether they are exact; why there are none.
    pub(super) fn costs(&self) -> Result<(Costs, bool), String> {
        const DENOMINATOR_MAX: f64 = 65536.0;
        let byte = 1.0 / self.rate;
        // The least denominator that is as good as any.
        let error = |q: f64| ((byte * q).round() / q / byte - 1.0).abs();
        let q = (0..=16).map(|power| f64::from(1u32 << power)).chain((1..=1000).map(f64::from));
        let q = q.filter(|q| (byte * q).round() >= 1.0).min_by(|a, b| error(*a).total_cmp(&error(*b)));
        let q = q.filter(|_| byte <= DENOMINATOR_MAX).ok_or_else(|| {
            "the bandwidth is out of range, 65536 bytes a nanosecond to a byte in 65536 of them".to_string()
        })?;
        let numerator = (byte * q).round();
        let flit = (self.latency * self.rate).round();
        if flit > DENOMINATOR_MAX || numerator > DENOMINATOR_MAX {
            return Err(format!(
                "a link holds {flit} bytes, its latency times its bandwidth; at most {DENOMINATOR_MAX}"
            ));
        }
        let byte_time = Ratio::new(numerator as u64, q as u64).map_err(|error| error.to_string())?;
        let is_near = |value: f64, wanted: f64| (value - wanted).abs() <= 1e-9 * wanted.abs().max(1.0);
        let is_exact = is_near(byte_time.to_f64(), byte) && is_near(flit, self.latency * self.rate);
        Ok((Costs { startup: Cycles(0), byte_time, flit: Bytes(flit as u64) }, is_exact))
    }
}

/// The hosts, links and routes of a zone.
pub(super) struct Links<'d, 'i> {
    pub(super) hosts: Vec<String>,
    /// Whether some link is one resource for both its directions.
    pub(super) has_shared: bool,
    links: BTreeMap<&'d str, Link>,
    routes: Vec<RouteOver<'d, 'i>>,
}

/// A route of the file.
struct RouteOver<'d, 'i> {
    ends: (u32, u32),
    both: bool,
    links: Vec<&'d str>,
    at: Node<'d, 'i>,
}

impl<'d, 'i> Links<'d, 'i> {
    /// Reads a zone.
    pub(super) fn read(text: &Text<'_>, zone: Node<'d, 'i>) -> Result<Self> {
        let (mut numbers, mut hosts) = (BTreeMap::new(), Vec::new());
        for host in zone.children().filter(|child| child.has_tag_name("host")) {
            let name = attribute(host, "id");
            if hosts.len() == NODES_MAX as usize || numbers.insert(name, hosts.len() as u32).is_some() {
                let message = format!("a second host has the id `{}`", printable(name.as_bytes()));
                return Err(text.expecting(host, message, "an id for each host"));
            }
            hosts.push(name.to_string());
        }
        let (mut links, mut has_shared) = (BTreeMap::new(), false);
        for link in zone.children().filter(|child| child.has_tag_name("link")) {
            let sharing = attribute(link, "sharing_policy");
            has_shared |= ["", "SHARED"].contains(&sharing);
            if !["", "SHARED", "SPLITDUPLEX"].contains(&sharing) {
                let message = format!("`sharing_policy` is `{}`", printable(sharing.as_bytes()));
                return Err(text.expecting(link, message, "SHARED or SPLITDUPLEX"));
            }
            if links.insert(attribute(link, "id"), Link::of(text, link, ["bandwidth", "latency"])?).is_some()
            {
                return Err(text.expecting(link, "a second link has this id", "an id for each link"));
            }
        }
        let routes = zone.children().filter(|child| child.has_tag_name("route"));
        let routes =
            routes.map(|route| RouteOver::read(text, route, &numbers, &links)).collect::<Result<_>>()?;
        Ok(Self { hosts, has_shared, links, routes })
    }

    /// The network of the routes of one link, and the link that all of them are.
    pub(super) fn network(&self, text: &Text<'_>, zone: Node<'d, 'i>) -> Result<(Graph, Link)> {
        let mut wires: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
        let mut directed = BTreeSet::new();
        let mut all: Option<(&str, Link)> = None;
        for route in self.routes.iter().filter(|route| route.links.len() == 1 && route.ends.0 != route.ends.1)
        {
            let (id, (from, to)) = (route.links[0], route.ends);
            let pair = (from.min(to), from.max(to));
            if *wires.entry(id).or_insert(pair) != pair {
                let message = format!("link `{}` joins two pairs of hosts", printable(id.as_bytes()));
                return Err(text.expecting(route.at, message, "a link of its own for each wire"));
            }
            directed.insert((from, to));
            directed.extend(route.both.then_some((to, from)));
            let link = self.links[id];
            match all {
                Some((first, other)) if other != link => {
                    let [id, first] = [id, first].map(|id| printable(id.as_bytes()));
                    let message = format!("link `{id}` differs from link `{first}` in bandwidth or latency");
                    return Err(text.expecting(
                        route.at,
                        message,
                        "links that are all the same; along the axes of a box [[machine.links]] of a TOML file has others",
                    ));
                }
                _ => all = Some((id, link)),
            }
        }
        let Some((_, link)) = all else {
            return Err(text.expecting(
                zone,
                "no route is a single link",
                "a route with one link for each wire",
            ));
        };
        if let Some(route) = self.routes.iter().find(|route| {
            !directed.contains(&(route.ends.1, route.ends.0))
                && route.links.len() == 1
                && route.ends.0 != route.ends.1
        }) {
            return Err(text.expecting(route.at, "there is no route back", "wires that lead both ways"));
        }
        let arcs = directed.iter().map(|&(from, to)| Arc { from, to, weight: 1 }).collect();
        let graph = Graph::from_arcs(&ArcList { vertices: self.hosts.len() as u32, arcs })?;
        self.check_routes(text, &graph, &wires)?;
        Ok((graph, link))
    }

    /// Refuses routes of several links that are no shortest ways over wires.
    fn check_routes(&self, text: &Text<'_>, graph: &Graph, wires: &BTreeMap<&str, (u32, u32)>) -> Result<()> {
        let mut routes: Vec<&RouteOver<'_, '_>> =
            self.routes.iter().filter(|route| route.links.len() > 1).collect();
        routes.sort_by_key(|route| route.ends.0);
        for same in routes.chunk_by(|a, b| a.ends.0 == b.ends.0) {
            let distances = distances(graph, same[0].ends.0);
            for route in same {
                let mut at = route.ends.0;
                for &id in &route.links {
                    at = match wires.get(id) {
                        Some(&(one, other)) if one == at => other,
                        Some(&(one, other)) if other == at => one,
                        _ => {
                            let message =
                                format!("link `{}` does not lead on from there", printable(id.as_bytes()));
                            return Err(text.expecting(
                                route.at,
                                message,
                                "a way over links that are routes of their own",
                            ));
                        }
                    };
                }
                let (links, least) = (route.links.len() as u32, distances[route.ends.1 as usize]);
                if at != route.ends.1 || links != least {
                    let message = format!("this route of {links} links is no shortest way");
                    return Err(text.expecting(
                        route.at,
                        message,
                        "shortest ways, as the machine takes them",
                    ));
                }
            }
        }
        Ok(())
    }
}

/// How many links every node is away from one.
fn distances(graph: &Graph, from: u32) -> Vec<u32> {
    let mut distances = vec![u32::MAX; graph.nodes() as usize];
    distances[from as usize] = 0;
    let mut reached = vec![NodeId(from)];
    let mut next = 0;
    while let Some(&node) = reached.get(next) {
        next += 1;
        for (_, neighbour) in graph.neighbours(node) {
            if distances[neighbour.index()] == u32::MAX {
                distances[neighbour.index()] = distances[node.index()] + 1;
                reached.push(neighbour);
            }
        }
    }
    distances
}

impl<'d, 'i> RouteOver<'d, 'i> {
    fn read(
        text: &Text<'_>,
        route: Node<'d, 'i>,
        numbers: &BTreeMap<&str, u32>,
        known: &BTreeMap<&str, Link>,
    ) -> Result<Self> {
        let end = |name: &str| {
            let host = attribute(route, name);
            let message = || format!("`{name}` is `{}`", printable(host.as_bytes()));
            numbers.get(host).copied().ok_or_else(|| text.expecting(route, message(), "the id of a host"))
        };
        let ends = (end("src")?, end("dst")?);
        let both = match attribute(route, "symmetrical") {
            "" | "YES" | "yes" => true,
            "NO" | "no" => false,
            _ => return Err(text.expecting(route, "`symmetrical` is another word", "YES or NO")),
        };
        let mut links = Vec::new();
        for link in route.children().filter(|child| child.has_tag_name("link_ctn")) {
            let id = attribute(link, "id");
            if !known.contains_key(id) {
                let message = format!("there is no link `{}`", printable(id.as_bytes()));
                return Err(text.expecting(link, message, "the id of a link"));
            }
            links.push(id);
        }
        if links.is_empty() {
            return Err(text.expecting(route, "this route has no link", "a `link_ctn` for each link"));
        }
        Ok(Self { ends, both, links, at: route })
    }
}
