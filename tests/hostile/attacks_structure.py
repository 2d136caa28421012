"""Attacks by structure: fields and offsets that cannot be, cycles, archives that contradict
themselves, links that leave the folder."""

from __future__ import annotations

import io
import os
import struct
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

from .building import (
    GOOD,
    Build,
    archive_of,
    edited,
    good,
    json_edited,
    members,
    texts_replaced,
)
from .harness import Attack

PROTOBUF = (".onnx", ".pb", ".pdmodel", "saved")


def half(data: bytes) -> bytes:
    return data[: len(data) // 2]


def all_but_one(data: bytes) -> bytes:
    return data[:-1]


BROKEN: dict[str, Callable[[bytes], bytes]] = {
    "a field 0": lambda d: d + b"\x02\x01x",
    "a field 0 first": lambda d: b"\x00\x00" + d,
    "a group": lambda d: d + b"\x0b\x0c",
    "wire type 7": lambda d: d + b"\x0f",
    "a number without end": lambda d: d + b"\x08" + b"\xff" * 20,
    "a length behind the file": lambda d: d + b"\x0a\xff\xff\xff\xff\x0f",
    "a length of 2**63": lambda d: d + b"\x0a" + b"\xff" * 9 + b"\x01",
}


def twice(data: bytes) -> bytes:
    """The program twice, so that two readers may take two of them."""
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w") as archive:
        warnings.simplefilter("ignore")
        for name, content in members(data).items():
            archive.writestr(zipfile.ZipInfo(name), content)
            if name.endswith("model.json"):
                archive.writestr(zipfile.ZipInfo(name), content + b" ")
    return out.getvalue()


def encrypted(data: bytes) -> bytes:
    changed = bytearray(data)
    place = data.index(b"PK\x01\x02")
    while place >= 0:
        changed[place + 8] |= 1
        place = data.find(b"PK\x01\x02", place + 1)
    return bytes(changed)


def headers_gone(data: bytes) -> bytes:
    return data.replace(b"PK\x03\x04", b"PK\x03\x05")


def sizes_of_members(data: bytes) -> bytes:
    """Every member says that it has 2 GB."""
    changed = bytearray(data)
    place = data.index(b"PK\x01\x02")
    while place >= 0:
        struct.pack_into("<II", changed, place + 20, 2**31 - 1, 2**31 - 1)
        place = data.find(b"PK\x01\x02", place + 1)
    return bytes(changed)


def climbing(data: bytes) -> bytes:
    """Weights under names that climb out of the folder."""
    return archive_of({n.replace("data/weights/", "data/../../../"): c
                       for n, c in members(data).items()})  # fmt: skip


ARCHIVES: dict[str, Callable[[bytes], bytes]] = {
    "the program twice": twice,
    "members that are encrypted": encrypted,
    "members without headers": headers_gone,
    "members of 2 GB": sizes_of_members,
    "members that climb": climbing,
    "no members": lambda d: archive_of({}),
    "only the end": lambda d: d[d.rindex(b"PK\x05\x06") :],
}


def linked(name: str, suffix: str, target: str | None = None) -> Build:
    """A part of a model that is a link to what lies outside its folder."""

    def build(folder: Path, marker: Path) -> Path:
        path = good(folder, suffix)
        part = (path if path.is_dir() else folder) / name
        outside = folder.parent / "outside"
        outside.mkdir()
        part.rename(outside / part.name)
        part.symlink_to(target or os.path.relpath(outside / part.name, part.parent))
        return path

    return build


def piped(name: str, suffix: str) -> Build:
    """A part of a model that is a pipe."""

    def build(folder: Path, marker: Path) -> Path:
        path = good(folder, suffix)
        part = (path if path.is_dir() else folder) / name
        part.unlink()
        os.mkfifo(part)
        return path

    return build


INDEX, SHARD = "variables/variables.index", "variables/variables.data-00000-of-00001"
PARTS = (
    *(("variables", "saved"), (INDEX, "saved"), (SHARD, "saved")),
    *(("m.pdiparams", ".json"), ("m.pdiparams", ".pdmodel")),
)


def own_input(data: bytes) -> bytes:
    """A node that reads what it makes."""
    return texts_replaced(data, b"h", b"g")


def tflite_words(start: int) -> Callable[[bytes], bytes]:
    """Words that are all ones from a place."""
    return lambda d: d[:start] + b"\xff" * 16 + d[start + 16 :]


def without(data: bytes) -> bytes:
    parts = members(data)
    return archive_of({n: c for n, c in parts.items() if not n.endswith("weight_0")})


def removed(name: str, suffix: str) -> Build:
    def build(folder: Path, marker: Path) -> Path:
        path = good(folder, suffix)
        ((path if path.is_dir() else folder) / name).unlink()
        return path

    return build


ATTACKS = [
    Attack(what, edited(suffix, change), why="the wire format", format=suffix)
    for suffix in PROTOBUF
    for what, change in BROKEN.items()
]
ATTACKS += [
    Attack("half of it", edited(suffix, half), why="truncated", format=suffix)
    for suffix in (*GOOD, ".pdmodel", "saved")
]
ATTACKS += [
    Attack(what, edited(".pt2", change), why="two readers, two files", format=".pt2")
    for what, change in ARCHIVES.items()
]
ATTACKS += [
    Attack(f"{name} is a link that leaves the folder", linked(name, suffix), why="as ONNX refuses",
           format=suffix)
    for name, suffix in PARTS
]  # fmt: skip
ATTACKS += [
    Attack(f"{name} is a pipe", piped(name, suffix), why="opening it waits", format=suffix)
    for name, suffix in PARTS
    if name != "variables"
]
ATTACKS += [
    Attack(f"{name} is gone", removed(name, suffix), why="a part is missing", format=suffix)
    for name, suffix in PARTS
    if name != "variables"
]
ATTACKS += [
    Attack(f"{name} is a device", linked(name, suffix, "/dev/zero"), why="without end",
           format=suffix)
    for name, suffix in PARTS
    if name != "variables"
]  # fmt: skip
ATTACKS += [
    Attack("a node that reads itself", edited(".onnx", own_input), why="a cycle", format=".onnx"),
    Attack("a weight is gone", edited(".pt2", without), why="a member", format=".pt2"),
    *(
        Attack(f"ones at {place}", edited(".tflite", tflite_words(place)), why="offsets",
               format=".tflite")
        for place in (0, 8, 16)
    ),
]  # fmt: skip
ATTACKS += [
    Attack(f"no {key}", json_edited(suffix, lambda d, k=key: d.pop(k) and None), why="a key",
           format=suffix)
    for suffix, key in (
        *((".nnir", k) for k in ("format", "inputs", "operations", "outputs", "values")),
        *((".pt2", k) for k in ("graph_module", "schema_version", "range_constraints")),
        *((".json", k) for k in ("base_code", "program")),
    )
]  # fmt: skip
