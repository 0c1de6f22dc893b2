//! `MPI_Bcast`, `MPI_Reduce` and `MPI_Allreduce` by plans of the race, where a file says so.
//!
//! | file | what |
//! |---|---|
//! | this one | the calls: which plan, and what becomes of the buffers |
//! | `share` | the plans of this process: rank 0 reads them when MPI is initialised, and tells all |
//! | `plan` | what `MESHWRIGHT_PLAN` names; a plan as its members need it |
//! | `file` | the files: algorithms of MSCCL in place |
//! | `play` | what a plan does, found by playing it |
//! | `member` | a communicator of this process: its own one for messages of plans |
//! | `run` | one member at work |
//! | `device` | whether buffers may be where only MPI can copy them |
//! | `types` | what may be added up in another order |
//!
//! Whether a plan is used follows from what is the same at all processes: operation, root, operator, bytes, members of the
//! communicator. So all decide alike without asking each other. Datatypes of a broadcast may differ, their bytes may not.

mod device;
mod file;
mod member;
mod plan;
mod play;
mod run;
mod share;
#[cfg(test)]
mod tests;
mod types;

use std::ffi::{c_int, c_void};
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::agree::checked;
use crate::library::{Code, Constants, Functions, Library, Passed, Raw};
use crate::say;
use device::has_devices;
use member::Member;
use plan::{BYTES_MAX, Plan};
use play::Operation;
use run::Work;
use share::{Shared, shared};
use types::Class;

pub(crate) use types::Kinds;

/// What MPI returns where it is not there at all; any but 0 is an error.
const NO_MPI: Code = 16;

pub(crate) unsafe fn init(_: &str, argc: *mut c_int, argv: *mut c_void) -> Code {
    let Some(passed) = Passed::get() else { return NO_MPI };
    // SAFETY: the arguments are those of the caller.
    unsafe {
        let code = (passed.Init)(argc, argv);
        if code == 0 {
            share::share();
        }
        code
    }
}

pub(crate) unsafe fn init_thread(
    _: &str,
    argc: *mut c_int,
    argv: *mut c_void,
    required: c_int,
    provided: *mut c_int,
) -> Code {
    let Some(passed) = Passed::get() else { return NO_MPI };
    // SAFETY: the arguments are those of the caller.
    unsafe {
        let code = (passed.Init_thread)(argc, argv, required, provided);
        if code == 0 {
            share::share();
        }
        code
    }
}

pub(crate) unsafe fn broadcast(
    name: &'static str,
    buffer: *mut c_void,
    count: c_int,
    datatype: Raw,
    root: c_int,
    comm: Raw,
) -> Code {
    let Some(passed) = Passed::get() else { return NO_MPI };
    let operation = Operation::Broadcast(root as u32);
    let call = Call { name, operation, count, datatype, operator: None, comm, input: buffer, output: buffer };
    // SAFETY: the arguments are those of the caller.
    unsafe { call.make(|| (passed.Bcast)(buffer, count, datatype, root, comm)) }
}

#[expect(clippy::too_many_arguments, reason = "those of MPI")]
pub(crate) unsafe fn reduce(
    name: &'static str,
    input: *const c_void,
    output: *mut c_void,
    count: c_int,
    datatype: Raw,
    operator: Raw,
    root: c_int,
    comm: Raw,
) -> Code {
    let Some(passed) = Passed::get() else { return NO_MPI };
    let operation = Operation::Reduce(root as u32);
    let call = Call { name, operation, count, datatype, operator: Some(operator), comm, input, output };
    // SAFETY: the arguments are those of the caller.
    unsafe { call.make(|| (passed.Reduce)(input, output, count, datatype, operator, root, comm)) }
}

pub(crate) unsafe fn all_reduce(
    name: &'static str,
    input: *const c_void,
    output: *mut c_void,
    count: c_int,
    datatype: Raw,
    operator: Raw,
    comm: Raw,
) -> Code {
    let Some(passed) = Passed::get() else { return NO_MPI };
    let operation = Operation::AllReduce;
    let call = Call { name, operation, count, datatype, operator: Some(operator), comm, input, output };
    // SAFETY: the arguments are those of the caller.
    unsafe { call.make(|| (passed.Allreduce)(input, output, count, datatype, operator, comm)) }
}

/// A call with its arguments.
struct Call {
    name: &'static str,
    operation: Operation,
    count: c_int,
    datatype: Raw,
    /// That of sums.
    operator: Option<Raw>,
    comm: Raw,
    input: *const c_void,
    output: *mut c_void,
}

/// A plan for a call, this process in the communicator, and the communicator for messages.
struct Chosen<'a> {
    plan: &'a Plan,
    member: &'a Member,
    comm: Raw,
    bytes: u64,
}

impl Call {
    /// By a plan if one suits, else as it is.
    unsafe fn make(&self, plain: impl FnOnce() -> Code) -> Code {
        let Some(shared) = shared() else { return plain() };
        let Some(library) = Library::get() else { return plain() };
        let Some(constants) = &library.constants else { return plain() };
        // SAFETY: the arguments are those of the caller.
        unsafe {
            match self.chosen(shared, &library.functions, constants) {
                Ok(None) => plain(),
                Ok(Some(chosen)) => self.run(&chosen, &library.functions, constants).err().unwrap_or(0),
                Err(code) => code,
            }
        }
    }

