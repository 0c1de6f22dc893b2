//! Schedules in which nobody waits, beside LogGP.

use std::fmt::Write as _;

use meshwright_core::Result;
use meshwright_network::topology::Machine;
use meshwright_schedule::goal;
use meshwright_sim::flit::Router;
use meshwright_sim::{Engine, Trace, simulate};

/// A computation, a message over two links, a computation, a message over one.
const EXAMPLE: &str = "\
num_ranks 4
rank 0 {
l1: calc 50
l2: send 64b to 2
l2 requires l1
}
rank 2 {
l1: recv 64b from 0
l2: calc 30
l3: send 16b to 3
l2 requires l1
l3 requires l2
}
rank 3 { recv 16b from 2 }
";

/// The example on the message engine and on the flit engine, on a line of four with c = 100, b = 1 and h = 2.
pub(crate) fn example() -> Result<[Trace; 2]> {
    let line = Machine::new("mesh:1x4")?;
    let schedule = goal::parse(EXAMPLE.as_bytes(), "example.goal")?;
    let routers = Engine::Flit(Router::ideal(&line).into());
    Ok([simulate(&line, &schedule, &Engine::Message)?, simulate(&line, &schedule, &routers)?])
}

/// The mapping and the worked example.
pub(crate) fn section() -> Result<String> {
    let [message, flit] = example()?.map(|trace| trace.cycles.0);
    let mut text = String::from(
        "\n## Schedules in which nobody waits, beside LogGP\n\n\
         A GOAL schedule whose messages never wait for each other takes on both engines exactly what LogGP says. W are the\n\
         bytes of a message, d its links; c, b and h are start-up, cycles per byte and bytes of a flit of the machine.\n\n\
         | LogGP | wormhole and cut-through | store-and-forward |\n|---|---|---|\n\
         | o of a send | c | c, at each of the d nodes that send it |\n\
         | o of a receive | 0 | 0 |\n\
         | L | b d h | (d - 1) (c + b W) |\n\
         | G, for each of the W bytes | b | b |\n\
         | g | none: each link of a node has a port of its own | none |\n\
         | start of a send to its arrival, o + L + W G | c + b (W + d h) | d (c + b W) |\n\
         | start of a send to its end | c + b (W + h) | c + b W |\n\n\
         A send starts when the steps it requires have ended, and those it requires by `irequires` have started; a receive ends\n\
         when it has started and its message is here; the computations of a rank follow each other. There are two\n\
         differences to the letter of LogGP: o is spent by the port, so the processor computes meanwhile and sends over\n\
         different links do not wait for each other's o; and G counts all W bytes, since the head flit goes ahead of them. The\n\
         flit engine counts in flit times b h, so c, b W and computations must be whole numbers of them.\n\
         `tests/it/loggp.rs` compares the recurrence with both engines on random schedules: meshes, tori and hypercubes, all\n\
         switchings, four sets of costs.\n\n\
         A worked example on `mesh:1x4`, wormhole, c = 100, b = 1, h = 2:\n\n",
    );
    text.push_str("```text\n");
    text.push_str(EXAMPLE);
    text.push_str("```\n\n");
    writeln!(
        text,
        "50 + (100 + 64 + 2 * 2) + 30 + (100 + 16 + 1 * 2) = 366 cycles. Message engine: {message}, flit engine: {flit}."
    )
    .expect("a string takes everything");
    Ok(text)
}
