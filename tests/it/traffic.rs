//! Synthetic traffic: patterns, bounds, latencies, sweeps, each against a second way.

mod patterns;
mod queue;
mod sweeps;
