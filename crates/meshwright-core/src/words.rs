//! Numbers and names in words: percentages, digits in groups, counts with their noun, lists.

/// What stands where there is no number.
pub const NONE: &str = "–";

/// The narrow space between groups of digits; it does not break at the end of a line.
pub const THIN_SPACE: char = '\u{202f}';

/// `1234567` as `1 234 567`, with thin spaces.
///
/// # Examples
///
/// ```
/// use meshwright_core::words::grouped;
/// assert_eq!([0, 999, 1000].map(grouped), ["0", "999", "1\u{202f}000"]);
/// assert_eq!(grouped(1234567), "1\u{202f}234\u{202f}567");
/// assert_eq!(grouped(u64::MAX).chars().filter(char::is_ascii_digit).count(), 20);
/// ```
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 2);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(THIN_SPACE);
        }
        text.push(digit);
    }
    text
}

/// A number of so many decimals, the digits before its point in groups.
///
/// # Examples
///
/// ```
/// use meshwright_core::words::grouped_decimal;
/// assert_eq!([0.04, 1234.56].map(|number| grouped_decimal(number, 1)), ["0.0", "1\u{202f}234.6"]);
/// assert_eq!(grouped_decimal(12_345.4, 0), "12\u{202f}345");
/// ```
pub fn grouped_decimal(number: f64, decimals: usize) -> String {
    let text = format!("{number:.decimals$}");
    let whole = text.split('.').next().unwrap_or_default();
    whole.parse().map_or(text.clone(), |digits| grouped(digits) + &text[whole.len()..])
}

/// Whom each sentence is about, in the order in which they are first said.
///
/// # Complexity
///
/// O(said x sentences).
///
/// # Examples
///
/// ```
/// use meshwright_core::words::by_sentence;
/// let said = [("star", "too slow"), ("ring", "no ring here"), ("chain", "too slow"), ("star", "too slow")];
/// assert_eq!(by_sentence(said), [(vec!["star", "chain"], "too slow"), (vec!["ring"], "no ring here")]);
/// ```
pub fn by_sentence<W: PartialEq, S: PartialEq>(said: impl IntoIterator<Item = (W, S)>) -> Vec<(Vec<W>, S)> {
    let mut known: Vec<(Vec<W>, S)> = Vec::new();
    for (who, what) in said {
        match known.iter_mut().find(|(_, other)| *other == what) {
            Some((others, _)) if others.contains(&who) => {}
            Some((others, _)) => others.push(who),
            None => known.push((vec![who], what)),
        }
    }
    known
}

/// Names with commas between; of more than four the first three, and how many others there are.
///
/// # Examples
///
/// ```
/// use meshwright_core::words::some_of;
/// assert_eq!(some_of(&["ring", "star"]), "ring, star");
/// assert_eq!(some_of(&["a", "b", "c", "d", "e"]), "a, b, c and 2 others");
/// ```
pub fn some_of(names: &[&str]) -> String {
    match names {
        [first, second, third, others @ ..] if others.len() > 1 => {
            format!("{first}, {second}, {third} and {} others", others.len())
        }
        all => all.join(", "),
    }
}

/// A noun behind a count: `message` behind 1, `messages` behind any other.
///
/// # Examples
///
/// ```
/// use meshwright_core::words::plural;
/// assert_eq!([0, 1, 2].map(|count| plural(count, "message")), ["messages", "message", "messages"]);
/// ```
pub fn plural(number: u64, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{noun}{ending}")
}

/// A count with its noun: `1 message`, `2 messages`.
///
/// # Examples
///
/// ```
/// use meshwright_core::words::counted;
/// assert_eq!([1, 1024].map(|count| counted(count, "message")), ["1 message", "1024 messages"]);
/// ```
pub fn counted(number: u64, noun: &str) -> String {
    format!("{number} {}", plural(number, noun))
}

