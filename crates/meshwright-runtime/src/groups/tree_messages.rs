//! Messages along the edges of a tree.

use crate::transport::{Endpoint, Lost, Mailbox, Topic, Wire};
use meshwright_groups::mask::Membership;
use meshwright_groups::protocol::member::child_id;

/// The tag of all messages of groups as long as nobody is lost, the first of 2^16; a program that sends messages beside them uses others.
pub const TAG: u32 = Topic::Groups.tag(0);

/// What a group does together; it stands in the word of its messages.
#[derive(Clone, Copy, Debug)]
pub(super) enum WordKind {
    Split,
    Join,
    Barrier,
    Broadcast,
    AllReduce,
    Reduce,
    Gather,
    Scan,
}

/// The word of one operation of one group: the same for its members, another one for every other operation but for a
/// chance of 2^-64.
pub(super) fn word((tag, group): (u32, u64), number: u32, kind: WordKind) -> Word {
    Word { tag, word: child_id(group, number, kind as u32) }
}

/// What belongs to one operation of one group.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word {
    /// Of all groups since the last loss.
    pub(super) tag: u32,
    word: u64,
}

/// The neighbours of a member in the tree of its group, by their ranks on the endpoint.
#[derive(Clone, Debug)]
pub(super) struct Edges {
    pub(super) parent: Option<u32>,
    pub(super) children: Vec<u32>,
    /// Whether there is one other member only: then both may speak at once.
    is_pair: bool,
}

impl Edges {
    /// Of the member with this rank in its group; `ranks` are those on the endpoint, by node.
    pub(super) fn of(membership: &Membership, rank: u32, ranks: &[u32]) -> Self {
        let on_endpoint = |rank| ranks[membership.group().node(rank).index()];
        let tree = membership.tree();
        Self {
            parent: tree.parent(rank).map(on_endpoint),
            children: tree.children(rank).iter().map(|&child| on_endpoint(child)).collect(),
            is_pair: membership.group().size() == 2,
        }
    }

    /// The other member, where there is one only.
    fn other(&self) -> Option<u32> {
        self.parent.or(self.children.first().copied()).filter(|_| self.is_pair)
    }
}

/// Sends bytes.
pub(super) fn tell_bytes<E: Endpoint>(
    mail: &mut Mailbox<E>,
    to: u32,
    word: Word,
    body: &[u8],
) -> Result<(), Lost> {
    // An endpoint adds a few bytes of its own.
    let mut bytes = Vec::with_capacity(body.len() + 2 * size_of::<u64>());
    word.word.write(&mut bytes);
    bytes.extend_from_slice(body);
    mail.send_bytes(to, word.tag, bytes)
}

/// Sends a value to some.
pub(super) fn tell<E: Endpoint, T: Wire>(
    mail: &mut Mailbox<E>,
    to: impl IntoIterator<Item = u32>,
    word: Word,
    value: &T,
) -> Result<(), Lost> {
    let mut to = to.into_iter().peekable();
    let mut left = Vec::new();
    while let Some(rank) = to.next() {
        if left.is_empty() {
            left.reserve(value.volume().0 as usize + 2 * size_of::<u64>());
            word.word.write(&mut left);
            value.write(&mut left);
        }
        // Most often there is one, which gets the bytes themselves.
        let bytes = if to.peek().is_some() { left.clone() } else { std::mem::take(&mut left) };
        mail.send_bytes(rank, word.tag, bytes)?;
    }
    Ok(())
}

/// Waits for bytes.
///
/// # Panics
///
/// When the message belongs to another operation.
pub(super) fn hear_bytes<E: Endpoint>(mail: &mut Mailbox<E>, from: u32, word: Word) -> Result<Vec<u8>, Lost> {
    let mut bytes = mail.receive_bytes(from, word.tag)?;
    body(&bytes, word);
    bytes.drain(..size_of::<u64>());
    Ok(bytes)
}

/// Bytes that have come; none where they have not.
///
/// # Panics
///
/// When the message belongs to another operation.
pub(super) fn hear_bytes_now<E: Endpoint>(
    mail: &mut Mailbox<E>,
    from: u32,
    word: Word,
) -> Result<Option<Vec<u8>>, Lost> {
    let found = mail.receive_bytes_now(from, word.tag)?;
    Ok(found.map(|mut bytes| {
        body(&bytes, word);
        bytes.drain(..size_of::<u64>());
        bytes
    }))
}

/// What stands behind the word.
fn body(bytes: &[u8], word: Word) -> &[u8] {
    let (found, body) = bytes.split_first_chunk().map_or((None, bytes), |(first, body)| (Some(*first), body));
    let is_ours = found.map(u64::from_le_bytes) == Some(word.word);
    assert!(is_ours, "all members of a group call the same operations in the same order");
    body
}

/// Waits for a value.
///
/// # Panics
///
/// When the message belongs to another operation, or carries something else.
pub(super) fn hear<E: Endpoint, T: Wire>(mail: &mut Mailbox<E>, from: u32, word: Word) -> Result<T, Lost> {
    let bytes = mail.receive_bytes(from, word.tag)?;
    Ok(T::from_bytes(body(&bytes, word)).expect("all members of a group bring values of one type"))
}

/// What all members bring, put together up to the root, and told to nobody: the root's own knowledge.
pub(super) fn up<E: Endpoint, T: Wire>(
    mail: &mut Mailbox<E>,
    edges: &Edges,
    word: Word,
    own: T,
    mut combine: impl FnMut(T, T) -> T,
) -> Result<Option<T>, Lost> {
    let mut value = own;
    for &child in &edges.children {
        let other = hear(mail, child, word)?;
        value = combine(value, other);
    }
    match edges.parent {
        Some(parent) => tell(mail, [parent], word, &value).map(|()| None),
        None => Ok(Some(value)),
    }
}

/// What the root knows, told to everybody.
pub(super) fn down<E: Endpoint, T: Wire>(
    mail: &mut Mailbox<E>,
    edges: &Edges,
    word: Word,
    known: Option<T>,
) -> Result<T, Lost> {
    let value = match (known, edges.parent) {
        (None, Some(parent)) => hear(mail, parent, word)?,
        (known, _) => known.expect("the root knows"),
    };
    tell(mail, edges.children.iter().copied(), word, &value)?;
    Ok(value)
}

/// What all members bring, put together once, or by both of two in the same order, and told to everybody.
pub(super) fn all<E: Endpoint, T: Wire>(
    mail: &mut Mailbox<E>,
    edges: &Edges,
    word: Word,
    own: T,
    mut combine: impl FnMut(T, T) -> T,
) -> Result<T, Lost> {
    if let Some(other) = edges.other() {
        tell(mail, [other], word, &own)?;
        let its = hear(mail, other, word)?;
        return Ok(if edges.parent.is_none() { combine(own, its) } else { combine(its, own) });
    }
    let all = up(mail, edges, word, own, combine)?;
    down(mail, edges, word, all)
}

/// Nobody goes on before all have come.
pub(super) fn meet<E: Endpoint>(mail: &mut Mailbox<E>, edges: &Edges, word: Word) -> Result<(), Lost> {
    all(mail, edges, word, (), |(), ()| ())
}
