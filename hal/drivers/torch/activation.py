"""Elementwise activations."""

from __future__ import annotations

import torch
from torch.nn import functional

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import activation
from nnir.types import Precision

from .emitter import Emitter, Formulas, Result

table = Formulas()


table.functions({activation.sigmoid: torch.sigmoid, activation.tanh: torch.tanh})


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


@table.formula(activation.leaky_relu)
def leaky_relu(input: Result, *, alpha: float) -> Result:
    return functional.leaky_relu(input, alpha)


@table.lower(activation.prelu)
def prelu(g: Emitter, input: Value, slope: Value) -> Result:
    x, factors = g.of(input), g.of(slope)
    if slope.shape[0] == 1:
        factors = factors.reshape([])
    elif input.rank > 2:
        factors = factors.reshape([-1, *[1] * (input.rank - 2)])
    return g.back(torch.where(x >= 0, x, factors * x), input.precision)


@table.formula(activation.gelu)
def gelu(input: Result, *, approximate: bool) -> Result:
    """torch's kernels give 0 at some far ends where -inf gives NaN; both are the formula's."""
    kind = "tanh" if approximate else "none"
    return functional.gelu(input, approximate=kind)


@table.formula(activation.hard_sigmoid)
def hard_sigmoid(input: Result, *, alpha: float, beta: float) -> Result:
    return torch.clamp(input * alpha + beta, 0, 1)


@table.formula(activation.hard_swish)
def hard_swish(input: Result, *, alpha: float, beta: float) -> Result:
    return input * torch.clamp(input * alpha + beta, 0, 1)


@table.formula(activation.softplus)
def softplus(input: Result, *, beta: float, threshold: float) -> Result:
    scaled = input * beta
    soft = torch.clamp(scaled, min=0) + torch.log1p(torch.exp(-torch.abs(scaled)))
    return torch.where(scaled > threshold, input, soft / beta)


@table.formula(activation.softmax)
def softmax(input: Result, *, axis: int) -> Result:
    return torch.softmax(input, axis)


@table.formula(activation.log_softmax)
def log_softmax(input: Result, *, axis: int) -> Result:
    return torch.log_softmax(input, axis)


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
    low, high = (known.reshape(-1)[0].item() for known in (min.known, max.known))
    return g.back(torch.clamp(g.of(input), low, high), input.precision)


@table.formula(activation.elu)
def elu(input: Result, *, alpha: float) -> Result:
    return torch.where(input > 0, input, alpha * torch.expm1(input))


@table.formula(activation.celu)
def celu(input: Result, *, alpha: float) -> Result:
    below = alpha * torch.expm1(input / alpha)
    return torch.clamp(input, min=0) + torch.clamp(below, max=0)
