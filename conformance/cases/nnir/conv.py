"""Convolutions of the standard with what ONNX has not: fuse codes and a forced output shape."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from nnir.errors import BadType
from nnir.ops import conv
from nnir.types import AutoPad, Fuse

from ...case import Tolerance, rand
from .binary import bounded
from .direct import DirectCase

CLOSE = Tolerance(relative=1e-5, absolute=1e-5)


def _before(size: int, kernel: int, stride: int, pads: tuple[int, ...], auto_pad: AutoPad) -> Any:
    """The padding before an axis and the number of windows."""
    if auto_pad == AutoPad.SAME:
        number = math.ceil(size / stride)
        return max((number - 1) * stride + kernel - size, 0) // 2, number
    before, after = (0, 0) if auto_pad == AutoPad.VALID else pads
    return before, (size + before + after - kernel) // stride + 1


def conv_2d(
    input: np.ndarray,
    filter: np.ndarray,
    bias: np.ndarray,
    *,
    auto_pad: AutoPad = AutoPad.NONE,
    pads: tuple[int, ...] = (0, 0, 0, 0),
    strides: tuple[int, ...],
    group: int = 1,
    dilations: tuple[int, ...],
    fuse_code: Fuse = Fuse.NONE,
) -> np.ndarray:
    """One element of the result at a time, in float64; SAME ignores dilation."""
    dilations = (1, 1) if auto_pad == AutoPad.SAME else dilations
    covered = [d * (k - 1) + 1 for k, d in zip(filter.shape[2:], dilations, strict=True)]
    (top, high), (left, wide) = (
        _before(input.shape[2 + k], covered[k], strides[k], pads[2 * k : 2 * k + 2], auto_pad)
        for k in range(2)
    )
    result = np.zeros((len(input), len(filter), high, wide), np.float64)
    width, share = filter.shape[1], len(filter) // group
    for n, m, i, j in np.ndindex(*result.shape):
        total = float(bias[m])
        for c, y, x in np.ndindex(*filter.shape[1:]):
            row = i * strides[0] - top + y * dilations[0]
            column = j * strides[1] - left + x * dilations[1]
            if 0 <= row < input.shape[2] and 0 <= column < input.shape[3]:
                value = input[n, m // share * width + c, row, column]
                total += float(value) * float(filter[m, c, y, x])
        result[n, m, i, j] = total
    return bounded(result, fuse_code).astype(input.dtype)


def conv_2d_transpose(
    input: np.ndarray,
    filter: np.ndarray,
    bias: np.ndarray,
    *,
    auto_pad: AutoPad = AutoPad.NONE,
    pads: tuple[int, ...] = (0, 0, 0, 0),
    strides: tuple[int, ...],
    group: int = 1,
    dilations: tuple[int, ...],
    output_padding: tuple[int, ...] = (0, 0),
    output_shape: tuple[int, ...] | None = None,
    fuse_code: Fuse = Fuse.NONE,
) -> np.ndarray:
    """Every element of the input adds to what its kernel meets, in float64."""
    if auto_pad != AutoPad.NONE:
        pads = (0, 0, 0, 0)
    if auto_pad == AutoPad.SAME:  # as CONV_2D pads this input
        axes = zip(input.shape[2:], filter.shape[2:], strides, strict=True)
        totals = [max((-(-n // s) - 1) * s + k - n, 0) for n, k, s in axes]
        pads = tuple(p for t in totals for p in (t // 2, t - t // 2))
    sizes = [
        (input.shape[2 + k] - 1) * strides[k]
        - pads[2 * k]
        - pads[2 * k + 1]
        + dilations[k] * (filter.shape[2 + k] - 1)
        + 1
        + output_padding[k]
        for k in range(2)
    ]
    width, share = filter.shape[1], len(filter) // group
    result = np.zeros((len(input), group * width, *(output_shape or sizes)), np.float64)
    for n, c, i, j in np.ndindex(*input.shape):
        for m, y, x in np.ndindex(*filter.shape[1:]):
            row = i * strides[0] - pads[0] + y * dilations[0]
            column = j * strides[1] - pads[2] + x * dilations[1]
            if 0 <= row < result.shape[2] and 0 <= column < result.shape[3]:
                product = float(input[n, c, i, j]) * float(filter[c, m, y, x])
                result[n, c // share * width + m, row, column] += product
    result += bias.reshape(-1, 1, 1)
    return bounded(result, fuse_code).astype(input.dtype)


def deformable_conv_2d(
    input: np.ndarray,
    offset: np.ndarray,
    mask: np.ndarray,
    filter: np.ndarray,
    bias: np.ndarray,
    *,
    pads: tuple[int, ...] = (0, 0, 0, 0),
    strides: tuple[int, ...],
    group: int = 1,
    deformable_group: int = 1,
    dilations: tuple[int, ...],
    fuse_code: Fuse = Fuse.NONE,
) -> np.ndarray:
    """As CONV_2D, each tap moved by (y, x), sampled between four pixels and masked."""
    result = np.zeros((len(input), len(filter), *offset.shape[2:]), np.float64)
    (width, high, wide), share = filter.shape[1:], len(filter) // group
    part = input.shape[1] // deformable_group
    for n, m, i, j in np.ndindex(*result.shape):
        total = float(bias[m])
        for c, y, x in np.ndindex(*filter.shape[1:]):
            channel = m // share * width + c
            tap = (channel // part * high + y) * wide + x
            row = i * strides[0] - pads[0] + y * dilations[0] + float(offset[n, 2 * tap, i, j])
            side = j * strides[1] - pads[2] + x * dilations[1] + float(offset[n, 2 * tap + 1, i, j])
            value = _between(input[n, channel], row, side)
            total += value * float(mask[n, tap, i, j]) * float(filter[m, c, y, x])
        result[n, m, i, j] = total
    return bounded(result, fuse_code).astype(input.dtype)


def _between(plane: np.ndarray, y: float, x: float) -> float:
    """Four pixels weighted by nearness; 0 outside of the image."""
    total = 0.0
    for row in (math.floor(y), math.floor(y) + 1):
        for column in (math.floor(x), math.floor(x) + 1):
            if 0 <= row < plane.shape[0] and 0 <= column < plane.shape[1]:
                near = (1 - abs(y - row)) * (1 - abs(x - column))
                total += near * float(plane[row, column])
    return total


def _moved(why: str, **attrs: Any) -> DirectCase:
    shapes = (2, 4, 5, 6), (2, 24, 3, 4), (2, 12, 3, 4), (6, 2, 3, 2), (6,)
    given = tuple(rand(*s, seed=k) for k, s in enumerate(shapes))
    fixed = {"strides": (1, 1), "dilations": (1, 2), "group": 2, "deformable_group": 2}
    operator = conv.deformable_conv_2d
    return DirectCase(operator, given, fixed | attrs, deformable_conv_2d, CLOSE, why)


def _row(operator: Any, expected: Any, shapes: Any, why: str, **attrs: Any) -> DirectCase:
    data, kernel = (rand(*s, seed=k) for k, s in enumerate(shapes))
    width = kernel.shape[0]
    if operator is conv.conv_2d_transpose:
        width = kernel.shape[1] * attrs.get("group", 1)
    given = {"strides": (1, 1), "dilations": (1, 1)} | attrs
    return DirectCase(operator, (data, kernel, rand(width, seed=2)), given, expected, CLOSE, why)


ONE = (1, 4, 5, 6), (6, 4, 3, 2)
GROUPS = (2, 4, 5, 6), (6, 2, 3, 2)
DEPTH = (2, 4, 5, 6), (8, 1, 2, 2)
BACK = (2, 4, 3, 4), (4, 3, 3, 2)


def _of_other_ranks() -> Iterator[DirectCase]:
    """Images of as many axes as there are strides, but not of as many as the operator has."""
    ranks = {1: "a line", 2: "an image", 3: "a volume"}
    flat, deep = (conv.conv_2d, conv.conv_2d_transpose), (conv.conv_3d, conv.conv_3d_transpose)
    for operator, own in (*((o, 2) for o in flat), *((o, 3) for o in deep)):
        for rank, why in ranks.items():
            if rank != own:
                given = rand(1, 2, *(4,) * rank), rand(2, 2, *(2,) * rank), rand(2)
                attrs = {"strides": (1,) * rank, "dilations": (1,) * rank}
                if "output_padding" in operator.attributes:
                    attrs["output_padding"] = (0,) * rank
                yield DirectCase(operator, given, attrs, why=f"of {why}", raises=BadType)


CASES = [
    *(_row(conv.conv_2d, conv_2d, ONE, code.name, fuse_code=code) for code in Fuse),
    _row(conv.conv_2d, conv_2d, GROUPS, "two groups", group=2, strides=(2, 1), pads=(1, 0, 2, 1)),
    _row(conv.conv_2d, conv_2d, DEPTH, "depthwise", group=4, dilations=(2, 3)),
    _row(conv.conv_2d, conv_2d, ONE, "SAME", auto_pad=AutoPad.SAME, strides=(2, 3)),
    _row(
        conv.conv_2d,
        conv_2d,
        ONE,
        "SAME, dilation ignored",
        auto_pad=AutoPad.SAME,
        dilations=(2, 2),
    ),
    _row(conv.conv_2d, conv_2d, ONE, "VALID", auto_pad=AutoPad.VALID, pads=(1, 1, 1, 1)),
    _row(conv.conv_2d, conv_2d, ((0, 4, 5, 6), ONE[1]), "no images"),
    *(
        _row(conv.conv_2d_transpose, conv_2d_transpose, BACK, code.name, fuse_code=code)
        for code in Fuse
    ),
    _row(
        conv.conv_2d_transpose,
        conv_2d_transpose,
        BACK,
        "groups, strides, pads, output padding",
        group=2,
        strides=(2, 3),
        pads=(1, 0, 0, 1),
        output_padding=(1, 2),
        dilations=(1, 2),
    ),
    _row(
        conv.conv_2d_transpose,
        conv_2d_transpose,
        BACK,
        "output_shape",
        strides=(2, 2),
        output_shape=(8, 9),
    ),
    _row(
        conv.conv_2d_transpose,
        conv_2d_transpose,
        BACK,
        "SAME",
        auto_pad=AutoPad.SAME,
        strides=(1, 2),
    ),
    _row(
        conv.conv_2d_transpose,
        conv_2d_transpose,
        BACK,
        "VALID",
        auto_pad=AutoPad.VALID,
        pads=(1, 1, 1, 1),
        strides=(2, 1),
    ),
    _row(
        conv.conv_2d_transpose,
        conv_2d_transpose,
        BACK,
        "output_shape keeps the pads",
        strides=(2, 2),
        pads=(1, 0, 1, 1),
        output_shape=(7, 7),
    ),
    *(_moved(code.name, fuse_code=code) for code in Fuse),
    _moved("strides and pads", strides=(2, 1), pads=(1, 1, 0, 0)),
    DirectCase(
        conv.conv_2d_transpose,
        (rand(1, 2, 3, 4), rand(2, 1, 2, 3), rand(1)),
        {"strides": (2, 1), "pads": (3, 2, 3, 4), "dilations": (1, 1)},
        why="pads that cut more than there is",
        raises=BadType,
    ),
    *_of_other_ranks(),
]
