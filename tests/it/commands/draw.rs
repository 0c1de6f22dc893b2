//! Drawing machines and numbers.

use std::fmt::Write as _;

use meshwright_core::rng::stream;
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};
use rand_chacha::ChaCha8Rng;

/// A stream of choices under one seed.
pub(super) struct Draw(ChaCha8Rng);

/// A machine as an option, with the file it may need.
pub(super) struct Drawn {
    /// What stands after `--on`.
    pub(super) spec: String,
    /// The living nodes.
    pub(super) living: Vec<u32>,
    /// The sides, of boxes.
    pub(super) sides: Vec<u32>,
    /// The file.
    pub(super) file: Option<(String, String)>,
}

impl Draw {
    pub(super) fn new(seed: u64, purpose: &str) -> Self {
        Draw(stream(seed, purpose))
    }

    /// From low to high, both included.
    pub(super) fn number(&mut self, low: u32, high: u32) -> u32 {
        self.0.random_range(low..=high)
    }

    /// Whether one of so many happens.
    pub(super) fn one_in(&mut self, many: u32) -> bool {
        self.number(1, many) == 1
    }

    pub(super) fn of<'t>(&mut self, words: &[&'t str]) -> &'t str {
        words.choose(&mut self.0).expect("there are words")
    }

    pub(super) fn seed(&mut self) -> String {
        (self.0.next_u32() % 1000).to_string()
    }

    /// Some distinct ones of a list.
    pub(super) fn some<T: Copy>(&mut self, list: &[T], count: usize) -> Vec<T> {
        list.sample(&mut self.0, count).copied().collect()
    }

    /// Sides with at most so many nodes.
    fn sides(&mut self, nodes_max: u32) -> Vec<u32> {
        let mut sides = vec![];
        let mut room = nodes_max;
        for _ in 0..self.number(1, 3) {
            let side = self.number(1, room.min(6));
            sides.push(side);
            room /= side;
        }
        sides
    }

    fn shape(&mut self, nodes_max: u32, kinds: &[&str]) -> (String, u32, Vec<u32>) {
        match self.of(kinds) {
            "hypercube" => {
                let dimension = self.number(0, nodes_max.ilog2());
                (format!("hypercube:{dimension}"), 1 << dimension, vec![])
            }
            "gaussian" => ("gaussian:3+2i".to_string(), 13, vec![]),
            "ccc" => ("ccc:3".to_string(), 24, vec![]),
            kind => {
                let sides = self.sides(nodes_max);
                let words: Vec<String> = sides.iter().map(ToString::to_string).collect();
                (format!("{kind}:{}", words.join("x")), sides.iter().product(), sides)
            }
        }
    }

    /// A machine by name; one in `faulty` lies in a file, with costs of its own and perhaps dead nodes.
    pub(super) fn machine(&mut self, nodes_max: u32, kinds: &[&str], faulty: u32) -> Drawn {
        let (spec, nodes, sides) = self.shape(nodes_max, kinds);
        let mut drawn = Drawn { spec, living: (0..nodes).collect(), sides, file: None };
        if self.one_in(faulty) {
            let text = self.file(&mut drawn);
            drawn.file = Some(("m.toml".to_string(), text));
            drawn.spec = "m.toml".to_string();
        }
        drawn
    }

    fn file(&mut self, drawn: &mut Drawn) -> String {
        let mut text = format!("[machine]\ntopology = \"{}\"\n", drawn.spec);
        if !drawn.sides.is_empty() && self.one_in(6) {
            return text + &self.networks(&drawn.spec, drawn.sides.len());
        }
        if drawn.living.len() > 4 && self.one_in(2) {
            let count = self.number(1, 2) as usize;
            let dead = self.some(&drawn.living.clone(), count);
            drawn.living.retain(|node| !dead.contains(node));
            _ = writeln!(text, "dead = {dead:?}");
        }
        if !drawn.sides.is_empty() && drawn.living.len() > 2 && self.one_in(4) {
            text += &self.dead_link(&drawn.sides);
        }
        let switching = self.of(&["wormhole", "cut-through", "store-and-forward"]);
        let (startup, byte_time) = (self.of(&["0", "1", "16", "1000"]), self.of(&["1", "0.125", "3"]));
        _ = writeln!(text, "switching = \"{switching}\"\nstartup = {startup}\nbyte_time = {byte_time}");
        _ = writeln!(text, "flit = {}", self.of(&["1", "8", "64"]));
        if self.one_in(4) {
            _ = writeln!(text, "ports = \"one\"");
        }
        if self.one_in(5) {
            _ = writeln!(text, "overhead = {}\ngap = {}", self.of(&["0", "7", "40"]), self.of(&["0", "60"]));
        }
        text
    }

    /// Networks of a box of so many axes, some of whose links are slower; rings may be one-way.
    fn networks(&mut self, spec: &str, axes: usize) -> String {
        let mut text = format!("hop = {}\n", self.of(&["0", "1", "3"]));
        let signs: &[&str] = if spec.starts_with("torus") { &["", "+", "-"] } else { &[""] };
        for name in ["N", "M"].iter().take(self.number(1, 2) as usize) {
            let sign = self.of(signs);
            let legs: Vec<String> = (0..axes).map(|axis| format!("\"{sign}{axis}\"")).collect();
            let rate = self.of(&["1", "2", "16"]);
            _ = writeln!(
                text,
                "[[machine.networks]]\nname = \"{name}\"\nroute = [{}]\nrate = {rate}",
                legs.join(", ")
            );
        }
        if self.one_in(3) {
            let along = self.of(&["+0", "-0"]);
            _ = writeln!(
                text,
                "[[machine.links]]\nalong = \"{along}\"\nrate = {}",
                self.of(&["0.25", "1", "100"])
            );
        }
        text
    }

    /// A dead link along the last axis of a box.
    fn dead_link(&mut self, sides: &[u32]) -> String {
        let mut at: Vec<u32> = sides.iter().map(|&side| self.number(0, side - 1)).collect();
        let last = at.len() - 1;
        if sides[last] < 2 {
            return String::new();
        }
        at[last] = at[last].min(sides[last] - 2);
        let from = at.clone();
        at[last] += 1;
        format!("dead_links = [[{from:?}, {at:?}]]\n")
    }

    /// Costs as options.
    pub(super) fn costs(&mut self) -> Vec<String> {
        let mut words = vec![];
        let mut add = |name: &str, value: &str| words.extend([name.to_string(), value.to_string()]);
        if self.one_in(2) {
            add("--startup", self.of(&["0", "1", "20", "5000"]));
        }
        if self.one_in(2) {
            add("--byte-time", self.of(&["1", "0.25", "1/30", "4"]));
        }
        if self.one_in(2) {
            add("--flit", self.of(&["1", "2", "16", "200"]));
        }
        words
    }
}

impl Drawn {
    /// A node as `--from` takes it.
    pub(super) fn named(&self, node: u32) -> String {
        let mut rest = node;
        let mut words = vec![];
        for &side in self.sides.iter().rev() {
            words.push((rest % side).to_string());
            rest /= side;
        }
        words.reverse();
        if words.is_empty() { node.to_string() } else { words.join(",") }
    }
}
