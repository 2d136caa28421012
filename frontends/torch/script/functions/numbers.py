"""Functions of TorchScript on numbers: computed as Python does, or nodes where they are open."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from nnir.errors import BadModel, Unsupported

from ..machine import Machine, describe
from ..things import Instance, Items, Number, Tensor
from .table import LONGEST, PLAIN, is_open, plain, require, within_limits

REAL = (bool, int, float, complex)


def _arithmetic(name: str, node: str, function: Callable[[Any, Any], Any]) -> None:
    @plain(name)
    def compute(machine: Machine, a: Any, b: Any) -> Any:
        if is_open(a, b):
            require(REAL, *(v for v in (a, b) if not isinstance(v, Number)))
            return machine.number(node, a=a, b=b)
        require(REAL, a, b)
        return within_limits(function(a, b))


for _name, _node, _function in (
    ("sub", "_operator.sub", lambda a, b: a - b),
    ("floordiv", "_operator.floordiv", lambda a, b: a // b),
    ("div", "_operator.truediv", lambda a, b: a / b),
    ("lt", "_operator.lt", lambda a, b: a < b),
    ("le", "_operator.le", lambda a, b: a <= b),
    ("gt", "_operator.gt", lambda a, b: a > b),
    ("ge", "_operator.ge", lambda a, b: a >= b),
):
    _arithmetic(_name, _node, _function)


@plain("add")
def add(machine: Machine, a: Any, b: Any) -> Any:
    if isinstance(a, list):
        require(list, b)
        return Items(within_limits([*a, *b]), machine.region)
    if isinstance(a, str) and not isinstance(a, Number):
        require(str, a, b)
        return within_limits(a + b)
    return sum_of(machine, a, b)


@plain("mul")
def mul(machine: Machine, a: Any, b: Any) -> Any:
    for items, count in ((a, b), (b, a)):
        if isinstance(items, list):
            require(int, count)
            if len(items) * max(count, 0) > LONGEST:
                raise BadModel(f"a list or text of more than {LONGEST}")
            return Items(list(items) * count, machine.region)
    return multiply(machine, a, b)


_arithmetic("+", "_operator.add", lambda a, b: a + b)
_arithmetic("*", "_operator.mul", lambda a, b: a * b)
sum_of, multiply, subtract = PLAIN.pop("+"), PLAIN.pop("*"), PLAIN["sub"]


@plain("remainder")
def remainder(machine: Machine, a: Any, b: Any) -> Any:
    if is_open(a, b):
        return machine.number("_operator.mod", a=a, b=b)
    require(REAL, a, b)
    return a % b


@plain("pow")
def pow_(machine: Machine, a: Any, b: Any) -> Any:
    if is_open(a, b):
        return machine.number("_operator.pow", a=a, b=b)
    require((bool, int, float), a, b)
    return float(a) ** float(b)


@plain("neg")
def neg(machine: Machine, a: Any) -> Any:
    if is_open(a):
        return machine.number("_operator.neg", a=a)
    require(REAL, a)
    return within_limits(-a)


def equal(machine: Machine, a: Any, b: Any) -> Any:
    """Whether two values are equal: a bool, or a number of the graph."""
    if is_open(a, b):
        return machine.number("_operator.eq", a=a, b=b)
    if isinstance(a, (Tensor, Instance)) or isinstance(b, (Tensor, Instance)):
        if a is None or b is None:
            return False
        raise Unsupported(f"a comparison of {describe(a)} with {describe(b)}")
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        if len(a) != len(b):
            return False
        result: Any = True
        for x, y in zip(a, b, strict=True):
            result = both(machine, result, equal(machine, x, y))
            if result is False:
                return False
        return result
    return a == b


def both(machine: Machine, a: Any, b: Any) -> Any:
    """Whether two conditions hold."""
    if is_open(a, b) and False not in (a, b):
        known = [v for v in (a, b) if isinstance(v, Number)]
        return known[0] if len(known) == 1 else machine.number("_operator.and_", a=a, b=b)
    return bool(a) and bool(b)


@plain("eq")
def eq(machine: Machine, a: Any, b: Any) -> Any:
    return equal(machine, a, b)


@plain("ne")
def ne(machine: Machine, a: Any, b: Any) -> Any:
    return not_(machine, equal(machine, a, b))


@plain("__not__")
def not_(machine: Machine, a: Any) -> Any:
    found = machine.truth(a)
    return machine.number("torch.sym_not", a=found) if isinstance(found, Number) else not found


@plain("__and__")
def and_(machine: Machine, a: Any, b: Any) -> Any:
    if isinstance(a, bool) or isinstance(b, bool):
        return both(machine, machine.truth(a), machine.truth(b))
    return _bits(machine, "_operator.and_", lambda x, y: x & y, a, b)


@plain("__or__")
def or_(machine: Machine, a: Any, b: Any) -> Any:
    if isinstance(a, bool) or isinstance(b, bool):
        return not_(machine, both(machine, not_(machine, a), not_(machine, b)))
    return _bits(machine, "_operator.or_", lambda x, y: x | y, a, b)


@plain("__xor__")
def xor(machine: Machine, a: Any, b: Any) -> Any:
    require(int, a, b)
    return a ^ b


@plain("__lshift__")
def lshift(machine: Machine, a: Any, b: Any) -> Any:
    require(int, a, b)
    if not 0 <= b < 64:
        raise BadModel(f"a shift by {b}")
    return within_limits(a << b)


@plain("__rshift__")
def rshift(machine: Machine, a: Any, b: Any) -> Any:
    require(int, a, b)
    if b < 0:
        raise BadModel(f"a shift by {b}")
    return a >> b


def _bits(machine: Machine, node: str, function: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    if is_open(a, b):
        return machine.number(node, a=a, b=b)
    require(int, a, b)
    return function(a, b)


@plain("__is__")
def is_(machine: Machine, a: Any, b: Any) -> bool:
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        return machine.memory.is_same(a, b)
    return a is b


@plain("__isnot__")
def is_not(machine: Machine, a: Any, b: Any) -> bool:
    return not is_(machine, a, b)


def _define_rounding(name: str, function: Callable[[Any], Any]) -> None:
    @plain(name)
    def compute(machine: Machine, a: Any) -> Any:
        if is_open(a):
            return machine.number(f"math.{name}", x=a)
        require((bool, int, float), a)
        return function(a)


_define_rounding("floor", math.floor)
_define_rounding("ceil", math.ceil)


def _mathematics(name: str) -> None:
    function = getattr(math, name)

    @plain(name)
    def compute(machine: Machine, *args: Any) -> Any:
        if is_open(*args):
            if name == "sqrt":
                return machine.number("torch.sym_sqrt", a=args[0])
            raise Unsupported(f"{name} of a number that is only known while running")
        require((bool, int, float), *args)
        return function(*args)


for _name in (
    *("sqrt", "log", "log2", "log10", "log1p", "exp", "expm1", "sin", "cos", "tan", "asin", "acos"),
    *("atan", "atan2", "sinh", "cosh", "tanh", "degrees", "radians", "gcd", "isnan", "isinf"),
    *("isfinite", "fabs", "copysign", "fmod", "erf", "erfc", "lgamma", "gamma"),
):
    _mathematics(_name)


@plain("round")
def round_(machine: Machine, a: Any) -> Any:
    require((bool, int, float), a)
    return float(round(a))


@plain("abs", "ops.prim.abs")
def abs_(machine: Machine, a: Any) -> Any:
    if is_open(a):
        return machine.number("torch.sym_max", a=a, b=neg(machine, a))
    require((bool, int, float), a)
    return abs(a)


def _extreme(name: str, node: str, function: Callable[..., Any]) -> None:
    @plain(f"ops.prim.{name}")
    def compute(machine: Machine, *args: Any) -> Any:
        items = args[0] if len(args) == 1 else args
        require((list, tuple), items)
        if not items:
            raise BadModel(f"{name} of nothing")
        found = items[0]
        for item in items[1:]:
            if is_open(found, item):
                found = machine.number(node, a=found, b=item)
            else:
                require((bool, int, float), found, item)
                found = function(found, item)
        return found


_extreme("min", "torch.sym_min", min)
_extreme("max", "torch.sym_max", max)


@plain("int", "Int", "IntImplicit")
def to_int(machine: Machine, a: Any) -> Any:
    a = machine.item(a)
    if is_open(a):
        return a if machine.kind_of(a) == "int" else machine.number("torch.sym_int", a=a)
    return within_limits(int(_readable(a)))


@plain("float", "Float", "FloatImplicit")
def to_float(machine: Machine, a: Any) -> Any:
    a = machine.item(a)
    if is_open(a):
        return a if machine.kind_of(a) == "float" else machine.number("torch.sym_float", a=a)
    return float(_readable(a))


@plain("bool", "Bool")
def to_bool(machine: Machine, a: Any) -> Any:
    return machine.truth(a)


@plain("item", "ScalarImplicit")
def item(machine: Machine, a: Any) -> Any:
    return machine.item(a)


def _readable(a: Any) -> Any:
    require((bool, int, float, str), a)
    if isinstance(a, str) and len(a) > 400:
        raise BadModel("a number of more than 400 letters")
    return a
