"""What JAX's primitives mean in the standard."""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nnir.errors import Unsupported
from nnir.model import Value
from nnir.ops import activation, binary, compare, linear, logic, reduce, shape, unary
from nnir.types import Precision, precision_of

Step = dict[str, Any]
Meaning = Callable[..., Value]


def broadcast_in_dim(step: Step, x: Value) -> Value:
    """Axes are put in and repeated."""
    wanted, axes = step["params"]["shape"], step["params"]["broadcast_dimensions"]
    aligned = [1] * len(wanted)
    for axis, size in zip(axes, x.sizes, strict=True):
        aligned[axis] = size
    return shape.expand(shape.reshape(x, aligned), wanted)


def dot_general(step: Step, x: Value, y: Value) -> Value:
    """A sum of products over pairs of axes, beside pairs of axes that stay."""
    (own, theirs), (own_kept, theirs_kept) = step["params"]["dimension_numbers"]
    letters = iter(string.ascii_lowercase)
    first, second = [next(letters) for _ in range(x.rank)], [next(letters) for _ in range(y.rank)]
    for a, b in zip((*own, *own_kept), (*theirs, *theirs_kept), strict=True):
        second[b] = first[a]
    kept = [first[a] for a in own_kept]
    rest = [c for k, c in enumerate(first) if k not in (*own, *own_kept)]
    others = [c for k, c in enumerate(second) if k not in (*theirs, *theirs_kept)]
    out = "".join([*kept, *rest, *others])
    return linear.einsum(x, y, equation=f"{''.join(first)},{''.join(second)}->{out}")


def select_n(step: Step, which: Value, *cases: Value) -> Value:
    """The case of a number, or of a condition: the second where it holds."""
    if which.precision != Precision.BOOL8 or len(cases) != 2:
        raise Unsupported(f"select_n of {len(cases)} cases by {which.type}")
    return compare.where(which, cases[1], cases[0])


def over_axes(operator: Callable[..., Value]) -> Meaning:
    """A reduction."""
    return lambda step, x: operator(x, step["params"]["axes"], keepdim=False)


def along_axis(operator: Callable[..., Value]) -> Meaning:
    """A running sum or maximum."""
    return lambda step, x: operator(
        x, step["params"]["axis"], reverse=bool(step["params"]["reverse"])
    )


def plain(operator: Callable[..., Value]) -> Meaning:
    """An operator without attributes."""
    return lambda step, *xs: operator(*xs)


def result_type(step: Step) -> Precision:
    """The precision of a step's result."""
    return precision_of(np.dtype(step["types"][0]["dtype"]))


MEANINGS: dict[str, Meaning] = {
    "abs": plain(unary.abs_),
    "add": plain(binary.add),
    "and": plain(logic.and_),
    "broadcast_in_dim": broadcast_in_dim,
    "ceil": plain(unary.ceil),
    "clamp": lambda step, low, x, high: binary.min_(binary.max_(x, low), high),
    "concatenate": lambda step, *xs: shape.concat(*xs, axis=step["params"]["dimension"]),
    "convert_element_type": lambda step, x: x.cast(result_type(step)),
    "copy": lambda step, x: x,
    "cos": plain(unary.cos),
    "cumsum": along_axis(reduce.cum_sum),
    "div": plain(binary.div),
    "dot_general": dot_general,
    "eq": plain(compare.equal),
    "erf": plain(unary.erf),
    "exp": plain(unary.exp),
    "expand_dims": lambda step, x: shape.reshape(x, step["types"][0]["shape"]),
    "expm1": plain(unary.expm1),
    "floor": plain(unary.floor),
    "ge": plain(compare.greater_equal),
    "gt": plain(compare.greater),
    "integer_pow": lambda step, x: x ** step["params"]["y"],
    "is_finite": lambda step, x: compare.equal(x - x, x.model.constant(np.zeros((), x.dtype))),
    "le": plain(compare.less_equal),
    "log": plain(unary.log),
    "log1p": plain(unary.log1p),
    "logistic": plain(activation.sigmoid),
    "lt": plain(compare.less),
    "max": plain(binary.max_),
    "min": plain(binary.min_),
    "mul": plain(binary.mul),
    "ne": plain(compare.not_equal),
    "neg": plain(unary.neg),
    "not": plain(logic.not_),
    "or": plain(logic.or_),
    "pow": plain(binary.pow_),
    "reduce_max": over_axes(reduce.reduce_max),
    "reduce_min": over_axes(reduce.reduce_min),
    "reduce_prod": over_axes(reduce.reduce_prod),
    "reduce_sum": over_axes(reduce.reduce_sum),
    "reshape": lambda step, x: shape.reshape(x, step["types"][0]["shape"]),
    "rsqrt": plain(unary.rsqrt),
    "select_n": select_n,
    "sign": plain(unary.sign),
    "sin": plain(unary.sin),
    "sqrt": plain(unary.sqrt),
    "square": plain(unary.square),
    "squeeze": lambda step, x: shape.reshape(x, step["types"][0]["shape"]),
    "stop_gradient": lambda step, x: x,
    "sub": plain(binary.sub),
    "tanh": plain(activation.tanh),
    "transpose": lambda step, x: shape.transpose(x, perm=tuple(step["params"]["permutation"])),
}


def apply_step(step: Step, inputs: Sequence[Value]) -> Value:
    """The result of a step; Unsupported for a primitive without a meaning."""
    name = step["primitive"]
    if name not in MEANINGS:
        raise Unsupported(f"JAX's primitive {name}; there are {', '.join(sorted(MEANINGS))}")
    return MEANINGS[name](step, *inputs)
