"""Paddle cases: see `named`. Arguments that a case leaves out have Paddle's defaults."""

from __future__ import annotations

from frontends import paddle as frontend
from frontends.paddle.reading import opdefs, pir
from frontends.source import SourceGraph, SourceNode, refs
from nnir.errors import DeviceError

from ..case import Case
from .named import Dialect, Named, NamedEngine, Types, run_inputs


def _names(case: Case) -> list[str]:
    found = opdefs.find(case.op)
    if found is None:
        raise DeviceError(f"{case.op} has no signature")
    return list(found.arguments)


def _node(op: str, given: Named, outputs: list[str], types: Types) -> SourceNode:
    arguments = dict(given)
    return SourceNode(op, refs(arguments), outputs, arguments)


def _finish(graph: SourceGraph) -> None:
    """As the reader does: results that nobody reads lose their name."""
    pir.forget(graph, pir.read_names(graph))


ENGINE = NamedEngine(
    "conformance.oracles.paddle", Dialect("paddle", frontend.translate, _names, _node, _finish)
)
convert, run, source = ENGINE.convert, ENGINE.run, ENGINE.source

__all__ = ["ENGINE", "convert", "run", "run_inputs", "source"]
