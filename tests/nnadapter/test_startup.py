"""Other packages of our names: who imports nnadapter is told, in one line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def python(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Python in a folder whose packages come before ours."""
    path = os.pathsep.join(map(str, (folder, ROOT)))
    environment = {**os.environ, "PYTHONPATH": path}
    given = [sys.executable, *words]
    return subprocess.run(given, cwd=ROOT, env=environment, capture_output=True, text=True)


PARTS = {"hal": "device", "nnir": "errors"}
CALLS = {"hal": "compile(None)", "nnir": "load('x')"}
"""What needs the package: reading a file needs no device."""


@pytest.mark.parametrize("name", PARTS)
def test_another_package_of_our_name(name: str, tmp_path: Path) -> None:
    (tmp_path / name).mkdir()
    for part in ("__init__", PARTS[name]):
        (tmp_path / name / f"{part}.py").write_text("")
    said = f"the package '{name}' in {tmp_path} is not nnadapter's, which is in {ROOT}"
    done = python(tmp_path, "-P", "-c", f"import nnadapter; nnadapter.{CALLS[name]}")
    assert done.returncode == 1
    assert f"ImportError: {said}" in done.stderr
    told = python(tmp_path, "-P", "-m", "nnadapter", "devices")
    assert told.returncode == 1
    assert told.stderr.startswith(f"error: {said}")
    assert told.stderr.count("\n") == 1


def test_another_distribution_of_our_name(tmp_path: Path) -> None:
    about = tmp_path / "hal-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: hal\nVersion: 1.0\n")
    (about / "top_level.txt").write_text("hal\n")
    done = python(tmp_path, "-P", "-m", "nnadapter", "doctor")
    assert done.returncode == 1
    assert done.stderr.startswith("error: the package 'hal' is of hal too: `pip uninstall hal`")
