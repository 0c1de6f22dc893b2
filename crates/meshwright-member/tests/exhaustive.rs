//! All interleavings of calls and deliveries in small groups: an explicit-state checker over the members of a chip.
//!
//! A state is what all members keep and every message under way. From a state each member that is idle may begin its next
//! operation, and each message that may come next is delivered; every state that can be reached is looked at once, known
//! by a fingerprint of 128 bits. In each of them nobody has left an operation that somebody has not begun, every value is
//! that of a direct computation, and every place that of a direct construction; where nothing can happen any more all
//! members have come to their end, nothing is under way and nothing waits.

mod checker;

use checker::{Channels, Fault, Found, check_with, colourings};
use meshwright_member::{Operator, Steps, WordOperation};

use checker::Call::{self, Join, Pass, Split};

const SHORT: Steps = Steps { partial: false, full: false };
const PAPER: Steps = Steps { partial: true, full: true };

const SUM: Call = Pass(WordOperation::AllReduce(Operator::Sum, 0));
const SCAN: Call = Pass(WordOperation::Scan(Operator::Sum, 0));
const BARRIER: Call = Pass(WordOperation::Barrier);

/// Groups that split, sum up and join, and split again: two splits in each other.
const PROGRAMS: [(&str, &[Call]); 4] = [
    ("barrier, scan", &[BARRIER, SCAN]),
    ("split", &[Split]),
    ("split, sum, join", &[Split, SUM, Join]),
    ("split, split, join, join", &[Split, Split, Join, Join]),
];

/// All colourings of groups of this size under one program.
fn explored(nodes: u32, calls: &[Call], steps: Steps, channels: Channels) -> Found {
    let splits = calls.iter().filter(|&&call| call == Split).count() as u32;
    let mut all = Found::default();
    for colours in colourings(nodes, splits) {
        all.add(&check_with(nodes, calls, &colours, steps, channels, Fault::None));
    }
    all
}

/// One line of the table in the front page of the crate.
type Row = (&'static str, Steps, Channels, u32, u64);

/// What is looked at whenever tests run.
const ROWS: [Row; 9] = [
    ("barrier, scan", SHORT, Channels::AnyOrder, 5, 307),
    ("split", SHORT, Channels::InOrder, 4, 3084),
    ("split", SHORT, Channels::AnyOrder, 4, 17960),
    ("split", PAPER, Channels::InOrder, 4, 7578),
    ("split", PAPER, Channels::AnyOrder, 4, 32166),
    ("split, sum, join", SHORT, Channels::InOrder, 4, 18126),
    ("split, sum, join", SHORT, Channels::AnyOrder, 3, 5292),
    ("split, sum, join", PAPER, Channels::AnyOrder, 3, 3666),
    ("split, split, join, join", SHORT, Channels::InOrder, 3, 17716),
];

/// What takes longer.
const LONG_ROWS: [Row; 5] = [
    ("split", SHORT, Channels::InOrder, 6, 458696),
    ("split", SHORT, Channels::AnyOrder, 5, 1190200),
    ("split", PAPER, Channels::AnyOrder, 5, 2390808),
    ("split, sum, join", SHORT, Channels::InOrder, 5, 297542),
    ("split, split, join, join", PAPER, Channels::AnyOrder, 3, 76796),
];

/// Explores the states of a row, and holds the table to it.
fn explore((name, steps, channels, nodes, states): Row) {
    let calls = PROGRAMS.iter().find(|(program, _)| *program == name).expect("a program of the table").1;
    let found = explored(nodes, calls, steps, channels);
    let which = if steps == PAPER { "all" } else { "without 2, 5" };
    let order = if channels == Channels::InOrder { "kept" } else { "any" };
    let (early, held) = (found.early_most, found.held_most);
    let line = format!(
        "| {name} | {which} | {order} | {nodes} | {} | {} | {early}, {held} |",
        found.runs, found.states
    );
    println!("{line}");
    assert_eq!(found.states, states, "{line}");
    assert!(include_str!("../src/lib.rs").contains(&line), "{line}");
}

#[test]
fn every_interleaving_in_groups_of_up_to_five_ends_as_it_should() {
    ROWS.into_iter().for_each(explore);
}

/// With `--release` a minute or two on an idle core.
#[test]
#[ignore = "minutes; `cargo test --release -p meshwright-member --test exhaustive -- --ignored --nocapture`"]
fn every_interleaving_in_groups_of_up_to_six_ends_as_it_should() {
    LONG_ROWS.into_iter().for_each(explore);
}

/// One-way passes: nobody waits, so the early messages of a member that does not come are many.
#[test]
fn reductions_and_broadcasts_run_ahead_and_are_bounded_by_what_is_called() {
    let reduce = Pass(WordOperation::Reduce(Operator::Sum, 0));
    let broadcast = Pass(WordOperation::Broadcast { from: 0, value: 0 });
    let found = explored(3, &[reduce, broadcast, reduce, broadcast], SHORT, Channels::AnyOrder);
    assert!(found.early_most > 2, "{found:?}");
    let found = explored(3, &[reduce, broadcast, BARRIER, reduce, broadcast], SHORT, Channels::AnyOrder);
    assert!(found.states > 100, "{found:?}");
}

/// The checker finds what it should: a member that loses a message, and one that goes on too early.
#[test]
fn the_checker_sees_a_lost_message_and_a_member_that_goes_on_too_early() {
    for fault in [Fault::Lost, Fault::Released] {
        let broken = std::panic::catch_unwind(|| {
            check_with(3, &[BARRIER, SUM], &[], SHORT, Channels::AnyOrder, fault)
        });
        let said = broken.expect_err("it is broken");
        let said = said.downcast_ref::<String>().cloned().unwrap_or_default();
        let expected = if fault == Fault::Lost { "a member that waits" } else { "before all have come" };
        assert!(said.contains(expected), "{fault:?}: {said}");
    }
}
