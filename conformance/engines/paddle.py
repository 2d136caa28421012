"""Paddle cases: see `named`. Arguments that a case leaves out have Paddle's defaults."""

from __future__ import annotations

from frontends import paddle as frontend
from frontends.paddle.reading import opdefs, pir
from frontends.source import SourceGraph, SourceNode, refs
from nnir.errors import DeviceError
from nnir.types import Precision

from ..case import Case
from .named import Dialect, Named, NamedEngine, Types, run_inputs


def _names(case: Case) -> list[str]:
    found = opdefs.find(case.op)
    if found is None:
        raise DeviceError(f"{case.op} has no signature")
    return list(found.arguments)


def _node(op: str, given: Named, outputs: list[str], types: Types) -> SourceNode:
    found = opdefs.find(op)
    defaults = {} if found is None else found.defaults
    implied = {n: default(v) for n, v in defaults.items() if n != "place" and not is_plain(v)}
    arguments = implied | dict(given)
    return SourceNode(op, refs(arguments), outputs, arguments)


def is_plain(value: object) -> bool:
    """Whether it is a default that the converter has too: a row that leaves it out tries that."""
    return isinstance(value, (bool, int, float, str))


def default(value: object) -> object:
    """A default of the table as the reader gives attributes."""
    if isinstance(value, dict):
        return Precision[value["dtype"].upper()] if value["dtype"] != "undefined" else None
    return value


def _finish(graph: SourceGraph) -> None:
    """As the reader does: results that nobody reads lose their name."""
    pir.forget(graph, pir.read_names(graph))


ENGINE = NamedEngine(
    "conformance.oracles.paddle", Dialect("paddle", frontend.translate, _names, _node, _finish)
)
convert, run, source = ENGINE.convert, ENGINE.run, ENGINE.source

__all__ = ["ENGINE", "convert", "run", "run_inputs", "source"]
