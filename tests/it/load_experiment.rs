//! Rounds with random sources: the averages of the thesis's experiments and the distance to the optimum.

use meshwright_load::Forwarding;
use meshwright_load::shares::experiment::{Averages, Experiment, against_optimum, run};
use meshwright_load::shares::schedulers::{Reduction, Ties};
use meshwright_network::topology::Machine;

fn experiment<'m>(machine: &'m Machine, rounds: u32, sigmas: &[f64]) -> Experiment<'m> {
    Experiment {
        machine,
        sources: 10,
        rounds,
        accelerated_rounds: rounds.min(200),
        seed: 2018,
        sigmas: sigmas.to_vec(),
        forwardings: vec![Forwarding::CutThrough],
        ties: Ties::Lowest,
    }
}

/// Saved share and gain of one reduction, in percent.
fn percent(averages: &Averages, reduction: Reduction) -> (f64, f64) {
    let row = averages.reductions.iter().find(|row| row.reduction == reduction).unwrap();
    (100.0 * row.saved_share.mean, 100.0 * row.gain_of_means)
}

#[test]
fn rounds_are_the_same_on_any_number_of_threads() {
    let torus = Machine::new("torus:12x12").unwrap();
    let tried = Experiment {
        sources: 5,
        forwardings: vec![Forwarding::CutThrough, Forwarding::ModifiedStoreAndForward],
        ..experiment(&torus, 12, &[0.05, 0.3])
    };
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let finished = std::sync::atomic::AtomicU32::new(0);
        let count = || _ = finished.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let averages = pool.install(|| run(&tried, &count)).unwrap();
        assert_eq!(finished.into_inner(), 12, "every round is reported");
        serde_json::to_string(&averages).unwrap()
    };
    assert_eq!(on(1), on(3));
    let other = run(&Experiment { seed: 7, ..tried.clone() }, &|| ()).unwrap();
    assert_ne!(serde_json::to_string(&other).unwrap(), on(2), "the seed matters");
}

#[test]
fn what_cannot_be_tried_is_refused() {
    let mesh = Machine::new("mesh:3x3").unwrap();
    let tried = experiment(&mesh, 2, &[0.1]);
    assert!(run(&tried, &|| ()).unwrap_err().to_string().contains("1 to 9"));
    assert!(run(&Experiment { sources: 9, ..tried.clone() }, &|| ()).is_ok(), "all nodes are sources");
    assert!(run(&Experiment { sources: 0, ..tried.clone() }, &|| ()).is_err());
    assert!(run(&Experiment { sources: 2, rounds: 0, ..tried.clone() }, &|| ()).is_err());
    assert!(run(&Experiment { sources: 2, accelerated_rounds: 3, ..tried.clone() }, &|| ()).is_err());
    assert!(run(&Experiment { sources: 2, sigmas: vec![f64::NAN], ..tried }, &|| ()).is_err());
}

/// The literal reduction breaks the makespan in some rounds, the one by layers in none; both save what they should
/// within the noise of forty rounds.
#[test]
fn a_few_rounds_show_the_order_of_the_reductions() {
    let mesh = Machine::new("mesh:50x50").unwrap();
    let averages =
        run(&Experiment { accelerated_rounds: 0, ..experiment(&mesh, 40, &[0.01]) }, &|| ()).unwrap();
    let saved = |reduction| percent(&averages[0], reduction).0;
    let broken = |at: usize| averages[0].reductions[at].broken_share;
    assert!((saved(Reduction::Peel) - 64.0).abs() < 8.0, "{}", saved(Reduction::Peel));
    assert!((saved(Reduction::Literal) - 30.1).abs() < 10.0, "{}", saved(Reduction::Literal));
    assert!(saved(Reduction::Node) > saved(Reduction::Peel));
    assert!(saved(Reduction::LiteralMin) > saved(Reduction::Literal));
    assert!(broken(0) == 0.0 && broken(3) == 0.0 && broken(1) > 0.0);
    let interval = averages[0].reductions[0].saved_share;
    assert!(interval.deviation > 0.08 && interval.ci95 < 0.08, "{interval:?}");
}

