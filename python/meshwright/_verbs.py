"""The verbs of Meshwright as functions.

Made from the command line by a test (`MESHWRIGHT_SNAPSHOTS=record cargo test -p meshwright-cli python`); do not edit.
"""

from __future__ import annotations

from typing import Any, Dict, Tuple

from ._convert import Coordinates, Job, Machine, Options, Path, Scalar, Table, Words
from ._result import Result, call


def map(
    tasks: Job,
    *,
    format: Scalar | None = None,
    on: Machine | None = None,
    dead: Options | None = None,
    dead_links: Options | None = None,
    switching: Options | None = None,
    startup: Options | None = None,
    byte_time: Scalar | None = None,
    flit: Options | None = None,
    axis: Options | None = None,
    placement: Options | None = None,
    alpha: Scalar | None = None,
    combine_alpha: Scalar | None = None,
    volume: Scalar | None = None,
    preset: Scalar | None = None,
    seed: Scalar | None = None,
    formulas: bool = False,
    out: Path | None = None,
    png: bool = False,
    force: bool = False,
    emit: Options | None = None,
    hosts: Table | None = None,
    ranks: Scalar | None = None,
    start: Scalar | None = None,
    steps: Scalar | None = None,
    time: Scalar | None = None,
    answers: Scalar | None = None,
    pin: Options | None = None,
    explain: bool = False,
    work: Scalar | None = None,
    nodes: Scalar | None = None,
    per_node: Scalar | None = None,
    cores: Scalar | None = None,
    size: Scalar | None = None,
    result: Scalar | None = None,
    host: bool = False,
    csv: Path | None = None,
    verbose: bool = False,
) -> Result:
    """Place tasks on a machine and measure the placement: dilation, contention, times, bounds

    Prints times under the switching of the machine, or under those that --switching asks for; with a single placement, also its phases.

    Parameters
    ----------
    tasks
        binomial:N (2^N tasks), divide:N or divide:RxC (any number), complete-binary:N, logical:data=16,model=8 or logical:16x8 (a logical mesh, with --axis), or a file: *.csv, *.mtx, *.graph, *.grf, *.goal, *.npy, *.graphml, *.json; `-` with --format for standard input
    format
        Read the file as one with this ending, whatever its name: mtx, graph, grf, csv, goal, npy, graphml, toml or json. Standard input is the file `-`
    on
        mesh:RxC[xD…], torus:RxC[…], hypercube:D, gaussian:A+Bi, ccc:D, graph:FILE; real ones: hwloc:FILE.xml, coordinates:FILE.csv, slurm[:names|:MACHINE]; of simulators: booksim:FILE, simgrid:FILE.xml; a TOML file with a [machine] table; or a machine by name: meshwright machines lists them
    dead
        Nodes of the machine that do not work: R,C or an id, `*` for all along an axis, ranges with both their ends: \"3,*\" or 0..4,7; several with `;` between, or the option again
    dead_links
        Links that do not work, in both directions: two neighbours as 0,0-0,1; all between two columns as \"*,3-*,4\"
    switching
        How messages move: wormhole, cut-through or store-and-forward; to compare, map takes several with commas between, or all [default: as the machine file says, else wormhole]
    startup
        c: whole cycles before a message enters the network, such as 100; on a machine with a clock also a time such as 2us; to compare, map and race take several with commas between, or a range: 1..1000 by factors of four, 1..1000/7 seven of them at equal factors [default: as the machine file says, else 100]
    byte_time
        b: cycles per byte on a link, such as 1, 0.25 or 1/30; on a machine with a clock also a rate such as 25GB/s [default: as the machine file says, else 1]
    flit
        h: bytes of the head flit, such as 2; to compare, race takes several with commas between, or a range as of --startup [default: as the machine file says, else 2]
    axis
        logical: what runs along an axis, such as data=all-reduce:512MB; given several times, one phase after the other. BYTES is V, the buffer of one of the p devices on the axis, the larger of before and after. Operations: all-reduce (ring, one way: 2 (p - 1) steps of V/p); all-gather (ring, one way: p - 1 steps of V/p); reduce-scatter (ring, one way: p - 1 steps of V/p); all-reduce-two-way (ring, half each way: 2 (p - 1) steps of V/2p to both sides); all-gather-two-way (ring, half each way: p - 1 steps of V/2p to both sides); reduce-scatter-two-way (ring, half each way: p - 1 steps of V/2p to both sides); all-to-all (all at once: V/p from each to each other); shift (once round a ring by one: V to the next); exchange (a halo: V to both neighbours, not over the ends); broadcast (a binomial tree from member 0: ceil(log2 p) steps of V); reduce (a binomial tree to member 0: ceil(log2 p) steps of V)
    placement
        Which placements, with commas between: all; auto, which prices them and simulates the front runners; search; exact, proved optimal in simulated time up to 16 tasks and beyond where bounds allow; a Scotch FILE.map; front, the Pareto members between growing and centred-halving; one of them, such as steps:x1y1x2x1y1; or any of reflecting, growing, centred-halving, bisection, row-major, snake, hilbert, recursive-bisection, random, axes
    alpha
        binomial, divide: the share of the volume a child gets, as a number or p/q [default: 0.5]
    combine_alpha
        binomial, divide: the share on the way back up [default: no combining phases]
    volume
        binomial, divide: bytes at the root, such as 65536 or \"64 KiB\" [default: 65536]
    preset
        binomial, divide: a well-known computation in place of both shares: broadcast, reduce, leader-election, merge-sort, data-distribution, matrix-chain or graph-halving; where a tree does not halve evenly, parts of data are in proportion
    seed
        The seed of the placements random and recursive-bisection and of the search: a whole number [default: 0]
    formulas
        Bounds and formulas only: simulate nothing
    out
        Write map.json, report.html, plan.json, drawings and schedules into this folder
    png
        Also write each drawing of --out as PNG, at twice its size
    force
        Replace files that hold something else, and write into folders of another job; of those only the files go that their meshwright.json names
    emit
        Write the placement, of several the fastest, with a format, a colon and a file; may be given several times. Formats: rankfile Open MPI: mpirun --map-by rankfile:file=FILE, or -rf FILE before version 5 mpich-rank-order Cray and HPE MPICH: MPICH_RANK_REORDER_METHOD=3, MPICH_RANK_REORDER_FILE=FILE slurm-hostfile Slurm: SLURM_HOSTFILE=FILE srun --distribution=arbitrary bgq-mapfile Blue Gene/Q: runjob --mapping FILE vcoordfile Fujitsu: mpiexec --vcoordfile FILE scotch-map Scotch: vertices are tasks, terminals are nodes goal LogGOPSim, `meshwright simulate` and `meshwright run`: the messages between nodes jax JAX: a device order for jax.sharding.Mesh, as Python torch PyTorch: a rank order for torch.distributed DeviceMesh, as Python json plain JSON: logical coordinates, node, coordinates of the node tt-mesh Tenstorrent: a mesh graph descriptor with pinnings, TT_MESH_GRAPH_DESC_PATH=FILE csv a table: task, rank, node, host, slot and coordinates graphml NetworkX, yEd, Gephi: tasks with their nodes, messages with bytes and phases msccl-xml MSCCL: an algorithm of sends and receives of chunks, one GPU per rank perfetto Perfetto, chrome://tracing: every message on every link, by time certificate lower bound and placement with what proves them: meshwright check
    hosts
        --emit: a file of host names, one on a line, the first for node 0 [default: as the machine says, else node0, node1, …]
    ranks
        --emit: which rank runs which task: task, tree or mirrored-tree [default: tree for binomial:N, else task]
    start
        Where the search starts: best (of all placements the program knows) or random [default: best]
    steps
        How many moves to try, or partial placements to look at (exact); the same steps give the same answer [default: 1000000, fewer if tasks have many messages; exact up to 16 tasks and with --time: no limit]
    time
        Stop after so many seconds with the best so far; the steps made are printed, so that the search can be repeated
    answers
        How many different placements to give at most, the best first [default: 1]
    pin
        TASK=ROW,COLUMN (TASK=ID on a graph): this task must be on that node; may be given several times
    explain
        Also tell why the best placement takes as long as it does, see meshwright explain
    work
        Cycles of an operation of the --preset, such as 12, or forms by step on n elements, as in leaf=2nlogn,combine=3n,divide=100 [default: 0]
    nodes
        Numbers of nodes: 1..1024 (doubling), 6,12,24 or both [default: one for each task, or --per-node tasks]
    per_node
        Numbers of tasks at each node, in the same form [default: one for each core]
    cores
        Cores of each node, which share its tasks
    size
        Elements of the problem, which --work counts [default: its bytes]
    result
        Bytes of the result [default: those of the problem]
    host
        The data come from a host over a channel into the root, and the result goes back
    csv
        Write the table as CSV into this file: one row per point, placement, method or algorithm, units in the head
    verbose
        Say on stderr what is read, what is tried, and what is left out and why
    """
    return call("map", _OPTIONS["map"], locals())


