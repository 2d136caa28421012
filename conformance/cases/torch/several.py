"""A few ATen operators together: sizes that are read of one tensor and given to another."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType, NotConstant, Unsupported

from ...case import ROUNDS, Case, Const, Made, f, i, rand, scalar

X, TALL, LINE = rand(3, 4), rand(5, 3), rand(6)
IMAGE = rand(1, 2, 4, 5)
MODES = ("constant", "reflect", "replicate", "circular")


def size(x: Any, axis: int = 0) -> Made:
    """The size of an axis."""
    return Made(Case("aten.sym_size.int", (x, axis)))


def of(op: str, *given: Any, **attrs: Any) -> Made:
    """What an operator gives."""
    return Made(Case(f"aten.{op}", given, attrs))


def both(op: str, *given: Any, why: str, **more: Any) -> list[Case]:
    """A row with sizes that are known, and with open ones."""
    rows = [
        Case(f"aten.{op}", given, why=why, is_open=is_open, **more) for is_open in (False, True)
    ]
    return rows[:1] if more.get("raises") else rows


SIZES = [
    *both("eye.default", size(X), why="as many as rows"),
    *both("eye.m", size(X), size(TALL), why="rows of two tensors"),
    *both("eye.m", 2, size(X, 1), why="columns of a tensor"),
    *both("zeros.default", [size(X), 2], why="as many as rows"),
    *both("full.default", [2, size(X, 1)], 1.5, why="as many as columns"),
    *both("expand.default", LINE[:4].copy(), [size(X), -1], why="as many as rows"),
    *both("expand.default", rand(1, 4), [size(X), size(X, 1)], why="sizes of another"),
    *both("view.default", X, [size(X, 1), size(X)], why="sizes that are exchanged"),
    *both("reshape.default", X, [size(X), 2, -1], why="the first as it is"),
    *both("repeat.default", rand(2, 1), [1, size(X)], why="as often as rows"),
    *both("slice.Tensor", TALL, 0, 0, size(X), why="as many as rows of another"),
    *both("slice.Tensor", X, 0, 0, size(X), why="all of them"),
    *both("slice.Tensor", TALL, 0, size(X), 9, why="from the size of another on"),
    *both("slice.Tensor", TALL, 0, 0, of("sym_size.int", X, 1), 2, why="every second"),
    *both("narrow.default", TALL, 0, 1, size(X), why="as many as rows of another"),
    *both("narrow.default", X, 1, 0, size(X, 1), why="all of them"),
    *both("narrow.default", TALL, 0, size(rand(2, 1)), 2, why="from the size of another on"),
    *both("split_with_sizes.default", rand(7), [size(X), size(X, 1)], why="sizes of another",
          outputs=2),
    *both("index_select.default", TALL, 0, of("arange.default", 3), why="what counts"),
]  # fmt: skip
WIDE, DEEP = rand(2, 6, 7), rand(1, 2, 6, 7)
PADS = [
    *(row for mode in MODES for x, pads, why in (
          (WIDE, [size(X), 0], "front"), (WIDE, [0, size(X)], "behind"),
          (WIDE[None], [1, size(X), 0, 2], "two axes"),
          (WIDE[None], [2, 1, size(X), 3], "the second but last"))
      for row in both("pad.default", x, pads, mode, why=f"{mode}, {why}")),
    *both("constant_pad_nd.default", X, [size(X), 1, 0, size(X, 1)], why="all axes"),
    *both("constant_pad_nd.default", X, [size(X), 1, 0, size(X, 1)], 2.5, why="all axes, a number"),
    *both("constant_pad_nd.default", WIDE, [size(X), 1], -1, why="the last axis"),
    *(row for mode in MODES for x, pads, why in (
          (WIDE, [size(WIDE), 1], "its last axis"), (WIDE, [0, size(WIDE)], "behind"),
          (DEEP, [1, size(DEEP, 1), size(DEEP, 1), 2], "its last two axes"))
      for row in both("pad.default", x, pads, mode, why=f"{mode}, as far as it has rows, {why}")),
    *both("constant_pad_nd.default", X, [1, size(X, 1)], 2.5, why="its own columns"),
    *both("constant_pad_nd.default", WIDE, [size(WIDE, 1), 2, 0, size(WIDE)], why="its own sizes"),
    *both("constant_pad_nd.default", LINE, [size(X), size(X, 1)], why="a line"),
]  # fmt: skip
VIEWS = [
    *(Case("aten.as_strided.default", (of(op, *given), [2, 3], [3, 1]), why=why)
      for op, given, why in (
          ("relu.default", (X,), "of what is computed"),
          ("add.Tensor", (X, rand(3, 4)), "of a sum"),
          ("mul.Tensor", (X, Const(rand(4))), "of a product with a line"),
          ("view.default", (X, [2, 6]), "of a view"),
          ("mul.Tensor", (X, scalar(2.0)), "of a product with a number"),
          ("relu.default", (of("view.default", X, [4, 3]),), "of what a view gives"))),
    *(Case("aten.as_strided.default", (of(op, *given), [2, 2], [2, 1]), why=why, raises=Unsupported)
      for op, given, why in (
          ("permute.default", (X, [1, 0]), "of a transpose"),
          ("relu.default", (of("permute.default", X, [1, 0]),), "of what a transpose gives"),
          ("slice.Tensor", (X, 1, 1, 3), "of a slice"),
          ("expand.default", (LINE, [2, 6]), "of what is repeated"),
          ("add.Tensor", (X, of("permute.default", rand(4, 3), [1, 0])), "of a turned sum"),
          ("add.Tensor", (of("permute.default", rand(4, 3), [1, 0]), X), "of another sum"))),
    Case("aten.as_strided.default", (of("mm.default", X, rand(4, 3)), [2, 2], [2, 1]),
         tol=ROUNDS, why="of a product"),
    Case("aten.as_strided.default", (Const(np.asfortranarray(X)), [2, 3], [3, 1]),
         why="of numbers in another order", raises=Unsupported),
    Case("aten.as_strided.default", (Const(X), [2, 3], [3, 1]), why="of known numbers"),
    *both("as_strided.default", X, [2, 3], [3, 1], 1, why="from the second on"),
    *both("as_strided_scatter.default", X, rand(2, 3), [2, 3], [3, 1], why="longer rows"),
    Case("aten.sym_storage_offset.default", (of("relu.default", X),), why="of what is computed"),
]  # fmt: skip
YES, NO = scalar(True, np.bool_), scalar(False, np.bool_)
MASK = i([1, 0, 1, 1], [0, 0, 1, 0], [1, 1, 0, 0]).astype(np.bool_)
GRID = [i([0], [2]), i(1, 3)]
# where a mask without axes stands alone, or is false, PyTorch's kernel fails or reads anything
MASKS = [
    Case("aten.index.Tensor", (X, [YES, i(1, 0)]), why="true and places"),
    *(Case("aten.index_put.default", (X, where, new), why=f"{why}, {list(new.shape)}")
      for where, new, why in (
          ([YES], scalar(7.0), "true"), ([NO], scalar(7.0), "false"), ([i(2)], f(5), "one of all"),
          (GRID, rand(2, 2), "a grid"), (GRID, rand(2, 1), "a grid"), ([MASK], rand(6), "a mask"),
          ([MASK], f(2), "a mask, one of all"), ([None, MASK[0]], rand(3, 3), "a mask of columns"),
          ([MASK[:, 0].copy()], rand(1, 4), "a mask of rows"))),
    *(Case("aten.index_put.default", (X, where, new, True), tol=ROUNDS,
           why=f"adds, {why}")
      for where, new, why in (
          ([i(0, 0, 2)], rand(3, 4), "rows"), ([i(0, 0), i(1, 1)], f(1, 2), "one place twice"),
          ([None, i(3, 3)], rand(3, 2), "columns"), ([MASK], scalar(2.0), "a mask"))),
]  # fmt: skip
ONE, ZERO = scalar(1, np.int64), scalar(0, np.int64)
PLACES = [
    *(Case(f"aten.{op}.default", (rand(3, 4), axis, at, rand(*new)),
           why=f"{list(new)} along {axis}")
      for op in ("index_copy", "index_add")
      for axis, at, new in ((0, i(2, 0), (2, 4)), (1, i(3, 1, 0), (3, 3)), (-1, i(2), (3, 1)),
                            (-2, i(1), (1, 4)))),
    *(Case(f"aten.{op}.default", (LINE, 0, at, new), why=f"{at.ndim} and {new.ndim} axes of a line")
      for op in ("index_copy", "index_add") for at, new in ((ONE, f(5)), (i(1), f(5)))),
    *(Case(f"aten.{op}.default", (scalar(2.0), 0, at, new), why=f"{at.ndim} axes of a number")
      for op, at, new in (("index_copy", ZERO, scalar(5.0)), ("index_copy", i(0), f(5)),
                          ("index_add", ZERO, scalar(5.0)))),
    *(Case("aten.index_fill.int_Scalar", (x, axis, at, 9.0),
           why=f"{at.ndim} axes of {x.ndim} along {axis}")
      for x, axis in ((scalar(2.0), 0), (LINE, 0), (X, 0), (X, 1), (rand(2, 3, 4), 1))
      for at in (ZERO, i(0))),
    *(Case("aten.slice_scatter.default", (TALL, rand(*new), axis, first, last, by),
           why=f"{first} to {last} by {by} along {axis}", is_open=is_open)
      for axis, first, last, by, new in (
          (0, 1, 3, 1, (2, 3)), (0, None, 2, 1, (2, 3)), (0, -2, None, 1, (2, 3)),
          (0, 0, 9, 2, (3, 3)), (0, -9, -1, 3, (2, 3)), (1, 0, 3, 1, (5, 3)), (1, 1, 2, 1, (5, 1)),
          (1, -2, 9, 1, (5, 2)), (0, 3, 3, 1, (0, 3)), (0, 4, 2, 1, (0, 3)), (1, 0, 3, 2, (5, 2)))
      for is_open in (False, True)),
    *(Case("aten.select_scatter.default", (TALL, rand(*new), axis, at), why=f"{at} along {axis}",
           is_open=is_open)
      for axis, at, new in ((0, 0, (3,)), (0, -1, (3,)), (1, 2, (5,)), (-1, -3, (5,)))
      for is_open in (False, True)),
    *(Case("aten.scatter.src", (rand(3, 4), axis, at, rand(3, 4, seed=1)),
           why=f"{list(at.shape)} places along {axis} of more")
      for axis, at in ((0, i([2, 0])), (1, i([3], [1])), (0, i([0, 1, 2, 0])), (-1, i([1, 2, 0])),
                       (1, np.zeros((0, 4), np.int64)))),
    *(Case("aten.scatter.src", (x, 0, at, new), why=f"{x.ndim}, {at.ndim} and {new.ndim} axes")
      for x, at, new in ((scalar(1.0), i(0), f(3)), (scalar(1.0), ZERO, f(3)),
                         (LINE, ONE, scalar(3.0)), (LINE, i(1), f(3, 4)))),
    *(Case("aten.bincount.default", (i(*x), weights, least), why=f"{list(x)}, at least {least}")
      for x, weights, least in (((), None, 0), ((), None, 2), ((2,), None, 1),
                                ((2, 2), f(1, 2), 4))),
    Case("aten.bincount.default", (i(),), why="nothing"),
]  # fmt: skip
KINDS = (np.bool_, np.uint8, np.int8, np.int16, np.int32, np.int64, np.float16, np.float32)
TYPES = [
    Case("aten.add.Tensor", (np.array([1, 0, 1], a), np.array([1, 1, 0], b)),
         why=f"{np.dtype(a)} and {np.dtype(b)}") for a in KINDS for b in KINDS if a is not b
]  # fmt: skip
U16 = np.uint16
REFUSED = [
    *(Case(op, given, raises=error, why=why, is_open=is_open)
      for op, given, error, why, is_open in (
          ("aten.linspace.default", (0.0, 1.0, -1), BadType, "less than no numbers", False),
          ("aten.slice.Tensor", (X, 0, 0, 3, scalar(2, np.int64)), NotConstant, "step", False),
          ("aten.slice_scatter.default", (X, rand(1, 4), 0, 0, 2, scalar(2, np.int64)),
           NotConstant, "step", False),
          *(("aten.scatter.src", (x, 0, at, new), BadType, f"{at.ndim} and {new.ndim} axes", False)
            for x, at, new in ((X, i(0), rand(1)), (X, i([0]), rand(1)), (X, i(0), rand(1, 1)),
                               (f(1), i([0]), rand(1, 1)))),
          ("aten.stft.default", (LINE, 4, 2, 3, None, False, True, True), Unsupported,
           "a shorter window that is not there", False),
          *(("aten.repeat_interleave.Tensor", (given,), BadType, why, False)
            for given, why in ((Const(f(1, 2)), "as often as floats"), (f(1, 2), "floats"),
                               (Const(i(1, -2)), "below 0"), (Const(i(1, 1 << 40)), "too often"),
                               (i(1, 2, dtype=np.int8), "narrow integers"))),
          ("aten.as_strided.default", (X, [2, 2], [1]), Unsupported, "a stride too few", False),
          ("aten.as_strided.default", (X, [2], [1, 2]), Unsupported, "a size too few", False),
          ("aten.as_strided.default", (X, [2, 2], [1]), Unsupported, "a stride too few", True),
          ("aten.as_strided.default", (X, [scalar(2, np.int64), 2], [2, 1]), NotConstant,
           "a size that is told while running", False),
          ("aten.as_strided.default", (X, [2, 2], [2, 1], scalar(1, np.int64)), NotConstant,
           "a place that is told while running", False),
          ("aten.as_strided.default", (of("permute.default", X, [1, 0]), [2, 2], [2, 1]),
           Unsupported, "of an open transpose", True),
          *(("aten.im2col.default", (rand(*n), [2, 2], [1, 1], [0, 0], [1, 1]), BadType,
             f"{len(n)} axes", False) for n in ((4, 5), (1, 1, 1, 4, 5))),
          *((f"aten.max_unpool{n}d.default", (x, np.zeros(x.shape, np.int64), [4] * n, *rest),
             BadType, f"{x.ndim} axes", False)
            for n, x, rest in ((2, rand(2, 2), ()), (2, rand(1, 1, 1, 2, 2), ()),
                               (3, rand(2, 2, 2), ([2] * 3, [0] * 3)))),
          ("aten.constant_pad_nd.default", (X, [scalar(1, np.int64), 0]), Unsupported,
           "amounts that are told while running", False),
          *(("aten.constant_pad_nd.default", (X, pads), BadType, f"by {pads}", False)
            for pads in ([1], [1, 1, 1], [1] * 6)),
          *(("aten.pad.default", (WIDE, pads, mode), BadType, f"{mode} by {pads}", False)
            for mode, far in (("reflect", 7), ("circular", 8)) for pads in ([far, 0], [0, far])),
          *(("aten.pad.default", (rand(2, 3, 0), [1, 0], mode), BadType, f"nothing, {mode}", False)
            for mode in MODES[1:]),
          *(("aten.add.Tensor", (np.ones(2, a), np.ones(2, b)), BadType,
             f"{np.dtype(a)} and {np.dtype(b)}", False)
            for a, b in ((U16, np.int32), (np.int64, U16), (np.uint32, np.int8))),
          *((f"aten.{op}.default", (x, None, [0]), BadType, f"{x.dtype}", False)
            for op in ("fft_fftn", "fft_ifftn", "fft_rfftn") for x in (f(1, 2, dtype=np.float16),)),
          *(("aten.convolution.default", (rand(*n), rand(2, 1, *[2] * k), None, [1] * k, [0] * k,
                                          [1] * k, False, [0] * k, 1), Unsupported,
             f"{len(n)} axes over {k}", False)
            for n, k in (((4, 4), 2), ((1, 1, 1, 4, 4), 2), ((1, 1, 4, 4), 1))),
          ("aten.eye.default", (-1,), BadType, "less than no rows", False),
          ("aten.eye.m", (2, -3), BadType, "less than no columns", False),
          *(("aten.unfold.default", (X, axis, 2, 1), BadType, f"along {axis}", False)
            for axis in (2, -3)),
          ("aten.narrow.default", (X, 0, 2, 2), BadType, "past the end", False),
          ("aten.narrow.default", (X, 0, -4, 1), BadType, "before the beginning", False),
          ("aten.narrow.default", (X, 0, 1, -1), BadType, "less than none", False)))
]  # fmt: skip
TRANSFORMS = [
    *both("fft_fft.default", X, size(TALL), why="as many as rows of another", tol=ROUNDS),
    *both("fft_rfft.default", X, size(TALL), why="as many as rows of another", tol=ROUNDS),
]
CASES: list[Case] = [*REFUSED, *PLACES, *TYPES, *SIZES, *PADS, *VIEWS, *MASKS, *TRANSFORMS]
