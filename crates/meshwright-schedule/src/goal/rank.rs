//! The statements between the braces of one rank.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::label::Label;
use super::quoted;
use crate::{Awaits, CALC_MAX, Dependency, Op, Rank};
use meshwright_core::error::{Error, Result};
use meshwright_core::text::{ENTRIES_MAX, Place, Tokens};
use meshwright_core::units::{Bytes, Cycles, NodeId};
use meshwright_network::topology::costs::BYTES_MAX;

/// Reads rank after rank, always with the same memory.
pub(super) struct Reader<'t, 'a> {
    pub(super) tokens: &'t mut Tokens<'a>,
    /// Where each step of the file stands, rank after rank as they were read.
    pub(super) places: Vec<Place>,
    ranks: u32,
    /// Statements of the whole file.
    entries: u64,
    /// The present rank.
    ops: Vec<Op>,
    /// Of the computations that name one: step and processor.
    processors: Vec<(u32, u8)>,
    dependencies: Vec<Dependency>,
    labels: BTreeMap<Label, u32>,
    /// Labels used before their step: the dependency, which end of it, the label and its place.
    awaited: Vec<(usize, End, Label, Place)>,
}

#[derive(Clone, Copy)]
enum End {
    Step,
    On,
}

/// What a step does.
#[derive(Clone, Copy)]
enum Verb {
    Send,
    Recv,
    Calc,
}

impl Verb {
    fn of(word: &[u8]) -> Option<Self> {
        match word {
            b"send" => Some(Self::Send),
            b"recv" => Some(Self::Recv),
            b"calc" => Some(Self::Calc),
            _ => None,
        }
    }
}

const STATEMENT: &str = "`send`, `recv`, `calc`, or a label with `:`, `requires`, `irequires` or `relays`";

impl<'t, 'a> Reader<'t, 'a> {
    /// A reader of a file with so many ranks.
    pub(super) fn new(tokens: &'t mut Tokens<'a>, ranks: u32) -> Self {
        Self {
            tokens,
            places: vec![],
            ranks,
            entries: 0,
            ops: vec![],
            processors: vec![],
            dependencies: vec![],
            labels: BTreeMap::new(),
            awaited: vec![],
        }
    }

    /// Reads the statements of a rank up to the closing brace.
    pub(super) fn rank(&mut self, number: u32) -> Result<Rank> {
        self.ops.clear();
        self.processors.clear();
        self.dependencies.clear();
        self.labels.clear();
        loop {
            if !self.tokens.next_anywhere()? {
                let message = format!("the file ends within rank {number}");
                return Err(self.tokens.error(message, "`}`"));
            }
            if self.tokens.word() == b"}" {
                break;
            }
            self.entries += 1;
            if self.entries > ENTRIES_MAX {
                let message = format!("there are more than {ENTRIES_MAX} statements");
                return Err(self.tokens.error(message, "fewer statements"));
            }
            self.statement()?;
            if self.tokens.next_on_line()? {
                if self.tokens.word() != b"}" {
                    return Err(self.tokens.unexpected("the end of the line or `}`"));
                }
                self.tokens.hold();
            }
        }
        self.resolve()?;
        // As long as they are: most ranks are short, and there may be a million of them.
        let mut processors = vec![0; if self.processors.is_empty() { 0 } else { self.ops.len() }];
        for &(step, processor) in &self.processors {
            processors[step as usize] = processor;
        }
        let (ops, dependencies) = (self.ops.as_slice().to_vec(), self.dependencies.as_slice().to_vec());
        let rank = Rank { ops, dependencies, processors };
        match rank.wrong_relay() {
            None => Ok(rank),
            Some(step) => {
                let place = self.places[self.places.len() - rank.ops.len() + step as usize];
                let message = "what relays is no send, or not of as many bytes as what it relays";
                let expected = "a send that relays one receive of the same size";
                Err(self.tokens.error_at(place, "", message.to_string(), expected))
            }
        }
    }

    fn statement(&mut self) -> Result<()> {
        if matches!(self.tokens.word(), b"{" | b":") {
            return Err(self.tokens.unexpected(STATEMENT));
        }
        let first = Label::new(self.tokens.word());
        let verb = Verb::of(self.tokens.word());
        let place = self.tokens.place();
        let second = self.tokens.next_on_line()?;
        match self.tokens.word() {
            b":" => {
                self.label(first, place)?;
                if !self.tokens.next_on_line()? {
                    return Err(self.tokens.missing("the step", "`send`, `recv` or `calc`"));
                }
                let place = self.tokens.place();
                match Verb::of(self.tokens.word()) {
                    Some(verb) => self.step(verb, place),
                    None => Err(self.no_step(&Label::new(self.tokens.word()), place)),
                }
            }
            b"requires" => self.dependency(first, place, Awaits::End),
            b"irequires" => self.dependency(first, place, Awaits::Start),
            b"relays" => self.dependency(first, place, Awaits::Head),
            _ => {
                if second {
                    self.tokens.hold();
                }
                match verb {
                    Some(verb) => self.step(verb, place),
                    None => Err(self.no_step(&first, place)),
                }
            }
        }
    }

