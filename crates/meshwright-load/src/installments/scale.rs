//! From shares and units of w Tcp to bytes and cycles of the machine.

use crate::Problem;
use meshwright_core::error::{Error, Result};
use meshwright_core::units::{Bytes, Cycles, LinkId, NodeId, Ratio};
use meshwright_network::topology::costs::BYTES_MAX;
use meshwright_network::topology::{Costs, Switching, Topology};
use meshwright_schedule::CALC_MAX;

/// The cycles of w Tcp where the choice is free: rounding to whole cycles and bytes then means nothing.
const FINE_CYCLES: f64 = (1u64 << 36) as f64;

/// How large the load is: what a share means in bytes, and a unit of w Tcp in cycles.
///
/// ```text
/// cycles to work off a byte = b / sigma,  w Tcp = bytes * b / sigma
/// ```
///
/// b is the machine's byte time. Where links are not alike, sigma is the time of the load on the fastest of them, and
/// a message over a link that is f times slower has f times the bytes: it is the time on the link that counts.
///
/// # Examples
///
/// ```
/// use meshwright_load::{Problem, Source};
/// use meshwright_load::installments::Scale;
/// use meshwright_network::topology::Machine;
/// use meshwright_core::units::{Bytes, Cycles, LinkId, NodeId};
/// let mesh = Machine::new("mesh:2x2")?; // b = 1 cycle per byte
/// let problem = Problem::new(&mesh, vec![Source::at(NodeId(0), 1.0)], 0.25)?;
/// let scale = Scale::new(&problem, 1000)?;
/// assert_eq!(scale.unit_cycles(), 4000.0, "four cycles of work a byte");
/// assert_eq!(scale.work(NodeId(1), 10), Cycles(40));
/// assert_eq!(scale.message(LinkId(0), 10), Bytes(10));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Scale<'p, 'm> {
    problem: &'p Problem<'m>,
    bytes: u64,
    /// Cycles of a byte on a processor with work time 1.
    work: f64,
    /// The time of the whole load on the link whose messages have as many bytes as they carry load.
    link_time: f64,
}

impl<'p, 'm> Scale<'p, 'm> {
    /// The load of a problem with this many bytes in all.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] for no bytes or more than a tebibyte; [`Error::NotApplicable`] when the machine's links take no
    /// time and the problem's do; [`Error::TooLarge`] when the whole load takes a processor more than 2^44 cycles.
    pub fn new(problem: &'p Problem<'m>, bytes: u64) -> Result<Self> {
        if !(1..=BYTES_MAX).contains(&bytes) {
            return Err(Error::value("bytes of the load", bytes, format!("1 to {BYTES_MAX}")));
        }
        let byte_time = problem.machine().costs().byte_time.to_f64();
        let link_time = fastest(problem);
        if link_time > 0.0 && byte_time == 0.0 {
            let why = "the machine's links take no time for a byte, those of the problem do";
            return Err(Error::not_applicable("counting the load in bytes", why));
        }
        // Links without time: any speed of the processors will do.
        let work = if link_time > 0.0 { byte_time / link_time } else { 1.0 };
        let scale = Self { problem, bytes, work, link_time };
        if scale.unit_cycles() > CALC_MAX.0 as f64 {
            return Err(Error::TooLarge {
                what: "working off the whole load",
                needed: format!("{:.3e} cycles", scale.unit_cycles()),
                limit: format!("{} cycles", CALC_MAX.0),
            });
        }
        Ok(scale)
    }

    /// The problem it belongs to.
    pub fn problem(&self) -> &'p Problem<'m> {
        self.problem
    }

    /// The bytes of the whole load.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The cycles of w Tcp: how long the whole load takes one processor.
    pub fn unit_cycles(&self) -> f64 {
        self.bytes as f64 * self.work
    }

    /// A time in cycles as a number of w Tcp.
    pub fn units(&self, cycles: Cycles) -> f64 {
        cycles.0 as f64 / self.unit_cycles()
    }

    /// A time in ticks as a number of w Tcp.
    pub fn units_of_ticks(&self, ticks: u64) -> f64 {
        ticks as f64 / self.costs().ticks_per_cycle() as f64 / self.unit_cycles()
    }

    /// The first whole cycle that is not before this number of w Tcp.
    pub fn cycles(&self, units: f64) -> Cycles {
        Cycles((units * self.unit_cycles()).ceil() as u64)
    }

