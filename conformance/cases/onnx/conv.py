"""ONNX convolutions."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, NoLowering, NotConstant, Unsupported

from ...case import ROUNDS, Case, Const, Limit, Tolerance, f, i, rand, scalar

HALF = Tolerance(relative=2e-3, absolute=2e-3)
SUMS = Tolerance(relative=1e-5, absolute=1e-5)
X2, W2 = rand(2, 3, 7, 5), rand(4, 3, 3, 2, seed=1)
X4, W4 = rand(2, 4, 6, 5), rand(6, 2, 3, 3, seed=2)
U8, I8 = (
    rand(1, 2, 5, 4, dtype=np.uint8, low=0, high=255),
    rand(3, 2, 3, 2, dtype=np.int8, low=-128, high=127),
)
WU = rand(3, 2, 3, 2, dtype=np.uint8, low=0, high=255)
U8_4, WU_2 = (rand(*s, dtype=np.uint8, low=0, high=255) for s in ((1, 4, 5, 4), (6, 2, 3, 2)))
QUANTISED = (
    *(U8_4, scalar(0.02), scalar(120, np.uint8)),
    *(WU_2, scalar(0.03), scalar(9, np.uint8)),
    *(scalar(7.7), scalar(3, np.uint8)),
)


def deformed(groups: int = 1, size: tuple[int, int] = (4, 3)) -> tuple[np.ndarray, np.ndarray]:
    """Offsets and a mask for kernels of 2 x 2."""
    return rand(1, groups * 8, *size, seed=5, low=-1, high=1), rand(1, groups * 4, *size, seed=6)


CASES = [
    Case("Conv", (X2, W2), tol=SUMS),
    Case(
        "Conv", (X2, Const(W2), Const(f(1, -2, 3, 4))), tol=SUMS, why="constant weights and a bias"
    ),
    Case(
        "Conv",
        (X2, W2),
        {"pads": [1, 2, 0, 1], "strides": [2, 1], "dilations": [2, 3], "kernel_shape": [3, 2]},
        tol=SUMS,
        why="begins before ends",
    ),
    Case(
        "Conv", (X4, W4, f(1, 2, 3, 4, 5, 6)), {"group": 2, "pads": [1] * 4}, tol=SUMS, why="groups"
    ),
    Case("Conv", (X4, rand(8, 1, 3, 3)), {"group": 4}, tol=SUMS, why="depthwise with a multiplier"),
    Case("Conv", (X2, rand(5, 3, 1, 1)), tol=SUMS, why="pointwise"),
    Case(
        "Conv", (X2, rand(5, 3, 1, 1)), {"strides": [2, 2]}, tol=SUMS, why="pointwise with strides"
    ),
    Case("Conv", (X2, rand(5, 3, 1, 1)), {"pads": [1, 0, 0, 1]}, tol=SUMS, why="padded pointwise"),
    Case(
        "Conv",
        (X2, W2),
        {"auto_pad": "SAME_UPPER", "strides": [2, 2]},
        tol=SUMS,
        oracle="onnxruntime",
    ),
    Case(
        "Conv",
        (X2, W2),
        {"auto_pad": "SAME_LOWER", "strides": [2, 2]},
        tol=SUMS,
        oracle="onnxruntime",
    ),
    Case("Conv", (X2, W2), {"auto_pad": "VALID"}, tol=SUMS),
    *(
        Case("Conv", (X2, W2), {"auto_pad": pad} | more, tol=SUMS, is_open=True)
        for pad in ("SAME_LOWER", "SAME_UPPER")
        for more in ({}, {"dilations": [2, 1]})
    ),
    Case("Conv", (X2, W2), {"auto_pad": "SAME_UPPER", "strides": [2, 1]}, tol=SUMS, is_open=True),
    *(
        Case("Conv", (X2, W2), given | {"strides": [2, 1]}, is_open=True, raises=NotConstant)
        for given in (
            {"auto_pad": "SAME_LOWER"},
            {"auto_pad": "SAME_UPPER", "dilations": [2, 1]},
        )
    ),
    Case(
        "Conv",
        (rand(2, 3, 9), rand(4, 3, 4), f(1, 2, 3, 4)),
        {"strides": [2], "pads": [1, 2]},
        tol=SUMS,
        why="1-D",
    ),
    Case(
        "Conv",
        (rand(1, 2, 9), rand(3, 2, 3)),
        {"auto_pad": "SAME_LOWER", "strides": [2]},
        tol=SUMS,
        oracle="onnxruntime",
        why="1-D, same size",
    ),
    Case(
        "Conv",
        (rand(1, 2, 5, 4, 3), rand(3, 2, 2, 3, 2), f(1, 2, 3)),
        {"pads": [0, 1, 1, 1, 0, 0], "strides": [1, 2, 1], "dilations": [2, 1, 1]},
        tol=SUMS,
        why="3-D",
    ),
    Case("Conv", (X2.astype(np.float16), W2.astype(np.float16)), tol=HALF, why="half"),
    Case(
        "Conv",
        (X2.astype(np.float64), W2.astype(np.float64)),
        tol=Tolerance(1e-12, 1e-12),
        why="double",
    ),
    Case(
        "Conv", (np.zeros((0, 3, 5, 4), np.float32), W2), oracle="onnxruntime", why="an empty batch"
    ),
    Case(
        "Conv",
        (f(np.inf, 1, np.nan, 2).reshape(1, 1, 2, 2), np.ones((1, 1, 1, 2), np.float32)),
        why="nan and inf",
    ),
    Case("Conv", (X2, W2), {"pads": [1, 1, 1, 1]}, opset=1, tol=SUMS, why="the oldest opset"),
    Case("Conv", (X2, rand(4, 2, 3, 2)), raises=BadType, why="channels that do not fit"),
    Case("Conv", (X2, W2), {"auto_pad": "SAME"}, raises=Unsupported, why="an unknown auto_pad"),
    Case("Conv", (X2, W2), {"strides": [1]}, raises=BadType, why="too few strides"),
    Case("Conv", (rand(2, 3), W2), raises=Unsupported, why="no spatial axis"),
    Case("ConvTranspose", (X2, rand(3, 4, 3, 2)), tol=SUMS),
    Case(
        "ConvTranspose",
        (X2, rand(3, 4, 3, 2), f(1, 2, 3, 4)),
        {"strides": [3, 2], "pads": [1, 0, 0, 1], "output_padding": [1, 1], "dilations": [1, 2]},
        tol=SUMS,
        oracle="onnxruntime",
        why="all attributes",
    ),
    Case(
        "ConvTranspose",
        (X4, rand(4, 3, 3, 3)),
        {"group": 2},
        tol=SUMS,
        oracle="onnxruntime",
        why="groups",
    ),
    Case(
        "ConvTranspose",
        (X2, rand(3, 4, 3, 2)),
        {"output_shape": [16, 11], "strides": [2, 2]},
        tol=SUMS,
        oracle="onnxruntime",
    ),
    Case(
        "ConvTranspose",
        (X2, rand(3, 4, 4, 3)),
        {"auto_pad": "SAME_UPPER", "strides": [2, 2]},
        tol=SUMS,
        oracle="onnxruntime",
    ),
    Case(
        "ConvTranspose",
        (X2, rand(3, 4, 3, 4)),
        {"auto_pad": "SAME_LOWER", "strides": [2, 2]},
        tol=SUMS,
        oracle="onnxruntime",
    ),
    Case(
        "ConvTranspose", (X2, rand(3, 4, 3, 4)), {"auto_pad": "VALID", "strides": [2, 1]}, tol=SUMS
    ),
    Case("ConvTranspose", (rand(1, 2, 4), rand(2, 3, 3)), {"strides": [2]}, tol=SUMS, why="1-D"),
    Case(
        "ConvTranspose",
        (rand(1, 2, 3, 2, 2), rand(2, 3, 2, 2, 3)),
        {"strides": [2, 1, 2], "pads": [0, 1, 0, 1, 0, 1]},
        tol=SUMS,
        oracle="onnxruntime",
        why="3-D",
    ),
    Case("ConvTranspose", (X2, rand(3, 4, 3, 2)), {"kernel_shape": [3, 2]}, tol=SUMS),
    Case("ConvTranspose", (X2, rand(3, 4, 3, 2)), {"kernel_shape": [2, 3]}, raises=BadType),
    Case("ConvTranspose", (X2, rand(4, 4, 3, 2)), raises=BadType, why="channels that do not fit"),
    Case("ConvTranspose", (X2, rand(3, 4, 3, 2)), {"auto_pad": "FULL"}, raises=Unsupported),
    Case("ConvInteger", (U8, WU)),
    Case(
        "ConvInteger",
        (U8, WU, scalar(7, np.uint8), scalar(9, np.uint8)),
        {"pads": [1, 1, 0, 2]},
        why="zero points",
    ),
    Case(
        "ConvInteger",
        (U8, WU, scalar(7, np.uint8), i(1, 2, 3, dtype=np.uint8)),
        {"strides": [2, 1], "dilations": [2, 1]},
        why="a zero point for each channel",
    ),
    Case("ConvInteger", (U8, I8, scalar(7, np.uint8), scalar(-3, np.int8)), why="signed weights"),
    Case("ConvInteger", (U8, WU), {"auto_pad": "SAME_UPPER"}, oracle="onnxruntime"),
    Case("ConvInteger", (U8, WU), {"strides": [2, 1], "pads": [1] * 4}, why="strides"),
    Case("ConvInteger", (U8_4, WU_2), {"group": 2, "kernel_shape": [3, 2]}),
    Case("ConvInteger", (U8, WU), {"kernel_shape": [2, 3]}, raises=BadType),
    Case("ConvInteger", (X2, W2), raises=BadType, why="floats"),
    *(
        Case("QLinearConv", QUANTISED, attrs)
        for attrs in (
            {"group": 2, "kernel_shape": [3, 2]},
            {"group": 2, "dilations": [2, 3]},
            {"group": 2, "auto_pad": "SAME_LOWER"},
            {"group": 2, "auto_pad": "SAME_UPPER", "dilations": [2, 1]},
        )
    ),
    Case("QLinearConv", QUANTISED, {"kernel_shape": [2, 3]}, raises=BadType),
    Case(
        "QLinearConv",
        (
            U8,
            scalar(0.02),
            scalar(120, np.uint8),
            WU,
            scalar(0.03),
            scalar(9, np.uint8),
            scalar(7.7),
            scalar(3, np.uint8),
        ),
    ),
    Case(
        "QLinearConv",
        (
            U8,
            scalar(0.02),
            scalar(120, np.uint8),
            Const(I8 // 2),  # of 7 bits: a processor without VNNI saturates sums of two products
            Const(f(0.1, 0.2, 0.3)),
            Const(i(0, 0, 0, dtype=np.int8)),
            scalar(3.7),
            scalar(128, np.uint8),
            Const(i(10, -200, 3000, dtype=np.int32)),
        ),
        {"pads": [1, 0, 1, 0], "strides": [1, 2]},
        oracle="onnxruntime",
        why="a scale for each channel and a bias",
    ),
    Case("QLinearConv", (U8,) * 3, raises=BadType, why="too few inputs"),
    Case("DeformConv", (rand(1, 2, 5, 4), rand(3, 2, 2, 2), deformed()[0]), tol=SUMS),
    Case(
        "DeformConv",
        (
            rand(1, 4, 5, 4),
            rand(6, 2, 2, 2),
            deformed(2, (3, 3))[0],
            f(1, 2, 3, 4, 5, 6),
            deformed(2, (3, 3))[1],
        ),
        {"group": 2, "offset_group": 2, "strides": [2, 1], "pads": [1, 0, 0, 0]},
        tol=SUMS,
        why="groups, a mask, strides and pads",
    ),
    Case(
        "DeformConv",
        (rand(1, 2, 5, 4), rand(3, 2, 2, 2), deformed(1, (3, 3))[0]),
        {"dilations": [2, 1], "kernel_shape": [2, 2]},
        tol=SUMS,
    ),
    Case(
        "DeformConv", (rand(1, 2, 5), rand(3, 2, 2), rand(1, 2, 4)), raises=Unsupported, why="1-D"
    ),
    Case(
        "Col2Im",
        (rand(1, 5, 4), Const(i(3, 3)), Const(i(2, 2))),
        raises=BadType,
        why="rows that are no blocks",
    ),
    Case("Col2Im", (rand(1, 12, 4), i(4, 3), i(3, 2)), tol=ROUNDS, why="sizes at run time"),
    Case("Col2Im", (rand(2, 8, 6), Const(i(3, 4)), Const(i(2, 2))), tol=ROUNDS, why="known sizes"),
    Case(
        "Col2Im",
        (rand(1, 8, 4), i(5, 4), i(2, 2)),
        {"dilations": [2, 1], "pads": [1, 0, 0, 1], "strides": [2, 2]},
        tol=ROUNDS,
        oracle="onnxruntime",
    ),
    Case("Col2Im", (rand(1, 8, 8), i(3, 3, 3), i(2, 2, 2)), tol=ROUNDS, why="3-D"),
    Case("Col2Im", (rand(8, 6), i(3, 4), i(2, 2)), raises=BadType, why="rank 2"),
]
NO_DOUBLE = "ONNX Runtime has no convolution in double precision"
LIMITS = [
    Limit("Conv", device="onnxruntime", dtype="float64", raises=NoLowering, why=NO_DOUBLE),
]
