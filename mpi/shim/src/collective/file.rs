//! Plans as they are written: algorithms of MSCCL, sends and receives of chunks by thread blocks, a GPU for each member.

use meshwright_core::error::Result;
use meshwright_hosts::xml::{Limits, Text};
use roxmltree::Node;

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Send,
    /// What comes takes the place of what is there.
    Receive,
    /// What comes is added to what is there.
    Add,
    /// It only waits.
    Nothing,
}

/// A step of a thread block: of which chunks, and which step of another block it waits for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) kind: Kind,
    pub(super) first: u32,
    pub(super) count: u32,
    pub(super) after: Option<[usize; 2]>,
}

/// A thread block: whom it sends to and whom it receives from.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) to: Option<u32>,
    pub(super) from: Option<u32>,
    pub(super) channel: u32,
    pub(super) steps: Vec<Step>,
}

/// A plan as it is written.
#[derive(Debug)]
pub(super) struct File {
    pub(super) name: String,
    /// What the race says of it: a comment before the algorithm.
    pub(super) note: String,
    pub(super) chunks: u32,
    /// By member its thread blocks.
    pub(super) members: Vec<Vec<Block>>,
}

const EXPECTED: &str = "an algorithm as `meshwright race --emit msccl-xml:FILE` writes it";
const LIMITS: Limits = Limits { elements_max: 1 << 22, name_spaces: false };

/// More chunks or members than this nobody runs.
const CHUNKS_MAX: u32 = 1 << 20;
const MEMBERS_MAX: u32 = 1 << 14;

impl File {
    /// Reads it; `name` is that of the file.
    ///
    /// # Errors
    ///
    /// [`meshwright_core::Error::Parse`] with the place of what is no algorithm in place.
    pub(super) fn parse(name: &str, bytes: &[u8]) -> Result<Self> {
        let text = Text::new(name, bytes, EXPECTED)?;
        let document = text.document(LIMITS)?;
        let root = document.root_element();
        if root.tag_name().name() != "algo" {
            return Err(text.error(root, "this is no algorithm of MSCCL"));
        }
        if root.attribute("inplace") != Some("1") {
            return Err(text.expecting(root, "it does not work in place", "inplace=\"1\""));
        }
        let note = document.root().children().find(Node::is_comment).and_then(|comment| comment.text());
        let chunks = number(&text, root, "nchunksperloop", 1..=CHUNKS_MAX)?;
        let many = number(&text, root, "ngpus", 2..=MEMBERS_MAX)?;
        let mut members = Vec::new();
        for gpu in elements(root) {
            let number = members.len() as u32;
            if gpu.tag_name().name() != "gpu" || gpu.attribute("id") != Some(&number.to_string()) {
                return Err(text.expecting(gpu, "GPUs are not in order", format!("gpu {number}")));
            }
            members.push(
                elements(gpu)
                    .map(|block| self::block(&text, block, chunks, many))
                    .collect::<Result<Vec<_>>>()?,
            );
            check_waits(&text, gpu, &members[number as usize])?;
        }
        if members.len() != many as usize {
            return Err(text.expecting(
                root,
                format!("it has {} GPUs", members.len()),
                format!("{many} of them"),
            ));
        }
        let name = root.attribute("name").unwrap_or("no name").to_string();
        Ok(Self { name, note: note.unwrap_or_default().trim().to_string(), chunks, members })
    }
}

fn elements<'a, 'i>(node: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(Node::is_element)
}

/// An attribute that is a number in a range.
fn number(
    text: &Text<'_>,
    node: Node<'_, '_>,
    key: &str,
    range: std::ops::RangeInclusive<u32>,
) -> Result<u32> {
    let found =
        node.attribute(key).and_then(|value| value.parse().ok()).filter(|value| range.contains(value));
    found.ok_or_else(|| {
        let has = node.attribute(key).unwrap_or("missing");
        text.expecting(
            node,
            format!("{key} is {has}"),
            format!("a number from {} to {}", range.start(), range.end()),
        )
    })
}

/// The same, or -1 for none.
fn number_or_none(text: &Text<'_>, node: Node<'_, '_>, key: &str, most: u32) -> Result<Option<u32>> {
    match node.attribute(key) {
        Some("-1") => Ok(None),
        _ => number(text, node, key, 0..=most).map(Some),
    }
}

fn block(text: &Text<'_>, node: Node<'_, '_>, chunks: u32, members: u32) -> Result<Block> {
    let [to, from] = ["send", "recv"].map(|key| number_or_none(text, node, key, members - 1));
    let (to, from, channel) = (to?, from?, number(text, node, "chan", 0..=CHUNKS_MAX)?);
    let steps =
        elements(node).map(|step| self::step(text, step, chunks, [to, from])).collect::<Result<_>>()?;
    Ok(Block { to, from, channel, steps })
}

fn step(text: &Text<'_>, node: Node<'_, '_>, chunks: u32, [to, from]: [Option<u32>; 2]) -> Result<Step> {
    let (kind, peer, place) = match node.attribute("type") {
        Some("s") => (Kind::Send, to, "src"),
        Some("r") => (Kind::Receive, from, "dst"),
        Some("rrc") => (Kind::Add, from, "dst"),
        Some("nop") => (Kind::Nothing, to.or(from), "src"),
        _ => return Err(text.expecting(node, "this step is none of a plan", "s, r, rrc or nop")),
    };
    if peer.is_none() {
        return Err(text.error(node, "its thread block has nobody to send to or to receive from"));
    }
    let after = number_or_none(text, node, "depid", u32::MAX)?;
    let at = number_or_none(text, node, "deps", u32::MAX)?;
    let after = after.zip(at).map(|(block, step)| [block as usize, step as usize]);
    if kind == Kind::Nothing {
        return Ok(Step { kind, first: 0, count: 0, after });
    }
    // In place input and output are one buffer; anything else has another length for the same chunk.
    let in_place = ["srcbuf", "dstbuf"].map(|key| matches!(node.attribute(key), Some("i" | "o")));
    if in_place != [true; 2] || node.attribute("srcoff") != node.attribute("dstoff") {
        return Err(text.error(node, "this step moves a chunk to another place"));
    }
    let first = number(text, node, &format!("{place}off"), 0..=chunks - 1)?;
    Ok(Step { kind, first, count: number(text, node, "cnt", 1..=chunks - first)?, after })
}

/// Whatever is waited for is there.
fn check_waits(text: &Text<'_>, gpu: Node<'_, '_>, blocks: &[Block]) -> Result<()> {
    let is_there =
        |&[block, step]: &[usize; 2]| blocks.get(block).is_some_and(|block| step < block.steps.len());
    let mut all = blocks.iter().flat_map(|block| block.steps.iter().filter_map(|step| step.after));
    match all.find(|after| !is_there(after)) {
        None => Ok(()),
        Some([block, step]) => {
            Err(text.error(gpu, format!("a step waits for step {step} of block {block}, which is not there")))
        }
    }
}
