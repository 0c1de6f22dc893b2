//! `docs/race.md` says what `examples/race` prints.

use std::path::Path;

use meshwright_collectives::Operation;

#[path = "../../examples/race/page.rs"]
#[allow(dead_code, reason = "the example prints all of it, the test a part")]
mod page;

use page::{CHIP, MACHINES, SIZES, Section};

fn text() -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/race.md")).unwrap()
}

/// The table of an operation on a machine as it stands on the page.
fn stands<'a>(text: &'a str, operation: &str, machine: &str) -> &'a str {
    let head = format!("\n### {operation} on {machine}\n");
    let begin = text.find(&head).unwrap_or_else(|| panic!("{head}")) + head.len();
    let end = text[begin..].find("\n### ").map_or(text.len(), |end| begin + end);
    &text[begin..end]
}

/// A small part of the page, raced again: every row, over the bounds that the page has.
#[test]
fn a_part_of_the_page_is_what_the_code_prints() {
    let text = text();
    for (operation, machine) in [(Operation::Scan, "mesh:8x8"), (Operation::Gather, "torus:8x8")] {
        let table = stands(&text, operation.name(), machine);
        let bounds =
            table.lines().find_map(|line| line.strip_prefix("| bound, cycles | ")).expect("a row of bounds");
        let bounds: Vec<u64> =
            bounds.trim_end_matches(" |").split(" | ").map(|bound| bound.parse().unwrap()).collect();
        let section = Section::raced(operation, machine, &CHIP, true).unwrap();
        for row in section.rows(&bounds).iter().filter(|row| !row.starts_with("| synthesis")) {
            assert!(
                table.contains(row),
                "{row} is not in the table of {} on {machine}: record the page anew with `cargo run --release --example race -- brief > docs/race.md`",
                operation.name()
            );
        }
    }
}

/// Nothing is left out in silence: each algorithm stands in the table of each operation it does, on each machine, or below it with a reason.
#[test]
fn every_algorithm_stands_in_every_table_it_belongs_to() {
    let text = text();
    for &(name, operation) in meshwright_collectives::OPERATIONS {
        for machine in MACHINES {
            let table = stands(&text, name, machine);
            let columns = match operation {
                Operation::Barrier => 1,
                Operation::AllReduce => SIZES.len() + 1,
                _ => SIZES.len(),
            };
            for algorithm in meshwright_collectives::algorithm::all() {
                let copies = algorithm.name.starts_with("multicast");
                if !algorithm.operations.contains(&operation) || copies || algorithm.name == "synthesis" {
                    continue;
                }
                let own = algorithm.name;
                let row = table.lines().find(|line| line.starts_with(&format!("| {own} |")));
                let told = table.lines().any(|line| {
                    let words = line.strip_prefix("Left out: ").unwrap_or("");
                    words.split([' ', ',', ';', '(']).any(|word| word == own)
                });
                match row {
                    Some(row) => {
                        assert_eq!(row.matches(" | ").count(), columns, "{own}, {name} on {machine}");
                    }
                    None => assert!(told, "{own}, {name} on {machine}"),
                }
            }
        }
    }
}
