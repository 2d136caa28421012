"""Which parameters of converters no case shows with a value other than their default."""

from __future__ import annotations

import inspect
import keyword
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from frontends.table import Converter, Table
from nnir.errors import Unsupported

from ..case import Case, array_of

Arguments = Callable[[Case], Mapping[str, Any]]


def defaults(converter: Converter) -> dict[str, Any]:
    """The parameters with a default that a model may give, and their defaults."""
    return {
        name: parameter.default
        for name, (parameter, _) in converter.parameters.items()
        if parameter.default is not inspect.Parameter.empty and name not in converter.services
    }


def untried_parameters(
    table: Table,
    cases: Iterable[Case],
    arguments_of: Arguments,
    defaults_of: Callable[[Converter], Mapping[str, Any]] = defaults,
) -> dict[str, list[str]]:
    """For each operator the parameters of its converters that are only tried with their default.

    `arguments_of` gives the arguments of a case by name. A case that must fail shows what it
    gives only where it is refused on purpose.
    """
    given: dict[str, list[Mapping[str, Any]]] = {}
    for case in cases:
        if case.raises in (None, Unsupported):
            given.setdefault(name_of(case), []).append(spelt(arguments_of(case)))
    found = {}
    for name, versions in table.entries.items():
        rows = given.get(name, ())
        missing = {
            parameter
            for converter in versions.values()
            for parameter, default in defaults_of(converter).items()
            if not any(parameter in row and differs(row[parameter], default) for row in rows)
        }
        if missing:
            found[name] = sorted(missing)
    return found


def without_excuse(
    missing: Mapping[str, Sequence[str]], excused: Iterable[str | tuple[str, str]]
) -> dict[str, list[str]]:
    """What no case shows and no excuse names: by parameter, or by operator and parameter."""
    known = set(excused)
    left = {
        op: [name for name in names if name not in known and (op, name) not in known]
        for op, names in missing.items()
    }
    return {op: names for op, names in left.items() if names}


def needless(
    missing: Mapping[str, Sequence[str]], excused: Iterable[str | tuple[str, str]]
) -> list[str | tuple[str, str]]:
    """The excuses for what a case shows, or for what does not exist."""
    pairs = {(op, name) for op, names in missing.items() for name in names}
    used = pairs | {name for _, name in pairs}
    return [excuse for excuse in excused if excuse not in used]


def name_of(case: Case) -> str:
    """The operator of a case as tables call it."""
    return f"{case.domain}::{case.op}" if case.domain else case.op


def bind_by_position(
    converter: Converter, inputs: Sequence[Any], attributes: Mapping[str, Any]
) -> Any:
    """Arguments by name where inputs have positions, such as ONNX's and TFLite's."""
    names = [parameter.name for parameter in converter.positional]
    return dict(zip(names, inputs, strict=False)) | dict(attributes)


def spelt(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments by the names of parameters: Python's keywords have an underscore there."""
    return {f"{n}_" if keyword.iskeyword(n) else n: a for n, a in arguments.items()}


def differs(value: Any, default: Any) -> bool:
    """Whether an argument is given and is not the default; numbers by their value."""
    value = array_of(value)
    if value is None or default is None:
        return value is not None
    if isinstance(value, str) or isinstance(default, str):
        return bool(value != default)
    if isinstance(default, (list, tuple)) and not default:
        return bool(np.size(value))
    if isinstance(value, (bool, int, float, complex, list, tuple, np.ndarray, np.generic)):
        return not same_numbers(value, default)
    return bool(value != default)


def same_numbers(value: Any, default: Any) -> bool:
    """Whether numbers are those of the default; one number may stand for all."""
    try:
        return bool(np.all(np.equal(np.asarray(value), np.asarray(default))))
    except (TypeError, ValueError):
        return False
