//! The one integration-test binary.

mod definitions;
mod golden;
mod laws;
mod referee;
