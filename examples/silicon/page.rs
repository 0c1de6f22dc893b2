//! The page: a head, and a section for each set of measured times.

pub(crate) mod fugaku;
pub(crate) mod known;
pub(crate) mod latency;
pub(crate) mod npe;
pub(crate) mod traces;
pub(crate) mod variants;

use std::path::Path;

use meshwright_core::Result;

const HEAD: &str = "\
# Silicon

Predicted and measured times of real machines. Written by `cargo run --release --example silicon`; the data and their
origin are in `data/silicon/`.
";

/// The whole page.
pub(crate) fn document(data: &Path) -> Result<String> {
    let sections =
        [traces::section(data)?, npe::section(data)?, latency::section(data)?, fugaku::section(data)?];
    Ok(std::iter::once(HEAD.to_string()).chain(sections).collect::<Vec<_>>().join("\n"))
}
