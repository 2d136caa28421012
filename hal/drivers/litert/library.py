"""LiteRT's own interface in C, as far as it takes to run a model of known sizes.

Interpreters, which are what Python is given, pack the weights anew for each of them. A model that
is compiled here reads them from a file in the form that kernels want, which the first one writes.
Between releases the functions took further arguments: they are used of `RELEASE` alone.
"""

from __future__ import annotations

import functools
import importlib.util
import sys
import weakref
from ctypes import (
    CDLL,
    CFUNCTYPE,
    POINTER,
    Structure,
    byref,
    c_bool,
    c_char_p,
    c_int,
    c_int32,
    c_int64,
    c_size_t,
    c_uint32,
    c_void_p,
    create_string_buffer,
)
from pathlib import Path
from typing import Any

import numpy as np

from nnir.errors import DeviceError
from nnir.installed import version_of

from .arrays import Ends, carrier_of

PACKAGE = "ai_edge_litert"
RELEASE = "2.3."
NAME = "libLiteRt.so"
AXES = 8
"""Tensors have no more."""

ALIGNMENT = 64
BEHIND = 128
"""So many bytes behind its end kernels may read of a tensor."""

KINDS = {"bool": 6, "float16": 10, "float32": 1, "int32": 2, "int64": 4, "int8": 9, "uint8": 3}
"""The numbers of element types."""

INTEGER, LEAST_SEVERITY, SILENT = 2, 25, 4
"""The kind of an option's value, the option that says from where on notes are printed, and that
none are."""

MARK = 0xA5
"""What fills an output before the first run."""

PROCESSOR = 1
"""Which accelerator a model is for."""


class Option(Structure):
    """One of an environment; the kind and the value are 16 bytes together."""

    _fields_ = (("tag", c_int64), ("kind", c_int64), ("value", c_int64))


class Layout(Structure):
    """The sizes of a tensor."""

    _fields_ = (
        ("rank", c_uint32, 7),
        ("has_strides", c_uint32, 1),
        ("sizes", c_int32 * AXES),
        ("strides", c_uint32 * AXES),
    )


class Type(Structure):
    """The element type and the sizes of a tensor."""

    _fields_ = (("kind", c_int), ("layout", Layout))


TAKES: dict[str, tuple[Any, ...]] = {
    "LiteRtCreateEnvironment": (c_int, POINTER(Option), POINTER(c_void_p)),
    "LiteRtCreateModelFromBuffer": (c_void_p, c_void_p, c_size_t, POINTER(c_void_p)),
    "LiteRtCreateOptions": (POINTER(c_void_p),),
    "LiteRtSetOptionsHardwareAccelerators": (c_void_p, c_int),
    "LiteRtCreateOpaqueOptions": (c_char_p, c_void_p, c_void_p, POINTER(c_void_p)),
    "LiteRtAddOpaqueOptions": (c_void_p, c_void_p),
    "LiteRtCreateCompiledModel": (c_void_p, c_void_p, c_void_p, POINTER(c_void_p)),
    "LiteRtGetCompiledModelInputTensorLayout": (c_void_p, c_size_t, c_size_t, POINTER(Layout)),
    "LiteRtGetCompiledModelOutputTensorLayouts": (
        c_void_p, c_size_t, c_size_t, POINTER(Layout), c_bool,
    ),
    "LiteRtCreateTensorBufferFromHostMemory": (
        POINTER(Type), c_void_p, c_size_t, c_void_p, POINTER(c_void_p),
    ),
    "LiteRtRunCompiledModel": (
        c_void_p, c_size_t, c_size_t, POINTER(c_void_p), c_size_t, POINTER(c_void_p),
    ),
}  # fmt: skip
"""The functions that return a status, 0 for success, and their arguments."""

FREES = (
    "LiteRtDestroyCompiledModel",
    "LiteRtDestroyModel",
    "LiteRtDestroyOptions",
    "LiteRtDestroyTensorBuffer",
)


KEEP = CFUNCTYPE(None, c_void_p)(lambda _: None)
"""In place of what frees the text of options: it lives as long as they do."""


class Library:
    """The library, and an environment in it."""

    def __init__(self, path: Path) -> None:
        self.loaded = CDLL(str(path))
        self.functions = {name: getattr(self.loaded, name) for name in (*TAKES, *FREES)}
        for name, takes in TAKES.items():
            self.functions[name].restype, self.functions[name].argtypes = c_int, takes
        for name in FREES:
            self.functions[name].restype, self.functions[name].argtypes = None, (c_void_p,)
        option = Option(tag=LEAST_SEVERITY, kind=INTEGER, value=SILENT)
        self.environment = self.make("LiteRtCreateEnvironment", 1, byref(option))

    def call(self, name: str, *arguments: object) -> None:
        """Call a function; DeviceError where it says that it failed."""
        status = self.functions[name](*arguments)
        if status:
            raise DeviceError(f"litert failed: {name} returned {status}")

    def make(self, name: str, *arguments: object) -> c_void_p:
        """What a function puts into its last argument."""
        made = c_void_p()
        self.call(name, *arguments, byref(made))
        return made


