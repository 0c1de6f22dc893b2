//! The tables of `[machine]` that describe links, ports and processors as they are.

use super::machine_keys;
use super::quantity;
use super::value::{Table, Value};
use meshwright_core::error::Result;
use meshwright_core::text::nearest;
use meshwright_core::units::{Bytes, Cycles, NodeId, Ratio};
use meshwright_core::words::quoted;
use meshwright_network::fabric::plane::Turn;
use meshwright_network::fabric::{Fabric, Leg, Plane, Processor, RATE_MAX, RateTable, Routers, Shared, Ways};
use meshwright_network::topology::{Grid, Machine, Network, Topology};

/// The keys of `[machine]` that belong here.
const KEYS: &[&str] =
    &["networks", "sharing", "interfaces", "links", "shared", "hop", "routers", "rate_by_size", "processors"];

/// The keys of `[machine]` that would say nothing beside networks.
const WITHOUT: &[&str] = &[
    "switching",
    "startup",
    "byte_time",
    "flit",
    "overhead",
    "gap",
    "buffers",
    "virtual_channels",
    "ports",
    "dead",
    "dead_links",
];

const RATE: &str = "bytes per cycle as in 30, 28.1 or \"1/2\", or a rate such as \"25 GB/s\"";

/// Words for directions on a box of rows and columns.
const WORDS: &[(&str, usize, Turn)] =
    &[("east", 1, Turn::Up), ("west", 1, Turn::Down), ("south", 0, Turn::Up), ("north", 0, Turn::Down)];

/// What is read so far, and how to read what follows.
struct Reader<'m> {
    machine: &'m Machine,
    grid: &'m Grid,
    clock: Option<Ratio>,
}

/// Reads the tables, if there is a network among them.
pub(super) fn read(table: &Table<'_>, machine: &Machine, clock: Option<Ratio>) -> Result<Option<Fabric>> {
    let networks = table.tables("networks", "[[machine.networks]]")?;
    if networks.is_empty() {
        let misplaced = KEYS.iter().find_map(|key| table.get(key));
        return match misplaced {
            Some(value) => Err(value.error(
                "these tables describe a machine by its networks, and there is none",
                "a table `[[machine.networks]]` with name, route and rate",
            )),
            None => Ok(None),
        };
    }
    if let Some((key, value)) = WITHOUT.iter().find_map(|key| Some((key, table.get(key)?))) {
        return Err(value.error(
            format!("`{key}` says nothing of a machine that is described by its networks"),
            "rates, `hop`, `[[machine.interfaces]]`, `[machine.routers]` or `[[machine.processors]]` in its place",
        ));
    }
    let Network::Grid(grid) = machine.network() else {
        let topology = table.require("topology", "a box")?;
        return Err(topology.unexpected("mesh:RxC[xD…] or torus:RxC[xD…] beside `[[machine.networks]]`"));
    };
    let reader = Reader { machine, grid, clock };
    let mut planes: Vec<Plane> = Vec::new();
    for network in &networks {
        let plane = reader.plane(network)?;
        free(&network.require("name", "a name")?, planes.iter().map(|known| &known.name), &plane.name)?;
        planes.push(plane);
    }
    let first = table.require("networks", "a network")?;
    let mut fabric = Fabric::new(grid.clone(), planes).map_err(|error| first.locate(error))?;
    if let Some(value) = table.get("sharing") {
        fabric = fabric.with_in_service(&reader.all(), sharing(&value)?)?;
    }
    for interfaces in table.tables("interfaces", "[[machine.interfaces]]")? {
        fabric = reader.interfaces(fabric, &interfaces)?;
    }
    for links in table.tables("links", "[[machine.links]]")? {
        fabric = reader.links(fabric, &links)?;
    }
    for shared in table.tables("shared", "[[machine.shared]]")? {
        fabric = reader.shared(fabric, &shared)?;
    }
    fabric = fabric.with_hop(reader.cycles_of(table, "hop")?);
    if let Some(routers) = table.table("routers", "[machine.routers]")? {
        fabric = reader.routers(fabric, &routers)?;
    }
    if let Some(value) = table.get("rate_by_size") {
        fabric = fabric.with_rate_table(reader.rate_table(&value)?);
    }
    let mut processors = Vec::new();
    for processor in table.tables("processors", "[[machine.processors]]")? {
        processors.push(reader.processor(&fabric, &processor)?);
    }
    if processors.is_empty() {
        processors.push(Processor { name: "processor".to_string(), ..Processor::default() });
    }
    Ok(Some(fabric.with_processors(processors)))
}

