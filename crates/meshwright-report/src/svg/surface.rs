//! A value over two variables: as a surface in space, and as a map of coloured fields.

use super::axes::marks;
use super::path::Path;
use super::{Point, Svg, palette};
use meshwright_core::words::short;

/// Values over a grid.
pub struct Surface {
    /// What it shows, in words.
    pub label: String,
    /// Names with units: of the first variable, the second, and the value.
    pub titles: [String; 3],
    /// The places along the first variable.
    pub x: Vec<f64>,
    /// The places along the second.
    pub y: Vec<f64>,
    /// The value at each place of x, for each place of y after the other.
    pub values: Vec<f64>,
}

/// The directions of the axes on paper, in pixels for their whole length: x to the lower right, y to the lower left.
const X_AXIS: Point = Point { x: 250.0, y: 92.0 };
const Y_AXIS: Point = Point { x: 210.0, y: -104.0 };
const HEIGHT: f64 = 230.0;

/// The corner where x is least and y greatest, on the floor.
const ORIGIN: Point = Point { x: 86.0, y: 366.0 };

/// The size of the map.
const MAP: Point = Point { x: 470.0, y: 300.0 };

impl Surface {
    fn value(&self, x: usize, y: usize) -> f64 {
        self.values[y * self.x.len() + x]
    }

    fn greatest(&self) -> f64 {
        self.values.iter().copied().filter(|value| value.is_finite()).fold(0.0, f64::max)
    }

    /// Where a value over a place of the grid is on paper.
    fn at(&self, x: f64, y: f64, value: f64) -> Point {
        let share = |axis: &[f64], place: f64| {
            let (first, last) = (axis[0], axis[axis.len() - 1]);
            if last > first { (place - first) / (last - first) } else { 0.5 }
        };
        // Small values of the second variable are behind.
        let (u, v) = (share(&self.x, x), 1.0 - share(&self.y, y));
        let w = value / self.top();
        ORIGIN.plus(X_AXIS.x * u + Y_AXIS.x * v, X_AXIS.y * u + Y_AXIS.y * v).plus(0.0, -HEIGHT * w)
    }

    /// The top of the value axis: its last mark.
    fn top(&self) -> f64 {
        let all: Vec<f64> = marks(self.greatest().max(1e-9)).collect();
        let step = all.get(1).copied().unwrap_or(1.0);
        let last = all.last().copied().unwrap_or(1.0);
        if last < self.greatest() * 0.999 { last + step } else { last }
    }

    /// The surface, seen from above: fields coloured by their mean value, the nearer ones in front.
    pub fn in_space(&self) -> String {
        let mut svg = Svg::new(self.label.clone());
        self.draw_walls(&mut svg);
        let greatest = self.greatest();
        // From behind to the front: small y and small x are behind.
        for y in 0..self.y.len().saturating_sub(1) {
            for x in 0..self.x.len().saturating_sub(1) {
                let places = [(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)];
                let corners = places.map(|(i, j)| self.at(self.x[i], self.y[j], self.value(i, j)));
                let mean = places.iter().map(|&(i, j)| self.value(i, j)).sum::<f64>() / 4.0;
                let mut path = Path::default();
                path.polygon(&corners);
                let class = format!("fill mesh-line {}", class(mean, greatest));
                svg.leaf("path", &[("d", &path.data()), ("class", &class)]);
            }
        }
        self.draw_space_axes(&mut svg);
        svg.finish(ORIGIN.x + X_AXIS.x + Y_AXIS.x + 60.0, ORIGIN.y + X_AXIS.y + 66.0)
    }

    /// The floor, and the two walls behind with a line for each mark of the value.
    fn draw_walls(&self, svg: &mut Svg) {
        let (x, y) = ([self.x[0], self.x[self.x.len() - 1]], [self.y[self.y.len() - 1], self.y[0]]);
        let top = self.top();
        let mut path = Path::default();
        for value in marks(top * 1.000_001) {
            path.start(self.at(x[0], y[0], value));
            path.line(self.at(x[0], y[1], value)).line(self.at(x[1], y[1], value));
        }
        for corner in [(x[0], y[0]), (x[0], y[1]), (x[1], y[1])] {
            path.stroke(self.at(corner.0, corner.1, 0.0), self.at(corner.0, corner.1, top));
        }
        path.start(self.at(x[0], y[0], 0.0)).line(self.at(x[1], y[0], 0.0)).line(self.at(x[1], y[1], 0.0));
        svg.leaf("path", &[("d", &path.data()), ("class", &"wall")]);
    }

