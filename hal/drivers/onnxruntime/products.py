"""Products that ONNX Runtime has kernels of."""

from __future__ import annotations

from nnir.model import Operation, Value
from nnir.ops import linear, quant
from nnir.types import Precision

NARROW = frozenset({Precision.INT4, Precision.UINT4})


def is_turned(value: Value) -> bool:
    """Whether a matrix of weights is written with its axes exchanged.

    ONNX Runtime makes one kernel (MatMulNBits) of a product with integers of 4 bits in blocks where
    the first axis is summed, and turns all weights into floats where there is a transpose between.
    """
    maker = value.producer
    if maker is None or maker.operator is not quant.dequantize_linear or value.rank != 2:
        return False
    is_known = all(v is None or v.constant is not None for v in maker.inputs)
    is_narrow = maker.inputs[0] is not None and maker.inputs[0].precision in NARROW
    return (
        bool(is_known and is_narrow and maker.attributes["block_size"] and value.uses)
        and value not in value.model.outputs
        and all(_turns(reader, value) for reader in value.uses)
    )


def _turns(reader: Operation, value: Value) -> bool:
    """Whether an operation multiplies with a transposed matrix."""
    return (
        reader.operator is linear.mat_mul
        and reader.inputs[1] is value
        and reader.inputs[0] is not value
        and bool(reader.attributes["transpose_y"])
    )
