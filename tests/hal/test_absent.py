"""What a device cannot run is said when a program is made, with sizes that are open too."""

from __future__ import annotations

import numpy as np
import pytest

import nnadapter as nna
from nnir.dim import symbol
from nnir.errors import NoLowering
from nnir.model import Model
from nnir.ops import compare, control, index, shape, special, unary
from nnir.types import Precision, TensorType

OPEN = TensorType(Precision.FLOAT32, (symbol("n"), 3))
LATE = ("litert", "nnapi", "nnrt")
"""Devices that compile for known sizes."""


def branches() -> dict[str, Model]:
    """Two sides, of which one has an operator that no device but torch knows."""
    found = {}
    for name, operator in (("then_model", special.airy_ai), ("else_model", unary.abs_)):
        side = found[name] = Model(name)
        side.outputs = [operator(side.input("x", OPEN))]
    return found


@pytest.mark.parametrize("device", LATE)
def test_an_operator_of_open_sizes(device: str) -> None:
    model = branches()["then_model"]
    with pytest.raises(NoLowering, match="AIRY_AI"):
        nna.compile(model, device=device)


@pytest.mark.parametrize("device", LATE)
def test_an_operator_of_a_branch(device: str) -> None:
    model = Model("branch")
    condition = model.input("condition", TensorType(Precision.BOOL8, ()))
    x = model.input("x", OPEN)
    model.outputs = list(control.if_(condition, x, **branches()))
    with pytest.raises(NoLowering, match="AIRY_AI"):
        nna.compile(model, device=device)


def test_a_branch_that_sizes_leave_out() -> None:
    """Sizes that are known later may leave such an operator out: it is no reason to refuse now."""
    model = Model("branch")
    x = model.input("x", OPEN)
    rows = index.gather(shape.shape(x, dtype=Precision.INT64), np.int64(0), axis=0)
    model.outputs = list(control.if_(compare.greater(rows, 100), x, **branches()))
    for device in LATE:
        nna.compile(model, device=device)
