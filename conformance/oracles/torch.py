"""The PyTorch oracle: one operator, or a program. Runs as a worker process."""

from __future__ import annotations

import contextlib
import functools
import importlib
import logging
import math
import operator
from collections.abc import Callable, Iterator
from typing import Any, cast

import ml_dtypes
import numpy as np
import torch
import torch.ao.quantization.fx._decomposed  # registers quantized_decomposed
from torch.export.graph_signature import ConstantArgument, SymIntArgument
from torch.utils import _pytree as pytree

from ..processes.array_store import Writer
from ..processes.worker_loop import serve
from .oracle import argument

SHARED = {
    "bfloat16": torch.int16,
    "float8_e4m3fn": torch.uint8,
    "float8_e5m2": torch.uint8,
    "float8_e4m3fnuz": torch.uint8,
    "float8_e5m2fnuz": torch.uint8,
    "float8_e8m0fnu": torch.uint8,
}
"""Types that NumPy does not share with PyTorch, and one of the same size that they do share."""

BITS = {n: (getattr(torch, n), bits) for n, bits in SHARED.items() if hasattr(torch, n)}
"""Those that this version of PyTorch has."""

SEED = torch.default_generator.manual_seed
"""`torch.manual_seed` for the processor alone: that also formats a stack for other devices."""

SYMBOLIC = ("_operator.", "math.", "torch.")
"""Functions on the numbers that sizes are, not on tensors."""


def answer(head: dict[str, Any], arrays: list[np.ndarray], blob: bytes) -> Any:
    """Run `op` of the head on its arguments, or the program in the file `path`."""
    SEED(0)
    tensors: list[Any] = [to_tensor(a) for a in arrays]
    with torch.no_grad():
        if "save" in head:
            return save_values(head, tensors)
        if "path" in head:
            if head.get("is_first"):
                open_program.cache_clear()
                open_script.cache_clear()
            if "arguments" in head:
                return run_script(head, tensors)
            return run_program(head["path"], head["overwritten"], head["states"], tensors)
        if head["op"].startswith(SYMBOLIC):
            tensors = [t.item() for t in tensors]
        args = [argument(a, tensors, dtype_of) for a in head["args"]]
        kwargs = {k: argument(a, tensors, dtype_of) for k, a in head["kwargs"].items()}
        return results(function(head["op"])(*args, **kwargs))


def run_program(
    path: str, overwritten: list[str], states: list[str], tensors: list[torch.Tensor]
) -> list[Any]:
    """The outputs of a program, then the new contents of inputs and buffers that it overwrites."""
    program, module = open_program(path)
    left = iter(tensors)
    named: dict[str, torch.Tensor] = {}
    leaves: list[Any] = []
    for spec in program.graph_signature.input_specs:
        if spec.kind.name != "USER_INPUT":
            continue
        if isinstance(spec.arg, ConstantArgument):
            leaves.append(spec.arg.value)
        elif isinstance(spec.arg, SymIntArgument):
            leaves.append(int(next(left)))
        else:
            leaves.append(named.setdefault(spec.arg.name, next(left)))
    args, kwargs = pytree.tree_unflatten(leaves, program.call_spec.in_spec)
    found = results(module(*args, **kwargs))
    kept = {**dict(module.named_parameters()), **dict(module.named_buffers())}
    changed = [*(named[name] for name in overwritten), *(kept[name] for name in states)]
    return [*found, *(np.array(to_array(tensor)) for tensor in changed)]


def run_script(head: dict[str, Any], tensors: list[torch.Tensor]) -> list[Any]:
    """The outputs of a TorchScript program, then the new contents of what it overwrites."""
    names, arguments = head["arguments"]
    named = dict(zip(names, tensors, strict=True))
    module = open_script(head["path"])
    kinds = {a.name: str(a.type) for a in module.forward.schema.arguments}

    def argument(told: Any, kind: str) -> Any:
        if isinstance(told, str):
            return named[told].item() if kind in ("int", "float", "bool") else named[told]
        ((container, parts),) = told.items()
        if container == "dict":
            return {key: argument(part, "") for key, part in parts.items()}
        return (tuple if container == "tuple" else list)(argument(part, "") for part in parts)

    given = {name: argument(told, kinds[name]) for name, told in arguments.items()}
    found = results(module(**given))
    changed = [named[name] for name in head["overwritten"]]
    changed += [operator.attrgetter(name)(module) for name in head["states"]]
    return [*found, *(np.array(to_array(tensor)) for tensor in changed)]


@functools.lru_cache(maxsize=1)
def open_script(path: str) -> Any:
    """A TorchScript module, which keeps its buffers from call to call."""
    load: Any = torch.jit.load  # which says no types
    return load(path, map_location="cpu")


