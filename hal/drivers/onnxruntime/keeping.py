"""What a session leaves behind for the next one: its optimised graph, and its weights beside it.

The weights follow the graph as they lie in memory, so that a session that is restored reads them
where the cache is mapped. Graphs with weights of inner graphs, or of element types that NumPy
lacks, are kept in ONNX Runtime's own format, of which each session makes a copy.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from nnir.errors import DAMAGE, DeviceError, NNAdapterError, describe
from nnir.formats.onnx import (
    EXTERNAL,
    GraphProto,
    ModelProto,
    StringStringEntryProto,
    TensorProto,
    precision_of_code,
)
from nnir.formats.wire import (
    encode_block,
    encode_integer,
    fields,
    integers,
    number,
    span,
    text,
)
from nnir.mapping import Span, map_file
from nnir.records import dataclass
from nnir.types import Precision

from .emitter import NATIVE
from .lending import Packed
from .writer import LARGEST

if TYPE_CHECKING:
    import onnxruntime

MAGIC = b"NNAORT1\n"
OWN_FORMAT = b"ORTM"
"""What stands behind the first four bytes of a file in ONNX Runtime's own format."""

ALIGNMENT = 64
WEIGHTS = "nnadapter_kept_weights.bin"
FILE_OPTION = "session.optimized_model_external_initializers_file_name"
SIZE_OPTION = "session.optimized_model_external_initializers_min_size_in_bytes"
LOCATION = b"location"
"""What every weight has in a graph whose data lie in a file: the key of its name."""

PACKED_OPTION = "session.save_external_prepacked_constant_initializers"
PACKED = "prepacked_"
"""What the keys begin with of the forms in which kernels read a weight."""

GROUP = 16
"""So many columns are packed together."""

SMALLEST = "1024"
"""Bytes of weights below which they stay in the graph."""


@dataclass(frozen=True)
class Kept:
    """A model to restore, in two parts: its graph without the weights that lie outside, and what
    stands beside that. These weights by name are views of the cache."""

    beside: bytes
    graph: bytes
    weights: Mapping[str, np.ndarray]
    packed: Mapping[str, Sequence[Packed]]

    @property
    def names_files(self) -> bool:
        """Whether other weights may lie outside too, which a session could find in any file: nobody
        says who wrote the cache."""
        return LOCATION in self.beside or LOCATION in self.graph

    def join(self, entries: Iterable[bytes]) -> bytes:
        """The model with initialisers."""
        return self.beside + encode_block(ModelProto.GRAPH, self.graph + b"".join(entries))


