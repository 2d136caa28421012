"""Graphs in operators that say how two numbers become one, or which comes first."""

from __future__ import annotations

from nnir.errors import Unsupported
from nnir.operator import Operator
from nnir.ops import binary, logic
from nnir.types import Precision

from ...source import SourceGraph

NAMES = {
    "ADD": "add",
    "MUL": "mul",
    "MULTIPLY": "mul",
    "MAXIMUM": "max",
    "MINIMUM": "min",
    "AND": "and",
    "LOGICAL_AND": "and",
    "OR": "or",
    "LOGICAL_OR": "or",
}
NUMBERS = {"add": binary.add, "mul": binary.mul, "max": binary.max_, "min": binary.min_}
TRUTH = {
    "add": logic.or_,
    "max": logic.or_,
    "or": logic.or_,
    "mul": logic.and_,
    "min": logic.and_,
    "and": logic.and_,
}
BITS = {"and": logic.bitwise_and, "or": logic.bitwise_or}
ORDER = {"LESS": False, "LT": False, "LE": False, "GREATER": True, "GT": True, "GE": True}
LESS_EQUAL = {"LESS_EQUAL": False, "GREATER_EQUAL": True}


def combination(graph: SourceGraph) -> str:
    """add, mul, max, min, and, or; "last" for a graph that gives its second input."""
    given = [v.name for v in graph.inputs]
    result = [v.name for v in graph.outputs]
    if len(given) == 2 and not graph.nodes and result == given[1:]:
        return "last"
    if len(given) == 2 and len(graph.nodes) == 1:
        (node,) = graph.nodes
        name = NAMES.get(node.op.removeprefix("STABLEHLO_"))
        plain = node.attributes.get("fused_activation_function", "NONE") == "NONE"
        if name and plain and node.outputs == result and sorted(node.inputs) == sorted(given):
            return name
    steps = ", ".join(n.op for n in graph.nodes) or "nothing"
    raise Unsupported(f"a graph of {steps}, where one of {sorted(set(NAMES))} is needed")


def operator_of(name: str, kind: Precision) -> Operator:
    """The standard's operator of a combination of two elements of a type."""
    if kind == Precision.BOOL8:
        found = TRUTH.get(name)
    else:
        found = NUMBERS.get(name) or (BITS.get(name) if kind.is_integer else None)
    if found is None:
        raise Unsupported(f"{name!r} of elements of {kind.name}")
    return found


def is_descending(graph: SourceGraph) -> bool:
    """How a graph orders the first pair of its inputs."""
    given, result = [v.name for v in graph.inputs], [v.name for v in graph.outputs]
    if len(graph.nodes) == 1:
        (node,) = graph.nodes
        direction = str(node.attributes.get("comparison_direction", "")).rpartition("_")[2]
        name = direction if node.op == "STABLEHLO_COMPARE" else node.op
        falls = (ORDER | LESS_EQUAL).get(name)
        if falls is not None and node.outputs == result:
            if node.inputs == given[:2]:
                return falls
            if node.inputs == given[1::-1]:
                return not falls
    raise Unsupported(f"an order by a graph of {', '.join(n.op for n in graph.nodes)}")
