"""A driver in C as a device."""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from nnir.dim import Expr
from nnir.errors import (
    BadCall,
    BadInput,
    DeviceError,
    NNAdapterError,
    NoDevice,
    NoLowering,
    OutOfMemory,
    Result,
    Unsupported,
)
from nnir.model import Model
from nnir.records import dataclass
from nnir.refusals import refusal_of
from nnir.types import DeviceType, TensorType

from ...device import Cache, Callback, Device
from ...emission import require_lowered
from . import structures as c
from .view import HOST, View, set_dimensions, shape_of

SYMBOL = "__nnadapter_device__"
NEEDED = (
    *("open_device", "close_device", "create_context", "destroy_context"),
    "create_program",
    "destroy_program",
    "execute_program",
)
"""What a driver must have; without `validate_program` it takes no part in a split model."""


def driver_of(name: str, path: Path) -> type[Device]:
    """The device that a library offers; NoDevice for one that offers none or another version."""
    try:
        table = c.Driver.in_dll(ctypes.CDLL(str(path)), SYMBOL + name)
    except (OSError, ValueError) as error:
        raise NoDevice(f"{path} is no driver of {name!r}: {error}") from None
    if table.abi != c.ABI:
        raise NoDevice(f"{path} is of version {table.abi} of the driver interface, not {c.ABI}")
    try:
        kind, vendor = DeviceType(table.type), table.vendor.decode()
    except (ValueError, AttributeError) as error:
        raise NoDevice(f"{path} has a damaged description: {error}") from None
    if missing := [n for n in NEEDED if not getattr(table, n)]:
        raise NoDevice(f"{path} has no {', '.join(missing)}")
    state = path.stat()
    build = f"{state.st_size} {state.st_mtime_ns}"  # drivers forget to raise their version
    members = {"table": table, "name": name, "vendor": vendor, "build": lambda _: build}
    more = {"type": kind, "version": table.version, "__doc__": f"The driver in {path}."}
    return type("NativeDriver", (Native,), members | more)


RAISED: dict[int, type[NNAdapterError]] = {
    Result.OUT_OF_MEMORY: OutOfMemory,
    Result.INVALID_DIMENSIONS: BadInput,
    Result.INVALID_PARAMETER: BadCall,
    Result.DEVICE_NOT_FOUND: NoDevice,
    Result.FEATURE_NOT_SUPPORTED: NoLowering,
}


@dataclass
class Context:
    """The driver's own context, and the callback, which must outlive it."""

    handle: ctypes.c_void_p
    held: Any


@dataclass
class Program:
    """The driver's own program, the types of its ends, and the constants it may still read."""

    handle: ctypes.c_void_p
    inputs: Sequence[TensorType]
    outputs: Sequence[TensorType]
    held: Any


class Native(Device):
    """A driver in C; one subclass for each library."""

    table: ClassVar[Any]
    takes_quantised = True

    def open_device(self) -> None:
        self.handle = ctypes.c_void_p()
        code = self.table.open_device(ctypes.byref(HOST), ctypes.byref(self.handle))
        if code:
            raise NoDevice(f"driver {self.name!r} does not open: {_describe_code(code)}")

    def close_device(self) -> None:
        self.table.close_device(self.handle)

    def create_context(self, properties: Mapping[str, str], callback: Callback | None) -> Context:
        told = c.CALLBACK(_guard(callback))
        made = ctypes.c_void_p()
        text = "".join(f"{key}={properties[key]};" for key in properties).encode()
        self._check(
            self.table.create_context(self.handle, text, told, None, ctypes.byref(made)),
            "creating a context",
        )
        return Context(made, told)

    def destroy_context(self, context: Context) -> None:
        self.table.destroy_context(context.handle)

    def explain_program(self, context: Context, model: Model) -> list[str | None]:
        with View(model) as view:
            return self._reasons(context, model, view)

    def _reasons(self, context: Context, model: Model, view: View) -> list[str | None]:
        if not self.table.validate_program:
            raise Unsupported(f"driver {self.name!r} does not say what it runs")
        answers = (ctypes.c_uint8 * max(1, len(view.places)))()
        code = self.table.validate_program(context.handle, view.number, answers)
        self._check(code, "validating")
        reasons = list(view.reasons)
        for place, ok in zip(view.places, answers, strict=False):
            if not ok:
                reasons[place] = f"{self.name} does not run {_describe_operation(model, place)}"
        return reasons

    def create_program(self, context: Context, model: Model | None, cache: Cache | None) -> Program:
        if model is None:
            return self._restore(context, cache)
        with View(model) as view:
            asked = bool(self.table.validate_program)
            found = self._reasons(context, model, view) if asked else view.reasons
            refused = [
                refusal_of(why, operation)
                for operation, why in zip(model.operations, found, strict=False)
                if why
            ]
            require_lowered(Counter(filter(None, found)), refusals=refused)
            kept: list[bytes] = []
            buffer = _buffer(cache is not None, kept)
            made = ctypes.c_void_p()
            code = self.table.create_program(
                context.handle, view.number, ctypes.byref(buffer), ctypes.byref(made)
            )
        self._check(code, "compiling")
        if cache is not None and kept:
            cache.buffer = kept[-1]
        ends = [[v.type for v in values] for values in (model.inputs, model.outputs)]
        return Program(made, ends[0], ends[1], view)

    def _restore(self, context: Context, cache: Cache | None) -> Program:
        if cache is None or not cache.buffer:
            raise DeviceError(f"a cache without a program of {self.name}")
        buffer = _buffer(False, [])
        buffer.buffer, buffer.length = cache.buffer, len(cache.view)
        made = ctypes.c_void_p()
        code = self.table.create_program(
            context.handle, None, ctypes.byref(buffer), ctypes.byref(made)
        )
        if code:
            raise DeviceError(
                f"driver {self.name!r} does not take the cache: {_describe_code(code)}"
            )
        return Program(made, cache.inputs, cache.outputs, None)

    def destroy_program(self, program: Program) -> None:
        self.table.destroy_program(program.handle)

    def execute_program(
        self,
        program: Program,
        inputs: Sequence[np.ndarray],
        outputs: Sequence[np.ndarray | None] = (),
    ) -> list[np.ndarray]:
        ends = Ends(program, inputs, outputs)
        code = self.table.execute_program(
            program.handle, len(ends.inputs), ends.inputs, len(ends.outputs), ends.outputs
        )
        if ends.failure is not None:
            raise ends.failure
        self._check(code, "running")
        missing = [k for k, result in enumerate(ends.results) if result is None]
        if missing:
            raise DeviceError(f"driver {self.name!r} made no output {missing[0]}")
        return [r for r in ends.results if r is not None]

    def _check(self, code: int, what: str) -> None:
        """Raise the error that a result code stands for."""
        if code == Result.NO_ERROR:
            return
        raise RAISED.get(code, DeviceError)(
            f"driver {self.name!r} failed in {what}: {_describe_code(code)}"
        )


