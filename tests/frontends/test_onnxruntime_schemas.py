"""A converter of ONNX Runtime's own operators has its signature: inputs, attributes, defaults."""

from __future__ import annotations

import inspect
from typing import Any

import onnx
import pytest
from onnx import helper
from onnxruntime.capi import onnxruntime_pybind11_state as runtime

from frontends.onnx import TABLE
from frontends.onnx.translator import HINTS
from nnir.operator import Operator

from .test_onnx_schemas import OWN_OF_RUNTIME, parameters, same

SCHEMAS = {
    f"{s.domain}::{s.name}" if s.domain else s.name: s
    for s in runtime.get_all_operator_schema()
    if s.domain == "com.microsoft" or s.name in OWN_OF_RUNTIME
}
NAMES = [n for n in TABLE.entries if n.startswith("com.microsoft::") or n in OWN_OF_RUNTIME]
STATED = {
    ("com.microsoft::DequantizeLinear", "axis"): 1,
    ("com.microsoft::QuantizeLinear", "axis"): 1,
    ("com.microsoft::Attention", "mask_filter_value"): -10000.0,
    ("com.microsoft::MultiHeadAttention", "mask_filter_value"): -10000.0,
    ("com.microsoft::DecoderMaskedMultiHeadAttention", "mask_filter_value"): -10000.0,
    ("com.microsoft::RotaryEmbedding", "scale"): 1.0,
}
"""Defaults that only the documentation of an attribute says, or that ONNX's operator has."""
NEEDED = {("com.microsoft::FusedGemm", "activation")}
"""What the schema may leave out, and the kernel does not."""
CHECKED = {(f"com.microsoft::{op}", "kernel_shape") for op in ("NhwcMaxPool", "QLinearAveragePool")}
"""What the schema needs, and windows of all kinds look at themselves."""
OFF = (None, 0, (), "")
"""What a converter may have where the schema has no default."""


def default_of(attribute: Any) -> Any:
    """The default that a schema says; None without one."""
    data = onnx.AttributeProto.FromString(attribute._default_value)
    return helper.get_attribute_value(data) if data.name else None


@pytest.mark.parametrize("name", NAMES)
def test_attributes(name: str) -> None:
    ((since, converter),) = TABLE.entries[name].items()
    mine = parameters(converter, inspect.Parameter.KEYWORD_ONLY)
    theirs = SCHEMAS[name].attributes
    assert since == SCHEMAS[name].since_version
    assert set(mine) == set(theirs) - {HINTS.get(name)}
    for key, parameter in mine.items():
        stated = STATED.get((name, key), default_of(theirs[key]))
        is_needed = (theirs[key].required and (name, key) not in CHECKED) or (name, key) in NEEDED
        assert is_needed == (parameter.default is inspect.Parameter.empty), key
        if not is_needed:
            assert parameter.default in OFF if stated is None else same(parameter.default, stated)


@pytest.mark.parametrize("name", NAMES)
def test_inputs(name: str) -> None:
    (converter,) = TABLE.entries[name].values()
    mine = parameters(converter, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    theirs = [i for i in SCHEMAS[name].inputs if i.option.name != "Variadic"]
    if not isinstance(converter.function, Operator):  # an operator binds by position
        assert [n.lower() for n in mine] == [i.name.lower() for i in theirs]
    needed = [k for k, i in enumerate(theirs, 1) if i.option.name == "Single"]
    assert converter.required <= max(needed, default=0)
    assert (converter.variadic is not None) == (len(theirs) < len(SCHEMAS[name].inputs))
