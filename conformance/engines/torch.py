"""PyTorch cases: see `named`."""

from __future__ import annotations

from frontends import torch as frontend
from frontends.source import SourceNode
from frontends.torch.reading import reader, schema
from frontends.torch.reading.functional import functional
from nnir.errors import DeviceError

from ..case import Case
from .named import Dialect, Named, NamedEngine, Types, run_inputs

SYMBOLIC = {"_operator": ("a", "b"), "math": ("x",), "torch": ("a", "b", "c")}
NAMED = {"torch.sym_ite": ("b", "t", "f")}


def _names(case: Case) -> list[str]:
    namespace = case.op.partition(".")[0]
    if namespace in SYMBOLIC:
        return list(NAMED.get(case.op, SYMBOLIC[namespace]))
    found = schema.find(case.op)
    if found is not None:
        return [a.name for a in found.arguments]
    converter = frontend.TABLE.find(case.op, 1)  # of a plug-in, and named as the operator is
    if converter is None:
        raise DeviceError(f"{case.op} has no signature")
    return [*converter.parameters]


def _node(op: str, given: Named, outputs: list[str], types: Types) -> SourceNode:
    return reader.node_of(op, given, outputs, list(types), "")


ENGINE = NamedEngine(
    "conformance.oracles.torch", Dialect("torch", frontend.translate, _names, _node, functional)
)
convert, run, source = ENGINE.convert, ENGINE.run, ENGINE.source

__all__ = ["ENGINE", "convert", "run", "run_inputs", "source"]