/// `"fair"`, `"in-turn"`, or so many messages of a source in service at a time.
fn sharing(value: &Value<'_>) -> Result<u32> {
    const EXPECTED: &str =
        "\"fair\", \"in-turn\", or how many messages of a source are in service at a time, such as 3";
    match value.string(EXPECTED) {
        Ok("fair") => Ok(0),
        Ok("in-turn") => Ok(1),
        Ok(_) => Err(value.unexpected(EXPECTED)),
        Err(_) => Ok(value.whole(1, u64::from(u32::MAX)).map_err(|_| value.unexpected(EXPECTED))? as u32),
    }
}

impl Reader<'_> {
    fn plane(&self, table: &Table<'_>) -> Result<Plane> {
        table.check_keys(&machine_keys::NETWORKS.names())?;
        let name = table.require("name", "name = \"NOC_0\"")?.name()?;
        let route = table.require("route", "route = [\"east\", \"south\"]")?;
        let legs = route.array(ROUTE)?.map(|leg| self.leg(&leg)).collect::<Result<Vec<_>>>()?;
        let rate = self.rate(&table.require("rate", "rate = 32, bytes per cycle of a link")?)?;
        let plane = Plane::new(name, legs, rate);
        plane.check(self.grid).map_err(|error| route.locate(error))?;
        Ok(plane)
    }

    /// `"east"`, `"+1"` upwards along axis 1, `"-1"` downwards, `"1"` the shorter way, `"straight 1"` inside the box.
    fn leg(&self, value: &Value<'_>) -> Result<Leg> {
        let word = value.string(ROUTE)?;
        if let (2, Some(&(_, axis, turn))) =
            (self.grid.dimensions(), WORDS.iter().find(|known| known.0 == word))
        {
            return Ok(Leg { axis, turn });
        }
        const TURNS: &[(&str, Turn)] =
            &[("+", Turn::Up), ("-", Turn::Down), ("straight ", Turn::Straight), ("", Turn::Shorter)];
        let turn = TURNS.iter().find_map(|&(prefix, turn)| Some((turn, word.strip_prefix(prefix)?)));
        let (turn, axis) = turn.expect("every word begins with nothing");
        let digits = axis.bytes().all(|byte| byte.is_ascii_digit());
        let axis = axis.parse().ok().filter(|&axis: &usize| digits && axis < self.grid.dimensions());
        let axis = axis.ok_or_else(|| value.unexpected(ROUTE))?;
        Ok(Leg { axis, turn })
    }

    fn interfaces(&self, mut fabric: Fabric, table: &Table<'_>) -> Result<Fabric> {
        table.check_keys(&machine_keys::INTERFACES.names())?;
        let (planes, nodes) = (self.planes(&fabric, table)?, self.nodes(table)?);
        if table.get("memory").is_some() {
            fabric = fabric.with_memory(&nodes, self.cycles_of(table, "memory")?)?;
        }
        if let Some(value) = table.get("sharing") {
            fabric = fabric.with_in_service(&nodes, sharing(&value)?)?;
        }
        if let Some(rate) = self.rate_of(table, "memory_rate")? {
            fabric = fabric.with_memory_rate(&nodes, rate)?;
        }
        fabric.with_ports(&planes, &nodes, (self.rate_of(table, "out")?, self.rate_of(table, "in")?))
    }

    fn routers(&self, fabric: Fabric, table: &Table<'_>) -> Result<Fabric> {
        table.check_keys(&machine_keys::ROUTERS.names())?;
        let mut routers = Routers::default();
        if let Some(value) = table.get("flit") {
            let flit = quantity::bytes(&value.quantity("bytes")?).map_err(|error| value.reword(error))?;
            routers.flit = flit;
        }
        for (key, least, most, setting) in [
            ("header", 0, 256, &mut routers.header),
            ("channels", 1, 4, &mut routers.channels),
            ("buffers", 1, 1 << 16, &mut routers.buffers),
            ("requests", 0, 1 << 16, &mut routers.requests),
        ] {
            if let Some(value) = table.get(key) {
                *setting = value.whole(least, most)? as u32;
            }
        }
        fabric.with_routers(routers).map_err(|error| table.locate("flit", error))
    }

    fn links(&self, fabric: Fabric, table: &Table<'_>) -> Result<Fabric> {
        table.check_keys(&machine_keys::LINKS.names())?;
        let (planes, nodes) = (self.planes(&fabric, table)?, self.nodes(table)?);
        let way = table.require("along", "along = \"east\", or an axis such as \"1\"")?;
        let along = self.leg(&way)?;
        let class = table.get("class").map_or(Ok(String::new()), |value| value.name())?;
        let rate = self.rate(&table.require("rate", "rate = 16, bytes per cycle of these links")?)?;
        let ups: &[bool] = match along.turn {
            Turn::Up => &[true],
            Turn::Down => &[false],
            Turn::Shorter | Turn::Straight => &[true, false],
        };
        let fabric = fabric.with_links(&planes, &nodes, (along.axis, ups), (&class, rate));
        fabric.map_err(|error| way.locate(error))
    }

    fn shared(&self, fabric: Fabric, table: &Table<'_>) -> Result<Fabric> {
        table.check_keys(&machine_keys::SHARED.names())?;
        const EXPECTED: &str =
            "one of out, in and both, such as both = 31: bytes per cycle of all its nodes together";
        let named = table.require("name", "name = \"controller 0\"")?;
        let name = named.name()?;
        free(&named, fabric.shared().iter().map(|shared| &shared.name), &name)?;
        let mut known = Vec::new();
        for (key, ways) in [("out", Ways::Out), ("in", Ways::In), ("both", Ways::Both)] {
            known.extend(table.get(key).map(|value| (key, ways, value)));
        }
        let (ways, rate) = match known.as_slice() {
            [] => return Err(table.missing("out", EXPECTED)),
            [(_, ways, value)] => (*ways, self.rate(value)?),
            [(one, ..), (other, _, value), ..] => {
                return Err(value.error(format!("`{other}` stands beside `{one}`"), EXPECTED));
            }
        };
        fabric.with_shared(Shared { name, nodes: self.nodes(table)?, ways, rate })
    }

    fn rate_table(&self, value: &Value<'_>) -> Result<RateTable> {
        const EXPECTED: &str = "a list of [bytes, rate], such as [[128, 5.5], [2048, 30]]";
        let mut points = Vec::new();
        for point in value.array(EXPECTED)? {
            let pair: Vec<Value<'_>> = point.array(EXPECTED)?.collect();
            let [size, rate] = pair.as_slice() else { return Err(point.unexpected(EXPECTED)) };
            let bytes = quantity::bytes(&size.quantity("bytes")?).map_err(|error| size.reword(error))?;
            points.push((Bytes(bytes.0), self.rate(rate)?));
        }
        RateTable::new(&points).map_err(|error| value.locate(error))
    }

    fn processor(&self, fabric: &Fabric, table: &Table<'_>) -> Result<Processor> {
        table.check_keys(&machine_keys::PROCESSORS.names())?;
        let name = table.require("name", "name = \"BRISC\"")?.name()?;
        let plane = table.get("network").map_or(Ok(0), |value| plane(fabric, &value))?;
        let peers = match table.get("peers") {
            Some(value) => self.listed(&value, "peers")?,
            None => Vec::new(),
        };
        Ok(Processor {
            name,
            peers,
            plane,
            overhead: self.cycles_of(table, "overhead")?,
            first: self.cycles_of(table, "first")?,
            gap: self.cycles_of(table, "gap")?,
            barrier: self.cycles_of(table, "barrier")?,
            tail: self.cycles_of(table, "tail")?,
            empty: self.cycles_of(table, "empty")?,
            profiler: self.profiler(table)?,
            resume: self.cycles_of(table, "resume")?,
        })
    }

    /// `[records, cycles]`.
    fn profiler(&self, table: &Table<'_>) -> Result<Option<(u32, Cycles)>> {
        const EXPECTED: &str = "[records, cycles], such as [126, 181]";
        let Some(value) = table.get("profiler") else { return Ok(None) };
        let pair: Vec<Value<'_>> = value.array(EXPECTED)?.collect();
        let [records, cycles] = pair.as_slice() else { return Err(value.unexpected(EXPECTED)) };
        Ok(Some((records.whole(1, 1 << 20)? as u32, self.cycles(cycles)?)))
    }

    /// The networks a table names; all if it names none.
    fn planes(&self, fabric: &Fabric, table: &Table<'_>) -> Result<Vec<usize>> {
        let Some(value) = table.get("networks") else { return Ok((0..fabric.planes().len()).collect()) };
        value.array("a list of networks by name")?.map(|name| plane(fabric, &name)).collect()
    }

    /// Every node.
    fn all(&self) -> Vec<NodeId> {
        (0..self.grid.nodes()).map(NodeId).collect()
    }

    /// The nodes a table names; all if it names none.
    fn nodes(&self, table: &Table<'_>) -> Result<Vec<NodeId>> {
        let Some(value) = table.get("nodes") else { return Ok(self.all()) };
        self.listed(&value, "nodes")
    }

    /// The nodes of a list.
    fn listed(&self, value: &Value<'_>, key: &'static str) -> Result<Vec<NodeId>> {
        let mut nodes = Vec::new();
        for place in value.array("a list of nodes such as [[0, 5], [\"*\", 0]]")? {
            nodes.extend(super::machine::nodes(self.machine, key, &place)?);
        }
        Ok(nodes)
    }

    fn rate_of(&self, table: &Table<'_>, key: &'static str) -> Result<Option<Ratio>> {
        table.get(key).map(|value| self.rate(&value)).transpose()
    }

    fn rate(&self, value: &Value<'_>) -> Result<Ratio> {
        let text = value.quantity(RATE)?;
        let rate = quantity::rate(&text, self.clock).map_err(|error| value.reword(error))?;
        match rate.to_f64() <= RATE_MAX {
            true => Ok(rate),
            false => Err(value.unexpected("at most 1e9 bytes per cycle")),
        }
    }

    fn cycles_of(&self, table: &Table<'_>, key: &'static str) -> Result<Cycles> {
        table.get(key).map_or(Ok(Cycles(0)), |value| self.cycles(&value))
    }

    fn cycles(&self, value: &Value<'_>) -> Result<Cycles> {
        let text = value.quantity("cycles, or a time such as \"2 us\"")?;
        quantity::cycles(&text, self.clock).map_err(|error| value.reword(error))
    }
}

const ROUTE: &str = "directions in their order, such as \"east\", \"south\" on a box of rows and columns; \"+1\" upwards along axis 1, \
                     \"-1\" downwards, \"1\" the shorter way, \"straight 1\" inside the box";

/// Refuses a name that another has.
fn free<'a>(value: &Value<'_>, mut known: impl Iterator<Item = &'a String>, name: &str) -> Result<()> {
    match known.any(|known| known == name) {
        true => Err(value.error(format!("`{name}` is there already"), "a name for each of its own")),
        false => Ok(()),
    }
}

/// A network by its name.
fn plane(fabric: &Fabric, value: &Value<'_>) -> Result<usize> {
    let names: Vec<&str> = fabric.planes().iter().map(|plane| plane.name.as_str()).collect();
    let name = value.string(&quoted(&names))?;
    fabric.plane(name).ok_or_else(|| match nearest(name, &names) {
        Some(near) => value.unexpected(format!("`{near}`")),
        None => value.unexpected(quoted(&names)),
    })
}
