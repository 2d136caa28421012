"""Model folders as cases: their names, what is damaged, what is random and what may differ."""

from __future__ import annotations

import shlex
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from conformance.judging.result import PASS, REFUSED, WRONG, Result
from conformance.running.conform import conform, plan_run
from conformance.running.suite import Crew, Item, Options
from conformance.suites.folders import Folders
from nnadapter.commands import conforming
from nnir.errors import BadInput, DeviceError
from tests.conftest import info, model_of

X = np.array([1, 2, 3], np.float32)


def folder(
    place: Path, meta: str | bytes = "", want: np.ndarray | None = None, name: str = "model.onnx"
) -> Path:
    """A folder with a model that computes exp, its input and output."""
    place.mkdir(parents=True)
    node = helper.make_node("Exp", ["x"], ["y"])
    onnx.save(model_of([node], [info("x", [3])], [info("y", [3])]), place / name)
    np.savez(place / "inputs.npz", in_0=X)
    np.savez(place / "outputs.npz", out_0=np.exp(X) if want is None else want)
    if meta:
        (place / "meta.json").write_bytes(meta.encode() if isinstance(meta, str) else meta)
    return place


def suite(*roots: Path) -> Folders:
    options = Options(suites=("models",), models=tuple(map(str, roots)))
    return Folders(options, Crew(60.0, 1 << 33))


def listed(found: Folders) -> list[Item]:
    return [i for f in Folders.frontends for i in found.items(f)]


def results(*roots: Path) -> dict[str, Result]:
    """The results on builtin by name."""
    found = suite(*roots)
    return {i.name: r for i in listed(found) for r in found.run(i, "builtin")}


