"""PyTorch's own operator samples (OpInfo), exported one by one. Runs as a worker process."""

from __future__ import annotations

import copy
import io
import itertools
import json
import logging
import math
import warnings
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch.export import Dim
from torch.testing._internal import common_utils
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo import core
from torch.utils import _pytree as pytree

from ..processes.worker_loop import serve
from .torch import SEED, to_array

AUTO = Dim.AUTO
warnings.simplefilter("ignore")
logging.disable(logging.WARNING)
torch.set_num_threads(1)

for module in (common_utils, core):  # this looks for a test of PyTorch's own in the whole stack
    vars(module)["extract_test_fn"] = lambda: None


class Call(torch.nn.Module):
    """A function of the tensors among its arguments; everything else is fixed."""

    def __init__(self, function: Any, spec: pytree.TreeSpec, leaves: list[Any]) -> None:
        super().__init__()
        self.function = function
        self.spec = spec
        self.places = [k for k, x in enumerate(leaves) if isinstance(x, torch.Tensor)]
        self.fixed = [None if isinstance(x, torch.Tensor) else x for x in leaves]

    def forward(self, *tensors: torch.Tensor) -> Any:
        leaves = list(self.fixed)
        for place, tensor in zip(self.places, tensors, strict=True):
            leaves[place] = tensor
        args, kwargs = pytree.tree_unflatten(leaves, self.spec)
        return tuple(_tensors(self.function(*args, **kwargs)))


class Calls(torch.nn.Module):
    """Several calls beside each other."""

    def __init__(self, calls: Sequence[Call]) -> None:
        super().__init__()
        self.calls = list(calls)

    def forward(self, *tensors: torch.Tensor) -> Any:
        found: list[torch.Tensor] = []
        start = 0
        for call in self.calls:
            stop = start + len(call.places)
            found += call.forward(*tensors[start:stop])
            start = stop
        return tuple(found)


@dataclass(frozen=True)
class Made:
    """A call that can be compared, with its inputs and results."""

    call: Call
    inputs: list[torch.Tensor]
    results: list[np.ndarray]


def _tensors(result: Any) -> Iterator[torch.Tensor]:
    """The tensors of a result; torch cannot save programs that give its own named tuples."""
    if isinstance(result, torch.Tensor):
        yield result
    elif isinstance(result, (list, tuple)):
        for part in result:
            yield from _tensors(part)


def answer(head: dict[str, Any], arrays: list[np.ndarray], blob: bytes) -> list[Any]:
    """The names of the operators, or a sample: the program, its inputs and PyTorch's results.

    The first array of a sample says how many inputs follow the program. Nothing at all: it cannot
    be exported, has no tensor result or a random one. A single array: there is no such sample.
    `pack` of the head are those of several samples: see `pack`.
    """
    if "list" in head:
        names = [f"{o.name}/{o.variant_test_name}".rstrip("/") for o in op_db]
        return [np.frombuffer("\n".join(names).encode(), np.uint8)]
    if "pack" in head:
        return pack(head["pack"])
    info = op_db[head["index"]]
    if "errors" in head:
        return refused_call(info, head["errors"])
    sample = sample_of(info, head)
    if sample is None:
        return [np.array([0])]
    made = call_sample(info, sample, head)
    data = (
        None if made is None else export_call(made.call, made.inputs, dynamic=head.get("dynamic"))
    )
    if made is None or data is None:
        return []
    return [np.array([len(made.inputs)]), data, *map(to_array, made.inputs), *made.results]


def sample_of(info: Any, head: dict[str, Any]) -> Any:
    """A sample of an operator; None where it has none of this type and number."""
    dtype = getattr(torch, head["dtype"])
    if dtype not in info.supported_dtypes("cpu"):
        return None
    SEED(head["index"])
    samples = info.sample_inputs("cpu", dtype, requires_grad=False)
    found = next(itertools.islice(samples, head["sample"], None), None)
    if isinstance(samples, Generator):  # it would end in the middle of an export
        samples.close()
    return found


NO_SUCH, NOTHING = -1, -2


def pack(heads: Sequence[dict[str, Any]]) -> list[Any]:
    """Several samples in one program: exporting costs more than what is exported.

    The first array has a row for each sample, the numbers of its inputs and results; instead of
    inputs `NO_SUCH`, or `NOTHING` for one that says nothing. Then come the program, all inputs and
    all results. The first array alone: there is nothing, or some sample cannot be exported.
    """
    rows: list[tuple[int, int]] = []
    found: list[Made] = []
    for head in heads:
        info = op_db[head["index"]]
        sample = sample_of(info, head)
        made = None if sample is None else call_sample(info, sample, head)
        if made is None:
            rows.append((NO_SUCH if sample is None else NOTHING, 0))
        else:
            rows.append((len(made.inputs), len(made.results)))
            found.append(made)
    inputs = [t for made in found for t in made.inputs]
    data = export_call(Calls([made.call for made in found]), inputs) if found else None
    if data is None:
        return [np.array(rows)]
    results = [a for made in found for a in made.results]
    return [np.array(rows), data, *map(to_array, inputs), *results]


