"""Calls in a TorchScript program: operators become nodes, the rest is done here."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from nnir.dim import Expr
from nnir.errors import BadFile, BadModel, Unsupported
from nnir.types import Precision

from ..reading.schema import Schema
from . import overloads
from .library import CUSTOM, dotted, type_name
from .machine import Machine, RaisedError, describe
from .plain import PLAIN, call_plain, to_bool, to_float, to_int
from .things import (
    Class,
    Device,
    Function,
    Instance,
    Items,
    Named,
    Number,
    Tensor,
    Uninitialized,
    Withheld,
)

SPECIAL: dict[str, Callable[..., Any]] = {}
"""Operators that ask about tensors, or that converters do not know, by their names in the code."""

LITERAL = {"int": to_int, "float": to_float, "bool": to_bool}
"""What a value becomes that is annotated as a number."""


def special(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator: a function that these names of TorchScript call; it takes the machine first."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        SPECIAL.update(dict.fromkeys(names, function))
        return function

    return add


def call(machine: Machine, node: ast.Call) -> Any:
    """What a call gives."""
    match node.func:
        case ast.Name(id="annotate" | "unchecked_cast" as name):
            kind, value = node.args
            return _annotate(machine, kind, machine.evaluate(value))
        case ast.Name(id="uninitialized"):
            return Uninitialized()
        case ast.Name(id="isinstance"):
            return _isinstance(machine, node)
        case ast.Name(id="getattr"):
            owner, name = node.args
            if not isinstance(name, ast.Constant) or not isinstance(name.value, str):
                raise BadFile("an attribute whose name is computed")
            return machine.attribute(machine.evaluate(owner), name.value)
        case ast.Name(id="fork" | "wait" | "awaitable" as name):
            raise Unsupported(f"a TorchScript program with {name}: save it without asynchronous calls")
    name = dotted(node.func) or ""
    head, _, rest = name.partition(".")
    if isinstance(node.func, ast.Name) and name not in machine.frame.names and name in PLAIN:
        args, keywords = _arguments(machine, node)
        return call_plain(machine, name, args, keywords)
    if head == "torch":
        return operator(machine, rest, *_arguments(machine, node))
    if head == "ops":
        return operator(machine, name, *_arguments(machine, node))
    return _call_own(machine, node, name)


def _call_own(machine: Machine, node: ast.Call, name: str) -> Any:
    """A call of a function, a class or a method of the archive."""
    if name.startswith("__torch__.") and name.endswith(".__new__"):
        owner = name.removesuffix(".__new__")
        if owner.startswith(CUSTOM):
            raise Unsupported(f"the class {owner.removeprefix('__torch__.')}")
        machine.library.declared(owner)
        return Instance(owner, region=machine.region)
    target = machine.evaluate(node.func)
    args, keywords = _arguments(machine, node)
    if not isinstance(target, (Function, Class)):
        raise BadFile(f"a call of {describe(target)}")
    return machine.call(target, args, keywords)


def _arguments(machine: Machine, node: ast.Call) -> tuple[list[Any], dict[str, Any]]:
    args = [machine.evaluate(a) for a in node.args]
    keywords = {}
    for keyword in node.keywords:
        if keyword.arg is None:
            raise BadFile("a call that takes a dictionary apart")
        keywords[keyword.arg] = machine.evaluate(keyword.value)
    for value in (*args, *keywords.values()):
        if isinstance(value, (Withheld, Uninitialized)):
            machine.refuse_reading(value)
    return args, keywords


def _annotate(machine: Machine, kind: ast.expr, value: Any) -> Any:
    """A value of a declared type: tensors become numbers where that says so."""
    name, _ = type_name(kind)
    if name in LITERAL and isinstance(value, Tensor):
        return LITERAL[name](machine, value)
    if name == "number" and isinstance(value, Tensor):
        return machine.item(value)
    return value


NAMES = {"List": list, "Dict": dict, "Tuple": tuple, "str": str, "int": int, "float": float}


def _isinstance(machine: Machine, node: ast.Call) -> bool:
    value, kinds = machine.evaluate(node.args[0]), node.args[1]
    each = kinds.elts if isinstance(kinds, (ast.Tuple, ast.List)) else [kinds]
    return any(_is_of(machine, value, kind) for kind in each)


def _is_of(machine: Machine, value: Any, kind: ast.expr) -> bool:
    name, parameters = type_name(kind)
    if isinstance(value, Number):
        return machine.kind_of(value) == name
    if isinstance(value, Tensor) or name == "Tensor":
        return isinstance(value, Tensor) and name == "Tensor"
    if name == "NoneType" or value is None:
        return value is None and name in ("NoneType", "Optional")
    if name == "bool" or isinstance(value, bool):
        return isinstance(value, bool) and name == "bool"
    if name not in NAMES or not isinstance(value, NAMES[name]):
        return isinstance(value, (Instance, Named)) and value.kind == name
    if name == "List" and value:
        return _is_of(machine, value[0], parameters[0])
    return True


def operator(
    machine: Machine, name: str, args: Sequence[Any], keywords: Mapping[str, Any]
) -> Any:
    """An operator of PyTorch by its name in the code: `add`, `ops.prim.NumToTensor`."""
    if (function := SPECIAL.get(name)) is not None:
        found = function(machine, *args, **keywords)
        if found is not NotImplemented:
            return found
    has_tensors = any(map(_holds_tensor, (*args, *keywords.values())))
    if name in PLAIN and (not has_tensors or name in OF_LISTS) and not _is_tensor(args):
        return call_plain(machine, name, args, keywords)
    packet = name.removeprefix("ops.") if name.startswith("ops.") else f"aten.{name}"
    op, found, bound = overloads.resolve(packet, args, keywords, machine.kind_of)
    return apply(machine, _with_converter(machine, op), found, dict(bound))


OF_LISTS = frozenset(
    {"__getitem__", "_set_item", "append", "extend", "insert", "pop", "clear", "reverse", "copy"}
    | {"len", "list", "slice", "keys", "values", "items", "get", "update", "dict", "Delete"}
    | {"add", "mul", "__contains__", "any", "all"}
)
"""Functions on lists and dictionaries, whatever these hold."""


def _is_tensor(args: Sequence[Any]) -> bool:
    """Whether the first argument is a tensor, or a number joins one."""
    return any(isinstance(a, Tensor) for a in args[:1]) or (
        len(args) > 1 and isinstance(args[1], Tensor) and not isinstance(args[0], (list, dict))
    )


def _holds_tensor(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(_holds_tensor, value))
    return isinstance(value, Tensor)


OTHERS = (
    (".Scalar", ".Tensor"),
    (".deprecated", ".default"),
    (".hacked_twin", ".default"),
    (".Tensor_hacked_twin", ".Tensor"),
    (".Scalar_mode", ".Tensor_mode"),
    ("aten.split.default", "aten.split_with_sizes.default"),
)


def _with_converter(machine: Machine, op: str) -> str:
    """The overload that means the same and has a converter, where this one has none."""
    if machine.translator.converts(op):
        return op
    for mine, other in OTHERS:
        if op.endswith(mine):
            same = op.removesuffix(mine) + other
            if machine.translator.converts(same):
                return same
    return op


def apply(machine: Machine, op: str, found: Schema, arguments: dict[str, Any]) -> Any:
    """The results of a node as the program sees them."""
    if op == "aten._convolution.default":
        arguments = dict.fromkeys(("cudnn_enabled", "allow_tf32"), True) | arguments
    _require_known_meaning(machine, op, arguments)
    if found.types == ("Tensor[]",):
        names = machine.emit(op, arguments, count_of(machine, op, arguments))
        return Items(map(Tensor, names), machine.region)
    names = machine.emit(op, arguments, len(found.types))
    if arguments.get("memory_format") not in ORDERED:
        for name in names:
            machine.memory.layout.steps.pop(name, None)
    results = [
        Tensor(n) if t.startswith("Tensor") else machine.fold(n)
        for n, t in zip(names, found.types, strict=True)
    ]
    if not results:
        return None
    return results[0] if len(results) == 1 else tuple(results)


def _require_known_meaning(machine: Machine, op: str, arguments: Mapping[str, Any]) -> None:
    """Unsupported for operators that computed something else when the archive was written."""
    old = op.rpartition(".")[0]
    if machine.version < 4 and old in ("aten.div", "aten.div_", "aten.full") and (
        old == "aten.full" or _are_integers(machine, arguments)
    ):
        fill = arguments.get("fill_value")
        if old != "aten.full" or ("dtype" not in arguments and not isinstance(fill, float)):
            raise Unsupported(
                f"{op} of integers in an archive of version {machine.version}, where it meant "
                "something else before PyTorch 1.6: save the archive again with a newer PyTorch"
            )


def _are_integers(machine: Machine, arguments: Mapping[str, Any]) -> bool:
    kinds = [arguments.get("self"), arguments.get("other")]
    return all(
        (not machine.type_of(v).precision.is_float) if isinstance(v, Tensor) else type(v) is int
        for v in kinds
    )


def count_of(machine: Machine, op: str, arguments: Mapping[str, Any]) -> int:
    """How many tensors an operator gives whose result is a list."""
    packet, _, overload = op.rpartition(".")
    given = arguments.get("self", arguments.get("condition"))
    if isinstance(given, Tensor):
        shape = machine.type_of(given).shape
        if op == "aten.where.default":
            return len(shape)
        dim = arguments.get("dim", 0)
        size = shape[dim % max(len(shape), 1)] if isinstance(dim, int) and shape else 0
        count = _pieces(packet, overload, size, arguments)
        if count is not None:
            return count
        if isinstance(size, Expr):
            raise Unsupported(f"{op} along a size that is open: give the size with sizes= or --dim")
    for value in arguments.values():
        if isinstance(value, list):
            return len(value)
    raise Unsupported(f"{op}, whose results are a list of unknown length")


def _pieces(
    packet: str, overload: str, size: Any, arguments: Mapping[str, Any]
) -> int | None:
    """The number of pieces that a tensor is split into along an axis of a size."""
    for name in ("split_size", "split_sizes", "indices", "sections", "chunks"):
        value = arguments.get(name)
        if isinstance(value, list):
            return len(value) + (name == "indices")
        if name == "sections" and isinstance(value, int):
            return value
        if isinstance(value, int) and isinstance(size, int):
            if value < 1:
                raise BadModel(f"{packet} into pieces of {value}")
            length = value if name == "split_size" else max(-(-size // value), 1)
            return max(-(-size // length), 1)
    if packet in ("aten.unbind", "aten.unsafe_split") and isinstance(size, int):
        return size
    return None


# Questions about tensors


@special("size")
def size(machine: Machine, x: Any, dim: Any = None) -> Any:
    """The sizes of a tensor, or one of them: Python's numbers where they are known."""
    shape = machine.type_of(x).shape
    if dim is None:
        return Items((_size(machine, x, k) for k in range(len(shape))), machine.region)
    dim = _known(dim)
    if not -len(shape) <= dim < len(shape):
        raise BadModel(f"size {dim} of a tensor of {len(shape)} axes")
    return _size(machine, x, dim % len(shape))


def _size(machine: Machine, x: Tensor, dim: int) -> Any:
    known = machine.type_of(x).shape[dim]
    return known if isinstance(known, int) else machine.number("aten.sym_size.int", self=x, dim=dim)


def _known(value: Any) -> int:
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
    return machine.type_of(x).precision in (Precision.COMPLEX64, Precision.COMPLEX128)


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


@special("warn", "ops.prim.Print", "_assert", "manual_seed")
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


# Tensors of numbers


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
    array = np.asarray(_nested(x))
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


def _nested(x: Any) -> Any:
    if isinstance(x, (list, tuple)):
        return [_nested(v) for v in x]
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

