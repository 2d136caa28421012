"""Normalisation."""

from __future__ import annotations

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import norm
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Ref

table = Lowerings[Ref]()
NARROW = (Precision.FLOAT16, Precision.BFLOAT16)


def _wide(g: Emitter, *values: Value) -> list[Ref]:
    """All operands in float32, or in float64 when the first is."""
    kind = Precision.FLOAT64 if values[0].precision == Precision.FLOAT64 else Precision.FLOAT32
    return [g.cast(v, kind) for v in values]


def _narrow(g: Emitter, *values: Value) -> list[Ref]:
    """All operands in float32; NoLowering for a float64, which these kernels do not take."""
    if values[0].precision == Precision.FLOAT64:
        raise NoLowering("onnxruntime has no kernel of this normalisation for FLOAT64")
    return _wide(g, *values)


@table.lower(norm.batch_normalization)
def batch_normalization(
    g: Emitter,
    input: Value,
    scale: Value,
    bias: Value,
    mean: Value,
    variance: Value,
    *,
    epsilon: float,
) -> Ref:
    operands = _narrow(g, input, scale, bias, mean, variance)
    return g.cast(g.node("BatchNormalization", *operands, epsilon=epsilon), input.precision)


@table.lower(norm.instance_normalization)
def instance_normalization(
    g: Emitter, input: Value, scale: Value, bias: Value, *, epsilon: float
) -> Ref:
    if 0 in input.shape:  # its kernel writes where nothing is
        return g.node("Identity", input)
    if input.rank == 2:
        raise NoLowering(f"onnxruntime has no kernel of InstanceNormalization for {input.type}")
    operands = _narrow(g, input, scale, bias)
    return g.cast(g.node("InstanceNormalization", *operands, epsilon=epsilon), input.precision)


@table.lower(norm.layer_normalization)
def layer_normalization(
    g: Emitter, input: Value, scale: Value, bias: Value, *, begin_norm_axis: int, epsilon: float
) -> Ref:
    if not g.has("LayerNormalization"):
        raise NoLowering("LayerNormalization needs opset 17")
    operands = _wide(g, input, scale, bias)
    made = g.node("LayerNormalization", *operands, axis=begin_norm_axis, epsilon=epsilon)
    return g.cast(made, input.precision)
