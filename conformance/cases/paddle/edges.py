"""Where Paddle's operators turn: numbers without axes, bounds that are met, what almost fits."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, Unsupported
from nnir.types import Precision

from ...case import ROUNDS, Case, Const, f, i, rand, scalar

ROWS = rand(3, 4)
LINE = i(1, 2, 1)
I4 = Precision.INT32
CASES: list[Case] = [
    *(Case("equal_all", (rand(*a), rand(*b)), why=f"{a} and {b}")
      for a, b in (((2, 3), (3,)), ((2, 3), (3, 2)), ((2, 3), (1, 2, 3)), ((0,), (0,)))),
    *(Case("equal_all", (i(1, 2), i(1, n)), why=f"integers, {n}") for n in (2, 3)),
    *(Case("prelu", (x, a), {"mode": m}, why=f"{m} of {x.shape} by {a.shape}")
      for x, a, m in ((rand(2, 3), f(0.1, 0.2, 0.3), "channel"), (rand(2, 3), scalar(0.1), "all"),
                      (rand(2, 3), f(0.1).reshape(1, 1), "all"))),
    *(Case("diag", (x, 0, 0.0), why=f"of {x.shape}") for x in (scalar(2.0), f(2), rand(1, 1))),
    *(Case("trace", (rand(*n),), {"offset": k}, tol=ROUNDS, why=f"of {n} at {k}")
      for n in ((3, 3), (2, 4), (4, 2)) for k in (-1, 0, 1, 2)),
    *(Case("p_norm", (x,), {"keepdim": k, "asvector": True}, tol=ROUNDS, why=f"{x.shape}, {k}")
      for x in (scalar(-2.0), f(-2)) for k in (True, False)),
    *(Case("logcumsumexp", (x,), {"axis": a}, tol=ROUNDS, why=f"of {x.shape} along {a}")
      for x, a in ((f(2), 0), (f(1, 2), -1))),
    Case("view_dtype", (f(1, 2), Precision.FLOAT32), why="its own type"),
    Case("sequence_mask", (i(1, 3, 0), 1, Precision.INT64), why="one"),
    *(Case("unsqueeze", (ROWS, axes), why=f"at {axes}") for axes in ([], [-1], [2, 2])),
    *(Case("squeeze", (rand(1, 3, 1), axes), why=f"{axes}") for axes in ([], [0], [-1], [0, 1])),
    *(Case("partial_concat", ([rand(2, 5), rand(2, 5, seed=1)],),
           {"start_index": start, "length": n}, why=f"{n} from {start}")
      for start, n in ((0, 5), (4, 1), (-1, 1), (-5, 5), (1, -1), (0, -1))),
    *(Case("partial_sum", ([rand(2, 5), rand(2, 5, seed=1)],),
           {"start_index": start, "length": n}, tol=ROUNDS, why=f"{n} from {start}")
      for start, n in ((0, 5), (4, 1), (1, -1))),
    *(Case("pow", (x, y), why=f"{len(x)} to {y!r}", tol=ROUNDS) for x in (rand(3), f(2, 0.5))
      for y in (scalar(2.0), f(3), scalar(-0.5))),
    *(Case("logsigmoid", (f(-60, -39, -25, -21, -19, 0, 19, 21, 39, dtype=kind),), tol=ROUNDS,
           why="far out") for kind in (np.float32, np.float64)),
    *(Case(op, (rand(*sizes),), {"axis": axis, "flatten": flat, "exclusive": before,
                                 "reverse": back}, tol=ROUNDS,
           why=f"{sizes} along {axis}, {flat} {before} {back}")
      for op in ("cumsum", "cumsum_") for sizes, axis in (((3, 4), 0), ((3, 4), -1))
      for flat in ((False,) if op == "cumsum_" else (False, True))
      for before in (False, True) for back in (False, True)
      if op == "cumsum" or back or not before),
    *(Case("gather_tree", (i(*range(4 * n)).reshape(n, 2, 2),
                           i(*([0, 1, 1, 0] * n)).reshape(n, 2, 2)), why=f"{n} steps")
      for n in (1, 2, 4)),
    *(Case("fusion_repeated_fc_relu",
           (rand(2, 3), [rand(3, 4), *[rand(4, 4, seed=k) for k in range(n)]],
            [rand(4, seed=9), *[rand(4, seed=k) for k in range(n)]]), tol=ROUNDS, read=read,
           why=f"{n + 1} layers, {read} read") for n in (1, 2) for read in (n + 1,)),
    *(Case("fold", (rand(1, 12, n), [4, 5], [2, 3], [1, 1], pads, [1, 1]), raises=Unsupported,
           why=f"paddings {pads}") for n, pads in ((12, [1, 0, 0, 0]), (12, [0, 1, 0, 0]),
                                                   (12, [0, 0, 1, 0]))),
    Case("polygamma", (f(0.5, 2, -0.5, 0, -1, np.inf, -np.inf, np.nan), 0), why="order 0"),
    *(Case(op, (scalar(x),), {"axis": axis}, read=1, why=f"{x}, {axis}")
      for op in ("median", "nanmedian") for x in (1.5, np.nan) for axis in ([], [0])),
    *(Case("frame", (rand(3, 6), 2, 2), {"axis": axis}, why=f"axis {axis} of 2")
      for axis in (-1, 0)),
    *(Case("overlap_add", (rand(*sizes), 2), {"axis": axis}, tol=ROUNDS, why=f"{sizes}, {axis}")
      for sizes, axis in (((3, 4), -1), ((3, 4), 0))),
    *(Case("set_value_with_tensor", (rand(3, 4), new), {
          "starts": [a], "ends": [b], "steps": [1], "axes": [0], "decrease_axes": away,
          "none_axes": extra}, why=f"{new.shape} into {a} to {b}, {away} {extra}")
      for a, b, away, extra, new in (
          (1, 2, [0], [], rand(4)), (1, 2, [0], [], rand(1, 4)), (1, 2, [0], [], f(5)),
          (1, 2, [0], [], scalar(5)), (0, 2, [], [], rand(2, 4)), (0, 2, [], [], rand(1, 2, 4)),
          (0, 2, [], [0], rand(1, 2, 4)), (0, 2, [], [1], rand(2, 1, 4)), (0, 2, [], [], f(5)))),
    *(Case("send_u_recv", (rand(3, 2), i(0, 1, 2, 0), i(1, 2, 1, 0)),
           {"reduce_op": how, "out_size": size}, tol=ROUNDS, why=f"{how} of {size}")
      for how in ("SUM", "MEAN", "MAX", "MIN") for size in ([0], [4], Const(i(4)), i(3))),
    *(Case("slice", (rand(3, 4), [0], [a], [b], [1], []), why=f"{a} to {b}")
      for a, b in ((0, 3), (0, 9), (-3, 3), (-9, 9), (3, 3), (2, 1), (-1, 3))),
    *(Case("split_with_num", (rand(4, 2), n, 0), why=f"into {n}") for n in (1, 4)),
    *(Case("fractional_max_pool2d", (rand(1, 2, 4, 5), out), {"random_u": 0.3}, why=f"into {out}")
      for out in ([4, 5], [1, 1], [1, 5])),
    *(Case(f"tri{n}_indices", (r, c, 0, I4), why=f"{r} by {c}")
      for n in ("l", "u") for r, c in ((0, 3), (3, 0), (1, 1))),
    *(Case("linspace", (a, b, Const(scalar(n, np.int32)), Precision.FLOAT32), tol=ROUNDS,
           why=f"{n} numbers, {a.shape}")
      for a, b in ((scalar(1.0), scalar(3.0)), (f(1), f(3))) for n in (1, 2)),
    *(Case("clip", (f(-1, 0.5, 3), lo, hi), why=f"{lo} to {hi}")
      for lo, hi in ((0.5, 0.5), (-1.0, 3.0))),
    Case("clip", (f(-1, 0.5, 3), f(0.5), 0.7), why="a bound while running"),
    *(Case("scale", (x,), {"scale": s, "bias": b}, tol=ROUNDS, why=f"{x.dtype} {s} {b}")
      for x in (f(1, -2), i(1, -2)) for s, b in ((0.0, 1.0), (1.0, 0.0), (2.0, 0.0))),
    *(Case("pow", (i(2, -3), float(n)), why=f"integers to {n}") for n in (0, 1, 2)),
    *(Case("dist", (rand(*a), rand(*b, seed=1)), {"p": 2.0}, tol=ROUNDS, why=f"{a} and {b}")
      for a, b in (((0, 3), (3,)), ((2, 3), (1,)), ((3,), (2, 3)))),
    *(Case("repeat_interleave", (ROWS, n, a), why=f"{n} times along {a}")
      for n in (1, 3) for a in (0, -1)),
    *(Case("multiplex", ([rand(3, 2), rand(3, 2, seed=1)], np.array(at, np.int32).reshape(3, 1)),
           why=f"{at}") for at in ([0, 0, 0], [1, 1, 1])),
    *(Case("fill_diagonal", (rand(*n),), {"value": 2.0, "offset": k, "wrap": w},
           why=f"{n} at {k}, {w}")
      for n, k, w in (((3, 3), 1, False), ((3, 4), 2, False), ((3, 3), 0, True), ((2, 4), 0, True),
                      ((4, 3), 0, True))),
    *(Case(op, given, attrs, raises=error, why=why) for op, given, attrs, error, why in (
        ("pow", (i(2, 3), -1.0), {}, Unsupported, "an integer to -1"),
        ("clip", (f(1), 3.0, 2.0), {}, BadType, "bounds in another order"),
        ("partial_concat", ([rand(2, 5)],), {"start_index": 5, "length": 1}, BadType, "behind"),
        ("partial_concat", ([rand(2, 5)],), {"start_index": -6, "length": 1}, BadType, "before"),
        ("partial_concat", ([rand(2, 5)],), {"start_index": 2, "length": 4}, BadType, "too long"),
        ("split_with_num", (rand(4, 2), 0, 0), {}, BadType, "into none"),
        ("tril_indices", (-1, 3, 0, I4), {}, Unsupported, "rows below 0"),
        ("tril_indices", (3, -1, 0, I4), {}, Unsupported, "columns below 0"),
        ("fractional_max_pool2d", (rand(1, 2, 4, 5), [5, 5]), {"random_u": 0.3}, BadType,
         "more than there are"),
        ("copysign", (f(1, dtype=np.bool_), f(-1)), {}, Unsupported, "truth"),
        ("fill_diagonal", (rand(4, 3),), {"offset": -1}, Unsupported, "where Paddle leaves some"),
        ("fill_diagonal", (rand(3, 3, 3),), {"offset": 1, "wrap": True}, Unsupported, "beside"),
        ("fill_diagonal", (rand(3, 3, 2),), {"wrap": True}, Unsupported, "other sizes"),
    )),
    *(Case("fusion_repeated_fc_relu", (rand(2, 3), [rand(3, 4), rand(4, 5)],
                                       [rand(*one, 4), rand(*one, 5, seed=1)]), tol=ROUNDS,
           why=f"shifts of rank {len(one) + 1}") for one in ((1,), (1, 1))),
    *(Case(op, (rand(2, 3), None, 1.0), {"is_test": True, "mode": mode}, why=f"all, {mode}")
      for op in ("dropout", "dropout_") for mode in ("upscale_in_train", "downgrade_in_infer")),
    *(Case("fill_diagonal", (rand(*n),), {"value": 2.0, "offset": k}, why=f"{n} at {k}")
      for n, k in (((3, 0), -2), ((0, 3), 1))),
]  # fmt: skip
