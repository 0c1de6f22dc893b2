# %% [markdown]
# A halo exchange as a NetworkX graph and as a SciPy matrix: the same job, so the same answer.

# %%
import networkx as nx
import scipy.sparse

import meshwright as mw

halo = nx.grid_2d_graph(6, 6, periodic=True)
nx.set_edge_attributes(halo, 8192, "bytes")
by_graph = mw.map(halo, on="torus:6x6", placement=["row-major", "bisection"])

# %%
matrix = scipy.sparse.csr_array(nx.to_scipy_sparse_array(halo, weight="bytes"))
by_matrix = mw.map(matrix, on="torus:6x6", placement=["row-major", "bisection"])
assert by_graph.json_text == by_matrix.json_text

# %%
where = dict(zip(by_graph.task_names, map(tuple, by_graph.positions("row-major").tolist())))
assert where[2, 3] == (2, 3)
by_graph.frame().set_index("name")[["hops_total", "simulated_cycles.wormhole"]]
