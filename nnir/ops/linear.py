"""Matrix products and linear algebra."""

from __future__ import annotations

from collections import Counter

import numpy as np

from .. import build
from ..broadcast import broadcast, text
from ..decomposition import Level
from ..dim import Dim, Expr
from ..errors import BadType
from ..model import Value
from ..numeric import apply_fuse_code, wide
from ..operator import operator, pairs, require
from ..types import Fuse, Precision, TensorType, precision_of
from .rules import common_dim


@wide
def _fully_connected(
    input: np.ndarray, weight: np.ndarray, bias: np.ndarray, *, fuse_code: Fuse
) -> np.ndarray:
    rows = (
        input.reshape(-1, input.shape[-1])
        if input.shape[-1]
        else input.reshape(int(np.prod(input.shape[:-1])), 0)
    )
    return apply_fuse_code(rows @ weight.T + bias, fuse_code)


@operator(steps=pairs, code=29, reference=_fully_connected)
def fully_connected(
    input: Value, weight: Value, bias: Value, *, fuse_code: Fuse = Fuse.NONE
) -> TensorType:
    """A dense layer: fuse(x * weight^T + bias).

    Types: any number, one for all three.
    Shapes: `input` [..., n], `weight` [units, n], `bias` [units] give [batch, units], where batch
    is the product of all axes of `input` but the last.
    Edges: the result always has rank 2.
    """
    _require_numbers("fully_connected", input, weight, bias)
    fits = input.rank >= 2 and weight.rank == 2 and bias.rank == 1
    require(fits, f"fully_connected of {input.type}, {weight.type}, {bias.type}")
    common_dim((input.shape[-1], weight.shape[1]), "fully_connected")
    units = common_dim((weight.shape[0], bias.shape[0]), "fully_connected")
    batch: Dim = 1
    for d in input.shape[:-1]:
        batch = batch * d
    return input.type.with_shape((batch, units))


def _require_numbers(name: str, *inputs: Value) -> None:
    """BadType unless all have one numeric type."""
    first = inputs[0].precision
    same = all(v.precision == first for v in inputs)
    number = first.is_float or first.is_integer or first.dtype.kind == "c"
    require(same and number, f"{name} of {', '.join(str(v.type) for v in inputs)}")


@wide
def _mat_mul(x: np.ndarray, y: np.ndarray, *, transpose_x: bool, transpose_y: bool) -> np.ndarray:
    left = np.swapaxes(x, -1, -2) if transpose_x and x.ndim > 1 else x
    right = np.swapaxes(y, -1, -2) if transpose_y and y.ndim > 1 else y
    if left.ndim > 2 and right.ndim == 2 and left.size:
        # one product is much faster than one per matrix of the stack
        rows = np.matmul(left.reshape(-1, left.shape[-1]), right)
        return np.asarray(rows.reshape(*left.shape[:-1], right.shape[1]), x.dtype)
    return np.asarray(np.matmul(left, right), x.dtype)


@operator(steps=pairs, code=47, reference=_mat_mul)
def mat_mul(
    x: Value, y: Value, *, transpose_x: bool = False, transpose_y: bool = False
) -> TensorType:
    """The matrix product of NumPy's matmul; the flags swap the last two axes first.

    Types: any number, one for both; integers wrap.
    Shapes: leading axes broadcast; a vector on the left is a row, on the right a column, and the
    added axis is dropped again, so that two vectors give rank 0. The flags leave vectors alone.
    """
    _require_numbers("mat_mul", x, y)
    require(x.rank > 0 and y.rank > 0, f"mat_mul of {x.type} and {y.type}")
    left, right = _matrix_shape(x, transpose_x), _matrix_shape(y, transpose_y)
    rows, columns = left[-2:-1], right[-1:] if y.rank > 1 else ()
    inner = right[-2] if y.rank > 1 else right[-1]
    known = not isinstance(left[-1], Expr) and not isinstance(inner, Expr)
    require(not known or left[-1] == inner, f"mat_mul of {text(left)} and {text(right)}")
    return x.type.with_shape((*broadcast(left[:-2], right[:-2]), *rows, *columns))


