"""Arithmetic on sizes, and promises about them."""

from __future__ import annotations

import numpy as np

from nnir.errors import DeviceError, Unsupported
from nnir.types import Precision

from ...case import Case, Limit, f, rand, scalar


def size(number: int) -> np.ndarray:
    """A size as a tensor without axes."""
    return np.array(number, np.int64)


ARITHMETIC = ("add", "eq", "floordiv", "ge", "gt", "le", "lt", "mod", "mul", "ne", "pow", "sub")
REAL = tuple(op for op in ARITHMETIC if op not in ("floordiv", "mod"))
YES, NO = scalar(True, np.bool_), scalar(False, np.bool_)
HALF = scalar(2.5, np.float64)

CASES = [
    *(Case(f"_operator.{op}", (size(7), size(2))) for op in ARITHMETIC),
    *(Case(f"_operator.{op}", (size(7), 3), why="a number") for op in ARITHMETIC),
    *(Case(f"_operator.{op}", (3, size(2)), why="a number first") for op in ARITHMETIC),
    *(Case(f"_operator.{op}", (HALF, size(2)), why="a float") for op in REAL),
    *(Case(f"_operator.{op}", (size(-7), 2), why="negative") for op in ("floordiv", "mod")),
    Case("_operator.truediv", (size(7), 2)),
    Case("_operator.truediv", (HALF, size(2)), why="a float"),
    Case("_operator.lshift", (size(5), 2)),
    Case("_operator.rshift", (size(-5), size(1))),
    Case("_operator.neg", (size(5),)),
    Case("_operator.neg", (HALF,), why="a float"),
    Case("_operator.pos", (size(5),)),
    Case("_operator.and_", (YES, NO)),
    Case("_operator.and_", (size(6), size(3)), why="integers"),
    Case("_operator.or_", (YES, False)),
    Case("_operator.or_", (size(6), 3), why="integers"),
    Case("_operator.add", (size(1), 2j), why="a complex number", raises=Unsupported),
    Case("torch.sym_max", (size(5), 7)),
    Case("torch.sym_max", (HALF, size(1)), why="a float"),
    Case("torch.sym_min", (size(5), size(7))),
    Case("torch.sym_not", (YES,)),
    Case("torch.sym_ite", (YES, 1, 0)),
    Case("torch.sym_ite", (NO, size(4), 9), why="a size"),
    Case("torch.sym_ite", (NO, size(4), 0.5), why="two types", raises=Unsupported),
    Case("torch.sym_float", (size(5),)),
    Case("torch.sym_int", (HALF,)),
    Case("torch.sym_sqrt", (size(9),)),
    *(Case(f"math.{op}", (HALF,)) for op in ("ceil", "floor", "trunc")),
    *(Case(f"math.{op}", (-HALF,), why="negative") for op in ("ceil", "floor", "trunc")),
    *(Case(f"math.{op}", (size(3),), why="an integer") for op in ("ceil", "floor")),
    Case("aten._is_all_true.default", (f(True, False, dtype=np.bool_),)),
    Case("aten._is_any_true.default", (f(True, False, dtype=np.bool_),)),
    Case("aten._assert_scalar.default", (True, "a message"), outputs=0),
    Case("aten._assert_async.default", (YES,), outputs=0),
    Case("aten._assert_async.msg", (YES, "a message"), outputs=0),
    Case("aten._assert_tensor_metadata.default", (rand(2, 3), [2, 3], [3, 1]), outputs=0),
    Case(
        "aten._assert_tensor_metadata.default",
        (rand(2, 3), [2, 3], [3, 1], Precision.FLOAT32),
        why="its type",
        outputs=0,
    ),
    Case(
        "aten._assert_tensor_metadata.default",
        (rand(2), None, None, Precision.INT32),
        why="another type",
        raises=Unsupported,
    ),
    Case("aten.sym_constrain_range.default", (3,), {"min": 1, "max": 5}, outputs=0),
    Case("aten.sym_constrain_range_for_size.default", (3,), {"min": 1}, outputs=0),
    Case(
        "aten.sym_constrain_range_for_size.default",
        (3,),
        {"min": 1, "max": 5},
        why="both ends",
        outputs=0,
    ),
    Case("aten._functional_assert_scalar.default", (True, "a message", f(1))),
    Case("aten._functional_assert_async.msg", (YES, "a message", f(1))),
    Case("aten._functional_sym_constrain_range.default", (3, 1, 5, f(1))),
    Case("aten._functional_sym_constrain_range_for_size.default", (3, 1, 5, f(1))),
]
CASES += [
    Case("_operator.or_", (YES, size(6)), why="a bool and a size"),
]
LIMITS = [
    Limit(
        c.op,
        device="onnxruntime",
        raises=DeviceError,
        why="onnxruntime runs no program without outputs",
    )
    for c in CASES
    if not c.outputs
]
