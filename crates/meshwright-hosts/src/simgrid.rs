//! Platforms of SimGrid as machines: a torus cluster, or hosts wired by links.
//!
//! ```xml
//! <platform version="4.1">
//!   <zone id="world" routing="Full">
//!     <cluster id="rack" prefix="node-" radical="0-11" suffix="" speed="1Gf" bw="125MBps" lat="50us"
//!              topology="TORUS" topo_parameters="3,2,2"/>
//!   </zone>
//! </platform>
//! ```
//!
//! A cycle is a nanosecond. A message of W bytes over d links takes d times the latency and W divided by the bandwidth: under
//! cut-through without a start-up that is b (W + d h) with the bytes h that a link holds. Nodes have the numbers of the hosts:
//! the first side of a torus runs fastest. Of explicit hosts, each route of one link is a wire; longer routes must be shortest
//! ways over such wires, as the machine takes them. Every link is the same, since a machine has one latency and one bandwidth.
//!
//! # Source
//!
//! `casanova2014`: platforms of SimGrid.

mod links;

use std::path::Path;

use roxmltree::Node;

use self::links::{Link, Links};
use super::is_host;
use super::xml::{self, Limits, Text};
use meshwright_core::error::Result;
use meshwright_core::text::printable;
use meshwright_core::units::{NodeId, Ratio};
use meshwright_network::topology::{
    Imported, Machine, NODES_MAX, Network, Place, Slot, Switching, Topology, network,
};

/// A cycle is a nanosecond.
const CYCLES_PER_SECOND: u64 = 1_000_000_000;

const EXPECTED: &str = "a platform of SimGrid: a torus cluster, or hosts, links and routes in one zone";

/// The most elements: the links of routes between all pairs of a thousand hosts.
const LIMITS: Limits = Limits { elements_max: 1 << 22, name_spaces: false };

/// Reads a file; `specification` becomes the name of the machine.
///
/// # Errors
///
/// As for [`xml::read`] and [`parse`].
pub fn read(specification: &str, path: &Path) -> Result<Machine> {
    parse(specification, &xml::read(path, "the description of a platform")?, &path.display().to_string())
}

/// Reads the text of a file; `file` is what errors call it.
///
/// # Errors
///
/// [`Parse`](meshwright_core::Error::Parse) for what is no XML and no platform, and for what no machine is: fat trees, dragonflies, switches, links
/// that differ, routes that are no shortest ways.
///
/// # Complexity
///
/// O(file + routes times links).
///
/// # Examples
///
/// ```
/// use meshwright_core::units::{Bytes, Hops};
/// use meshwright_hosts::simgrid;
/// use meshwright_network::topology::Topology;
/// let cluster = r#"<cluster id="c" prefix="n" radical="0-5" suffix="" speed="1Gf" bw="1GBps" lat="64ns" topology="TORUS" topo_parameters="3,2"/>"#;
/// let text = format!(r#"<platform version="4.1"><zone id="z" routing="Full">{cluster}</zone></platform>"#);
/// let torus = simgrid::parse("simgrid:a.xml", text.as_bytes(), "a.xml")?;
/// assert_eq!((torus.nodes(), torus.places()[5].host.as_str()), (6, "n5"));
/// // 64 ns a link, a byte in a nanosecond.
/// assert_eq!(torus.costs().alone_ticks(torus.switching(), Bytes(1000), Hops(2)), 2 * 64 + 1000);
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn parse(specification: &str, bytes: &[u8], file: &str) -> Result<Machine> {
    let text = Text::new(file, bytes, EXPECTED)?;
    let document = text.document(LIMITS)?;
    let root = document.root_element();
    if !root.has_tag_name("platform") {
        let message = format!("the outermost element is `{}`", printable(root.tag_name().name().as_bytes()));
        return Err(text.error(root, message));
    }
    let mut reader = Reader { text, remarks: Vec::new() };
    let zone = reader.zone(root)?;
    let machine = match zone.children().find(|child| child.has_tag_name("cluster")) {
        Some(cluster) => reader.cluster(specification, zone, cluster)?,
        None => reader.wired(specification, zone)?,
    };
    let remarks = reader.remarks;
    Ok(machine.with_imported(Imported { model: "simgrid", router: Vec::new(), remarks }))
}

