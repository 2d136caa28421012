"""Legacy operators that Paddle 3 cannot run: against others of which they are made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conformance.case import rand
from frontends.paddle import load
from hal.runtime.program import Program

from .paddle_legacy_bytes import Op, around, program, variable

IMAGE = rand(1, 2, 3, 4)
INT64 = 3


def made(folder: Path, op: Op, x: np.ndarray, kind: int = 5) -> np.ndarray:
    """What an operator makes of an input."""
    path = folder / "model.pdmodel"
    variables = [variable("x", [-1, *x.shape[1:]], kind=kind)]
    path.write_bytes(program(around(op), variables=variables))
    (found,) = Program(load(path), "builtin")(x)
    return found


@pytest.mark.parametrize("mode", ["constant", "reflect", "edge"])
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
def test_pad2d(mode: str, layout: str, tmp_path: Path) -> None:
    """[top, bottom, left, right]; the modes are those of NumPy."""
    attributes = {"paddings": [1, 2, 0, 1], "mode": mode, "data_format": layout}
    if mode == "constant":
        attributes["pad_value"] = 1.5
    op = Op("pad2d", {"X": ["x"]}, {"Out": ["y"]}, attributes)
    pairs = [(1, 2), (0, 1)]
    x = IMAGE if layout == "NCHW" else IMAGE.transpose(0, 2, 3, 1).copy()
    around = [(0, 0), (0, 0), *pairs] if layout == "NCHW" else [(0, 0), *pairs, (0, 0)]
    more: dict[str, Any] = {"constant_values": 1.5} if mode == "constant" else {}
    np.testing.assert_array_equal(made(tmp_path, op, x), np.pad(x, around, mode, **more))


def test_one_hot(tmp_path: Path) -> None:
    """The first version drops the last axis of the numbers."""
    op = Op("one_hot", {"X": ["x"]}, {"Out": ["y"]}, {"depth": 4, "dtype": 5})
    found = made(tmp_path, op, np.array([[1], [3]]), INT64)
    np.testing.assert_array_equal(found, np.eye(4, dtype=np.float32)[[1, 3]])
