"""A converter's signature is TensorFlow's OpDef: inputs, attributes and their defaults."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from frontends.tensorflow import TABLE
from frontends.tensorflow.reading import opdefs
from frontends.tensorflow.reading.opdefs import IGNORED
from nnir.operator import Operator
from nnir.types import Precision

TYPES = {
    "DT_FLOAT": Precision.FLOAT32,
    "DT_DOUBLE": Precision.FLOAT64,
    "DT_HALF": Precision.FLOAT16,
    "DT_INT32": Precision.INT32,
    "DT_INT64": Precision.INT64,
    "DT_UINT8": Precision.UINT8,
    "DT_BOOL": Precision.BOOL8,
    "DT_QUINT8": Precision.UINT8,
    "DT_QINT8": Precision.INT8,
    "DT_QINT32": Precision.INT32,
    "DT_COMPLEX64": Precision.COMPLEX64,
    "DT_COMPLEX128": Precision.COMPLEX128,
}


UNKNOWN = {("EnsureShape", "shape"), ("PlaceholderWithDefault", "shape")}
"""Attributes that may be a shape that nobody knows, of which the reader gives none."""


@pytest.mark.parametrize("name", TABLE.entries)
def test_signature_is_the_op_def(name: str) -> None:
    (converter,) = TABLE.entries[name].values()
    found = opdefs.find(name)
    assert found is not None, "no such operator"
    inputs = [a.name for a in found.inputs]
    if isinstance(converter.function, Operator):  # it binds by position, and takes tensors only
        assert len(converter.positional) >= len(inputs)
        assert set(found.defaults) - IGNORED == set(found.implied)
        return
    parameters = {n: p for n, (p, _) in converter.parameters.items()}
    mine = [n for n, p in parameters.items() if p.kind is not p.KEYWORD_ONLY]
    assert [n.removesuffix("_") for n in mine] == inputs
    given = {
        n.removesuffix("_"): p.default
        for n, p in parameters.items()
        if p.kind is p.KEYWORD_ONLY and n not in converter.services
    }
    theirs = {k: d for k, d in found.defaults.items() if k not in found.implied | IGNORED}
    assert set(given) == set(theirs)
    for key, default in theirs.items():
        has_default = given[key] is not inspect.Parameter.empty
        if (name, key) in UNKNOWN:
            assert given[key] is None
            continue
        assert has_default == (default is not opdefs.NO_DEFAULT), key
        assert not has_default or same(given[key], default), f"{key}={given[key]!r}"


def same(mine: Any, theirs: Any) -> bool:
    if isinstance(theirs, str) and theirs.startswith("DT_"):
        return TYPES.get(theirs) is mine
    if isinstance(theirs, list):
        return tuple(theirs) == mine
    if isinstance(theirs, float):
        return bool(mine == pytest.approx(theirs))
    return type(mine) is type(theirs) and bool(mine == theirs)
