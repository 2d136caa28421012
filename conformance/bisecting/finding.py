"""What bisect finds, and what it looked at."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nnir.model import Model, Operation

from ..judging.compare import Difference
from ..judging.result import LARGEST

CONVERSION, DEVICE, CONSTANT, TOGETHER = "conversion", "device", "constant", "together"
SOMEWHERE = "somewhere"
KINDS = {
    CONVERSION: "the model differs from its origin: the standard's reference gives something else",
    DEVICE: "the device differs from the standard's reference",
    CONSTANT: "a value that was computed while loading differs from the origin's",
    TOGETHER: "every operation agrees by itself, but not all together",
    SOMEWHERE: "the device agrees with the reference, the whole model not with its origin, whose "
    "inner values cannot be asked for",
}
Arrays = list[np.ndarray]


@dataclass(frozen=True)
class Finding:
    """What is wrong and what shows it: a model of the operation, its inputs and both results.

    `operation` is its name in the standard, `origin` the node of the source that it came from,
    `value` the name of the output that differs.
    """

    kind: str
    operation: str
    origin: str
    value: str
    device: str
    reason: str
    position: int
    total: int
    difference: Difference
    properties: str = ""
    model: Model | None = None
    inputs: Arrays = field(default_factory=list)
    want: Arrays = field(default_factory=list)
    got: Arrays = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """For JSON; what is not finite, which JSON lacks, is the largest float."""
        names = ("kind", "operation", "origin", "value", "device", "properties", "reason")
        worst = self.difference
        numbers = {"max_absolute": worst.max_absolute, "max_ulp": worst.max_ulp}
        return {
            **{n: getattr(self, n) for n in names},
            "position": self.position,
            "total": self.total,
            **{n: x if math.isfinite(x) else LARGEST for n, x in numbers.items()},
            "index": None if worst.index is None else list(worst.index),
        }


@dataclass(frozen=True)
class Bisection:
    """What was looked at: `known` of `total` operations were compared with the origin's values.

    `finding` is None where everything agrees. `note` says what could not be done, and why.
    `differences` are the largest of each operation of `model` that was compared, with the origin or
    of the device with the reference.
    """

    finding: Finding | None
    known: int
    total: int
    note: str = ""
    model: Model | None = None
    differences: Mapping[Operation, Difference] = field(default_factory=dict)

    @property
    def agrees(self) -> bool:
        return self.finding is None

    def __bool__(self) -> bool:
        return self.agrees
