//! sigma on the command line.

use clap::Args;

use meshwright_core::{Error, Result};
use meshwright_formats::scenario::quantity;
use meshwright_load::shares::closed_form;

use crate::costs::told;
use crate::values::Values;

/// sigma, or the four factors it is made of.
#[derive(Args)]
pub(super) struct Ratio {
    /// The time of a load on a link over its time on a processor, as a number or p/q; several are compared: 0.1,0.2, or
    /// 0.01..1/20 for 20 from 0.01 to 1 at equal distances
    #[arg(
        long,
        value_name = "S",
        allow_negative_numbers = true,
        value_parser = values,
        required_unless_present = "z",
        conflicts_with_all = ["z", "tcm", "w", "tcp"]
    )]
    sigma: Option<Values>,
    /// In place of sigma = z Tcm / (w Tcp): the inverse speed of a link
    #[arg(long, value_name = "Z", allow_negative_numbers = true, value_parser = number, requires_all = ["tcm", "w", "tcp"])]
    z: Option<f64>,
    /// The time of the load on a link of inverse speed 1
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = number, requires = "z")]
    tcm: Option<f64>,
    /// The inverse speed of a processor
    #[arg(long, value_name = "W", allow_negative_numbers = true, value_parser = number, requires = "z")]
    w: Option<f64>,
    /// The time of the load on a processor of inverse speed 1
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = number, requires = "z")]
    tcp: Option<f64>,
}

impl Ratio {
    /// The ratio, or several.
    pub(super) fn sigmas(&self) -> Result<Vec<f64>> {
        match (&self.sigma, self.z, self.tcm, self.w, self.tcp) {
            (Some(Values(sigmas)), ..) => Ok(sigmas.clone()),
            (None, Some(z), Some(tcm), Some(w), Some(tcp)) => Ok(vec![closed_form::sigma(z, tcm, w, tcp)?]),
            _ => Err(Error::value("sigma", "not given", "--sigma, or --z, --tcm, --w and --tcp")),
        }
    }
}

/// One value or several.
pub(super) fn values(text: &str) -> Result<Values, String> {
    told(Values::read(text))
}

/// A number or fraction that is not negative.
pub(super) fn number(text: &str) -> Result<f64, String> {
    told(quantity::number(text))
}
