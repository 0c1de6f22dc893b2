//! Schedules with barriers, beside CAMINOS.
pub(crate) fn section() -> meshwright::Result<String> {
    Ok(String::new())
}
