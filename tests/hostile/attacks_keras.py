"""Attacks in `.keras` archives, which are programs: without trust nothing of them is loaded."""

from __future__ import annotations

import json
import marshal
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .harness import REFUSED, Attack

Config = dict[str, Any]


def model(*layers: Config) -> Config:
    return {
        "module": "keras",
        "class_name": "Sequential",
        "config": {"name": "s", "layers": list(layers)},
        "registered_name": None,
    }


def layer(class_name: str, module: str = "keras.layers", **config: Any) -> Config:
    return {
        "module": module,
        "class_name": class_name,
        "config": {"name": "l", **config},
        "registered_name": None,
    }


def compiled(marker: Path) -> Config:
    """A function as Keras stores it: marshalled byte code."""
    code = compile(f"open({str(marker)!r}, 'w')", "<layer>", "exec")
    value = [marshal.dumps(code).hex(), None, None]
    return {"class_name": "__lambda__", "config": {"code": value[0]}}


CONFIGS: dict[str, Callable[[Path], Config]] = {
    "a Lambda layer": lambda m: model(layer("Lambda", function=compiled(m))),
    "a Lambda layer in a model in a model": lambda m: model(
        model(model(layer("Lambda", function=compiled(m))))
    ),
    "a function by name": lambda m: model(
        layer("Lambda", function={"module": "os", "class_name": "function", "config": "system"})
    ),
    "a class of any module": lambda m: model(
        layer("Popen", "subprocess", args=["touch", str(m)], shell=False)
    ),
    "a class of Keras's own tools": lambda m: model(
        layer("get_file", "keras.utils", origin="http://localhost/x", fname=str(m))
    ),
    "a layer of a SavedModel": lambda m: model(layer("TFSMLayer", filepath=str(m.parent))),
    "a module of PyTorch": lambda m: model(layer("TorchModuleWrapper", module="gASVAA==")),
    "an activation by name": lambda m: model(
        layer("Dense", units=1, activation={"module": "builtins", "class_name": "exec"})
    ),
    "an initialiser by name": lambda m: model(
        layer("Dense", units=1, kernel_initializer={"module": "os", "class_name": "abort"})
    ),
    "a registered class": lambda m: {**model(), "registered_name": "vendor>Model"},
    "a model that is no model": lambda m: layer("system", "os", command=f"touch {m}"),
    "a loss that is compiled": lambda m: {
        **model(),
        "compile_config": {"loss": {"module": "os", "class_name": "abort"}},
    },
    "a vocabulary elsewhere": lambda m: model(layer("StringLookup", vocabulary="/etc/passwd")),
    "ordinary layers": lambda m: model(layer("Dense", units=1)),
}


def written(what: str) -> Attack:
    def build(folder: Path, marker: Path) -> Path:
        path = folder / "m.keras"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("metadata.json", '{"keras_version": "3.0.0"}')
            archive.writestr("config.json", json.dumps(CONFIGS[what](marker)))
            archive.writestr("model.weights.h5", b"")
        return path

    why = "Keras imports and calls what the configuration names"
    return Attack(what, build, why, ".keras", REFUSED)


def above(folder: Path, marker: Path) -> Path:
    """A member that is unpacked outside of its folder."""
    path = folder / "m.keras"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("config.json", json.dumps(model(layer("Dense", units=1))))
        archive.writestr("../" * 12 + str(marker), "ran")
    return path


def deep(folder: Path, marker: Path) -> Path:
    path = folder / "m.keras"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("config.json", "[" * 100_000 + "]" * 100_000)
    return path


def bomb(folder: Path, marker: Path) -> Path:
    path = folder / "m.keras"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("config.json", b" " * (1 << 28))
    return path


def swollen(folder: Path, marker: Path) -> Path:
    """A member whose directory entry says that it takes gigabytes of the file."""
    path = folder / "m.keras"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("config.json", json.dumps(model(layer("Dense", units=1))))
    data = bytearray(path.read_bytes())
    size = data.index(b"PK\x01\x02") + 20
    data[size : size + 4] = (2_000_000_000).to_bytes(4, "little")
    path.write_bytes(data)
    return path


def escaped(folder: Path, marker: Path) -> Path:
    path = folder / "m.keras"
    with zipfile.ZipFile(path, "w") as archive:
        config = model(layer("\x1b]0;owned\x07\x1b[2J", "vendor\n\x1b[31m"))
        archive.writestr("config.json", json.dumps(config))
    return path


ATTACKS = [
    *(written(what) for what in CONFIGS),
    Attack("a member above the archive", above, "unpacked by its name", ".keras", REFUSED),
    Attack("a configuration that is deep", deep, "recursion", ".keras", REFUSED),
    Attack("a configuration that unpacks to much", bomb, "memory", ".keras", REFUSED),
    Attack("a configuration of gigabytes", swollen, "memory at once", ".keras", REFUSED),
    Attack("names that command a terminal", escaped, "they are shown", ".keras", REFUSED),
]
