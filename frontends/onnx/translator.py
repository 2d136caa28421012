"""The translator of ONNX graphs: hints change no value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nnir import lists as list_ends
from nnir.errors import Unsupported
from nnir.formats.onnx import UNDEFINED, precision_of_code
from nnir.model import Model, Value
from nnir.types import Precision

from ..compound import Compound
from ..source import SourceModel, SourceNode, SourceValue
from ..table import Converter, Items
from ..translate import Dialect, Translator
from .reading.reader import domain_of

OVERWRITTEN = "consumed_inputs"
"""Before opset 6 it said which inputs may be overwritten."""

HINTS = {
    "LinearAttention": "chunk_size",
    "ai.onnx.ml::LabelEncoder": "default_string",
    "ai.onnx.ml::LinearClassifier": "multi_class",
    "com.microsoft::LinearAttention": "chunk_size",
}
"""What says how an operator may do its work, or counts where it works on strings or trains."""

STRINGS = frozenset(
    f"{what}_strings" for what in ("cats", "classlabels", "keys", "pool", "value", "values")
) | {"value_string"}
"""Attributes that make an operator one on strings, which no tensor holds: refused unless empty."""


CURES = {
    "ai.onnx.ml::CastMap": "it reads maps, which are no tensors: start the model behind it",
    "ai.onnx.ml::CategoryMapper": "it reads or gives strings, which no tensor holds: give the "
    "model the numbers of the categories",
    "ai.onnx.ml::DictVectorizer": "it reads maps, which are no tensors: give the model the vector",
    "ai.onnx.ml::ZipMap": "it makes maps of scores, which are tensors already: convert with the "
    "option zipmap=False of skl2onnx and onnxmltools",
}
"""What to do about operators on maps and strings, which no device has."""

COMPILED = "ONNX Runtime's optimisation laid weights out for one processor: convert the file from "
COMPILED += "before that, or save it with graph_optimization_level=ORT_ENABLE_EXTENDED"
DOMAINS = {"com.microsoft.nchwc": COMPILED, "com.ms.internal.nhwc": COMPILED}
"""What to do about all operators of a domain."""


class OnnxTranslator(Translator):
    """Drops what changes no value, reads numbers of element types, and knows sequences and
    optionals, which become several tensors each."""

    def __init__(self, dialect: Dialect, source: SourceModel) -> None:
        super().__init__(dialect, source)
        self._lists: tuple[dict[str, list_ends.ListType], ...] = ({}, {})

    def _translate(self) -> Model:
        model = super()._translate()
        if any(self._lists):
            list_ends.note_lists(model, *self._lists)
        return model

    def _declare(self, declared: SourceValue) -> None:
        if declared.list_type is None:
            super()._declare(declared)
            return
        from . import lists  # few models have any

        name = declared.called or declared.name
        self._lists[0][name] = declared.list_type
        self.scope[declared.name] = lists.declare(self.model, name, declared.list_type)

    def _ends(self, declared: SourceValue) -> list[tuple[str, Value]]:
        entry: Any = self.read(declared.name)
        if not isinstance(entry, (Items, Compound)):
            return super()._ends(declared)
        from . import lists

        name, type = declared.called or declared.name, lists.type_of(entry)
        self._lists[1][name] = type
        names = [f"{name}.{part}" for part in type.parts]
        return list(zip(names, lists.tensors_of(entry), strict=True))

    def bind(self, converter: Converter, node: SourceNode, entries: Sequence[Any]) -> Any:
        if not node.attributes:
            return converter(self, entries, node.attributes, len(node.outputs))
        hints = {HINTS.get(node.op)}
        if self.versions.get("", 0) < 6:
            hints.add(OVERWRITTEN)
        known = converter.keywords
        attributes = {
            k: _precision(v, known[k].optional) if k in known and known[k].hint is Precision else v
            for k, v in node.attributes.items()
            if k not in hints and (k not in STRINGS or v)
        }
        return converter(self, entries, attributes, len(node.outputs))

    def _missing_converters(self) -> Unsupported | None:
        """As of all frontends, with what to do about it where that is known."""
        error = super()._missing_converters()
        if error is None:
            return None
        graph = self.source.graph
        found = {n.op: n for n in graph.nodes if n.op in CURES}
        domains = {domain_of(n.op) for n in graph.nodes} & DOMAINS.keys()
        read = {name for n in graph.nodes for name in n.inputs}
        cures = [f"{domain}: {DOMAINS[domain]}" for domain in sorted(domains)]
        for op, node in found.items():
            at_end = op.endswith("ZipMap") and read.isdisjoint(node.outputs)
            place = " (it feeds an output alone: the rest of the model stays as it is)"
            cures.append(f"{op}: {CURES[op]}{place if at_end else ''}")
        if not cures:
            return error
        told = Unsupported("; ".join([str(error), *cures]))
        told.refusals = error.refusals
        return told


def _precision(code: Any, optional: bool) -> Any:
    """The element type that a number names; None where it may name none."""
    if not isinstance(code, int):
        return code
    return None if code == UNDEFINED and optional else precision_of_code(code)
