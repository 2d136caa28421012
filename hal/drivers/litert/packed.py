"""Weights as the integers that they are made of, behind a DEQUANTIZE: a file holds few bytes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nnir.formats.bits import pack
from nnir.model import Model
from nnir.types import Precision, Quantization

from .affine import SHIFT, Stored, stored_integers
from .emitter import Emitter
from .writer import Step, Tensor

SMALLEST = 64
"""Weights of fewer elements are not worth an operation."""

WEIGHTS = {
    "BATCH_MATMUL": 1, "CONV_2D": 1, "DEPTHWISE_CONV_2D": 1, "FULLY_CONNECTED": 1, "GATHER": 0,
    "TRANSPOSE_CONV": 1,
}  # fmt: skip
"""Which operand of a step has weights, which may come out of a DEQUANTIZE."""


def pack_weights(g: Emitter) -> None:
    """Let products of floats read integers that are dequantised, where that is exact.

    LiteRT dequantises a constant once, on the first run.
    """
    _put_behind_dequantize(
        g, ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED"), lambda w: _integers(g, w), 6
    )


def reads_halves(model: Model) -> bool:
    """Whether constants of float16 are read: a file is to hold them so."""
    return any(
        v is not None and v.constant is not None and v.precision == Precision.FLOAT16
        for o in model.operations
        for v in o.inputs
    )


def pack_halves(g: Emitter) -> None:
    """Let steps read weights as float16 behind a DEQUANTIZE, where that is exact."""
    _put_behind_dequantize(g, tuple(WEIGHTS), _half, 3)


def _put_behind_dequantize(
    g: Emitter, names: tuple[str, ...], store: Callable[[Tensor], Tensor | None], version: int
) -> None:
    """Put a DEQUANTIZE between steps and the weights that `store` knows another form of."""
    made: dict[Tensor, Step] = {}
    for step in g.graph.live():
        weights = step.inputs[WEIGHTS[step.name]] if step.name in names else None
        if weights is None or weights.precision != Precision.FLOAT32:
            continue
        if weights not in made:
            stored = store(weights)
            if stored is None:
                continue
            real = Tensor(Precision.FLOAT32, weights.shape)
            made[weights] = Step("DEQUANTIZE", [stored], [real], "DequantizeOptions", {}, version)
        step.inputs[WEIGHTS[step.name]] = made[weights].outputs[0]
    g.graph.steps = [*made.values(), *g.graph.steps]


def _half(weights: Tensor) -> Tensor | None:
    data = weights.data
    if data is None or data.size < SMALLEST:
        return None
    with np.errstate(over="ignore", under="ignore"):
        half = data.astype(np.float16)
    if not np.array_equal(half.astype(np.float32), data, equal_nan=True):
        return None
    return Tensor(Precision.FLOAT16, weights.shape, half)


def _integers(g: Emitter, weights: Tensor) -> Tensor | None:
    """The integers of a constant with a scale for each row, or one for all."""
    stored = stored_integers(g, weights)
    if stored is None or stored.data.size < SMALLEST:
        return None
    kind = Precision[stored.data.dtype.name.upper()]
    if kind not in SHIFT or any(z != SHIFT[kind] for z in stored.zeros):
        return None
    return _pack(stored, stored.data.astype(np.int16) - SHIFT[kind])


def _pack(stored: Stored, data: np.ndarray) -> Tensor:
    """In half a byte each where they have 4 bits."""
    single = len(stored.scales) == 1
    described = Quantization(stored.scales, (0,), None if single else stored.axis)
    kind = Precision.INT4 if data.min() >= -8 and data.max() <= 7 else Precision.INT8
    return Tensor(kind, data.shape, pack(data.astype(kind.dtype)), "", described)
