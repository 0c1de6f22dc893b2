//! Meshwright plans, proves, simulates and draws parallel work on mesh-connected machines.
//!
//! # The field in one page
//!
//! A *machine* ([`topology`]) is a network of nodes: a mesh, a torus, a hypercube or any graph, perhaps with
//! dead nodes, and the costs of a message on it. Messages follow routes ([`routing`]) link by link.
//!
//! A *job* is a phased task graph ([`mapping::TaskGraph`]): the binomial tree of divide and conquer
//! ([`mapping::binomial`]) or a recorded trace ([`mapping::task_file`]). A *placement* says which node runs which
//! task. How good it is depends on *dilation* (how far messages travel) and *contention* (how many meet on a
//! link), phase by phase ([`mapping::metrics`]).
//!
//! A placed job is a *schedule* ([`schedule`]), the waist of the program: planners make schedules, the referee
//! ([`sim`]) runs them and knows nothing else. A *verdict* ([`verdict`]) puts three numbers from three places side by
//! side: a proved lower bound ([`mapping::bound`]), a prediction ([`schedule::cost`]) and the simulated time.
//!
//! ```
#![doc = include_str!("../examples/front_page.rs")]
//! ```
//!
//! # Divisible load
//!
//! A load that may be cut anywhere enters at some nodes ([`load`]). The shares of the thesis ([`load::shares::flow_matrix`],
//! [`load::shares::schedulers`]) are checked against the links ([`load::check`]); the optimum is a minimum cut
//! ([`load::optimum`]), and messages come near it ([`load::installments`]).
//!
//! ```
//! use meshwright::load::check::{Claim, check};
//! use meshwright::load::shares::flow_matrix;
//! use meshwright::load::{Forwarding, Problem, Source, optimum};
//! use meshwright::{topology::Machine, units::NodeId};
//!
//! // The centre of a 5 x 5 mesh; a link takes half as long for a load as a processor.
//! let mesh = Machine::new("mesh:5x5")?;
//! let problem = Problem::new(&mesh, vec![Source::at(NodeId(12), 1.0)], 0.5)?;
//! let thesis = flow_matrix::plan(&problem, Forwarding::CutThrough)?;
//! assert!((thesis.speedup() - 11.5).abs() < 1e-12);
//! // Four links carry 8 loads per unit of time, and the source works off 1: that is all there is.
//! let (makespan, cut) = optimum::makespan(&problem)?;
//! assert!((1.0 / makespan - 9.0).abs() < 1e-12 && cut.nodes == [NodeId(12)]);
//! assert!(!check(&problem, &Claim::of(&thesis))?.feasible);
//! # Ok::<(), meshwright::Error>(())
//! ```
//!
//! # Groups
//!
//! A [group](groups) of nodes splits by labels known only at run time, waits for its own members, and joins again; each node is a
//! [member](groups::protocol::Member) that sends real messages. The [paper's split](groups::rank_split), [telling everybody all
//! labels](groups::mask) and [contraction](groups::contraction) build the new trees; [programs](groups::nested) are async functions.
//!
//! ```
//! use meshwright::groups::protocol::{Label, Operation, Script, members};
//! use meshwright::groups::{Group, rank_split::RankSplit};
//! use meshwright::{sim, topology::Machine};
//!
//! // All nodes of a 4 x 4 mesh, split into even and odd ranks of the Hilbert curve; then a barrier in each half.
//! let mesh = Machine::new("mesh:4x4")?.in_packets();
//! let group = Group::whole(&mesh, "hilbert")?;
//! let split = |rank: u32| Operation::Split(Label { colour: rank % 2, key: 0 });
//! let programs = (0..16).map(|rank| Script::new(vec![split(rank), Operation::Barrier])).collect();
//! let paper = RankSplit::default();
//! let mut nodes = members(&paper, &mesh, &group, programs)?;
//! assert!(sim::run(&mesh, &mut nodes, &sim::Engine::Packet)?.unfinished.is_empty());
//! let place = nodes[group.node(5).index()].places().last().expect("it is a member");
//! assert_eq!((place.rank(), place.size()), (2, 8));
//! # Ok::<(), meshwright::Error>(())
//! ```
//!
//! # The referee
//!
//! Workloads run on three engines. The message engine moves whole messages ([`sim::Engine::Message`]);
//! the flit engine moves flits through routers with virtual channels, cycle by cycle ([`sim::Engine::Flit`]); the packet engine
//! moves packets link by link in steps ([`sim::packet`]). A
//! workload is a schedule, or one state machine per node that decides at run time ([`schedule::Process`]). Open-loop
//! traffic ([`sim::traffic`]) asks what a network carries; [`sim::sweep`] draws latency against load. Each routing
//! ([`ROUTINGS`]) is proved free of deadlocks, or refused with a ring of channels ([`routing::certify`]).
//!
//! ```
//! use meshwright::prelude::*;
//! use meshwright::schedule::goal;
//!
//! let text = "num_ranks 4\nrank 0 { send 64b to 3 }\nrank 3 { recv 64b from 0 }\n";
//! let schedule = goal::parse(text.as_bytes(), "one.goal")?;
//! let line = Machine::new("mesh:1x4")?; // c = 100, b = 1, h = 2
//! // Nobody waits, so both engines say c + b (W + d h).
//! for engine in [Engine::Message, Engine::Flit(Router::ideal(&line).into())] {
//!     assert_eq!(simulate(&line, &schedule, &engine)?.cycles, Cycles(100 + 64 + 3 * 2));
//! }
//! # Ok::<(), meshwright::Error>(())
//! ```
//!
//! # A network of your own
//!
//! Three methods make a topology. [`Machine::of`] makes a machine of it, which is planned for, simulated and drawn like any other.
//!
//! ```
//! use meshwright::prelude::*;
//! use meshwright::report::{PlanReport, files};
//! use meshwright::units::{LinkId, NodeId, Port};
//!
//! /// A ring with a chord from each node to the one opposite.
//! #[derive(Debug)]
//! struct Moebius([u32; 1]);
//! impl Topology for Moebius {
//!     fn sides(&self) -> &[u32] {
//!         &self.0
//!     }
//!     fn first_link(&self, node: NodeId) -> LinkId {
//!         LinkId(3 * node.0)
//!     }
//!     fn neighbour(&self, node: NodeId, port: Port) -> Option<NodeId> {
//!         let step = [1, self.0[0] - 1, self.0[0] / 2][port.0 as usize];
//!         Some(NodeId((node.0 + step) % self.0[0]))
//!     }
//! }
//! let machine = Machine::of("moebius", &Moebius([16]))?;
//! let tasks = TaskGraph::binomial(4).volume(KiB(4)).sending(1.0)?; // a broadcast
//! let methods = ["recursive-bisection", "random"];
//! let verdict = judge(&Mapping::new(&tasks, &machine), methods, &Options::new("broadcast", 0), &mut Silent)?;
//! let best = verdict.winner().expect("one of them comes to its end");
//! assert!(verdict.bound() <= best.time);
//! let jobs = [verdict.into()];
//! let drawn = files(&PlanReport { title: "A ring with chords", scenario: "", machine: &machine, seed: 0, jobs: &jobs })?;
//! assert!(drawn.iter().any(|file| file.name.ends_with(".svg") && file.text.contains("<svg")));
//! # Ok::<(), meshwright::Error>(())
//! ```
//!
//! # Crates
//!
//! Each module here is a crate of its own, for whoever needs only that one.
//!
//! | here | crate |
//! |---|---|
//! | [`units`], [`error`], [`rng`], [`text`], [`exact`], [`statistics`], [`budget`], [`interrupt`], [`output`] | [`meshwright_core`] |
//! | [`topology`], [`routing`] | [`meshwright_network`] |
//! | [`schedule`] | [`meshwright_schedule`] |
//! | [`sim`] | [`meshwright_sim`] |
//! | [`mapping`] | [`meshwright_mapping`] |
//! | [`load`](mod@load) | [`meshwright_load`] |
//! | [`groups`] | [`meshwright_groups`] |
//! | [`member`] | [`meshwright_member`] |
//! | [`collectives`] | [`meshwright_collectives`] |
//! | [`verdict`] | [`meshwright_verdict`] |
//! | [`hosts`] | [`meshwright_hosts`] |
//! | [`runtime`] | [`meshwright_runtime`] |
//! | [`scenario`] | [`meshwright_formats`] |
//! | [`report`] | [`meshwright_report`] |

