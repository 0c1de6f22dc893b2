//! Writes a recursive-doubling allreduce as a schedule in GOAL.
//!
//! In step k each rank exchanges its partial sum with the rank whose number differs in bit k, and adds what
//! it receives; after log2 N steps every rank holds the whole sum. That is N log2 N messages. A rank starts a step
//! when it has received the message of the step before.
//!
//! `cargo run --release --example allreduce -- FILE.goal [RANKS [BYTES]]`, by default 4096 ranks and 1024 bytes.

#![allow(clippy::disallowed_methods, reason = "a program reads its arguments, files and the clock")]

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use meshwright_core::{Error, Result};

pub(crate) fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(path) = arguments.first() else {
        return Err(Error::value("number of arguments", 0, "FILE.goal [RANKS [BYTES]]"));
    };
    let ranks: u32 = number("RANKS", arguments.get(1), 4096)?;
    let bytes: u32 = number("BYTES", arguments.get(2), 1024)?;
    if !ranks.is_power_of_two() {
        return Err(Error::value("RANKS", ranks, "a power of two"));
    }
    let messages = write(Path::new(path), ranks, bytes)?;
    assert!(ranks != 4096 || messages == 49_152, "4096 ranks send twelve messages each");
    println!("{path}: {messages} messages of {bytes} bytes between {ranks} ranks");
    Ok(())
}

fn number(name: &'static str, text: Option<&String>, default: u32) -> Result<u32> {
    let Some(text) = text else { return Ok(default) };
    text.parse().map_err(|_| Error::value(name, format!("`{text}`"), "a whole number"))
}

/// Writes the schedule and counts its messages, which are N log2 N.
pub(crate) fn write(path: &Path, ranks: u32, bytes: u32) -> Result<u64> {
    let refused = |source| Error::io(path, source);
    let mut file = BufWriter::new(File::create(path).map_err(refused)?);
    let mut messages = 0;
    let mut text = format!("num_ranks {ranks}\n");
    for rank in 0..ranks {
        text += &format!("\nrank {rank} {{\n");
        for step in 0..ranks.ilog2() {
            let partner = rank ^ 1 << step;
            text += &format!("s{step}: send {bytes}b to {partner} tag {step}\n");
            text += &format!("r{step}: recv {bytes}b from {partner} tag {step}\n");
            messages += 1;
            if step > 0 {
                let before = step - 1;
                text += &format!("s{step} requires r{before}\n");
            }
        }
        text += "}\n";
        file.write_all(text.as_bytes()).map_err(refused)?;
        text.clear();
    }
    file.flush().map_err(refused)?;
    assert_eq!(messages, u64::from(ranks) * u64::from(ranks.ilog2()), "one message a rank and step");
    Ok(messages)
}