def simulate(
    schedule: Table | None = None,
    *,
    format: Scalar | None = None,
    on: Machine | None = None,
    dead: Options | None = None,
    dead_links: Options | None = None,
    switching: Options | None = None,
    startup: Options | None = None,
    byte_time: Scalar | None = None,
    flit: Options | None = None,
    engine: Scalar | None = None,
    traffic: Scalar | None = None,
    trace: Path | None = None,
    closed_loop: bool = False,
    begins: Path | None = None,
    measured: Path | None = None,
    barriers: Path | None = None,
    load: Scalar | None = None,
    packet: Scalar | None = None,
    warm_up: Scalar | None = None,
    measure: Scalar | None = None,
    drain: Scalar | None = None,
    seed: Scalar | None = None,
    threads: Scalar | None = None,
    set: Options | None = None,
    explain: bool = False,
    emit: Path | None = None,
    out: Path | None = None,
    png: bool = False,
    force: bool = False,
    csv: Path | None = None,
    router: Scalar | None = None,
    verbose: bool = False,
) -> Result:
    """Run a schedule, a trace or open-loop traffic on a machine and measure it

    Parameters
    ----------
    schedule
        The schedule: GOAL text; rank r runs on node r; `-` for standard input
    format
        Read the file as one with this ending, whatever its name: mtx, graph, grf, csv, goal, npy, graphml, toml or json. Standard input is the file `-`
    on
        mesh:RxC[xD…], torus:RxC[…], hypercube:D, gaussian:A+Bi, ccc:D, graph:FILE; real ones: hwloc:FILE.xml, coordinates:FILE.csv, slurm[:names|:MACHINE]; of simulators: booksim:FILE, simgrid:FILE.xml; a TOML file with a [machine] table; or a machine by name: meshwright machines lists them
    dead
        Nodes of the machine that do not work: R,C or an id, `*` for all along an axis, ranges with both their ends: \"3,*\" or 0..4,7; several with `;` between, or the option again
    dead_links
        Links that do not work, in both directions: two neighbours as 0,0-0,1; all between two columns as \"*,3-*,4\"
    switching
        How messages move: wormhole, cut-through or store-and-forward; to compare, map takes several with commas between, or all [default: as the machine file says, else wormhole]
    startup
        c: whole cycles before a message enters the network, such as 100; on a machine with a clock also a time such as 2us; to compare, map and race take several with commas between, or a range: 1..1000 by factors of four, 1..1000/7 seven of them at equal factors [default: as the machine file says, else 100]
    byte_time
        b: cycles per byte on a link, such as 1, 0.25 or 1/30; on a machine with a clock also a rate such as 25GB/s [default: as the machine file says, else 1]
    flit
        h: bytes of the head flit, such as 2; to compare, race takes several with commas between, or a range as of --startup [default: as the machine file says, else 2]
    engine
        What is simulated: whole messages or every flit [default: message for schedules, flit for traffic; flit, too, if the message engine deadlocks or a router is described]
    traffic
        In place of a schedule, packets at random, by pattern: uniform, uniform-with-self, transpose, bit-complement, bit-reverse, shuffle, tornado, neighbour, hot-spot or permutation:FILE
    trace
        In place of a schedule, the reads and writes of a real program: a CSV table or tt-npe's JSON
    closed_loop
        Leave the times of issue out: program order, barriers and kernel begins only
    begins
        When the kernels began, as a table [default: begins.csv beside the trace, if it is there]
    measured
        The measured times, as a table [default: traces.csv beside the trace, if it is there]
    barriers
        The measured ends of barriers, as a table [default: barriers.csv beside the trace, if it is there]
    load
        Flits per node and cycle that sources create
    packet
        Flits of a packet
    warm_up
        Cycles before the measurement
    measure
        Cycles in which created packets are measured
    drain
        Cycles to wait for measured packets afterwards, at most
    seed
        The seed of every draw: a whole number [default: 0]
    threads
        How many threads work; the result does not depend on it [default: one for each core]
    set
        A setting of the router, as virtual_channels=2; may be repeated, once for each key. sweep takes several values with commas between, as routing=odd-even,west-first, and compares them. Keys: virtual_channels, buffers, routing_delay, vc_alloc_delay, sw_alloc_delay, switch_delay, link_delay, credit_delay, injection_delay, ejection_delay, speculative (0 or 1), allocator (islip or separable), ports (one or all), routing (auto, dimension-order, yx, o1turn, valiant, min-adaptive, west-first, odd-even, rajasekaran-tsantilas, up-down, shortest-path or dimension-order-one-class)
    explain
        Of a schedule on whole messages: also tell why it takes as long as it does, see meshwright explain
    emit
        Write what happens, event by event, for Perfetto or chrome://tracing: perfetto:FILE.json
    out
        Write simulate.json into this folder, and of a schedule links.svg: how long each link is busy
    png
        Also write each drawing of --out as PNG, at twice its size
    force
        Replace files that hold something else, and write into folders of another job; of those only the files go that their meshwright.json names
    csv
        Write the table as CSV into this file: one row per point, placement, method or algorithm, units in the head
    router
        How the routers of the flit engine are built: ideal, booksim, caminos or cnsim [default: ideal]
    verbose
        Say on stderr what is read, what is tried, and what is left out and why
    """
    return call("simulate", _OPTIONS["simulate"], locals())


