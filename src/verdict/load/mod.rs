//! Verdicts on divisible loads: every method bounded, predicted, simulated, and checked whether it can be.
//!
//! | file | what |
//! |---|---|
//! | `form` | the form of the answer |

mod form;

pub use form::{Deadline, Fewest, LoadBound, LoadOutcome, LoadVerdict, SourceRow, TimingRow};
