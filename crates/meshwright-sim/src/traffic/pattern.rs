//! Synthetic traffic patterns: to which node each packet of a source goes.
//!
//! Every living node is a source; dead nodes neither send nor receive. A pattern with a fixed target for each
//! source stores the targets, so that a draw costs one look into a table.
//!
//! | symbol | here | unit |
//! |---|---|---|
//! | N | the number of nodes | nodes |
//! | s, d | `source`, target | node ids |
//! | s_a, k_a | coordinate and side along axis a | nodes |
//! | b | log2 N, the bits of a node id | bits |
//!
//! # Source
//!
//! `dally2004`, section 3.2 and table 3.1; there, bit patterns need N = 2^b.

use rand::{Rng, RngExt};

use super::permutation;
use meshwright_core::error::{Error, Result};
use meshwright_core::units::NodeId;
use meshwright_core::{same_word, unknown};
use meshwright_network::topology::{Grid, Machine, Network, Topology};

/// The share of all packets that the hot-spot pattern sends to the centre of the machine.
pub const HOT_SHARE: f64 = 0.1;

/// Who sends to whom.
///
/// # Examples
///
/// ```
/// use meshwright_sim::traffic::Pattern;
/// use meshwright_core::rng::stream;
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let mesh = Machine::new("mesh:4x4")?;
/// let transpose = Pattern::new("transpose", &mesh)?;
/// // (1,2) sends to (2,1).
/// assert_eq!(transpose.target(NodeId(6), &mut stream(0, "targets")), NodeId(9));
/// assert!(Pattern::new("transpose", &Machine::new("mesh:3x4")?).is_err());
/// # Ok::<(), meshwright_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Pattern {
    name: String,
    pub(super) rule: Rule,
}

/// How targets are found.
#[derive(Clone, Debug)]
pub(super) enum Rule {
    /// Any living node with equal probability.
    Uniform { living: Living, with_self: bool },
    /// With probability [`HOT_SHARE`] one of these nodes, else any other living node.
    HotSpot { living: Living, hot: Vec<NodeId> },
    /// One target for each source, by source.
    Fixed(Vec<NodeId>),
}

/// The living nodes, by number.
#[derive(Clone, Debug)]
pub(super) struct Living {
    count: u32,
    /// Empty when every node lives: then number i is node i.
    nodes: Vec<NodeId>,
}

impl Living {
    fn of(machine: &Machine) -> Self {
        let nodes = if machine.dead().is_empty() { Vec::new() } else { machine.living().collect() };
        Self { count: machine.living_count(), nodes }
    }

    #[inline]
    fn node(&self, index: u32) -> NodeId {
        if self.nodes.is_empty() { NodeId(index) } else { self.nodes[index as usize] }
    }

    /// Any of them.
    #[inline]
    fn any(&self, rng: &mut impl Rng) -> NodeId {
        self.node(rng.random_range(0..self.count))
    }

    /// Any but one: a draw among all except the last, who stands in when the excluded one is drawn.
    #[inline]
    fn any_but(&self, excluded: NodeId, rng: &mut impl Rng) -> NodeId {
        let drawn = self.node(rng.random_range(0..self.count - 1));
        if drawn == excluded { self.node(self.count - 1) } else { drawn }
    }
}

/// A named pattern.
pub struct Entry {
    /// The name on the command line, before a colon if there is one.
    pub name: &'static str,
    /// How it is written.
    pub usage: &'static str,
    /// What it is, in half a sentence.
    pub summary: &'static str,
    /// Builds the rule from the text after the colon.
    build: fn(&str, &Machine) -> Result<Rule>,
}

impl Entry {
    const fn plain(
        name: &'static str,
        summary: &'static str,
        build: fn(&str, &Machine) -> Result<Rule>,
    ) -> Self {
        Self { name, usage: name, summary, build }
    }
}

