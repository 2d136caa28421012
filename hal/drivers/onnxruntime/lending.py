"""Where a session finds the weights of a program.

Weights that lie aligned in a mapped file are lent to ONNX Runtime where they are. Others (an offset
in a source is anything, a transposed matrix has no memory of its own) would take anonymous memory
for as long as the session lives, also where its kernels keep a form of their own. So they are
written to a file that ONNX Runtime maps itself, gives back as it packs them, and that has no name
any more once the session is there.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from nnir.errors import BadFile
from nnir.formats.bits import pack
from nnir.formats.onnx import code_of
from nnir.mapping import write_array
from nnir.records import dataclass
from nnir.staging import temporary_folder
from nnir.types import precision_of

from . import proto
from .emitter import NATIVE

if TYPE_CHECKING:
    import onnxruntime

LEAST = 1 << 20
"""Bytes of weights below which a file does not pay."""

ALIGNMENT = 64
FILE = "weights"


@dataclass
class Loan:
    """Weights as initialisers of a model: `entries` are those of its graph.

    `tensors` borrow the memory of arrays and must outlive the session; `folder` holds the file of
    the others until it is made.
    """

    entries: list[bytes]
    tensors: dict[str, onnxruntime.OrtValue]
    folder: Path | None

    def add_to(self, options: onnxruntime.SessionOptions) -> None:
        """Say in the options of a session where the weights are."""
        if self.tensors:
            options.add_external_initializers(list(self.tensors), list(self.tensors.values()))

    def place(self, model: bytes) -> bytes | str:
        """The model as a session takes it: beside the file of weights, where there is one, as not
        every release finds that for a model in memory."""
        if self.folder is None:
            return model
        path = self.folder / "model.onnx"
        path.write_bytes(model)
        return str(path)


@contextmanager
def lend_weights(runtime: ModuleType, weights: Mapping[str, np.ndarray]) -> Iterator[Loan]:
    """The weights of a model while a session of it is made."""
    apart = {n: a for n, a in weights.items() if not is_borrowed(a)}
    with ExitStack() as stack:
        folder, offsets = None, {}
        if sum(a.nbytes for a in apart.values()) >= LEAST:
            try:
                folder = stack.enter_context(temporary_folder())
                offsets = write_aligned(folder / FILE, apart)
            except (OSError, BadFile):  # a full disk: memory must do
                offsets = {}
        entries = [
            proto.initializer(proto.external_tensor(n, a, FILE, offsets.get(n, 0), a.nbytes))
            for n, a in weights.items()
        ]
        lent = {n: ortvalue(runtime, a) for n, a in weights.items() if n not in offsets}
        yield Loan(entries, lent, folder if offsets else None)


def is_borrowed(array: np.ndarray) -> bool:
    """Whether ONNX Runtime reads the memory of an array itself."""
    return array.flags.c_contiguous and array.flags.aligned


def write_aligned(path: Path, weights: Mapping[str, np.ndarray]) -> dict[str, int]:
    """Write weights to a new file; where each begins."""
    offsets = {}
    with path.open("xb") as file:
        for name, array in weights.items():
            offsets[name] = -(-file.tell() // ALIGNMENT) * ALIGNMENT
            file.seek(offsets[name])
            write_array(file, array)
    return offsets


def ortvalue(runtime: ModuleType, array: np.ndarray) -> onnxruntime.OrtValue:
    """An OrtValue that borrows an array's memory; unaligned or strided arrays are copied once."""
    if not is_borrowed(array):
        array = np.array(array, order="C")
    if precision_of(array.dtype) in NATIVE:
        return runtime.OrtValue.ortvalue_from_numpy(array)
    raw = pack(array)
    code = code_of(precision_of(array.dtype))
    made = runtime.OrtValue.ortvalue_from_shape_and_type(list(array.shape), code)
    ctypes.memmove(made.data_ptr(), raw.ctypes.data, raw.nbytes)
    return made
