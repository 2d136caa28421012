"""PyTorch's operator samples (OpInfo) as cases: exported, converted, run and compared.

python -m conformance.suites.opinfo [--device builtin] [--dtype float32] [--match REGEX]
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from frontends import torch as frontend
from hal.runtime.program import Program
from nnir.errors import FAILURES, DeviceError, NNAdapterError, Unsupported, summary, told
from nnir.passes import CLEAN, apply

from ..case import Tolerance
from ..compare import compare
from ..oracle import Oracle

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
class Result:
    """What became of one sample: pass, wrong, or the name of the error."""

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
) -> Iterator[Result]:
    """Run every sample that can be exported and has a result to compare.

    `match`: a regular expression on the operators; `part` (k, n): only every n-th of them, from k.
    """
    for index, op in enumerate(names(oracle)):
        if LEFT_OUT.search(op) or not re.search(match, op) or index % part[1] != part[0]:
            continue
        for dtype in dtypes:
            for sample in range(samples):
                head = {"index": index, "dtype": dtype, "sample": sample, **options}
                arrays = _asked(oracle, head)
                if arrays is None:
                    break
                if arrays:
                    yield Result(op, dtype, sample, *judged(op, device, arrays))


def _asked(oracle: Oracle, head: dict[str, Any]) -> list[np.ndarray] | None:
    """A sample; empty where it has nothing to compare, None where there are no more."""
    try:
        arrays = oracle.ask(head, [])
    except (DeviceError, Unsupported):  # PyTorch's own function crashes, hangs or fails
        return []
    return None if len(arrays) == 1 else arrays


def judged(op: str, device: str, arrays: Sequence[np.ndarray]) -> tuple[str, str]:
    """The verdict on a sample and why."""
    (count,) = arrays[0]
    inputs, want = arrays[2 : 2 + count], arrays[2 + count :]
    try:
        model = frontend.load(arrays[1].tobytes())
        apply(model, CLEAN)
        got = Program(model, device)(*inputs)
    except NNAdapterError as error:
        return type(error).__name__, summary(error)
    except FAILURES as error:  # a bug: errors are to be ours
        return "crash", told(error)
    if len(got) != len(want):
        return "wrong", f"{len(got)} results, not {len(want)}"
    for position, (mine, theirs) in enumerate(zip(got, want, strict=True)):
        relative, absolute = CLOSE.get(theirs.dtype.name, (0.0, 0.0))
        tolerance = Tolerance(ALLOWED * relative, ALLOWED * absolute)
        if UP_TO_SIGN.search(op) and theirs.dtype.kind in "fc":
            mine, theirs = np.abs(mine), np.abs(theirs)
        difference = compare(mine, theirs, tolerance)
        if difference.problem is not None:
            return "wrong", f"result {position}: {difference.problem}"
    return "pass", ""


def main() -> int:
    """Print what does not pass, and counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="builtin")
    parser.add_argument("--dtype", action="append", choices=DTYPES)
    parser.add_argument("--match", default="")
    parser.add_argument("--samples", type=int, default=SAMPLES)
    parser.add_argument("--special", type=int, default=0, help="a seed: NaN and other edges")
    parser.add_argument("--dynamic", action="store_true", help="export with open sizes")
    given = parser.parse_args()
    options = {"special": given.special, "dynamic": given.dynamic}
    dtypes = given.dtype or ("float32",)
    verdicts: dict[str, set[str]] = {}
    counts: Counter[str] = Counter()
    with Oracle(WORKER, timeout=120) as oracle:
        for found in results(oracle, given.device, dtypes, given.match, given.samples, **options):
            verdicts.setdefault(found.op, set()).add(found.verdict)
            counts[found.verdict] += 1
            if found.verdict != "pass":
                where = f"{found.op} {found.dtype} sample {found.sample}"
                sys.stdout.write(f"{where}: {found.verdict}: {found.reason}\n")
    good = sum(v == {"pass"} for v in verdicts.values())
    sys.stdout.write(f"{good} of {len(verdicts)} operators; samples: {dict(counts)}\n")
    return 0 if good == len(verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
