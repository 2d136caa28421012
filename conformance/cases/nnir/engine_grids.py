"""Grids over what a lowering looks at: ranks, transposes, types, bounds that are known."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import ml_dtypes
import numpy as np

from nnir.errors import BadType
from nnir.ops import (
    activation,
    attention,
    binary,
    conv,
    generate,
    index,
    linear,
    pool,
    quant,
    resize,
    shape,
)
from nnir.types import Precision

from ...case import ROUNDS, Const, Tolerance, i, rand, scalar
from .chains import BYTES, Chain
from .direct import DirectCase
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
                plane = (steps, i(*target), None)
                why = f"to {target} while running"
                yield Row(operator, plane, given, tol=tol, why=why, opens=False)


def _divisors() -> Iterator[Chain]:
    """What is divided by the larger one of something and a number, which may be 0 or below."""
    for dtype in INTEGERS:
        y = np.array([0, 1, 2, 3, 100, 0], np.int64).astype(dtype)
        x = np.array([7, 7, 9, 100, 5, 0], np.int64).astype(dtype)
        for operator, least in product((binary.div, binary.floor_div, binary.mod), (0, 1, 2)):
            bounds: tuple[tuple[int | Const, ...], ...] = (
                (1, Const(np.array(least, dtype))),
                (Const(np.array([least], dtype)), 1),
            )
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


SIZES = {"flat": (8, 12), "planes": (2, 4, 12), "columns": (8, 3, 4), "as it is": (8, 2, 6)}


def _weights() -> Iterator[Chain]:
    """Weights that are integers with a scale for each row or column, moved before they count."""
    zeros = {"none": None, "some": 3}
    for (name, sizes), axis, (told, zero), kind in product(
        SIZES.items(), (0, 1, -1, None), zeros.items(), (np.int8, np.uint8, ml_dtypes.int4)
    ):
        if kind is ml_dtypes.int4 and zero:
            continue
        low, high = (0, 7) if kind is ml_dtypes.int4 else (0, 120)
        numbers = rand(*sizes, dtype=np.int64, low=low, high=high).astype(kind)
        count = 1 if axis is None else sizes[axis]
        scales = np.linspace(0.01, 0.05, count).astype(np.float32)
        given = scales if axis is not None else scales.reshape(())
        parts: list[Const | None] = [Const(numbers), Const(given)]
        parts.append(Const(np.full(given.shape, zero or 0, kind)) if zero else None)
        real = Step(quant.dequantize_linear, tuple(parts), {"axis": axis or 0})
        flat = Step(shape.reshape, (1, Const(i(8, 12))))
        bias = Const(rand(8, seed=3))
        fully = Step(linear.fully_connected, (0, 2, bias))
        why = f"{np.dtype(kind).name} {name}, scales of {axis}, zeros {told}"
        yield Chain((rand(2, 12),), (real, flat, fully), f"weights, {why}", tol=WIDE)
        turned = Step(shape.transpose, (2,), {"perm": (1, 0)})
        product_of = Step(linear.mat_mul, (0, 3))
        steps = (real, flat, turned, product_of)
        yield Chain((rand(2, 12),), steps, f"turned weights, {why}", tol=WIDE)
        image = Step(shape.reshape, (1, Const(i(8, 3, 2, 2))))
        window = {"pads": (0, 0, 0, 0), "strides": (1, 1), "dilations": (1, 1)}
        convolved = Step(conv.conv_2d, (0, 2, bias), window)
        data = rand(1, 3, 4, 3)
        yield Chain((data,), (real, image, convolved), f"a filter, {why}", tol=WIDE)


def _back() -> Iterator[Chain]:
    """Integers to real numbers and back, with little or nothing between."""
    moves = {
        "nothing": (),
        "rows": (Step(shape.reshape, (1, Const(i(6, 20)))),),
        "another order": (Step(shape.transpose, (1,), {"perm": (3, 1, 0, 2)}),),
        "a border": (Step(shape.pad, (1, Const(i(0, 0, 0, 0, 1, 1, 0, 2)), None)),),
        "a part": (Step(index.slice_, (1, Const(i(2)), Const(i(1)), Const(i(4)), None)),),
    }
    for (why, steps), scale, zero, kind in product(
        moves.items(), (0.05, 0.1), (3, -128, 127), (np.int8, np.uint8, np.int16)
    ):
        shift = 128 if kind is np.uint8 else 0
        data = (BYTES.astype(np.int64) + shift).astype(kind)
        point = Const(np.array(3 + shift, kind)), Const(np.array(zero + shift, kind))
        begin = Step(quant.dequantize_linear, (0, Const(scalar(0.05)), point[0]))
        to = {"dtype": Precision[np.dtype(kind).name.upper()]}
        last = 1 + len(steps)
        end = Step(quant.quantize_linear, (last, Const(scalar(scale)), point[1]), to)
        for outputs in ((last + 1,), (last + 1, last)):
            text = f"back, {why} by {scale} about {zero}, {np.dtype(kind).name}, {len(outputs)}"
            yield Chain((data,), (begin, *steps, end), text, outputs, Tolerance(absolute=1))


def _biases() -> Iterator[Chain]:
    """Biases of 32 bits in steps of the products, or in others, read once or twice."""
    whole = rand(2, 12, dtype=np.int8, low=-100, high=100)
    weight = Const(rand(8, 12, dtype=np.int8, low=-100, high=100, seed=1))
    bias = Const(rand(8, dtype=np.int32, low=-999, high=999))
    for has_zeros, own, rows, twice in product((False, True), repeat=4):
        zero = Const(scalar(3, np.int8)) if has_zeros else None
        none = Const(scalar(0, np.int8)) if has_zeros else None
        step = 0.05 * 0.02 if own else 0.003
        scales = Const(np.full(8, 0.02, np.float32)) if rows else Const(scalar(0.02))
        steps = [
            Step(quant.dequantize_linear, (0, Const(scalar(0.05)), zero)),
            Step(quant.dequantize_linear, (weight, scales, None if rows else none), {"axis": 0}),
            Step(quant.dequantize_linear, (bias, Const(scalar(step)), None)),
            Step(linear.fully_connected, (1, 2, 3)),
        ]
        outputs: tuple[int, ...] = (4,)
        if twice:
            steps.append(Step(binary.mul, (3, 3)))
            outputs = 4, 5
        why = f"biases, zeros {has_zeros}, own steps {own}, scales of rows {rows}, twice {twice}"
        yield Chain((whole,), tuple(steps), why, outputs, WIDE)


def _blind() -> Iterator[Chain]:
    """Many weights that are 0 where nothing is seen, along any axis, in a product."""
    scores = rand(1, 2, 256, 130, seed=5)
    scores[0, :, 3], scores[0, :, :, 7], scores[0, 1, 5, 9:] = -np.inf, -np.inf, -np.inf
    values = Const(rand(1, 2, 130, 3, seed=6))
    for axis in (-1, 1, 2, 3, -3):
        steps = (
            Step(attention.safe_softmax, (0,), {"axis": axis}),
            Step(linear.mat_mul, (1, values)),
        )
        yield Chain((scores,), steps, f"many weights along {axis}", tol=WIDE)


def _gaps() -> Iterator[Row]:
    """Windows whose elements lie so far apart that they may pass over all of a line."""
    lines = product((2, 3, 5), (2, 3), (2, 4), ((1, 1), (1, 0)), (1, 2), (False, True))
    for size, kernel, dilation, pads, stride, ceil in lines:
        if size + sum(pads) < dilation * (kernel - 1) + 1:
            continue
        given = {
            "kernel_shape": (kernel,),
            "strides": (stride,),
            "pads": pads,
            "dilations": (dilation,),
            "ceil_mode": ceil,
        }
        why = f"{kernel} of {size}, {dilation} apart, {pads} by {stride}, {ceil}"
        data = rand(1, 2, size, low=-9, high=-1)
        yield Row(pool.max_pool, (data,), given, why=why)
        for counts in (True, False):
            both = given | {"count_include_pad": counts}
            text = f"{why}, {counts}"
            yield Row(pool.average_pool, (data,), both, why=text, tol=ROUNDS)


def _whole_power(base: np.ndarray, exponent: np.ndarray, **_: object) -> np.ndarray:
    """Powers by Python's integers, rounded toward zero; those of 0 below 0 are 0."""
    kind = base.dtype
    bits = 8 * kind.itemsize

    def power(b: int, e: int) -> int:
        if e < 0:
            return int(Fraction(b) ** e) if b else 0
        found = pow(b, e, 1 << bits)
        return found - (1 << bits) if kind.kind == "i" and found >> (bits - 1) else found

    found = [power(int(b), int(e)) for b, e in zip(base.flat, exponent.flat, strict=True)]
    return np.array(found, kind).reshape(base.shape)


