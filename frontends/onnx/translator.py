"""The translator of ONNX graphs: hints change no value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..source import SourceNode
from ..table import Converter
from ..translate import Translator

OVERWRITTEN = "consumed_inputs"
"""Before opset 6 it said which inputs may be overwritten."""

HINTS = {"LinearAttention": "chunk_size"}
"""What says how an operator may do its work."""


class OnnxTranslator(Translator):
    """Drops what changes no value."""

    def bind(self, converter: Converter, node: SourceNode, entries: Sequence[Any]) -> Any:
        hints = {HINTS.get(node.op)}
        if self.versions.get("", 0) < 6:
            hints.add(OVERWRITTEN)
        attributes = {k: v for k, v in node.attributes.items() if k not in hints}
        return converter(self, entries, attributes, len(node.outputs))
