//! The columns of groups and of their operations for programs.

use meshwright_verdict::groups::collective::{CollectiveVerdict, StructureRow};
use meshwright_verdict::groups::{GroupsAnswer, SizeEntry};

use super::csv::{self, Column, column_list, known};

/// What groups of one size take, with the answer it is part of.
pub(super) type Row<'r> = (&'r GroupsAnswer, &'r SizeEntry);

/// The columns of splits, barriers and joins.
pub(super) fn columns<'r>() -> Vec<Column<Row<'r>>> {
    column_list![
        "split", "the split", |(answer, _)| answer.split.to_string();
        "tree", "the trees", |(answer, _)| answer.tree.to_string();
        "unit", "what times are counted in: steps, or cycles on a machine with costs of its own", |(answer, _)| answer.unit.to_string();
        "members", "members of the group: before a split, after a join", |(_, row)| row.size.to_string();
        "split_count", "how many splits", |(_, row)| row.split_count.to_string();
        "split_steps_mean", "the mean of their times", |(_, row)| known(row.split_steps_mean);
        "split_steps_ci95", "half the 95 % interval of the mean", |(_, row)| known(row.split_steps_ci95);
        "split_steps_max", "the longest", |(_, row)| known(row.split_steps_max);
        "barrier_count", "how many barriers", |(_, row)| row.barrier_count.to_string();
        "barrier_steps_mean", "the mean of their times", |(_, row)| known(row.barrier_steps_mean);
        "barrier_steps_ci95", "half the 95 % interval of the mean", |(_, row)| known(row.barrier_steps_ci95);
        "barrier_steps_max", "the longest", |(_, row)| known(row.barrier_steps_max);
        "join_count", "how many joins", |(_, row)| row.join_count.to_string();
        "join_steps_mean", "the mean of their times", |(_, row)| known(row.join_steps_mean);
        "join_steps_ci95", "half the 95 % interval of the mean", |(_, row)| known(row.join_steps_ci95);
        "join_steps_max", "the longest", |(_, row)| known(row.join_steps_max);
    ]
}

/// A row for each size.
pub(super) fn sizes(answer: &GroupsAnswer) -> String {
    let rows = answer.by_size.iter().map(|row| (Vec::new(), (answer, row)));
    csv::table(&[], &columns(), rows)
}

/// A structure with the operation it is for.
pub(super) type Structure<'r> = (&'r CollectiveVerdict, &'r StructureRow);

/// The columns of an operation of one group.
pub(super) fn structure_columns<'r>() -> Vec<Column<Structure<'r>>> {
    column_list![
        "operation", "the operation", |(verdict, _)| verdict.operation.to_string();
        "structure", "the structure", |(_, row)| row.name.clone();
        "chosen", "whether it is the one to use", |(verdict, row)| (verdict.chosen == row.name).to_string();
        "height_links", "links of the longest way from its root", |(_, row)| row.height_links.to_string();
        "edges", "edges of that with the most edges", |(_, row)| row.edges.to_string();
        "fan_out", "the most members that one member sends to", |(_, row)| row.fan_out.to_string();
        "bound_cycles", "no structure takes less", |(_, row)| row.bound_cycles.to_string();
        "predicted_cycles", "if no message is in another's way", |(_, row)| row.predicted_cycles.to_string();
        "simulated_cycles", "what the simulation measures; empty after a deadlock", |(_, row)| known(row.simulated_cycles);
        "gap", "simulated over bound, less 1", |(_, row)| known(row.gap);
    ]
}

/// A row for each structure of each operation.
pub(super) fn structures(verdicts: &[CollectiveVerdict]) -> String {
    let rows = verdicts.iter().flat_map(|verdict| verdict.structures.iter().map(move |row| (verdict, row)));
    csv::table(&[], &structure_columns(), rows.map(|row| (Vec::new(), row)))
}