def call_sample(info: Any, sample: Any, head: dict[str, Any]) -> Made | None:
    """The call of a sample; None where it fails, has no tensor result or a random one.

    `special` of the head puts NaN, infinities and the like into the inputs.
    """
    leaves, spec = pytree.tree_flatten(((sample.input, *sample.args), sample.kwargs))
    tensors = [_plain(x) for x in leaves if isinstance(x, torch.Tensor)]
    if head.get("special"):
        tensors = [_with_specials(t, head["special"] + k) for k, t in enumerate(tensors)]
    call = Call(info.op, spec, leaves)
    try:
        with torch.no_grad():
            first, second = (_call_with_seed(call, tensors, seed) for seed in (0, 1))
    except Exception:  # noqa: BLE001  what does not run is no sample of ours
        return None
    same = all(np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")
               for a, b in zip(first, second, strict=True))  # fmt: skip
    return Made(call, tensors, first) if first and same else None


def export_call(
    call: torch.nn.Module, tensors: Sequence[torch.Tensor], *, dynamic: bool | None = False
) -> np.ndarray | None:
    """The bytes of the exported call, with open sizes where `dynamic`; None where it has none."""
    shapes = tuple(dict.fromkeys(range(t.ndim), AUTO) for t in tensors)
    try:
        with torch.no_grad():
            inputs = tuple(map(torch.clone, tensors))
            program = torch.export.export(
                call,
                inputs,
                dynamic_shapes=(shapes,) if dynamic and tensors else None,
                strict=False,
            )
            buffer = io.BytesIO()
            torch.export.save(program, buffer)
    except Exception:  # noqa: BLE001  what cannot be exported is no sample of ours
        return None
    return np.frombuffer(buffer.getvalue(), np.uint8)


def _plain(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor in memory of its own: a view would let operators on strides read around it."""
    return tensor.detach().clone(memory_format=torch.contiguous_format)


def refused_call(info: Any, number: int) -> list[Any]:
    """A call that PyTorch refuses: the operator of ATen and its arguments as JSON, and the tensors.

    Nothing at all: the call does not reach one operator of ATen with dense tensors, or that takes
    it. A single number: there is no such call.
    """
    if info.error_inputs_func is None:
        return [np.array([0])]
    SEED(0)
    found = next(itertools.islice(info.error_inputs("cpu"), number, None), None)
    if found is None:
        return [np.array([0])]
    sample = found.sample_input
    args, kwargs = (sample.input, *sample.args), sample.kwargs
    try:
        packet = getattr(torch.ops.aten, (info.aten_name or info.name).replace(".", "_"))
        name = torch._C._jit_resolve_packet(packet._qualified_op_name, *args, **kwargs)
        overload = getattr(packet, name)
        tensors: list[np.ndarray] = []
        said = [_describe_argument(a, tensors) for a in args]
        named = {k: _describe_argument(a, tensors) for k, a in kwargs.items()}
    except Exception:  # noqa: BLE001  no operator takes these arguments
        return []
    try:
        overload(*copy.deepcopy(args), **copy.deepcopy(kwargs))
    except Exception as error:  # noqa: BLE001  which it should
        head: dict[str, Any] = {"op": str(overload), "args": said, "kwargs": named}
        head |= {"why": str(error)[:200], "results": len(overload._schema.returns)}
        return [np.frombuffer(json.dumps(head).encode(), np.uint8), *tensors]
    return []


def _describe_argument(argument: Any, tensors: list[np.ndarray]) -> Any:
    """An argument as JSON, as `engines.named.describe_argument` does."""
    match argument:
        case torch.Tensor():
            if argument.layout != torch.strided or argument.device.type != "cpu":
                raise TypeError(f"a tensor {argument.layout} on {argument.device}")
            tensors.append(to_array(argument))
            return {"tensor": len(tensors) - 1}
        case torch.dtype():
            return {"dtype": str(argument).removeprefix("torch.")}
        case complex():
            return {"complex": [argument.real, argument.imag]}
        case list() | tuple():
            return [_describe_argument(a, tensors) for a in argument]
        case None | bool() | int() | float() | str():
            return argument
    raise TypeError(f"an argument {argument!r}")


def _with_specials(tensor: torch.Tensor, seed: int) -> torch.Tensor:
    """Some elements replaced by what functions have edges at; integers stay as they are."""
    if not tensor.is_floating_point() or not tensor.numel():
        return tensor
    limits = torch.finfo(tensor.dtype)
    values = [math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0, -1.0, 0.5, limits.max, limits.tiny]
    generator = torch.Generator().manual_seed(seed)
    chosen = torch.tensor(values, dtype=tensor.dtype)
    picks = torch.randint(len(values), tensor.shape, generator=generator)
    where = torch.rand(tensor.shape, generator=generator) < 0.3
    return torch.where(where, chosen[picks], tensor)


def _call_with_seed(call: Call, tensors: list[torch.Tensor], seed: int) -> list[np.ndarray]:
    SEED(seed)
    return [to_array(t) for t in call(*copy.deepcopy(tensors))]


if __name__ == "__main__":
    serve(answer)
