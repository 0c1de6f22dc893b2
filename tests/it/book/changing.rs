//! `docs/changing-load-figures.md`: who wins where, measured. It takes a quarter of an hour.

use std::fmt::Write;
use std::process::Command;

use super::reference::{WRITTEN, hold};

/// What is measured: a heading, and the options beside machine, source and policies.
const CASES: &[(&str, &str)] = &[
    ("Every processor halves its speed at a random moment", "--sigma 0.01 --drift halve --repeat 40"),
    ("The same, where links are the bottleneck", "--sigma 0.1 --drift halve --repeat 10"),
    ("A tenth of the processors become 16 times slower", "--sigma 0.01 --drift collapse:0.1 --repeat 10"),
    ("Speeds drift by steps of 5/4 and 4/5", "--sigma 0.01 --drift walk:8 --repeat 10"),
    ("Eight processors stop", "--sigma 0.01 --drift die:8 --repeat 10"),
    (
        "Loads in a Poisson stream, speeds halve",
        "--sigma 0.01 --drift halve --arrivals poisson:64@0.8 --repeat 10",
    ),
    ("Nothing changes", "--sigma 0.01"),
];

#[test]
#[ignore = "a quarter of an hour"]
fn the_page_of_changing_loads_is_what_is_measured() {
    let mut page = format!(
        "# Who wins where\n\n{WRITTEN}\n\nOne command writes this page: `MESHWRIGHT_SNAPSHOTS=record cargo test --test it book::changing \
         -- --ignored`. A load enters at the middle of a 16 x 16 mesh. `over bound` is against a time that no policy beats; `first` counts \
         the seeds under which a policy is the fastest. What the policies do: [Loads and speeds that change](changing-load.md).\n"
    );
    for (heading, options) in CASES {
        let words = format!("split --on mesh:16x16 --source 8,8 --dynamic all {options}");
        let output = Command::new(env!("CARGO_BIN_EXE_meshwright"))
            .args(words.split(' '))
            .env("MESHWRIGHT_PROGRESS_SECONDS", "0")
            .output()
            .expect("the program starts");
        assert!(output.status.success(), "{words}: {}", String::from_utf8_lossy(&output.stderr));
        let shown = String::from_utf8_lossy(&output.stdout);
        let _ = write!(page, "\n## {heading}\n\n`meshwright {words}`\n\n```text\n{shown}```\n");
    }
    hold("changing-load-figures.md", &page);
}
