//! The pages of `docs/reference/` are what the tables of the code say. `MESHWRIGHT_SNAPSHOTS=record` writes them.

use std::fmt::Write;

use meshwright_demos::{scatter, speedup};
use meshwright_formats::presets;
use meshwright_formats::scenario::{constants, job_keys};
use meshwright_groups::{choice, trees};
use meshwright_hosts::launcher;
use meshwright_load::shares::schedulers;
use meshwright_mapping::{divide, logical, search};
use meshwright_network::{routing, topology};
use meshwright_sim::{flit, traffic};
use meshwright_verdict::{explain, groups, load};

use super::root;
use crate::snapshots::is_recording;

pub(crate) const WRITTEN: &str = "Written from the code by the tests; do not edit.";

/// Holds a page to what it should be, or writes it.
pub(crate) fn hold(path: &str, wanted: &str) {
    let file = root().join("docs").join(path);
    if is_recording() {
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("the repository can be written");
        std::fs::write(&file, wanted).expect("the repository can be written");
        return;
    }
    let page = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(page == wanted, "docs/{path} is not what the code says: MESHWRIGHT_SNAPSHOTS=record writes it");
}

#[test]
fn the_page_of_a_scenario_has_every_key() {
    let top = "Every table and key of the file that `meshwright plan` reads. The keys of `[machine]` are on \
               [the page of machines](../machines.md), the names on [the page of names](names.md).";
    hold(
        "reference/scenario.md",
        &format!("# Scenario files\n\n{WRITTEN}\n\n{top}\n\n{}", job_keys::reference()),
    );
}

/// A table of names: its heading, where it is used, its rows.
struct Names {
    heading: &'static str,
    used: &'static str,
    rows: Vec<(String, String)>,
}

fn names<N: ToString, S: ToString>(
    heading: &'static str,
    used: &'static str,
    rows: impl IntoIterator<Item = (N, S)>,
) -> Names {
    let rows = rows.into_iter().map(|(name, summary)| (name.to_string(), summary.to_string()));
    Names { heading, used, rows: rows.collect() }
}

