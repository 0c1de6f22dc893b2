//! No system below it: the crate as a static library that has its own panic handler and no allocator, and C that uses it.
//!
//! A library that linked the standard library would bring a second panic handler, and one that allocated would need a
//! global allocator: neither compiles.

#![allow(clippy::disallowed_methods, reason = "a test runs compilers")]

use std::path::{Path, PathBuf};
use std::process::Command;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Where this test may write.
fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
}

/// Runs a program; what it printed.
fn run(command: &mut Command) -> String {
    let output = command.output().expect("it is installed");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{command:?}: {said}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn rustc() -> Command {
    Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
}

/// Compiles the crate for a target, the present one if none is named.
fn compile(kind: &str, target: Option<&str>, out: &Path) {
    let mut command = rustc();
    command.args(["--edition", "2024", "--crate-name", "meshwright_member", "--crate-type", kind]);
    command.args(["-C", "panic=abort", "-C", "opt-level=2", "--cfg", "feature=\"c\"", "-D", "warnings"]);
    if let Some(target) = target {
        command.args(["--target", target]);
    }
    run(command.arg(Path::new(ROOT).join("src/lib.rs")).arg("-o").arg(out));
}

#[test]
fn it_is_a_library_without_a_system_and_c_runs_a_group_with_it() {
    let library = folder().join("libmeshwright_member.a");
    compile("staticlib", None, &library);
    let program = folder().join("group");
    let mut cc = Command::new("cc");
    cc.args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-I"]).arg(Path::new(ROOT).join("include"));
    run(cc.arg(Path::new(ROOT).join("tests/group.c")).arg(&library).arg("-o").arg(&program));
    let said = run(&mut Command::new(&program));
    assert!(said.starts_with("13 members, "), "{said}");
}

/// What of the standard library a name in the source would stand for; the compiler has said so above already.
#[test]
fn the_source_names_neither_std_nor_alloc() {
    let sources = std::fs::read_dir(Path::new(ROOT).join("src")).expect("it is there");
    for source in sources {
        let path = source.expect("it is there").path();
        let text = std::fs::read_to_string(&path).expect("text");
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        for line in code {
            let names = ["std::", "alloc::", "extern crate"].iter().find(|name| line.contains(**name));
            assert_eq!(names, None, "{}: {line}", path.display());
        }
    }
}

/// For processors without a system, where their library is installed.
#[test]
fn it_compiles_for_bare_processors_that_are_installed() {
    let sysroot = run(rustc().args(["--print", "sysroot"]));
    for target in
        ["riscv32imc-unknown-none-elf", "riscv64gc-unknown-none-elf", "thumbv7em-none-eabi", "wasm32v1-none"]
    {
        let is_installed = Path::new(sysroot.trim()).join("lib/rustlib").join(target).join("lib").exists();
        println!("{target}: {}", if is_installed { "compiled" } else { "not installed" });
        if is_installed {
            compile("rlib", Some(target), &folder().join(format!("libmeshwright_member-{target}.rlib")));
        }
    }
}
