"""TensorFlow's elementwise functions of one tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.model import Value
from nnir.ops import unary
from nnir.types import Precision

from ..precision import cast_to
from ..table import Table
from ..translate import Translator

table = Table()
table.same(
    {
        "Abs": unary.abs_,
        "Ceil": unary.ceil,
        "Cos": unary.cos,
        "Erf": unary.erf,
        "Exp": unary.exp,
        "Floor": unary.floor,
        "Log": unary.log,
        "Neg": unary.neg,
        "Rsqrt": unary.rsqrt,
        "Sin": unary.sin,
        "Sqrt": unary.sqrt,
        "Square": unary.square,
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


@table.convert("Cast")
def cast(x: Value, *, DstT: Precision, Truncate: bool = False) -> Value:  # noqa: N803
    return cast_to(x, DstT)
