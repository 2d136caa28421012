"""TensorFlow's ragged and sparse tensors and its hash tables in whole models."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import nnadapter as nna
from nnir.errors import NoLowering

from ..conftest import folder_of

NAMES = ("padded", "embedded", "gathered", "sparse", "embedded_sparse", "tables")
NO_DIVISION = "no kernel of DIV for INT64"
"""LiteRT divides integers of 32 bits: places in another shape need more."""


@pytest.fixture(scope="session")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `tensorflow_rows.py` fills."""
    return folder_of("tests.frontends.tensorflow_rows", tmp_path_factory)


@pytest.mark.parametrize("device", ["builtin", "onnxruntime", "litert", "torch"])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.long
def test_a_model_agrees(name: str, device: str, rows: Path) -> None:
    with np.load(rows / f"{name}.npz") as given:
        inputs = [given[v.name] for v in nna.load(rows / name).inputs]
    if device == "litert" and name == "embedded_sparse":
        with pytest.raises(NoLowering, match=NO_DIVISION):
            nna.verify(rows / name, device, inputs=inputs)
        return
    assert nna.verify(rows / name, device, inputs=inputs).agrees


def test_tables_of_objects(rows: Path) -> None:
    said = json.loads((rows / "said.json").read_text())
    assert len(said) == 6
    assert all(said.values())


def test_vectors_have_lengths_of_their_own(rows: Path) -> None:
    found = nna.load(rows / "gathered")
    assert {v.name: str(v.shape[0]) for v in found.inputs} == {
        "values": "values_0",
        "splits": "splits_0",
        "chosen": "chosen_0",
    }
