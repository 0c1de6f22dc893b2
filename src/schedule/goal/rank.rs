//! The statements between the braces of one rank.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::{Program, quoted};
use crate::error::Result;
use crate::schedule::{CALC_MAX, Dependency, Op};
use crate::text::{ENTRIES_MAX, Place, Tokens};
use crate::topology::machine::BYTES_MAX;
use crate::units::{Bytes, Cycles, NodeId};

/// What is known of a rank while its statements are read.
struct Reader<'t, 'a> {
    tokens: &'t mut Tokens<'a>,
    ranks: u32,
    program: Program,
    labels: BTreeMap<Vec<u8>, u32>,
    /// Labels used before their step: the dependency, which end of it, the label and its place.
    awaited: Vec<(usize, End, Vec<u8>, Place)>,
}

#[derive(Clone, Copy)]
enum End {
    Step,
    On,
}

const STATEMENT: &str = "`send`, `recv`, `calc`, or a label with `:`, `requires` or `irequires`";

/// Reads statements up to the closing brace; `entries` counts them over the whole file.
pub(super) fn program(
    tokens: &mut Tokens<'_>,
    number: u32,
    ranks: u32,
    entries: &mut u64,
) -> Result<Program> {
    let mut reader =
        Reader { tokens, ranks, program: Program::default(), labels: BTreeMap::new(), awaited: vec![] };
    loop {
        if !reader.tokens.next_anywhere()? {
            let message = format!("the file ends within rank {number}");
            return Err(reader.tokens.error(message, "`}`"));
        }
        if reader.tokens.word() == b"}" {
            break;
        }
        *entries += 1;
        if *entries > ENTRIES_MAX {
            let message = format!("there are more than {ENTRIES_MAX} statements");
            return Err(reader.tokens.error(message, "fewer statements"));
        }
        reader.statement()?;
        if reader.tokens.next_on_line()? {
            if reader.tokens.word() != b"}" {
                return Err(reader.tokens.unexpected("the end of the line or `}`"));
            }
            reader.tokens.hold();
        }
    }
    reader.resolve()?;
    Ok(reader.program)
}

impl Reader<'_, '_> {
    fn statement(&mut self) -> Result<()> {
        if matches!(self.tokens.word(), b"{" | b":") {
            return Err(self.tokens.unexpected(STATEMENT));
        }
        let first = self.tokens.word().to_vec();
        let place = self.tokens.place();
        let second = self.tokens.next_on_line()?;
        match self.tokens.word() {
            b":" => {
                self.label(first, place)?;
                if !self.tokens.next_on_line()? {
                    return Err(self.tokens.missing("the step", "`send`, `recv` or `calc`"));
                }
                let (verb, place) = (self.tokens.word().to_vec(), self.tokens.place());
                self.step(&verb, place)
            }
            b"requires" => self.dependency(first, place, false),
            b"irequires" => self.dependency(first, place, true),
            _ => {
                if second {
                    self.tokens.hold();
                }
                self.step(&first, place)
            }
        }
    }

    fn label(&mut self, label: Vec<u8>, place: Place) -> Result<()> {
        let step = self.program.rank.ops.len() as u32;
        match self.labels.entry(label) {
            Entry::Vacant(slot) => {
                slot.insert(step);
                Ok(())
            }
            Entry::Occupied(slot) => {
                let (shown, message) =
                    (slot.key(), format!("the label {} is given twice", quoted(slot.key())));
                let shown = String::from_utf8_lossy(shown);
                Err(self.tokens.error_at(place, &shown, message, "another label in this rank"))
            }
        }
    }

    /// A step whose verb has been read.
    fn step(&mut self, verb: &[u8], place: Place) -> Result<()> {
        let op = match verb {
            b"send" => {
                let (bytes, peer) = self.message("to")?;
                Op::Send { peer, bytes, tag: self.attributes(true)? }
            }
            b"recv" => {
                let (bytes, peer) = self.message("from")?;
                Op::Recv { peer, bytes, tag: self.attributes(true)? }
            }
            b"calc" => {
                let cycles = Cycles(self.tokens.integer("the time of a computation", 0..=CALC_MAX.0)?);
                self.attributes(false)?;
                Op::Calc { cycles }
            }
            _ => {
                let (shown, message) =
                    (String::from_utf8_lossy(verb), format!("{} is no step", quoted(verb)));
                return Err(self.tokens.error_at(place, &shown, message, STATEMENT));
            }
        };
        self.program.rank.ops.push(op);
        self.program.places.push(place);
        Ok(())
    }

    /// `64b to 9`: a size and a rank with its preposition.
    fn message(&mut self, preposition: &str) -> Result<(Bytes, NodeId)> {
        let bytes = self.tokens.integer_with_unit("size", b"b", 0..=BYTES_MAX)?;
        self.tokens.expect(preposition)?;
        let peer = self.tokens.integer_u32("rank", 0..=self.ranks - 1)?;
        Ok((Bytes(bytes), NodeId(peer)))
    }

    /// `tag 4 cpu 0 nic 1`, each at most once; the tag, or 0.
    fn attributes(&mut self, tagged: bool) -> Result<u32> {
        let mut allowed = [Some("cpu"), Some("nic"), tagged.then_some("tag")];
        let mut tag = 0;
        while self.tokens.next_on_line()? {
            let word = self.tokens.word();
            let is_word = |name: &&mut Option<&str>| name.is_some_and(|name| name.as_bytes() == word);
            let Some(name) = allowed.iter_mut().find(is_word).and_then(Option::take) else {
                self.tokens.hold();
                break;
            };
            let value = self.tokens.integer_u32(name, 0..=u32::MAX)?;
            if name == "tag" {
                tag = value;
            }
        }
        Ok(tag)
    }

    /// `first requires other`, whose verb has been read.
    fn dependency(&mut self, first: Vec<u8>, place: Place, start_only: bool) -> Result<()> {
        if !self.tokens.next_on_line()? || matches!(self.tokens.word(), b"{" | b"}" | b":") {
            return Err(self.tokens.unexpected("the label of a step"));
        }
        let other = self.tokens.word().to_vec();
        if other == first {
            let message = format!("the step {} requires itself", quoted(&first));
            return Err(self.tokens.error(message, "the label of another step"));
        }
        let index = self.program.rank.dependencies.len();
        let other_place = self.tokens.place();
        let step = self.look_up(index, End::Step, first, place);
        let on = self.look_up(index, End::On, other, other_place);
        self.program.rank.dependencies.push(Dependency { step, on, start_only });
        Ok(())
    }

    /// The step behind a label; 0 for now, and a note, if it comes later.
    fn look_up(&mut self, dependency: usize, end: End, label: Vec<u8>, place: Place) -> u32 {
        self.labels.get(&label).copied().unwrap_or_else(|| {
            self.awaited.push((dependency, end, label, place));
            0
        })
    }

    /// Fills in the labels that were used before their steps.
    fn resolve(&mut self) -> Result<()> {
        for (index, end, label, place) in std::mem::take(&mut self.awaited) {
            let Some(&step) = self.labels.get(&label) else {
                let (shown, message) =
                    (String::from_utf8_lossy(&label), format!("no step has the label {}", quoted(&label)));
                return Err(self.tokens.error_at(place, &shown, message, "a label of this rank"));
            };
            let dependency = &mut self.program.rank.dependencies[index];
            match end {
                End::Step => dependency.step = step,
                End::On => dependency.on = step,
            }
        }
        Ok(())
    }
}
