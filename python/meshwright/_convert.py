"""Values of Python as words of a command line and files in memory.

NumPy, SciPy, pandas and NetworkX are imported only where a value of theirs is given: it is known by its methods.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Union

Path = Union[str, "os.PathLike[str]"]
"""A file."""


class Text:
    """A file in memory: its text, and a name whose ending tells the format.

    >>> Text("num_ranks 1\\nrank 0 { l0: calc 5 }\\n", "one.goal").name
    'one.goal'
    """

    def __init__(self, text: Union[str, bytes], name: str) -> None:
        self.bytes = text.encode() if isinstance(text, str) else bytes(text)
        self.name = name


# What the parameters of the verbs take. Arrays, matrices, graphs and frames are `Any` to a type checker: their packages need not
# be there.
Scalar = Union[str, int, float]
"""A word or a number."""
Words = Union[Scalar, Sequence[Scalar], Any]
"""One word or several."""
Coordinates = Union[Scalar, Sequence[int], Sequence[str]]
"""A node by its number or, as a tuple, by its coordinates."""
Options = Union[Scalar, Sequence[Any], Mapping[Any, Any]]
"""An option that may be repeated: one value, a list of them, or a dict of `KEY=VALUE`."""
Machine = Union[Path, Mapping[str, Any], Text]
"""A machine: `mesh:8x8`, a name, a file, or the keys of a `[machine]` table."""
Job = Union[Path, Text, Any]
"""Tasks: `binomial:6`, a file, or a matrix of bytes, a graph, a frame of phases."""
Table = Union[Path, Text, Mapping[Any, Any], Any]
"""A file, its text, or what it would hold."""


class Files:
    """The files in memory of one command."""

    def __init__(self) -> None:
        self.files: list[tuple[str, bytes]] = []

    def add(self, text: Text) -> str:
        """The word that names it."""
        self.files.append((text.name, text.bytes))
        return text.name

    def words(self, parameter: str, value: Any, many: bool) -> list[str]:
        """The words of one parameter: several where an option is repeated."""
        as_file = file_of(parameter, value)
        if as_file is not None:
            return [self.add(as_file)]
        if isinstance(value, Mapping):
            return [f"{word(key)}={word(tuple(one) if isinstance(one, list) else one)}" for key, one in value.items()]
        if isinstance(value, (str, bytes, os.PathLike, tuple)) or not isinstance(value, Iterable):
            return [word(value)]
        each = [file_of(parameter, one, f"{parameter}{i + 1}") for i, one in enumerate(value)]
        words = [word(one) if text is None else self.add(text) for one, text in zip(value, each)]
        return words if many else [",".join(words)]


def word(value: Any) -> str:
    """One word of a command line; numbers keep their bits.

    >>> word((2, 3)), word(0.1), word(True)
    ('2,3', '0.1', 'true')
    """
    if isinstance(value, tuple):
        return ",".join(word(one) for one in value)
    if hasattr(value, "item") and not isinstance(value, (str, bytes)):
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def file_of(parameter: str, value: Any, name: str = "") -> Text | None:
    """The file that a value stands for, if it is none of the words that the command line knows."""
    name = name or parameter
    if isinstance(value, Text):
        return value
    text = getattr(value, "json_text", None)
    if isinstance(text, str):  # an answer
        return Text(text, f"{name}.json")
    make = CONVERSIONS.get(parameter)
    return make(value, name) if make else None


def machine(value: Any, name: str) -> Text | None:
    """A machine from the keys of its table."""
    if not isinstance(value, Mapping):
        return None
    table = value if isinstance(value.get("machine"), Mapping) else {"machine": value}
    return Text(toml(table), f"{name}.toml")


def scenario(value: Any, name: str) -> Text | None:
    """A scenario from its keys."""
    return Text(toml(value), f"{name}.toml") if isinstance(value, Mapping) else None


def claim(value: Any, name: str) -> Text | None:
    """A claim from its keys."""
    return Text(json.dumps(plain(value)), f"{name}.json") if isinstance(value, Mapping) else None


def tasks(value: Any, name: str) -> Text | None:
    """A job from a matrix, a list of matrices (its phases), a graph or a frame."""
    if hasattr(value, "to_csv") and hasattr(value, "columns"):
        if {"source", "target", "bytes"} <= set(value.columns):
            return Text(phases(value), f"{name}.phases.csv")
        value = value.to_numpy()
    if hasattr(value, "edges") and hasattr(value, "nodes"):
        return Text(graph_market(value), f"{name}.mtx")
    if getattr(value, "ndim", None) == 3:
        return Text(phases_of_arrays(value), f"{name}.phases.csv")
    if hasattr(value, "shape") or isinstance(value, list):
        return Text(matrix_market(value), f"{name}.mtx")
    return None


def matrix_market(matrix: Any) -> str:
    """The Matrix Market text of a square matrix: entry (i, j) is the bytes that task i sends to task j.

    The matrix is a NumPy array, a SciPy sparse matrix or a list of lists. Numbers keep their bits; zeros are no messages.

    Raises
    ------
    ValueError
        If it is not square.

    Examples
    --------
    >>> print(matrix_market([[0, 64], [0, 0]]), end="")
    %%MatrixMarket matrix coordinate integer general
    2 2 1
    1 2 64
    """
    import numpy

    if hasattr(matrix, "tocsr"):
        matrix = matrix.tocsr()
        matrix.sum_duplicates()
        entries = matrix.tocoo()
        rows, columns, values, shape = entries.row, entries.col, entries.data, entries.shape
        kept = values != 0
        rows, columns, values = rows[kept], columns[kept], values[kept]
    else:
        matrix = numpy.asarray(matrix)
        shape = matrix.shape
        if len(shape) == 2:
            rows, columns = numpy.nonzero(matrix)
            values = matrix[rows, columns]
    if len(shape) != 2 or shape[0] != shape[1]:
        size = " x ".join(str(side) for side in shape)
        raise ValueError(f"the matrix is {size}; expected a square one, a row and a column for each task")
    if values.dtype.kind not in "biuf":
        raise ValueError(f"the matrix holds {values.dtype}; expected numbers of bytes")
    field = "real" if values.dtype.kind == "f" else "integer"
    return market(int(shape[0]), field, rows.tolist(), columns.tolist(), values.tolist())


def market(size: int, field: str, rows: list[int], columns: list[int], values: list[Any]) -> str:
    """The lines of a Matrix Market file."""
    lines = [f"%%MatrixMarket matrix coordinate {field} general", f"{size} {size} {len(values)}"]
    cell = repr if field == "real" else int
    lines += [f"{i + 1} {j + 1} {cell(value)}" for i, j, value in zip(rows, columns, values)]
    return "\n".join(lines) + "\n"


def graph_market(graph: Any) -> str:
    """The text of a NetworkX graph: tasks in the order of its nodes, edges with `bytes`, else `weight`, else 1."""
    number = {node: i for i, node in enumerate(graph.nodes)}
    sums: dict[tuple[int, int], Any] = {}
    for source, target, data in graph.edges(data=True):
        value = data.get("bytes", data.get("weight", 1))
        ends = [(number[source], number[target])]
        if not graph.is_directed() and source != target:
            ends.append((number[target], number[source]))
        for pair in ends:
            sums[pair] = sums.get(pair, 0) + value
    entries = sorted(sums.items())
    whole = all(float(value).is_integer() for _, value in entries)
    rows, columns = [pair[0] for pair, _ in entries], [pair[1] for pair, _ in entries]
    values = [value if whole else float(value) for _, value in entries]
    return market(len(number), "integer" if whole else "real", rows, columns, values)


def phases(frame: Any) -> str:
    """The trace of a frame with the columns source, target, bytes and, if there are several, phase."""
    columns = [frame[name].tolist() for name in ("source", "target", "bytes")]
    number = frame["phase"].tolist() if "phase" in frame.columns else [1] * len(frame)
    return trace(zip(number, *columns))


def phases_of_arrays(arrays: Any) -> str:
    """The trace of a list of matrices: phase 1, phase 2 and so on."""
    entries = ((phase + 1, i, j, arrays[phase][i][j]) for phase, i, j in zip(*arrays.nonzero()))
    return trace(entries)


def trace(rows: Iterable[tuple[Any, Any, Any, Any]]) -> str:
    """The lines of a trace."""
    return "phase,source,target,bytes\n" + "".join(",".join(word(cell) for cell in row) + "\n" for row in rows)


def labels(value: Any, name: str) -> Text | None:
    """The label of each node from an array in the form of the machine; None where a node is no member."""
    return each_node(value, name, lambda label: None if label is None or label != label else word(label))


def members(value: Any, name: str) -> Text | None:
    """The members of a group from an array of truth values in the form of the machine."""
    return each_node(value, name, lambda is_member: "0" if is_member else None)


def each_node(value: Any, name: str, label: Any) -> Text | None:
    """A line `coordinates,label` for each node of an array."""
    if isinstance(value, (str, os.PathLike)):
        return None
    import numpy

    array = numpy.asarray(value, dtype=object)
    lines = [(place, label(array[place])) for place in numpy.ndindex(array.shape)]
    text = "".join(f"{','.join(map(str, place))},{told}\n" for place, told in lines if told is not None)
    return Text(text, f"{name}.csv")


def speeds(value: Any, name: str) -> Text | None:
    """Times from an array in the form of the machine, or from a dict: of processors by number, of links by pairs."""
    if isinstance(value, (str, os.PathLike)):
        return None
    if isinstance(value, Mapping):
        entries = [(key if isinstance(key, tuple) else (key, ""), time) for key, time in value.items()]
    else:
        import numpy

        entries = [((i, ""), time) for i, time in enumerate(numpy.asarray(value, dtype=float).ravel().tolist())]
    lines = [f"{word(node)},{word(to)},{word(time)}\n" for (node, to), time in entries]
    return Text("node,to,time\n" + "".join(lines), f"{name}.csv")


def hosts(value: Any, name: str) -> Text | None:
    """The names of hosts, the first of node 0."""
    if isinstance(value, (str, os.PathLike)):
        return None
    return Text("".join(f"{host}\n" for host in value), f"{name}.txt")


# By parameter: how a value that is no word becomes a file.
CONVERSIONS = {
    "tasks": tasks,
    "on": machine,
    "machine": machine,
    "scenario": scenario,
    "claim": claim,
    "labels": labels,
    "members": members,
    "speeds": speeds,
    "hosts": hosts,
}


def plain(value: Any) -> Any:
    """A value with lists, dicts, words and numbers of Python only."""
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, (list, tuple, set, range)):
        return [plain(one) for one in value]
    return value


def toml(table: Mapping[str, Any]) -> str:
    """A table as TOML: one line for each key.

    >>> print(toml({"machine": {"topology": "mesh:2x2", "dead": [(0, 1)], "flit": 2}}), end="")
    machine = {topology = "mesh:2x2", dead = [[0, 1]], flit = 2}
    """
    return "".join(f"{key_of(key)} = {toml_value(value)}\n" for key, value in plain(table).items())


def key_of(key: str) -> str:
    """A key, bare where it may be."""
    return key if key and all(c.isascii() and (c.isalnum() or c in "_-") for c in key) else toml_value(key)


def toml_value(value: Any) -> str:
    """A value in one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        pairs = (f"{key_of(key)} = {toml_value(one)}" for key, one in value.items() if one is not None)
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(toml_value(one) for one in value) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, (int, float)):
        return repr(value)
    raise TypeError(f"{type(value).__name__} has no form in TOML: {value!r}")
