//! Section 5.1: equations (1) to (10), each against the referee.

use super::HOLDS;
use super::study::{BOTH, Mapping, Mapping::Reflecting, Study, costs};
use crate::Claim;
use crate::check::{Check, Derivation, Numbers};
use meshwright_core::error::Result;
use meshwright_core::exact::Exact;
use meshwright_core::units::{Bytes, NodeId};
use meshwright_network::topology::Switching::{StoreAndForward, Wormhole};
use meshwright_network::topology::{Machine, Switching};
use meshwright_schedule::{Message, Phases};
use meshwright_sim as sim;

/// "Is about" is checked as: differs by less than this share where one term outweighs the others a thousand times.
const SMALL: (i64, i64) = (1, 500);

/// Wormhole routing, then store-and-forward.
pub(super) const CLAIMS: &[Claim<Study>] = &[
    Claim {
        id: "eq-1",
        source: "Eq. (1)",
        statement: "time of one message under wormhole routing",
        definition: "simulated time of one message over d links of an idle line",
        printed: "T(e) = c + b (W + d h)",
        fails_if: "a simulated message on an idle line takes another time than c + b (W + d h)",
        derive: eq_1,
        ..HOLDS
    },
    Claim {
        id: "eq-2",
        source: "Eq. (2)",
        statement: "a large message takes about b W",
        definition: "simulated time over b W where b W > 1000 (c + b d h)",
        printed: "T(e) / (b W) = 1, up to (c + b d h) / (b W)",
        fails_if: "for a large message the simulated time is 1/500 or more away from b W",
        derive: eq_2,
        ..HOLDS
    },
    Claim {
        id: "eq-3",
        source: "Eq. (3)",
        statement: "a small message takes about c, however far it goes",
        definition: "simulated time over c where c > 1000 b (W + d h)",
        printed: "T(e) / c = 1, up to b (W + d h) / c",
        fails_if: "for a small message the simulated time is 1/500 or more away from c",
        derive: eq_3,
        ..HOLDS
    },
    Claim {
        id: "eq-4",
        source: "Eq. (4)",
        statement: "time of a contention-free mapping under wormhole routing",
        definition: "simulated time of M_R(B(n)), alpha = 1/2: all terms, and with c or b far above the others",
        printed: "c n for small, b (W(E_1) + ... + W(E_n)) for large volumes; all terms: \
            c n + b sum W(E_i) + b h sum D(E_i)",
        fails_if: "the simulated time of M_R differs from all terms, or by 1/500 from the greatest where it \
            outweighs the others",
        derive: eq_4,
        ..HOLDS
    },
    Claim {
        id: "eq-5",
        source: "Eq. (5)",
        statement: "every contention-free mapping has slowdown 1 under wormhole routing",
        definition: "simulated time with h = 0 over c n + b sum W(E_i), for four mappings without contention",
        printed: "S(M) = 1",
        fails_if: "one of the four mappings meets contention, or takes longer than the perfect time with h = 0",
        derive: eq_5,
        ..HOLDS
    },
    Claim {
        id: "eq-6",
        source: "Eq. (6)",
        statement: "time of one message under store-and-forward routing",
        definition: "simulated time of one message over d links of an idle line",
        printed: "T(e) = d (c + b W): c D(e) if c outweighs b W, b D_w(e) if b W outweighs c",
        fails_if: "a simulated message on an idle line takes another time than d (c + b W), or 1/500 away from the \
            greater term",
        derive: eq_6,
        ..HOLDS
    },
    Claim {
        id: "eq-7",
        source: "Eq. (7)",
        statement: "time of a phase under store-and-forward routing",
        definition: "simulated time of each phase of M_R and M_G, alpha 1 and 1/2",
        printed: "T(E_i) = c D(E_i) with b = 0, b D_w(E_i) with c = 0",
        fails_if: "a simulated phase of M_R or M_G takes another time than c D(E_i) or b D_w(E_i)",
        derive: eq_7,
        ..HOLDS
    },
    Claim {
        id: "eq-8",
        source: "Eq. (8)",
        statement: "time of all phases under store-and-forward routing",
        definition: "simulated time of M_R and M_G, all terms",
        printed: "T(E_C) = c sum D(E_i) + b sum D_w(E_i)",
        fails_if: "the simulated time of M_R or M_G is not the sum of both terms",
        derive: eq_8,
        ..HOLDS
    },
    Claim {
        id: "eq-9",
        source: "Eq. (9)",
        statement: "time of the perfect mapping under store-and-forward routing",
        definition: "simulated time of M_R(B(n)) for n <= 4, which has dilation 1 and no contention",
        printed: "T_P(E_C) = c n + b (W(E_1) + ... + W(E_n))",
        fails_if: "M_R of B(1) to B(4), which is perfect, takes another time",
        derive: eq_9,
        ..HOLDS
    },
    Claim {
        id: "eq-10",
        source: "Eq. (10)",
        statement: "slowdown under store-and-forward routing",
        definition: "simulated time over the perfect time, with b W = 1 in units of c for small and c = 0 for large volumes",
        printed: "(1/n) sum D(E_i) for small, sum D_w(E_i) / sum W(E_i) for large volumes",
        fails_if: "the simulated slowdown differs from the quotient for some n, mapping or volume",
        derive: eq_10,
        ..HOLDS
    },
];

