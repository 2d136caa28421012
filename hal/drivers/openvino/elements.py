"""Element types: those of the standard and their names in OpenVINO."""

from __future__ import annotations

from nnir.types import Precision

NAMES = {
    Precision.BOOL8: "boolean",
    Precision.INT8: "i8",
    Precision.UINT8: "u8",
    Precision.INT16: "i16",
    Precision.UINT16: "u16",
    Precision.INT32: "i32",
    Precision.UINT32: "u32",
    Precision.INT64: "i64",
    Precision.FLOAT16: "f16",
    Precision.BFLOAT16: "bf16",
    Precision.FLOAT32: "f32",
}
"""What is handed to OpenVINO; it computes other types in narrower ones or not at all."""
PRECISIONS = {name: precision for precision, name in NAMES.items()}

STORAGE = {
    Precision.QUANT_INT8_SYMM_PER_LAYER: Precision.INT8,
    Precision.QUANT_INT8_SYMM_PER_CHANNEL: Precision.INT8,
    Precision.QUANT_UINT8_ASYMM_PER_LAYER: Precision.UINT8,
    Precision.QUANT_INT16_SYMM_PER_LAYER: Precision.INT16,
    Precision.QUANT_INT16_SYMM_PER_CHANNEL: Precision.INT16,
    Precision.QUANT_UINT16_ASYMM_PER_LAYER: Precision.UINT16,
    Precision.QUANT_INT32_SYMM_PER_LAYER: Precision.INT32,
    Precision.QUANT_INT32_SYMM_PER_CHANNEL: Precision.INT32,
}
"""The plain integers that hold the elements of quantised types."""

NARROW = frozenset({Precision.INT8, Precision.UINT8, Precision.INT16, Precision.UINT16})
"""Integers that are computed in 32 bits; OpenVINO's own arithmetic on them saturates."""
HALF = frozenset({Precision.FLOAT16, Precision.BFLOAT16})
INDEX = frozenset({Precision.INT32, Precision.INT64})

LOWEST, HIGHEST = -(1 << 31), (1 << 31) - 1
"""What an int64 can hold on the CPU, which computes it in 32 bits."""

UNSIGNED = frozenset(
    {
        *("Add", "Subtract", "Multiply", "Equal", "NotEqual", "Select", "BitwiseAnd", "BitwiseOr"),
        *("BitwiseXor", "BitwiseNot", "Reshape", "Transpose", "Squeeze", "Unsqueeze", "Gather"),
        *("GatherElements", "GatherND", "Concat", "Split", "VariadicSplit", "Slice", "Tile"),
        *("Broadcast", "Pad", "ShapeOf", "ScatterNDUpdate", "ScatterElementsUpdate"),
        *("ReverseSequence", "Roll", "If", "Loop"),
    }
)
"""Operators that are the same for uint32, which is computed as int32."""


def stored(precision: Precision) -> Precision:
    """The precision of the elements as plain numbers."""
    return STORAGE.get(precision, precision)
