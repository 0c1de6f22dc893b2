//! The report: one HTML page with its drawings, complete in itself.
//!
//! | file | what |
//! |---|---|
//! | `page` | verdicts put into words and tables |
//! | `template` | pages made of templates |
//! | `facts` | the machine in a dozen facts |
//! | `drawings` | which drawings a method gets, with their captions |
//! | `files`, `png` | the files beside the page, and a drawing painted |
//! | `load` | the section of a divisible load |
//! | `groups` | the section of a program of groups |
//! | `race` | the section of a collective operation |
//! | `history` | groups over time |
//! | `completion` | times of completion over numbers of nodes |
//! | `sweep` | the page of a sweep |
//! | `series` | the page of several answers of one kind |
//! | `race_series` | curves and regimes of several races |
//! | `results` | the points of a sweep, kept as they come |
//! | `island`, `script` | what the script of the page reads, and the script |
//! | `style` | the style of the page, and of a drawing alone |
//! | `wording` | how numbers and nodes are written |
//! | `svg` | placement, link loads and bars as SVG |
//!
//! The page loads nothing: its one script stands in it, and no other can run. Its content policy says so, so a report that
//! is kept for ten years or opened behind a firewall looks the same. Without the script all tables and pictures are
//! there; it sorts, explains, zooms, replays and compares.

#![forbid(unsafe_code)]

mod completion;
mod drawings;
#[doc(hidden)]
pub mod facts;
mod files;
mod groups;
mod history;
mod island;
mod load;
mod page;
mod png;
mod race;
mod race_series;
mod results;
mod script;
mod series;
#[doc(hidden)]
pub mod style;
#[doc(hidden)]
pub mod svg;
mod sweep;
#[doc(hidden)]
pub mod template;
#[doc(hidden)]
pub mod wording;

pub use completion::{completion_chart, completion_files};
pub use files::{File, files, links_file, schedules};
pub use history::{GroupsOverTime, groups_files};
pub use page::{mark, page};
pub use png::png;
pub use race_series::race_files;
pub use results::Results;
pub use series::{Map, NamedCurve, SeriesPage, SeriesTable, overlaid, sweep_series_files};
pub use sweep::{headline as sweep_headline, sweep_files, sweep_page};

pub use meshwright_core::output::{check_place, write_all, write_atomically};

use meshwright_network::topology::Machine;
use meshwright_verdict::JobVerdict;

/// What a report is about.
#[derive(Clone, Copy, Debug)]
pub struct PlanReport<'a> {
    /// The headline of the page.
    pub title: &'a str,
    /// The name of the scenario file; empty when the plan came from the command line.
    pub scenario: &'a str,
    /// What was planned for.
    pub machine: &'a Machine,
    /// The seed of every random choice.
    pub seed: u64,
    /// The verdicts, in the order of the page.
    pub jobs: &'a [JobVerdict],
}
