"""ATen tensors made from numbers and sizes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from nnir import build
from nnir.broadcast import contents, ints
from nnir.errors import BadType, NotConstant, Unsupported
from nnir.model import Index, Model, Value
from nnir.ops import compare, generate, shape
from nnir.types import Precision

from ..table import Table
from ..translate import Translator
from .promotion import COMPLEX, DEFAULT_FLOAT, Number, Operand, of_number, to

table = Table()
INT64 = 4
"""PyTorch's code of int64, the default in some signatures."""

LONGEST = 1 << 16
"""Longer ranges stay operations; shorter ones are constants."""


@table.convert("aten.arange.default")
def arange(end: Operand, *, dtype: Precision | None = None, translator: Translator) -> Value:
    return ranged(translator.model, 0, end, 1, dtype)


@table.convert("aten.arange.start")
def arange_start(
    start: Operand, end: Operand, *, dtype: Precision | None = None, translator: Translator
) -> Value:
    return ranged(translator.model, start, end, 1, dtype)


@table.convert("aten.arange.start_step")
def arange_step(
    start: Operand,
    end: Operand,
    step: Operand = 1,
    *,
    dtype: Precision | None = None,
    translator: Translator,
) -> Value:
    return ranged(translator.model, start, end, step, dtype)


def ranged(
    model: Model, start: Operand, end: Operand, step: Operand, dtype: Precision | None
) -> Value:
    """start, start + step, ...; floats are computed in float64 and rounded once."""
    bounds = [_known(v) for v in (start, end, step)]
    is_float = any(v.is_float if isinstance(v, Value) else isinstance(v, float) for v in bounds)
    to_type = dtype or (DEFAULT_FLOAT if is_float else Precision.INT64)
    numbers = [v for v in bounds if isinstance(v, (int, float))]
    if len(numbers) == len(bounds):
        return _known_range(model, numbers, to_type)
    wide = Precision.FLOAT64 if is_float else Precision.INT64
    first, last, by = (to(v, wide, model) for v in bounds)
    if is_float and to_type.is_integer:
        raise NotConstant("arange of integers between floats that are only known while running")
    return generate.range_(first, last, by).cast(to_type)


def _known(number: Operand) -> Operand:
    if isinstance(number, Value) and number.known is not None and number.known.size == 1:
        found: Number = number.known.reshape(()).item()
        return found
    return number


def _known_range(model: Model, bounds: Sequence[int | float], to_type: Precision) -> Value:
    if to_type == Precision.INT64:
        bounds = [int(b) for b in bounds]
    first, last, by = bounds
    if not all(map(math.isfinite, bounds)) or by == 0 or (last - first) / by < 0:
        raise BadType(f"arange from {first} to {last} by {by}")
    if isinstance(first, int) and isinstance(last, int) and isinstance(by, int):
        count = len(range(first, last, by))
        if count > LONGEST and to_type == Precision.INT64:
            return generate.range_(*(model.constant(b, np.int64) for b in bounds))
    else:
        count = max(math.ceil((last - first) / by), 0)
    if to_type.is_integer:
        first, by = int(first), int(by)
    wide = np.float64 if to_type.is_float else np.int64
    steps = build.arange(count) * np.asarray(by, wide) + np.asarray(first, wide)
    return model.constant(steps.astype(to_type.dtype))


def filled(model: Model, size: Value, value: Operand, precision: Precision) -> Value:
    """A tensor of one number everywhere."""
    element = to(value, precision, model)
    if contents(size) == ():
        return element
    return generate.fill(size, element)


def like(x: Value, value: Operand, dtype: Precision | None) -> Value:
    """A tensor of the sizes of `x`."""
    precision = dtype or x.precision
    if x.is_static:
        return filled(x.model, build.shape_of(x), value, precision)
    return generate.fill_like(x, to(value, precision, x.model))


def _precision_of(value: Operand) -> Precision:
    return value.precision if isinstance(value, Value) else of_number(value)


