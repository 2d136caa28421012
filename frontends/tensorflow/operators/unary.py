"""TensorFlow's elementwise functions of one tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import Unsupported
from nnir.model import Value
from nnir.ops import logic, unary
from nnir.recipes.unary import UNSIGNED, reinterpret_bits, sign_of
from nnir.types import Precision

from ...table import Table
from ...translate import Translator

table = Table()
table.same(
    {
        "Abs": unary.abs_,
        "Acos": unary.acos,
        "Acosh": unary.acosh,
        "Asin": unary.asin,
        "Asinh": unary.asinh,
        "Atan": unary.atan,
        "Atanh": unary.atanh,
        "Ceil": unary.ceil,
        "Cos": unary.cos,
        "Cosh": unary.cosh,
        "Erf": unary.erf,
        "Erfc": unary.erfc,
        "Exp": unary.exp,
        "Expm1": unary.expm1,
        "Floor": unary.floor,
        "Inv": unary.reciprocal,
        "Log": unary.log,
        "Log1p": unary.log1p,
        "Neg": unary.neg,
        "Reciprocal": unary.reciprocal,
        "Rint": unary.round_,
        "Rsqrt": unary.rsqrt,
        "Sin": unary.sin,
        "Sinh": unary.sinh,
        "Sqrt": unary.sqrt,
        "Square": unary.square,
        "Tan": unary.tan,
    }
)


@table.convert("Const")
def const(*, value: np.ndarray, dtype: Precision, translator: Translator) -> Value:
    return translator.model.constant(value)


@table.convert("Identity", "StopGradient", "Snapshot")
def identity(input: Any) -> Any:
    return input  # a list of tensors too


@table.convert("PreventGradient")
def prevent_gradient(input: Value, *, message: str = "") -> Value:
    return input


@table.convert("CheckNumerics", "CheckNumericsV2")
def check_numerics(tensor: Value, *, message: str) -> Value:
    return tensor  # what it may stop is wrong already


@table.convert("DebugIdentity")
def debug_identity(
    input: Value,
    *,
    device_name: str = "",
    tensor_name: str = "",
    debug_urls: tuple[str, ...] = (),
    gated_grpc: bool = False,
) -> Value:
    if gated_grpc:
        raise Unsupported("DebugIdentity with gated_grpc=True, which may give nothing")
    return input


@table.convert("Copy", "CopyHost")
def copy(input: Value, *, tensor_name: str = "", debug_ops_spec: tuple[str, ...] = ()) -> Value:
    return input


@table.convert("DeepCopy")
def deep_copy(x: Value) -> Value:
    return x


@table.convert("Print")
def print_(
    input: Value, data: Any, *, message: str = "", first_n: int = -1, summarize: int = 3
) -> Value:
    return input


@table.convert("Cast")
def cast(x: Value, *, DstT: Precision, Truncate: bool = False) -> Value:  # noqa: N803
    narrower = DstT.is_float and DstT.dtype.itemsize < x.dtype.itemsize
    if Truncate and narrower:
        raise Unsupported(f"Cast of {x.precision.name} to {DstT.name} with Truncate=True")
    return x.cast(DstT)


@table.convert("Round")
def round_(x: Value) -> Value:
    if x.is_integer:
        raise Unsupported(f"Round of {x.type}: TensorFlow makes zeros of integers")
    return unary.round_(x)


table.convert("Sign")(sign_of)


table.convert("Bitcast")(reinterpret_bits)


@table.convert("PopulationCount")
def population_count(x: Value) -> Value:
    """Sums of bits in pairs, in fours, in bytes, and of the bytes (Hacker's Delight, 5-1)."""
    width = x.dtype.itemsize
    bits = unary.bit_cast(x, dtype=UNSIGNED[width])

    def repeat_byte(byte: int) -> Value:
        return x.model.constant(np.array(int.from_bytes(bytes([byte] * width)), bits.dtype))

    def shift_right(value: Value, count: int) -> Value:
        step = x.model.constant(np.array(count, bits.dtype))
        return logic.bit_shift(value, step, left=False)

    def apply_mask(value: Value, byte: int) -> Value:
        return value & repeat_byte(byte)

    pairs = bits - apply_mask(shift_right(bits, 1), 0x55)
    fours = apply_mask(pairs, 0x33) + apply_mask(shift_right(pairs, 2), 0x33)
    octets = apply_mask(fours + shift_right(fours, 4), 0x0F)
    total = shift_right(octets * repeat_byte(1), 8 * width - 8) if width > 1 else octets
    return total.cast(Precision.UINT8)
