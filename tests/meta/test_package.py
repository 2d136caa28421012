"""What is installed: packages, data files, entry points."""

from __future__ import annotations

import tomllib
from importlib.metadata import entry_points
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_every_package_is_found() -> None:
    patterns = PROJECT["tool"]["setuptools"]["packages"]["find"]["include"]
    for top in ("nnir", "frontends", "hal", "conformance", "nnadapter"):
        assert f"{top}*" in patterns
        for path in (ROOT / top).rglob("*.py"):
            assert (path.parent / "__init__.py").exists(), path


def test_data_files_are_shipped() -> None:
    patterns = PROJECT["tool"]["setuptools"]["package-data"]["*"]
    for top in ("nnir", "frontends", "hal", "conformance", "nnadapter"):
        for path in (ROOT / top).rglob("*"):
            if path.is_file() and path.suffix not in {".py", ".pyc"}:
                assert any(path.match(pattern) for pattern in patterns), path


def test_entry_points_load() -> None:
    for group, names in (
        ("nnadapter.frontends", {"onnx"}),
        ("nnadapter.devices", {"builtin", "onnxruntime"}),
    ):
        found = {e.name: e for e in entry_points(group=group)}
        assert names <= set(found)
        assert all(found[n].load() for n in names)


def test_the_core_needs_little() -> None:
    names = {d.split(">")[0].split("<")[0] for d in PROJECT["project"]["dependencies"]}
    assert names == {"numpy", "ml_dtypes", "click", "platformdirs", "rich"}
