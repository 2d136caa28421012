"""Activations fused into the operation before them."""

from __future__ import annotations

from ..model import Model, Operation
from ..ops import activation
from ..types import Fuse
from .rewrite import only_reader, rewrite, sweep

CODES = {activation.relu: Fuse.RELU, activation.relu6: Fuse.RELU6}


def _pair(operation: Operation) -> tuple[Operation, Fuse] | None:
    """The activation that alone reads an operation with a free fuse code."""
    if operation.attributes.get("fuse_code") != Fuse.NONE or len(operation.outputs) != 1:
        return None
    reader = only_reader(operation.outputs[0])
    if reader is None or reader.operator not in CODES:
        return None
    return reader, CODES[reader.operator]


@rewrite(ensures=lambda model: all(_pair(o) is None for o in model.operations))
def fuse_activation(model: Model) -> bool:
    """Write an operation and the RELU or RELU6 after it as one with a fuse code.

    Ensures: no such pair is left.
    """
    modified = False
    for operation in list(model.operations):
        pair = _pair(operation)
        if pair is not None:
            reader, code = pair
            attributes = operation.attributes | {"fuse_code": code}
            (fused,) = model.append(operation.operator, operation.inputs, attributes)
            fused.producer.origin = operation.origin  # type: ignore[union-attr]  # just appended
            model.replace(reader.outputs[0], fused)
            modified = True
    return sweep(model) or modified
