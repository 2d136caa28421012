"""TensorFlow's operators that are refused: operands that do not fit, or what is not taken yet."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType, NotConstant, Unsupported
from nnir.types import Precision

from ...case import Case, Const, f, i, rand, scalar

I32 = np.int32
IMAGE, FILTER = rand(2, 4, 5, 3), rand(2, 2, 3, 4)
CONV: dict[str, Any] = {"strides": [1, 1, 1, 1], "padding": "VALID"}
POOL: dict[str, Any] = {"ksize": [1, 2, 2, 1], "strides": [1, 1, 1, 1], "padding": "VALID"}
BOXES = f(0, 0, 1, 1, 0, 0, 0.5, 0.5).reshape(2, 4)
CASES: list[Case] = [
    *(Case(op, given, attrs, raises=BadType, why=why) for op, given, attrs, why in (
        ("AdjustContrastv2", (rand(3, 4), scalar(0.5)), {}, "two axes"),
        ("Conv2D", (rand(4, 5, 3), FILTER), CONV, "three axes"),
        ("ImageProjectiveTransformV2", (rand(4, 5, 3), rand(1, 8), Const(i(2, 2, dtype=I32))),
         {"interpolation": "NEAREST"}, "three axes"),
        ("ImageProjectiveTransformV2", (IMAGE, rand(8), Const(i(2, 2, dtype=I32))),
         {"interpolation": "NEAREST"}, "a transform as a vector"),
        ("Conv2D", (IMAGE, rand(2, 3, 4)), CONV, "a filter of three axes"),
        ("DepthwiseConv2dNative", (IMAGE, rand(2, 3, 4)), CONV, "a filter of three axes"),
        ("Conv2DBackpropInput", (Const(i(2, 4, 5, 5, dtype=I32)), FILTER, rand(2, 3, 4, 4)), CONV,
         "other channels"),
        *((op, given, attrs | {"strides": strides}, f"strides of {strides}")
          for op, given, attrs in (("Conv2D", (IMAGE, FILTER), CONV), ("MaxPool", (IMAGE,), POOL))
          for strides in ([1, 0, 1, 1], [1, 1, -1, 1], [1, 1, 1])),
        *(("Conv2D", (IMAGE, FILTER), CONV | {"dilations": dilations}, f"dilations of {dilations}")
          for dilations in ([1, 0, 1, 1], [1, 1, -2, 1], [1, 1])),
        *(("Conv2D", (IMAGE, FILTER), CONV | {"padding": "EXPLICIT", "explicit_paddings": pads},
           f"paddings of {pads}")
          for pads in ([0, 0, -1, 1, 1, 1, 0, 0], [0, 0, 1, 1, 1, -2, 0, 0], [1, 1], [])),
        ("CTCGreedyDecoder", (rand(3, 4), i(2, dtype=I32)), {}, "two axes"),
        ("CTCGreedyDecoder", (rand(3, 2, 4), scalar(2, I32)), {}, "a number for all"),
        ("LinSpace", (scalar(0), scalar(1), Const(scalar(0, I32))), {}, "no numbers"),
        ("LinSpace", (scalar(0), scalar(1), Const(scalar(-2, I32))), {}, "less than no numbers"),
        ("CropAndResize", (rand(4, 5, 3), BOXES, i(0, 0, dtype=I32), Const(i(2, 2, dtype=I32))),
         {}, "three axes"),
        ("CropAndResize", (IMAGE, BOXES[0], i(0, dtype=I32), Const(i(2, 2, dtype=I32))), {},
         "a box as a vector"),
        ("CropAndResize", (IMAGE, BOXES, i(0, 1, dtype=I32), Const(i(2, dtype=I32))), {},
         "one size"),
        ("CropAndResize", (IMAGE, BOXES, i(0, 1, dtype=I32), Const(i(2, 0, dtype=I32))), {},
         "no columns"),
        ("Cholesky", (f(1, 2),), {}, "a vector"),
        ("DiagPart", (rand(2, 3, 2),), {}, "three axes"),
        ("DiagPart", (scalar(1),), {}, "a number"),
        ("MaxPool", (IMAGE,), POOL | {"ksize": [1, 0, 2, 1]}, "no rows"),
        ("AvgPool", (IMAGE,), POOL | {"ksize": [1, 2, 0, 1]}, "no columns"),
        ("ScaleAndTranslate", (IMAGE, Const(i(2, 2, dtype=I32)), Const(f(1, 1, 1)),
                               Const(f(0, 0))), {}, "three factors"),
        ("FakeQuantWithMinMaxVars", (rand(3), Const(scalar(1)), Const(scalar(1))), {},
         "one number for all"),
        ("CropAndResize", (IMAGE, rand(2, 3), i(0, 0, dtype=I32), Const(i(2, 2, dtype=I32))), {},
         "boxes of three corners"),
        ("QuantizeAndDequantizeV4", (rand(3), scalar(-1), scalar(1)),
         {"num_bits": 1, "narrow_range": True}, "no step"),
        ("Mfcc", (rand(1, 1, 2), Const(scalar(1, I32))), {}, "too few frequencies"),
    )),
    *(Case("Conv2D", (IMAGE, FILTER), CONV | {"padding": "EXPLICIT", "explicit_paddings": pads},
           raises=Unsupported, why=f"paddings of {pads}")
      for pads in ([1, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 1])),
    Case("MirrorPad", (rand(2, 3), i([1, 0], [0, 2], dtype=I32)), {"mode": "SYMMETRIC"},
         raises=NotConstant, why="paddings that are told while running"),
    *(Case(op, given, attrs, raises=Unsupported, why=why) for op, given, attrs, why in (
        ("Range", (scalar(-10, np.float16), scalar(1, np.float16), scalar(1, np.float16)), {},
         "numbers of 16 bits"),
        ("MaxPoolWithArgmax", (IMAGE,), POOL | {"Targmax": Precision.INT16}, "short places"),
        ("ScaleAndTranslate", (IMAGE, Const(i(2, 2, dtype=I32)), f(1, 1), f(0, 0)),
         {"kernel_type": "other"}, "a kernel"),
        ("QuantizeAndDequantizeV2", (rand(3), scalar(-1), scalar(1)), {"round_mode": "DOWN"},
         "rounding down"),
    )),
]  # fmt: skip
