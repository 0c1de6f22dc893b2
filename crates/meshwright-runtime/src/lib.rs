//! Work that really runs, on threads and on ranks: the only library with threads, clocks and messages between ranks.
//!
//! | module | what |
//! |---|---|
//! | [`transport`] | messages between ranks: [`Endpoint`](transport::Endpoint), [`Mailbox`](transport::Mailbox), threads |
//! | [`skeleton`] | divide and conquer; any schedule, rank by rank |
//! | [`groups`] | groups of ranks that split and join |
//! | [`collective`] | collective operations with verified bytes, beside another implementation |
//! | [`run`] | a schedule on ranks: measured beside predicted |
//! | [`sweep`] | latency against load, measured by many ranks |

#![forbid(unsafe_code)]

pub mod collective;
pub mod groups;
pub mod run;
pub mod skeleton;
pub mod sweep;
pub mod transport;
