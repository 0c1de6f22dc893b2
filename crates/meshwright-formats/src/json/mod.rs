//! JSON forms: what verdicts look like in files.
//!
//! A form borrows what it shows. Its keys are the contract of the command line; keys are added, never renamed.
//!
//! | file | form |
//! |---|---|
//! | `plan` | [`PlanForm`]: the answer to `plan`, `plan.json` |
//! | `machine` | [`MachineForm`]: a machine with its costs, written there and read back |
//! | `mapping`, `load`, `groups` | verdicts on jobs, one file for each kind |
//! | `race` | [`RaceForm`]: verdicts on collective operations, the answer to `race` |
//! | `series` | [`SeriesForm`]: several answers of one kind |
//! | `split` | [`SplitForm`]: the answer to `split` |

mod groups;
mod load;
mod machine;
mod mapping;
mod plan;
mod race;
mod series;
mod split;

pub use machine::MachineForm;
pub use plan::{FORMAT, PlanForm};
pub use race::RaceForm;
pub use series::{MemberForm, SeriesForm};
pub use split::{SpeedRows, SplitForm};
