"""Models that TensorFlow and Paddle write in processes of their own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `tensorflow_models.py` fills."""
    return written("tensorflow_models", tmp_path_factory.mktemp("tensorflow"))


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `tflite_models.py` fills."""
    return written("tflite_models", tmp_path_factory.mktemp("tflite"))


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `paddle_models.py` fills."""
    return written("paddle_models", tmp_path_factory.mktemp("paddle"))


def written(script: str, folder: Path, *arguments: str) -> Path:
    """The folder, filled by a script that imports a framework."""
    command = [sys.executable, "-m", f"tests.frontends.{script}", str(folder), *arguments]
    found = subprocess.run(command, cwd=REPOSITORY, timeout=280, capture_output=True, text=True)
    assert not found.returncode, found.stderr[-2000:]
    return folder
