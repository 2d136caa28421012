"""Operators beside what `to_standard` writes for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nnir.check import check, extensions
from nnir.evaluate import evaluate
from nnir.model import Model
from nnir.operator import Operator
from nnir.standard import to_standard
from nnir.types import PRECISIONS, TensorType


def standard(
    operator: Operator[Any],
    arrays: Sequence[np.ndarray],
    level: str = "rounding",
    constants: Sequence[int] = (),
    **attributes: Any,
) -> np.ndarray:
    """What operators of the standard alone compute for a call of `operator`."""
    model = Model()
    values = [
        model.constant(a)
        if k in constants
        else model.input(f"x{k}", TensorType(PRECISIONS[a.dtype], a.shape))
        for k, a in enumerate(arrays)
    ]
    model.outputs = [operator(*values, **attributes)]
    model = to_standard(model, level=level)
    check(model)
    assert extensions(model, "v1.1") == {}
    with np.errstate(all="ignore"):
        (result,) = evaluate(model, [a for k, a in enumerate(arrays) if k not in constants])
    return result


def reference(operator: Operator[Any], arrays: Sequence[np.ndarray], **attributes: Any) -> Any:
    """What the operator itself means."""
    bound = {**operator.attributes, **attributes}
    with np.errstate(all="ignore"):
        return operator.reference(*arrays, **bound)


def ulps(result: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """The distances in units in the last place of the result's type; inf where one is no number
    or infinite and the other is something else."""
    with np.errstate(all="ignore"):
        rounded = expected.astype(result.dtype)
        finite = np.isfinite(rounded) & np.isfinite(result)
        step = np.spacing(np.abs(np.where(finite, rounded, rounded.dtype.type(1))))
        error = np.abs(result.astype(np.float64) - expected) / step.astype(np.float64)
    same = (rounded == result) | (np.isnan(rounded) & np.isnan(result))
    return np.where(finite, error, np.where(same, 0.0, np.inf))


EDGES = np.float32([0, -0.0, 1, -1, 0.5, -0.5, np.inf, -np.inf, np.nan, 3.4e38, -3.4e38, 1e-45])


def floats(count: int, seed: int = 0) -> np.ndarray:
    """FLOAT32 numbers: any bits, more of them around 0, 1 and where formulas meet, and edges."""
    random = np.random.default_rng(seed)
    any_bits = random.integers(0, 2**32, count, dtype=np.uint64).astype(np.uint32).view(np.float32)
    parts = [any_bits, EDGES, np.exp2(np.arange(-149, 128)), 10.0 ** np.arange(-37, 39)]
    for centre in (0, 0.25, 0.5, 1, 2, 4, 10, 16, 64, 88.7, 100, 4096, np.pi / 2, np.pi):
        scale = np.exp2(random.integers(-24, 1, count // 100)) * max(centre, 1)
        around = random.standard_normal(count // 100) * scale
        parts += [centre + around, -centre + around]
    parts += [random.uniform(-size, size, count // 20) for size in (1, 3, 12, 100)]
    return np.concatenate([np.asarray(p, np.float32) for p in parts])
