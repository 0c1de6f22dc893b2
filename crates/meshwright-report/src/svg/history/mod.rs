//! Drawings of groups over time: who is with whom, from the first split to the last join.
//!
//! | file | what |
//! |---|---|
//! | [`timeline`] | time across, members down, every group a block |
//! | [`moments`] | the machine at some moments, every node in the colour of its group |
//! | `raster` | a history in columns of time and rows of members |

pub mod moments;
mod raster;
pub mod timeline;

use super::palette;
use meshwright_groups::history::History;

/// The colour of each group: its place in the order that keeps groups together, so that relatives are alike and what
/// was split apart early is far apart.
fn colours(history: &History) -> Vec<String> {
    let members = history.members().len();
    let mut place = vec![0u64; members];
    (0..).zip(history.together()).for_each(|(at, member)| place[member as usize] = at);
    let middle = |members: &[u32]| {
        let sum: u64 = members.iter().map(|&member| place[member as usize]).sum();
        (sum / members.len().max(1) as u64) as usize
    };
    history.groups().iter().map(|life| palette::class(middle(&life.members), members)).collect()
}