def sweep(
    *,
    on: Machine | None = None,
    dead: Options | None = None,
    dead_links: Options | None = None,
    switching: Options | None = None,
    startup: Options | None = None,
    byte_time: Scalar | None = None,
    flit: Options | None = None,
    traffic: Scalar | None = None,
    packet: Scalar | None = None,
    warm_up: Scalar | None = None,
    measure: Scalar | None = None,
    drain: Scalar | None = None,
    seed: Scalar | None = None,
    threads: Scalar | None = None,
    set: Options | None = None,
    loads: Options | None = None,
    points: Scalar | None = None,
    from_: Scalar | None = None,
    to: Scalar | None = None,
    saturation: bool = False,
    results: Path | None = None,
    out: Path | None = None,
    png: bool = False,
    force: bool = False,
    csv: Path | None = None,
    router: Scalar | None = None,
    verbose: bool = False,
) -> Result:
    """Measure latency against load, and search the load at which the network saturates

    Every finished point is on the disk at once with --results: the same command goes on where it was interrupted.

    Parameters
    ----------
    on
        mesh:RxC[xD…], torus:RxC[…], hypercube:D, gaussian:A+Bi, ccc:D, graph:FILE; real ones: hwloc:FILE.xml, coordinates:FILE.csv, slurm[:names|:MACHINE]; of simulators: booksim:FILE, simgrid:FILE.xml; a TOML file with a [machine] table; or a machine by name: meshwright machines lists them
    dead
        Nodes of the machine that do not work: R,C or an id, `*` for all along an axis, ranges with both their ends: \"3,*\" or 0..4,7; several with `;` between, or the option again
    dead_links
        Links that do not work, in both directions: two neighbours as 0,0-0,1; all between two columns as \"*,3-*,4\"
    switching
        How messages move: wormhole, cut-through or store-and-forward; to compare, map takes several with commas between, or all [default: as the machine file says, else wormhole]
    startup
        c: whole cycles before a message enters the network, such as 100; on a machine with a clock also a time such as 2us; to compare, map and race take several with commas between, or a range: 1..1000 by factors of four, 1..1000/7 seven of them at equal factors [default: as the machine file says, else 100]
    byte_time
        b: cycles per byte on a link, such as 1, 0.25 or 1/30; on a machine with a clock also a rate such as 25GB/s [default: as the machine file says, else 1]
    flit
        h: bytes of the head flit, such as 2; to compare, race takes several with commas between, or a range as of --startup [default: as the machine file says, else 2]
    traffic
        Who sends to whom: uniform, uniform-with-self, transpose, bit-complement, bit-reverse, shuffle, tornado, neighbour, hot-spot or permutation:FILE; several with commas between are compared
    packet
        Flits of a packet
    warm_up
        Cycles before the measurement
    measure
        Cycles in which created packets are measured
    drain
        Cycles to wait for measured packets afterwards, at most
    seed
        The seed of every draw: a whole number [default: 0]
    threads
        How many threads work; the result does not depend on it [default: one for each core]
    set
        A setting of the router, as virtual_channels=2; may be repeated, once for each key. sweep takes several values with commas between, as routing=odd-even,west-first, and compares them. Keys: virtual_channels, buffers, routing_delay, vc_alloc_delay, sw_alloc_delay, switch_delay, link_delay, credit_delay, injection_delay, ejection_delay, speculative (0 or 1), allocator (islip or separable), ports (one or all), routing (auto, dimension-order, yx, o1turn, valiant, min-adaptive, west-first, odd-even, rajasekaran-tsantilas, up-down, shortest-path or dimension-order-one-class)
    loads
        The loads to measure, in flits per node and cycle, with commas between
    points
        How many loads at equal distances [default: 10]
    from_
        The first load [default: the last one divided by the number of points]
    to
        The last load [default: the load that fills the busiest channel, else 1]
    saturation
        Also search the load at which the network saturates, to within 1 %
    results
        Keep every point in this file as soon as it is measured, and go on with the points it holds; several curves have a file each, such as s.odd-even.jsonl for s.jsonl
    out
        Write report.html, curve.svg and sweep.json into this folder
    png
        Also write each drawing of --out as PNG, at twice its size
    force
        Replace files that hold something else, and write into folders of another job; of those only the files go that their meshwright.json names
    csv
        Write the table as CSV into this file: one row per point, placement, method or algorithm, units in the head
    router
        How the routers of the flit engine are built: ideal, booksim, caminos or cnsim [default: ideal]
    verbose
        Say on stderr what is read, what is tried, and what is left out and why
    """
    return call("sweep", _OPTIONS["sweep"], locals())


def plan(
    scenario: Table,
    *,
    format: Scalar | None = None,
    on: Machine | None = None,
    dead: Options | None = None,
    dead_links: Options | None = None,
    seed: Scalar | None = None,
    out: Path | None = None,
    png: bool = False,
    force: bool = False,
    explain: bool = False,
    csv: Path | None = None,
    verbose: bool = False,
) -> Result:
    """Compare every method for every job of a scenario: bound, prediction, simulation, winner

    Prints a table per job and writes report.html. With --json, one JSON object is printed instead, and files are written only if --out names a folder.

    Parameters
    ----------
    scenario
        The scenario file: a [machine] and its jobs; `-` for standard input
    format
        Read the file as one with this ending, whatever its name: mtx, graph, grf, csv, goal, npy, graphml, toml or json. Standard input is the file `-`
    on
        Another machine in place of that of the file; the answer says so
    dead
        Nodes of the machine that do not work: R,C or an id, `*` for all along an axis, ranges with both their ends: \"3,*\" or 0..4,7; several with `;` between, or the option again
    dead_links
        Links that do not work, in both directions: two neighbours as 0,0-0,1; all between two columns as \"*,3-*,4\"
    seed
        The seed of everything random, instead of the scenario's
    out
        Where to write report.html, plan.json, drawings and schedules (without: report.html, here)
    png
        Also write each drawing of --out as PNG, at twice its size
    force
        Replace files that hold something else, and write into folders of another job; of those only the files go that their meshwright.json names
    explain
        Also tell why the winner of each job takes as long as it does, see meshwright explain
    csv
        Write the table as CSV into this file: one row per point, placement, method or algorithm, units in the head
    verbose
        Say on stderr what is read, what is tried, and what is left out and why
    """
    return call("plan", _OPTIONS["plan"], locals())


