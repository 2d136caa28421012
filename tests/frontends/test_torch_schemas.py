"""A converter's signature is ATen's schema: names, order, kinds and defaults."""

from __future__ import annotations

from typing import Any

import pytest

from frontends.torch import TABLE
from frontends.torch.reading import schema
from nnir.operator import Operator

SYMBOLIC = ("_operator.", "torch.", "math.")


@pytest.mark.parametrize("name", TABLE.entries)
def test_signature_is_the_schema(name: str) -> None:
    if name.startswith(SYMBOLIC) or name in schema.HIGHER_ORDER:
        return
    (converter,) = TABLE.entries[name].values()
    found = schema.find(name)
    assert found is not None, "no such operator"
    theirs = [a for a in found.arguments if a.name not in schema.PLACEMENT]
    if isinstance(converter.function, Operator):  # it binds by position, and takes tensors only
        assert [a.type for a in theirs] == ["Tensor"] * len(theirs)
        return
    mine = [p for n, (p, _) in converter.parameters.items() if n not in converter.services]
    assert [p.name.removesuffix("_") for p in mine] == [a.name for a in theirs]
    for p, a in zip(mine, theirs, strict=True):
        assert (p.kind is p.KEYWORD_ONLY) == a.is_keyword, p.name
        assert (p.default is not p.empty) == (a.default is not schema.NO_DEFAULT), p.name
        if a.default is not schema.NO_DEFAULT:
            assert same(p.default, a.default), f"{p.name}={p.default!r}, not {a.default!r}"


def same(mine: Any, theirs: Any) -> bool:
    if isinstance(theirs, float) and isinstance(mine, float):
        return mine == theirs or (mine != mine and theirs != theirs)
    return type(mine) is type(theirs) and bool(mine == theirs)
