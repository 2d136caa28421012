"""TensorFlow's operators in TFLite files: custom operators called FlexErf, FlexFFT and so on.

Their options are the name of the operator and its NodeDef; TensorFlow's converters convert them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nnir.errors import BadFile, BadModel, Unsupported

from ..named import call, flat
from ..source import SourceNode
from ..table import Converter
from ..tensorflow import TABLE, flatten, messages, opdefs
from ..tensorflow.nodes import Node, nodes_of
from ..tensorflow.tensors import FunctionName
from ..translate import Dialect, Translator
from .flexbuffer import decode

PREFIX = "Flex"
NODE = "node"


def node_of(payload: bytes) -> Node:
    """The node that the options of an operator hold."""
    found = decode(payload)
    if not isinstance(found, list) or [type(v) for v in found] != [str, str]:
        raise BadFile("the options of an operator of TensorFlow are no name with a node")
    content = found[1].encode("utf-8", "surrogateescape")
    message = messages.decode(content, (0, len(content)), messages.NODE)
    (node,) = nodes_of(content, [message]).values()
    return node


class FlexDialect(Dialect):
    """TFLite's converters, and TensorFlow's for its own operators."""

    def find(self, op: str, versions: Mapping[str, int]) -> Converter | None:
        if op.startswith(PREFIX):
            return TABLE.find(op.removeprefix(PREFIX), 1)
        return super().find(op, versions)


class FlexTranslator(Translator):
    """Binds the arguments of TensorFlow's operators by their names."""

    def bind(self, converter: Converter, node: SourceNode, entries: Sequence[Any]) -> Any:
        if not node.op.startswith(PREFIX):
            return super().bind(converter, node, entries)
        given = node.attributes[NODE]
        arguments = _arguments(node.op.removeprefix(PREFIX), given, entries)
        return tuple(flat(call(converter, self, arguments, len(node.outputs))))


def _arguments(op: str, node: Node, entries: Sequence[Any]) -> dict[str, Any]:
    """Inputs by the names of the OpDef, and the attributes of the node."""
    definition = opdefs.find(op)
    if definition is None:
        raise Unsupported(f"{op}, which TensorFlow itself does not have")
    defaults = {k: v for k, v in definition.defaults.items() if v is not opdefs.NO_DEFAULT}
    attributes = defaults | dict(node.attributes)
    if any(isinstance(v, FunctionName) for v in attributes.values()):
        raise Unsupported(f"{op} with a function of TensorFlow, which a TFLite file does not hold")
    arguments: dict[str, Any] = {}
    rest = list(entries)
    for argument in definition.inputs:
        count = argument.length(attributes)
        if len(rest) < count:
            raise BadModel(f"{op} without {argument.name!r}")
        taken, rest = rest[:count], rest[count:]
        arguments[argument.name] = taken if argument.count else taken[0]
    if rest:
        raise BadModel(f"{op} with {len(entries)} inputs")
    kept = node.attributes.keys() - definition.implied - flatten.IGNORED
    return arguments | {k: node.attributes[k] for k in kept}
