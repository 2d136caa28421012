"""Outputs of a graph: copies, and results that ONNX Runtime takes for what their readers make."""

from __future__ import annotations

from typing import Protocol

from nnir.errors import NoLowering
from nnir.formats.onnx import code_of
from nnir.model import Value
from nnir.operator import Pattern
from nnir.ops import quant, shape
from nnir.types import Precision, precision_of

from . import kernels, proto


class Result(Protocol):
    """What is asked of a result to copy it."""

    precision: Precision

    def seen_as(self, precision: Precision) -> Result: ...
    def cast(self, to: Precision) -> str: ...


def copy_end(nodes: list[bytes], ref: Result, name: str) -> bool:
    """Append a node that gives a result this name too; whether there is a kernel that does.

    Integers of few bits have a way through wider ones, as Identity has no kernel for them.
    """
    stored = precision_of(ref.precision.dtype)
    try:
        wide = kernels.compute_precision("Identity", stored)
    except NoLowering:
        return False
    op, attributes = "Identity", proto.Attributes()
    if wide != stored:
        op, attributes = "Cast", {"to": code_of(stored), **kernels.rounding_to(stored)}
    given = ref.seen_as(stored).cast(wide)
    nodes.append(proto.node(op, [given], [name], name, "", attributes))
    return True


def is_padded(value: Value) -> bool:
    """Whether something pads `value`: ONNX Runtime moves a Pad into the Conv behind it, and reads
    an output in front of it by a name that is gone then."""
    return any(o.operator is shape.pad and o.inputs[0] is value for o in value.uses)


def is_quantised_behind_transpose(value: Value) -> bool:
    """Whether what `value` is moved from is transposed, and quantised then.

    ONNX Runtime drops what moves nothing and cancels permutations first, and lets the quantised
    values take the name of what is left.
    """
    while (made := value.producer) is not None and made.operator.pattern is Pattern.MOVEMENT:
        source = made.inputs[0] if made.inputs else None
        if source is None:
            break
        value = source
    ahead, seen = [(value, False)], set[tuple[Value, bool]]()
    while ahead:
        moved, is_turned = ahead.pop()
        if (moved, is_turned) in seen:
            continue
        seen.add((moved, is_turned))
        for reader in moved.uses:
            if not reader.inputs or reader.inputs[0] is not moved:
                continue
            if is_turned and reader.operator is quant.quantize_linear:
                return True
            if reader.operator.pattern is Pattern.MOVEMENT:
                turns = is_turned or reader.operator is shape.transpose
                ahead += [(v, turns) for v in reader.outputs]
    return False
