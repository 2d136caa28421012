"""Every operator of the standard is here, with its code, operands, order and defaults."""

from __future__ import annotations

import inspect
import json
from enum import IntEnum
from pathlib import Path
from typing import Any

import pytest

from nnir import types
from nnir.ops import OPERATORS

STANDARD = json.loads((Path(__file__).parents[1] / "data" / "standard_operators.json").read_text())
CODES = Path(__file__).parents[1] / "data" / "extension_codes.json"
ROWS = {row["name"]: row for row in STANDARD["operators"]}
ENUMS = {
    "precision_codes": types.Precision,
    "layout_codes": types.Layout,
    "lifetime_codes": types.Lifetime,
    "auto_pad_codes": types.AutoPad,
    "device_codes": types.DeviceType,
    "pad_modes": types.PadMode,
    "interpolate_modes": types.InterpolateMode,
}
RUN_TIME_DEFAULTS = {("PAD", "value"), ("SLICE", "steps"), ("CUM_SUM", "axis"), ("EXPAND", "shape")}
"""Tensors whose default is a constant: absent means that constant, in the signature None."""


def test_all_96_are_there() -> None:
    assert len(ROWS) == 96
    assert set(ROWS) <= set(OPERATORS)


@pytest.mark.parametrize("name", ROWS)
def test_code_and_version(name: str) -> None:
    operator = OPERATORS[name]
    assert operator.code == ROWS[name]["code"]
    assert operator.since == ROWS[name]["since"]


@pytest.mark.parametrize("name", ROWS)
def test_operands_have_the_names_and_order_of_the_standard(name: str) -> None:
    assert list(OPERATORS[name].operands) == [i["name"] for i in ROWS[name]["inputs"]]
    assert set(OPERATORS[name].operands) == set(OPERATORS[name].signature.parameters)


@pytest.mark.parametrize("name", ROWS)
def test_defaults_are_the_standards(name: str) -> None:
    parameters = OPERATORS[name].signature.parameters
    for row in ROWS[name]["inputs"]:
        mine = parameters[row["name"]].default
        if row["variadic"]:
            continue
        if "default" in row and (name, row["name"]) not in RUN_TIME_DEFAULTS:
            assert _plain(mine) == _default(row), row["name"]
        elif row.get("optional"):
            hint = str(parameters[row["name"]].annotation)
            assert mine is None or "None" in hint, row["name"]
        elif (name, row["name"]) not in RUN_TIME_DEFAULTS:
            assert mine is inspect.Parameter.empty, row["name"]


def _default(row: dict[str, Any]) -> Any:
    default = row["default"]
    return tuple(default) if isinstance(default, list) else default


def _plain(value: Any) -> Any:
    return int(value) if isinstance(value, IntEnum) else value


@pytest.mark.parametrize("name", OPERATORS)
def test_extensions_have_codes_of_their_own(name: str) -> None:
    assert (OPERATORS[name].code >= 1000) == (name not in ROWS)


def test_codes_of_extensions_stay() -> None:
    """Devices in C know operators by their codes alone."""
    known: dict[str, int] = json.loads(CODES.read_text())
    assert {name: OPERATORS[name].code for name in known} == known


@pytest.mark.parametrize("name", ENUMS)
def test_enums_have_the_standards_codes(name: str) -> None:
    mine = {k.name: k.value for k in ENUMS[name] if k.value < 1000}
    theirs = {k.removeprefix("AUTO_PAD_"): v for k, v in STANDARD["enums"][name].items()}
    assert mine == theirs


def test_fuse_codes() -> None:
    codes = {f"FUSED_{k.name}": k.value for k in types.Fuse}
    assert codes == STANDARD["enums"]["fuse_codes"]