/// The text, and what is not modelled.
struct Reader<'a> {
    text: Text<'a>,
    remarks: Vec<String>,
}

/// The attribute of an element, or a word that is never one.
fn attribute<'d>(element: Node<'d, '_>, name: &str) -> &'d str {
    element.attribute(name).unwrap_or_default()
}

impl Reader<'_> {
    /// The one zone with something in it.
    fn zone<'d, 'i>(&self, root: Node<'d, 'i>) -> Result<Node<'d, 'i>> {
        let is_zone = |node: &Node<'_, '_>| node.has_tag_name("zone") || node.has_tag_name("AS");
        let mut zone = root;
        loop {
            let mut inner = zone.children().filter(is_zone);
            let Some(first) = inner.next() else { break };
            if let Some(second) = inner.next() {
                return Err(self.text.expecting(
                    second,
                    "there is a second zone",
                    "one zone: a machine is one network",
                ));
            }
            zone = first;
        }
        match zone == root && !root.children().any(|child| child.has_tag_name("cluster")) {
            true => Err(self.text.error(root, "the platform has no zone")),
            false => Ok(zone),
        }
    }

    fn remark(&mut self, message: impl Into<String>) {
        let message = message.into();
        if !self.remarks.contains(&message) {
            self.remarks.push(message);
        }
    }

    /// A cluster that is a torus.
    fn cluster(&mut self, specification: &str, zone: Node<'_, '_>, cluster: Node<'_, '_>) -> Result<Machine> {
        let text = self.text;
        let others = zone.children().filter(|child| child.is_element() && *child != cluster);
        if let Some(other) =
            others.into_iter().find(|other| !["prop", "config"].contains(&other.tag_name().name()))
        {
            let message =
                format!("`{}` stands beside a cluster", printable(other.tag_name().name().as_bytes()));
            return Err(text.expecting(other, message, "one cluster alone: a machine is one network"));
        }
        let refused = |what: &str| Err(text.expecting(cluster, what, "topology=\"TORUS\""));
        match attribute(cluster, "topology") {
            "TORUS" => {}
            "FAT_TREE" => return refused("this cluster is a fat tree, whose switches are no nodes"),
            "DRAGONFLY" => return refused("this cluster is a dragonfly, whose routers are no nodes"),
            _ => {
                return refused("this cluster is a switch with private links, and a machine has no switches");
            }
        }
        let sharing = attribute(cluster, "sharing_policy");
        if !["", "SPLITDUPLEX"].contains(&sharing) {
            let message = format!("`sharing_policy` is `{}`", printable(sharing.as_bytes()));
            return Err(text.expecting(
                cluster,
                message,
                "SPLITDUPLEX: links have one wire in each direction",
            ));
        }
        for (name, what) in [
            ("limiter_link", "`limiter_link`"),
            ("loopback_bw", "`loopback_bw`"),
            ("loopback_lat", "`loopback_lat`"),
        ] {
            if cluster.attribute(name).is_some() {
                self.remark(format!("{what} is not modelled"));
            }
        }
        self.remark("`speed` of hosts is left out: computations have cycles of their own");
        let sides = attribute(cluster, "topo_parameters").split(',').map(|side| side.trim().parse::<u32>());
        let sides = sides.rev().collect::<Result<Vec<u32>, _>>().map_err(|_| {
            text.expecting(
                cluster,
                "`topo_parameters` are no sides",
                "sides with commas between, such as 3,2,2",
            )
        })?;
        let joined = sides.iter().map(u32::to_string).collect::<Vec<_>>().join("x");
        let torus =
            network(&format!("torus:{joined}")).map_err(|error| text.error(cluster, error.to_string()))?;
        let hosts = self.hosts(cluster, torus.nodes())?;
        let link = Link::of(&text, cluster, ["bw", "lat"])?;
        self.machine(specification, torus, hosts, link, cluster)
    }

    /// The names of the hosts of a cluster: `radical` is a list of numbers and ranges.
    fn hosts(&self, cluster: Node<'_, '_>, nodes: u32) -> Result<Vec<String>> {
        let unfit = |message: String| {
            self.text.expecting(cluster, message, format!("{nodes} numbers, such as 0-{}", nodes - 1))
        };
        let mut hosts = Vec::new();
        for range in attribute(cluster, "radical").split(',') {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let numbers = first.trim().parse::<u32>().ok().zip(last.trim().parse::<u32>().ok());
            let (first, last) = numbers
                .filter(|(first, last)| first <= last)
                .ok_or_else(|| unfit(format!("`radical` has `{}`", printable(range.as_bytes()))))?;
            if u64::from(last - first) + hosts.len() as u64 >= u64::from(NODES_MAX) {
                return Err(unfit("`radical` names too many hosts".to_string()));
            }
            let (prefix, suffix) = (attribute(cluster, "prefix"), attribute(cluster, "suffix"));
            hosts.extend((first..=last).map(|number| format!("{prefix}{number}{suffix}")));
        }
        match hosts.len() == nodes as usize {
            true => Ok(hosts),
            false => Err(unfit(format!("`radical` names {} hosts, and the torus has {nodes}", hosts.len()))),
        }
    }

    /// Hosts with links and routes.
    fn wired(&mut self, specification: &str, zone: Node<'_, '_>) -> Result<Machine> {
        let text = self.text;
        let routing = attribute(zone, "routing");
        if !["Full", "Floyd", "Dijkstra", "DijkstraCache"].contains(&routing) {
            let message = format!("the routing of the zone is `{}`", printable(routing.as_bytes()));
            return Err(text.expecting(zone, message, "Full, Floyd or Dijkstra, with a route for each wire"));
        }
        for element in zone.children().filter(Node::is_element) {
            match element.tag_name().name() {
                "host" | "link" | "route" => {}
                name @ ("prop" | "config") => self.remark(format!("`{name}` is left out")),
                "router" => {
                    let expected = "hosts alone: each node of a machine can run a task";
                    return Err(text.expecting(element, "a router runs no task", expected));
                }
                other => {
                    let message = format!("`{}` cannot be read", printable(other.as_bytes()));
                    return Err(text.expecting(element, message, "host, link and route"));
                }
            }
        }
        let links = Links::read(&text, zone)?;
        let (graph, link) = links.network(&text, zone)?;
        if links.has_shared {
            self.remark("links are not shared by their two directions: SHARED is read as SPLITDUPLEX");
        }
        self.remark("`speed` of hosts is left out: computations have cycles of their own");
        self.machine(specification, Network::Graph(graph), links.hosts, link, zone)
    }

    /// The machine, all of whose links are this one.
    fn machine(
        &mut self,
        specification: &str,
        network: Network,
        hosts: Vec<String>,
        link: Link,
        at: Node<'_, '_>,
    ) -> Result<Machine> {
        let (costs, is_exact) = link.costs().map_err(|message| self.text.error(at, message))?;
        if !is_exact {
            self.remark(
                "latency and bandwidth are rounded: a link holds whole bytes, and a byte takes p/q ns",
            );
        }
        let place = |(node, host)| Place { node: NodeId(node), host, slot: Slot::OfHost(0) };
        // Names that no launcher could write are none.
        let places = match hosts.iter().all(|host| is_host(host.as_bytes())) {
            true => (0..).zip(hosts).map(place).collect(),
            false => Vec::new(),
        };
        self.remark("a cycle is a nanosecond; factors of SimGrid's network models on latency and bandwidth are left out");
        let machine = Machine::at_places(specification, network, places)
            .with_switching(Switching::CutThrough)
            .with_clock(Some(Ratio::whole(CYCLES_PER_SECOND)));
        machine.with_costs(costs).map_err(|error| self.text.error(at, error.to_string()))
    }
}
