"""What a function returns is what the command prints with --json, to the bit."""

import pytest

import meshwright as mw

from conftest import ROOT

LAMMPS = ROOT / "examples/lammps-lj-16.phases.csv"
SILICON = ROOT / "data/silicon/wormhole"
GOAL = "num_ranks 2\n\nrank 0 {\nl0: send 8b to 1 tag 1\n}\n\nrank 1 {\nl0: recv 8b from 0 tag 1\n}\n"
TRAFFIC = {"on": "mesh:4x4", "traffic": "uniform", "measure": 200, "warm_up": 100, "drain": 500, "seed": 3}

# A verb, its arguments, and the words of the same command.
CALLS = [
    (mw.map, ["binomial:4"], {"on": "mesh:4x4"}, "map binomial:4 --on mesh:4x4"),
    (
        mw.map,
        [LAMMPS],
        {"on": "torus:4x4", "placement": ["auto"], "explain": True},
        f"map {LAMMPS} --on torus:4x4 --placement auto --explain",
    ),
    (
        mw.map,
        ["binomial:6"],
        {"on": "mesh:8x8", "placement": "search", "steps": 500, "pin": {0: 9}, "volume": "64 KiB"},
        "map binomial:6 --on mesh:8x8 --placement search --steps 500 --pin 0=9 --volume 64_KiB",
    ),
    (
        mw.map,
        ["divide:35"],
        {"on": "mesh:6x6", "alpha": 1 / 3, "switching": "store-and-forward", "startup": 7},
        f"map divide:35 --on mesh:6x6 --alpha {1 / 3!r} --switching store-and-forward --startup 7",
    ),
    (
        mw.split,
        [],
        {"on": "mesh:5x5", "source": (2, 2), "sigma": 0.1},
        "split --on mesh:5x5 --source 2,2 --sigma 0.1",
    ),
    (
        mw.split,
        [],
        {"on": "mesh:6x6", "source": ["0,0", "5,5=2"], "sigma": "1/7", "method": ["optimum", "epsa"], "next": True},
        "split --on mesh:6x6 --source 0,0 --source 5,5=2 --sigma 1/7 --method optimum,epsa --next",
    ),
    (
        mw.groups,
        [],
        {"on": "mesh:4x4", "levels": 2, "repeat": 3, "seed": 5},
        "groups --on mesh:4x4 --levels 2 --repeat 3 --seed 5",
    ),
    (
        mw.groups,
        [],
        {"on": "mesh:4x4", "collective": "all-reduce"},
        "groups --on mesh:4x4 --collective all-reduce",
    ),
    (mw.simulate, [mw.Text(GOAL, "two.goal")], {"on": "mesh:1x2"}, "simulate two.goal --on mesh:1x2"),
    (
        mw.simulate,
        [],
        {**TRAFFIC, "load": 0.1, "set": {"virtual_channels": 2}},
        "simulate --on mesh:4x4 --traffic uniform --measure 200 --warm-up 100 --drain 500 --seed 3 --load 0.1 "
        "--set virtual_channels=2",
    ),
    (
        mw.sweep,
        [],
        {**TRAFFIC, "loads": [0.05, 0.1, 0.3]},
        "sweep --on mesh:4x4 --traffic uniform --measure 200 --warm-up 100 --drain 500 --seed 3 --loads 0.05,0.1,0.3",
    ),
    (mw.claims, ["lo1990"], {"n_max": 8, "only": ["E1", "E2"]}, "claims lo1990 --n-max 8 --only E1,E2"),
    (
        mw.sweep,
        [],
        {**TRAFFIC, "loads": [0.05, 0.1], "set": {"routing": ["dimension-order", "odd-even"]}},
        "sweep --on mesh:4x4 --traffic uniform --measure 200 --warm-up 100 --drain 500 --seed 3 --loads 0.05,0.1 "
        "--set routing=dimension-order,odd-even",
    ),
    (mw.machines, [], {}, "machines"),
    (mw.machines, ["wormhole"], {}, "machines wormhole"),
    (
        mw.plan,
        [ROOT / "examples/quickstart.toml"],
        {"out": "plan"},
        f"plan {ROOT}/examples/quickstart.toml --out plan2",
    ),
]


@pytest.mark.parametrize("verb, places, options, words", CALLS, ids=[words for *_, words in CALLS])
def test_a_function_returns_what_the_command_prints(program, verb, places, options, words):
    for place in places:
        if isinstance(place, mw.Text):
            with open(place.name, "wb") as file:
                file.write(place.bytes)
    words = [word.replace("_KiB", " KiB") for word in words.split()]
    code, stdout, stderr = program(*words, "--json")
    answer = verb(*places, **options)
    assert stderr == ""
    assert (answer.code, answer.json_text) == (code, stdout)


def test_a_claim_is_checked_as_it_came_from_split(program):
    claim = mw.split(on="mesh:5x5", source=12, sigma=0.1, method="epsa")
    with open("claim.json", "w") as file:
        file.write(claim.json_text)
    code, stdout, _ = program("check", "claim.json", "--json")
    answer = mw.check(claim)
    assert (answer.code, answer.json_text) == (code, stdout)
    assert answer["feasible"] is False and answer.negative


def test_fit_finds_what_the_command_finds(program):
    traces = sorted(SILICON.glob("1x2_BLOCK_TO_*.csv"))
    traces += sorted(SILICON.glob("2x2_BLOCK_TO_*.csv"))
    options = {"free": "processors.tail", "folds": 2}
    answer = mw.fit("wormhole", traces[:5], **options)
    words = ["fit", "wormhole", *traces[:5], "--free", "processors.tail", "--folds", "2", "--json"]
    assert answer.json_text == program(*words)[1]


def test_files_that_are_written_are_the_same(program):
    options = {"placement": "hilbert", "emit": "rankfile:ranks.txt", "out": "python"}
    mw.map("binomial:4", on="mesh:4x4", **options)
    ours = open("ranks.txt").read()
    words = ["map", "binomial:4", "--on", "mesh:4x4", "--placement", "hilbert", "--out", "program"]
    assert program(*words, "--emit", "rankfile:theirs.txt")[0] == 0
    assert ours == open("theirs.txt").read()
    assert open("python/map.json").read() == open("program/map.json").read()


def test_a_command_prints_its_table(program):
    words = ["map", "binomial:4", "--on", "mesh:4x4"]
    assert mw.command(*words) == program(*words)[1]
    assert mw.command("--version") == program("--version")[1]
    assert mw.command("map", "--help").startswith("Place tasks")
