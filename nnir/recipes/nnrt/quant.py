"""NNRt's cast between quantised integers and real numbers."""

from __future__ import annotations

import numpy as np

from ...errors import BadType
from ...formats.nnrt.enums import DataType, member
from ...formats.nnrt.model import QuantParam
from ...model import Value
from ...ops import quant
from . import Recipes


def quant_dtype_cast(
    input: Value,
    *,
    src_t: int,
    dst_t: int,
    axis: int = 0,
    source: QuantParam | None = None,
    target: QuantParam | None = None,
) -> Value:
    """From what integers stand for to what they stand for; other types are cast.

    `source` and `target` are how the tensors of the input and the output are quantised.
    """
    given, wanted = member(DataType, src_t), member(DataType, dst_t)
    if given.precision != input.precision:
        raise BadType(f"QUANT_DTYPE_CAST of {input.type} with srcT={src_t}")
    if given.is_float and wanted.is_float:
        return input.cast(wanted.precision)
    real = input if given.is_float else _dequantize(input, source, wanted, axis)
    return real if wanted.is_float else _quantize(real, target, wanted, axis)


def _dequantize(x: Value, how: QuantParam | None, wanted: DataType, axis: int) -> Value:
    if how is None:
        raise BadType(f"QUANT_DTYPE_CAST of {x.type} without a scale of the input")
    kind = wanted if wanted.is_float else DataType.FLOAT32
    scale, zero = _constants(x, how, DataType[x.precision.name])
    return quant.dequantize_linear(
        x, scale, zero, axis=axis if scale.rank else 0, dtype=kind.precision
    )


def _quantize(x: Value, how: QuantParam | None, wanted: DataType, axis: int) -> Value:
    if how is None:
        raise BadType(f"QUANT_DTYPE_CAST to {wanted.name} without a scale of the output")
    scale, zero = _constants(x, how, wanted)
    return quant.quantize_linear(
        x, scale, zero, axis=axis if scale.rank else 0, dtype=wanted.precision
    )


def _constants(x: Value, how: QuantParam, kind: DataType) -> tuple[Value, Value | None]:
    """Scales and zero points, without axes where there is one."""
    form = () if len(how.scales) == 1 else (-1,)
    scale = x.model.constant(np.array(how.scales, np.float32).reshape(form))
    if not any(how.zero_points):
        return scale, None
    return scale, x.model.constant(np.array(how.zero_points, kind.dtype).reshape(form))


RECIPES: Recipes = {"QUANT_DTYPE_CAST": quant_dtype_cast}