    fn label(&mut self, label: Label, place: Place) -> Result<()> {
        match self.labels.entry(label) {
            Entry::Vacant(slot) => {
                slot.insert(self.ops.len() as u32);
                Ok(())
            }
            Entry::Occupied(slot) => {
                let label = slot.key().bytes();
                let (shown, message) =
                    (String::from_utf8_lossy(&label), format!("the label {} is given twice", quoted(&label)));
                Err(self.tokens.error_at(place, &shown, message, "another label in this rank"))
            }
        }
    }

    /// The error that a word is no step.
    fn no_step(&self, word: &Label, place: Place) -> Error {
        let word = word.bytes();
        let (shown, message) = (String::from_utf8_lossy(&word), format!("{} is no step", quoted(&word)));
        self.tokens.error_at(place, &shown, message, STATEMENT)
    }

    /// A step whose verb has been read.
    fn step(&mut self, verb: Verb, place: Place) -> Result<()> {
        let op = match verb {
            Verb::Send => {
                let (bytes, peer) = self.message("to")?;
                Op::Send { peer, bytes, tag: self.attributes(true)?.0 }
            }
            Verb::Recv => {
                let (bytes, peer) = self.message("from")?;
                Op::Recv { peer, bytes, tag: self.attributes(true)?.0 }
            }
            Verb::Calc => {
                let cycles = Cycles(self.tokens.integer("the time of a computation", 0..=CALC_MAX.0)?);
                let (_, processor) = self.attributes(false)?;
                if processor > 0 {
                    self.processors.push((self.ops.len() as u32, processor));
                }
                Op::Calc { cycles }
            }
        };
        self.ops.push(op);
        self.places.push(place);
        Ok(())
    }

    /// `64b to 9`: a size and a rank with its preposition.
    fn message(&mut self, preposition: &str) -> Result<(Bytes, NodeId)> {
        let bytes = self.size()?;
        self.tokens.expect(preposition)?;
        let peer = self.tokens.integer_u32("rank", 0..=self.ranks - 1)?;
        Ok((Bytes(bytes), NodeId(peer)))
    }

    /// `64b`. What is no size is read once more for its error, which is costly to word.
    fn size(&mut self) -> Result<u64> {
        self.tokens.next_on_line()?;
        let digits = self.tokens.word().strip_suffix(b"b").unwrap_or_default();
        let number =
            digits.iter().all(u8::is_ascii_digit).then(|| std::str::from_utf8(digits).ok()?.parse().ok());
        if let Some(bytes) = number.flatten().filter(|bytes| *bytes <= BYTES_MAX) {
            return Ok(bytes);
        }
        self.tokens.hold();
        self.tokens.integer_with_unit("size", b"b", 0..=BYTES_MAX)
    }

    /// `tag 4 cpu 0 nic 1`, each at most once; the tag, or 0, and the processor, or 0.
    fn attributes(&mut self, tagged: bool) -> Result<(u32, u8)> {
        let mut allowed = [Some("cpu"), Some("nic"), tagged.then_some("tag")];
        let (mut tag, mut processor) = (0, 0);
        while self.tokens.next_on_line()? {
            let word = self.tokens.word();
            let is_word = |name: &&mut Option<&str>| name.is_some_and(|name| name.as_bytes() == word);
            let Some(name) = allowed.iter_mut().find(is_word).and_then(Option::take) else {
                self.tokens.hold();
                break;
            };
            let most = if name == "cpu" { u32::from(u8::MAX) } else { u32::MAX };
            let value = self.tokens.integer_u32(name, 0..=most)?;
            match name {
                "tag" => tag = value,
                "cpu" => processor = value as u8,
                _ => {}
            }
        }
        Ok((tag, processor))
    }

    /// `first requires other`, whose verb has been read.
    fn dependency(&mut self, first: Label, place: Place, awaits: Awaits) -> Result<()> {
        if !self.tokens.next_on_line()? || matches!(self.tokens.word(), b"{" | b"}" | b":") {
            return Err(self.tokens.unexpected("the label of a step"));
        }
        let other = Label::new(self.tokens.word());
        if other == first {
            let message = format!("the step {} requires itself", quoted(&first.bytes()));
            return Err(self.tokens.error(message, "the label of another step"));
        }
        let index = self.dependencies.len();
        let other_place = self.tokens.place();
        let step = self.look_up(index, End::Step, first, place);
        let on = self.look_up(index, End::On, other, other_place);
        self.dependencies.push(Dependency { step, on, awaits });
        Ok(())
    }

    /// The step behind a label; 0 for now, and a note, if it comes later.
    fn look_up(&mut self, dependency: usize, end: End, label: Label, place: Place) -> u32 {
        self.labels.get(&label).copied().unwrap_or_else(|| {
            self.awaited.push((dependency, end, label, place));
            0
        })
    }

    /// Fills in the labels that were used before their steps.
    fn resolve(&mut self) -> Result<()> {
        for (index, end, label, place) in std::mem::take(&mut self.awaited) {
            let Some(&step) = self.labels.get(&label) else {
                let label = label.bytes();
                let (shown, message) =
                    (String::from_utf8_lossy(&label), format!("no step has the label {}", quoted(&label)));
                return Err(self.tokens.error_at(place, &shown, message, "a label of this rank"));
            };
            let dependency = &mut self.dependencies[index];
            match end {
                End::Step => dependency.step = step,
                End::On => dependency.on = step,
            }
        }
        Ok(())
    }
}
