"""Operations on quantised operands: what the real numbers behind them give, rounded once.

Expected values are computed in FLOAT64, element by element, and rounded as Python rounds. Devices
may be one step away, as their products are rounded otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nnir.model import Operator
from nnir.ops import activation, binary, conv, linear, pool, shape
from nnir.types import AutoPad, Fuse, Precision, Quantization

from ...case import Const, Tolerance, i, rand
from .direct import DirectCase, Quantized

UINT8, INT8 = Precision.QUANT_UINT8_ASYMM_PER_LAYER, Precision.QUANT_INT8_SYMM_PER_LAYER
CHANNELS = Precision.QUANT_INT8_SYMM_PER_CHANNEL
BIAS, BIASES = Precision.QUANT_INT32_SYMM_PER_LAYER, Precision.QUANT_INT32_SYMM_PER_CHANNEL
UINT16 = Precision.QUANT_UINT16_ASYMM_PER_LAYER
STEP = Tolerance(absolute=1)
BOUNDS = {Fuse.RELU: (0, np.inf), Fuse.RELU1: (0, 1), Fuse.RELU6: (0, 6)}

Real = Callable[..., np.ndarray]


def q(scale: float, zero: int = 0) -> Quantization:
    """One scale, as FLOAT32 holds it."""
    return Quantization((float(np.float32(scale)),), (zero,))


def data(*sizes: int, scale: float = 0.05, zero: int = 120) -> Quantized:
    """Every kind of byte."""
    return Quantized(rand(*sizes, dtype=np.uint8, low=0, high=255), UINT8, q(scale, zero))


def weights(*sizes: int, steps: tuple[float, ...] = (0.02,)) -> Quantized:
    """Symmetric constants, with one scale or one for each entry of the first axis."""
    array = rand(*sizes, dtype=np.int8, low=-127, high=127)
    if len(steps) == 1:
        return Quantized(array, INT8, q(*steps), is_constant=True)
    scales = tuple(float(np.float32(s)) for s in steps)
    return Quantized(array, CHANNELS, Quantization(scales, (0,), 0), is_constant=True)


def bias(count: int, input: Quantized, filter: Quantized) -> Quantized:
    """In steps of the products."""
    of, by = input.quantization.scales[0], filter.quantization.scales
    steps = tuple(float(np.float32(of) * np.float32(s)) for s in by)
    array = rand(count, dtype=np.int32, low=-900, high=900)
    axis = None if len(steps) == 1 else 0
    kind = BIAS if axis is None else BIASES
    return Quantized(array, kind, Quantization(steps, (0,), axis), is_constant=True)


def _real(given: Any) -> Any:
    """The numbers behind an input, in FLOAT64."""
    if isinstance(given, Const):
        return given.array
    if not isinstance(given, Quantized):
        return given
    how = given.quantization
    after = (1,) * (given.array.ndim - 1 - (how.axis or 0))
    scales = np.reshape(how.scales, (-1, *after)) if how.axis is not None else how.scales[0]
    return (given.array.astype(np.float64) - how.zero_points[0]) * scales


def on(
    operator: Operator[Any],
    inputs: tuple[Any, ...],
    formula: Real,
    to: Quantization,
    why: str,
    kind: Precision = UINT8,
    **attrs: Any,
) -> DirectCase:
    """A case of an operator, whose real numbers `formula` gives for the attributes."""
    low, high = (-127, 127) if kind == INT8 else (0, np.iinfo(kind.dtype).max)

    def expected(*_: np.ndarray | None, **given: Any) -> np.ndarray:
        real = formula(*map(_real, inputs), **given)
        real = np.clip(real, *BOUNDS.get(given.get("fuse_code", Fuse.NONE), (-np.inf, np.inf)))
        whole = [round(x / to.scales[0]) + to.zero_points[0] for x in real.reshape(-1).tolist()]
        clipped = [min(max(w, low), high) for w in whole]
        return np.array(clipped).astype(kind.dtype).reshape(real.shape)

    why = f"on integers, {why}"
    return DirectCase(operator, inputs, attrs, expected, STEP, why, result=(kind, to))


def _convolve(
    x: np.ndarray,
    w: np.ndarray,
    b: np.ndarray | None,
    *,
    pads: tuple[int, ...] = (0, 0, 0, 0),
    strides: tuple[int, int] = (1, 1),
    dilations: tuple[int, int] = (1, 1),
    group: int = 1,
    auto_pad: AutoPad = AutoPad.NONE,
    fuse_code: Fuse = Fuse.NONE,
) -> np.ndarray:
    if auto_pad == AutoPad.SAME:  # 3 by 3 with strides of 1
        pads = (1, 1, 1, 1)
    padded = np.pad(x, ((0, 0), (0, 0), pads[:2], pads[2:]))
    reach = [d * (k - 1) + 1 for d, k in zip(dilations, w.shape[2:], strict=True)]
    views = np.lib.stride_tricks.sliding_window_view(padded, reach, (2, 3))
    views = views[:, :, :: strides[0], :: strides[1], :: dilations[0], :: dilations[1]]
    apart = np.reshape(views, (len(x), group, -1, *views.shape[2:]))
    filters = w.reshape(group, -1, *w.shape[1:])
    made = np.einsum("ngchwij,gocij->ngohw", apart, filters)
    made = made.reshape(len(x), -1, *made.shape[3:])
    return made if b is None else made + b.reshape(-1, 1, 1)


X, W = data(1, 4, 6, 5), weights(6, 4, 3, 3, steps=(0.01, 0.015, 0.02, 0.03, 0.012, 0.011))
DEEP = weights(4, 1, 3, 2, steps=(0.01, 0.02, 0.03, 0.04))
PAIR, ONE = data(1, 2, 4, 4), weights(3, 2, 2, 2)
STEPS: dict[str, Any] = {"strides": (1, 1), "dilations": (1, 1)}
MATRIX, ROWS = weights(3, 8, steps=(0.01, 0.02, 0.03)), data(2, 8)


def _maxima(
    x: np.ndarray, *, kernel_shape: tuple[int, int], strides: tuple[int, int]
) -> np.ndarray:
    views = np.lib.stride_tricks.sliding_window_view(x, kernel_shape, (2, 3))
    return np.asarray(views[:, :, :: strides[0], :: strides[1]].max((4, 5)))


def _softmax(x: np.ndarray, *, axis: int) -> np.ndarray:
    powers = np.exp(x - x.max(axis, keepdims=True))
    return np.asarray(powers / powers.sum(axis, keepdims=True))


CASES = [
    on(conv.conv_2d, (X, W, bias(6, X, W)), _convolve, q(0.5, 90), "per channel", **STEPS),
    on(
        conv.conv_2d,
        (X, DEEP, bias(4, X, DEEP)),
        _convolve,
        q(0.02, 0),
        "depthwise, RELU6",
        pads=(1, 0, 1, 1),
        strides=(2, 1),
        dilations=(1, 2),
        group=4,
        fuse_code=Fuse.RELU6,
    ),
    on(
        conv.conv_2d,
        (PAIR, ONE, bias(3, PAIR, ONE)),
        _convolve,
        q(0.3, 128),
        "per layer, RELU",
        fuse_code=Fuse.RELU,
        **STEPS,
    ),
    on(
        conv.conv_2d,
        (X, W, bias(6, X, W)),
        _convolve,
        q(0.5, 128),
        "padded to the same size",
        auto_pad=AutoPad.SAME,
        **STEPS,
    ),
    on(
        linear.fully_connected,
        (ROWS, MATRIX, bias(3, ROWS, MATRIX)),
        lambda x, w, b, **_: x @ w.T + b,
        q(0.1, 40),
        "a dense layer, RELU",
        fuse_code=Fuse.RELU,
    ),
    on(
        binary.add,
        (data(2, 3, 4), data(2, 3, 4, scale=0.11, zero=7)),
        lambda x, y, **_: x + y,
        q(0.13, 60),
        "a sum of other scales",
    ),
    on(
        binary.add,
        (data(2, 3, 4), data(2, 3, 4, scale=0.11, zero=7)),
        lambda x, y, **_: x + y,
        q(0.002, 100),
        "a sum that saturates, RELU1",
        fuse_code=Fuse.RELU1,
    ),
    on(
        binary.mul,
        (data(2, 3), data(3, scale=0.11, zero=7)),
        lambda x, y, **_: x * y,
        q(0.7, 128),
        "a product with rows",
    ),
    on(
        binary.sub,
        (data(2, 3), weights(3)),
        lambda x, y, **_: x - y,
        q(0.1, 0),
        "a constant of the symmetric type",
        INT8,
    ),
    on(
        pool.max_pool_2d,
        (X,),
        _maxima,
        X.quantization,
        "maxima keep the scale",
        kernel_shape=(2, 2),
        strides=(2, 1),
    ),
    on(activation.softmax, (ROWS,), _softmax, q(1 / 256), "shares", axis=-1),
    on(activation.relu, (ROWS,), lambda x: np.maximum(x, 0), q(0.04, 30), "above 0"),
    on(
        activation.tanh,
        (Quantized(rand(7, dtype=np.uint16, low=0, high=65535), UINT16, q(1e-4, 32768)),),
        np.tanh,
        q(1 / 32768, 32768),
        "16 bits",
        UINT16,
    ),
    on(
        shape.reshape,
        (X, Const(i(4, 30))),
        lambda x, s: x.reshape(s),
        X.quantization,
        "integers in another shape",
    ),
    on(
        shape.flatten,
        (X,),
        lambda x, **_: x.reshape(1, 4, 30),
        X.quantization,
        "axes that become one",
        start_axis=2,
        end_axis=3,
    ),
]

OPENED = CASES
TURNED: list[DirectCase] = []
