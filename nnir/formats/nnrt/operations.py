"""NNRt's 108 operations as data: their inputs, typed parameters and outputs.

`operations.json` is made by `make_operations`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from ...errors import BadModel
from ...records import dataclass

FILE = Path(__file__).with_name("operations.json")
PREFIX = "OH_NN_OPS_"


@dataclass(frozen=True)
class Operand:
    """What an input or output of an operation may be: kinds of elements, and from how many axes to
    how many. A variadic one stands for all that follow."""

    name: str
    kinds: str
    least: int
    most: int
    mark: str = ""

    @property
    def is_optional(self) -> bool:
        return self.mark == "optional"

    @property
    def is_variadic(self) -> bool:
        return self.mark == "variadic"


@dataclass(frozen=True)
class Parameter:
    """A parameter: the tensor type that marks it, and how many elements it has (0: a list).

    Those of a `form` belong to one of two that exclude each other, such as padMode and padList.
    """

    name: str
    type: int
    kinds: str
    count: int
    mark: str = ""
    form: str = ""

    @property
    def is_optional(self) -> bool:
        return self.mark == "optional"


@dataclass(frozen=True)
class Definition:
    """An operation of the standard, and the version of the API that it came with."""

    name: str
    code: int
    since: int
    layout: str
    summary: str
    inputs: tuple[Operand, ...]
    parameters: tuple[Parameter, ...]
    outputs: tuple[Operand, ...]

    @property
    def full_name(self) -> str:
        """Its name in the header."""
        return PREFIX + self.name

    def parameter(self, code: int) -> Parameter | None:
        """The parameter that a tensor type marks."""
        return next((p for p in self.parameters if p.type == code), None)

    def named(self, name: str) -> Parameter:
        """A parameter by its name; BadModel for one that it has not."""
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        raise BadModel(f"{self.full_name} has no parameter {name!r}")


@cache
def read_table() -> dict[str, Any]:
    """The file."""
    found: dict[str, Any] = json.loads(FILE.read_text("utf-8"))
    return found


def _definitions() -> Iterator[Definition]:
    for name, row in read_table()["operations"].items():
        yield Definition(
            name,
            row["code"],
            row["since"],
            row["layout"],
            row["summary"],
            tuple(Operand(*o) for o in row["inputs"]),
            tuple(Parameter(*p) for p in row["parameters"]),
            tuple(Operand(*o) for o in row["outputs"]),
        )


OPERATIONS: dict[str, Definition] = {d.name: d for d in _definitions()}
"""Every operation by its name without OH_NN_OPS_."""

BY_CODE: dict[int, Definition] = {d.code: d for d in OPERATIONS.values()}

TENSOR_TYPES: dict[str, int] = read_table()["tensor_types"]
"""The codes of tensor types by their names without OH_NN_: TENSOR is 0, the others are marks of
parameters."""

TYPE_NAMES: dict[int, str] = {code: name for name, code in TENSOR_TYPES.items()}


def find_definition(code: int) -> Definition:
    """The operation of a code; BadModel where there is none."""
    found = BY_CODE.get(code)
    if found is None:
        raise BadModel(f"operation {code}: NNRt has {min(BY_CODE)} to {max(BY_CODE)}")
    return found
