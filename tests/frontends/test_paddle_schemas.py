"""A converter's signature is Paddle's: the arguments in order, and their defaults."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from frontends.paddle import TABLE
from frontends.paddle.reading import opdefs
from nnir.operator import Operator
from nnir.types import Precision

CONTROL = {"if", "while"}
"""What the reader gives graphs as arguments."""

NAMES = [n for n in TABLE.entries if n not in CONTROL and opdefs.find(n) is not None]


def test_every_converter_is_of_an_operator() -> None:
    unknown = {n for n in TABLE.entries if opdefs.find(n) is None and not n.startswith("legacy.")}
    assert unknown <= CONTROL


@pytest.mark.parametrize("name", NAMES)
def test_signature_is_the_definition(name: str) -> None:
    (converter,) = TABLE.entries[name].values()
    found = opdefs.find(name)
    assert found is not None
    theirs = [a for a in found.arguments if a != "place"]
    if isinstance(converter.function, Operator):  # it binds by position, and takes tensors only
        assert set(theirs) <= set(found.operands)
        assert len(converter.positional) >= len(theirs)
        return
    parameters = {n: p for n, (p, _) in converter.parameters.items() if n not in converter.services}
    assert [n.removesuffix("_") for n in parameters] == theirs
    for argument, parameter in zip(theirs, parameters.values(), strict=True):
        given = parameter.default
        if given is inspect.Parameter.empty and argument in found.operands:
            continue  # a program always gives it
        if argument not in found.defaults:
            assert given is inspect.Parameter.empty, f"{argument} has no default"
        else:
            default = found.defaults[argument]
            assert same(given, default), f"{argument}={given!r}, not {default!r}"


def same(mine: Any, theirs: Any) -> bool:
    if isinstance(theirs, dict):
        return mine is (None if theirs["dtype"] == "undefined" else precision(theirs["dtype"]))
    if isinstance(theirs, list):
        return mine is None or tuple(theirs) == mine  # None: a list that says nothing
    if isinstance(theirs, float) or isinstance(mine, float):
        return bool(mine == pytest.approx(theirs))
    return type(mine) is type(theirs) and bool(mine == theirs)


def precision(name: str) -> Precision:
    return Precision.BOOL8 if name == "bool" else Precision[name.upper()]
