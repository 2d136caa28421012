"""Which steps have an integer kernel that is right to one step of the result's scale.

A kernel gives the integers of the result, or None where it does not fit.
"""

from __future__ import annotations

import numpy as np

from nnir.types import Precision, Quantization

from .affine import LEAST, MOST, SHIFT, Affine, Stored, shift_kind, stored_integers
from .integers import Kernel, Rewriter
from .writer import Step, Tensor

INT8, UINT8 = Precision.INT8, Precision.UINT8

MOST_TERMS = 60_000
"""So many products of two bytes a sum of 32 bits holds."""
COARSER = {"AVERAGE_POOL_2D": 1.9, "RESIZE_BILINEAR": 1.0}
"""How many steps of a result one of the operand may be: a mean is half of that off, and what is
interpolated nearly all of it, before it is rounded again."""
FIXED = {
    "SOFTMAX": Affine(1 / 256, -128),
    "LOGISTIC": Affine(1 / 256, -128),
    "TANH": Affine(1 / 128, 0),
}
"""Kernels that give results of one scale."""
FILTER_AXES = {"CONV_2D": 0, "DEPTHWISE_CONV_2D": 3, "FULLY_CONNECTED": 0}
"""The axis of the filters in the weights."""


def fits_weighted(r: Rewriter, step: Step, affine: Affine) -> Tensor | None:
    """Sums of products with constant weights, with a bias of 32 bits."""
    x, filter, bias = step.inputs
    code, found = r.code(x), stored_integers(r.g, filter)
    if code is None or found is None or x.data is not None or bias.data is None:
        return None
    weights = _weights(found, FILTER_AXES[step.name])
    if weights is None:
        return None
    factors = np.array(weights.quantization.scales) * code.scale  # type: ignore[union-attr]
    ratios = factors / affine.scale
    terms = found.data.size // bias.data.size
    if not (ratios.min() > LEAST and ratios.max() < MOST and 0 < terms < MOST_TERMS):
        return None
    shift = _bias(stored_integers(r.g, bias), bias.data, factors, ratios)
    if shift is None:
        return None
    kind = weights.precision
    inputs = [r.tensor(x, kind), weights, shift]
    shape = step.outputs[0].shape
    return r.result(step.name, inputs, shape, affine, kind, **step.fields)


def _weights(found: Stored, axis: int) -> Tensor | None:
    """INT8 around 0 where that holds them, else UINT8 with one scale."""
    kind = Precision[found.data.dtype.name.upper()]
    if kind not in SHIFT or not all(0 < s < np.inf for s in found.scales):
        return None
    many = len(found.scales) > 1
    if many and found.axis != axis:
        return None
    if all(z == SHIFT[kind] for z in found.zeros):
        described = Quantization(found.scales, (0,), axis)
        return Tensor(INT8, found.data.shape, shift_kind(found.data, INT8), "", described)
    if many:
        return None
    zero = found.zeros[0] - SHIFT[kind] + SHIFT[UINT8]
    described = Quantization(found.scales, (zero,))
    return Tensor(UINT8, found.data.shape, shift_kind(found.data, UINT8), "", described)


def _bias(
    found: Stored | None, real: np.ndarray, factors: np.ndarray, ratios: np.ndarray
) -> Tensor | None:
    """In steps of the products; None where rounding it so would show."""
    described = Quantization(
        tuple(factors.astype(np.float32).tolist()), (0,), 0 if len(factors) > 1 else None
    )
    alike = found is not None and found.data.dtype == np.int32 and not any(found.zeros)
    if found is not None and alike:
        near = np.allclose(np.array(found.scales), factors, atol=0)
        if near and len(found.scales) in (1, len(factors)):
            return Tensor(Precision.INT32, found.data.shape, found.data, "", described)
    with np.errstate(invalid="ignore"):
        exact = real.astype(np.float64) / factors
        steps = np.rint(exact)
        error = np.abs(steps - exact) * ratios
    if not np.isfinite(exact).all() or np.abs(exact).max(initial=0) > 1 << 29 or error.max() > 0.4:
        return None
    return Tensor(Precision.INT32, real.shape, steps.astype(np.int32), "", described)


