"""Activations fused into the operation before them."""

from __future__ import annotations

from ..model import Operation, Value
from ..ops import activation
from ..types import Fuse
from .batch_norm import fold_batch_norm
from .matching import ANY, node, rule
from .scale import fold_scale

CODES = {activation.relu: Fuse.RELU, activation.relu6: Fuse.RELU6}


def _is_free(made: Operation) -> bool:
    return made.attributes.get("fuse_code") == Fuse.NONE


@rule(
    node(CODES, node(ANY, ANY, name="made", alone=True, attributes=ANY), name="clamp"),
    where=_is_free,
    requires=(fold_batch_norm, fold_scale),
)
def fuse_activation(made: Operation, clamp: Operation) -> Value:
    """Write an operation and the RELU or RELU6 after it as one with a fuse code."""
    model = made.outputs[0].model
    model.origin = made.origin
    code = CODES[clamp.operator]
    (fused,) = model.append(made.operator, made.inputs, {**made.attributes, "fuse_code": code})
    return fused
