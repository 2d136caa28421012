"""ATen's families of `unique`."""

from __future__ import annotations

import numpy as np

from nnir import build
from nnir.broadcast import axis_of
from nnir.model import Value
from nnir.ops import index, shape, sort
from nnir.recipes.sort import runs
from nnir.types import Precision

from ...table import Table

table = Table()


def _none(x: Value) -> Value:
    """What PyTorch returns for results that were not asked for."""
    return x.model.constant(np.zeros(0, np.int64))


@table.convert("aten._unique.default")
def unique_old(
    self: Value, sorted: bool = True, return_inverse: bool = False
) -> tuple[Value, Value]:
    values, inverse, _ = unique(self, sorted, return_inverse)
    return values, inverse


@table.convert("aten._unique2.default")
def unique(
    self: Value, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False
) -> tuple[Value, Value, Value]:
    """PyTorch's result is in order either way."""
    if self.precision.is_float:
        values, inverse, counts = _unique_floats(self)
    else:
        wide = self.cast(Precision.UINT8) if self.precision == Precision.BOOL8 else self
        values, _, inverse, counts = sort.unique(wide)
    shaped = build.reshape(inverse, build.sizes_of(self)) if return_inverse else _none(self)
    return values.cast(self.precision), shaped, counts if return_counts else _none(self)


def _unique_floats(x: Value) -> tuple[Value, Value, Value]:
    """The runs of the sorted elements: every NaN is another, unlike for UNIQUE."""
    line = shape.flatten(x, start_axis=0, end_axis=-1) if x.rank != 1 else x
    size = build.vector(x.model, [build.size_of(line, 0)])
    ordered, places = sort.top_k(line, size, axis=0, largest=False)
    values, run, counts = runs(ordered, 0)
    inverse = index.scatter_nd(run, shape.unsqueeze(places, [1]), run)
    return values, inverse, counts


@table.convert("aten.unique_dim.default")
def unique_dim(
    self: Value,
    dim: int,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
) -> tuple[Value, Value, Value]:
    values, _, inverse, counts = sort.unique(self, axis=axis_of(dim, self.rank))
    return values, inverse, counts


@table.convert("aten.unique_consecutive.default")
def unique_consecutive(
    self: Value,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> tuple[Value, Value, Value]:
    if dim is not None:
        return runs(self, axis_of(dim, self.rank))
    line = shape.flatten(self, start_axis=0, end_axis=-1) if self.rank != 1 else self
    values, inverse, counts = runs(line, 0)
    shaped = build.reshape(inverse, build.sizes_of(self)) if return_inverse else _none(self)
    return values, shaped, counts if return_counts else _none(self)


@table.convert("aten.unique_dim_consecutive.default")
def unique_dim_consecutive(
    self: Value, dim: int, return_inverse: bool = False, return_counts: bool = False
) -> tuple[Value, Value, Value]:
    return runs(self, axis_of(dim, self.rank))
