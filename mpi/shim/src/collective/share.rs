//! When MPI is initialised, all processes of the world hear which plans there are: those that rank 0 has read.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::plan::{self, Plan};
use super::play::Operation;
use crate::agree::{Members, guarded};
use crate::library::{Code, Library};
use crate::settings::{PLAN, Settings, variable};
use crate::{agree, say};

/// What all processes know.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Shared {
    pub(super) plans: Vec<Plan>,
    /// Whether numbers that are not whole are added by plans, too.
    pub(super) takes_floats: bool,
}

static SHARED: OnceLock<Shared> = OnceLock::new();

/// The plans of this process; nothing before MPI is initialised, and where there are none.
pub(super) fn shared() -> Option<&'static Shared> {
    SHARED.get().filter(|shared| !shared.plans.is_empty())
}

/// Tells all processes of the world; where the variable is not set, nothing happens.
///
/// # Safety
///
/// MPI was just initialised, on all processes of the world.
pub(super) unsafe fn share() {
    if variable(PLAN).is_none() || SHARED.get().is_some() {
        return;
    }
    let Some(library) = Library::get() else {
        return say::complain(&format!(
            "{PLAN} is not used: the MPI of this program is not found, or is older than MPI 3"
        ));
    };
    // SAFETY: the caller promises it.
    let shared = match unsafe { told(library) } {
        Ok(shared) => shared,
        Err(code) => {
            say::complain(&format!("{PLAN} is not used: error {code} of MPI"));
            Shared::default()
        }
    };
    _ = SHARED.set(shared);
}

unsafe fn told(library: &Library) -> Result<Shared, Code> {
    let functions = &library.functions;
    let Some(constants) = &library.constants else {
        say::complain(&format!("{PLAN} is not used: `{}` is no MPI that is known here", library.version));
        return Ok(Shared::default());
    };
    let (mut rank, mut size) = (0, 0);
    // SAFETY: MPI was initialised.
    unsafe {
        agree::checked((functions.Comm_rank)(constants.world, &mut rank))?;
        agree::checked((functions.Comm_size)(constants.world, &mut size))?;
    }
    let members =
        Members { functions, constants, comm: constants.world, rank: rank as usize, size: size as usize };
    members.meet("hear of plans; every process must preload this library and have MESHWRIGHT_PLAN (Open MPI: mpirun -x)")?;
    let read = || serde_json::to_vec(&read(members.size)).unwrap_or_default();
    let own = if rank == 0 { guarded(read).unwrap_or_default() } else { Vec::new() };
    let all = members.tell(own)?;
    Ok(guarded(|| serde_json::from_slice(&all).unwrap_or_default()).unwrap_or_default())
}

/// What rank 0 reads; it says what is wrong, and what is there.
fn read(world: usize) -> Shared {
    let settings = match Settings::of_environment() {
        Ok(settings) => settings,
        Err(error) => {
            complain(&format!("not used: {error}"));
            return Shared::default();
        }
    };
    let named = settings.plans.filter(|_| !settings.is_off).unwrap_or_default();
    let mut plans = Vec::new();
    for plan in plan::read(&named) {
        match plan {
            Ok(plan) if plan.members() > world => {
                complain(&format!("not used: {plan}: the world has {world}"));
            }
            Ok(plan) => {
                if plan.operation == Operation::AllReduce && !plan.is_one && settings.takes_floats {
                    complain(&format!(
                        "{plan}: not for floating-point numbers, which would differ from rank to rank"
                    ));
                }
                say::log(&format!("{PLAN}: {plan}"));
                plans.push(plan);
            }
            Err(error) => complain(&format!("not used: {error}")),
        }
    }
    Shared { plans, takes_floats: settings.takes_floats }
}

/// In one line, and in the log.
fn complain(why: &str) {
    let line = format!("{PLAN}: {}", why.lines().next().unwrap_or_default());
    say::complain(&line);
    say::log(&line);
}
