//! What the machine's buffers do to a schedule: the same steps on routers that count flits.

use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Bytes, Cycles, Ratio};
use meshwright_network::topology::{Costs, Machine, Switching, Topology};
use meshwright_schedule::{CALC_MAX, Op, Schedule};
use meshwright_sim::flit::Router;
use meshwright_sim::{Engine, simulate};

/// Flits over links that are simulated at the most: the flits are as large as that takes.
const FLITS: u64 = 400_000;

/// With fewer flits than this in a message of mean size, whole flits say nothing of it any more.
const FLITS_OF_MESSAGE: u64 = 6;

/// Routers of more nodes than this are not built.
const NODES_MAX: u32 = 100_000;

/// How many times longer a schedule takes on routers with the machine's buffers than where buffers never fill; none
/// if the routers come to a standstill.
///
/// Both times are measured with all messages, start-ups and computations in whole flit times, of flits large enough
/// for the flit engine: a buffer of so many flits then holds more bytes, but it stops a message for as many flit
/// times, and those are what counts. Every message of the schedule is to go over one link.
///
/// # Errors
///
/// [`Error::NotApplicable`] when a byte takes no time; [`Error::TooLarge`] for more nodes or messages than the flit
/// engine can do in a second; as for [`simulate`].
///
/// # Complexity
///
/// O(nodes + links) and a simulation of some 400,000 flits.
///
/// # Examples
///
/// ```
/// use meshwright_schedule::goal;
/// use meshwright_network::topology::{Machine, Switching};
/// use meshwright_verdict::buffers::delay;
/// let text = "num_ranks 2\nrank 0 { send 4096b to 1 }\nrank 1 { recv 4096b from 0 }\n";
/// let schedule = goal::parse(text.as_bytes(), "one.goal")?;
/// let mut line = Machine::new("mesh:1x2")?; // buffers of 4 flits
/// assert_eq!(delay(&line, Switching::Wormhole, &schedule)?, Some(1.0));
/// line = line.with_buffers(1);
/// assert!(delay(&line, Switching::Wormhole, &schedule)?.unwrap() > 1.5, "each flit waits for the one before");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn delay(machine: &Machine, switching: Switching, schedule: &Schedule) -> Result<Option<f64>> {
    let (coarse, schedule) = coarsened(machine, switching, schedule)?;
    let router = Router::ideal(&coarse);
    router.fits(&coarse)?;
    let routers = simulate(&coarse, &schedule, &Engine::Flit(router.into()))?;
    let links = simulate(&coarse, &schedule, &Engine::Message)?;
    let has_ended = routers.deadlock.is_none() && links.deadlock.is_none();
    Ok(has_ended.then(|| routers.ticks as f64 / links.ticks.max(1) as f64))
}

/// The machine with flits as large as the simulation needs, and the schedule in whole flit times.
fn coarsened(machine: &Machine, switching: Switching, schedule: &Schedule) -> Result<(Machine, Schedule)> {
    let byte_time = machine.costs().byte_time;
    if byte_time.numerator() == 0 {
        let why = "it counts in flit times, and a byte takes none";
        return Err(Error::not_applicable("the flit engine", why));
    }
    let (messages, bytes) = sent(schedule);
    too_many("nodes", u64::from(machine.nodes()), u64::from(NODES_MAX))?;
    too_many("messages", messages, FLITS / FLITS_OF_MESSAGE)?;
    let flit = bytes.div_ceil(FLITS).max(machine.costs().flit.0).max(1);
    // From here on a flit is a byte, and its time a cycle.
    let flits = |bytes: u64| nearest(u128::from(bytes), u128::from(flit));
    let ticks = u128::from(flit) * u128::from(byte_time.numerator());
    let cycles = |Cycles(time): Cycles| {
        Cycles(nearest(u128::from(time) * u128::from(byte_time.denominator()), ticks).min(CALC_MAX.0))
    };
    let mut coarse = machine.clone().with_switching(switching);
    let byte_time = Ratio::new(1, 1)?;
    coarse =
        coarse.with_costs(Costs { startup: cycles(machine.costs().startup), byte_time, flit: Bytes(1) })?;
    // What is a head on the way is one flit of the message; both take as long together as before.
    let before = if machine.switching() == Switching::StoreAndForward { 0 } else { machine.costs().flit.0 };
    let after = u64::from(switching != Switching::StoreAndForward);
    let body = |bytes: Bytes| Bytes(flits(bytes.0 + before).saturating_sub(after).max(1));
    let mut steps = schedule.clone();
    for op in steps.ranks.iter_mut().flat_map(|rank| &mut rank.ops) {
        match op {
            Op::Send { bytes, .. } | Op::Recv { bytes, .. } => *bytes = body(*bytes),
            Op::Calc { cycles: time } => *time = cycles(*time),
        }
    }
    Ok((coarse, steps))
}

/// How many messages there are, and their bytes.
fn sent(schedule: &Schedule) -> (u64, u64) {
    let ops = schedule.ranks.iter().flat_map(|rank| &rank.ops);
    ops.fold((0, 0), |(messages, all), op| match op {
        Op::Send { bytes, .. } => (messages + 1, all + bytes.0),
        _ => (messages, all),
    })
}

/// The whole number that is next to a / b.
fn nearest(a: u128, b: u128) -> u64 {
    ((a + b / 2) / b).min(u128::from(u64::MAX)) as u64
}

fn too_many(what: &'static str, needed: u64, limit: u64) -> Result<()> {
    match needed > limit {
        true => Err(Error::TooLarge {
            what: "running the schedule flit by flit",
            needed: format!("{needed} {what}"),
            limit: format!("{limit} {what}"),
        }),
        false => Ok(()),
    }
}