@table.convert("aten.full.default")
def full(
    size: Index, fill_value: Operand, *, dtype: Precision | None = None, translator: Translator
) -> Value:
    precision = dtype or _precision_of(fill_value)
    return filled(translator.model, size, fill_value, precision)


@table.convert("aten.full_like.default")
def full_like(self: Value, fill_value: Operand, *, dtype: Precision | None = None) -> Value:
    return like(self, fill_value, dtype)


@table.convert("aten.new_full.default")
def new_full(
    self: Value, size: Index, fill_value: Operand, *, dtype: Precision | None = None
) -> Value:
    return filled(self.model, size, fill_value, dtype or self.precision)


def _constant_family(name: str, number: int) -> None:
    """zeros, zeros_like and new_zeros; what `empty` holds is not said, here zeros."""

    @table.convert(f"aten.{name}.{'memory_format' if name == 'empty' else 'default'}")
    def plain(size: Index, *, dtype: Precision | None = None, translator: Translator) -> Value:
        return filled(translator.model, size, number, dtype or DEFAULT_FLOAT)

    @table.convert(f"aten.{name}_like.default")
    def of_another(self: Value, *, dtype: Precision | None = None) -> Value:
        return like(self, number, dtype)

    @table.convert(f"aten.new_{name}.default")
    def new(self: Value, size: Index, *, dtype: Precision | None = None) -> Value:
        return filled(self.model, size, number, dtype or self.precision)


_constant_family("zeros", 0)
_constant_family("ones", 1)
_constant_family("empty", 0)


@table.convert("aten.empty_permuted.default")
def empty_permuted(
    size: Index,
    physical_layout: tuple[int, ...],
    *,
    dtype: Precision | None = None,
    translator: Translator,
) -> Value:
    return filled(translator.model, size, 0, dtype or DEFAULT_FLOAT)


@table.convert("aten.empty_strided.default")
def empty_strided(
    size: Index, stride: Index, *, dtype: Precision | None = None, translator: Translator
) -> Value:
    return filled(translator.model, size, 0, dtype or DEFAULT_FLOAT)


@table.convert("aten.new_empty_strided.default")
def new_empty_strided(
    self: Value, size: Index, stride: Index, *, dtype: Precision | None = None
) -> Value:
    return filled(self.model, size, 0, dtype or self.precision)


@table.convert("aten.scalar_tensor.default")
def scalar_tensor(s: Operand, *, dtype: Precision | None = None, translator: Translator) -> Value:
    return to(s, dtype or DEFAULT_FLOAT, translator.model)


@table.convert("aten.eye.default")
def eye(n: Index, *, dtype: Precision | None = None, translator: Translator) -> Value:
    return eye_of(n, n, dtype or DEFAULT_FLOAT)


@table.convert("aten.eye.m")
def eye_m(n: Index, m: Index, *, dtype: Precision | None = None, translator: Translator) -> Value:
    return eye_of(n, m, dtype or DEFAULT_FLOAT)


def eye_of(rows: Value, columns: Value, precision: Precision) -> Value:
    """Ones where row and column are equal."""
    lines = []
    for size in (rows, columns):
        known = ints(size)
        if known is not None and known[0] < 0:
            raise BadType(f"eye of {known[0]} rows or columns")
        if known is not None:
            lines.append(size.model.constant(build.arange(known[0])))
        else:
            lines.append(generate.range_([0], shape.reshape(size, [1]), [1]))
    ones = compare.equal(shape.unsqueeze(lines[0], [1]), lines[1])
    return ones.cast(precision)


