"""The good files that mutations begin with, how each format is damaged, and how it is loaded."""

from __future__ import annotations

import functools
import io
import json
import random
import shutil
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .damage import (
    bytes_changed,
    code_changed,
    is_json,
    json_changed,
    message_changed,
    parsed,
    written,
    zip_changed,
)

DATA = Path(__file__).parents[1] / "data"
SAMPLES = DATA / "samples"
Change = Callable[[bytes, random.Random], bytes]


@dataclass(frozen=True)
class Format:
    """A format: what makes a damaged file in a folder, and what loads it.

    `load` may return None for what is read and is no model.
    """

    name: str
    damaged: Callable[[Path, random.Random], Any]
    load: Callable[[Any], Any]

    def warm(self) -> None:
        """Import what loading needs, so that forks begin with it."""
        import conformance.verifying.verify  # noqa: F401
        import frontends.nnrt.reading.reader
        import frontends.onnx.reading.reader
        import frontends.paddle.reading.legacy.reader
        import frontends.tensorflow.reading.saved_model
        import frontends.tflite.reading.reader
        import frontends.torch.reading.reader
        import frontends.torch.script.translator  # noqa: F401
        import nnadapter.sources
        from nnir import archive  # noqa: F401

        for name, frontend in nnadapter.sources.frontends().items():
            if name:
                _ = frontend.TABLE
        if self.name == "nnc":
            cache_start()


def _load(source: Any) -> Any:
    import nnadapter

    return nnadapter.load(source)


@functools.cache
def start(name: str) -> bytes:
    """The bytes of a good file."""
    return (DATA / name).read_bytes()


def mixed(values: Change, share: float = 0.7) -> Change:
    """Mostly changes of values, else changes of bytes."""

    def change(data: bytes, r: random.Random) -> bytes:
        return values(data, r) if r.random() < share else bytes_changed(data, r)

    return change


def in_memory(name: str, files: tuple[str, ...], change: Change) -> Format:
    """A format that is loaded from bytes."""
    return Format(name, lambda _, r: change(start(r.choice(files)), r), _load)


def one_file(name: str, files: tuple[str, ...], suffix: str, change: Change) -> Format:
    """A format that is loaded from a path."""

    def damaged(folder: Path, r: random.Random) -> Path:
        path = folder / f"m{suffix}"
        path.write_bytes(change(start(r.choice(files)), r))
        return path

    return Format(name, damaged, _load)


def nnir_changed(data: bytes, r: random.Random) -> bytes:
    """A `.nnir` file whose graph or table of weights says something else."""
    size = int.from_bytes(data[:8], "little")
    entries = json.loads(data[8 : 8 + size])
    if r.random() < 0.8:
        graph = entries["__metadata__"]["nnir"].encode()
        entries["__metadata__"]["nnir"] = json_changed(graph, r).decode()
        header = json.dumps(entries, separators=(",", ":")).encode()
    else:
        header = json_changed(data[8 : 8 + size], r)
        if not header.startswith(b'{"'):
            header = b'{"__metadata__":{"nnir":""},' + header[1:]
        header = header.replace(b'{"__metadata__": ', b'{"__metadata__":', 1).replace(
            b'{"nnir": ', b'{"nnir":', 1
        )
    return len(header).to_bytes(8, "little") + header + data[8 + size :]


PROGRAM: dict[str, Change] = {
    "models/model.json": mixed(json_changed, 0.9),
    "_config.json": mixed(json_changed, 0.9),
    "weight_0": bytes_changed,
}


def pt2_changed(data: bytes, r: random.Random) -> bytes:
    return zip_changed(data, r, PROGRAM)


SCRIPT: dict[str, Change] = {
    ".py": mixed(code_changed, 0.95),
    "data.pkl": bytes_changed,
    "constants.pkl": bytes_changed,
    "traced_inputs.pkl": bytes_changed,
}


def script_changed(data: bytes, r: random.Random) -> bytes:
    return zip_changed(data, r, SCRIPT)


SAVED: dict[str, Change] = {
    "saved_model.pb": mixed(message_changed),
    "variables/variables.index": bytes_changed,
    "variables/variables.data-00000-of-00001": bytes_changed,
}


def saved_model(folder: Path, r: random.Random) -> Path:
    """A SavedModel with one of its files damaged."""
    root = folder / "saved"
    if not root.exists():
        shutil.copytree(SAMPLES / "saved", root)
    name, change = r.choices([*SAVED.items()], (8, 2, 1))[0]
    for path in SAVED:
        good = start(f"samples/saved/{path}")
        (root / path).write_bytes(change(good, r) if path == name else good)
    return root


NO_MEANING = (b"op_device", b"op_namescope", b"op_role", b"op_role_var", b"with_quant_attr")


@functools.cache
def trimmed(name: str) -> bytes:
    """A good program of Paddle without the attributes that mean nothing, which are most of it."""
    data = start(name)
    if not name.endswith(".pdmodel"):
        return data
    tree = parsed(data) or []
    for block in (k for k, field in enumerate(tree) if field[0] == 1):
        ops = [
            (4, 2, [f for f in op if f[0] != 4 or f[2][0][2] not in NO_MEANING], None)
            if key == 4
            else (key, kind, op, whole)
            for key, kind, op, whole in tree[block][2]
        ]
        tree[block] = (1, 2, ops, None)
    return written(tree)


