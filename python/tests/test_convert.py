"""Arrays, matrices, graphs, frames and dicts as jobs and machines."""

import json

import networkx
import numpy
import pandas
import pytest
import scipy.sparse

import meshwright as mw

BYTES = numpy.array([[0, 64, 0, 0], [0, 0, 128, 0], [0, 0, 0, 7], [1, 0, 0, 0]])


def placed(program, name, text):
    """What the command says of a file."""
    with open(name, "w") as file:
        file.write(text)
    return program("map", name, "--on", "mesh:2x2", "--placement", "row-major", "--json")[1]


def of(job):
    return mw.map(job, on="mesh:2x2", placement="row-major").json_text


def test_matrices_of_any_kind_are_one_job(program):
    expected = placed(program, "tasks.mtx", mw.matrix_market(BYTES))
    as_graph = networkx.from_numpy_array(BYTES, create_using=networkx.DiGraph)
    for job in [
        BYTES,
        BYTES.tolist(),
        BYTES.astype("uint8"),
        scipy.sparse.csr_matrix(BYTES),
        scipy.sparse.coo_array(BYTES),
        as_graph,
        pandas.DataFrame(BYTES),
    ]:
        assert of(job) == expected, type(job)


def test_a_graph_without_directions_sends_both_ways(program):
    graph = networkx.Graph()
    graph.add_nodes_from("abcd")
    graph.add_edge("a", "c", bytes=100)
    graph.add_edge("c", "d", weight=5)
    expected = [[0, 0, 100, 0], [0, 0, 0, 0], [100, 0, 0, 5], [0, 0, 5, 0]]
    assert of(graph) == placed(program, "tasks.mtx", mw.matrix_market(expected))
    assert mw.map(graph, on="mesh:2x2", placement="hilbert").task_names == list("abcd")


def test_fractions_keep_their_bits(program):
    matrix = numpy.array([[0, 0.1 + 0.2], [1e3 / 3, 0]])
    text = mw.matrix_market(matrix)
    assert [float(line.split()[2]) for line in text.splitlines()[2:]] == [0.1 + 0.2, 1e3 / 3]
    assert of(matrix) == placed(program, "tasks.mtx", text)


def test_phases_are_a_frame_or_a_list_of_matrices(program):
    text = "phase,source,target,bytes\n1,0,3,10\n2,3,1,20\n"
    expected = placed(program, "tasks.phases.csv", text)
    assert of(pandas.DataFrame({"phase": [1, 2], "source": [0, 3], "target": [3, 1], "bytes": [10, 20]})) == expected
    phases = numpy.zeros((2, 4, 4), dtype=int)
    phases[0, 0, 3], phases[1, 3, 1] = 10, 20
    assert of(phases) == expected


def test_a_machine_is_a_table(program):
    table = {"topology": "mesh:3x4", "dead": [(0, 1)], "startup": 20, "switching": "store-and-forward"}
    with open("on.toml", "w") as file:
        file.write('[machine]\ntopology = "mesh:3x4"\ndead = [[0, 1]]\nstartup = 20\nswitching = "store-and-forward"\n')
    expected = program("map", "divide:9", "--on", "on.toml", "--json")[1]
    assert mw.map("divide:9", on=table).json_text == expected
    assert mw.map("divide:9", on={"machine": table}).json_text == expected


def test_a_scenario_is_a_dict(program):
    with open("scenario.toml", "w") as file:
        file.write('seed = 4\n[machine]\ntopology = "mesh:4x4"\n[[divide]]\nname = "sort \\"it\\""\ntasks = "binomial:4"\n')
    scenario = {
        "seed": 4,
        "machine": {"topology": "mesh:4x4"},
        "divide": [{"name": 'sort "it"', "tasks": "binomial:4"}],
    }
    code, stdout, _ = program("plan", "scenario.toml", "--json", "--out", "theirs")
    answer = mw.plan(scenario, out="ours")
    assert (answer.code, answer.json_text) == (code, stdout)
    assert set(answer.frame()["job"]) == {'sort "it"'}


def test_labels_speeds_and_hosts_are_arrays(program):
    labels = numpy.arange(16).reshape(4, 4) % 3
    lines = [f"{row},{column},{labels[row, column]}\n" for row in range(4) for column in range(4)]
    with open("labels.csv", "w") as file:
        file.write("".join(lines))
    expected = program("groups", "--on", "mesh:4x4", "--labels", "labels.csv", "--json")[1]
    assert mw.groups(on="mesh:4x4", labels=labels).json_text == expected

    times = numpy.ones((2, 3))
    times[1, 2] = 2.5
    options = {"on": "mesh:2x3", "source": 0, "sigma": 0.1, "method": "optimum"}
    slow = mw.split(**options, speeds=times)
    assert slow.json_text == mw.split(**options, speeds={5: 2.5}).json_text
    assert slow["bound"]["makespan"] > mw.split(**options)["bound"]["makespan"]

    mw.map(BYTES, on="mesh:2x2", placement="row-major", emit="slurm-hostfile:hosts.txt", hosts=list("wxyz"))
    assert open("hosts.txt").read().split() == list("wxyz")


def test_answers_become_arrays_and_frames():
    swept = mw.sweep(on="mesh:4x4", traffic="uniform", loads=[0.1, 0.2], measure=200, warm_up=100)
    loads = swept.array("points.load")
    assert isinstance(loads, numpy.ndarray) and loads.tolist() == [0.1, 0.2]
    means = swept.array("points.latency.mean")
    frame = swept.frame()
    assert frame["latency.mean"].tolist() == means.tolist() == [p["latency"]["mean"] for p in swept["points"]]
    with pytest.raises(KeyError, match="points.latencies"):
        swept.array("points.latencies")

    answer = mw.map(BYTES, on="mesh:2x2", placement=["row-major", "hilbert"])
    assert answer.positions().tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert answer.positions("hilbert").shape == (4, 2)
    assert list(answer.frame()["name"]) == ["row-major", "hilbert"]
    assert json.loads(answer.json_text) == answer
    assert len(mw.machines().frame()) == len(mw.machines()["machines"])


def test_what_is_drawn():
    import matplotlib

    matplotlib.use("Agg")
    placed = mw.map("binomial:4", on="mesh:4x4", placement=["growing", "row-major"])
    axes = placed.plot()
    assert len(axes.patches) == 2 and axes.get_xlabel() == "cycles"
    swept = mw.sweep(on="mesh:4x4", traffic="uniform", loads=[0.1, 0.2], measure=200, warm_up=100)
    assert swept.plot().lines[0].get_xdata().tolist() == [0.1, 0.2]
    varied = mw.map("binomial:4", on="mesh:4x4", placement="growing", startup=[10, 100])
    assert [text.get_text() for text in varied.plot().get_yticklabels()] == ["10 growing", "100 growing"]
    loads = mw.split(on="mesh:5x5", source=12, sigma=0.1)
    assert len(loads.plot().patches) > 0
    with pytest.raises(TypeError, match="machines"):
        mw.machines().plot()
