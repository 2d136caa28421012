"""Attacks by what is handed to a model: arrays, partition configs, caches."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np

from .building import Build, good, sparse
from .harness import Attack


def header(text: str) -> bytes:
    """An `.npy` file with this header."""
    padded = text + " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + len(padded).to_bytes(2, "little") + padded.encode() + b"\0" * 64


def numpy_of(shape: str, kind: str = "<f4") -> bytes:
    return header(f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}")


def pickled(path: Path) -> bytes:
    """An array of objects: a pickle by hand that makes a file when it is read."""
    code = b"cos\nsystem\n(S'touch " + str(path).encode() + b"'\ntR."
    text = header("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }")
    return text[:-64] + code


def zipped() -> bytes:
    out = io.BytesIO()
    np.savez(out, x=np.zeros(3))
    return out.getvalue()


def beside(make: Callable[[Path, Path], None], name: str) -> Build:
    """A good model, and something bad beside it."""

    def build(folder: Path, marker: Path) -> Path:
        make(folder / name, marker)
        return good(folder, ".onnx")

    return build


def written(data: bytes) -> Callable[[Path, Path], None]:
    return lambda path, marker: path.write_bytes(data) and None


KINDS: dict[str, Callable[[Path, Path], None]] = {
    "a pipe": lambda path, _: os.mkfifo(path),
    "a device": lambda path, _: path.symlink_to("/dev/zero"),
    "a link to itself": lambda path, _: path.symlink_to(path.name),
    "a folder": lambda path, _: path.mkdir(),
    "20 GB of zeros": lambda path, _: sparse(path, b"") and None,
    "bytes that are no text": written(b"\xff\xfe\x00ABC" * 9),
}
ARRAYS = KINDS | {
    "a pickle": lambda path, marker: path.write_bytes(pickled(marker)) and None,
    "nothing": written(b""),
    "an archive": written(zipped()),
    "huge sizes": written(numpy_of(f"({2**40}, {2**40})")),
    "sizes below 0": written(numpy_of("(-3,)")),
    "a terabyte": written(numpy_of(f"({2**38},)")),
    "sizes that are code": written(numpy_of("(__import__('os').getpid(),)")),
    "a header without end": written(header("{" * 60_000)),
    "a deep header": written(header("(" * 5000 + ")" * 5000)),
    "texts": written(numpy_of("(3,)", "<U4")),
    "records": written(header("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,)}")),
    "times": written(numpy_of("(3,)", "<M8[s]")),
    "a version 9": written(numpy_of("(3,)").replace(b"NUMPY\x01", b"NUMPY\x09")),
}
ATTACKS = [
    Attack(f"an input that is {what}", beside(make, "x.npy"), why="as a file is", format=".npy",
           commands=("run",), extra={"run": ("--input", "x=./x.npy")})
    for what, make in ARRAYS.items()
]  # fmt: skip
ATTACKS += [
    Attack(f"a config that is {what}", beside(make, "rules.txt"), why="as a file is",
           format="partition", commands=("run",), extra={"run": ("--partition", "./rules.txt")})
    for what, make in KINDS.items()
    if what != "20 GB of zeros"
]  # fmt: skip
ATTACKS += [
    Attack(f"a config of {what}", beside(written(text), "rules.txt"), why="grammar",
           format="partition", commands=("run",), extra={"run": ("--partition", "./rules.txt")})
    for what, text in {
        "20 MB": b"ADD\n" * 5_000_000,
        "escapes": b"\x1b[31mADD\n",
        "a NUL": b"ADD\0\n",
        "no operators": b"NOTHING:a:b\n",
        "many parts": b"ADD:" + b":" * 1000,
    }.items()
]  # fmt: skip
ATTACKS += [
    Attack(f"a cache folder that is {what}", beside(make, "cache"), why="as a file is",
           format=".nnc", commands=("run",), extra={"run": ("--cache-dir", "./cache")})
    for what, make in KINDS.items()
    if what in ("a pipe", "a device", "a link to itself", "bytes that are no text")
]  # fmt: skip
