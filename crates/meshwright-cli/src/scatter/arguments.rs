//! What can be said to `scatter`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

use meshwright_core::find_or;
use meshwright_demos::scatter::filter::{FILTERS, Filter};
use meshwright_demos::scatter::{SPLITS, Split};

use crate::costs::Broken;
use crate::csv::CsvFile;
use crate::files::Force;

const HELP: &str = "\
First every rank is measured: messages to it (start-up s and time per byte z), and how long it
works on a piece while all others work, too (w: ranks may share cores). Then the load is divided,
sent piece by piece, worked off and returned, once for each split, and the prediction stands
beside the clock.

Splits:
  ours    by s, z and w, so that all end together; ranks not worth their start-up get nothing
  equal   the same for everybody
  thesis  by the flow matrix of a machine with the mean w and z and no start-ups:
          all ranks one hop from rank 0, or those of --on
With --adaptive a further run hands the load out while it is worked off, in pieces that shrink;
rank 0 does again what others would be late with.

Examples:
  mpirun -n 4 meshwright-mpi scatter words book.txt
  mpirun -n 4 meshwright-mpi scatter words pages.txt --pieces pages.csv
  mpirun -n 16 meshwright-mpi scatter words book.txt --on mesh:4x4 --out gantt
  mpirun -n 4 meshwright-mpi scatter image photo.ppm --out-image smooth.ppm --filter median
  meshwright scatter --ranks 4 words book.txt        (ranks are threads: no MPI needed)

On one host all ranks are alike. To see what unequal ranks gain, let some repeat their work:
  mpirun -n 4 meshwright-mpi scatter words book.txt --slow 2=3 --slow 3=6
One may also slow down when it has been measured, as if another job had come to its host:
  meshwright scatter --ranks 4 words book.txt --adaptive --tire 3=4 --verify

Exit codes:
  0  done
  1  --verify found another result
  2  unacceptable input; nothing is written
  3  a rank was lost";

/// Divide a file over ranks by what is measured of them, beside the prediction
#[derive(Args)]
#[command(after_help = HELP)]
pub struct ScatterArguments {
    #[command(subcommand)]
    pub(super) what: What,
}

#[derive(Subcommand)]
pub(super) enum What {
    /// Count the words of a text: all, different ones, the most frequent; pieces are cut at white space
    Words(WordsArguments),
    /// Filter an image (binary PGM or PPM, 8 bits); pieces are rows
    Image(ImageArguments),
}

#[derive(Args)]
pub(super) struct WordsArguments {
    /// The text; words stand between ASCII white space
    pub(super) file: PathBuf,
    /// The text is pieces one after the other, a file of lines `piece,size` in bytes; no piece is cut
    #[arg(long, value_name = "FILE.csv")]
    pub(super) pieces: Option<PathBuf>,
    #[command(flatten)]
    pub(super) run: RunArguments,
}

#[derive(Args)]
pub(super) struct ImageArguments {
    /// The image: binary PGM or PPM with values up to 255
    pub(super) file: PathBuf,
    /// Write the filtered image here
    #[arg(long, value_name = "FILE")]
    pub(super) out_image: PathBuf,
    /// What is done with each 5 x 5 pixels: gaussian or median
    #[arg(long, value_name = "NAME", default_value = "gaussian", value_parser = |text: &str| named(FILTERS, text))]
    pub(super) filter: Filter,
    #[command(flatten)]
    pub(super) run: RunArguments,
}

#[derive(Args)]
pub(super) struct RunArguments {
    /// What is run: all, ours, equal or thesis
    #[arg(long, value_name = "NAME", default_value = "all", value_parser = splits)]
    pub(super) method: Splits,
    /// The machine for which the split of Zhang 2018 takes the ranks, rank r as node r [default: all one hop from rank 0]
    #[arg(long, value_name = "MACHINE")]
    pub(super) on: Option<String>,
    #[command(flatten)]
    pub(super) broken: Broken,
    /// This rank does its work FACTOR times over, as a slower one would; may be given several times
    #[arg(long, value_name = "RANK=FACTOR", value_parser = slow)]
    pub(super) slow: Vec<(u32, u32)>,
    /// This rank becomes FACTOR times slower once it has been measured; may be given several times
    #[arg(long, value_name = "RANK=FACTOR", value_parser = slow)]
    pub(super) tire: Vec<(u32, u32)>,
    /// Also hand the load out while it is worked off, by how fast every rank turns out to be; a rank that is lost then
    /// costs only its time
    #[arg(long)]
    pub(super) adaptive: bool,
    /// How long all ranks work at the same time to be measured, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "0.5", value_parser = calibration)]
    pub(super) calibrate: Duration,
    /// Do all on rank 0 as well, and compare
    #[arg(long)]
    pub(super) verify: bool,
    /// Write timing diagrams and scatter.json into this folder
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    #[command(flatten)]
    pub(super) force: Force,
    /// Print one JSON object and nothing else
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) csv: CsvFile,
}

#[derive(Clone)]
pub(super) struct Splits(pub(super) Vec<Split>);

/// The entry of a table with this name.
fn named<T: Copy>(table: &[(&'static str, T)], name: &str) -> Result<T, String> {
    let error = |names: &[&str]| {
        let (last, others) = names.split_last().expect("the table has entries");
        format!("expected {} or {last}", others.join(", "))
    };
    find_or(name, table, |entry| entry.0, error).map(|entry| entry.1)
}

fn splits(text: &str) -> Result<Splits, String> {
    match text {
        "all" => Ok(Splits(SPLITS.iter().map(|&(_, split)| split).collect())),
        name => {
            named(SPLITS, name).map(|split| Splits(vec![split])).map_err(|names| format!("{names}, or all"))
        }
    }
}

fn slow(text: &str) -> Result<(u32, u32), String> {
    let pair =
        text.split_once('=').and_then(|(rank, factor)| Some((rank.parse().ok()?, factor.parse().ok()?)));
    let expected = "expected a rank and how often it does its work, 1 to 1000, such as 2=3";
    pair.filter(|(_, factor)| (1..=1000).contains(factor)).ok_or_else(|| expected.to_string())
}

fn calibration(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| *seconds > 0.0 && *seconds <= 600.0);
    let seconds = seconds.ok_or("expected a number of seconds above 0 and of at most 600, such as 0.5")?;
    Ok(Duration::from_secs_f64(seconds))
}
