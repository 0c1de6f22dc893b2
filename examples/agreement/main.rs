//! Writes `docs/agreement.md`: `cargo run --release --example agreement`.

#![allow(clippy::disallowed_methods, reason = "a program reads its arguments, files and the clock")]

#[path = "page.rs"]
mod page;

fn main() -> meshwright_core::Result<()> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/agreement.md");
    std::fs::write(path, page::document()?).expect("docs/ can be written");
    println!("wrote docs/agreement.md");
    Ok(())
}
