"""What TorchScript asks of tensors, and tensors made of numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nnir.errors import BadFile, BadModel, Unsupported
from nnir.types import Precision

from .. import overloads
from ..machine import Machine, RaisedError, describe
from ..things import Device, Items, Number, Tensor
from .table import call_plain, plain, special
from .texts import text_of


@plain("device")
def device(machine: Machine, name: Any = "cpu", position: Any = None) -> Device:
    return name if isinstance(name, Device) else Device(text_of(name))


@special("size")
def size(machine: Machine, x: Any, dim: Any = None) -> Any:
    """The sizes of a tensor, or one of them: Python's numbers where they are known."""
    shape = machine.type_of(x).shape
    if dim is None:
        return Items((_size(machine, x, k) for k in range(len(shape))), machine.region)
    dim = _require_int(dim)
    if not -len(shape) <= dim < len(shape):
        raise BadModel(f"size {dim} of a tensor of {len(shape)} axes")
    return _size(machine, x, dim % len(shape))


def _size(machine: Machine, x: Tensor, dim: int) -> Any:
    known = machine.type_of(x).shape[dim]
    return known if isinstance(known, int) else machine.number("aten.sym_size.int", self=x, dim=dim)


def _require_int(value: Any) -> int:
    if type(value) is not int:
        raise Unsupported(f"an axis that is {describe(value)}")
    return value


@special("dim", "ndimension")
def dim(machine: Machine, x: Any) -> int:
    return machine.type_of(x).rank


@special("numel")
def numel(machine: Machine, x: Any) -> Any:
    shape = machine.type_of(x).shape
    if all(isinstance(d, int) for d in shape):
        return math.prod(d for d in shape if isinstance(d, int))
    return machine.number("aten.sym_numel.default", self=x)


@special("len")
def length(machine: Machine, x: Any) -> Any:
    return size(machine, x, 0) if isinstance(x, Tensor) else NotImplemented


@special("is_floating_point")
def is_floating_point(machine: Machine, x: Any) -> bool:
    return machine.type_of(x).precision.is_float


@special("is_complex")
def is_complex(machine: Machine, x: Any) -> bool:
    return machine.type_of(x).precision.is_complex


@special("ops.prim.dtype")
def dtype(machine: Machine, x: Any) -> int:
    return overloads.CODES[machine.type_of(x).precision]


@special("ops.prim.device")
def device_of(machine: Machine, x: Any) -> Device:
    return Device()


@special("ops.prim.layout")
def layout(machine: Machine, x: Any) -> int:
    return 0


@special("ops.prim.shape")
def shape_of(machine: Machine, x: Any) -> Any:
    return size(machine, x)


@special(
    *("is_autocast_enabled", "is_autocast_cpu_enabled", "is_quantized"),
    *("ops.prim.is_cuda", "ops.prim.is_quantized", "ops.prim.is_sparse"),
    *("ops.prim.is_mkldnn", "ops.prim.is_nested", "ops.prim.is_xpu", "ops.prim.is_meta"),
)
def no(machine: Machine, *args: Any) -> bool:
    return False


@special("ops.prim.is_cpu")
def yes(machine: Machine, *args: Any) -> bool:
    return True


@special("is_grad_enabled")
def is_grad_enabled(machine: Machine) -> bool:
    """What a program asks before it takes fused operators, which give no gradients."""
    return machine.is_grad_enabled


@special("set_grad_enabled")
def set_grad_enabled(machine: Machine, value: Any) -> None:
    machine.is_grad_enabled = bool(value)


@special("ops.prim.requires_grad")
def requires_grad(machine: Machine, x: Any) -> bool:
    return x in machine.trained


@special("warn", "print", "ops.prim.Print", "_assert", "manual_seed")
def nothing(machine: Machine, *args: Any, **keywords: Any) -> None:
    return None


@special("ops.prim.type")
def type_of_device(machine: Machine, x: Any) -> str:
    return x.name.partition(":")[0] if isinstance(x, Device) else "cpu"


@special("ops.prim.unchecked_unwrap_optional", "_unwrap_optional")
def unwrap(machine: Machine, x: Any) -> Any:
    if x is None:
        raise RaisedError("Unwrapping null optional")
    return x


@special("ops.prim.RaiseException")
def raise_exception(machine: Machine, text: Any = "", kind: Any = None) -> None:
    name = str(kind or "Error").rpartition(".")[2]
    raise RaisedError(f"{name}: {text}")


@special("ops.prim.data", "requires_grad_")
def itself(machine: Machine, x: Any, *args: Any) -> Any:
    return Tensor(machine.emit("aten.detach.default", {"self": x})[0])


@special("ops.prim.NumToTensor")
def num_to_tensor(machine: Machine, x: Any) -> Any:
    """A number as a tensor, which takes part in type promotion as one."""
    kind = {"bool": Precision.BOOL8, "int": Precision.INT64}.get(machine.kind_of(x))
    arguments = {"s": x, "dtype": kind or Precision.FLOAT64}
    return Tensor(machine.emit("aten.scalar_tensor.default", arguments)[0])


