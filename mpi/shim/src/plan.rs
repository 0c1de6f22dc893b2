//! What the first process does: from what all have told to the order of the ranks, and what is said about it.

use std::time::Instant;

use meshwright_core::error::{Error, Result};
use meshwright_hosts::machine;
use meshwright_hosts::reorder::{self, Measure, Options, Plan, Process, Seating, VirtualTopology};

use crate::agree::Decision;
use crate::call::{Told, Wish};
use crate::say;
use crate::settings::Settings;

/// What all processes are to do; nothing where all stay as they are. Says why.
pub(crate) fn decision(name: &str, all: Option<Vec<Vec<u8>>>) -> Option<Decision> {
    let begin = Instant::now();
    let planned = Settings::of_environment().and_then(|settings| planned(&settings, all, begin));
    match planned {
        Ok(None) => None,
        Ok(Some((plan, what, keeps_ranks))) => {
            say::log(&words(name, &what, &plan, begin));
            let processes = plan.processes.iter().map(|&process| process as i32).collect();
            (!plan.is_identity()).then_some(Decision { processes, keeps_ranks })
        }
        Err(error) => {
            let error = error.to_string();
            let line = format!("{name} keeps its ranks: {}", error.lines().next().unwrap_or_default());
            say::complain(&line);
            say::log(&line);
            None
        }
    }
}

/// The plan, for what, and whether ranks stay; nothing where it is switched off, and where MPI itself is to say why it cannot be.
fn planned(
    settings: &Settings,
    all: Option<Vec<Vec<u8>>>,
    begin: Instant,
) -> Result<Option<(Plan, String, bool)>> {
    if settings.is_off {
        return Ok(None);
    }
    let too_much = || Error::not_applicable("placing ranks", "the topology is more than 2 GiB of text");
    let mut processes = Vec::new();
    let mut wishes = Vec::new();
    let mut world = 0;
    for (rank, told) in all.ok_or_else(too_much)?.into_iter().enumerate() {
        let told: Told = serde_json::from_slice(&told).map_err(|_| {
            Error::not_applicable("placing ranks", format!("rank {rank} did not say where it is"))
        })?;
        world = world.max(told.here.worlds);
        processes.push(told.here.process());
        wishes.push(told.wish);
    }
    if wishes.contains(&Wish::Wrong) {
        return Ok(None);
    }
    if settings.keeps_ranks && !matches!(wishes[0], Wish::Grid(..)) {
        let why = "MESHWRIGHT_KEEP_RANKS is set, and only a grid has coordinates";
        return Err(Error::not_applicable("placing ranks", why));
    }
    let Some((topology, what)) = topology(wishes)? else { return Ok(None) };
    // The same processes take part as without this library: those of the first ranks.
    let vertices = topology.vertices() as usize;
    let seating = seating(settings, &processes[..vertices], world)?;
    let what = format!("{what} of {vertices} processes on {} hosts", seating.hosts());
    let goes_on = || begin.elapsed() < settings.time;
    let options = Options { method: settings.method.as_deref(), seed: 0, goes_on: &goes_on };
    let mut plan = reorder::plan(&topology, &seating, &options)?;
    plan.processes.extend(vertices as u32..processes.len() as u32);
    Ok(Some((plan, what, settings.keeps_ranks)))
}

/// Who talks to whom, and what that is called; nothing for what MPI refuses, and where nobody can move.
fn topology(wishes: Vec<Wish>) -> Result<Option<(VirtualTopology, String)>> {
    let processes = wishes.len();
    // One process has nowhere to go, and more than there are MPI refuses.
    let fits = |vertices: u128| (2..=processes as u128).contains(&vertices);
    let mut edges = Vec::new();
    for wish in wishes {
        match wish {
            Wish::Grid(sides, periods) => {
                let sides: Option<Vec<u32>> = sides.iter().map(|&side| u32::try_from(side).ok()).collect();
                let vertices = |sides: &Vec<u32>| {
                    sides.iter().fold(1_u128, |all, &side| all.saturating_mul(side.into()))
                };
                let Some(sides) = sides.filter(|sides| fits(vertices(sides))) else { return Ok(None) };
                let shown: Vec<String> = sides.iter().map(u32::to_string).collect();
                return Ok(Some((
                    VirtualTopology::cart(&sides, &periods)?,
                    format!("grid {}", shown.join("x")),
                )));
            }
            Wish::Graph(index, neighbours) => {
                if !fits(index.len() as u128) {
                    return Ok(None);
                }
                return Ok(Some((VirtualTopology::graph(&index, &neighbours)?, "graph".into())));
            }
            Wish::Edges(own) => edges.extend(own),
            Wish::Wrong => return Ok(None),
        }
    }
    Ok(Some((VirtualTopology::weighted(processes as u32, &edges)?, "graph".into())))
}

/// Where the processes are: on the machine that is declared, else on what they find.
fn seating(settings: &Settings, processes: &[Process], world: u32) -> Result<Seating> {
    match &settings.machine {
        Some(specification) => Seating::declared(&machine(specification)?, processes, world),
        None => Ok(Seating::found(processes)),
    }
}

