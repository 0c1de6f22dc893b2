//! The variables of the environment. Only those of the process that plans count: rank 0 of the communicator.

use std::time::Duration;

use meshwright_core::error::{Error, Result};

/// What the variables say.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Settings {
    /// `MESHWRIGHT_OFF`: nothing is done.
    pub(crate) is_off: bool,
    /// `MESHWRIGHT_KEEP_RANKS`: the ranks of grids stay, their coordinates are dealt anew.
    pub(crate) keeps_ranks: bool,
    /// `MESHWRIGHT_ON`: the machine.
    pub(crate) machine: Option<String>,
    /// `MESHWRIGHT_PLAN`: files of plans.
    pub(crate) plans: Option<String>,
    /// `MESHWRIGHT_FLOATS`: plans add floating-point numbers, too.
    pub(crate) takes_floats: bool,
    /// `MESHWRIGHT_METHOD`: how ranks are numbered.
    pub(crate) method: Option<String>,
    /// `MESHWRIGHT_TIME`: how long one plan may take.
    pub(crate) time: Duration,
}

/// `MESHWRIGHT_TIME`, if it is not set.
const TIME: Duration = Duration::from_millis(500);

/// The variable that says where the log goes.
pub(crate) const LOG: &str = "MESHWRIGHT_LOG";

/// The variable that names plans.
pub(crate) const PLAN: &str = "MESHWRIGHT_PLAN";

/// A variable that is set to something.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The variables that are read here, and the one that the program reads.
const KNOWN: [&str; 9] = [
    "MESHWRIGHT_OFF",
    "MESHWRIGHT_KEEP_RANKS",
    "MESHWRIGHT_ON",
    PLAN,
    "MESHWRIGHT_FLOATS",
    "MESHWRIGHT_METHOD",
    "MESHWRIGHT_TIME",
    LOG,
    "MESHWRIGHT_PROGRESS_SECONDS",
];

/// What is to be said of variables that nobody reads.
fn unread(names: impl Iterator<Item = String>) -> Vec<String> {
    let is_ours = |name: &String| name.starts_with("MESHWRIGHT_") && !KNOWN.contains(&name.as_str());
    let said = |name: String| format!("{name} is not read: the variables are {}", KNOWN[..8].join(", "));
    names.filter(is_ours).map(said).collect()
}

impl Settings {
    /// From the environment; says which variables nobody reads.
    ///
    /// # Errors
    ///
    /// As for [`Self::read`].
    pub(crate) fn of_environment() -> Result<Self> {
        let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        unread(names).iter().for_each(|line| crate::say::complain(line));
        Self::read(variable)
    }

    /// From variables.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] for a time that is no number of seconds.
    pub(crate) fn read(variable: impl Fn(&str) -> Option<String>) -> Result<Self> {
        let time = match variable("MESHWRIGHT_TIME") {
            None => TIME,
            Some(text) => {
                let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
                seconds.ok_or_else(|| {
                    Error::value("MESHWRIGHT_TIME", format!("`{text}`"), "seconds such as 0.5")
                })?
            }
        };
        let is_set = |name| match variable(name).as_deref() {
            None | Some("0") => Ok(false),
            Some("1") => Ok(true),
            Some(other) => Err(Error::value(name, format!("`{other}`"), "1 or 0")),
        };
        let (is_off, keeps_ranks) = (is_set("MESHWRIGHT_OFF")?, is_set("MESHWRIGHT_KEEP_RANKS")?);
        let (plans, takes_floats) = (variable(PLAN), is_set("MESHWRIGHT_FLOATS")?);
        let (machine, method) = (variable("MESHWRIGHT_ON"), variable("MESHWRIGHT_METHOD"));
        Ok(Self { is_off, keeps_ranks, machine, plans, takes_floats, method, time })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_pen_are_said() {
        let names = ["PATH", "MESHWRIGHT_ON", "MESHWRIGHT_KEEPRANKS"].map(String::from);
        let said = unread(names.into_iter());
        assert!(said.len() == 1 && said[0].starts_with("MESHWRIGHT_KEEPRANKS is not read: "), "{said:?}");
    }

    #[test]
    fn variables_are_read_or_refused() {
        let of = |pairs: &'static [(&str, &str)]| {
            Settings::read(|name| {
                pairs.iter().find(|(own, _)| *own == name).map(|(_, value)| value.to_string())
            })
        };
        let plain = Settings {
            is_off: false,
            keeps_ranks: false,
            machine: None,
            plans: None,
            takes_floats: false,
            method: None,
            time: TIME,
        };
        assert_eq!(of(&[]).unwrap(), plain);
        let all =
            of(&[("MESHWRIGHT_OFF", "1"), ("MESHWRIGHT_ON", "torus:4x4"), ("MESHWRIGHT_TIME", "2")]).unwrap();
        assert_eq!((all.is_off, all.machine.as_deref(), all.time.as_secs()), (true, Some("torus:4x4"), 2));
        for wrong in
            [&[("MESHWRIGHT_TIME", "-1")], &[("MESHWRIGHT_TIME", "soon")], &[("MESHWRIGHT_OFF", "yes")]]
        {
            assert!(of(wrong).is_err(), "{wrong:?}");
        }
    }
}