class Ends:
    """The arguments of one execution; what goes wrong in an accessor is kept in `failure`."""

    def __init__(
        self,
        program: Program,
        inputs: Sequence[np.ndarray],
        offered: Sequence[np.ndarray | None],
    ) -> None:
        self.arrays = [np.ascontiguousarray(a) for a in inputs]
        self.types = program.outputs
        self.offered = [*offered, *[None] * (len(program.outputs) - len(offered))]
        self.results: list[np.ndarray | None] = [None] * len(program.outputs)
        self.failure: NNAdapterError | None = None
        self._reads, self._writes = c.ACCESS(self._read), c.ACCESS(self._write)
        self.inputs = _arguments(self._reads, len(inputs))
        self.outputs = _arguments(self._writes, len(program.outputs))

    def _read(self, memory: int, type: Any) -> int | None:
        try:
            array = self.arrays[range(len(self.arrays))[memory - 1]]
            set_dimensions(type[0], array.shape)
        except (NNAdapterError, LookupError, TypeError) as error:
            self.failure = DeviceError(f"an input: {error}")
            return None
        return array.ctypes.data

    def _write(self, memory: int, type: Any) -> int | None:
        """Where an output goes: the array of the caller where it fits, else a new one."""
        try:
            place = range(len(self.types))[memory - 1]
            array = self._array(self.types[place], place, type[0])
        except (NNAdapterError, MemoryError, LookupError, TypeError, ValueError) as error:
            self.failure = DeviceError(f"an output: {error}")
            return None
        self.results[place] = array
        return array.ctypes.data

    def _array(self, wanted: TensorType, place: int, type: c.OperandType) -> np.ndarray:
        """Asked again, the same memory: a driver may have begun to write there."""
        shape = shape_of(type)
        if type.precision != wanted.precision or shape != _shown_shape(wanted, shape):
            raise DeviceError(f"precision {type.precision} of shape {list(shape)}, not {wanted}")
        shape = shape if wanted.rank else ()
        before, offered = self.results[place], self.offered[place]
        if before is not None:
            if before.shape != shape:
                raise DeviceError(f"shape {list(shape)} after {list(before.shape)}")
            return before
        if offered is not None and offered.shape == shape and offered.dtype == wanted.dtype:
            flags = offered.flags
            if flags.c_contiguous and flags.writeable and flags.aligned:
                return offered
        return np.empty(shape, wanted.dtype)


def _shown_shape(type: TensorType, shape: tuple[int, ...]) -> tuple[int, ...] | None:
    """The shape that C must give: sizes that are not known are those of `shape`."""
    known = type.shape or (1,)
    if len(known) != len(shape):
        return None
    return tuple(n if isinstance(d, Expr) else d for d, n in zip(known, shape, strict=True))


def _guard(callback: Callback | None) -> Callable[[int, Any], int]:
    """A callback as C calls it: one that raises or answers with no number has failed."""

    def call_back(event: int, _: object) -> int:
        if callback is None:
            return int(Result.NO_ERROR)
        try:
            return int(callback(event, None))
        except Exception:  # noqa: BLE001  # C knows no exceptions
            return int(Result.DEVICE_INTERNAL_ERROR)

    return call_back


def _arguments(access: Any, count: int) -> Any:
    """Arguments whose memory is their position plus 1, as 0 would be a null pointer."""
    return (c.Argument * count)(*(c.Argument(k, k + 1, access) for k in range(count)))


def _buffer(wanted: bool, kept: list[bytes]) -> c.CacheBuffer:
    """A cache for a driver; what it stores goes to `kept`."""
    store = c.STORE(lambda _, data, size: kept.append(ctypes.string_at(data, size)))
    return c.CacheBuffer(None, 0, int(wanted), None, store)


def _describe_operation(model: Model, place: int) -> str:
    operation = model.operations[place]
    types = ", ".join("none" if v is None else str(v.type) for v in operation.inputs)
    return f"{operation.operator.name} of {types}"


def _describe_code(code: int) -> str:
    return Result(code).name if code in list(Result) else f"result code {code}"
