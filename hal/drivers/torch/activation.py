"""Elementwise activations."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch.nn import functional

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import activation
from nnir.types import Precision

from ...lowering import Lowerings
from .dtypes import dtype_of
from .emitter import Emitter, Result, Results

table = Lowerings[Result]()


def lower_unary(operator: Operator, function: Callable[[Result], Result]) -> None:
    """An operator that is one function of one tensor."""

    def lowering(g: Emitter, input: Value) -> Result:
        return g.back(function(g.of(input)), input.precision)

    table.lower(operator)(lowering)


for operator, function in {
    activation.sigmoid: torch.sigmoid,
    activation.tanh: torch.tanh,
}.items():
    lower_unary(operator, function)


@table.lower(activation.relu)
def relu(g: Emitter, input: Value) -> Result:
    if input.dtype.kind == "u":
        return g.raw(input)
    return g.back(torch.relu(g.of(input)), input.precision)


@table.lower(activation.relu6)
def relu6(g: Emitter, input: Value) -> Result:
    if input.precision == Precision.UINT64:
        raise NoLowering(f"torch has no relu6 of {input.type}")
    return g.back(torch.clamp(g.of(input), 0, 6), input.precision)


@table.lower(activation.swish)
def swish(g: Emitter, input: Value) -> Result:
    x = g.of(input)
    is_complex = input.dtype.kind == "c"
    return g.back(x * torch.sigmoid(x) if is_complex else functional.silu(x), input.precision)


@table.lower(activation.leaky_relu)
def leaky_relu(g: Emitter, input: Value, *, alpha: float) -> Result:
    return g.back(functional.leaky_relu(g.of(input), alpha), input.precision)


@table.lower(activation.prelu)
def prelu(g: Emitter, input: Value, slope: Value) -> Result:
    x, factors = g.of(input), g.of(slope)
    if slope.shape[0] == 1:
        factors = factors.reshape([])
    elif input.rank > 2:
        factors = factors.reshape([-1, *[1] * (input.rank - 2)])
    factors = factors.to(torch.float64) if input.precision == Precision.FLOAT64 else factors
    return g.back(torch.where(x >= 0, x, factors * x), input.precision)


@table.lower(activation.gelu)
def gelu(g: Emitter, input: Value, *, approximate: bool) -> Result:
    """torch's kernels give 0 at some far ends where -inf gives NaN; both are the formula's."""
    kind = "tanh" if approximate else "none"
    return g.back(functional.gelu(g.of(input), approximate=kind), input.precision)


@table.lower(activation.hard_sigmoid)
def hard_sigmoid(g: Emitter, input: Value, *, alpha: float, beta: float) -> Result:
    return g.back(torch.clamp(g.of(input) * alpha + beta, 0, 1), input.precision)


@table.lower(activation.hard_swish)
def hard_swish(g: Emitter, input: Value, *, alpha: float, beta: float) -> Result:
    x = g.of(input)
    return g.back(x * torch.clamp(x * alpha + beta, 0, 1), input.precision)


@table.lower(activation.softplus)
def softplus(g: Emitter, input: Value, *, beta: float, threshold: float) -> Result:
    x = g.of(input)
    scaled = x * beta
    soft = torch.clamp(scaled, min=0) + torch.log1p(torch.exp(-torch.abs(scaled)))
    result = torch.where(scaled > threshold, x, soft / beta)
    return g.back(result, input.precision)


@table.lower(activation.softmax)
def softmax(g: Emitter, input: Value, *, axis: int) -> Result:
    return g.back(torch.softmax(g.of(input), axis), input.precision)


@table.lower(activation.log_softmax)
def log_softmax(g: Emitter, input: Value, *, axis: int) -> Result:
    return g.back(torch.log_softmax(g.of(input), axis), input.precision)


@table.lower(activation.hardmax)
def hardmax(g: Emitter, input: Value, *, axis: int) -> Result:
    x = g.of(input)
    if 0 in input.shape:
        return g.raw(input)
    first = torch.argmax(x, axis, keepdim=True)
    return g.back(torch.scatter(torch.zeros_like(x), axis, first, 1), input.precision)


@table.lower(activation.clip)
def clip(g: Emitter, input: Value, min: Value, max: Value) -> Result:
    if input.precision == Precision.UINT64 or min.known is None or max.known is None:
        low, high = (g.ordered(v).reshape([]) for v in (min, max))
        result = torch.minimum(torch.maximum(g.ordered(input), low), high)
        return g.disordered(result, input.precision)
    low, high = g.number(min), g.number(max)
    return g.back(torch.clamp(g.of(input), low, high), input.precision)


@table.lower(activation.elu)
def elu(g: Emitter, input: Value, *, alpha: float) -> Result:
    x = g.of(input)
    return g.back(torch.where(x > 0, x, alpha * torch.expm1(x)), input.precision)


@table.lower(activation.celu)
def celu(g: Emitter, input: Value, *, alpha: float) -> Result:
    x = g.of(input)
    below = alpha * torch.expm1(x / alpha)
    return g.back(torch.clamp(x, min=0) + torch.clamp(below, max=0), input.precision)


@table.lower(activation.dropout)
def dropout(
    g: Emitter, input: Value, ratio: Value, training: Value, *, seed: int | None
) -> Results:
    x, flag, rate = g.of(input), training.known, ratio.known
    off = flag is not None and not flag.reshape(-1)[0]
    if off or (rate is not None and rate.reshape(-1)[0] == 0):
        return g.raw(input), torch.ones_like(x, dtype=torch.bool)
    if seed is not None:
        raise NoLowering("torch draws other numbers from a seed")
    share = g.of(ratio).reshape([]).to(torch.float64)
    share = torch.where(g.raw(training).reshape([]), share, torch.zeros_like(share))
    kept = torch.rand_like(x, dtype=torch.float64) >= share
    scaled = torch.where(kept, x.to(torch.float64) / (1 - share), 0.0)
    return scaled.to(dtype_of(input.precision)), kept