/// Every pattern the program knows.
pub const PATTERNS: &[Entry] = &[
    Entry::plain("uniform", "any other node", |_, machine| {
        check_company("uniform", machine)?;
        Ok(Rule::Uniform { living: Living::of(machine), with_self: false })
    }),
    Entry::plain("uniform-with-self", "any node, the source among them", |_, machine| {
        Ok(Rule::Uniform { living: Living::of(machine), with_self: true })
    }),
    Entry::plain(
        "transpose",
        "(r,c) to (c,r); in general the first half of the coordinates changes places with the second",
        |_, machine| transpose(machine),
    ),
    Entry::plain("bit-complement", "s to N - 1 - s: all bits, or all coordinates, mirrored", |_, machine| {
        let last = machine.nodes() - 1;
        fixed("bit-complement", machine, |source| NodeId(last - source.0))
    }),
    Entry::plain("bit-reverse", "the bits of s in reverse order", |_, machine| {
        let bits = address_bits("bit-reverse", machine)?;
        fixed("bit-reverse", machine, |NodeId(s)| {
            NodeId(if bits == 0 { s } else { s.reverse_bits() >> (u32::BITS - bits) })
        })
    }),
    Entry::plain("shuffle", "the bits of s rotated left by one", |_, machine| {
        let bits = address_bits("shuffle", machine)?;
        fixed("shuffle", machine, |NodeId(s)| {
            NodeId(if bits == 0 { s } else { (s << 1 | s >> (bits - 1)) & ((1 << bits) - 1) })
        })
    }),
    Entry::plain("tornado", "just under half-way round, ceil(k/2) - 1 up along every axis", |_, machine| {
        along_axes("tornado", machine, |side| side.div_ceil(2) - 1)
    }),
    Entry::plain("neighbour", "one up along every axis, round the border", |_, machine| {
        along_axes("neighbour", machine, |side| 1 % side)
    }),
    Entry::plain(
        "hot-spot",
        "10 % of the packets to the centre of the machine, the rest uniform",
        |_, machine| hot_spot(machine),
    ),
    Entry {
        name: "permutation",
        usage: "permutation:FILE",
        summary: "from a file, one `source target` line for each living node",
        build: |file, machine| Ok(Rule::Fixed(permutation::read(std::path::Path::new(file), machine)?)),
    },
];

impl Pattern {
    /// The pattern of this name on this machine, see [`PATTERNS`].
    ///
    /// # Errors
    ///
    /// [`Error::Value`] for an unknown name, [`Error::NotApplicable`] with the reason when the machine does not suit
    /// the pattern, [`Error::Parse`] and [`Error::Io`] for a file.
    ///
    /// # Complexity
    ///
    /// O(nodes) at most.
    pub fn new(name: &str, machine: &Machine) -> Result<Self> {
        let (word, rest) = name.split_once(':').unwrap_or((name, ""));
        let entry = PATTERNS.iter().find(|entry| {
            let wants_rest = entry.usage.contains(':');
            same_word(entry.name, word) && wants_rest == name.contains(':')
        });
        let entry = entry.ok_or_else(|| {
            let usages: Vec<_> = PATTERNS.iter().map(|entry| entry.usage).collect();
            unknown("traffic", name, format!("one of {}", usages.join(", ")), &usages)
        })?;
        let name = if rest.is_empty() { entry.name.to_string() } else { format!("{}:{rest}", entry.name) };
        Ok(Self { name, rule: (entry.build)(rest, machine)? })
    }

    /// The name it was built from.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The target of each node, by node, where each has one; else empty.
    pub fn fixed_targets(&self) -> &[NodeId] {
        match &self.rule {
            Rule::Fixed(targets) => targets,
            Rule::Uniform { .. } | Rule::HotSpot { .. } => &[],
        }
    }

    /// The share of packets that go from a node to itself.
    ///
    /// # Complexity
    ///
    /// O(nodes).
    pub fn self_share(&self, machine: &Machine) -> f64 {
        let living = f64::from(machine.living_count());
        match &self.rule {
            Rule::Uniform { with_self: true, .. } => 1.0 / living,
            Rule::Uniform { with_self: false, .. } | Rule::HotSpot { .. } => 0.0,
            Rule::Fixed(targets) => {
                let stays = |source: &NodeId| targets[source.index()] == *source;
                machine.living().filter(stays).count() as f64 / living
            }
        }
    }

