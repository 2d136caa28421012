"""TFLite's elementwise functions of one tensor."""

from __future__ import annotations

import numpy as np

from nnir.model import Value
from nnir.ops import binary, compare, complex, quant, unary
from nnir.recipes.generate import constant_like
from nnir.recipes.unary import reinterpret_bits, sign_of
from nnir.types import Precision

from ...table import Table
from ...translate import Translator

table = Table()
table.same(
    {
        "ABS": unary.abs_,
        "CEIL": unary.ceil,
        "COS": unary.cos,
        "EXP": unary.exp,
        "FLOOR": unary.floor,
        "LOG": unary.log,
        "NEG": unary.neg,
        "ROUND": unary.round_,
        "RSQRT": unary.rsqrt,
        "SIN": unary.sin,
        "SQRT": unary.sqrt,
        "SQUARE": unary.square,
    }
)


table.convert("SIGN")(sign_of)


@table.convert("ZEROS_LIKE")
def zeros_like(input: Value) -> Value:
    return constant_like(input, 0)


@table.convert("CAST")
def cast(input: Value, *, out_data_type: Precision) -> Value:
    """Real numbers out of the range of an integer type become its ends, NaN its largest."""
    if not (input.is_float and out_data_type.is_integer):
        return input.cast(out_data_type)
    least, most = quant.integer_range(out_data_type)
    low, end = (input.model.constant(float(n), input.dtype) for n in (least, most + 1))
    inside = binary.max_(input, low).cast(out_data_type)
    largest = input.model.constant(np.array(most, out_data_type.dtype))
    return compare.where(input < end, inside, largest)


@table.convert("BITCAST")
def bit_cast(input: Value, *, out_data_type: Precision) -> Value:
    return reinterpret_bits(input, type=out_data_type)


@table.convert("COMPLEX_ABS")
def complex_abs(input: Value) -> Value:
    return binary.hypot(complex.real(input), complex.imag(input))


@table.convert("REAL")
def real(input: Value) -> Value:
    return complex.real(input)


@table.convert("IMAG")
def imag(input: Value) -> Value:
    return complex.imag(input)


@table.convert("READ_VARIABLE")
def read_variable(*, value: np.ndarray, translator: Translator) -> Value:
    """The reader knows what the initialising graph gave the variable."""
    return translator.model.constant(value)
