"""Programs: a module of torch with what it needs to run."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import fx

from nnir import archive
from nnir.errors import BadInput, DeviceError, NNAdapterError, NoDevice
from nnir.model import Model, Operation
from nnir.records import dataclass
from nnir.types import TensorType

from ...device import PROFILE, Timing
from ...emission import refusal
from ...positions import Bound, require_within
from ...properties import flag, integer
from . import cuda
from .dtypes import array_of, tensor_of
from .emitter import CPU, Emitter, identifiers
from .families import LOWERINGS

LOST = "; this process cannot use CUDA any more: start another"
REFUSALS = (RuntimeError, IndexError, MemoryError, TypeError, ValueError)
"""What torch raises for operands that its functions do not take, while a module runs."""


@dataclass(frozen=True)
class Settings:
    """What the properties of a context say."""

    device: torch.device
    compiles: bool
    profiles: bool


def settings(properties: Mapping[str, str]) -> Settings:
    """The settings of a context; NoDevice for hardware that is not there."""
    name = properties.get("TORCH_DEVICE", "cpu")
    try:
        device = torch.device(name)
        device = torch.empty(1, device=device).device  # with its number
    except (RuntimeError, AssertionError) as error:
        raise NoDevice(f"TORCH_DEVICE={name!r}: {one_line(error)}") from None
    threads = integer(properties, "TORCH_NUM_THREADS")
    if threads is not None:
        if threads < 1:
            raise BadInput(f"TORCH_NUM_THREADS={threads} is below 1")
        torch.set_num_threads(threads)
    compiles = bool(integer(properties, "TORCH_COMPILE"))
    return Settings(device, compiles, flag(properties, PROFILE))


@dataclass
class Program:
    """A module, what runs it, the types of its results, and the memory that is not the caller's."""

    module: Any
    call: Callable[..., Any]
    dtypes: list[np.dtype]
    settings: Settings
    owned: frozenset[int]
    held: list[Any]
    bounds: Sequence[Bound] = ()
    creates: bool = False
    timings: list[Timing] = field(default_factory=list)

    def run(self, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Results that share memory with nothing else; DeviceError where torch fails."""
        with running(self.settings.device, creates=self.creates), telling_failures():
            given = self._place(inputs)
            results = self._run_timed(given) if self.settings.profiles else self.call(*given)
            return self._own(given, results)  # a GPU tells here what failed before

    def run_keeping(
        self, inputs: Sequence[np.ndarray], kept: Sequence[torch.Tensor]
    ) -> tuple[list[np.ndarray], list[torch.Tensor]]:
        """The same with the last inputs and outputs in the memory of the device."""
        with running(self.settings.device, creates=self.creates), telling_failures():
            for position, size in self.bounds:
                if position >= len(inputs):
                    cuda.check_positions(kept[position - len(inputs)], size)
            given = self._place(inputs)
            results = self.call(*given, *kept)
            count = len(results) - len(kept)
            after = [new.to(old.dtype) for new, old in zip(results[count:], kept, strict=True)]
            return self._own([*given, *after], results[:count]), after

    def _place(self, inputs: Sequence[np.ndarray]) -> list[torch.Tensor]:
        """Inputs on the device. Positions in them are checked before they go there."""
        for position, size in self.bounds:
            if position < len(inputs):
                require_within(inputs[position], size)
        return [tensor_of(a).to(self.settings.device) for a in inputs]

    def _own(self, given: Sequence[torch.Tensor], results: Sequence[Any]) -> list[np.ndarray]:
        """The results, the first or all, as arrays that share memory with nothing else.

        Of several that share memory, the one that fills it keeps it, and its parts are copied.
        """
        taken = self.owned | {t.untyped_storage().data_ptr() for t in given}
        owners: dict[int, int] = {}
        for position, tensor in enumerate(results):
            place = tensor.untyped_storage().data_ptr()
            is_free = place not in taken and tensor.is_contiguous()
            if is_free and (place not in owners or _fills_memory(tensor)):
                owners[place] = position
        kept = set(owners.values())
        arrays = []
        for position, (tensor, dtype) in enumerate(zip(results, self.dtypes, strict=False)):
            if position not in kept:
                tensor = tensor.clone(memory_format=torch.contiguous_format)
            arrays.append(array_of(tensor, dtype))
        return arrays

    def _run_timed(self, given: Sequence[torch.Tensor]) -> Any:
        clock = Clock(self.module, self.settings.device)
        results = clock.run(*given)
        self.timings = clock.timings()
        return results


def _fills_memory(tensor: torch.Tensor) -> bool:
    return bool(tensor.nbytes == tensor.untyped_storage().nbytes())


@dataclass(frozen=True)
class Residence:
    """States of a program in the memory of its device (see `hal.device.Residence`)."""

    program: Program
    dtypes: Sequence[np.dtype]

    def place(self, arrays: Sequence[np.ndarray]) -> list[torch.Tensor]:
        device = self.program.settings.device
        return [tensor_of(a).to(device, copy=True) for a in arrays]

    def fetch(self, tensors: Sequence[torch.Tensor]) -> list[np.ndarray]:
        pairs = zip(tensors, self.dtypes, strict=True)
        return [np.array(array_of(tensor, dtype)) for tensor, dtype in pairs]

    def shape_of(self, tensor: torch.Tensor) -> tuple[int, ...]:
        return tuple(tensor.shape)

    def run(
        self, inputs: Sequence[np.ndarray], tensors: Sequence[torch.Tensor]
    ) -> tuple[list[np.ndarray], list[torch.Tensor]]:
        return self.program.run_keeping(inputs, tensors)


class Clock(fx.Interpreter):
    """Runs a module node by node and takes the time of each."""

    def __init__(self, module: fx.GraphModule, device: torch.device) -> None:
        super().__init__(module)
        self.device = device
        self.begin = self._now()
        self.spans: dict[Operation, tuple[float, float]] = {}

    def _now(self) -> float:
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)
        return time.perf_counter()

    def run_node(self, n: fx.Node) -> object:
        start = self._now()
        result = super().run_node(n)
        operation = n.meta.get("operation")
        if operation is not None:
            first, total = self.spans.get(operation, (start, 0.0))
            self.spans[operation] = first, total + self._now() - start
        return result

    def timings(self) -> list[Timing]:
        """The time of every operation of the model, in order of their begin."""
        rows = sorted(self.spans.items(), key=lambda span: span[1][0])
        return [
            Timing(o.label, o.operator.name, start - self.begin, seconds)
            for o, (start, seconds) in rows
        ]


@contextlib.contextmanager
def running(device: torch.device, *, creates: bool = False) -> Iterator[None]:
    """Inference on a device, where it `creates` tensors too: that costs a little in every call.

    float32 stays float32, also where the process allows less: these flags are the whole process's,
    and are given back.
    """
    with contextlib.ExitStack() as stack:
        stack.enter_context(torch.inference_mode())
        allowed = torch.get_float32_matmul_precision()
        if allowed != "highest":
            stack.callback(torch.set_float32_matmul_precision, allowed)
            torch.set_float32_matmul_precision("highest")
        if device.type == "cuda":
            stack.enter_context(torch.cuda.device(device))
            stack.enter_context(torch.backends.cudnn.flags(enabled=True, allow_tf32=False))
        if creates:
            stack.enter_context(device)
        yield


@contextlib.contextmanager
def telling_failures() -> Iterator[None]:
    """DeviceError for what torch raises."""
    try:
        yield
    except NNAdapterError:
        raise
    except REFUSALS as error:
        step = LOST if is_lost(error) else ""
        raise DeviceError(f"torch failed: {one_line(error)}{step}") from error


def is_lost(error: BaseException) -> bool:
    """Whether CUDA failed in a way after which every further call of the process fails."""
    return isinstance(error, getattr(torch, "AcceleratorError", ()))


def emit(
    model: Model, step: str = "", target: torch.device = CPU, *, for_file: bool = False
) -> tuple[Emitter, fx.GraphModule]:
    """The module of a model; NoLowering lists everything that is missing, and the next `step`."""
    places = model.provenance.places if for_file else None
    emitter = Emitter(LOWERINGS, target=target, places=places)
    names = identifiers([v.name or f"input{k}" for k, v in enumerate(model.inputs)])
    try:
        module = emitter.whole(model, names)
    except NNAdapterError:
        emitter.require_lowered(step)
        raise
    emitter.require_lowered(step)
    return emitter, module


def compile_model(model: Model, settings: Settings) -> Program:
    """A program that runs a model."""
    emitter, module = emit(model, target=settings.device)
    tensors = list(module.buffers())
    module = module if settings.device == CPU else module.to(settings.device)
    owned = frozenset(t.untyped_storage().data_ptr() for t in module.buffers())
    ready = torch.compile(module) if settings.compiles and not settings.profiles else module
    call = module.forward if ready is module else ready  # a module of FX prints where it failed
    dtypes = [v.dtype for v in model.outputs]
    creates = settings.device != CPU and _creates_tensors(module)
    return Program(ready, call, dtypes, settings, owned, [tensors], [*emitter.bounds], creates)


def _creates_tensors(module: fx.GraphModule) -> bool:
    """Whether functions of ours run in it, which may make tensors without saying where."""
    graphs = [m.graph for m in module.modules() if isinstance(m, fx.GraphModule)]
    own = __name__.partition(".")[0] + "."
    return len(graphs) > 1 or any(
        getattr(node.target, "__module__", "").startswith(own)
        and getattr(node.target, "__module__", "") != cuda.__name__
        for node in module.graph.nodes
        if node.op == "call_function"
    )


def why_not(operation: Operation, settings: Settings) -> str | None:
    """Why one operation cannot be emitted, by itself or decomposed; None where it can."""
    return refusal(operation, lambda: Emitter(LOWERINGS, target=settings.device))


def import_file(path: Path, outputs: Sequence[TensorType], settings: Settings) -> Program:
    """A program of a `.pt2` file; DeviceError for one that torch does not load."""
    try:
        exported = torch.export.load(path)
        if settings.device != CPU:  # sizes and types are checked by devices, too
            from torch.export.passes import move_to_device_pass

            exported = move_to_device_pass(exported, settings.device)
    except Exception as error:
        raise DeviceError(f"torch does not load {path.name}: {one_line(error)}") from error
    module = exported.module()
    tensors = (*exported.state_dict.values(), *exported.constants.values())
    held = [t for t in tensors if isinstance(t, torch.Tensor)]
    owned = frozenset(t.untyped_storage().data_ptr() for t in held)
    plain = replace(settings, profiles=False)
    return Program(module, module, [t.dtype for t in outputs], plain, owned, [exported])


def restore(data: bytes | memoryview, settings: Settings) -> Program:
    """The program of a model as bytes, which is built again; DeviceError for other bytes."""
    try:
        return compile_model(archive.loads(data), settings)
    except NNAdapterError as error:
        raise DeviceError(f"torch cannot restore the program: {error}") from error


def one_line(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:500]
