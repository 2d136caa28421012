"""Element types: those of the standard and their names in OpenVINO."""

from __future__ import annotations

from nnir.model import Operation
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

CARRIED = frozenset(
    {
        Precision.FLOAT8E4M3FN,
        Precision.FLOAT8E4M3FNUZ,
        Precision.FLOAT8E5M2,
        Precision.FLOAT8E5M2FNUZ,
        Precision.FLOAT8E8M0FNU,
        Precision.FLOAT6E2M3FN,
        Precision.FLOAT6E3M2FN,
        Precision.FLOAT4E2M1FN,
        Precision.INT4,
        Precision.UINT4,
        Precision.INT2,
        Precision.UINT2,
    }
)
"""What OpenVINO does not compute in: moved about as bytes, one for each element."""

STORAGE = {
    Precision.QUANT_INT8_SYMM_PER_LAYER: Precision.INT8,
    Precision.QUANT_INT8_SYMM_PER_CHANNEL: Precision.INT8,
    Precision.QUANT_UINT8_ASYMM_PER_LAYER: Precision.UINT8,
    Precision.QUANT_INT16_SYMM_PER_LAYER: Precision.INT16,
    Precision.QUANT_INT16_SYMM_PER_CHANNEL: Precision.INT16,
    Precision.QUANT_UINT16_ASYMM_PER_LAYER: Precision.UINT16,
    Precision.QUANT_INT32_SYMM_PER_LAYER: Precision.INT32,
    Precision.QUANT_INT32_SYMM_PER_CHANNEL: Precision.INT32,
    **dict.fromkeys(CARRIED, Precision.UINT8),
}
"""The plain integers that hold the elements of quantised and of carried types."""

NARROW = frozenset({Precision.INT8, Precision.UINT8, Precision.INT16, Precision.UINT16})
"""Integers that are computed in 32 bits; OpenVINO's own arithmetic on them saturates."""
HALF = frozenset({Precision.FLOAT16, Precision.BFLOAT16})
WIDE = frozenset({Precision.INT32, Precision.UINT32, Precision.INT64})
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

MOVES = frozenset(
    {
        *("ASSIGN", "CAST", "BIT_CAST", "RESHAPE", "RESHAPE_EXACT", "TRANSPOSE", "SQUEEZE"),
        *("UNSQUEEZE", "FLATTEN", "CONCAT", "STACK", "SPLIT", "UNSTACK", "EXPAND", "TILE"),
        *("SHAPE", "GATHER", "GATHER_ELEMENTS", "GATHER_ND", "ROLL", "SLICE", "WHERE", "FILL"),
        *("FILL_LIKE", "MESHGRID", "REVERSE_SEQUENCE", "IF", "WHILE"),
    }
)
"""Operators of the standard that do to bytes what they do to carried elements."""


def computes_carried(operation: Operation) -> bool:
    """Whether an operation does more with carried elements than move them."""
    if operation.operator.name in MOVES or _is_stored(operation):
        return False
    values = (*operation.inputs, *operation.outputs)
    return any(v is not None and v.precision in CARRIED for v in values)


def _is_stored(operation: Operation) -> bool:
    """Whether carried elements are known, and only their numbers are computed with."""
    known = all(v is None or v.constant is not None for v in operation.inputs)
    return known and operation.operator.name == "DEQUANTIZE_LINEAR"


def stored_precision(precision: Precision) -> Precision:
    """The precision of the elements as plain numbers."""
    return STORAGE.get(precision, precision)
