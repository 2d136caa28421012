"""The gate of TFLite files: of custom operators, those that are known.

LiteRT runs only its own kernels; a custom operator is whatever a delegate in the process makes of
it, TensorFlow's own operators (`Flex...`) included.
"""

from __future__ import annotations

from pathlib import Path

from frontends.tflite.converters import DIALECT
from frontends.tflite.reading.reader import Reader
from nnir.errors import DAMAGE, BadFile, Unsupported, describe
from nnir.formats.tflite import IDENTIFIER
from nnir.mapping import map_file

CUSTOM = "CUSTOM"


def admit(source: Path, folder: Path) -> Path:
    """The file itself, whose operators were looked through."""
    data = map_file(source)
    if bytes(data[4:8]) != IDENTIFIER:
        raise BadFile("no TFLite file: bytes 4 to 8 are not TFL3")
    try:
        codes = Reader(data).codes
    except DAMAGE as error:
        raise BadFile(f"damaged TFLite file: {describe(error)}") from None
    for name, custom in codes:
        if name == CUSTOM and DIALECT.find(custom, {"": 1}) is None:
            raise Unsupported(f"the custom operator {custom[:60]!r}")
    return source