/// A line of the log.
fn words(name: &str, what: &str, plan: &Plan, begin: Instant) -> String {
    let time = begin.elapsed().as_secs_f64() * 1e3;
    let cut = if plan.is_complete { "" } else { " (MESHWRIGHT_TIME was up)" };
    let Measure { between_hosts: hosts, weighted_hops: hops } = plan.before;
    if plan.is_identity() {
        return format!(
            "{name}: {what}: ranks stay, nothing better was found; weight between hosts {hosts}, weight times hops {hops}; \
             {time:.1} ms{cut}"
        );
    }
    let moved = (0..).zip(&plan.processes).filter(|(rank, process)| rank != *process).count();
    format!(
        "{name}: {what}: {}, {moved} ranks moved; weight between hosts {hosts} -> {}, weight times hops {hops} -> {}; {time:.1} ms{cut}",
        plan.method, plan.after.between_hosts, plan.after.weighted_hops
    )
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use meshwright_core::rng::stream;

    use super::*;
    use crate::here::Here;

    /// What processes tell that are dealt round to hosts of sixteen, the first of them alone the grid.
    fn told(ranks: u32, wish: impl Fn(u32) -> Wish) -> Vec<Vec<u8>> {
        let hosts = ranks.div_ceil(16);
        let one = |rank: u32| {
            let process = Process::on_host(&format!("node{}", rank % hosts), rank);
            serde_json::to_vec(&Told { here: Here::of(process, ranks), wish: wish(rank) }).unwrap()
        };
        (0..ranks).map(one).collect()
    }

    fn settings(machine: Option<&str>) -> Settings {
        let time = Duration::from_secs(60);
        Settings {
            is_off: false,
            keeps_ranks: false,
            machine: machine.map(str::to_string),
            plans: None,
            takes_floats: false,
            method: None,
            time,
        }
    }

    fn neighbours(rank: u32, ranks: u32) -> Wish {
        let mut rng = stream(rank.into(), "neighbours");
        let to = |to: u32| (rank as i32, to as i32, 1 + (rank % 7) as i32);
        Wish::Edges((0..6).map(|_| to(rand::RngExt::random_range(&mut rng, 0..ranks))).collect())
    }

    fn grid(rank: u32, sides: &[i32]) -> Wish {
        if rank == 0 { Wish::Grid(sides.to_vec(), vec![false; sides.len()]) } else { Wish::Edges(Vec::new()) }
    }

    #[test]
    fn what_all_tell_becomes_a_plan() {
        let all = told(64, |rank| grid(rank, &[8, 8]));
        let (plan, what, keeps_ranks) = planned(&settings(None), Some(all), Instant::now()).unwrap().unwrap();
        assert_eq!((what.as_str(), keeps_ranks), ("grid 8x8 of 64 processes on 4 hosts", false));
        // Four squares of 4 x 4; both directions of 16 edges.
        assert_eq!(plan.after.between_hosts, 32);
        let line = words("MPI_Cart_create", &what, &plan, Instant::now());
        assert!(line.contains("weight between hosts 112 -> 32, weight times hops 224 -> 64"), "{line}");
        // A smaller grid: the ranks beyond it stay.
        let (plan, ..) = planned(&settings(None), Some(told(64, |rank| grid(rank, &[6, 8]))), Instant::now())
            .unwrap()
            .unwrap();
        assert_eq!(plan.processes[48..], (48..64).collect::<Vec<u32>>());
    }

    #[test]
    fn what_mpi_refuses_is_left_to_it() {
        let planned = |wish: fn(u32) -> Wish| planned(&settings(None), Some(told(32, wish)), Instant::now());
        assert!(planned(|rank| grid(rank, &[33])).unwrap().is_none());
        assert!(planned(|rank| grid(rank, &[-4, -4])).unwrap().is_none());
        assert!(planned(|rank| grid(rank, &[])).unwrap().is_none());
        assert!(planned(|_| Wish::Wrong).unwrap().is_none());
        let mut all = told(32, |rank| grid(rank, &[4, 8]));
        all[7].clear();
        let error = super::planned(&settings(None), Some(all), Instant::now()).unwrap_err().to_string();
        assert!(error.contains("rank 7 did not say where it is"), "{error}");
        assert!(super::planned(&settings(None), None, Instant::now()).is_err());
    }

    /// How long plans take: `cargo test --release -p meshwright-shim -- --ignored --nocapture figures`.
    #[test]
    #[ignore = "figures, for docs/shim.md"]
    fn figures() {
        for (ranks, sides, torus) in [
            (256, vec![16, 16], "torus:4x4"),
            (1024, vec![32, 32], "torus:8x8"),
            (1024, vec![8, 8, 16], "torus:4x4x4"),
            (4096, vec![64, 64], "torus:16x16"),
            (16384, vec![128, 128], "torus:32x32"),
        ] {
            for machine in [None, Some(torus)] {
                for is_grid in [true, false] {
                    let all = told(
                        ranks,
                        |rank| if is_grid { grid(rank, &sides) } else { neighbours(rank, ranks) },
                    );
                    let begin = Instant::now();
                    let (plan, what, _) = planned(&settings(machine), Some(all), begin).unwrap().unwrap();
                    eprintln!("{machine:?}: {}", words("", &what, &plan, begin));
                }
            }
        }
    }
}