@functools.lru_cache(maxsize=1)
def open_program(path: str) -> tuple[Any, Any]:
    """A program and its module, which keeps its buffers from call to call."""
    program = load_program(path)
    return program, program.module()


def load_program(path: str) -> Any:
    """A program; torchvision's operators are there once it is imported, where it is installed.

    What torch.export raises says only that there was an error, which it logs.
    """
    heard = Heard()
    log = logging.getLogger("torch.export")
    log.addHandler(heard)
    try:
        with contextlib.suppress(RuntimeError):
            return torch.export.load(path)
        with contextlib.suppress(ImportError, RuntimeError):  # a wheel for CUDA cannot be loaded
            importlib.import_module("torchvision")
            return torch.export.load(path)
        if heard.error is not None:
            raise RuntimeError(reason_of(heard.error))
        return torch.export.load(path)
    finally:
        log.removeHandler(heard)


def reason_of(error: BaseException) -> str:
    """The first sentence of what an error began with; the rest shows nodes with their traces."""
    while (cause := error.__cause__ or error.__context__) is not None:
        error = cause
    return str(error).partition("\n")[0].partition(". ")[0]


class Heard(logging.Handler):
    """Keeps the first error that is logged."""

    error: BaseException | None = None

    def emit(self, record: logging.LogRecord) -> None:
        if self.error is None and record.exc_info:
            self.error = record.exc_info[1]


def save_values(head: dict[str, Any], tensors: list[torch.Tensor]) -> dict[str, Any]:
    """Write every value of a program that is a tensor into the folder `save`, by its name."""
    program = load_program(head["path"])
    left = iter(tensors)
    given = [_place_inputs(program, spec, left) for spec in program.graph_signature.input_specs]
    writer = Writer(head["save"])
    Saving(program.graph_module, writer, set(head["names"])).run(*given)
    return writer.saved


def _place_inputs(program: Any, spec: Any, left: Iterator[torch.Tensor]) -> Any:
    """What goes in at a placeholder of the graph."""
    if spec.kind.name == "USER_INPUT":
        if isinstance(spec.arg, ConstantArgument):
            return spec.arg.value
        return int(next(left)) if isinstance(spec.arg, SymIntArgument) else next(left)
    held = program.state_dict if spec.target in program.state_dict else program.constants
    return held[spec.target]


class Saving(torch.fx.Interpreter):
    """Runs a graph and writes what its nodes make, before anything overwrites it."""

    def __init__(self, module: torch.fx.GraphModule, writer: Writer, wanted: set[str]) -> None:
        super().__init__(module)
        self.writer, self.wanted = writer, wanted

    def run_node(self, n: torch.fx.Node) -> Any:
        found = super().run_node(n)
        parts = found if isinstance(found, (list, tuple)) else (found,)
        if n.op == "call_function":
            for k, part in enumerate(parts):
                if isinstance(part, torch.Tensor):
                    for name in {n.name, f"{n.name}/{k}"} & self.wanted if k else {n.name}:
                        self.writer.add(name, to_array(part))
        return found


def function(name: str) -> Callable[..., Any]:
    """What an exported graph calls by this name."""
    namespace, _, rest = name.partition(".")
    found: Callable[..., Any]
    match namespace:
        case "_operator":
            found = getattr(operator, rest)
        case "math":
            found = getattr(math, rest)
        case "torch":
            found = getattr(torch, rest)
        case "torchvision":
            from . import torchvision

            found = getattr(torchvision, rest.removesuffix(".default"))
        case "transformers":
            from . import transformers

            found = getattr(transformers, rest.removesuffix(".default"))
        case _:
            found = functools.reduce(getattr, name.split("."), cast(Any, torch.ops))
    return found


def dtype_of(name: str) -> torch.dtype:
    """The PyTorch type with NumPy's name."""
    found: torch.dtype = getattr(torch, name)
    return found


def to_tensor(array: np.ndarray) -> torch.Tensor:
    """A tensor that shares the memory of an array."""
    if array.dtype.name in BITS:
        kind, bits = BITS[array.dtype.name]
        return torch.from_numpy(array.view(np.dtype(str(bits).removeprefix("torch.")))).view(kind)
    return torch.from_numpy(array)


def results(found: Any) -> list[np.ndarray]:
    """The tensors of a result in order; numbers become arrays without axes."""
    return [to_array(leaf) for leaf in pytree.tree_leaves(found) if leaf is not None]


def to_array(leaf: Any) -> np.ndarray:
    """The elements of a tensor or a number."""
    if not isinstance(leaf, torch.Tensor):
        return np.asarray(leaf)
    tensor = leaf.detach().resolve_conj().resolve_neg().contiguous()
    for name, (kind, bits) in BITS.items():
        if tensor.dtype == kind:
            return tensor.view(bits).numpy().view(getattr(ml_dtypes, name))
    return tensor.numpy()


if __name__ == "__main__":
    serve(answer)
