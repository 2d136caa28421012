"""ONNX quantisation."""

from __future__ import annotations

from nnir.model import Value
from nnir.ops import quant
from nnir.recipes.integer_products import quantize_dynamically
from nnir.records import dataclass
from nnir.types import Precision

from ...table import Maybe, Prefixed, Table

table = Table()
table.same({"DynamicQuantizeLinear": quantize_dynamically}, since=11)


@dataclass(frozen=True)
class Steps(Prefixed):
    """Integers, and the scale and the zero point that they count from."""

    own: Value
    scale: Value
    zero_point: Value

    @property
    def real(self) -> Value:
        """The real numbers that they stand for."""
        return self.real_along(1)

    def real_along(self, axis: int) -> Value:
        """The real numbers, by one scale or by one for each entry of an axis."""
        return quant.dequantize_linear(self.own, self.scale, self.zero_point, axis=axis)


@dataclass(frozen=True)
class PlainSteps(Steps):
    """Integers that may count from 0."""

    zero_point: Maybe = None  # type: ignore[assignment]


@dataclass(frozen=True)
class Scale(Prefixed):
    """The scale and the zero point of integers that are to be made."""

    scale: Value
    zero_point: Value

    def count(self, real: Value, kind: Precision) -> Value:
        """Real numbers as integers of the type of the zero point, or of `kind` without one."""
        own = kind if self.zero_point is None else self.zero_point.precision
        return quant.quantize_linear(real, self.scale, self.zero_point, dtype=own)


@dataclass(frozen=True)
class PlainScale(Scale):
    """Those of integers that may count from 0."""

    zero_point: Maybe = None  # type: ignore[assignment]


@table.convert("QuantizeLinear", since=10)
def quantize_linear(
    x: Value,
    y_scale: Value,
    y_zero_point: Maybe = None,
    *,
    axis: int = 1,
    saturate: bool = True,
    block_size: int = 0,
    output_dtype: Precision | None = None,
    precision: Precision | None = None,
) -> Value:
    if y_zero_point is not None:
        output_dtype = output_dtype or y_zero_point.precision
    return quant.quantize_linear(
        x,
        y_scale,
        y_zero_point,
        axis=axis,
        block_size=block_size if y_scale.rank == x.rank else 0,
        dtype=output_dtype or Precision.UINT8,
        saturate=saturate,
        precision=precision,
    )


@table.convert("DequantizeLinear", since=10)
def dequantize_linear(
    x: Value,
    x_scale: Value,
    x_zero_point: Maybe = None,
    *,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: Precision | None = None,
) -> Value:
    return quant.dequantize_linear(
        x,
        x_scale,
        x_zero_point,
        axis=axis,
        block_size=block_size if x_scale.rank == x.rank else 0,
        dtype=output_dtype or x_scale.precision,
    )
