"""StableHLO's operators of which LiteRT has kernels; the others: tests/frontends/test_stablehlo."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType, Unsupported

from ...case import ROUNDS, Case, Const, f, i, rand
from ...engines.tflite import Body
from .numbers import number

X = rand(3, 4, 5)
FLOAT = (np.float32,)
COUNTS = rand(3, 4, dtype=np.int32, low=-9, high=9)
ONE = np.zeros((), np.float32)
ZERO = Const(ONE)
WHOLE = np.zeros((), np.int32)


def body(op: str, like: np.ndarray = ONE) -> Body:
    """A graph of one operator on two numbers."""
    return Body(op, (like, like), like.dtype)


def shaped(*sizes: int, dtype: Any = np.float32) -> tuple[np.ndarray]:
    """The type and the shape of one result."""
    return (np.zeros(sizes, dtype),)


WINDOW: dict[str, Any] = {
    "window_dimensions": (2, 3),
    "window_strides": (1, 2),
    "base_dilations": (1, 1),
    "window_dilations": (2, 1),
    "padding": (1, 0, 0, 2),
}
TAKE: dict[str, Any] = {
    "offset_dims": (1, 2),
    "collapsed_slice_dims": (0,),
    "start_index_map": (0,),
    "index_vector_dim": 1,
    "slice_sizes": (1, 4, 5),
}
BLOCKS: dict[str, Any] = {
    "offset_dims": (1, 2, 3),
    "collapsed_slice_dims": (),
    "start_index_map": (0, 2),
    "index_vector_dim": 1,
    "slice_sizes": (2, 4, 3),
}
ROWS: dict[str, Any] = {
    "update_window_dims": (1, 2),
    "inserted_window_dims": (0,),
    "scatter_dims_to_operand_dims": (0,),
    "index_vector_dim": 1,
}
PLACES = i([0], [2], [1])
REDUCTIONS = ("STABLEHLO_ADD", "STABLEHLO_MAXIMUM", "STABLEHLO_MINIMUM", "STABLEHLO_MULTIPLY")

CASES = [
    *(Case(op, (X, rand(3, 4, 5, seed=1))) for op in REDUCTIONS),
    *(Case(op, (COUNTS, rand(3, 4, dtype=np.int32, seed=1)), why="int32") for op in REDUCTIONS),
    *(Case("STABLEHLO_AND", (rand(3, 4, dtype=d, low=-9, high=9),
                             rand(3, 4, dtype=d, low=-9, high=9, seed=1)), why=np.dtype(d).name)
      for d in (np.bool_,)),
    Case("STABLEHLO_SHIFT_LEFT", (COUNTS, rand(3, 4, dtype=np.int32, low=0, high=7)),
         why="int32"),
    *(Case("STABLEHLO_PAD", (rand(3, 4), ZERO),
           {"edge_padding_low": low, "edge_padding_high": high, "interior_padding": inside})
      for low, high, inside in (((1, 0), (0, 2), (0, 0)), ((0, 0), (0, 0), (1, 2)),
                                ((-1, 2), (1, -2), (0, 1)))),
    Case("STABLEHLO_PAD", (f(1).reshape(1, 1), ZERO), {"edge_padding_low": (-1, 2),
         "edge_padding_high": (1, -2), "interior_padding": (0, 1)},
         why="more is cropped at one end than there was before the other grew"),
    Case("STABLEHLO_PAD", (COUNTS, number(7)), {"edge_padding_low": (1, 1),
         "edge_padding_high": (0, 1), "interior_padding": (1, 0)}, why="int32"),
    Case("STABLEHLO_PAD", (rand(3), ZERO), {"edge_padding_low": (0,), "edge_padding_high": (0,),
         "interior_padding": (-1,)}, raises=BadType, why="less than nothing between"),
    *(Case("STABLEHLO_REDUCE_WINDOW", (rand(4, 7), Const(f(0.5).reshape(()))),
           {**WINDOW, "body_subgraph_index": body(op)}, tol=ROUNDS, why=op) for op in REDUCTIONS),
    Case("STABLEHLO_REDUCE_WINDOW", (rand(4, 7), Const(f(0.5))),
         {**WINDOW, "body_subgraph_index": body("STABLEHLO_ADD")}, tol=ROUNDS,
         why="the first of a list"),
    Case("STABLEHLO_REDUCE_WINDOW", (rand(4, 7), ZERO),
         {**WINDOW, "base_dilations": (2, 1), "body_subgraph_index": body("STABLEHLO_ADD")},
         tol=ROUNDS, why="elements between"),
    Case("STABLEHLO_REDUCE_WINDOW", (rand(4, 7), ZERO),
         {**WINDOW, "body_subgraph_index": body("STABLEHLO_SUBTRACT")}, raises=Unsupported,
         why="an operator whose order matters"),
    *(Case("STABLEHLO_REDUCE_WINDOW", (rand(4, 7), ZERO), {**WINDOW, "body_subgraph_index": by},
           raises=Unsupported, why=why)
      for why, by in (("twice the first", Body("ADD", (ONE, ONE), np.float32, reads=(0, 0))),
                      ("with an activation", Body("ADD", (ONE, ONE), np.float32,
                                                  {"fused_activation_function": "RELU"})))),
    *(Case("STABLEHLO_GATHER", (X, i([0, 1], [1, 2])), BLOCKS | given, raises=BadType,
           why=f"{given}", results=shaped(2, 2, 4, 3))
      for given in ({"start_index_map": (0, 3)}, {"start_index_map": (-1, 2)},
                    {"start_index_map": (0, 0)}, {"collapsed_slice_dims": (3,)},
                    {"collapsed_slice_dims": (0,)}, {"slice_sizes": (2, 4)},
                    {"slice_sizes": (4, 4, 3)}, {"offset_dims": (1, 2)}, {"offset_dims": (1, 2, 9)},
                    {"offset_dims": (1, 1, 2)}, {"index_vector_dim": 3})),
    Case("STABLEHLO_GATHER", (X, PLACES), TAKE, results=shaped(3, 4, 5)),
    Case("STABLEHLO_GATHER", (X, i([-3], [9])), TAKE, why="outside", results=shaped(2, 4, 5)),
    Case("STABLEHLO_GATHER", (X, i([0, 1], [1, 2])), BLOCKS, why="blocks",
         results=shaped(2, 2, 4, 3)),
    Case("STABLEHLO_GATHER", (X, i([0, 5], [3, -2])), BLOCKS, why="blocks that are moved",
         results=shaped(2, 2, 4, 3)),
    Case("STABLEHLO_GATHER", (X, i([0], [1])), BLOCKS, why="too few places", raises=BadType),
    Case("STABLEHLO_GATHER", (X, i([0, 1], [1, 0], [3, 2])),
         {**BLOCKS, "offset_dims": (0, 2), "collapsed_slice_dims": (0,), "start_index_map": (2, 0),
          "slice_sizes": (1, 2, 3)}, why="slices first", results=shaped(2, 3, 3)),
    Case("STABLEHLO_GATHER", (COUNTS, i([0, 1], [1, 2])),
         {"offset_dims": (), "collapsed_slice_dims": (0, 1), "start_index_map": (0, 1),
          "index_vector_dim": 1, "slice_sizes": (1, 1)}, why="int32 elements",
         results=shaped(2, dtype=np.int32)),
    *(Case("STABLEHLO_SCATTER", (X, PLACES, rand(3, 4, 5, seed=1)),
           {**ROWS, "update_computation_subgraph_index": body(op)}, tol=ROUNDS, why=op)
      for op in (*REDUCTIONS, "")),
    Case("STABLEHLO_SCATTER", (X, i([2], [2], [7]), rand(3, 4, 5, seed=1)),
         {**ROWS, "update_computation_subgraph_index": body("STABLEHLO_ADD")}, tol=ROUNDS,
         why="twice and outside"),
    Case("STABLEHLO_SCATTER", (X, i([0, 1], [1, 2], [2, 4]), rand(3, 2, 4, 2, seed=1)),
         {"update_window_dims": (1, 2, 3), "inserted_window_dims": (),
          "scatter_dims_to_operand_dims": (0, 2), "index_vector_dim": 1,
          "update_computation_subgraph_index": body("STABLEHLO_ADD")}, tol=ROUNDS, why="blocks"),
    *(Case("STABLEHLO_CASE", (np.array(k, np.int32), X),
           {"branch_subgraph_indices": tuple(Body(op, (X,), np.float32)
                                             for op in ("TANH", "ABS", "NEG"))},
           tol=ROUNDS, results=FLOAT, why=f"branch {k}") for k in (0, 1, 2, 7, -1)),
]  # fmt: skip
