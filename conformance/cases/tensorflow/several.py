"""A few operators of TensorFlow that are converted together, otherwise than one by one."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...case import ROUNDS, Case, Const, Made, i, rand

I32 = np.int32
WIDE = rand(2, 7, 9, 2)
KERNELS = {
    "Conv2D": rand(2, 3, 2, 3, seed=1),
    "DepthwiseConv2dNative": rand(2, 3, 2, 2, seed=1),
    "Conv3D": rand(2, 1, 2, 2, 3, seed=1),
}


def pairs(*given: tuple[int, int]) -> Const:
    """What is put around each axis, or cut off."""
    return Const(i(*given, dtype=I32).reshape(-1, 2))


def dilated(
    op: str,
    x: np.ndarray,
    blocks: tuple[int, ...],
    pads: Any,
    crops: Any,
    why: str,
    *,
    again: tuple[int, ...] | None = None,
    kernel: np.ndarray | None = None,
    axis: int | None = None,
    dropped: int | None = None,
    **attrs: Any,
) -> Case:
    """A convolution of every n-th element apart; of lines with an `axis` that is put in."""
    given = {"strides": [1] * (x.ndim + (axis is not None)), "padding": "VALID"} | attrs
    apart = Made(Case("SpaceToBatchND", (x, Const(i(*blocks, dtype=I32)), pads)))
    if axis is not None:
        apart = Made(Case("ExpandDims", (apart, Const(np.array(axis, I32)))))
    made = Made(Case(op, (apart, KERNELS[op] if kernel is None else kernel), given))
    if axis is not None:
        away = [axis if dropped is None else dropped]
        made = Made(Case("Squeeze", (made,), {"squeeze_dims": away}))
    together = Const(i(*(again or blocks), dtype=I32))
    return Case("BatchToSpaceND", (made, together, crops), tol=ROUNDS, why=f"{op}, {why}")


NONE = pairs((0, 0), (0, 0))
SOME, MORE = pairs((2, 3), (1, 2)), pairs((1, 0), (0, 1))
EVEN = rand(2, 6, 8, 2)
VOLUME = rand(1, 4, 6, 5, 2)
LINE = rand(2, 8, 3)
ROW, COLUMN = rand(1, 3, 3, 4, seed=2), rand(3, 1, 3, 4, seed=2)
ALONE = [
    *(dilated(op, EVEN, (2, 2), NONE, NONE, "nothing around") for op in list(KERNELS)[:2]),
    *(dilated(op, EVEN, (2, 4), NONE, NONE, "other steps") for op in list(KERNELS)[:2]),
    dilated("Conv2D", WIDE, (2, 3), SOME, NONE, "around all that stays"),
    dilated("Conv2D", WIDE, (2, 3), SOME, MORE, "cut off in part"),
    dilated("Conv2D", WIDE, (2, 3), SOME, SOME, "all is cut off"),
    dilated("Conv2D", EVEN, (2, 2), NONE, MORE, "more is cut off than was around"),
    dilated("Conv2D", rand(2, 7, 8, 2), (2,), pairs((1, 2)), pairs((0, 1)), "one axis"),
    dilated("DepthwiseConv2dNative", WIDE, (2, 3), SOME, MORE, "cut off in part"),
    dilated("Conv3D", VOLUME, (2, 2), NONE, NONE, "two axes of three"),
    dilated("Conv3D", VOLUME, (2, 3, 1), pairs((1, 1), (2, 1), (0, 0)),
            pairs((0, 1), (1, 0), (0, 0)), "three axes"),
    dilated("Conv3D", VOLUME, (2, 3, 1), pairs((1, 1), (2, 1), (0, 0)), pairs(*[(0, 0)] * 3),
            "around all that stays", kernel=rand(1, 2, 1, 2, 3, seed=1)),
    dilated("Conv2D", EVEN, (2, 2), NONE.array, NONE, "told while running what is around"),
    dilated("Conv2D", EVEN, (2, 2), NONE, NONE.array, "told while running what is cut off"),
    dilated("Conv2D", EVEN, (2, 2), NONE, NONE, "other steps behind it", again=(4, 1)),
    dilated("Conv2D", rand(2, 8, 8, 2), (4,), pairs((0, 0)), NONE, "two axes behind it",
            again=(2, 2)),
    dilated("Conv2D", rand(2, 8, 12, 2), (2, 2), NONE, NONE, "steps", strides=[1, 2, 2, 1]),
    dilated("Conv2D", EVEN, (2, 2), NONE, NONE, "borders of its own", padding="SAME"),
    dilated("Conv2D", rand(2, 8, 12, 2), (2, 2), NONE, NONE, "dilated itself",
            dilations=[1, 2, 2, 1]),
    dilated("Conv2D", EVEN, (2, 2), NONE, NONE, "not dilated itself", dilations=[1, 1, 1, 1]),
    dilated("Conv3D", rand(1, 4, 6, 5, 2), (2,), pairs((0, 0)), pairs((0, 0)), "one axis"),
]  # fmt: skip
LINES = [
    *(dilated("Conv2D", LINE, (2,), pairs(around), pairs(cut), f"a line at {axis}, {why}",
              axis=axis, kernel=ROW if axis % 4 == 1 else COLUMN)
      for axis in (1, 2, -2, -3)
      for around, cut, why in (((0, 0), (0, 0), "plain"), ((3, 1), (0, 0), "around"),
                               ((2, 4), (1, 2), "cut off in part"))),
    *(dilated("Conv2D", LINE, (2,), pairs((0, 0)), pairs((0, 0)), f"a line, {axis} and {dropped}",
              axis=axis, dropped=dropped, kernel=kernel)
      for axis, dropped, kernel in ((1, -3, ROW), (-2, 2, COLUMN))),
    dilated("Conv2D", LINE, (2,), pairs((0, 0)), pairs((0, 1)), "a line, more is cut off", axis=1,
            kernel=ROW),
    dilated("Conv2D", LINE, (2,), pairs((0, 0)), pairs((0, 0)).array, "a line, told while running",
            axis=1, kernel=ROW),
    dilated("Conv2D", LINE, (2,), pairs((0, 0)), pairs((0, 0)), "a line, steps", axis=1,
            kernel=rand(1, 2, 3, 4), strides=[1, 1, 2, 1]),
    dilated("DepthwiseConv2dNative", LINE, (2,), pairs((2, 2)), pairs((0, 0)), "a line", axis=1,
            kernel=rand(1, 3, 3, 2)),
]  # fmt: skip
PLAIN = [
    Case("BatchToSpaceND", (Made(Case("Relu", (rand(4, 3, 3, 2),))), Const(i(2, 2, dtype=I32)),
                            NONE), why="of no convolution"),
    Case("BatchToSpaceND",
         (Made(Case("Squeeze", (rand(2, 1, 3, 2),), {"squeeze_dims": [1]})), Const(i(2, dtype=I32)),
          pairs((0, 0))), why="of an axis dropped"),
    Case("BatchToSpaceND",
         (Made(Case("Conv2D", (rand(4, 3, 4, 2), KERNELS["Conv2D"]),
                    {"strides": [1] * 4, "padding": "VALID"})), Const(i(2, 2, dtype=I32)), NONE),
         tol=ROUNDS, why="of a convolution alone"),
    Case("BatchToSpaceND",
         (Made(Case("Conv2D", (Made(Case("Relu", (rand(4, 3, 4, 2),))), KERNELS["Conv2D"]),
                    {"strides": [1] * 4, "padding": "VALID"})), Const(i(2, 2, dtype=I32)), NONE),
         tol=ROUNDS, why="of a convolution of other things"),
]  # fmt: skip
CASES: list[Case] = [*ALONE, *LINES, *PLAIN]
