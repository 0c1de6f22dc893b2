//! Weighted graphs in the files of the field: Matrix Market, METIS, Scotch.

use std::path::Path;

use crate::error::Result;

/// A directed edge with its weight: bytes in a communication matrix, 1 where the file gives none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arc {
    /// The vertex it leaves, from 0.
    pub from: u32,
    /// The vertex it enters, from 0.
    pub to: u32,
    /// Its weight.
    pub weight: u64,
}

/// What a graph file says: vertices 0..`vertices` and arcs in the order of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArcList {
    /// How many vertices.
    pub vertices: u32,
    /// The arcs; an undirected edge appears in both directions.
    pub arcs: Vec<Arc>,
}

/// Reads a graph file by its ending: `.mtx`, `.graph` (METIS) or `.grf` (Scotch).
pub fn read(_path: &Path) -> Result<ArcList> {
    unimplemented!()
}
