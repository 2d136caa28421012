"""ATen operators with attributes in all their combinations, on small data, open too."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from ...case import ROUNDS, Case, Const, Tolerance, f, i, rand

NEAR = Tolerance(relative=2e-5, absolute=1e-5)
IMAGE, VOLUME = rand(2, 3, 5, 6), rand(1, 2, 4, 5, 6)
SOUND = rand(2, 24)


def both(op: str, *given: Any, why: str, **more: Any) -> list[Case]:
    """A row with sizes that are known, and with open ones."""
    rows = {"tol": NEAR} | more
    return [Case(f"aten.{op}", given, why=why, is_open=k, **rows) for k in (False, True)]


PATCHES = [
    *(row for x in (IMAGE, IMAGE[0]) for kernel, spread, around, by in (
          ([2, 3], [1, 1], [0, 0], [1, 1]), ([2, 3], [2, 1], [1, 0], [1, 2]),
          ([1, 2], [1, 3], [0, 2], [2, 1]), ([5, 3], [1, 1], [0, 0], [5, 3]),
          ([5, 2], [1, 1], [0, 0], [1, 2]), ([1, 1], [1, 1], [0, 0], [1, 1]),
          ([2, 2], [1, 1], [2, 1], [3, 2]), ([5, 6], [1, 1], [0, 0], [1, 1]))
      for row in both("im2col.default", x, kernel, spread, around, by,
                      why=f"{x.ndim}, {kernel} {spread} {around} {by}")),
    *(Case("aten.adaptive_max_pool3d.default", (x, to), outputs=2, why=f"{x.shape} to {to}")
      for x in (VOLUME, VOLUME[0], rand(2, 3, 5, 4, 7)) for to in (
          [1, 1, 1], [2, 2, 2], [4, 5, 6], [2, 3, 4], [3, 1, 2], [1, 5, 1])),
    *(Case("aten.adaptive_max_pool3d.default", (rand(*sizes), [2, 2, 2]), outputs=2, is_open=True,
           why=f"open {sizes}")
      for sizes in ((1, 2, 1, 4, 6), (1, 2, 4, 1, 6), (1, 2, 4, 6, 1))),
    *(Case("aten._adaptive_avg_pool3d.default", (x, to), tol=NEAR, why=f"{x.shape} to {to}")
      for x in (VOLUME, VOLUME[0], rand(2, 3, 5, 4, 7)) for to in (
          [1, 1, 1], [2, 2, 2], [4, 5, 6], [2, 3, 4], [3, 1, 2], [1, 5, 1])),
    *(Case("aten.max_unpool2d.default", (rand(*lead, 2, 2, seed=4),
                                         np.broadcast_to(i([0, 3], [7, 10]), (*lead, 2, 2)).copy(),
                                         to), why=f"{lead} into {to}")
      for lead in ((2,), (2, 3)) for to in ([3, 4], [4, 4], [2, 6])),
    *(row for k, by in product((1, 2, 3), (1, 2)) for row in both(
        "pixel_unshuffle.default" if by == 1 else "pixel_shuffle.default", rand(2, k * k, 6, 6), k,
        why=f"{k} by {k}")),
]  # fmt: skip
ROWS = f([3, 1, 3, 1, 2], [5, 5, 4, 4, 4], [1, 2, 3, 4, 5])
ORDER = [
    *(row for x, axis, keep in product((ROWS, i([2, 2, 1], [0, 1, 1]), rand(2, 1, 3)), (0, -1, 1),
                                       (False, True))
      for row in both("mode.default", x, axis, keep, outputs=2,
                      why=f"{x.shape} along {axis}, {keep}")),
    Case("aten.mode.default", (rand(2, 3, 4, dtype=np.int32, low=0, high=2),), outputs=2,
         why="the last of three axes"),
    *(row for x, axis, keep, k in product((rand(3, 5), f(2, 1, 3)), (0, -1), (False, True),
                                          (1, 2, 3))
      for row in both("kthvalue.default", x, k, axis, keep, outputs=2,
                      why=f"{x.shape}, {k} along {axis}, {keep}")),
    *(row for x, axis, most, k in product((ROWS, ROWS.astype(np.int32)), (0, 1, -1), (False, True),
                                          (1, 2, 3))
      for row in both("topk.default", x, k, axis, most, outputs=2, read=1,
                      why=f"{x.dtype}, {k} along {axis}, {most}")),
    *(row for x, axis, down in product((ROWS, i(3, 1, 2)), (0, -1), (False, True))
      for row in both("sort.default", x, axis, down, outputs=2, read=1,
                      why=f"{x.shape} along {axis}, {down}")),
    *(row for line, x, right in product((f(1, 2, 2, 4), f([1, 3, 5], [0, 0, 9])),
                                        (f([2, 0, 5], [0, 4, 9]),), (False, True))
      for row in both("searchsorted.Tensor", line, x, why=f"{line.ndim} axes, {right}",
                      attrs={"right": right})),
    *(Case("aten.unique_consecutive.default", (x, inverse, counts, axis), outputs=3,
           why=f"{x.shape} {inverse} {counts} {axis}")
      for x, axis in ((i(1, 1, 2, 2, 1), None), (i([1, 1], [1, 1], [2, 1]), 0),
                      (i([1, 1, 2], [3, 3, 2]), 1), (i([1, 1], [1, 2]), None), (i(), None))
      for inverse, counts in ((True, True),)),
    *(row for given, size in ((i(2, 0, 1), None), (i(2, 0, 1), 3), (i(0, 0), None), (i(), None),
                              (i(1, 3, dtype=np.int32), None))
      for row in both("repeat_interleave.Tensor", given, why=f"{list(given)}, {size}",
                      attrs={} if size is None else {"output_size": size})),
    *(row for times, axis in ((i(2, 0, 1), 0), (i(1, 2, 0, 3, 1), -1), (i(2), 1), (i(2), 0))
      for kind, given in (("known", Const(times)), ("running", times))
      for row in both("repeat_interleave.self_Tensor", ROWS, given, axis,
                      why=f"{times.size} times along {axis}, {kind}")),
]  # fmt: skip
WINDOW = rand(8, low=0.2, high=1)
FRAMES = [
    *(row for x, n, hop, length, window in ((SOUND, 8, 4, 8, WINDOW), (SOUND[0], 8, 3, 8, WINDOW),
                                            (SOUND, 8, 2, 5, WINDOW[:5].copy()),
                                            (SOUND, 6, 6, 6, None),
                                            (SOUND, 7, 3, 4, WINDOW[:4].copy()))
      for normed, half in ((False, True), (True, True), (False, False))
      for row in both("stft.default", x, n, hop, length, window, normed, half, True,
                      why=f"{x.ndim}, {n} {hop} {length} {normed} {half}")),
]  # fmt: skip
FAR = f(-60, -39, -30, -25, -21, -19, 0, 19, 21, 25, 39, dtype=np.float64)
SMOOTH = [
    *(Case(f"aten.{op}.default", (FAR.astype(kind),), tol=tol, why=f"far out, {kind.__name__}")
      for op in ("log_sigmoid", "softplus", "elu", "mish", "celu", "selu", "gelu", "sigmoid")
      for kind, tol in ((np.float32, NEAR), (np.float64, ROUNDS))),
    *(Case("aten.elu.default", (f(-2, -0.5, 0, 1), *given), tol=NEAR, why=f"{given}")
      for given in ((2.0,), (1.0, 1.5), (0.5, 1.0, 2.0), (1.0, 1.0, 0.5))),
    *(Case("aten.softplus.default", (f(-2, 0, 1, 3, 9), *given), tol=NEAR, why=f"{given}")
      for given in ((2.0,), (0.5, 3.0), (1.0, 2.0))),
]  # fmt: skip
CASES: list[Case] = [*SMOOTH, *PATCHES, *ORDER, *FRAMES]
