"""How near the outputs of a quantised model are to those of the float one, and how good."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Score:
    """One tool on one model: what it made and what that gives; `error` where it made nothing.

    `sqnr` in dB; `agreement` with the float model's answers and `accuracy` as fractions of `count`
    answers, that is samples, or for texts places in them.
    """

    model: str
    tool: str
    target: str
    sqnr: float = float("nan")
    agreement: float = float("nan")
    accuracy: float = float("nan")
    count: int = 0
    perplexity: float = float("nan")
    size: int = 0
    seconds: float = 0.0
    error: str = ""

    @property
    def is_ours(self) -> bool:
        return self.tool.startswith("ours")

    @property
    def is_peer(self) -> bool:
        return not self.is_ours and self.tool != "float"

    @property
    def interval(self) -> tuple[float, float]:
        """The agreement's 95 % interval, as if each answer were drawn by itself."""
        return wilson(self.agreement, self.count)

    @property
    def fields(self) -> dict[str, Any]:
        return asdict(self)


def sqnr(exact: np.ndarray, rounded: np.ndarray) -> float:
    """The ratio of the signal to its error over all elements, in dB."""
    signal = np.square(exact, dtype=np.float64).sum()
    noise = np.square(exact.astype(np.float64) - rounded).sum()
    return float("inf") if noise == 0 else float(10 * np.log10(signal / noise))


def wilson(share: float, count: int, z: float = 1.96) -> tuple[float, float]:
    """The interval that holds the share of all, of which `count` were drawn; `z` in deviations.

    Source: Wilson, "Probable Inference, the Law of Succession, and Statistical Inference", 1927.
    """
    if not count:
        return 0.0, 1.0
    middle = share + z * z / (2 * count)
    apart = z * math.sqrt(share * (1 - share) / count + (z / (2 * count)) ** 2)
    whole = 1 + z * z / count
    return (middle - apart) / whole, (middle + apart) / whole


def perplexity(logits: np.ndarray, answers: np.ndarray) -> float:
    """e to the mean of how surprising each answer is."""
    shifted = logits.astype(np.float64) - logits.max(axis=-1, keepdims=True)
    whole = np.log(np.exp(shifted).sum(axis=-1))
    chosen = np.take_along_axis(shifted, answers[..., None], axis=-1)[..., 0]
    return float(np.exp((whole - chosen).mean()))


def score(exact: np.ndarray, rounded: np.ndarray, answers: np.ndarray, **row: Any) -> Score:
    """The score of outputs, whose last axis has a number for each possible answer."""
    best = rounded.argmax(axis=-1)
    return Score(
        sqnr=sqnr(exact, rounded),
        agreement=float((best == exact.argmax(axis=-1)).mean()),
        accuracy=float((best == answers).mean()),
        count=best.size,
        perplexity=perplexity(rounded, answers),
        **row,
    )


def size_of(path: Path) -> int:
    """Bytes of a model with the files beside it that belong to it."""
    if path.is_dir():
        return sum(p.stat().st_size for p in path.rglob("*") if p.is_file())
    beside = (path.with_suffix(".bin"), path.with_name(path.name + ".data"))
    return sum(p.stat().st_size for p in (path, *beside) if p.exists())
