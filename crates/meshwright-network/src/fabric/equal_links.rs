//! What knows only equal links in both directions says so of a machine whose networks are described.

use meshwright_core::error::{Error, Result};

use crate::topology::{Machine, Topology};

impl Machine {
    /// Refuses a machine whose networks are described, for what knows only equal links in both directions.
    ///
    /// # Errors
    ///
    /// [`Error::NotApplicable`] with the box that may be named in its place.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_network::topology::Machine;
    /// assert!(Machine::new("torus:4x4")?.equal_links("sending at random").is_ok());
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn equal_links(&self, method: &'static str) -> Result<()> {
        let Some(fabric) = self.fabric() else { return Ok(()) };
        let sides: Vec<String> = fabric.grid().sides().iter().map(u32::to_string).collect();
        let family = if fabric.grid().wraps() { "torus" } else { "mesh" };
        let why = format!(
            "it knows only equal links in both directions, and the file of this machine describes networks with rates and \
             directions of their own; on a plain {family}:{} it is possible",
            sides.join("x")
        );
        Err(Error::not_applicable(method, why))
    }
}