def _matrix_shape(value: Value, transpose: bool) -> tuple[Dim, ...]:
    shape = value.shape
    return (*shape[:-2], shape[-1], shape[-2]) if transpose and value.rank > 1 else shape


@wide
def _einsum(*input: np.ndarray, equation: str) -> np.ndarray:
    kind = input[0].dtype
    if kind.kind == "V":  # NumPy's einsum knows no types of others
        plain = np.int64 if precision_of(kind).is_integer else np.float32
        input = tuple(a.astype(plain) for a in input)
    return np.asarray(np.einsum(equation, *input, optimize=True)).astype(kind)


def terms(equation: str, ranks: list[int]) -> tuple[list[list[str]], list[str]]:
    """The labels of every axis of the operands and of the result; BadType for a bad equation.

    The axes of an ellipsis are called "0", "1", ... so that all of them end with the same one.
    """
    left, arrow, right = equation.replace(" ", "").partition("->")
    parts = left.split(",")
    require(len(parts) == len(ranks), f"einsum {equation!r} of {len(ranks)} tensors")
    spans = [r - len(p.replace("...", "")) for p, r in zip(parts, ranks, strict=True)]
    fits = all(s >= 0 if "..." in p else s == 0 for p, s in zip(parts, spans, strict=True))
    require(fits, f"einsum {equation!r} of tensors of ranks {ranks}")
    widest = max([s for p, s in zip(parts, spans, strict=True) if "..." in p], default=0)
    labels = [_labels(p, s, widest) for p, s in zip(parts, spans, strict=True)]
    if arrow:
        return labels, _labels(right, widest, widest)
    count = Counter(x for row in labels for x in row if x.isalpha())
    return labels, [*_labels("...", widest, widest), *sorted(x for x in count if count[x] == 1)]


def _labels(part: str, span: int, widest: int) -> list[str]:
    head, dots, tail = part.partition("...")
    require((head + tail).isalpha() or not head + tail, f"einsum term {part!r}")
    return [*head, *(str(widest - span + i) for i in range(span if dots else 0)), *tail]


@operator(steps=pairs, code=1350, reference=_einsum)
def einsum(*input: Value, equation: str) -> TensorType:
    """Einstein summation: products over labelled axes, summed over what the result lacks.

    Types: any number, one for all.
    Shapes: every label has one size; "..." stands for axes that broadcast.
    Edges: without "->" the result has the labels that occur once, in ASCII order.
    """
    _require_numbers("einsum", *input)
    labels, result = terms(equation, [v.rank for v in input])
    found: dict[str, list[Dim]] = {}
    for value, row in zip(input, labels, strict=True):
        own: dict[str, Dim] = {}
        for label, dim in zip(row, value.shape, strict=True):
            same = own.setdefault(label, dim)
            if same != dim and isinstance(same, int) and isinstance(dim, int):
                raise BadType(f"einsum {equation!r} of {value.type}, whose diagonal is not square")
            found.setdefault(label, []).append(dim)
    missing = [x for x in result if x not in found]
    if missing or len(set(result)) < len(result):
        raise BadType(f"einsum {equation!r} to the axes {result}")
    sizes: dict[str, Dim] = {}
    for label, dims in found.items():
        several = len([d for d in dims if d != 1]) > 1
        sizes[label] = broadcast(*((d,) for d in dims))[0] if several or 1 in dims else dims[0]
    return input[0].type.with_shape(tuple(sizes[x] for x in result))


@wide
def _grouped_mat_mul(input: np.ndarray, weight: np.ndarray, ends: np.ndarray) -> np.ndarray:
    result = np.zeros((input.shape[0], weight.shape[2]), input.dtype)
    start = 0
    for matrix, end in zip(weight, ends.reshape(-1).tolist(), strict=True):
        result[start:end] = input[start:end] @ matrix
        start = max(start, end)
    return result


