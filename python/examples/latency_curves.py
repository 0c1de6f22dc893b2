# %% [markdown]
# Latency over load of two routings on an 8 x 8 mesh, in one picture.

# %%
import meshwright as mw

routings = ["dimension-order", "odd-even"]
swept = mw.sweep(on="mesh:8x8", traffic="transpose", loads=[0.02, 0.06, 0.1], measure=1000, set={"routing": routings})
swept.frame()[["routing", "load", "latency.mean", "latency.p99"]]

# %%
axes = swept.plot()
assert [line.get_label() for line in axes.lines] == routings

# %%
for routing, curve in swept.frame().groupby("routing"):
    assert curve["latency.mean"].is_monotonic_increasing, routing
