"""TensorFlow's operators with attributes in all their combinations, on small data, open too."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from nnir.types import Precision

from ...case import ROUNDS, Case, Const, Tolerance, f, i, rand, scalar
from .detection import CLASSES, EACH, IMAGES

NEAR = Tolerance(relative=1e-4, absolute=1e-4)
I32 = np.int32


def known(*numbers: int) -> Const:
    """Integers that the model holds."""
    return Const(i(*numbers, dtype=I32))


def both(op: str, *given: Any, why: str, tol: Any = ROUNDS, **attrs: Any) -> list[Case]:
    """A row with sizes that are known, and with open ones."""
    return [Case(op, given, attrs, tol, why, is_open=k) for k in (False, True)]


LINE, X, CUBE = rand(5), rand(3, 4), rand(2, 3, 4)
PADS = [
    *(row for mode, rows in product(("REFLECT", "SYMMETRIC"), (
          ((0, 0), (0, 0)), ((1, 0), (0, 2)), ((0, 2), (1, 0)), ((2, 2), (3, 3)), ((0, 1), (0, 1))))
      for row in both("MirrorPad", X, Const(i(*rows, dtype=I32)), mode=mode,
                      why=f"{mode} by {rows}")),
    *(row for mode, by in product(("REFLECT", "SYMMETRIC"), ((0, 3), (4, 0), (2, 1)))
      for row in both("MirrorPad", LINE, Const(i(by, dtype=I32)), mode=mode,
                      why=f"{mode}, a line by {by}")),
    Case("MirrorPad", (LINE, Const(i((5, 5), dtype=I32))), {"mode": "SYMMETRIC"},
         why="as far as it goes"),
    *(row for rows in (((0, 0), (0, 0)), ((1, 0), (0, 2)), ((0, 0), (3, 0)))
      for row in (*both("Pad", X, Const(i(*rows, dtype=I32)), why=f"by {rows}"),
                  *both("PadV2", X, Const(i(*rows, dtype=I32)), scalar(-1.5), why=f"by {rows}"))),
]  # fmt: skip
BITS = [
    Case("Bitcast", (x,), {"type": to}, why=f"{x.dtype} {list(x.shape)} as {to.name}")
    for x, to in (
        (rand(3, 4, dtype=np.int8, low=-128, high=127), Precision.INT32),
        (rand(3, 4, dtype=np.int8, low=-128, high=127), Precision.FLOAT32),
        (rand(4, dtype=np.uint8, low=0, high=255), Precision.UINT32),
        (rand(2, 8, dtype=np.uint8, low=0, high=255), Precision.INT64),
        (rand(2, 8, dtype=np.uint8, low=0, high=255), Precision.UINT64),
        (rand(2, 2, dtype=np.uint8, low=0, high=255), Precision.INT16),
        (rand(2, 4, dtype=np.int16, low=-32768, high=32767), Precision.INT64),
        (i([1, -2], [300, 1 << 20], dtype=I32), Precision.INT8),
        (i([1, -2], [300, 1 << 20], dtype=I32), Precision.UINT16),
        (i(-3, 1 << 40), Precision.INT16),
        (scalar(-2.5), Precision.INT16),
        (f(1.5, -2, dtype=np.float16), Precision.UINT8),
        (f(1.5, -2, dtype=np.float64), Precision.INT32),
    )
]  # fmt: skip
PLACES = [
    *(Case("SparseToDense", (places, Const(i(*to, dtype=places.dtype)), values, scalar(-1)),
           why=f"{list(places.shape)} of {to}, {values.ndim} axes")
      for places, to, values in (
          (i(2, dtype=I32).reshape(()), (4,), scalar(5)), (i(0, 3, dtype=I32), (5,), f(5, 6)),
          (i(0, 3), (5,), scalar(7)), (i([0, 1], [2, 0]), (3, 2), f(5, 6)),
          (i([0, 1], [2, 0]), (3, 2), scalar(7)), (i([0, 1, 1], [1, 0, 0]), (2, 3, 2), f(5, 6)),
          (np.zeros((0, 2), np.int64), (2, 3), f()))),
    *(row for depth, axis, x in product((3, 1), (-1, 0, 1), (i(0, 2, 1), i([0, 5], [-1, 1])))
      for row in both("OneHot", x, Const(scalar(depth, I32)), scalar(2), scalar(-1), axis=axis,
                      why=f"{depth} at {axis} of {x.ndim}")),
    *(row for axis, places in product((0, 1, -1), (i(1, 0, 2), i([1], [0]), scalar(1, np.int64)))
      for row in both("GatherV2", rand(3, 3, 4), places, Const(scalar(axis, I32)),
                      why=f"{list(places.shape)} along {axis}")),
    *(row for axis, batch in ((2, 1), (3, 1))
      for row in both("GatherV2", rand(2, 2, 3, 4), i([1, 0, 2], [0, 1, 1]) % 2 + 1,
                      Const(scalar(axis, I32)), batch_dims=batch,
                      why=f"four axes along {axis}, {batch} of a batch")),
    *(row for axis, batch in ((1, 1), (2, 1), (2, 2), (-1, 1))
      for row in both("GatherV2", rand(2, 2, 4), i([1, 0], [0, 1]), Const(scalar(axis, I32)),
                      batch_dims=batch, why=f"along {axis}, {batch} of a batch")),
]  # fmt: skip
BOXES = [
    Case("CombinedNonMaxSuppression",
         (boxes, CLASSES, Const(scalar(each, I32)), Const(scalar(most, I32)), Const(scalar(0.3)),
          Const(scalar(least))), {"pad_per_class": pads, "clip_boxes": clips}, outputs=4,
         why=f"{name}, {each} of {most} from {least}, {pads} {clips}")
    for name, boxes in (("boxes", IMAGES), ("boxes of classes", EACH), ("outside", IMAGES - 1))
    for each, most in ((1, 2), (2, 10), (9, 4))
    for least in (0.0, 0.6) for pads, clips in ((False, False), (True, True), (True, False))
]  # fmt: skip
SOUND = [
    *(Case("AudioSpectrogram", (rand(*n),), {"window_size": size, "stride": step,
                                             "magnitude_squared": squared}, tol=NEAR,
           why=f"{n}, {size} by {step}, {squared}")
      for n in ((40, 1), (37, 2), (16, 1)) for size, step in ((16, 7), (8, 8), (5, 3), (16, 1))
      for squared in (False, True)),
    *(Case("Mfcc", (rand(1, 2, 65, low=0, high=3, seed=k), Const(scalar(rate, I32))),
           {"lower_frequency_limit": low, "upper_frequency_limit": high,
            "filterbank_channel_count": bands, "dct_coefficient_count": count}, tol=NEAR,
           why=f"{rate}, {low} to {high}, {count} of {bands}")
      for k, (rate, low, high, bands, count) in enumerate((
          (8000, 20.0, 4000.0, 40, 13), (16000, 100.0, 7000.0, 20, 20), (8000, 300.0, 3000.0, 5, 3),
          (16000, 0.5, 8000.0, 10, 10), (4000, 20.0, 1900.0, 26, 1)))),
]  # fmt: skip
COUNTS = [
    *(Case("PlaceholderWithDefault", (x,), {"shape": sizes}, why=f"{sizes} for {x.ndim} axes")
      for x, sizes in ((X, None), (X, [3, 4]), (X, [-1, 4]), (scalar(2.5), None))),
    *(row for size, step, apart, pad in product((2, 3, 5), (1, 2), (1, 2), ("SAME", "VALID"))
      if (size - 1) * apart < 7
      for row in both("ExtractImagePatches", rand(2, 7, 8, 2), ksizes=[1, size, 2, 1],
                      strides=[1, step, 1, 1], rates=[1, apart, 1, 1], padding=pad,
                      why=f"{size} by {step}, {apart} apart, {pad}")),
    *(row for size, step, pad in product((2, 4), (1, 3), ("SAME", "VALID"))
      for row in both("ExtractVolumePatches", rand(1, 5, 6, 4, 2), ksizes=[1, size, 2, 3, 1],
                      strides=[1, 1, step, 2, 1], padding=pad, why=f"{size} by {step}, {pad}")),
    *(Case("EnsureShape", (X,), {"shape": sizes}, why=f"{sizes}")
      for sizes in ([3, 4], [-1, 4], [3, -1], [-1, -1], None)),
    *(Case("ClipByValue", (f(-3, -1, 0, 0.5, 1, 9, np.nan), *ends), why=f"{what}, {low} to {high}")
      for low, high in ((0.5, 0.5), (-1, 1))
      for what, ends in (("known", (Const(scalar(low)), Const(scalar(high)))),
                         ("running", (scalar(low), scalar(high))))),
    *(Case("DenseBincount", (x, size, weights), {"binary_output": binary}, tol=ROUNDS,
           why=f"{list(x.shape)}, {type(size).__name__}, {len(weights)} weights, {binary}")
      for x, wanted in ((i(1, 5, 2, 1, dtype=I32), rand(4)), (i([1, 3], [0, 1]), rand(2, 2)))
      for size in (Const(scalar(4, x.dtype)), scalar(4, x.dtype)) for weights in (wanted, f())
      for binary in (False, True)),
    *(Case("Bincount", (i(1, 5, 2, 1, dtype=I32), size, weights), tol=ROUNDS,
           why=f"{type(size).__name__}, {len(weights)} weights")
      for size in (Const(scalar(4, I32)), scalar(4, I32)) for weights in (rand(4), Const(f()))
      if isinstance(weights, np.ndarray)),
]  # fmt: skip
SCALED: dict[str, Any] = {"mode": "SCALED", "round_mode": "HALF_TO_EVEN"}
GIVEN: dict[str, Any] = {"signed_input": True, "range_given": True}
REAL = [
    *(Case("Zeta", (np.full(8, x, np.float32), f(-3.5, -2.25, -1, -0.5, 0, 0.5, 2, 7)), tol=NEAR,
           why=f"of {x}") for x in (1, 2, 3, 4, 5, 1.5, 2.5, 0.5)),
    *(Case("Polygamma", (order, f(0.5, 1, 3.25, -0.5)), tol=NEAR, why=f"degree {what}")
      for order, what in (
          (Const(scalar(2)), "2"), (Const(scalar(0)), "0"), (Const(scalar(1.5)), "1.5"),
          (Const(scalar(-1)), "-1"), (Const(f(2)), "2 in a vector"), (Const(f(1.5)), "1.5 in one"),
          (Const(f(0, 1, 2, 3)), "of each"), (f(1, 0, 2, 1.5), "of each, running"),
          (scalar(1), "1, running"))),
    *(Case("EuclideanNorm", (f(*x, dtype=kind).reshape(2, 2), Const(scalar(axis, I32))),
           {"keep_dims": keep}, tol=NEAR, why=f"complex along {axis}, {keep}")
      for x in ((3 + 4j, 1j, -2, 1 - 1j),) for kind in (np.complex64, np.complex128)
      for axis in (0, -1) for keep in (False, True)),
    *(Case(op, (f(-0.004, -0.001, 0, 0.0005, 0.003), Const(scalar(low)), Const(scalar(high))),
           attrs, tol=NEAR, outputs=count, why=f"{low} to {high}, {list(attrs.values())}")
      for low, high in ((-0.002, 0.003), (-0.003, 0.001), (0.0, 0.002), (-0.002, 0.0),
                        (-0.5, 0.001))
      for op, count, attrs in (
          *(("QuantizeV2", 3, SCALED | {"T": kind}) for kind in (Precision.INT8, Precision.UINT8)),
          *(("QuantizeAndDequantizeV2", 1, GIVEN | {"num_bits": bits, "narrow_range": narrow})
            for bits in (4, 8) for narrow in (False, True)))),
]  # fmt: skip
CASES: list[Case] = [*COUNTS, *REAL, *PADS, *BITS, *PLACES, *BOXES, *SOUND]
