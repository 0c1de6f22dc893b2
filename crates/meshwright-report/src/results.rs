//! The results of a sweep as they come: a file that survives being killed.
//!
//! The first line says what was measured, each further line is one point, both as JSON. A point is written with
//! its line end in one go and synced before the next, so that at any moment at most the last line is torn. When
//! all is measured the lines are put in the order of the loads, and the same sweep leaves the same bytes however
//! often it was interrupted. One sweep at a time writes: the file is locked. Where two have written nevertheless, a point
//! that stands there twice in the same words counts once.

use std::path::{Path, PathBuf};

use serde_json::Value;

use meshwright_core::error::{Error, Result};
use meshwright_core::output::lines::Lines;
use meshwright_core::output::write_atomically;
use meshwright_core::text::parse_error;
use meshwright_sim::point::Point;

/// The largest file that is read: many times what a sweep can write, but for rings of deadlocks.
const BYTES_MAX: u64 = 1 << 26;

/// A results file that is open for further points.
///
/// # Examples
///
/// ```
/// use meshwright_report::Results;
/// let path = std::env::temp_dir().join(format!("meshwright-doc-{}.jsonl", std::process::id()));
/// # let _ = std::fs::remove_file(&path);
/// let header = r#"{"format":1,"machine":"mesh:4x4","seed":0}"#;
/// assert!(Results::open(&path, header, false)?.points().is_empty());
/// std::fs::write(&path, format!("{header}\n{{\"load\":0.1,\"off")).unwrap();
/// assert!(Results::open(&path, header, false)?.points().is_empty(), "the line is torn");
/// // What was measured on another machine is not mixed in.
/// let other = r#"{"format":1,"machine":"mesh:8x8","seed":0}"#;
/// assert!(Results::open(&path, other, false).is_err());
/// assert!(Results::open(&path, other, true)?.points().is_empty(), "it is thrown away");
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), meshwright_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Results {
    path: PathBuf,
    header: String,
    contents: Contents,
    lines: Lines,
    /// Whether what follows the whole lines has been cut off and a point written.
    goes_on: bool,
}

impl Results {
    /// Opens a file and reads its points; a torn last line is dropped. Nothing in it is changed yet; if there is none, one
    /// with the header alone comes into being, which is removed again if no point follows.
    ///
    /// `header` is one JSON object that says what is measured: whatever changes a point must stand in it. `force`: a file of
    /// anything else is thrown away.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] when the system refuses the file; [`Error::Value`] when another sweep writes into it now, or it is none;
    /// [`Error::Parse`] with the place when its header is not this one, or another line is no point or another point of a
    /// load that stands before it.
    ///
    /// # Panics
    ///
    /// When `header` is no JSON object on one line.
    pub fn open(path: &Path, header: &str, force: bool) -> Result<Self> {
        let parsed = serde_json::from_str::<Value>(header).ok();
        assert!(
            parsed.is_some_and(|value| value.is_object()) && !header.contains('\n'),
            "a header is one JSON object on one line"
        );
        let (lines, text) = Lines::open(path, header, BYTES_MAX)?;
        let (lines, contents) = match read(&text, &path.display().to_string(), header) {
            Err(_) if force => {
                drop(lines);
                write_atomically(path, format!("{header}\n"))?;
                let (lines, text) = Lines::open(path, header, BYTES_MAX)?;
                (lines, read(&text, &path.display().to_string(), header)?)
            }
            contents => (lines, contents?),
        };
        Ok(Self { path: path.to_path_buf(), header: header.to_string(), contents, lines, goes_on: false })
    }

    /// The points the file held when it was opened, and those appended since.
    pub fn points(&self) -> &[Point] {
        &self.contents.points
    }

    /// Writes a point; when this returns it is on the disk.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] when the system refuses.
    pub fn append(&mut self, point: &Point) -> Result<()> {
        let line = line(point);
        if self.goes_on {
            self.lines.append(&line)?;
        } else {
            let before = match &self.contents {
                Contents { whole: 0, .. } => format!("{}\n", self.header),
                Contents { open_end: true, .. } => "\n".to_string(),
                _ => String::new(),
            };
            self.lines.continue_at(self.contents.whole as u64, &(before + &line))?;
            self.goes_on = true;
        }
        self.contents.points.push(point.clone());
        Ok(())
    }

    /// Puts the lines in the order of the loads; a reader sees the old order or the new one.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] when the system refuses; no point is lost then.
    pub fn finish(self) -> Result<()> {
        // The file stays locked until the new one is there.
        let Self { path, header, contents, lines: _lines, goes_on } = self;
        let Contents { mut points, torn, doubled, .. } = contents;
        let is_whole = !doubled && (goes_on || !torn);
        if is_whole && points.is_sorted_by(|a, b| a.load < b.load) {
            return Ok(());
        }
        points.sort_by(|a, b| a.load.total_cmp(&b.load));
        let text = header + "\n" + &points.iter().map(line).collect::<String>();
        write_atomically(&path, &text)
    }
}

fn line(point: &Point) -> String {
    serde_json::to_string(point).expect("a point has string keys and finite numbers") + "\n"
}

/// What a results file holds.
#[derive(Debug)]
struct Contents {
    points: Vec<Point>,
    /// How many bytes from the beginning are whole lines.
    whole: usize,
    /// Whether the last of them lacks only its line end.
    open_end: bool,
    /// Whether the file ends other than with a whole line.
    torn: bool,
    /// Whether a point stands there more than once.
    doubled: bool,
}

