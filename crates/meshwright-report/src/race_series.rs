//! Several races of one operation: curves over bytes, and who wins over bytes and costs.

use meshwright_core::words::{counted, grouped, short};
use meshwright_verdict::race::regimes::{Measured, Regime};

use super::series::{Map, NamedCurve, SeriesPage, SeriesTable};
use super::svg::regimes::{RegimeTile, draw};
use super::{File, wording};

/// What varies beside the bytes.
struct Cost {
    title: &'static str,
    file: &'static str,
    of: fn(&Regime<'_>) -> u64,
}

const COSTS: [Cost; 2] = [
    Cost { title: "start-up c, cycles", file: "regimes-startup.svg", of: |regime| regime.startup },
    Cost { title: "head flit, bytes", file: "regimes-flit.svg", of: |regime| regime.flit },
];

/// The page, its curves, and the maps of who wins: over bytes and start-ups, over bytes and head flits, as far as they vary.
///
/// # Panics
///
/// Without races.
pub fn race_files(races: &[Measured], table: SeriesTable) -> Vec<File> {
    let first = &races[0];
    let regimes: Vec<Regime<'_>> = races.iter().map(Measured::regime).collect();
    let (operation, costs) = (first.verdict.facts.operation.name(), first.machine.costs());
    let maps: Vec<Map> = COSTS.iter().filter_map(|cost| map(&regimes, cost)).collect();
    let note = |regime: &Regime<'_>| {
        let who = match regime.winners.as_slice() {
            [] => "nobody comes to an end".to_string(),
            some => some.join(", "),
        };
        format!("{}: {who}.", conditions(regime))
    };
    let (curves, algorithms) = curves(races, &regimes[0]);
    let over = match algorithms {
        0..=CURVES_MAX => "Simulated time over bytes".to_string(),
        all => format!(
            "Simulated time over bytes: the {CURVES_MAX} fastest of {all} algorithms; the table has all"
        ),
    };
    let copy = if first.verdict.facts.multicast { ", routers copy" } else { "" };
    let page = SeriesPage {
        title: &format!("{operation} on {}", first.machine.name()),
        machine: first.machine.name(),
        facts: vec![
            ("Machine", first.machine.name().to_string()),
            ("Members", grouped(first.verdict.facts.members.into())),
            ("Switching", first.machine.switching().name().to_string() + copy),
            ("Byte time b", costs.byte_time.to_string()),
        ],
        over: &over,
        headline: &headline(&regimes),
        notes: regimes.iter().map(note).collect(),
        axes: ["bytes of one member", "simulated time, cycles"],
        most: None,
        is_doubling: true,
        curves,
        maps,
        table,
    };
    page.files("race.svg")
}

fn conditions(regime: &Regime<'_>) -> String {
    format!("{} bytes, start-up {}, flit {}", grouped(regime.bytes), regime.startup, regime.flit)
}

/// Who wins anywhere.
fn headline(regimes: &[Regime<'_>]) -> String {
    let names = winners(regimes);
    match names.as_slice() {
        [] => "No algorithm comes to an end".to_string(),
        [one] => format!("{one} is the fastest of all that ran, in every size"),
        all => format!("{} are the fastest, each in its regime", all.join(", ")),
    }
}

/// The winners, in the order in which they first win; of equals the first.
fn winners(regimes: &[Regime<'_>]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in regimes.iter().filter_map(|regime| regime.winners.first()) {
        if !names.iter().any(|known| known == name) {
            names.push((*name).to_string());
        }
    }
    names
}

/// More algorithms than this are in the table alone: their curves would hide each other.
const CURVES_MAX: usize = 8;

/// An algorithm counts so many times the best where it was not simulated: less it was not worth.
const NOT_SIMULATED: f64 = 4.0;

/// The algorithms whose curves are drawn, the best first: the least geometric mean of their times over the best one of each
/// size, after those that win somewhere.
fn drawn<'r>(races: &[&'r Measured]) -> Vec<&'r str> {
    let mut ranks: Vec<(bool, f64, &str)> = Vec::new();
    for name in races.iter().flat_map(|race| &race.verdict.results).map(|outcome| outcome.method.as_str()) {
        if ranks.iter().any(|rank| rank.2 == name) {
            continue;
        }
        let mut rank = (true, 0.0, name);
        for race in races {
            let outcome = race.verdict.results.iter().find(|outcome| outcome.method == name);
            let best = race.verdict.winner().map_or(1, |winner| winner.time.0).max(1) as f64;
            let cycles = outcome.and_then(|outcome| outcome.simulated_cycles);
            let ratio = cycles.map_or(NOT_SIMULATED, |cycles| cycles.max(1) as f64 / best);
            rank = (rank.0 && ratio > 1.0, rank.1 + ratio.ln(), name);
        }
        ranks.push(rank);
    }
    ranks.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    ranks.into_iter().map(|rank| rank.2).collect()
}

