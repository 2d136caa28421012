"""Random numbers on devices: others in each call, and independent of each other."""

from __future__ import annotations

import numpy as np
import pytest

import nnadapter as nna
from nnir.model import Model
from nnir.ops import random

MANY = 2000


@pytest.mark.parametrize("device", ["builtin", "onnxruntime", "openvino", "litert", "torch"])
def test_each_call_draws_other_numbers(device: str) -> None:
    model = Model("draws")
    sizes = model.constant(np.array([MANY], np.int64))
    numbers = random.random_uniform(sizes)
    first, second = (random.random_normal(sizes) for _ in range(2))
    model.outputs = [numbers, 1 - numbers, numbers * -2, first, second]
    with nna.compile(model, device=device) as program:
        earlier, later = program(), program()
    for before, after in zip(earlier, later, strict=True):
        assert np.mean(before == after) < 0.01
    plain, rest, scaled, *normal = later
    np.testing.assert_allclose(rest, 1 - plain, rtol=0, atol=1e-6)
    np.testing.assert_array_equal(scaled, plain * -2)
    dependence = np.corrcoef(np.abs(normal))[0, 1]
    assert abs(dependence) < 5 / np.sqrt(MANY)
