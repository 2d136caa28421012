"""Grids over what a lowering looks at: ranks, transposes, types, bounds that are known."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import ml_dtypes
import numpy as np

from nnir.ops import activation, binary, linear, quant, resize
from nnir.types import Precision

from ...case import ROUNDS, Const, Tolerance, i, rand
from .chains import Chain
from .engine_rows import Row
from .engine_types import INTEGERS, name_of
from .graph import Step

WIDE = Tolerance(relative=1e-4, absolute=1e-4)


def _products() -> Iterator[Row]:
    """Vectors, matrices and stacks, turned or not, also where there is nothing to add up."""
    for inner, dtype in product((3, 0), (np.float32, np.int32, np.float16)):
        lefts = {
            1: ((inner,), (inner,)),
            2: ((2, inner), (inner, 2)),
            3: ((4, 2, inner), (4, inner, 2)),
        }
        rights = {
            1: ((inner,), (inner,)),
            2: ((inner, 5), (5, inner)),
            3: ((4, inner, 5), (4, 5, inner)),
        }
        for left, right, turn_x, turn_y in product(
            (1, 2, 3), (1, 2, 3), (False, True), (False, True)
        ):
            x = rand(*lefts[left][turn_x], low=-9, high=9).astype(dtype)
            y = rand(*rights[right][turn_y], seed=1, low=-9, high=9).astype(dtype)
            given = {"transpose_x": turn_x, "transpose_y": turn_y}
            for known in (False, True):
                if known and (dtype is not np.float32 or not inner):
                    continue
                why = f"{left} by {right} axes over {inner}, {turn_x}, {turn_y}, {known}"
                operands = (x, Const(y) if known else y)
                tol = ROUNDS if dtype is not np.float16 else Tolerance(2e-3, 0.1)
                yield Row(linear.mat_mul, operands, given, tol=tol, why=why, opens=inner > 0)


KINDS = (np.int8, np.uint8, np.int16, np.int32, np.float16, ml_dtypes.bfloat16, np.float64)


def _sizes() -> Iterator[Row]:
    """Sizes while running of every type, between numbers that overshoot where curves are cubic."""
    for dtype, mode in product(KINDS, ("linear", "cubic", "nearest")):
        is_whole = np.dtype(dtype).kind in "iu"
        low, high = (np.iinfo(dtype).min, np.iinfo(dtype).max) if is_whole else (-9, 9)
        low, high = max(low, -(1 << 20)), min(high, 1 << 20)
        steps = np.where(np.indices((1, 2, 3, 4)).sum(0) % 2, low, high).astype(dtype)
        tol = Tolerance() if is_whole else Tolerance(1e-2, 1e-1)
        for target in ((6, 8), (12, 16), (3, 8)):
            operands = (steps, None, None, i(1, 2, *target))
            why = f"{mode} to {target} while running"
            yield Row(resize.resize, operands, {"mode": mode}, tol=tol, why=why, opens=False)
            given = {"align_corners": False}
            if mode != "cubic":
                operator = resize.resize_linear if mode == "linear" else resize.resize_nearest
                operands = (steps, i(*target), None)
                why = f"to {target} while running"
                yield Row(operator, operands, given, tol=tol, why=why, opens=False)


def _divisors() -> Iterator[Chain]:
    """What is divided by the larger one of something and a number, which may be 0 or below."""
    for dtype in INTEGERS:
        y = np.array([0, 1, 2, 3, 100, 0], np.int64).astype(dtype)
        x = np.array([7, 7, 9, 100, 5, 0], np.int64).astype(dtype)
        for operator, least in product((binary.div, binary.floor_div, binary.mod), (0, 1, 2)):
            bounds = (1, Const(np.array(least, dtype))), (Const(np.array([least], dtype)), 1)
            for k, operands in enumerate(bounds):
                steps = Step(binary.max_, operands), Step(operator, (0, 2))
                why = f"{operator.name} by at least {least}, {name_of(dtype)}, {k}"
                yield Chain((x, y), steps, why)


def _odds() -> Iterator[Row]:
    """Odds as integers, of which the largest stands for less than 1, for 1 or for more."""
    for axis, scale, (dtype, zero) in product(
        (1, -1),
        (0.001, 1 / 127, 0.01, 0.02),
        ((np.int8, None), (np.int8, -128), (np.uint8, 0), (np.uint8, 100)),
    ):
        for rows in ((3, 4), (2, 3, 1)):
            parts = [np.array(scale, np.float32)]
            parts += [] if zero is None else [np.array(zero, dtype)]
            if zero is None:
                kind = {"dtype": Precision.INT8}
            else:
                kind = {"dtype": Precision[np.dtype(dtype).name.upper()]}
            then = ((quant.quantize_linear, tuple(parts), kind),)
            why = f"odds of {rows} over {axis} by {scale:.3f} about {zero}, {name_of(dtype)}"
            tol = Tolerance(absolute=1)
            given = {"axis": axis}
            yield Row(activation.softmax, (rand(*rows),), given, why=why, then=then, tol=tol)


CASES: list[Row] = [*_products(), *_sizes(), *_odds()]
CHAINS: list[Chain] = [*_divisors()]
