"""Products of matrices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .. import build
from ..errors import BadType, Unsupported
from ..model import Value
from ..ops import binary, complex, linear, shape
from . import binary as binary_recipes
from .promotion import Number, Operand, category, promote, promote_to


def kron(input: Value, other: Value) -> Value:
    """The Kronecker product: every element of one times the whole other."""
    a, b = promote(input, other)
    rank = max(a.rank, b.rank)
    one, two = ([*(1,) * (rank - x.rank), *build.sizes_of(x)] for x in (a, b))
    left = build.reshape(a, [s for n in one for s in (n, 1)])
    right = build.reshape(b, [s for n in two for s in (1, n)])
    merged = [build.times(n, m) for n, m in zip(one, two, strict=True)]
    return build.reshape(binary_recipes.mul(left, right), merged)


def conjugate(x: Value) -> Value:
    """The complex conjugate; a real tensor itself."""
    if category(x.precision) < 3:
        return x
    return complex.conj(x)


def scale_by(value: Value, factor: Operand) -> Value:
    """`value` times a number, in its own precision."""
    if not isinstance(factor, Value) and factor == 1:
        return value
    if value.is_integer and isinstance(factor, float) and factor != int(factor):
        raise BadType(f"{value.type} times {factor}")
    return binary.mul(value, *promote_to(value.precision, factor, value)[:1])


def weighted_sum(x: Value, product: Value, beta: Number, alpha: Number) -> Value:
    """beta * x + alpha * product; with a beta of 0 not even a NaN of `x` is left."""
    scaled = scale_by(product, alpha)
    return scaled if beta == 0 else scale_by(x, beta) + scaled


def multi_dot(tensors: Sequence[Value]) -> Value:
    """The product of several matrices."""
    result = tensors[0]
    for matrix in tensors[1:]:
        result = linear.mat_mul(result, matrix)
    return result


def matrix_power(x: Value, n: int) -> Value:
    """Square matrices to an integer power; a negative one inverts them."""
    if n == 0:
        return identity_like(x)
    base = linear.inverse(x) if n < 0 else x
    result: Value | None = None
    for bit in reversed(f"{abs(n):b}"):
        if bit == "1":
            result = base if result is None else linear.mat_mul(result, base)
        if len(f"{abs(n):b}") > 1:
            base = linear.mat_mul(base, base)
    return x if result is None else result


def identity_like(x: Value) -> Value:
    """The identity in the shape of square matrices, which must be known."""
    size = x.shape[-1]
    if not isinstance(size, int):
        raise Unsupported(f"an identity of {x.type}, whose size is not known")
    eye = x.model.constant(np.eye(size, dtype=x.dtype))
    return eye if x.rank == 2 else shape.expand(eye, build.shape_of(x))


def conjugate_if(x: Value, *, wanted: bool) -> Value:
    """The conjugate of complex numbers; the transpose is a flag of the product."""
    return complex.conj(x) if wanted and x.precision.is_complex else x


def multiply_matrices(
    x: Value,
    y: Value,
    *,
    adj_x: bool = False,
    adj_y: bool = False,
) -> Value:
    """Products of batches of matrices; `adj_x` and `adj_y` take the conjugate transpose."""
    if x.rank < 2 or y.rank < 2:
        raise BadType(f"BatchMatMul of {x.type} and {y.type}: matrices are needed")
    left, right = conjugate_if(x, wanted=adj_x), conjugate_if(y, wanted=adj_y)
    return linear.mat_mul(left, right, transpose_x=adj_x, transpose_y=adj_y)