@operator(steps=pairs, code=1370, reference=_grouped_mat_mul)
def grouped_mat_mul(input: Value, weight: Value, ends: Value) -> TensorType:
    """The product of each group of rows with a matrix of its own, as in mixtures of experts.

    Types: any number for `input` and `weight`, integers for `ends`.
    Shapes: [rows, n] with [groups, n, m] and [groups] to [rows, m]; group k are the rows from
    ends[k - 1] (0 for the first) up to ends[k], which does not fall.
    Edges: rows behind the last group are 0.
    """
    _require_numbers("grouped_mat_mul", input, weight)
    fits = input.rank == 2 and weight.rank == 3 and ends.rank == 1 and ends.is_integer
    require(fits, f"grouped_mat_mul of {input.type}, {weight.type} and {ends.type}")
    common_dim((input.shape[1], weight.shape[1]), "grouped_mat_mul")
    common_dim((weight.shape[0], ends.shape[0]), "grouped_mat_mul")
    return input.type.with_shape((input.shape[0], weight.shape[2]))


@grouped_mat_mul.decomposes(level=Level.ROUNDING)
def _all_products(input: Value, weight: Value, ends: Value) -> Value:
    """Every product of every row, of which the one of its group is kept."""
    from . import compare, generate, reduce, shape  # which use the operators here

    rows = shape.reshape(build.vector(input.model, [build.size_of(input, 0)]), [])
    place = generate.range_(0, rows, 1)
    before = shape.unsqueeze(place < shape.unsqueeze(_int64(ends), [1]), [2])
    zero = input.model.constant(np.zeros((), input.dtype))
    groups = weight.shape[0]
    if isinstance(groups, Expr):
        raise BadType(f"grouped_mat_mul of {weight.type}, whose groups are not known")
    products = mat_mul(input, weight)
    # A row is before the end of its group and of all later ones: the first of them is its own.
    first = before
    if groups > 1:
        head, tail = index_parts(before, groups)
        first = shape.concat(head, tail, axis=0)
    return reduce.reduce_sum(compare.where(first, products, zero), [0], keepdim=False)


def _int64(value: Value) -> Value:
    from . import unary  # as above

    return value if value.dtype == np.int64 else unary.cast(value, dtype=Precision.INT64)


def index_parts(before: Value, groups: int) -> tuple[Value, Value]:
    """The first row of a mask, and of the others what the row above does not have."""
    from . import index  # as above

    upper = index.slice_(before, [0], [0], [groups - 1])
    lower = index.slice_(before, [0], [1], [groups])
    return index.slice_(before, [0], [0], [1]), lower & ~upper


def _require_square(name: str, input: Value) -> None:
    require(input.is_float, f"{name} of {input.type}")
    require(input.rank >= 2, f"{name} of {input.type}: matrices are needed")
    rows, columns = input.shape[-2:]
    known = not isinstance(rows, Expr) and not isinstance(columns, Expr)
    require(not known or rows == columns, f"{name} of {input.type}: not square")


@wide
def _determinant(input: np.ndarray) -> np.ndarray:
    return np.asarray(np.linalg.det(input), input.dtype)


@operator(steps=pairs, code=1351, reference=_determinant)
def determinant(input: Value) -> TensorType:
    """The determinant of every matrix in the last two axes.

    Types: any float.
    Shapes: [..., n, n] gives [...].
    """
    _require_square("determinant", input)
    return input.type.with_shape(input.shape[:-2])


@wide
def _inverse(input: np.ndarray) -> np.ndarray:
    return np.asarray(np.linalg.inv(input), input.dtype)


@operator(steps=pairs, code=1390, reference=_inverse)
def inverse(input: Value) -> TensorType:
    """The inverse of every matrix in the last two axes.

    Types: any float; 16-bit floats are computed in float32.
    Shapes: [..., n, n] gives the same shape.
    Edges: a singular matrix is an error while running.
    """
    _require_square("inverse", input)
    return input.type