/// One message on an idle line: costs, size and way.
#[derive(Clone, Copy, Debug)]
struct Alone {
    c: u64,
    b: u64,
    h: u64,
    w: u64,
    d: u32,
}

impl Alone {
    fn simulate(&self, switching: Switching) -> Result<u64> {
        let mut line = Machine::mesh([1, self.d + 1])?.with_switching(switching);
        line = line.with_costs(costs(self.c, self.b, self.h))?;
        let message = Message { source: NodeId(0), target: NodeId(self.d), bytes: Bytes(self.w), phase: 1 };
        Ok(sim::simulate(&line, &Phases::new(self.d + 1, vec![message]), &sim::Engine::Message)?.ticks)
    }

    /// Every combination of a few costs, sizes and ways, small ones first.
    fn grid() -> impl Iterator<Item = Self> {
        let c_and_b = [0, 7, 100].into_iter().flat_map(|c| [1, 3].map(|b| (c, b)));
        let with_h = c_and_b.flat_map(|(c, b)| [1, 2, 8].map(|h| (c, b, h)));
        let with_w = with_h.flat_map(|(c, b, h)| [1, 64, 1000].map(|w| (c, b, h, w)));
        with_w.flat_map(|(c, b, h, w)| [1, 2, 5, 16].map(|d| Self { c, b, h, w, d }))
    }
}

/// The range of [`Alone::grid`].
const GRID: &str = "c of 0, 7, 100; b of 1, 3; h of 1, 2, 8; W of 1, 64, 1000 bytes; d of 1, 2, 5, 16 links";

fn eq_1(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let mut numbers = Numbers::new(&["c", "b", "h", "W", "d", "c + b (W + d h)", "simulated"]);
    for alone in Alone::grid() {
        let Alone { c, b, h, w, d } = alone;
        let (formula, simulated) = (c + b * (w + u64::from(d) * h), alone.simulate(Wormhole)?);
        check.equal(&formula, &simulated, || format!("{alone:?}"));
        if (b, h, w) == (3, 2, 64) {
            numbers.row(&[&c, &b, &h, &w, &d, &formula, &simulated]);
        }
    }
    Ok(Derivation::of(GRID, check).numbers(numbers))
}

/// A share of the whole by which a simulated time may differ from its main term.
fn close(check: &mut Check, simulated: u64, term: u64, words: impl FnOnce() -> String) {
    let share = Exact::from(simulated).distance(&Exact::from(term)) / Exact::from(term);
    check.case(share < Exact::fraction(SMALL.0, SMALL.1), words);
}

fn eq_2(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let mut numbers = Numbers::new(&["W", "d", "b W", "simulated", "apart"]);
    for (w, d) in [20u32, 25, 30].into_iter().flat_map(|e| [1, 8, 64].map(|d| (1u64 << e, d))) {
        let simulated = Alone { c: 100, b: 3, h: 2, w, d }.simulate(Wormhole)?;
        close(&mut check, simulated, 3 * w, || format!("W = {w}, d = {d}: {simulated}"));
        let apart = format!("{:.6} %", 100.0 * (simulated as f64 / (3 * w) as f64 - 1.0));
        numbers.row(&[&w, &d, &(3 * w), &simulated, &apart]);
    }
    Ok(Derivation::of("W from 2^20 to 2^30 bytes over 1 to 64 links, c = 100, b = 3, h = 2", check)
        .numbers(numbers))
}

