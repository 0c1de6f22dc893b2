//! Writes `docs/silicon.md`: `cargo run --release --example silicon [DATA]`, with the folder of the measured times, by
//! default `data/silicon`.

#![allow(clippy::disallowed_methods, reason = "a program reads its arguments and files")]

#[path = "page.rs"]
mod page;

use std::path::PathBuf;

fn main() -> meshwright_core::Result<()> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/");
    let data =
        std::env::args().nth(1).map_or_else(|| PathBuf::from(format!("{root}data/silicon")), PathBuf::from);
    std::fs::write(format!("{root}docs/silicon.md"), page::document(&data)?).expect("docs/ can be written");
    println!("wrote docs/silicon.md");
    Ok(())
}
