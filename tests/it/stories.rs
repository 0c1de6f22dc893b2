//! The Rust stories of `examples/` assert their numbers; here they run.

#[path = "../../examples/switching_decides.rs"]
mod switching_decides;

#[test]
fn switching_decides_holds() {
    switching_decides::main().unwrap();
}
