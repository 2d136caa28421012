"""Functions of TorchScript on lists, tuples and dictionaries."""

from __future__ import annotations

from typing import Any

from nnir.errors import BadModel, Unsupported

from ..machine import Machine, describe
from ..things import Items, Number, Table, Tensor
from .numbers import equal, multiply, not_, or_, subtract, sum_of
from .table import is_open, plain, require, within_limits


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
    return within_limits(owner)


@plain("extend")
def extend(machine: Machine, owner: Any, values: Any) -> None:
    require(list, owner, values)
    machine.require_own(owner, "a list grows")
    owner.extend(values)
    within_limits(owner)


@plain("add_")
def add_in_place(machine: Machine, owner: Any, values: Any) -> Any:
    extend(machine, owner, values)
    return owner


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


@plain("sum")
def total(machine: Machine, owner: Any) -> Any:
    found: Any = 0
    for each in owner:
        found = sum_of(machine, found, each)
    return found


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
        return machine.number("torch.sym_max", a=subtract(machine, high, low), b=0)
    require(int, low, high)
    return len(range(low, high, step))


@plain("__derive_index")
def derive_index(machine: Machine, place: Any, start: Any, step: Any) -> Any:
    """The value of the variable of such a loop."""
    return sum_of(machine, start, multiply(machine, place, step))


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
    return Table(
        pairs if isinstance(pairs, dict) else [(key_of(k), v) for k, v in pairs], machine.region
    )
