"""Operators of Paddle that write to their operands: the result takes the operand's place.

Names that end with "_" write to their first operand, but for those listed here.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...source import Ref, SourceGraph, SourceNode
from . import opdefs

STATISTICS = (("mean", 1), ("variance", 2))
OTHERS: dict[str, tuple[tuple[str, int], ...]] = {
    "array_pop": (("input", 0),),
    "assign_out_": (("output", 0),),
    "batch_norm_": STATISTICS,
    "sync_batch_norm_": STATISTICS,
    "rnn_": (),
}
QUANTIZERS = ("fake_quantize", "quantize_linear", "dequantize_linear", "moving_average")
"""They write to statistics that only training reads."""


def written_names(node: SourceNode) -> list[tuple[str, int]]:
    """Names of values that a node writes to, and which result each of them becomes."""
    places = OTHERS.get(node.op)
    if places is None:
        if not node.op.endswith("_") or node.op.startswith(QUANTIZERS):
            return []
        definition = opdefs.find(node.op)
        if definition is None:
            return []
        places = tuple((o, 0) for o in definition.operands[:1])
    given = ((node.attributes.get(operand), k) for operand, k in places)
    return [(str(name), k) for name, k in given if isinstance(name, Ref)]


def changed_names(graphs: Iterable[SourceGraph]) -> list[str]:
    """The names from outside that graphs, and the graphs in them, write to."""
    found: dict[str, None] = {}
    for graph in graphs:
        own = {v.name for v in graph.inputs} | {n for node in graph.nodes for n in node.outputs}
        for node in graph.nodes:
            names = [name for name, _ in written_names(node)]
            names += changed_names(
                a for a in node.attributes.values() if isinstance(a, SourceGraph)
            )
            found.update((n, None) for n in names if n not in own)
    return list(found)
