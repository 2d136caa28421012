"""What became of a model that was quantised."""

from __future__ import annotations

import math
from dataclasses import asdict, field
from typing import TYPE_CHECKING, Any

from nnir.model import Model, Operation
from nnir.records import dataclass

if TYPE_CHECKING:
    from conformance.verifying.verify import Report

INTEGER, FLOAT = "integer", "float"


@dataclass(frozen=True)
class Row:
    """One operation: whether it computes with integers, else why not.

    `sqnr`: the ratio of signal to noise, in dB, that its own rounding leaves where it reads exact
    values; None where it does not round.
    """

    operation: str
    operator: str
    kind: str
    reason: str
    sqnr: float | None


@dataclass(frozen=True)
class Quantized:
    """A model after quantisation, and how it compares with the one before.

    `sqnr` and `agreement` are by the names of outputs: the ratio of signal to noise in dB, and the
    share of rows whose largest element is at the same place (None where there is only one). `sizes`
    are the bytes of weights before and after. `proof` is that of the written file.
    """

    model: Model
    rows: list[Row]
    sqnr: dict[str, float]
    agreement: dict[str, float | None]
    samples: int
    sizes: tuple[int, int]
    device: str
    base: Model
    places: dict[Operation, Row] = field(default_factory=dict)
    proof: Report | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def integer(self) -> list[Row]:
        """The operations that compute with integers."""
        return [r for r in self.rows if r.kind == INTEGER]

    def as_dict(self) -> dict[str, Any]:
        """For JSON, which has no infinity."""
        return {
            "sqnr": {n: _finite(v) for n, v in self.sqnr.items()},
            "agreement": self.agreement,
            "samples": self.samples,
            "device": self.device,
            "bytes": {"before": self.sizes[0], "after": self.sizes[1]},
            "operations": [{**asdict(r), "sqnr": _finite(r.sqnr)} for r in self.rows],
            "notes": self.notes,
        }


def _finite(number: float | None) -> float | None:
    return None if number is None or not math.isfinite(number) else number
