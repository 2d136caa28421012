"""Normalisation."""

from __future__ import annotations

from nnir.broadcast import axis_of
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import norm

from ...lowering import Lowerings
from ...orders import channels_last
from .emitter import Emitter, Ref

table = Lowerings[Ref]()


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
    x = g.ordered(input, channels_last(input.rank))
    rows = [g.plain(v) for v in (scale, bias, mean, variance)]
    return g.one("BATCH_NORM", [x, *rows], x.tensor.shape, x.order, epsilon=epsilon)


@table.lower(norm.instance_normalization)
def instance_normalization(
    g: Emitter, input: Value, scale: Value, bias: Value, *, epsilon: float
) -> Ref:
    x = g.ordered(input, channels_last(input.rank))
    rows = [g.plain(v) for v in (scale, bias)]
    return g.one("INSTANCE_NORM", [x, *rows], x.tensor.shape, x.order, epsilon=epsilon)


@table.lower(norm.layer_normalization)
def layer_normalization(
    g: Emitter, input: Value, scale: Value, bias: Value, *, begin_norm_axis: int, epsilon: float
) -> Ref:
    begin = axis_of(begin_norm_axis, input.rank)
    if begin < 1 or scale.shape != input.shape[begin:]:
        raise NoLowering(f"nnrt has LAYER_NORM from axis 1 on, not {begin} of {input.type}")
    x = g.plain(input)
    return g.one(
        "LAYER_NORM",
        [x, g.plain(scale), g.plain(bias)],
        x.tensor.shape,
        beginAxis=begin,
        epsilon=epsilon,
        beginParamsAxis=begin,
    )


@table.lower(norm.lrn)
def lrn(g: Emitter, input: Value, *, size: int, bias: float, alpha: float, beta: float) -> Ref:
    if size % 2 == 0:
        raise NoLowering(f"nnrt has LRN of odd windows, not {size}")
    x = g.ordered(input, channels_last(input.rank))
    return g.one(
        "LRN",
        [x],
        x.tensor.shape,
        x.order,
        depthRadius=size // 2,
        bias=bias,
        alpha=alpha / size,
        beta=beta,
        normRegion=0,
    )
