//! A bound for variants whose linear programme is too large: machines that do more, and what single nodes can do.

use super::theorem::theorem;
use super::variant::{Ports, Variant};
use crate::Problem;
use meshwright_core::error::Result;
use meshwright_core::units::{LinkId, NodeId};
use meshwright_network::topology::Topology;

/// A makespan that no schedule on a machine of this variant beats, in units of w Tcp; with `shares`, none of these shares.
///
/// The greatest of
///
/// ```text
/// the theorem of each machine that has one of the limits alone
/// r + L / (1 / w + R)          node with load L from r on; R its P fastest links out: sum of 1 / z. Without a front end
///                              r + L / max(1 / w, R)
/// r + (L - s) / R              with a share s < L; without a front end s w + (L - s) / R, too
/// (s - L) / R                  with a share s > L; R its P fastest links in
/// ```
///
/// It may be 0: then nothing is known here.
///
/// # Errors
///
/// As for [`theorem`](super::theorem()).
///
/// # Complexity
///
/// That of four theorems, and O(links log ports).
///
/// # Examples
///
/// ```
/// use meshwright_core::units::NodeId;
/// use meshwright_load::lp::{Ports, Variant, floor, solve};
/// use meshwright_load::{Problem, Source};
/// use meshwright_network::topology::Machine;
/// let variant = Variant { ports: Ports::ONE, results: 0.5, ..Variant::default() };
/// let mesh = Machine::new("mesh:100x100")?;
/// let large = Problem::new(&mesh, vec![Source::at(NodeId(507), 1.0)], 0.05)?;
/// assert!((1.0 / floor(&large, &variant, None)? - 21.0).abs() < 1e-9, "1 + 1 / sigma");
/// let small = Machine::new("mesh:4x4")?;
/// let problem = Problem::new(&small, vec![Source::at(NodeId(5), 1.0)], 0.3)?;
/// assert!(floor(&problem, &variant, None)? <= solve(&problem, &variant)?.makespan * (1.0 + 1e-9));
/// # Ok::<(), meshwright_core::Error>(())
/// ```
pub fn floor(problem: &Problem, variant: &Variant, shares: Option<&[f64]>) -> Result<f64> {
    let (plain, results) = (Variant::default(), if variant.home.is_some() { 0.0 } else { variant.results });
    let relaxed = [
        Variant { ports: variant.ports, ..plain },
        Variant { duplex: variant.duplex, ..plain },
        Variant { duplex: variant.duplex, results, ..plain },
        Variant { results, ..plain },
    ];
    let mut least = 0.0f64;
    for relaxed in relaxed {
        least = theorem(problem, &relaxed)?.map_or(least, |theorem| least.max(theorem.makespan));
    }
    let mut own = vec![(0.0, f64::INFINITY); problem.machine().nodes() as usize];
    for source in problem.sources() {
        let (load, release) = &mut own[source.node.index()];
        (*load, *release) = (*load + source.load, source.release.min(*release));
    }
    let nodes = (0..).map(NodeId).zip(own).filter(|&(node, _)| problem.machine().is_alive(node));
    Ok(nodes.map(|(node, own)| alone(problem, variant, node, own, shares)).fold(least, f64::max))
}

/// What one node needs, with a load from a moment on.
fn alone(
    problem: &Problem,
    variant: &Variant,
    node: NodeId,
    (load, release): (f64, f64),
    shares: Option<&[f64]>,
) -> f64 {
    let machine = problem.machine();
    let links = || machine.neighbours(node);
    let out = || rate(problem, variant.ports, links().map(|(link, _)| link));
    let work = problem.work(node);
    match shares.map(|shares| shares[node.index()]) {
        None if load == 0.0 => 0.0,
        None if variant.front_end => release + load / (1.0 / work + out()),
        None => release + load / out().max(1.0 / work),
        Some(share) if share < load => {
            let sends = (load - share) / out();
            let works = if variant.front_end || share == 0.0 { 0.0 } else { share * work };
            (release + sends).max(works + sends)
        }
        Some(share) if share > load => {
            (share - load)
                / rate(problem, variant.ports, links().filter_map(|(_, next)| machine.wire(next, node)))
        }
        Some(_) => 0.0,
    }
}

/// The load that crosses so many of these links in a unit of time.
fn rate(problem: &Problem, ports: Ports, links: impl Iterator<Item = LinkId>) -> f64 {
    let mut rates: Vec<f64> = links.map(|link| 1.0 / problem.link_time(link)).collect();
    rates.sort_by(|a, b| b.total_cmp(a));
    let at_once = match ports {
        Ports::All => rates.len(),
        Ports::Few(ports) => ports as usize,
    };
    rates.into_iter().take(at_once).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Source;
    use crate::lp::{Duplex, keep, solve};
    use meshwright_network::topology::Machine;

    /// Where the programme is small enough to say, nothing here is above it, of any shares and of the best.
    #[test]
    fn it_is_never_above_the_programme() {
        let ports = [Ports::All, Ports::ONE, Ports::Few(2)];
        let (mut many, mut met) = (0, 0);
        for (seed, name) in (1u32..).zip(["mesh:3x3", "mesh:1x5", "torus:3x4", "hypercube:3"]) {
            let machine = Machine::new(name).expect("a machine");
            let nodes = machine.nodes();
            for case in 0..24u32 {
                let at = |times: u32| NodeId((seed * 5 + case * times) % nodes);
                let sources = match case % 3 {
                    0 => vec![Source::at(at(1), 1.0)],
                    1 => vec![Source::at(at(1), 1.0), Source { release: 0.05, ..Source::at(at(3), 2.0) }],
                    _ => vec![Source::at(at(1), 1.0), Source::at(at(2), 0.5)],
                };
                let sigma = [0.05, 0.3, 1.5][(case / 3 % 3) as usize];
                let problem = Problem::new(&machine, sources, sigma).expect("a problem");
                let variant = Variant {
                    ports: ports[(case % 4 % 3) as usize],
                    front_end: case % 5 > 1,
                    duplex: if case % 7 > 3 { Duplex::Half } else { Duplex::Full },
                    results: [0.0, 0.5][(case / 2 % 2) as usize],
                    ..Variant::default()
                };
                let shares: Vec<f64> = (0..nodes).map(|node| f64::from((node * case) % 3)).collect();
                let sum: f64 = shares.iter().sum();
                let shares: Vec<f64> = shares.iter().map(|share| share / sum.max(1.0)).collect();
                let best = solve(&problem, &variant).expect("an answer").makespan;
                let known = floor(&problem, &variant, None).expect("a bound");
                assert!(known <= best * (1.0 + 1e-6), "{name} {case}: {known} {best} {variant:?}");
                (many, met) = (many + 1, met + u32::from(known >= best * (1.0 - 1e-6)));
                if sum > 0.0 {
                    let least = keep(&problem, &variant, &shares, None).expect("an answer").makespan;
                    let known = floor(&problem, &variant, Some(&shares)).expect("a bound");
                    assert!(
                        known <= least * (1.0 + 1e-6),
                        "{name} {case}: {known} {least} {variant:?} of shares"
                    );
                }
            }
        }
        assert!(met * 4 > many, "{met} of {many} are met: else it would say too little");
    }
}
