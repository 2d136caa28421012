"""TFLite's convolutions."""

from __future__ import annotations

import struct
from typing import Any

import ml_dtypes
import numpy as np

from nnir.errors import BadFile, BadType, Unsupported

from ...case import ROUNDS, Case, Const, Tolerance, rand
from ...engines.tflite import Scaled
from .numbers import QUANTUM, integers, q, sizes, stored

IMAGE = rand(2, 7, 8, 4)
FILTER = Const(rand(5, 3, 2, 4, seed=1))
DEPTHWISE = Const(rand(1, 3, 2, 8, seed=2))
BIAS = Const(rand(5, seed=3))
VOLUME = rand(1, 5, 4, 6, 2)
CUBE = Const(rand(2, 3, 1, 2, 3, seed=4))
PLAIN: dict[str, Any] = {"stride_w": 1, "stride_h": 1, "padding": "SAME"}
SOLID: dict[str, Any] = {**PLAIN, "stride_d": 1}
SCALES = (0.004, 0.006, 0.003, 0.005, 0.007)
QUANTIZED = Scaled(integers(2, 7, 8, 4), 0.02, -5)
WEIGHTS = Scaled(integers(5, 3, 2, 4, seed=1), SCALES, (0,) * 5, 0, constant=True)
RESULT = stored(0.05, 3)
FLOAT = (np.float32,)


def bias(count: int, scale: float | tuple[float, ...], dtype: Any = np.int32) -> Scaled:
    """A bias in the scale of the products."""
    many = isinstance(scale, tuple)
    numbers = rand(count, seed=3, dtype=dtype, low=-900, high=900)
    return Scaled(numbers, scale, (0,) * count if many else 0, constant=True)


def structure(*numbers: int) -> dict[str, Any]:
    """The options of an operator of MediaPipe: numbers of 32 bits."""
    return {"custom_options": tuple(struct.pack(f"<{len(numbers)}i", *numbers))}


SAME, VALID = 1, 2
"""The borders in such options."""

OFFSETS = bias(5, tuple(0.02 * s for s in SCALES))
BYTES = q(5, 3, 2, 4, dtype=np.uint8, seed=1, scale=0.004, zero=140, constant=True)
BYTES_BIAS = bias(5, 0.02 * 0.004)
WIDE_BIAS = bias(5, tuple(0.0001 * s for s in SCALES), np.int64)
NIBBLES = Scaled(
    rand(5, 3, 2, 4, seed=1, dtype=np.int8, low=-8, high=7).astype(ml_dtypes.int4),
    tuple(10 * s for s in SCALES),
    (0,) * 5,
    constant=True,
)
NIBBLES_BIAS = bias(5, tuple(0.2 * s for s in SCALES))
THIN_SCALES = tuple(0.003 + 0.001 * k for k in range(8))
THIN = Scaled(integers(1, 3, 2, 8, seed=1), THIN_SCALES, (0,) * 8, 3, constant=True)
THIN_BIAS = bias(8, tuple(0.02 * s for s in THIN_SCALES))

SUMS = Tolerance(relative=1e-5, absolute=4e-6)
"""Sums of 36 products that cancel: kernels add them in another order, XNNPACK with fewer steps."""

