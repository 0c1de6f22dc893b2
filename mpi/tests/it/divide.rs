//! `meshwright-mpi divide`.

use serde_json::Value;

use crate::mpirun::{printed, run};

fn object(ranks: u32, arguments: &[&str]) -> Value {
    serde_json::from_str(&printed(&run(ranks, arguments))).expect("one JSON object")
}

#[test]
fn all_applications_beside_the_collective_operations_of_mpi() {
    for (ranks, machine) in [(1, "mesh:1x1"), (4, "mesh:2x2"), (7, "mesh:1x7"), (16, "mesh:4x4")] {
        let found =
            object(ranks, &["divide", "all", "--size", "150", "--repeat", "2", "--seed", "5", "--json"]);
        assert_eq!((&found["ranks"], &found["seed"]), (&ranks.into(), &5.into()));
        let applications = found["applications"].as_array().unwrap();
        assert_eq!(applications.len(), 5);
        for one in applications {
            assert_eq!(one["machine"], machine);
            let executors = one["executors"].as_array().unwrap();
            let names: Vec<&str> = executors.iter().map(|one| one["name"].as_str().unwrap()).collect();
            assert_eq!(names[..2], ["sequential", "ranks"]);
            assert!(names[2].contains("MPI_"), "{names:?}");
            assert!(executors.iter().all(|one| one["checked"] == true && one["runs"] == 2), "{one}");
        }
    }
}

#[test]
fn sixty_four_ranks_on_a_placement_of_choice() {
    let arguments = ["divide", "components", "--size", "1000", "--repeat", "1", "--on", "torus:8x8"];
    let arguments = [&arguments[..], &["--placement", "auto"]].concat();
    let text = printed(&run(64, &arguments));
    assert!(text.contains("ranks on torus:8x8 by "), "{text}");
    assert_eq!(text.matches(" yes").count(), 3, "{text}");
    assert!(text.contains("MPI_Scatterv of rows, union-find, MPI_Gatherv, union-find"), "{text}");
}

#[test]
fn every_rank_ends_when_nothing_can_be_run() {
    for arguments in [
        ["divide", "reduce", "--on", "mesh:3x3"],
        ["divide", "reduce", "--size", "4000000000"],
        ["divide", "quick-sort", "--seed", "1"],
    ] {
        let ended = run(4, &arguments);
        assert_eq!(ended.status.code(), Some(2), "{arguments:?}");
        assert!(ended.stdout.is_empty(), "{arguments:?}");
        let text = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(text.matches("error: ").count(), 1, "{text}");
    }
}
