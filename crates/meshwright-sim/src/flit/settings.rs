//! Settings of a router by name: what `--set KEY=VALUE` accepts.

use super::router::{Allocator, BUFFERS_MAX, CHANNELS_MAX, Router, Stages};
use meshwright_core::error::{Error, Result};
use meshwright_core::find;
use meshwright_network::routing;
use meshwright_network::topology::PortModel;

/// A setting by name.
pub struct Setting {
    /// Its name.
    pub name: &'static str,
    /// What it means, in half a sentence.
    pub summary: &'static str,
    set: fn(&mut Router, &str) -> Result<()>,
}

macro_rules! number {
    ($name:ident, $least:literal, $most:expr, $summary:literal) => {
        Setting {
            name: stringify!($name),
            summary: $summary,
            set: |router, text| {
                router.$name = whole(stringify!($name), text, $least, $most)?;
                Ok(())
            },
        }
    };
}

/// Every setting the program knows.
pub const SETTINGS: &[Setting] = &[
    number!(virtual_channels, 1, CHANNELS_MAX, "virtual channels of a link"),
    number!(
        buffers,
        1,
        BUFFERS_MAX,
        "slots of a virtual channel: flits, or packets where packets move whole"
    ),
    number!(routing_delay, 0, 64, "cycles to find the output of a head"),
    number!(vc_alloc_delay, 0, 64, "cycles of virtual-channel allocation"),
    number!(sw_alloc_delay, 0, 64, "cycles of switch allocation"),
    number!(switch_delay, 0, 64, "cycles through the switch"),
    number!(link_delay, 1, 64, "cycles over a link"),
    number!(credit_delay, 0, 64, "cycles until a returned credit counts"),
    number!(injection_delay, 0, 64, "cycles from the source queue into the router"),
    number!(ejection_delay, 0, 64, "cycles from the switch to the node"),
    Setting {
        name: "speculative",
        summary: "0 = channel, then switch; 1 = both asked for at once",
        set: |router, text| {
            let stages = [Stages::Separate, Stages::Speculative];
            router.stages = stages[whole("speculative", text, 0, 1)? as usize];
            Ok(())
        },
    },
    Setting {
        name: "allocator",
        summary: "islip or separable",
        set: |router, text| {
            router.allocator = match text {
                "islip" => Allocator::Islip,
                "separable" => Allocator::Separable,
                _ => return Err(Error::value("allocator", format!("`{text}`"), "islip or separable")),
            };
            Ok(())
        },
    },
    Setting {
        name: "ports",
        summary: "injection and ejection ports of a node: one or all",
        set: |router, text| {
            router.ports = match text {
                "one" => PortModel::One,
                "all" => PortModel::All,
                _ => return Err(Error::value("ports", format!("`{text}`"), "one or all")),
            };
            Ok(())
        },
    },
    Setting {
        name: "routing",
        summary: "how packets find their way: a name of the routing table, or auto",
        set: |router, text| {
            let known = || {
                let names: Vec<_> = routing::ROUTINGS.iter().map(|routing| routing.name).collect();
                format!("auto, {}", names.join(", "))
            };
            let goes_by =
                |routing: &&routing::Routing| routing.name == text || routing.aliases.contains(&text);
            router.routing = match routing::ROUTINGS.iter().find(goes_by) {
                Some(routing) => routing.name.to_string(),
                None if text == "auto" => text.to_string(),
                None => return Err(Error::value("routing", format!("`{text}`"), known())),
            };
            Ok(())
        },
    },
];

/// A whole number within bounds.
fn whole(name: &'static str, text: &str, least: u32, most: u32) -> Result<u32> {
    match text.parse() {
        Ok(value) if (least..=most).contains(&value) => Ok(value),
        _ => Err(Error::value(name, format!("`{text}`"), format!("a whole number from {least} to {most}"))),
    }
}

impl Router {
    /// Changes one setting; the table is [`SETTINGS`].
    ///
    /// # Errors
    ///
    /// [`Error::Value`] for an unknown name or a value out of bounds.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_sim::flit::Router;
    /// use meshwright_network::topology::Machine;
    /// let mesh = Machine::new("mesh:4x4")?;
    /// let mut router = Router::named("booksim", &mesh)?;
    /// router.set("routing_delay", "0")?;
    /// assert_eq!(router.zero_load(&mesh, 5, 1), 6 + 4 * 5);
    /// assert!(router.set("routing_delay", "soon").is_err());
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn set(&mut self, key: &str, value: &str) -> Result<()> {
        (find("setting", key, SETTINGS, |setting| setting.name)?.set)(self, value)
    }
}
