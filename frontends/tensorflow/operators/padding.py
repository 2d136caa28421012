"""TensorFlow's padding."""

from __future__ import annotations

from nnir.model import Index, Value
from nnir.recipes.padding import pad_by_rows, pad_mirrored

from ...table import Table

table = Table()


@table.convert("Pad")
def pad(input: Value, paddings: Index) -> Value:
    return pad_by_rows(input, paddings, None)


@table.convert("PadV2")
def pad_v2(input: Value, paddings: Index, constant_values: Value) -> Value:
    return pad_by_rows(input, paddings, constant_values)


table.convert("MirrorPad")(pad_mirrored)
