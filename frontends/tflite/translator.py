"""The translator of TFLite graphs: its own operators, and those of TensorFlow in its files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..delegate import load_delegate
from ..named_arguments import call, flat
from ..source import SourceNode
from ..table import Converter
from ..translate import Dialect, Translator
from .reading.flex import FRAMEWORK, NODE, PREFIX


class FlexDialect(Dialect):
    """TFLite's converters, and TensorFlow's for its own operators."""

    def find(self, op: str, versions: Mapping[str, int]) -> Converter | None:
        if op.startswith(PREFIX):
            return load_delegate(FRAMEWORK).find(op.removeprefix(PREFIX))
        return super().find(op, versions)


class FlexTranslator(Translator):
    """Binds the arguments of TensorFlow's operators by their names."""

    def bind(self, converter: Converter, node: SourceNode, entries: Sequence[Any]) -> Any:
        if not node.op.startswith(PREFIX):
            return super().bind(converter, node, entries)
        op, held = node.op.removeprefix(PREFIX), node.attributes[NODE]
        arguments = load_delegate(FRAMEWORK).arguments(op, held, entries)
        return tuple(flat(call(converter, self, arguments, len(node.outputs))))
