//! The cores of one host, from the XML that `lstopo --of xml` writes.
//!
//! Nodes are cores, in the order of the file. What contains at least two things with cores (a cache, a group, a
//! package, the host; NUMA nodes of hwloc 1) is a group, and links are those of groups in groups: members of a
//! group are linked pairwise, each by its first core.

mod scan;

use std::io::Read;
use std::path::Path;

use roxmltree::{Document, Node, ParsingOptions};

use super::hierarchy::{self, Group};
use super::{HOST_EXPECTED, is_host};
use meshwright_core::error::{Error, Result};
use meshwright_core::text::{self, harmless, parse_error, printable};
use meshwright_core::units::NodeId;
use meshwright_network::topology::{Machine, NODES_MAX, Network, Place, Slot};

/// Files are read as a whole: one of 100,000 cores has about this size.
const BYTES_MAX: u64 = 1 << 28;

const EXPECTED: &str = "a file of `lstopo --of xml`";

/// The name of a host whose file has none, as that of a synthetic one.
const NO_NAME: &str = "localhost";

/// Reads a file; `specification` becomes the name of the machine.
///
/// # Errors
///
/// [`Error::Io`] when the system refuses the file, [`Error::TooLarge`] beyond 256 MiB; else as [`parse`].
pub fn read(specification: &str, path: &Path) -> Result<Machine> {
    let mut bytes = Vec::new();
    let mut reader = text::open(path)?.take(BYTES_MAX + 1);
    reader.read_to_end(&mut bytes).map_err(|source| Error::io(path, source))?;
    if bytes.len() as u64 > BYTES_MAX {
        let needed = format!("more than {} MiB", BYTES_MAX >> 20);
        let limit = format!("{} MiB", BYTES_MAX >> 20);
        return Err(Error::TooLarge { what: "the description of one host", needed, limit });
    }
    parse(specification, &bytes, &path.display().to_string())
}

/// Reads the text of a file; `file` is what errors call it.
///
/// # Errors
///
/// [`Error::Parse`] for what is no XML, no topology of hwloc, or has no cores, and for what hwloc never writes: entities,
/// name spaces, more than 64 objects in each other; [`Error::TooLarge`] for too many links.
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
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        parse_error(file, bytes, at..at + 1, "this is no text in UTF-8", EXPECTED)
    })?;
    scan::scan(text).map_err(|(at, message)| parse_error(file, bytes, at, message, EXPECTED))?;
    // Texts and comments are nodes, too.
    let nodes_limit = 4 * scan::ELEMENTS_MAX as u32;
    let options = ParsingOptions { allow_dtd: true, nodes_limit, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|error| {
        let at = offset(text, error.pos());
        parse_error(file, bytes, at..at, format!("this is no XML: {}", said(&error)), EXPECTED)
    })?;
    let root = document.root_element();
    let mut reader = Reader { file, bytes, packages: 0, in_package: None, cores: 0, slots: Vec::new() };
    if !root.has_tag_name("topology") {
        let message = format!("the outermost element is `{}`", printable(root.tag_name().name().as_bytes()));
        return Err(reader.error(root, message));
    }
    let group = reader.group(root)?;
    if reader.slots.is_empty() {
        return Err(reader.error(root, "there are no cores in this topology"));
    }
    let host = reader.host_name(root)?;
    let place = |(slot, node): (&Slot, u32)| Place { node: NodeId(node), host: host.clone(), slot: *slot };
    let places = reader.slots.iter().zip(0..).map(place).collect();
    let network = Network::Graph(hierarchy::network(&group)?);
    Ok(Machine::at_places(specification, network, places))
}

/// What the parser says, without the place that it puts at the end.
fn said(error: &roxmltree::Error) -> String {
    let text = error.to_string();
    let end = text.rfind(" at ").unwrap_or(text.len());
    harmless(&text[..end]).into_owned()
}

/// Where a line and a column, both from 1 and in characters, are in the text, in bytes.
fn offset(text: &str, place: roxmltree::TextPos) -> usize {
    let mut start = 0;
    for _ in 1..place.row {
        start += text[start..].find('\n').map_or(0, |newline| newline + 1);
    }
    let column = (place.col as usize).saturating_sub(1);
    text[start..].char_indices().nth(column).map_or(text.len(), |(at, _)| start + at)
}

/// What has been found on the way through the tree.
struct Reader<'a> {
    file: &'a str,
    bytes: &'a [u8],
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
                return Err(self.error(object, "an object has no type"));
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
            return Err(self.error(object, format!("there are more than {NODES_MAX} cores")));
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
                Err(self.expecting(info, format!("`{name}` is no host name"), HOST_EXPECTED))
            }
        }
    }

    fn error(&self, element: Node<'_, '_>, message: impl Into<String>) -> Error {
        self.expecting(element, message, EXPECTED)
    }

    fn expecting(
        &self,
        element: Node<'_, '_>,
        message: impl Into<String>,
        expected: impl Into<String>,
    ) -> Error {
        let start = element.range().start;
        let tag = start..start + 1 + element.tag_name().name().len();
        parse_error(self.file, self.bytes, tag, message, expected).into()
    }
}
