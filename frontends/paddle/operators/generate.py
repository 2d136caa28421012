"""Paddle's tensors made from numbers and sizes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nnir import build
from nnir.broadcast import axis_of, contents, ints
from nnir.errors import BadType, NotConstant, Unsupported
from nnir.model import Index, Model, Value
from nnir.ops import generate, shape
from nnir.recipes import generate as generate_recipes
from nnir.recipes import shape as shape_recipes
from nnir.recipes.promotion import COMPLEX, Operand, to_value
from nnir.types import Precision

from ...table import Ints, Items, Table
from ...translate import Translator
from .numbers import array_of_numbers, require_positions, whole

table = Table()
FLOAT32 = Precision.FLOAT32
SMALL = 1 << 10
"""A filled tensor of so many elements is a constant, a larger one an operation."""

LONGEST = 1 << 16
"""Longer ranges stay operations; shorter ones are constants."""


def full_of(model: Model, size: Value, value: Operand, dtype: Precision) -> Value:
    """A tensor of one number everywhere; a small one is a constant."""
    element = to_value(value, dtype, model)
    element = element if not element.rank else shape.reshape(element, [])
    known = contents(size)
    if known == ():
        return element
    if known is not None and element.constant is not None:
        whole = [d for d in known if isinstance(d, int)]
        if len(whole) == len(known) and math.prod(whole) <= SMALL and min(whole) >= 0:
            return model.constant(np.full(whole, element.constant))
    return generate.fill(size, element)


@table.convert("full")
def full(shape: Index, value: Operand, dtype: Precision, *, translator: Translator) -> Value:
    return full_of(translator.model, shape, value, dtype)


@table.convert("full_")
def full_inplace(output: Value, shape: Index, value: Operand, dtype: Precision) -> Value:
    return full_of(output.model, shape, value, dtype)


@table.convert("full_with_tensor")
def full_with_tensor(
    value: Value, shape: Index, dtype: Precision, *, translator: Translator
) -> Value:
    return full_of(translator.model, shape, value, dtype)


@table.convert("full_int_array")
def full_int_array(value: Ints, dtype: Precision, *, translator: Translator) -> Value:
    return translator.model.constant(np.array(value, dtype.dtype))


@table.convert("full_like")
@table.convert("fill", "fill_", dtype=None)
def full_like(x: Value, value: Operand, dtype: Precision | None) -> Value:
    if isinstance(value, Value) and value.rank:
        value = shape.reshape(value, []) if value.known is None else value.known.item()
    return generate_recipes.full_like(x, value, dtype)


@table.convert("full_batch_size_like")
def full_batch_size_like(
    input: Value,
    shape: Ints,
    dtype: Precision,
    value: float,
    input_dim_idx: int,
    output_dim_idx: int,
) -> Value:
    if any(n == 0 for n in shape):
        raise Unsupported(f"full_batch_size_like with the shape {tuple(shape)}")
    parts: list[build.Size] = list(shape)
    parts[axis_of(output_dim_idx, len(parts))] = build.size_of(input, input_dim_idx)
    return full_of(input.model, build.vector(input.model, parts), value, dtype)


def _constants(name: str, value: int) -> None:
    """ones, zeros, and those like another tensor."""

    @table.convert(name)
    def plain(shape: Index, dtype: Precision, *, translator: Translator) -> Value:
        return full_of(translator.model, shape, value, dtype)

    @table.convert(f"{name}_like")
    def of_another(x: Value, dtype: Precision | None) -> Value:
        return generate_recipes.full_like(x, value, dtype)


_constants("ones", 1)
_constants("zeros", 0)
_constants("empty", 0)  # what an empty tensor holds is not said: here zeros


def values_as_array(values: tuple[Any, ...], shape: Ints, dtype: Precision) -> Any:
    """Numbers in a shape; one number may stand for all of them."""
    if dtype == Precision.BOOL8 and any(v not in (0, 1) for v in values):
        raise BadType(f"truth values {values}")
    array = array_of_numbers(values, dtype)
    return np.full(shape, array.item(), array.dtype) if array.size == 1 else array.reshape(shape)


def values_in_place(values: tuple[Any, ...], shape: Ints, dtype: Precision) -> np.ndarray:
    """As many numbers as the shape has; BadType for others."""
    if len(values) != math.prod(shape):
        raise BadType(f"assign_value_ of {len(values)} numbers in the shape {tuple(shape)}")
    return values_as_array(values, shape, dtype)


@table.convert("assign_value")
def assign_value(
    shape: Ints, dtype: Precision, values: tuple[Any, ...], *, translator: Translator
) -> Value:
    return translator.model.constant(values_as_array(values, shape, dtype))


@table.convert("assign_value_")
def assign_value_inplace(
    output: Value | None,
    shape: Ints,
    dtype: Precision,
    values: tuple[Any, ...],
    *,
    translator: Translator,
) -> Value:
    return translator.model.constant(values_in_place(values, shape, dtype))


@table.convert("arange")
def arange(start: Value, end: Value, step: Value, dtype: Precision) -> Value:
    """The bounds are rounded to the type first; a step away from the end gives nothing."""
    bounds = [v.cast(dtype) for v in (start, end, step)]
    known = [v.known.reshape(()) for v in bounds if v.known is not None]
    if len(known) < len(bounds):
        return generate.range_(*bounds)
    count = steps_between(*known)
    return generate.range_(*bounds) if count > LONGEST else line(start.model, known, count)


def steps_between(first: np.ndarray, last: np.ndarray, by: np.ndarray) -> int:
    """How many numbers a range has before its end."""
    if not by or not all(np.isfinite(k) for k in (first, last, by)):
        raise BadType(f"a range from {first} to {last} by {by}")
    if first.dtype.kind in "iu":
        return len(range(int(first), int(last), int(by)))
    return max(math.ceil((last - first) / by), 0)


def line(model: Model, known: Sequence[np.ndarray], count: int) -> Value:
    """`count` numbers of a range, computed in more digits than they have."""
    first, _, by = known
    wide = np.int64 if first.dtype.kind in "iu" else np.float64
    numbers = build.arange(count) * by.astype(wide) + first.astype(wide)
    return model.constant(numbers.astype(first.dtype))


@table.convert("range_v2")
def range_v2(start: Value, end: Value, step: Value, dtype: Precision) -> Value:
    """The end is included."""
    bounds = [v.cast(dtype) for v in (start, end, step)]
    known = [v.known.reshape(()) for v in bounds if v.known is not None]
    if len(known) < len(bounds):
        raise NotConstant("range_v2 between bounds that are only known while running")
    first, last, by = known
    steps_between(first, last, by)  # refuses what has no end
    if (last - first) * by < 0:
        raise BadType(f"a range from {first} to {last} by {by}")
    return line(start.model, known, int((last - first) // by) + 1)


def number_of(x: Value) -> Value:
    """A tensor of one element without its axes."""
    if not x.rank or x.known is None:
        return shape.reshape(x, []) if x.rank else x
    if x.known.size != 1:
        raise BadType(f"{x.type}, where one number is needed")
    return x.model.constant(x.known.reshape(()))


@table.convert("linspace")
def linspace(start: Value, stop: Value, number: Index, dtype: Precision) -> Value:
    first, last = (number_of(v) for v in (start, stop))
    require_positions("linspace", number)
    count = ints(number)
    if count is None or len(count) != 1:
        raise NotConstant(f"linspace of {number.type} numbers")
    return generate_recipes.linspace(
        start.model, first.cast(dtype), last.cast(dtype), count[0], dtype
    )


@table.convert("logspace")
def logspace(start: Value, stop: Value, num: int, base: Value, dtype: Precision) -> Value:
    known = base.cast(dtype).known
    if known is None:
        raise Unsupported("logspace with a base that is only known while running")
    first, last = (number_of(v).cast(dtype) for v in (start, stop))
    return generate_recipes.logspace(start.model, first, last, num, float(known.item()), dtype)


@table.convert("eye")
def eye(num_rows: Index, num_columns: Index, dtype: Precision, *, translator: Translator) -> Value:
    if any(v.precision in COMPLEX for v in (num_rows, num_columns)):
        raise BadType(f"eye of {num_rows.type} rows and {num_columns.type} columns")
    rows, columns = whole(num_rows), whole(num_columns)
    return generate_recipes.eye(rows, rows if contents(columns) == (-1,) else columns, dtype)


def triangle_indices(
    name: str, rows: int, columns: int, offset: int, dtype: Precision, translator: Translator
) -> Value:
    """Rows and columns of a triangle, row by row."""
    if rows < 0 or columns < 0 or rows * columns > build.LARGEST_CONSTANT:
        raise Unsupported(f"{name} of {rows} rows and {columns} columns")
    places = (np.tril_indices if name == "tril_indices" else np.triu_indices)(rows, offset, columns)
    return translator.model.constant(np.stack(places).astype(dtype.dtype))


@table.convert("tril_indices")
def tril_indices(
    rows: int, cols: int, offset: int, dtype: Precision, *, translator: Translator
) -> Value:
    return triangle_indices("tril_indices", rows, cols, offset, dtype, translator)


@table.convert("triu_indices")
def triu_indices(
    row: int, col: int, offset: int, dtype: Precision, *, translator: Translator
) -> Value:
    return triangle_indices("triu_indices", row, col, offset, dtype, translator)


@table.convert("meshgrid")
def meshgrid(inputs: Items) -> list[Value]:
    return shape_recipes.meshgrid(inputs)
