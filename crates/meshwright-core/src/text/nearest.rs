//! Did you mean: the known word most like a given one.

/// The known word most like the given one, if one is like it: a Jaro-Winkler similarity above 0.8, and either the
/// beginning of the other or no more than every third letter typed wrongly.
///
/// # Complexity
///
/// O(w k) per known word of k letters.
///
/// # Examples
///
/// ```
/// use meshwright_core::text::nearest;
/// assert_eq!(nearest("mseh", &["mesh", "torus"]), Some("mesh"));
/// assert_eq!(nearest("ring", &["mesh", "torus"]), None);
/// assert_eq!(nearest("sweep", &["seed", "machine"]), None, "two letters of four are others");
/// ```
pub fn nearest<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    // Comparing is quadratic: a word far longer than any known one is like none of them.
    if word.len() > 64 {
        return None;
    }
    let likeness = |candidate: &str| strsim::jaro_winkler(word, candidate);
    let is_near = |candidate: &str| {
        let begins = candidate.starts_with(word) || word.starts_with(candidate);
        let wrong_max = 1.max(candidate.chars().count() / 3);
        likeness(candidate) > 0.8 && (begins || strsim::osa_distance(word, candidate) <= wrong_max)
    };
    known
        .iter()
        .copied()
        .filter(|candidate| is_near(candidate))
        .max_by(|a, b| likeness(a).total_cmp(&likeness(b)))
}

/// The words that follow in an error: `` (did you mean `mesh`?)``, or nothing.
pub fn did_you_mean(word: &str, known: &[&str]) -> String {
    nearest(word, known).map_or(String::new(), |near| format!(" (did you mean `{near}`?)"))
}
