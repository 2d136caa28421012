"""What a device cannot run is said when a program is made, with sizes that are open too."""

from __future__ import annotations

import numpy as np
import pytest

import nnadapter as nna
from nnir.dim import symbol
from nnir.errors import NoLowering
from nnir.model import Model
from nnir.ops import control, shape, special, unary
from nnir.types import Precision, TensorType

OPEN = TensorType(Precision.FLOAT32, (symbol("n"), 3))
BOOL = TensorType(Precision.BOOL8, ())
LATE = ("litert", "nnapi", "nnrt")
"""Devices that compile for known sizes."""


def of_airy() -> Model:
    body = Model("airy")
    body.outputs.append(special.airy_ai(body.input("x", OPEN)))
    return body


def of_copy() -> Model:
    body = Model("copy")
    body.outputs.append(unary.assign(body.input("x", OPEN)))
    return body


@pytest.mark.parametrize("device", LATE)
def test_an_operator_of_open_sizes(device: str) -> None:
    with pytest.raises(NoLowering, match="AIRY_AI"):
        nna.compile(of_airy(), device=device)


@pytest.mark.parametrize("device", LATE)
def test_an_operator_of_a_branch(device: str) -> None:
    model = Model("branch")
    condition, x = model.input("c", BOOL), model.input("x", OPEN)
    model.outputs.append(
        control.if_(condition, x, then_branch=of_airy(), else_branch=of_copy())[0]
    )
    with pytest.raises(NoLowering, match="AIRY_AI"):
        nna.compile(model, device=device)


def test_a_branch_that_sizes_leave_out() -> None:
    model = Model("branch")
    x = model.input("x", OPEN)
    rows = shape.shape(x, dtype=Precision.INT64)
    condition = shape.reshape(rows[0:1] > 100, []) if hasattr(rows, "__getitem__") else None
    if condition is None:
        pytest.skip("values are not indexed")
    model.outputs.append(
        control.if_(condition, x, then_branch=of_airy(), else_branch=of_copy())[0]
    )
    found = nna.compile(model, device="litert")(np.ones((2, 3), np.float32))
    np.testing.assert_array_equal(found[0], np.ones((2, 3)))
