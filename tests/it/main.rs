//! Integration tests: one binary, so that the library is linked once.

#![allow(clippy::disallowed_methods, reason = "tests run programs, read files and wait")]

mod agreement;
mod any_order;
mod applications;
mod bisection;
mod book;
mod bounds;
mod browser;
mod certificates;
mod claims;
mod claims_groups;
mod claims_thesis;
mod cli;
mod commands;
mod completion;
mod crates;
mod date_line;
mod definitions;
mod dependency;
mod device_order;
mod exact;
mod exhaustive;
mod explain;
mod fabric_engines;
mod fabric_laws;
mod family;
mod fitting;
mod flit;
mod gallery;
mod golden;
mod golden_boxes;
mod graph_bounds;
mod groups_choice;
mod groups_collective;
mod groups_contraction;
mod groups_exchange;
mod groups_experiment;
mod groups_laws;
mod groups_live;
mod groups_mask;
mod groups_model;
mod groups_paper;
mod groups_range;
mod groups_sort;
mod groups_trees;
mod halving;
mod imported;
mod launcher;
mod laws;
mod levels;
mod load_asked;
mod load_cells;
mod load_check;
mod load_experiment;
mod load_fuzz;
mod load_installments;
mod load_large;
mod load_optimum;
mod load_ports;
mod load_rivals;
mod load_scale;
mod load_startup;
mod load_theorem;
mod load_thesis;
mod load_variants;
mod loggp;
mod machines;
mod multicast_traces;
mod multilevel;
mod networks;
mod output;
mod packet;
mod play;
mod processes;
mod profile;
mod race_page;
mod readers;
mod real_machine;
mod recording;
mod referee;
mod repeats;
mod report;
mod report_files;
mod routing;
mod scatter;
mod scenario;
mod search;
mod searched;
mod silicon_fugaku;
mod silicon_latency;
mod silicon_traces;
mod skeleton;
mod snapshots;
mod sources;
mod star;
mod stepped;
mod stories;
mod sweep_ranks;
mod task_files;
mod theorem_page;
mod traffic;
mod transport;
mod wafer;
mod watch;

use std::path::{Path, PathBuf};

/// Every Rust file under a folder of the repository, in a fixed order, relative to the repository.
fn rust_files(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    let mut folders = vec![root.join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the folder is in the repository") {
            let path = entry.expect("the folder can be listed").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                files.push(path.strip_prefix(root).expect("found below the root").to_path_buf());
            }
        }
    }
    files.sort();
    files
}

/// The text of a file of the repository.
fn text(path: &Path) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect("a text file")
}
