"""Every case of conformance in the operators of the standard: the same elements, or rounded ones.

The references run both: what is asked here is whether the decompositions mean what the operators
mean, for all operands that the frontends give them.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

import numpy as np
import pytest

from conformance.engines.engine import Answer
from nnir.check import all_operations, check, extensions
from nnir.decomposition import Level
from nnir.errors import NNAdapterError
from nnir.evaluate import evaluate
from nnir.model import Model
from nnir.standard import to_standard

FRONTENDS = ("onnx", "torch", "tensorflow", "paddle")
"""Those whose cases are converted without asking the framework."""

SPREAD = {1: 0.1, 2: 2e-2, 4: 2e-5, 8: 2e-5, 16: 1e-9}
"""Largest error of a float of so many bytes, relative to the largest element;
of 8 there are complex ones too."""

INFINITIES = ("fft_irfft.default-float32-infinite",)
"""Cases whose infinities a sum of products makes NaN."""


def models(frontend: str) -> Iterator[tuple[str, Model, list[np.ndarray]]]:
    """The cases with operators beyond the standard, and what goes in."""
    cases = import_module(f"conformance.cases.{frontend}").CASES
    engine = import_module(f"conformance.engines.{frontend}").ENGINE
    for case in cases:
        try:
            model = engine.model(case, Answer([], made=case.outputs))
        except NNAdapterError:
            continue  # a case of what is refused
        is_random = any(o.operator.is_random for o in all_operations(model))
        if extensions(model, "v1.1") and not is_random:
            yield str(case), model, engine.inputs(case, model)


def error(got: np.ndarray, want: np.ndarray) -> float:
    """The largest difference relative to the largest element; 0 where both are the same."""
    if want.dtype.kind in "biu":
        return 0.0 if np.array_equal(got, want) else np.inf
    wide = np.complex128 if want.dtype.kind == "c" else np.float64
    a, b = got.astype(wide), want.astype(wide)
    with np.errstate(all="ignore"):
        same = (a == b) | ((a != a) & (b != b))
        finite = np.where(np.isfinite(b), np.abs(b), 0)
        apart = np.abs(a - b) / max(float(finite.max(initial=0)), 1e-6)
    return float(np.where(same, 0, np.where(np.isfinite(apart), apart, np.inf)).max(initial=0))


@pytest.mark.parametrize("frontend", FRONTENDS)
@pytest.mark.long
def test_cases(frontend: str) -> None:
    wrong, tried = [], 0
    for name, model, arrays in models(frontend):
        try:
            want = evaluate(model, arrays)
        except NNAdapterError:
            continue  # a case that fails at run time
        for level in (Level.EXACT, Level.UNROLLED):
            result = to_standard(model, level=level, partial=True)
            check(result)
            if str(result) == str(model):
                continue
            tried += 1
            for a, b in zip(evaluate(result, arrays), want, strict=True):
                is_float = b.dtype.kind not in "biu"
                limit = SPREAD[b.itemsize] if is_float and level != Level.EXACT else 0
                if a.dtype != b.dtype or a.shape != b.shape or error(a, b) > limit:
                    wrong.append(f"{name} at {level}")
    assert tried > 50
    assert [w for w in wrong if not any(i in w for i in INFINITIES)] == []
