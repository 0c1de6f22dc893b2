# %% [markdown]
# Latency over load of two routings on an 8 x 8 mesh, in one picture.

# %%
import matplotlib.pyplot as plt

import meshwright as mw

loads = [0.02, 0.06, 0.1]
curves = {
    routing: mw.sweep(on="mesh:8x8", traffic="transpose", loads=loads, measure=1000, set={"routing": routing}).frame()
    for routing in ["dimension-order", "odd-even"]
}

# %%
figure, axes = plt.subplots()
for (name, curve), style in zip(curves.items(), ["o-", "s--"]):
    axes.plot(curve["load"], curve["latency.mean"], style, label=name)
axes.set_xlabel("load, flits per node and cycle")
axes.set_ylabel("latency, cycles")
axes.legend()

# %%
assert all(curve["latency.mean"].is_monotonic_increasing for curve in curves.values())
