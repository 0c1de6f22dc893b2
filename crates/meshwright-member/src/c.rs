//! The functions of `include/meshwright_member.h`.

#![allow(
    unsafe_code,
    reason = "C knows no references: pointers are checked against null and taken at their word"
)]

use core::ffi::c_void;
use core::mem::{align_of, size_of};

use crate::chip::{Chip, Message, Seat};
use crate::halving;
use crate::list::Full;
use crate::member::Member;
use crate::program::{Act, Label, Operator, Over};
use crate::splitting::Steps;
use crate::tree::{Neighbours, Place, Side};
use crate::words::WordOperation;

/// `MESHWRIGHT_LEVELS`, `MESHWRIGHT_EARLY`, `MESHWRIGHT_HELD`.
type CMember = Member<Chip<8, 20, 32>>;

/// `MESHWRIGHT_MEMBER_WORDS`, of 8 bytes.
const WORDS: usize = 720;

const _: () = assert!(size_of::<CMember>() <= 8 * WORDS && align_of::<CMember>() <= 8);

/// `meshwright_send`.
type Send = Option<unsafe extern "C" fn(context: *mut c_void, to: u32, message: *const Message)>;

/// `meshwright_result`.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
struct CResult {
    /// What a reduction or a broadcast leaves.
    value: u64,
    /// A number for the group it was done in.
    group: u64,
    /// The size of that group.
    size: u32,
    /// How deep it was.
    level: u32,
    /// Whether there is a value.
    has_value: u32,
}

/// `meshwright_place`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct CPlace {
    rank: u32,
    size: u32,
    parent: u32,
    left: u32,
    right: u32,
    adjacent_root: u32,
    depth: u32,
    early: u32,
}

const NOT_YET: i32 = 0;
const OVER: i32 = 1;
const FULL: i32 = -1;
const MISUSED: i32 = -2;

/// No node.
const NONE: u32 = u32::MAX;

fn told(progress: Result<Option<Over<Option<u64>>>, Full>, result: *mut CResult) -> i32 {
    match progress {
        Err(Full) => FULL,
        Ok(None) => NOT_YET,
        Ok(Some(Over { outcome, level, group, size })) => {
            if !result.is_null() {
                let (value, has_value) = (outcome.unwrap_or(0), u32::from(outcome.is_some()));
                // SAFETY: the caller hands over a place for a result, or null.
                unsafe { result.write(CResult { value, group, size, level, has_value }) };
            }
            OVER
        }
    }
}

fn port(send: Send, context: *mut c_void) -> impl FnMut(u32, Message) {
    move |to, message| {
        if let Some(send) = send {
            // SAFETY: the caller promises that its function takes this context and a message that stands during the call.
            unsafe { send(context, to, &raw const message) }
        }
    }
}

/// # Safety
///
/// `member` points to `MESHWRIGHT_MEMBER_WORDS` words, `neighbours` to three names of nodes; or they are null.
#[unsafe(no_mangle)]
unsafe extern "C" fn meshwright_member_init(
    member: *mut CMember,
    node: u32,
    rank: u32,
    size: u32,
    neighbours: *const [u32; 3],
    steps: u32,
) -> i32 {
    if member.is_null() || neighbours.is_null() || rank >= size || size >> 29 > 0 {
        return MISUSED;
    }
    // SAFETY: it is not null, and the caller says that it points to three names.
    let [parent, left, right] = unsafe { neighbours.read() }.map(|node| (node != NONE).then_some(node));
    let seat = Seat::new(rank, size, Neighbours { parent, left, right, adjacent_root: None });
    let steps = Steps { partial: steps & 1 > 0, full: steps & 2 > 0 };
    // SAFETY: it points to enough aligned words, which need not be initialised.
    unsafe { member.write(CMember::new(Chip::new(steps), node, seat)) };
    NOT_YET
}

