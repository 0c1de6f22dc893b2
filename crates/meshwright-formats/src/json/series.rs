//! The form of several answers of one kind, between which options vary.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

/// Several answers of one verb, and what varies between them.
///
/// # Examples
///
/// ```
/// use meshwright_formats::json::SeriesForm;
/// let form = SeriesForm::new("mesh:4x4", vec![(vec![("sigma".to_string(), 0.5.into())], ["a"])]);
/// assert_eq!(form.varies, ["sigma"]);
/// ```
#[derive(Debug, Serialize)]
pub struct SeriesForm<'a, T> {
    /// The version of this form: 1.
    pub format: u32,
    /// The specification of the machine.
    pub machine: &'a str,
    /// The options that vary, in the order of their names.
    pub varies: Vec<String>,
    /// An answer for each combination of their values.
    pub series: Vec<MemberForm<T>>,
}

/// One answer of several.
#[derive(Debug, Serialize)]
pub struct MemberForm<T> {
    /// The values of the options that vary.
    pub varies: BTreeMap<String, Value>,
    /// The answer, as it is alone.
    #[serde(flatten)]
    pub answer: T,
}

impl<'a, T> SeriesForm<'a, T> {
    /// These answers with their values.
    pub fn new(machine: &'a str, answers: Vec<(Vec<(String, Value)>, T)>) -> Self {
        let series: Vec<MemberForm<T>> = answers
            .into_iter()
            .map(|(values, answer)| MemberForm { varies: values.into_iter().collect(), answer })
            .collect();
        let varies = series.first().map_or(Vec::new(), |member| member.varies.keys().cloned().collect());
        Self { format: 1, machine, varies, series }
    }
}
