"""PyTorch's operator samples (OpInfo): exported, converted, run and compared."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from frontends import torch as frontend
from hal.runtime.program import Program
from nnir.errors import FAILURES, DeviceError, Unsupported
from nnir.passes import CLEAN, apply

from ..case import Tolerance
from ..compare import compare
from ..engine import Outcome
from ..judge import Verdict, failure
from ..oracle import Oracle
from ..result import PASS, WRONG

WORKER = "conformance.oracles.opinfo"
DTYPES = ("float32", "float64", "float16", "bfloat16", "int64", "bool")
SAMPLES = 5
CLOSE: dict[str, tuple[float, float]] = {
    "float64": (1e-7, 1e-7),
    "complex128": (1e-7, 1e-7),
    "float32": (1.3e-6, 1e-5),
    "complex64": (1.3e-6, 1e-5),
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
}
"""The relative and absolute tolerances of torch.testing.assert_close."""

ALLOWED = 10
"""So many times that: sums in another order, and other approximations of a function."""

LEFT_OUT = re.compile(
    r"_loss\b|cross_entropy|kl_div|loss$|bernoulli|^normal|^rand|uniform|cauchy|exponential|"
    r"geometric|log_normal|multinomial|^empty|new_empty|dropout|backward|/grad|grad_oriented|"
    r"subgradients|^zero_$|^resize_|sparse|^torch\.ops|^masked\.|^__r|jiterator|triton|"
    r"^item$|^equal$|^allclose$|^broadcast_shapes$|_scaled_mm"
)
"""Losses and what trains, random numbers, storage, sparse tensors, and results without a tensor."""

UP_TO_SIGN = re.compile(r"(^|[._])(eig|eigh|svd|qr|geqrf|pca_lowrank|svd_lowrank)\b")
"""Factors that are only determined up to a sign or a phase: their magnitudes are compared."""


@dataclass(frozen=True)
class Sample:
    """What became of one sample."""

    op: str
    dtype: str
    sample: int
    verdict: str
    reason: str = ""


def names(oracle: Oracle) -> list[str]:
    """Every operator of PyTorch's list, in its order."""
    (text,) = oracle.ask({"list": True}, [])
    return text.tobytes().decode().split("\n")


def results(
    oracle: Oracle,
    device: str = "builtin",
    dtypes: Sequence[str] = ("float32",),
    match: str = "",
    samples: int = SAMPLES,
    part: tuple[int, int] = (0, 1),
    **options: Any,
) -> Iterator[Sample]:
    """Run every sample that can be exported and has a result to compare.

    `match`: a regular expression on the operators; `part` (k, n): only every n-th of them, from k.
    """
    for index, op in enumerate(names(oracle)):
        if LEFT_OUT.search(op) or not re.search(match, op) or index % part[1] != part[0]:
            continue
        for dtype in dtypes:
            for sample in range(samples):
                head = {"index": index, "dtype": dtype, "sample": sample, **options}
                arrays = asked(oracle, head)
                if arrays is None:
                    break
                if arrays:
                    found = verdict(op, device, arrays)
                    yield Sample(op, dtype, sample, found.verdict, found.reason)


def asked(oracle: Oracle, head: dict[str, Any]) -> list[np.ndarray] | None:
    """A sample; empty where it has nothing to compare, None where there are no more."""
    try:
        arrays = oracle.ask(head, [])
    except (DeviceError, Unsupported):  # PyTorch's own function crashes, hangs or fails
        return []
    return None if len(arrays) == 1 else arrays


def verdict(op: str, device: str, arrays: Sequence[np.ndarray]) -> Verdict:
    """The verdict on a sample."""
    (count,) = arrays[0]
    inputs, want = list(arrays[2 : 2 + count]), list(arrays[2 + count :])
    try:
        model = frontend.load(arrays[1].tobytes())
        apply(model, CLEAN)
        with Program(model, device) as program:
            got = program(*inputs)
    except FAILURES as error:
        return failure(error)
    if len(got) != len(want):
        return Verdict(WRONG, f"{len(got)} results, not {len(want)}")
    if UP_TO_SIGN.search(op):
        got, want = [_magnitude(a) for a in got], [_magnitude(a) for a in want]
    pairs = zip(got, want, strict=True)
    differences = [compare(mine, theirs, _tolerance(theirs.dtype)) for mine, theirs in pairs]
    outcome = Outcome(got, want, differences)
    wrong = ((k, d.problem) for k, d in enumerate(differences) if d.problem is not None)
    problem = next((f"result {k}: {text}" for k, text in wrong), None)
    return Verdict(PASS if problem is None else WRONG, problem or "", outcome)


def _tolerance(dtype: np.dtype) -> Tolerance:
    relative, absolute = CLOSE.get(dtype.name, (0.0, 0.0))
    return Tolerance(ALLOWED * relative, ALLOWED * absolute)


def _magnitude(array: np.ndarray) -> np.ndarray:
    return np.abs(array) if array.dtype.kind in "fc" else array
