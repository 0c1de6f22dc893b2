"""Calls of the program, what they return and what they raise."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Dict, Optional, Tuple

from . import _meshwright
from ._convert import Files


class Error(Exception):
    """What the program says on standard error; ``code`` is its exit code."""

    def __init__(self, text: str, code: int) -> None:
        super().__init__(text)
        self.code = code


class InputError(Error, ValueError):
    """Unacceptable input: exit code 2. Nothing is written."""


class NegativeAnswer(Error):
    """A negative answer that is no JSON: exit code 1."""


class RankLost(Error, RuntimeError):
    """A rank died or hangs: exit code 3."""


class InternalError(Error, RuntimeError):
    """A bug in the program: exit codes 70 and 101."""


ERRORS = {1: NegativeAnswer, 2: InputError, 3: RankLost}

# By verb: the list that is its table.
TABLES = {
    "map": ("placements", "completion"),
    "split": ("methods", "averages"),
    "groups": ("structures", "by_size"),
    "sweep": ("points",),
    "claims": ("claims",),
    "fit": ("traces",),
    "machines": ("machines",),
    "plan": ("jobs",),
    "check": ("claims",),
    "explain": ("critical_path",),
    "run": ("phases",),
}


class Result(Dict[str, Any]):
    """What a verb prints with ``--json``, as a dict.

    Attributes
    ----------
    verb
        The verb.
    code
        The exit code: 0, or 1 for a negative answer such as a deadlock.
    json_text
        The text, bit for bit what the command line prints.
    task_names
        The nodes of the graph that was given as the job, in the order of the tasks; else none.
    """

    def __init__(self, verb: str, code: int, json_text: str, task_names: Sequence[Any] = ()) -> None:
        super().__init__(json.loads(json_text))
        self.verb = verb
        self.code = code
        self.json_text = json_text
        self.task_names = list(task_names)

    @property
    def negative(self) -> bool:
        """Whether the answer is negative: a deadlock, an impossible claim, a verdict that nobody expects."""
        return self.code == 1

    def array(self, path: str) -> Any:
        """A NumPy array of what stands at a path, such as ``points.latency.mean``; on lists it goes into each part.

        What is missing or null is NaN among numbers.

        Raises
        ------
        KeyError
            If no part has such a key.
        """
        import numpy

        found, is_there = walk(self, path.split("."))
        if not is_there:
            raise KeyError(path)
        return numpy.array(numbered(found))

    def positions(self, placement: Optional[str] = None) -> Any:
        """Where each task is placed by ``map``: a NumPy array with a row of coordinates for each task.

        ``placement`` is the name of one; without it, that of the winner under ``placement=["auto"]``, else of the first.

        Raises
        ------
        KeyError
            If there is no such placement.
        """
        import numpy

        placements = self["placements"]
        if placement is None:
            choice = self.get("choice")
            placement = choice["placement"] if choice else placements[0]["name"]
        for one in placements:
            if one["name"] == placement:
                return numpy.array(one["positions"])
        raise KeyError(placement)

    def rows(self, table: Optional[str] = None) -> list[Dict[str, Any]]:
        """The rows of a table, by default of the main one: placements of ``map``, points of ``sweep`` and so on.

        Raises
        ------
        KeyError
            If there is no such table.
        """
        if table != "series" and "varies" in self:
            return [{**one["varies"], **row} for one in self["series"] for row in table_of(one, self.verb, table)]
        return table_of(self, self.verb, table)

    def frame(self, table: Optional[str] = None) -> Any:
        """The same as a pandas frame; keys of objects within are joined by dots, as ``latency.mean``.

        Raises
        ------
        KeyError
            If there is no such table.
        """
        import pandas

        return pandas.json_normalize(self.rows(table))

    def plot(self, axes: Any = None) -> Any:
        """Draws the main table with matplotlib; the axes.

        Raises
        ------
        TypeError
            If nothing is drawn of this verb.
        """
        from ._plot import plot

        return plot(self, axes)


def table_of(answer: Mapping[str, Any], verb: str, table: Optional[str]) -> list[Dict[str, Any]]:
    """The rows of one answer."""
    for name in (table,) if table else TABLES.get(verb, ()):
        rows = answer.get(name)
        if isinstance(rows, list) and name == "jobs":
            return [{"job": job.get("name"), **row} for job in rows for row in job.get("results", [])]
        if isinstance(rows, list):
            return rows
    if table:
        raise KeyError(table)
    return [dict(answer)]


def walk(value: Any, keys: list[str]) -> Tuple[Any, bool]:
    """What stands at a path, and whether any part has it."""
    if isinstance(value, list):
        parts = [walk(one, keys) for one in value] if keys else [(value, True)]
        return ([part for part, _ in parts] if keys else value), any(is_there for _, is_there in parts)
    if not keys:
        return value, True
    if isinstance(value, Mapping) and keys[0] in value:
        return walk(value[keys[0]], keys[1:])
    return None, False


def numbered(value: Any) -> Any:
    """The same with NaN for null, if the rest are numbers."""
    if isinstance(value, list):
        flat = [one for one in value if one is not None]
        if flat and all(isinstance(one, (int, float)) for one in flat) and len(flat) < len(value):
            return [float("nan") if one is None else one for one in value]
        return [numbered(one) for one in value]
    return value


def command(*words: str) -> str:
    """Runs a command line, such as ``command("map", "binomial:4", "--on", "mesh:4x4")``: what it prints on standard output.

    Raises
    ------
    Error
        If its exit code is not 0; ``str`` of it is what the command prints on standard error.
    """
    code, stdout, stderr = _meshwright.call(list(words), [])
    if code != 0:
        raise ERRORS.get(code, InternalError)(stderr.rstrip("\n") or stdout, code)
    return stdout


def call(verb: str, options: Mapping[str, Tuple[str, str]], given: Mapping[str, Any]) -> Result:
    """Runs a verb with the arguments of its function.

    Raises
    ------
    Error
        If it comes to no answer.
    """
    files = Files()
    words, places = [verb, "--json"], []
    for parameter, (option, how) in options.items():
        value = given[parameter]
        if value is None or value is False:
            continue
        if value is True:
            words.append(option)
        elif option:
            words += [f"{option}={word}" for word in files.words(parameter, value, how == "many")]
        else:
            places += files.words(parameter, value, how == "many")
    if any(place.startswith("-") and place != "-" for place in places):
        places.insert(0, "--")
    code, stdout, stderr = _meshwright.call(words + places, files.files)
    if code > 1 or not stdout.startswith("{"):
        raise ERRORS.get(code, InternalError)(stderr.rstrip("\n") or stdout, code)
    if stderr:
        print(stderr, end="", file=sys.stderr)
    job = given.get("tasks")
    return Result(verb, code, stdout, getattr(job, "nodes", ()))
