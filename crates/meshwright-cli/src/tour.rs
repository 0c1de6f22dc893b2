//! `meshwright tour`: what the program does, shown in a minute.

use clap::Args;

use meshwright_core::Result;

use super::{Answer, CommandLine, answer, call, grammar, output};

const HELP: &str = "\
Exit codes:
  0  done";

/// Show the planners at work on small machines: commands, what they say, and what it means
#[derive(Args)]
#[command(after_help = HELP)]
pub(super) struct TourArguments {}

/// One stop: a sentence before it, the command, how many lines of its answer are shown, and what they mean.
struct Stop {
    before: &'static str,
    command: &'static str,
    lines: usize,
    after: &'static str,
}

const STOPS: [Stop; 5] = [
    Stop {
        before: "1. Which task on which node? Divide and conquer with 64 tasks on a mesh of 8 x 8 nodes.",
        command: "map binomial:6 --on mesh:8x8 --placement growing,hilbert,row-major --switching store-and-forward",
        lines: 8,
        after: "No placement takes less than `bound`. `gap` is what a placement takes above it, simulated.",
    },
    Stop {
        before: "2. How much of a load on which node? It enters a torus at one node and may be cut anywhere.",
        command: "split --on torus:8x8 --source 4,4 --sigma 0.05 --switching cut-through",
        lines: 9,
        after: "`feasible` says whether the links can carry what a method promises; the star is the best that can.",
    },
    Stop {
        before: "3. Groups of nodes that split, wait for each other and join again: what does it cost?",
        command: "groups --on mesh:8x8 --order hilbert --levels 2 --repeat 5",
        lines: 10,
        after: "Steps of one packet over a link, by the size of the group that splits.",
    },
    Stop {
        before: "4. How much traffic does a network carry? Two routings under the same pattern.",
        command: "sweep --on mesh:8x8 --traffic transpose --set routing=dimension-order,odd-even --points 3 --to 0.3 --measure 500",
        lines: 10,
        after: "Beyond the load that is carried, latencies grow without end.",
    },
    Stop {
        before: "5. How fast can all nodes add up a buffer and all have the sum? Published algorithms and a bound.",
        command: "race all-reduce --bytes 64KiB --on torus:4x4 --algorithm ring,recursive-doubling,rabenseifner,bucket",
        lines: 9,
        after: "Without --algorithm all that suit the machine run, and schedules made for it.",
    },
];

const NEXT: &str = "\
Where to go next
  meshwright init                 a scenario of your own, with comments
  meshwright plan scenario.toml   every method for every job, and a report that opens in a browser
  meshwright machines             real machines by name
  meshwright map --help           options and examples of each verb
";

/// Runs the verb.
pub(super) fn run(_: &TourArguments) -> Result<Answer> {
    for Stop { before, command, lines, after } in STOPS {
        let words = ["meshwright"].into_iter().chain(command.split(' '));
        let line = grammar::parse::<CommandLine>(words.map(Into::into)).expect("a test takes the tour");
        let (told, text) = call::captured(|| answer(&line.verb));
        if let Err(failure) = told {
            return Err(match failure {
                super::Failure::Input(error) => error,
                other => unreachable!("no stop has ranks: {other:?}"),
            });
        }
        output::print(&format!(
            "{before}\n\n$ meshwright {command}\n{}\n{after}\n\n",
            shortened(&text, lines)
        ))?;
    }
    output::print(NEXT)?;
    Ok(Answer::Done)
}

/// The first lines of a text, each behind a margin.
fn shortened(text: &str, lines: usize) -> String {
    let shown = text.lines().filter(|line| !line.is_empty()).take(lines);
    let mut shown: String = shown.map(|line| format!("  {line}\n")).collect();
    if text.lines().count() > lines {
        shown += "  …\n";
    }
    shown
}