def split(
    *,
    on: Machine | None = None,
    dead: Options | None = None,
    dead_links: Options | None = None,
    sigma: Scalar | None = None,
    z: Scalar | None = None,
    tcm: Scalar | None = None,
    w: Scalar | None = None,
    tcp: Scalar | None = None,
    ports: Scalar | None = None,
    no_front_end: bool = False,
    results_at: Coordinates | None = None,
    memory: Scalar | None = None,
    duplex: Scalar | None = None,
    next: Scalar | bool | None = None,
    places: Scalar | None = None,
    queues: bool = False,
    show: Scalar | None = None,
    place: Scalar | None = None,
    pieces: Table | None = None,
    dynamic: Options | None = None,
    arrivals: Scalar | None = None,
    drift: Scalar | None = None,
    grains: Scalar | None = None,
    switching: Options | None = None,
    method: Options | None = None,
    reduction: Scalar | None = None,
    ties: Scalar | None = None,
    finish: Scalar | None = None,
    save_at_least: Scalar | None = None,
    speeds: Table | None = None,
    chunks: Scalar | None = None,
    front: bool = False,
    deadline: Scalar | None = None,
    seed: Scalar | None = None,
    emit: Options | None = None,
    out: Path | None = None,
    png: bool = False,
    force: bool = False,
    csv: Path | None = None,
    repeat: Scalar | None = None,
    random_sources: Scalar | None = None,
    source: Options | None = None,
    result_size: Scalar | None = None,
    message_startup: Scalar | None = None,
    verbose: bool = False,
) -> Result:
    """Divide a load that may be cut anywhere: shares by the methods of Zhang 2018, the optimum, messages

    Every method's shares are bounded, checked against the links of the machine, sent as messages and simulated.

    Parameters
    ----------
    on
        mesh:RxC[xD…], torus:RxC[…], hypercube:D, gaussian:A+Bi, ccc:D, graph:FILE; real ones: hwloc:FILE.xml, coordinates:FILE.csv, slurm[:names|:MACHINE]; of simulators: booksim:FILE, simgrid:FILE.xml; a TOML file with a [machine] table; or a machine by name: meshwright machines lists them
    dead
        Nodes of the machine that do not work: R,C or an id, `*` for all along an axis, ranges with both their ends: \"3,*\" or 0..4,7; several with `;` between, or the option again
    dead_links
        Links that do not work, in both directions: two neighbours as 0,0-0,1; all between two columns as \"*,3-*,4\"
    sigma
        The time of a load on a link over its time on a processor, as a number or p/q; several are compared: 0.1,0.2, or 0.01..1/20 for 20 from 0.01 to 1 at equal distances
    z
        In place of sigma = z Tcm / (w Tcp): the inverse speed of a link
    tcm
        The time of the load on a link of inverse speed 1
    w
        The inverse speed of a processor
    tcp
        The time of the load on a processor of inverse speed 1
    ports
        Nodes send on all links at a time, or on one and receive on one, or on so many: all, one, or a number. Every row is then of that machine, or left out [default: as the machine file says, else all]
    no_front_end
        A processor moves every message itself and computes nothing meanwhile
    results_at
        With --result-size: all results go to this node, not to the sources of their loads
    memory
        A node has room for this share of the load at a time, of what is not its own
    duplex
        full, or half: the directions of a wire share its time, and with --ports a port carries one message, in or out [default: full]
    next
        Rank the nodes where one more source helps most; SHARE is what it takes from the others [without a share: as much as each of k + 1 sources of equal loads]
    places
        With --next: how many places are told
    queues
        Instead: loads keep coming, those after = are rates in loads per unit of time w Tcp; whether the machine can work them off
    show
        Instead of the answer: the flow matrix with its determinant, shares and equivalent speed (one source), or what every node does when
    place
        Instead: the best places for K sources of equal loads together, and the earth mover's cost of getting the load there from --source
    pieces
        Instead: one source; the load is pieces that must not be cut, a file under the header `piece,size`; who gets which
    dynamic
        Instead: the load is shared out while it is worked off, by these policies, with commas between, or all; beside a time that none of them beats. resolved: the optimum, solved again and again by what was measured; fixed: the static optimum, solved once; guided: who is idle asks the source for 1/P of what is left; factoring: the same in P equal chunks of half of what is left; trapezoid: the same in chunks that shrink by equal steps; steal-random: who is idle takes half of what anybody has; steal-nearest: who is idle takes half of what a neighbour has; steal-level: the same within 1 hop, then 2, 4, 8; diffusion: neighbours even out what waits
    arrivals
        With --dynamic: when loads arrive: once, at the releases of the sources; poisson:LOADS@RATE, so many equal loads at random at this part of the rate that can be worked off, as in poisson:64@0.8; or FILE.csv under the header time,node,load
    drift
        With --dynamic: how processors change, with + between: none; halve:1 this part of the processors is half as fast from a random moment on; collapse:0.1 this part becomes 16 times slower at a random moment; walk:8 so many steps of 5/4 or 4/5 at random moments; die:1 so many processors stop at random moments; their memory and links go on; or FILE.csv under the header time,node,speed
    grains
        With --dynamic: into how many grains an equal share of the load is cut; a processor takes up one at a time [default: 64, or as few as start-ups leave worth a message]
    switching
        How shares pass the nodes on their way: cut-through, modified-store-and-forward, store-and-forward [default: every one that applies]. The optimum and the installments are what they are
    method
        Which methods, with commas between: all that suit the sources, or any of flow-matrix, epsa, voronoi, reduced, accelerated, constrained, epsea, constrained-extended, local, equal, serial, installments, optimum
    reduction
        Several sources: which processors a cell gives up, peel, literal, literal-min, node [default: peel]. literal is the pseudo-code of Zhang 2018, which may break the makespan
    ties
        Several sources: whose cell a node is in that is equally near to several, lowest, nobody, both [default: lowest]. With both, each cell counts the whole node, which nobody can do in time
    finish
        accelerated: f_T of algorithm 4, it ends when the makespan is at most this, in units of w Tcp [default: 0, as far as it goes]
    save_at_least
        accelerated: r_save of algorithm 4, it ends when no more than this share of the machine is idle [default: 0]
    speeds
        Processors and links that are not all alike: a file of lines `node,,time` and `node,to,time`, in w Tcp; on a mesh also `row,column,to_row,to_column,time` below such a header
    chunks
        The most messages of the installments [default: what serves the time best]
    front
        Also look for installments with fewer processors and fewer messages, and tell what they cost in time; adds the method `installments`
    deadline
        Also print the fewest processors that meet this deadline, in units of w Tcp, the time of the whole load on one processor
    seed
        With --random-sources or --dynamic: the seed of what is drawn [default: 0]
    emit
        Write the messages of the winner with a format, a colon and a file; may be given several times: goal, perfetto; with --dynamic what the winner does under the first seed: perfetto
    out
        Write split.json, report.html, plan.json and drawings into this folder
    png
        Also write each drawing of --out as PNG, at twice its size
    force
        Replace files that hold something else, and write into folders of another job; of those only the files go that their meshwright.json names
    csv
        Write the table as CSV into this file: one row per point, placement, method or algorithm, units in the head
    repeat
        With --random-sources: how often [default: 100]; with --dynamic: so many seeds [default: 1]
    random_sources
        Instead: this many sources of equal loads, drawn at random again and again; averages with 95 % intervals of what the schedulers of Zhang 2018 save and gain, and of the optimum; several are compared: 2,4,8
    source
        Where load enters: R,C, an id or middle; with =LOAD its part (default 1) and with @RELEASE when it is there, in units of w Tcp (default 0). Once for each source
    result_size
        Results of this size, that of the load being 1, go back to its source
    message_startup
        The start-up of a message in units of w Tcp, such as 1e-5; several with commas between are compared
    verbose
        Say on stderr what is read, what is tried, and what is left out and why
    """
    return call("split", _OPTIONS["split"], locals())


