"""ATen convolutions."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from nnir.errors import BadType, NoLowering, Unsupported

from ...case import Case, Const, Limit, Tolerance, rand

SUMS = Tolerance(relative=1e-5, absolute=3e-5)
HALF = Tolerance(relative=2e-3, absolute=8e-3)
BRAIN = Tolerance(relative=1.6e-2, absolute=6e-2)
X1, X2, X3 = rand(2, 4, 7), rand(2, 4, 7, 5), rand(2, 4, 5, 4, 3)
W1, W2, W3 = rand(6, 4, 3), rand(6, 4, 3, 2), rand(6, 4, 2, 3, 1)
T1, T2, T3 = rand(4, 3, 3), rand(4, 3, 3, 2), rand(4, 3, 2, 3, 1)
BIAS, SHORT = rand(6), rand(3)


def each(op: str, *rows: tuple, tol: Tolerance = SUMS) -> list[Case]:  # type: ignore[type-arg]
    """Cases of one operator: inputs and why."""
    return [Case(op, inputs, tol=tol, why=why) for inputs, why in rows]


def whole(x: np.ndarray) -> np.ndarray:
    """Complex numbers of real ones."""
    return (x + 1j * x[::-1]).astype(np.complex64)


CASES: list[Case] = [
    *each(
        "aten.conv1d.default",
        ((whole(X1), whole(W1)), "complex"),
        ((whole(X1), Const(whole(W1)), Const(whole(BIAS)), [2], [1]), "complex, with a bias"),
    ),
    *each(
        "aten.conv_transpose2d.input",
        ((whole(X2), whole(T2), whole(SHORT), [2], [1]), "complex"),
    ),
    *each(
        "aten.conv1d.default",
        ((X1, W1), "plain"),
        ((X1, Const(W1), Const(BIAS), [2], [1], [2]), "everything"),
        ((X1, rand(4, 1, 3), None, [1], [0], [1], 4), "depthwise"),
        ((X1[0], W1, BIAS), "one sample"),
        ((rand(0, 4, 7), W1, BIAS), "no samples"),
    ),
    *each(
        "aten.conv1d.padding",
        ((X1, W1, BIAS, [1], "same"), "same"),
        ((X1, rand(6, 4, 4), BIAS, [1], "same"), "an odd total"),
        ((X1, W1, BIAS, [2], "valid"), "valid"),
    ),
    *each(
        "aten.conv2d.default",
        ((X2, W2), "plain"),
        ((X2, rand(6, 4, 3, 3)), "a square filter"),
        ((X2, Const(W2), Const(BIAS)), "weights"),
        ((X2, W2, BIAS, [2, 1], [1, 2], [2, 1]), "everything"),
        ((X2, rand(6, 2, 3, 2), BIAS, [1, 1], [0, 0], [1, 1], 2), "groups"),
        ((X2[0], W2, BIAS), "one sample"),
        ((rand(0, 4, 7, 5), W2, BIAS), "no samples"),
        ((X2, rand(6, 4, 1, 1), BIAS), "a pointwise filter"),
        ((rand(0, 4, 7, 5), rand(6, 4, 1, 1), BIAS), "pointwise, no samples"),
        ((X2, W2, BIAS, [2], [1], [1]), "one number for both axes"),
    ),
    *each(
        "aten.conv2d.default", ((X2.astype(np.float16), W2.astype(np.float16)), "half"), tol=HALF
    ),
    *each(
        "aten.conv2d.default",
        ((X2.astype(ml_dtypes.bfloat16), W2.astype(ml_dtypes.bfloat16)), "bfloat16"),
        tol=BRAIN,
    ),
    *each("aten.conv2d.default", ((X2.astype(np.float64), W2.astype(np.float64)), "double")),
    Case("aten.conv2d.default", (X2, rand(6, 3, 3, 2)), raises=BadType, why="other channels"),
    Case("aten.conv2d.default", (X2, W2, None, [1, 1], [-1, 0]), raises=BadType, why="pad < 0"),
    *each(
        "aten.conv2d.padding",
        ((X2, W2, None, [1, 1], "same", [2, 1]), "same"),
        ((X2, W2, None, [2, 2], "valid"), "valid"),
    ),
    Case("aten.conv2d.padding", (X2, W2, None, [1, 1], "full"), raises=Unsupported, why="full"),
    Case("aten.conv2d.padding", (X2, W2, None, [2, 2], "same"), raises=BadType, why="strides"),
    *each(
        "aten.conv3d.default",
        ((X3, W3), "plain"),
        ((X3, W3, BIAS, [2, 1, 1], [1, 1, 0], [1, 1, 2]), "everything"),
        ((X3[0], W3, BIAS), "one sample"),
    ),
    *each("aten.conv3d.padding", ((X3, W3, BIAS, [1, 1, 1], "same"), "same")),
    *each(
        "aten.conv_transpose1d.default",
        ((X1, T1), "plain"),
        ((X1, T1, SHORT, [2], [1], [1], 1, [2]), "everything"),
        ((X1[0], T1, SHORT), "one sample"),
    ),
    *each(
        "aten.conv_transpose2d.input",
        ((X2, T2), "plain"),
        ((X2, Const(T2), Const(SHORT), [2, 1], [1, 0], [1, 0]), "weights"),
        ((X2, rand(4, 3, 3, 2), rand(6), [2, 2], [1, 1], [1, 1], 2), "groups"),
        ((X2, T2, SHORT, [1, 2], [0, 1], [0, 1], 1, [2, 1]), "dilation"),
        ((rand(0, 4, 7, 5), T2, SHORT), "no samples"),
    ),
    *each(
        "aten.conv_transpose2d.input",
        ((X2.astype(np.float16), T2.astype(np.float16)), "half"),
        tol=HALF,
    ),
    *each("aten.conv_transpose3d.input", ((X3, T3, SHORT, [2, 1, 1], [1, 0, 0]), "")),
    *each(
        "aten.convolution.default",
        ((X2, W2, BIAS, [2, 2], [1, 1], [1, 1], False, [0, 0], 1), "plain"),
        ((X2, T2, SHORT, [2, 2], [1, 1], [1, 1], True, [1, 1], 1), "transposed"),
        ((X1, W1, None, [2], [1], [1], False, [0], 1), "one axis"),
        ((X3, W3, None, [1, 1, 1], [1, 1, 1], [1, 1, 1], False, [0, 0, 0], 1), "three axes"),
        ((X1, T1, SHORT, [2], [1], [1], True, [1], 1), "one axis, transposed"),
    ),
    *each(
        "aten._convolution.default",
        (
            (X2, W2, BIAS, [1, 1], [1, 1], [1, 1], False, [0, 0], 1, False, False, True, True),
            "plain",
        ),
    ),
    *each(
        "aten._convolution.deprecated",
        ((X2, W2, BIAS, [1, 1], [1, 1], [1, 1], False, [0, 0], 1, False, False, True), "plain"),
    ),
    *each(
        "aten._convolution_mode.default",
        ((X2, W2, BIAS, [1, 1], "same", [1, 1], 1), "same"),
        ((X2, W2, BIAS, [2, 1], "valid", [1, 1], 1), "valid"),
        ((X3, W3, None, [1, 2, 1], "valid", [1, 1, 1], 1), "valid volumes"),
    ),
    *each("aten.conv_tbc.default", ((rand(7, 2, 4), rand(3, 4, 5), rand(5), 1), "plain")),
    *each("aten._slow_conv2d_forward.default", ((X2, W2, [3, 2], BIAS, [1, 1], [1, 1]), "plain")),
    *each(
        "aten.conv1d.padding",
        ((X1, rand(6, 2, 3), BIAS, [1], "same", [2], 2), "groups, dilation"),
    ),
    *each(
        "aten.conv2d.padding",
        ((X2, rand(6, 2, 3, 2), BIAS, [1, 1], "same", [1, 1], 2), "groups and a bias"),
    ),
    *each(
        "aten.conv3d.default",
        ((X3, rand(6, 2, 2, 3, 1), None, [1, 1, 1], [0, 0, 0], [1, 1, 1], 2), "groups"),
    ),
    *each(
        "aten.conv3d.default",
        ((X3, W3, None, [1, 1, 1], [0, 0, 0], [2, 1, 2]), "dilation"),
    ),
    *each(
        "aten.conv3d.padding",
        ((X3, rand(6, 2, 2, 3, 1), None, [2, 1, 1], "valid", [2, 1, 1], 2), "valid, groups"),
    ),
    *each(
        "aten.conv_transpose1d.default",
        ((X1, T1, BIAS, [1], [0], [0], 2), "groups"),
    ),
    *each(
        "aten.conv_transpose3d.input",
        ((X3, T3, BIAS, [2, 1, 1], [1, 0, 0], [1, 0, 0], 2, [1, 2, 1]), "everything"),
    ),
]
LIMITS: list[Limit] = [
    Limit(
        "aten.conv2d.default",
        device="onnxruntime",
        dtype="float64",
        raises=NoLowering,
        why="no kernel for float64",
    ),
]
