"""Files of arrays that a user hands over: `.npy` and `.npz`, without pickles."""

from __future__ import annotations

import lzma
import os
import tokenize
import zipfile
import zlib
from pathlib import Path
from typing import IO

import numpy as np

from nnir.budget import open_file
from nnir.errors import DAMAGE, BadFile

DAMAGED = (*DAMAGE, OSError, EOFError, SyntaxError, tokenize.TokenError)
ARCHIVE_DAMAGED = (
    *DAMAGED,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    NotImplementedError,  # a compression or a version that Python has not
    RuntimeError,  # encrypted
)
MAGIC = np.lib.format.MAGIC_PREFIX
SUFFIX = ".npy"


def read_array(path: Path) -> np.ndarray:
    """The array of an `.npy` file, mapped; BadFile for anything else."""
    try:
        with os.fdopen(open_file(path), "rb") as file:
            magic = file.read(len(MAGIC))
        if magic != MAGIC:
            raise BadFile(f"{str(path)!r} is no .npy file: give one array per input")
        with np.errstate(over="ignore"):
            return np.load(path, mmap_mode="r", allow_pickle=False)
    except DAMAGED as error:
        raise BadFile(f"cannot read {str(path)!r} as .npy: {error}") from None


def read_arrays(path: Path) -> dict[str, np.ndarray]:
    """The arrays of an `.npz` file by name, in its order; BadFile for anything else."""
    try:
        with os.fdopen(open_file(path), "rb") as file, zipfile.ZipFile(file) as archive:
            return {m.filename.removesuffix(SUFFIX): _member(archive, m) for m in _members(archive)}
    except ARCHIVE_DAMAGED as error:
        raise BadFile(f"cannot read {str(path)!r} as .npz: {error}") from None


def _members(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    return [m for m in archive.infolist() if not m.is_dir()]


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> np.ndarray:
    """One array; what its head promises must be there before memory is taken for it."""
    with archive.open(member) as file:
        shape, dtype = _read_head(file)
        promised = int(np.prod(shape, dtype=object)) * dtype.itemsize
        if promised > member.file_size:
            raise ValueError(f"{member.filename} lacks data of {dtype}{list(shape)}")
    with archive.open(member) as file:
        return np.lib.format.read_array(file, allow_pickle=False)


def _read_head(file: IO[bytes]) -> tuple[tuple[int, ...], np.dtype]:
    version = np.lib.format.read_magic(file)
    one = version == (1, 0)
    read = np.lib.format.read_array_header_1_0 if one else np.lib.format.read_array_header_2_0
    shape, _, dtype = read(file)
    return shape, dtype
