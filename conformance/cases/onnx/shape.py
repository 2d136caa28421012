"""ONNX operators that rearrange, join, cut or count elements."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from nnir.errors import BadType, NotConstant, Unsupported

from ...case import Case, Const, f, i, rand, scalar

ANY = (np.bool_, np.int8, np.uint16, np.int64, np.float16, np.float64, ml_dtypes.bfloat16)
X = rand(2, 3, 5)
E = rand(2, 0, 3)


def c(*values: int) -> Const:
    """Positions or sizes that the model holds as a constant."""
    return Const(i(*values))


RESHAPE = [
    Case("Reshape", (X, c(5, -1)), why="one size is inferred"),
    Case("Reshape", (X, i(5, 6)), why="a shape at run time"),
    Case("Reshape", (X, c(0, 15)), why="0 copies a size"),
    Case("Reshape", (X, i(0, -1)), why="0 and -1 at run time"),
    Case("Reshape", (X, c(0, -1)), opset=5, why="the first opset with a shape input"),
    Case("Reshape", (X,), {"shape": [0, -1]}, opset=1, why="an attribute", oracle="onnxruntime"),
    Case(
        "Reshape",
        (X,),
        {"shape": [5, 6], "consumed_inputs": [0]},
        opset=1,
        why="overwrites",
        oracle="onnxruntime",
    ),
    Case("Reshape", (f(7), c()), why="to rank 0"),
    Case("Reshape", (scalar(7), c(1, 1)), why="from rank 0"),
    Case("Reshape", (E, c(0, 4)), {"allowzero": 1}, why="a real size 0"),
    Case("Reshape", (E, i(3, 0)), {"allowzero": 1}, why="a real size 0 at run time"),
    Case("Reshape", (E, c(2, 0, -1)), why="-1 beside 0", raises=BadType),
    Case("Reshape", (X, c(4, 4)), why="another number of elements", raises=BadType),
    Case("Reshape", (X, c(-1, -1)), why="two sizes to infer", raises=BadType),
    Case("Reshape", (X, c(2, 3, 5, 0)), why="no axis for the 0", raises=BadType),
    Case("Reshape", (X, Const(f(2, 15))), why="a shape of floats", raises=BadType),
    *(Case("Reshape", (rand(2, 3, dtype=t), c(3, 2)), why="types") for t in ANY),
]
TRANSPOSE = [
    Case("Transpose", (X,), why="reversed by default"),
    Case("Transpose", (X,), {"perm": [1, 2, 0]}),
    Case("Transpose", (E,), {"perm": [1, 0, 2]}, why="zero size"),
    Case("Transpose", (scalar(1),), why="rank 0"),
    Case("Transpose", (X,), {"perm": [0, 0, 1]}, why="an axis twice", raises=BadType),
    Case("Transpose", (X,), {"perm": [0, 1]}, why="a short perm", raises=BadType),
    *(Case("Transpose", (rand(2, 3, dtype=t),), why="types") for t in ANY),
]
ONES = rand(1, 3, 1, 5)
SQUEEZE = [
    Case("Squeeze", (ONES,), why="every 1"),
    Case("Squeeze", (ONES, c(2)), why="one axis"),
    Case("Squeeze", (ONES, i(-2, 0)), why="axes at run time"),
    Case("Squeeze", (ONES, np.zeros(0, np.int64)), why="none of the axes"),
    Case("Squeeze", (ONES, Const(np.zeros(0, np.int64))), why="none of the axes, known"),
    Case("Squeeze", (ONES,), {"axes": [0, -2]}, opset=11, why="axes as an attribute"),
    Case("Squeeze", (rand(1, 1),), why="to rank 0"),
    Case("Squeeze", (ONES, c(1)), why="not a 1", raises=BadType),
    Case("Squeeze", (ONES, c(4)), why="no such axis", raises=BadType),
    Case("Unsqueeze", (X, c(0)), why="in front"),
    Case("Unsqueeze", (X, i(-1)), why="behind, at run time"),
    Case("Unsqueeze", (X, c(4, 1, -6)), why="not in order, one negative"),
    Case("Unsqueeze", (X, i(4, 1, -6)), why="not in order, at run time"),
    Case("Unsqueeze", (scalar(3), c(0, 1)), why="from rank 0"),
    Case("Unsqueeze", (X,), {"axes": [0, 4]}, opset=11, why="axes as an attribute"),
    Case("Unsqueeze", (X, c(0, 0)), why="an axis twice", raises=BadType),
    Case("Unsqueeze", (X, c(5)), why="no such axis", raises=BadType),
]
FLATTEN = [
    Case("Flatten", (rand(2, 3, 2, 5),), why="axis 1"),
    *(Case("Flatten", (X,), {"axis": a}) for a in (0, 2, 3, -1, -3)),
    Case("Flatten", (E,), {"axis": 2}, why="zero size", oracle="onnxruntime"),
    Case("Flatten", (scalar(2),), {"axis": 0}, why="rank 0"),
    Case("Flatten", (X,), {"axis": 4}, why="no such axis", raises=BadType),
]
CONCAT = [
    Case("Concat", (X, rand(2, 1, 5)), {"axis": 1}),
    Case("Concat", (X, X, X), {"axis": -1}, why="a negative axis"),
    Case("Concat", (X,), {"axis": 0}, why="one tensor"),
    Case("Concat", (E, rand(2, 2, 3)), {"axis": 1}, why="zero size"),
    Case("Concat", (X, rand(2, 2, 5)), {"axis": 1}, opset=1, why="opset 1"),
    Case("Concat", (f(1, 2), i(1)), {"axis": 0}, why="two types", raises=BadType),
    Case("Concat", (X, rand(2, 3)), {"axis": 0}, why="two ranks", raises=BadType),
    Case("Concat", (X, rand(3, 3, 5)), {"axis": 1}, why="other sizes", raises=BadType),
    Case("Concat", (scalar(1), scalar(2)), {"axis": 0}, why="rank 0", raises=BadType),
    *(Case("Concat", (rand(2, dtype=t), rand(3, dtype=t)), {"axis": 0}, why="types") for t in ANY),
]
SPLIT = [
    Case("Split", (rand(6, 2),), {"num_outputs": 3}, outputs=3, why="equal pieces"),
    Case("Split", (rand(2, 7),), {"axis": 1, "num_outputs": 3}, outputs=3, why="a smaller last"),
    Case("Split", (rand(5),), {"num_outputs": 4}, outputs=4, why="nothing left for the last"),
    Case("Split", (rand(2, 7), c(1, 0, 6)), {"axis": -1}, outputs=3, why="lengths"),
    Case("Split", (rand(2, 7), i(3, 4)), {"axis": 1}, outputs=2, why="lengths at run time"),
    Case("Split", (rand(4),), opset=13, outputs=2, why="equal pieces without a number"),
    Case("Split", (rand(5),), {"split": [2, 3]}, opset=2, outputs=2, why="lengths as attribute"),
    Case("Split", (rand(4), c(4)), outputs=1, why="one piece"),
    Case("Split", (i(1, 2, 3, 4),), {"num_outputs": 2}, outputs=2, why="integers"),
    Case("Split", (rand(5),), opset=13, outputs=2, why="not equal", raises=BadType),
    Case("Split", (rand(5), c(2, 2)), outputs=2, why="a wrong sum", raises=BadType),
    Case("Split", (rand(5), c(6, -1)), outputs=2, why="a negative length", raises=BadType),
]
EXPAND = [
    Case("Expand", (rand(3, 1), c(2, 3, 4)), why="more axes"),
    Case("Expand", (rand(3, 1), i(2, 3, 4)), why="at run time"),
    Case("Expand", (rand(3, 2), c(1, 1)), why="a 1 keeps the size"),
    Case("Expand", (rand(3, 1), i(1, 4)), why="a 1 keeps the size at run time"),
    Case("Expand", (rand(2, 3, 1), c(4)), why="a shorter shape"),
    Case("Expand", (rand(2, 3, 1), i(4)), why="a shorter shape at run time"),
    Case("Expand", (rand(1, 3), c(0, 3)), why="to size 0"),
    Case("Expand", (rand(1, 3), i(0, 1)), why="to size 0 at run time"),
    Case("Expand", (scalar(2), c(2, 2)), why="from rank 0"),
    Case("Expand", (rand(3, 2), c(3, 4)), why="no broadcast", raises=BadType),
    *(Case("Expand", (rand(1, 3, dtype=t), c(2, 3)), why="types") for t in ANY),
]
TILE = [
    Case("Tile", (rand(2, 3), c(2, 3)), why="both axes"),
    Case("Tile", (rand(2, 3), i(1, 2)), why="at run time"),
    Case("Tile", (rand(2, 3), c(0, 1)), why="no copy"),
    Case("Tile", (i(1, 2), c(3)), why="integers"),
    Case("Tile", (rand(2, 3), Const(f(2, 1))), why="repeats of floats", raises=BadType),
]
COUNT = [
    Case("Shape", (X,)),
    Case("Shape", (X,), {"start": 1, "end": -1}),
    Case("Shape", (X,), {"start": -9, "end": 9}, why="clipped"),
    Case("Shape", (X,), {"start": 2, "end": 1}, why="an empty range"),
    Case("Shape", (scalar(1),), why="rank 0"),
    Case("Shape", (E,), opset=13, why="the old opset"),
    Case("Size", (X,)),
    Case("Size", (E,), why="zero size"),
    Case("Size", (scalar(1),), why="rank 0"),
]
W = rand(3, 4)
PAD = [
    Case("Pad", (W, c(1, 0, 0, 2)), why="zeros"),
    Case("Pad", (W, i(1, 0, 0, 2), scalar(9)), why="pads at run time"),
    Case("Pad", (W, c(1, 0, 0, 2), Const(scalar(np.nan))), why="a value"),
    Case("Pad", (W, c(2, 1), None, c(-1)), why="one axis"),
    Case("Pad", (W, i(2, 1, 0, 3), None, i(1, 0)), why="axes at run time"),
    Case("Pad", (W, c(2, 3, 1, 0)), {"mode": "reflect"}, opset=18),
    Case("Pad", (W, i(2, 3, 1, 0)), {"mode": "reflect"}, why="reflect at run time"),
    Case("Pad", (W, c(2, 3, 1, 5)), {"mode": "edge"}),
    Case("Pad", (W, c(2, 3, 1, 2)), {"mode": "wrap"}),
    Case("Pad", (W, c(-1, 2, 0, -1)), why="a negative pad crops", oracle="onnxruntime"),
    Case("Pad", (W, c(-1, 2, 0, -1)), {"mode": "edge"}, why="crops", oracle="onnxruntime"),
    Case("Pad", (W,), {"pads": [0, 1, 2, 0], "value": 3.0}, opset=2, why="pads as attribute"),
    Case("Pad", (W,), {"paddings": [0, 1, 2, 0]}, opset=1, why="opset 1"),
    *(
        Case("Pad", (W,), {name: [1, 2, 0, 3], "mode": mode}, opset=opset)
        for mode in ("edge", "reflect")
        for name, opset in (("pads", 2), ("paddings", 1))
    ),
    Case("Pad", (i(1, 2), c(1, 1), Const(scalar(7, np.int64))), why="integers"),
    Case("Pad", (W, c(1, 0, 0, 2)), {"mode": "mirror"}, why="a mode", raises=Unsupported),
    Case("Pad", (W, c(1, 0, 0)), why="an odd number of pads", raises=BadType),
    Case("Pad", (W, c(-4, 0, 0, 0)), why="crops more than there is", raises=BadType),
    Case("Pad", (W, c(1, 0, 0, 2), scalar(1, np.int64)), why="another type", raises=BadType),
]
D = rand(1, 8, 2, 3)
BLOCKS = [
    Case("DepthToSpace", (D,), {"blocksize": 2}),
    Case("DepthToSpace", (D,), {"blocksize": 2, "mode": "CRD"}),
    Case("DepthToSpace", (D,), {"blocksize": 2}, opset=1, why="without a mode"),
    Case("DepthToSpace", (D,), {"blocksize": 2, "mode": "X"}, why="a mode", raises=Unsupported),
    Case("DepthToSpace", (X,), {"blocksize": 2}, why="rank 3", raises=BadType),
    *(
        Case(op, (rand(*d),), {"blocksize": 2}, why=f"rank {len(d)}, blocks fit", raises=BadType)
        for op in ("DepthToSpace", "SpaceToDepth")
        for d in ((4, 2, 4), (1, 2, 4, 2, 4))
    ),
    Case("SpaceToDepth", (rand(2, 3, 4, 6),), {"blocksize": 2}),
    Case("SpaceToDepth", (rand(2, 3, 4, 6),), {"blocksize": 2, "mode": "CRD"}, opset=28),
    Case("SpaceToDepth", (X,), {"blocksize": 2}, why="rank 3", raises=BadType),
    Case("CenterCropPad", (rand(5, 4), c(2, 7)), why="crop one axis, pad the other"),
    *(
        Case(
            "CenterCropPad",
            (rand(3, 4, 5), given),
            {"axes": list(axes)},
            why=f"{why} {sizes} of {axes}",
        )
        for axes, sizes in (
            *(((1,), (6,)), ((1,), (1,)), ((-2,), (7,)), ((0, 1), (5, 2))),
            *(((1, 2), (2, 8)), ((2, 0), (3, 6)), ((0, 1, 2), (1, 9, 4))),
        )
        for given, why in ((c(*sizes), "known"), (i(*sizes), "running"))
    ),
    Case("CenterCropPad", (rand(5, 4), i(2, 7)), why="a shape at run time"),
    Case("CenterCropPad", (rand(5, 4, 3), c(8, 2)), {"axes": [-1, 0]}, why="some axes"),
    Case("CenterCropPad", (rand(5, 4), c(2)), why="too few sizes", raises=BadType),
]
TILE_1 = Case("Tile", (rand(2, 3), i(3), i(1)), opset=1, why="opset 1", raises=NotConstant)
CASES = [
    *RESHAPE,
    *TRANSPOSE,
    *SQUEEZE,
    *FLATTEN,
    *CONCAT,
    *SPLIT,
    *EXPAND,
    *TILE,
    TILE_1,
    *COUNT,
    *PAD,
    *BLOCKS,
]
