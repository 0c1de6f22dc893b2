//! The cores of one host, from the XML that `lstopo --of xml` writes.
//!
//! Nodes are cores, in the order of the file. What contains at least two things with cores (a cache, a group, a
//! package, the host; NUMA nodes of hwloc 1) is a group, and links are those of groups in groups: members of a
//! group are linked pairwise, each by its first core.

use std::path::Path;

use roxmltree::Node;

use super::hierarchy::{self, Group};
use super::xml::{self, Limits, Text};
use super::{HOST_EXPECTED, is_host};
use meshwright_core::error::Result;
use meshwright_core::text::printable;
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Machine, NODES_MAX, Network, Place, Slot};

/// The most elements: those of a host of 100,000 cores, with caches, threads and notes.
const LIMITS: Limits = Limits { elements_max: 1 << 20, name_spaces: false };

const EXPECTED: &str = "a file of `lstopo --of xml`";

/// The name of a host whose file has none, as that of a synthetic one.
const NO_NAME: &str = "localhost";

/// Reads a file; `specification` becomes the name of the machine.
///
/// # Errors
///
/// As for [`xml::read`] and [`parse`].
pub fn read(specification: &str, path: &Path) -> Result<Machine> {
    parse(specification, &xml::read(path, "the description of one host")?, &path.display().to_string())
}

/// Reads the text of a file; `file` is what errors call it.
///
/// # Errors
///
/// [`Parse`](meshwright_core::Error::Parse) for what is no XML, no topology of hwloc, or has no cores, and for what hwloc
/// never writes: entities, name spaces, more than 64 objects in each other; [`TooLarge`](meshwright_core::Error::TooLarge)
/// for too many links.
///
/// # Complexity
///
/// O(file + links).
///
/// # Examples
///
/// ```
/// use meshwright_network::topology::Topology;
/// use meshwright_hosts::hwloc;
/// use meshwright_core::units::{Hops, NodeId};
/// let core = r#"<object type="Core"/>"#;
/// let package = format!(r#"<object type="Package">{core}{core}</object>"#);
/// let text = format!(r#"<topology><object type="Machine">{package}{package}</object></topology>"#);
/// let host = hwloc::parse("hwloc:host.xml", text.as_bytes(), "host.xml")?;
/// assert_eq!(host.nodes(), 4);
/// assert_eq!(host.distance(NodeId(1), NodeId(3)), Some(Hops(3)), "over the first cores of both packages");
/// assert_eq!(host.places()[3].slot.to_string(), "1:1");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn parse(specification: &str, bytes: &[u8], file: &str) -> Result<Machine> {
    let text = Text::new(file, bytes, EXPECTED)?;
    let document = text.document(LIMITS)?;
    let root = document.root_element();
    let mut reader = Reader { text, packages: 0, in_package: None, cores: 0, slots: Vec::new() };
    if !root.has_tag_name("topology") {
        let message = format!("the outermost element is `{}`", printable(root.tag_name().name().as_bytes()));
        return Err(text.error(root, message));
    }
    let group = reader.group(root)?;
    if reader.slots.is_empty() {
        return Err(text.error(root, "there are no cores in this topology"));
    }
    let host = reader.host_name(root)?;
    let place = |(slot, node): (&Slot, u32)| Place { node: NodeId(node), host: host.clone(), slot: *slot };
    let places = reader.slots.iter().zip(0..).map(place).collect();
    let network = Network::Graph(hierarchy::network(&group)?);
    Ok(Machine::at_places(specification, network, places))
}

/// What has been found on the way through the tree.
struct Reader<'a> {
    text: Text<'a>,
    packages: u32,
    /// How many cores the package has so far; none outside of packages.
    in_package: Option<u32>,
    cores: u32,
    slots: Vec<Slot>,
}

impl Reader<'_> {
    /// What lies in an element: a core is one, and so is a hardware thread that belongs to no core.
    fn group(&mut self, element: Node<'_, '_>) -> Result<Group> {
        let mut members = Vec::new();
        for object in element.children().filter(|child| child.has_tag_name("object")) {
            let Some(kind) = object.attribute("type") else {
                return Err(self.text.error(object, "an object has no type"));
            };
            members.push(match kind {
                "Core" | "PU" => {
                    self.core(object)?;
                    Group::Core
                }
                "Package" | "Socket" if self.in_package.is_none() => {
                    self.in_package = Some(0);
                    let group = self.group(object)?;
                    self.in_package = None;
                    self.packages += 1;
                    group
                }
                _ => self.group(object)?,
            });
        }
        Ok(Group::Of(members))
    }

    fn core(&mut self, object: Node<'_, '_>) -> Result<()> {
        if self.cores == NODES_MAX {
            return Err(self.text.error(object, format!("there are more than {NODES_MAX} cores")));
        }
        self.slots.push(match &mut self.in_package {
            Some(core) => {
                *core += 1;
                Slot::OfPackage { package: self.packages, core: *core - 1 }
            }
            None => Slot::OfHost(self.cores),
        });
        self.cores += 1;
        Ok(())
    }

    /// The name that the host gave itself.
    fn host_name(&self, root: Node<'_, '_>) -> Result<String> {
        let objects = root.children().filter(|child| child.has_tag_name("object"));
        let mut infos = objects.flat_map(|object| object.children()).chain(root.children());
        let named =
            infos.find(|info| info.has_tag_name("info") && info.attribute("name") == Some("HostName"));
        let Some(info) = named else { return Ok(NO_NAME.to_string()) };
        match info.attribute("value") {
            Some(name) if is_host(name.as_bytes()) => Ok(name.to_string()),
            name => {
                let name = printable(name.unwrap_or_default().as_bytes());
                Err(self.text.expecting(info, format!("`{name}` is no host name"), HOST_EXPECTED))
            }
        }
    }
}
