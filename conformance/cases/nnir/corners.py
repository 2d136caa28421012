"""What devices treat apart: constants, known numbers, many axes, nothing at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import permutations, product
from typing import Any

import numpy as np

from nnir.ops import (
    activation,
    binary,
    conv,
    detection,
    generate,
    index,
    linear,
    logic,
    quant,
    recurrent,
    resize,
    shape,
    signal,
    unary,
)
from nnir.ops import complex as complex_
from nnir.types import AutoPad, Fuse, InterpolateMode, PadMode, Precision

from ...case import Const, Tolerance, f, i, rand, scalar
from .direct import DirectCase, referred
from .typed import NEAR, REAL, Make, of_each_type, small, table, takes, values

CLOSE = Tolerance(relative=1e-5, absolute=1e-5)


Bound = tuple[float, Callable[[Any], Any]]
"""A number, and whether it is a constant."""

GIVEN: dict[str, Callable[[Any], Any]] = {"known": Const, "given": np.asarray}
EIGHTHS = (
    *(Precision.FLOAT8E4M3FN, Precision.FLOAT8E4M3FNUZ),
    *(Precision.FLOAT8E5M2, Precision.FLOAT8E5M2FNUZ),
)


def _with_number(number: int) -> Make:
    return lambda t: [values(t, small), Const(np.array([number]).astype(t))]


def _with_bounds(low: Bound, high: Bound) -> Make:
    line = np.array([-3, -0.5, 0, 0.5, 1, 5, 7, np.nan])
    return lambda t: [line.astype(t), *(known(np.array(n).astype(t)) for n, known in (low, high))]


def _with_tables(known: Callable[[Any], Any], *sizes: tuple[int, ...]) -> Make:
    return lambda t: [table(t, 2, 3), *(known(table(t, *s)) for s in sizes)]


def _arithmetic() -> Iterator[DirectCase]:
    long = i(-(2**31) + 1, -100, -7, -1, 0, 1, 6, 99, 2**31 - 1)
    for by in (-8, -3, -1, 1, 2, 3, 6, 24, 2**20):
        for operator in (binary.div, binary.floor_div, binary.mod):
            given = long, Const(i(by))
            yield referred(operator, given, {}, why=f"by a known {by}")
    whole = i(-(2**63), -(2**50) - 1, -7, -1, 0, 1, 2**50, 2**63 - 1)
    for by, operator in product((-(2**50), -2, 2**31, 5 * 2**49), (binary.div, binary.floor_div)):
        yield referred(operator, (whole, Const(i(by))), {}, why=f"64 bits by a known {by}")
    for operator in (binary.div, binary.floor_div, binary.mod):
        pairs = long.reshape(-1, 1), i(-3, -1, 0, 2, 2**31 - 1)
        yield referred(operator, pairs, {}, why="long, by what is given")
    for count, left in product((0, 1, 7), (True, False)):
        yield from of_each_type(
            logic.bit_shift,
            _with_number(count),
            f"by a known {count}, left {left}",
            left=left,
        )
    for low, high in ((0, 6), (0, 1), (-1, 1), (0, np.inf)):
        for word, bounds in GIVEN.items():
            yield from of_each_type(
                activation.clip,
                _with_bounds((low, bounds), (high, bounds)),
                f"between {low} and {high}, {word}",
                types=REAL,
            )
    for (word, below), (other, above) in permutations(GIVEN.items()):
        why = f"a bound {word}, the other {other}"
        make = _with_bounds((0.25, below), (5, above))
        yield from of_each_type(activation.clip, make, why, types=REAL)
    wide = rand(2, 1, 1, 1, 1, 1, 3)
    for operator in (unary.exp, unary.sin, unary.cos, unary.log, unary.neg):
        yield referred(operator, (np.abs(wide) + 1,), {}, NEAR["float32"], "seven axes")


def _constants() -> Iterator[DirectCase]:
    """Operands that are constants."""
    for kind in REAL:
        rows = table(kind, 2, 3)
        tol = NEAR[np.dtype(kind).name]
        for operator in (binary.add, binary.mul, binary.sub, binary.div):
            name = np.dtype(kind).name
            column = Const(np.array([[3], [0.7]]).astype(kind))
            yield referred(operator, (rows, column), {}, tol, f"a column of {name}")
            yield referred(operator, (column, rows), {}, tol, f"a column of {name} before")
    steps, zero = f(0.5, 0.25, 2), i(3, 0, 9, dtype=np.uint8)
    whole = rand(2, 3, dtype=np.uint8, low=0, high=255)
    for dtype, (word, where) in product((Precision.FLOAT32, Precision.FLOAT16), GIVEN.items()):
        inputs = whole, where(steps), where(zero)
        attrs: dict[str, Any] = {"dtype": dtype}
        why = f"to {dtype.name}, {word}"
        yield referred(quant.dequantize_linear, inputs, attrs, NEAR["float16"], why)


def _products() -> Iterator[DirectCase]:
    sizes = [
        ((3, 4), (4, 5)),
        ((2, 3, 4), (4, 5)),
        ((2, 3, 4), (2, 4, 5)),
        ((3, 4), (2, 4, 5)),
        ((1, 3, 4), (2, 4, 1)),
        ((2, 3, 1, 4), (2, 3, 4, 2)),
        ((2, 1, 3, 4), (1, 3, 4, 2)),
        ((2, 2, 3, 4), (2, 4, 2)),
        ((2, 0), (0, 3)),
        ((0, 2), (2, 3)),
        ((2, 3, 0), (2, 0, 2)),
    ]
    for (a, b), turn_x, turn_y in product(sizes, (False, True), (False, True)):
        x, y = rand(*a), rand(*b, seed=1)
        x = x.swapaxes(-1, -2).copy() if turn_x else x
        y = y.swapaxes(-1, -2).copy() if turn_y else y
        attrs: dict[str, Any] = {"transpose_x": turn_x, "transpose_y": turn_y}
        why = f"{a} by {b}, {turn_x}, {turn_y}"
        yield referred(linear.mat_mul, (x, y), attrs, CLOSE, why)
        if not turn_x:
            yield referred(linear.mat_mul, (x, Const(y)), attrs, CLOSE, f"{why}, known")
    for word, known in GIVEN.items():
        yield from of_each_type(
            linear.mat_mul,
            _with_tables(known, (3, 2)),
            word,
            rounds=True,
        )
        yield from of_each_type(
            linear.fully_connected,
            _with_tables(known, (4, 3), (4,)),
            word,
            rounds=True,
        )
        for code in Fuse:
            inputs = rand(2, 3), known(rand(4, 3)), known(rand(4, high=9))
            attrs = {"fuse_code": code}
            yield referred(linear.fully_connected, inputs, attrs, CLOSE, f"{code.name}, {word}")


def _generated() -> Iterator[DirectCase]:
    kinds: Sequence[Any] = (np.float32, np.float16, np.int8, np.int32, np.int64, np.bool_)
    for kind in kinds:
        name = np.dtype(kind).name
        value = np.array(1.5).astype(kind)
        for word, known in GIVEN.items():
            why = f"{name}, {word}"
            yield referred(generate.fill_like, (rand(2, 3), known(value)), {}, why=why)
            yield referred(generate.fill, (Const(i(2, 3)), known(value)), {}, why=f"{why}, a shape")
            sizes = i(2, 0, 3)
            yield referred(generate.fill, (sizes, known(value)), {}, why=f"{why}, of a given shape")
    for kind in (np.float32, np.int16, np.int32, np.int64):
        for start, end, step in ((0, 7, 2), (7, 0, -3), (1, 1, 1), (5, 2, 1)):
            ends = [np.array(n).astype(kind) for n in (start, end, step)]
            why = f"{np.dtype(kind).name}, {start} to {end} by {step}"
            yield referred(generate.range_, ends, {}, CLOSE, f"{why}, given")
            yield referred(generate.range_, [Const(e) for e in ends], {}, CLOSE, why)
            some = [ends[0], Const(ends[1]), Const(ends[2])]
            yield referred(generate.range_, some, {}, CLOSE, f"{why}, a given start")


def _one_pixel() -> Iterator[DirectCase]:
    grid = rand(1, 2, 2, 2, low=-1.6, high=1.6)
    for sizes, border, align in product(((1, 2, 1, 3), (1, 1, 3, 1)), PadMode, (True, False)):
        attrs = {"mode": InterpolateMode.BILINEAR, "pad_mode": border, "align_corners": align}
        why = f"{sizes}, {border.name}, align_corners {align}"
        yield referred(resize.grid_sample, (rand(*sizes), grid), attrs, CLOSE, why)


def _rest() -> Iterator[DirectCase]:
    """A row for what no other row comes by."""
    for value in (0.0, 2.0):
        yield referred(index.non_zero, (scalar(value),), why=f"the number {value}")
    for turn_x, turn_y in product((False, True), (False, True)):
        a = rand(3, 4, dtype=np.int32, low=-9, high=9)
        b = rand(4, 2, dtype=np.int32, low=-9, high=9)
        whole = a.T.copy() if turn_x else a, b.T.copy() if turn_y else b
        flags: dict[str, Any] = {"transpose_x": turn_x, "transpose_y": turn_y}
        yield referred(linear.mat_mul, whole, flags, why=f"integers, {turn_x}, {turn_y}")
    for a_sizes, b_sizes in (((4,), (4, 2)), ((3, 4), (4,)), ((4,), (4,)), ((4,), (2, 4, 3))):
        for kind in (np.float32, np.int32):
            vectors = table(kind, *a_sizes), table(kind, *b_sizes)
            yield referred(linear.mat_mul, vectors, {}, CLOSE, f"{a_sizes} by {b_sizes}")
    stacks = rand(2, 1, 2, 1, 3, 4), rand(1, 2, 1, 2, 4, 2)
    yield referred(linear.mat_mul, stacks, {}, CLOSE, "stacks over four axes")
    codes = np.arange(0, 120, 7, dtype=np.int8)
    for to in (Precision.FLOAT8E4M3FN, Precision.FLOAT8E5M2):
        yield referred(unary.bit_cast, (codes,), {"dtype": to}, why=f"to {to.name}")
        narrow = codes.view(to.dtype)
        for wide in (Precision.FLOAT16, Precision.BFLOAT16, Precision.FLOAT32, Precision.INT32):
            why = f"{to.name} to {wide.name}"
            yield referred(unary.cast, (narrow,), {"dtype": wide}, why=why)
        line = f(-0.0, 0, -1e-9, 1e-9, -1, 1, 0.3, 400, -np.inf, np.nan)
        tol = Tolerance(signed_zeros=True)
        yield referred(unary.cast, (line,), {"dtype": to}, tol, f"to {to.name}, signs of zeros")
    for reduction in ("none", "add"):
        image, nowhere = rand(2, 3), np.zeros((2, 0), np.int64)
        attrs = {"axis": 1, "reduction": reduction}
        inputs: Sequence[Any] = (image, nowhere, rand(2, 0))
        yield referred(index.scatter_elements, inputs, attrs, why=f"nowhere, {reduction}")
        inputs = image, np.zeros((0, 1), np.int64), rand(0, 3)
        yield referred(index.scatter_nd, inputs, {"reduction": reduction}, why=f"no, {reduction}")
    rois = f(0, 0, 3, 3, 1, 0.5, 3.5, 2.5, 2, 2, 2, 3).reshape(3, 4)
    for ratio, aligned in product((0, 1, 2), (True, False)):
        region: dict[str, Any] = {"output_height": 2, "output_width": 3, "spatial_scale": 0.8}
        region |= {"sampling_ratio": ratio, "aligned": aligned}
        inputs = rand(2, 2, 5, 5), rois, i(1, 0, 1)
        for operator in (detection.roi_align, detection.roi_align_max):
            yield referred(operator, inputs, region, CLOSE, f"{ratio} samples, {aligned}")
    for rule in ("asymmetric", "half_pixel", "align_corners"):
        how: dict[str, Any] = {"coordinate_transformation_mode": rule, "nearest_mode": "floor"}
        given = rand(1, 2, 4, 5), None, Const(f(1, 1, 2, 3))
        yield referred(resize.resize, given, how, why=f"{rule}, repeated")
    for counts in (i(2, 3), i(3)):
        for word, known in GIVEN.items():
            why = f"{counts} behind, {word}"
            yield referred(shape.tile, (rand(2, 3, 4), known(counts)), {}, why=why)
    for axis in (0, 1):
        given = rand(2, 4, 2), None, Const(scalar(axis, np.int64))
        yield referred(signal.dft, given, {"onesided": True}, CLOSE, f"onesided pairs, axis {axis}")
    sizes = (3, 2, 4), (1, 9, 4), (1, 9, 3), (1, 18)
    parts = [rand(*s, seed=k) for k, s in enumerate(sizes)]
    for word, known in GIVEN.items():
        for before in (False, True):
            attrs = {"linear_before_reset": before}
            layer = parts[0], *(known(p) for p in parts[1:])
            why = f"linear_before_reset {before}, {word}"
            yield referred(recurrent.gru, layer, attrs, CLOSE, why)


def _pairs() -> Iterator[DirectCase]:
    """Complex numbers, which are pairs on most devices."""
    some = (rand(2, 3) + 1j * rand(2, 3, seed=1)).astype(np.complex64)
    other = (rand(3) + 1j * rand(3, seed=2)).astype(np.complex64)
    for operator in (complex_.real, complex_.imag, complex_.conj, complex_.angle, unary.abs_):
        yield referred(operator, (some,), {}, CLOSE, "pairs")
    for both in (binary.add, binary.sub, binary.mul, binary.div):
        yield referred(both, (some, other), {}, CLOSE, "pairs")
        yield referred(both, (Const(other), some), {}, CLOSE, "pairs, a constant before")
    yield referred(shape.transpose, (some,), {}, why="pairs")
    yield referred(complex_.complex_, (rand(2, 3), rand(2, 3, seed=1)), {}, why="made of parts")


def _quotients() -> Iterator[DirectCase]:
    """As many as show that each is a division, not a product with a reciprocal."""
    x, y = rand(20, 50), rand(20, 50, low=0.5, seed=1)
    for why, divisor in (("each", y), ("a row", y[:1]), ("a column", y[:, :1]), ("one", y[0, :1])):
        yield referred(binary.div, (x, divisor), why=f"quotients by {why}")
        yield referred(binary.div, (x, Const(divisor)), why=f"quotients by {why}, known")


def _volumes() -> Iterator[DirectCase]:
    """As many planes as strides, of volumes whose sizes are open."""
    for strides, deep in product(((2, 1, 1), (2, 3, 2), (3, 1, 2)), (5, 6)):
        operands = rand(1, 2, deep, 4, 3), Const(rand(3, 2, 2, 3, 2)), Const(rand(3))
        attrs = {"auto_pad": AutoPad.SAME, "strides": strides, "dilations": (1, 1, 1)}
        case = referred(conv.conv_3d, operands, attrs, CLOSE, f"SAME, {deep} planes by {strides}")
        yield replace(case, is_open=True)


def _eighths() -> Iterator[DirectCase]:
    """Floats of 8 bits: signs, ties, what is too large and what is too small."""
    x = f(-1, 0, 2, 0.3, -449, 464, 480, 1e-4, 3, 5, -np.inf, np.nan)
    for to in (*EIGHTHS, Precision.FLOAT8E8M0FNU):
        yield referred(unary.cast, (x,), {"dtype": to}, why=f"signs and ends to {to.name}")


def _empty() -> Iterator[DirectCase]:
    for kind in (np.uint32, np.int64, np.float32, np.bool_):
        none = Const(np.zeros((2, 0), kind))
        yield referred(shape.concat, (np.ones((2, 3), kind), none), {"axis": 1}, why="and nothing")


CASES = [
    case
    for case in (
        *_arithmetic(),
        *_constants(),
        *_products(),
        *_generated(),
        *_one_pixel(),
        *_rest(),
        *_pairs(),
        *_quotients(),
        *_empty(),
        *_eighths(),
        *_volumes(),
    )
    if takes(case)
]
FAMILIES = ("linear", "generate", "shape", "resize", "signal", "recurrent")
OPENED = [c for c in CASES if c.operator.family in FAMILIES and "0)" not in c.why]
"""Those that run with open sizes too."""

TURNED = [c for c in OPENED if "given" not in c.why]
"""Those that run on data in another order of axes too."""
