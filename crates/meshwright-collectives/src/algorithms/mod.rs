//! Published algorithms, one file for each family.
//!
//! | file | what |
//! |---|---|
//! | [`butterfly`] | members in pairs: recursive doubling and halving, Rabenseifner |
//! | [`swing`] | pairs that swing between the directions of a torus |
//! | [`bine`] | Bine trees and butterflies |
//! | [`trivance`] | three members together in each step |
//! | [`ring`] | parts go round a ring |
//! | [`chain`] | one member after the other, in chunks |
//! | [`binomial`] | the binomial tree over the numbers of the members |

pub mod bine;
pub mod binomial;
pub mod butterfly;
pub mod chain;
pub mod ring;
pub mod swing;
pub mod trivance;
