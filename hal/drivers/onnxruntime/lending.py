"""Where a session finds the weights of a program.

Those that are views of a file ONNX Runtime maps from there itself. A transposed matrix has no
memory of its own, and would take anonymous memory for as long as the session lives, also where
kernels keep a form of their own: such weights are written to a file that has no name any more once
the session is there. All others are lent to it, and it may copy them.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from nnir.errors import BadFile, DeviceError, summary
from nnir.formats.bits import pack
from nnir.formats.onnx import code_of
from nnir.mapping import DESCRIPTORS, LEAST_MAPPED, place_of, write_array
from nnir.progress import note
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

FOLDER_OPTION = "session.model_external_initializers_file_folder_path"
FIRST_RELEASE = (1, 22)
"""The first that finds files of weights for a model in memory."""


Place = tuple[str, int]
"""A file, and where a weight begins in it."""

Session = TypeVar("Session")
NONE: Mapping[str, Sequence[Packed]] = MappingProxyType({})


@dataclass(frozen=True)
class Packed:
    """A weight as a kernel reads it: `size` bytes at `offset` in the file of the weight, which
    itself is at `origin` there; `key` and `kernel` say whose it is."""

    key: str
    kernel: str
    origin: int
    offset: int
    size: int

    @classmethod
    def of(cls, key: str, text: str, origin: int) -> Packed | None:
        """What an entry of a graph says; None for one of several pieces."""
        kernel, _, numbers = text.rpartition("|")
        offset, size, *_ = map(int, numbers.split(";"))
        return cls(key, kernel, origin, offset, size) if numbers.count(";") == 2 else None

    def is_readable_at(self, place: int) -> bool:
        """Whether kernels may read it, where the weight begins at `place` in its file: they load
        whole registers, which end the process elsewhere. ONNX Runtime writes it anywhere."""
        return (self.offset - self.origin + place) % ALIGNMENT == 0

    def entry_at(self, place: int) -> dict[str, str]:
        """The entry of a graph, where the weight begins at `place` in its file."""
        return {self.key: f"{self.kernel}|{self.offset - self.origin + place};{self.size};0"}


@dataclass
class Loan:
    """Weights as initialisers of a model: `entries` are those of its graph.

    `tensors` borrow the memory of arrays and must outlive the session; `folder` holds the file of
    others until it is made. `is_rooted`: files are named from the root of the system.
    """

    entries: list[bytes]
    tensors: dict[str, onnxruntime.OrtValue]
    folder: Path | None
    is_rooted: bool

    def add_to(self, options: onnxruntime.SessionOptions) -> None:
        """Say in the options of a session where the weights are."""
        if self.tensors:
            options.add_external_initializers(list(self.tensors), list(self.tensors.values()))
        if self.is_rooted:
            options.add_session_config_entry(FOLDER_OPTION, "/")

    def place(self, model: bytes) -> bytes | str:
        """The model as a session takes it: beside the file of weights, where there is one, for
        releases that do not find that for a model in memory."""
        if self.folder is None or self.is_rooted:
            return model
        path = self.folder / "model.onnx"
        path.write_bytes(model)
        return str(path)


def lend_weights(
    runtime: ModuleType,
    weights: Mapping[str, np.ndarray],
    open_session: Callable[[Loan], Session],
    *,
    maps: bool = True,
    packed: Mapping[str, Sequence[Packed]] = NONE,
) -> Session:
    """What makes a session gets the weights of its model; once more, where it fails with those that
    lie in files, as of one that was deleted since.

    `maps`: it may find files that are named from the root, as a model that somebody else wrote may
    not. `packed` are in these files too.
    """
    places = mapped_places(runtime, weights) if maps else {}
    if places:
        try:
            with lending(runtime, weights, places, packed) as loan:
                return open_session(loan)
        except DeviceError as error:
            note(f"onnxruntime gets copies of weights: {summary(error)}")
    with lending(runtime, weights, {}) as loan:
        return open_session(loan)


@contextmanager
def lending(
    runtime: ModuleType,
    weights: Mapping[str, np.ndarray],
    mapped: Mapping[str, Place],
    packed: Mapping[str, Sequence[Packed]] = NONE,
) -> Iterator[Loan]:
    """The weights of a model while a session of it is made, which finds some `mapped`, and beside
    them `packed`."""
    places, is_rooted = dict(mapped), bool(mapped)
    apart = {n: a for n, a in weights.items() if n not in places and not is_borrowed(a)}
    with ExitStack() as stack:
        folder = None
        if sum(a.nbytes for a in apart.values()) >= LEAST:
            try:
                folder = stack.enter_context(temporary_folder())
                offsets = write_aligned(folder / FILE, apart)
            except (OSError, BadFile):  # a full disk: memory must do
                folder = None
            else:
                file = from_root(folder / FILE) if is_rooted else FILE
                places |= {n: (file, offset) for n, offset in offsets.items()}
        entries = []
        for name, array in weights.items():
            file, offset = places.get(name, (FILE, 0))
            forms = packed.get(name, ()) if name in mapped else ()
            more = [form.entry_at(offset) for form in forms if form.is_readable_at(offset)]
            tensor = proto.external_tensor(name, array, file, offset, array.nbytes, more)
            entries.append(proto.initializer(tensor))
        lent = {n: ortvalue(runtime, a) for n, a in weights.items() if n not in places}
        yield Loan(entries, lent, folder, is_rooted)


def mapped_places(runtime: ModuleType, weights: Mapping[str, np.ndarray]) -> dict[str, Place]:
    """Where ONNX Runtime finds those that are views of files, as far as it is worth it."""
    release = tuple(map(int, runtime.__version__.split(".")[:2]))
    if release < FIRST_RELEASE or not DESCRIPTORS.is_dir():
        return {}
    found = {}
    for name, array in weights.items():
        if array.nbytes >= LEAST_MAPPED and precision_of(array.dtype) in NATIVE:
            place = place_of(array)
            if place is not None:
                found[name] = (from_root(DESCRIPTORS / str(place[0])), place[1])
    return found


def from_root(path: Path) -> str:
    return str(path).lstrip("/")


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
