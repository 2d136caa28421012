"""Matrix products and linear algebra."""

from __future__ import annotations

import torch
from torch.nn import functional

from nnir.dim import Dim, Expr, product, symbols_of
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import linear

from . import cuda
from .emitter import Emitter, Formulas, Result

table = Formulas()


@table.lower(linear.fully_connected)
def fully_connected(g: Emitter, input: Value, weight: Value, bias: Value) -> Result:
    x, w, b = g.of(input), g.of(weight), g.of(bias)
    if input.rank > 2:
        sizes = g.axes(input)
        x = x.reshape([g.size(product(sizes[:-1])), g.size(sizes[-1])])
    result = (
        functional.linear(x, w, b) if input.is_float else g.multiply(x, w.t(), input.precision) + b
    )
    return g.back(result, input.precision)


@table.lower(linear.mat_mul)
def mat_mul(g: Emitter, x: Value, y: Value, *, transpose_x: bool, transpose_y: bool) -> Result:
    left, right = g.of(x), g.of(y)
    left = left.transpose(-1, -2) if transpose_x and x.rank > 1 else left
    right = right.transpose(-1, -2) if transpose_y and y.rank > 1 else right
    if x.rank == y.rank == 3 and x.is_float and _is_made(x.shape[2 if transpose_x else 1]):
        batch = max(d if isinstance(d, int) else 0 for d in (x.shape[0], y.shape[0]))
        if {x.shape[0], y.shape[0]} <= {1, batch}:  # matmul would be written for other sizes than 1
            left, right = (each.expand(batch, -1, -1) for each in (left, right))
            return g.back(torch.bmm(left, right), x.precision)
    return g.back(g.multiply(left, right, x.precision), x.precision)


def _is_made(size: Dim) -> bool:
    """Whether a size is made of others, as that of tokens of several samples."""
    return isinstance(size, Expr) and str(size) not in symbols_of(size)


@table.lower(linear.einsum)
def einsum(g: Emitter, *input: Value, equation: str) -> Result:
    operands = [g.of(v) for v in input]
    if g.on_cuda and input[0].dtype.kind in "iu" and len(input) > 1:
        if len(input) > 2:
            raise NoLowering(f"CUDA multiplies no more than two operands of {input[0].type}")
        product = g.call(cuda.multiply_integers, *operands, equation)
        return g.back(product, input[0].precision)
    return g.back(g.call(torch.einsum, equation, *operands), input[0].precision)


@table.formula(linear.determinant)
def determinant(input: Result) -> Result:
    return torch.linalg.det(input)


@table.formula(linear.inverse)
def inverse(input: Result) -> Result:
    return torch.linalg.inv(input)
