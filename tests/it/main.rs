//! The one integration-test binary.

mod definitions;
mod dependency;
mod golden;
mod laws;
mod readers;
mod referee;
mod report;
