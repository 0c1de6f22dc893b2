//! Grids whose ranks stay and whose coordinates are dealt anew, for programs that use ranks of the grid where it came from.
//!
//! MPI numbers the processes of a grid along its coordinates. A program that takes the rank of a neighbour from the grid and sends
//! to it in the communicator that the grid was made from (LAMMPS does) is wrong as soon as ranks are renumbered. With
//! `MESHWRIGHT_KEEP_RANKS=1` rank r of the grid is rank r as before, and what it has at which coordinates is what changes: the
//! functions that translate between the two answer accordingly. Which coordinates a rank has hangs at the communicator as an
//! attribute, which goes with its copies and ends with it.

use std::ffi::{c_int, c_void};
use std::sync::OnceLock;

use crate::agree::checked;
use crate::library::{Code, Constants, Functions, Library, Raw};

/// The coordinates of a grid, dealt anew.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Dealt {
    sides: Vec<c_int>,
    periods: Vec<bool>,
    /// By position, row-major, the rank.
    ranks: Vec<c_int>,
    /// By rank the position.
    positions: Vec<c_int>,
}

impl Dealt {
    /// The rank of each position of a grid; a position is that of the coordinates, row-major.
    pub(crate) fn new(sides: &[c_int], periods: &[bool], ranks: &[c_int]) -> Self {
        let mut positions = vec![0; ranks.len()];
        (0..).zip(ranks).for_each(|(position, &rank)| positions[rank as usize] = position);
        Self { sides: sides.to_vec(), periods: periods.to_vec(), ranks: ranks.to_vec(), positions }
    }

    fn coordinates(&self, rank: c_int) -> Vec<c_int> {
        let mut rest = self.positions[rank as usize];
        let mut coordinates: Vec<c_int> = self
            .sides
            .iter()
            .rev()
            .map(|side| {
                let at = rest % side;
                rest /= side;
                at
            })
            .collect();
        coordinates.reverse();
        coordinates
    }

    fn rank(&self, coordinates: &[c_int]) -> c_int {
        let position =
            self.sides.iter().zip(coordinates).fold(0, |position, (side, at)| position * side + at);
        self.ranks[position as usize]
    }

    /// Who is so many steps along a dimension from a rank; nobody beyond an end.
    fn along(&self, rank: c_int, dimension: usize, steps: c_int) -> Option<c_int> {
        let mut coordinates = self.coordinates(rank);
        let side = i64::from(self.sides[dimension]);
        let at = i64::from(coordinates[dimension]) + i64::from(steps);
        let at = if self.periods[dimension] { at.rem_euclid(side) } else { at };
        coordinates[dimension] = c_int::try_from(at).ok().filter(|_| (0..side).contains(&at))?;
        Some(self.rank(&coordinates))
    }

    /// The number of the grid of fewer dimensions that a rank falls into, and its own within that.
    fn sub(&self, rank: c_int, remains: &[c_int]) -> [c_int; 2] {
        let mut numbers = [0; 2];
        for ((side, at), &remains) in self.sides.iter().zip(self.coordinates(rank)).zip(remains) {
            let number = &mut numbers[usize::from(remains != 0)];
            *number = *number * side + at;
        }
        numbers
    }

    /// Hangs it at a grid.
    ///
    /// # Safety
    ///
    /// It is a communicator of this MPI, of as many processes as the grid has positions.
    pub(crate) unsafe fn attach(self, functions: &Functions, comm: Raw) -> Result<(), Code> {
        let key = *KEY.get_or_init(|| {
            let mut key = 0;
            // SAFETY: the two functions are as MPI wants them.
            let code = unsafe {
                (functions.Comm_create_keyval)(
                    copy as *const c_void,
                    delete as *const c_void,
                    &mut key,
                    std::ptr::null_mut(),
                )
            };
            (code == 0).then_some(key)
        });
        let Some(key) = key else { return Err(16) };
        // SAFETY: `delete` takes the box back.
        checked(unsafe { (functions.Comm_set_attr)(comm, key, Box::into_raw(Box::new(self)).cast()) })
    }

    /// What hangs at a communicator.
    unsafe fn of<'a>(functions: &Functions, comm: Raw) -> Option<&'a Self> {
        let key = (*KEY.get()?)?;
        let (mut value, mut is_there) = (std::ptr::null_mut::<c_void>(), 0);
        // SAFETY: nobody else has this key, and the box lives as long as the communicator.
        unsafe {
            let code = (functions.Comm_get_attr)(comm, key, (&raw mut value).cast(), &mut is_there);
            (code == 0 && is_there != 0).then(|| &*value.cast::<Self>())
        }
    }
}

/// The key of the attribute, once a grid has been dealt anew.
static KEY: OnceLock<Option<c_int>> = OnceLock::new();

/// MPI copies a communicator.
unsafe extern "C" fn copy(
    _: Raw,
    _: c_int,
    _: *mut c_void,
    value: *mut c_void,
    copied: *mut *mut c_void,
    is_copied: *mut c_int,
) -> c_int {
    // SAFETY: the value is a box of `attach` or of this function; the places are those of MPI.
    unsafe {
        *copied = Box::into_raw(Box::new((*value.cast::<Dealt>()).clone())).cast();
        *is_copied = 1;
    }
    0
}

/// MPI frees a communicator.
unsafe extern "C" fn delete(_: Raw, _: c_int, value: *mut c_void, _: *mut c_void) -> c_int {
    // SAFETY: the value is a box of `attach` or of `copy`, and nobody asks for it any more.
    drop(unsafe { Box::from_raw(value.cast::<Dealt>()) });
    0
}

