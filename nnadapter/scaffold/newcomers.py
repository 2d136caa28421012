"""Packages for a new device and a new frontend: stubs that raise and say where."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from hal.runtime import manager
from nnir.errors import BadInput
from nnir.model import Operator
from nnir.plugins import REGISTRY

from .package import names_of, require_new, write_files

USUAL = ("ADD", "MUL", "MAT_MUL", "RESHAPE")
"""The operators that a device begins with."""


def write_device(folder: Path, name: str, operators: Sequence[str]) -> list[Path]:
    """The package of a device, with a stub for each operator; its files.

    BadInput where the name is taken, an operator does not exist or something is there.
    """
    require_new(folder)
    if not name.isidentifier() or name != name.lower():
        raise BadInput(f"{name!r} is no name of a device: small letters, digits and _")
    if name in manager.names():
        raise BadInput(f"there is a device {name!r} already: `nnadapter devices`")
    found = [_operator_of(op) for op in operators or USUAL]
    words = names_of(folder) | {
        "name": name,
        "Class": name.title().replace("_", ""),
        "imports": "\n".join(sorted(f"from {o.__module__} import {_variable(o)}" for o in found)),
        "lowerings": "".join(_lowering(o, name, f"{folder.name}/device.py") for o in found),
    }
    files = {"device": "device", "plugin": "device_plugin"}
    return write_files(folder, f"The device {name} for nnadapter.", files, words)


def _operator_of(name: str) -> Operator[object]:
    found = REGISTRY.find_operator(name.upper())
    if found is None:
        raise BadInput(f"no operator {name!r}; `nnadapter ops` lists them")
    return found


def _variable(operator: Operator[object]) -> str:
    """What its module calls an operator."""
    names = vars(import_module(operator.__module__)).items()
    return next(name for name, found in names if found is operator)


def _lowering(operator: Operator[object], device: str, place: str) -> str:
    tensors = [f"{t}: Value" for t in operator.tensors]
    if operator.variadic:
        tensors.append(f"*{operator.variadic}: Value")
    named = [f"{a}: Any" for a in operator.attributes]
    marks = ["*"] if named and not operator.variadic else []
    function = operator.name.lower()
    return (
        f"\n@table.lower({_variable(operator)})\n"
        f"def lower_{function}(g: Program, {', '.join([*tensors, *marks, *named])}) -> Register:\n"
        f'    raise NotImplementedError("{operator.name}: how {device} computes it ({place})")\n\n'
    )


def write_frontend(folder: Path, name: str, suffix: str, operators: Sequence[str]) -> list[Path]:
    """The package of a frontend, with a stub for each of the source's operators; its files."""
    require_new(folder)
    if not name.isidentifier() or name != name.lower():
        raise BadInput(f"{name!r} is no name of a frontend: small letters, digits and _")
    if not suffix.startswith(".") or len(suffix) < 2:
        raise BadInput(f"{suffix!r} is no suffix of a file, such as .{name}")
    place = f"{folder.name}/converters.py"
    words = names_of(folder) | {
        "name": name,
        "Class": name.title().replace("_", ""),
        "suffix": suffix,
        "converters": "".join(_converter(op, place) for op in operators or ("Add",)),
    }
    files = {
        "frontend": "frontend",
        "reading": "reading",
        "converters": "converters",
        "plugin": "frontend_plugin",
    }
    return write_files(folder, f"The frontend {name} for nnadapter.", files, words)


def _converter(op: str, place: str) -> str:
    function = "".join(c if c.isalnum() else "_" for c in op).lower()
    return (
        f'\n\n@table.convert("{op}")\ndef convert_{function}(*inputs: Value) -> Value:\n'
        f'    raise NotImplementedError("{op}: what it is in the standard ({place})")\n'
    )
