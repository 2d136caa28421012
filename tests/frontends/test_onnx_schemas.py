"""A converter's signature is ONNX's: inputs, attributes, order, kinds and defaults."""

from __future__ import annotations

import inspect
from typing import Any

import onnx
import pytest
from onnx import helper

from conformance.cases.onnx import versions
from frontends.onnx import TABLE
from frontends.onnx.translator import HINTS, OVERWRITTEN, STRINGS
from frontends.table import Converter
from nnir.formats.onnx import UNDEFINED, code_of
from nnir.operator import Operator
from nnir.types import Precision

OWN_OF_RUNTIME = frozenset({"SimplifiedLayerNormalization"})
"""What ONNX Runtime puts into ONNX's domain, and ONNX does not have."""

VERSIONS = [
    (name, since)
    for name, versions in TABLE.entries.items()
    for since in versions
    if "::" not in name and name not in OWN_OF_RUNTIME
]
LATER = {name: sorted(versions) for name, versions in TABLE.entries.items()}


OTHER_DEFAULTS = {
    ("GRU", 1, "direction"): "ONNX has it misspelt",
    ("GridSample", 16, "mode"): "bilinear became linear in opset 20, both are taken",
}
OTHER_NAMES = {
    ("Split", 1): "an input and an attribute are both called split",
    **{("Pow", since): "shares a function with Add" for since in (1, 7)},
}
"""What differs on purpose, and why."""


def schemas(name: str, since: int) -> list[onnx.defs.OpSchema]:
    """Every version of the operator that a converter is for."""
    following = [v for v in LATER[name] if v > since]
    end = following[0] if following else 10_000
    found = {
        s.since_version: s
        for s in onnx.defs.get_all_schemas_with_history()
        if s.name == name and not s.domain and s.since_version < end
    }
    covered = {v: s for v, s in found.items() if v >= since}
    before = [v for v in found if v <= since]
    return [s for v, s in covered.items() if not s.deprecated] or [found[max(before)]]


def parameters(converter: Converter, kind: Any) -> dict[str, inspect.Parameter]:
    described = converter.parameters.items()
    return {n: p for n, (p, _) in described if p.kind is kind and n not in converter.services}


@pytest.mark.parametrize(("name", "since"), VERSIONS)
def test_attributes(name: str, since: int) -> None:
    converter = TABLE.entries[name][since]
    mine = parameters(converter, inspect.Parameter.KEYWORD_ONLY)
    for schema in schemas(name, since):
        for attribute in schema.attributes.values():
            if attribute.name not in mine or (name, since, attribute.name) in OTHER_DEFAULTS:
                continue
            default = mine[attribute.name].default
            if attribute.default_value.name:
                theirs = helper.get_attribute_value(attribute.default_value)
                if converter.keywords[attribute.name].hint is Precision and theirs == UNDEFINED:
                    theirs = None
                assert same(default, theirs), f"{attribute.name} of opset {schema.since_version}"
    known = {a for s in schemas(name, since) for a in s.attributes}
    known -= {OVERWRITTEN, HINTS.get(name), *STRINGS}
    assert not set(mine) - known, "an attribute that ONNX does not have"
    assert not known - set(mine), "an attribute that is not converted"


def same(mine: Any, theirs: Any) -> bool:
    theirs = plain(theirs)
    if isinstance(mine, Precision):
        mine = code_of(mine)
    if isinstance(theirs, list):
        return mine is not None and list(mine) == theirs
    return mine == theirs or (isinstance(theirs, float) and mine == pytest.approx(theirs))


def plain(value: Any) -> Any:
    if isinstance(value, list):
        return [plain(v) for v in value]
    return value.decode() if isinstance(value, bytes) else value


@pytest.mark.parametrize(("name", "since"), VERSIONS)
def test_inputs(name: str, since: int) -> None:
    converter = TABLE.entries[name][since]
    mine = list(parameters(converter, inspect.Parameter.POSITIONAL_OR_KEYWORD))
    for schema in schemas(name, since):
        theirs = [i.name for i in schema.inputs if i.option.name != "Variadic"]
        variadic = len(theirs) < len(schema.inputs)
        assert variadic == (converter.variadic is not None), "variadic"
        assert len(theirs) <= len(mine)
        if not isinstance(converter.function, Operator):  # an operator binds by position
            names = [n.lower() for n in mine[: len(theirs)]]
            wanted = [n.lower() for n in theirs]
            assert names == wanted or (name, since) in OTHER_NAMES, schema.since_version
        assert converter.required <= schema.min_input, "an optional input that must be given"


def test_rows_are_at_the_ends_of_every_version() -> None:
    """The tables that rows of versions are made by, against the converters and ONNX."""
    first, changed = versions.by_operator(versions.FIRST), versions.by_operator(versions.CHANGED)
    plain = {name: sorted(v) for name, v in LATER.items() if "::" not in name}
    assert changed == {name: v[1:] for name, v in plain.items() if len(v) > 1}
    assert first == {name: v[:1] for name, v in plain.items() if v[0] > 1}
    oldest: dict[str, int] = {}
    for schema in onnx.defs.get_all_schemas_with_history():
        if not schema.domain:
            known = oldest.get(schema.name, schema.since_version)
            oldest[schema.name] = min(known, schema.since_version)
    assert {name: [oldest[name]] for name in first} == first
