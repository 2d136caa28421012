"""Functions of TorchScript on numbers, texts, lists and dictionaries.

What is known is computed here, as Python computes it; numbers that are only known while running
become nodes. Lists and dictionaries are Python's own, and stay short.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nnir.errors import BadFile, BadModel, Unsupported

from .machine import Machine, describe
from .things import Device, Instance, Items, Number, Table, Tensor

LONGEST = 1 << 20
"""Items of a list, letters of a text."""

SHARE = 64
"""So many items or letters that are made cost as much as one step."""

INTEGERS = range(-(1 << 63), 1 << 63)
PLAIN: dict[str, Callable[..., Any]] = {}


def plain(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator: a function that these names of TorchScript call; it takes the machine first."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        PLAIN.update(dict.fromkeys(names, function))
        return function

    return add


def checked(value: Any) -> Any:
    """A result that is not larger than what TorchScript has."""
    if type(value) is int and value not in INTEGERS:
        raise BadModel("an integer of more than 64 bits")
    if isinstance(value, (str, list, tuple)) and len(value) > LONGEST:
        raise BadModel(f"a list or text of more than {LONGEST}")
    return value


def is_open(*values: Any) -> bool:
    """Whether some of the values are numbers that are only known while running."""
    return any(isinstance(v, Number) for v in values)


def require(kinds: Any, *values: Any) -> None:
    """BadFile where a value is not of a kind that is wanted."""
    for value in values:
        if not isinstance(value, kinds) or isinstance(value, (Tensor, Number)):
            raise BadFile(f"{describe(value)} where another kind of value is needed")


REAL = (bool, int, float, complex)


def _arithmetic(name: str, node: str, function: Callable[[Any, Any], Any]) -> None:
    @plain(name)
    def compute(machine: Machine, a: Any, b: Any) -> Any:
        if is_open(a, b):
            require(REAL, *(v for v in (a, b) if not isinstance(v, Number)))
            return machine.number(node, a=a, b=b)
        require(REAL, a, b)
        return checked(function(a, b))


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
    if isinstance(a, list) or isinstance(a, str) and not isinstance(a, Number):
        require(type(a), b)
        return checked(a + b) if isinstance(a, str) else Items(checked([*a, *b]), machine.region)
    return _add(machine, a, b)


@plain("mul")
def mul(machine: Machine, a: Any, b: Any) -> Any:
    for items, count in ((a, b), (b, a)):
        if isinstance(items, list):
            require(int, count)
            if len(items) * max(count, 0) > LONGEST:
                raise BadModel(f"a list or text of more than {LONGEST}")
            return Items(list(items) * count, machine.region)
    return _mul(machine, a, b)


_arithmetic("+", "_operator.add", lambda a, b: a + b)
_arithmetic("*", "_operator.mul", lambda a, b: a * b)
_add, _mul = PLAIN.pop("+"), PLAIN.pop("*")


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
    return checked(-a)


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
    return checked(a << b)


@plain("__rshift__")
def rshift(machine: Machine, a: Any, b: Any) -> Any:
    require(int, a, b)
    if b < 0:
        raise BadModel(f"a shift by {b}")
    return a >> b


def _bits(
    machine: Machine, node: str, function: Callable[[Any, Any], Any], a: Any, b: Any
) -> Any:
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


def _rounded(name: str, function: Callable[[Any], Any]) -> None:
    @plain(name)
    def compute(machine: Machine, a: Any) -> Any:
        if is_open(a):
            return machine.number(f"math.{name}", x=a)
        require((bool, int, float), a)
        return function(a)


_rounded("floor", math.floor)
_rounded("ceil", math.ceil)


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


# Conversions


@plain("int", "Int", "IntImplicit")
def to_int(machine: Machine, a: Any) -> Any:
    a = machine.item(a)
    if is_open(a):
        return a if machine.kind_of(a) == "int" else machine.number("torch.sym_int", a=a)
    return checked(int(_readable(a)))


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


@plain("str")
def to_str(machine: Machine, a: Any) -> str:
    return text_of(a)


def text_of(a: Any) -> str:
    """A value as TorchScript prints it, as far as messages need it."""
    if isinstance(a, (Tensor, Number, Instance)):
        return f"<{describe(a)}>"
    if isinstance(a, (list, tuple)):
        inner = ", ".join(map(text_of, a[:100]))
        return f"[{inner}]" if isinstance(a, list) else f"({inner})"
    return str(a)[:LONGEST]


@plain("format")
def format_(machine: Machine, text: Any, *args: Any) -> str:
    """Every `{}` is an argument in turn; nothing else in the text has a meaning."""
    require(str, text)
    parts = text.split("{}")
    pieces = [parts[0]]
    for position, part in enumerate(parts[1:]):
        pieces += [text_of(args[position]) if position < len(args) else "{}", part]
    return str(checked("".join(pieces)))


@plain("percentFormat")
def percent_format(machine: Machine, text: Any, *args: Any) -> str:
    require(str, text)
    return str(checked(f"{text} {' '.join(map(text_of, args))}"))


def _of_text(name: str) -> None:
    function = getattr(str, name)

    @plain(name)
    def compute(machine: Machine, text: Any, *args: Any) -> Any:
        require(str, text, *(a for a in args if not isinstance(a, (int, list, type(None)))))
        found = function(text, *args)
        return checked(Items(found, machine.region) if isinstance(found, list) else found)


for _name in (
    *("lower", "upper", "startswith", "endswith", "strip", "lstrip", "rstrip", "split", "isdigit"),
    *("isalpha", "isupper", "islower", "find", "capitalize", "title"),
):
    _of_text(_name)


@plain("join")
def join(machine: Machine, text: Any, items: Any) -> str:
    require(str, text, *items)
    if sum(map(len, items)) + len(text) * len(items) > LONGEST:
        raise BadModel("a text that is too long")
    return str(text).join(items)


@plain("ord")
def ord_(machine: Machine, text: Any) -> int:
    require(str, text)
    return ord(text)


# Lists and dictionaries


@plain("__getitem__")
def getitem(machine: Machine, owner: Any, place: Any) -> Any:
    """An item of a list, a tuple, a text or a dictionary."""
    if isinstance(place, Number):
        raise Unsupported("an item of a list, whose position is only known while running")
    if isinstance(owner, dict):
        if key_of(place) not in owner:
            raise BadModel(f"a dictionary without {place!r}")
        return owner[place]
    require(int, place)
    require((list, tuple, str), owner)
    if not -len(owner) <= place < len(owner):
        raise BadModel(f"item {place} of {len(owner)}")
    return owner[place]


def key_of(value: Any) -> Any:
    """A key of a dictionary, which must be known."""
    if not isinstance(value, (str, int, float, bool)) or isinstance(value, (Tensor, Number)):
        raise Unsupported(f"a dictionary with the key {describe(value)}")
    return value


@plain("_set_item", "__setitem__")
def set_item(machine: Machine, owner: Any, place: Any, value: Any) -> Any:
    require((list, dict), owner)
    machine.require_own(owner, "an item is set")
    if isinstance(owner, dict):
        owner[key_of(place)] = value
    else:
        getitem(machine, owner, place)
        owner[place] = value
    return owner


@plain("Delete")
def delete(machine: Machine, owner: Any, place: Any) -> None:
    getitem(machine, owner, place)
    machine.require_own(owner, "an item is taken away")
    del owner[place]


@plain("__contains__")
def contains(machine: Machine, owner: Any, value: Any) -> Any:
    require((list, tuple, dict, str), owner)
    if isinstance(owner, (dict, str)):
        return key_of(value) in owner
    found: Any = False
    for each in owner:
        found = or_(machine, found, bool_of(equal(machine, each, value)))
        if found is True:
            return True
    return found


def bool_of(value: Any) -> Any:
    """A bool as it is; a number of the graph too."""
    return value if isinstance(value, Number) else bool(value)


@plain("len")
def length(machine: Machine, owner: Any) -> int:
    require((list, tuple, dict, str), owner)
    return len(owner)


@plain("append")
def append(machine: Machine, owner: Any, value: Any) -> Any:
    require(list, owner)
    machine.require_own(owner, "a list grows")
    owner.append(value)
    return checked(owner)


@plain("extend")
def extend(machine: Machine, owner: Any, values: Any) -> None:
    require(list, owner, values)
    machine.require_own(owner, "a list grows")
    owner.extend(values)
    checked(owner)


@plain("insert")
def insert(machine: Machine, owner: Any, place: Any, value: Any) -> None:
    require(list, owner)
    require(int, place)
    machine.require_own(owner, "a list grows")
    owner.insert(place, value)


@plain("pop")
def pop(machine: Machine, owner: Any, *args: Any) -> Any:
    require((list, dict), owner)
    machine.require_own(owner, "an item is taken away")
    if isinstance(owner, dict):
        found = getitem(machine, owner, args[0]) if len(args) == 1 else owner.get(*args)
        owner.pop(args[0], None)
        return found
    place = args[0] if args else -1
    getitem(machine, owner, place)
    return owner.pop(place)


@plain("clear")
def clear(machine: Machine, owner: Any) -> None:
    require((list, dict), owner)
    machine.require_own(owner, "a list is cleared")
    owner.clear()


@plain("reverse")
def reverse(machine: Machine, owner: Any) -> None:
    require(list, owner)
    machine.require_own(owner, "a list is reversed")
    owner.reverse()


@plain("copy", "list")
def copy(machine: Machine, owner: Any) -> Any:
    if isinstance(owner, dict):
        return Table(owner, machine.region)
    require((list, tuple, str), owner)
    return Items(owner, machine.region)


@plain("slice")
def slice_(machine: Machine, owner: Any, start: Any = None, end: Any = None, step: Any = 1) -> Any:
    require((list, tuple, str), owner)
    require((int, type(None)), start, end, step)
    if not step:
        raise BadModel("a slice with steps of 0")
    found = owner[start:end:step]
    return Items(found, machine.region) if isinstance(owner, list) else found


@plain("any")
def any_(machine: Machine, owner: Any) -> Any:
    found: Any = False
    for each in owner:
        found = or_(machine, found, machine.truth(each))
    return found


@plain("all")
def all_(machine: Machine, owner: Any) -> Any:
    return not_(machine, any_(machine, [not_(machine, each) for each in owner]))


@plain("__range_length")
def range_length(machine: Machine, low: Any, high: Any, step: Any) -> Any:
    """The number of iterations of a loop over range(low, high, step)."""
    require(int, step)
    if not step:
        raise BadModel("a range with steps of 0")
    if is_open(low, high):
        if step != 1:
            raise Unsupported("a range with steps, of a length that is only known while running")
        return machine.number("torch.sym_max", a=PLAIN["sub"](machine, high, low), b=0)
    require(int, low, high)
    return len(range(low, high, step))


@plain("__derive_index")
def derive_index(machine: Machine, place: Any, start: Any, step: Any) -> Any:
    """The value of the variable of such a loop."""
    return _add(machine, start, _mul(machine, place, step))


@plain("sorted")
def sorted_(machine: Machine, owner: Any) -> Any:
    require(list, owner)
    require((int, float, str), *owner)
    return Items(sorted(owner), machine.region)


@plain("index")
def index(machine: Machine, owner: Any, value: Any) -> int:
    require(list, owner)
    require((int, float, str), value, *owner)
    if value not in owner:
        raise BadModel(f"{value!r} is not in the list")
    return int(owner.index(value))


@plain("keys")
def keys(machine: Machine, owner: Any) -> Any:
    require(dict, owner)
    return Items(owner.keys(), machine.region)


@plain("values")
def values(machine: Machine, owner: Any) -> Any:
    require(dict, owner)
    return Items(owner.values(), machine.region)


@plain("items")
def items(machine: Machine, owner: Any) -> Any:
    require(dict, owner)
    return Items(owner.items(), machine.region)


@plain("get")
def get(machine: Machine, owner: Any, key: Any, default: Any = None) -> Any:
    require(dict, owner)
    return owner.get(key_of(key), default)


@plain("update")
def update(machine: Machine, owner: Any, other: Any) -> None:
    require(dict, owner, other)
    machine.require_own(owner, "a dictionary grows")
    owner.update(other)


@plain("dict")
def dict_(machine: Machine, pairs: Any = ()) -> Any:
    return Table(pairs if isinstance(pairs, dict) else [(key_of(k), v) for k, v in pairs], machine.region)


@plain("device")
def device(machine: Machine, name: Any = "cpu", position: Any = None) -> Device:
    return name if isinstance(name, Device) else Device(text_of(name))


@functools.cache
def signature_of(name: str) -> inspect.Signature:
    """The parameters of a function of this table."""
    return inspect.signature(PLAIN[name])


def call_plain(
    machine: Machine, name: str, args: Sequence[Any], keywords: Mapping[str, Any]
) -> Any:
    """Call a function of this table; what Python refuses of its values is the program's fault."""
    what = f"{name} of ({', '.join(map(describe, args))})"
    try:
        bound = signature_of(name).bind(machine, *args, **keywords)
    except TypeError as error:
        raise BadFile(f"{what}: {error}") from None
    try:
        found = PLAIN[name](*bound.args, **bound.kwargs)
    except (ValueError, ArithmeticError) as error:
        raise BadModel(f"{what}: {error}") from None
    if isinstance(found, (list, tuple, dict, str)):
        machine.spend(len(found) // SHARE)
    return found
