"""Operators of every element type, on the numbers at which types differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np

from nnir.operator import Operator
from nnir.ops import binary, compare, logic, reduce, sort, unary
from nnir.types import Precision, precision_of

from ...case import ROUNDS, Const, Tolerance, f, i
from .direct import DirectLimit
from .engine_rows import Row

nan, inf = np.nan, np.inf
FLOATS = (np.float32, np.float64, np.float16, ml_dtypes.bfloat16)
SIGNED = (np.int8, np.int16, np.int32, np.int64)
INTEGERS = (*SIGNED, np.uint8, np.uint16, np.uint32, np.uint64)
NUMBERS = (*FLOATS, *INTEGERS)
ALL = (np.bool_, *NUMBERS)
COMPLEX = (np.complex64, np.complex128)


def name_of(dtype: Any) -> str:
    """The name of an element type."""
    return np.dtype(dtype).name


def ends(dtype: Any) -> np.ndarray:
    """About 0, and both ends of a type; of floats also what is no number."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return np.array([False, True, True, False])
    if kind == "c":
        return np.array([0, 1 - 2j, -3 + 0.5j, 4], dtype)
    if kind in "iu":
        info = np.iinfo(dtype)
        low = [-7, -1] if kind == "i" else []
        return np.array([info.min, info.min + 1, *low, 0, 1, 2, 3, info.max - 1, info.max], dtype)
    most = float(ml_dtypes.finfo(dtype).max)  # type: ignore[no-untyped-call]
    return np.array([-inf, -2.5, -1, -0.5, 0, 0.5, 1.5, 7, most, inf, nan], dtype)


def table(dtype: Any) -> np.ndarray:
    """Numbers of which sums and products are whole, [2, 3, 4]."""
    values = np.array([3, 1, 2, 0, 1, 3, 2, 1, 1, 2, 3, 1, 2, 2, 1, 3, 0, 1, 2, 3, 1, 1, 3, 2])
    if np.dtype(dtype).kind in "if" or dtype is ml_dtypes.bfloat16:
        values = values - 1
    return values.reshape(2, 3, 4).astype(dtype)


ULPS = {
    np.float32: Tolerance(2e-7),
    np.float64: Tolerance(4e-16),
    np.float16: Tolerance(1e-3),
    ml_dtypes.bfloat16: Tolerance(8e-3),
}
"""A quotient that is a product with a reciprocal is off by a unit in the last place."""


def _pairs() -> Iterator[Row]:
    given: Any
    fixed: Any
    operators = (binary.add, binary.sub, binary.mul, binary.max_, binary.min_, binary.div)
    for dtype in (*NUMBERS, *COMPLEX):
        a = ends(dtype)
        pair = a[:, None], a[None]
        name = name_of(dtype)
        for operator in operators:
            if np.dtype(dtype).kind == "c" and operator in (binary.max_, binary.min_, binary.div):
                continue
            given, tol = pair, Tolerance()
            if operator is binary.div and dtype in FLOATS:  # by what is not so large: no denormals
                given, tol = (pair[0], np.delete(a, -3)[None]), ULPS[dtype]
            yield Row(operator, given, tol=tol, why=f"{name} at its ends", opens=False)
        if np.dtype(dtype).kind == "c":
            continue
        plain = a[np.isfinite(a.astype(np.float64))]
        plain = plain[np.abs(plain.astype(np.float64)) < 100] if dtype in FLOATS else plain
        for operator, attrs in (
            (binary.floor_div, {}),
            (binary.mod, {}),
            (binary.mod, {"fmod": True}),
        ):
            given = plain[:, None], plain[None]
            yield Row(operator, given, attrs, why=f"{name}, {attrs}", opens=False)
        fixed = plain[:, None], Const(plain[plain > 1])
        for operator in (binary.div, binary.floor_div):
            tol = ULPS.get(dtype, Tolerance()) if operator is binary.div else Tolerance()
            yield Row(operator, fixed, tol=tol, why=f"{name} by constants", opens=False)
        yield Row(binary.sum_, (a, a[::-1].copy(), a), why=f"three orders of {name}", opens=False)


