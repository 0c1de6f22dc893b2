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
    """Latency over load; one line for each series."""
    frame = result.frame()
    varied = [name for name in frame.columns if name not in POINT and not name.startswith("latency.")]
    groups = frame.groupby(varied[0], sort=False) if "series" in result and varied else [("mean", frame)]
    for (name, points), (marker, dash) in zip(groups, STYLES * (1 + len(frame))):
        points = points[~points["saturated"].astype(bool)]
        axes.plot(points["load"], points["latency.mean"], marker=marker, linestyle=dash, label=str(name))
    if "latency.p99" in frame and "series" not in result:
        points = frame[~frame["saturated"].astype(bool)]
        axes.plot(points["load"], points["latency.p99"], marker="s", linestyle="--", label="p99")
    axes.set_xlabel("load, flits per node and cycle")
    axes.set_ylabel("latency, cycles")
    axes.set_title(f"{result.get('traffic', '')} on {result['machine']}")
    axes.legend()


STYLES = [("o", "-"), ("s", "--"), ("^", ":"), ("D", "-.")]
POINT = {
    "load", "offered", "accepted", "saturated", "hops_mean", "packets", "undelivered", "cycles", "flit_hops", "deadlock",
}  # fmt: skip


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
    rows = [row for row in result["placements"] if row["simulated_cycles"].get(switching) is not None]
    bars(axes, [row["name"] for row in rows], [row["simulated_cycles"][switching] for row in rows], "cycles")
    bound = result.get("bounds", {}).get(switching)
    if bound:
        axes.axvline(bound["cycles"], color="black", linestyle="--", label="lower bound")
        axes.legend()
    axes.set_title(f"{result['tasks']} on {result['machine']}, {switching}")


def methods(result: Any, axes: Any) -> None:
    """Simulated times of methods, and the bound of each."""
    rows = [row for row in result.rows() if row.get("simulated_cycles") is not None]
    names = [" ".join(str(row[key]) for key in NAMES if row.get(key)) for row in rows]
    bars(axes, names, [row["simulated_cycles"] for row in rows], "cycles")
    bounds = [row["bound_cycles"] for row in rows if row.get("bound_cycles") is not None]
    if len(bounds) == len(rows):
        axes.plot(bounds, range(len(rows)), "k|", markersize=14, label="lower bound")
        axes.legend()


NAMES = ["job", "name", "method", "switching"]


def bars(axes: Any, names: list[str], values: list[float], unit: str) -> None:
    """One bar for each name, the first on top."""
    axes.barh(range(len(names)), values)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlabel(unit)


DRAWINGS = {"sweep": curve, "map": placements, "split": methods, "plan": methods, "groups": methods}
