//! Datatypes and operators whose results do not depend on the order of operands, or in the last bits only.
//!
//! All else goes to MPI itself: operators of the program, numbers with a place (`MPI_MAXLOC`), complex and logical ones.

use crate::library::Raw;

/// What numbers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Results are the same to the bit in whatever order.
    Integer,
    /// They may differ in the last bits; of 0 and -0, or of a number and NaN, either may be the least.
    Floating,
}

use Class::{Floating, Integer};

/// The object of Open MPI, the number of MPICH, and what it is.
const TYPES: [(&str, u32, Class); 29] = [
    ("ompi_mpi_signed_char\0", 0x4c00_0118, Integer),
    ("ompi_mpi_unsigned_char\0", 0x4c00_0102, Integer),
    ("ompi_mpi_short\0", 0x4c00_0203, Integer),
    ("ompi_mpi_unsigned_short\0", 0x4c00_0204, Integer),
    ("ompi_mpi_int\0", 0x4c00_0405, Integer),
    ("ompi_mpi_unsigned\0", 0x4c00_0406, Integer),
    ("ompi_mpi_long\0", 0x4c00_0807, Integer),
    ("ompi_mpi_unsigned_long\0", 0x4c00_0808, Integer),
    ("ompi_mpi_long_long_int\0", 0x4c00_0809, Integer),
    ("ompi_mpi_unsigned_long_long\0", 0x4c00_0819, Integer),
    ("ompi_mpi_int8_t\0", 0x4c00_0137, Integer),
    ("ompi_mpi_int16_t\0", 0x4c00_0238, Integer),
    ("ompi_mpi_int32_t\0", 0x4c00_0439, Integer),
    ("ompi_mpi_int64_t\0", 0x4c00_083a, Integer),
    ("ompi_mpi_uint8_t\0", 0x4c00_013b, Integer),
    ("ompi_mpi_uint16_t\0", 0x4c00_023c, Integer),
    ("ompi_mpi_uint32_t\0", 0x4c00_043d, Integer),
    ("ompi_mpi_uint64_t\0", 0x4c00_083e, Integer),
    ("ompi_mpi_integer\0", 0x4c00_041b, Integer),
    ("ompi_mpi_integer1\0", 0x4c00_012d, Integer),
    ("ompi_mpi_integer2\0", 0x4c00_022f, Integer),
    ("ompi_mpi_integer4\0", 0x4c00_0430, Integer),
    ("ompi_mpi_integer8\0", 0x4c00_0831, Integer),
    ("ompi_mpi_float\0", 0x4c00_040a, Floating),
    ("ompi_mpi_double\0", 0x4c00_080b, Floating),
    ("ompi_mpi_real\0", 0x4c00_041c, Floating),
    ("ompi_mpi_dblprec\0", 0x4c00_081f, Floating),
    ("ompi_mpi_real4\0", 0x4c00_0427, Floating),
    ("ompi_mpi_real8\0", 0x4c00_0829, Floating),
];

/// The same for operators, and whether they take numbers that are not whole.
const OPERATORS: [(&str, u32, bool); 10] = [
    ("ompi_mpi_op_max\0", 0x5800_0001, true),
    ("ompi_mpi_op_min\0", 0x5800_0002, true),
    ("ompi_mpi_op_sum\0", 0x5800_0003, true),
    ("ompi_mpi_op_prod\0", 0x5800_0004, true),
    ("ompi_mpi_op_land\0", 0x5800_0005, false),
    ("ompi_mpi_op_band\0", 0x5800_0006, false),
    ("ompi_mpi_op_lor\0", 0x5800_0007, false),
    ("ompi_mpi_op_bor\0", 0x5800_0008, false),
    ("ompi_mpi_op_lxor\0", 0x5800_0009, false),
    ("ompi_mpi_op_bxor\0", 0x5800_000a, false),
];

/// The handles of an MPI.
pub(crate) struct Kinds {
    types: Vec<(Raw, Class)>,
    operators: Vec<(Raw, bool)>,
}

impl Kinds {
    /// Those of Open MPI, by the addresses of its objects; what it has not is left out.
    pub(crate) fn of_objects(address: impl Fn(&str) -> Option<Raw>) -> Self {
        Self {
            types: TYPES.iter().filter_map(|&(name, _, class)| Some((address(name)?, class))).collect(),
            operators: OPERATORS.iter().filter_map(|&(name, _, all)| Some((address(name)?, all))).collect(),
        }
    }

    /// Those of MPICH.
    pub(crate) fn of_numbers() -> Self {
        Self {
            types: TYPES.iter().map(|&(_, number, class)| (number as Raw, class)).collect(),
            operators: OPERATORS.iter().map(|&(_, number, all)| (number as Raw, all)).collect(),
        }
    }

    /// What comes of an operator on a datatype; nothing where MPI itself is to do it, or to refuse it.
    pub(crate) fn class(&self, datatype: Raw, operator: Raw) -> Option<Class> {
        let class = self.types.iter().find(|(own, _)| *own == datatype)?.1;
        let takes_all = self.operators.iter().find(|(own, _)| *own == operator)?.1;
        (takes_all || class == Integer).then_some(class)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_of_floating_numbers_are_left_to_mpi() {
        let kinds = Kinds::of_numbers();
        assert_eq!(kinds.class(0x4c00_0405, 0x5800_000a), Some(Integer));
        assert_eq!(kinds.class(0x4c00_080b, 0x5800_0003), Some(Floating));
        assert_eq!(kinds.class(0x4c00_080b, 0x5800_000a), None);
        assert_eq!(kinds.class(0x8c00_0000, 0x5800_0003), None);
    }

    /// An integer of MPICH has its size in the third byte: none is given twice.
    #[test]
    fn every_type_is_there_once() {
        let mut numbers: Vec<u32> = TYPES.iter().map(|entry| entry.1).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), TYPES.len());
        assert!(TYPES.iter().all(|(name, ..)| name.ends_with('\0')));
    }
}
