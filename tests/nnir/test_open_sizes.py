"""Weights of open sizes are what an operation wants when it runs, or it fails."""

from __future__ import annotations

import numpy as np
import pytest

import nnadapter as nna
from nnir.dim import Dim, symbol
from nnir.errors import DeviceError, Unsupported
from nnir.model import Model
from nnir.recipes.nnrt.open_sizes import with_sizes
from nnir.types import Precision, TensorType

A, B = symbol("a"), symbol("b")


def model_of(*dims: Dim) -> Model:
    model = Model("m")
    x = model.input("x", TensorType(Precision.FLOAT32, dims))
    model.outputs = [with_sizes(x, (2, 3), [2, 3])]
    return model


@pytest.mark.parametrize("dims", [(A, 3), (2, B), (A, B)], ids=str)
def test_other_sizes_fail(dims: tuple[Dim, ...]) -> None:
    run = nna.compile(model_of(*dims))
    whole = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_array_equal(run(whole)[0], whole)
    for shape in ((3, 2), (1, 6), (6, 1), (1, 3), (2, 1), (4, 3), (2, 6), (0, 3)):
        if all(not isinstance(d, int) or d == n for d, n in zip(dims, shape, strict=True)):
            with pytest.raises(DeviceError):
                run(np.ones(shape, np.float32))


def test_what_cannot_be_told_is_refused() -> None:
    model = Model("m")
    x = model.input("x", TensorType(Precision.FLOAT32, (A, B)))
    with pytest.raises(Unsupported, match="of which several sizes are to be"):
        with_sizes(x, (2, symbol("c")), [2, 3])
