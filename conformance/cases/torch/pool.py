"""ATen pooling."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from nnir.errors import BadType, NoLowering, Unsupported

from ...case import ROUNDS, Case, Limit, Tolerance, rand

HALF = Tolerance(relative=2e-3, absolute=1e-3)
BRAIN = Tolerance(relative=1.6e-2, absolute=1e-2)
X1, X2, X3 = rand(2, 3, 9), rand(2, 3, 7, 9), rand(2, 3, 5, 4, 7)
PLANES = np.stack([np.arange(4)[::-1], np.arange(4) + 8]).astype(np.int64).reshape(1, 2, 2, 2)
HOLES = X2.copy()
HOLES[0, 0, 1, 2], HOLES[1, 2] = np.nan, -np.inf


def each(op: str, *rows: tuple, tol: Tolerance = ROUNDS) -> list[Case]:  # type: ignore[type-arg]
    """Cases of one operator: inputs and why."""
    return [Case(op, inputs, tol=tol, why=why) for inputs, why in rows]


CASES: list[Case] = [
    *each(
        "aten.max_pool1d.default",
        ((X1, [3]), "plain"),
        ((X1, [2], [2], [1], [1], True), "ceil"),
        ((X1[0], [3], [1], [1], [2]), "one sample, dilation"),
    ),
    *each(
        "aten.max_pool2d.default",
        ((X2, [2, 3]), "plain"),
        ((X2, [3, 3], [2, 2], [1, 1]), "padding"),
        ((X2, [2, 2], [2, 2], [0, 0], [1, 1], True), "ceil"),
        ((X2, [2, 2], [3, 3], [1, 1], [1, 1], True), "ceil past the data"),
        ((X2, [2, 2], [1, 2], [0, 1], [2, 3]), "dilation"),
        ((X2[0], [3, 3]), "one sample"),
        ((X2, [2]), "one number"),
        ((HOLES, [2, 3]), "nan and infinity"),
        ((rand(0, 3, 7, 9), [2, 2]), "no samples"),
        ((X2.astype(np.float64), [2, 2]), "double"),
        ((rand(1, 2, 5, 5, dtype=np.int8), [2, 2]), "int8"),
        ((X2.astype(np.float16), [3, 2], [2, 1], [1, 1]), "half"),
    ),
    Case("aten.max_pool2d.default", (X2, [2, 2], [1, 1], [2, 2]), raises=BadType, why="pads"),
    Case("aten.max_pool2d.default", (rand(7, 9), [2, 2]), raises=Unsupported, why="rank 2"),
    Case("aten.max_pool2d.default", (X2, [2, 2], [1, 1], [-1, 0]), raises=BadType, why="pad < 0"),
    Case("aten.max_pool1d.default", (X1, [2], [1], [0], [0]), raises=BadType, why="dilation 0"),
    Case("aten.max_pool1d.default", (rand(0, 9), [1]), raises=BadType, why="no channels"),
    Case("aten.max_pool2d.default", (rand(2, 3, 4, 0), [1]), raises=BadType, why="no columns"),
    Case("aten.max_pool3d.default", (X3, [6, 1, 1]), raises=BadType, why="no window fits"),
    Case("aten.avg_pool2d.default", (X2, [2], [9], [-1]), raises=BadType, why="pad < 0"),
    Case("aten.avg_pool2d.default", (X2, [8, 2]), raises=BadType, why="no window fits"),
    *each("aten.max_pool3d.default", ((X3, [2, 2, 3], [2, 1, 2], [1, 0, 1]), "plain")),
    *each(
        "aten.max_pool1d_with_indices.default",
        ((X1, [3]), "plain"),
        ((X1, [4], [2], [2], [1], True), "ceil"),
    ),
    *each(
        "aten.max_pool2d_with_indices.default",
        ((X2, [3, 3], [2, 2], [1, 1]), "plain"),
        ((X2[0], [2, 2], [2, 2], [0, 0], [1, 1], True), "one sample, ceil"),
        ((X2, [2, 2], [1, 1], [0, 0], [2, 2]), "dilation"),
    ),
    *each("aten.max_pool3d_with_indices.default", ((X3, [2, 2, 3], [2, 1, 2]), "plain")),
    *each(
        "aten.avg_pool1d.default",
        ((X1, [3], [2], [1]), "plain"),
        ((X1[0], [2], [2], [1], True, False), "one sample, ceil"),
    ),
    *each(
        "aten.avg_pool2d.default",
        ((X2, [2, 3]), "plain"),
        ((X2, [3, 3], [2, 2], [1, 1]), "padding"),
        ((X2, [3, 3], [2, 2], [1, 1], False, False), "without padding"),
        ((X2, [2, 2], [2, 2], [1, 1], True, True), "ceil with padding"),
        ((X2, [2, 2], [2, 2], [0, 0], True, False), "ceil without padding"),
        ((X2, [2, 3], [1, 1], [1, 1], False, False, 5), "a divisor"),
        ((X2, [2, 2], [2, 2], [0, 0], True, True, 3), "a divisor with ceil"),
        ((X2[0], [3, 3]), "one sample"),
        ((rand(0, 3, 7, 9), [2, 2]), "no samples"),
    ),
    *each("aten.avg_pool2d.default", ((X2.astype(np.float16), [3, 3]), "half"), tol=HALF),
    Case("aten.avg_pool2d.default", (rand(1, 1, 4, 4, dtype=np.int64), [2, 2]), raises=Unsupported),
    *each(
        "aten.avg_pool3d.default",
        ((X3, [2, 2, 3], [2, 1, 2], [1, 0, 1]), "plain"),
        ((X3, [2, 2, 2], [2, 2, 2], [0, 1, 0], True, True), "ceil"),
        ((X3, [2, 2, 2], [2, 2, 2], [0, 1, 0], False, True, 7), "a divisor"),
    ),
    *each(
        "aten.adaptive_avg_pool1d.default",
        ((X1, [1]), "everything"),
        ((X1, [4]), "uneven"),
        ((X1[0], [3]), "one sample"),
    ),
    *each(
        "aten.adaptive_avg_pool2d.default",
        ((X2, [1, 1]), "everything"),
        ((X2, [3, 4]), "uneven"),
        ((X2, [7, 3]), "even"),
        ((X2, [7, 9]), "the same size"),
        ((X2[0], [1, 1]), "one sample"),
        ((X2[0], [2, 5]), "one sample, uneven"),
        ((X2.astype(np.float64), [1, 1]), "double"),
    ),
    *each("aten.adaptive_avg_pool2d.default", ((X2.astype(np.float16), [1, 1]), "half"), tol=HALF),
    *each(
        "aten.adaptive_avg_pool2d.default",
        ((X2.astype(ml_dtypes.bfloat16), [2, 1]), "bfloat16"),
        tol=BRAIN,
    ),
    *each("aten._adaptive_avg_pool2d.default", ((X2, [3, 3]), "plain")),
    *each(
        "aten.adaptive_avg_pool3d.default",
        ((X3, [1, 1, 1]), "everything"),
        ((X3, [2, 3, 4]), "uneven"),
        ((X3[0], [2, 1, 1]), "one sample"),
    ),
    *each("aten._adaptive_avg_pool3d.default", ((X3, [2, 2, 2]), "plain")),
    *each(
        "aten.adaptive_max_pool1d.default",
        ((X1, [3]), "even"),
        ((X1[0], [3]), "one sample"),
        ((X1, [4]), "uneven"),
    ),
    *each(
        "aten.adaptive_max_pool2d.default",
        ((X2, [7, 3]), "even"),
        ((X2[0], [3, 4]), "uneven"),
    ),
    *each(
        "aten.adaptive_max_pool3d.default",
        ((X3, [5, 2, 7]), "even"),
        ((X3, [2, 3, 4]), "uneven"),
    ),
    *each(
        "aten.max_unpool2d.default",
        ((rand(1, 2, 2, 2), PLANES, [3, 4]), "plain"),
        ((rand(2, 2, 2), PLANES[0], [3, 4]), "one sample"),
    ),
    *each(
        "aten.max_unpool3d.default",
        ((rand(1, 2, 1, 2, 2), PLANES[:, :, None], [2, 3, 2], [2, 2, 1], [0, 0, 0]), "plain"),
    ),
    *each(
        "aten.fractional_max_pool2d.default",
        ((X2, [2, 3], [3, 4], rand(2, 3, 2, low=0, high=1)), "plain"),
        ((X2[0], [2, 2], [3, 1], rand(1, 3, 2, low=0, high=1)), "one sample"),
    ),
    *each(
        "aten.fractional_max_pool3d.default",
        ((X3, [2, 2, 3], [3, 2, 2], rand(2, 3, 3, low=0, high=1)), "plain"),
    ),
    *each("aten.max_pool1d_with_indices.default", ((X1, [3], [1], [1], [2]), "dilation")),
    *each(
        "aten.max_pool3d.default",
        ((X3, [2, 2, 2], [3, 3, 2], [0, 0, 1], [1, 1, 2], True), "ceil, dilation"),
    ),
    *each(
        "aten.max_pool3d_with_indices.default",
        ((X3, [2, 2, 2], [3, 3, 2], [0, 0, 1], [1, 1, 2], True), "ceil, dilation"),
    ),
    *each(
        "aten.avg_pool3d.default",
        ((X3, [2, 2, 2], [2, 2, 2], [0, 1, 0], False, False), "without padding"),
    ),
    *each("aten.max_pool1d.default", ((X1, [2], [2], [0], [1], True), "ceil past the end")),
    *each("aten.avg_pool1d.default", ((X1, [2], [2], [0], True), "ceil past the end")),
]
UNEVEN = "bins that overlap have no kernel with positions"
CUBES = {
    "(1, 2, 4, 5, 6)": ([2, 2, 2], [2, 3, 4], [3, 1, 2]),
    "(2, 4, 5, 6)": ([2, 2, 2], [2, 3, 4], [3, 1, 2]),
    "(2, 3, 5, 4, 7)": ([2, 2, 2], [4, 5, 6], [2, 3, 4], [3, 1, 2], [1, 5, 1]),
}
"""Cubes, and the bins of more than one size that they are divided into."""
LIMITS: list[Limit] = [
    *(
        Limit(
            "aten.adaptive_max_pool3d.default",
            device="onnxruntime",
            case=f"-{cube} to {bins}",
            why=UNEVEN,
            raises=NoLowering,
        )
        for cube, many in CUBES.items()
        for bins in many
    ),
    Limit(
        "aten.max_pool2d.default",
        device="onnxruntime",
        case="nan",
        why="its kernel loses a NaN that is not the first element of a window",
    ),
    *(
        Limit(
            f"aten.adaptive_max_pool{n}d.default",
            device="onnxruntime",
            case="uneven",
            raises=NoLowering,
            why=UNEVEN,
        )
        for n in (1, 2, 3)
    ),
]
