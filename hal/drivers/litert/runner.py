"""What runs a compiled file, several of it at a time."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any, Protocol, TypedDict

import numpy as np

from nnir.errors import DeviceError, NoDevice
from nnir.records import dataclass

from ...room import Room
from .arrays import Ends, to_input, to_model_type, to_pairs
from .content import Content
from .holding import holding
from .library import Compiled, open_library
from .profile import Chain
from .ready import ReadyFile

MOST = 4
"""So many of one program run at a time; further threads wait."""


@functools.cache
def interpreters() -> ModuleType:
    """The module that makes interpreters; NoDevice where it cannot be loaded."""
    try:
        from ai_edge_litert import interpreter
    except ImportError as error:
        raise NoDevice(f"device 'litert' does not load: {error}") from None
    return interpreter


@contextmanager
def interpreting() -> Iterator[None]:
    """Around calls of an interpreter: DeviceError where LiteRT fails."""
    try:
        yield
    except (RuntimeError, ValueError) as error:
        raise DeviceError(f"litert failed: {' '.join(str(error).split())[:500]}") from error


class Runner(Protocol):
    """What runs a file, for one thread at a time."""

    def run(
        self, inputs: Sequence[np.ndarray], ends: Ends, offered: Sequence[np.ndarray | None]
    ) -> list[np.ndarray]:
        """The outputs, in the memory that is offered where that fits."""
        ...


class Interpreted:
    """One interpreter with the places of its inputs and outputs, in the order of the model.

    One of `open` sizes gets its memory when it sees its first inputs.
    """

    def __init__(self, interpreter: Any, *, open: bool = False) -> None:
        self.interpreter = interpreter
        self.shapes: tuple[tuple[int, ...], ...] | None = None
        self.open = open
        if not open:
            interpreter.allocate_tensors()
        self.inputs = [d["index"] for d in interpreter.get_input_details()]
        self.outputs = [d["index"] for d in interpreter.get_output_details()]

    def fit(self, inputs: Sequence[np.ndarray]) -> None:
        """Give the inputs these sizes, where they have others."""
        shapes = tuple(a.shape for a in inputs)
        if shapes == self.shapes:
            return
        self.shapes = None
        with interpreting():
            for index, shape in zip(self.inputs, shapes, strict=True):
                self.interpreter.resize_tensor_input(index, shape, strict=True)
            self.interpreter.allocate_tensors()
        self.shapes = shapes

    def run(
        self, inputs: Sequence[np.ndarray], ends: Ends, offered: Sequence[np.ndarray | None]
    ) -> list[np.ndarray]:
        interpreter = self.interpreter
        if self.open:
            self.fit([to_pairs(a) for a in inputs])
        fitting = [to_input(a) for a in inputs]
        with interpreting():
            for index, array in zip(self.inputs, fitting, strict=True):
                interpreter.set_tensor(index, array)
            interpreter.invoke()
        rows = zip(self.outputs, ends.outputs, offered, strict=True)
        return [fetch(interpreter, index, dtype, memory) for index, dtype, memory in rows]


class Ready:
    """A compiled model that reads ready weights."""

    def __init__(self, compiled: Compiled) -> None:
        self.compiled = compiled
        self.rooms = [Room(result.dtype) for result in compiled.outputs]

    def run(
        self, inputs: Sequence[np.ndarray], ends: Ends, offered: Sequence[np.ndarray | None]
    ) -> list[np.ndarray]:
        for place, array in zip(self.compiled.inputs, inputs, strict=True):
            np.copyto(place, to_input(array), casting="no")
        self.compiled.run()
        found = []
        rows = zip(self.compiled.outputs, ends.outputs, offered, self.rooms, strict=True)
        for result, dtype, memory, room in rows:
            if memory is not None and (memory.dtype, memory.shape) == (result.dtype, result.shape):
                np.copyto(memory, result)
                found.append(memory)
            else:
                found.append(to_model_type(room.copy(result), dtype))
        return found


class Pool:
    """What runs one file: made when it is needed, and used again.

    Compiled models with `ready` weights where there are such, else interpreters. Those of a file of
    `open` sizes follow the sizes of their inputs. `as_users` opens the file with LiteRT's defaults,
    and says so where it refuses it.
    """

    def __init__(
        self,
        content: Content,
        threads: int | None,
        delegate: bool,
        *,
        ends: Ends,
        ready: ReadyFile | None = None,
        open: bool = False,
        as_users: bool = False,
    ) -> None:
        self.open, self.as_users, self.delegate = open, as_users, delegate
        self.content, self.threads, self.ends, self.ready = content, threads, ends, ready
        self.free: list[Runner] = []
        self.count = 0
        self.change = threading.Condition()
        self.give(self._first())
        self.count = 1

    def _first(self) -> Runner:
        """The first; without XNNPACK where that refuses the file."""
        try:
            return self.make()
        except DeviceError:
            if self.as_users or not self.delegate:
                raise
            self.delegate = False
            return self.make()

    def make(self) -> Runner:
        """A new one; DeviceError where LiteRT refuses the file."""
        ready, library = self.ready, open_library()
        if ready is not None and library is not None:
            try:
                threads, content = self.threads or 1, self.content
                with holding(() if ready.size else content.mapped):
                    return Ready(Compiled(library, content.data, threads, ready.open(), self.ends))
            except (DeviceError, OSError):  # an interpreter takes it, or says more
                self.ready = None
        runtime = interpreters()
        kinds = runtime.OpResolverType
        try:
            interpreter = runtime.Interpreter(
                num_threads=self.threads,
                experimental_op_resolver_type=(
                    kinds.AUTO if self.delegate else kinds.BUILTIN_WITHOUT_DEFAULT_DELEGATES
                ),
                **self.content.words,
            )
            return Interpreted(interpreter, open=self.open)
        except (RuntimeError, ValueError) as error:
            text = " ".join(str(error).split())[:500]
            raise DeviceError(f"litert refused the program: {text}") from error

    def take(self) -> Runner:
        """A free one, a new one, or one that another thread gives back."""
        with self.change:
            while not self.free and self.count >= MOST:
                self.change.wait()
            if self.free:
                return self.free.pop()
            self.count += 1
        try:
            return self.make()
        except DeviceError:
            with self.change:
                self.count -= 1
            raise

    def give(self, runner: Runner) -> None:
        with self.change:
            if isinstance(runner, Ready) and self.ready is None:
                self.count -= 1
            else:
                self.free.append(runner)
            self.change.notify()

    def distrust(self) -> None:
        """Run the file with interpreters from now on."""
        with self.change:
            self.ready = None
            kept = [r for r in self.free if not isinstance(r, Ready)]
            self.count -= len(self.free) - len(kept)
            self.free = kept


@dataclass
class Shaped:
    """A program for inputs of one shape each; `room` is that of its ready weights."""

    pool: Pool
    room: int | None = None
    chain: Chain | None = None

    def run(
        self, inputs: Sequence[np.ndarray], outputs: Sequence[np.ndarray | None]
    ) -> list[np.ndarray]:
        ends = self.pool.ends
        if self.chain is not None:
            fitting = [to_input(a) for a in inputs]
            with interpreting():
                found = self.chain.run(fitting)
            return [to_model_type(a, t) for a, t in zip(found, ends.outputs, strict=True)]
        offered = (*outputs, *(None for _ in range(len(ends.outputs) - len(outputs))))
        runner = self.pool.take()
        try:
            return runner.run(inputs, ends, offered)
        except DeviceError:
            if not isinstance(runner, Ready):
                raise
            self.pool.distrust()  # an interpreter says what is wrong
        finally:
            self.pool.give(runner)
        return self.run(inputs, outputs)


class Detail(TypedDict):
    """What LiteRT says of a tensor, in part."""

    index: int
    shape: np.ndarray
    dtype: type


class Interpreter(Protocol):
    """What is asked of LiteRT's interpreter."""

    def tensor(self, tensor_index: int) -> Callable[[], np.ndarray]: ...
    def get_tensor(self, tensor_index: int) -> np.ndarray: ...
    def get_output_details(self) -> list[Detail]: ...


def fetch(
    interpreter: Interpreter, index: int, dtype: np.dtype, memory: np.ndarray | None
) -> np.ndarray:
    """An output as an array of its own, in the memory that is offered where that fits."""
    if memory is not None and memory.size and dtype.kind != "c" and memory.dtype == dtype:
        with interpreting():
            view = interpreter.tensor(index)()
        if view.dtype == dtype and view.shape == memory.shape:
            np.copyto(memory, view)
            return memory
    return to_model_type(_copy_of(interpreter, index), dtype)


def _copy_of(interpreter: Interpreter, index: int) -> np.ndarray:
    """An output; LiteRT hands out none that was sized while running and has no elements."""
    with interpreting():
        try:
            return np.asarray(interpreter.get_tensor(index))  # a number without axes
        except (RuntimeError, ValueError):
            ends = interpreter.get_output_details()
            sized = next(d for d in ends if d["index"] == index)
            if 0 not in sized["shape"]:
                raise
            return np.empty(sized["shape"], sized["dtype"])