fn eq_3(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let mut numbers = Numbers::new(&["c", "d", "simulated", "apart"]);
    for (c, d) in [20u32, 25, 30].into_iter().flat_map(|e| [1, 8, 64].map(|d| (1u64 << e, d))) {
        let simulated = Alone { c, b: 3, h: 2, w: 16, d }.simulate(Wormhole)?;
        close(&mut check, simulated, c, || format!("c = {c}, d = {d}: {simulated}"));
        let apart = format!("{:.6} %", 100.0 * (simulated as f64 / c as f64 - 1.0));
        numbers.row(&[&c, &d, &simulated, &apart]);
    }
    Ok(Derivation::of("c from 2^20 to 2^30 cycles, 16 bytes over 1 to 64 links, b = 3, h = 2", check)
        .numbers(numbers))
}

fn eq_4(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let mut numbers = Numbers::new(&["n", "c n", "b sum W", "b h sum D", "all terms", "simulated"]);
    for n in 1..=study.n_simulated() {
        let sum = (1u64 << n) - 1;
        let run =
            |c, h, scale: u64| study.simulate(Reflecting, n, Wormhole, costs(c, 3, h), |i| scale << (n - i));
        let dilations = study.survey(Reflecting, n).dilations();
        let terms = [100 * u64::from(n), 3 * sum, 3 * 2 * dilations];
        let simulated = run(100, 2, 1)?.ticks;
        check.equal(&terms.iter().sum(), &simulated, || format!("B({n}), all terms"));
        numbers.row(&[&n, &terms[0], &terms[1], &terms[2], &terms.iter().sum::<u64>(), &simulated]);
        close(&mut check, run(1 << 30, 2, 1)?.ticks, u64::from(n) << 30, || format!("B({n}), small volume"));
        close(&mut check, run(1, 1, 1 << 20)?.ticks, (3 * sum) << 20, || format!("B({n}), large volume"));
    }
    Ok(Derivation::of(format!("B(1) to B({}), both limits and all terms", study.n_simulated()), check)
        .numbers(numbers))
}

fn eq_5(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let free =
        [Reflecting, Mapping::Named("centred-halving"), Mapping::Named("row-major"), Mapping::Named("snake")];
    for n in 1..=study.n_simulated() {
        for mapping in free {
            let contention = study.measure(mapping, n)?.phases.iter().map(|phase| phase.contention).max();
            check.equal(&0, &contention.unwrap_or(0), || format!("{} of B({n}): contention", mapping.name()));
            for (c, scale) in [(1000, 1), (0, 1)] {
                let simulated =
                    study.simulate(mapping, n, Wormhole, costs(c, 1, 0), |i| scale << (n - i))?.ticks;
                let perfect = c * u64::from(n) + (scale << n) - scale;
                check.equal(&perfect, &simulated, || format!("{} of B({n}), c = {c}", mapping.name()));
            }
        }
    }
    let range = format!("B(1) to B({}), M_R, centred halving, rows, snake", study.n_simulated());
    Ok(Derivation::of(range, check))
}

fn eq_6(_: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let mut numbers = Numbers::new(&["c", "b", "W", "d", "d (c + b W)", "simulated"]);
    for alone in Alone::grid() {
        let Alone { c, b, h, w, d } = alone;
        let (formula, simulated) = (u64::from(d) * (c + b * w), alone.simulate(StoreAndForward)?);
        check.equal(&formula, &simulated, || format!("{alone:?}"));
        if (b, h, w) == (3, 2, 64) {
            numbers.row(&[&c, &b, &w, &d, &formula, &simulated]);
        }
    }
    for d in [1, 8, 64] {
        let far = u64::from(d);
        let small = Alone { c: 1 << 20, b: 1, h: 2, w: 16, d }.simulate(StoreAndForward)?;
        close(&mut check, small, far << 20, || format!("small volume, d = {d}"));
        let large = Alone { c: 16, b: 1, h: 2, w: 1 << 20, d }.simulate(StoreAndForward)?;
        close(&mut check, large, far << 20, || format!("large volume, d = {d}"));
    }
    Ok(Derivation::of(format!("{GRID}; both limits"), check).numbers(numbers))
}

/// Both mappings of B(1), B(2), ... with alpha 1 and 1/2: n, mapping, whether volumes are halved.
fn stored(study: &Study) -> impl Iterator<Item = (u32, Mapping, bool)> {
    let both =
        |n| BOTH.into_iter().flat_map(move |mapping| [false, true].map(|halving| (n, mapping, halving)));
    (1..=study.n_simulated()).flat_map(both)
}