def _powers() -> Iterator[DirectCase]:
    """Integers to powers above and below 0."""
    for dtype in INTEGERS:
        low = 0 if np.dtype(dtype).kind == "u" else -4
        base, exponent = np.meshgrid(np.arange(low, 5), np.arange(low, 9))
        pair = base.astype(dtype), exponent.astype(dtype)
        why = f"{name_of(dtype)} by Python's integers"
        yield DirectCase(binary.pow_, pair, {}, _whole_power, why=why)


def _counted() -> Iterator[Chain]:
    """Sizes that are computed from sizes, by every operator that follows them."""
    data = rand(7, 3)
    sizes = Step(shape.shape, (0,), {"dtype": Precision.INT64})
    for operator, number in (
        *((binary.mod, 4), (binary.div, 2), (binary.floor_div, 3), (binary.mul, 2)),
        *((binary.add, 1), (binary.sub, 2), (binary.max_, 5), (binary.min_, 2)),
    ):
        other = Step(operator, (1, Const(i(number, number))))
        fill = Step(generate.fill, (2, Const(scalar(0.5))))
        yield Chain((data,), (sizes, other, fill), f"sizes by {operator.name}")


def _misfits() -> Iterator[DirectCase]:
    """Shapes that copy a size which is not there."""
    for target in ((6, 1, 0), (0, 0, 0), (2, 3, 1, 0)):
        operands = rand(2, 3), Const(i(*target))
        why = f"to {target}"
        yield DirectCase(shape.reshape, operands, why=why, raises=BadType)


CASES: list[DirectCase] = [*_products(), *_sizes(), *_odds(), *_powers(), *_misfits(), *_gaps()]
CHAINS: list[Chain] = [*_divisors(), *_weights(), *_back(), *_biases(), *_blind(), *_counted()]
