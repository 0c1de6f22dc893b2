//! The environment by which a launcher tells a rank its number.
//!
//! | launcher | rank | ranks | place on its host |
//! |---|---|---|---|
//! | Open MPI (`mpirun`) | `OMPI_COMM_WORLD_RANK` | `OMPI_COMM_WORLD_SIZE` | `OMPI_COMM_WORLD_LOCAL_RANK` |
//! | MPICH (Hydra) | `PMI_RANK` | `PMI_SIZE` | `MPI_LOCALRANKID` |
//! | HPE Cray PALS | `PALS_RANKID` | | `PALS_LOCAL_RANKID` |
//! | Slurm (`srun`) | `SLURM_PROCID` | `SLURM_NTASKS` | `SLURM_LOCALID` |
//! | PMIx | `PMIX_RANK` | | `PMIX_LOCAL_RANK` |

use super::slurm::Environment;

/// What one rank was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Started {
    /// By whom.
    pub launcher: String,
    /// Its number.
    pub rank: u32,
    /// How many ranks there are.
    pub ranks: Option<u32>,
    /// How many ranks of its host come before it.
    pub local: Option<u32>,
}

/// The launchers, the innermost first: `mpirun` may run within a job of Slurm, but `srun` not below `mpirun`.
const LAUNCHERS: [(&str, [&str; 3]); 5] = [
    ("Open MPI", ["OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"]),
    ("MPICH", ["PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"]),
    ("PALS", ["PALS_RANKID", "", "PALS_LOCAL_RANKID"]),
    ("Slurm", ["SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"]),
    ("PMIx", ["PMIX_RANK", "", "PMIX_LOCAL_RANK"]),
];

/// Who started this process as a rank, if anybody did.
///
/// # Examples
///
/// ```
/// use meshwright_hosts::started::started;
/// let told = started(&|name| Some("3".to_string()).filter(|_| name.starts_with("SLURM_"))).unwrap();
/// assert_eq!((told.launcher.as_str(), told.rank, told.local), ("Slurm", 3, Some(3)));
/// assert_eq!(started(&|_| None), None);
/// ```
pub fn started(environment: &Environment<'_>) -> Option<Started> {
    let number = |name: &str| environment(name)?.parse().ok();
    LAUNCHERS.iter().find_map(|(launcher, [rank, ranks, local])| {
        let rank = number(rank)?;
        Some(Started { launcher: launcher.to_string(), rank, ranks: number(ranks), local: number(local) })
    })
}
