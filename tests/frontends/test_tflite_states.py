"""TFLite's recurrent layers call after call: each begins with what the one before left."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import nnadapter as nna
from conformance.case import Case
from conformance.cases.tflite.recurrent import CASES
from conformance.engines.tflite import Scaled, State, ask_litert, run_inputs
from conformance.oracles.oracle import Oracle

DEVICES = ("builtin", "onnxruntime")
CALLS = 3
KEEPING = [
    case
    for case in CASES
    if case.raises is None
    and any(isinstance(given, State) for given in case.inputs)
    and not any(isinstance(given, Scaled) for given in case.inputs)
]


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    with Oracle("conformance.oracles.litert", timeout=120) as worker:
        yield worker


@pytest.mark.parametrize("case", KEEPING, ids=str)
def test_each_call_begins_with_what_the_last_one_left(
    case: Case, oracle: Oracle, tmp_path: Path
) -> None:
    content, _ = ask_litert(case, oracle, run=False)
    path = tmp_path / "case.tflite"
    path.write_bytes(content)
    programs = [nna.compile(nna.load(path), device) for device in DEVICES]
    for call in range(CALLS):
        arrays = [np.roll(x, call, axis=-1) * np.float32(1 - 0.3 * call) for x in run_inputs(case)]
        head = {"path": str(path), "keeps": True, "is_first": not call}
        wanted = oracle.ask(head, arrays)
        for program in programs:
            got = program(*arrays)
            for mine, theirs in zip(got, wanted, strict=True):
                near = case.tolerance(theirs.dtype)
                np.testing.assert_allclose(mine, theirs, near.relative, near.absolute)