#![forbid(unsafe_code)]

pub use meshwright_core::{budget, error, exact, interrupt, output, rng, statistics, text, units};
pub use meshwright_formats::scenario;
pub use meshwright_network::{routing, topology};
pub use {
    meshwright_collectives as collectives, meshwright_groups as groups, meshwright_hosts as hosts,
    meshwright_load as load, meshwright_mapping as mapping, meshwright_member as member,
    meshwright_report as report, meshwright_runtime as runtime, meshwright_schedule as schedule,
    meshwright_sim as sim, meshwright_verdict as verdict,
};

pub use error::{Error, Result};
pub use mapping::{PLACEMENTS, Placement, TaskGraph};
pub use routing::ROUTINGS;
pub use schedule::Schedule;
pub use topology::{FAMILIES, Machine, Topology};

/// What most programs need, in one line: `use meshwright::prelude::*;`.
///
/// The rest is one module per crate.
pub mod prelude {
    pub use crate::error::{Error, Result};
    pub use crate::mapping::{Divide, Mapping, PLACEMENTS, Placement, Shape, TaskGraph};
    pub use crate::schedule::{Phases, Planner, Process, Schedule};
    pub use crate::sim::flit::Router;
    pub use crate::sim::{Engine, Trace, simulate};
    pub use crate::topology::{Costs, Machine, PortModel, Switching, Topology};
    pub use crate::units::{Bytes, Cycles, KiB, LinkId, NodeId};
    pub use crate::verdict::{Options, Silent, Verdict, judge};
}

/// The programs in README and on the page of the library.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
#[doc = include_str!("../docs/library.md")]
struct Pages;
