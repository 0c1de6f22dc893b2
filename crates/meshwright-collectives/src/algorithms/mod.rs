//! Published algorithms, one file for each family.
//!
//! | file | what |
//! |---|---|
//! | [`butterfly`] | members in pairs: recursive doubling, Rabenseifner |
//! | [`ring`] | parts go round a ring |
//! | [`chain`] | one member after the other, in chunks |
//! | [`binomial`] | the binomial tree over the numbers of the members |

pub mod binomial;
pub mod butterfly;
pub mod chain;
pub mod ring;
