"""Keras archives: Keras itself, in a process of its own, writes a SavedModel of them.

An archive holds the names of layers and their weights; only the layers' code knows the graph. Run
as a script it is the worker: `python -m frontends.tensorflow.reading.keras_archive FILE FOLDER`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Collection
from importlib.util import find_spec
from pathlib import Path

from nnir import isolation, sandbox
from nnir.errors import BadFile, Unsupported, describe
from nnir.legible import legible
from nnir.staging import temporary_folder

from ...source import SourceModel
from . import saved_model

TIMEOUT = 1800
"""Seconds."""

CONFIG = "config.json"
MOST = 1 << 26
SHOWN = 8
CODE = frozenset({"Lambda", "TorchModuleWrapper", "TFSMLayer", "JaxLayer", "FlaxLayer"})
"""Keras's own layers that run code, or files that the archive names."""

SETTINGS = {"KERAS_BACKEND": "tensorflow", "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}


def read(path: Path, *, trust: bool = False) -> SourceModel:
    """The model in an archive; its weights are views into a file that nobody else can see.

    Unsupported without `trust`, or where Keras or TensorFlow is not installed; BadFile for what
    Keras refuses, which with `safe_mode` is also code in the archive that Keras knows of.
    """
    if not trust:
        raise Unsupported(
            f"{path.name!r} is a program for Keras and not only data; loading it would run "
            f"{what_runs(path)}: load it with --trust (trust=True) if you trust who made it, or "
            "write a SavedModel where it is with model.export(folder)"
        )
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


UNREADABLE = (zipfile.BadZipFile, zlib.error)
PLAIN = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Compressions of Keras's archives."""

TENSOR = "__keras_tensor__"
"""What a tensor between layers is called."""


def what_runs(path: Path) -> str:
    """What Keras would run of an archive: its layers, and code of others; nothing is run here."""
    try:
        with zipfile.ZipFile(path) as archive:
            about = archive.getinfo(CONFIG)
            if max(about.file_size, about.compress_size) > MOST:  # it asks for that much at once
                raise BadFile(f"{path.name!r} is damaged: a {CONFIG} of more than {MOST} bytes")
            if about.compress_type not in PLAIN:  # others may ask for any amount of memory
                raise BadFile(f"{path.name!r} is no Keras archive: a compressed {CONFIG}")
            config = json.loads(archive.read(CONFIG))
    except (*UNREADABLE, EOFError, LookupError, ValueError, RuntimeError, OSError) as error:
        # of RuntimeError: encryption, compressions and versions that zipfile does not know
        raise BadFile(f"{path.name!r} is no Keras archive, or damaged: {describe(error)}") from None
    layers, others = set[str](), set[str]()
    waiting: list[object] = [config]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting += value.values()
            if isinstance(name := value.get("class_name"), str):
                module = value.get("module")
                is_own = isinstance(module, str) and module.partition(".")[0] == "keras"
                is_code = name in CODE or not (is_own or name == TENSOR)
                place = f"{module}.{name}" if isinstance(module, str) else name
                (others if is_code else layers).add(place if is_code else name)
        elif isinstance(value, list):
            waiting += value
    said = [f"code of its own or of others ({_list_names(others)})"] if others else []
    return " and ".join([*said, f"Keras's {_list_names(layers) or 'layers'}"])


def _list_names(names: Collection[str]) -> str:
    shown = [legible(n[:80]) for n in sorted(names)[:SHOWN]]
    return ", ".join(shown) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")


def _export(source: str, target: str) -> None:
    import keras

    sandbox.start_nothing()
    sandbox.collect_garbage()
    try:
        model = keras.saving.load_model(source, compile=False, safe_mode=True)
        model.export(target, verbose=False)
    except Exception as error:  # noqa: BLE001  whatever Keras says goes to the caller
        sys.exit(" ".join(f"{type(error).__name__}: {error}".split())[:300])


if __name__ == "__main__":
    _export(*sys.argv[1:])
