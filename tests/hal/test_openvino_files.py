"""The writer of OpenVINO's IR: its graphs and files are those of OpenVINO itself."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import openvino
import pytest

import nnadapter as nna
from conformance.engines.engine import Answer
from conformance.suites.operators import book
from nnir.errors import NNAdapterError, NoLowering
from nnir.formats.openvino import runtime as paper
from nnir.formats.openvino.graph import Constant, Output
from nnir.formats.openvino.schema import kinds
from nnir.formats.openvino.shapes import Dimension, PartialShape
from nnir.model import Model
from nnir.ops import activation, binary, conv, shape

from .ir_twins import REFUSED, first_difference, twins

SAMPLES = Path(__file__).parents[1] / "data" / "samples"
EVERY = 1 if os.environ.get("NNADAPTER_IR") == "all" else 7
"""One of so many cases is written; NNADAPTER_IR=all writes them all, in three minutes."""


def cases() -> Iterator[tuple[str, Model]]:
    """Models of the cases of the standard's and of ONNX's operators."""
    for frontend in ("nnir", "onnx"):
        for number, (name, (engine, case)) in enumerate(book(frontend).cases.items()):
            if number % EVERY or name.startswith("model-"):
                continue
            try:
                yield f"{frontend} {name}", engine.model(case, Answer([]))
            except NNAdapterError:  # a case that must be refused before
                continue


def test_cases_are_written_as_openvino_writes_them(tmp_path: Path) -> None:
    """Every layer, port, size, attribute, name and number; what it refuses is refused."""
    differing, refused, count = {}, 0, 0
    for name, model in cases():
        theirs, ours = twins(model, tmp_path)
        count += 1
        refused += theirs == REFUSED
        if why := first_difference(theirs, ours):
            differing[name] = why
    assert not differing, differing
    assert count > 9000 / EVERY
    assert 0 < refused < count / 5
