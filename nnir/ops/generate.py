"""Tensors made from numbers and sizes."""

from __future__ import annotations

import numpy as np

from ..broadcast import contents, ints, length_of, text
from ..dim import Dim, Expr, ceil_div, maximum
from ..errors import BadType
from ..model import Index, Value
from ..operator import Pattern, operator, require
from ..types import LARGEST, TensorType
from .rules import fresh, require_integers


def _fill(shape: np.ndarray, value: np.ndarray) -> np.ndarray:
    return np.full([int(d) for d in shape.flat], value.reshape(()), value.dtype)


def _fill_content(shape: Value, value: Value) -> np.ndarray | None:
    sizes = ints(shape)
    if sizes is None or value.content is None:
        return None
    return np.full(sizes, value.content.reshape(()), object)


@operator(pattern=Pattern.MOVEMENT, code=24, reference=_fill, content=_fill_content)
def fill(shape: Index, value: Value) -> TensorType:
    """A tensor of a given shape with one element everywhere.

    Types: `shape` holds integers; the result has the type of `value`, which is one element.
    Edges: an empty `shape` gives rank 0, a size 0 an empty tensor.
    """
    require_integers(shape, "the shape of fill")
    sizes = contents(shape)
    if sizes is None:
        sizes = fresh(shape, length_of(shape))
    fits = all(isinstance(d, Expr) or d >= 0 for d in sizes)
    require(fits, f"fill of a tensor of shape {text(sizes)}")
    return TensorType(value.precision, sizes)


def _fill_like(input: np.ndarray, value: np.ndarray) -> np.ndarray:
    return np.full(input.shape, value.reshape(()), value.dtype)


@operator(pattern=Pattern.ELEMENTWISE, code=25, reference=_fill_like, content=None)
def fill_like(input: Value, value: Value) -> TensorType:
    """A tensor of another one's shape with one element everywhere.

    Types: any; the result has the shape of `input` and the type of `value`.
    """
    return TensorType(value.precision, input.shape)


def _meshgrid(*input: np.ndarray) -> list[np.ndarray]:
    return [np.array(g) for g in np.meshgrid(*input, indexing="ij")]


@operator(pattern=Pattern.MOVEMENT, code=50, reference=_meshgrid)
def meshgrid(*input: Value) -> tuple[TensorType, ...]:
    """Coordinate grids: output i holds vector i along axis i and repeats it along the others.

    Types: any.
    Shapes: vectors of n0, n1, ... elements; each output is [n0, n1, ...].
    """
    require(bool(input), "meshgrid of no vectors")
    require(all(v.rank == 1 for v in input), "meshgrid takes vectors")
    shape = tuple(v.shape[0] for v in input)
    return tuple(TensorType(v.precision, shape) for v in input)


def _range(start: np.ndarray, end: np.ndarray, step: np.ndarray) -> np.ndarray:
    first, last, by = (v.reshape(()) for v in (start, end, step))
    if start.dtype.kind in "iuO":
        return np.arange(int(first), int(last), int(by)).astype(start.dtype)
    wide = np.float64 if start.dtype == np.float64 else np.float32
    steps = np.arange(_length(start, end, step)).astype(wide) * by.astype(wide)
    return np.asarray(first.astype(wide) + steps, start.dtype)


def _length(start: np.ndarray, end: np.ndarray, step: np.ndarray) -> int:
    """How many elements a range of known numbers has."""
    first, last, by = (v.reshape(()) for v in (start, end, step))
    if start.dtype.kind in "iuO":
        return len(range(int(first), int(last), int(by)))
    wide = np.float64 if start.dtype == np.float64 else np.float32
    span = np.float64(last.astype(wide) - first.astype(wide))
    count = np.ceil(span / np.float64(by))
    if not count <= LARGEST:
        raise BadType(f"a range of {count} elements")
    return max(int(count), 0)


def _count(start: Value, end: Value, step: Value) -> Dim | None:
    """How many elements a range has, where that can be said."""
    if all(v.constant is not None for v in (start, end, step)):
        return _length(*(np.asarray(v.constant) for v in (start, end, step)))
    bounds = [contents(v) for v in (start, end, step)]
    if any(b is None for b in bounds):
        return None
    first, last, by = (b[0] for b in bounds if b)
    if isinstance(by, Expr) or by == 0:
        return None
    count = ceil_div(last - first, by)
    return maximum(count, 0)


@operator(pattern=Pattern.MOVEMENT, code=61, reference=_range)
def range_(start: Index, end: Index, step: Index) -> TensorType:
    """`start`, `start + step`, ... up to `end`, which is not included.

    Types: three numbers (one element each) of one type, which the result has.
    Shapes: ceil((end - start) / step) elements, at least 0.
    Edges: a step away from `end` gives an empty vector; floats are start + i * step.
    """
    kinds = {v.precision for v in (start, end, step)}
    fits = len(kinds) == 1 and (start.is_float or start.is_integer)
    require(fits, f"range of {start.type}, {end.type} and {step.type}")
    require(step.constant is None or bool(np.all(step.constant != 0)), "range with step 0")
    count = _count(start, end, step)
    return TensorType(start.precision, (start.model.fresh() if count is None else count,))
