//! The placement `axes`, whose judge is the simulation.

use std::borrow::Cow;

use crate::auto::AUTO;
use crate::look;
use crate::mapping::Job;
use meshwright_core::error::{Error, Result};
use meshwright_mapping::logical::family;
use meshwright_mapping::{Placement, Request};
use meshwright_network::topology::Machine;

/// So many ways to share the dimensions are simulated, each axis by itself.
const SIMULATED: usize = 12;

/// Of larger jobs the one that is predicted to be the best is taken.
const SIMULATED_TASKS_MAX: u32 = 1 << 12;

/// The job with the placement `axes` among those given, and the words for it, if that or `auto` is asked for and it suits the
/// job; where it does not, its method will say why.
///
/// # Errors
///
/// Those of the numbers themselves.
pub(crate) fn settled<'a>(job: &'a Job, machine: &Machine, methods: &[&str]) -> Result<Cow<'a, Job>> {
    let is_asked = methods.iter().any(|&name| name == family::NAME || name == AUTO);
    let is_given = job.given.iter().any(|placement| placement.name == family::NAME);
    if !is_asked || is_given || job.tasks.tasks > machine.living_count() {
        return Ok(Cow::Borrowed(job));
    }
    let most = if job.tasks.tasks <= SIMULATED_TASKS_MAX { SIMULATED } else { 1 };
    let mut judge = |phases: &_| look::simulated(phases, machine).unwrap_or(u64::MAX);
    let member = match family::best(&Request::of(&job.tasks, machine, 0), most, &mut judge) {
        Ok(member) => member,
        Err(Error::NotApplicable { .. }) => return Ok(Cow::Borrowed(job)),
        Err(error) => return Err(error),
    };
    let mut job = job.clone();
    job.given.push(Placement { name: family::NAME.to_string(), nodes: member.nodes });
    job.axes = Some(member.words);
    Ok(Cow::Owned(job))
}

/// The words for the placement of this method, if it is this one.
pub(crate) fn words<'j>(method: &str, words: Option<&'j str>) -> Option<&'j str> {
    words.filter(|_| method == family::NAME)
}
