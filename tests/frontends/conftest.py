"""Models that TensorFlow writes in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `tensorflow_models.py` fills."""
    folder = tmp_path_factory.mktemp("tensorflow")
    script = [sys.executable, "-m", "tests.frontends.tensorflow_models", str(folder)]
    found = subprocess.run(script, cwd=REPOSITORY, timeout=280, capture_output=True, text=True)
    assert not found.returncode, found.stderr[-2000:]
    return folder
