"""ATen operators that add elements around a tensor."""

from __future__ import annotations

from nnir.errors import Unsupported
from nnir.model import Index, Value
from nnir.recipes.padding import MODES, pad_by_mode
from nnir.recipes.promotion import Number
from nnir.types import PadMode

from ...table import Table

table = Table()


@table.convert("aten.constant_pad_nd.default")
def constant_pad_nd(self: Value, pad: Index, value: Number = 0) -> Value:
    return pad_by_mode(self, pad, PadMode.CONSTANT, value)


@table.convert("aten.pad.default")
def pad(self: Value, pad: Index, mode: str = "constant", value: float | None = None) -> Value:
    if mode not in MODES:
        raise Unsupported(f"pad with mode={mode!r}")
    return pad_by_mode(self, pad, MODES[mode], 0 if value is None else value)


@table.convert("aten._pad_enum.default")
def pad_enum(self: Value, pad: Index, mode: int, value: float | None = None) -> Value:
    match mode:
        case 0 | 1 | 2 | 3:
            kind = ("reflect", "replicate", "circular", "constant")[mode]
            return pad_by_mode(self, pad, MODES[kind], 0 if value is None else value)
    raise Unsupported(f"_pad_enum with mode={mode!r}")


@table.convert("aten._pad_circular.default")
def pad_circular(self: Value, pad: Index) -> Value:
    return pad_by_mode(self, pad, PadMode.WRAP)


@table.convert(*(f"aten.reflection_pad{n}d.default" for n in (1, 2, 3)))
def reflection_pad(self: Value, padding: Index) -> Value:
    return pad_by_mode(self, padding, PadMode.REFLECT)


@table.convert(*(f"aten.replication_pad{n}d.default" for n in (1, 2, 3)))
def replication_pad(self: Value, padding: Index) -> Value:
    return pad_by_mode(self, padding, PadMode.EDGE)
