"""ATen operators that change the shape of a tensor and none of its elements."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnir import build
from nnir.broadcast import axes_of, axis_of, contents
from nnir.dim import Expr
from nnir.errors import BadType, Unsupported
from nnir.model import Index, Value
from nnir.ops import complex as complex_ops
from nnir.ops import shape as ops
from nnir.ops import unary
from nnir.recipes import shape as shape_recipes
from nnir.recipes.promotion import COMPLEX
from nnir.recipes.shape import common_sizes, drop_axes, expand_to
from nnir.types import Precision

from ...table import Items, Table
from ..translator import TorchTranslator
from . import diagonal, joining, padding, rearranging, strided

table = Table()


@table.convert(
    "aten.alias.default",
    "aten.detach.default",
    "aten.lift.default",
    "aten.lift_fresh.default",
    "aten.lift_fresh_copy.default",
)
def alias(self: Value) -> Value:
    return self


@table.convert("aten.view.default", "aten._unsafe_view.default", "aten._reshape_copy.default")
def view(self: Value, size: Index) -> Value:
    return view_as_size(self, size)


@table.convert("aten.reshape.default")
def reshape(self: Value, shape: Index) -> Value:
    return view_as_size(self, shape)


@table.convert("aten._reshape_alias.default")
def reshape_alias(self: Value, size: Index, stride: Index, *, translator: TorchTranslator) -> Value:
    """A view; the strides say which, where they are known."""
    if contents(size) is None or contents(stride) is None or not self.is_static:
        return view_as_size(self, size)
    return strided.as_strided(self, size, stride, translator=translator)


def view_as_size(x: Value, size: Value) -> Value:
    """`x` in a new shape, itself where only the place of a -1 is left to say."""
    target = contents(size)
    if target is not None and len(target) == x.rank:
        same = [d == n for d, n in zip(target, x.shape, strict=True)]
        if same.count(False) == 1 and target[same.index(False)] == -1 and 0 not in x.shape:
            return x
    return build.reshape_to(x, size)


@table.convert("aten.view_as.default", "aten.reshape_as.default")
def view_as(self: Value, other: Value) -> Value:
    return self if self.shape == other.shape else build.reshape_to(self, build.shape_of(other))


@table.convert("aten.view.dtype")
def view_dtype(self: Value, dtype: Precision) -> Value:
    if dtype == self.precision:
        return self
    if dtype.dtype.itemsize != self.dtype.itemsize:
        raise Unsupported(f"the memory of {self.type} as {dtype.name.lower()}: another width")
    return unary.bit_cast(self, dtype=dtype)


@table.convert("aten.flatten.using_ints")
def flatten(self: Value, start_dim: int = 0, end_dim: int = -1) -> Value:
    return shape_recipes.flatten(self, start_dim, end_dim)


@table.convert("aten.ravel.default")
def ravel(self: Value) -> Value:
    return flatten(self)


@table.convert("aten.unflatten.int")
def unflatten(self: Value, dim: int, sizes: Index) -> Value:
    return split_axis(self, axis_of(dim, self.rank), elements(sizes))


def elements(numbers: Value) -> list[build.Size]:
    """The elements of a vector, each a number or a vector of one."""
    known = contents(numbers)
    if known is None:
        raise Unsupported(f"sizes {numbers.type} of which nothing is known")
    return [index_slice(numbers, k) if isinstance(d, Expr) else d for k, d in enumerate(known)]


def index_slice(numbers: Value, k: int) -> Value:
    """One element of a vector, as a vector."""
    from nnir.ops import index  # whose name a parameter of converters has

    return index.slice_(numbers, [0], [k], [k + 1])


def split_axis(x: Value, axis: int, parts: Sequence[build.Size]) -> Value:
    """`x` with one axis cut into several, one of which may be -1."""
    own = build.sizes_of(x)
    named = [p for p in parts if not (isinstance(p, int) and p == -1)]
    if len(named) == len(parts) - 1 and isinstance(own[axis], int) and 0 in own:
        rest = build.product(named)
        if isinstance(rest, int) and rest:  # a -1 beside another size of 0 cannot be inferred
            parts = [own[axis] // rest if p == -1 else p for p in parts]
    return build.reshape(x, [*own[:axis], *parts, *own[axis + 1 :]])


@table.convert("aten.squeeze.default")
def squeeze(self: Value) -> Value:
    """PyTorch holds that a size which may vary is not 1."""
    return drop_axes(self, [k for k, d in enumerate(self.shape) if d == 1])


@table.convert("aten.squeeze.dim")
def squeeze_dim(self: Value, dim: int) -> Value:
    return squeeze_dims(self, (dim,))


@table.convert("aten.squeeze.dims")
def squeeze_dims(self: Value, dim: tuple[int, ...]) -> Value:
    axes = [axis_of(d, max(self.rank, 1)) for d in dim]
    return drop_axes(self, [k for k in axes if self.rank and self.shape[k] == 1])


@table.convert("aten.unsqueeze.default")
def unsqueeze(self: Value, dim: int) -> Value:
    return ops.unsqueeze(self, [axis_of(dim, self.rank, extra=1)])


@table.convert("aten.permute.default")
def permute(self: Value, dims: tuple[int, ...]) -> Value:
    if len(dims) != self.rank:
        raise BadType(f"permute of {self.type} by {dims}")
    return shape_recipes.permute(self, dims)


@table.convert("aten.transpose.int", "aten.swapdims.default")
def transpose(self: Value, dim0: int, dim1: int) -> Value:
    rank = max(self.rank, 1)
    a, b = axis_of(dim0, rank), axis_of(dim1, rank)
    perm = list(range(self.rank))
    if a != b:
        perm[a], perm[b] = perm[b], perm[a]
    return shape_recipes.permute(self, perm)


@table.convert("aten.swapaxes.default")
def swapaxes(self: Value, axis0: int, axis1: int) -> Value:
    return transpose(self, axis0, axis1)


@table.convert("aten.t.default")
def t(self: Value) -> Value:
    if self.rank > 2:
        raise BadType(f"t of {self.type}, not a matrix")
    return numpy_t(self)


@table.convert("aten.numpy_T.default", "aten.numpy_T.a")
def numpy_t(self: Value) -> Value:
    return shape_recipes.permute(self, range(self.rank)[::-1])


@table.convert("aten.mT.default", "aten.mT.a")
def matrix_transpose(self: Value) -> Value:
    if self.rank < 2:
        raise BadType(f"mT of {self.type}, not matrices")
    return transpose(self, -2, -1)


@table.convert("aten.mH.default", "aten.mH.a", "aten.adjoint.default")
def adjoint(self: Value) -> Value:
    return conjugate(transpose(self, -2, -1) if self.rank else self)


@table.convert("aten.matrix_H.default", "aten.matrix_H.a")
def matrix_h(self: Value) -> Value:
    if self.rank not in (0, 2):
        raise BadType(f"H of {self.type}, not a matrix")
    return conjugate(numpy_t(self))


def conjugate(x: Value) -> Value:
    """The complex conjugate; real numbers are their own."""
    return complex_ops.conj(x) if x.precision in COMPLEX else x


@table.convert("aten.movedim.int")
def movedim_int(self: Value, source: int, destination: int) -> Value:
    return movedim(self, (source,), (destination,))


@table.convert("aten.movedim.intlist")
def movedim(self: Value, source: tuple[int, ...], destination: tuple[int, ...]) -> Value:
    rank = max(self.rank, 1)
    places = dict(zip(axes_of(destination, rank), axes_of(source, rank), strict=True))
    others = iter(k for k in range(self.rank) if k not in places.values())
    return shape_recipes.permute(
        self, [places[k] if k in places else next(others) for k in range(self.rank)]
    )


@table.convert("aten.expand.default")
def expand(self: Value, size: Index, *, implicit: bool = False) -> Value:
    return expand_to(self, size)


@table.convert("aten.expand_as.default")
def expand_as(self: Value, other: Value) -> Value:
    return expand_to(self, build.shape_of(other))


@table.convert("aten.broadcast_to.default")
def broadcast_to(self: Value, size: Index) -> Value:
    return expand_to(self, size)


@table.convert("aten.broadcast_tensors.default")
def broadcast_tensors(tensors: Items) -> list[Value]:
    if not tensors:
        raise BadType("broadcast_tensors of no tensors")
    size = common_sizes(*tensors)
    return [expand_to(v, size) for v in tensors]


@table.convert("aten.repeat.default")
def repeat(self: Value, repeats: Index) -> Value:
    return shape_recipes.tile(self, repeats)


@table.convert("aten.tile.default")
def tile(self: Value, dims: Index) -> Value:
    return shape_recipes.tile(self, dims)


@table.convert("aten.copy.default")
def copy(self: Value, src: Value) -> Value:
    return expand_to(src.cast(self.precision), build.shape_of(self))


@table.convert("aten.atleast_1d.default")
def atleast_1d(self: Value) -> Value:
    return joining.at_least(self, 1)


@table.convert("aten.atleast_2d.default")
def atleast_2d(self: Value) -> Value:
    return joining.at_least(self, 2)


@table.convert("aten.atleast_3d.default")
def atleast_3d(self: Value) -> Value:
    return joining.at_least(self, 3)


@table.convert("aten.atleast_1d.Sequence")
def atleast_1d_each(tensors: Items) -> list[Value]:
    return [joining.at_least(v, 1) for v in tensors]


@table.convert("aten.atleast_2d.Sequence")
def atleast_2d_each(tensors: Items) -> list[Value]:
    return [joining.at_least(v, 2) for v in tensors]


@table.convert("aten.atleast_3d.Sequence")
def atleast_3d_each(tensors: Items) -> list[Value]:
    return [joining.at_least(v, 3) for v in tensors]


@table.convert("aten.sym_size.int")
def sym_size(self: Value, dim: int) -> Value:
    return self.size(dim)


@table.convert("aten.sym_size.default")
def sym_sizes(self: Value) -> list[Value]:
    return [self.size(k) for k in range(self.rank)]


@table.convert("aten.sym_numel.default")
def sym_numel(self: Value) -> Value:
    count = build.product(build.sizes_of(self))
    if isinstance(count, int):
        return self.model.constant(np.int64(count))
    return ops.reshape(count, [])


table = Table.merge(
    [table, diagonal.table, joining.table, padding.table, rearranging.table, strided.table]
)