def groups(
    *,
    on: Machine | None = None,
    dead: Options | None = None,
    dead_links: Options | None = None,
    order: Scalar | None = None,
    tree: Scalar | None = None,
    split: Scalar | None = None,
    labels: Table | None = None,
    contiguous: bool = False,
    colours: Scalar | None = None,
    keys: Scalar | None = None,
    repeat: Scalar | None = None,
    seed: Scalar | None = None,
    asynchronous: bool = False,
    engine: Scalar | None = None,
    buffers: Scalar | None = None,
    threads: Scalar | None = None,
    collective: Scalar | None = None,
    structure: Scalar | None = None,
    overhead: Scalar | None = None,
    link_delay: Scalar | None = None,
    members: Table | None = None,
    emit: Scalar | None = None,
    random_members: Scalar | None = None,
    out: Path | None = None,
    png: bool = False,
    force: bool = False,
    csv: Path | None = None,
    levels: Scalar | None = None,
    verbose: bool = False,
) -> Result:
    """Simulate group splits, barriers and joins, and collectives, message by message

    With --labels one split, with every member's values and the trees of the new groups; with --levels many splits, and what they take by the size of the group.

    Parameters
    ----------
    on
        mesh:RxC[xD…], torus:RxC[…], hypercube:D, gaussian:A+Bi, ccc:D, graph:FILE; real ones: hwloc:FILE.xml, coordinates:FILE.csv, slurm[:names|:MACHINE]; of simulators: booksim:FILE, simgrid:FILE.xml; a TOML file with a [machine] table; or a machine by name: meshwright machines lists them
    dead
        Nodes of the machine that do not work: R,C or an id, `*` for all along an axis, ranges with both their ends: \"3,*\" or 0..4,7; several with `;` between, or the option again
    dead_links
        Links that do not work, in both directions: two neighbours as 0,0-0,1; all between two columns as \"*,3-*,4\"
    order
        The order of the members; row: row after row, each from the west; column: column after column, each from the north; snake: row after row, every other one backwards; hilbert: the Hilbert curve, generalised to every rectangle
    tree
        The trees: rank-halving, monotone-nearest, ecrb2, ecrb4, ecrb16, tac, curve, or auto: what is fastest with the split, found as for --split [default: auto]
    split
        The split: paper, paper-fast, mask, tac, sort, or auto: what is fastest on the trees, by a trial of the first 2 repetitions on this machine with its costs (above 4096 members by a formula) [default: paper, if it works on the trees and knows the labels, else auto]
    labels
        The members of the group and their labels
    contiguous
        With --levels: new groups are runs of consecutive ranks
    colours
        With --levels: so many labels, all alike (default: two, such that all sizes are alike)
    keys
        With --colours: a random key, too, below K, by which new ranks are given
    repeat
        How often [default: 100 with random labels, else 1]
    seed
        The seed of the labels, and of --random-members [default: 0]
    asynchronous
        Every group goes on by itself; without, all groups begin each operation together
    engine
        What it runs on: packet, message, flit, unbounded, three-phase, three-phase-sliced; packet is the model of Chochia 1996 [default: packet; message where nodes have an overhead or a gap, or store-and-forward a start-up]
    buffers
        Packets that wait before a router, on each link that comes in [default: as the machine file says, else 4]
    threads
        How many threads share the repetitions [default: one for each core]; the answer is the same
    collective
        Instead of splits: what an operation of one group takes on every structure; barrier, broadcast, reduce, all-reduce, scan, gather, or all
    structure
        With --collective: the structure to use, as the answer names them, or auto for the fastest [default: auto]
    overhead
        With --collective: cycles a node works on each message it sends or receives
    link_delay
        With --collective: cycles of a packet over a link [default: those of a machine file, else 1]
    members
        With --collective: the members of the group, in a file as for --labels, whose labels do not matter [default: all nodes]
    emit
        Write what the members do and which groups there are when, for Perfetto or chrome://tracing, of the first repetition at each group's own pace; with --collective one operation on the structure to use: perfetto:FILE; with --collective barrier the tree for hardware, per node its parent, children and count: barrier-table:FILE
    random_members
        With --collective: so many members, drawn by --seed
    out
        Write groups.json, report.html, plan.json and drawings into this folder
    png
        Also write each drawing of --out as PNG, at twice its size
    force
        Replace files that hold something else, and write into folders of another job; of those only the files go that their meshwright.json names
    csv
        Write the table as CSV into this file: one row per point, placement, method or algorithm, units in the head
    levels
        All nodes, split so many levels deep by random labels [default: 4]
    verbose
        Say on stderr what is read, what is tried, and what is left out and why
    """
    return call("groups", _OPTIONS["groups"], locals())


def race(
    operation: Scalar,
    *,
    bytes: Scalar | None = None,
    on: Machine | None = None,
    dead: Options | None = None,
    dead_links: Options | None = None,
    switching: Options | None = None,
    startup: Options | None = None,
    byte_time: Scalar | None = None,
    flit: Options | None = None,
    algorithm: Options | None = None,
    root: Coordinates | None = None,
    combine_time: Scalar | None = None,
    multicast: bool = False,
    explain: bool = False,
    out: Path | None = None,
    png: bool = False,
    force: bool = False,
    emit: Options | None = None,
    csv: Path | None = None,
    verbose: bool = False,
) -> Result:
    """Run a collective operation by every published algorithm, and hold the fastest against a bound

    Every algorithm that suits the machine is simulated message by message, also in chunks that stream where that helps.

    Parameters
    ----------
    operation
        What all members do together: broadcast, reduce, scatter, gather, all-gather, reduce-scatter, all-reduce, all-to-all, barrier, scan
    bytes
        The buffer of one member, such as 65536, 64KiB or 1MB; several with commas between, or a range: 1KB..1GB by factors of four, 1KB..1GB/9 nine of them at equal factors
    on
        mesh:RxC[xD…], torus:RxC[…], hypercube:D, gaussian:A+Bi, ccc:D, graph:FILE; real ones: hwloc:FILE.xml, coordinates:FILE.csv, slurm[:names|:MACHINE]; of simulators: booksim:FILE, simgrid:FILE.xml; a TOML file with a [machine] table; or a machine by name: meshwright machines lists them
    dead
        Nodes of the machine that do not work: R,C or an id, `*` for all along an axis, ranges with both their ends: \"3,*\" or 0..4,7; several with `;` between, or the option again
    dead_links
        Links that do not work, in both directions: two neighbours as 0,0-0,1; all between two columns as \"*,3-*,4\"
    switching
        How messages move: wormhole, cut-through or store-and-forward; to compare, map takes several with commas between, or all [default: as the machine file says, else wormhole]
    startup
        c: whole cycles before a message enters the network, such as 100; on a machine with a clock also a time such as 2us; to compare, map and race take several with commas between, or a range: 1..1000 by factors of four, 1..1000/7 seven of them at equal factors [default: as the machine file says, else 100]
    byte_time
        b: cycles per byte on a link, such as 1, 0.25 or 1/30; on a machine with a clock also a rate such as 25GB/s [default: as the machine file says, else 1]
    flit
        h: bytes of the head flit, such as 2; to compare, race takes several with commas between, or a range as of --startup [default: as the machine file says, else 2]
    algorithm
        Only these, simulated whatever their prospects [default: all that suit; one whose busiest link, or longest chain of messages, alone takes four times the best time is not simulated]: recursive-doubling, recursive-doubling-multiport, recursive-halving, rabenseifner, rabenseifner-multiport, swing-l, swing-l-multiport, swing-b, swing-b-multiport, bine-halving, bine-doubling, bine-butterfly, trivance-l, trivance-whole, trivance-b, ring, two-way-ring, short-ring, snake-ring, snake-line, hamiltonian-ring, two-way-hamiltonian-ring, disjoint-hamiltonian-rings, bucket, all-port-bucket, two-way-bucket, direct, direct-whole, bruck, all-port-bruck, all-port-bruck-whole, bruck-exchange, all-port-bruck-exchange, pairwise, by-dimension, by-dimension-ringwise, scan-doubling, scan-tree, scan-chain, scan-rows, scan-exchange, dissemination, flooding, chain, snake-chain, xy-chain, binomial, centred-halving, growing, reflecting, star, binary-tree, quaternary-tree, two-phase, k-tree, xy-star, xy-binary-tree, xy-two-phase, xy-k-tree, double-tree, snake-double-tree, disjoint-trees, three-trees, auto-gen, xy-auto-gen, scatter-ring, scatter-doubling, multitree, multicast, multicast-trees, synthesis
    root
        broadcast, reduce, scatter, gather: the node it begins or ends at, R,C or an id [default: each algorithm chooses, from the centre of the machine and its first node]
    combine_time
        Cycles of adding up a byte at a node, such as 1/4; of a message rounded up to whole cycles [default: nothing]
    multicast
        Routers copy messages that pass them: adds multicasts; cut-through only
    explain
        Also tell why the winner takes as long as it does, see meshwright explain
    out
        Write race.json, report.html and drawings into this folder
    png
        Also write each drawing of --out as PNG, at twice its size
    force
        Replace files that hold something else, and write into folders of another job; of those only the files go that their meshwright.json names
    emit
        Write the schedule of the winner, rank r on node r, with a format, a colon and a file; may be given several times: goal, msccl-xml, perfetto; certificate: the bound from its root
    csv
        Write the table as CSV into this file: one row per point, placement, method or algorithm, units in the head
    verbose
        Say on stderr what is read, what is tried, and what is left out and why
    """
    return call("race", _OPTIONS["race"], locals())


