"""ONNX activations."""

from __future__ import annotations

from typing import Literal

import numpy as np

from nnir.errors import BadType
from nnir.model import Value
from nnir.ops import activation, compare, generate, unary
from nnir.recipes.activation import clip, normalize_from, prelu
from nnir.types import Precision

from ...table import Maybe, Pair, Table, Wanted

table = Table()
LARGEST = float(np.finfo(np.float32).max)
table.same(
    {
        "Elu": activation.elu,
        "Relu": activation.relu,
        "Sigmoid": activation.sigmoid,
        "Tanh": activation.tanh,
    }
)
table.same({"LeakyRelu": activation.leaky_relu}, alpha=0.01)
table.same({"Celu": activation.celu}, since=12)
table.same({"HardSigmoid": activation.hard_sigmoid}, alpha=0.2, beta=0.5)
table.convert("HardSwish", since=14, alpha=1 / 6, beta=0.5)(activation.hard_swish)


@table.convert("Selu", since=6)
def selu(
    x: Value, *, alpha: float = 1.6732631921768188, gamma: float = 1.0507010221481323
) -> Value:
    return activation.elu(x, alpha=alpha) * gamma


table.same({"Selu": selu}, alpha=1.6732, gamma=1.0507)


@table.convert("Softplus")
def softplus(x: Value) -> Value:
    # ONNX has no threshold: above it the logarithm must equal x to the last bit.
    return activation.softplus(x, threshold=40.0 if x.precision == Precision.FLOAT64 else 20.0)


@table.convert("Softsign")
def softsign(input: Value) -> Value:
    return input / (abs(input) + 1)


@table.convert("Mish", since=18)
def mish(x: Value) -> Value:
    return x * activation.tanh(softplus(x))


@table.convert("Gelu", since=20)
def gelu(x: Value, *, approximate: Literal["none", "tanh"] = "none") -> Value:
    return activation.gelu(x, approximate=approximate == "tanh")


@table.convert("PRelu")
def prelu_1(x: Value, slope: Value) -> Value:
    """Before opset 7 a vector of slopes belonged to the channels, axis 1."""
    if slope.rank != 1 or not x.is_float or x.rank < 2:
        return prelu(x, slope)
    return activation.prelu(x, slope)


table.same({"PRelu": prelu}, since=7)


@table.convert("ThresholdedRelu", since=10)
def thresholded_relu(x: Value, *, alpha: float = 1.0) -> Value:
    return compare.where(x > alpha, x, 0)


@table.convert("Shrink", since=9)
def shrink(input: Value, *, bias: float = 0.0, lambd: float = 0.5) -> Value:
    x = input.cast(Precision.FLOAT64) if input.is_integer else input
    above = compare.where(x > lambd, x - bias, 0)
    return compare.where(x < -lambd, x + bias, above).cast(input.precision)


@table.convert("Swish", since=24)
def swish(x: Value, *, alpha: float = 1.0) -> Value:
    return activation.swish(x) if alpha == 1 else x * activation.sigmoid(x * alpha)


@table.convert("SwiGLU", since=28)
def swiglu(a: Value, b: Value, *, alpha: float = 1.0) -> Value:
    if a.rank != b.rank or (a.is_static and b.is_static and a.shape != b.shape):
        raise BadType(f"SwiGLU of {a.type} and {b.type}, which differ")
    return swish(a, alpha=alpha) * b


@table.convert("Clip")
def clip_1(input: Value, *, min: float = -LARGEST, max: float = LARGEST) -> Value:
    low = None if min <= -LARGEST else input.scalar(min)
    return clip(input, low, None if max >= LARGEST else input.scalar(max))


table.same({"Clip": clip}, since=11)
NORMALIZING = {
    "Hardmax": activation.hardmax,
    "LogSoftmax": activation.log_softmax,
    "Softmax": activation.softmax,
}
table.same(NORMALIZING, since=13, axis=-1)
table.each(NORMALIZING)(normalize_from)


def _keep_all(data: Value, mask: Precision, wanted: int) -> Value | Pair:
    """Dropout outside training: nothing changes, and everything stays."""
    if wanted == 1:
        return unary.assign(data)
    kept = generate.fill_like(data, data.model.constant(1, mask.dtype))
    return unary.assign(data), kept


@table.convert("Dropout", since=10, is_test=True, mask=Precision.BOOL8)
@table.convert("Dropout", since=7, is_test=True, mask=None)
@table.convert("Dropout", mask=None)
def dropout_1(
    data: Value,
    *,
    ratio: float = 0.5,
    is_test: bool = False,
    mask: Precision | None,
    wanted: Wanted,
) -> Value | Pair:
    """Opsets 7 to 11 do not train."""
    if is_test:
        return _keep_all(data, mask or data.precision, wanted)
    constants = data.model.constant(ratio, np.float32), data.model.constant(True)
    result, kept = activation.dropout(data, *constants)
    return result, kept.cast(data.precision)


@table.convert("Dropout", since=12)
def dropout(
    data: Value,
    ratio: Maybe = None,
    training_mode: Maybe = None,
    *,
    seed: int | None = None,
    wanted: Wanted,
) -> Value | Pair:
    drops_none = ratio is not None and _is_false(ratio)
    if training_mode is None or _is_false(training_mode) or drops_none:
        return _keep_all(data, Precision.BOOL8, wanted)
    share = data.model.constant(0.5, np.float32) if ratio is None else ratio
    return activation.dropout(data, share, training_mode, seed=seed)


def _is_false(value: Value) -> bool:
    return value.constant is not None and not value.constant.any()
