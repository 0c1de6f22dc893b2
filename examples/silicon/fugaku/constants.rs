//! The constants of the model and what they cost: all that is fitted.

/// How many constants are fitted.
pub(crate) const FITTED: usize = 15;

/// Name, meaning with its unit, and where the search begins.
pub(crate) const CONSTANTS: [(&str, &str, f64); FITTED] = [
    ("o", "us a uTofu message, from the put until the receiver has seen it", 2.2),
    ("list", "ns a rank: the list of blocks, made in every call", 4.0),
    ("addr", "us a peer: addresses of buffers, over MPI", 3.0),
    ("bcont", "us a step of B_CONT on top of o; cause unknown", 4.0),
    ("block", "ns a block that is permuted", 29.0),
    ("put", "us to issue one more put", 0.45),
    ("blk", "us to issue and to see one more block", 1.2),
    ("red0", "us to start a reduction of more than 4 KiB: the fork of its loop", 7.0),
    ("copyB", "GB/s of one core's copy or reduction, from 128 KiB on", 25.0),
    ("copyX", "the power with which that rate grows up to 128 KiB", 0.25),
    ("overlap", "the share of the shorter of wire and reduction that is hidden between pieces", 0.5),
    ("bclist", "ns a rank: addresses of all ranks in a broadcast", 14.0),
    ("mpi_o", "us an MPI message", 3.3),
    ("mpi_B", "GB/s of an MPI message at most", 3.5),
    ("mpi_red", "GB/s of MPI_Reduce_local", 11.0),
];

/// Values of the constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Constants(pub [f64; FITTED]);

impl Default for Constants {
    fn default() -> Self {
        Self(CONSTANTS.map(|(.., start)| start))
    }
}

/// The bytes above which a reduction is split over threads.
const FORK: f64 = 4096.0;

/// The bytes from which on a copy has its full rate.
const FULL: f64 = 131_072.0;

impl Constants {
    pub(crate) fn message(&self) -> f64 {
        self.0[0]
    }

    pub(crate) fn list(&self, ranks: f64) -> f64 {
        self.0[1] * 1e-3 * ranks
    }

    pub(crate) fn addresses(&self, peers: usize) -> f64 {
        self.0[2] * peers as f64
    }

    pub(crate) fn contiguous(&self) -> f64 {
        self.0[3]
    }

    /// A permutation of so many blocks that hold so many bytes together.
    pub(crate) fn permutation(&self, blocks: f64, bytes: f64) -> f64 {
        blocks * (self.0[4] * 1e-3 + self.copy(bytes / blocks))
    }

    pub(crate) fn put(&self) -> f64 {
        self.0[5]
    }

    pub(crate) fn block(&self) -> f64 {
        self.0[6]
    }

    pub(crate) fn reduction(&self, bytes: f64) -> f64 {
        let fork = if bytes > FORK { self.0[7] } else { 0.0 };
        fork + bytes / (self.0[8] * 1e3)
    }

    pub(crate) fn copy(&self, bytes: f64) -> f64 {
        if bytes <= 0.0 {
            return 0.0;
        }
        bytes / (self.0[8] * 1e3 * libm::pow((bytes / FULL).min(1.0), self.0[9]))
    }

    pub(crate) fn overlap(&self) -> f64 {
        self.0[10].min(1.0)
    }

    pub(crate) fn broadcast_list(&self, ranks: f64) -> f64 {
        self.0[11] * 1e-3 * ranks
    }

    pub(crate) fn mpi_message(&self) -> f64 {
        self.0[12]
    }

    pub(crate) fn mpi_rate(&self) -> f64 {
        self.0[13] * 1e3
    }

    pub(crate) fn mpi_reduction(&self, bytes: f64) -> f64 {
        bytes / (self.0[14] * 1e3)
    }
}
