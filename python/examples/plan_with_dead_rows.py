# %% [markdown]
# A matrix of bytes between 100 ranks, a 12 x 10 machine whose first and last rows are dead: the best placement, why it takes as
# long as it does, and a rankfile for the launcher.

# %%
import meshwright as mw
import numpy as np

bytes_sent = np.zeros((100, 100), dtype=int)
for rank in range(100):  # a ring, and the opposite rank
    bytes_sent[rank, (rank + 1) % 100] = 65536
    bytes_sent[rank, (rank + 50) % 100] = 4096

machine = {"topology": "mesh:12x10", "dead": [[0, "*"], [11, "*"]]}
plan = mw.map(bytes_sent, on=machine, placement="auto", explain=True, emit="rankfile:ranks.txt")

# %%
print(plan["choice"]["reason"])
for change in plan["explain"]["what_if"][:3]:
    print(change["change"], change["gain"])
plan.frame()[["name", "hops_total", "simulated_cycles.wormhole"]]

# %%
where = plan.positions()  # by rank: row and column
assert where.shape == (100, 2) and where[:, 0].min() >= 1 and where[:, 0].max() <= 10
assert len(open("ranks.txt").readlines()) >= 100

# %%
plan.plot()
