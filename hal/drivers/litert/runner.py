"""Interpreters that run a compiled file, several at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, TypedDict

import numpy as np

from nnir.errors import DeviceError
from nnir.model import Model
from nnir.records import dataclass
from nnir.types import TensorType

from .content import Content
from .profile import Chain

MOST = 4
"""So many interpreters of one program run at a time; further threads wait."""


@contextmanager
def interpreting() -> Iterator[None]:
    """Around calls of an interpreter: DeviceError where LiteRT fails."""
    try:
        yield
    except (RuntimeError, ValueError) as error:
        raise DeviceError(f"litert failed: {' '.join(str(error).split())[:500]}") from error


@dataclass(frozen=True)
class Ends:
    """The element types of a program's inputs and outputs."""

    inputs: tuple[np.dtype, ...]
    outputs: tuple[np.dtype, ...]

    @classmethod
    def of(cls, model: Model) -> Ends:
        return cls.of_types([v.type for v in model.inputs], [v.type for v in model.outputs])

    @classmethod
    def of_types(cls, inputs: Sequence[TensorType], outputs: Sequence[TensorType]) -> Ends:
        return cls(tuple(t.dtype for t in inputs), tuple(t.dtype for t in outputs))


class Runner:
    """One interpreter with the places of its inputs and outputs, in the order of the model.

    One of `open` sizes gets its memory when it sees its first inputs.
    """

    def __init__(self, interpreter: Any, *, open: bool = False) -> None:
        self.interpreter = interpreter
        self.shapes: tuple[tuple[int, ...], ...] | None = None
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


class Pool:
    """Interpreters of one file: they are made when they are needed, and used again.

    Those of a file of `open` sizes follow the sizes of their inputs. `as_users` opens the file
    with LiteRT's defaults, and says so where it refuses it.
    """

    def __init__(
        self,
        runtime: Any,
        content: Content,
        threads: int | None,
        delegate: bool,
        *,
        open: bool = False,
        as_users: bool = False,
    ) -> None:
        self.open, self.as_users = open, as_users
        kinds = runtime.OpResolverType
        self.kind = kinds.AUTO if delegate else kinds.BUILTIN_WITHOUT_DEFAULT_DELEGATES
        self.runtime, self.content, self.threads = runtime, content, threads
        self.free: list[Runner] = []
        self.count = 0
        self.change = threading.Condition()
        self.give(self._first())
        self.count = 1

    def _first(self) -> Runner:
        """The first interpreter; without XNNPACK where that refuses the file."""
        try:
            return self.make()
        except DeviceError:
            plain = self.runtime.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
            if self.as_users or self.kind == plain:
                raise
            self.kind = plain
            return self.make()

    def make(self) -> Runner:
        """A new interpreter; DeviceError where LiteRT refuses the file."""
        try:
            interpreter = self.runtime.Interpreter(
                num_threads=self.threads,
                experimental_op_resolver_type=self.kind,
                **self.content.words,
            )
            return Runner(interpreter, open=self.open)
        except (RuntimeError, ValueError) as error:
            text = " ".join(str(error).split())[:500]
            raise DeviceError(f"litert refused the program: {text}") from error

    def take(self) -> Runner:
        """A free interpreter, a new one, or one that another thread gives back."""
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
            self.free.append(runner)
            self.change.notify()


@dataclass
class Shaped:
    """A program for inputs of one shape each."""

    pool: Pool
    ends: Ends
    chain: Chain | None = None

    def run(
        self, inputs: Sequence[np.ndarray], outputs: Sequence[np.ndarray | None]
    ) -> list[np.ndarray]:
        if self.chain is not None:
            fitting = [to_input(a) for a in inputs]
            with interpreting():
                found = self.chain.run(fitting)
            return [to_model_type(a, t) for a, t in zip(found, self.ends.outputs, strict=True)]
        runner = self.pool.take()
        try:
            return self._run(runner, inputs, outputs)
        finally:
            self.pool.give(runner)

    def _run(
        self, runner: Runner, inputs: Sequence[np.ndarray], outputs: Sequence[np.ndarray | None]
    ) -> list[np.ndarray]:
        interpreter = runner.interpreter
        if self.pool.open:
            runner.fit([to_pairs(a) for a in inputs])
        fitting = [to_input(a) for a in inputs]
        with interpreting():
            for index, array in zip(runner.inputs, fitting, strict=True):
                interpreter.set_tensor(index, array)
            interpreter.invoke()
        offered = (*outputs, *(None for _ in range(len(runner.outputs) - len(outputs))))
        pairs = zip(runner.outputs, self.ends.outputs, offered, strict=True)
        return [fetch(interpreter, index, dtype, memory) for index, dtype, memory in pairs]


def to_input(array: np.ndarray) -> np.ndarray:
    """An input as an interpreter takes it: pairs for complex numbers, contiguous elements."""
    array = to_pairs(array)
    if array.dtype.name == "bfloat16":
        return array.astype(np.float32)
    return np.require(array, requirements=["C", "A"])


def to_pairs(array: np.ndarray) -> np.ndarray:
    """Complex numbers as pairs along a last axis."""
    if array.dtype.kind == "c":
        return np.stack([array.real, array.imag], -1)
    return array


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


def to_model_type(result: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """A result in the element type of the model: pairs as complex numbers."""
    if dtype.kind == "c":
        return np.ascontiguousarray(result).view(dtype)[..., 0]
    return result.astype(dtype, copy=False)
