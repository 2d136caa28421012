"""Typos to plant: each function puts one into this process, for good unless `patch` undoes it.

What they raise is what Python raises for a slip of the pen, and nothing of ours.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import nnir.passes.fold
from frontends import onnx, paddle, tensorflow, tflite, torch
from frontends.paddle.reading.legacy import reader as legacy_reader
from hal.drivers.litert import compiler as litert
from hal.drivers.onnxruntime import driver as onnxruntime
from hal.drivers.openvino import families as openvino
from hal.drivers.torch import families as torch_families
from nnir.decomposition import Decomposition
from nnir.errors import NoLowering
from nnir.ops import activation, attention, binary

Patch = Callable[..., None]
"""As `setattr`, or as a fixture's that undoes it."""


def no_attribute(g: Any, *operands: Any, **attributes: Any) -> Any:
    """`nod` for `node`."""
    return g.nod("Relu", *operands)


def no_name(*operands: Any, **attributes: Any) -> Any:
    """A variable that does not exist."""
    return opernads  # type: ignore[name-defined]  # noqa: F821


def no_key(*operands: Any, **attributes: Any) -> Any:
    """A key that a dictionary lacks."""
    return {"relu": operands}["rleu"]


def no_place(*operands: Any, **attributes: Any) -> Any:
    """An element beyond the end of a list."""
    return [*operands][len(operands)]


def no_call(*operands: Any, **attributes: Any) -> Any:
    """A call with an argument that a function does not take."""
    return len(operands, attributes)  # type: ignore[call-arg]


def _lowering(patch: Patch, table: Any, operator: Any, typo: Callable[..., Any]) -> None:
    patch(table, "entries", {**table.entries, operator: typo})


def onnxruntime_lowering(patch: Patch = setattr) -> None:
    _lowering(patch, onnxruntime.LOWERINGS, activation.leaky_relu, no_attribute)


def openvino_lowering(patch: Patch = setattr) -> None:
    _lowering(patch, openvino.LOWERINGS, activation.leaky_relu, no_name)


def litert_lowering(patch: Patch = setattr) -> None:
    _lowering(patch, litert.LOWERINGS, activation.leaky_relu, no_key)


def torch_lowering(patch: Patch = setattr) -> None:
    _lowering(patch, torch_families.LOWERINGS, activation.leaky_relu, no_call)


def refusing_lowering(patch: Patch = setattr) -> None:
    """No slip, but as wrong: it refuses what the device can run."""

    def refuse(*operands: Any, **attributes: Any) -> Any:
        raise NoLowering("litert: no")

    _lowering(patch, litert.LOWERINGS, activation.relu, refuse)


def _converter(patch: Patch, frontend: Any, name: str, typo: Callable[..., Any]) -> None:
    found = frontend.TABLE.find(name, 20)
    _ = found.parameters  # of the real function: the typo is inside of it
    patch(found, "function", typo)


def onnx_converter(patch: Patch = setattr) -> None:
    _converter(patch, onnx, "Selu", no_name)


def torch_converter(patch: Patch = setattr) -> None:
    _converter(patch, torch, "aten.elu.default", no_place)


def tensorflow_converter(patch: Patch = setattr) -> None:
    _converter(patch, tensorflow, "Elu", no_key)


def tflite_converter(patch: Patch = setattr) -> None:
    _converter(patch, tflite, "ELU", no_call)


def paddle_converter(patch: Patch = setattr) -> None:
    _converter(patch, paddle, "celu", no_name)


def paddle_legacy_rule(patch: Patch = setattr) -> None:
    patch(legacy_reader, "RULES", {**legacy_reader.RULES, "celu": no_key})


def decomposition(patch: Patch = setattr) -> None:
    patch(attention.linear_attention, "_decompositions", [Decomposition(no_place)])


def type_rule(patch: Patch = setattr) -> None:
    _ = activation.leaky_relu.signature, activation.leaky_relu.hints
    patch(activation.leaky_relu, "rule", no_call)


def reference(patch: Patch = setattr) -> None:
    patch(binary.add, "reference", no_key)


def a_pass(patch: Patch = setattr) -> None:
    patch(nnir.passes.fold, "Folder", no_call)