/// Reads a results file, of which the last line may be torn.
fn read(text: &[u8], file: &str, header: &str) -> Result<Contents> {
    let mut contents =
        Contents { points: Vec::new(), whole: 0, open_end: false, torn: false, doubled: false };
    while contents.whole < text.len() {
        let (start, rest) = (contents.whole, &text[contents.whole..]);
        let end = rest.iter().position(|&byte| byte == b'\n');
        let line = &rest[..end.unwrap_or(rest.len())];
        let span = start..start + line.len();
        if start == 0 {
            if end.is_none() && header.as_bytes().starts_with(line) && line != header.as_bytes() {
                break;
            }
            check_header(text, line, file, header)?;
        } else {
            match serde_json::from_slice::<Point>(line) {
                Err(_) if end.is_none() => break,
                Err(error) => {
                    let message = format!("this line is no point: {error}");
                    return Err(parse_error(file, text, span, message, "a line that `sweep` wrote").into());
                }
                Ok(point) if contents.points.contains(&point) => contents.doubled = true,
                Ok(point) if contents.points.iter().any(|known| known.load == point.load) => {
                    let message = format!(
                        "the load {} stands here for the second time, measured otherwise",
                        point.load
                    );
                    return Err(parse_error(file, text, span, message, "one point for each load").into());
                }
                Ok(point) => contents.points.push(point),
            }
        }
        contents.open_end = end.is_none();
        contents.whole = end.map_or(text.len(), |end| start + end + 1);
    }
    contents.torn = contents.open_end || contents.whole < text.len();
    Ok(contents)
}

/// The first line must say what the header says; an error names the first key that differs.
fn check_header(text: &[u8], line: &[u8], file: &str, header: &str) -> Result<()> {
    if line == header.as_bytes() {
        return Ok(());
    }
    let error = |message: String, expected: String, span: std::ops::Range<usize>| -> Error {
        parse_error(file, text, span, message, expected).into()
    };
    let wanted: Value = serde_json::from_str(header).expect("it was checked when the file was opened");
    let Ok(Value::Object(found)) = serde_json::from_slice::<Value>(line) else {
        let message = "this is not the results file of a sweep".to_string();
        return Err(error(message, "a new file, or one that `sweep` wrote".to_string(), 0..line.len()));
    };
    for (key, value) in wanted.as_object().into_iter().flatten() {
        let other = found.get(key).unwrap_or(&Value::Null);
        if other != value {
            let place = format!("\"{key}\":");
            let at = line.windows(place.len()).position(|window| window == place.as_bytes());
            let span = at.map_or(0..line.len(), |at| at..(at + place.len() + other.to_string().len()));
            let message = format!("these results are of another sweep: {key} is {other}");
            return Err(error(
                message,
                format!("{value}, or a file of its own for this sweep, or --force"),
                span,
            ));
        }
    }
    let message = "these results are of another sweep".to_string();
    Err(error(message, format!("the line {header}"), 0..line.len()))
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests read the files they make")]
mod tests {
    use super::*;
    use meshwright_sim::point::TrafficLatency;

    const HEADER: &str = r#"{"format":1,"machine":"mesh:4x4","seed":0}"#;

    fn point(load: f64) -> Point {
        Point {
            load,
            offered: load * 1.000_000_1,
            accepted: load / 3.0,
            saturated: false,
            latency: TrafficLatency { mean: 1.0 / 3.0, ci95: Some(0.1), p50: 1, p99: 2, max: 3 },
            hops_mean: 2.2,
            packets: 1,
            undelivered: 0,
            cycles: 10,
            flit_hops: 7,
            deadlock: None,
        }
    }

    /// Cut anywhere, the file opens again with every whole line, and ends as the uninterrupted one.
    #[test]
    fn a_file_cut_anywhere_loses_no_whole_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.jsonl");
        let loads = [0.3, 0.1, 0.2];
        let mut results = Results::open(&path, HEADER, false).unwrap();
        loads.iter().for_each(|&load| results.append(&point(load)).unwrap());
        let whole = std::fs::read(&path).unwrap();
        results.finish().unwrap();
        let ordered = std::fs::read(&path).unwrap();
        assert_eq!(ordered.len(), whole.len());
        assert_ne!(ordered, whole);
        for cut in 0..=whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let mut results = Results::open(&path, HEADER, false).unwrap();
            // A line that lacks only its end is whole.
            let mut lines = whole[..cut].iter().filter(|&&byte| byte == b'\n').count();
            lines += usize::from(whole.get(cut) == Some(&b'\n'));
            assert_eq!(results.points().len(), lines.saturating_sub(1), "cut at {cut}");
            for &load in &loads[results.points().len()..] {
                results.append(&point(load)).unwrap();
            }
            results.finish().unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), ordered, "cut at {cut}");
        }
    }

    #[test]
    fn what_is_no_result_is_refused_with_its_place_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.jsonl");
        let good = line(&point(0.5));
        let cases = [
            (
                r#"{"format":1,"machine":"mesh:4x4","seed":1}"#.to_string() + "\n",
                ":1:34: these results are of another sweep: seed is 1; expected 0",
            ),
            ("hello\n".to_string(), ":1:1: this is not the results file of a sweep"),
            (format!("{HEADER}\nx\n{good}"), ":2:1: this line is no point"),
            (
                format!("{HEADER}\n{good}{}", good.replace("\"cycles\":10", "\"cycles\":11")),
                ":3:1: the load 0.5 stands here for the second time",
            ),
            (
                HEADER.replace("\"seed\":0", "\"seed\":0,\"more\":1") + "\n",
                ":1:1: these results are of another sweep",
            ),
        ];
        for (text, wanted) in cases {
            std::fs::write(&path, &text).unwrap();
            let error = Results::open(&path, HEADER, false).unwrap_err().to_string();
            assert!(error.contains(wanted), "{error}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
    }
}
