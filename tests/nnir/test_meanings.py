"""Every attribute says what it means, every operator where it is from."""

from __future__ import annotations

import pytest

from nnir.ops import OPERATORS
from nnir.ops.meanings import ATTRIBUTES, meaning_of, source_of
from nnir.types import PadMode, Precision


@pytest.mark.parametrize("name", OPERATORS)
def test_attributes_and_sources(name: str) -> None:
    operator = OPERATORS[name]
    assert source_of(operator)
    for attribute, kind in operator.enums.items():
        names = [member.name for member in kind]
        if kind not in (Precision, PadMode):  # types are listed elsewhere, modes are not all taken
            said = meaning_of(operator, attribute)
            assert [n for n in names if n != "NONE" and n not in said] == [], (
                f"{attribute} of {name}"
            )
    assert all(len(meaning_of(operator, a)) > 5 for a in operator.attributes)


def test_no_meaning_is_left_over() -> None:
    used = set()
    for operator in OPERATORS.values():
        for attribute in operator.attributes:
            own = f"{operator.name}.{attribute}"
            used.add(own if own in ATTRIBUTES else attribute)
    assert sorted(ATTRIBUTES) == sorted(used)


def test_the_names_of_onnx_and_scipy_exist() -> None:
    schemas = pytest.importorskip("onnx.defs")
    special = pytest.importorskip("scipy.special")
    for operator in OPERATORS.values():
        kind, _, name = source_of(operator).partition(" ")
        if kind == "scipy.special's":
            assert hasattr(special, name), name
        if kind == "ONNX":
            domain, _, plain = (
                name.rpartition(" ") if name.startswith("ai.onnx.ml") else ("", "", name)
            )
            assert schemas.has(plain.partition(" ")[0], domain), name
