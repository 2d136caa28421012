"""The gate of Paddle's programs: known operators, parameters in the plain layout, no pickles.

Beside a program may lie `.pdiparams.info`, which is a pickle, and others that Paddle looks for by
name: only the program and its parameters are handed on.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from frontends.paddle import is_legacy
from frontends.paddle.converters import TABLE
from frontends.paddle.reading import params, pir
from frontends.paddle.reading.desc import program
from frontends.paddle.reading.legacy import reader as legacy
from nnir.errors import DAMAGE, BadFile, Unsupported, describe
from nnir.mapping import map_file

NAME = "program"
PARAMETERS = ".pdiparams"
OPERATIONS, PARAMETER = "ops", "p"
"""Keys of PIR: what a block does, and what one operation is called that makes a parameter."""

BUILTIN = {
    "builtin": frozenset({"combine", "split", "slice", "shadow_output", "set_parameter"}),
    "cf": frozenset({"yield"}),
    "pd_op": frozenset({"data", "feed", "fetch", "if", "while"}),
}
"""Operations of PIR that move values, by their dialect."""


def admit(source: Path, folder: Path) -> Path:
    """The program in `folder`, as Paddle names it, with a link to its parameters."""
    try:
        is_old = is_legacy(source)
        (_check_legacy if is_old else _check_pir)(source)
        shutil.copyfile(source, folder / f"{NAME}{'.pdmodel' if is_old else '.json'}")
        for place in (source.with_suffix(PARAMETERS), source.with_name("__params__")):
            if place.exists():
                params.read_all(map_file(place))
                (folder / NAME).with_suffix(PARAMETERS).symlink_to(place.resolve())
                break
    except DAMAGE as error:
        raise BadFile(f"damaged program: {describe(error)}") from None
    return folder / NAME


def _check_legacy(source: Path) -> None:
    _, blocks = program(map_file(source))
    legacy.Reader(blocks).require_rules()


def _check_pir(source: Path) -> None:
    waiting: list[Any] = [json.loads(bytes(map_file(source)))["program"]]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += value
        elif isinstance(value, dict):
            waiting += value.values()
            for operation in value.get(OPERATIONS, ()):
                _check_operation(operation["#"])


def _check_operation(label: str) -> None:
    if label == PARAMETER:
        return
    number, _, name = label.partition(".")
    dialect = pir.DIALECTS.get(number, "")
    known = {"pd_op": name, "custom_op": f"custom_op.{name}"}.get(dialect)
    if name in BUILTIN.get(dialect, ()) or (known and TABLE.find(known, 1)):
        return
    raise Unsupported(f"the operation {label[:60]!r} is not on the list of those Paddle is given")
