//! Schedules on ranks that are threads: every schedule that verifies comes to its end, in its own order, byte by byte.

use std::time::{Duration, Instant};

use meshwright_core::units::{Bytes, Cycles, NodeId};
use meshwright_runtime::skeleton::execute::{
    Clock, Defect, Executed, Gathered, Settings, Waiting, Wrong, clock, execute, gather, links,
};
use meshwright_runtime::transport::{Endpoint, Lost, Mailbox, Parcel, Topic, threads};
use meshwright_schedule::{Awaits, Dependency, Op, Rank, Schedule, goal};
use proptest::prelude::*;

/// Plays a schedule on threads whose endpoints are wrapped; what each rank has, and what rank 0 gathered.
fn played_on<E: Endpoint>(
    schedule: &Schedule,
    settings: &Settings,
    wrap: impl Fn(threads::ThreadEndpoint) -> E + Sync,
) -> (Vec<Executed>, Gathered) {
    let run = |endpoint: threads::ThreadEndpoint| -> Result<(Executed, Option<Gathered>), Lost> {
        let rank = &schedule.ranks[endpoint.rank() as usize];
        let mut mail = Mailbox::new(wrap(endpoint));
        let clock: Clock = clock(&mut mail)?;
        let executed = execute(rank, 3, settings, &mut mail)?;
        let gathered = gather(rank, &executed, &clock, &mut mail)?;
        Ok((executed, gathered))
    };
    let (executed, gathered): (Vec<_>, Vec<_>) =
        threads::run(schedule.ranks.len() as u32, run).expect("no thread is lost").into_iter().unzip();
    let mut gathered = gathered.into_iter();
    let first = gathered.next().flatten().expect("rank 0 gathers");
    assert!(gathered.all(|other| other.is_none()));
    (executed, first)
}

const QUICK: Settings = Settings { cycle_nanoseconds: Some(1.0), patience: Duration::from_secs(20) };

fn run(schedule: &Schedule) -> (Vec<Executed>, Gathered) {
    played_on(schedule, &QUICK, |endpoint| endpoint)
}

fn parse(text: &str) -> Schedule {
    goal::parse(text.as_bytes(), "test.goal").expect("it is GOAL")
}

/// Steps of random ranks in any order, with dependencies of both kinds.
fn any_schedule() -> impl Strategy<Value = Schedule> {
    let step = (0..5u32, 0..5u32, 0..=3000u64, 0..3u32, 0..4u8);
    let dependency = (0..5usize, any::<u32>(), any::<u32>(), any::<bool>());
    let lists = (prop::collection::vec(step, 0..24), prop::collection::vec(dependency, 0..24), 1..=5u32);
    lists.prop_map(|(steps, dependencies, count)| {
        let mut ranks = vec![Rank::default(); count as usize];
        for (source, target, bytes, tag, kind) in steps {
            let (source, target) = (source % count, target % count);
            let send = Op::Send { peer: NodeId(target), bytes: Bytes(bytes), tag };
            let recv = Op::Recv { peer: NodeId(source), bytes: Bytes(bytes), tag };
            let pair = match kind {
                0 => vec![(source, Op::Calc { cycles: Cycles(bytes) })],
                1 => vec![(target, recv), (source, send)],
                _ => vec![(source, send), (target, recv)],
            };
            pair.into_iter().for_each(|(rank, op)| ranks[rank as usize].ops.push(op));
        }
        for (rank, step, on, start_only) in dependencies {
            let rank = &mut ranks[rank % count as usize];
            let steps = rank.ops.len() as u32;
            if steps > 0 && step % steps != on % steps {
                let awaits = if start_only { Awaits::Start } else { Awaits::End };
                rank.dependencies.push(Dependency { step: step % steps, on: on % steps, awaits });
            }
        }
        Schedule { ranks }
    })
}

