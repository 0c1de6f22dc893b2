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
//! use meshwright::mapping::{Binomial, PLACEMENTS};
//! use meshwright::topology::Machine;
//! use meshwright::units::Bytes;
//! use meshwright::verdict::{Job, divide};
//!
//! // Merge sort of 64 KiB on an 8 x 8 mesh with wormhole routing: every placement, judged.
//! let job = Job::divide(Binomial { n: 6, alpha: 0.5, combine_alpha: None, volume: Bytes(65536) })?;
//! let methods: Vec<&str> = PLACEMENTS.iter().map(|method| method.name).collect();
//! let verdict = divide::judge("merge sort", &job, &Machine::new("mesh:8x8")?, &methods, 0, &mut |_| {})?;
//! assert_eq!(verdict.winner.as_deref(), Some("centred-halving"));
//! let winner = verdict.results.iter().find(|result| verdict.is_won_by(result)).expect("it is listed");
//! // It meets the lower bound: no placement of this tree on this mesh can be faster.
//! assert_eq!((winner.bound_cycles, winner.simulated_cycles), (65128, 65128));
//! # Ok::<(), meshwright::Error>(())
//! ```
//!
//! # Floors
//!
//! A module uses only modules on floors below its own; a test reads the source and holds this.
//!
//! | floor | modules |
//! |---|---|
//! | 7 | [`report`] |
//! | 6 | [`scenario`] |
//! | 5 | [`verdict`] |
//! | 4 | [`mapping`], [`sim`]: strangers to each other |
//! | 3 | [`schedule`] |
//! | 2 | [`routing`] |
//! | 1 | [`topology`] |
//! | 0 | [`units`], [`error`], [`rng`], [`text`] |

pub mod error;
pub mod mapping;
pub mod report;
pub mod rng;
pub mod routing;
pub mod scenario;
pub mod schedule;
pub mod sim;
pub mod text;
pub mod topology;
pub mod units;
pub mod verdict;

pub use error::{Error, Result};
pub use mapping::{PLACEMENTS, Placement, TaskGraph};
pub use routing::ROUTINGS;
pub use schedule::Schedule;
pub use topology::{FAMILIES, Machine, Topology};
