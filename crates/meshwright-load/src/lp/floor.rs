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