/// What must hold of every run that went well, from the schedule alone.
fn check(schedule: &Schedule, executed: &[Executed], gathered: &Gathered) {
    assert!(gathered.over && gathered.wrong.is_empty() && gathered.waiting.is_empty(), "{gathered:?}");
    for (rank, executed) in schedule.ranks.iter().zip(executed) {
        assert!(executed.over && executed.wrong_count == 0);
        let spans: Vec<(Instant, Instant)> =
            executed.spans.iter().map(|span| span.expect("every step ended")).collect();
        for dependency in &rank.dependencies {
            let (begin, end) = spans[dependency.on as usize];
            let awaited = if dependency.awaits.is_start() { begin } else { end };
            assert!(spans[dependency.step as usize].0 >= awaited, "{dependency:?}");
        }
        let mut computed: Vec<(Instant, Instant, u64)> = Vec::new();
        for (op, &(begin, end)) in rank.ops.iter().zip(&spans) {
            assert!(begin <= end);
            if let Op::Calc { cycles } = op {
                assert!(end - begin >= Duration::from_nanos(cycles.0));
                computed.push((begin, end, cycles.0));
            }
        }
        // One after the other: from the first begin to the last end is at least the sum.
        let sum = Duration::from_nanos(computed.iter().map(|(_, _, cycles)| cycles).sum());
        let first = computed.iter().map(|(begin, _, _)| *begin).min();
        let last = computed.iter().map(|(_, end, _)| *end).max();
        assert!(first.zip(last).is_none_or(|(first, last)| last - first >= sum));
    }
    let mut bytes = 0;
    for message in schedule.messages() {
        let send = executed[message.source.index()].spans[message.source_step as usize].unwrap();
        let receive = executed[message.target.index()].spans[message.target_step as usize].unwrap();
        assert!(receive.1 >= send.0, "nothing arrives before it is sent");
        bytes += message.bytes.0;
    }
    assert_eq!((gathered.messages, gathered.checked_bytes), (schedule.messages().len() as u64, bytes));
    let by_tag = |tag: u32| {
        let all = schedule.messages();
        let sizes: Vec<u64> = all.iter().filter(|m| m.tag == tag).map(|m| m.bytes.0).collect();
        (sizes.len() as u64, sizes.iter().sum::<u64>())
    };
    for phase in &gathered.phases {
        assert_eq!((phase.messages, phase.bytes), by_tag(phase.tag));
        assert!(phase.begin.unwrap() <= phase.end.unwrap());
        assert!(phase.end.unwrap() - phase.begin.unwrap() <= gathered.nanoseconds as i64);
    }
    let tags = schedule.messages().iter().map(|m| m.tag).collect::<std::collections::BTreeSet<_>>();
    assert_eq!(gathered.phases.len(), tags.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn what_verifies_comes_to_its_end_in_its_own_order(schedule in any_schedule()) {
        prop_assume!(schedule.verify().is_ok());
        let (executed, gathered) = run(&schedule);
        check(&schedule, &executed, &gathered);
    }
}

#[test]
fn every_example_of_a_schedule_runs() {
    for (ranks, tasks) in [(16, "binomial:4"), (64, "binomial:6")] {
        let shape = meshwright_mapping::Shape::Binomial(if ranks == 16 { 4 } else { 6 });
        let divide = meshwright_mapping::Divide {
            shape,
            alpha: Some(0.5),
            combine_alpha: Some(0.5),
            volume: Bytes(1 << 16),
        };
        let graph = meshwright_mapping::divide::task_graph(&divide).unwrap();
        let side = if ranks == 16 { 4 } else { 8 };
        let machine = meshwright_network::topology::Machine::mesh([side, side]).unwrap();
        let request = meshwright_mapping::Request::of(&graph, &machine, 0);
        let placement = meshwright_mapping::place("centred-halving", &request).unwrap();
        let phases = placement.phases(&graph, &machine);
        let schedule = Schedule::from_phases(&phases);
        let (executed, gathered) = run(&schedule);
        check(&schedule, &executed, &gathered);
        assert_eq!(gathered.messages, 2 * (ranks - 1), "{tasks}: down and up again");
    }
}

#[test]
fn a_step_that_waits_for_a_start_does_not_wait_for_the_end() {
    // Rank 1 answers while its receive of `b` is still open; with `requires` this would be a circle.
    let schedule = parse(
        "num_ranks 2\nrank 0 {\na: recv 8b from 1 tag 1\nb: send 8b to 1 tag 2\nb requires a\n}\n\
         rank 1 {\nb: recv 8b from 0 tag 2\na: send 8b to 0 tag 1\na irequires b\n}\n",
    );
    assert_eq!(schedule.verify(), Ok(()));
    let (executed, gathered) = run(&schedule);
    check(&schedule, &executed, &gathered);
    let [receive, send] = [0, 1].map(|step: usize| executed[1].spans[step].unwrap());
    assert!(receive.0 <= send.0 && send.1 <= receive.1, "the send lies within the receive");
}

#[test]
fn messages_larger_than_what_is_kept_aside_are_checked_on_the_way() {
    let large = 40u64 << 20;
    let text = format!(
        "num_ranks 2\nrank 0 {{\nsend {large}b to 1\nsend {large}b to 1\n}}\nrank 1 {{\nrecv {large}b from 0\nrecv {large}b from 0\n}}\n"
    );
    let (executed, gathered) = run(&parse(&text));
    assert_eq!((gathered.checked_bytes, gathered.wrong_count), (2 * large, 0));
    assert_eq!(executed[1].messages, 2);
}

#[test]
fn computing_can_be_left_out() {
    // Seventeen thousand seconds, if anybody computed.
    let schedule = parse("num_ranks 2\nrank 0 { calc 17000000000000 }\n");
    let settings = Settings { cycle_nanoseconds: None, ..QUICK };
    let begin = Instant::now();
    let (_, gathered) = played_on(&schedule, &settings, |endpoint| endpoint);
    assert!(gathered.over && gathered.phases.is_empty() && begin.elapsed() < Duration::from_secs(10));
}

/// What is done to the messages of the schedule, counted from 0 as they leave a rank.
#[derive(Clone, Copy, PartialEq)]
enum Harm {
    /// One bit of this byte of the payload changes.
    Flip(usize),
    /// The last bytes are lost.
    Shorten(usize),
    /// It never arrives.
    Lose,
    /// It arrives twice.
    Double,
}

/// An endpoint that harms one message.
struct Harmful<E> {
    inner: E,
    rank: u32,
    harm: Harm,
    /// The message to harm; then none.
    left: Option<u32>,
}

impl<E: Endpoint> Endpoint for Harmful<E> {
    fn rank(&self) -> u32 {
        self.inner.rank()
    }

    fn ranks(&self) -> u32 {
        self.inner.ranks()
    }

    fn send(&mut self, to: u32, tag: u32, mut bytes: Vec<u8>) -> Result<(), Lost> {
        const DATA: u32 = Topic::Play.tag(0);
        if tag == DATA && self.inner.rank() == self.rank {
            match self.left {
                Some(0) => {
                    self.left = None;
                    match self.harm {
                        Harm::Flip(at) => bytes[12 + at] ^= 0x10,
                        Harm::Shorten(by) => bytes.truncate(bytes.len() - by),
                        Harm::Lose => return Ok(()),
                        Harm::Double => self.inner.send(to, tag, bytes.clone())?,
                    }
                }
                Some(more) => self.left = Some(more - 1),
                None => {}
            }
        }
        self.inner.send(to, tag, bytes)
    }

    fn next(&mut self, wait: Duration) -> Result<Option<Parcel>, Lost> {
        self.inner.next(wait)
    }
}

/// A relay over three ranks; the message of one of them is harmed.
fn harmed(harm: Harm, rank: u32) -> (Vec<Executed>, Gathered) {
    let schedule = parse(
        "num_ranks 3\nrank 0 {\na: send 100b to 1 tag 7\nb: recv 50b from 2 tag 9\n}\n\
         rank 1 {\na: recv 100b from 0 tag 7\nb: send 70b to 2 tag 8\nb requires a\n}\n\
         rank 2 {\na: recv 70b from 1 tag 8\nb: send 50b to 0 tag 9\nb requires a\nc: calc 1000\nc requires b\n}\n",
    );
    let settings = Settings { patience: Duration::from_millis(150), ..QUICK };
    played_on(&schedule, &settings, |inner| Harmful { inner, rank, harm, left: Some(0) })
}

#[test]
fn one_changed_bit_is_found_and_named() {
    for at in [0, 7, 8, 68, 69] {
        let (_, gathered) = harmed(Harm::Flip(at), 1);
        let expected =
            Wrong { rank: 2, step: Some(0), from: 1, tag: 8, defect: Defect::Byte { at: at as u64 } };
        assert_eq!(
            (gathered.wrong.as_slice(), gathered.wrong_count, gathered.over),
            (&[expected][..], 1, true)
        );
    }
    assert_eq!(
        harmed(Harm::Flip(3), 0).1.wrong[0].to_string(),
        "rank 1, step 0: the message from rank 0 with tag 7 differs in byte 3 from what was sent"
    );
}

#[test]
fn a_message_that_is_too_short_is_named_and_the_run_goes_on() {
    let (_, gathered) = harmed(Harm::Shorten(11), 2);
    let defect = Defect::Length { expected: 50, came: 39 };
    assert_eq!(gathered.wrong, [Wrong { rank: 0, step: Some(1), from: 2, tag: 9, defect }]);
    assert!(gathered.over);
    assert_eq!(
        gathered.wrong[0].to_string(),
        "rank 0, step 1: the message from rank 2 with tag 9 has 39 bytes where 50 were sent"
    );
}

#[test]
fn a_message_that_nobody_waits_for_is_named() {
    let (_, gathered) = harmed(Harm::Double, 1);
    assert_eq!(gathered.wrong, [Wrong { rank: 2, step: None, from: 1, tag: 8, defect: Defect::Unexpected }]);
    assert_eq!(gathered.messages, 3, "the second one is not counted");
}

#[test]
fn a_message_that_never_comes_ends_the_run_with_the_chain_of_who_waits_for_whom() {
    let (executed, gathered) = harmed(Harm::Lose, 0);
    assert!(!gathered.over && executed.iter().all(|executed| !executed.over));
    let waits = |rank, step, from, tag, sender_ended| Waiting { rank, step, from, tag, sender_ended };
    assert_eq!(
        gathered.waiting,
        [waits(0, 1, 2, 9, false), waits(2, 0, 1, 8, false), waits(1, 0, 0, 7, false)]
    );
    let (_, gathered) = harmed(Harm::Lose, 2);
    assert_eq!(gathered.waiting, [waits(0, 1, 2, 9, true)]);
    assert_eq!(
        gathered.waiting[0].to_string(),
        "rank 0 waits in step 1 for a message with tag 9 from rank 2, which has sent all of its messages"
    );
    // A header that is cut is no message of the schedule.
    let (_, gathered) = harmed(Harm::Shorten(105), 0);
    assert_eq!(gathered.wrong[0].defect, Defect::Unexpected);
    assert_eq!(gathered.waiting.len(), 3);
}

#[test]
fn a_rank_that_computes_for_long_is_waited_for() {
    // Ten times as long as the patience.
    let schedule = parse(
        "num_ranks 3\nrank 1 {\na: calc 300000000\nb: send 8b to 2\nb requires a\n}\nrank 2 { recv 8b from 1 }\n",
    );
    let settings = Settings { patience: Duration::from_millis(30), ..QUICK };
    let (executed, gathered) = played_on(&schedule, &settings, |endpoint| endpoint);
    check(&schedule, &executed, &gathered);
    assert!(gathered.nanoseconds >= 300_000_000);
}

#[test]
fn runs_follow_each_other_on_the_same_endpoints() {
    let schedule = parse(
        "num_ranks 2\nrank 0 {\nsend 9b to 1\nsend 9b to 1\n}\nrank 1 {\nrecv 9b from 0\nrecv 9b from 0\n}\n",
    );
    let ended = threads::run(2, |endpoint| {
        let rank = &schedule.ranks[endpoint.rank() as usize];
        let mut mail = Mailbox::new(endpoint);
        (0..50).map(|run| execute(rank, run, &QUICK, &mut mail)).collect::<Result<Vec<_>, _>>()
    });
    let ended = ended.unwrap();
    assert!(ended.iter().flatten().all(|executed| executed.over && executed.wrong.is_empty()));
}

#[test]
fn what_messages_cost_is_measured_by_any_number_of_ranks() {
    for ranks in [1, 2, 3, 8] {
        let measured = threads::run(ranks, |endpoint| links(&mut Mailbox::new(endpoint))).unwrap();
        assert!(measured.iter().all(|links| *links == measured[0]));
        assert!(measured[0].startup > 0.0 && measured[0].byte_time >= 0.0);
    }
}
