"""Variables that a TensorFlow graph writes, in the order that it says; inputs of unknown rank."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nnadapter as nna
from nnir.errors import Unsupported

from ..conftest import folder_of


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `tensorflow_variables.py` fills."""
    return folder_of("tests.frontends.tensorflow_variables", tmp_path_factory)


@pytest.fixture(scope="session")
def said(written: Path) -> dict[str, Any]:
    """What it says of objects."""
    found: dict[str, Any] = json.loads((written / "said.json").read_text())
    return found


@pytest.mark.long
def test_what_a_function_writes_is_kept(said: dict[str, Any]) -> None:
    assert said["steps"] == {"level": 4, "count": 4, "rows": 10}


@pytest.mark.parametrize("device", ["builtin", "onnxruntime", "litert"])
@pytest.mark.long
def test_what_a_signature_writes_is_kept(device: str, written: Path) -> None:
    model = nna.load(written / "steps")
    assert {s.name: s.initial.shape for s in model.states} == {
        "level": (1, 4),
        "count": (),
        "rows": (3, 2),
    }
    report = nna.verify(written / "steps", device)
    assert report.agrees
    assert report.trials == 3


@pytest.mark.parametrize("reads_first", [True, False])
def test_the_order_goes_through_nodes_that_only_compute(reads_first: bool, written: Path) -> None:
    """A graph of TensorFlow 1 has the control inputs that its author wrote, and no others."""
    path = written / f"order-{reads_first}"
    program = nna.compile(nna.load(path))
    ones = np.ones(3, np.float32)
    first = 2 if reads_first else 4
    for call in range(3):
        np.testing.assert_array_equal(program(ones)[0], np.full(3, first + 2 * call + 1))
    assert nna.verify(path, "onnxruntime").agrees


def test_a_branch_that_writes_is_refused(written: Path) -> None:
    with pytest.raises(Unsupported, match="writes a variable in a branch or a loop"):
        nna.load(written / "branch")


def test_a_saved_model_of_unknown_rank(written: Path) -> None:
    with pytest.raises(Unsupported, match="inputs of unknown rank: 'x'"):
        nna.load(written / "unranked")
    loading = {"shapes": {"x": [2, "width"]}}
    assert nna.verify(written / "unranked", "onnxruntime", loading=loading).agrees


def test_a_function_of_unknown_rank(said: dict[str, Any]) -> None:
    assert "inputs of unknown rank: 'x'" in said["unranked"]["refusal"]
    assert said["unranked"]["rank"] == 2
