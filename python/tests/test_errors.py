"""Errors are exceptions with the text of the command line."""

import inspect

import numpy
import pytest

import meshwright as mw


@pytest.mark.parametrize(
    "words, call",
    [
        ("map binomial:4 --on=mseh:4x4", lambda: mw.map("binomial:4", on="mseh:4x4")),
        ("map binomial:4 --on=mesh:4x4 --placement=hilbet", lambda: mw.map("binomial:4", on="mesh:4x4", placement="hilbet")),
        ("map nowhere.mtx --on=mesh:4x4", lambda: mw.map("nowhere.mtx", on="mesh:4x4")),
        ("map bad.mtx --on=mesh:4x4", lambda: mw.map("bad.mtx", on="mesh:4x4")),
        ("map binomial:4 --on=mesh:2x2", lambda: mw.map("binomial:4", on="mesh:2x2")),
        ("split --on=mesh:4x4 --json --source=99 --sigma=0.1", lambda: mw.split(on="mesh:4x4", source=99, sigma=0.1)),
        ("simulate --json --on=mesh:4x4", lambda: mw.simulate(on="mesh:4x4")),
    ],
)
def test_bad_input_is_an_input_error(program, words, call):
    with open("bad.mtx", "w") as file:
        file.write("%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 3 5\n")
    code, stdout, stderr = program(*words.split())
    with pytest.raises(mw.InputError) as caught:
        call()
    assert (caught.value.code, str(caught.value)) == (code, stderr.rstrip("\n"))
    assert code == 2 and isinstance(caught.value, ValueError) and "\x1b" not in str(caught.value)


def test_nothing_is_written_with_bad_input(tmp_path):
    with pytest.raises(mw.InputError):
        mw.map(numpy.array([[0, -1], [0, 0]]), on="mesh:2x2", out="here")
    assert list(tmp_path.iterdir()) == []


def test_a_fault_in_a_matrix_is_shown_in_its_text():
    with pytest.raises(mw.InputError, match=r"tasks.mtx:3:5(.|\n)*-1"):
        mw.map([[0, -1], [0, 0]], on="mesh:2x2")
    with pytest.raises(ValueError, match="2 x 3; expected a square one"):
        mw.map(numpy.zeros((2, 3)), on="mesh:2x2")


def test_a_command_raises_what_it_prints():
    with pytest.raises(mw.InputError, match="unrecognized subcommand"):
        mw.command("mpa")


def test_a_negative_answer_is_an_answer():
    ring = "num_ranks 4\n" + "".join(
        f"rank {i} {{\nl0: send 100000b to {(i + 2) % 4} tag 1\nl1: recv 100000b from {(i + 2) % 4} tag 1\n}}\n"
        for i in range(4)
    )
    answer = mw.simulate(mw.Text(ring, "ring.goal"), on="torus:1x4", engine="message")
    assert answer.negative == (answer["deadlock"] is not None)


def test_functions_say_what_they_take():
    signature = inspect.signature(mw.map)
    assert signature.parameters["placement"].kind is inspect.Parameter.KEYWORD_ONLY
    assert "mw.map(" in mw.__doc__ and "row-major" in mw.map.__doc__
    with pytest.raises(TypeError, match="placment"):
        mw.map("binomial:4", on="mesh:4x4", placment="all")