@functools.cache
def open_library() -> Library | None:
    """The library; None where it is not there, or of another release."""
    if not sys.platform.startswith("linux"):
        return None
    if not (version_of("ai-edge-litert") or "").startswith(RELEASE):
        return None
    folder = find_package()
    try:
        return None if folder is None else Library(folder / NAME)
    except (OSError, AttributeError, DeviceError):
        return None


def find_package() -> Path | None:
    """The folder of LiteRT's package, which is not imported; None where there is none."""
    try:
        found = importlib.util.find_spec(PACKAGE)
    except (ImportError, ValueError):
        return None
    places = None if found is None else found.submodule_search_locations
    return Path(places[0]) if places else None


class Compiled:
    """A compiled model with memory for its inputs and outputs, for one thread at a time.

    `data` is the file, `ready` a descriptor of the file of weights, which LiteRT closes.
    """

    def __init__(
        self,
        library: Library,
        data: bytes | memoryview,
        threads: int,
        ready: int,
        ends: Ends,
    ) -> None:
        self.library = library
        self._held: list[Any] = []
        self._freed: list[tuple[Any, c_void_p]] = []
        weakref.finalize(self, _free, self._freed, self._held).atexit = False
        view = np.frombuffer(data, np.uint8)
        model = self._make("LiteRtCreateModelFromBuffer", "LiteRtDestroyModel",
                           library.environment, view.ctypes.data, view.nbytes)  # fmt: skip
        options = self._make("LiteRtCreateOptions", "LiteRtDestroyOptions")
        library.call("LiteRtSetOptionsHardwareAccelerators", options, PROCESSOR)
        words = f"num_threads = {threads}\nweight_cache_file_descriptor = {ready}\n"
        text = create_string_buffer(words.encode())
        more = library.make("LiteRtCreateOpaqueOptions", b"xnnpack", text, KEEP)
        library.call("LiteRtAddOpaqueOptions", options, more)
        self._held += [view, text]
        self.handle = self._make("LiteRtCreateCompiledModel", "LiteRtDestroyCompiledModel",
                                 library.environment, model, options)  # fmt: skip
        shapes = self._shapes(len(ends.inputs), len(ends.outputs))
        types = map(carrier_of, (*ends.inputs, *ends.outputs))
        memory = [memory_of(shape, type_) for shape, type_ in zip(shapes, types, strict=True)]
        self._held += memory
        buffers = [self._buffer(array) for array in memory]
        count = len(ends.inputs)
        self.inputs, self.outputs = memory[:count], memory[count:]
        self._given = (c_void_p * count)(*buffers[:count])
        self._made = (c_void_p * len(self.outputs))(*buffers[count:])
        self._has_run = False

    def _make(self, name: str, free: str, *arguments: object) -> c_void_p:
        made = self.library.make(name, *arguments)
        self._freed.append((self.library.functions[free], made))
        return made

    def _shapes(self, inputs: int, outputs: int) -> list[tuple[int, ...]]:
        given, made = (Layout * inputs)(), (Layout * outputs)()
        for k in range(inputs):
            name = "LiteRtGetCompiledModelInputTensorLayout"
            self.library.call(name, self.handle, 0, k, byref(given[k]))
        name = "LiteRtGetCompiledModelOutputTensorLayouts"
        self.library.call(name, self.handle, 0, outputs, made, False)
        return [tuple(layout.sizes[: layout.rank]) for layout in (*given, *made)]

    def _buffer(self, array: np.ndarray) -> c_void_p:
        type_ = Type(kind=KINDS[array.dtype.name])
        type_.layout.rank = array.ndim
        type_.layout.sizes[: array.ndim] = array.shape
        name, free = "LiteRtCreateTensorBufferFromHostMemory", "LiteRtDestroyTensorBuffer"
        return self._make(name, free, byref(type_), array.ctypes.data, array.nbytes, None)

    def run(self) -> None:
        """Compute `outputs` of what `inputs` hold; DeviceError where that fails.

        A result that was known before, or whose size only a run tells, LiteRT keeps elsewhere, and
        says nothing of it: so the first run finds marks in the outputs, and none after it.
        """
        ends = len(self._given), self._given, len(self._made), self._made
        if not self._has_run:
            for array in self.outputs:
                bytes_of(array)[:] = MARK
        self.library.call("LiteRtRunCompiledModel", self.handle, 0, *ends)
        if not self._has_run:
            if any((bytes_of(array) == MARK).all() for array in self.outputs):
                raise DeviceError("litert failed: a result was not written")
            self._has_run = True


def _free(freed: list[tuple[Any, c_void_p]], held: list[Any]) -> None:
    """Give back what was made, the last first, then what that was made of."""
    while freed:
        free, made = freed.pop()
        free(made)
    held.clear()


def bytes_of(array: np.ndarray) -> np.ndarray:
    return array.reshape(-1).view(np.uint8)


def memory_of(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """An array whose place and room are as LiteRT wants them."""
    size = int(np.prod(shape)) * dtype.itemsize
    whole = np.zeros(size + ALIGNMENT + BEHIND, np.uint8)
    start = -whole.ctypes.data % ALIGNMENT
    return whole[start : start + size].view(dtype).reshape(shape)
