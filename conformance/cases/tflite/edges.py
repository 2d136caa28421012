"""Where TFLite's operators turn: lists that do not fit, axes of size one."""

from __future__ import annotations

from typing import Any

from nnir.errors import BadFile, BadType

from ...case import ROUNDS, Case, Const, i, rand
from .detection import ANCHORS, CHANCES, FOUR, OP, SHIFTS
from .numbers import sizes
from .recurrent import BASIC, BASIC_RESULTS, STEP
from .stablehlo import BLOCKS, TAKE, WINDOW, ZERO, X, body, shaped

ADD = {"body_subgraph_index": body("STABLEHLO_ADD")}
POOL: dict[str, Any] = {"padding": "VALID", "stride_h": 1, "stride_w": 1}
CASES = [
    *(Case("STABLEHLO_GATHER", (X, places), given, results=shaped(2, 4, 5), raises=BadType, why=why)
      for places, given, why in (
          (i(2, 0), {**BLOCKS, "offset_dims": (1, 2), "index_vector_dim": 1}, "numbers for pairs"),
          (i([2], [0]), {**TAKE, "index_vector_dim": -1}, "a vector before the first axis"),
          (i([2], [0]), {**TAKE, "index_vector_dim": 4}, "a vector behind the last axis"),
          (i([2], [0]), {**TAKE, "offset_dims": (1, 7)}, "slices behind all axes"))),
    *(Case("STABLEHLO_PAD", (rand(3, 4), ZERO),
           {"edge_padding_low": low, "edge_padding_high": high, "interior_padding": inside},
           raises=BadType, why=f"{low}, {high}, {inside}")
      for low, high, inside in (((1,), (0, 0), (0, 0)), ((0, 0), (0,), (0, 0)),
                                ((0, 0), (0, 0), (0,)), ((0, 0), (0, 0), (0, -1)))),
    *(Case("STABLEHLO_REDUCE_WINDOW", (rand(4, 7), ZERO),
           {"window_dimensions": window, "window_strides": steps, **ADD}, tol=ROUNDS,
           why=f"windows of {window} by {steps}")
      for window, steps in (((1, 3), (1, 2)), ((1, 1), (2, 1)), ((4, 7), (1, 1)), ((1, 5), (1, 1)),
                            ((2, 4), (1, 1)))),
    Case("STABLEHLO_REDUCE_WINDOW", (rand(4, 7), ZERO), {**WINDOW, **ADD, "padding": (1, 0, 0)},
         raises=BadType, why="three paddings of two axes"),
    *(Case("DYNAMIC_UPDATE_SLICE", (X, rand(*shape), i(0, 0, 0)), raises=BadType, why=why)
      for shape, why in (((4, 5), "an axis less"), ((1, 3, 4, 5), "an axis more"),
                         ((3, 5, 5), "a longer axis"))),
    *(Case("DILATE", (rand(2, 3), sizes(*by), ZERO), raises=BadType, why=f"by {by}")
      for by in ((2,), (2, 1, 1))),
    *(Case("PRELU", (rand(*x), rand(*a, seed=1)), why=f"slopes {a} of {x}")
      for x, a in (((4,), (4,)), ((3, 4), (4,)), ((3, 4), (1, 4)), ((3, 4), (3, 1)))),
    *(Case("AVERAGE_POOL_2D", (rand(1, 4, 4, 2),),
           {**POOL, "filter_height": h, "filter_width": w}, tol=ROUNDS,
           why=f"windows of {h} by {w}")
      for h, w in ((1, 1), (4, 1), (1, 4))),
    *(Case("AVERAGE_POOL_2D", (rand(1, 4, 4, 2),),
           {**POOL, "filter_height": h, "filter_width": w}, raises=BadType, why=f"{h} by {w}")
      for h, w in ((0, 1), (1, 0))),
    *(Case("FULLY_CONNECTED", (rand(*x), Const(rand(5, 4)), None), tol=ROUNDS, why=f"rows of {x}")
      for x in ((3, 8), (8, 2), (4,), (2, 2))),
    *(Case("LSTM", BASIC, {**STEP, "kernel_type": "BASIC", "fused_activation_function": a},
           raises=BadType, opset=2, results=BASIC_RESULTS, read=2, outputs=4, why=a)
      for a in ("RELU",)),
    *(Case("SVDF", (rand(2, 3), Const(rand(6, 3)), Const(rand(6, 7)), None, rand(2, 42)),
           {"rank": n}, raises=BadType, why=f"rank {n}") for n in (0, 4)),
    *(Case(OP, (SHIFTS, CHANCES, ANCHORS), {"custom_options": form}, results=FOUR, outputs=4,
           raises=BadFile, why=why)
      for form, why in (([4, 1], "two bytes of options"), ([], "no options"))),
]  # fmt: skip
