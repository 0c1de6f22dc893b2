"""Place tasks on mesh, torus and hypercube machines, prove how far a placement is from the best, and simulate it.

Each verb of the command line is a function, and its options are keyword arguments::

    import meshwright as mw

    answer = mw.map("binomial:6", on="mesh:8x8", placement=["row-major", "hilbert"])
    answer["placements"][0]["simulated_cycles"]["wormhole"]
    answer.frame()

What a function returns is what the command prints with ``--json``, bit for bit. Jobs may be NumPy arrays, SciPy matrices, NetworkX
graphs and pandas frames; see docs/python.md.
"""

from ._convert import Text, matrix_market
from ._meshwright import VERSION as __version__
from ._result import Error, InputError, InternalError, NegativeAnswer, RankLost, Result, command
from ._verbs import *  # noqa: F403
from ._verbs import __all__ as _verbs

__all__ = [
    "Error",
    "InputError",
    "InternalError",
    "NegativeAnswer",
    "RankLost",
    "Result",
    "Text",
    "__version__",
    "command",
    "matrix_market",
    *_verbs,
]
