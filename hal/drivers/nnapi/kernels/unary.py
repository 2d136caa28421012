"""Functions of single numbers."""

from __future__ import annotations

import numpy as np

from .call import Call, Kernel, Results


def floor(call: Call) -> Results:
    return [np.floor(call.array())]


KERNELS: dict[str, Kernel] = {"FLOOR": floor}
