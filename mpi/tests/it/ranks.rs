//! `meshwright-mpi ranks`.

use crate::mpirun::{printed, run};

#[test]
fn every_rank_has_a_line() {
    for ranks in [1, 4, 16, 64] {
        let text = printed(&run(ranks, &["ranks"]));
        let named: Vec<u32> =
            text.lines().filter_map(|line| line.split_whitespace().next()?.parse().ok()).collect();
        assert_eq!(named, (0..ranks).collect::<Vec<_>>(), "{text}");
    }
}

#[test]
fn round_trips_are_measured_with_every_other_rank() {
    let text = printed(&run(4, &["ranks", "--watch", "1", "--json"]));
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    let rows = report["ranks"].as_array().unwrap();
    assert_eq!(rows.len(), 4);
    assert!(rows[0]["round_trips"].is_null());
    for row in &rows[1..] {
        assert!(row["round_trips"].as_u64().unwrap() > 0, "{row}");
        let [median, longest] =
            ["round_trip_median_us", "round_trip_max_us"].map(|key| row[key].as_f64().unwrap());
        assert!(0.0 < median && median <= longest, "{row}");
        assert!(row["bandwidth_mb_per_s"].as_f64().unwrap() > 0.0);
    }
}
