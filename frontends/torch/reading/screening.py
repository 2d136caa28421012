"""What in the program of a `.pt2` file PyTorch would run as it reads it, and what may stand there.

Operators are looked up by name in all of PyTorch, `os` included; names of values become Python
code; sizes are evaluated by SymPy; specifications of containers import modules. So each is held
against a grammar or a list. The text of the program itself is not changed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from nnir.errors import BadFile, Unsupported
from nnir.plugins import REGISTRY

from ..converters import TABLE
from . import expressions, schema

EFFECTS = "higher_order.with_effects"
PREFIX = "torch.ops."
OPERATOR = re.compile(r"torch\.ops(\.\w+){2,3}")
OF_SIZES = ("_operator.", "math.", "torch.sym_")
"""Functions on the numbers that sizes are."""

SIDE_EFFECTS = frozenset({"aten.from_file.default", "aten.from_file.out", "aten._print.default"})
"""Operators of ATen that open files or print."""

RANGE = re.compile(r"[A-Za-z_]{1,20}\d{0,6}|(?!u|zuf)[\w ,.+\-*/()]{1,1000}")
"""Symbols and expressions with ranges; PyTorch counts up to the number after `u` and `zuf`."""

_PART = r"[\w\-/:+ ,()\[\]<>='@#|&*~^!?%]"
PATH = re.compile(rf"{_PART}*(\.{_PART}+)*")
"""Full names of weights, which become attributes of a module: what can stand between double
quotes in Python code, where PyTorch writes what is no identifier."""

WORD = re.compile(r"[a-z]{1,20}")
FACTORIES = frozenset({"dict", "list", "set", "int", "float", "str", "tuple", "bool"})
DEEPEST = 60


class Seen:
    """What stands in a program where PyTorch could run it, found by the reader of JSON: `look_at`
    is its `object_hook`, as a walk over what was read takes longer than to read it."""

    def __init__(self) -> None:
        self.values: dict[str, list[Any]] = {key: [] for key in CHECKS}

    def look_at(self, held: dict[str, Any]) -> dict[str, Any]:
        """One object of the program, as it is."""
        values = self.values
        if not WATCHED.isdisjoint(held):
            for key, value in held.items():
                if key in values:
                    values[key].append(value)
        return held


def screen(seen: Seen, *, is_closed: bool = False) -> None:
    """BadFile or Unsupported, by name, where PyTorch would run what lies in the program.

    `is_closed`: refuse operators of libraries that are not known, too. Else they are left to the
    translator, which lists all that it does not know.
    """
    checks = {**CHECKS, **OPERATORS} if is_closed else CHECKS
    for key, values in seen.values.items():
        check = checks[key]
        for value in _once(values):
            check(value)


def _once(values: list[Any]) -> Iterable[Any]:
    """Each of equal values once, where they are such as can be told apart quickly."""
    try:
        return dict.fromkeys(values)
    except TypeError:  # lists and dictionaries
        return values


def check_operator(name: object) -> None:
    """Unsupported for what is none of the operators that are known."""
    check_callable(name)
    op = str(name).removeprefix(PREFIX)
    if op == name or schema.find(op) or op in {*schema.HIGHER_ORDER, EFFECTS}:
        return
    if not any(table.find(op, 1) for _, table in REGISTRY.of("converters", "torch")):
        raise Unsupported(f"the operator {name!r} is of an unknown library")


def check_callable(name: object) -> None:
    """Unsupported for what is no operator, but any function or object of Python, or acts."""
    if not isinstance(name, str):
        raise BadFile("an operator without a name")
    if name.removeprefix(PREFIX) in SIDE_EFFECTS:
        raise Unsupported(f"{name!r} reads files, writes files or prints")
    if name.startswith(PREFIX):
        if not OPERATOR.fullmatch(name):
            raise Unsupported(f"{name[:80]!r} is no operator")
    elif name not in schema.VMAPS and not (name.startswith(OF_SIZES) and TABLE.find(name, 1)):
        raise Unsupported(f"{name[:80]!r} is no operator, and may do anything")


def check_name(name: object) -> None:
    """BadFile for a name that is more than a name: PyTorch writes Python code with it."""
    if name is not None and name != "" and not (isinstance(name, str) and name.isidentifier()):
        raise BadFile(f"a value of the program is called {str(name)[:60]!r}")


def _check_path(path: object) -> None:
    if path is not None and not (isinstance(path, str) and PATH.fullmatch(path)):
        raise BadFile(f"a weight or module of the program is called {str(path)[:60]!r}")


def _check_range(name: str) -> None:
    if not RANGE.fullmatch(name):
        raise BadFile(f"a size of the program is called {name[:60]!r}")


def _check_device(kind: object) -> None:
    if not (isinstance(kind, str) and WORD.fullmatch(kind)):
        raise BadFile(f"a device of type {str(kind)[:60]!r}")


def _each_key(check: Callable[[str], None]) -> Callable[[object], None]:
    def checked(value: object) -> None:
        for key in value if isinstance(value, dict) else ():
            check(key)

    return checked


def _each(check: Callable[[object], None]) -> Callable[[object], None]:
    def checked(value: object) -> None:
        for item in value if isinstance(value, list) else [value]:
            check(item)

    return checked


def _refuse_object(value: object) -> None:
    raise Unsupported("a program with an object of a custom class, which could run code")


def _refuse_objects(value: object) -> None:
    if value:
        _refuse_object(value)


def _check_inputs(text: object) -> None:
    """Of what the program is called with: names of keywords become parameters of a function."""
    spec = check_structure(text)
    for child in spec["children_spec"] if spec is not None else ():
        if child["type"] == "builtins.dict":
            for key in json.loads(child["context"]):
                check_name(key)


def check_structure(text: object) -> Any:
    """The specification of a container; BadFile where reading it would import or call something."""
    if text is None:
        return None
    if not isinstance(text, str):
        raise BadFile("a container is described by no text")
    try:
        protocol, spec = json.loads(text)
        _check_container(spec, 0)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BadFile(f"a container described as {text[:60]!r}: {error}") from None
    if protocol != 1:
        raise Unsupported(f"a container described by protocol {protocol!r}")
    return spec


def _check_container(spec: Mapping[str, Any], depth: int) -> None:
    if depth > DEEPEST:
        raise BadFile(f"containers nested more than {DEEPEST} deep")
    kind, context = spec["type"], spec["context"]
    if kind is not None and not all(part.isidentifier() for part in kind.split(".")):
        raise BadFile(f"a container of type {kind[:60]!r}")
    if kind == "collections.defaultdict":
        factory = context["default_factory_module"], context["default_factory_name"]
        if factory[0] != "builtins" or factory[1] not in FACTORIES:
            raise Unsupported(f"a defaultdict that calls {'.'.join(map(str, factory))}")
    elif isinstance(context, str) and kind != "collections.namedtuple":
        _check_plain(json.loads(context))
    _check_plain(context)
    for child in spec["children_spec"]:
        _check_container(child, depth + 1)


def _check_plain(context: object) -> None:
    """Enumerations are imported by name, wherever they stand."""
    waiting = [context]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if "__enum__" in value:
                raise Unsupported(f"a container with keys of the enumeration {value.get('fqn')!r}")
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value


CHECKS: dict[str, Callable[[Any], None]] = {
    "expr_str": expressions.check,
    "target": check_callable,
    "as_operator": check_callable,
    "in_spec": _check_inputs,
    "out_spec": check_structure,
    "type": _check_device,
    "fqn": _check_path,
    "as_custom_obj": _refuse_object,
    "custom_obj": _refuse_object,
    "custom_obj_values": _refuse_objects,
    "range_constraints": _each_key(_check_range),
    **dict.fromkeys(("name", "as_name"), check_name),
    **dict.fromkeys(("forward_arg_names", "field_names"), _each(check_name)),
    **dict.fromkeys(
        ("parameter_name", "buffer_name", "tensor_constant_name", "user_input_name"), _check_path
    ),
    **dict.fromkeys(
        ("tensor_values", "sym_int_values", "sym_bool_values", "sym_float_values"),
        _each_key(check_name),
    ),
    "as_string_to_argument": _each_key(check_name),
}
"""By the key in the JSON; PyTorch's schema gives these no second meaning."""

WATCHED = frozenset(CHECKS)

OPERATORS: dict[str, Callable[[Any], None]] = {
    "target": check_operator,
    "as_operator": check_operator,
}
