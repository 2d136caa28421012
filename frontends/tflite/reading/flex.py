"""TensorFlow's operators in TFLite files: custom operators called FlexErf, FlexFFT and so on.

Their options are the name of the operator and its NodeDef. TensorFlow's delegate reads and converts
them; it is loaded when a file has one.
"""

from __future__ import annotations

from typing import Any

from nnir.errors import BadFile

from ...delegate import load_delegate
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
