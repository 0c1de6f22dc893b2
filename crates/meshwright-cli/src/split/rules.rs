//! What the schedulers of Zhang 2018 leave open, as options: ties, and the thresholds of algorithm 4.

use clap::Args;

use meshwright_core::{Error, Result};
use meshwright_formats::scenario::load as words;
use meshwright_load::shares::schedulers::{SchedulerSettings, TIES, Ties};

use super::number;
use crate::costs::told;

/// Ties and thresholds.
#[derive(Args)]
pub(super) struct Rules {
    #[arg(long, value_name = "RULE", help = ties(), value_parser = |name: &str| told(words::ties(name)))]
    pub(super) ties: Option<Ties>,
    /// accelerated: f_T of algorithm 4, it ends when the makespan is at most this, in units of w Tcp [default: 0, as far as it goes]
    #[arg(long, value_name = "T", conflicts_with = "random_sources", allow_negative_numbers = true, value_parser = number)]
    finish: Option<f64>,
    /// accelerated: r_save of algorithm 4, it ends when no more than this share of the machine is idle [default: 0]
    #[arg(long, value_name = "R", conflicts_with = "random_sources", allow_negative_numbers = true, value_parser = number)]
    save_at_least: Option<f64>,
}

fn ties() -> String {
    let names: Vec<&str> = TIES.iter().map(|(name, _)| *name).collect();
    format!(
        "Several sources: whose cell a node is in that is equally near to several, {} [default: lowest]. With both, each cell \
         counts the whole node, which nobody can do in time",
        names.join(", ")
    )
}

impl Rules {
    /// The settings with these rules.
    pub(super) fn of(&self, settings: SchedulerSettings) -> SchedulerSettings {
        SchedulerSettings {
            ties: self.ties.unwrap_or(settings.ties),
            finish: self.finish.unwrap_or(settings.finish),
            save_at_least: self.save_at_least.unwrap_or(settings.save_at_least),
            ..settings
        }
    }

    /// Refuses rules that would change nothing.
    pub(super) fn refuse_without_effect(&self, sources: usize, methods: &[String]) -> Result<()> {
        if let (Some(ties), 1) = (self.ties, sources) {
            let expected = "several --source: every node is nearest to the only one";
            return Err(Error::value("ties", format!("`{}`", ties.name()), expected));
        }
        let accelerates = methods.iter().any(|name| name == "all" || name == "accelerated");
        for (name, value) in [("finish", self.finish), ("save-at-least", self.save_at_least)] {
            if let (Some(value), false) = (value, accelerates && sources > 1) {
                return Err(Error::value(name, value, "several --source and the method `accelerated`"));
            }
        }
        Ok(())
    }
}
