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
DILATED: dict[str, Any] = CONV | {"rates": [1, 1, 1, 1]}
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
    *(Case(op, given, attrs, raises=error, why=why) for op, given, attrs, error, why in (
        ("Dilation2D", (IMAGE, rand(0, 2, 3)), DILATED, BadType, "a filter of no rows"),
        ("Dilation2D", (IMAGE, rand(2, 0, 3)), DILATED, BadType, "a filter of no columns"),
        ("AddN", ([],), {}, BadType, "nothing"),
        ("RaggedGather", ([i(0, 2, 3)], rand(3), i(1)), {"OUTPUT_RAGGED_RANK": 2}, BadType,
         "a level too many"),
        ("RaggedTensorToTensor", (Const(i(2, 2)), rand(3), scalar(0), [scalar(2, np.int64)]),
         {"row_partition_types": ["FIRST_DIM_SIZE"]}, BadType, "no levels"),
        ("RaggedTensorToTensor", (Const(i(2, 2)), rand(3), scalar(0), [i(0, 2, 3)]),
         {"row_partition_types": ["ROW_LENGTHS"]}, Unsupported, "another partition"),
        ("RaggedRange", (rand(2, 2), rand(2, 2), rand(2, 2)), {}, BadType, "starts in rows"),
        *(("GRUBlockCell", (rand(2, 3), rand(2, 4), rand(7, n), rand(7, 4), rand(n), rand(4)), {},
           BadType, f"gates of {n} columns") for n in (7, 9)),
        *(("LSTMBlockCell", (rand(2, 3), rand(2, 4), rand(2, 4), rand(7, n),
                             *[rand(4)] * 3, rand(n)), {}, BadType, f"gates of {n} columns")
          for n in (14, 17)),
        ("ScaleAndTranslate", (IMAGE, Const(i(2, 2, dtype=I32)), Const(f(1, 1)), Const(f(0, 0))),
         {"kernel_type": "other"}, Unsupported, "another kernel"),
        *(("ResizeBilinear", (x, Const(i(*to, dtype=I32).reshape(shape))), {}, BadType,
           f"{list(x.shape)} to {list(shape)}")
          for x, to, shape in ((IMAGE[0], (2, 2), (2,)), (IMAGE, (2, 2), (1, 2)))),
        *((op, (IMAGE, Const(i(2, 2, dtype=I32))),
           {"align_corners": True, "half_pixel_centers": True}, BadType, "both rules")
          for op in ("ResizeBilinear", "ResizeNearestNeighbor", "ResizeBicubic")),
        ("EnsureShape", (rand(2, 3),), {"shape": 3}, BadType, "a number as a shape"),
        *(("EnsureShape", (rand(2, 3),), {"shape": shape}, BadType, f"not {shape}")
          for shape in ([2, 4], [3, 3], [2], [2, 3, 1], [-1, -1, -1])),
        *(("IRFFT", (rand(3, 4).astype(kind), Const(i(6, dtype=I32))), {"Treal": real}, BadType,
           f"{np.dtype(kind).name} to {real.name}")
          for kind, real in (("c8", Precision.FLOAT64), ("c16", Precision.FLOAT32))),
        ("TensorStridedSliceUpdate", (rand(3, 4), i(0, dtype=I32), i(2, dtype=I32),
                                      Const(i(1, dtype=I32)), rand(1, 4)), {}, NotConstant,
         "bounds that are told while running, of rows that are repeated"),
        *(("StridedSlice", (rand(3, 4), *(Const(i(*v, dtype=I32)) for v in bounds)),
           {"ellipsis_mask": mask}, BadType, f"ellipses {mask}")
          for bounds, mask in ((((0, 0), (1, 1), (1, 1)), 3), (((0,) * 3, (1,) * 3, (1,) * 3), 5),
                               (((0,) * 4, (1,) * 4, (1,) * 4), 1))),
        ("StridedSlice", (rand(3, 4), *(Const(i(*v, dtype=I32)) for v in ((0,) * 3, (1,) * 3,
                                                                         (1,) * 3))), {}, BadType,
         "three axes of two"),
        *(("Slice", (rand(3, 4), Const(i(*a, dtype=I32)), Const(i(*n, dtype=I32))), {}, BadType,
           f"{n} from {a}")
          for a, n in (((0,), (2,)), ((0, 0), (2,)), ((0,), (2, 2)), ((0, 0, 0), (1, 1, 1)),
                       ((-1, 0), (2, 2)), ((2, 0), (2, 2)), ((0, 3), (3, 2)), ((1, 0), (3, 4)))),
        *(("MirrorPad", (rand(2, 3), Const(i(*rows, dtype=I32).reshape(-1, 2))),
           {"mode": "SYMMETRIC"}, BadType, f"around by {rows}")
          for rows in (((3, 0), (0, 0)), ((0, 3), (0, 0)), ((0, 0), (4, 0)), ((0, 0), (0, 4)))),
        *((op, (rand(2, 3), Const(i(1, 1, 0, 2, dtype=I32)), *rest), attrs, BadType,
           "paddings in a vector")
          for op, rest, attrs in (("Pad", (), {}), ("PadV2", (scalar(1),), {}),
                                  ("MirrorPad", (), {"mode": "REFLECT"}))),
        ("MirrorPad", (rand(2, 3), Const(i([1, 1], [0, 1], dtype=I32))), {"mode": "EDGE"},
         Unsupported, "another mode"),
        ("BatchToSpaceND", (rand(7, 2, 3, 2), Const(i(2, 2, dtype=I32)),
                            Const(np.zeros((2, 2), I32))), {}, BadType, "a batch of 7"),
        *((op, (rand(3, 4, 8),), {"block_size": 2}, BadType, "three axes")
          for op in ("SpaceToDepth", "DepthToSpace")),
        *((op, (IMAGE,), POOL | {"padding": "OTHER"}, Unsupported, "another padding")
          for op in ("MaxPool", "AvgPool")),
        ("UniqueV2", (rand(2, 3), Const(i(0, 1))), {}, BadType, "two axes"),
        ("UniqueV2", (rand(2, 3), Const(i())), {}, BadType, "a matrix, no axis"),
        ("Unique", (rand(2, 3),), {}, BadType, "a matrix"),
        *(("NonMaxSuppression", (boxes, scores, Const(scalar(2, I32))), {}, BadType, why)
          for boxes, scores, why in ((rand(1, 3, 4), rand(3), "boxes of a batch"),
                                     (rand(3, 4), rand(1, 3), "scores in rows"))),
        ("SparseTensorDenseMatMul", (i([0, 1], [1, 0]), f(1, 2).astype(np.complex64),
                                     Const(i(2, 2)), rand(2, 2).astype(np.complex64)),
         {"adjoint_a": True}, BadType, "complex numbers, turned"),
        ("SparseDenseCwiseAdd", (i([0, 1], [1, 0]), f(1, 2), Const(i(2, 2)), rand(1, 2, 2)), {},
         BadType, "more axes"),
        ("LookupTableFindV2", (i(3), i(3), scalar(1, np.int64)), {}, Unsupported, "no table"),
        ("ImageProjectiveTransformV2", (IMAGE, rand(1, 8), i(2, 2, dtype=I32)),
         {"interpolation": "NEAREST"}, NotConstant, "sizes that are told while running"),
    )),
]  # fmt: skip
