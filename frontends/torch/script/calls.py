"""Calls in a TorchScript program: operators become nodes, the rest is done here."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nnir.dim import Expr
from nnir.errors import BadFile, BadModel, Unsupported

from ..reading.schema import Schema
from . import overloads
from .functions import containers  # noqa: F401  # it fills the table
from .functions.numbers import to_bool, to_float, to_int
from .functions.table import PLAIN, SPECIAL, call_plain, call_special
from .functions.tensors import ORDERED
from .library import CUSTOM, full_name, type_name
from .machine import Machine, describe
from .things import (
    Class,
    Function,
    Instance,
    Items,
    Named,
    Number,
    Tensor,
    Uninitialized,
    Withheld,
)

LITERAL = {"int": to_int, "float": to_float, "bool": to_bool}
"""What a value becomes that is annotated as a number."""


def call(machine: Machine, node: ast.Call) -> Any:
    """What a call gives."""
    if isinstance(node.func, ast.Name) and node.func.id in FORMS:
        form = FORMS[node.func.id]
        if len(node.args) != form[0] or node.keywords:
            raise BadFile(f"{node.func.id} of {len(node.args)} arguments")
        return form[1](machine, *node.args)
    if isinstance(node.func, ast.Name) and node.func.id in ASYNCHRONOUS:
        raise Unsupported(f"a TorchScript program with {node.func.id}: save it without such calls")
    name = full_name(node.func) or ""
    head, _, rest = name.partition(".")
    is_known = name in PLAIN or name in SPECIAL
    if is_known and isinstance(node.func, ast.Name) and name not in machine.frame.names:
        return operator(machine, name, *_arguments(machine, node))
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
    if isinstance(node.func, ast.Attribute) and node.func.attr == "tolist":
        owner = machine.evaluate(node.func.value)
        if isinstance(owner, Tensor) and not (node.args or node.keywords):
            return to_list(machine, owner)
    target = machine.evaluate(node.func)
    args, keywords = _arguments(machine, node)
    if not isinstance(target, (Function, Class)):
        raise BadFile(f"a call of {describe(target)}")
    return machine.call(target, args, keywords)


def to_list(machine: Machine, x: Tensor) -> Any:
    """A tensor as lists of numbers; Unsupported where its size is not known."""
    kind = machine.type_of(x)
    if not kind.rank:
        return machine.item(x)
    size = kind.shape[0]
    if isinstance(size, Expr):
        raise Unsupported(f"{kind} as a list, whose length is only known while running")
    rows = (machine.emit("aten.select.int", {"self": x, "dim": 0, "index": k}) for k in range(size))
    return Items((to_list(machine, Tensor(row)) for (row,) in rows), machine.region)


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


def _annotate(machine: Machine, kind: ast.expr, node: ast.expr) -> Any:
    """A value of a declared type: tensors become numbers where that says so."""
    name, _ = type_name(kind)
    value = machine.evaluate(node)
    if name in LITERAL and isinstance(value, Tensor):
        return LITERAL[name](machine, value)
    if name == "number" and isinstance(value, Tensor):
        return machine.item(value)
    return value


def _make_gap(machine: Machine, kind: ast.expr) -> Any:
    return Uninitialized()


def _getattr(machine: Machine, owner: ast.expr, name: ast.expr) -> Any:
    """An attribute whose name is none of Python's, such as "0"."""
    if not isinstance(name, ast.Constant) or not isinstance(name.value, str):
        raise BadFile("an attribute whose name is computed")
    return machine.attribute(machine.evaluate(owner), name.value)


NAMES: dict[str, type] = {
    "List": list,
    "Dict": dict,
    "Tuple": tuple,
    "str": str,
    "int": int,
    "float": float,
}


def _isinstance(machine: Machine, node: ast.expr, kinds: ast.expr) -> bool:
    value = machine.evaluate(node)
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
    if isinstance(value, list) and value and parameters:
        return _is_of(machine, value[0], parameters[0])
    return True


FORMS: dict[str, tuple[int, Callable[..., Any]]] = {
    "annotate": (2, _annotate),
    "unchecked_cast": (2, _annotate),
    "uninitialized": (1, _make_gap),
    "isinstance": (2, _isinstance),
    "getattr": (2, _getattr),
}
"""Calls with types or names among their arguments: how many they have, and what they give."""

ASYNCHRONOUS = frozenset({"fork", "wait", "awaitable"})


def operator(machine: Machine, name: str, args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    """An operator of PyTorch by its name in the code: `add`, `ops.prim.NumToTensor`."""
    special = call_special(machine, name, args, keywords)
    if special is not NotImplemented:
        return special
    has_tensors = any(map(_holds_tensor, (*args, *keywords.values())))
    if name in PLAIN and (not has_tensors or name in OF_LISTS) and not _is_tensor(args):
        return call_plain(machine, name, args, keywords)
    packet = name.removeprefix("ops.") if name.startswith("ops.") else f"aten.{name}"
    op, found, bound = overloads.resolve(packet, args, keywords, machine.kind_of)
    arguments = dict(bound)
    if op in BY_NUMBERS and machine.is_scalar(arguments["other"]):
        arguments["other"] = machine.scalars[arguments["other"]]
        op = op.replace(".Tensor", ".Scalar")
    return apply(machine, _with_converter(machine, op), found, arguments)


BY_NUMBERS = frozenset(
    f"aten.{name}.Tensor"
    for name in ("add", "sub", "mul", "div", "subtract", "multiply", "divide", "true_divide")
)
"""Where PyTorch takes a constant of rank 0 behind for the number in it: traces write the numbers
of Python so, and the type of the result depends on it (a mask times 0.5 is FLOAT32)."""


OF_LISTS = frozenset(
    {"__getitem__", "_set_item", "append", "extend", "insert", "pop", "clear", "reverse", "copy"}
    | {"len", "list", "slice", "keys", "values", "items", "get", "update", "dict", "Delete"}
    | {"add", "add_", "mul", "__contains__", "any", "all"}
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
    if (
        machine.version < 4
        and old in ("aten.div", "aten.div_", "aten.full")
        and (old == "aten.full" or _are_integers(machine, arguments))
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


def _pieces(packet: str, overload: str, size: Any, arguments: Mapping[str, Any]) -> int | None:
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
