"""NNRt's assertion."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadFile, DeviceError

from ...case import Case, Limit, f

HOLDS, FAILS = np.array([True, True]), np.array([True, False])

CASES = [
    Case("ASSERT", (HOLDS, f(1, 2)), {"summarize": 3}),
    Case("ASSERT", (np.array(True), f(1), f(2)), {"summarize": 1}, why="several tensors"),
    Case("ASSERT", (np.array([3, 1], np.int32), f(1)), {"summarize": 1}, why="numbers"),
    Case("ASSERT", (FAILS, f(1, 2)), {"summarize": 3}, raises=DeviceError, why="it does not hold"),
    Case("ASSERT", (HOLDS,), raises=BadFile, why="no count"),
]
LIMITS = [
    Limit("ASSERT", "OpenVINO gives 0 for a row that is not there", device="openvino",
          case="it does not hold"),
]  # fmt: skip
