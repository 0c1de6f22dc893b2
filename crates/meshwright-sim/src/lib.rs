//! The referee: simulates a schedule and knows nothing about who planned it. [`simulate()`] is the way in.
//!
//! | file | what |
//! |---|---|
//! | [`any_order`] | processes without a network: an adversary decides what arrives next |
//! | `simulate` | workloads, engines, and the run of one on the other |
//! | `engine` | the calls between them |
//! | `endpoints` | overhead and gap of the nodes at the ends of messages |
//! | [`fitting`] | whole messages, and routers where those wait in a ring |
//! | [`flit`] | the flit engine: routers cycle by cycle |
//! | [`fabric`] | machines as they are: flows at fair rates, and routers of networks with one-way links |
//! | [`packet`] | the packet engine: synchronous steps, one packet per link and step |
//! | `network` | flat tables of the machine |
//! | `message` | the message engine: messages acquire, hold and release channels |
//! | `phased` | a workload: a barrier after each phase |
//! | [`link_use`] | the busiest link and the one waited for |
//! | [`critical`] | the critical path: what the last arrival waited for |
//! | `lines`, `apart` | of equal lines of a phase one is run; of messages that share no link the slowest |
//! | `dependency`, `program` | a workload: each rank goes on when its own messages are there |
//! | `processes`, `route_cache` | a workload: a state machine per node that decides at run time |
//! | `runner` | processes that run again and again on one machine |
//! | `trace`, `timeline` | what was measured; what happened when |
//! | [`recording`] | a run told event by event: who was on which link when |
//! | [`report`] | what a run of a schedule tells |
//! | [`traffic`] | open-loop synthetic traffic and its measurement |
//! | [`experiment`] | such traffic on one machine, ready to be measured at any load |
//! | [`point`], [`sweep`] | what one load gave; latency against load |

#![forbid(unsafe_code)]

pub mod any_order;
mod apart;
pub mod critical;
mod dependency;
mod endpoints;
mod engine;
pub mod experiment;
pub mod fabric;
pub mod fitting;
pub mod flit;
mod lines;
pub mod link_use;
mod message;
mod network;
pub mod packet;
mod phased;
pub mod point;
mod processes;
mod program;
pub mod recording;
pub mod report;
mod rings;
mod route_cache;
mod runner;
mod simulate;
pub mod sweep;
mod timeline;
mod trace;
pub mod traffic;

pub use dependency::watch_schedule;
pub use processes::in_packets;
pub use runner::Runner;
pub use simulate::{Engine, Processes, Routed, Workload, run, run_in_packets, run_whole, simulate};
pub use timeline::{Computation, Timeline};
pub use trace::{Trace, Wait};
