//! Any graph in parts, one for each host, and those in parts for each place of it.

use meshwright_mapping::recursive_bisection::parts;

use super::{Job, arrange};

/// Parts as large as the hosts, cut in two again and again.
pub(super) fn place(job: &Job<'_>) -> Option<Vec<u32>> {
    let rooms = arrange::rooms(job.seating);
    let group = parts(job.topology.edges().collect(), &rooms, job.seed);
    Some(arrange::on_hosts(job, &group))
}
