"""Copy what is not contiguous before it is reshaped, so that torch looks at no size for that.

A reshape of transposed elements is a view where an axis has one element, and a copy elsewhere. So
torch.export asks whether the size is 1, and refuses it from then on. Where a copy is due in nearly
all cases, the copy is said instead. A product of many matrices is a reshape too.
"""

from __future__ import annotations

import operator as python_operator
from collections.abc import Sequence
from typing import Any

import torch
from torch import fx

from nnir.dim import Dim

VIEWS = ("permute", "transpose", "expand", "narrow", "select", "unfold", "flip", "T", "mT", "t")
"""Methods whose results lie otherwise in memory than their operands."""
LAID_OUT = (
    *(torch.cat, torch.stack, torch.matmul, torch.bmm, torch.softmax, torch.arange),
    *(torch.nn.functional.linear, torch.nn.functional.embedding, torch.nn.functional.pad),
    *("reshape", "flatten", "clone", "contiguous", "index_select", "softmax", "gather"),
)
"""Functions and methods whose results are contiguous whatever their operands are."""
RESHAPES = ("reshape", "flatten")
CONTIGUOUS = torch.contiguous_format


def copy_before_reshapes(module: fx.GraphModule) -> bool:
    """Insert copies into the graph, and spell out products of matrices; whether there are any."""
    graph, scattered = module.graph, set[fx.Node]()
    changed = False
    for node in list(graph.nodes):
        if node.op in ("call_method", "call_function"):
            with graph.inserting_before(node):
                if node.target in RESHAPES and node.args[0] in scattered:
                    node.update_arg(0, _copy(node.args[0]))
                    changed = True
                elif node.target is torch.matmul and _multiplies_alike(node):
                    _flatten_product(node, scattered)
                    changed = True
        if _is_scattered(node, scattered):
            scattered.add(node)
    if changed:
        graph.lint()
        module.recompile()
    return changed


def _is_scattered(node: fx.Node, scattered: set[fx.Node]) -> bool:
    """Whether the elements may lie in another order than their positions."""
    if node.target in LAID_OUT or node.op in ("placeholder", "get_attr", "output"):
        return False
    if node.target in VIEWS or node.target is python_operator.getitem:
        return True
    return any(n in scattered for n in node.all_input_nodes)


def _copy(node: Any) -> fx.Node:
    return node.graph.call_method("clone", (node,), {"memory_format": CONTIGUOUS})


def _multiplies_alike(node: fx.Node) -> bool:
    """Whether a product is one of two operands with the same axes before the last two."""
    operation = node.meta.get("operation")
    shapes: list[Sequence[Dim]] = [v.shape for v in operation.inputs] if operation else []
    return (
        len(shapes) == 2
        and len(shapes[0]) == len(shapes[1]) > 3
        and list(shapes[0][:-2]) == list(shapes[1][:-2])
    )


def _flatten_product(node: fx.Node, scattered: set[fx.Node]) -> None:
    """The product with one axis for those before the last two."""
    graph, (left, right) = node.graph, node.args
    rows = graph.call_method("size", (left, -2))
    columns = graph.call_method("size", (right, -1))
    count = node.meta["operation"].inputs[0].rank - 2
    outer = [graph.call_method("size", (left, k)) for k in range(count)]
    flat = [_flatten(x, scattered) for x in (left, right)]
    product = graph.call_function(torch.bmm, tuple(flat))
    result = graph.call_method("reshape", (product, [*outer, rows, columns]))
    result.meta.update(node.meta)
    node.replace_all_uses_with(result)
    graph.erase_node(node)


def _flatten(node: Any, scattered: set[fx.Node]) -> fx.Node:
    """Matrices one behind the other; a transposed one stays so."""
    graph = node.graph
    swapped = node.target == "transpose" and set(node.args[1:]) == {-1, -2}
    base = node.args[0] if swapped else node
    whole = _copy(base) if base in scattered else base
    flat = graph.call_method("flatten", (whole, 0, -3))
    return graph.call_method("transpose", (flat, -1, -2)) if swapped else flat
