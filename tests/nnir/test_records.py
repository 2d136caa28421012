"""Dataclasses that are made when they are needed do what those of the standard library do."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import sys
from collections.abc import Callable
from dataclasses import field
from typing import Any

import numpy as np
import pytest

from nnir import records

OPTIONS: list[dict[str, bool]] = [
    {},
    {"eq": False},
    {"frozen": True},
    {"slots": True},
    {"frozen": True, "slots": True},
    {"frozen": True, "eq": False, "slots": True},
    {"frozen": True, "order": True},
    {"order": True, "slots": True},
]
MAKERS = {"ours": records.dataclass, "theirs": dataclasses.dataclass}


def define(maker: Callable[..., Any], options: dict[str, bool]) -> Any:
    @maker(**options)
    class Point:
        """A class with a field of each kind."""

        x: int
        y: float = 0.5
        names: list[str] = field(default_factory=list, compare=False)
        hidden: int = field(default=3, repr=False)
        made: int = field(init=False, default=7)
        grown: list[int] = field(init=False, default_factory=list)
        late: int = field(init=False, compare=False, repr=False)
        mark: str = field(default="m", kw_only=True)

        def __post_init__(self) -> None:
            self.names.append("after")
            object.__setattr__(self, "late", self.x + 1)

    return Point


def answer(call: Callable[[], Any]) -> Any:
    """What a call gives, or says."""
    try:
        return call()
    except (TypeError, AttributeError) as error:
        return type(error), str(error)


def describe(cls: Any) -> list[Any]:
    """What can be seen of a class and its objects."""
    one, same, other = cls(1), cls(1, names=["n"]), cls(2, 1.5, mark="k")
    calls: list[Callable[[], Any]] = [
        lambda: str(inspect.signature(cls)),
        lambda: str(inspect.signature(cls, eval_str=True)),
        lambda: [(f.name, f.type, f.init) for f in dataclasses.fields(cls)],
        lambda: [repr(each) for each in (one, same, other)],
        lambda: (one == same, one == other, one == 1, one != other),
        lambda: hash(one) == hash(same),
        lambda: (one < other, one >= same, one <= other, one > other),
        lambda: one < 3,
        lambda: setattr(one, "x", 5),
        lambda: delattr(other, "x"),
        lambda: answer(lambda: setattr(one, "unknown", 5)) is None,  # in words of its own version
        lambda: repr(one),
        lambda: dataclasses.asdict(same),
        lambda: repr(dataclasses.replace(same, x=9)),
        lambda: repr(copy.deepcopy(same)),
        lambda: cls(),
        lambda: cls(1, 2, [], 3, "positional"),
        lambda: cls(1, unknown=2),
        lambda: cls.__match_args__,
        lambda: cls.__doc__,
        lambda: cls.__init__.__qualname__,
        lambda: hasattr(one, "__dict__"),
        lambda: (one.late, one.grown, one.grown is same.grown),
    ]
    return [answer(call) for call in calls]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_both_do_alike(options: dict[str, bool]) -> None:
    ours, theirs = (describe(define(maker, options)) for maker in MAKERS.values())
    assert ours == theirs


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
def test_own_functions_stay(maker: Callable[..., Any]) -> None:
    @maker(frozen=True)
    class Own:
        value: int

        def __init__(self) -> None:
            object.__setattr__(self, "value", 4)

        def __repr__(self) -> str:
            return "own"

        def __eq__(self, other: object) -> bool:
            return True

    assert repr(Own()) == "own"
    assert Own() == 3
    assert hash(Own()) == hash(Own())

    @maker
    class Kept:
        value: int = 0

        def __hash__(self) -> int:
            return 17

    assert hash(Kept()) == 17


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
def test_what_inherits(maker: Callable[..., Any]) -> None:
    @maker(frozen=True)
    class Base:
        x: int = 1

    @maker(frozen=True)
    class Wider(Base):
        y: int = 2

    class Plain(Base):
        pass

    assert repr(Wider(3)).endswith("Wider(x=3, y=2)")
    assert Plain(4).x == 4
    assert Base() != Plain()
    with pytest.raises(dataclasses.FrozenInstanceError):
        Plain(4).x = 5
    plain: Any = Plain(4)
    plain.extra = 5
    assert plain.extra == 5
    with pytest.raises(TypeError, match="cannot inherit non-frozen"):

        @maker
        class Open(Base):
            z: int = 3


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
def test_one_field_of_elements(maker: Callable[..., Any]) -> None:
    @maker
    class Held:
        array: Any

    array = np.arange(3)
    if maker is records.dataclass or sys.version_info < (3, 13):  # which compares field by field
        assert Held(array) == Held(array)
    loop: Any = Held(None)
    loop.array = loop
    assert repr(loop).endswith("Held(array=...)")


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
def test_definitions_that_are_wrong(maker: Callable[..., Any]) -> None:
    with pytest.raises(ValueError, match="mutable default"):

        @maker
        class Shared:
            names: list[str] = []  # noqa: RUF012  what is refused

    with pytest.raises(TypeError, match="unexpected keyword argument"):
        maker(frosen=True)(type("Other", (), {}))


def test_functions_are_made_once_and_late() -> None:
    point = define(records.dataclass, {"frozen": True})
    assert not inspect.isfunction(vars(point)["__init__"])
    point(1)
    made = vars(point)["__init__"]
    assert inspect.isfunction(made)
    point(2)
    assert vars(point)["__init__"] is made
