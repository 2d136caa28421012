"""Attacks by what a path is: pipes, devices, links, folders, holes, and names that are no names."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

from .building import GOOD, Build, good, program_of, sparse
from .harness import Attack

SUFFIXES = (*GOOD, ".pdmodel", "saved")


def named(folder: Path, suffix: str) -> Path:
    """Where the program of a format lies."""
    if suffix != "saved":
        return folder / f"m{suffix}"
    (folder / "saved").mkdir()
    return folder / "saved" / "saved_model.pb"


def made(suffix: str, make: Callable[[Path], None]) -> Build:
    """Something in the place of the program."""

    def build(folder: Path, marker: Path) -> Path:
        path = named(folder, suffix)
        make(path)
        return path.parent if suffix == "saved" else path

    return build


def pipe(path: Path) -> None:
    os.mkfifo(path)


def link_to_zeros(path: Path) -> None:
    path.symlink_to("/dev/zero")


def loop(path: Path) -> None:
    path.symlink_to(path.name)


def link_to_process(path: Path) -> None:
    path.symlink_to("/proc/self/environ")


def dangling(path: Path) -> None:
    path.symlink_to("nothing")


def folder_of_that_name(path: Path) -> None:
    path.mkdir()


def bound(path: Path) -> None:
    """A socket; its path is limited to 107 bytes, so it is made by its name alone."""
    here = os.open(path.parent, os.O_RDONLY)
    try:
        with socket.socket(socket.AF_UNIX) as made_one:
            made_one.bind(f"/proc/self/fd/{here}/{path.name}")
    finally:
        os.close(here)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def zeros(path: Path) -> None:
    sparse(path, b"")


PLACES: dict[str, tuple[Callable[[Path], None], str]] = {
    "a pipe": (pipe, "opening it waits for a writer"),
    "a device": (link_to_zeros, "reading it never ends"),
    "a link to itself": (loop, "ELOOP"),
    "a file of the process": (link_to_process, "its size is 0 and its content is not"),
    "a link to nothing": (dangling, "ENOENT"),
    "a folder": (folder_of_that_name, "EISDIR"),
    "a socket": (bound, "ENXIO"),
    "an empty file": (empty, "there is nothing to map"),
    "20 GB of zeros": (zeros, "fields that are read one by one"),
}


def with_tail(suffix: str) -> Build:
    """A good file that goes on with 20 GB of zeros."""

    def build(folder: Path, marker: Path) -> Path:
        path = good(folder, suffix)
        os.truncate(program_of(path), 20 << 30)
        return path

    return build


def impossible(name: str) -> Build:
    def build(folder: Path, marker: Path) -> Path:
        return folder / name

    return build


ATTACKS = [
    Attack(f"{name} in place of the program", made(suffix, make), why=why, format=suffix)
    for suffix in SUFFIXES
    for name, (make, why) in PLACES.items()
]
ATTACKS += [
    Attack("a tail of 20 GB", with_tail(suffix), why="a hole costs no room", format=suffix)
    for suffix in SUFFIXES
    if suffix not in (".tflite", ".nnir")
]
ATTACKS += [
    Attack(
        "a NUL in the path",
        impossible("a\0b.onnx"),
        why="ValueError; no command line can hold one",
        format="path",
        commands=("load",),
    ),
    Attack("a name too long", impossible("n" * 300 + ".onnx"), why="ENAMETOOLONG", format="path"),
    Attack("a path too long", impossible("n/" * 4000 + "x.pt2"), why="ENAMETOOLONG", format="path"),
    Attack("a file as a folder", made(".x", empty), why="no format", format="path"),
    Attack("an escape in the path", impossible("\x1b[31mred.onnx"), why="told", format="path"),
    Attack("no text in the path", impossible("\udcff\udc80.onnx"), why="told", format="path"),
]