@special("tensor", "as_tensor")
def tensor(machine: Machine, x: Any, dtype: Any = None, **placement: Any) -> Any:
    """A tensor of numbers in lists."""
    if isinstance(x, Tensor):
        return x if dtype is None else to(machine, x, dtype)
    precision = None if dtype is None else overloads.precision_of_code(dtype)
    if not isinstance(x, (list, tuple)):
        if precision is None:
            kinds = {"bool": Precision.BOOL8, "int": Precision.INT64}
            precision = kinds.get(machine.kind_of(x), Precision.FLOAT32)
        arguments = {"s": x, "dtype": precision}
        return Tensor(machine.emit("aten.scalar_tensor.default", arguments)[0])
    if _is_open(x):
        rows = [tensor(machine, each, dtype) for each in x]
        return Tensor(machine.emit("aten.stack.default", {"tensors": rows})[0])
    array = np.asarray(_numbers_of(x))
    if precision is None:
        precision = {"b": Precision.BOOL8, "i": Precision.INT64}.get(array.dtype.kind)
        precision = precision or Precision.FLOAT32
    name = machine.memory.fresh(machine.stem)
    machine.translator.bind_array(name, array.astype(precision.dtype))
    machine.declare_input(name)
    return Tensor(name)


def _is_open(x: Any) -> bool:
    if isinstance(x, (list, tuple)):
        return any(map(_is_open, x))
    return isinstance(x, (Number, Tensor))


def _numbers_of(x: Any) -> Any:
    if isinstance(x, (list, tuple)):
        return [_numbers_of(v) for v in x]
    if not isinstance(x, (bool, int, float, complex)):
        raise BadFile(f"a tensor made of {describe(x)}")
    return x


@special("to")
def to(machine: Machine, x: Any, *args: Any, **keywords: Any) -> Any:
    """A tensor in another precision; where it lies does not matter."""
    given = [*args, *keywords.values()]
    other = next((v for v in given if isinstance(v, Tensor)), None)
    code = keywords.get("dtype", next((v for v in args if type(v) is int), None))
    copies = bool(keywords.get("copy", False)) or _copies(args)
    precision = machine.type_of(x).precision
    if other is not None:
        precision = machine.type_of(other).precision
    elif code is not None:
        precision = overloads.precision_of_code(code)
    arguments = {"self": x, "dtype": precision, "copy": copies}
    made = Tensor(machine.emit("aten.to.dtype", arguments)[0])
    return made if _format_of(args, keywords) in ORDERED else forget_layout(machine, made, x)


def _format_of(args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    """The memory format: behind the flags where it has no name."""
    flags = [k for k, v in enumerate(args) if isinstance(v, bool)]
    rest = args[flags[-1] + 1 :] if flags else ()
    return keywords.get("memory_format", rest[0] if rest else None)


def _copies(args: Sequence[Any]) -> bool:
    """The second flag among positional arguments is `copy`, the first `non_blocking`."""
    flags = [v for v in args if isinstance(v, bool)]
    return len(flags) > 1 and flags[1]


@special("copy_")
def copy_(machine: Machine, x: Any, other: Any, *args: Any) -> Any:
    if isinstance(other, Tensor):
        return NotImplemented
    return Tensor(machine.emit("aten.fill_.Scalar", {"self": x, "value": other})[0])


@special("cpu", "cuda")
def cpu(machine: Machine, x: Any, *args: Any) -> Any:
    return x


@special("contiguous")
def contiguous(machine: Machine, x: Any, memory_format: Any = 0) -> Any:
    if memory_format in ORDERED:
        return Tensor(machine.emit("aten.contiguous.default", {"self": x})[0])
    return forget_layout(machine, Tensor(machine.emit("aten.clone.default", {"self": x})[0]), x)


ORDERED = (None, 0, 1)
"""Formats that leave a tensor in order that is so: contiguous, and as it is."""


def forget_layout(machine: Machine, made: Tensor, x: Tensor) -> Tensor:
    """A tensor in another order in memory: a copy, or none where both orders are the same."""
    machine.memory.layout.steps.pop(made, None)
    machine.memory.may_share(made, [x])
    return made


def _plain_too(name: str) -> None:
    """A function of `plain` that tensors go into as well."""

    @special(name)
    def call_it(machine: Machine, *args: Any) -> Any:
        return call_plain(machine, name, args, {})


for _name in (
    *("__is__", "__isnot__", "int", "Int", "IntImplicit", "float", "Float", "FloatImplicit"),
    *("bool", "Bool", "format", "percentFormat", "str"),
):
    _plain_too(_name)


@special("item", "ScalarImplicit")
def item(machine: Machine, x: Any) -> Any:
    return machine.item(x)
