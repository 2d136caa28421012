"""What `nnadapter.load` takes beside a TensorFlow model, and Keras archives."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nnadapter as nna
from frontends.tensorflow.reading import keras_archive
from nnir.errors import BadFile, BadInput, BadModel, NNAdapterError, Unsupported, summary

from .test_tensorflow_models import agrees, operators, runs


@pytest.mark.parametrize("place", [0, 1])
def test_signature(models: Path, place: int) -> None:
    name = ("twice", "scaled")[place]
    model = nna.load(models / "signatures", signature=name, tags=["serve"])
    inputs, outputs = runs(models, "signatures")[place]
    np.testing.assert_array_equal(nna.compile(model)(inputs["x"])[0], outputs["y"])
    assert nna.verify(models / "signatures", loading={"signature": name})


def test_ends_of_a_frozen_graph(models: Path) -> None:
    (inputs, _), *_ = runs(models, "frozen.pb")
    whole = nna.load(models / "frozen.pb", inputs=["x"], outputs=["y:0", "matmul"])
    assert whole.output_names == ["y:0", "matmul"]
    soft, product = nna.compile(whole)(inputs["x"])
    raised = np.exp(product - product.max(-1, keepdims=True))
    np.testing.assert_allclose(soft, raised / raised.sum(-1, keepdims=True), rtol=1e-5)
    assert "SOFTMAX" not in operators(nna.load(models / "frozen.pb", outputs=["matmul"]))


WRONG: list[tuple[str, Mapping[str, Any], type[NNAdapterError], str]] = [
    ("signatures", {"signature": "thrice"}, BadFile, "no signature 'thrice'; .* twice"),
    (
        "signatures",
        {"signature": "twice", "tags": ["train"]},
        BadFile,
        r"tags \['train'\]; ",
    ),
    ("signatures", {"inputs": ["x"]}, BadInput, "inputs: not for this tensorflow source"),
    ("frozen.pb", {"outputs": ["z"]}, BadModel, "z"),
    ("frozen.pb", {"signature": "serve"}, BadInput, "options are inputs, outputs"),
    ("cnn", {"input_layout": {"y": "NCHW"}}, BadInput, "no input 'y'"),
]


@pytest.mark.parametrize(("name", "options", "error", "message"), WRONG)
def test_wrong_options(
    models: Path,
    name: str,
    options: Mapping[str, Any],
    error: type[NNAdapterError],
    message: str,
) -> None:
    with pytest.raises(error, match=message) as caught:
        nna.load(models / name, **options)
    assert "\n" not in summary(caught.value)


@pytest.mark.parametrize("device", ["builtin", "onnxruntime"])
def test_layouts(models: Path, device: str) -> None:
    model = nna.load(models / "residual", input_layout="NCHW", output_layout="NCHW")
    assert operators(model).count("TRANSPOSE") == 0
    program = nna.compile(model, device)
    for inputs, outputs in runs(models, "residual"):
        (got,) = program(inputs["x"].transpose(0, 3, 1, 2))
        (want,) = outputs.values()
        np.testing.assert_allclose(got.transpose(0, 2, 3, 1), want, rtol=2e-5, atol=1e-5)


def test_verify_knows_the_layouts(models: Path) -> None:
    both = {"input_layout": "NCHW", "output_layout": "NCHW"}
    assert nna.verify(models / "residual", loading=both)


@pytest.mark.parametrize("device", ["builtin", "onnxruntime"])
@pytest.mark.long
def test_keras_archive(models: Path, device: str) -> None:
    agrees(nna.load(models / "archive.keras", trust=True), models, "archive", device)


@pytest.mark.long
def test_verify_asks_keras_about_an_archive(models: Path) -> None:
    report = nna.verify(models / "archive.keras", loading={"trust": True})
    assert report
    assert report.origin == "keras"


@pytest.mark.long
def test_verify_hands_keras_the_inputs_by_name(models: Path) -> None:
    model = nna.load(models / "pair.keras", trust=True)
    assert [v.name for v in model.inputs] == ["first", "second"]  # not the order of the archive
    assert nna.verify(models / "pair.keras", loading={"trust": True})


def test_code_in_an_archive_is_not_run(models: Path) -> None:
    with pytest.raises(BadFile, match=r"Keras refuses 'lambda\.keras': .*arbitrary code") as caught:
        nna.load(models / "lambda.keras", trust=True)
    assert "\n" not in summary(caught.value)


def test_damaged_archive(models: Path, tmp_path: Path) -> None:
    path = tmp_path / "short.keras"
    path.write_bytes((models / "archive.keras").read_bytes()[:3000])
    for trust in (False, True):
        with pytest.raises(BadFile, match=r"'short\.keras'") as caught:
            nna.load(path, trust=trust)
    assert "\n" not in summary(caught.value)


def test_archive_without_keras(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keras_archive, "find_spec", lambda name: None)
    with pytest.raises(Unsupported, match=r"tensorflow is not .*model\.export\(folder\)"):
        nna.load(models / "archive.keras", trust=True)


def test_an_archive_wants_trust(models: Path) -> None:
    with pytest.raises(Unsupported, match=r"would run Keras's .*Dense.*--trust \(trust=True\)"):
        nna.load(models / "archive.keras")
    with pytest.raises(Unsupported, match=r"would run code of its own or of others \(.*Lambda"):
        nna.load(models / "lambda.keras")


def test_no_other_file_wants_trust(models: Path) -> None:
    with pytest.raises(BadInput, match="trust: not for this tensorflow source"):
        nna.load(models / "residual", trust=True)
