"""TFLite's convolutions."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType, Unsupported

from ...case import ROUNDS, Case, Const, Tolerance, i, rand
from ...tflite_engine import Scaled

IMAGE = rand(2, 7, 8, 4)
FILTER = Const(rand(5, 3, 2, 4, seed=1))
DEPTHWISE = Const(rand(1, 3, 2, 8, seed=2))
BIAS = Const(rand(5, seed=3))
VOLUME = rand(1, 5, 4, 6, 2)
CUBE = Const(rand(2, 3, 2, 2, 3, seed=4))
PLAIN: dict[str, Any] = {"stride_w": 1, "stride_h": 1, "padding": "SAME"}
SOLID: dict[str, Any] = {**PLAIN, "stride_d": 1}
QUANTUM = Tolerance(absolute=1)
"""An operator in integers rounds once more."""


def sizes(*numbers: int) -> Const:
    """Sizes that are known."""
    return Const(i(*numbers, dtype=np.int32))


def integers(*shape: int, seed: int = 0, dtype: Any = np.int8) -> np.ndarray:
    """Quantised numbers."""
    limits = np.iinfo(dtype)
    return rand(*shape, seed=seed, dtype=dtype, low=limits.min + 1, high=limits.max)


SCALES = (0.004, 0.006, 0.003, 0.005, 0.007)
QUANTIZED = Scaled(integers(2, 7, 8, 4), 0.02, -5)
WEIGHTS = Scaled(integers(5, 3, 2, 4, seed=1), SCALES, (0,) * 5, 0, constant=True)
OFFSETS = Scaled(
    rand(5, seed=3, dtype=np.int32, low=-900, high=900),
    tuple(0.02 * s for s in SCALES),
    (0,) * 5,
    0,
    constant=True,
)
RESULT = (Scaled(np.empty(0, np.int8), 0.05, 3),)

CASES = [
    *(
        Case("CONV_2D", (IMAGE, FILTER, BIAS),
             {"padding": p, "stride_w": s, "stride_h": s}, tol=ROUNDS)
        for p in ("SAME", "VALID")
        for s in (1, 2)
    ),
    Case("CONV_2D", (IMAGE, FILTER, None), PLAIN, tol=ROUNDS, why="no bias"),
    Case("CONV_2D", (IMAGE, FILTER, BIAS),
         {**PLAIN, "dilation_w_factor": 2, "dilation_h_factor": 3}, tol=ROUNDS, why="dilations"),
    Case("CONV_2D", (rand(2, 7, 8, 8), FILTER, BIAS), PLAIN, tol=ROUNDS, why="groups",
         raises=BadType),
    *(
        Case("CONV_2D", (IMAGE, FILTER, BIAS), {**PLAIN, "fused_activation_function": a},
             tol=ROUNDS)
        for a in ("RELU", "RELU6", "RELU_N1_TO_1")
    ),
    Case("CONV_2D", (IMAGE, FILTER, BIAS), {**PLAIN, "fused_activation_function": "SIGN_BIT"},
         raises=Unsupported),
    Case("CONV_2D", (QUANTIZED, WEIGHTS, OFFSETS), PLAIN, tol=QUANTUM, why="per channel",
         results=RESULT, opset=3),
    Case("CONV_2D", (QUANTIZED, WEIGHTS, OFFSETS), {**PLAIN, "fused_activation_function": "RELU6"},
         tol=QUANTUM, why="per channel, relu6", results=RESULT, opset=3),
    *(
        Case("DEPTHWISE_CONV_2D", (IMAGE, DEPTHWISE, Const(rand(8))),
             {"padding": p, "stride_w": s, "stride_h": s, "depth_multiplier": 2}, tol=ROUNDS)
        for p in ("SAME", "VALID")
        for s in (1, 2)
    ),
    Case("DEPTHWISE_CONV_2D", (IMAGE, DEPTHWISE, Const(rand(8))),
         {**PLAIN, "depth_multiplier": 2, "dilation_w_factor": 2, "dilation_h_factor": 2,
          "fused_activation_function": "RELU"}, tol=ROUNDS, why="dilations", opset=2),
    Case("TRANSPOSE_CONV", (sizes(2, 14, 16, 5), FILTER, IMAGE),
         {"padding": "SAME", "stride_w": 2, "stride_h": 2}, tol=ROUNDS, results=(np.float32,)),
    Case("TRANSPOSE_CONV", (sizes(2, 15, 9, 5), FILTER, IMAGE, BIAS),
         {"padding": "VALID", "stride_w": 1, "stride_h": 2}, tol=ROUNDS, results=(np.float32,),
         opset=3, why="bias"),
    Case("CONV_3D", (VOLUME, CUBE, Const(rand(3))), SOLID, tol=ROUNDS),
    Case("CONV_3D", (VOLUME, CUBE),
         {"padding": "VALID", "stride_d": 2, "stride_h": 1, "stride_w": 2,
          "fused_activation_function": "RELU"}, tol=ROUNDS, why="strides"),
    Case("CONV_3D_TRANSPOSE", (sizes(1, 10, 8, 12, 2), Const(rand(2, 3, 2, 2, 2)), VOLUME),
         {"padding": "SAME", "stride_d": 2, "stride_h": 2, "stride_w": 2}, tol=ROUNDS,
         results=(np.float32,)),
]
