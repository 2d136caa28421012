"""What ONNX Runtime had of its own before ONNX had it."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType, NNAdapterError, Unsupported

from ...case import EXACT, ROUNDS, Case, Const, Tolerance, f, i, rand, scalar
from .microsoft_activation import MICROSOFT

INVERTS = Tolerance(relative=1e-4, absolute=1e-5)
"""By elimination here, by Eigen's there: what they lose grows with the condition of the matrix."""
SAMPLES = Tolerance(relative=1e-5, absolute=1e-5)
"""Sums of up to 16 weighted pixels."""


def case(
    op: str,
    *inputs: Any,
    why: str = "",
    raises: Any = None,
    outputs: int = 1,
    tol: Any = EXACT,
    **attrs: Any,
) -> Case:
    """A case of the domain."""
    return Case(op, inputs, attrs, tol, why=why, raises=raises, outputs=outputs, domain=MICROSOFT)


X = rand(2, 3, 4)
AMOUNTS = i(0, 1, 0, 0, 0, 2)
SHAPES = [
    case("ExpandDims", X, scalar(1, np.int32)),
    case("ExpandDims", X, Const(i(-1, dtype=np.int32)), why="a vector, from the end"),
    case("ExpandDims", X.astype(np.int8), Const(scalar(-4, np.int32)), why="in front"),
    case("ExpandDims", X, Const(scalar(4, np.int32)), why="outside", raises=BadType),
    case("Pad", X, AMOUNTS),
    case("Pad", X, Const(AMOUNTS[None]), f(1.5), why="a number in a vector"),
    *(
        case("Pad", X, Const(AMOUNTS), mode=mode, why=f"{mode} all around")
        for mode in ("edge", "reflect", "wrap")
    ),
    case("Pad", X, Const(i(0, -1, 0, 0, 0, 2)), why="cut"),
    case("Pad", X, Const(AMOUNTS), mode="mirror", raises=Unsupported),
    case("Trilu", X),
    case("Trilu", X, scalar(1, np.int64), upper=0, why="the lower triangle"),
    case("Trilu", X.astype(np.float64), i(-1), why="a vector of one"),
    case("Trilu", rand(3, 3, dtype=np.int64)),
    case("Range", scalar(1.0), scalar(5.5)),
    case("Range", scalar(7, np.int64), f(1, dtype=np.int64), Const(scalar(-2, np.int64))),
    case("Range", i(1, dtype=np.int32), i(7, dtype=np.int32), why="vectors of one"),
    case("Range", i(1), i(7), Const(i(0)), why="no step", raises=NNAdapterError),
    case("GatherND", X, i([0, 1], [1, -1]), why="ONNX Runtime's own"),
    case("GatherND", X, i([[0, 1, 2]], [[1, 0, 3]], dtype=np.int32), why="by int32"),
    case("UnfoldTensor", X, size=2),
    case("UnfoldTensor", X, size=2, step=2, dim=1),
    case("UnfoldTensor", X.astype(np.int32), size=3, dim=-2, why="int32"),
    case("UnfoldTensor", X, size=5, why="too wide", raises=BadType),
    case("Unique", f(3, 1, 1, 2, 3), outputs=3, why="by first occurrence"),
    case("Unique", f(3, np.nan, np.nan, 2, 3), outputs=3, why="every nan is another"),
    case("Unique", f(), outputs=3, why="nothing"),
    case("Unique", X, outputs=3, why="not a vector", raises=BadType),
]
IMAGE, GRID = rand(2, 2, 4, 5), rand(2, 3, 3, 2, low=-1.3, high=1.3)
LINES = rand(3, 4), rand(5, 4, seed=1)
MATRIX = rand(2, 3, 3) + 3 * np.eye(3, dtype=np.float32)
PLAIN, SIGNED = rand(1, 5, 6, 3, dtype=np.uint8, low=0, high=9), rand(2, 5, 6, 3, dtype=np.int8)
NUMBERS = [
    *(
        case("GridSample", IMAGE, GRID, tol=SAMPLES, mode=mode, padding_mode=outside)
        for mode in ("bilinear", "nearest", "bicubic")
        for outside in ("zeros", "border", "reflection")
    ),
    case("GridSample", IMAGE, GRID, tol=SAMPLES, align_corners=1),
    case("GridSample", IMAGE, GRID, mode="cubic", raises=Unsupported),
    case("CDist", *LINES, tol=ROUNDS),
    case("CDist", *LINES, tol=ROUNDS, metric="euclidean"),
    case("CDist", *(x.astype(np.float64) for x in LINES), tol=ROUNDS, metric="euclidean"),
    case("CDist", *LINES, metric="cosine", raises=Unsupported),
    case("CDist", LINES[0], X, why="rank 3", raises=BadType),
    case("Inverse", MATRIX, tol=INVERTS),
    case("Inverse", MATRIX.astype(np.float64), tol=INVERTS),
    case("NhwcMaxPool", SIGNED, kernel_shape=[2, 3]),
    case("NhwcMaxPool", SIGNED, kernel_shape=[2, 3], pads=[1, 0, 1, 1], strides=[2, 1]),
    case("NhwcMaxPool", PLAIN, kernel_shape=[2, 3], ceil_mode=1, dilations=[2, 1]),
    case("NhwcMaxPool", SIGNED, kernel_shape=[3, 2], auto_pad="SAME_UPPER", strides=[2, 2]),
    case("NhwcMaxPool", SIGNED[:, 0], kernel_shape=[3], why="one axis"),
]
CASES = [*SHAPES, *NUMBERS]
