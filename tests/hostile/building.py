"""Pieces that attacks are built of: good files, and edits of what is in them."""

from __future__ import annotations

import io
import json
import os
import shutil
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from .damage import Field, parsed, varint, written
from .starts import SAMPLES, start

Build = Callable[[Path, Path], Path]
GOOD = {
    ".onnx": "net.onnx",
    ".pt2": "net.pt2",
    ".tflite": "net.tflite",
    ".pb": "graph.pb",
    ".json": "pir.json",
    ".nnir": "net.nnir",
}
"""Formats of one file, whose parameters lie in it or beside it."""


def good(folder: Path, suffix: str) -> Path:
    """A good file of a format in a folder, with what belongs to it."""
    if suffix == "saved":
        shutil.copytree(SAMPLES / "saved", folder / "saved")
        return folder / "saved"
    path = folder / f"m{suffix}"
    if suffix == ".pdmodel":
        place = SAMPLES.parent / "paddle"
        shutil.copy(place / "net.pdmodel", path)
        shutil.copy(place / "net.pdiparams", path.with_suffix(".pdiparams"))
        return path
    shutil.copy(SAMPLES / GOOD[suffix], path)
    if suffix == ".json":
        shutil.copy(SAMPLES / "pir.pdiparams", path.with_suffix(".pdiparams"))
    return path


def program_of(path: Path) -> Path:
    """The file that holds the graph."""
    return path / "saved_model.pb" if path.is_dir() else path


def bytes_of(data: bytes, suffix: str) -> Build:
    """A file with these bytes."""

    def build(folder: Path, marker: Path) -> Path:
        path = folder / f"m{suffix}"
        path.write_bytes(data)
        return path

    return build


def edited(suffix: str, change: Callable[[bytes], bytes]) -> Build:
    """A good file whose bytes are changed."""

    def build(folder: Path, marker: Path) -> Path:
        path = good(folder, suffix)
        program = program_of(path)
        program.write_bytes(change(program.read_bytes()))
        return path

    return build


def json_edited(suffix: str, change: Callable[[Any], Any]) -> Build:
    """A good file whose document is changed in place, or for the one that `change` gives."""

    def rewritten(text: bytes) -> bytes:
        document = json.loads(text)
        changed = change(document)
        return json.dumps(document if changed is None else changed).encode()

    changes = {
        ".pt2": lambda data: members_changed(data, {"models/model.json": rewritten}),
        ".nnir": lambda data: graph_changed(data, rewritten),
        ".json": rewritten,
    }
    return edited(suffix, changes[suffix])


def members(data: bytes) -> dict[str, bytes]:
    """The members of an archive."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {i.filename: archive.read(i) for i in archive.infolist()}


def archive_of(parts: Mapping[str, bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    """An archive of members."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name), content, compression)
    return out.getvalue()


def members_changed(data: bytes, changes: Mapping[str, Callable[[bytes], bytes]]) -> bytes:
    """An archive with the members changed whose names end so."""
    parts = members(data)
    for name in parts:
        for end, change in changes.items():
            if name.endswith(end):
                parts[name] = change(parts[name])
    return archive_of(parts)


def graph_changed(data: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """A `.nnir` file with another graph."""
    size = int.from_bytes(data[:8], "little")
    entries = json.loads(data[8 : 8 + size])
    entries["__metadata__"]["nnir"] = change(entries["__metadata__"]["nnir"].encode()).decode()
    header = json.dumps(entries, separators=(",", ":")).encode()
    return len(header).to_bytes(8, "little") + header + data[8 + size :]


def header_changed(data: bytes, change: Callable[[Any], None]) -> bytes:
    """A `.nnir` file with another table of weights."""
    size = int.from_bytes(data[:8], "little")
    entries = json.loads(data[8 : 8 + size])
    change(entries)
    header = json.dumps(entries, separators=(",", ":")).encode()
    return len(header).to_bytes(8, "little") + header + data[8 + size :]


def texts_replaced(data: bytes, old: bytes, new: bytes) -> bytes:
    """Protobuf with one text for another wherever it stands alone."""
    tree = parsed(data)
    assert tree is not None
    _replace(tree, old, new)
    return written(tree)


def _replace(fields: list[Field], old: bytes, new: bytes) -> None:
    for k, (key, kind, value, _) in enumerate(fields):
        if isinstance(value, list) and written(value) != old:
            _replace(value, old, new)
            fields[k] = (key, kind, value, None)
        elif value == old or isinstance(value, list):
            fields[k] = (key, kind, new, None)


def nested(depth: int, key: int) -> bytes:
    """Messages in messages."""
    found = b""
    for _ in range(depth):
        found = varint(key << 3 | 2) + varint(len(found)) + found
    return found


def sparse(path: Path, head: bytes, size: int = 20 << 30) -> Path:
    """A file with a head and a tail of zeros that takes no room on the disk."""
    path.write_bytes(head)
    os.truncate(path, size)
    return path


def sample(name: str) -> bytes:
    """The bytes of a good file."""
    return start(f"samples/{name}")
