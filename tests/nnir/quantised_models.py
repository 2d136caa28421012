"""Explicit quantised models: borders around operators of real numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.dim import symbol
from nnir.model import Model, Value
from nnir.ops import activation, binary, conv, index, linear, pool, quant, shape
from nnir.types import Fuse, PadMode, Precision, TensorType, precision_of

RNG = np.random.default_rng(0)
WINDOW: dict[str, Any] = {"strides": (1, 1), "dilations": (1, 1), "fuse_code": Fuse.NONE}


def some(dtype: Any, *sizes: int) -> np.ndarray:
    limits = np.iinfo(dtype)
    return RNG.integers(limits.min, limits.max + 1, sizes).astype(dtype)


def real(x: Value, scale: Any, zero: Any = None, **more: int) -> Value:
    zeros = None if zero is None else x.model.constant(np.asarray(zero, x.dtype))
    return quant.dequantize_linear(
        x, x.model.constant(np.asarray(scale, np.float32)), zeros, **more
    )


def whole(x: Value, scale: float, zero: int, dtype: Any = np.int8, **more: int) -> Value:
    constant = x.model.constant
    kind = precision_of(dtype)
    zeros = constant(np.array(zero, dtype))
    return quant.quantize_linear(x, constant(np.float32(scale)), zeros, dtype=kind, **more)


def through(x: Value, scale: float, zero: int, dtype: Any = np.int8) -> Value:
    """There and back: what an engine keeps of a result."""
    return real(whole(x, scale, zero, dtype), scale, zero)


def convolution(x: Value, scale: float, filters: int, bias: str = "int32", **more: Any) -> Value:
    """3 by 3, with a scale for each filter."""
    model, channels = x.model, int(x.shape[1])  # type: ignore[call-overload]  # known here
    steps = np.linspace(0.01, 0.02, filters).astype(np.float32)
    weights = some(np.int8, filters, channels // more.get("group", 1), 3, 3)
    kernel = real(model.constant(weights), steps, axis=0)
    added: Value | None = None
    if bias == "int32":
        data = model.constant(RNG.integers(-500, 500, filters).astype(np.int32))
        added = real(data, steps * np.float32(scale), axis=0)
    if bias == "float":
        added = model.constant(RNG.standard_normal(filters).astype(np.float32))
    options = {"pads": (1, 1, 1, 1)} | WINDOW | more
    return conv.conv_2d(x, kernel, added, **options)


def network(dtype: Any = np.int8, ends: bool = False) -> Model:
    """Convolutions with activations, a sum of two, pools, paddings and movements."""
    model = Model("net")
    model.symbols["n"] = (1, 8)
    low = int(np.iinfo(dtype).min)
    kind = precision_of(dtype) if ends else Precision.FLOAT32
    x = model.input("x", TensorType(kind, (symbol("n"), 3, 8, 8)))
    start = real(x, 0.02, low + 100) if ends else through(x, 0.02, low + 100, dtype)
    model.origin = "first"
    first = through(activation.relu(convolution(start, 0.02, 4)), 0.05, low, dtype)
    model.origin = "second"
    bounds = [model.constant(np.float32(b)) for b in (0, 6)]
    deep = activation.clip(convolution(first, 0.05, 4, group=4), *bounds)
    second = through(deep, 6 / 255, low, dtype)
    model.origin = "sum"
    total = through(binary.add(first, second), 0.06, low + 3, dtype)
    model.origin = "pool"
    small = through(
        pool.max_pool_2d(total, kernel_shape=(2, 2), strides=(2, 2)), 0.06, low + 3, dtype
    )
    model.origin = "mean"
    mean = through(pool.average_pool_2d(small, kernel_shape=(4, 4), strides=(4, 4)), 0.03, 5, dtype)
    model.origin = "flat"
    flat = real(shape.reshape(whole(mean, 0.03, 5, dtype), [0, 4]), 0.03, 5)
    model.origin = "dense"
    weight = real(model.constant(some(np.int8, 5, 4)), 0.02)
    logits = through(
        linear.fully_connected(flat, weight, np.zeros(5, np.float32)), 0.1, -7 if low else 7, dtype
    )
    model.origin = "scores"
    scores = whole(activation.softmax(logits, axis=-1), 1 / 256, low, dtype)
    model.origin = None
    model.outputs = [scores if ends else real(scores, 1 / 256, low)]
    model.output_names = ["scores"]
    return model


def movements() -> Model:
    """Paddings, parts that are joined, and integers that are moved as they are."""
    model = Model("moves")
    x = model.input("x", TensorType(Precision.FLOAT32, (2, 4, 6)))
    whole_x = whole(x, 0.1, 3)
    left = real(index.slice_(whole_x, [2], [0], [2], [1]), 0.1, 3)
    fill = model.constant(np.float32(0))
    padded = shape.pad(real(whole_x, 0.1, 3), [0, 0, 0, 0, 1, 1], fill, mode=PadMode.CONSTANT)
    wide = through(shape.pad(through(padded, 0.1, 3), [0, 0, 0, 0, 1, 0]), 0.1, 3)
    joined = through(shape.concat(left, wide, axis=2), 0.1, 3)
    turned = through(shape.transpose(joined, perm=(0, 2, 1)), 0.1, 3)
    parts = shape.split(turned, [4, 7], axis=1)
    model.outputs = [through(p, 0.1, 3) for p in parts]
    return model


def arrays(model: Model, seed: int = 1) -> list[np.ndarray]:
    """Inputs for a model: numbers around 0, or all integers."""
    rng = np.random.default_rng(seed)
    made = []
    for value in model.inputs:
        sizes = [d if isinstance(d, int) else 2 for d in value.shape]
        if value.dtype.kind == "f":
            made.append(rng.normal(0, 1.5, sizes).astype(value.dtype))
        else:
            limits = np.iinfo(value.dtype)
            made.append(rng.integers(limits.min, limits.max + 1, sizes).astype(value.dtype))
    return made