/// # Safety
///
/// `ranks` is null or has room for three numbers.
#[unsafe(no_mangle)]
unsafe extern "C" fn meshwright_ranks_beside(rank: u32, size: u32, ranks: *mut [u32; 3]) -> i32 {
    if ranks.is_null() || rank >= size {
        return MISUSED;
    }
    let place = halving::place(rank, size);
    let beside = [place.parent, place.left, place.right].map(|rank| rank.unwrap_or(NONE));
    // SAFETY: it is not null, and the caller says that there is room for three numbers.
    unsafe { ranks.write(beside) };
    NOT_YET
}

/// # Safety
///
/// `member` was initialised, or is null; `send` takes this context; `result` is null or has room.
#[unsafe(no_mangle)]
unsafe extern "C" fn meshwright_member_begin(
    member: *mut CMember,
    operation: u32,
    argument: u32,
    value: u64,
    send: Send,
    context: *mut c_void,
    result: *mut CResult,
) -> i32 {
    // SAFETY: the caller has initialised what it points to, unless it is null.
    let Some(member) = (unsafe { member.as_mut() }) else { return MISUSED };
    let Some(act) = act(operation, argument, value, member) else { return MISUSED };
    told(member.begin(act, &mut port(send, context)), result)
}

/// An operation by its number, if this member can begin it now.
fn act(operation: u32, argument: u32, value: u64, member: &CMember) -> Option<Act<WordOperation>> {
    let operator = || [Operator::Sum, Operator::Min, Operator::Max].get(argument as usize).copied();
    let (size, depth) = (member.place().size(), member.depth());
    let act = match operation {
        0 if argument < 2 => Act::Split(Label { colour: argument, key: 0 }),
        1 if depth > 0 => Act::Join,
        2 => Act::Pass(WordOperation::Barrier),
        3 if argument < size => Act::Pass(WordOperation::Broadcast { from: argument, value }),
        4 => Act::Pass(WordOperation::Reduce(operator()?, value)),
        5 => Act::Pass(WordOperation::AllReduce(operator()?, value)),
        6 => Act::Pass(WordOperation::Scan(operator()?, value)),
        _ => return None,
    };
    (!member.is_busy()).then_some(act)
}

/// # Safety
///
/// As for `meshwright_member_begin`; `message` points to a message, or is null.
#[unsafe(no_mangle)]
unsafe extern "C" fn meshwright_member_receive(
    member: *mut CMember,
    from: u32,
    message: *const Message,
    send: Send,
    context: *mut c_void,
    result: *mut CResult,
) -> i32 {
    // SAFETY: the caller has initialised what they point to, unless they are null.
    let (member, message) = unsafe { (member.as_mut(), message.as_ref()) };
    let Some((member, message)) = member.zip(message) else { return MISUSED };
    let Some(envelope) = message.open() else { return MISUSED };
    told(member.receive(from, envelope, &mut port(send, context)), result)
}

/// # Safety
///
/// `member` was initialised, or is null; `place` has room, or is null.
#[unsafe(no_mangle)]
unsafe extern "C" fn meshwright_member_place(member: *const CMember, place: *mut CPlace) -> i32 {
    // SAFETY: the caller has initialised what it points to, unless it is null.
    let Some(member) = (unsafe { member.as_ref() }) else { return MISUSED };
    if place.is_null() {
        return MISUSED;
    }
    let (seat, name) = (member.place(), |node: Option<u32>| node.unwrap_or(NONE));
    let edges = seat.edges();
    let found = CPlace {
        rank: seat.rank(),
        size: seat.size(),
        parent: name(edges.parent),
        left: name(edges.child(Side::Left)),
        right: name(edges.child(Side::Right)),
        adjacent_root: name(seat.adjacent_root()),
        depth: member.depth(),
        early: member.early() as u32,
    };
    // SAFETY: it is not null, and the caller says that there is room.
    unsafe { place.write(found) };
    NOT_YET
}

/// Where there is no system, a mistake stops the node.
#[cfg(all(panic = "abort", not(test)))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}

/// What the core library of systems that unwind refers to; nothing unwinds here.
#[cfg(all(panic = "abort", not(test), not(target_os = "none")))]
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}
