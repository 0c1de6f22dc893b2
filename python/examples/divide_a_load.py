# %% [markdown]
# A load enters an 8 x 8 torus at two nodes. Some processors are half as fast. How much does each method make of it, and can the
# links carry what it claims?

# %%
import numpy as np

import meshwright as mw

times = np.ones((8, 8))
times[:, 4:] = 2.0  # the right half takes twice as long
answer = mw.split(on="torus:8x8", source=["0,0", "4,4"], sigma=0.05, speeds=times)
frame = answer.frame()
print(frame[["name", "switching", "speedup", "feasible", "nodes_used"]])

# %%
best = answer["bound"]["speedup"]
assert (frame.loc[frame["feasible"], "speedup"] <= best * (1 + 1e-9)).all()
verdict = mw.check(answer)  # the same claims, checked anew
print(verdict["feasible"], "of the bound:", [round(claim["ratio_to_bound"], 2) for claim in verdict["claims"]])
