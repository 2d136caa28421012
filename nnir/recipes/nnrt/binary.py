"""NNRt's arithmetic. Two element types become the wider one; then an activation may follow."""

from __future__ import annotations

from collections.abc import Callable

from ... import build
from ...broadcast import axis_of, shapes_differ
from ...errors import BadType
from ...model import Value
from ...operator import Operator
from ...ops import binary, unary
from . import Recipes
from .activating import activate, promote
from .open_sizes import with_sizes


def _with_activation(operator: Operator[Value]) -> Callable[..., Value]:
    def compute(input1: Value, input2: Value, *, activation_type: int) -> Value:
        return activate(operator(*promote(input1, input2)), activation_type)

    return compute


def _plainly(operator: Operator[Value]) -> Callable[..., Value]:
    def compute(input1: Value, input2: Value) -> Value:
        return operator(*promote(input1, input2))

    return compute


def squared_difference(input1: Value, input2: Value) -> Value:
    """(a - b) ** 2."""
    return unary.square(binary.sub(*promote(input1, input2)))


def eltwise(input1: Value, input2: Value, *, mode: int) -> Value:
    """The product (0), sum (1) or maximum (2)."""
    operators = {0: binary.mul, 1: binary.add, 2: binary.max_}
    if mode not in operators:
        raise BadType(f"ELTWISE with mode={mode}: 0 (product), 1 (sum) or 2 (maximum)")
    return operators[mode](*promote(input1, input2))


def pow(input: Value, y: Value, *, scale: float = 1.0, shift: float = 0.0) -> Value:
    """(scale * x + shift) ** y."""
    base = input if scale == 1 else input * scale
    base = base if shift == 0 else base + shift
    return binary.pow_(*promote(base, y))


def bias_add(input: Value, bias: Value) -> Value:
    """A number for each last index."""
    last = input.shape[-1:]
    if shapes_differ(bias.shape, last):
        raise BadType(f"BIAS_ADD of {input.type} and {bias.type}: a number for each last index")
    return binary.add(input, with_sizes(bias, last, build.sizes_of(input)[-1:]))


def scale(input: Value, scale: Value, bias: Value, *, axis: int, activation_type: int) -> Value:
    """x * scale + bias, whose first axis is `axis` of the input."""
    place = axis_of(axis, input.rank)
    behind = input.rank - place - scale.rank
    if shapes_differ(scale.shape, bias.shape) or behind < 0:
        raise BadType(f"SCALE of {input.type} by {scale.type} and {bias.type} along axis {axis}")
    bias = with_sizes(bias, scale.shape, build.sizes_of(scale))
    ones: list[build.Size] = [1] * behind
    rows = [build.reshape(v, [*build.sizes_of(v), *ones]) for v in (scale, bias)]
    return activate(input * rows[0] + rows[1], activation_type)


RECIPES: Recipes = {
    "ADD": _with_activation(binary.add),
    "BIAS_ADD": bias_add,
    "DIV": _with_activation(binary.div),
    "ELTWISE": eltwise,
    "MAXIMUM": _plainly(binary.max_),
    "MINIMUM": _plainly(binary.min_),
    "MOD": _plainly(binary.mod),
    "MUL": _with_activation(binary.mul),
    "POW": pow,
    "SCALE": scale,
    "SQUARED_DIFFERENCE": squared_difference,
    "SUB": _with_activation(binary.sub),
}
