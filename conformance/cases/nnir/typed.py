"""Operators on every element type that they take, against their own references: for devices.

The operators' type rules say which types they take. Numbers stand at the ends of their type and
beside 0; those of 64 bits at the ends of 32 bits, in which some engines compute.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import ml_dtypes
import numpy as np

from nnir.errors import NNAdapterError
from nnir.operator import Operator
from nnir.ops import activation, binary, compare, index, logic, reduce, shape, sort, unary
from nnir.types import PadMode, Precision

from ...case import Const, Tolerance, i
from .direct import DirectCase, DirectLimit, referred

REAL = (np.float32, np.float16, ml_dtypes.bfloat16, np.float64)
WHOLE = (
    *(np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64),
    np.bool_,
)
TYPES: tuple[Any, ...] = (*REAL, *WHOLE)
FEW: tuple[Any, ...] = (np.float32, np.float16, np.int8, np.uint8, np.int32, np.int64, np.bool_)
"""One of each sort, for what is shown of all types elsewhere."""

NEAR = {
    "float32": Tolerance(relative=1e-5, absolute=1e-6),
    "float64": Tolerance(relative=1e-5, absolute=1e-6),
    "float16": Tolerance(relative=2e-3, absolute=1e-3),
    "bfloat16": Tolerance(relative=1.6e-2, absolute=8e-3),
}
"""For what rounds; some engines compute float64 in float32."""

EXACT = Tolerance()
NUMBERS = (-7, -3.5, -2, -1.5, -1, -0.5, 0, 0.25, 0.5, 1, 1.5, 2.5, 3, 7)
STRANGE = (np.nan, np.inf, -np.inf, 1.0)


Make = Callable[[Any], Sequence[Any]]
"""Makes the inputs of a row of a type."""


def ends(dtype: Any) -> list[int]:
    """Integers at the ends of a type and beside 0, no further than 32 bits go."""
    if dtype is np.bool_:
        return [0, 1]
    bounds = np.iinfo(dtype)
    low, high = max(int(bounds.min), -(2**31) + 1), min(int(bounds.max), 2**31 - 1)
    found = {low, low + 1, -2, -1, 0, 1, 2, 3, 7, high - 1, high}
    return sorted(n for n in found if low <= n <= high)


def small(dtype: Any) -> list[Any]:
    """Numbers of which sums and products fit."""
    if np.dtype(dtype).kind in "iu":
        return [n for n in (-7, -3, -2, -1, 0, 1, 2, 3, 5, 7) if n >= np.iinfo(dtype).min]
    return [0, 1, 1] if dtype is np.bool_ else list(NUMBERS)


def values(dtype: Any, source: Callable[[Any], Sequence[Any]] = ends) -> np.ndarray:
    """A vector of numbers of a type."""
    is_whole = np.dtype(dtype).kind in "iub"
    return np.array(source(dtype) if is_whole else NUMBERS).astype(dtype)


def table(dtype: Any, *sizes: int) -> np.ndarray:
    """Small numbers of a type in a tensor."""
    return np.resize(values(dtype, small), sizes)


def takes(case: DirectCase) -> bool:
    """Whether an operator takes what the case gives it."""
    try:
        case.model()
    except NNAdapterError:
        return False
    return True


def tolerance(dtype: Any, *, rounds: bool) -> Tolerance:
    """How far results of a type may be off."""
    return NEAR.get(np.dtype(dtype).name, EXACT) if rounds else EXACT


def of_each_type(
    operator: Operator[Any],
    make: Make,
    why: str,
    *,
    types: Sequence[Any] = TYPES,
    rounds: bool = False,
    **attrs: Any,
) -> Iterator[DirectCase]:
    """A row for each type that the operator takes; `make` gives its inputs of a type."""
    for dtype in types:
        case = referred(
            operator,
            make(dtype),
            attrs,
            tolerance(dtype, rounds=rounds),
            f"{why} of {np.dtype(dtype).name}",
        )
        if takes(case):
            yield case


UNARY = {
    **dict.fromkeys((unary.abs_, unary.neg, unary.sign, unary.assign), False),
    **dict.fromkeys((unary.ceil, unary.floor, unary.round_, activation.relu), False),
    **dict.fromkeys((activation.relu6, logic.bitwise_not, logic.not_), False),
    **dict.fromkeys((unary.acos, unary.acosh, unary.asin, unary.asinh, unary.atan), True),
    **dict.fromkeys((unary.atanh, unary.cos, unary.cosh, unary.erf, unary.erfc, unary.exp), True),
    **dict.fromkeys((unary.expm1, unary.log, unary.log10, unary.log1p, unary.log2), True),
    **dict.fromkeys((unary.reciprocal, unary.rsqrt, unary.sin, unary.sinh, unary.sqrt), True),
    **dict.fromkeys((unary.tan, activation.tanh, activation.sigmoid, activation.swish), True),
}
"""Whether they round."""


def _strange(dtype: Any) -> np.ndarray:
    return np.array(STRANGE).astype(dtype)


def _unary() -> Iterator[DirectCase]:
    for operator, rounds in UNARY.items():
        yield from of_each_type(operator, lambda t: [values(t)], "ends", rounds=rounds)
        yield from of_each_type(
            operator, lambda t: [_strange(t)], "not finite", types=REAL, rounds=rounds
        )


BINARY = {
    **dict.fromkeys((binary.add, binary.sub, binary.mul, binary.max_, binary.min_), False),
    **dict.fromkeys((binary.mod, compare.equal, compare.not_equal, compare.less), False),
    **dict.fromkeys((compare.less_equal, compare.greater, compare.greater_equal), False),
    **dict.fromkeys((logic.bitwise_and, logic.bitwise_or, logic.bitwise_xor, logic.and_), False),
    **dict.fromkeys((logic.or_, logic.xor, binary.gcd), False),
    **dict.fromkeys((binary.div, binary.floor_div, binary.atan2, binary.hypot), True),
}
FITTING = {binary.add, binary.sub, binary.mul, binary.div, binary.floor_div, binary.mod, binary.gcd}
"""Operators whose numbers are small."""


def _with_power(power: int) -> Make:
    return lambda t: [values(t, small), Const(np.array([power]).astype(t))]


def _with_largest(known: Callable[[Any], Any]) -> Make:
    return lambda t: [values(t), Const(i(1, 2)), known(values(t)[-1])]


def _in_row(row: Sequence[float]) -> Make:
    return lambda t: [np.array(row).astype(t), Const(i(0))]


def _binary() -> Iterator[DirectCase]:
    yield from of_each_type(unary.square, lambda t: [values(t, small)], "plain", rounds=True)
    for operator, rounds in BINARY.items():
        source = small if operator in FITTING else ends

        def every(dtype: Any, source: Any = source) -> list[Any]:
            line = values(dtype, source)
            return [line.reshape(-1, 1), line]

        def behind(dtype: Any, source: Any = source) -> list[Any]:
            line = values(dtype, source)
            return [line, Const(line[-2:-1])]

        def before(dtype: Any, source: Any = source) -> list[Any]:
            line = values(dtype, source)
            return [Const(line[-2:-1]), line]

        yield from of_each_type(operator, every, "every pair", rounds=rounds)
        yield from of_each_type(operator, behind, "a constant behind", types=FEW, rounds=rounds)
        yield from of_each_type(operator, before, "a constant before", types=FEW, rounds=rounds)
        yield from of_each_type(
            operator,
            lambda t: [_strange(t).reshape(-1, 1), _strange(t)],
            "not finite",
            types=REAL,
            rounds=rounds,
        )


def _elementwise() -> Iterator[DirectCase]:
    """What has attributes, or more operands."""
    yield from of_each_type(
        binary.mod, lambda t: [values(t, small).reshape(-1, 1), values(t, small)], "fmod", fmod=True
    )
    for left in (True, False):
        yield from of_each_type(
            logic.bit_shift,
            lambda t: [values(t, small), np.arange(len(values(t, small))).astype(t) % 7],
            "left" if left else "right",
            left=left,
        )
    for power in (0, 1, 2, 3):
        yield from of_each_type(
            binary.pow_,
            _with_power(power),
            f"a known {power}",
            types=FEW,
            rounds=True,
        )
    yield from of_each_type(
        binary.pow_,
        lambda t: [np.array([1, 2, 3, 5, 0, 2]).astype(t), np.array([3, 0, 2, 1, 0, 6]).astype(t)],
        "powers at run time",
        rounds=True,
    )
    yield from of_each_type(binary.sum_, lambda t: [table(t, 2, 3)] * 3, "three")
    yield from of_each_type(
        compare.where,
        lambda t: [np.array([[True], [False]]), values(t), values(t)[::-1].copy()],
        "ends",
    )
    yield from of_each_type(
        activation.clip,
        lambda t: [values(t), *(Const(np.array(n).astype(t)) for n in (1, 3))],
        "known bounds",
    )
    yield from of_each_type(
        activation.clip,
        lambda t: [values(t), *(np.array(n).astype(t) for n in (1, 3))],
        "bounds at run time",
    )


def _casts() -> Iterator[DirectCase]:
    for to in (np.int8, np.uint8, np.int16, np.uint16, np.float16, np.int32, np.float32, np.int64):
        precision = Precision[np.dtype(to).name.upper()]
        same = [t for t in TYPES if np.dtype(t).itemsize == np.dtype(to).itemsize]
        yield from of_each_type(
            unary.bit_cast,
            lambda t: [values(t)],
            f"to {precision.name}",
            types=same,
            dtype=precision,
        )
    for to in TYPES:
        precision = Precision[np.dtype(to).name.upper().replace("BOOL", "BOOL8")]
        floor = 0 if np.dtype(to).kind == "u" else -9  # below 0 there is no one answer

        def make(dtype: Any, floor: int = floor) -> list[Any]:
            line = values(dtype, small)
            return [line[line.astype(np.float64) >= floor]]

        yield from of_each_type(unary.cast, make, f"to {precision.name}", dtype=precision)


AT = i(2, 0, -1)
FAR = i(1, 1, -3, 0)


def _moves() -> Iterator[DirectCase]:
    """Operators that move elements, each at work on two axes."""

    def one(dtype: Any) -> list[Any]:
        return [table(dtype, 2, 3)]

    def with_(*rest: Any) -> Callable[[Any], list[Any]]:
        return lambda t: [table(t, 2, 3), *rest]

    yield from of_each_type(shape.transpose, one, "plain")
    yield from of_each_type(shape.reshape, with_(Const(i(3, -1))), "plain")
    yield from of_each_type(
        shape.concat, lambda t: [table(t, 2, 3), table(t, 2, 1)], "ends", axis=1
    )
    yield from of_each_type(shape.stack, lambda t: [table(t, 2, 3)] * 2, "plain", axis=1)
    yield from of_each_type(shape.unstack, one, "plain", axis=1, num=3)
    yield from of_each_type(shape.split, with_(Const(i(1, 2))), "plain", axis=1)
    yield from of_each_type(shape.expand, with_(Const(i(2, 2, 3))), "plain")
    yield from of_each_type(shape.tile, with_(Const(i(2, 1))), "plain")
    yield from of_each_type(shape.tile, with_(i(2, 1)), "at run time", types=FEW)
    yield from of_each_type(shape.squeeze, lambda t: [table(t, 1, 3), Const(i(0))], "plain")
    yield from of_each_type(index.gather, with_(Const(AT)), "known", axis=1)
    yield from of_each_type(index.gather, with_(AT), "at run time", types=FEW, axis=1)
    yield from of_each_type(index.gather_nd, with_(i(1, 2, -2, 0).reshape(2, 2)), "plain")
    yield from of_each_type(index.gather_elements, with_(AT.reshape(1, 3)), "axis 1", axis=1)
    yield from of_each_type(
        index.gather_elements, with_(AT[1:].reshape(1, 2)), "axis 0", types=FEW, axis=0
    )
    yield from of_each_type(index.roll, with_(Const(i(1)), Const(i(1))), "plain")
    yield from of_each_type(
        index.reverse_sequence, with_(i(2, 3)), "plain", batch_axis=0, time_axis=1
    )
    yield from of_each_type(index.non_zero, one, "plain")
    yield from of_each_type(
        index.slice_,
        with_(Const(i(1)), Const(i(-1)), Const(i(-9)), Const(i(-2))),
        "backwards",
    )


def _borders() -> Iterator[DirectCase]:
    """Pads and scattered rows."""

    def with_(*rest: Any) -> Make:
        return lambda t: [table(t, 2, 3), *rest]

    for mode in PadMode:
        pads = Const(FAR if mode == PadMode.CONSTANT else i(1, 0, -1, 1))
        types = TYPES if mode == PadMode.CONSTANT else TYPES[::2]
        yield from of_each_type(shape.pad, with_(pads), mode.name, types=types, mode=mode)
        yield from of_each_type(
            shape.pad, with_(pads.array), f"{mode.name} at run time", types=FEW, mode=mode
        )
    for known in (Const, np.asarray):
        word = "known" if known is Const else "at run time"
        yield from of_each_type(
            shape.pad,
            _with_largest(known),
            f"the largest number, {word}",
        )
    for reduction in ("none", "add", "mul", "max", "min"):
        yield from of_each_type(
            index.scatter_elements,
            with_rows(AT.reshape(1, 3)),
            reduction,
            rounds=reduction != "none",
            axis=1,
            reduction=reduction,
        )
        yield from of_each_type(
            index.scatter_nd,
            lambda t: [table(t, 3, 2), i(2, -2).reshape(2, 1), table(t, 5, 2)[3:]],
            reduction,
            rounds=reduction != "none",
            reduction=reduction,
        )


def with_rows(indices: np.ndarray) -> Callable[[Any], list[Any]]:
    """Two rows that are updated at positions."""
    return lambda t: [table(t, 2, 3), indices, table(t, 5, 3)[4:]]


def _orders() -> Iterator[DirectCase]:
    """Reductions."""
    for name in ("max", "min", "sum", "prod", "mean", "log_sum_exp", "xor"):
        operator = getattr(reduce, f"reduce_{name}")
        is_order = name in ("max", "min", "xor")
        source = ends if is_order else small

        def make(dtype: Any, source: Any = source) -> list[Any]:
            line = values(dtype, source)[-6:] if source is small else values(dtype, source)
            return [np.stack([line, line[::-1]]), Const(i(1))]

        yield from of_each_type(operator, make, "plain", rounds=not is_order, keepdim=False)
        for row, word in (([np.nan, 1, 2], "nan"), ([-np.inf, 1, 2], "-inf"), ([np.inf, 1], "inf")):
            yield from of_each_type(
                operator,
                _in_row(row),
                word,
                types=REAL,
                rounds=not is_order,
                keepdim=True,
            )


def _places() -> Iterator[DirectCase]:
    """Positions, running sums and orders."""
    for operator in (reduce.arg_max, reduce.arg_min):
        yield from of_each_type(
            operator,
            lambda t: [np.stack([values(t), values(t)[::-1]])],
            "ends",
            axis=1,
            keepdim=False,
        )
        yield from of_each_type(
            operator, lambda t: [np.resize(values(t)[:2], 6)], "equals", axis=0, keepdim=True
        )
        yield from of_each_type(
            operator, lambda t: [_strange(t)[::-1].copy()], "nan", types=REAL, axis=0, keepdim=True
        )
    for running in (reduce.cum_max, reduce.cum_min):
        yield from of_each_type(running, lambda t: [table(t, 2, 5)], "plain", axis=1)
    for operator in (reduce.cum_sum, reduce.cum_prod):
        for exclusive in (False, True):
            yield from of_each_type(
                operator,
                lambda t: [np.resize(values(t, small)[-3:], (2, 3)), Const(i(1))],
                f"exclusive {exclusive}",
                rounds=True,
                exclusive=exclusive,
            )
    for largest in (True, False):
        yield from of_each_type(
            sort.top_k,
            lambda t: [np.stack([values(t), values(t)[::-1]]), Const(i(2))],
            "largest" if largest else "smallest",
            axis=1,
            largest=largest,
        )
        yield from of_each_type(
            sort.top_k,
            lambda t: [_strange(t), Const(i(4))],
            f"not finite, largest {largest}",
            types=REAL,
            axis=0,
            largest=largest,
        )
    yield from of_each_type(sort.unique, lambda t: [np.resize(values(t, small)[-3:], 5)], "plain")


LIMITS = [
    DirectLimit(
        sort.top_k,
        "ONNX Runtime's order of NaN is that in which it is met",
        case="not finite",
        raises=AssertionError,
    )
]
ATTRIBUTES: list[tuple[Operator[Any], dict[str, Any]]] = [
    (activation.elu, {"alpha": 1.0}),
    (activation.elu, {"alpha": 0.3}),
    (activation.celu, {"alpha": 1.0}),
    (activation.celu, {"alpha": 2.5}),
    (activation.leaky_relu, {"alpha": 0.2}),
    (activation.leaky_relu, {"alpha": -1.5}),
    (activation.gelu, {"approximate": False}),
    (activation.gelu, {"approximate": True}),
    (activation.hard_sigmoid, {"alpha": 0.3, "beta": 0.4}),
    (activation.hard_swish, {"alpha": 0.3, "beta": 0.4}),
    (activation.hard_swish, {"alpha": 1 / 6, "beta": 0.5}),
    (activation.softplus, {}),
    (activation.softplus, {"beta": 2.0, "threshold": 3.0}),
]


def _activations() -> Iterator[DirectCase]:
    for operator, attrs in ATTRIBUTES:
        word = ", ".join(f"{k} {v:.2g}" for k, v in attrs.items()) or "plain"
        yield from of_each_type(operator, lambda t: [values(t)], word, rounds=True, **attrs)
        yield from of_each_type(
            operator,
            lambda t: [_strange(t)],
            f"not finite, {word}",
            types=REAL,
            rounds=True,
            **attrs,
        )
    for known in (Const, np.asarray):
        word = "known" if known is Const else "at run time"
        for sizes, count in (((5,), 5), ((5,), 1), ((2, 3), 3), ((2, 3, 2), 3), ((2, 3, 2, 2), 3)):
            yield from of_each_type(
                activation.prelu,
                _with_slopes(sizes, count, known),
                f"{len(sizes)} axes, {count} {word}",
                types=REAL if len(sizes) == 2 else REAL[:1],
                rounds=True,
            )


def _with_slopes(sizes: Sequence[int], count: int, known: Callable[[Any], Any]) -> Make:
    return lambda t: [table(t, *sizes), known(np.linspace(0.2, -0.7, count).astype(t))]


CASES = [
    case
    for rows in (
        *(_unary, _binary, _elementwise, _casts, _moves, _borders),
        *(_orders, _places, _activations),
    )
    for case in rows()
]
