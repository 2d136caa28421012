"""TensorFlow's nodes in the files of other formats, such as TFLite's Flex operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nnir.errors import BadModel, Unsupported

from ..delegate import Delegate
from ..table import Converter
from .converters import TABLE
from .reading import messages, opdefs
from .reading.nodes import Node, nodes_of
from .reading.tensors import FunctionName


class NodeDefs:
    """Reads serialised NodeDefs and finds the converters and arguments of their operators."""

    def decode(self, content: bytes) -> Node:
        """The node of one NodeDef."""
        message = messages.decode(content, (0, len(content)), messages.NODE)
        (node,) = nodes_of(content, [message]).values()
        return node

    def find(self, op: str) -> Converter | None:
        """TensorFlow's converter of an operator."""
        return TABLE.find(op, 1)

    def arguments(self, op: str, node: Node, inputs: Sequence[Any]) -> dict[str, Any]:
        """Inputs by the names of the OpDef, and the attributes of the node."""
        definition = opdefs.find(op)
        if definition is None:
            raise Unsupported(f"{op}, which TensorFlow itself does not have")
        defaults = {k: v for k, v in definition.defaults.items() if v is not opdefs.NO_DEFAULT}
        attributes = defaults | dict(node.attributes)
        if any(isinstance(v, FunctionName) for v in attributes.values()):
            raise Unsupported(
                f"{op} with a function of TensorFlow, which a TFLite file does not hold"
            )
        arguments: dict[str, Any] = {}
        rest = list(inputs)
        for argument in definition.inputs:
            count = argument.length(attributes)
            if len(rest) < count:
                raise BadModel(f"{op} without {argument.name!r}")
            taken, rest = rest[:count], rest[count:]
            arguments[argument.name] = taken if argument.count else taken[0]
        if rest:
            raise BadModel(f"{op} with {len(inputs)} inputs")
        given = node.attributes.items()
        return arguments | {k: v for k, v in given if not definition.leaves_out(k, v)}


DELEGATE: Delegate = NodeDefs()