def explain(
    plan: Table,
    *,
    format: Scalar | None = None,
    job: Scalar | None = None,
    csv: Path | None = None,
    force: bool = False,
    verbose: bool = False,
) -> Result:
    """Tell why a plan takes as long as it does: the culprit, the critical path, and what changes would gain

    Parameters
    ----------
    plan
        plan.json, as `meshwright plan --out` and `meshwright map --out` write it
    format
        Read the file as one with this ending, whatever its name: mtx, graph, grf, csv, goal, npy, graphml, toml or json. Standard input is the file `-`
    job
        The job of the plan [default: the only one]
    csv
        Write the table as CSV into this file: one row per point, placement, method or algorithm, units in the head
    force
        Replace files that hold something else, and write into folders of another job; of those only the files go that their meshwright.json names
    verbose
        Say on stderr what is read, what is tried, and what is left out and why
    """
    return call("explain", _OPTIONS["explain"], locals())


def check(
    claim: Table,
    *,
    format: Scalar | None = None,
    on: Machine | None = None,
    dead: Options | None = None,
    dead_links: Options | None = None,
    csv: Path | None = None,
    force: bool = False,
    verbose: bool = False,
) -> Result:
    """Check whether links can carry a claimed load distribution, and if not, print the violated cut; or check a certificate of `map` or `race`, or a barrier of `groups`

    Parameters
    ----------
    claim
        The claim, or what `split --json` printed, or what `--emit` of map, race or groups wrote; `-` for standard input
    format
        Read the file as one with this ending, whatever its name: mtx, graph, grf, csv, goal, npy, graphml, toml or json. Standard input is the file `-`
    on
        Another machine in place of that of the file; the answer says so
    dead
        Nodes of the machine that do not work: R,C or an id, `*` for all along an axis, ranges with both their ends: \"3,*\" or 0..4,7; several with `;` between, or the option again
    dead_links
        Links that do not work, in both directions: two neighbours as 0,0-0,1; all between two columns as \"*,3-*,4\"
    csv
        Write the table as CSV into this file: one row per point, placement, method or algorithm, units in the head
    force
        Replace files that hold something else, and write into folders of another job; of those only the files go that their meshwright.json names
    verbose
        Say on stderr what is read, what is tried, and what is left out and why
    """
    return call("check", _OPTIONS["check"], locals())


def run(
    plan: Table,
    *,
    format: Scalar | None = None,
    job: Scalar | None = None,
    on: Machine | None = None,
    dead: Options | None = None,
    dead_links: Options | None = None,
    repeat: Scalar | None = None,
    cycle_time: Scalar | None = None,
    no_compute: bool = False,
    out: Path | None = None,
    csv: Path | None = None,
    force: bool = False,
    verbose: bool = False,
) -> Result:
    """Run a schedule on real ranks: every byte checked, measured times beside predicted ones

    Parameters
    ----------
    plan
        plan.json, as `meshwright plan --out` writes it, or GOAL text
    format
        Read the file as one with this ending, whatever its name: mtx, graph, grf, csv, goal, npy, graphml, toml or json. Standard input is the file `-`
    job
        The job of the plan [default: the only one]
    on
        The network for the prediction, in place of that of the plan
    dead
        Nodes of the machine that do not work: R,C or an id, `*` for all along an axis, ranges with both their ends: \"3,*\" or 0..4,7; several with `;` between, or the option again
    dead_links
        Links that do not work, in both directions: two neighbours as 0,0-0,1; all between two columns as \"*,3-*,4\"
    repeat
        Run so many times; the medians are shown
    cycle_time
        How long a cycle of a computation lasts, in nanoseconds
    no_compute
        Computations take no time
    out
        Write run.json into this folder
    csv
        Write the table as CSV into this file: one row per point, placement, method or algorithm, units in the head
    force
        Replace files that hold something else, and write into folders of another job; of those only the files go that their meshwright.json names
    verbose
        Say on stderr what is read, what is tried, and what is left out and why
    """
    return call("run", _OPTIONS["run"], locals())


def machines(
    name: Scalar | None = None,
    *,
    verbose: bool = False,
) -> Result:
    """List the machines that come with the program, or print the file of one

    Parameters
    ----------
    name
        The machine whose TOML file is printed; `--on` takes the name, and the file
    verbose
        Say on stderr what is read, what is tried, and what is left out and why
    """
    return call("machines", _OPTIONS["machines"], locals())


def fit(
    machine: Machine,
    traces: list[Table],
    *,
    free: Options | None = None,
    folds: Scalar | None = None,
    closed_loop: bool = False,
    engine: Scalar | None = None,
    seed: Scalar | None = None,
    out: Path | None = None,
    csv: Path | None = None,
    force: bool = False,
    verbose: bool = False,
) -> Result:
    """Find a machine's free constants from traces; the error on traces that took no part

    Parameters
    ----------
    machine
        The machine: a TOML file, or the name of one that comes with the program
    traces
        At least four traces whose measured times are known: CSV tables or tt-npe's JSON
    free
        The constants to be found, at most six [default: processors.tail and the first interfaces.out]
    folds
        How often the traces are halved at random: one half fits, the other is predicted
    closed_loop
        Leave the times of issue out: program order, barriers and kernel begins only
    engine
        What is simulated: whole messages or every flit [default: flit if the machine describes routers]
    seed
        What the halves follow from
    out
        Write fit.json and the fitted machine.toml into this folder
    csv
        Write the table as CSV into this file: one row per point, placement, method or algorithm, units in the head
    force
        Replace files that hold something else, and write into folders of another job; of those only the files go that their meshwright.json names
    verbose
        Say on stderr what is read, what is tried, and what is left out and why
    """
    return call("fit", _OPTIONS["fit"], locals())


def sort(
    input: Path,
    *,
    out: Path | None = None,
    force: bool = False,
    on: Machine | None = None,
    dead: Options | None = None,
    dead_links: Options | None = None,
    placement: Scalar | None = None,
    seed: Scalar | None = None,
    signed: bool = False,
    compare: bool = False,
    csv: Path | None = None,
    ranks: Scalar | None = None,
    verbose: bool = False,
) -> Result:
    """Sort a file of 32-bit integers by merge sort on threads: keep half, send half

    IN holds raw little-endian 32-bit integers, unsigned unless --signed says otherwise; so will OUT. Each rank is a thread of this process; `meshwright-mpi sort` does the same on processes.

    Parameters
    ----------
    input
        The numbers: 4 bytes each, little-endian
    out
        The file to write them into in increasing order, no folder as in other verbs; it may be IN, with --force
    force
        Replace files that hold something else, and write into folders of another job; of those only the files go that their meshwright.json names
    on
        The machine, with as many living nodes as there are ranks: rank r is its r-th node [default: the mesh nearest to a square]
    dead
        Nodes of the machine that do not work: R,C or an id, `*` for all along an axis, ranges with both their ends: \"3,*\" or 0..4,7; several with `;` between, or the option again
    dead_links
        Links that do not work, in both directions: two neighbours as 0,0-0,1; all between two columns as \"*,3-*,4\"
    placement
        Where the tasks of the tree go: one placement of `meshwright map` by its name; auto, the winner; launched, rank r is task r [default: centred-halving on boxes, else bisection]
    seed
        The seed of --placement random, recursive-bisection or auto: a whole number [default: 0]
    signed
        The integers have a sign: -1 comes before 0
    compare
        Sort once more on one thread (the standard library alone) and once more on all threads of rank 0, and compare results and times; `mpirun --bind-to none` lets rank 0 have more than one
    csv
        Write the table as CSV into this file: one row per point, placement, method or algorithm, units in the head
    ranks
        How many ranks: 1 to 1024 [default: the nodes of the machine, else as many as the processor has threads]
    verbose
        Say on stderr what is read, what is tried, and what is left out and why
    """
    return call("sort", _OPTIONS["sort"], locals())


