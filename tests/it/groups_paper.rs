//! The paper's split: its functions, its routing, its protocol, against definitions, an independent reference and the
//! direct construction.

mod direct;
mod functions;
mod golden;
mod nested;
mod packets;
mod protocol;
mod steps;
mod unready;
