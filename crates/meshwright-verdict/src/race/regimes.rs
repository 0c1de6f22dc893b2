//! Who wins over bytes, start-ups and hop times.

use meshwright_core::error::Result;
use meshwright_network::topology::Machine;
use serde::Serialize;

use super::{Asked, RaceVerdict, judge};

/// A race with its machine, whose costs are some of those that are compared.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The machine.
    pub machine: Machine,
    /// The verdict.
    pub verdict: RaceVerdict,
}

/// Who wins under one size and one set of costs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Regime<'a> {
    /// The buffer of one member.
    pub bytes: u64,
    /// The start-up of a message, in cycles.
    pub startup: u64,
    /// Bytes of a head: its hop time over that of a byte.
    pub flit: u64,
    /// Whoever takes the least simulated time; none where nobody comes to an end.
    pub winners: Vec<&'a str>,
    /// That time.
    pub simulated_cycles: Option<u64>,
    /// How far it lies above the bound.
    pub gap: Option<f64>,
}

impl Measured {
    /// Who wins.
    pub fn regime(&self) -> Regime<'_> {
        let (verdict, costs) = (&self.verdict, self.machine.costs());
        let least = verdict.winner().map(|winner| winner.time.0);
        let wins = verdict.results.iter().filter(|row| least.is_some() && row.simulated_cycles == least);
        Regime {
            bytes: verdict.facts.bytes,
            startup: costs.startup.0,
            flit: costs.flit.0,
            winners: wins.map(|row| row.method.as_str()).collect(),
            simulated_cycles: least,
            gap: verdict.winner().and_then(|winner| winner.outcome.gap()),
        }
    }
}

/// The same operation in several sizes on each of these machines, size by size on the first, then on the next.
///
/// # Errors
///
/// As for [`judge`].
///
/// # Examples
///
/// ```
/// use meshwright_collectives::Operation;
/// use meshwright_network::Machine;
/// use meshwright_verdict::race::{Asked, regimes};
/// let mesh = Machine::new("mesh:4x4")?;
/// let asked = Asked::new(Operation::AllReduce, 0);
/// let all = regimes::measured(&asked, &[mesh], &[8, 1 << 20], &mut |_| ())?;
/// assert!(all[0].verdict.winner().unwrap().time < all[1].verdict.winner().unwrap().time);
/// assert_eq!(all[1].regime().winners, ["synthesis"], "many bytes want trees that share the links");
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn measured(
    asked: &Asked,
    machines: &[Machine],
    sizes: &[u64],
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<Measured>> {
    let mut all = Vec::with_capacity(machines.len() * sizes.len());
    for machine in machines {
        for &bytes in sizes {
            let asked = Asked { bytes, ..asked.clone() };
            let verdict =
                judge("", &asked, machine, &mut |what| progress(&format!("{bytes} bytes: {what}")))?;
            all.push(Measured { machine: machine.clone(), verdict });
        }
    }
    Ok(all)
}
