//! Processes, and the machine that they find themselves on when nobody declares one: a tree of switches, hosts and packages.

use crate::launcher::seats::Seat;

/// One process of a communicator, by what it can tell of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Host, processors and launcher.
    pub seat: Seat,
    /// Its rank in the world.
    pub world: u32,
    /// The package that all its processors belong to; nothing where they are several or unknown.
    pub package: Option<u32>,
    /// The switches above its host, the outermost first, as Slurm's `SLURM_TOPOLOGY_ADDR` names them.
    pub switches: Vec<String>,
}

impl Process {
    /// A process of which nothing is known but its host and its rank in the world.
    pub fn on_host(host: &str, world: u32) -> Self {
        let seat = Seat { host: host.into(), processors: Vec::new(), started: None };
        Self { seat, world, package: None, switches: Vec::new() }
    }

    /// The switches of an address such as `s0.s4.n01` with its pattern `switch.switch.node`; none where they do not match.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_hosts::reorder::Process;
    /// assert_eq!(Process::switches("s0.s4.n01", "switch.switch.node"), ["s0", "s4"]);
    /// assert!(Process::switches("n01", "node").is_empty());
    /// ```
    pub fn switches(address: &str, pattern: &str) -> Vec<String> {
        let (words, kinds): (Vec<&str>, Vec<&str>) =
            (address.split('.').collect(), pattern.split('.').collect());
        if words.len() < kinds.len() {
            return Vec::new(); // a host's name may have points of its own
        }
        let switches = words.iter().zip(&kinds).take_while(|(_, kind)| **kind == "switch");
        switches.map(|(word, _)| (*word).to_string()).collect()
    }

    /// Where it is in the tree: the names from the outermost switch to the package.
    pub(super) fn path(&self) -> Vec<String> {
        let package = self.package.map_or(String::new(), |package| package.to_string());
        self.switches.iter().cloned().chain([self.seat.host.clone(), package]).collect()
    }
}
