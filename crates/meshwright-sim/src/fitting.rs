//! The referee that fits: whole messages, and where these wait for each other in a ring, routers with the virtual
//! channels that the routing needs.
//!
//! | run | on |
//! |---|---|
//! | ends on whole messages; on a torus always, with date-line classes | the message engine |
//! | ends in a ring there | the flit engine, up*/down* |
//! | ends in a ring, and routers are out of reach | nothing: the ring is the answer, and why |
//!
//! Routers move flit by flit, so that a run is priced first: flits times links. A run above [`FLIT_HOPS_MAX`] takes
//! longer flits, as few times longer as that needs. Such a run keeps every bound: a link passes no byte sooner, and no
//! head comes any sooner. By how much it is late is a few of its flit times for each message that others wait for.
//!
//! # Source
//!
//! `dally1987`, section 4 (date-lines).

use std::borrow::Cow;

use serde::Serialize;

use super::flit::Router;
use super::simulate::{Engine, Routed, Workload};
use super::trace::Trace;
use super::{message, network};
use meshwright_core::error::{Error, Result};
use meshwright_core::units::Bytes;
use meshwright_network::fabric::Fabric;
use meshwright_network::routing::{self, dimension_order};
use meshwright_network::topology::{Machine, Switching};
use meshwright_schedule::{Message, Phases, Schedule};

/// Flits times links that one run may take: seconds.
pub const FLIT_HOPS_MAX: u64 = 1 << 27;

/// Where flits are made longer, the largest message keeps so many: with fewer its length says nothing any more.
pub const FLITS_MIN: u64 = 64;

/// The routers of a run, as far as they are not the machine's own: flit by flit, or, with date-line classes, for whole
/// messages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Routers {
    /// The routing.
    pub routing: &'static str,
    /// Virtual channels of a link.
    pub virtual_channels: u32,
    /// The length of a flit in bytes: the machine's own, or a multiple where the run would take too long.
    pub flit: u64,
    /// Whether messages moved whole, each wire carrying one of them at a time.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub whole_messages: bool,
}

impl Routers {
    /// What there is to say of these routers on this machine.
    ///
    /// # Errors
    ///
    /// As for [`routing::named`].
    pub fn of(router: &Router, machine: &Machine) -> Result<Self> {
        let described = machine.fabric().and_then(Fabric::routers);
        Ok(Self {
            routing: routing::named(router.routing_on(machine))?,
            virtual_channels: router.virtual_channels,
            flit: described.map_or(machine.costs().flit, |routers| routers.flit).0,
            whole_messages: false,
        })
    }

    /// The date-line classes of whole messages, if the machine has them: a torus under wormhole, on which worms could wait
    /// in a ring.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_network::topology::Machine;
    /// use meshwright_sim::fitting::Routers;
    /// let routers = Routers::date_line(&Machine::new("torus:4x4")?).expect("wormhole");
    /// assert_eq!((routers.routing, routers.virtual_channels), ("dimension-order", 2));
    /// assert_eq!(Routers::date_line(&Machine::new("torus:3x3")?), None, "a way takes one link of a ring");
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn date_line(machine: &Machine) -> Option<Self> {
        message::keeps_classes(machine).then(|| Self {
            routing: dimension_order::DIMENSION_ORDER.name,
            virtual_channels: 2,
            flit: machine.costs().flit.0,
            whole_messages: true,
        })
    }
}

/// A run, and what it ran on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fitted {
    /// What was measured; it holds a ring where no referee came to an end.
    pub trace: Trace,
    /// The routers, if it ran flit by flit, or whole messages passed each other in date-line classes; else whole messages
    /// needed none.
    pub routers: Option<Routers>,
    /// Why there are no routers, where whole messages end in a ring.
    pub refused: Option<String>,
    /// Flits times links, as they were counted before it ran flit by flit; 0 where whole messages were enough.
    pub flit_hops: u64,
}

impl Fitted {
    /// The name of the engine: `message` or `flit`.
    pub fn engine(&self) -> &'static str {
        engine_name(self.routers.as_ref())
    }
}

/// The name of the engine that ran on these routers, or on none: `message` or `flit`.
pub fn engine_name(routers: Option<&Routers>) -> &'static str {
    if routers.is_some_and(|routers| !routers.whole_messages) { "flit" } else { "message" }
}

/// A workload whose messages are known before it runs.
pub trait Planned: Workload {
    /// Its messages, in any order.
    #[doc(hidden)]
    fn messages(&self) -> Cow<'_, [Message]>;

    /// How often each of these is sent.
    #[doc(hidden)]
    fn times(&self) -> Vec<u32>;
}

impl Planned for Phases {
    fn messages(&self) -> Cow<'_, [Message]> {
        Cow::Borrowed(self.messages())
    }

    fn times(&self) -> Vec<u32> {
        (0..self.len())
            .flat_map(|index| std::iter::repeat_n(self.repeats(index), self.phase(index).len()))
            .collect()
    }
}

impl Planned for Routed<'_> {
    fn messages(&self) -> Cow<'_, [Message]> {
        Planned::messages(self.phases)
    }

    fn times(&self) -> Vec<u32> {
        self.phases.times()
    }
}

impl Planned for Schedule {
    fn messages(&self) -> Cow<'_, [Message]> {
        self.messages().iter().map(Message::from).collect()
    }

    fn times(&self) -> Vec<u32> {
        vec![1; Planned::messages(self).len()]
    }
}