/// The averages over 1000 rounds that the research found with another program. Its gains come from 60 rounds of its
/// own and scatter widely, so they are printed beside ours, and only their order is held.
#[test]
#[ignore = "1000 rounds on 2500 nodes"]
fn a_thousand_rounds_of_the_thesis() {
    // Saved by literal, literal-min, peel, node; gained by ARMDVDA after literal and after peel; in percent.
    let table: [(&str, Forwarding, f64, [f64; 6]); 6] = [
        ("mesh", Forwarding::CutThrough, 0.01, [30.1, 34.8, 64.0, 66.9, 14.3, 125.0]),
        ("mesh", Forwarding::CutThrough, 0.05, [28.7, 34.8, 65.9, 68.8, 9.4, 95.0]),
        ("mesh", Forwarding::CutThrough, 0.1, [27.3, 34.8, 68.4, 71.3, 6.1, 64.0]),
        ("mesh", Forwarding::ModifiedStoreAndForward, 0.1, [27.7, 34.8, 68.0, 70.8, 7.0, 72.0]),
        ("torus", Forwarding::CutThrough, 0.01, [19.9, 23.9, 55.3, 58.7, 33.0, 135.0]),
        ("torus", Forwarding::CutThrough, 0.1, [18.5, 23.9, 60.0, 63.4, 16.0, 75.0]),
    ];
    for (family, forwarding, sigma, theirs) in table {
        let machine = Machine::new(&format!("{family}:50x50")).unwrap();
        let tried = Experiment { forwardings: vec![forwarding], ..experiment(&machine, 1000, &[sigma]) };
        let averages = &run(&tried, &|| ()).unwrap()[0];
        let (literal, gain_literal) = percent(averages, Reduction::Literal);
        let (peel, gain_peel) = percent(averages, Reduction::Peel);
        let least = percent(averages, Reduction::LiteralMin).0;
        let ours = [literal, least, peel, percent(averages, Reduction::Node).0, gain_literal, gain_peel];
        println!("{family} {} {sigma}: {ours:.1?}, research {theirs:?}", forwarding.name());
        let broken: Vec<f64> = averages.reductions.iter().map(|row| row.broken_share).collect();
        println!("    broken {broken:.3?}, {:?}", averages.reductions[0].saved_share);
        assert!(
            gain_literal < 35.0 && gain_peel > 40.0 && gain_peel > 2.0 * gain_literal,
            "{gain_literal} {gain_peel}"
        );
        for (ours, theirs) in ours.iter().zip(theirs).take(4) {
            assert!((ours - theirs).abs() <= 2.0, "{family} {sigma}: {ours} {theirs}");
        }
    }
}

/// Ten sources on 50 x 50 nodes: how much the partition costs. A single small cell makes a round's ratio large, so
/// samples of 16 rounds scatter from 2.7 to 7 at sigma = 0.01; other 3200 rounds gave 4.03 +- 0.15 and 2.71 +- 0.10.
#[test]
#[ignore = "thousands of maximum flows on 2500 nodes"]
fn the_optimum_is_far_above_what_cells_allow() {
    let mesh = Machine::new("mesh:50x50").unwrap();
    let rows = against_optimum(&experiment(&mesh, 1600, &[0.01, 0.02, 0.1]), &|| ()).unwrap();
    for row in &rows {
        println!("{row:.2?}");
    }
    let [fast, medium, slow] = rows.as_slice() else { panic!("three sigmas") };
    let (first, second) = (fast.optimum_over_voronoi, medium.optimum_over_voronoi);
    assert!((first.mean - 4.03).abs() <= 0.15 + first.ci95, "{first:?}");
    assert!((second.mean - 2.71).abs() <= 0.10 + second.ci95, "{second:?}");
    assert!(2.0 * slow.needed_nodes.mean < slow.reduced_nodes.mean, "{slow:?}");
    assert!(fast.partition_over_voronoi.mean >= 3.2, "{:?}", fast.partition_over_voronoi);
}

/// What must hold in every round: cells cannot beat the optimum, nor fewer cells more.
#[test]
fn no_partition_beats_the_optimum() {
    let torus = Machine::new("torus:9x8").unwrap();
    let tried = Experiment { sources: 4, ..experiment(&torus, 6, &[0.02, 0.2, 1.5]) };
    for row in against_optimum(&tried, &|| ()).unwrap() {
        let sure = 1.0 + 1e-9;
        assert!(row.within_voronoi.mean <= row.optimum.mean * sure, "{row:?}");
        assert!(row.within_reduced.mean <= row.within_voronoi.mean * sure, "{row:?}");
        assert!(row.within_accelerated.mean <= row.optimum.mean * sure, "{row:?}");
        assert!(row.claimed_voronoi.mean <= row.claimed_accelerated.mean * sure, "{row:?}");
        assert!(row.claimed_accelerated.mean <= row.claimed_partition.mean * sure, "{row:?}");
        assert!(row.needed_nodes.mean >= row.optimum.mean && row.optimum_over_voronoi.mean * sure >= 1.0);
    }
}
