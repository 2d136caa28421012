"""The protocol of frontends: ours satisfy it, and others need no more than it."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nnadapter as nna
from frontends import onnx
from frontends.frontend import FOLDER, MEMBERS, Frontend, check_frontend
from nnadapter import sources
from nnir.errors import BadFile, BadInput, Unsupported
from nnir.model import Model
from nnir.ops import unary
from nnir.types import Precision, TensorType

SAMPLES = Path(__file__).parents[1] / "data/samples"
OURS = ("nnrt", "onnx", "paddle", "tensorflow", "tflite", "torch")
FILES = {
    "net.onnx": "onnx",
    "net.pt2": "torch",
    "graph.pb": "tensorflow",
    "saved": "tensorflow",
    "net.keras": "tensorflow",
    "net.tflite": "tflite",
    "pir.json": "paddle",
    "net.nnrt": "nnrt",
}


@pytest.fixture(params=OURS)
def frontend(request: pytest.FixtureRequest) -> Frontend:
    return sources.frontends()[request.param]


def test_the_members_are_those_of_the_protocol() -> None:
    annotated = set(inspect.get_annotations(Frontend))
    methods = {n for n, m in vars(Frontend).items() if inspect.isfunction(m) and n[0] != "_"}
    assert annotated | methods == set(MEMBERS)


def test_members(frontend: Frontend) -> None:
    assert check_frontend(frontend, "it") is frontend
    assert frontend.name in OURS
    assert all(s == FOLDER or s.startswith(".") for s in frontend.suffixes)
    assert frontend.image_layout in ("NCHW", "NHWC")


@pytest.mark.parametrize("method", ["detects", "options", "exports", "supported_operators"])
def test_methods_are_called_alike(frontend: Frontend, method: str) -> None:
    theirs = list(inspect.signature(getattr(Frontend, method)).parameters)[1:]
    assert list(inspect.signature(getattr(frontend, method)).parameters) == theirs


def test_sources_of_nobody(frontend: Frontend, tmp_path: Path) -> None:
    for source in (b"", object(), tmp_path / "absent", tmp_path):
        assert frontend.detects(source) is False


def test_operators(frontend: Frontend) -> None:
    found = frontend.supported_operators()
    assert len(found) > 100
    assert all(list(versions) for versions in found.values())


@pytest.mark.parametrize(("file", "name"), FILES.items())
def test_who_is_asked_first_has_the_file(file: str, name: str) -> None:
    source = SAMPLES / file
    first = next(sources.candidate_frontends(source))
    assert first.name == name
    assert first.detects(source)
    assert isinstance(first.options(source), frozenset)
    assert first.exports(source) is False


def test_a_suffix_is_one_frontends() -> None:
    suffixes = [s for f in sources.frontends().values() for s in f.suffixes]
    assert len(suffixes) == len(set(suffixes))


class Text(Frontend):
    """The smallest frontend: texts that say what is computed."""

    name = "text"
    suffixes = (".text",)
    image_layout = "NHWC"

    def detects(self, source: Any) -> bool:
        return isinstance(source, Path) and source.suffix == ".text"

    def load(self, source: Any, **options: Any) -> Model:
        model = Model(source.read_text())
        x = model.input("x", TensorType(Precision.FLOAT32, (2,)))
        model.outputs = [unary.abs_(x)]
        return model

    def supported_operators(self) -> Mapping[str, Iterable[int]]:
        return {"abs": (1,)}


class Point:
    """An entry point."""

    def __init__(self, name: str, found: Any) -> None:
        self.name = name
        self.found = found

    def load(self) -> Any:
        return self.found


@pytest.fixture
def text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    points = (Point("onnx", onnx), Point("text", Text()))
    monkeypatch.setattr(sources, "points", lambda group: points)
    path = tmp_path / "a.text"
    path.write_text("magnitude")
    return path


def test_a_frontend_from_elsewhere(text: Path) -> None:
    model = nna.load(text)
    assert model.name == "magnitude"
    (result,) = nna.compile(model)(np.array([-1, 2], np.float32))
    assert result.tolist() == [1, 2]
    assert list(sources.frontends()) == ["onnx", "text"]


def test_options_that_it_does_not_name_are_refused(text: Path) -> None:
    with pytest.raises(BadInput, match="signature: not for this text source, whose options are"):
        nna.load(text, signature="x")


def test_what_is_no_frontend_is_named(text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "points", lambda group: (Point("half", object()),))
    with pytest.raises(Unsupported, match=r"frontend 'half' has no name, suffixes, image_layout"):
        nna.load(text)


def test_nobody_recognises_it(text: Path, tmp_path: Path) -> None:
    other = tmp_path / "b.other"
    other.write_bytes(b"?")
    with pytest.raises(BadFile, match="no frontend recognises it; installed are onnx, text"):
        nna.load(other)


def test_none_is_imported_after_one_that_agrees(
    text: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken(Point):
        def load(self) -> Any:
            raise ImportError(self.name)

    points = (Point("text", Text()), Broken("z", None))
    monkeypatch.setattr(sources, "points", lambda group: points)
    assert nna.load(text).name == "magnitude"


@pytest.mark.parametrize(
    ("name", "text"),
    [("nnapi", "no NNAPI model"), ("nnrt", "no NNRt file"), ("tflite", "no TFLite file")],
)
def test_what_is_no_file_is_told(name: str, text: str) -> None:
    source: Any = 5
    with pytest.raises(BadFile, match=f"{text}: int"):
        sources.frontends()[name].load(source)
