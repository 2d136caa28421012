"""Signatures: of the operator that somebody wants, and of those that sources have."""

from __future__ import annotations

import ast
import inspect
import keyword
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from nnir.errors import BadInput
from nnir.records import dataclass

TENSOR = "Value"
OPTIONAL = f"{TENSOR} | None"
HINTS = {
    "Tensor": TENSOR,
    "Tensor?": OPTIONAL,
    "Scalar": "float",
    "SymInt": "int",
    "Device": "str",
    "int": "int",
    "float": "float",
    "bool": "bool",
    "str": "str",
    "ScalarType": "Precision",
}
"""What PyTorch's types are in a converter."""

MODULES = re.compile(r"\b(?:\w+\.)+(?=\w)")
NEWEST = 1_000
NAMES = re.compile(r"(\w+)\s*\((.*)\)", re.DOTALL)


@dataclass(frozen=True)
class Parameter:
    """One parameter as it is written: `default` is an expression, None where it must be given."""

    name: str
    hint: str
    default: str | None = None
    is_keyword: bool = False

    def __str__(self) -> str:
        return f"{self.name}: {self.hint}" + (f" = {self.default}" if self.default else "")

    @property
    def is_tensor(self) -> bool:
        return TENSOR in self.hint


def write(parameters: Sequence[Parameter], hints: Callable[[Parameter], str] = str) -> str:
    """Parameters as they stand in a `def`."""
    plain = [hints(p) for p in parameters if not p.is_keyword]
    named = [hints(p) for p in parameters if p.is_keyword]
    return ", ".join([*plain, *(["*", *named] if named else [])])


def parse(text: str) -> tuple[str, list[Parameter]]:
    """Name and parameters of "rotary(input, cos, bias=None, *, scale: float = 1.0)".

    What stands before `*` are tensors, of which those `= None` may be left out; behind it are
    constants with their types. BadInput for anything else.
    """
    found = NAMES.fullmatch(text.strip())
    if found is None or not found[1].isidentifier():
        raise BadInput(
            f"{text!r} is no signature such as 'rotary(input, cos, *, scale: float = 1.0)'"
        )
    try:
        (function,) = ast.parse(f"def {found[1].lower()}({found[2]}): ...").body
    except SyntaxError as error:
        raise BadInput(f"{text!r}: {error.msg}") from None
    if not isinstance(function, ast.FunctionDef):
        raise BadInput(f"{text!r} is no signature")
    return function.name, list(_parameters(function.args, text))


def _parameters(given: ast.arguments, text: str) -> Iterator[Parameter]:
    if given.vararg or given.kwarg or given.posonlyargs:
        raise BadInput(f"{text!r}: tensors, then `*`, then constants are all that there is")
    defaults = [None] * (len(given.args) - len(given.defaults)) + [*given.defaults]
    for argument, default in zip(given.args, defaults, strict=True):
        if default is not None and ast.unparse(default) != "None":
            raise BadInput(f"{text!r}: the tensor {argument.arg} can have no default but None")
        is_optional = default is not None
        hint = OPTIONAL if is_optional else TENSOR
        yield Parameter(argument.arg, hint, "None" if is_optional else None)
    for argument, value in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        if argument.annotation is None:
            raise BadInput(f"{text!r}: the constant {argument.arg} needs a type, such as float")
        hint = ast.unparse(argument.annotation)
        yield Parameter(argument.arg, hint, None if value is None else ast.unparse(value), True)


def as_operator(parameters: Sequence[Parameter]) -> list[Parameter]:
    """A source's parameters as those of an operator: tensors, then constants by name."""
    tensors = [replace(p, is_keyword=False) for p in parameters if p.is_tensor]
    return tensors + [replace(p, is_keyword=True) for p in parameters if not p.is_tensor]


def signature_of(frontend: str, op: str) -> list[Parameter] | None:
    """The signature that a source's operator has, None where nobody knows it."""
    readers = {
        "onnx": _of_onnx,
        "torch": _of_torch,
        "tensorflow": _of_tensorflow,
        "paddle": _of_paddle,
    }
    reader = readers.get(frontend)
    return None if reader is None else reader(op)


def _of_torch(op: str) -> list[Parameter] | None:
    from frontends.torch.reading import schema

    found = schema.find(op)
    if found is None:
        return None
    made = []
    for a in found.arguments:
        kind, is_list = a.type.split("[")[0].rstrip("?"), "[" in a.type
        hint = HINTS.get(a.type, HINTS.get(kind, "str"))
        hint = f"tuple[{hint}, ...]" if is_list and hint != TENSOR else hint
        hint = "Items" if is_list and hint == TENSOR else hint
        if a.type.endswith("?") and "None" not in hint:
            hint += " | None"
        default = None if a.default is schema.NO_DEFAULT else _literal(a.default)
        made.append(Parameter(_plain(a.name), hint, default, a.is_keyword))
    return made


def _of_tensorflow(op: str) -> list[Parameter] | None:
    from frontends.tensorflow.reading import opdefs

    found = opdefs.find(op)
    if found is None:
        return None
    tensors = [Parameter(_plain(a.name), "Items" if a.count else TENSOR) for a in found.inputs]
    rest = {n: d for n, d in found.defaults.items() if n not in found.implied}
    return tensors + [_constant(n, d, is_needed=d is opdefs.NO_DEFAULT) for n, d in rest.items()]


def _of_paddle(op: str) -> list[Parameter] | None:
    from frontends.paddle.reading import opdefs

    found = opdefs.find(op)
    if found is None:
        return None
    tensors = [Parameter(_plain(n), TENSOR) for n in found.arguments if n in found.operands]
    rest = [n for n in found.arguments if n not in found.operands]
    return tensors + [
        _constant(n, found.defaults.get(n), is_needed=n not in found.defaults) for n in rest
    ]


def _of_onnx(op: str) -> list[Parameter] | None:
    """That of our converter of it: names, order and defaults are ONNX's."""
    from frontends.onnx.converters import TABLE

    found = TABLE.find(op, NEWEST)
    if found is None:
        return None
    shown = (p for n, (p, _) in found.parameters.items() if n not in found.services)
    return [_of_python(p) for p in shown]


def _of_python(parameter: inspect.Parameter) -> Parameter:
    hint = MODULES.sub("", inspect.formatannotation(parameter.annotation))
    is_needed = parameter.default is inspect.Parameter.empty
    default = None if is_needed else _literal(parameter.default)
    return Parameter(
        _plain(parameter.name), hint, default, parameter.kind is parameter.KEYWORD_ONLY
    )


def _constant(name: str, default: Any, *, is_needed: bool) -> Parameter:
    """A constant whose type its default shows."""
    hint = "Any" if is_needed else type(default).__name__
    if isinstance(default, (list, tuple)):
        kinds = {type(v).__name__ for v in default}
        hint = f"tuple[{kinds.pop() if len(kinds) == 1 else 'Any'}, ...]"
    return Parameter(_plain(name), hint, None if is_needed else _literal(default), True)


def _literal(value: Any) -> str:
    """A default as it is written; a list as a tuple."""
    return repr(tuple(value)) if isinstance(value, list) else repr(value)


def _plain(name: str) -> str:
    """A name that Python takes."""
    return f"{name}_" if keyword.iskeyword(name) else name
