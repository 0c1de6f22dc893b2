//! Methods side by side: simulated time as a bar, prediction as a tick, bound as a dashed line.

use super::{Point, Svg};
use crate::wording::percent;
use meshwright_core::words::grouped;
use meshwright_verdict::Outcome;

const WIDTH: f64 = 860.0;
const ROW: f64 = 32.0;
const TOP: f64 = 26.0;

/// Below this gap of the worst method, bars from 0 look all the same.
const ZOOM_GAP_MAX: f64 = 0.05;

/// From a panel to the heading of the next.
const PANEL_GAP: f64 = 36.0;

/// Bars on one scale, which starts at 0.
struct Panel<'a, D> {
    outcomes: &'a [Outcome<D>],
    best: &'a [&'a str],
    heading: &'static str,
    /// What is taken off every time: 0, or the bound.
    base: fn(&Outcome<D>) -> u64,
    label: fn(&Outcome<D>) -> String,
    left: f64,
    top: f64,
}

/// Draws one bar per method; `None` when there is none.
///
/// Bars start at 0, else their lengths would lie. Where they then all look the same, a second panel shows
/// what lies above the bound.
pub fn draw<D>(outcomes: &[Outcome<D>], best: &[&str]) -> Option<String> {
    let longest = outcomes.iter().map(|outcome| outcome.method.chars().count()).max()?;
    let left = (longest as f64 * 8.2 + 20.0).clamp(90.0, 320.0);
    let mut svg = Svg::new("Simulated, predicted and bounded time of each method, in cycles");
    let whole = Panel { outcomes, best, heading: "", base: |_| 0, label: value, left, top: TOP };
    let mut bottom = whole.draw(&mut svg);
    if is_zoomed(outcomes) {
        let heading = "Above the bound";
        let (base, label) = (|outcome: &Outcome<D>| outcome.bound_cycles, excess::<D>);
        let top = bottom + PANEL_GAP + TOP;
        bottom = Panel { heading, base, label, top, ..whole }.draw(&mut svg);
    }
    draw_key(&mut svg, left, bottom + 26.0);
    Some(svg.finish(WIDTH, bottom + 56.0))
}

/// What must be said below the bars, if anything.
pub fn note<D>(outcomes: &[Outcome<D>]) -> String {
    match is_zoomed(outcomes) {
        true => {
            "Above, bars start at 0. Below, only what lies above the bound, on a scale of its own.".into()
        }
        false => String::new(),
    }
}

fn is_zoomed<D>(outcomes: &[Outcome<D>]) -> bool {
    let worst = outcomes.iter().map(|outcome| outcome.gap().unwrap_or_default()).fold(0.0, f64::max);
    worst > 0.0 && worst < ZOOM_GAP_MAX
}

impl<D> Panel<'_, D> {
    /// Draws the panel and returns where it ends.
    fn draw(&self, svg: &mut Svg) -> f64 {
        let Self { outcomes, top, left, .. } = *self;
        let above = |outcome: &Outcome<D>, cycles: u64| cycles.saturating_sub((self.base)(outcome));
        let of = |o: &Outcome<D>| [o.bound_cycles, o.predicted_cycles, o.simulated()].map(|c| above(o, c));
        let greatest = outcomes.iter().flat_map(of).max().unwrap_or(0).max(1);
        let longest = outcomes.iter().map(|outcome| (self.label)(outcome).chars().count()).max().unwrap_or(0);
        // Digits of bold type in a broad font: no label is cut off at the right.
        let scale = (WIDTH - left - longest as f64 * 8.2 - 14.0) / greatest as f64;
        let x = |cycles: u64| left + cycles as f64 * scale;
        let bottom = top + ROW * outcomes.len() as f64;
        svg.text(Point::new(left - 12.0, top - 10.0), "axis end", "cycles");
        if !self.heading.is_empty() {
            svg.text(Point::new(left, top - 32.0), "plane", self.heading);
        }
        draw_ruler(svg, greatest, &x, (top, bottom));
        for (i, outcome) in outcomes.iter().enumerate() {
            self.draw_row(svg, outcome, top + ROW * i as f64, &|cycles| x(above(outcome, cycles)));
        }
        // Last, to lie over the bars; where the bound is the same for all, the dashes join to one line.
        for (i, outcome) in outcomes.iter().enumerate() {
            let top = Point::new(x(above(outcome, outcome.bound_cycles)), top + ROW * i as f64);
            svg.line(top, top.plus(0.0, ROW), "bound");
        }
        bottom
    }

    fn draw_row(&self, svg: &mut Svg, outcome: &Outcome<D>, top: f64, x: &dyn Fn(u64) -> f64) {
        let (left, middle) = (self.left, top + ROW / 2.0);
        let wins = self.best.contains(&outcome.method.as_str());
        let name: String = outcome.method.chars().take(40).collect();
        svg.text(Point::new(left - 12.0, middle + 4.5), if wins { "name wins" } else { "name" }, &name);
        let end = x(outcome.simulated());
        let (height, class) = (ROW * 0.56, if wins { "bar wins" } else { "bar" });
        let tip = format!(
            "{}: bound {}, predicted {}, simulated {} cycles",
            outcome.method,
            grouped(outcome.bound_cycles),
            grouped(outcome.predicted_cycles),
            grouped(outcome.simulated())
        );
        let corner = Point::new(left, middle - height / 2.0);
        svg.rounded(corner, ((end - left).max(1.0), height), 3.0, class, Some(&tip));
        let tick = Point::new(x(outcome.predicted_cycles), middle - height / 2.0 - 3.0);
        svg.line(tick, tick.plus(0.0, height + 6.0), "tick");
        let numbers = Point::new(end.max(tick.x) + 10.0, middle + 4.5);
        svg.text(numbers, if wins { "value wins" } else { "value" }, &(self.label)(outcome));
    }
}

/// The simulated time and, where there is one, the gap.
fn value<D>(outcome: &Outcome<D>) -> String {
    let cycles = grouped(outcome.simulated());
    match outcome.gap().unwrap_or_default().is_finite() {
        true if outcome.gap().unwrap_or_default() == 0.0 => format!("{cycles}  = bound"),
        true => format!("{cycles}  +{}", percent(outcome.gap().unwrap_or_default())),
        false => cycles,
    }
}

/// What lies above the bound.
fn excess<D>(outcome: &Outcome<D>) -> String {
    match outcome.simulated().saturating_sub(outcome.bound_cycles) {
        0 => "0".to_string(),
        cycles => format!("+{}", grouped(cycles)),
    }
}

fn draw_ruler(svg: &mut Svg, greatest: u64, x: &dyn Fn(u64) -> f64, (top, bottom): (f64, f64)) {
    let step = round_step(greatest);
    for mark in (0..=greatest / step).map(|i| i * step) {
        let end = Point::new(x(mark), top - 4.0);
        svg.line(end, Point::new(end.x, bottom), "ruler");
        svg.text(end.plus(0.0, -6.0), "axis mid", &grouped(mark));
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
    svg.rounded(Point::new(left, y - 6.0), (26.0, 12.0), 3.0, "bar", None);
    svg.text(Point::new(left + 34.0, y + 4.5), "note", "simulated, and its gap");
    svg.line(Point::new(left + 206.0, y - 9.0), Point::new(left + 206.0, y + 9.0), "tick");
    svg.text(Point::new(left + 216.0, y + 4.5), "note", "predicted");
    svg.line(Point::new(left + 306.0, y - 11.0), Point::new(left + 306.0, y + 11.0), "bound");
    svg.text(Point::new(left + 316.0, y + 4.5), "note", "lower bound");
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
