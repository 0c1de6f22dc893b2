//! Synthetic traffic: patterns, bounds, latencies, sweeps, each against a second way.

mod killed;
mod patterns;
mod queue;
mod sweeps;
mod theory;
