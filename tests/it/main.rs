//! One integration binary: relinking many takes longer than running them.

mod report;
