"""TensorFlow's operators that rearrange, join, cut or count elements."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, NotConstant, Unsupported
from nnir.types import Precision

from ...case import Case, Const, f, i, rand, scalar
from . import blocks, matrices

IMAGE = rand(2, 4, 6, 3)


def ints(*values: int, shape: tuple[int, ...] | None = None) -> np.ndarray:
    """int32, as most sizes and axes are in TensorFlow."""
    array = np.array(values, np.int32)
    return array if shape is None else array.reshape(shape)


def axis(value: int) -> Const:
    """A constant without axes."""
    return Const(scalar(value, np.int32))


def known(*values: int, shape: tuple[int, ...] | None = None) -> Const:
    """A constant vector of sizes or axes."""
    return Const(ints(*values, shape=shape))


X = rand(2, 3, 4)
PAIRS = known(1, 0, 0, 2, 2, 1, shape=(3, 2))

CASES = [
    Case("Reshape", (X, known(4, -1))),
    Case("Reshape", (X, ints(4, 6)), why="run-time shape"),
    Case("Reshape", (rand(0, 3), known(3, 0)), why="a size of 0"),
    Case("Reshape", (rand(1), known()), why="to no axes"),
    Case("Reshape", (i(1, 2, 3, 4), Const(i(2, 2))), why="int64"),
    Case("ExpandDims", (X, axis(1))),
    Case("ExpandDims", (X, axis(-1)), why="behind"),
    Case("ExpandDims", (X, known(0)), why="axis as a vector"),
    Case("ExpandDims", (X, axis(5)), why="outside", raises=BadType),
    Case("ExpandDims", (X, scalar(1, np.int32)), why="run-time axis", raises=NotConstant),
    Case("Squeeze", (rand(1, 3, 1),)),
    Case("Squeeze", (rand(1, 3, 1),), {"squeeze_dims": [-1]}),
    Case("Squeeze", (X,), why="nothing"),
    Case("Transpose", (X, known(2, 0, 1))),
    Case("Transpose", (rand(3), known(0)), why="one axis"),
    Case("Transpose", (scalar(1), known()), why="no axes"),
    Case("Transpose", (X, known(0, 1)), why="too few", raises=BadType),
    Case("ConjugateTranspose", (X, known(2, 0, 1))),
    Case("ConjugateTranspose", (f(1 + 2j, 3j, dtype=np.complex64).reshape(1, 2), known(1, 0)),
         why="complex"),
    Case("Concat", (axis(1), [rand(2, 3), rand(2, 1)])),
    Case("ConcatV2", ([rand(2, 3), rand(2, 1)], axis(-1))),
    Case("ConcatV2", ([i(1), i(), i(2, 3)], axis(0)), why="int64 and an empty one"),
    Case("ConcatV2", ([rand(2, 3), rand(3, 3)], axis(1)), why="sizes", raises=BadType),
    Case("ParallelConcat", ([rand(1, 3), rand(1, 3, seed=1)],), {"shape": [2, 3]}),
    Case("ConcatOffset", (axis(1), [ints(2, 2, 7), ints(2, 3, 7)]), is_open=True, raises=BadType,
         why="of who knows how many axes"),
    Case("ConcatOffset", (axis(1), [ints(2, 2, 7), ints(2, 3, 7), ints(2, 5, 7)])),
    Case("Pack", ([rand(2, 3), rand(2, 3, seed=1)],)),
    Case("Pack", ([rand(2, 3), rand(2, 3, seed=1)],), {"axis": -1}),
    Case("Pack", ([scalar(1), scalar(2)],), why="numbers"),
    Case("Unpack", (X,), {"num": 2}, outputs=2),
    Case("Unpack", (X,), {"num": 4, "axis": -1}, outputs=4),
    Case("Split", (axis(1), rand(2, 6)), {"num_split": 3}, outputs=3),
    Case("Split", (axis(-1), rand(2, 6)), {"num_split": 1}),
    Case("Split", (axis(1), rand(2, 5)), {"num_split": 3}, why="uneven", raises=BadType),
    Case("SplitV", (rand(2, 6), known(1, 3, 2), axis(1)), {"num_split": 3}, outputs=3),
    Case("SplitV", (rand(2, 6), known(1, -1, 2), axis(1)), {"num_split": 3}, outputs=3, why="rest"),
    Case("SplitV", (rand(2, 6), Const(i(6, 0)), axis(-1)), {"num_split": 2}, outputs=2,
         why="empty"),
    Case("SplitV", (rand(2, 6), ints(4, 2), axis(1)), {"num_split": 2}, outputs=2, why="run-time"),
    Case("Tile", (rand(2, 3), known(2, 1))),
    Case("Tile", (rand(2, 3), ints(0, 2)), why="run-time and 0"),
    Case("Tile", (scalar(1), known()), why="no axes"),
    Case("BroadcastTo", (rand(2, 1), known(3, 2, 4))),
    Case("BroadcastTo", (scalar(1), ints(2, 3)), why="run-time"),
    Case("BroadcastTo", (rand(1, 3), known(0, 3)), why="to nothing"),
    Case("BroadcastArgs", (known(2, 1), known(3, 1, 4))),
    Case("BroadcastArgs", (ints(2, 1), ints(3, 1, 4)), why="run-time"),
    Case("BroadcastArgs", (i(3, 1, 0), i(2, 1)), why="run-time int64"),
    Case("Pad", (X, PAIRS)),
    Case("Pad", (X, ints(1, 0, 0, 2, 2, 1, shape=(3, 2))), why="run-time"),
    Case("Pad", (rand(2, 3, dtype=np.bool_), known(1, 0, 0, 2, shape=(2, 2))), why="bool"),
    Case("Pad", (X, known(0, 0, 0, 0, 0, 0, shape=(3, 2))), why="nothing"),
    Case("PadV2", (X, PAIRS, scalar(-np.inf))),
    Case("PadV2", (i(1, 2), known(2, 1, shape=(1, 2)), Const(scalar(7, np.int64))), why="integers"),
    Case("MirrorPad", (X, known(1, 0, 0, 2, 2, 1, shape=(3, 2))), {"mode": "REFLECT"}),
    Case("MirrorPad", (X, known(2, 0, 0, 3, 1, 4, shape=(3, 2))), {"mode": "SYMMETRIC"}),
    Case("MirrorPad", (X, PAIRS), {"mode": "EDGE"}, raises=Unsupported),
    Case("Reverse", (X, Const(np.array([True, False, True])))),
    Case("ReverseV2", (X, known(1, -1))),
    Case("ReverseV2", (i(1, 2, 3), known(0)), why="integers"),
    Case("ReverseV2", (X, known()), why="no axes"),
    Case("ReverseSequence", (rand(3, 4, 2), i(1, 4, 0)), {"seq_dim": 1}),
    Case("ReverseSequence", (rand(4, 3, 2), ints(1, 4, 2)), {"seq_dim": 0, "batch_dim": 1}),
    Case("Roll", (X, known(1, -2), known(0, 2))),
    Case("Roll", (X, axis(1), axis(-1)), why="numbers"),
    Case("Roll", (X, ints(1, 2), known(1, 1)), why="an axis twice, run-time"),
    Case("Shape", (X,)),
    Case("Shape", (scalar(1),), {"out_type": Precision.INT64}),
    Case("ShapeN", ([X, rand(0, 2)],), outputs=2),
    Case("Size", (X,)),
    Case("Size", (rand(0, 2),), {"out_type": Precision.INT64}),
    Case("Rank", (X,)),
    Case("IdentityN", ([X, i(1)],), outputs=2),
    Case("GuaranteeConst", (X,)),
    Case("EnsureShape", (X,), {"shape": [-1, 3, 4]}),
    Case("EnsureShape", (X,), {"shape": [2, 3]}, why="another rank", raises=BadType),
    Case("PlaceholderWithDefault", (X,), {"shape": [2, 3, 4]}),
    Case("Empty", (known(2, 3),), {"dtype": Precision.FLOAT32, "init": True}),
    Case("Empty", (ints(2, 3),), {"dtype": Precision.INT32, "init": True}, why="run-time"),
    Case("ExtractImagePatches", (IMAGE,), {"ksizes": [1, 2, 3, 1], "strides": [1, 1, 2, 1],
                                           "rates": [1, 1, 1, 1], "padding": "VALID"}),
    Case("ExtractImagePatches", (IMAGE,), {"ksizes": [1, 2, 3, 1], "strides": [1, 2, 2, 1],
                                           "rates": [1, 2, 1, 1], "padding": "SAME"}),
    Case("ExtractImagePatches", (IMAGE,), {"ksizes": [1, 2, 3, 2], "strides": [1, 2, 2, 1],
                                           "rates": [1, 2, 1, 1], "padding": "SAME"},
         why="channels", raises=Unsupported),
    *(
        Case("ExtractVolumePatches", (rand(1, 4, 5, 3, 2),),
             {"ksizes": [1, 2, 2, 2, 1], "strides": [1, 2, 2, 1, 1], "padding": p})
        for p in ("SAME", "VALID")
    ),
    *blocks.CASES,
    *matrices.CASES,
    Case("ShapeN", ([X, rand(0, 2)],), {"out_type": Precision.INT64}, outputs=2),
]  # fmt: skip
CASES += [Case("ParallelConcat", ([rand(1, 3)],), {"shape": [1, 3]}, why="one value")]
