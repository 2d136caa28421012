"""Models in which engines get something wrong; see `test_quirks.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import nnadapter as nna
from nnir.dim import symbol
from nnir.model import Model, Value
from nnir.ops import (
    activation,
    binary,
    compare,
    conv,
    index,
    linear,
    pool,
    quant,
    recurrent,
    reduce,
    shape,
    unary,
)
from nnir.types import AutoPad, Precision, TensorType

F32 = Precision.FLOAT32


def attention(batch: int, heads: int, rows: int) -> Model:
    """An attention on a stacked tensor, as vision transformers have it."""
    model = Model("attention")
    stacked = model.input("x", TensorType(F32, (3, batch, heads, rows, 8)))
    q, k, v = (index.gather(stacked, model.constant(np.int64(n)), axis=0) for n in range(3))
    scores = linear.mat_mul(q, shape.transpose(k, perm=(0, 1, 3, 2)))
    product = linear.mat_mul(activation.softmax(binary.mul(scores, number(model, 0.3)), axis=-1), v)
    model.outputs = [shape.transpose(product, perm=(0, 2, 1, 3))]
    return model


def scaled_attention(heads: int, rows: int, *, before: bool, after: bool) -> Model:
    """An attention whose query is scaled, with transposes `before` and `after`."""
    model = Model("attention")
    sizes = (2, rows, heads, 8) if before else (2, heads, rows, 8)
    ends = [model.input(name, TensorType(F32, sizes)) for name in "qkv"]
    q, k, v = (shape.transpose(end, perm=(0, 2, 1, 3)) for end in ends) if before else ends
    scores = linear.mat_mul(binary.mul(q, number(model, 0.3)), k, transpose_y=True)
    weights = binary.mul(activation.softmax(scores, axis=-1), number(model, 0.9))
    product = linear.mat_mul(weights, v)
    model.outputs = [shape.transpose(product, perm=(0, 2, 1, 3)) if after else product]
    return model


def open_attention(rank: int, *, masked: bool = False) -> Model:
    """An attention of any number of keys, of the sizes of which nothing is known but the width."""
    model = Model("attention")
    lead = [symbol(f"b{k}") for k in range(rank - 2)]
    sizes = {n: (*lead, symbol("rows" if n == "q" else "keys"), 16) for n in "qkv"}
    q, k, v = (model.input(n, TensorType(F32, s)) for n, s in sizes.items())
    model.symbols.update(dict.fromkeys((*map(str, lead), "rows", "keys"), (1, None)))
    scores = linear.mat_mul(q, k, transpose_y=True) * 0.25
    if masked:
        scores = scores + model.input("mask", TensorType(F32, (symbol("rows"), symbol("keys"))))
    model.outputs = [linear.mat_mul(activation.softmax(scores, axis=-1), v)]
    return model


def number(model: Model, value: float) -> Value:
    return model.constant(np.float32(value))


def inner_product() -> Model:
    """A product of two vectors as a number."""
    model = Model("inner")
    row, column = (model.input(n, TensorType(F32, s)) for n, s in (("a", (1, 9)), ("b", (9, 1))))
    product = linear.mat_mul(row, column)
    model.outputs = [shape.reshape(product, model.constant(np.array([], np.int64)))]
    return model


def cubes() -> Model:
    """Sums of elements that lie three apart along the first of three axes."""
    model = Model("cubes")
    x = model.input("x", TensorType(F32, (2, 1, 5, 4, 3)))
    model.outputs = [pool.average_pool(x, kernel_shape=(2, 1, 1), dilations=(3, 1, 1))]
    return model


def column() -> Model:
    """A convolution of one channel to one column, every second of two."""
    model = Model("column")
    x = model.input("x", TensorType(F32, (1, 1, 4, 2)))
    taps = model.constant(np.arange(9, dtype=np.float32).reshape(1, 1, 3, 3))
    how: dict[str, Any] = {"pads": (1,) * 4, "strides": (1, 2), "dilations": (1, 1)}
    model.outputs = [conv.conv_2d(x, taps, model.constant(np.zeros(1, np.float32)), **how)]
    return model


def dilated_tap() -> Model:
    """A convolution of one tap across, between two columns that are border."""
    model = Model("tap")
    x = model.input("x", TensorType(F32, (1, 1, 3, 1)))
    taps = model.constant(np.ones((1, 1, 2, 1), np.float32))
    how: dict[str, Any] = {"pads": (1,) * 4, "strides": (1, 2), "dilations": (1, 2)}
    model.outputs = [conv.conv_2d(x, taps, model.constant(np.ones(1, np.float32)), **how)]
    return model


def padded_pool() -> Model:
    """A border of zeros around what is below them."""
    model = Model("pool")
    x = model.input("x", TensorType(F32, (1, 1, 4, 4)))
    pads = model.constant(np.array([0, 0, 0, 0, 1, 1, 1, 1], np.int64))
    padded = shape.pad(binary.sub(x, number(model, 5.0)), pads, None)
    model.outputs = [pool.max_pool_2d(padded, kernel_shape=(2, 2), strides=(2, 2))]
    return model


def padded_mean() -> Model:
    """A border that is as wide as the kernel of the mean behind it."""
    model = Model("mean")
    x = model.input("x", TensorType(F32, (1, 1, 4, 4)))
    pads = model.constant(np.array([0, 0, 0, 0, 1, 1, 1, 1], np.int64))
    model.outputs = [
        pool.average_pool_2d(shape.pad(x, pads, None), kernel_shape=(1, 1), strides=(1, 1))
    ]
    return model


def sharp_softmax() -> Model:
    """Probabilities whose largest number is below 1."""
    model = Model("softmax")
    x = model.input("x", TensorType(Precision.UINT8, (3, 2)))
    whole = quant.dequantize_linear(x, number(model, 0.1), model.constant(np.uint8(101)))
    scale, zero = number(model, 0.003), model.constant(np.uint8(0))
    model.outputs = [quant.quantize_linear(activation.softmax(whole, axis=-1), scale, zero)]
    return model


def quantised_end(*, turned: bool) -> Model:
    """A result that is transposed, and quantised then; `turned` there and back itself."""
    model = Model("end")
    y = activation.tanh(model.input("x", TensorType(F32, (2, 3, 4))))
    row = shape.transpose(y, perm=(1, 2, 0))
    flat = shape.reshape(row, model.constant(np.array([-1])))
    whole = quant.quantize_linear(flat, number(model, 0.1), model.constant(np.uint8(3)))
    end = shape.transpose(row, perm=(2, 0, 1)) if turned else y
    model.outputs = [end, quant.dequantize_linear(whole, number(model, 0.1), None)]
    return model


def padded_points() -> Model:
    """A convolution of kernel 1 with a border and strides."""
    model = Model("points")
    x = model.input("x", TensorType(F32, (1, 3, 9, 3)))
    taps, bias = (model.constant(np.ones(s, np.float32)) for s in ((2, 3, 1, 1), (2,)))
    less = binary.sub(number(model, 1.0), x)
    how = {"pads": (1, 1, 1, 1), "strides": (2, 1), "dilations": (1, 1)}
    model.outputs = [conv.conv_2d(less, taps, bias, **how)]
    return model


def scaled_vector() -> Model:
    """A product with a vector, divided."""
    model = Model("vector")
    x = model.input("x", TensorType(F32, (3, 5, 4, 7)))
    product = linear.mat_mul(x, model.constant(np.ones(7, np.float32)))
    model.outputs = [binary.div(product, number(model, 0.5))]
    return model


def weights_with_scales(axis: int, block: int) -> Model:
    """A product with integers of 4 bits whose scales lie along the wrong axis."""
    model = Model("weights")
    x = model.input("x", TensorType(F32, (3, 12)))
    stored = model.constant((np.arange(96) % 16 - 8).reshape(12, 8).astype(Precision.INT4.dtype))
    sizes = (12, 8 // block) if block else (12,)
    scales = model.constant(np.arange(1, np.prod(sizes) + 1, dtype=np.float32).reshape(sizes))
    real = quant.dequantize_linear(stored, scales, axis=axis, block_size=block)
    model.outputs = [linear.mat_mul(x, real)]
    return model


def small_zeros() -> Model:
    """Floats of 8 bits as truth values."""
    model = Model("zeros")
    x = model.input("x", TensorType(F32, (4,)))
    model.outputs = [x.cast(Precision.FLOAT8E4M3FN).cast(Precision.BOOL8)]
    return model


def large_float8() -> Model:
    """480 as a float of 8 bits."""
    model = Model("large")
    x = model.input("x", TensorType(F32, (4,)))
    large = x * number(model, 0) + number(model, 480)
    model.outputs = [large.cast(Precision.FLOAT8E4M3FN).cast(F32)]
    return model


def product_of_constants() -> Model:
    """Integers of 4 bits times a matrix that is known too."""
    model = Model("constants")
    stored = model.constant((np.arange(24) % 7 - 3).reshape(6, 4).astype(Precision.INT4.dtype))
    real = quant.dequantize_linear(stored, model.constant(np.float32(0.5)))
    other = model.constant(np.arange(18, dtype=np.float32).reshape(6, 3))
    model.outputs = [linear.mat_mul(real, other, transpose_x=True)]
    return model


def product_with_slopes() -> Model:
    """A product whose channels are as many as its columns, with a slope for each channel."""
    model = Model("slopes")
    x = model.input("x", TensorType(F32, (3, 6, 4, 5)))
    product = linear.mat_mul(x, model.constant(np.ones((5, 6), np.float32)))
    model.outputs = [activation.prelu(product, model.constant(np.arange(6, dtype=np.float32)))]
    return model


def product_with_channels() -> Model:
    """A product of open rows, whose channels are as many as its columns, and a sum along them."""
    model = Model("channels")
    x = model.input("x", TensorType(F32, (symbol("n"), 6, 4, 5)))
    product = linear.mat_mul(x, model.constant(np.ones((5, 6), np.float32)))
    shifts = np.arange(6, dtype=np.float32).reshape(6, 1, 1)
    model.outputs = [binary.add(product, model.constant(shifts))]
    return model


def swish(x: Value) -> Value:
    return binary.mul(x, activation.sigmoid(x))


def behind_pool(function: Callable[[Value], Value], group: int) -> Model:
    """An activation of the largest results of a convolution."""
    model, rng = Model("pooled"), np.random.default_rng(0)
    x = model.input("x", TensorType(F32, (1, 4, 6, 8)))
    taps = model.constant(rng.normal(size=(4, 4 // group, 3, 3)).astype(np.float32))
    bias = model.constant(rng.normal(size=4).astype(np.float32))
    how: dict[str, Any] = {"pads": (1,) * 4, "strides": (1, 1), "dilations": (1, 1)}
    made = conv.conv_2d(x, taps, bias, group=group, **how)
    model.outputs = [function(pool.max_pool_2d(made, kernel_shape=(2, 2), strides=(2, 2)))]
    return model


def scaled_places(sizes: tuple[int, ...], group: int) -> Model:
    """Numbers for rows or columns of an image that is as large as a kernel."""
    model, rng = Model("scaled"), np.random.default_rng(0)
    x = model.input("x", TensorType(F32, (1, 2, 3, 3)))
    scales, taps = (
        model.constant(rng.normal(size=s).astype(np.float32))
        for s in (sizes, (2, 2 // group, 3, 3))
    )
    how: dict[str, Any] = {"pads": (1,) * 4, "strides": (1, 1), "dilations": (1, 1)}
    bias = model.constant(np.zeros(2, np.float32))
    model.outputs = [conv.conv_2d(binary.mul(x, scales), taps, bias, group=group, **how)]
    return model


def mean_with_slopes() -> Model:
    """A mean of what is seen as a batch of one, with a slope for each channel."""
    model = Model("slopes")
    x = model.input("x", TensorType(F32, (2, 3, 4)))
    mean = reduce.reduce_mean(shape.unsqueeze(x, [0]), [1], keepdim=False)
    model.outputs = [activation.prelu(mean, model.constant(np.arange(3, dtype=np.float32)))]
    return model


def gated_attention(gate: tuple[int, ...], *, is_chosen: bool = False) -> Model:
    """Heads that a gate scales when they stand beside each other, or chooses from."""
    model = Model("gate")
    query, keys, values = (
        model.input(n, TensorType(F32, s))
        for n, s in (("q", (2, 3, 5, 8)), ("k", (2, 3, 8, 7)), ("v", (2, 3, 7, 8)))
    )
    weights = activation.softmax(linear.mat_mul(query, keys), axis=-1)
    rows = shape.transpose(linear.mat_mul(weights, values), perm=(0, 2, 1, 3))
    other = activation.sigmoid(model.input("gate", TensorType(F32, gate)))
    chosen = compare.where(other > 0.5, rows, other) if is_chosen else other * rows
    model.outputs = [chosen]
    return model


def layer_and_transpose() -> Model:
    """A recurrent layer beside a transpose of what it reads."""
    model = Model("layer")
    x = model.input("x", TensorType(F32, (4, 3, 2)))
    weights = [model.constant(np.ones(s, np.float32)) for s in ((1, 3, 2), (1, 3, 1))]
    model.outputs = [*recurrent.gru(x, *weights), shape.transpose(x, perm=(1, 0, 2))]
    return model


def long_sums() -> Model:
    """Sums of large integers, as those of hashes and bits are."""
    model = Model("sums")
    x = model.input("x", TensorType(Precision.INT64, (4, 3, 63)))
    model.outputs = [
        reduce.reduce_sum(x, [-1], keepdim=False),
        reduce.reduce_sum(x, [0, 2], keepdim=True),
        reduce.reduce_sum(x, [], keepdim=False),
    ]
    return model


def long_products() -> Model:
    """Products of integers beyond their range, which wrap."""
    model = Model("products")
    x = model.input("x", TensorType(Precision.INT64, (4, 3, 63)))
    model.outputs = [
        reduce.reduce_prod(x, [-1], keepdim=False),
        reduce.reduce_prod(unary.cast(x, dtype=Precision.INT8), [0, 2], keepdim=True),
    ]
    return model


def coarse_bias() -> Model:
    """A product of integers with a bias that has a scale of its own."""
    model = Model("bias")
    x = model.input("x", TensorType(Precision.INT8, (2, 3)))
    taps = model.constant(np.array([[3, 1, 2]], np.int8))
    steps = model.constant(np.array([1000], np.int32))
    scales = [model.constant(np.float32(s)) for s in (0.5, 0.5, 0.1)]
    parts = [
        quant.dequantize_linear(v, s, None) for v, s in zip((x, taps, steps), scales, strict=True)
    ]
    sums = linear.fully_connected(*parts)
    one, zero = model.constant(np.float32(4)), model.constant(np.int8(0))
    model.outputs = [quant.quantize_linear(sums, one, zero, dtype=Precision.INT8)]
    return model


def border_before_same(window: str) -> Model:
    """A border in front of a window that has its own, of open sizes."""
    model = Model("border")
    x = model.input("x", TensorType(F32, (1, 2, symbol("h"), symbol("w"))))
    border = shape.pad(x, [0, 0, 0, 0, 1, 1, 1, 1])
    how = {"auto_pad": AutoPad.SAME, "strides": (1, 1)}
    if window == "sums":
        taps = model.constant(np.random.default_rng(1).standard_normal((3, 2, 2, 2), np.float32))
        made = conv.conv_2d(border, taps, np.zeros(3, np.float32), **how, dilations=(1, 1))
    else:
        made = pool.average_pool_2d(border, **how, kernel_shape=(2, 2))
    model.outputs = [made]
    return model


def padded_end() -> Model:
    """A feature that is an output, in front of a convolution with a border at one side."""
    model = Model("padded")
    x = model.input("x", TensorType(F32, (1, 4, 5, 5)))
    feature = activation.relu(x)
    weights = np.random.default_rng(1).standard_normal((4, 4, 3, 3), np.float32)
    border = shape.pad(feature, [0, 0, 0, 0, 0, 1, 0, 1])
    window = {"strides": (2, 2), "dilations": (1, 1)}
    made = conv.conv_2d(border, model.constant(weights), np.zeros(4, np.float32), **window)
    model.outputs = [feature, made]
    return model


def shared_half(*, is_twice: bool) -> Model:
    """A GELU by TANH, whose half something else reads too, or has a twin."""
    model = Model("gelu")
    x = model.input("x", TensorType(F32, (2, 4)))
    inner = (x + x * x * x * 0.044715) * 0.7978846
    half = x * 0.5
    gelu = half * (activation.tanh(inner) + 1.0)
    model.outputs = [gelu - (0.5 * x if is_twice else half)]
    return model


def gelu_of_a_number() -> Model:
    """A GELU by TANH, of rank 0."""
    model = Model("gelu")
    x = model.input("x", TensorType(F32, ()))
    inner = (x + binary.pow_(x, 3.0) * 0.044715) * 0.7978846
    model.outputs = [-(x * 0.5 * (activation.tanh(inner) + 1.0))]
    return model


def experts(shape: str) -> Model:
    """Rows, open in their number, times a matrix of each expert."""
    model = Model("experts")
    rows = [symbol(d) if d == "n" else int(d) for d in shape.split()]
    x = model.input("x", TensorType(F32, tuple(rows)))
    weights = np.random.default_rng(1).standard_normal((6, 3, 5), np.float32)
    model.outputs = [linear.mat_mul(x, model.constant(weights))]
    return model


def bounded_product() -> Model:
    """A product that is clipped from below, with infinity as the other bound."""
    model = Model("bounded")
    x = model.input("x", TensorType(F32, (3, 16)))
    weights = np.random.default_rng(1).standard_normal((16, 16), np.float32)
    bounds = (model.constant(np.float32(n)) for n in (0.1, np.inf))
    model.outputs = [activation.clip(linear.mat_mul(x, model.constant(weights)), *bounds)]
    return model


def loop() -> Model:
    """A loop whose condition is a constant of a branch."""
    import onnx

    text = """<ir_version: 8, opset_import: ["" : 16]>
    g (float[3] x) => (float[3] y)
    <bool one = {1}, bool zero = {0}, int64 k = {0}, int64 big = {9}> {
      y, m = Loop (big, one, x, k) <body: graph =
      b (int64 i, bool c, float[3] s, int64 n) => (bool go, float[3] t, int64 n2)
      <int64 u = {1}, int64 end = {3}> {
         t = Sigmoid (s)
         n2 = Add (n, u)
         ge = GreaterOrEqual (n2, end)
         go = If (ge) <then_branch: graph = p () => (bool a) { a = Identity (zero) },
                       else_branch: graph = e () => (bool b2) { b2 = Identity (one) }>
      }>
    }"""
    return nna.load(onnx.parser.parse_model(text))


def cut_and_gathered() -> Model:
    """Elements of the first columns of an open batch."""
    model = Model()
    data = model.input("data", TensorType(F32, (symbol("n"), 6, 5)))
    part = index.slice_(data, [2], [0], [2], None)
    at = reduce.arg_max(part, axis=1, keepdim=True)
    model.outputs = [index.gather_elements(part, at, axis=1)]
    return model


def repeated_twice() -> Model:
    """Three and then two copies along two axes, of which the first are read elsewhere, too."""
    model = Model()
    x = model.input("x", TensorType(F32, (1, 1, 6)))
    rows = shape.tile(x, [3, 1, 1])
    model.outputs = [activation.relu(shape.tile(rows, [1, 2, 1])), activation.tanh(rows)]
    return model