/// The MPI of the program, and what hangs at a communicator of it.
unsafe fn found<'a>(
    comm: Raw,
) -> Result<(&'static Functions, Option<&'static Constants>, Option<&'a Dealt>), Code> {
    let library = Library::get().ok_or(16)?;
    // SAFETY: the communicator is the caller's.
    Ok((&library.functions, library.constants.as_ref(), unsafe { Dealt::of(&library.functions, comm) }))
}

/// The own rank.
unsafe fn own(functions: &Functions, comm: Raw) -> c_int {
    let mut rank = 0;
    // SAFETY: the communicator is the caller's.
    unsafe { (functions.Comm_rank)(comm, &mut rank) };
    rank
}

pub(crate) unsafe fn get(
    _: &str,
    comm: Raw,
    most: c_int,
    dims: *mut c_int,
    periods: *mut c_int,
    coordinates: *mut c_int,
) -> Code {
    // SAFETY: the arguments are those of the caller; of the coordinates as many are written as it has room for.
    unsafe {
        let (functions, _, dealt) = match found(comm) {
            Ok(found) => found,
            Err(code) => return code,
        };
        let code = (functions.Cart_get)(comm, most, dims, periods, coordinates);
        if let Some(dealt) = dealt.filter(|_| code == 0) {
            let own = dealt.coordinates(own(functions, comm));
            own.iter()
                .take(most.max(0) as usize)
                .enumerate()
                .for_each(|(i, &at)| coordinates.add(i).write(at));
        }
        code
    }
}

pub(crate) unsafe fn coords(_: &str, comm: Raw, rank: c_int, most: c_int, coordinates: *mut c_int) -> Code {
    // SAFETY: the arguments are those of the caller.
    unsafe {
        let (functions, _, dealt) = match found(comm) {
            Ok(found) => found,
            Err(code) => return code,
        };
        let position = dealt.and_then(|dealt| dealt.positions.get(usize::try_from(rank).ok()?).copied());
        (functions.Cart_coords)(comm, position.unwrap_or(rank), most, coordinates)
    }
}

pub(crate) unsafe fn rank(_: &str, comm: Raw, coordinates: *const c_int, rank: *mut c_int) -> Code {
    // SAFETY: the arguments are those of the caller.
    unsafe {
        let (functions, _, dealt) = match found(comm) {
            Ok(found) => found,
            Err(code) => return code,
        };
        let code = (functions.Cart_rank)(comm, coordinates, rank);
        if let Some(dealt) = dealt.filter(|_| code == 0) {
            *rank = dealt.ranks[*rank as usize];
        }
        code
    }
}

pub(crate) unsafe fn shift(
    _: &str,
    comm: Raw,
    dimension: c_int,
    steps: c_int,
    source: *mut c_int,
    target: *mut c_int,
) -> Code {
    // SAFETY: the arguments are those of the caller, and MPI has accepted them.
    unsafe {
        let (functions, constants, dealt) = match found(comm) {
            Ok(found) => found,
            Err(code) => return code,
        };
        let code = (functions.Cart_shift)(comm, dimension, steps, source, target);
        if let (Some(dealt), Some(constants), 0) = (dealt, constants, code) {
            let own = own(functions, comm);
            let at = |steps| dealt.along(own, dimension as usize, steps).unwrap_or(constants.nobody);
            *source = at(steps.saturating_neg());
            *target = at(steps);
        }
        code
    }
}

pub(crate) unsafe fn sub(_: &str, comm: Raw, remains: *const c_int, out: *mut c_void) -> Code {
    // SAFETY: the arguments are those of the caller: a number for each dimension.
    unsafe {
        let (functions, _, dealt) = match found(comm) {
            Ok(found) => found,
            Err(code) => return code,
        };
        let Some(dealt) = dealt else { return (functions.Cart_sub)(comm, remains, out) };
        let remains = std::slice::from_raw_parts(remains, dealt.sides.len());
        let [group, number] = dealt.sub(own(functions, comm), remains);
        let kept = || (0..remains.len()).filter(|&dimension| remains[dimension] != 0);
        let sides: Vec<c_int> = kept().map(|dimension| dealt.sides[dimension]).collect();
        let periods: Vec<c_int> = kept().map(|dimension| dealt.periods[dimension].into()).collect();
        let mut part = 0_u64;
        let code = (functions.Comm_split)(comm, group, number, (&raw mut part).cast());
        if code != 0 {
            return code;
        }
        let dimensions = sides.len() as c_int;
        let code = (functions.Cart_create)(part as Raw, dimensions, sides.as_ptr(), periods.as_ptr(), 0, out);
        (functions.Comm_free)((&raw mut part).cast());
        code
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grid of 2 x 3, the second side a ring, its ranks backwards.
    #[test]
    fn coordinates_and_ranks_are_inverse_and_steps_wrap() {
        let dealt = Dealt::new(&[2, 3], &[false, true], &[5, 4, 3, 2, 1, 0]);
        for rank in 0..6 {
            assert_eq!(dealt.rank(&dealt.coordinates(rank)), rank);
        }
        assert_eq!((dealt.coordinates(5), dealt.coordinates(1)), (vec![0, 0], vec![1, 1]));
        assert_eq!((dealt.along(5, 0, 1), dealt.along(5, 0, -1)), (Some(2), None));
        assert_eq!((dealt.along(5, 1, -1), dealt.along(5, 1, 7)), (Some(3), Some(4)));
        // Rows, columns, points.
        assert_eq!(dealt.sub(1, &[0, 1]), [1, 1]);
        assert_eq!(dealt.sub(1, &[1, 0]), [1, 1]);
        assert_eq!(dealt.sub(3, &[0, 0]), [2, 0]);
    }
}
