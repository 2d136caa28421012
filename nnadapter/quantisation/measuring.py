"""How much of the signal is left: results and operations with integers against real numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from hal.runtime.program import Program
from nnir.model import Model
from nnir.progress import follow
from nnir.quantisation import Twin
from nnir.records import dataclass

from .samples import Sample

EXACT = math.inf
"""The signal to noise ratio of what is equal."""


def ratio_in_decibels(signal: float, noise: float) -> float:
    """10 log10(signal / noise); infinite without noise, and -infinite where that is infinite."""
    if not noise:
        return EXACT
    ratio = signal / noise
    return 10 * math.log10(ratio) if ratio > 0 else -EXACT


@dataclass
class Likeness:
    """How like two results are over all samples: the sums of squares of the first one and of the
    difference of how many elements, and of how many rows both have their largest element at the
    same place."""

    signal: float = 0.0
    noise: float = 0.0
    elements: int = 0
    agreeing: int = 0
    rows: int = 0

    def add(self, wanted: np.ndarray, got: np.ndarray) -> None:
        """Take the results of one run into account."""
        exact = wanted.astype(np.float64)
        away = got.astype(np.float64) - exact
        self.signal += float(np.vdot(exact, exact))
        self.noise += float(np.vdot(away, away))
        self.elements += exact.size
        if wanted.ndim > 1 and wanted.shape[-1] > 1 and wanted.size:
            agrees = wanted.argmax(-1) == got.argmax(-1)
            self.agreeing += int(agrees.sum())
            self.rows += agrees.size

    @property
    def sqnr(self) -> float:
        """The ratio of signal to quantisation noise, in dB."""
        return ratio_in_decibels(self.signal, self.noise)

    @property
    def uncertainty(self) -> float:
        """The standard deviation in dB between two ratios whose noise is as strong, but not the
        same: a sum of n squares of normal numbers is known to sqrt(2 / n) of it."""
        return 10 / math.log(10) * math.sqrt(4 / max(self.elements, 1))

    @property
    def agreement(self) -> float | None:
        """The share of rows whose largest element is at the same place; None without rows."""
        return self.agreeing / self.rows if self.rows else None


Results = Sequence[Sequence[np.ndarray]]
"""The results of each call."""


def run_samples(model: Model, samples: Sequence[Sample], device: str) -> Results:
    """What a model gives for each sample."""
    with Program(model, device) as program:
        return [program(*sample) for sample in follow(samples, "measuring")]


def compare_results(names: Sequence[str], wanted: Results, got: Results) -> dict[str, Likeness]:
    """How like the results are, by the names of the outputs; only real numbers are compared."""
    found: dict[str, Likeness] = {}
    for place, name in enumerate(names):
        likeness = Likeness()
        for first, second in zip(wanted, got, strict=True):
            if first[place].dtype.kind == "f":
                likeness.add(first[place], second[place])
                found[name] = likeness
    return found


def measure_twins(
    model: Model, twins: Sequence[Twin], samples: Sequence[Sample], device: str
) -> list[float]:
    """The ratio of signal to noise of each twin over all samples, in dB.

    The outputs of the model are replaced by what the twins say.
    """
    if not twins:
        return []
    model.output_names = []
    model.outputs = [v for t in twins for v in (t.signal, t.noise)]
    sums = np.zeros(len(model.outputs))
    with Program(model, device) as program:
        for sample in follow(samples, "measuring each operation"):
            sums += [float(r) for r in program(*sample)]
    pairs = sums.reshape(-1, 2)
    return [ratio_in_decibels(signal, noise) for signal, noise in pairs.tolist()]


def least(likenesses: Mapping[str, Likeness]) -> float:
    """The worst ratio of all outputs."""
    return min((one.sqnr for one in likenesses.values()), default=EXACT)