def elementwise(r: Rewriter, step: Step, affine: Affine) -> Tensor | None:
    """Sums, differences and products of two tensors."""
    a, b = step.inputs
    codes = r.code(a), r.code(b)
    if codes[0] is None or codes[1] is None or (a.shape != b.shape and _rank(a, b) > 4):
        return None
    scales = [c.scale for c in codes if c is not None]
    if step.name == "MUL":
        fits = LEAST < scales[0] * scales[1] / affine.scale < 1  # the kernels' products overflow
    else:
        fits = max(*scales, affine.scale) < MOST * min(*scales, affine.scale)
    if not fits:
        return None
    kind = r.kind(a, b)
    inputs = [r.tensor(t, kind) for t in (a, b)]
    return r.result(step.name, inputs, step.outputs[0].shape, affine, kind, **step.fields)


def _rank(*tensors: Tensor) -> int:
    return max(len(t.shape) for t in tensors)


def multiply_matrices(r: Rewriter, step: Step, affine: Affine) -> Tensor | None:
    """Products of two tensors that are computed; the kernel takes INT8 alone."""
    a, b = step.inputs
    codes = r.code(a), r.code(b)
    terms = a.shape[-1]
    if codes[0] is None or codes[1] is None or not isinstance(terms, int):
        return None
    ratio = codes[0].scale * codes[1].scale / affine.scale
    if not (LEAST < ratio < MOST and 0 < terms < MOST_TERMS):
        return None
    inputs = [r.tensor(t, INT8) for t in (a, b)]
    shape = step.outputs[0].shape
    return r.result(step.name, inputs, shape, affine, INT8, **step.fields)


def fits_rescaled(r: Rewriter, step: Step, affine: Affine) -> Tensor | None:
    """Kernels of one tensor whose result may have another scale."""
    x = step.inputs[0]
    code = r.code(x)
    if code is None or not LEAST < code.scale / affine.scale < MOST:
        return None
    kind = r.kind(x)
    inputs = [r.tensor(x, kind), *step.inputs[1:]]
    return r.result(step.name, inputs, step.outputs[0].shape, affine, kind, **step.fields)


def alike(r: Rewriter, step: Step, affine: Affine) -> Tensor | None:
    """Kernels whose result has the scale of their operand: another one is made of it."""
    x = step.inputs[0]
    code = r.code(x)
    if code is None:
        return None
    if not LEAST < code.scale / affine.scale <= COARSER[step.name]:
        return None
    kind = r.kind(x)
    inputs = [r.tensor(x, kind), *step.inputs[1:]]
    made = r.result(step.name, inputs, step.outputs[0].shape, code, kind, **step.fields)
    return r.requantised(made, affine, kind)


def fits_fixed(r: Rewriter, step: Step, affine: Affine) -> Tensor | None:
    """Kernels with a result of one scale, finer than the one that is asked for or equal."""
    x = step.inputs[0]
    code = r.code(x)
    own = FIXED[step.name]
    if code is None or own.scale > affine.scale * (1 + 1e-6):
        return None
    kind = r.kind(x)
    shape = step.outputs[0].shape
    made = r.result(step.name, [r.tensor(x, kind)], shape, own, kind, **step.fields)
    return r.requantised(made, affine, kind)


KERNELS: dict[str, Kernel] = {
    **dict.fromkeys(FILTER_AXES, fits_weighted),
    **dict.fromkeys(("ADD", "SUB", "MUL"), elementwise),
    "BATCH_MATMUL": multiply_matrices,
    **dict.fromkeys(
        ("MEAN", "RELU", "RELU6", "LEAKY_RELU", "HARD_SWISH", "GELU", "ELU"), fits_rescaled
    ),
    **dict.fromkeys(COARSER, alike),
    **dict.fromkeys(FIXED, fits_fixed),
}