    fn draw_space_axes(&self, svg: &mut Svg) {
        let (first_y, last_x) = (self.y[self.y.len() - 1], self.x[self.x.len() - 1]);
        for &x in &thinned(&self.x) {
            svg.text(self.at(x, first_y, 0.0).plus(-7.0, 15.0), "axis end", &short(x));
        }
        for &y in &thinned(&self.y) {
            svg.text(self.at(last_x, y, 0.0).plus(8.0, 13.0), "axis", &short(y));
        }
        for value in marks(self.top() * 1.000_001) {
            svg.text(self.at(self.x[0], first_y, value).plus(-8.0, 4.0), "axis end", &short(value));
        }
        let middle = |a: Point, b: Point| a.towards(b, 0.5);
        let along_x = middle(self.at(self.x[0], first_y, 0.0), self.at(last_x, first_y, 0.0));
        svg.text(along_x.plus(-30.0, 44.0), "note end", &self.titles[0]);
        let along_y = middle(self.at(last_x, first_y, 0.0), self.at(last_x, self.y[0], 0.0));
        svg.text(along_y.plus(38.0, 34.0), "note", &self.titles[1]);
        svg.text(Point::new(12.0, self.at(self.x[0], first_y, self.top()).y - 18.0), "note", &self.titles[2]);
    }

    /// The same seen from above: a field for each place, its value in words when pointed at.
    pub fn map(&self) -> String {
        let mut svg = Svg::new(self.label.clone());
        let [first, second, third] = &self.titles;
        let corner = Point::new(66.0, 40.0);
        let step = Point::new(MAP.x / self.x.len() as f64, MAP.y / self.y.len() as f64);
        let greatest = self.greatest();
        for (j, &y) in self.y.iter().enumerate() {
            // Small values of the second variable at the bottom.
            let top = corner.y + MAP.y - (j + 1) as f64 * step.y;
            for (i, &x) in self.x.iter().enumerate() {
                let (left, value) = (corner.x + i as f64 * step.x, self.value(i, j));
                let class = format!("fill {}", class(value, greatest));
                let tip = format!("{first} {}, {second} {}: {third} {}", short(x), short(y), short(value));
                svg.rectangle(Point::new(left, top), (step.x + 0.3, step.y + 0.3), &class, Some(&tip));
            }
        }
        for &x in &thinned(&self.x) {
            let i = self.x.iter().position(|&other| other == x).unwrap_or(0) as f64;
            svg.text(corner.plus((i + 0.5) * step.x, MAP.y + 17.0), "axis mid", &short(x));
        }
        for &y in &thinned(&self.y) {
            let j = self.y.iter().position(|&other| other == y).unwrap_or(0) as f64;
            svg.text(corner.plus(-8.0, MAP.y - (j + 0.5) * step.y + 4.0), "axis end", &short(y));
        }
        svg.text(corner.plus(-54.0, -18.0), "note", &self.titles[1]);
        svg.text(corner.plus(MAP.x, MAP.y + 36.0), "note end", &self.titles[0]);
        draw_scale(&mut svg, Point::new(corner.x + MAP.x + 22.0, corner.y), greatest, &self.titles[2]);
        svg.finish(corner.x + MAP.x + 96.0, corner.y + MAP.y + 48.0)
    }
}

/// The palette as a column, with the values of its colours.
fn draw_scale(svg: &mut Svg, at: Point, greatest: f64, title: &str) {
    let step = MAP.y / palette::STEPS as f64;
    for i in 0..palette::STEPS {
        let class = format!("fill {}", palette::class(i, palette::STEPS));
        let y = at.y + i as f64 * step;
        svg.rectangle(Point::new(at.x, y), (14.0, step + 0.3), &class, None);
    }
    for mark in marks(greatest.max(1e-9)) {
        let y = at.y + MAP.y * (1.0 - mark / greatest.max(1e-9));
        svg.text(Point::new(at.x + 20.0, y + 4.0), "axis", &short(mark));
    }
    svg.text(Point::new(at.x + 40.0, at.y - 14.0), "note end", title);
}

/// The class of a value, the greatest strongest.
fn class(value: f64, greatest: f64) -> String {
    const FINE: f64 = 1e6;
    let share = if greatest > 0.0 { (value / greatest).clamp(0.0, 1.0) } else { 0.0 };
    palette::class_of_amount((share * FINE) as u64, FINE as u64)
}

/// At most eight of these places, evenly taken, with the first and the last.
fn thinned(places: &[f64]) -> Vec<f64> {
    let last = places.len().saturating_sub(1);
    let step = places.len().div_ceil(8).max(1);
    let mut all: Vec<f64> = places.iter().copied().step_by(step).collect();
    if !last.is_multiple_of(step) {
        // The last one replaces one that would stand too near.
        if last % step * 2 <= step {
            all.pop();
        }
        all.push(places[last]);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::thinned;

    #[test]
    fn few_places_are_named_and_both_ends_among_them() {
        for count in 1..60u32 {
            let places: Vec<f64> = (0..count).map(f64::from).collect();
            let named = thinned(&places);
            assert!(
                named.len() <= 9 && named[0] == 0.0 && named[named.len() - 1] == places[places.len() - 1]
            );
            assert!(named.is_sorted_by(|a, b| a < b), "{named:?}");
        }
    }
}
