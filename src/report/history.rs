//! Groups over time as figures.

use super::drawings::Figure;
use super::style;
use super::svg::history::{moments, timeline};
use super::wording::grouped;
use crate::groups::history::History;
use crate::topology::Machine;

/// How many moments of the machine are shown.
const MOMENTS: u64 = 8;

/// The groups of a run over time, and the machine at some moments.
///
/// The unit is that of a cycle on this machine, as `steps`.
pub(super) fn figures(machine: &Machine, history: &History, unit: &str) -> Vec<Figure> {
    let view = |rows| timeline::View { history, unit, rows };
    let (svg, drawn) = timeline::draw(&view(timeline::Rows::Groups));
    let members = history.members().len();
    let mut caption =
        "Each row is a member, each block a group: a split cuts a block, a join puts the parts together \
                       again. Groups that were split apart early differ most in colour."
            .to_string();
    if drawn < members {
        caption += &format!(" One of every {} members is drawn.", grouped((members / drawn) as u64));
    }
    let mut all = vec![Figure { title: "Groups over time", svg, caption }];
    let times = moments::spread(history, MOMENTS);
    if let Some(svg) = moments::draw(machine, history, unit, &times) {
        let caption = "The machine at eight moments, in the same colours.".to_string();
        all.push(Figure { title: "Groups on the machine", svg, caption });
    }
    all
}

/// The same as drawings that stand alone, each with its name: groups over time with members by group, the same by rank,
/// and, where it is a plane that can be drawn node by node, the machine at some moments.
pub fn group_drawings(machine: &Machine, history: &History, unit: &str) -> Vec<(&'static str, String)> {
    let view = |rows| timeline::View { history, unit, rows };
    let over_time = |rows| style::alone(&timeline::draw(&view(rows)).0);
    let mut all = vec![
        ("groups-over-time", over_time(timeline::Rows::Groups)),
        ("groups-by-rank", over_time(timeline::Rows::Ranks)),
    ];
    let times = moments::spread(history, MOMENTS);
    all.extend(
        moments::draw(machine, history, unit, &times)
            .map(|svg| ("groups-on-the-machine", style::alone(&svg))),
    );
    all
}