/// Time over bytes under the costs of the first race: the bound and the best algorithms; and how many there are.
fn curves(races: &[Measured], costs: &Regime<'_>) -> (Vec<NamedCurve>, usize) {
    let is_one_of_them = |race: &&Measured| {
        let regime = race.regime();
        (regime.startup, regime.flit) == (costs.startup, costs.flit)
    };
    let races: Vec<&Measured> = races.iter().filter(is_one_of_them).collect();
    let names = drawn(&races);
    let curve = |name: &str, cycles: &dyn Fn(&Measured) -> Option<u64>| {
        let mut curve = NamedCurve { name: name.to_string(), ..NamedCurve::default() };
        for race in &races {
            let Some(cycles) = cycles(race) else { continue };
            let bytes = race.verdict.facts.bytes;
            curve.points.push((bytes.max(1) as f64, cycles.max(1) as f64));
            curve.tips.push(format!("{name}, {} bytes: {}", grouped(bytes), counted(cycles, "cycle")));
        }
        curve
    };
    let of = |name: &&str| {
        let cycles = |race: &Measured| {
            race.verdict.results.iter().find(|outcome| outcome.method == *name)?.simulated_cycles
        };
        curve(name, &cycles)
    };
    let bound = curve("bound", &|race| Some(race.verdict.facts.bound.cycles.0));
    let best = names.iter().take(CURVES_MAX).map(of).filter(|curve| !curve.points.is_empty());
    (std::iter::once(bound).chain(best).collect(), names.len())
}

/// The map over bytes and one of the costs; none where that does not vary.
fn map(regimes: &[Regime<'_>], cost: &Cost) -> Option<Map> {
    let distinct = |of: &dyn Fn(&Regime<'_>) -> u64| {
        let mut all: Vec<u64> = regimes.iter().map(of).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let (xs, ys) = (distinct(&|regime| regime.bytes), distinct(&cost.of));
    if ys.len() < 2 {
        return None;
    }
    // The other cost is that of the first race.
    let others = |regime: &Regime<'_>| {
        COSTS.iter().filter(|other| other.file != cost.file).map(|other| (other.of)(regime)).sum::<u64>()
    };
    let of_first = others(&regimes[0]);
    let names = winners(regimes);
    let tile = |regime: &Regime<'_>| {
        let place = |all: &[u64], value: u64| all.iter().position(|&one| one == value).unwrap_or_default();
        let name = regime.winners.first();
        let gap = regime.gap.map_or(String::new(), |gap| format!(", gap {}", wording::percent(gap)));
        let time = regime.simulated_cycles.map_or("no end".to_string(), |cycles| counted(cycles, "cycle"));
        RegimeTile {
            at: (place(&xs, regime.bytes), place(&ys, (cost.of)(regime))),
            winner: names.iter().position(|known| Some(&known.as_str()) == name),
            tip: format!("{}: {}, {time}{gap}", conditions(regime), regime.winners.join(", ")),
        }
    };
    let tiles: Vec<RegimeTile> =
        regimes.iter().filter(|regime| others(regime) == of_first).map(tile).collect();
    let words = |all: &[u64]| all.iter().map(|&value| short(value as f64)).collect::<Vec<_>>();
    let titles = ["bytes of one member", cost.title];
    Some(Map {
        file: cost.file,
        title: format!("The fastest algorithm over bytes and {}", cost.title),
        svg: draw(titles, (&words(&xs), &words(&ys)), &names, &tiles),
    })
}