def divide(
    application: Scalar,
    *,
    size: Scalar | None = None,
    on: Machine | None = None,
    dead: Options | None = None,
    dead_links: Options | None = None,
    placement: Scalar | None = None,
    repeat: Scalar | None = None,
    seed: Scalar | None = None,
    csv: Path | None = None,
    force: bool = False,
    threads: Scalar | None = None,
    ranks: Scalar | None = None,
    verbose: bool = False,
) -> Result:
    """Run divide and conquer on one thread, on all threads and on ranks, and compare the times

    Parameters
    ----------
    application
        merge-sort, matrix-chain, components, broadcast, reduce or all
    size
        How large the problem is; what this counts is up to the application
    on
        The machine whose nodes are the ranks, such as mesh:4x4 [default: the mesh nearest to a square]
    dead
        Nodes of the machine that do not work: R,C or an id, `*` for all along an axis, ranges with both their ends: \"3,*\" or 0..4,7; several with `;` between, or the option again
    dead_links
        Links that do not work, in both directions: two neighbours as 0,0-0,1; all between two columns as \"*,3-*,4\"
    placement
        Which rank runs which task of the tree: a placement of `meshwright map`, auto for the fastest one, or launched for rank r at task r [default: centred-halving or bisection]
    repeat
        How often everyone solves the problem; the median counts
    seed
        For problems at random
    csv
        Write the table as CSV into this file: one row per point, placement, method or algorithm, units in the head
    force
        Replace files that hold something else, and write into folders of another job; of those only the files go that their meshwright.json names
    threads
        How many threads steal work [default: one for each core]
    ranks
        How many ranks, each a thread of this process [default: the nodes of the machine, else 4]
    verbose
        Say on stderr what is read, what is tried, and what is left out and why
    """
    return call("divide", _OPTIONS["divide"], locals())


def claims(
    paper: Scalar | None = None,
    *,
    only: Options | None = None,
    n_max: Scalar | None = None,
    out: Path | None = None,
    png: bool = False,
    csv: Path | None = None,
    force: bool = False,
    verbose: bool = False,
) -> Result:
    """Recompute the definitions, theorems and equations of a paper and report which hold

    A claim holds, is corrected (the right form and the smallest counterexample are given) or is refuted; remarks are ours, and what cannot be checked or is not built is named.

    Parameters
    ----------
    paper
        The paper [default: all there are]
    only
        Only these claims (lemma-3) or errata (E1), with commas between: in full, with their numbers
    n_max
        lo1990: build trees of up to 2^N tasks: from 8, where every counterexample is in sight, to 16 [default: 16]
    out
        Write report.html, claims.json and the figures of the paper into this folder
    png
        Also write each drawing of --out as PNG, at twice its size
    csv
        Write the table as CSV into this file: one row per point, placement, method or algorithm, units in the head
    force
        Replace files that hold something else, and write into folders of another job; of those only the files go that their meshwright.json names
    verbose
        Say on stderr what is read, what is tried, and what is left out and why
    """
    return call("claims", _OPTIONS["claims"], locals())


