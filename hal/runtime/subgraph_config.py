"""The subgraph-partition config: operations that run on the host whatever the devices can.

One line each: `op_type[:in1,in2,...[:out1,out2,...]]`. The type is the standard's name, such as
`CONV_2D`, and names are those of values. An operation matches when its type is equal and it has
every name of the line among its inputs and outputs; what a line leaves out is free.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from nnir.budget import read_file
from nnir.errors import BadCall, BadFile
from nnir.model import Operation, Value
from nnir.plugins import REGISTRY
from nnir.records import dataclass

from ..properties import environment

FILE = "SUBGRAPH_PARTITION_CONFIG_FILE"
BUFFER = "SUBGRAPH_PARTITION_CONFIG_BUFFER"


@dataclass(frozen=True)
class Rule:
    """One line."""

    operator: str
    inputs: frozenset[str]
    outputs: frozenset[str]

    def matches(self, operation: Operation) -> bool:
        return (
            self.operator.upper() == operation.operator.name
            and self.inputs <= _names(operation.inputs)
            and self.outputs <= _names(operation.outputs)
        )


@dataclass(frozen=True)
class Rules:
    """All lines; false where there are none."""

    rules: tuple[Rule, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.rules)

    def match(self, operation: Operation) -> bool:
        return any(rule.matches(operation) for rule in self.rules)

    @classmethod
    def parse(cls, text: str) -> Rules:
        """Read lines; empty ones are skipped. BadCall for one that is not of the grammar."""
        return cls(tuple(_rule(line) for line in map(str.strip, text.splitlines()) if line))

    @classmethod
    def read(cls, path: Path) -> Rules:
        """Read a file; BadFile where that cannot be, or where it is no text."""
        try:
            text = read_file(path).decode("utf-8-sig")
        except (BadFile, ValueError) as error:
            raise BadFile(f"cannot read the partition config {str(path)!r}: {error}") from None
        if "\0" in text:
            raise BadFile(f"cannot read the partition config {str(path)!r}: it is no text")
        return cls.parse(text)

    @classmethod
    def from_environment(cls) -> Rules:
        """What the environment says: a text, else a file, else nothing."""
        text, path = environment(BUFFER), environment(FILE)
        if text is not None:
            return cls.parse(text)
        return cls() if path is None else cls.read(Path(path))


def _rule(line: str) -> Rule:
    operator, *names = (part.strip() for part in line.split(":"))
    if not operator or len(names) > 2 or any(c.isspace() for c in operator):
        raise BadCall(f"partition config line {line!r:.80}: write op_type[:inputs[:outputs]]")
    if REGISTRY.find_operator(operator.upper()) is None:
        raise BadCall(
            f"partition config line {line!r:.80}: no operator {operator!r:.80}; "
            "`nnadapter ops` lists them"
        )
    inputs, outputs = ([*names, "", ""])[:2]
    return Rule(operator, _names_in(inputs), _names_in(outputs))


def _names_in(text: str) -> frozenset[str]:
    return frozenset(filter(None, (name.strip() for name in text.split(","))))


def _names(values: Iterable[Value | None]) -> set[str]:
    return {v.name for v in values if v is not None and v.name}


def line_of(operation: Operation) -> str:
    """The line that matches an operation, to be put into a config."""
    names = (
        ",".join(v.name or "" for v in values if v is not None and v.constant is None)
        for values in (operation.inputs, operation.outputs)
    )
    return ":".join((operation.operator.name, *names)).rstrip(":")
