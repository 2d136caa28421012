"""TensorFlow cases: see `named`."""

from __future__ import annotations

from frontends import tensorflow as frontend
from frontends.source import SourceNode, refs
from frontends.tensorflow.reading import opdefs
from nnir.errors import DeviceError

from ..case import Case
from .named import Dialect, Named, NamedEngine, Types, run_inputs


def _names(case: Case) -> list[str]:
    found = opdefs.find(case.op)
    if found is None:
        raise DeviceError(f"{case.op} has no OpDef")
    return [a.name for a in found.inputs]


def _node(op: str, given: Named, outputs: list[str], types: Types) -> SourceNode:
    return SourceNode(op, refs(dict(given)), outputs, dict(given))


ENGINE = NamedEngine(
    "conformance.oracles.tensorflow", Dialect("tensorflow", frontend.translate, _names, _node)
)
convert, run, source = ENGINE.convert, ENGINE.run, ENGINE.source

__all__ = ["ENGINE", "convert", "run", "run_inputs", "source"]
