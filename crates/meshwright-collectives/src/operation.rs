//! Collective operations: who contributes to which block, and who needs it.

use meshwright_core::error::{Error, Result};
use meshwright_core::find;

/// A collective operation, in the words of MPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// Everybody gets the vector of the root.
    Broadcast,
    /// The root gets the sum of all vectors.
    Reduce,
    /// Each member gets its part of the vector of the root.
    Scatter,
    /// The root gets the parts of all members.
    Gather,
    /// Everybody gets the parts of all members.
    AllGather,
    /// Each member gets its part of the sum of all vectors.
    ReduceScatter,
    /// Everybody gets the sum of all vectors.
    AllReduce,
    /// Each member gets from each other the part that is for it.
    AllToAll,
    /// Nobody goes on before all have come: an all-reduce without bytes.
    Barrier,
    /// Each member gets the sum of the vectors of the members up to itself.
    Scan,
}

/// Every operation with its name on the command line.
pub const OPERATIONS: &[(&str, Operation)] = &[
    ("broadcast", Operation::Broadcast),
    ("reduce", Operation::Reduce),
    ("scatter", Operation::Scatter),
    ("gather", Operation::Gather),
    ("all-gather", Operation::AllGather),
    ("reduce-scatter", Operation::ReduceScatter),
    ("all-reduce", Operation::AllReduce),
    ("all-to-all", Operation::AllToAll),
    ("barrier", Operation::Barrier),
    ("scan", Operation::Scan),
];

impl Operation {
    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        OPERATIONS.iter().find(|(_, operation)| *operation == self).expect("the table is complete").0
    }

    /// The operation with this name; its hyphens may be left out.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] with the names there are, and the nearest one if one is near.
    ///
    /// # Examples
    ///
    /// ```
    /// use meshwright_collectives::Operation;
    /// assert_eq!(Operation::named("allreduce")?, Operation::AllReduce);
    /// assert!(Operation::named("all-reducer").is_err());
    /// # Ok::<(), meshwright_core::Error>(())
    /// ```
    pub fn named(name: &str) -> Result<Self> {
        let short = OPERATIONS.iter().find(|(full, _)| full.replace('-', "") == name);
        match short {
            Some((_, operation)) => Ok(*operation),
            None => Ok(find("operation", name, OPERATIONS, |(name, _)| name)?.1),
        }
    }

    /// Whether one member is different from all others.
    pub fn is_rooted(self) -> bool {
        matches!(self, Self::Broadcast | Self::Reduce | Self::Scatter | Self::Gather)
    }

    /// Whether vectors are added up on the way.
    pub fn reduces(self) -> bool {
        matches!(self, Self::Reduce | Self::ReduceScatter | Self::AllReduce | Self::Barrier | Self::Scan)
    }

    /// Whether each part belongs to a member, so that the buffer is cut into as many parts as there are members.
    pub fn is_parted(self) -> bool {
        matches!(self, Self::Scatter | Self::Gather | Self::AllGather | Self::ReduceScatter | Self::AllToAll)
    }

    /// The operation whose schedules are those of this one with every message turned round; none if there is none.
    pub fn reversed(self) -> Option<Self> {
        Some(match self {
            Self::Broadcast => Self::Reduce,
            Self::Reduce => Self::Broadcast,
            Self::Scatter => Self::Gather,
            Self::Gather => Self::Scatter,
            Self::AllGather => Self::ReduceScatter,
            Self::ReduceScatter => Self::AllGather,
            Self::AllToAll => Self::AllToAll,
            Self::AllReduce | Self::Barrier | Self::Scan => return None,
        })
    }

    /// Refuses a root that is no member.
    pub(crate) fn check_root(self, root: u32, members: u32) -> Result<()> {
        if root < members {
            return Ok(());
        }
        Err(Error::value("root", root, format!("a member from 0 to {}", members - 1)))
    }
}
