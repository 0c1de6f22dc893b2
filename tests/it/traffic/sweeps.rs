//! Sweeps: the same curve whoever measures it, and a saturation that is where theory puts it.

use std::sync::atomic::{AtomicU32, Ordering};

use meshwright_core::error::{Error, Result};
use meshwright_sim::point::Point;
use meshwright_sim::sweep::{Curve, Sweep, run, spread};

use super::queue::{SERVICE, mean_time, point};

fn measure(load: f64, seed: u64, _threads: usize) -> Result<Point> {
    Ok(point(load, seed))
}

fn sweep(threads: usize) -> Sweep {
    Sweep { loads: spread(0.1, 0.9, 9).unwrap(), saturation: true, seed: 5, threads }
}

fn curve(threads: usize, known: &[Point]) -> Curve {
    run(&sweep(threads), known, measure, &mut |_| Ok(())).unwrap()
}

#[test]
fn the_curve_is_the_same_for_every_number_of_threads_and_whatever_is_known() {
    let whole = curve(1, &[]);
    assert!(whole.points.is_sorted_by(|a, b| a.load < b.load));
    for threads in [2, 3, 16] {
        assert_eq!(curve(threads, &[]), whole);
    }
    for known in 0..=whole.points.len() {
        assert_eq!(curve(2, &whole.points[..known]), whole);
    }
    let calls = AtomicU32::new(0);
    let counting = |load, seed, threads| {
        calls.fetch_add(1, Ordering::Relaxed);
        measure(load, seed, threads)
    };
    run(&sweep(2), &whole.points[3..], counting, &mut |_| Ok(())).unwrap();
    assert_eq!(calls.into_inner(), 3, "what is known is not measured again");
}

#[test]
fn points_lie_on_the_calculated_curve() {
    for point in curve(2, &[]).points.iter().filter(|point| point.load <= 0.8) {
        // Three half widths: 6 standard deviations of the mean.
        let away = (point.latency.mean - mean_time(point.load)).abs();
        assert!(away <= 3.0 * point.latency.ci95.unwrap(), "{point:?}");
    }
}

/// The mean time is ten times the service where rho (L - 1) = 18 L (1 - rho).
#[test]
fn saturation_is_where_the_latency_is_ten_times_the_service() {
    let service = SERVICE as f64;
    let wanted = 18.0 * service / (19.0 * service - 1.0);
    let found = curve(2, &[]).saturation.expect("it was asked for");
    let upper = found.not_carried.expect("no queue carries everything");
    assert!(found.load < upper && upper - found.load <= 0.011 * upper);
    assert!((found.load / wanted - 1.0).abs() < 0.03, "{} and {wanted}", found.load);
}

#[test]
fn every_new_point_is_told_once_and_a_refusal_ends_the_sweep() {
    let mut told = Vec::new();
    let whole = run(&sweep(3), &[], measure, &mut |point| {
        told.push(point.load);
        Ok(())
    })
    .unwrap();
    told.sort_by(f64::total_cmp);
    assert!(told.into_iter().eq(whole.points.iter().map(|point| point.load)));

    let full = || Error::io("results.jsonl", std::io::Error::other("the disk is full"));
    let refusal = run(&sweep(3), &[], measure, &mut |_| Err(full())).unwrap_err();
    assert!(refusal.to_string().contains("the disk is full"));
    let failing = |load, seed, threads| if load > 0.5 { Err(full()) } else { measure(load, seed, threads) };
    assert!(run(&sweep(2), &[], failing, &mut |_| Ok(())).is_err());
}

#[test]
fn the_search_ends_when_nothing_or_everything_is_carried() {
    let set = |saturated: bool| move |load, seed, _| Ok(Point { saturated, ..point(load, seed) });
    let sweep = Sweep { loads: vec![0.5], saturation: true, seed: 0, threads: 1 };
    let all = run(&sweep, &[], set(false), &mut |_| Ok(())).unwrap().saturation.unwrap();
    assert_eq!((all.load, all.not_carried), (1.0, None));
    let none = run(&sweep, &[], set(true), &mut |_| Ok(())).unwrap().saturation.unwrap();
    assert_eq!(none.load, 0.0);
    assert!(none.not_carried.unwrap() < 1e-5);
    let empty = Sweep { loads: vec![], ..sweep };
    let found = run(&empty, &[], measure, &mut |_| Ok(())).unwrap().saturation.unwrap();
    assert!((0.92..0.97).contains(&found.load), "{found:?}");
}

#[test]
fn loads_that_nobody_can_offer_are_refused() {
    for loads in [vec![0.0], vec![1.5], vec![f64::NAN], vec![0.1, -0.1]] {
        let sweep = Sweep { loads, saturation: false, seed: 0, threads: 1 };
        assert!(run(&sweep, &[], measure, &mut |_| Ok(())).is_err());
    }
    for (from, to, points) in [(0.0, 0.5, 3), (0.5, 0.1, 3), (0.1, 0.5, 0), (0.1, 2.0, 3)] {
        assert!(spread(from, to, points).is_err());
    }
    assert_eq!(spread(0.3, 0.3, 5).unwrap(), [0.3]);
}