# By verb and parameter: the option, and whether it may be repeated.
_OPTIONS: Dict[str, Dict[str, Tuple[str, str]]] = {
    "map": {
        "tasks": ("", "one"),
        "format": ("--format", "one"),
        "on": ("--on", "one"),
        "dead": ("--dead", "many"),
        "dead_links": ("--dead-links", "many"),
        "switching": ("--switching", "many"),
        "startup": ("--startup", "many"),
        "byte_time": ("--byte-time", "one"),
        "flit": ("--flit", "many"),
        "axis": ("--axis", "many"),
        "placement": ("--placement", "many"),
        "alpha": ("--alpha", "one"),
        "combine_alpha": ("--combine-alpha", "one"),
        "volume": ("--volume", "one"),
        "preset": ("--preset", "one"),
        "seed": ("--seed", "one"),
        "formulas": ("--formulas", "one"),
        "out": ("--out", "one"),
        "png": ("--png", "one"),
        "force": ("--force", "one"),
        "emit": ("--emit", "many"),
        "hosts": ("--hosts", "one"),
        "ranks": ("--ranks", "one"),
        "start": ("--start", "one"),
        "steps": ("--steps", "one"),
        "time": ("--time", "one"),
        "answers": ("--answers", "one"),
        "pin": ("--pin", "many"),
        "explain": ("--explain", "one"),
        "work": ("--work", "one"),
        "nodes": ("--nodes", "one"),
        "per_node": ("--per-node", "one"),
        "cores": ("--cores", "one"),
        "size": ("--size", "one"),
        "result": ("--result", "one"),
        "host": ("--host", "one"),
        "csv": ("--csv", "one"),
        "verbose": ("--verbose", "one"),
    },
    "simulate": {
        "schedule": ("", "one"),
        "format": ("--format", "one"),
        "on": ("--on", "one"),
        "dead": ("--dead", "many"),
        "dead_links": ("--dead-links", "many"),
        "switching": ("--switching", "many"),
        "startup": ("--startup", "many"),
        "byte_time": ("--byte-time", "one"),
        "flit": ("--flit", "many"),
        "engine": ("--engine", "one"),
        "traffic": ("--traffic", "one"),
        "trace": ("--trace", "one"),
        "closed_loop": ("--closed-loop", "one"),
        "begins": ("--begins", "one"),
        "measured": ("--measured", "one"),
        "barriers": ("--barriers", "one"),
        "load": ("--load", "one"),
        "packet": ("--packet", "one"),
        "warm_up": ("--warm-up", "one"),
        "measure": ("--measure", "one"),
        "drain": ("--drain", "one"),
        "seed": ("--seed", "one"),
        "threads": ("--threads", "one"),
        "set": ("--set", "many"),
        "explain": ("--explain", "one"),
        "emit": ("--emit", "one"),
        "out": ("--out", "one"),
        "png": ("--png", "one"),
        "force": ("--force", "one"),
        "csv": ("--csv", "one"),
        "router": ("--router", "one"),
        "verbose": ("--verbose", "one"),
    },
    "sweep": {
        "on": ("--on", "one"),
        "dead": ("--dead", "many"),
        "dead_links": ("--dead-links", "many"),
        "switching": ("--switching", "many"),
        "startup": ("--startup", "many"),
        "byte_time": ("--byte-time", "one"),
        "flit": ("--flit", "many"),
        "traffic": ("--traffic", "one"),
        "packet": ("--packet", "one"),
        "warm_up": ("--warm-up", "one"),
        "measure": ("--measure", "one"),
        "drain": ("--drain", "one"),
        "seed": ("--seed", "one"),
        "threads": ("--threads", "one"),
        "set": ("--set", "many"),
        "loads": ("--loads", "many"),
        "points": ("--points", "one"),
        "from_": ("--from", "one"),
        "to": ("--to", "one"),
        "saturation": ("--saturation", "one"),
        "results": ("--results", "one"),
        "out": ("--out", "one"),
        "png": ("--png", "one"),
        "force": ("--force", "one"),
        "csv": ("--csv", "one"),
        "router": ("--router", "one"),
        "verbose": ("--verbose", "one"),
    },
    "plan": {
        "scenario": ("", "one"),
        "format": ("--format", "one"),
        "on": ("--on", "one"),
        "dead": ("--dead", "many"),
        "dead_links": ("--dead-links", "many"),
        "seed": ("--seed", "one"),
        "out": ("--out", "one"),
        "png": ("--png", "one"),
        "force": ("--force", "one"),
        "explain": ("--explain", "one"),
        "csv": ("--csv", "one"),
        "verbose": ("--verbose", "one"),
    },
    "split": {
        "on": ("--on", "one"),
        "dead": ("--dead", "many"),
        "dead_links": ("--dead-links", "many"),
        "sigma": ("--sigma", "one"),
        "z": ("--z", "one"),
        "tcm": ("--tcm", "one"),
        "w": ("--w", "one"),
        "tcp": ("--tcp", "one"),
        "ports": ("--ports", "one"),
        "no_front_end": ("--no-front-end", "one"),
        "results_at": ("--results-at", "one"),
        "memory": ("--memory", "one"),
        "duplex": ("--duplex", "one"),
        "next": ("--next", "one"),
        "places": ("--places", "one"),
        "queues": ("--queues", "one"),
        "show": ("--show", "one"),
        "place": ("--place", "one"),
        "pieces": ("--pieces", "one"),
        "dynamic": ("--dynamic", "many"),
        "arrivals": ("--arrivals", "one"),
        "drift": ("--drift", "one"),
        "grains": ("--grains", "one"),
        "switching": ("--switching", "many"),
        "method": ("--method", "many"),
        "reduction": ("--reduction", "one"),
        "ties": ("--ties", "one"),
        "finish": ("--finish", "one"),
        "save_at_least": ("--save-at-least", "one"),
        "speeds": ("--speeds", "one"),
        "chunks": ("--chunks", "one"),
        "front": ("--front", "one"),
        "deadline": ("--deadline", "one"),
        "seed": ("--seed", "one"),
        "emit": ("--emit", "many"),
        "out": ("--out", "one"),
        "png": ("--png", "one"),
        "force": ("--force", "one"),
        "csv": ("--csv", "one"),
        "repeat": ("--repeat", "one"),
        "random_sources": ("--random-sources", "one"),
        "source": ("--source", "many"),
        "result_size": ("--result-size", "one"),
        "message_startup": ("--message-startup", "one"),
        "verbose": ("--verbose", "one"),
    },
    "groups": {
        "on": ("--on", "one"),
        "dead": ("--dead", "many"),
        "dead_links": ("--dead-links", "many"),
        "order": ("--order", "one"),
        "tree": ("--tree", "one"),
        "split": ("--split", "one"),
        "labels": ("--labels", "one"),
        "contiguous": ("--contiguous", "one"),
        "colours": ("--colours", "one"),
        "keys": ("--keys", "one"),
        "repeat": ("--repeat", "one"),
        "seed": ("--seed", "one"),
        "asynchronous": ("--asynchronous", "one"),
        "engine": ("--engine", "one"),
        "buffers": ("--buffers", "one"),
        "threads": ("--threads", "one"),
        "collective": ("--collective", "one"),
        "structure": ("--structure", "one"),
        "overhead": ("--overhead", "one"),
        "link_delay": ("--link-delay", "one"),
        "members": ("--members", "one"),
        "emit": ("--emit", "one"),
        "random_members": ("--random-members", "one"),
        "out": ("--out", "one"),
        "png": ("--png", "one"),
        "force": ("--force", "one"),
        "csv": ("--csv", "one"),
        "levels": ("--levels", "one"),
        "verbose": ("--verbose", "one"),
    },
    "race": {
        "operation": ("", "one"),
        "bytes": ("--bytes", "one"),
        "on": ("--on", "one"),
        "dead": ("--dead", "many"),
        "dead_links": ("--dead-links", "many"),
        "switching": ("--switching", "many"),
        "startup": ("--startup", "many"),
        "byte_time": ("--byte-time", "one"),
        "flit": ("--flit", "many"),
        "algorithm": ("--algorithm", "many"),
        "root": ("--root", "one"),
        "combine_time": ("--combine-time", "one"),
        "multicast": ("--multicast", "one"),
        "explain": ("--explain", "one"),
        "out": ("--out", "one"),
        "png": ("--png", "one"),
        "force": ("--force", "one"),
        "emit": ("--emit", "many"),
        "csv": ("--csv", "one"),
        "verbose": ("--verbose", "one"),
    },
    "explain": {
        "plan": ("", "one"),
        "format": ("--format", "one"),
        "job": ("--job", "one"),
        "csv": ("--csv", "one"),
        "force": ("--force", "one"),
        "verbose": ("--verbose", "one"),
    },
    "check": {
        "claim": ("", "one"),
        "format": ("--format", "one"),
        "on": ("--on", "one"),
        "dead": ("--dead", "many"),
        "dead_links": ("--dead-links", "many"),
        "csv": ("--csv", "one"),
        "force": ("--force", "one"),
        "verbose": ("--verbose", "one"),
    },
    "run": {
        "plan": ("", "one"),
        "format": ("--format", "one"),
        "job": ("--job", "one"),
        "on": ("--on", "one"),
        "dead": ("--dead", "many"),
        "dead_links": ("--dead-links", "many"),
        "repeat": ("--repeat", "one"),
        "cycle_time": ("--cycle-time", "one"),
        "no_compute": ("--no-compute", "one"),
        "out": ("--out", "one"),
        "csv": ("--csv", "one"),
        "force": ("--force", "one"),
        "verbose": ("--verbose", "one"),
    },
    "machines": {
        "name": ("", "one"),
        "verbose": ("--verbose", "one"),
    },
    "fit": {
        "machine": ("", "one"),
        "traces": ("", "many"),
        "free": ("--free", "many"),
        "folds": ("--folds", "one"),
        "closed_loop": ("--closed-loop", "one"),
        "engine": ("--engine", "one"),
        "seed": ("--seed", "one"),
        "out": ("--out", "one"),
        "csv": ("--csv", "one"),
        "force": ("--force", "one"),
        "verbose": ("--verbose", "one"),
    },
    "sort": {
        "input": ("", "one"),
        "out": ("--out", "one"),
        "force": ("--force", "one"),
        "on": ("--on", "one"),
        "dead": ("--dead", "many"),
        "dead_links": ("--dead-links", "many"),
        "placement": ("--placement", "one"),
        "seed": ("--seed", "one"),
        "signed": ("--signed", "one"),
        "compare": ("--compare", "one"),
        "csv": ("--csv", "one"),
        "ranks": ("--ranks", "one"),
        "verbose": ("--verbose", "one"),
    },
    "divide": {
        "application": ("", "one"),
        "size": ("--size", "one"),
        "on": ("--on", "one"),
        "dead": ("--dead", "many"),
        "dead_links": ("--dead-links", "many"),
        "placement": ("--placement", "one"),
        "repeat": ("--repeat", "one"),
        "seed": ("--seed", "one"),
        "csv": ("--csv", "one"),
        "force": ("--force", "one"),
        "threads": ("--threads", "one"),
        "ranks": ("--ranks", "one"),
        "verbose": ("--verbose", "one"),
    },
    "claims": {
        "paper": ("", "one"),
        "only": ("--only", "many"),
        "n_max": ("--n-max", "one"),
        "out": ("--out", "one"),
        "png": ("--png", "one"),
        "csv": ("--csv", "one"),
        "force": ("--force", "one"),
        "verbose": ("--verbose", "one"),
    },
}

__all__ = [
    "map",
    "simulate",
    "sweep",
    "plan",
    "split",
    "groups",
    "race",
    "explain",
    "check",
    "run",
    "machines",
    "fit",
    "sort",
    "divide",
    "claims",
]