/// Names whose summaries stand with their options.
fn plain<T>(heading: &'static str, used: &'static str, table: &[(&'static str, T)]) -> Names {
    names(heading, used, table.iter().map(|(name, _)| (*name, "")))
}

fn family(one: &topology::Family) -> (&'static str, String) {
    let summary = if one.example.is_empty() { "a file" } else { &format!("such as `{}`", one.example) };
    (one.usage, summary.to_string())
}

fn of_machines() -> Vec<Names> {
    let about = |preset: &presets::Preset| (preset.name, preset.about().expect("it says so").summary);
    vec![
        names("Families of machines", "`--on`, `topology`", topology::FAMILIES.iter().map(family)),
        names(
            "Machines of this world",
            "`--on`",
            meshwright_hosts::SOURCES.iter().map(|one| (one.usage, "")),
        ),
        names("Machines that come with the program", "`--on`", presets::PRESETS.iter().map(about)),
        names(
            "Constants that can be fitted",
            "`fit --free`",
            constants::FREE_KEYS.iter().map(|one| (one.name, one.summary)),
        ),
        plain("Switching", "`--switching`, `switching`", topology::costs::SWITCHINGS),
        names(
            "Orders of nodes",
            "`groups --order`, `order`",
            topology::order::ORDERS.iter().map(|one| (one.name, one.summary)),
        ),
    ]
}

fn of_placing() -> Vec<Names> {
    let graphs = topology::graph_file::FORMATS.iter();
    let whats = explain::WHAT_IFS.iter();
    vec![
        names(
            "Placements",
            "`map --placement`, `placement`",
            meshwright_mapping::PLACEMENTS.iter().map(|one| (one.name, one.summary)),
        ),
        plain("Starts of a search", "`map --start`, `start`", search::STARTS),
        names(
            "Computations",
            "`map --preset`, `preset`",
            divide::PRESETS.iter().map(|one| (one.name, one.summary)),
        ),
        names(
            "Operations along an axis",
            "`map --axis`, `axis`",
            logical::OPERATIONS.iter().map(|one| (one.name, one.summary)),
        ),
        names("Graph files", "tasks, `graph:FILE`", graphs.map(|one| (format!(".{}", one.ending), one.name))),
        names(
            "Files for launchers",
            "`map --emit`",
            launcher::FORMATS.iter().map(|one| (one.name, one.summary)),
        ),
        plain("Numbering of ranks", "`map --ranks`", launcher::ranks::RANKS),
        plain("Changes that are tried", "`explain`", &whats.map(|one| (one.name, ())).collect::<Vec<_>>()),
    ]
}

fn of_networks() -> Vec<Names> {
    vec![
        names("Routings", "`--set routing=`", routing::ROUTINGS.iter().map(|one| (one.name, one.summary))),
        names("Routers", "`--router`", flit::ROUTERS.iter().map(|one| (one.name, one.summary))),
        names(
            "Settings of a router",
            "`--set KEY=VALUE`",
            flit::SETTINGS.iter().map(|one| (one.name, one.summary)),
        ),
        names(
            "Patterns of traffic",
            "`--traffic`",
            traffic::PATTERNS.iter().map(|one| (one.usage, one.summary)),
        ),
    ]
}

fn of_loads_and_groups() -> Vec<Names> {
    let splits = choice::SPLITS.iter().map(|one| (one.name, one.summary));
    vec![
        names(
            "Load methods",
            "`split --method`, `methods`",
            load::METHODS.iter().map(|one| (one.name, one.about)),
        ),
        plain("Forwarding of a load", "`split --switching`", meshwright_load::FORWARDINGS),
        names(
            "Policies",
            "`split --dynamic`, `dynamic`",
            load::POLICIES.iter().map(|one| (one.name, one.summary)),
        ),
        names(
            "Changes",
            "`split --drift`, `drift`",
            load::drifts().map(|(name, _, meaning)| (name, meaning)),
        ),
        plain("Reductions", "`split --reduction`, `reduction`", schedulers::REDUCTIONS),
        names("Splits", "`groups --split`, `split`", splits),
        names("Trees", "`groups --tree`, `tree`", trees::TREES.iter().map(|one| (one.name, one.summary))),
        plain("Engines of groups", "`groups --engine`, `engine`", groups::ENGINES),
        plain("Collectives", "`groups --collective`", groups::collective::COLLECTIVES),
        plain("Collective operations", "`race`, `operation`", meshwright_collectives::OPERATIONS),
        names(
            "Collective algorithms",
            "`race --algorithm`, `algorithm`",
            meshwright_collectives::algorithm::all().map(|one| (one.name, one.summary)),
        ),
        names(
            "Applications",
            "`divide`",
            speedup::APPLICATIONS
                .iter()
                .map(|one| (one.name, format!("size in {}, {} by default", one.unit, one.size))),
        ),
        plain("Shares of ranks", "`scatter --method`", scatter::SPLITS),
        plain("Filters", "`scatter image --filter`", scatter::filter::FILTERS),
        names("Papers", "`claims`", meshwright_papers::PAPERS.iter().map(|one| (one.name, one.title))),
    ]
}

#[test]
fn the_page_of_names_has_every_table() {
    let mut page = format!("# Names\n\n{WRITTEN}\n\nEvery name that an option or a key takes.\n");
    for part in
        of_machines().into_iter().chain(of_placing()).chain(of_networks()).chain(of_loads_and_groups())
    {
        let Names { heading, used, rows } = part;
        let _ = writeln!(page, "\n## {heading}\n\nFor {used}.\n");
        if rows.iter().all(|(_, summary)| summary.is_empty()) {
            let all: Vec<_> = rows.iter().map(|(name, _)| format!("`{name}`")).collect();
            let _ = writeln!(page, "{}", all.join(", "));
            continue;
        }
        let _ = writeln!(page, "| name | what it is |\n|---|---|");
        for (name, summary) in rows {
            let _ = writeln!(page, "| `{}` | {} |", name.replace('|', "\\|"), summary.replace('|', "\\|"));
        }
    }
    hold("reference/names.md", &page);
}

#[test]
fn the_page_of_csv_has_every_column() {
    let mut page = format!(
        "# CSV columns\n\n{WRITTEN}\n\n`--csv FILE` writes one row for each point, placement, method or algorithm. Units stand in the names of \
         columns. Where several values are compared (`--set routing=a,b`), they stand in columns before these.\n"
    );
    for (verb, columns) in meshwright_cli::csv::reference() {
        let _ = writeln!(page, "\n## {verb}\n\n| column | meaning |\n|---|---|");
        for (name, means) in columns {
            let _ = writeln!(page, "| `{name}` | {means} |");
        }
    }
    hold("reference/csv.md", &page);
}