fn eq_7(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    for (n, mapping, halving) in stored(study) {
        let bytes = |i: u32| if halving { 1u64 << (n - i) } else { 1 };
        // Messages of no bytes leave the start-ups alone; without start-ups the bytes remain.
        let (small, large) = (
            study.simulate(mapping, n, StoreAndForward, costs(1, 1, 0), |_| 0)?,
            study.simulate(mapping, n, StoreAndForward, costs(0, 1, 0), bytes)?,
        );
        for (index, phase) in study.survey(mapping, n).phases.iter().enumerate() {
            let (i, d) = (index as u32 + 1, u64::from(phase.dilation));
            let words = |what: &str| format!("{} of B({n}), phase {i}, {what} volume", mapping.name());
            check.equal(&d, &small.phase_ticks[index], || words("small"));
            check.equal(&(d * bytes(i)), &large.phase_ticks[index], || words("large"));
        }
    }
    Ok(Derivation::of(format!("every phase of B(1) to B({}), both mappings", study.n_simulated()), check))
}

fn eq_8(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let mut numbers =
        Numbers::new(&["n", "mapping", "alpha", "sum D", "2^n sum D_w", "c sum D + b sum D_w", "simulated"]);
    for (n, mapping, halving) in stored(study) {
        let bytes = |i: u32| 1u64 << if halving { n - i } else { n };
        let phases = (1u32..).zip(&study.survey(mapping, n).phases);
        let weighted: u64 = phases.map(|(i, phase)| bytes(i) * u64::from(phase.dilation)).sum();
        let dilations = study.survey(mapping, n).dilations();
        let formula = 100 * dilations + 3 * weighted;
        let simulated = study.simulate(mapping, n, StoreAndForward, costs(100, 3, 2), bytes)?.ticks;
        check.equal(&formula, &simulated, || format!("{} of B({n})", mapping.name()));
        if n % 2 == 0 {
            let alpha = if halving { "1/2" } else { "1" };
            numbers.row(&[&n, &mapping.name(), &alpha, &dilations, &weighted, &formula, &simulated]);
        }
    }
    let range = format!("B(1) to B({}), both mappings, alpha 1 and 1/2, c = 100, b = 3", study.n_simulated());
    Ok(Derivation::of(range, check).numbers(numbers))
}

fn eq_9(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    for (n, _, halving) in stored(study).filter(|(n, mapping, _)| *n <= 4 && *mapping == Reflecting) {
        let bytes = |i: u32| if halving { 1u64 << (n - i) } else { 1 };
        let sum: u64 = (1..=n).map(bytes).sum();
        for (c, b) in [(1, 1), (100, 1), (0, 3), (7, 2)] {
            let simulated = study.simulate(Reflecting, n, StoreAndForward, costs(c, b, 2), bytes)?.ticks;
            check.equal(&(c * u64::from(n) + b * sum), &simulated, || format!("B({n}), c = {c}, b = {b}"));
        }
    }
    Ok(Derivation::of("B(1) to B(4), alpha 1 and 1/2, four pairs of c and b", check)
        .note("For n >= 5 no mapping attains it (definition 9): it is a bound there."))
}

fn eq_10(study: &Study) -> Result<Derivation> {
    let mut check = Check::default();
    let mut numbers =
        Numbers::new(&["n", "mapping", "S small", "simulated", "S large, alpha = 1/2", "simulated"]);
    for (n, mapping, _) in stored(study).filter(|(_, _, halving)| *halving) {
        let (survey, half) = (study.survey(mapping, n), Exact::fraction(1, 2));
        let small = Exact::from(survey.dilations()) / Exact::from(n);
        let large = survey.weighted(&half) / super::study::weights(&half, n);
        let start_ups = study.simulate(mapping, n, StoreAndForward, costs(1, 1, 0), |_| 0)?.ticks;
        let simulated_small = Exact::from(start_ups) / Exact::from(n);
        let simulated_large =
            study.simulate_large(mapping, n, StoreAndForward, true)? / super::study::weights(&half, n);
        check.equal(&small, &simulated_small, || format!("{} of B({n}), small volume", mapping.name()));
        check.equal(&large, &simulated_large, || format!("{} of B({n}), large volume", mapping.name()));
        if n % 2 == 0 {
            numbers.row(&[&n, &mapping.name(), &small, &simulated_small, &large, &simulated_large]);
        }
    }
    Ok(Derivation::of(format!("B(1) to B({}), both mappings", study.n_simulated()), check).numbers(numbers))
}
