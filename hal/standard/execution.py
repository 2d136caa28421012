"""Compilations and executions of the standard."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import NoneType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nnir.errors import BadCall, BadInput, OutOfMemory, describe
from nnir.types import TensorType, precision_of

from ..runtime import compilation as runtime
from ..runtime.fitting import fit_arrays
from ..runtime.steps import Plan
from .arguments import require_a, require_path, show, sizes, whole
from .device import Context
from .handle import Handle, require_kind
from .model import Model
from .types import OperandType

Access = Callable[[Any, OperandType], Any]
"""`access(memory, type)` gives an array or a buffer. For an input it sets `type.dimensions`; for an
output these are set, and what it gives is written to. It may be called more than once. Whatever it
raises is INVALID_PARAMETER, but for MemoryError, which is OUT_OF_MEMORY."""


class Compilation(Handle):
    """NNAdapterCompilation: made by `create`, then finished."""

    def __init__(
        self,
        inner: runtime.Compilation,
        context: Context,
        gears: list[tuple[tuple[int, ...], ...]],
    ) -> None:
        self.runtime = inner
        self.context = context
        self.gears = gears

    @classmethod
    def create(
        cls,
        model: Model | None,
        cache_token: str | None,
        cache_buffer: bytes | None,
        cache_dir: str | None,
        context: Context,
    ) -> Compilation:
        """A compilation; nothing is compiled yet.

        The cases of the standard: token and buffer restore from memory; token and folder look for
        `<cache_dir>/<cache_token>.nnc` and write it where it is missing or of no use; without
        them the model is compiled. `model` may be None where a cache is given; a cache does not
        hold gears (`OperandType.dynamic`), so that the inputs then take any size.
        """
        require_kind(context, Context, "the context")
        require_a("the cache token", cache_token, str, NoneType)
        require_path("the cache token", cache_token)
        require_path("the cache folder", cache_dir)
        buffer = _cache(cache_buffer)
        graph = None
        if model is not None:
            require_kind(model, Model, "the model")
            graph = model.finished_graph()
        inner = runtime.Compilation(
            graph,
            context.runtime,
            cache_token=cache_token or "",
            cache_buffer=buffer if cache_token else None,
            cache_dir=cache_dir if cache_token else None,
        )
        ends = (model.inputs or []) if model is not None else []
        return cls(inner, context, [operand.declared.dynamic for operand in ends])

    def finish(self) -> None:
        """Compile, or restore from the cache; once, and before the context is destroyed."""
        self.require()
        self.context.require()
        self.runtime.finish()

    def plan(self) -> Plan:
        """The programs; INVALID_PARAMETER before `finish` and after the context was destroyed."""
        self.require()
        self.context.require()
        return self.runtime.finished()

    def query_inputs_and_outputs(self) -> tuple[list[OperandType], list[OperandType]]:
        """The types of the ends in order."""
        self.require()
        self.runtime.finished()
        ends = (self.runtime.inputs, self.runtime.outputs)
        types = [[OperandType.of(t) for _, t in end] for end in ends]
        return types[0], types[1]

    def destroy(self) -> None:
        """Give back the programs. Again does nothing."""
        if self._end():
            self.runtime.close()


class Execution(Handle):
    """NNAdapterExecution: made by `create`."""

    def __init__(self, compilation: Compilation) -> None:
        self._compilation = compilation
        inner = compilation.runtime
        self._inputs: list[tuple[Any, Access] | None] = [None] * len(inner.inputs)
        self._outputs: list[tuple[Any, Access] | None] = [None] * len(inner.outputs)

    @classmethod
    def create(cls, compilation: Compilation) -> Execution:
        """One way of running a finished compilation."""
        require_kind(compilation, Compilation, "the compilation")
        compilation.plan()
        return cls(compilation)

    def destroy(self) -> None:
        """Give the execution back. Again does nothing."""
        self._end()

    def set_input(self, index: int, memory: ArrayLike, access: Access) -> None:
        """Bind memory to an input; binding it again replaces it."""
        self._bind(self._inputs, index, memory, access, "input")

    def set_output(self, index: int, memory: ArrayLike, access: Access) -> None:
        """Bind memory to an output; binding it again replaces it."""
        self._bind(self._outputs, index, memory, access, "output")

    def _bind(
        self,
        ends: list[tuple[Any, Access] | None],
        index: int,
        memory: ArrayLike,
        access: Access,
        what: str,
    ) -> None:
        self.require()
        if not 0 <= whole(what, index) < len(ends):
            raise BadCall(f"{what} {show(index)} of {len(ends)}")
        require_a(f"the accessor of {what} {index}", access, Callable)  # type: ignore[arg-type]
        ends[index] = memory, access

    def compute(self) -> None:
        """Run once. INVALID_DIMENSIONS where the inputs do not fit the program."""
        self.require()
        plan = self._compilation.plan()
        ends = self._compilation.runtime
        bound = [*self._inputs, *self._outputs]
        if missing := bound.count(None):
            raise BadCall(f"{missing} of {len(bound)} inputs and outputs are not set")
        try:
            arrays = [_read(e, t) for e, (_, t) in zip(self._inputs, ends.inputs, strict=True) if e]
            for k, (array, gears) in enumerate(zip(arrays, self._compilation.gears, strict=False)):
                if gears and array.shape not in gears:
                    raise BadInput(f"input {k} of shape {list(array.shape)}: gears are {gears}")
            results = plan.run(fit_arrays(arrays, ends.inputs, ends.ranges))
            for end, result in zip(self._outputs, results, strict=True):
                if end:
                    _write(end, result)
        except MemoryError as error:
            raise OutOfMemory(f"inputs or results do not fit in memory: {error}") from None


def _read(end: tuple[Any, Access], wanted: TensorType) -> np.ndarray:
    """The array behind an input."""
    type = OperandType.of(wanted)
    array = _access(end, type, "input")
    shape = sizes("the dimensions that an accessor left", type.dimensions)
    length = math.prod(shape) * wanted.dtype.itemsize
    if min(shape, default=0) < 0 or array.nbytes != length:
        raise BadInput(f"an input of {array.nbytes} bytes for {show(list(shape))}")
    if not wanted.rank and shape == (1,):
        shape = ()
    try:
        return array.view(wanted.dtype).reshape(shape)
    except (ValueError, OverflowError):  # more axes than NumPy has, or sizes beside a 0
        raise BadInput(f"an input of dimensions {show(list(shape))}, not {wanted}") from None


def _write(end: tuple[Any, Access], result: np.ndarray) -> None:
    """Copy a result to where the accessor says."""
    type = OperandType.of(TensorType(precision_of(result.dtype), result.shape))
    target = _access(end, type, "output")
    if target.nbytes != result.nbytes or not target.flags.writeable:
        raise BadCall(f"the memory of an output has {target.nbytes} bytes, not {result.nbytes}")
    target[:] = np.ascontiguousarray(result).reshape(-1).view(np.uint8)


def _access(end: tuple[Any, Access], type: OperandType, what: str) -> np.ndarray:
    """The bytes that the accessor of an end gives; BadCall in words where it raises."""
    memory, access = end
    try:
        given = access(memory, type)
    except MemoryError:
        raise
    except Exception as error:  # the accessor is the caller's code, and C knows no exceptions
        raise BadCall(f"the accessor of an {what} raised {describe(error)}") from error
    return _bytes(given, what)


def _cache(given: Any) -> bytes | None:
    """A cache in memory, which only bytes hold as they are; None where there is none."""
    if given is None or isinstance(given, bytes):
        return given
    return _bytes(given, "cache").tobytes()


def _bytes(given: Any, what: str) -> np.ndarray:
    """A view of the bytes of an array or a buffer."""
    if isinstance(given, np.ndarray) and not given.flags.c_contiguous:
        raise BadCall(f"the memory of the {what} is not contiguous")
    try:
        if isinstance(given, np.ndarray):
            return given.reshape(-1).view(np.uint8)
        return np.frombuffer(given, np.uint8)
    except (TypeError, ValueError, BufferError) as error:
        raise BadCall(f"the memory of the {what}: {error}") from None
