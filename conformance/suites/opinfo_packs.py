"""Many of PyTorch's operator samples in one program, where exporting one costs the same as many.

A sample that does not pass in a program with others is judged alone, and a program that is not
exported, converted or run is taken in halves, down to single samples: what is said of a sample is
what is said of it alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from frontends import torch as frontend
from hal.runtime.program import Program
from nnir.errors import FAILURES, DeviceError
from nnir.passes import CLEAN, apply

from ..judging.judge import Verdict
from ..judging.result import PASS, SKIP
from ..oracles.oracle import Oracle
from .opinfo import (
    NO_SAMPLE,
    SAMPLES,
    Sample,
    ask_sample,
    chosen_operators,
    compare_results,
    verdict,
)
from .opinfo_gaps import gap

SIZE = 16
NO_SUCH = -1
"""Instead of a number of inputs, as `oracles.opinfo` says it."""


@dataclass(frozen=True)
class Wanted:
    """A sample, and what the oracle is asked for it."""

    op: str
    dtype: str
    number: int
    head: dict[str, Any]


def results(
    oracle: Oracle,
    device: str = "builtin",
    dtypes: Sequence[str] = ("float32",),
    match: str = "",
    samples: int = SAMPLES,
    part: tuple[int, int] = (0, 1),
    special: int = 0,
) -> Iterator[Sample]:
    """As `opinfo.results`, for programs of known sizes. What is known not to pass is not packed."""
    campaign = "special" if special else ""
    alone: list[Wanted] = []
    beside: list[Wanted] = []
    for index, op in chosen_operators(oracle, match, part):
        for dtype in dtypes:
            head = {"index": index, "dtype": dtype, "special": special}
            found = [Wanted(op, dtype, k, {**head, "sample": k}) for k in range(samples)]
            (beside if gap(op, device, dtype, campaign) is None else alone).extend(found)
    for wanted in alone:
        yield from _alone(oracle, device, wanted)
    for start in range(0, len(beside), SIZE):
        yield from _together(oracle, device, beside[start : start + SIZE])


def _alone(oracle: Oracle, device: str, wanted: Wanted) -> Iterator[Sample]:
    found = ask_sample(oracle, wanted.head)
    if found is not None:
        said = found if isinstance(found, Verdict) else verdict(wanted.op, device, found)
        yield _sample(wanted, said)


def _together(oracle: Oracle, device: str, wanted: Sequence[Wanted]) -> Iterator[Sample]:
    if len(wanted) == 1:
        yield from _alone(oracle, device, wanted[0])
        return
    try:
        said = _judge_pack(oracle, device, wanted)
    except FAILURES:  # one of them is to blame
        half = len(wanted) // 2
        yield from _together(oracle, device, wanted[:half])
        yield from _together(oracle, device, wanted[half:])
        return
    for one, found in zip(wanted, said, strict=True):
        if found is None:
            continue
        if found.verdict in (PASS, SKIP):
            yield _sample(one, found)
        else:
            yield from _alone(oracle, device, one)


def _judge_pack(oracle: Oracle, device: str, wanted: Sequence[Wanted]) -> list[Verdict | None]:
    """The verdicts on samples in one program; None for those that do not exist.

    DeviceError and what frontends and devices raise where the program cannot be judged.
    """
    rows, *arrays = oracle.ask({"pack": [one.head for one in wanted]}, [])
    if not arrays and (rows[:, 0] >= 0).any():
        raise DeviceError("PyTorch does not export them in one program")
    got: list[np.ndarray] = []
    want: list[np.ndarray] = []
    if arrays:
        count = int(rows[:, 0].clip(0).sum())
        inputs, want = arrays[1 : 1 + count], arrays[1 + count :]
        model = frontend.load(arrays[0].tobytes())
        apply(model, CLEAN)
        with Program(model, device) as program:
            got = list(program(*inputs))
        if len(got) != len(want):
            raise DeviceError(f"{len(got)} results, not {len(want)}")
    said: list[Verdict | None] = []
    start = 0
    for one, (taken, given) in zip(wanted, rows.tolist(), strict=True):
        stop = start + given
        if taken >= 0:
            said.append(compare_results(one.op, got[start:stop], want[start:stop]))
        else:
            said.append(None if taken == NO_SUCH else Verdict(SKIP, NO_SAMPLE))
        start = stop
    return said


def _sample(wanted: Wanted, said: Verdict) -> Sample:
    return Sample(wanted.op, wanted.dtype, wanted.number, said.verdict, said.reason)
