"""Layers of PyTorch Geometric."""

from __future__ import annotations

import torch

from .catalog import Network, floats, ids

GRAPH = (floats(6, 8), ids(6, 2, 12))
"""The features of nodes, and edges between them."""

LAYERS = {
    "GCN": Network(lambda m: m.GCNConv(8, 5), *GRAPH),
    "Cheb": Network(lambda m: m.ChebConv(8, 5, 3), *GRAPH),
    "SAGE": Network(lambda m: m.SAGEConv(8, 5), *GRAPH),
    "SAGEpool": Network(lambda m: m.SAGEConv(8, 5, aggr="max"), *GRAPH),
    "Graph": Network(lambda m: m.GraphConv(8, 5), *GRAPH),
    "Gated": Network(lambda m: m.GatedGraphConv(8, 2), *GRAPH),
    "ResGated": Network(lambda m: m.ResGatedGraphConv(8, 5), *GRAPH),
    "GAT": Network(lambda m: m.GATConv(8, 5, heads=2), *GRAPH),
    "GATv2": Network(lambda m: m.GATv2Conv(8, 5, heads=2), *GRAPH),
    "Transf": Network(lambda m: m.TransformerConv(8, 5, heads=2), *GRAPH),
    "AGNN": Network(lambda m: m.AGNNConv(), *GRAPH),
    "TAG": Network(lambda m: m.TAGConv(8, 5), *GRAPH),
    "GIN": Network(lambda m: m.GINConv(torch.nn.Linear(8, 5)), *GRAPH),
    "ARMA": Network(lambda m: m.ARMAConv(8, 5), *GRAPH),
    "SG": Network(lambda m: m.SGConv(8, 5), *GRAPH),
    "SSG": Network(lambda m: m.SSGConv(8, 5, 0.1), *GRAPH),
    "APPNP": Network(lambda m: m.APPNP(3, 0.1), *GRAPH),
    "MF": Network(lambda m: m.MFConv(8, 5), *GRAPH),
    "Edge": Network(lambda m: m.EdgeConv(torch.nn.Linear(16, 5)), *GRAPH),
    "FeaSt": Network(lambda m: m.FeaStConv(8, 5, 2), *GRAPH),
    "LE": Network(lambda m: m.LEConv(8, 5), *GRAPH),
    "Cluster": Network(lambda m: m.ClusterGCNConv(8, 5), *GRAPH),
    "GEN": Network(lambda m: m.GENConv(8, 5), *GRAPH),
    "FiLM": Network(lambda m: m.FiLMConv(8, 5), *GRAPH),
    "SuperGAT": Network(lambda m: m.SuperGATConv(8, 5, heads=2), *GRAPH),
    "EG": Network(lambda m: m.EGConv(8, 8, num_heads=2), *GRAPH),
    "General": Network(lambda m: m.GeneralConv(8, 5), *GRAPH),
    "LG": Network(lambda m: m.LGConv(), *GRAPH),
    "MixHop": Network(lambda m: m.MixHopConv(8, 5), *GRAPH),
    "AntiSym": Network(lambda m: m.AntiSymmetricConv(8), *GRAPH),
    "PNA": Network(
        lambda m: m.PNAConv(
            8,
            8,
            ["mean", "min", "max", "std"],
            ["identity", "amplification", "attenuation"],
            deg=torch.tensor([0, 1, 2, 3, 1]),
        ),
        *GRAPH,
    ),
    "mGCN": Network(lambda m: m.GCN(8, 16, 2, 5), *GRAPH),
    "mGAT": Network(lambda m: m.GAT(8, 16, 2, 5), *GRAPH),
    "mGIN": Network(lambda m: m.GIN(8, 16, 2, 5), *GRAPH),
    "mSAGE": Network(lambda m: m.GraphSAGE(8, 16, 2, 5), *GRAPH),
    "mPNAjk": Network(lambda m: m.GCN(8, 16, 2, 5, jk="lstm"), *GRAPH),
    "DeepGCN": Network(
        lambda m: m.DeepGCNLayer(m.GENConv(8, 8), m.LayerNorm(8), torch.nn.ReLU()), *GRAPH
    ),
}