    /// How long this many bytes of load take a processor, to the next whole cycle.
    ///
    /// # Panics
    ///
    /// When the node cannot work.
    pub fn work(&self, node: NodeId, bytes: u64) -> Cycles {
        let time = self.problem.work(node);
        assert!(time.is_finite(), "only nodes that work get a share");
        Cycles((bytes as f64 * self.work * time).ceil() as u64)
    }

    /// The message that carries this many bytes of load over a link: as many bytes, and more if the link is slower.
    ///
    /// # Panics
    ///
    /// When the link carries nothing.
    pub fn message(&self, link: LinkId, bytes: u64) -> Bytes {
        let time = self.problem.link_time(link);
        assert!(time.is_finite(), "only links that carry something are used");
        match time {
            0.0 => Bytes(0),
            _ if time == self.link_time => Bytes(bytes),
            _ => Bytes((bytes as f64 * (time / self.link_time)).ceil() as u64),
        }
    }

    /// The machine's costs of a message.
    pub fn costs(&self) -> &Costs {
        self.problem.machine().costs()
    }

    /// Ticks for which a message occupies one link: c + b W, and b h for the head where there is one.
    pub fn message_ticks(&self, message: Bytes) -> u64 {
        let (costs, switching) = (self.costs(), self.problem.machine().switching());
        let head = if switching == Switching::StoreAndForward { 0 } else { costs.head_ticks() };
        costs.startup_ticks() + costs.transfer_ticks(message) + head
    }

    /// Costs and bytes of a load for which only sigma and the start-up, in units of w Tcp, are given.
    ///
    /// Bytes and cycles are so small against the whole that rounding means nothing; heads take no time.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] for a sigma or a start-up that is below 0, not finite or above 2^20.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_load::{Problem, Source};
    /// use meshwright_load::installments::Scale;
    /// use meshwright_network::topology::Machine;
    /// use meshwright_core::units::NodeId;
    /// let mut torus = Machine::new("torus:16x16")?;
    /// let (costs, bytes) = Scale::costs_of(0.1, 1e-5)?;
    /// torus = torus.with_costs(costs)?;
    /// let problem = Problem::new(&torus, vec![Source::at(NodeId(0), 1.0)], 0.1)?;
    /// let scale = Scale::new(&problem, bytes)?;
    /// assert!((scale.units(torus.costs().startup) - 1e-5).abs() < 1e-10);
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn costs_of(sigma: f64, startup: f64) -> Result<(Costs, u64)> {
        const MOST: f64 = (1u64 << 20) as f64;
        for (what, value) in [("sigma", sigma), ("startup", startup)] {
            if !(0.0..=MOST).contains(&value) {
                return Err(Error::value(what, value, format!("a number from 0 to {MOST}")));
            }
        }
        // The start-up stays below 2^32 cycles and the load below a tebibyte.
        let mut unit = FINE_CYCLES;
        while startup * unit > (1u64 << 32) as f64 || sigma * unit > BYTES_MAX as f64 {
            unit /= 2.0;
        }
        let mut per_cycle = 1;
        while sigma > 0.0 && sigma * (per_cycle as f64) < 0.5 && per_cycle < 1 << 16 {
            per_cycle *= 2;
        }
        let bytes = if sigma > 0.0 { sigma * per_cycle as f64 * unit } else { unit };
        let byte_time = Ratio::new(1, per_cycle)?;
        let costs = Costs { startup: Cycles((startup * unit).round() as u64), byte_time, flit: Bytes(0) };
        Ok((costs, (bytes.round() as u64).clamp(1, BYTES_MAX)))
    }

    /// As [`Self::costs_of`] for a problem whose links may differ: the byte time is that of its fastest link.
    ///
    /// # Errors
    ///
    /// As for [`Self::costs_of`].
    pub fn costs_for(problem: &Problem<'_>, startup: f64) -> Result<(Costs, u64)> {
        Self::costs_of(fastest(problem), startup)
    }
}

/// The least link time above 0 and below infinity; 0 if there is none.
fn fastest(problem: &Problem<'_>) -> f64 {
    if problem.is_uniform() {
        return problem.sigma();
    }
    let machine = problem.machine();
    let mut least = f64::INFINITY;
    for node in machine.living() {
        for (link, _) in machine.neighbours(node) {
            let time = problem.link_time(link);
            if time > 0.0 {
                least = least.min(time);
            }
        }
    }
    if least.is_finite() { least } else { 0.0 }
}
