//! What the bound proves of growing: where it is optimal, how near it is beyond, and what is left open.

use super::*;

#[test]
fn growing_is_optimal_up_to_n_15() {
    for n in 1..=15 {
        let profile = Profile::new(&square(n), n);
        for alpha in ALPHAS {
            let weights = powers(alpha, n);
            let (bound, time) = (profile.least_of_fractions(&weights), cost(&growing_dilations(n), &weights));
            assert!((bound / time - 1.0).abs() < 1e-14, "B({n}), alpha {alpha}: {bound} < {time}");
        }
        assert_eq!(profile.distance(), u64::from(growing_dilations(n).iter().sum::<u32>()), "B({n})");
    }
}

/// The greatest gap of growing on its mesh over the shares, as a fraction.
fn greatest_gap(n: u32, alphas: &[f64]) -> f64 {
    let profile = Profile::new(&square(n), n);
    let gap = |&alpha: &f64| {
        let weights = powers(alpha, n);
        let (bound, time) = (profile.least_of_fractions(&weights), cost(&growing_dilations(n), &weights));
        assert!(bound <= time * (1.0 + 1e-14), "B({n}), alpha {alpha}: no bound exceeds a time");
        assert!(bound >= bound::weighted(profile.prefix(), &weights) * (1.0 - 1e-14), "the prefix bound");
        time / bound - 1.0
    };
    alphas.iter().map(gap).fold(0.0, f64::max)
}

#[test]
fn growing_is_almost_optimal_beyond() {
    for n in [16, 17] {
        let gap = greatest_gap(n, &[0.5, FRAC_1_SQRT_2]);
        assert!(gap > 0.0 && gap < 0.0007, "B({n}): {gap}");
    }
}

#[test]
#[ignore = "15 seconds: every share up to the machine's largest tree"]
fn growing_is_almost_optimal_for_every_share() {
    for (n, most) in [(16, 0.0007), (17, 0.002), (18, 0.004), (20, 0.01), (24, 0.015)] {
        let gap = greatest_gap(n, &ALPHAS);
        println!("B({n}): {:.4} %", 100.0 * gap);
        assert!(gap < most, "B({n}): {gap}");
    }
}

/// 1 1 1 1 1 1 2 2 2 4 4 4: growing on boxes of three sides as equal as can be.
#[test]
fn growing_is_optimal_in_three_dimensions() {
    for n in 4..=13u32 {
        let sides: Vec<String> = (0..3).map(|axis| (1u32 << ((n + axis) / 3)).to_string()).collect();
        for family in ["mesh", "torus"] {
            let profile = Profile::new(&machine(&format!("{family}:{}", sides.join("x"))), n);
            let dilations: Vec<u32> = (0..n).map(|i| if i < 3 { 1 } else { 1 << (i / 3 - 1) }).collect();
            for alpha in ALPHAS {
                let weights = powers(alpha, n);
                let (bound, time) = (profile.least_of_fractions(&weights), cost(&dilations, &weights));
                assert!((bound / time - 1.0).abs() < 1e-14, "B({n}), alpha {alpha}: {bound} < {time}");
            }
        }
    }
}

/// On the infinite grid, with nothing but the radius of the mesh, the bound cannot exclude a sequence that is cheaper
/// than growing's for n = 15 and alpha = 1/2. The borders of the mesh of 2^15 nodes do.
#[test]
fn the_borders_exclude_what_the_infinite_grid_does_not() {
    let sequence = [1, 1, 1, 1, 2, 2, 4, 4, 8, 8, 16, 17, 28, 36, 63];
    let halves = powers(0.5, 15);
    assert!(cost(&sequence, &halves) < cost(&growing_dilations(15), &halves));
    assert_eq!(sequence.iter().sum::<u32>(), 192, "the radius of the mesh");
    let infinite: Vec<u64> = (0..192).map(|r: u64| 2 * r * r + 2 * r + 1).collect();
    let mut sums = [0u64; 200];
    for set in 0..1usize << 15 {
        sums[(0..15).filter(|i| set >> i & 1 == 1).map(|i| sequence[i] as usize).sum::<usize>()] += 1;
    }
    let within: Vec<u64> = sums
        .iter()
        .scan(0, |sum, count| {
            *sum += count;
            Some(*sum)
        })
        .collect();
    assert!(within.iter().zip(&infinite).all(|(sets, nodes)| sets <= nodes));
    assert!(Profile::new(&machine("mesh:1024x1024"), 15).allows(&sequence));
    let mesh = square(15);
    assert!(!Profile::new(&mesh, 15).allows(&sequence));
    let too_many = bound::largest_balls(&mesh).iter().zip(&within).position(|(nodes, sets)| sets > nodes);
    assert!(too_many.is_some_and(|radius| radius > 64), "at {too_many:?}, beyond the shorter border");
}

/// The prefix bounds alone, in closed form: on the paper's mesh growing is within 2.57 % of the best for n <= 60.
#[test]
fn the_prefix_bound_gives_a_guarantee() {
    let plane = machine("mesh:3x3");
    // The least D with D^2 >= 2^j - 2, by two balls of the plane.
    let least_sum = |j: u32| {
        let balls = |sum: u64| {
            let ball = |hops: u64| u128::from(bound::ball(plane.network(), hops as u32));
            ball(sum / 2) + ball((sum - 1) / 2)
        };
        let mut low = 0u64;
        for bit in (0..31).rev() {
            if balls(low | 1 << bit) < 1u128 << j {
                low |= 1 << bit;
            }
        }
        (low + 1).max(u64::from(j))
    };
    let sums: Vec<u64> = (1..=60).map(least_sum).collect();
    let mut worst = (0.0, 0.0);
    for n in 1..=60u32 {
        let mut prefix = sums[..n as usize].to_vec();
        let radius = growing_dilations(n).iter().map(|&d| u64::from(d)).sum();
        *prefix.last_mut().unwrap() = radius;
        for alpha in (1..=200).map(|step| f64::from(step) * 0.005) {
            let weights = powers(alpha, n);
            let time = cost(&growing_dilations(n), &weights);
            let ratio = time / bound::weighted(&prefix, &weights);
            if ratio > worst.0 {
                worst = (ratio, alpha);
            }
        }
    }
    assert!(worst.0 <= 1.0257 && worst.0 > 1.025, "{worst:?}");
    assert!((worst.1 - 0.725).abs() < 0.03, "{worst:?}");
    assert!((3..=60u32).all(|j| u128::from(sums[j as usize - 1]).pow(2) >= (1 << j) - 2), "{sums:?}");
    for q in 1..=30 {
        assert_eq!(sums[2 * q - 1], 1 << q, "even prefixes: growing's");
    }
}

/// Without an end to the search the bound is still between the prefix bound and growing's time.
#[test]
fn the_largest_trees_have_a_bound_too() {
    let mesh = machine("mesh:4096x4096");
    let job =
        Divide { shape: Shape::Binomial(24), alpha: Some(1.0), combine_alpha: None, volume: Bytes(1 << 40) };
    let costs = Costs {
        startup: Cycles(1 << 32),
        byte_time: Ratio::new(1 << 16, 65_535).unwrap(),
        ..Costs::default()
    };
    let ticks = bound::divide_ticks(&job, &mesh, Switching::StoreAndForward, &costs);
    assert_eq!(ticks, u64::MAX, "more than 64 bits count");
    assert_eq!(Profile::new(&machine("mesh:16777216"), 24).distance(), 1 << 23);
}
