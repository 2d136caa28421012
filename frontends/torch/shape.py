"""ATen operators that change the shape of a tensor and none of its elements."""

from __future__ import annotations

from nnir.model import Index, Value

from ..table import Table
from .sizes import reshaped, size_of, sizes_of

table = Table()


@table.convert("aten.alias.default", "aten.detach.default", "aten.lift_fresh_copy.default")
def alias(self: Value) -> Value:
    return self


@table.convert("aten.view.default", "aten._unsafe_view.default")
def view(self: Value, size: Index) -> Value:
    return reshaped(self, size)


@table.convert("aten.view_as.default")
def view_as(self: Value, other: Value) -> Value:
    return reshaped(self, sizes_of(other))


@table.convert("aten.sym_size.int")
def sym_size(self: Value, dim: int) -> Value:
    return size_of(self, dim)
