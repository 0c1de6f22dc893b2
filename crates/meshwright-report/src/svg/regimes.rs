//! Who wins over two variables: a tile for each pair of values, coloured by the winner.

use super::{Point, Svg, hues};

const LEFT: f64 = 92.0;
const TOP: f64 = 30.0;
const WIDTH: f64 = 640.0;
const TILE_MAX: f64 = 64.0;

/// One pair of values.
pub struct RegimeTile {
    /// The places of its values along both axes.
    pub at: (usize, usize),
    /// The winner, by its place among the names; none where nobody wins.
    pub winner: Option<usize>,
    /// All that is known of it, in words.
    pub tip: String,
}

/// Draws the tiles, the values of y upwards; each bears the number of its winner, and a legend names the numbers.
pub fn draw(
    titles: [&str; 2],
    (xs, ys): (&[String], &[String]),
    names: &[String],
    tiles: &[RegimeTile],
) -> String {
    let mut svg = Svg::new(format!("The fastest algorithm over {} and {}", titles[0], titles[1]));
    let side = ((WIDTH - LEFT - 20.0) / xs.len().max(1) as f64).min(TILE_MAX);
    let height = side.min(40.0);
    let bottom = TOP + height * ys.len() as f64;
    let corner =
        |(x, y): (usize, usize)| Point::new(LEFT + side * x as f64, bottom - height * (y + 1) as f64);
    for tile in tiles {
        let class =
            tile.winner.map_or("dead".to_string(), |winner| format!("point {}", hues::class(winner, 2)));
        svg.rectangle(corner(tile.at), (side - 1.0, height - 1.0), &class, Some(&tile.tip));
        let label = tile.winner.map_or("–".to_string(), |winner| (winner + 1).to_string());
        svg.text(corner(tile.at).plus(side / 2.0, height / 2.0 + 4.5), "task mid", &label);
    }
    // As many as fit beside each other.
    let every = (52.0 / side).ceil().max(1.0) as usize;
    for (place, value) in xs.iter().enumerate().step_by(every) {
        svg.text(Point::new(LEFT + side * (place as f64 + 0.5), bottom + 18.0), "axis mid", value);
    }
    for (place, value) in ys.iter().enumerate() {
        let at = corner((0, place)).plus(-10.0, height / 2.0 + 4.5);
        svg.text(at, "axis end", value);
    }
    svg.text(Point::new(LEFT, bottom + 38.0), "note", titles[0]);
    svg.text(Point::new(LEFT, TOP - 12.0), "note", &format!("{} (upwards)", titles[1]));
    let mut y = bottom + 64.0;
    for (place, name) in names.iter().enumerate() {
        svg.rectangle(
            Point::new(LEFT, y - 11.0),
            (16.0, 14.0),
            &format!("point {}", hues::class(place, 2)),
            None,
        );
        svg.text(Point::new(LEFT + 24.0, y), "note", &format!("{} {name}", place + 1));
        y += 18.0;
    }
    svg.finish(WIDTH, y)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tile_bears_its_winner() {
        let tile = |x, winner: Option<usize>| RegimeTile { at: (x, 0), winner, tip: format!("tile {x}") };
        let words = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
        let (xs, ys, names) = (words(&["1 KB", "1 MB", "1 GB"]), words(&["100"]), words(&["ring", "chain"]));
        let tiles = [tile(0, Some(1)), tile(1, Some(0)), tile(2, None)];
        let svg = draw(["bytes", "start-up"], (&xs, &ys), &names, &tiles);
        for text in [
            ">2</text>",
            ">1</text>",
            ">–</text>",
            ">1 ring</text>",
            ">2 chain</text>",
            ">1 GB</text>",
            "tile 2",
        ] {
            assert!(svg.contains(text), "{text}: {svg}");
        }
    }
}