def with_parameters(
    name: str, stems: tuple[str, ...], suffix: str, change: Change, share: float = 0.85
) -> Format:
    """A program of Paddle with its parameters; one of both is damaged."""

    def damaged(folder: Path, r: random.Random) -> Path:
        stem = r.choice(stems)
        program, values = folder / f"m{suffix}", folder / "m.pdiparams"
        parts = (trimmed(stem + suffix), start(f"{stem}.pdiparams"))
        is_program = r.random() < share
        program.write_bytes(change(parts[0], r) if is_program else parts[0])
        values.write_bytes(parts[1] if is_program else bytes_changed(parts[1], r))
        return program

    return Format(name, damaged, _load)


def external(folder: Path, r: random.Random) -> Path:
    """An ONNX model whose weights lie beside it."""
    path = folder / "external.onnx"
    (folder / "external.data").write_bytes(start("samples/external.data"))
    path.write_bytes(mixed(message_changed)(start("samples/external.onnx"), r))
    return path


def array(folder: Path, r: random.Random) -> Path:
    """An input of `run`."""
    import numpy as np

    path = folder / "x.npy"
    np.save(path, np.arange(6, dtype=np.float32).reshape(2, 3))
    path.write_bytes(bytes_changed(path.read_bytes(), r))
    return path


def _read_array(path: Path) -> None:
    from nnadapter.arrays import read_array

    read_array(path).sum()


def samples(folder: Path, r: random.Random) -> Path:
    """Calibration data of `quantize`."""
    import numpy as np

    path = folder / "x.npz"
    rows = np.arange(12, dtype=np.float32).reshape(2, 6)
    (np.savez if r.random() < 0.7 else np.savez_compressed)(path, x=rows, mask=rows > 3)
    good = path.read_bytes()
    is_inside = r.random() < 0.6
    path.write_bytes(zip_changed(good, r, SAMPLES_INSIDE) if is_inside else bytes_changed(good, r))
    return path


def _read_samples(path: Path) -> None:
    from nnadapter.arrays import read_arrays

    for each in read_arrays(path).values():
        each.sum()


SAMPLES_INSIDE: dict[str, Change] = {"x.npy": bytes_changed, "mask.npy": bytes_changed}
KERAS: dict[str, Change] = {
    "config.json": mixed(json_changed, 0.9),
    "metadata.json": mixed(json_changed),
    "model.weights.h5": bytes_changed,
}


@functools.cache
def keras_start() -> bytes:
    """An archive of Keras with few bytes of weights, which are not read without trust."""
    with zipfile.ZipFile(SAMPLES / "net.keras") as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name), content[:512] if "h5" in name else content)
    return out.getvalue()


def keras(folder: Path, r: random.Random) -> Path:
    """A damaged archive of Keras; nobody trusts it."""
    path = folder / "m.keras"
    good = keras_start()
    is_inside = r.random() < 0.7
    path.write_bytes(zip_changed(good, r, KERAS) if is_inside else bytes_changed(good, r))
    return path


@functools.cache
def cache_start() -> bytes:
    """A compiled program as it is kept."""
    import nnadapter

    with tempfile.TemporaryDirectory() as folder:
        model = nnadapter.load(start("samples/net.onnx"))
        nnadapter.compile(model, "builtin", cache_token="m", cache_dir=folder)
        return (Path(folder) / "m.nnc").read_bytes()


def cache_changed(_: Path, r: random.Random) -> bytes:
    """A compiled program that is damaged, mostly below a checksum that is right."""
    from hal.runtime import nnc

    good = cache_start()
    if r.random() < 0.1:
        return bytes_changed(good, r)
    parts = {key: bytes(value) for key, value in nnc.unpack(good).items()}
    key = r.choice([*parts])
    if key.endswith("buffer"):
        parts[key] = nnir_changed(parts[key], r) if r.random() < 0.8 else parts[key][::-1]
    elif r.random() < 0.1:
        del parts[key]
    elif is_json(parts[key]) and r.random() < 0.7:
        parts[key] = json_changed(parts[key], r)
    else:
        parts[key] = bytes_changed(parts[key], r)
    return b"".join(nnc.pack(parts))


def _restore(data: bytes) -> None:
    import nnadapter

    nnadapter.compile(None, "builtin", cache_token="m", cache_buffer=data)


ALL: tuple[Format, ...] = (
    in_memory("onnx", ("samples/net.onnx",), mixed(message_changed)),
    Format("external", external, _load),
    in_memory("pt2", ("samples/net.pt2",), mixed(pt2_changed, 0.85)),
    in_memory("script", ("samples/net.pt",), mixed(script_changed, 0.9)),
    Format("saved_model", saved_model, _load),
    one_file("graphdef", ("samples/graph.pb",), ".pb", mixed(message_changed)),
    in_memory("tflite", ("samples/net.tflite",), bytes_changed),
    in_memory("nnrt", ("samples/net.nnrt",), bytes_changed),
    with_parameters("pir", ("samples/pir",), ".json", mixed(json_changed, 0.8)),
    with_parameters(
        "pdmodel",
        tuple(f"paddle/{n}" for n in ("branches", "loops", "net")),
        ".pdmodel",
        mixed(message_changed),
    ),
    in_memory("nnir", ("samples/net.nnir",), mixed(nnir_changed)),
    Format("keras", keras, _load),
    Format("nnc", cache_changed, _restore),
    Format("npy", array, _read_array),
    Format("npz", samples, _read_samples),
)
FORMATS = {f.name: f for f in ALL}
