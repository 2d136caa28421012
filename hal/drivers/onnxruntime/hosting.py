"""Which nodes stay with the CPU's provider where another one runs the rest.

Measured with `nnadapter conform` on onnxruntime-gpu 1.31.1 and an H100: kernels of CUDA that give
other numbers than ONNX says, lack types, or write in any order where positions are equal. Their
nodes are annotated, and an option of the session gives what is annotated to the CPU.

Such a session crashes where an annotated node computes with sizes, which the CPU does anyway: what
reads sizes alone is not annotated, nor is what reads INT64.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

import numpy as np

from nnir.dim import Dim
from nnir.formats.onnx import code_of
from nnir.model import Operation, Value
from nnir.ops import index, linear, norm
from nnir.types import Precision

from . import proto
from .kernels import FLOAT8

ANNOTATION = "nnadapter_host"
OPTION = ("session.layer_assignment_settings", f"cpu({ANNOTATION})")
"""How a session gives annotated nodes to the CPU."""

MARK = proto.node_property("layer_ann", ANNOTATION)
"""What stands behind an annotated node."""

ALWAYS = frozenset(("Hardmax", "NonMaxSuppression", "Sign", "TopK"))
"""NaN is lost, or -infinity becomes the lowest finite number."""

FLOAT8_CODES = frozenset(map(code_of, FLOAT8))


class Host:
    """What the CPU does of a graph that it shares; `sizes` are the names of what is computed from
    shapes."""

    def __init__(self) -> None:
        self.sizes: set[str] = set()

    def mark(
        self,
        op: str,
        names: Sequence[str],
        given: Sequence[Precision | None],
        attributes: Mapping[str, object],
        made: Sequence[str],
        constants: Container[str],
        operation: Operation | None,
    ) -> bytes:
        """What stands behind a node that reads these names; `operation` is what it is made for."""
        read = [name for name in names if name not in constants]
        if op in ("Shape", "Size") or (read and self.sizes.issuperset(read)):
            self.sizes.update(made)
            return b""
        return MARK if stays_on_host(op, given, attributes, len(made), operation) else b""


def stays_on_host(
    op: str,
    given: Sequence[Precision | None],
    attributes: Mapping[str, object],
    outputs: int,
    operation: Operation | None,
) -> bool:
    """Whether a node with operands of these precisions is the CPU's; `operation` is what it is made
    for."""
    first = given[0] if given else None
    if first == Precision.INT64:
        return False
    match op:
        case "ArgMax" | "ArgMin":  # NaN is passed over
            return first is not None and first.is_float
        case "MaxPool":  # places are those of the last of equal numbers
            return outputs > 1
        case "LayerNormalization":  # is computed in FLOAT32
            return first == Precision.FLOAT64
        case "Cast":
            return first in FLOAT8 or attributes["to"] in FLOAT8_CODES
        case "DequantizeLinear" | "QuantizeLinear":
            return bool(attributes.get("block_size"))
        case "ScatterElements" | "ScatterND":
            return _scatters_on_host(op, first, attributes, operation)
        case "MatMul":
            return operation is not None and _mixes_stacks(operation)
        case "InstanceNormalization":  # of one number is NaN
            return operation is not None and _norms_one_number(operation)
    return op in ALWAYS


def _scatters_on_host(
    op: str,
    kind: Precision | None,
    attributes: Mapping[str, object],
    operation: Operation | None,
) -> bool:
    """Where positions may be equal, of which any may win, and where CUDA combines no such type."""
    if attributes.get("reduction", "none") != "none":
        return op == "ScatterND" and kind not in (Precision.FLOAT16, Precision.FLOAT32)
    if operation is None or operation.operator not in (index.scatter_elements, index.scatter_nd):
        return True
    at = operation.inputs[1]
    if at is None:
        return True
    if op == "ScatterElements":
        axis = attributes["axis"]
        return not isinstance(axis, int) or at.shape[axis] != 1
    rows = at.shape[:-1]
    return any(size != 1 for size in rows) and not _are_distinct(at)


def _are_distinct(at: Value) -> bool:
    """Whether rows of positions are known, from the beginning, and all different."""
    known = at.known
    if known is None or not known.size or known.min() < 0:
        return False
    rows = known.reshape(-1, known.shape[-1])
    return len(np.unique(rows, axis=0)) == len(rows)


def _mixes_stacks(operation: Operation) -> bool:
    """Whether each of two stacks of matrices may be repeated along an axis that the other has."""
    if operation.operator is not linear.mat_mul:
        return False
    shapes = [v.shape[:-2] for v in operation.inputs[:2] if v is not None]
    rank = max(map(len, shapes))
    ours, theirs = ((1,) * (rank - len(s)) + tuple(s) for s in shapes)
    differ = [(x, y) for x, y in zip(ours, theirs, strict=True) if x != y]
    first = any(_may_be_one(x) and y != 1 for x, y in differ)
    second = any(_may_be_one(y) and x != 1 for x, y in differ)
    return len(differ) > 1 and first and second


def _norms_one_number(operation: Operation) -> bool:
    x = operation.inputs[0]
    is_norm = operation.operator is norm.instance_normalization
    return not is_norm or x is None or all(size == 1 for size in x.shape[2:])


def _may_be_one(size: Dim) -> bool:
    return size == 1 or not isinstance(size, int)
