"""Drawings with matplotlib."""

from __future__ import annotations

from typing import Any


def plot(result: Any, axes: Any) -> Any:
    """Draws the main table of an answer; the axes."""
    draw = DRAWINGS.get(result.verb)
    if draw is None:
        known = ", ".join(DRAWINGS)
        raise TypeError(f"nothing is drawn of `{result.verb}`; drawn are {known}")
    if axes is None:
        import matplotlib.pyplot

        _, axes = matplotlib.pyplot.subplots()
    draw(result, axes)
    return axes


def curve(result: Any, axes: Any) -> None:
    """Latency over load: the mean, and one curve for each combination of what varies."""
    frame = result.frame()
    varies = result.get("varies", [])
    curves = frame.groupby(varies, sort=False) if varies else [("mean", frame)]
    for number, (name, points) in enumerate(curves):
        points = points[~points["saturated"].astype(bool)]
        marker, dash = STYLES[number % len(STYLES)]
        label = ", ".join(str(one) for one in name) if isinstance(name, tuple) else name
        axes.plot(points["load"], points["latency.mean"], marker=marker, linestyle=dash, label=label)
        if not varies:
            axes.plot(points["load"], points["latency.p99"], marker="s", linestyle="--", label="p99")
    axes.set_xlabel("load, flits per node and cycle")
    axes.set_ylabel("latency, cycles")
    axes.set_title(f"{', '.join(varies) or result['traffic']} on {result['machine']}")
    axes.legend()


STYLES = [("o", "-"), ("s", "--"), ("^", ":"), ("D", "-.")]


def placements(result: Any, axes: Any) -> None:
    """Simulated times of placements beside the bound, under the first switching; with numbers of nodes, over these."""
    if "completion" in result:
        rows = result["completion"]
        axes.plot([row["nodes"] for row in rows], [row["simulated_cycles"] for row in rows], "o-", label="simulated")
        axes.plot([row["nodes"] for row in rows], [row["bound_cycles"] for row in rows], "k--", label="lower bound")
        axes.set_xlabel("nodes")
        axes.set_ylabel("cycles")
        axes.legend()
        return
    switching = result["switchings"][0] if result.get("switchings") else "wormhole"
    rows = [row for row in result.rows() if row["simulated_cycles"].get(switching) is not None]
    bars(axes, names(result, rows), [row["simulated_cycles"][switching] for row in rows], "cycles")
    bound = result.get("bounds", {}).get(switching)
    if bound:
        axes.axvline(bound["cycles"], color="black", linestyle="--", label="lower bound")
        axes.legend()
    axes.set_title(f"{result.get('tasks', '')} on {result['machine']}, {switching}")


def methods(result: Any, axes: Any) -> None:
    """Simulated times of methods, and the bound of each."""
    rows = [row for row in result.rows() if row.get("simulated_cycles") is not None]
    bars(axes, names(result, rows), [row["simulated_cycles"] for row in rows], "cycles")
    bounds = [row["bound_cycles"] for row in rows if row.get("bound_cycles") is not None]
    if len(bounds) == len(rows):
        axes.plot(bounds, range(len(rows)), "k|", markersize=14, label="lower bound")
        axes.legend()


def names(result: Any, rows: list[Any]) -> list[str]:
    """What tells the rows apart: what varies, the job, the method."""
    keys = [*result.get("varies", []), "job", "name", "method", "switching"]
    return [" ".join(str(row[key]) for key in keys if row.get(key)) for row in rows]


def bars(axes: Any, names: list[str], values: list[float], unit: str) -> None:
    """One bar for each name, the first on top."""
    axes.barh(range(len(names)), values)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlabel(unit)


DRAWINGS = {"sweep": curve, "map": placements, "split": methods, "plan": methods, "groups": methods}
