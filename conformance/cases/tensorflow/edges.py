"""Where TensorFlow's operators turn: axes that are missing, one of several, what almost fits."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadModel, BadType, Unsupported
from nnir.types import Precision

from ...case import Case, Const, Tolerance, f, i, rand, scalar

NEAR = Tolerance(relative=3e-5, absolute=1e-5)
CUBE = rand(2, 3, 4)


def axis(number: int) -> Const:
    """A known axis."""
    return Const(scalar(number, np.int32))


CASES: list[Case] = [
    *(Case(op, (rand(*n),), tol=NEAR, why=f"of {n}")
      for op in ("MatrixInverse", "MatrixDeterminant") for n in ((1, 1), (0, 2, 2))),
    *(Case("MatrixSolveLs", (rand(*a), rand(*b), scalar(0.5, np.float64)), tol=NEAR, why=f"{a} {b}")
      for a, b in (((3, 3), (3, 2)), ((1, 1), (1, 1)))),
    *(Case("ConcatV2", ([rand(*n) for n in sizes], axis(a)), why=f"{sizes} along {a}")
      for sizes, a in ((((2, 3), (2, 0)), 1), (((0, 3), (0, 3)), 0), (((2, 3), (1, 3)), -2))),
    *(Case("Bincount", (i(*x, dtype=np.int32), axis(n), Const(np.zeros(0, np.float32))),
           why=f"{x} of {n}") for x, n in (((0,), 1), ((3, 3), 3), ((), 2), ((-0, 1), 2))),
    *(Case("DataFormatVecPermute", (i(1, 2, 3, 4, dtype=np.int32),),
           {"src_format": a, "dst_format": b}, why=f"{a} to {b}")
      for a, b in (("NHWC", "NHWC"), ("NHWC", "NCHW"), ("NCHW", "NHWC"))),
    *(Case("Reshape", (CUBE, Const(i(*to, dtype=np.int32))), why=f"to {to}")
      for to in ((2, 3, 4), (-1,), (2, -1), (1, 24), (2, 3, 4, 1))),
    *(Case("Split", (axis(a), CUBE), {"num_split": n}, outputs=n, why=f"{n} along {a}")
      for a, n in ((0, 1), (0, 2), (-1, 4), (-2, 3))),
    *(Case("DynamicStitch", ([i(*k, dtype=np.int32).reshape(s) for k, s in places],
                             [rand(*s, *rest) for _, s in places]), why=f"{places} of {rest}")
      for places in ([((), (0,))], [((), (0,)), ((1, 0), (2,))], [((0,), ())],
                     [((2, 0), (2,)), ((1,), (1, 1)), ((2,), ())])
      for rest in ((), (2,), (2, 3))),
    *(Case("ResizeBicubic", (rand(*sizes), Const(i(2, 2, dtype=np.int32))), raises=BadType,
           why=f"of {sizes}") for sizes in ((1, 0, 4, 2), (1, 4, 0, 2))),
    *(Case("Pack", ([CUBE] * n,), {"axis": a}, why=f"{n} at {a}")
      for n, a in ((1, 0), (2, -1), (2, 3), (2, -4))),
    *(Case(op, given, attrs, raises=error, why=why) for op, given, attrs, error, why in (
        ("MatrixSolve", (rand(3), rand(3, 1)), {"adjoint": True}, BadType, "a vector, turned"),
        ("MatrixSolveLs", (rand(3), rand(3, 2), scalar(0.5, np.float64)), {}, BadModel, "a vector"),
        ("MatMul", (rand(2, 3), rand(3)), {}, BadType, "a vector behind"),
        ("MatMul", (rand(3), rand(3, 2)), {}, BadType, "a vector first"),
        ("RGBToHSV", (scalar(1.0),), {}, BadType, "a number"),
        ("RGBToHSV", (i(1, 2, 3),), {}, BadType, "integers"),
        ("DataFormatVecPermute", (i(1, 2, 3, 4, dtype=np.int32),),
         {"src_format": "NHHC", "dst_format": "NCHW"}, Unsupported, "an axis twice"),
        ("DataFormatVecPermute", (i(1, 2, 3, 4, dtype=np.int32),),
         {"src_format": "NHQC", "dst_format": "NCHW"}, Unsupported, "an unknown axis"),
        ("ScaleAndTranslate", (rand(1, 4, 5, 3), Const(i(7, 4, dtype=np.int32)),
                               Const(f(1.4, 0.7)), Const(f(1))), {}, BadType, "one translation"),
        ("QuantizeV2", (rand(3), f(-1, -2), scalar(1.0)), {"T": Precision.INT8}, BadType,
         "two ends"),
        ("Betainc", (f(1, 2), f(1, 2, 3), f(0.1, 0.2)), {}, BadType, "other parameters"),
    )),
]  # fmt: skip