def _comparisons() -> Iterator[Row]:
    ordered = (compare.less, compare.less_equal, compare.greater, compare.greater_equal)
    for k, dtype in enumerate((*ALL, *COMPLEX)):
        a = ends(dtype)
        name = name_of(dtype)
        operators = [compare.equal, compare.not_equal][k % 2 :][:1]
        if dtype in NUMBERS:
            operators += [ordered[k % 4], ordered[(k + 1) % 4]]
        for operator in operators:
            yield Row(operator, (a[:, None], a[None]), why=f"{name} at its ends", opens=False)
        mask = np.arange(a.size) % 3 == 0
        yield Row(compare.where, (mask[:, None], a[:1], Const(a)), why=name, opens=k % 4 == 0)


def _bits() -> Iterator[Row]:
    given: Any
    below: Any
    truths = np.array([False, True])
    for operator in (logic.and_, logic.or_, logic.xor):
        yield Row(operator, (truths[:, None], truths), why="all truths")
    yield Row(logic.not_, (truths,), why="all truths")
    for dtype in INTEGERS:
        a, name = ends(dtype), name_of(dtype)
        for operator in (logic.bitwise_and, logic.bitwise_or, logic.bitwise_xor):
            yield Row(operator, (a[:, None], a), why=name, opens=False)
        yield Row(logic.bitwise_not, (a,), why=name, opens=False)
        width = np.dtype(dtype).itemsize * 8
        counts = np.array([0, 1, width // 2, width - 1, width, width + 1], dtype)
        for left in (False, True):
            given = {"left": left}
            yield Row(logic.bit_shift, (a[:, None], counts), given, why=f"{name}, {left}")
            if np.dtype(dtype).kind == "i":
                below = np.array([-1, -width], dtype)
                why = f"{name} by less than none, {left}"
                yield Row(logic.bit_shift, (a[:, None], below), given, why=why, opens=False)


def _ones() -> Iterator[Row]:
    for dtype in NUMBERS:
        a, name = ends(dtype), name_of(dtype)
        operators = [unary.abs_, unary.sign, unary.square, unary.assign]
        if np.dtype(dtype).kind != "u":
            operators.append(unary.neg)
        if dtype in FLOATS:
            operators += [unary.floor, unary.ceil, unary.round_]
        for operator in operators:
            yield Row(operator, (a,), why=f"{name} at its ends", opens=False)


CASTS: tuple[Any, ...] = (*ALL, *COMPLEX, ml_dtypes.int4, ml_dtypes.uint4, ml_dtypes.float8_e4m3fn)
CASTS = (*CASTS, ml_dtypes.float8_e5m2, ml_dtypes.int2, ml_dtypes.uint2)
MIDDLE = {np.float32, np.int32, np.uint64}
"""Of every cast, one of these is the source or the target."""


def _between(source: Any, target: Any) -> np.ndarray:
    """Numbers of a type whose cast to another one is defined."""
    kinds = np.dtype(source).kind, np.dtype(target).kind
    if kinds[0] in "biu" or kinds[0] == "c":
        return ends(source)
    if target in INTEGERS and source in FLOATS:
        info, widest = np.iinfo(target), ml_dtypes.finfo(source)  # type: ignore[no-untyped-call]
        low, high = float(info.min), float(info.max)
        middle = [-2.5, -1, -0.5] if info.min else [-0.5]
        values = [*middle, 0, 0.5, 1.5, 2.5, 100, low, low / 2, high / 2 + 1, high / 4]
        inside = np.array([v for v in values if abs(v) <= float(widest.max)], source)
        wide = inside.astype(np.float64)
        return inside[(wide >= low - 0.9) & (wide < high + 1)]
    if target is np.bool_ or target in FLOATS:
        return ends(source) if source in FLOATS else np.array([0, 1, 2, 0.5], source)
    return np.array([0, 1, 2, 3], source)


def _casts() -> Iterator[Row]:
    given: Any
    then: Any
    narrow = CASTS[len(ALL) + len(COMPLEX) :]
    for source in CASTS:
        for target in CASTS:
            if not {source, target} & MIDDLE or (source in narrow and target in narrow):
                continue
            if source in narrow or (target in narrow and source in FLOATS):
                data = np.array([0, 1, 2, 3] if "uint" in name_of(source) else [0, 1, -1], source)
            else:
                data = _between(source, target)
            kind = precision_of(np.dtype(target))
            then = ((unary.cast, (), {"dtype": Precision.INT32}),) if target in narrow else ()
            why = f"{name_of(source)} to {name_of(target)}"
            yield Row(unary.cast, (data,), {"dtype": kind}, why=why, then=then, opens=False)
    fives = np.array([5, 7, 8, 12, 15, 17, -8, -9, 127, -128], np.int8)
    for target in (ml_dtypes.int4, ml_dtypes.uint4, ml_dtypes.int2, ml_dtypes.uint2):
        given = {"dtype": precision_of(np.dtype(target))}
        then = ((unary.cast, (), {"dtype": Precision.INT32}),)
        why = f"int8 beyond {name_of(target)}"
        yield Row(unary.cast, (fives,), given, why=why, then=then, opens=False)
    high = np.array([2.0**63, 2.0**63 + 2048, 2.0**64 - 2048, 2.0**62, 0], np.float64)
    for source in (np.float64, np.float32):
        given = {"dtype": Precision.UINT64}
        values = high.astype(source)[[0, 3, 4]] if source is np.float32 else high
        yield Row(unary.cast, (values,), given, why=f"{name_of(source)} beyond int64")


FOLDS = (reduce.reduce_sum, reduce.reduce_prod, reduce.reduce_max, reduce.reduce_min)


def _folds() -> Iterator[Row]:
    given: Any
    whole: Any
    for dtype in ALL:
        name, data = name_of(dtype), table(dtype)
        is_float = dtype in FLOATS
        operators: list[Operator[Any]] = [*FOLDS]
        if dtype is np.bool_:
            operators = [reduce.reduce_max, reduce.reduce_min]
        if dtype in INTEGERS:
            operators.append(reduce.reduce_xor)
        for k, operator in enumerate(operators):
            axes, keepdim = (((1,), True), ((-1, 0), False), ((), False))[(k + len(name)) % 3]
            where, given = Const(np.array(axes, np.int64)), {"keepdim": keepdim}
            yield Row(operator, (data, where), given, why=f"{name} over {axes}", opens=False)
            if not is_float:
                whole, all_axes = ends(dtype), Const(i(0))
                yield Row(operator, (whole, all_axes), why=f"{name} at its ends", opens=False)
            if k % 2 or is_float:
                gone = data[:, :0], Const(i(1))
                yield Row(operator, gone, why=f"nothing of {name}", opens=False)
        for operator in (reduce.arg_max, reduce.arg_min):
            axis = -1 if operator is reduce.arg_max else 1
            given = {"axis": axis, "keepdim": axis > 0}
            yield Row(operator, (data,), given, why=f"{name}, axis {axis}", opens=False)
            given = {"axis": 0, "keepdim": False, "dtype": Precision.INT32}
            whole = ends(dtype)[:-1] if is_float else ends(dtype)
            yield Row(operator, (whole,), given, why=f"{name} at its ends", opens=False)
        for operator in (reduce.cum_max, reduce.cum_min):
            axis = -1 if operator is reduce.cum_max else 1
            yield Row(operator, (data,), {"axis": axis}, why=f"{name}, axis {axis}", opens=False)
            yield Row(operator, (ends(dtype),), {"axis": 0}, why=f"{name} at its ends", opens=False)
    for dtype in NUMBERS:
        name, data = name_of(dtype), table(dtype)
        for operator in (reduce.cum_sum, reduce.cum_prod):
            ways = ((True, True), (False, False), (True, False), (False, True))
            for exclusive, reverse in ways[: 4 if dtype is np.float32 else 1]:
                given = {"exclusive": exclusive, "reverse": reverse}
                why = f"{name}, {exclusive}, {reverse}"
                yield Row(operator, (data, Const(i(1))), given, why=why, opens=dtype is np.float32)
            if dtype in INTEGERS:
                yield Row(operator, (ends(dtype),), why=f"{name} at its ends", opens=False)


def _orders() -> Iterator[Row]:
    given: Any
    whole: Any
    for dtype in NUMBERS:
        name, data = name_of(dtype), table(dtype)
        for largest in (True, False):
            axis = -1 if largest else 1
            given = {"axis": axis, "largest": largest}
            why = f"{name}, {largest}, axis {axis}"
            yield Row(sort.top_k, (data, Const(i(2))), given, why=why, opens=False)
            whole = ends(dtype)[:-1] if dtype in FLOATS else ends(dtype)
            given = {"axis": 0, "largest": largest, "return_indices_dtype": Precision.INT32}
            why = f"{name} at its ends, {largest}"
            yield Row(sort.top_k, (whole, Const(i(4))), given, why=why, opens=False)
        yield Row(sort.unique, (data,), {"axis": None}, why=name, opens=False)


MEANS = Tolerance(relative=1e-2)


def _means() -> Iterator[Row]:
    given: Any
    axes: Any
    where: Any
    for dtype in FLOATS:
        tol = ROUNDS if dtype in FLOATS[:2] else MEANS
        for axes in ((1,), (-1, 0), ()):
            where = Const(np.array(axes, np.int64))
            why = f"{name_of(dtype)} over {axes}"
            given = {"keepdim": False}
            for operator in (reduce.reduce_mean, reduce.reduce_log_sum_exp):
                data = table(dtype)
                yield Row(operator, (data, where), given, tol=tol, why=why, opens=False)
        endless = f(-inf, -inf, 1, inf, nan, 2).reshape(3, 2).astype(dtype)
        for operator in (reduce.reduce_mean, reduce.reduce_log_sum_exp):
            given = {"keepdim": True}
            why = f"{name_of(dtype)}, not finite"
            yield Row(operator, (endless, Const(i(1))), given, tol=tol, why=why, opens=False)
            gone = table(dtype)[:, :0], Const(i(1))
            for keepdim in (True, False):
                given = {"keepdim": keepdim}
                why = f"no {name_of(dtype)}, {keepdim}"
                yield Row(operator, gone, given, tol=tol, why=why, opens=False)
        endless = table(dtype)
        yield Row(reduce.cum_log_sum_exp, (endless,), {"axis": -1}, tol=tol, why=name_of(dtype))


def _axes_while_running() -> Iterator[Row]:
    given: Any
    axes: Any
    data = table(np.float32)
    for operator in (*FOLDS, reduce.reduce_mean, reduce.reduce_log_sum_exp):
        for axes in (i(1), i(-1), i(0, -2), i(2, dtype=np.int32)):
            why = f"axes {axes.tolist()} while running, {axes.dtype}"
            yield Row(operator, (data, axes), {"keepdim": True}, tol=ROUNDS, why=why)
        if operator in FOLDS:
            for dtype in (np.int8, np.int32, np.uint32, np.int64, np.float16):
                given = table(dtype), i(1, -3)
                why = f"{name_of(dtype)}, axes while running"
                yield Row(operator, given, {"keepdim": True}, why=why, opens=False)
    for operator in (reduce.cum_sum, reduce.cum_prod):
        for axis in (i(0), i(-1), i(1, dtype=np.int32)):
            yield Row(operator, (data, axis), why=f"axis {axis.tolist()} while running")


CASES: list[Row] = [
    *_pairs(),
    *_comparisons(),
    *_bits(),
    *_ones(),
    *_casts(),
    *_folds(),
    *_orders(),
    *_means(),
    *_axes_while_running(),
]
INFINITY = "infinity is in the order of the largest number"
LIMITS = [
    DirectLimit(operator, why, case, device="openvino", raises=AssertionError)
    for operator, why, case in (
        (unary.cast, "int64 is computed in 32 bits", "-float32 to int64"),
        (reduce.reduce_min, "int64 is computed in 32 bits", "nothing of int64"),
        (reduce.arg_max, INFINITY, "float32 at its ends"),
        (sort.top_k, INFINITY, "float32 at its ends, True"),
    )
]
