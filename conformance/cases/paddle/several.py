"""A few of Paddle's operators together: sizes that are read of one tensor and given to another."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...case import ROUNDS, Case, Const, Made, f, i, rand

X, TALL, WIDE = rand(3, 4), rand(5, 3), rand(1, 2, 6, 7)


GIVEN: dict[str, Any] = {"data_format": "NCHW", "out_d": -1, "out_h": -1, "out_w": -1, "scale": []}
GIVEN |= {"align_corners": False, "align_mode": 1}


def of(op: str, *given: Any, **attrs: Any) -> Made:
    """What an operator gives."""
    return Made(Case(op, given, attrs))


def sizes(x: Any) -> Made:
    """The sizes of a tensor."""
    return of("shape", x)


def entry(x: Any, axis: int) -> Made:
    """The size of an axis."""
    return of("slice", sizes(x), [0], [axis], [axis + 1], [1], [0])


def vector(x: Any, axis: int) -> Made:
    """The size of an axis in a vector."""
    return of("slice", sizes(x), [0], [axis], [axis + 1], [1], [])


def both(op: str, *given: Any, why: str, **more: Any) -> list[Case]:
    """A row with sizes that are known, and with open ones."""
    return [Case(op, given, why=why, is_open=is_open, **more) for is_open in (False, True)]


CASES: list[Case] = [
    *both("reshape", X, of("concat", [vector(X, 1), vector(X, 0)], 0), why="sizes exchanged"),
    *both("reshape", TALL, of("concat", [vector(TALL, 0), Const(i(-1, dtype=np.int32))], 0),
          why="one of the sizes"),
    *both("expand", rand(1, 4), sizes(X), why="the sizes of another"),
    *both("expand", X, sizes(X), why="its own sizes"),
    *both("expand_as", rand(1, 4), of("relu", X), None, why="what is computed"),
    *both("tile", rand(2, 1), sizes(X), why="as often as sizes of another"),
    *both("full_with_tensor", Const(f(2.5)), sizes(X), why="the sizes of another"),
    *both("eye", entry(X, 0), Const(f(2)), why="as many as rows"),
    *both("eye", entry(X, 0), entry(TALL, 0), why="rows of two tensors"),
    *both("split", rand(7, 2), of("concat", [vector(X, 0), vector(X, 1)], 0), 0, outputs=2,
          why="sizes of another"),
    *both("split", rand(2, 7), of("concat", [vector(X, 0), Const(i(-1, dtype=np.int32))], 0), 1,
          outputs=2, why="a size, and what is left"),
    *both("slice", TALL, [0], vector(rand(2, 1), 0), Const(i(5, dtype=np.int32)), [-1], [],
          why="from the size of another on"),
    *both("slice", TALL, [0], [0], vector(X, 0), [-1], [], why="up to the size of another"),
    *both("slice", TALL, [0, 1], of("concat", [vector(rand(2, 1), 0), vector(rand(1, 1), 0)], 0),
          of("concat", [vector(X, 0), vector(X, 0)], 0), [-1, -1], [0],
          why="the one at the size of another, and from a size on"),
    *both("slice", TALL, [0], i(1, dtype=np.int32), vector(X, 0), [-1], [],
          why="from a place that is told while running"),
    *both("slice", rand(3, 4, 5), [0, 2], i(1, 2, dtype=np.int32), i(2, 4, dtype=np.int32),
          [-1, -1], [0], why="one that is told while running, and a part"),
    *both("slice", rand(3, 4, 5), [0, 2], i(1, 2, dtype=np.int32), i(2, 3, dtype=np.int32),
          [-1, -1], [0, 2], why="two that are told while running"),
    *both("strided_slice", TALL, [0], Const(i(0)), vector(X, 1), Const(i(2)),
          why="every second up to the size of another"),
    *(row for mode in ("constant", "reflect", "replicate", "circular")
      for row in both("pad3d", WIDE[..., None].copy(),
                      of("concat", [Const(i(0, 0, dtype=np.int32)), vector(X, 0), vector(X, 0),
                                    Const(i(1, 2, dtype=np.int32))], 0), mode,
                      why=f"{mode}, as far as sizes of another") if mode == "constant"),
    *both("gather", sizes(rand(2, 3, 4)), i(2, 0), why="of sizes"),
    *both("assign", sizes(TALL), why="sizes"),
    *both("numel", of("relu", TALL), why="of what is computed"),
    *(row for op in ("bilinear_interp", "nearest_interp") for row in both(
        op, WIDE, of("concat", [vector(X, 1), vector(TALL, 0)], 0), None, None, tol=ROUNDS,
        attrs=GIVEN | {"interp_method": op.removesuffix("_interp")}, why="to sizes of others")),
]  # fmt: skip
