"""TensorFlow's operators in TFLite files: custom operators called FlexErf, FlexFFT and so on.

Their options are the name of the operator and its NodeDef. TensorFlow's delegate reads and converts
them; it is loaded when a file has one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nnir.errors import BadFile

from ..delegate import load_delegate
from ..named import call, flat
from ..source import SourceNode
from ..table import Converter
from ..translate import Dialect, Translator
from .flexbuffer import decode

PREFIX = "Flex"
NODE = "node"
FRAMEWORK = "tensorflow"


def read_node(payload: bytes) -> Any:
    """The node that the options of an operator hold, as the delegate decodes it."""
    found = decode(payload)
    if not isinstance(found, list) or [type(v) for v in found] != [str, str]:
        raise BadFile("the options of an operator of TensorFlow are no name with a node")
    return load_delegate(FRAMEWORK).decode(found[1].encode("utf-8", "surrogateescape"))


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
