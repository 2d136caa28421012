"""Dataclasses whose functions are made when they are first called.

`dataclasses.dataclass` writes and compiles six functions for each class, which is a fifth of the
time from the start of a process to the first result of a small model; most of the classes that a
process imports it never makes an object of.
"""

from __future__ import annotations

import builtins
import dataclasses
import sys
from collections.abc import Callable
from operator import attrgetter, ge, gt, le, lt
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls=None, /, **options):
        """`dataclasses.dataclass` with the options eq, frozen, order and slots.

        The fields, objects and functions are as those of the standard library.
        """

        def decorate(cls):
            return _make_lazily(cls, **options)

        return decorate if cls is None else decorate(cls)


def _make_lazily(
    cls: Any, *, eq: bool = True, frozen: bool = False, order: bool = False, slots: bool = False
) -> Any:
    if order and not eq:
        raise ValueError("eq must be true if order is true")
    inherits = any(dataclasses.is_dataclass(base) for base in cls.__mro__[1:])
    cls.__doc__ = cls.__doc__ or cls.__name__  # or it is made of the signature
    own = {name for name, value in vars(cls).items() if value is not None}
    early = {"frozen": inherits and frozen, "slots": slots}  # bases must be frozen likewise
    made: Any = dataclasses.dataclass(init=False, repr=False, eq=False, **early)(cls)
    found = dataclasses.fields(made)
    made.__dataclass_params__.frozen = frozen
    functions: dict[str, Any] = {"__repr__": _represent([f.name for f in found if f.repr])}
    if eq:
        take = _take([f.name for f in found if f.compare])
        functions["__eq__"] = _equate(take)
        functions["__hash__"] = _hash_by(take) if frozen else None
    if order:
        take = _take([f.name for f in found if f.compare])
        functions |= {f"__{c.__name__}__": _order_by(c, take) for c in (lt, le, gt, ge)}
    if frozen:
        functions |= _freeze(made, {f.name for f in found})
    if frozen and slots:
        functions |= {"__getstate__": _state, "__setstate__": _restore}
    for name, function in functions.items():
        if name not in own:
            setattr(made, name, function)
    if "__init__" not in own:
        made.__init__ = _Init(made, frozen)
    return made


class _Init:
    """Stands where the `__init__` of a class will be until somebody asks for it."""

    def __init__(self, cls: type, is_frozen: bool) -> None:
        self._cls = cls
        self._is_frozen = is_frozen

    def __get__(self, instance: object, owner: type) -> Callable[..., None]:
        made = _write_init(self._cls, is_frozen=self._is_frozen)
        self._cls.__init__ = made  # type: ignore[misc]
        bound: Callable[..., None] = made.__get__(instance, owner)
        return bound


class _Factory:
    """What a parameter stands at whose default is made anew each time."""

    def __repr__(self) -> str:
        return "<factory>"


_FACTORY = _Factory()


def _write_init(cls: Any, *, is_frozen: bool) -> Callable[..., None]:
    """The function that `dataclasses` would write."""
    words, body = ["self"], []
    named: list[str] = []
    names: dict[str, Any] = {"_set": object.__setattr__, "_absent": _FACTORY}
    for field in dataclasses.fields(cls):
        name = value = field.name
        word = name
        if field.default_factory is not dataclasses.MISSING:
            names[f"_make_{name}"] = field.default_factory
            word, value = f"{name}=_absent", f"_make_{name}()"
            value += f" if {name} is _absent else {name}" if field.init else ""
        elif field.default is not dataclasses.MISSING:
            names[f"_default_{name}"] = field.default
            word = f"{name}=_default_{name}"
            value = name if field.init else f"_default_{name}"
        elif not field.init:
            continue
        if field.init:
            (named if field.kw_only else words).append(word)
        body.append(f"_set(self, {name!r}, {value})" if is_frozen else f"self.{name} = {value}")
    words += ["*", *named] if named else []
    body += ["self.__post_init__()"] if hasattr(cls, "__post_init__") else []
    lines = "\n  ".join(body or ["pass"])
    text = f"def make({', '.join(names)}):\n def __init__({', '.join(words)}):\n  {lines}\n"
    places: dict[str, Any] = {}
    module = sys.modules.get(cls.__module__, builtins)
    exec(f"{text} return __init__", vars(module), places)
    made: Callable[..., None] = places["make"](**names)
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    given = {f.name: f.type for f in dataclasses.fields(cls) if f.init}
    made.__annotations__ = given | {"return": None}
    return made


def _take(names: list[str]) -> Callable[[Any], tuple[object, ...]]:
    """The fields of an object in order."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda self: tuple([getattr(self, name) for name in names])


def _equate(take: Callable[[Any], tuple[object, ...]]) -> Callable[[Any, object], bool]:
    def equal(self: Any, other: object) -> bool:
        if other.__class__ is self.__class__:
            return take(self) == take(other)
        return NotImplemented

    return equal


def _order_by(
    compare: Callable[[Any, Any], bool], take: Callable[[Any], tuple[object, ...]]
) -> Callable[[Any, object], bool]:
    def order(self: Any, other: object) -> bool:
        if other.__class__ is self.__class__:
            return compare(take(self), take(other))
        return NotImplemented

    return order


def _hash_by(take: Callable[[Any], tuple[object, ...]]) -> Callable[[Any], int]:
    def compute(self: Any) -> int:
        return hash(take(self))

    return compute


def _represent(names: list[str]) -> Callable[[Any], str]:
    @recursive_repr()
    def represent(self: Any) -> str:
        fields = ", ".join([f"{name}={getattr(self, name)!r}" for name in names])
        return f"{self.__class__.__qualname__}({fields})"

    return represent


def _freeze(cls: Any, names: set[str]) -> dict[str, Any]:
    """What keeps the fields of an object as they are."""

    def assign(self: object, name: str, value: object) -> None:
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def delete(self: object, name: str) -> None:
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    return {"__setattr__": assign, "__delattr__": delete}


def _state(self: Any) -> list[object]:
    """What is kept of an object of slots that is copied or pickled."""
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _restore(self: Any, state: list[object]) -> None:
    """Give a new object of slots what was kept."""
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)
