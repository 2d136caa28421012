"""A few operators of TensorFlow that are converted together, otherwise than one by one."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...case import EXACT, ROUNDS, Case, Const, Made, i, rand

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
    dilated("Conv2D", EVEN, (2, 2, 1), pairs(*[(0, 0)] * 3), pairs(*[(0, 0)] * 3), "channels too"),
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
    dilated("Conv2D", LINE, (2, 1), NONE, NONE, "a line and channels", axis=1, kernel=ROW),
    dilated("Conv2D", LINE, (2, 1), NONE, NONE, "a line and channels, 2", axis=2, kernel=COLUMN),
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
    *(Case("BatchToSpaceND",
           (Made(Case("Squeeze", (Made(Case("Conv2D", (x, rand(1, 2, 2, 3)),
                                            {"strides": [1] * 4, "padding": "VALID"})),),
                      {"squeeze_dims": [1]})), Const(i(2, dtype=I32)), pairs((0, 0))), tol=ROUNDS,
           why=f"of an axis dropped behind a convolution of {what}")
      for x, what in ((rand(2, 1, 4, 2), "an input"),
                      (Made(Case("Relu", (rand(2, 1, 4, 2),))), "other things"))),
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
X, TALL = rand(3, 4), rand(5, 3, 2)
ZERO = Const(np.array(0, I32))


def known(*numbers: int) -> Const:
    """Integers that the model holds."""
    return Const(i(*numbers, dtype=I32))


def of(op: str, *given: Any, **attrs: Any) -> Made:
    """What an operator gives."""
    return Made(Case(op, given, attrs))


def both(
    op: str, *given: Any, why: str, outputs: int = 1, tol: Any = EXACT, **attrs: Any
) -> list[Case]:
    """A row with sizes that are known, and with open ones."""
    return [Case(op, given, attrs, tol, why, outputs=outputs, is_open=k) for k in (False, True)]


def entry(x: np.ndarray, axis: int) -> Made:
    """The size of an axis, as models take it out of a shape."""
    bounds = known(axis), known(axis + 1), known(1)
    return of("StridedSlice", of("Shape", x), *bounds, shrink_axis_mask=1)


SHAPES = [
    *both("Unpack", of("Shape", X), why="a shape", outputs=2, num=2, axis=0),
    *both("Unpack", of("Shape", X), why="a shape from behind", outputs=2, num=2, axis=-1),
    *both("SplitV", of("Shape", TALL), known(1, 2), ZERO, why="a shape", outputs=2, num_split=2),
    *both("SplitV", of("Shape", TALL), known(2, -1), ZERO, why="a shape, and what is left",
          outputs=2, num_split=2),
    *both("Split", ZERO, of("Shape", X), why="a shape", outputs=2, num_split=2),
    *(row for given in ((4,), (1, 4), (3, 1), (2, 1, 1))
      for row in both("BroadcastArgs", of("Shape", X), known(*given), why=f"a shape and {given}")),
    *both("BroadcastArgs", known(3, 1), of("Shape", X), why="a shape behind"),
    *both("BroadcastTo", TALL[:1, :, :1].copy(), of("BroadcastArgs", of("Shape", X[:, :1].copy()),
                                                    known(5, 1, 4)), why="what two shapes give"),
    *both("BroadcastTo", rand(1, 4), of("Shape", X), why="the shape of another"),
    *both("BroadcastTo", X, of("Shape", X), why="its own shape"),
    *both("Reshape", X, of("Pack", [entry(X, 1), entry(X, 0)], axis=0), why="sizes exchanged"),
    *both("Reshape", X, of("Pack", [entry(X, 0), Const(np.array(-1, I32))], axis=0),
          why="one of the sizes"),
    *both("Reshape", TALL, of("ConcatV2", [of("Slice", of("Shape", TALL), known(0), known(1)),
                                           known(-1)], ZERO), why="a part of its shape"),
    *both("Reshape", TALL, of("ConcatV2", [known(-1), of("StridedSlice", of("Shape", TALL),
                                                         known(1), known(3), known(1))], ZERO),
          why="the rest of its shape"),
    *both("Tile", rand(2, 1), of("Shape", X), why="as often as sizes of another"),
    *both("Tile", rand(2, 1), of("Pack", [Const(np.array(1, I32)), entry(X, 1)], axis=0),
          why="as often as a size of another"),
    *both("Fill", of("Shape", X), np.array(2.5, np.float32), why="the shape of another"),
    *both("Range", ZERO, entry(X, 0), Const(np.array(1, I32)), why="up to a size"),
    *both("Slice", TALL, known(0, 0, 0), of("Pack", [entry(X, 0), entry(TALL, 1),
                                                     Const(np.array(-1, I32))], axis=0),
          why="as many as another has"),
    *both("Slice", TALL, of("Pack", [entry(rand(2, 1), 0), ZERO, ZERO], axis=0), known(2, 3, -1),
          why="from the size of another on"),
    *both("Slice", TALL, of("Pack", [entry(rand(2, 1), 0), ZERO, ZERO], axis=0),
          of("Pack", [entry(X, 0), Const(np.array(3, I32)), Const(np.array(2, I32))], axis=0),
          why="from a size, as many as a size"),
    *both("Slice", X, known(1, 0), of("Pack", [Const(np.array(-1, I32)), entry(X, 1)], axis=0),
          why="its own size"),
    *both("StridedSlice", TALL, known(0), of("Slice", of("Shape", X), known(0), known(1)), known(1),
          why="up to the size of another"),
    *both("StridedSlice", X, known(0, 0), of("Shape", X), known(1, 1), why="up to its own sizes"),
    *both("StridedSlice", TALL, of("Slice", of("Shape", rand(2, 1)), known(0), known(1)), known(5),
          known(2), why="from the size of another on, every second"),
    *both("StridedSlice", TALL, of("Pack", [entry(rand(2, 1), 0)], axis=0), known(0), known(1),
          why="the one at the size of another", shrink_axis_mask=1),
    *both("StridedSlice", TALL, of("Pack", [entry(rand(2, 1), 0), entry(rand(1, 1), 0)], axis=0),
          known(0, 0), known(1, 1), why="the ones at sizes of others", shrink_axis_mask=3),
    *both("Pad", X, of("Pack", [known(1, 2), of("Shape", rand(2, 1))], axis=0),
          why="as far as sizes of another"),
    *both("PadV2", X, of("Pack", [of("Shape", rand(2, 1)), known(0, 3)], axis=0),
          np.array(7, np.float32), why="as far as sizes of another"),
    *both("MirrorPad", X, of("Pack", [known(1, 2), of("Shape", rand(2, 1))], axis=0),
          why="as far as sizes of another", mode="REFLECT"),
    *both("GatherV2", of("Shape", TALL), known(2, 0), ZERO, why="of a shape"),
    *both("Prod", of("Shape", TALL), ZERO, why="of a shape"),
    *both("Size", of("Relu", TALL), why="of what is computed"),
    *both("Rank", of("Relu", TALL), why="of what is computed"),
    *both("OneHot", i(0, 2, 1), entry(X, 0), np.array(1, np.float32), np.array(0, np.float32),
          why="as deep as another has rows"),
]  # fmt: skip
MASKED = [
    *(row for masks in ({"begin_mask": 1}, {"begin_mask": 2}, {"end_mask": 1}, {"end_mask": 2},
                        {"begin_mask": 3, "end_mask": 3}, {"begin_mask": 1, "end_mask": 3},
                        {"shrink_axis_mask": 1}, {"shrink_axis_mask": 2}, {"shrink_axis_mask": 3},
                        {"new_axis_mask": 1}, {"new_axis_mask": 2}, {"ellipsis_mask": 1},
                        {"ellipsis_mask": 2}, {"ellipsis_mask": 1, "shrink_axis_mask": 2},
                        {"ellipsis_mask": 2, "new_axis_mask": 1},
                        {"ellipsis_mask": 1, "new_axis_mask": 3})
      for steps in ((1, 1), (1, 2)) for x in (X, TALL)
      for row in both("StridedSlice", x, known(1, 0), known(3, 2), known(*steps),
                      why=f"{masks} by {steps} of {x.ndim}", **masks)),
    *(row for masks in ({}, {"begin_mask": 1}, {"end_mask": 1}, {"begin_mask": 1, "end_mask": 1})
      for first, last in ((-1, -4), (2, 0), (9, -9))
      for row in both("StridedSlice", TALL, known(first), known(last), known(-2),
                      why=f"{masks}, back from {first} to {last}", **masks)),
    *(row for at in (0, -1, 2)
      for row in both("StridedSlice", X, known(at, at), known(0, 0), known(1, 1),
                      why=f"the one at {at}", shrink_axis_mask=3)),
]  # fmt: skip
BACK = "Conv2DBackpropInput"
FILTER, SMALL = rand(3, 3, 2, 4, seed=5), rand(2, 2, 2, 4, seed=5)
GRADS = rand(1, 6, 8, 4)
TURNED = [
    *(row for kernel in (FILTER, SMALL) for padding in ("SAME", "VALID") for steps in (1, 2)
      for row in both(BACK, of("Pack", [Const(np.array(1, I32)), *(
          of("AddV2", of("Mul", entry(GRADS, k), Const(np.array(steps, I32))),
             Const(np.array(0 if padding == "SAME" else kernel.shape[0] - steps, I32)))
          for k in (1, 2)), Const(np.array(2, I32))], axis=0), kernel, GRADS,
          why=f"{padding}, {steps} of {len(kernel)}", strides=[1, steps, steps, 1],
          padding=padding, tol=ROUNDS)),
]  # fmt: skip
CASES: list[Case] = [*ALONE, *LINES, *PLAIN, *SHAPES, *MASKED, *TURNED]
