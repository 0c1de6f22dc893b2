# Writes the files of this folder that NumPy and NetworkX make; run it here.
import numpy as np, networkx as nx, json, io
m = np.array([[0,64,0,1],[2,0,4096,0],[0,0,0,7],[1000,0,5,9]])
np.savetxt("matrix.csv", m, fmt="%d", delimiter=",")
np.save("matrix-f8.npy", m.astype("<f8"))
np.save("matrix-i4-big.npy", m.astype(">i4"))
np.save("matrix-u2-columns.npy", np.asfortranarray(m.astype("<u2")))
with open("matrix-v2.npy","wb") as f: np.lib.format.write_array(f, m.astype("<i8"), version=(2,0))
with open("matrix-v3.npy","wb") as f: np.lib.format.write_array(f, m.astype("<f4"), version=(3,0))
g = nx.DiGraph()
names=["a","b","c","d"]
g.add_nodes_from(names)
for i in range(4):
    for j in range(4):
        if m[i][j]: g.add_edge(names[i],names[j],weight=int(m[i][j]))
nx.write_graphml(g,"graph.graphml")
json.dump(nx.node_link_data(g, edges="links"),open("graph-links.json","w"),indent=1)
json.dump(nx.node_link_data(g, edges="edges"),open("graph-edges.json","w"),indent=1,sort_keys=True)
u = nx.grid_2d_graph(2,3); u = nx.convert_node_labels_to_integers(u)
for k,(a,b) in enumerate(u.edges()): u[a][b]["weight"]=2.5+k
nx.write_graphml(u,"grid-undirected.graphml")
json.dump(nx.node_link_data(u, edges="links"),open("grid-undirected.json","w"),indent=1)
