"""PyTorch's operator samples (OpInfo): exported, converted, run and compared."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from frontends import torch as frontend
from hal.runtime.program import Program
from nnir.errors import FAILURES, summary
from nnir.passes import CLEAN, apply

from ..case import Tolerance
from ..engines.engine import Outcome
from ..judging.compare import compare, first_problem
from ..judging.judge import Verdict, failure
from ..judging.result import PASS, SKIP, WRONG
from ..oracles.oracle import Oracle, Refused
from ..processes.worker import Lost

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


NO_SAMPLE = "the sample cannot be exported, or has no result that is a tensor and not random"

Asked = list[np.ndarray] | Verdict | None
"""A sample, or why it says nothing; None where there are no more."""


@dataclass(frozen=True)
class Judged:
    """What became of one sample, and what was put in."""

    verdict: Verdict
    inputs: list[np.ndarray] = field(default_factory=list)
    seconds: float = 0.0


@dataclass(frozen=True)
class Sample:
    """What became of one sample, in words."""

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
    """What becomes of every sample; one that has nothing to compare is skipped with the reason.

    `match`: a regular expression on the operators; `part` (k, n): only every n-th of them, from k.
    """
    for index, op in chosen_operators(oracle, match, part):
        for dtype in dtypes:
            head = {"index": index, "dtype": dtype, **options}
            found = (ask_sample(oracle, {**head, "sample": k}) for k in range(samples))
            for number, one in enumerate(judge_samples(op, device, found)):
                yield Sample(op, dtype, number, one.verdict.verdict, one.verdict.reason)


def chosen_operators(
    oracle: Oracle, match: str = "", part: tuple[int, int] = (0, 1)
) -> Iterator[tuple[int, str]]:
    """The operators that are tried, with their places in PyTorch's list."""
    for index, op in enumerate(names(oracle)):
        if not LEFT_OUT.search(op) and re.search(match, op) and index % part[1] == part[0]:
            yield index, op


def ask_sample(oracle: Oracle, head: dict[str, Any]) -> Asked:
    """A sample. Where PyTorch itself dies or hangs over it, that is the verdict."""
    try:
        arrays = oracle.ask(head, [])
    except Lost as lost:
        return Verdict(lost.kind, summary(lost))
    except Refused as refused:
        return Verdict(SKIP, summary(refused))
    if not arrays:
        return Verdict(SKIP, NO_SAMPLE)
    return None if len(arrays) == 1 else arrays


def judge_samples(op: str, device: str, samples: Iterable[Asked]) -> Iterator[Judged]:
    """What becomes of the samples of an operator, until there are no more."""
    for sample in samples:
        if sample is None:
            return
        if isinstance(sample, Verdict):
            yield Judged(sample)
        else:
            started = time.perf_counter()
            found = verdict(op, device, sample)
            inputs = sample[2 : 2 + int(sample[0][0])]
            yield Judged(found, inputs, time.perf_counter() - started)


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
    return compare_results(op, got, want)


def compare_results(op: str, got: Sequence[np.ndarray], want: Sequence[np.ndarray]) -> Verdict:
    """The verdict on the results of a sample."""
    if len(got) != len(want):
        return Verdict(WRONG, f"{len(got)} results, not {len(want)}")
    if UP_TO_SIGN.search(op):
        got, want = [_magnitude(a) for a in got], [_magnitude(a) for a in want]
    pairs = zip(got, want, strict=True)
    differences = [compare(mine, theirs, _tolerance(theirs.dtype)) for mine, theirs in pairs]
    problem = first_problem(differences)
    outcome = Outcome(list(got), list(want), differences, problem)
    return Verdict(PASS if problem is None else WRONG, problem or "", outcome)


def _tolerance(dtype: np.dtype) -> Tolerance:
    relative, absolute = CLOSE.get(dtype.name, (0.0, 0.0))
    return Tolerance(ALLOWED * relative, ALLOWED * absolute)


def _magnitude(array: np.ndarray) -> np.ndarray:
    return np.abs(array) if array.dtype.kind in "fc" else array
