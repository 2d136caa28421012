"""Positions that the OpenVINO driver computes in a graph."""

from __future__ import annotations

import numpy as np
import openvino
import pytest

from hal.drivers.openvino.driver import LOWERINGS
from hal.drivers.openvino.emitter import Emitter, Ref
from hal.drivers.openvino.integers import divide_truncating

BIG = 1 << 31


@pytest.mark.parametrize("most", [5, 1000, 1 << 22])
def test_quotients_are_rounded_toward_zero_exactly(most: int) -> None:
    """Wherever they lie close to a whole number, which float32 cannot tell."""
    rng = np.random.default_rng(0)
    by = rng.integers(1, BIG // most, 2000)
    whole = rng.integers(-most, most, 2000)
    near = [whole * by + step for step in (-1, 0, 1)]
    given = np.clip(np.concatenate(near), -BIG + 1, BIG - 1).astype(np.int32)
    divisors = np.tile(by, 3).astype(np.int32)
    g = Emitter(LOWERINGS, openvino)
    ends = [openvino.opset13.parameter([-1], np.int32) for _ in range(2)]
    found = divide_truncating(g, *(Ref(e.output(0), g) for e in ends))
    model = openvino.Model([found.output], ends)
    compiled = openvino.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    assert np.array_equal(compiled([given, divisors])[0], np.sign(given) * (abs(given) // divisors))
