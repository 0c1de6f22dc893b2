//! The members of the simulator on real ranks: the state machine of `meshwright-member`, event by event.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::transport::{Endpoint, Lost, Mailbox, Topic};
use meshwright_core::units::{Cycles, NodeId};
use meshwright_groups::protocol::member::{DirectMessage, Envelope};
use meshwright_groups::protocol::pass::Load;
use meshwright_groups::protocol::{Member, Position, Program};
use meshwright_groups::rank_split::packet::RankSplitPacket;
use meshwright_groups::rank_split::{AdjacentRoot, RankSplit};
use meshwright_member::chip::{Message, WordEnvelope};
use meshwright_member::member::{self as core, Body};
use meshwright_schedule::process::{Action, Context, Process};

/// A member that splits as the paper does, as the simulator runs it.
pub type PaperMember<'s, P> = Member<'s, RankSplit, P>;

/// The place of this rank among all ranks of the endpoint; node and rank are the same.
///
/// # Complexity
///
/// O(log p).
pub fn seat<E: Endpoint>(mail: &Mailbox<E>) -> (NodeId, Position<AdjacentRoot>) {
    let (rank, ranks) = (mail.rank(), mail.ranks());
    (NodeId(rank), Position::among(rank, ranks, NodeId))
}

/// Runs a member to the end of its program: it waits for nothing but messages, each of 16 bytes. Runs on the same ranks are
/// numbered, so that a rank that has begun the next one does not disturb this one.
///
/// A cycle is a nanosecond, and a computation waits as long. A program ends when all its splits have joined; what it calls
/// carries words, no lists.
///
/// # Errors
///
/// [`Lost`] when a rank is lost.
///
/// # Panics
///
/// When the program gathers, or a message is none of a member.
///
/// # Examples
///
/// Five ranks sum up their numbers in the groups of the even and of the odd ones.
///
/// ```
/// use meshwright_groups::nested::{Run, Team};
/// use meshwright_groups::protocol::{Member, Operator};
/// use meshwright_groups::rank_split::RankSplit;
/// use meshwright_runtime::groups::members;
/// use meshwright_runtime::transport::{Mailbox, threads};
/// let paper = RankSplit::default();
/// let sums = threads::run(5, |endpoint| {
///     let mut mail = Mailbox::new(endpoint);
///     let program = Run::of(async |team: &mut Team| {
///         let number = u64::from(team.rank());
///         team.switch(team.rank() % 2, async |part| part.all_reduce(Operator::Sum, number).await).await
///     });
///     let mut member = Member::new(&paper, Some(members::seat(&mail)), program);
///     members::run(&mut member, &mut mail, 0)?;
///     Ok(*member.program().result().expect("it has come to its end"))
/// })?;
/// assert_eq!(sums, [6, 4, 6, 4, 6]);
/// # Ok::<(), meshwright_runtime::transport::Lost>(())
/// ```
pub fn run<E: Endpoint, P: Program>(
    member: &mut PaperMember<'_, P>,
    mail: &mut Mailbox<E>,
    number: u16,
) -> Result<(), Lost> {
    let tag = Topic::Members.tag(number);
    let begin = Instant::now();
    let node = NodeId(mail.rank());
    let now = || Cycles(begin.elapsed().as_nanos() as u64);
    let mut actions = Vec::new();
    let mut computed = VecDeque::new();
    member.on_start(&mut Context::new(node, now(), &mut actions));
    loop {
        for action in actions.drain(..) {
            match action {
                Action::Send { to, payload, .. } => mail.send_bytes(to.0, tag, bytes_of(payload))?,
                Action::Compute { cycles, token } => {
                    mail.compute(|| std::thread::sleep(Duration::from_nanos(cycles.0)))?;
                    computed.push_back(token);
                }
                Action::Finish => return Ok(()),
                Action::Alarm { .. } => unreachable!("members set no alarms"),
            }
        }
        if let Some(token) = computed.pop_front() {
            member.on_computed(token, &mut Context::new(node, now(), &mut actions));
        } else {
            let (from, bytes) = mail.receive_from_any(tag)?;
            let envelope = envelope_of(&bytes).expect("members send messages of 16 bytes and more");
            member.on_message(NodeId(from), envelope, &mut Context::new(node, now(), &mut actions));
        }
    }
}

/// A message as bytes: 16 of what a group does together; more of what goes from one member to another, whose first 16
/// are of a kind that members do not know.
fn bytes_of(envelope: Envelope<RankSplitPacket>) -> Vec<u8> {
    let (message, more) = match envelope {
        Envelope::Together(core::Envelope { level, number, body }) => {
            let body = match body {
                Body::Own(packet) => Body::Own(packet),
                Body::Pass(way, Load::Nothing) => Body::Pass(way, None),
                Body::Pass(way, Load::Value(value)) => Body::Pass(way, Some(value)),
                Body::Pass(_, Load::List(_)) => panic!("members on ranks carry words, no lists"),
            };
            let message = Message::of(&WordEnvelope { level, number, body });
            (message.expect("groups have fewer than 2^29 members"), Vec::new())
        }
        Envelope::Direct(message) => {
            let DirectMessage { group, number, bytes } = *message;
            (Message { word: group, number, level: 0, kind: DIRECT }, bytes)
        }
    };
    [&message.to_bytes()[..], &more].concat()
}

/// The kind of what goes from one member to another.
const DIRECT: u16 = u16::MAX;

fn envelope_of(bytes: &[u8]) -> Option<Envelope<RankSplitPacket>> {
    let (message, more) = bytes.split_at_checked(16)?;
    let message = Message::from_bytes(message)?;
    if message.kind == DIRECT {
        let Message { word: group, number, .. } = message;
        return Some(Envelope::Direct(Box::new(DirectMessage { group, number, bytes: more.to_vec() })));
    }
    let core::Envelope { level, number, body } = message.open().filter(|_| more.is_empty())?;
    let body = match body {
        Body::Own(packet) => Body::Own(packet),
        Body::Pass(way, word) => Body::Pass(way, Load::from(word)),
    };
    Some(Envelope::Together(core::Envelope { level, number, body }))
}
