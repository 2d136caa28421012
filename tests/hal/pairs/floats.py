"""Operators of floats.

A cast to float16 and back is no part: OpenVINO, which computes that in float32, does not round.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from nnir.model import Value
from nnir.ops import (
    activation,
    binary,
    compare,
    conv,
    index,
    linear,
    norm,
    pool,
    recurrent,
    reduce,
    resize,
    shape,
    sort,
    unary,
)
from nnir.types import InterpolateMode, PadMode, Precision

from .models import RANKS, Form, Make, Numbers, Table, known, need

ROWS, MATRICES, IMAGES = (2, 3, 4), (3, 4), (4,)
"""Ranks that makers take."""

HIDDEN = 4
"""Units of recurrent layers."""


def convolve(
    x: Value, n: Numbers, filters: int, taps: int, *, apart: bool = False, step: int = 1
) -> Value:
    """A convolution of images with a border of half a kernel; `apart` for each channel."""
    need(x, 4)
    channels: Any = x.shape[1]
    count, group = (channels * filters, channels) if apart else (filters, 1)
    kernel = n(count, 1 if apart else channels, taps, taps)
    border = (taps // 2,) * 4
    given: Any = {"strides": (step, step), "dilations": (1, 1), "pads": border, "group": group}
    return conv.conv_2d(x, kernel, n(count), **given)


def dilated(x: Value, n: Numbers) -> Value:
    kernel = n(3, x.shape[1], 2, 2)
    return conv.conv_2d(x, kernel, n(3), pads=(1,) * 4, strides=(1, 1), dilations=(2, 2))


def deconvolve(x: Value, n: Numbers) -> Value:
    need(x, 4)
    kernel = n(x.shape[1], 4, 2, 2)
    return conv.conv_2d_transpose(x, kernel, n(4), strides=(2, 2), dilations=(1, 1))


def convolve_cubes(x: Value, n: Numbers) -> Value:
    kernel, ones = n(4, x.shape[1], 2, 2, 2), (1,) * 3
    return conv.conv_3d(x, kernel, n(4), pads=ones * 2, strides=ones, dilations=ones)


def convolve_lines(x: Value, n: Numbers) -> Value:
    return shape.squeeze(convolve(shape.unsqueeze(x, [2]), n, 5, 1), [2])


def windows(x: Value, n: Numbers, name: str, **given: Any) -> Value:
    need(x, 4)
    plain = {"kernel_shape": (2, 2), "strides": (1, 1)}
    return getattr(pool, name)(x, **plain | given)


def bordered(x: Value, n: Numbers, name: str, **given: Any) -> Value:
    return windows(x, n, name, kernel_shape=(3, 3), strides=(2, 2), pads=(1,) * 4, **given)


def long_memory(x: Value, n: Numbers, direction: str) -> Value:
    ways = 2 if direction == "bidirectional" else 1
    weights = (n(ways, 4 * HIDDEN, size) for size in (x.shape[-1], HIDDEN))
    return recurrent.lstm(x, *weights, n(ways, 8 * HIDDEN), direction=direction)[0]


def gated(x: Value, n: Numbers) -> Value:
    weights = (n(1, 3 * HIDDEN, size) for size in (x.shape[-1], HIDDEN))
    states, _ = recurrent.gru(x, *weights, n(1, 6 * HIDDEN), linear_before_reset=True)
    return shape.squeeze(states, [1])


def attend(x: Value, n: Numbers, *, masked: bool = False) -> Value:
    scores = linear.mat_mul(binary.mul(x, n.those(0.5)), x, transpose_y=True)
    if masked:
        rows: Any = x.shape[-2]
        mask = n.model.constant(np.tri(rows, dtype=bool))
        scores = compare.where(mask, scores, n.those(-1e4))
    return linear.mat_mul(activation.softmax(scores, axis=-1), x)


def batch_norm(x: Value, n: Numbers) -> Value:
    count = x.shape[1]
    return norm.batch_normalization(x, n(count), n(count), n(count), n.positive(count))


def instance_norm(x: Value, n: Numbers) -> Value:
    need(x, 3, 4, 5)
    return norm.instance_normalization(x, n(x.shape[1]), n(x.shape[1]))


def group_norm(x: Value, n: Numbers) -> Value:
    count: Any = x.shape[1]
    return norm.group_normalization(x, n(count), n(count), groups=1 if count % 2 else 2)


def layer_norm(x: Value, n: Numbers, axes: int = 1) -> Value:
    sizes = x.shape[-axes:]
    return norm.layer_normalization(x, n(*sizes), n(*sizes), begin_norm_axis=x.rank - axes)


def reduced(x: Value, n: Numbers, name: str, ends: tuple[int, ...], *, keepdim: bool) -> Value:
    axes = sorted({k % x.rank for k in ends})
    return getattr(reduce, name)(x, axes, keepdim=keepdim)


def largest_place(x: Value, n: Numbers, axis: int, *, keepdim: bool) -> Value:
    place = reduce.arg_max(n.continuous(x), axis=axis % x.rank, keepdim=keepdim)
    return unary.cast(place, dtype=x.precision)


def turned(x: Value) -> Value:
    return shape.transpose(x, perm=tuple(range(x.rank))[::-1])


def moved(x: Value, n: Numbers, perm: tuple[int, ...]) -> Value:
    return shape.transpose(activation.relu(x), perm=perm)


def last_two_turned(x: Value) -> Value:
    return shape.transpose(x, perm=(*range(x.rank - 2), x.rank - 1, x.rank - 2))


def channels(x: Value, n: Numbers, *, positive: bool = False) -> Value:
    return (n.positive if positive else n)(1, x.shape[1], *(1,) * (x.rank - 2))


def row(x: Value, n: Numbers) -> Value:
    return n(x.shape[-1])


def clipped(x: Value, n: Numbers) -> Value:
    return activation.clip(x, n.those(-0.5), n.those(0.7))


def is_positive(x: Value, n: Numbers) -> Value:
    return compare.greater(x, n.those(0))


def larger(x: Value, *factors: float) -> Value:
    """An image resized."""
    need(x, 4)
    height, width = (int(f * s) for f, s in zip(factors, known(x.shape[2:]), strict=True))
    return resize.resize_nearest(x, [height, width])


def sampled(x: Value, n: Numbers) -> Value:
    grid = activation.tanh(n(x.shape[0], 2, 3, 2))
    given: Any = {"mode": InterpolateMode.BILINEAR, "pad_mode": PadMode.CONSTANT}
    return resize.grid_sample(x, grid, align_corners=False, **given)


def padded(x: Value, *last: int, mode: PadMode = PadMode.CONSTANT) -> Value:
    """Elements more in front of and behind the last axes."""
    half = len(last) // 2
    rest = [0] * (x.rank - half)
    return shape.pad(x, [v for k in (0, half) for v in [*rest, *last[k : k + half]]], mode=mode)


def gather_first(y: Value, n: Numbers) -> Value:
    return index.gather_elements(y, n.places(*np.zeros(known(y.shape), int)), axis=1)


def gate(y: Value) -> Value:
    halves = shape.split(shape.concat(y, unary.neg(y), axis=1), [y.shape[1]] * 2, axis=1)
    return binary.mul(halves[0], activation.sigmoid(halves[1]))


def gelu_by_erf(y: Value, n: Numbers) -> Value:
    wave = unary.erf(binary.mul(y, n.those(np.sqrt(0.5))))
    return binary.mul(binary.mul(y, n.those(0.5)), binary.add(wave, n.those(1)))


def hard_swish_by_parts(y: Value, n: Numbers) -> Value:
    ramp = activation.relu6(binary.add(y, n.those(3)))
    return binary.mul(y, binary.div(ramp, n.those(6)))


def variance(y: Value, n: Numbers) -> Value:
    gap = binary.sub(y, reduced(y, n, "reduce_mean", (-1,), keepdim=True))
    return reduced(unary.square(gap), n, "reduce_mean", (-1,), keepdim=True)


def unit(y: Value, n: Numbers) -> Value:
    squares = reduced(unary.square(y), n, "reduce_sum", (-1,), keepdim=True)
    return binary.div(y, unary.sqrt(binary.add(squares, n.those(0.1))))


MAKERS: dict[str, tuple[Make, tuple[int, ...]]] = {
    "matmul": (lambda x, n: linear.mat_mul(x, n(x.shape[-1], 6)), RANKS),
    "matmul_channels": (lambda x, n: linear.mat_mul(x, n(x.shape[-1], x.shape[1])), MATRICES),
    "matmul_turned": (
        lambda x, n: linear.mat_mul(x, n(6, x.shape[-1]), transpose_y=True), ROWS,
    ),
    "matmul_left": (lambda x, n: linear.mat_mul(n(3, x.shape[-2]), x), ROWS),
    "matmul_own": (lambda x, n: linear.mat_mul(x, x, transpose_y=True), ROWS),
    "dense": (lambda x, n: linear.fully_connected(x, n(6, x.shape[-1]), n(6)), ROWS),
    "einsum": (
        lambda x, n: linear.einsum(x, n(*x.shape[1:], 3), equation="bij,ijk->bk"), (3,),
    ),
    "attention": (attend, MATRICES),
    "attention_masked": (partial(attend, masked=True), MATRICES),
    "conv": (lambda x, n: convolve(x, n, 5, 3), IMAGES),
    "point": (lambda x, n: convolve(x, n, 6, 1), IMAGES),
    "depthwise": (lambda x, n: convolve(x, n, 1, 3, apart=True), IMAGES),
    "twice_apart": (lambda x, n: convolve(x, n, 2, 1, apart=True), IMAGES),
    "conv_strided": (lambda x, n: convolve(x, n, 4, 2, step=2), IMAGES),
    "conv_dilated": (dilated, IMAGES),
    "conv_relu": (lambda x, n: activation.relu(convolve(x, n, 4, 3)), IMAGES),
    "conv_lines": (convolve_lines, (3,)),
    "conv_cubes": (convolve_cubes, (5,)),
    "deconv": (deconvolve, IMAGES),
    "means": (partial(windows, name="average_pool_2d"), IMAGES),
    "maxima": (partial(windows, name="max_pool_2d"), IMAGES),
    "means_bordered": (partial(bordered, name="average_pool_2d"), IMAGES),
    "means_counted": (partial(bordered, name="average_pool_2d", count_include_pad=True), IMAGES),
    "maxima_bordered": (partial(bordered, name="max_pool_2d"), IMAGES),
    "means_of_lines": (lambda x, n: pool.average_pool(x, kernel_shape=(2,)), (3,)),
    "maxima_of_lines": (lambda x, n: pool.max_pool(x, kernel_shape=(2,)), (3,)),
    "means_of_cubes": (
        lambda x, n: pool.average_pool(x, kernel_shape=(2, 2, 2), pads=(1,) * 6), (5,),
    ),
    "maxima_of_cubes": (lambda x, n: pool.max_pool(x, kernel_shape=(2, 2, 2)), (5,)),
    "whole_mean": (lambda x, n: pool.adaptive_average_pool_2d(x, output_shape=(1, 1)), IMAGES),
    "bins": (lambda x, n: pool.adaptive_average_pool_2d(x, output_shape=(2, 1)), IMAGES),
    "lstm": (partial(long_memory, direction="forward"), (3,)),
    "lstm_both": (partial(long_memory, direction="bidirectional"), (3,)),
    "gru": (gated, (3,)),
    "softmax": (lambda x, n: activation.softmax(x, axis=-1), ROWS),
    "softmax_1": (lambda x, n: activation.softmax(x, axis=1), ROWS),
    "log_softmax": (lambda x, n: activation.log_softmax(x, axis=-1), ROWS),
    "layer_norm": (layer_norm, ROWS),
    "layer_norm_2": (partial(layer_norm, axes=2), MATRICES),
    "batch_norm": (batch_norm, ROWS),
    "instance_norm": (instance_norm, (3, 4, 5)),
    "group_norm": (group_norm, (3, 4, 5)),
    "rms_norm": (lambda x, n: norm.rms_normalization(x, row(x, n)), ROWS),
    "lp_norm": (lambda x, n: norm.lp_normalization(x, axis=1), ROWS),
    "lrn": (lambda x, n: norm.lrn(x, size=3), IMAGES),
    "nearest": (lambda x, n: larger(x, 2, 2), IMAGES),
    "linear": (lambda x, n: resize.resize_linear(x, [5, 7], align_mode=0), IMAGES),
    "corners": (lambda x, n: resize.resize_linear(x, [5, 7], align_corners=True), IMAGES),
    "grid": (sampled, IMAGES),
    "gather": (lambda x, n: index.gather(x, n.places(1, 0, 1), axis=x.rank - 1), RANKS),
    "gather_table": (lambda x, n: index.gather(x, n.places([0, 1], [1, 0]), axis=1), ROWS),
    "gather_one": (lambda x, n: index.gather(x, n.model.constant(np.int64(0)), axis=1), MATRICES),
    "gather_first": (gather_first, ROWS),
    "scatter": (lambda x, n: index.scatter_nd(x, n.places([0]), n(1, *x.shape[1:])), ROWS),
    "concat": (lambda x, n: shape.concat(x, unary.neg(x), axis=x.rank - 1), RANKS),
    "concat_1": (lambda x, n: shape.concat(x, activation.relu(x), axis=1), RANKS),
    "turned": (lambda x, n: turned(activation.tanh(x)), RANKS),
    **{
        f"moved_{''.join(map(str, perm))}": (partial(moved, perm=perm), (len(perm),))
        for perm in ((0, 2, 1, 3), (0, 2, 3, 1), (0, 3, 1, 2), (1, 0, 2, 3), (0, 2, 1), (1, 0, 2))
    },
    "flat": (lambda x, n: shape.reshape(activation.sigmoid(x), [x.shape[0], -1]), RANKS),
    "merged": (lambda x, n: shape.reshape(unary.neg(x), [-1, x.shape[-1]]), (3, 4, 5)),
    "heads": (
        lambda x, n: shape.reshape(
            shape.concat(x, unary.neg(x), axis=x.rank - 1), [*x.shape[:-1], 2, -1]
        ),
        (2, 3),
    ),
    "expanded": (
        lambda x, n: shape.expand(shape.unsqueeze(x, [1]), [x.shape[0], 2, *x.shape[1:]]), (2, 3),
    ),
    "tiled": (lambda x, n: shape.tile(x, [1] * (x.rank - 1) + [2]), ROWS),
    "tiled_first": (lambda x, n: shape.tile(x, [2] + [1] * (x.rank - 1)), ROWS),
    "rolled": (lambda x, n: index.roll(x, [1], [1]), ROWS),
    "reversed": (lambda x, n: index.slice_(x, [x.rank - 1], [-1], [-99], [-1]), ROWS),
    "every_other": (lambda x, n: index.slice_(x, [1], [0], [99], [2]), ROWS),
    "cut": (lambda x, n: shape.split(x, [1, x.shape[1] - 1], axis=1)[1], MATRICES),
    "exchanged": (
        lambda x, n: shape.concat(*shape.split(x, [1, x.shape[1] - 1], axis=1)[::-1], axis=1),
        MATRICES,
    ),
    "shuffled": (
        lambda x, n: index.channel_shuffle(shape.concat(x, unary.neg(x), axis=1), group=2), IMAGES,
    ),
    "padded": (lambda x, n: shape.pad(x, [1] * 2 * x.rank), RANKS),
    "padded_last": (lambda x, n: padded(x, 1, 2), ROWS),
    "padded_edge": (lambda x, n: padded(x, 1, 1, 1, 2, mode=PadMode.EDGE), MATRICES),
    "sum_full": (lambda x, n: binary.add(x, n(*x.shape)), RANKS),
    "outer": (lambda x, n: binary.add(x, n(2, *x.shape)), ROWS),
    "masked": (lambda x, n: compare.where(is_positive(x, n), x, n(*x.shape)), ROWS),
    "clipped": (clipped, ROWS),
    "running": (lambda x, n: reduce.cum_sum(x, [1]), ROWS),
    "running_last": (lambda x, n: reduce.cum_sum(x, [-1]), ROWS),
    "ranked": (lambda x, n: sort.top_k(x, [x.shape[-1]], axis=x.rank - 1)[0], ROWS),
    "largest_place": (partial(largest_place, axis=1, keepdim=True), ROWS),
    "log_sum": (partial(reduced, name="reduce_log_sum_exp", ends=(-1,), keepdim=False), ROWS),
    "reduce_sum": (partial(reduced, name="reduce_sum", ends=(1,), keepdim=False), RANKS),
    "reduce_min": (partial(reduced, name="reduce_min", ends=(-1,), keepdim=True), ROWS),
    "reduce_prod": (partial(reduced, name="reduce_prod", ends=(1,), keepdim=True), ROWS),
    **{
        f"{name}{ends}{'_kept' if keepdim else ''}": (
            partial(reduced, name=name, ends=ends, keepdim=keepdim), RANKS,
        )
        for name in ("reduce_mean", "reduce_max")
        for ends in ((0,), (1,), (-1,), (-2, -1), (0, -1))
        for keepdim in (True, False)
    },
}  # fmt: skip

FOLLOWERS: dict[str, Make] = {
    "slopes": lambda y, n: activation.prelu(y, n(y.shape[1])),
    "times_row": lambda y, n: binary.mul(y, row(y, n)),
    "plus_row": lambda y, n: binary.add(y, row(y, n)),
    "less_row": lambda y, n: binary.sub(row(y, n), y),
    "over_row": lambda y, n: binary.div(y, n.positive(y.shape[-1])),
    "row_affine": lambda y, n: binary.add(binary.mul(y, row(y, n)), row(y, n)),
    "plus_channels": lambda y, n: binary.add(y, channels(y, n)),
    "over_channels": lambda y, n: binary.div(y, channels(y, n, positive=True)),
    "channel_affine": lambda y, n: binary.add(binary.mul(y, channels(y, n)), channels(y, n)),
    "affine": lambda y, n: binary.add(binary.mul(y, n.those(2)), n.those(-1)),
    "first": lambda y, n: binary.mul(y, n(y.shape[0], *(1,) * (y.rank - 1))),
    "share": lambda y, n: binary.div(n(*y.shape), binary.add(unary.abs_(y), n.positive(1))),
    "plus_one": lambda y, n: binary.add(y, n(1)),
    "rest": lambda y, n: binary.sub(n.those(1), y),
    "rectified": lambda y, n: activation.relu(binary.add(y, row(y, n))),
    "larger": lambda y, n: binary.max_(y, row(y, n)),
    "between": lambda y, n: binary.min_(binary.max_(y, n.those(0)), n.those(6)),
    "clipped": clipped,
    "negative": lambda y, n: unary.neg(y),
    "square": lambda y, n: binary.mul(y, y),
    "power": lambda y, n: binary.pow_(y, n.those(2)),
    "root": lambda y, n: unary.sqrt(binary.add(unary.square(y), n.those(0.1))),
    "falling": lambda y, n: unary.exp(unary.neg(unary.abs_(y))),
    "stacked": lambda y, n: shape.stack(y, y, axis=y.rank),
    "twice": lambda y, n: shape.concat(y, y, axis=1),
    "beside": lambda y, n: shape.concat(n(*y.shape), y, axis=y.rank - 1),
    "behind": lambda y, n: binary.mul(shape.unsqueeze(y, [y.rank]), n(*y.shape, 2)),
    "before": lambda y, n: binary.mul(shape.unsqueeze(y, [0]), n(2, *y.shape)),
    "line": lambda y, n: binary.mul(shape.reshape(y, [-1]), n(int(np.prod(known(y.shape))))),
    "flat": lambda y, n: shape.reshape(y, [y.shape[0], -1]),
    "merged_rows": lambda y, n: binary.mul(shape.reshape(y, [-1, y.shape[-1]]), row(y, n)),
    "turned_row": lambda y, n: binary.mul(turned(y), n(y.shape[0])),
    "last_turned": lambda y, n: last_two_turned(y),
    "last_turned_matmul": lambda y, n: linear.mat_mul(last_two_turned(y), n(y.shape[-2], 3)),
    "swish": lambda y, n: binary.mul(y, activation.sigmoid(y)),
    "swish_gate": lambda y, n: binary.mul(activation.swish(y), y),
    "gate": lambda y, n: gate(y),
    "gelu": lambda y, n: activation.gelu(y),
    "gelu_by_erf": gelu_by_erf,
    "mish": lambda y, n: binary.mul(y, activation.tanh(activation.softplus(y))),
    "softplus": lambda y, n: activation.softplus(y),
    "elu": lambda y, n: activation.elu(y, alpha=1.0),
    "leaky": lambda y, n: activation.leaky_relu(y, alpha=0.3),
    "hard_sigmoid": lambda y, n: activation.hard_sigmoid(y, alpha=0.2, beta=0.5),
    "hard_swish": lambda y, n: activation.hard_swish(y, alpha=1 / 6, beta=0.5),
    "hard_swish_by_parts": hard_swish_by_parts,
    "residual": lambda y, n: binary.add(activation.relu(y), y),
    "masked": lambda y, n: compare.where(is_positive(y, n), y, n(*y.shape)),
    "masked_row": lambda y, n: compare.where(compare.greater(row(y, n), n.those(0)), y, n.those(0)),
    "mean_last": partial(reduced, name="reduce_mean", ends=(-1,), keepdim=False),
    "max_last": partial(reduced, name="reduce_max", ends=(-1,), keepdim=True),
    "sum_first": partial(reduced, name="reduce_sum", ends=(0,), keepdim=True),
    "whole_mean": partial(reduced, name="reduce_mean", ends=(-2, -1), keepdim=True),
    "variance": variance,
    "unit": unit,
    "running": lambda y, n: reduce.cum_sum(y, [y.rank - 1]),
    "largest_place": partial(largest_place, axis=-1, keepdim=False),
    "largest": lambda y, n: sort.top_k(y, [1], axis=y.rank - 1)[0],
    "matmul_row": lambda y, n: linear.mat_mul(y, n(y.shape[-1], 3)),
    "matmul_left": lambda y, n: linear.mat_mul(n(3, y.shape[-2]), y),
    "matmul_own": lambda y, n: linear.mat_mul(y, y, transpose_y=True),
    "softmax_last": lambda y, n: activation.softmax(y, axis=-1),
    "softmax_first": lambda y, n: activation.softmax(y, axis=0),
    "layer_norm": layer_norm,
    "batch_norm": batch_norm,
    "instance_norm": instance_norm,
    "rms_norm": lambda y, n: norm.rms_normalization(y, row(y, n)),
    "conv": lambda y, n: convolve(y, n, 4, 3),
    "point": lambda y, n: convolve(y, n, 4, 1),
    "depthwise": lambda y, n: convolve(y, n, 1, 3, apart=True),
    "deconv": deconvolve,
    "maxima": partial(windows, name="max_pool_2d"),
    "means": partial(windows, name="average_pool_2d"),
    "nearest": lambda y, n: larger(y, 2, 2),
    "padded": lambda y, n: shape.pad(y, [1] * 2 * y.rank),
    "head": lambda y, n: index.slice_(y, [y.rank - 1], [0], [1]),
    "tail": lambda y, n: index.slice_(y, [1], [1], [99]),
    "reversed": lambda y, n: index.slice_(y, [0], [-1], [-99], [-1]),
    "gather": lambda y, n: index.gather(y, n.places(0, 0, -1), axis=0),
    "gather_one": lambda y, n: index.gather(y, n.model.constant(np.int64(0)), axis=y.rank - 1),
    "expanded": lambda y, n: shape.expand(y, [2, *y.shape]),
    "tiled": lambda y, n: shape.tile(y, [2] * y.rank),
}

FLOATS = Table(
    MAKERS,
    FOLLOWERS,
    (
        Form(),
        Form(opened="first"),
        Form(stored=Precision.UINT8),
        Form(Precision.FLOAT16),
        Form(opened="last"),
        Form(stored=Precision.INT8),
        Form(opened="most"),
    ),
)
