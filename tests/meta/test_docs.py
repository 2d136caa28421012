"""The documentation is true: commands run, links resolve, tables are those of the code."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import numpy as np
import onnx
import pytest
from click.testing import CliRunner

from conformance.tables import DOCS, PAGES
from nnadapter.cli import main

ROOT = Path(__file__).parents[2]
PAGES_OF_TEXT = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted(DOCS.glob("*.md")),
]
README = (ROOT / "README.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def commands() -> list[str]:
    lines = (line.split("#")[0].strip() for block in blocks("sh") for line in block.splitlines())
    return [line for line in lines if line.startswith("nnadapter ")]


@pytest.fixture(scope="module")
def given(
    mlp: onnx.ModelProto,
    cnn: onnx.ModelProto,
    models: Path,
    files: Path,
    programs: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """The files that the README names."""
    folder = tmp_path_factory.mktemp("readme")
    onnx.save(mlp, folder / "model.onnx")
    onnx.save(cnn, folder / "resnet50.onnx")
    shutil.copytree(models / "cnn", folder / "saved_model")
    sources = {
        "frozen.pb": models / "frozen.pb",
        "model.keras": models / "archive.keras",
        "mobilenet_int8.tflite": files / "mobile_int8.tflite",
        "inference.json": programs / "cnn.json",
        "inference.pdiparams": programs / "cnn.pdiparams",
    }
    for name, source in sources.items():
        shutil.copy(source, folder / name)
    return folder


@pytest.mark.parametrize("line", commands())
def test_readme_commands_run(
    line: str, given: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(given, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, shlex.split(line)[1:])
    assert done.exit_code == 0, done.output


def test_readme_python_runs(given: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(given, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    scope = {"x": np.ones((1, 3, 8, 8), np.float32)}
    for code in blocks("python"):
        exec(compile(code, "README", "exec"), scope)
    written = {"caches", "net.pt2", "resnet50.nnir", "resnet50.tflite"}
    assert {p.name for p in tmp_path.iterdir()} == {p.name for p in given.iterdir()} | written


def test_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"`?make (\w+)", README):
        assert f"\n{target}:" in makefile, target


@pytest.mark.parametrize("page", PAGES_OF_TEXT, ids=lambda p: p.name)
def test_links_resolve(page: Path) -> None:
    for link in re.findall(r"\]\(([^)#\s]+)", page.read_text()):
        if not link.startswith(("http://", "https://")):
            assert (page.parent / link).exists(), link


@pytest.mark.parametrize("name", PAGES)
def test_tables_are_those_of_the_code(name: str) -> None:
    assert (DOCS / name).read_text() == PAGES[name](), "run `python -m conformance.tables`"


def test_nothing_of_this_machine_is_in_the_repository() -> None:
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    for name in listed.stdout.splitlines():
        path = ROOT / name
        if path.suffix in {".py", ".md", ".toml", ".txt", ".json", ".yaml"} and path.exists():
            assert not re.search(r"/work/|/root/|/home/\w", path.read_text()) or name.startswith(
                "tests/meta/"
            ), name
