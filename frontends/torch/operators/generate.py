"""ATen tensors made from numbers and sizes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from nnir import build
from nnir.errors import BadType, NotConstant, Unsupported
from nnir.model import Index, Model, Value
from nnir.numeric import fraction_of
from nnir.ops import generate
from nnir.recipes import generate as generate_recipes
from nnir.recipes.generate import known_number
from nnir.recipes.promotion import COMPLEX, DEFAULT_FLOAT, Operand, of_number, to_value
from nnir.types import Precision

from ...table import Table
from ...translate import Translator

table = Table()
INT64 = 4
"""PyTorch's code of int64, the default in some signatures."""

LONGEST = 1 << 16
"""Longer ranges stay operations; shorter ones are constants."""


@table.convert("aten.arange.default")
def arange(end: Operand, *, dtype: Precision | None = None, translator: Translator) -> Value:
    return range_values(translator.model, 0, end, 1, dtype)


@table.convert("aten.arange.start")
def arange_start(
    start: Operand, end: Operand, *, dtype: Precision | None = None, translator: Translator
) -> Value:
    return range_values(translator.model, start, end, 1, dtype)


@table.convert("aten.arange.start_step")
def arange_step(
    start: Operand,
    end: Operand,
    step: Operand = 1,
    *,
    dtype: Precision | None = None,
    translator: Translator,
) -> Value:
    return range_values(translator.model, start, end, step, dtype)


def range_values(
    model: Model, start: Operand, end: Operand, step: Operand, dtype: Precision | None
) -> Value:
    """start, start + step, ...; floats are computed in float64 and rounded once."""
    bounds = [known_number(v) for v in (start, end, step)]
    is_float = any(v.is_float if isinstance(v, Value) else isinstance(v, float) for v in bounds)
    to_type = dtype or (DEFAULT_FLOAT if is_float else Precision.INT64)
    if any(isinstance(v, float) and not math.isfinite(v) for v in bounds):
        raise BadType("arange from {} to {} by {}".format(*bounds))
    if to_type == Precision.INT64:  # as PyTorch takes the bounds of no other type
        bounds = [int(v) if isinstance(v, float) else v for v in bounds]
        bounds = [v.cast(to_type) if isinstance(v, Value) else v for v in bounds]
        is_float = False
    numbers = [v for v in bounds if isinstance(v, (int, float))]
    if len(numbers) == len(bounds):
        return _known_range(model, numbers, to_type)
    made = _even_range(model, bounds) if is_float and to_type == Precision.FLOAT32 else None
    if made is not None:
        return made
    wide = Precision.FLOAT64 if is_float else Precision.INT64
    first, last, by = (to_value(v, wide, model) for v in bounds)
    if is_float and to_type.is_integer:
        raise NotConstant("arange of integers between floats that are only known while running")
    return generate.range_(first, last, by).cast(to_type)


def _even_range(model: Model, bounds: Sequence[Operand]) -> Value | None:
    """A range between sizes and fractions of small numbers as FLOAT32, which is counted in integers
    and not in FLOAT64; None where it is none."""
    numbers = [v for v in bounds if isinstance(v, (int, float))]
    ratios = [r for v in numbers if (r := fraction_of(v))]
    is_whole = all(v.is_integer for v in bounds if isinstance(v, Value))
    by = bounds[2]
    if not is_whole or len(ratios) < len(numbers) or isinstance(by, (Value, complex)) or not by:
        return None
    scale = max(bottom for _, bottom in ratios)
    first, last, step = (to_value(v * scale, Precision.INT64, model) for v in bounds)
    count = -((first - last) // step)
    at = generate.range_(*(to_value(v, Precision.INT64, model) for v in (0, count, 1)))
    return at.cast(Precision.FLOAT32) * np.float32(by) + to_value(bounds[0], DEFAULT_FLOAT, model)


def _known_range(model: Model, bounds: Sequence[int | float], to_type: Precision) -> Value:
    first, last, by = bounds
    if by == 0 or (last - first) / by < 0:
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


def _precision_of(value: Operand) -> Precision:
    return value.precision if isinstance(value, Value) else of_number(value)


@table.convert("aten.full.default")
def full(
    size: Index, fill_value: Operand, *, dtype: Precision | None = None, translator: Translator
) -> Value:
    precision = dtype or _precision_of(fill_value)
    return generate_recipes.full(translator.model, size, fill_value, precision)


@table.convert("aten.full_like.default")
def full_like(self: Value, fill_value: Operand, *, dtype: Precision | None = None) -> Value:
    return generate_recipes.full_like(self, fill_value, dtype)


@table.convert("aten.new_full.default")
def new_full(
    self: Value, size: Index, fill_value: Operand, *, dtype: Precision | None = None
) -> Value:
    return generate_recipes.full(self.model, size, fill_value, dtype or self.precision)


def _constant_family(name: str, number: int) -> None:
    """zeros, zeros_like and new_zeros; what `empty` holds is not said, here zeros."""

    @table.convert(f"aten.{name}.{'memory_format' if name == 'empty' else 'default'}")
    def plain(size: Index, *, dtype: Precision | None = None, translator: Translator) -> Value:
        return generate_recipes.full(translator.model, size, number, dtype or DEFAULT_FLOAT)

    @table.convert(f"aten.{name}_like.default")
    def of_another(self: Value, *, dtype: Precision | None = None) -> Value:
        return generate_recipes.full_like(self, number, dtype)

    @table.convert(f"aten.new_{name}.default")
    def new(self: Value, size: Index, *, dtype: Precision | None = None) -> Value:
        return generate_recipes.full(self.model, size, number, dtype or self.precision)


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
    return generate_recipes.full(translator.model, size, 0, dtype or DEFAULT_FLOAT)


@table.convert("aten.empty_strided.default")
def empty_strided(
    size: Index, stride: Index, *, dtype: Precision | None = None, translator: Translator
) -> Value:
    return generate_recipes.full(translator.model, size, 0, dtype or DEFAULT_FLOAT)


@table.convert("aten.new_empty_strided.default")
def new_empty_strided(
    self: Value, size: Index, stride: Index, *, dtype: Precision | None = None
) -> Value:
    return generate_recipes.full(self.model, size, 0, dtype or self.precision)


@table.convert("aten.scalar_tensor.default")
def scalar_tensor(s: Operand, *, dtype: Precision | None = None, translator: Translator) -> Value:
    return to_value(s, dtype or DEFAULT_FLOAT, translator.model)


@table.convert("aten.eye.default")
def eye(n: Index, *, dtype: Precision | None = None, translator: Translator) -> Value:
    return generate_recipes.eye(n, n, dtype or DEFAULT_FLOAT)


@table.convert("aten.eye.m")
def eye_m(n: Index, m: Index, *, dtype: Precision | None = None, translator: Translator) -> Value:
    return generate_recipes.eye(n, m, dtype or DEFAULT_FLOAT)


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
        return generate_recipes.linspace(
            translator.model, start, end, steps, dtype or _default(start, end)
        )

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
        return generate_recipes.logspace(translator.model, start, end, steps, base, precision)


def _default(*bounds: Operand) -> Precision:
    """Complex where a bound is, else the default float."""
    return (
        Precision.COMPLEX64 if any(_precision_of(b) in COMPLEX for b in bounds) else DEFAULT_FLOAT
    )


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