/// A share as the number before a percent sign, the same in tables, sentences and pages: two decimals below ten,
/// one above, none above a thousand, and never 0 for what is not.
///
/// # Examples
///
/// ```
/// use meshwright_core::words::percentage;
/// let shown: Vec<String> = [0.0, 0.000_01, 0.0255, 0.509_6, 12.5].map(percentage).into();
/// assert_eq!(shown, ["0", "< 0.01", "2.55", "51.0", "1250"]);
/// ```
pub fn percentage(share: f64) -> String {
    let percent = 100.0 * share;
    match percent.abs() {
        0.0 => "0".to_string(),
        size if size < 0.01 => "< 0.01".to_string(),
        size if size < 10.0 => format!("{percent:.2}"),
        size if size < 1000.0 => format!("{percent:.1}"),
        _ => format!("{percent:.0}"),
    }
}

/// A share with its sign, which stays on the line of the number.
///
/// # Examples
///
/// ```
/// assert_eq!(meshwright_core::words::percent(0.5), "50.0\u{a0}%");
/// ```
pub fn percent(share: f64) -> String {
    format!("{}\u{a0}%", percentage(share))
}

/// A name that none of the others is: itself, else with the first number from 2 on that is free.
///
/// # Examples
///
/// ```
/// use meshwright_core::words::untaken;
/// assert_eq!(untaken("a", &["b".into()]), "a");
/// assert_eq!(untaken("a", &["a".into(), "a-2".into()]), "a-3");
/// ```
pub fn untaken(name: &str, taken: &[String]) -> String {
    let numbered = (2..=taken.len() + 1).map(|number| format!("{name}-{number}"));
    let mut all = std::iter::once(name.to_string()).chain(numbered);
    all.find(|name| !taken.contains(name)).expect("there is a name more than are taken")
}

/// Words as a message lists them: `` `a`, `b` ``.
///
/// # Examples
///
/// ```
/// assert_eq!(meshwright_core::words::quoted(&["mesh", "torus"]), "`mesh`, `torus`");
/// ```
pub fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// Four significant digits, without the zeros at the end; at most twelve decimals.
///
/// # Examples
///
/// ```
/// use meshwright_core::words::short;
/// let shown = [0.0, 0.1, 0.123_45, 60.234, 1234.5, 0.25, f64::INFINITY].map(short);
/// assert_eq!(shown, ["0", "0.1", "0.1235", "60.23", "1234", "0.25", "inf"]);
/// ```
pub fn short(number: f64) -> String {
    match number {
        0.0 => "0".to_string(),
        _ if !number.is_finite() => number.to_string(),
        _ => decimal(number, (3 - magnitude(number)).clamp(0, 12) as usize),
    }
}

/// A time in the unit in which it is read most easily: four significant digits from picoseconds to seconds.
///
/// # Examples
///
/// ```
/// use meshwright_core::words::seconds;
/// let shown = [0.0, 43_322e-9, 1.5e-3, 2e-9, 12.0].map(seconds);
/// assert_eq!(shown, ["0 s", "43.32 µs", "1.5 ms", "2 ns", "12 s"]);
/// ```
pub fn seconds(seconds: f64) -> String {
    const UNITS: [(f64, &str); 5] = [(1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"), (1e-12, "ps")];
    let fits = |(unit, _): &&(f64, &str)| seconds >= *unit * 0.999_95;
    let (unit, name) = match seconds > 0.0 {
        true => UNITS.iter().find(fits).unwrap_or(&UNITS[4]),
        false => &UNITS[0],
    };
    format!("{} {name}", short(seconds / unit))
}

/// At most so many decimals, without the zeros at the end.
///
/// # Examples
///
/// ```
/// use meshwright_core::words::decimal;
/// assert_eq!([2.0, 0.255, 100.0].map(|number| decimal(number, 2)), ["2", "0.26", "100"]);
/// ```
pub fn decimal(number: f64, decimals: usize) -> String {
    let text = format!("{number:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

/// The exponent of the first digit, read from the decimal form: logarithms differ between machines.
///
/// # Examples
///
/// ```
/// use meshwright_core::words::magnitude;
/// assert_eq!([0.025, 1.0, 999.9].map(magnitude), [-2, 0, 2]);
/// ```
pub fn magnitude(number: f64) -> i32 {
    let text = format!("{number:e}");
    text.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0)
}
