"""TensorFlow's convolutions."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType, NoLowering, NotConstant, Unsupported

from ...case import ROUNDS, Case, Const, Limit, Tolerance, i, rand

IMAGE = rand(2, 7, 8, 4)
FILTER = rand(3, 2, 4, 5, seed=1)
VOLUME = rand(2, 5, 4, 6, 2)
ONES = {"strides": [1, 1, 1, 1]}
ONES3 = {"strides": [1, 1, 1, 1, 1]}
HALF = Tolerance(relative=4e-3, absolute=4e-3)


def sizes(*numbers: int) -> Const:
    """Sizes that are known."""
    return Const(i(*numbers, dtype=np.int32))


def back(op: str, target: tuple[int, ...], filter: Any, grads: Any, why: str, **attrs: Any) -> Case:
    """A transposed convolution to an image of a size."""
    return Case(op, (sizes(*target), filter, grads), attrs, tol=ROUNDS, why=why)


BACK = "Conv2DBackpropInput"
DEPTH = "DepthwiseConv2dNativeBackpropInput"
BACK3 = "Conv3DBackpropInputV2"
TWO: dict[str, Any] = {"strides": [1, 2, 2, 1]}
WHOLE = rand(3, 3, 2, 4, seed=2)

CASES = [
    *(
        Case("Conv2D", (IMAGE, FILTER), {"strides": [1, s, s, 1], "padding": p}, tol=ROUNDS)
        for p in ("SAME", "VALID")
        for s in (1, 2)
    ),
    Case("Conv2D", (IMAGE, rand(3, 2, 2, 6)), {**ONES, "padding": "SAME"}, tol=ROUNDS,
         why="groups"),
    Case("Conv2D", (IMAGE, FILTER), {**ONES, "padding": "VALID", "dilations": [1, 2, 3, 1]},
         tol=ROUNDS),
    Case("Conv2D", (IMAGE, FILTER), {**ONES, "padding": "SAME", "dilations": [1, 2, 3, 1]},
         tol=ROUNDS),
    Case("Conv2D", (IMAGE, FILTER), {"padding": "EXPLICIT", "strides": [1, 1, 2, 1],
                                     "explicit_paddings": [0, 0, 1, 2, 0, 1, 0, 0]}, tol=ROUNDS),
    Case("Conv2D", (IMAGE, Const(FILTER)), {**ONES, "padding": "SAME"}, why="constant", tol=ROUNDS),
    Case("Conv2D", (rand(0, 7, 8, 4), FILTER), {**ONES, "padding": "SAME"}, why="no images"),
    Case("Conv2D", (IMAGE.astype(np.float64), FILTER.astype(np.float64)),
         {**ONES, "padding": "SAME"}, tol=ROUNDS),
    Case("Conv2D", (IMAGE.astype(np.float16), FILTER.astype(np.float16)),
         {**ONES, "padding": "VALID"}, tol=HALF),
    Case("Conv2D", (IMAGE, rand(3, 2, 3, 6)), {**ONES, "padding": "SAME"}, why="other channels",
         raises=BadType),
    Case("Conv2D", (IMAGE, FILTER), {"strides": [1, 1, 1, 2], "padding": "SAME"},
         why="a stride over channels", raises=Unsupported),
    *(
        Case("DepthwiseConv2dNative", (IMAGE, rand(3, 2, 4, 2)),
             {"strides": [1, s, s, 1], "padding": "SAME"}, tol=ROUNDS)
        for s in (1, 2)
    ),
    *(
        Case("Conv3D", (VOLUME, rand(2, 3, 2, 2, 3)), {"strides": [1, s, s, s, 1], "padding": p},
             tol=ROUNDS)
        for p in ("SAME", "VALID")
        for s in (1, 2)
    ),
    Case("Conv", (IMAGE, FILTER), {**TWO, "padding": "SAME"}, tol=ROUNDS),
    Case("Conv", (VOLUME, rand(2, 3, 2, 2, 3)), {**ONES3, "padding": "VALID"}, tol=ROUNDS),
    Case("Conv", (IMAGE, FILTER), {**TWO, "padding": "SAME", "batch_dims": 2},
         why="two batch axes", raises=Unsupported),
    back(BACK, (2, 7, 8, 2), WHOLE, rand(2, 7, 8, 4), "same", padding="SAME", **ONES),
    back(BACK, (2, 8, 7, 2), WHOLE, rand(2, 4, 4, 4), "strides, same", padding="SAME", **TWO),
    back(BACK, (2, 9, 8, 2), WHOLE, rand(2, 4, 3, 4), "strides, valid", padding="VALID", **TWO),
    back(BACK, (2, 8, 8, 2), rand(1, 1, 2, 4), rand(2, 4, 4, 4), "strides over the filter",
         padding="SAME", **TWO),
    back(BACK, (2, 8, 9, 2), WHOLE, rand(2, 4, 5, 4), "explicit", padding="EXPLICIT",
         explicit_paddings=[0, 0, 1, 1, 2, 1, 0, 0], **TWO),
    back(BACK, (8, 8), WHOLE, rand(2, 4, 4, 4), "two sizes", padding="SAME", **TWO),
    Case(BACK, (sizes(2, 9, 8, 2), WHOLE, rand(2, 4, 4, 4)), {**TWO, "padding": "SAME"},
         why="other sizes", raises=BadType),
    Case(BACK, (i(2, 8, 8, 2, dtype=np.int32), WHOLE, rand(2, 4, 4, 4)),
         {**TWO, "padding": "SAME"}, why="sizes that are not known", raises=NotConstant),
    back(DEPTH, (2, 8, 7, 3), rand(3, 2, 3, 2), rand(2, 4, 4, 6), "strides", padding="SAME", **TWO),
    back(DEPTH, (2, 5, 5, 3), rand(3, 2, 3, 1), rand(2, 3, 4, 3), "valid", padding="VALID", **ONES),
    back(BACK3, (1, 6, 7, 5, 2), rand(2, 3, 2, 2, 3), rand(1, 3, 4, 3, 3), "strides",
         padding="SAME", strides=[1, 2, 2, 2, 1]),
    back(BACK3, (1, 4, 5, 5, 2), rand(2, 3, 2, 2, 3), rand(1, 3, 3, 4, 3), "valid",
         padding="VALID", **ONES3),
    Case("Dilation2D", (IMAGE, rand(3, 2, 4)), {**ONES, "rates": [1, 1, 1, 1], "padding": "SAME"}),
    Case("Dilation2D", (IMAGE, rand(2, 2, 4)), {**TWO, "rates": [1, 2, 2, 1], "padding": "VALID"}),
    Case("Dilation2D", (rand(1, 4, 4, 2, dtype=np.int32), rand(2, 2, 2, dtype=np.int32)),
         {**ONES, "rates": [1, 1, 1, 1], "padding": "SAME"}, why="integers", raises=Unsupported),
    Case("BiasAdd", (IMAGE, rand(4))),
    Case("BiasAdd", (IMAGE, rand(7)), {"data_format": "NCHW"}),
    Case("BiasAdd", (rand(2, 3, dtype=np.int32), rand(3, dtype=np.int32))),
    Case("BiasAddV1", (IMAGE, rand(4))),
    Case("Conv", (IMAGE, FILTER), {**TWO, "padding": "EXPLICIT",
                                   "explicit_paddings": [0, 0, 1, 2, 0, 1, 0, 0]}, tol=ROUNDS),
    Case("Conv", (IMAGE, FILTER), {**ONES, "padding": "SAME", "dilations": [1, 2, 3, 1]},
         tol=ROUNDS),
    Case("DepthwiseConv2dNative", (IMAGE, rand(3, 2, 4, 2)),
         {**ONES, "padding": "EXPLICIT", "explicit_paddings": [0, 0, 1, 2, 0, 1, 0, 0]},
         tol=ROUNDS),
    back(DEPTH, (2, 8, 7, 3), rand(3, 2, 3, 2), rand(2, 4, 4, 6), "explicit", padding="EXPLICIT",
         explicit_paddings=[0, 0, 1, 0, 1, 1, 0, 0], **TWO),
]  # fmt: skip
LIMITS = [
    Limit(
        "Conv2D",
        device="onnxruntime",
        dtype="float64",
        raises=NoLowering,
        why="ONNX Runtime has no convolution of float64",
    )
]