@dataclass(frozen=True)
class Weight:
    """A weight outside of a graph: its type, and where its bytes are among all of them, also in the
    forms that kernels read."""

    code: int
    shape: tuple[int, ...]
    offset: int
    size: int
    packed: tuple[Packed, ...]

    def packed_in(self, size: int) -> list[Packed]:
        """The forms that kernels may read from a file of so many bytes, in place of their own,
        which they make all the same to compare both.

        Kernels do not look at how long these are: so they are those of products of floats alone,
        which MLAS writes with rows or columns in groups.
        """
        if precision_of_code(self.code) != Precision.FLOAT32 or len(self.shape) != 2:
            return []
        rows, columns = self.shape
        least = 4 * max(rows * -(-columns // GROUP), columns * -(-rows // GROUP)) * GROUP
        return [p for p in self.packed if p.size >= least and 0 <= p.offset <= size - p.size]


def set_kept(options: onnxruntime.SessionOptions, folder: Path) -> None:
    """Let a session write its optimised graph and its weights to a folder."""
    options.optimized_model_filepath = str(folder / "program.onnx")
    options.add_session_config_entry(FILE_OPTION, WEIGHTS)
    options.add_session_config_entry(SIZE_OPTION, SMALLEST)
    options.add_session_config_entry(PACKED_OPTION, "1")


def pack_kept(folder: Path) -> list[bytes | memoryview] | None:
    """What a session wrote, in pieces; None where it is to be written in the own format."""
    path = folder / "program.onnx"
    if not path.exists():
        return None
    graph = path.read_bytes()
    outside = outer_weights(graph)
    native = all(precision_of_code(w.code) in NATIVE for w in outside.values())
    if not native or graph.count(WEIGHTS.encode()) != len(outside):
        return None
    head = MAGIC + len(graph).to_bytes(8, "little")
    gap = -(len(head) + len(graph)) % ALIGNMENT
    data = memoryview(map_file(folder / WEIGHTS)) if outside else b""
    return [head, graph, bytes(gap), data]


def set_own_format(options: onnxruntime.SessionOptions, folder: Path) -> None:
    """Let a session write its optimised graph in ONNX Runtime's own format."""
    options.optimized_model_filepath = str(folder / "program.ort")
    options.add_session_config_entry("session.save_model_format", "ORT")


def pack_own_format(folder: Path) -> list[bytes | memoryview]:
    """What a session wrote in its own format; nothing where that is too large."""
    path = folder / "program.ort"
    fits = path.exists() and path.stat().st_size < LARGEST
    return [memoryview(map_file(path))] if fits else []


def unpack_kept(view: bytes | memoryview) -> Kept | bytes:
    """The inverse: a graph and weights, or bytes in the own format; DeviceError for others."""
    view = memoryview(view)
    if view[4:8] == OWN_FORMAT:
        return bytes(view)
    start = len(MAGIC) + 8
    if bytes(view[: len(MAGIC)]) != MAGIC or len(view) < start:
        raise DeviceError("a cache without a program of onnxruntime")
    end = start + int.from_bytes(view[len(MAGIC) : start], "little")
    model = bytes(view[start:end])
    data = view[end + -end % ALIGNMENT :].toreadonly()  # so that it is known to be as in the file
    try:
        beside, graph, outside = split_model(model)
        weights = {n: _array(data, w) for n, w in outside.items()}
    except (NNAdapterError, *DAMAGE) as error:
        raise DeviceError(f"onnxruntime cannot restore this buffer: {describe(error)}") from None
    packed = {n: w.packed_in(len(data)) for n, w in outside.items()}
    return Kept(beside, graph, weights, packed)


def _array(data: memoryview, weight: Weight) -> np.ndarray:
    kind = precision_of_code(weight.code)
    if kind not in NATIVE or weight.offset < 0 or weight.size < 0:
        raise DeviceError(f"a weight of {kind.name} at {weight.offset}")
    part = data[weight.offset : weight.offset + weight.size]
    return np.frombuffer(part, kind.dtype).reshape(weight.shape)


def outer_weights(model: bytes) -> dict[str, Weight]:
    """The initialisers of the main graph whose data lie in another file."""
    return split_model(model)[2]


def split_model(model: bytes) -> tuple[bytes, bytes, dict[str, Weight]]:
    """A model without its graph, the graph without the initialisers whose data lie in another file,
    and these."""
    found: dict[str, Weight] = {}
    beside, graph = list[bytes](), list[bytes]()
    for field, value in fields(model, 0, len(model)):
        if field != ModelProto.GRAPH:
            beside.append(_encode(model, field, value))
            continue
        for inner, part in fields(model, *span(value)):
            outer = _outer_weight(model, span(part)) if inner == GraphProto.INITIALIZER else {}
            found |= outer
            if not outer:
                graph.append(_encode(model, inner, part))
    return b"".join(beside), b"".join(graph), found


def _encode(model: bytes, field: int, value: int | Span) -> bytes:
    """A field of a model or graph as it is there: none of them are numbers of a fixed size."""
    if isinstance(value, int):
        return encode_integer(field, value)
    return encode_block(field, model[slice(*value)])


def _outer_weight(model: bytes, tensor: Span) -> dict[str, Weight]:
    name, code, shape, location = "", 0, list[int](), 0
    entries: dict[str, str] = {}
    for field, value in fields(model, *tensor):
        match field:
            case TensorProto.NAME:
                name = text(model, value)
            case TensorProto.DATA_TYPE:
                code = number(value)
            case TensorProto.DIMS:
                shape += integers(model, value)
            case TensorProto.DATA_LOCATION:
                location = number(value)
            case TensorProto.EXTERNAL_DATA:
                entries |= _entry(model, span(value))
    if location != EXTERNAL:
        return {}
    offset, size = int(entries.get("offset", "0")), int(entries["length"])
    packed = [Packed.of(k, v, offset) for k, v in entries.items() if k.startswith(PACKED)]
    return {name: Weight(code, tuple(shape), offset, size, tuple(filter(None, packed)))}


def _entry(model: bytes, entry: Span) -> dict[str, str]:
    words = {field: text(model, value) for field, value in fields(model, *entry)}
    return {words[StringStringEntryProto.KEY]: words[StringStringEntryProto.VALUE]}
