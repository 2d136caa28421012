"""Paddle's arithmetic on two or more tensors."""

from __future__ import annotations

from nnir.broadcast import shapes_differ
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import activation, binary, compare, logic, shape, unary
from nnir.ops.index import gather_nd
from nnir.recipes.distance import vector_norm
from nnir.recipes.promotion import Operand, promote_to_float, round_once, to_value
from nnir.recipes.unary import is_nan, signbit, trunc
from nnir.types import Precision

from ...table import Items, Table
from .unary import with_inplace

table = Table()


OF_BOOLS: dict[Operator, Operator] = {binary.add: logic.or_, binary.mul: logic.and_}


@table.each(with_inplace({"add": binary.add, "multiply": binary.mul}))
def add_or_multiply(operator: Operator, x: Value, y: Value) -> Value:
    return (OF_BOOLS[operator] if x.precision == Precision.BOOL8 else operator)(x, y)


table.same(with_inplace({"subtract": binary.sub, "floor_divide": binary.floor_div}))
table.convert("remainder", "remainder_", fmod=False)(binary.mod)
table.same({"elementwise_pow": binary.pow_, "maximum": binary.max_, "minimum": binary.min_})
table.same({"nextafter": binary.next_after})


@table.convert("divide", "divide_")
def divide(x: Value, y: Value) -> Value:
    if x.precision == y.precision == Precision.BOOL8:
        raise Unsupported(f"division of {x.type}, which Paddle does in place")
    return binary.div(*promote_to_float(x, y))


@table.convert("trunc_divide", "trunc_divide_")
def trunc_divide(x: Value, y: Value) -> Value:
    if not x.is_float:
        return x / y
    return round_once(lambda a, b: trunc(a / b), x, y)


@table.convert("pow", "pow_")
def pow_(x: Value, y: Operand) -> Value:
    """The exponent is rounded to the type of x first."""
    if isinstance(y, Value):
        return x ** _element(x, y)
    exponent = int(y.real) if x.is_integer else y
    if x.is_integer and exponent.real < 0:
        raise Unsupported(f"pow of {x.type} by {y!r}")  # Paddle does not return
    match exponent:
        case 1:
            return x
        case 2:
            return unary.square(x)
    return x ** to_value(exponent, x.precision, x.model)


@table.convert("scale", "scale_")
def scale(x: Value, scale: Operand, bias: Operand, bias_after_scale: bool) -> Value:
    """scale * x + bias, or scale * (x + bias); numbers are rounded to the type of x first."""
    if x.precision == Precision.BOOL8:
        if isinstance(scale, Value) or scale != int(scale.real):
            raise Unsupported(f"scale of {x.type} by {scale!r}")
        return _scale(x.cast(Precision.INT32), scale, bias, bias_after_scale).cast(x.precision)
    return round_once(lambda v: _scale(v, scale, bias, bias_after_scale), x)


def _scale(x: Value, scale: Operand, bias: Operand, bias_after_scale: bool) -> Value:
    factor, offset = (_element(x, n) for n in (scale, bias))
    if bias_after_scale:
        return _plus(_times(x, factor), offset)
    return _times(_plus(x, offset), factor)


def _element(x: Value, given: Operand) -> Value:
    """A number, or a tensor of one element, without axes in the precision of `x`."""
    element = to_value(given, x.precision, x.model)
    if not element.rank:
        return element
    if element.known is not None:
        return x.model.constant(element.known.reshape(()))
    return shape.reshape(element, [])


def _times(x: Value, factor: Value) -> Value:
    if factor.constant is not None and factor.constant == 1:
        return x
    return -x if _is_minus_one(factor) else x * factor


def _is_minus_one(factor: Value) -> bool:
    return factor.constant is not None and factor.dtype.kind != "u" and factor.constant == -1


def _plus(x: Value, offset: Value) -> Value:
    if offset.constant is not None and offset.constant == 0:
        return x
    return x + offset


@table.convert("increment", "increment_")
def increment(x: Value, value: float) -> Value:
    return x + to_value(value, x.precision, x.model)


@table.convert("add_n")
def add_n(inputs: Items) -> Value:
    if any(shapes_differ(v.shape, inputs[0].shape) for v in inputs):
        raise BadType(f"add_n of {', '.join(str(v.type) for v in inputs)}: shapes differ")
    return inputs[0] if len(inputs) == 1 else binary.sum_(*inputs)


@table.each({"fmax": binary.max_, "fmin": binary.min_})
def choose_number(operator: Operator, x: Value, y: Value) -> Value:
    """The operator where both are numbers, else the one that is."""
    if not x.is_float:
        return operator(x, y)
    right = compare.where(is_nan(y), x, y)
    return compare.where(is_nan(x), y, operator(x, right))


@table.convert("clip", "clip_")
def clip(x: Value, min: Operand, max: Operand) -> Value:
    low, high = (_element(x, n) for n in (min, max))
    if low.constant is not None and high.constant is not None and low.constant > high.constant:
        raise BadType(f"clip between {low.constant} and {high.constant}")
    return activation.clip(x, low, high)


@table.convert("atan2")
def atan2(x: Value, y: Value) -> Value:
    """Of integers in float64, which holds what Paddle computes in float32."""
    if x.is_integer:
        x, y = (v.cast(Precision.FLOAT32) for v in (x, y))
        return binary.atan2(x, y).cast(Precision.FLOAT64)
    return binary.atan2(x, y)


@table.convert("copysign", "copysign_")
def copysign(x: Value, y: Value) -> Value:
    if x.precision == Precision.BOOL8 or x.precision.name.startswith("UINT"):
        raise Unsupported(f"copysign of {x.type}")
    size = abs(x)
    return compare.where(signbit(y), -size, size)


@table.convert("heaviside")
def heaviside(x: Value, y: Value) -> Value:
    zero = x.scalar(0)
    step = unary.cast(x > zero, dtype=x.precision)
    return compare.where(compare.equal(x, zero), y, step)


@table.convert("lerp", "lerp_")
def lerp(x: Value, y: Value, weight: Value) -> Value:
    return x + weight * (y - x)


@table.convert("multiplex")
def multiplex(inputs: Items, index: Value) -> Value:
    """Row k of the tensor that element k of a column says."""
    layers = shape.stack(*inputs, axis=1)
    column = index if index.rank == 2 else shape.unsqueeze(index, [1])
    return gather_nd(layers, column, batch_dims=1)


@table.convert("isclose")
def close(x: Value, y: Value, rtol: float, atol: float, equal_nan: bool) -> Value:
    """Whether |x - y| is at most atol + |rtol * y|.

    The allowance is computed in float64; all the distances from an infinity are allowed.
    """
    apart = abs(x - y)
    size = abs(y).cast(Precision.FLOAT64)
    allowed = size * rtol + atol
    near = apart <= allowed.cast(apart.precision)
    found = compare.equal(x, y) | near
    return found | is_nan(x) & is_nan(y) if equal_nan else found


@table.convert("dist")
def dist(x: Value, y: Value, p: float) -> Value:
    if 0 in x.shape or 0 in y.shape:
        return x.scalar(0)
    return vector_norm(x - y, p, None, keepdim=False)
