"""ONNX pooling."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, Unsupported

from ...case import ROUNDS, Case, Const, Limit, Tolerance, f, i, rand

HALF = Tolerance(relative=2e-3, absolute=1e-3)
X1, X2, X3 = rand(2, 3, 9), rand(2, 3, 7, 8), rand(1, 2, 5, 4, 6)
ODD = {"kernel_shape": [3, 2], "strides": [2, 3], "pads": [1, 0, 2, 1]}


def unpooled() -> tuple[np.ndarray, np.ndarray]:
    """Two maxima of each plane and where they were."""
    return f(1, 2, 3, 4).reshape(1, 1, 2, 2), i(5, 7, 13, 15).reshape(1, 1, 2, 2)


CASES = [
    Case("AveragePool", (X2,), {"kernel_shape": [3, 2]}, tol=ROUNDS),
    Case("AveragePool", (X2,), ODD, tol=ROUNDS, why="padding does not count"),
    Case("AveragePool", (X2,), ODD | {"count_include_pad": 1}, tol=ROUNDS, why="padding counts"),
    Case("AveragePool", (X2,), ODD | {"ceil_mode": 1}, tol=ROUNDS, why="an overhanging window"),
    Case(
        "AveragePool",
        (X2,),
        {"kernel_shape": [2, 2], "strides": [2, 3], "ceil_mode": 1},
        tol=ROUNDS,
    ),
    Case(
        "AveragePool",
        (X2,),
        {
            "kernel_shape": [3, 3],
            "strides": [2, 2],
            "pads": [1, 1, 1, 1],
            "ceil_mode": 1,
            "count_include_pad": 1,
        },
        tol=ROUNDS,
        why="what overhangs never counts",
    ),
    Case(
        "AveragePool",
        (X2,),
        {"kernel_shape": [2, 2], "dilations": [2, 3]},
        tol=ROUNDS,
        why="dilation",
    ),
    Case(
        "AveragePool",
        (X2,),
        {"kernel_shape": [2, 2], "dilations": [2, 3], "pads": [1, 1, 1, 1], "count_include_pad": 1},
        tol=ROUNDS,
        why="dilation and padding that counts",
    ),
    Case("AveragePool", (X2,), {"kernel_shape": [3, 2], "auto_pad": "SAME_UPPER"}, tol=ROUNDS),
    Case(
        "AveragePool",
        (X2,),
        {"kernel_shape": [3, 2], "auto_pad": "SAME_LOWER", "strides": [2, 2]},
        tol=ROUNDS,
    ),
    Case("AveragePool", (X2,), {"kernel_shape": [3, 2], "auto_pad": "VALID"}, tol=ROUNDS),
    Case(
        "AveragePool",
        (X1,),
        {"kernel_shape": [4], "strides": [3], "pads": [1, 2]},
        tol=ROUNDS,
        why="1-D",
    ),
    Case(
        "AveragePool",
        (X3,),
        {"kernel_shape": [2, 3, 2], "strides": [2, 1, 2]},
        tol=ROUNDS,
        why="3-D",
    ),
    Case("AveragePool", (X2.astype(np.float16),), {"kernel_shape": [3, 2]}, tol=HALF, why="half"),
    Case(
        "AveragePool", (X2,), {"kernel_shape": [2, 2]}, opset=1, tol=ROUNDS, why="the oldest opset"
    ),
    Case("AveragePool", (X2,), {"kernel_shape": [2]}, raises=Unsupported, why="one axis too few"),
    Case("AveragePool", (X2,), raises=BadType, why="no kernel"),
    Case("MaxPool", (X2,), {"kernel_shape": [3, 2]}),
    Case("MaxPool", (X2,), ODD, outputs=2, why="positions"),
    Case("MaxPool", (X2,), ODD | {"storage_order": 1}, outputs=2, why="positions column by column"),
    Case("MaxPool", (X2,), ODD | {"ceil_mode": 1}, why="an overhanging window"),
    Case("MaxPool", (X2,), {"kernel_shape": [2, 2], "strides": [3, 3], "ceil_mode": 1}, outputs=2),
    Case(
        "MaxPool",
        (X2,),
        {"kernel_shape": [1, 1], "strides": [2, 3], "ceil_mode": 1},
        why="a dropped window",
    ),
    Case(
        "MaxPool", (X2,), {"kernel_shape": [2, 3], "dilations": [3, 2]}, outputs=2, why="dilation"
    ),
    Case(
        "MaxPool", (X2,), {"kernel_shape": [3, 2], "auto_pad": "SAME_UPPER"}, oracle="onnxruntime"
    ),
    Case(
        "MaxPool", (X2,), {"kernel_shape": [3, 2], "auto_pad": "SAME_LOWER"}, oracle="onnxruntime"
    ),
    Case(
        "MaxPool",
        (X1,),
        {"kernel_shape": [4], "strides": [3], "pads": [1, 2]},
        outputs=2,
        why="1-D",
    ),
    Case("MaxPool", (X3,), {"kernel_shape": [2, 3, 2], "strides": [2, 1, 2]}, outputs=2, why="3-D"),
    Case(
        "MaxPool",
        (X3,),
        {"kernel_shape": [2, 3, 2], "storage_order": 1},
        outputs=2,
        opset=21,
        oracle="onnxruntime",
        why="3-D, by columns",
    ),
    Case(
        "MaxPool",
        (rand(1, 2, 5, 4, dtype=np.int8, low=-9, high=9),),
        {"kernel_shape": [2, 2]},
        oracle="onnxruntime",
        why="int8",
    ),
    Case(
        "MaxPool",
        (rand(1, 2, 5, 4, dtype=np.uint8, low=0, high=9),),
        {"kernel_shape": [2, 2], "pads": [1] * 4},
        why="uint8",
    ),
    Case("MaxPool", (X2.astype(np.float64),), {"kernel_shape": [3, 2]}, why="double"),
    Case("MaxPool", (X2.astype(np.float16),), {"kernel_shape": [3, 2]}, why="half"),
    Case(
        "MaxPool",
        (np.full((1, 1, 3, 3), -np.inf, np.float32),),
        {"kernel_shape": [2, 2]},
        why="nothing but -inf",
    ),
    Case("MaxPool", (X2,), {"kernel_shape": [2, 2]}, opset=1, why="the oldest opset"),
    Case(
        "MaxPool",
        (X2,),
        {"kernel_shape": [2, 2], "storage_order": 2},
        outputs=2,
        raises=Unsupported,
    ),
    Case(
        "MaxPool",
        (X2 > 0,),
        {"kernel_shape": [2, 2], "strides": [0, 1]},
        raises=BadType,
        why="a stride of 0",
    ),
    Case("LpPool", (X2,), {"kernel_shape": [3, 2]}, tol=ROUNDS),
    Case("LpPool", (X2,), {"kernel_shape": [3, 2], "p": 3, "strides": [2, 2]}, tol=ROUNDS),
    Case("LpPool", (X2,), {"kernel_shape": [2, 2], "p": 1, "dilations": [2, 2]}, tol=ROUNDS),
    Case("LpPool", (X2,), ODD, tol=ROUNDS, oracle="onnxruntime", why="padding adds nothing"),
    *(
        Case(
            "LpPool",
            (X2,),
            {"kernel_shape": [3, 2], "auto_pad": same, "strides": [2, 3]},
            tol=ROUNDS,
        )
        for same in ("SAME_UPPER", "SAME_LOWER")
    ),
    Case("LpPool", (X2,), {"kernel_shape": [3, 2], "auto_pad": "FULL"}, raises=Unsupported),
    *(
        Case(
            "LpPool",
            (X2,),
            {"kernel_shape": size, "ceil_mode": 1, "strides": [2, 2]},
            tol=ROUNDS,
            oracle="onnxruntime",
        )
        for size in ([3, 3], [2, 3])
    ),
    Case("LpPool", (X1,), {"kernel_shape": [3]}, tol=ROUNDS, why="1-D"),
    Case("LpPool", (X2,), {"kernel_shape": [2, 2]}, opset=2, tol=ROUNDS, why="opset 2"),
    Case(
        "LpPool",
        (X2,),
        {"kernel_shape": [2, 2], "p": 2.0},
        opset=1,
        tol=ROUNDS,
        why="p was a float",
    ),
    Case(
        "LpPool", (i(1, 2).reshape(1, 1, 2),), {"kernel_shape": [2]}, raises=BadType, why="integers"
    ),
    Case("GlobalAveragePool", (X2,), tol=ROUNDS),
    Case("GlobalAveragePool", (X3,), tol=ROUNDS, why="3-D"),
    Case("GlobalAveragePool", (i(1, 2).reshape(1, 1, 2) > 1,), raises=BadType, why="booleans"),
    Case("GlobalMaxPool", (X2,)),
    Case("GlobalAveragePool", (rand(2, 3),), why="nothing to pool"),
    Case("GlobalMaxPool", (X1,), oracle="onnxruntime", why="1-D"),
    Case("GlobalLpPool", (X2,), opset=21, oracle="onnxruntime", tol=ROUNDS),
    Case("GlobalLpPool", (X2,), {"p": 1}, opset=21, oracle="onnxruntime", tol=ROUNDS),
    Case("GlobalLpPool", (X2,), {"p": 0}, opset=21, raises=Unsupported, why="no norm"),
    Case("GlobalLpPool", (X2,), {"p": 3}, opset=21, oracle="onnxruntime", tol=ROUNDS),
    Case("MaxUnpool", unpooled(), {"kernel_shape": [2, 2], "strides": [2, 2]}),
    Case(
        "MaxUnpool",
        (unpooled()[0][..., :1], unpooled()[1]),
        {"kernel_shape": [2, 2], "strides": [2, 2]},
        why="more places",
        raises=BadType,
    ),
    Case(
        "MaxUnpool",
        (*unpooled(), i(1, 1, 5, 6)),
        {"kernel_shape": [2, 2], "strides": [2, 2]},
        why="a shape at run time",
    ),
    Case(
        "MaxUnpool",
        (*unpooled(), Const(i(1, 1, 5, 5))),
        {"kernel_shape": [2, 2], "strides": [2, 2]},
        why="a known shape",
    ),
    Case(
        "MaxUnpool",
        (unpooled()[0], i(0, 2, 6, 8).reshape(1, 1, 2, 2)),
        {"kernel_shape": [2, 2], "strides": [2, 2], "pads": [0, 1, 1, 0]},
        why="what was padded is not there",
    ),
    Case(
        "MaxUnpool", unpooled(), {"kernel_shape": [2]}, raises=Unsupported, why="one axis too few"
    ),
]
LIMITS: list[Limit] = []