    /// The first plan that suits. What MPI refuses suits none.
    unsafe fn chosen(
        &self,
        shared: &'static Shared,
        functions: &Functions,
        constants: &Constants,
    ) -> Result<Option<Chosen<'_>>, Code> {
        let (comm, datatype) = (constants.plain(self.comm), constants.plain(self.datatype));
        if comm == constants.null || datatype == constants.null_type || self.count <= 0 {
            return Ok(None);
        }
        let class = self.operator.map(|operator| constants.kinds.class(datatype, constants.plain(operator)));
        let (mut width, mut size) = (0, 0);
        // SAFETY: it is a datatype.
        unsafe { checked((functions.Type_size)(self.datatype, &mut width))? };
        let bytes = u64::from(width.max(0) as u32) * u64::from(self.count as u32);
        let is_floating = class == Some(Some(Class::Floating));
        let suits = |plan: &Plan| plan.suits(self.operation, bytes) && (!is_floating || plan.is_one);
        if class == Some(None) || !(1..=BYTES_MAX).contains(&bytes) || !shared.plans.iter().any(suits) {
            return Ok(None);
        }
        // SAFETY: it is a communicator.
        unsafe { checked((functions.Comm_size)(self.comm, &mut size))? };
        let mut plans = shared.plans.iter().enumerate();
        let Some((index, plan)) = plans.find(|(_, plan)| suits(plan) && plan.members() == size as usize)
        else {
            return Ok(None);
        };
        // SAFETY: all processes of the communicator come here.
        let member = unsafe { Member::of(functions, constants, self.comm)? };
        let Some((member, comm)) = member.and_then(|member| Some((member, member.comm?))) else {
            return Ok(None);
        };
        if is_floating && !shared.takes_floats {
            self.leave(member.rank);
            return Ok(None);
        }
        self.tell(member.rank, index, plan);
        Ok(Some(Chosen { plan, member, comm, bytes }))
    }

    /// Tells that a plan is used, each of the first 64 once: a program may make many communicators.
    fn tell(&self, rank: usize, index: usize, plan: &Plan) {
        static TOLD: AtomicU64 = AtomicU64::new(0);
        let bit = 1_u64.checked_shl(index as u32).unwrap_or(0);
        if rank == 0 && TOLD.fetch_or(bit, Ordering::Relaxed) & bit != bit {
            say::log(&format!("{} by {plan}", self.name));
        }
    }

    /// Tells once why a plan that is there is not used.
    fn leave(&self, rank: usize) {
        static IS_TOLD: AtomicBool = AtomicBool::new(false);
        if rank == 0 && !IS_TOLD.swap(true, Ordering::Relaxed) {
            let name = self.name;
            say::log(&format!("{name} of floating-point numbers is left to MPI: MESHWRIGHT_FLOATS is not 1"));
        }
    }

    /// Where what this process gives is, and where it gets something; nothing where it does not.
    fn ends(&self, rank: usize, constants: &Constants) -> [Option<*mut c_void>; 2] {
        let (input, output) = (self.input.cast_mut(), self.output);
        let input = if self.operator.is_some() && self.input == constants.in_place { output } else { input };
        match self.operation {
            Operation::Broadcast(root) if rank == root as usize => [Some(input), None],
            Operation::Broadcast(_) => [None, Some(output)],
            Operation::Reduce(root) => [Some(input), (rank == root as usize).then_some(output)],
            Operation::AllReduce => [Some(input), Some(output)],
        }
    }

    /// Does it by a plan.
    unsafe fn run(
        &self,
        chosen: &Chosen<'_>,
        functions: &Functions,
        constants: &Constants,
    ) -> Result<(), Code> {
        let &Chosen { plan, member, comm, bytes } = chosen;
        let part = &plan.parts[member.rank];
        let [input, output] = self.ends(member.rank, constants);
        let mut room = member.room.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the buffers have as many elements as the caller says.
        unsafe {
            // Memory of a device MPI itself copies.
            let is_plain =
                !has_devices() && (self.operator.is_some() || self.is_contiguous(functions, constants)?);
            let buffer: *mut u8 = match (input, output) {
                (_, Some(output)) if is_plain => output.cast(),
                (Some(input), None) if is_plain && !part.writes => input.cast(),
                _ => room.work.of(bytes as usize),
            };
            if let Some(input) = input.filter(|input| input.cast() != buffer) {
                if is_plain {
                    std::ptr::copy(input.cast::<u8>(), buffer, bytes as usize);
                } else {
                    let (at, most, mut end) = (buffer.cast(), bytes as c_int, 0);
                    checked((functions.Pack)(input, self.count, self.datatype, at, most, &mut end, comm))?;
                }
            }
            let (elements, width) = match self.operator {
                Some(_) => (self.count as u64, bytes / self.count as u64),
                None => (bytes, 1),
            };
            let sums = self.operator.map(|operator| (self.datatype, operator));
            let chunks = plan.chunks.into();
            let work = Work { functions, constants, comm, part, chunks, elements, width, buffer, sums };
            work.run(&mut room)?;
            if let Some(output) = output.filter(|_| !is_plain) {
                let (at, most, mut end) = (buffer.cast(), bytes as c_int, 0);
                checked((functions.Unpack)(at, most, &mut end, output, self.count, self.datatype, comm))?;
            }
        }
        Ok(())
    }

    /// Whether the elements of a datatype are bytes that lie side by side: those of MPI itself, unless they have gaps.
    unsafe fn is_contiguous(&self, functions: &Functions, constants: &Constants) -> Result<bool, Code> {
        let (mut integers, mut addresses, mut types, mut combiner) = (0, 0, 0, 0);
        let (mut low, mut extent, mut size) = (0, 0, 0);
        // SAFETY: it is a datatype.
        unsafe {
            let envelope = functions.Type_get_envelope;
            checked(envelope(self.datatype, &mut integers, &mut addresses, &mut types, &mut combiner))?;
            checked((functions.Type_get_extent)(self.datatype, &mut low, &mut extent))?;
            checked((functions.Type_size)(self.datatype, &mut size))?;
        }
        Ok(combiner == constants.named && low == 0 && extent == size as isize)
    }
}
