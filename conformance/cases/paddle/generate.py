"""Paddle's tensors made from numbers and sizes."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, NotConstant, Unsupported
from nnir.types import Precision

from ...case import ROUNDS, Case, Const, f, i, rand, scalar

inf = np.inf
F4, F8, I4, I8 = (Precision[n] for n in ("FLOAT32", "FLOAT64", "INT32", "INT64"))
BOOL, C8 = (Precision[n] for n in ("BOOL8", "COMPLEX64"))
FOUR = i(4, dtype=np.int32)

CASES = [
    Case("full", ([2, 3], 1.5)),
    Case("full", ([], 2.5), {"dtype": F8}, why="no axes"),
    Case("full", ([2], 2.7), {"dtype": I4}, why="the fraction is lost"),
    Case("full", ([1], -inf), why="infinite"),
    Case("full", ([2], True), {"dtype": BOOL}),
    Case("full", ([2], 1 + 2j), {"dtype": C8}),
    Case("full", ([0, 2], 1.0), why="empty"),
    Case("full", ([40, 40], 3), {"dtype": I8}, why="large"),
    Case("full", ([2, 2], 2**40), {"dtype": I8}, why="a long integer"),
    Case("full_", (rand(2), [2], 3.0)),
    Case("full_", (i(1, 2), [2], 3.0), {"dtype": I8}),
    Case("full_with_tensor", (f(2.5), [2, 3])),
    Case("full_with_tensor", (f(2.5), i(2, 3)), {"dtype": I4}, why="sizes of the program"),
    Case("full_with_tensor", (scalar(2.5), [2]), why="no axes"),
    Case("full_int_array", ([2, -1],), {"dtype": I8}),
    Case("full_int_array", ([3],), {"dtype": I4}),
    Case("full_int_array", ([],), {"dtype": I8}, why="empty"),
    Case("full_like", (i(1, 2), 2.5)),
    Case("full_like", (rand(2, 3), -1), {"dtype": I8}),
    Case("full_like", (rand(2, 3), f(2.5)), why="a tensor"),
    Case("full_like", (scalar(1), 2.0), why="no axes"),
    Case("fill", (rand(2, 3), 3.0)),
    Case("fill", (i(1, 2),)),
    Case("fill_", (rand(2), 3.0), why="in place"),
    Case("full_batch_size_like", (rand(3, 2), [-1, 2], F4, 1.5, 0, 0)),
    Case("full_batch_size_like", (rand(3, 2), [4, 1], I4, 7, 1, 1), why="another axis"),
    *(Case(op, ([2, 3],)) for op in ("ones", "zeros")),
    *(Case(op, ([2],), {"dtype": I4}) for op in ("ones", "zeros")),
    *(Case(f"{op}_like", (rand(2, 3),)) for op in ("ones", "zeros")),
    *(Case(f"{op}_like", (rand(2, 3),), {"dtype": BOOL}) for op in ("ones", "zeros")),
    Case("empty", ([2, 3],), random=True, why="what it holds is not said"),
    Case("empty", ([2],), {"dtype": I4}, random=True),
    Case("empty_like", (rand(2, 3),), random=True),
    Case("empty_like", (rand(2),), {"dtype": I8}, random=True),
    Case("assign_value_", (rand(2), [2], F4, [1.5, -2.5])),
    Case("assign_value_", (i(0, 0, 0, 0).reshape(2, 2), [2, 2], I8, [1, 2, 3, 4])),
    Case("assign_value_", (f(0), [], F4, [1.5]), why="no axes"),
    Case("assign_value", ([2], F8, [1.5, -2.5])),
    Case("assign_value", ([2, 2], BOOL, [True, False, False, True]), why="bools"),
    Case("arange", (Const(i(0)), Const(i(5)), Const(i(2))), {"dtype": I8}),
    Case("arange", (Const(i(5)), Const(i(0)), Const(i(-2))), {"dtype": I4}),
    Case("arange", (Const(i(0)), Const(i(5)), Const(i(-1))), {"dtype": I4}, why="the other way"),
    Case("arange", (Const(f(0)), Const(f(1)), Const(f(0.3))), {"dtype": F4}, tol=ROUNDS),
    Case("arange", (Const(f(0.5)), Const(f(3.9)), Const(f(1.5))), {"dtype": I4}, why="whole"),
    Case("arange", (Const(f(0)), Const(f(2)), Const(f(0.5))), why="float64"),
    Case("arange", (i(1), i(7), i(3)), {"dtype": I8}, why="known while running"),
    Case("arange", (f(0), f(1), f(0.25)), {"dtype": F4}, why="known while running"),
    Case(
        "arange",
        (Const(i(0)), Const(i(5)), Const(i(0))),
        {"dtype": I8},
        why="no step",
        raises=BadType,
    ),
    Case("range_v2", (Const(i(0)), Const(i(5)), Const(i(2))), {"dtype": I8}),
    Case("range_v2", (Const(f(0)), Const(f(2)), Const(f(0.5))), why="with its end"),
    Case("range_v2", (Const(i(3)), Const(i(0)), Const(i(-1))), {"dtype": I4}),
    Case("range_v2", (Const(i(0)), Const(i(3)), Const(i(-1))), why="no way", raises=BadType),
    Case("range_v2", (Const(i(0)), Const(i(1)), Const(i(-1))), why="no step", raises=BadType),
    Case("range_v2", (i(0), i(3), i(1)), why="while running", raises=NotConstant),
    Case("linspace", (Const(f(0)), Const(f(1)), Const(FOUR), F4), tol=ROUNDS),
    Case("linspace", (f(0), f(1), Const(FOUR), F4), tol=ROUNDS, why="known while running"),
    Case("linspace", (Const(i(10)), Const(i(-3)), Const(i(5, dtype=np.int32)), I8)),
    Case("linspace", (Const(f(0.7)), Const(f(9.9)), Const(FOUR), I4), why="whole"),
    Case("linspace", (Const(f(0.7)), Const(f(9)), Const(i(1, dtype=np.int32)), F8), why="one"),
    Case("logspace", (Const(f(0)), Const(f(2)), Const(FOUR), Const(f(10)), F4), tol=ROUNDS),
    Case("logspace", (Const(i(0)), Const(i(3)), Const(FOUR), Const(i(2)), I4)),
    Case("logspace", (f(0), f(2), Const(FOUR), f(10), F4), why="a base", raises=Unsupported),
    Case("eye", (2, 3), {"dtype": I4}),
    Case("eye", (3, -1), why="square"),
    Case("eye", (Const(f(3)), Const(f(2))), why="sizes as floats, as paddle.eye gives them"),
    Case("tril_indices", (3, 4, -1, I8)),
    Case("tril_indices", (2, 3, 1, I4), why="above"),
    Case("tril_indices", (1 << 20, 1 << 20, 1, I4), why="too large", raises=Unsupported),
    Case("triu_indices", (3, 4, 1, I4)),
    Case("triu_indices", (3, 2, -1, I8), why="below"),
    Case("meshgrid", ([f(1, 2), f(3, 4, 5)],)),
    Case("meshgrid", ([scalar(1), f(3, 4)],), why="no axes"),
    Case("meshgrid", ([i(1, 2)],), why="one"),
]
