//! The problem: a machine, the sources of the load, and the speed of links against that of processors.

use meshwright_core::error::{Error, Result};
use meshwright_core::units::{LinkId, NodeId};
use meshwright_network::topology::{Machine, Topology};

/// The latest release in units of w Tcp; later ones would leave too few digits for the time after them.
pub const RELEASE_MAX: f64 = 1_048_576.0;

/// A place where load enters the machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Source {
    /// The node.
    pub node: NodeId,
    /// How much enters; [`Problem::new`] turns it into a share of the whole load.
    pub load: f64,
    /// From when on it is there, in units of w Tcp.
    pub release: f64,
}

impl Source {
    /// A load that is there from the beginning.
    pub fn at(node: NodeId, load: f64) -> Self {
        Self { node, load, release: 0.0 }
    }
}

/// Processors and links that are not all alike.
#[derive(Clone, Debug, PartialEq)]
pub struct Speeds {
    /// By node id, the time of the whole load on its processor (w_v); infinite for a node that only relays.
    pub work: Vec<f64>,
    /// By link id, the time of the whole load on that link (z_e); infinite for one that carries nothing.
    pub link: Vec<f64>,
}

/// A divisible load on a machine.
///
/// # Examples
///
/// ```
/// use meshwright_load::{Problem, Source};
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::NodeId;
/// let mesh = Machine::new("mesh:2x2")?;
/// let cameras = vec![Source::at(NodeId(0), 3.0), Source::at(NodeId(3), 1.0)];
/// let problem = Problem::new(&mesh, cameras, 0.5)?;
/// assert_eq!(problem.sources()[0].load, 0.75);
/// assert!(Problem::new(&mesh, vec![], 0.5).is_err(), "somebody must have something to do");
/// assert!(Problem::new(&mesh, vec![Source::at(NodeId(0), 1.0)], f64::NAN).is_err());
/// # Ok::<(), meshwright_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Problem<'m> {
    machine: &'m Machine,
    sigma: f64,
    sources: Vec<Source>,
    speeds: Option<Speeds>,
}

impl<'m> Problem<'m> {
    /// The problem with these sources, whose loads are scaled to the sum 1; `sigma` is the time of a load on a link
    /// over its time on a processor.
    ///
    /// Sources on the same node with the same release become one, in the place of the first of them.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] for no sources, a node outside the machine or dead, a load that is not above 0, a release
    /// below 0 or above [`RELEASE_MAX`], a sigma below 0, and for anything that is not a finite number;
    /// [`Error::NotApplicable`] where networks are described.
    pub fn new(machine: &'m Machine, sources: Vec<Source>, sigma: f64) -> Result<Self> {
        machine.equal_links("dividing a load")?;
        if !(sigma >= 0.0 && sigma.is_finite()) {
            return Err(Error::value("sigma", sigma, "a number of at least 0"));
        }
        let mut merged: Vec<Source> = Vec::with_capacity(sources.len());
        let mut place = std::collections::BTreeMap::new();
        for source in sources {
            check(machine, &source)?;
            // The bits of a release that is not below 0 are in its order; 0 and -0 are the same.
            let key = (source.node, (source.release + 0.0).to_bits());
            match place.get(&key) {
                Some(&first) => {
                    let first: &mut Source = &mut merged[first];
                    first.load += source.load;
                }
                None => {
                    place.insert(key, merged.len());
                    merged.push(source);
                }
            }
        }
        let whole: f64 = merged.iter().map(|source| source.load).sum();
        if merged.is_empty() {
            return Err(Error::value("number of sources", 0, "at least one source"));
        }
        if !whole.is_finite() {
            return Err(Error::value("load", whole, "loads with a finite sum"));
        }
        merged.iter_mut().for_each(|source| source.load /= whole);
        Ok(Self { machine, sigma, sources: merged, speeds: None })
    }

    /// The same problem with processors and links that are not all alike; `sigma` then has no meaning of its own.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] when there is not one work time per node and one link time per link, or one is not above 0
    /// (a link may take 0).
    pub fn with_speeds(mut self, speeds: Speeds) -> Result<Self> {
        let (nodes, links) = (self.machine.nodes() as usize, self.machine.links() as usize);
        if speeds.work.len() != nodes {
            return Err(Error::value("number of work times", speeds.work.len(), nodes.to_string()));
        }
        if speeds.link.len() != links {
            return Err(Error::value("number of link times", speeds.link.len(), links.to_string()));
        }
        if let Some(work) = speeds.work.iter().find(|work| work.is_nan() || **work <= 0.0) {
            return Err(Error::value("work time", work, "a number above 0"));
        }
        if let Some(link) = speeds.link.iter().find(|link| link.is_nan() || **link < 0.0) {
            return Err(Error::value("link time", link, "a number of at least 0"));
        }
        self.speeds = Some(speeds);
        Ok(self)
    }

    /// The same problem on a copy of its machine with other costs or ports.
    pub fn on<'n>(&self, machine: &'n Machine) -> Problem<'n> {
        let (sources, speeds) = (self.sources.clone(), self.speeds.clone());
        Problem { machine, sigma: self.sigma, sources, speeds }
    }

    /// What the load is divided on.
    pub fn machine(&self) -> &'m Machine {
        self.machine
    }

    /// The time of a load on a link over its time on a processor, where all are alike.
    pub fn sigma(&self) -> f64 {
        self.sigma
    }

    /// The sources; their loads sum to 1.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// When loads are released, in increasing order, each moment once.
    pub fn releases(&self) -> Vec<f64> {
        let mut releases: Vec<f64> = self.sources.iter().map(|source| source.release + 0.0).collect();
        releases.sort_unstable_by(f64::total_cmp);
        releases.dedup();
        releases
    }

    /// Whether all processors are alike, and all links.
    pub fn is_uniform(&self) -> bool {
        self.speeds.is_none()
    }

    /// Processors and links where they are not alike.
    pub fn speeds(&self) -> Option<&Speeds> {
        self.speeds.as_ref()
    }

    /// The time of the whole load on this processor, in units of w Tcp; infinite for a dead node.
    pub fn work(&self, node: NodeId) -> f64 {
        match &self.speeds {
            _ if !self.machine.is_alive(node) => f64::INFINITY,
            Some(speeds) => speeds.work[node.index()],
            None => 1.0,
        }
    }

    /// The time of the whole load on this link, in units of w Tcp.
    pub fn link_time(&self, link: LinkId) -> f64 {
        self.speeds.as_ref().map_or(self.sigma, |speeds| speeds.link[link.index()])
    }

    /// Whether every load is there from the beginning.
    pub fn starts_at_once(&self) -> bool {
        self.sources.iter().all(|source| source.release == 0.0)
    }
}

/// Refuses a source that is not one.
fn check(machine: &Machine, source: &Source) -> Result<()> {
    let Source { node, load, release } = *source;
    if node.0 >= machine.nodes() {
        return Err(Error::value("source", node, format!("a node from 0 to {}", machine.nodes() - 1)));
    }
    if !machine.is_alive(node) {
        return Err(Error::value(
            "source",
            format!("{}, a dead node", machine.node_name(node)),
            "a living node",
        ));
    }
    if !(load > 0.0 && load.is_finite()) {
        return Err(Error::value("load", load, "a number above 0"));
    }
    if !(0.0..=RELEASE_MAX).contains(&release) {
        return Err(Error::value("release", release, format!("a number from 0 to {RELEASE_MAX}")));
    }
    Ok(())
}