def spaced(model: Model, start: Operand, end: Operand, steps: int, precision: Precision) -> Value:
    """`steps` numbers from `start` to `end`, counted from the nearer of the two."""
    if steps < 0:
        raise BadType(f"linspace of {steps} numbers")
    wide = Precision.FLOAT64 if precision.is_integer else precision
    known = [_whole(_known(v), precision) for v in (start, end)]
    if not any(isinstance(v, Value) for v in known):
        numbers = _line(known[0], known[1], steps, wide)  # type: ignore[arg-type]
        return model.constant(numbers.astype(precision.dtype))
    first, last = (to(v, wide, model) for v in known)
    if steps <= 1:
        return (shape.reshape(first, [1]) if steps else model.constant([], "f4")).cast(precision)
    step = (last - first) / (steps - 1)
    places = build.arange(steps)
    near = model.constant(places.astype(wide.dtype))
    far = model.constant((steps - 1 - places).astype(wide.dtype))
    rising = first + step * near
    falling = last - step * far
    return compare.where(model.constant(places < steps // 2), rising, falling).cast(precision)


def _whole(bound: Operand, precision: Precision) -> Operand:
    """A bound without its fraction, where whole numbers are asked for."""
    if not precision.is_integer or isinstance(bound, complex):
        return bound
    return bound.cast(precision) if isinstance(bound, Value) else math.trunc(bound)


def _line(start: Number, end: Number, steps: int, precision: Precision) -> np.ndarray:
    kind = np.dtype(np.complex128 if precision in COMPLEX else np.float64)
    first, last = np.array([start, end], kind).astype(precision.dtype).astype(kind)
    if steps == 1:
        return np.array([first])
    step = np.asarray((last - first) / max(steps - 1, 1))
    places = build.arange(steps)
    return np.where(places < steps // 2, first + step * places, last - step * (steps - 1 - places))


def _linspace(overload: str) -> None:
    @table.convert(f"aten.linspace.{overload}")
    def linspace(
        start: Operand,
        end: Operand,
        steps: int,
        *,
        dtype: Precision | None = None,
        translator: Translator,
    ) -> Value:
        return spaced(translator.model, start, end, steps, dtype or _default(start, end))

    @table.convert(f"aten.logspace.{overload}")
    def logspace(
        start: Operand,
        end: Operand,
        steps: int,
        base: float = 10.0,
        *,
        dtype: Precision | None = None,
        translator: Translator,
    ) -> Value:
        precision = dtype or _default(start, end)
        return powers(translator.model, start, end, steps, base, precision)


def _default(*bounds: Operand) -> Precision:
    """Complex where a bound is, else the default float."""
    return (
        Precision.COMPLEX64 if any(_precision_of(b) in COMPLEX for b in bounds) else DEFAULT_FLOAT
    )


def powers(
    model: Model, start: Operand, end: Operand, steps: int, base: float, precision: Precision
) -> Value:
    """`base` to the powers that linspace gives."""
    wide = precision if precision in COMPLEX else Precision.FLOAT64
    first, last = (_whole(_known(v), precision) for v in (start, end))
    exponents = spaced(model, first, last, steps, wide)
    if exponents.constant is not None:
        with np.errstate(all="ignore"):
            numbers = np.power(np.asarray(base, wide.dtype), exponents.constant)
        return model.constant(numbers.astype(precision.dtype))
    return (base**exponents).cast(precision)


for _overload in ("default", "Scalar_Tensor", "Tensor_Scalar", "Tensor_Tensor"):
    _linspace(_overload)


def _indices(name: str, places: Callable[..., tuple[np.ndarray, np.ndarray]]) -> None:
    @table.convert(f"aten.{name}.default")
    def convert(
        row: int,
        col: int,
        offset: int = 0,
        *,
        dtype: Precision | int | None = INT64,
        translator: Translator,
    ) -> Value:
        if row < 0 or col < 0 or row * col > build.LARGEST_CONSTANT:
            raise Unsupported(f"{name} of {row} rows and {col} columns")
        pairs = np.stack(places(row, offset, col))
        return translator.model.constant(pairs.astype(whole_kind(dtype).dtype))


def whole_kind(dtype: Precision | int | None) -> Precision:
    """The type of positions: int64 unless another one is asked for."""
    return dtype if isinstance(dtype, Precision) else Precision.INT64


_indices("tril_indices", np.tril_indices)
_indices("triu_indices", np.triu_indices)
