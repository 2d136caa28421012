"""Keras archives: Keras itself, in a process of its own, writes a SavedModel of them.

An archive holds the names of layers and their weights; only the layers' code knows the graph. Run
as a script it is the worker: `python -m frontends.tensorflow.keras_archive FILE FOLDER`.
"""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from nnir import isolation, sandbox
from nnir.errors import BadFile, Unsupported
from nnir.staging import temporary_folder

from ..source import SourceModel
from . import saved_model

TIMEOUT = 1800
"""Seconds."""

SETTINGS = {"KERAS_BACKEND": "tensorflow", "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}


def read(path: Path) -> SourceModel:
    """The model in an archive; its weights are views into a file that nobody else can see.

    Unsupported where Keras or TensorFlow is not installed, BadFile for what Keras refuses, which
    with `safe_mode` is also whatever would run code out of the archive.
    """
    missing = [name for name in ("keras", "tensorflow") if find_spec(name) is None]
    if missing:
        raise Unsupported(
            f"a .keras archive holds layers and no graph, and {' and '.join(missing)} is not "
            "installed: install it, or write a SavedModel where it is with model.export(folder)"
        )
    with temporary_folder() as place:
        folder = str(place)
        try:
            done = subprocess.run(
                isolation.command(__name__, str(path.resolve()), folder, folders=[folder]),
                cwd=folder,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=TIMEOUT,
                env={**isolation.environment(folder), **SETTINGS},
            )
        except subprocess.TimeoutExpired:
            raise BadFile(f"Keras does not load {path.name!r} within {TIMEOUT} seconds") from None
        if done.returncode:
            lines = [line for line in done.stderr.splitlines() if line.strip()]
            raise BadFile(f"Keras refuses {path.name!r}: {lines[-1][:300] if lines else 'it died'}")
        return saved_model.read(place)


def _export(source: str, target: str) -> None:
    import keras

    sandbox.start_nothing()
    try:
        model = keras.saving.load_model(source, compile=False, safe_mode=True)
        model.export(target, verbose=False)
    except Exception as error:  # noqa: BLE001  whatever Keras says goes to the caller
        sys.exit(" ".join(f"{type(error).__name__}: {error}".split())[:300])


if __name__ == "__main__":
    _export(*sys.argv[1:])