def test_folders_of_equal_name(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    folder(one / "same")
    folder(two / "same", want=2 * np.exp(X))
    folder(two / "other")
    found = {k: r.verdict for k, r in results(one, two).items()}
    assert found == {"one/same": PASS, "two/same": WRONG, "two/other": PASS}
    assert list(results(two)) == ["other", "same"]
    assert list(results(one / "same")) == ["same"]
    assert list(results(one, one)) == ["same"]


def test_names_that_stay_the_same(tmp_path: Path) -> None:
    roots = [tmp_path / k / "zoo" for k in "ab"]
    for root in roots:
        folder(root / "same")
    with pytest.raises(BadInput, match="two model folders are named 'zoo/same'"):
        listed(suite(*roots))
    with pytest.raises(DeviceError, match="two model folders are named"):
        plan_run(Options(suites=("models",), models=tuple(map(str, roots))))


def test_a_bad_folder_is_refused_and_the_others_run(tmp_path: Path) -> None:
    root = tmp_path / "zoo"
    folder(root / "good")
    folder(root / "damaged", "{")
    folder(root / "no-text", b"\xff\xfe")
    folder(root / "deep", "[" * 100_000)
    folder(root / "list", "[]")
    folder(root / "unknown", '{"framework": "jax", "model": "model.onnx"}')
    folder(root / "random", '{"random_outputs": [1]}')
    folder(root / "randomly", '{"random_outputs": 5}')
    folder(root / "long", '{"model": "' + "x" * 1000 + '"}')
    (folder(root / "no-outputs") / "outputs.npz").unlink()
    (folder(root / "no-inputs") / "inputs.npz").unlink()
    (folder(root / "no-model") / "model.onnx").unlink()
    (folder(root / "broken") / "outputs.npz").write_bytes(b"PK\x03\x04")
    (folder(root / "empty") / "inputs.npz").write_bytes(b"")
    np.savez(folder(root / "pickled") / "outputs.npz", out_0=np.array([None]))
    np.savez(folder(root / "holes") / "outputs.npz", out_1=X)
    folder(root / "tflite", "{", name="model.tflite")
    (root / "nothing").mkdir()
    found = results(root)
    assert found.pop("good").verdict == PASS
    assert {k: r.reason for k, r in found.items() if r.verdict != REFUSED} == {}
    reasons = {
        "damaged": "meta.json' is not readable JSON",
        "no-text": "is not readable JSON",
        "deep": "is not readable JSON",
        "list": "is not a JSON object",
        "unknown": "names the framework 'jax', not one of onnx",
        "random": r"random_outputs=[1]",
        "randomly": "random_outputs=5",
        "long": "cannot be read",
        "no-outputs": "has no outputs.npz",
        "no-inputs": "has no inputs.npz",
        "no-model": "holds none of model.pt2",
        "broken": "outputs.npz' cannot be read: BadZipFile",
        "empty": "inputs.npz' cannot be read: EOFError",
        "pickled": "allow_pickle",
        "holes": "out_0 is not a file",
        "tflite": "is not readable JSON",
    }
    assert set(found) == set(reasons)
    for name, reason in reasons.items():
        assert reason in found[name].reason
        assert found[name].frontend == ("tflite" if name == "tflite" else "onnx")
    assert len(conform(Options(suites=("models",), models=(str(root),))).results) == 2 * 17


def test_the_frontend_is_what_the_files_suggest(tmp_path: Path) -> None:
    (folder(tmp_path / "zoo" / "a") / "model.onnx").rename(tmp_path / "zoo" / "a" / "model.pdmodel")
    (folder(tmp_path / "zoo" / "b") / "model.onnx").unlink()
    (tmp_path / "zoo" / "b" / "saved_model").mkdir()
    assert [(i.name, i.frontend) for i in listed(suite(tmp_path / "zoo"))] == [
        ("b", "tensorflow"),
        ("a", "paddle"),
    ]


@pytest.mark.parametrize(
    ("want", "verdict"),
    [
        (2 * np.exp(X), PASS),
        (np.exp(X).astype(np.float64), WRONG),
        (np.zeros(4, np.float32), WRONG),
    ],
)
def test_random_outputs_have_precision_and_shape(
    tmp_path: Path, want: np.ndarray, verdict: str
) -> None:
    meta = '{"framework": "onnx", "model": "model.onnx", "random_outputs": [0]}'
    folder(tmp_path / "random", meta, want)
    assert results(tmp_path)["random"].verdict == verdict


@pytest.mark.parametrize(
    ("kind", "changed", "verdict"),
    [
        (TensorProto.INT64, 2, PASS),
        (TensorProto.INT32, 2, PASS),
        (TensorProto.INT64, 3, WRONG),
        (TensorProto.UINT8, 1, WRONG),
        (TensorProto.UINT64, 1, WRONG),
        (TensorProto.INT16, 1, WRONG),
    ],
)
def test_few_indices_may_differ(tmp_path: Path, kind: int, changed: int, verdict: str) -> None:
    """1 in 1000, of the precisions that indices have; of others none."""
    x = np.arange(2000).astype(helper.tensor_dtype_to_np_dtype(kind))
    place = folder(tmp_path / "index")
    node = helper.make_node("Identity", ["x"], ["y"])
    parts = [info("x", [2000], kind)], [info("y", [2000], kind)]
    onnx.save(model_of([node], *parts), place / "model.onnx")
    np.savez(place / "inputs.npz", in_0=x)
    want = x.copy()
    want[:changed] += 1
    np.savez(place / "outputs.npz", out_0=want)
    assert results(tmp_path)["index"].verdict == verdict


def test_the_printed_command_finds_the_folder(tmp_path: Path) -> None:
    roots = [tmp_path / "with space 'q", tmp_path / "two"]
    for root in roots:
        folder(root / "same", want=2 * np.exp(X))
    found = results(*roots)
    words = shlex.split(found["with space 'q/same"].command)
    given = conforming.options_of(conforming.conform.make_context("conform", words[2:]).params)
    assert [i[3] for i in plan_run(given)["items"]] == ["with space 'q/same"]