    /// The target of the next packet of a living source.
    ///
    /// # Panics
    ///
    /// When the source lies outside the machine.
    ///
    /// # Complexity
    ///
    /// O(1), without allocation.
    #[inline]
    pub fn target(&self, source: NodeId, rng: &mut impl Rng) -> NodeId {
        match &self.rule {
            Rule::Uniform { living, with_self: true } => living.any(rng),
            Rule::Uniform { living, with_self: false } => living.any_but(source, rng),
            Rule::HotSpot { living, hot } => {
                if rng.random_bool(HOT_SHARE) {
                    let drawn = hot[rng.random_range(0..hot.len())];
                    if drawn != source {
                        return drawn;
                    }
                }
                living.any_but(source, rng)
            }
            Rule::Fixed(targets) => targets[source.index()],
        }
    }
}

/// Refuses a machine on which a node has nobody else to send to.
fn check_company(pattern: &'static str, machine: &Machine) -> Result<()> {
    if machine.living_count() > 1 {
        return Ok(());
    }
    Err(Error::not_applicable(pattern, "a single living node has no other to send to"))
}

/// The box of a machine, with or without dead nodes.
fn grid<'m>(pattern: &'static str, machine: &'m Machine) -> Result<&'m Grid> {
    match machine.network() {
        Network::Grid(grid) => Ok(grid),
        Network::Graph(_) => Err(Error::not_applicable(pattern, "it needs a mesh, a torus or a hypercube")),
    }
}

/// log2 of the number of nodes.
fn address_bits(pattern: &'static str, machine: &Machine) -> Result<u32> {
    let nodes = machine.nodes();
    if nodes.is_power_of_two() {
        return Ok(nodes.ilog2());
    }
    Err(Error::not_applicable(pattern, format!("it needs a power of two of nodes, not {nodes}")))
}

/// A pattern in which each source has one target; both must live, and somebody must send to another.
fn fixed(pattern: &'static str, machine: &Machine, mut target: impl FnMut(NodeId) -> NodeId) -> Result<Rule> {
    let targets: Vec<NodeId> = (0..machine.nodes()).map(|source| target(NodeId(source))).collect();
    if machine.living_count() > 1 && machine.living().all(|source| targets[source.index()] == source) {
        return Err(Error::not_applicable(pattern, "on this machine every node would send to itself"));
    }
    match machine.living().find(|source| !machine.is_alive(targets[source.index()])) {
        None => Ok(Rule::Fixed(targets)),
        Some(source) => {
            let (from, to) = (machine.node_name(source), machine.node_name(targets[source.index()]));
            Err(Error::not_applicable(pattern, format!("{from} sends to {to}, which is dead")))
        }
    }
}

fn transpose(machine: &Machine) -> Result<Rule> {
    let grid = grid("transpose", machine)?;
    let half = grid.dimensions() / 2;
    let sides = grid.sides();
    if grid.dimensions() % 2 == 1 || sides[..half] != sides[half..] {
        let sides = sides.iter().map(u32::to_string).collect::<Vec<_>>().join("x");
        let why = format!("the first half of the sides must equal the second, and they are {sides}");
        return Err(Error::not_applicable("transpose", why));
    }
    let stride: u32 = sides[half..].iter().product();
    fixed("transpose", machine, |NodeId(s)| NodeId(s % stride * stride + s / stride))
}

/// Each source sends so many nodes up along every axis, modulo the side.
fn along_axes(pattern: &'static str, machine: &Machine, steps: fn(u32) -> u32) -> Result<Rule> {
    let grid = grid(pattern, machine)?;
    fixed(pattern, machine, |source| {
        let target = |(axis, &side): (usize, &u32)| (grid.coordinate(source, axis) + steps(side)) % side;
        let id =
            grid.sides().iter().enumerate().fold(0, |id, (axis, &side)| id * side + target((axis, &side)));
        NodeId(id)
    })
}

/// The centre: along each axis the middle node, or the two in the middle of an even side.
fn hot_spot(machine: &Machine) -> Result<Rule> {
    let grid = grid("hot-spot", machine)?;
    check_company("hot-spot", machine)?;
    let central = |node: NodeId| {
        let middle = |(axis, &side): (usize, &u32)| {
            let c = grid.coordinate(node, axis);
            c == side / 2 || c == (side - 1) / 2
        };
        grid.sides().iter().enumerate().all(middle)
    };
    let hot: Vec<NodeId> = machine.living().filter(|&node| central(node)).collect();
    if hot.is_empty() {
        return Err(Error::not_applicable("hot-spot", "every node at the centre is dead"));
    }
    Ok(Rule::HotSpot { living: Living::of(machine), hot })
}
