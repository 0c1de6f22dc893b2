//! Methods side by side: simulated time as a bar, prediction as a tick, bound as a dashed line.

use super::{Point, Px, Svg};
use crate::report::wording::{grouped, percent};
use crate::verdict::Outcome;

const WIDTH: f64 = 860.0;
const ROW: f64 = 32.0;
const TOP: f64 = 26.0;

/// Draws one bar per method; `None` when there is none.
pub(in crate::report) fn draw(outcomes: &[Outcome], winner: &str) -> Option<String> {
    let longest = outcomes.iter().map(|outcome| outcome.method.chars().count()).max()?;
    let left = (longest as f64 * 7.4 + 18.0).clamp(90.0, 300.0);
    let numbers = outcomes.iter().map(|outcome| value(outcome).chars().count()).max()? as f64 * 7.2 + 20.0;
    let cycles = |o: &Outcome| [o.bound_cycles, o.predicted_cycles, o.simulated_cycles];
    let greatest = outcomes.iter().flat_map(cycles).max().unwrap_or(0).max(1);
    let scale = (WIDTH - left - numbers) / greatest as f64;
    let x = |cycles: u64| left + cycles as f64 * scale;
    let bottom = TOP + ROW * outcomes.len() as f64;

    let mut svg = Svg::new("Simulated, predicted and bounded time of each method, in cycles");
    draw_ruler(&mut svg, greatest, &x, bottom);
    for (i, outcome) in outcomes.iter().enumerate() {
        draw_row(&mut svg, outcome, outcome.method == winner, TOP + ROW * i as f64, left, &x);
    }
    // Last, to lie over the bars; where the bound is the same for all, the dashes join to one line.
    for (i, outcome) in outcomes.iter().enumerate() {
        let top = Point::new(x(outcome.bound_cycles), TOP + ROW * i as f64);
        svg.line(top, top.plus(0.0, ROW), "bound");
    }
    draw_key(&mut svg, left, bottom + 26.0);
    Some(svg.finish(WIDTH, bottom + 56.0))
}

fn draw_row(svg: &mut Svg, outcome: &Outcome, wins: bool, top: f64, left: f64, x: &dyn Fn(u64) -> f64) {
    let middle = top + ROW / 2.0;
    let name: String = outcome.method.chars().take(40).collect();
    svg.text(Point::new(left - 12.0, middle + 4.5), if wins { "name wins" } else { "name" }, &name);
    let end = x(outcome.simulated_cycles);
    let (height, class) = (ROW * 0.56, if wins { "bar wins" } else { "bar" });
    let tip = format!(
        "{}: bound {}, predicted {}, simulated {} cycles",
        outcome.method,
        grouped(outcome.bound_cycles),
        grouped(outcome.predicted_cycles),
        grouped(outcome.simulated_cycles)
    );
    svg.tipped(
        "rect",
        &[
            ("x", &Px(left)),
            ("y", &Px(middle - height / 2.0)),
            ("width", &Px((end - left).max(1.0))),
            ("height", &Px(height)),
            ("rx", &3),
            ("class", &class),
        ],
        &tip,
    );
    let tick = Point::new(x(outcome.predicted_cycles), middle - height / 2.0 - 3.0);
    svg.line(tick, tick.plus(0.0, height + 6.0), "tick");
    let numbers = end.max(tick.x) + 10.0;
    svg.text(Point::new(numbers, middle + 4.5), if wins { "value wins" } else { "value" }, &value(outcome));
}

/// The simulated time and, where there is one, the gap.
fn value(outcome: &Outcome) -> String {
    let cycles = grouped(outcome.simulated_cycles);
    match outcome.gap.is_finite() {
        true => format!("{cycles}  +{}", percent(outcome.gap)),
        false => cycles,
    }
}

fn draw_ruler(svg: &mut Svg, greatest: u64, x: &dyn Fn(u64) -> f64, bottom: f64) {
    let step = round_step(greatest);
    for mark in (0..=greatest / step).map(|i| i * step) {
        let top = Point::new(x(mark), TOP - 4.0);
        svg.line(top, Point::new(top.x, bottom), "ruler");
        svg.text(top.plus(0.0, -6.0), "axis mid", &grouped(mark));
    }
}

/// 1, 2 or 5 times a power of ten: at most six marks.
fn round_step(greatest: u64) -> u64 {
    let mut power = 1u64;
    loop {
        for factor in [1, 2, 5] {
            let step = power.saturating_mul(factor);
            if greatest / step <= 5 {
                return step;
            }
        }
        power = power.saturating_mul(10);
    }
}

fn draw_key(svg: &mut Svg, left: f64, y: f64) {
    svg.leaf(
        "rect",
        &[
            ("x", &Px(left)),
            ("y", &Px(y - 6.0)),
            ("width", &26),
            ("height", &12),
            ("rx", &3),
            ("class", &"bar"),
        ],
    );
    svg.text(Point::new(left + 34.0, y + 4.5), "note", "simulated, gap to the bound");
    svg.line(Point::new(left + 236.0, y - 9.0), Point::new(left + 236.0, y + 9.0), "tick");
    svg.text(Point::new(left + 246.0, y + 4.5), "note", "predicted");
    svg.line(Point::new(left + 336.0, y - 11.0), Point::new(left + 336.0, y + 11.0), "bound");
    svg.text(Point::new(left + 346.0, y + 4.5), "note", "lower bound (cycles)");
}

#[cfg(test)]
mod tests {
    use super::round_step;

    #[test]
    fn rulers_have_few_marks() {
        for greatest in [1, 7, 999, 12_345, u64::MAX] {
            assert!(greatest / round_step(greatest) <= 5);
        }
    }
}
