//! The integration tests, one binary.

mod readers;