/// Simulates on the referee that fits. A run may take so many flits times links, mostly [`FLIT_HOPS_MAX`]: of more, flits
/// are made longer, and the time is an estimate.
///
/// # Errors
///
/// As for [`simulate`](crate::simulate()).
///
/// # Panics
///
/// As for [`simulate`](crate::simulate()).
///
/// # Examples
///
/// ```
/// use meshwright_schedule::{Message, Phases};
/// use meshwright_sim::fitting::{self, FLIT_HOPS_MAX};
/// use meshwright_sim::{Engine, simulate};
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::{Bytes, NodeId};
/// // Everybody sends half-way round a ring: one virtual channel would not do, with date-line classes worms pass.
/// let send = |at| Message { source: NodeId(at), target: NodeId((at + 2) % 4), bytes: Bytes(64), phase: 1 };
/// let (ring, phases) = (Machine::new("torus:4")?, Phases::new(4, (0..4).map(send).collect()));
/// let fitted = fitting::simulate(&ring, &phases, FLIT_HOPS_MAX)?;
/// assert_eq!((fitted.engine(), &fitted.trace.deadlock), ("message", &None));
/// assert!(fitted.trace.cycles.0 >= 100 + 2 * 64, "each link carries two of them");
/// assert_eq!(fitted.routers.map(|routers| routers.virtual_channels), Some(2));
/// // The pairs of a Gaussian integer have rings that no date-line cuts: routers go up*/down*.
/// let gauss = Machine::new("gaussian:3+2i")?;
/// let send = |at| Message { source: NodeId(at), target: NodeId((at + 3) % 13), bytes: Bytes(64), phase: 1 };
/// let phases = Phases::new(13, (0..13).map(send).collect());
/// assert!(simulate(&gauss, &phases, &Engine::Message)?.deadlock.is_some());
/// assert_eq!(fitting::simulate(&gauss, &phases, FLIT_HOPS_MAX)?.engine(), "flit");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn simulate<W: Planned>(machine: &Machine, workload: &W, flit_hops_max: u64) -> Result<Fitted> {
    let whole = crate::simulate(machine, workload, &Engine::Message)?;
    if whole.deadlock.is_none() {
        let routers = if whole.passes > 0 { Routers::date_line(machine) } else { None };
        return Ok(Fitted { trace: whole, routers, refused: None, flit_hops: 0 });
    }
    fit(machine, whole, (&workload.messages(), &workload.times(), flit_hops_max), &|machine, engine| {
        crate::simulate(machine, workload, engine)
    })
}

/// Runs on routers what ended in a ring on whole messages.
fn fit(
    machine: &Machine,
    whole: Trace,
    (messages, times, flit_hops_max): (&[Message], &[u32], u64),
    run: &dyn Fn(&Machine, &Engine) -> Result<Trace>,
) -> Result<Fitted> {
    let stuck = |refused: String, flit_hops| {
        Ok(Fitted { trace: whole.clone(), routers: None, refused: Some(refused), flit_hops })
    };
    let router = Router::ideal(machine);
    let longer = |(flit, flit_hops)| Ok((machine.clone().with_flit(flit)?, flit_hops));
    let (coarse, flit_hops) = match flit(machine, (messages, times), flit_hops_max).and_then(longer) {
        Ok(coarse) => coarse,
        Err(error) => return stuck(error.to_string(), 0),
    };
    match run(&coarse, &Engine::Flit(router.clone().into())) {
        Ok(trace) if trace.deadlock.is_some() => {
            stuck("routers come to a standstill, too".to_string(), flit_hops)
        }
        Ok(trace) => {
            let routers = Some(Routers::of(&router, &coarse)?);
            Ok(Fitted { trace, routers, refused: None, flit_hops })
        }
        Err(error) => stuck(error.to_string(), flit_hops),
    }
}

/// The shortest flits in which these messages are not too much work, a multiple of the machine's own; and how much work they are.
///
/// # Errors
///
/// [`Error::TooLarge`] when there are too many messages, or none of them has enough flits.
fn flit(
    machine: &Machine,
    (messages, times): (&[Message], &[u32]),
    flit_hops_max: u64,
) -> Result<(Bytes, u64)> {
    let own = machine.costs().flit;
    if own.0 == 0 {
        return Ok((own, 0));
    }
    let routes = network::routes(machine, messages)?;
    let ways: Vec<(u64, u64)> = messages
        .iter()
        .zip(times)
        .enumerate()
        .map(|(index, (message, &times))| {
            let hops = u64::from(routes.hops(index, message.pair()).0);
            (hops * u64::from(times), message.bytes.0)
        })
        .collect();
    let head = u64::from(machine.switching() != Switching::StoreAndForward);
    let price = |flit: u64| -> u128 {
        let flits = |bytes: u64| u128::from((head + bytes.div_ceil(flit)).max(1));
        ways.iter().map(|&(hops, bytes)| u128::from(hops) * flits(bytes)).sum()
    };
    let limit = u128::from(flit_hops_max);
    let whole = price(own.0);
    if whole <= limit {
        return Ok((own, whole as u64));
    }
    let largest = ways.iter().map(|&(_, bytes)| bytes).max().unwrap_or(0);
    // A price falls as flits grow: the least factor by halving.
    let (mut low, mut high) = (1, (largest / FLITS_MIN / own.0).max(1));
    if price(high * own.0) > limit {
        return Err(Error::TooLarge {
            what: "running the schedule flit by flit",
            needed: format!("{whole} flits times links"),
            limit: format!("{flit_hops_max}, with at least {FLITS_MIN} flits in the largest message"),
        });
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if price(middle * own.0) <= limit { high = middle } else { low = middle }
    }
    Ok((Bytes(high * own.0), price(high * own.0) as u64))
}
