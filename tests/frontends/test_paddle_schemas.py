"""A converter's signature is Paddle's: the arguments in order. `opdefs` has the defaults."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from frontends.paddle import TABLE
from frontends.paddle.reading import opdefs
from nnir.operator import Operator

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
        if parameter.default is not inspect.Parameter.empty:  # of what other frontends take, too
            default = opdefs.defaults_of(name)[argument]
            assert same(parameter.default, default), f"{argument}, which is {default!r}"


def same(mine: Any, theirs: Any) -> bool:
    if isinstance(theirs, list):
        return mine is None or tuple(theirs) == mine  # None: a list that says nothing
    if isinstance(theirs, float) or isinstance(mine, float):
        return bool(mine == pytest.approx(theirs))
    return type(mine) is type(theirs) and bool(mine == theirs)
