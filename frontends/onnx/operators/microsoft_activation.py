"""Activations of ONNX Runtime's own domain, and those that its fused operators name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import activation

from ...table import Maybe, Table
from .activation import clip_1, selu, softplus, softsign, swish, thresholded_relu

table = Table(prefix="com.microsoft::")
table.convert("Gelu", approximate=False)(activation.gelu)
table.same({"QuickGelu": swish}, alpha=1.7020000219345093)  # the nearest float32 to 1.702

Activation = Callable[..., Value]
FUSED: Mapping[str, tuple[Activation, tuple[str, ...]]] = {
    "Clip": (clip_1, ("min", "max")),
    "Elu": (activation.elu, ("alpha",)),
    "HardSigmoid": (activation.hard_sigmoid, ("alpha", "beta")),
    "HardSwish": (partial(activation.hard_swish, alpha=1 / 6, beta=0.5), ()),
    "LeakyRelu": (activation.leaky_relu, ("alpha",)),
    "Relu": (activation.relu, ()),
    "Selu": (selu, ("alpha", "gamma")),
    "Sigmoid": (activation.sigmoid, ()),
    "Softplus": (softplus, ()),
    "Softsign": (softsign, ()),
    "Tanh": (activation.tanh, ()),
    "ThresholdedRelu": (thresholded_relu, ("alpha",)),
}
"""What an operator does to its result at the end, and the names of the numbers that it takes."""


def numbers_of(op: str, name: str) -> tuple[str, ...]:
    """The names of the numbers that an activation takes; Unsupported for an unknown one."""
    if name not in FUSED:
        raise Unsupported(f"{op} with activation={name!r}, which is not one of {', '.join(FUSED)}")
    return FUSED[name][1]


def activate(op: str, x: Value, name: str | None, numbers: Mapping[str, float]) -> Value:
    """`x` through an activation; without a name `x` itself, which takes no numbers."""
    wanted = () if name is None else numbers_of(op, name)
    if set(numbers) != set(wanted):
        given = dict(numbers)
        raise BadType(f"{op} with activation={name!r} and {given}, not {', '.join(wanted) or '{}'}")
    return x if name is None else FUSED[name][0](x, **numbers)


@table.convert("BiasGelu")
def bias_gelu(a: Value, b: Value) -> Value:
    return activation.gelu(a + b)


@table.convert("FastGelu")
def fast_gelu(x: Value, bias: Maybe = None) -> Value:
    return activation.gelu(x if bias is None else x + bias, approximate=True)
