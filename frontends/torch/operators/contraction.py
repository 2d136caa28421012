"""ATen sums of products over named axes, and products of all pairs."""

from __future__ import annotations

from nnir.broadcast import axes_of, axis_of, shapes_differ
from nnir.errors import BadType
from nnir.model import Value
from nnir.ops import linear, reduce, shape, unary
from nnir.recipes import linear as linear_recipes
from nnir.recipes.contraction import contract

from ...table import Items, Table
from .binary import mul

table = Table()


@table.convert("aten.einsum.default")
def einsum(equation: str, tensors: Items, *, path: tuple[int, ...] | None = None) -> Value:
    """`path` is the order of the products, which changes no result."""
    text = equation.replace(" ", "")
    left, arrow, right = text.partition("->")
    if arrow and "..." in left and "..." not in right:
        right, text = f"...{right}", f"{left}->...{right}"
        result = linear.einsum(*tensors, equation=text)
        kept = len(right) - 3
        if result.rank == kept:
            return result
        return reduce.reduce_sum(result, list(range(result.rank - kept)), keepdim=False)
    return linear.einsum(*tensors, equation=text)


@table.convert("aten.outer.default")
def outer(self: Value, vec2: Value) -> Value:
    if self.rank != 1 or vec2.rank != 1:
        raise BadType(f"outer of {self.type} and {vec2.type}")
    return mul(shape.unsqueeze(self, [1]), shape.unsqueeze(vec2, [0]))


@table.convert("aten.inner.default")
def inner(self: Value, other: Value) -> Value:
    if not self.rank or not other.rank:
        return mul(self, other)
    if other.rank <= 2:
        return linear.mat_mul(self, other, transpose_y=other.rank == 2)
    return tensordot(self, other, (self.rank - 1,), (other.rank - 1,))


@table.convert("aten.tensordot.default")
def tensordot(
    self: Value, other: Value, dims_self: tuple[int, ...], dims_other: tuple[int, ...]
) -> Value:
    """A size of 1 broadcasts: the other tensor is summed over that axis."""
    if len(dims_self) != len(dims_other):
        raise BadType(f"tensordot over the axes {dims_self} and {dims_other}")
    mine, theirs = axes_of(dims_self, self.rank), axes_of(dims_other, other.rank)
    for a, b in zip(mine, theirs, strict=True):
        if self.shape[a] != other.shape[b] and other.shape[b] == 1:
            self = reduce.reduce_sum(self, [a], keepdim=True)
        elif self.shape[a] != other.shape[b] and self.shape[a] == 1:
            other = reduce.reduce_sum(other, [b], keepdim=True)
    left = [f"a{k}" for k in range(self.rank)]
    right = [f"b{k}" for k in range(other.rank)]
    for a, b in zip(mine, theirs, strict=True):
        right[b] = left[a]
    rest = [x for k, x in enumerate(left) if k not in mine]
    rest += [x for k, x in enumerate(right) if k not in theirs]
    return contract([self, other], [left, right], rest)


@table.convert("aten.kron.default")
def kron(self: Value, other: Value) -> Value:
    return linear_recipes.kron(self, other)


@table.convert("aten.bilinear.default")
def bilinear(input1: Value, input2: Value, weight: Value, bias: Value | None = None) -> Value:
    equation = "...i,oij->...oj"
    if input1.rank == 1:
        equation = "i,oij->oj"
    half = linear.einsum(input1, weight, equation=equation)
    column = shape.unsqueeze(input2, [-1])
    result = shape.squeeze(linear.mat_mul(half, column), [-1])
    return result if bias is None else result + bias


@table.convert("aten._trilinear.default")
def trilinear(
    i1: Value,
    i2: Value,
    i3: Value,
    expand1: tuple[int, ...],
    expand2: tuple[int, ...],
    expand3: tuple[int, ...],
    sumdim: tuple[int, ...],
    unroll_dim: int = 1,
) -> Value:
    given = zip((i1, i2, i3), (expand1, expand2, expand3), strict=True)
    a, b, c = (shape.unsqueeze(x, list(axes)) if axes else x for x, axes in given)
    if not a.rank == b.rank == c.rank:
        raise BadType(f"_trilinear of {i1.type}, {i2.type} and {i3.type}: other ranks")
    axis = axis_of(unroll_dim, a.rank)
    owners = [
        x for x, e in zip((a, b, c), (expand1, expand2, expand3), strict=True) if axis not in e
    ]
    if any(
        shapes_differ(x.shape[axis : axis + 1], owners[0].shape[axis : axis + 1]) for x in owners
    ):
        raise BadType(f"_trilinear of {i1.type}, {i2.type} and {i3.type}: other sizes")
    product = a * b * c
    return reduce.reduce_sum(product, list(sumdim), keepdim=False) if sumdim else product


def norm_of_others(v: Value, dim: int) -> Value:
    """The 2-norm over all axes but one, or over all with an axis of -1; the axes stay."""
    axes = list(range(v.rank))
    if dim != -1:
        axes.remove(axis_of(dim, v.rank))
    if not axes:
        return abs(v)
    return unary.sqrt(reduce.reduce_sum(unary.square(v), axes, keepdim=True))


@table.convert("aten._weight_norm.default")
def weight_norm(v: Value, g: Value, dim: int = 0) -> Value:
    return weight_norm_interface(v, g, dim)[0]


@table.convert("aten._weight_norm_interface.default")
def weight_norm_interface(v: Value, g: Value, dim: int = 0) -> tuple[Value, Value]:
    norms = norm_of_others(v, dim)
    if g.rank and shapes_differ(g.shape, norms.shape):
        raise BadType(f"a weight norm of {v.type} along axis {dim} with sizes {g.type}")
    return v * (g / norms), norms
