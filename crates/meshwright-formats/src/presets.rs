//! Machines by name: real ones, with the source of each figure in their files.

use std::path::Path;

use crate::scenario::{self, ScenarioText};
use meshwright_core::error::{Error, Result};
use meshwright_core::text::did_you_mean;
use meshwright_network::topology::Machine;

/// A machine that comes with the program.
#[derive(Debug)]
pub struct Preset {
    /// Its name, as after `--on`.
    pub name: &'static str,
    /// Its file, which `--on` reads as well.
    pub toml: &'static str,
}

/// Every machine that comes with the program.
pub const PRESETS: &[Preset] = &[
    Preset { name: "wormhole", toml: include_str!("../presets/wormhole.toml") },
    Preset { name: "blackhole", toml: include_str!("../presets/blackhole.toml") },
    Preset { name: "tpu-v5e", toml: include_str!("../presets/tpu-v5e.toml") },
    Preset { name: "wafer", toml: include_str!("../presets/wafer.toml") },
    Preset { name: "paragon", toml: include_str!("../presets/paragon.toml") },
    Preset { name: "noc", toml: include_str!("../presets/noc.toml") },
    Preset { name: "tofu", toml: include_str!("../presets/tofu.toml") },
];

/// What a preset says of itself.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct About {
    /// Its name.
    pub name: String,
    /// What it is, in a line.
    pub summary: String,
    /// Where its figures come from.
    pub sources: Vec<String>,
    /// What was measured.
    pub measured: Vec<String>,
    /// What is assumed.
    pub assumed: Vec<String>,
}

/// The names of all presets, in the order of the table.
///
/// # Examples
///
/// ```
/// assert!(meshwright_formats::presets::names().contains(&"wafer"));
/// ```
pub fn names() -> Vec<&'static str> {
    PRESETS.iter().map(|preset| preset.name).collect()
}

/// The preset with this name.
///
/// # Errors
///
/// [`Error::Value`] with the nearest name there is.
///
/// # Examples
///
/// ```
/// use meshwright_formats::presets;
/// assert!(presets::named("wormhole")?.machine()?.fabric().is_some());
/// assert!(presets::named("warmhole").unwrap_err().to_string().contains("wormhole"));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn named(name: &str) -> Result<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name).ok_or_else(|| {
        let names = names();
        let expected = format!("one of {}{}", names.join(", "), did_you_mean(name, &names));
        Error::value("machine", format!("`{name}`"), expected)
    })
}

impl Preset {
    /// The machine, under the name of the preset.
    ///
    /// # Errors
    ///
    /// None: a test reads all of them.
    pub fn machine(&self) -> Result<Machine> {
        scenario::machine(self.name)
    }

    /// What it says of itself.
    ///
    /// # Errors
    ///
    /// As for [`Preset::machine`].
    pub fn about(&self) -> Result<About> {
        scenario::about(&self.source()?, self.name)
    }

    /// Its text, as that of a file of its name.
    pub(crate) fn source(&self) -> Result<ScenarioText> {
        ScenarioText::from_bytes(Path::new(self.file().as_str()), self.toml.as_bytes().to_vec())
    }

    fn file(&self) -> String {
        format!("{}.toml", self.name)
    }
}
