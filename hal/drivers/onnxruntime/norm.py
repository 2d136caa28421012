"""Normalisation."""

from __future__ import annotations

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import norm

from ...lowering import Lowerings
from ...operands import Axis
from .emitter import Emitter, Ref, Wide, widen

table = Lowerings[Ref]()
table.native(norm.batch_normalization, "BatchNormalization", "epsilon")


@table.lower(norm.instance_normalization)
def instance_normalization(g: Emitter, input: Value, *rest: Value, epsilon: float) -> Ref:
    if 0 in input.shape:  # its kernel writes where nothing is
        return g.node("Identity", input)
    if input.rank == 2:
        raise NoLowering(f"onnxruntime has no kernel of InstanceNormalization for {input.type}")
    return g.single("InstanceNormalization", input, *rest, epsilon=epsilon)


@table.lower(norm.layer_normalization)
def layer_normalization(g: Emitter, *operands: Wide, begin_norm_axis: int, epsilon: float) -> Ref:
    if not g.has("LayerNormalization"):
        raise NoLowering("LayerNormalization needs opset 17")
    return g.node("LayerNormalization", *operands, axis=begin_norm_axis, epsilon=epsilon)


@table.lower(norm.rms_normalization)
def rms_normalization(
    g: Emitter, input: Value, scale: Value, *, begin_norm_axis: Axis, epsilon: float
) -> Ref:
    """ONNX Runtime's own kernel, which no file names: others would not read it."""
    if g.for_file:
        return g.decomposed()[0]
    axis, operands = begin_norm_axis, (widen(g, input), widen(g, scale))
    if not scale.is_static or scale.shape != input.shape[axis:] or 0 in input.shape:
        raise NoLowering(f"SimplifiedLayerNormalization of {input.type} with {scale.type}")
    return g.node("SimplifiedLayerNormalization", *operands, axis=axis, epsilon=epsilon)
