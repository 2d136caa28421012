"""Compilations and executions of the standard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nnir.errors import BadCall, BadInput, OutOfMemory
from nnir.types import TensorType, precision_of

from ..runtime import compilation as runtime
from ..runtime.fitting import fitted
from .device import Context
from .handle import Handle, require_kind
from .model import Model
from .types import OperandType

Access = Callable[[Any, OperandType], Any]
"""`access(memory, type)` gives an array or a buffer. For an input it sets `type.dimensions`; for an
output these are set, and what it gives is written to. It may be called more than once."""


class Compilation(Handle):
    """NNAdapterCompilation: made by `create`, then finished."""

    def __init__(self, inner: runtime.Compilation, gears: list[tuple[tuple[int, ...], ...]]):
        self.runtime = inner
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
        them the model is compiled. `model` may be None where a cache is given.
        """
        require_kind(context, Context, "the context")
        graph = None
        if model is not None:
            require_kind(model, Model, "the model")
            graph = model.finished_graph()
        inner = runtime.Compilation(
            graph,
            context.runtime,
            cache_token=cache_token or "",
            cache_buffer=cache_buffer if cache_token else None,
            cache_dir=cache_dir if cache_token else None,
        )
        return cls(inner, [o.declared.dynamic for o in (model.inputs or [])] if model else [])

    def finish(self) -> None:
        """Compile, or restore from the cache; once."""
        self.require()
        self.runtime.finish()

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
        compilation.runtime.finished()
        return cls(compilation)

    def destroy(self) -> None:
        """Give the execution back. Again does nothing."""
        self._end()

    def set_input(self, index: int, memory: Any, access: Access) -> None:
        """Bind memory to an input; binding it again replaces it."""
        self._bind(self._inputs, index, memory, access, "input")

    def set_output(self, index: int, memory: Any, access: Access) -> None:
        """Bind memory to an output; binding it again replaces it."""
        self._bind(self._outputs, index, memory, access, "output")

    def _bind(
        self,
        ends: list[tuple[Any, Access] | None],
        index: int,
        memory: Any,
        access: Access,
        what: str,
    ) -> None:
        self.require()
        if not isinstance(index, int) or not 0 <= index < len(ends):
            raise BadCall(f"{what} {index!r} of {len(ends)}")
        if not callable(access):
            raise BadCall(f"the accessor of {what} {index} is {access!r:.80}")
        ends[index] = memory, access

    def compute(self) -> None:
        """Run once. INVALID_DIMENSIONS where the inputs do not fit the program."""
        self.require()
        plan = self._compilation.runtime.finished()
        ends = self._compilation.runtime
        bound = [*self._inputs, *self._outputs]
        if missing := bound.count(None):
            raise BadCall(f"{missing} of {len(bound)} inputs and outputs are not set")
        arrays = [_read(e, t) for e, (_, t) in zip(self._inputs, ends.inputs, strict=True) if e]
        for k, (array, gears) in enumerate(zip(arrays, self._compilation.gears, strict=False)):
            if gears and array.shape not in gears:
                raise BadInput(f"input {k} of shape {list(array.shape)}: gears are {gears}")
        try:
            results = plan.run(fitted(arrays, ends.inputs))
            for end, result in zip(self._outputs, results, strict=True):
                if end:
                    _write(end, result)
        except MemoryError as error:
            raise OutOfMemory(f"the results do not fit in memory: {error}") from None


def _read(end: tuple[Any, Access], wanted: TensorType) -> np.ndarray:
    """The array behind an input."""
    memory, access = end
    type = OperandType.of(wanted)
    given = access(memory, type)
    if any(not isinstance(d, int) or d < 0 for d in type.dimensions):
        raise BadInput(f"the accessor left dimensions {list(type.dimensions)}")
    shape = type.dimensions if wanted.rank else ()
    array = _bytes(given, "input")
    if array.nbytes != type.length:
        raise BadInput(f"an input of {array.nbytes} bytes for {list(type.dimensions)}")
    return array.view(wanted.dtype).reshape(shape)


def _write(end: tuple[Any, Access], result: np.ndarray) -> None:
    """Copy a result to where the accessor says."""
    memory, access = end
    sizes = result.shape or (1,)
    type = OperandType.of(TensorType(precision_of(result.dtype), sizes))
    target = _bytes(access(memory, type), "output")
    if target.nbytes != result.nbytes or not target.flags.writeable:
        raise BadCall(f"the memory of an output has {target.nbytes} bytes, not {result.nbytes}")
    target[:] = np.ascontiguousarray(result).reshape(-1).view(np.uint8)


def _bytes(given: Any, what: str) -> np.ndarray:
    """A view of the bytes of an array or a buffer."""
    if isinstance(given, np.ndarray):
        if not given.flags.c_contiguous:
            raise BadCall(f"the memory of an {what} is not contiguous")
        return given.reshape(-1).view(np.uint8)
    try:
        return np.frombuffer(given, np.uint8)
    except (TypeError, ValueError, BufferError) as error:
        raise BadCall(f"the memory of an {what}: {error}") from None