CASES = [
    *(
        Case("CONV_2D", (IMAGE, FILTER, BIAS),
             {"padding": p, "stride_w": s, "stride_h": s}, tol=SUMS)
        for p in ("SAME", "VALID")
        for s in (1, 2)
    ),
    Case("CONV_2D", (IMAGE, Const(rand(6, 3, 2, 2)), Const(rand(6))), PLAIN, tol=ROUNDS,
         why="two groups"),
    Case("CONV_2D", (IMAGE, rand(5, 3, 2, 4), rand(5)), PLAIN, tol=ROUNDS,
         why="filter and bias at run time"),
    *(Case(op, operands, attrs, raises=BadType, results=results, why=f"{why}")
      for op, attrs, results, both in (
          ("CONV_2D", PLAIN, (), ((IMAGE[0], FILTER), (IMAGE, Const(rand(5, 3, 4))))),
          ("DEPTHWISE_CONV_2D", {**PLAIN, "depth_multiplier": 2}, (),
           ((IMAGE[0], DEPTHWISE), (IMAGE, Const(rand(1, 3, 8))),
            (IMAGE, Const(rand(2, 3, 2, 4))))),
          ("TRANSPOSE_CONV", PLAIN, FLOAT,
           ((sizes(2, 7, 8, 5), FILTER, IMAGE[0]),
            (sizes(2, 7, 8, 5), Const(rand(5, 3, 4)), IMAGE))),
          ("CONV_3D", SOLID, (), ((VOLUME[0], CUBE), (VOLUME, Const(rand(2, 3, 2, 3))))),
          ("CONV_3D_TRANSPOSE", SOLID, FLOAT,
           ((sizes(1, 5, 4, 6, 2), Const(rand(2, 3, 2, 2, 2)), VOLUME[0]),
            (sizes(1, 5, 4, 6, 2), Const(rand(2, 3, 2, 2)), VOLUME))),
      )
      for why, operands in zip(("an axis less", "a filter with an axis less", "two filters"), both,
                               strict=False)),
    Case("CONV_2D", (IMAGE, FILTER, BIAS),
         {**PLAIN, "dilation_w_factor": 2, "dilation_h_factor": 3}, tol=ROUNDS, why="dilations"),
    Case("CONV_2D", (rand(2, 7, 8, 6), FILTER, BIAS), PLAIN, why="channels that are no groups",
         raises=BadType),
    *(
        Case("CONV_2D", (IMAGE, FILTER, BIAS), {**PLAIN, "fused_activation_function": a},
             tol=SUMS)
        for a in ("RELU", "RELU6", "RELU_N1_TO_1")
    ),
    Case("CONV_2D", (IMAGE, FILTER, BIAS), {**PLAIN, "fused_activation_function": "SIGN_BIT"},
         raises=Unsupported),
    Case("CONV_2D", (QUANTIZED, WEIGHTS, OFFSETS), PLAIN, tol=QUANTUM, why="per channel",
         results=RESULT, opset=3),
    Case("CONV_2D", (QUANTIZED, WEIGHTS, OFFSETS), {**PLAIN, "fused_activation_function": "RELU6"},
         tol=QUANTUM, why="per channel, relu6", results=RESULT, opset=3),
    Case("CONV_2D", (QUANTIZED, WEIGHTS, bias(5, tuple(0.03 * s for s in SCALES[::-1]))), PLAIN,
         tol=QUANTUM, why="a bias of other scales, which count for nothing", results=RESULT,
         opset=3),
    Case("CONV_2D", (QUANTIZED, WEIGHTS, bias(5, 0.0001)), PLAIN, tol=QUANTUM, results=RESULT,
         why="a bias of one other scale", opset=3),
    *(
        Case("CONV_2D", (QUANTIZED, WEIGHTS, OFFSETS),
             {"padding": "VALID", "stride_w": 1, "stride_h": 2, "fused_activation_function": a},
             tol=QUANTUM, why=f"per channel, {a}", results=RESULT, opset=3)
        for a in ("RELU", "RELU_N1_TO_1")
    ),
    Case("CONV_2D", (q(2, 7, 8, 4, dtype=np.uint8), BYTES, BYTES_BIAS), PLAIN, tol=QUANTUM,
         why="uint8", results=stored(0.05, 120, np.uint8)),
    Case("CONV_2D", (q(2, 7, 8, 4, dtype=np.int16), WEIGHTS, WIDE_BIAS), PLAIN, tol=QUANTUM,
         why="int16", results=stored(0.0005, 0, np.int16), opset=4),
    Case("CONV_2D", (QUANTIZED, NIBBLES, NIBBLES_BIAS), PLAIN, tol=QUANTUM, why="int4 weights",
         results=RESULT, opset=7),
    Case("CONV_2D", (IMAGE, WEIGHTS, BIAS), PLAIN, tol=Tolerance(absolute=0.1), results=FLOAT,
         why="int8 weights: LiteRT quantises the image too", opset=5),
    Case("DEPTHWISE_CONV_2D", (QUANTIZED, THIN, THIN_BIAS), {**PLAIN, "depth_multiplier": 2},
         tol=QUANTUM, why="per channel", results=RESULT, opset=3),
    Case("DEPTHWISE_CONV_2D", (QUANTIZED, THIN, bias(8, tuple(0.03 * s for s in THIN_SCALES))),
         {**PLAIN, "depth_multiplier": 2}, tol=QUANTUM, why="a bias of other scales",
         results=RESULT, opset=3),
    Case("DEPTHWISE_CONV_2D", (QUANTIZED, THIN, THIN_BIAS),
         {"padding": "VALID", "stride_w": 2, "stride_h": 2, "depth_multiplier": 2,
          "fused_activation_function": "RELU6"},
         tol=QUANTUM, why="per channel, relu6", results=RESULT, opset=3),
    Case("DEPTHWISE_CONV_2D", (q(2, 7, 8, 4, dtype=np.uint8), q(1, 3, 2, 4, dtype=np.uint8, seed=1,
                               scale=0.004, constant=True), bias(4, 0.02 * 0.004)),
         {**PLAIN, "depth_multiplier": 1}, tol=QUANTUM, why="uint8",
         results=stored(0.02, 120, np.uint8)),
    Case("DEPTHWISE_CONV_2D", (q(2, 7, 8, 4, dtype=np.int16), THIN,
                               bias(8, tuple(0.0001 * s for s in THIN_SCALES), np.int64)),
         {**PLAIN, "depth_multiplier": 2}, tol=QUANTUM, why="int16", opset=5,
         results=stored(0.0005, 0, np.int16)),
    Case("DEPTHWISE_CONV_2D", (IMAGE, THIN, Const(rand(8))), {**PLAIN, "depth_multiplier": 2},
         tol=Tolerance(absolute=0.1), results=FLOAT, opset=6,
         why="int8 weights: LiteRT quantises the image too"),
    Case("TRANSPOSE_CONV", (sizes(2, 14, 16, 5), WEIGHTS, q(2, 7, 8, 4, dtype=np.int16)),
         {"padding": "SAME", "stride_w": 2, "stride_h": 2}, tol=QUANTUM, opset=2, why="int16",
         results=stored(0.0005, 0, np.int16)),
    Case("TRANSPOSE_CONV", (sizes(2, 14, 16, 5), BYTES, q(2, 7, 8, 4, dtype=np.uint8)),
         {"padding": "SAME", "stride_w": 2, "stride_h": 2}, tol=QUANTUM, why="uint8",
         results=stored(0.05, 120, np.uint8)),
    Case("TRANSPOSE_CONV", (sizes(2, 14, 16, 5), WEIGHTS, QUANTIZED),
         {"padding": "SAME", "stride_w": 2, "stride_h": 2}, tol=QUANTUM, results=RESULT, opset=2,
         why="per channel"),
    Case("TRANSPOSE_CONV", (sizes(2, 14, 16, 5), WEIGHTS, QUANTIZED, OFFSETS),
         {"padding": "SAME", "stride_w": 2, "stride_h": 2}, tol=QUANTUM, results=RESULT, opset=3,
         why="per channel with a bias"),
    Case("TRANSPOSE_CONV",
         (sizes(2, 14, 16, 5), WEIGHTS, QUANTIZED, bias(5, tuple(0.03 * s for s in SCALES))),
         {"padding": "SAME", "stride_w": 2, "stride_h": 2}, tol=QUANTUM, results=RESULT, opset=3,
         why="a bias of other scales"),
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
    Case("CONV_3D", (VOLUME[:, :1], CUBE), {**SOLID, "fused_activation_function": "RELU"},
         tol=ROUNDS, why="a kernel deeper than the volume"),
    Case("CONV_3D", (VOLUME, CUBE),
         {"padding": "VALID", "stride_d": 2, "stride_h": 1, "stride_w": 2,
          "fused_activation_function": "RELU"}, tol=ROUNDS, why="strides"),
    Case("CONV_3D_TRANSPOSE", (sizes(1, 10, 8, 12, 2), Const(rand(2, 3, 2, 2, 2)), VOLUME),
         {"padding": "SAME", "stride_d": 2, "stride_h": 2, "stride_w": 2}, tol=ROUNDS,
         results=(np.float32,)),
    Case("CONV_3D_TRANSPOSE", (sizes(1, 10, 9, 12, 2), Const(rand(2, 3, 2, 2, 2)), VOLUME),
         {"padding": "VALID", "stride_d": 2, "stride_h": 2, "stride_w": 2}, tol=ROUNDS,
         results=FLOAT, why="no padding"),
    *(Case("TRANSPOSE_CONV", (sizes(2, 14, 16, 5), FILTER, IMAGE, BIAS),
           {"padding": "SAME", "stride_w": 2, "stride_h": 2, "fused_activation_function": a},
           tol=ROUNDS, results=FLOAT, opset=4) for a in ("RELU", "RELU6")),
    *(Case("CONV_3D", (VOLUME, CUBE, Const(rand(3))), {**SOLID, f"dilation_{a}_factor": 2},
           tol=ROUNDS, why=f"dilation {a}") for a in "dhw"),
    Case("CONV_3D_TRANSPOSE", (sizes(1, 10, 8, 12, 2), Const(rand(2, 3, 2, 2, 2)), VOLUME,
                               Const(rand(2))),
         {"padding": "SAME", "stride_d": 2, "stride_h": 2, "stride_w": 2,
          "fused_activation_function": "RELU"}, tol=ROUNDS, results=FLOAT, why="bias, relu"),
    *(Case("CONV_3D_TRANSPOSE", (sizes(1, 5, 4, 6, 2), Const(rand(2, 3, 2, 2, 2)), VOLUME),
           {**SOLID, f"dilation_{a}_factor": 2}, tol=ROUNDS, results=FLOAT, why=f"dilation {a}")
      for a in "dhw"),
    *(Case("Convolution2DTransposeBias",
           (rand(1, *image, 4), Const(rand(5, *window, 4, seed=1)), BIAS),
           structure(padding, steps[1], steps[0]), tol=ROUNDS,
           results=(np.empty((1, *result, 5), np.float32),),
           why=f"{image}, windows of {window}, steps {steps}, to {result}")
      for image, window, steps, padding, result in (
          ((4, 6), (2, 2), (2, 2), SAME, (8, 12)),
          ((4, 7), (2, 2), (2, 2), VALID, (8, 14)),
          ((4, 6), (3, 3), (2, 2), SAME, (8, 12)),
          ((4, 6), (3, 3), (2, 2), VALID, (9, 13)),
          ((4, 6), (4, 3), (2, 3), SAME, (8, 18)),
          ((3, 5), (3, 2), (1, 1), SAME, (3, 5)),
          ((3, 5), (3, 2), (1, 1), VALID, (5, 6)),
      )),
    Case("Convolution2DTransposeBias", (IMAGE, FILTER, BIAS), structure(SAME, 1), raises=BadFile,
         why="options without the second step"),
    Case("Convolution2DTransposeBias", (IMAGE, FILTER, BIAS), structure(0, 1, 1), raises=BadFile,
         why="no kind of border"),
    Case("Convolution2DTransposeBias", (IMAGE, FILTER, BIAS), structure(SAME, 0, 1), raises=BadType,
         why="no step"),
]  # fmt: skip
