"""ONNX Runtime's products of integers, with real numbers or integers as results."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType, Unsupported

from ...case import ROUNDS, Const, Tolerance, f, i, rand, scalar
from .microsoft_quant import KINDS, STEP, ms, step, whole

SHORTS = rand(3, 5, dtype=np.int16, low=-30000, high=30000)
ROWS = rand(4, 6, low=-3, high=2)
WEIGHTS = rand(6, 5, dtype=np.int8, low=-127, high=127)
BIAS = f(1, -2, 3, 0.5, 0)
SCALES = f(0.01, 0.02, 0.03, 0.04, 0.05)
ZEROS = i(1, 2, -3, 4, 0, dtype=np.int8)
CLOSE = Tolerance(relative=1e-5, absolute=1e-4)


def gemm(*rest: Any, x: Any = None, w: Any = WEIGHTS, scale: Any = None, **attrs: Any) -> Any:
    """QGemm of rows and weights; `rest` comes behind the zero point of the weights."""
    left = whole(4, 6) if x is None else x
    scales = scalar(0.01) if scale is None else scale
    zeros = Const(np.zeros(scales.shape, w.dtype))
    return ms("QGemm", left, *step(0.05), Const(w), Const(scales), zeros, *rest, **attrs)


CASES = [
    ms("MatMulInteger16", SHORTS // 100, SHORTS.T.copy() // 100)(),
    ms("MatMulInteger16", f(1), SHORTS)("floats", raises=BadType),
    *(ms("MatMulIntegerToFloat", whole(4, 6, kind=k), Const(WEIGHTS), scalar(0.05), scalar(0.01),
         Const(scalar(3, k)))(f"of {k.__name__}", tol=ROUNDS) for k in KINDS),
    ms("MatMulIntegerToFloat", whole(4, 6), Const(WEIGHTS), scalar(0.05), Const(SCALES),
       scalar(100, np.uint8), Const(ZEROS), Const(BIAS))("a scale for each column", tol=ROUNDS),
    ms("MatMulIntegerToFloat", whole(2, 4, 6), Const(WEIGHTS.view(np.uint8)), f(0.05), f(0.01),
       None, i(120, dtype=np.uint8))("a batch, vectors of one scale", tol=ROUNDS),
    ms("MatMulIntegerToFloat", whole(4, 6), Const(WEIGHTS), scalar(0.05), scalar(0.01), None, None,
       Const(BIAS))("one scale and a bias", tol=ROUNDS),
    ms("MatMulIntegerToFloat", whole(4, 6), Const(WEIGHTS), scalar(0.05), f(0.01), None, None,
       Const(BIAS))("a vector of one scale and a bias", tol=ROUNDS),
    *(ms("MatMulIntegerToFloat", x, Const(w), scalar(0.05), Const(scales), None, None,
         Const(bias))(why, raises=Unsupported)
      for x, w, scales, bias, why in (
          (whole(4, 6), WEIGHTS, SCALES, BIAS[None], "a bias in a matrix"),
          (whole(2, 4, 6), np.stack([WEIGHTS] * 2), np.stack([SCALES[None]] * 2), BIAS,
           "a bias beside scales of a batch"),
          (whole(4, 6), WEIGHTS, SCALES[None], BIAS, "a bias beside scales in a matrix"))),
    *(ms("DynamicQuantizeMatMul", ROWS, Const(w), scalar(0.01), Const(scalar(7, w.dtype)))(
          f"of {w.dtype}", tol=CLOSE) for w in (WEIGHTS, WEIGHTS.view(np.uint8))),
    ms("DynamicQuantizeMatMul", ROWS, Const(WEIGHTS), Const(SCALES), None, Const(BIAS))(
        "a scale for each column", tol=CLOSE),
    ms("DynamicQuantizeMatMul", rand(2, 3, 6), Const(WEIGHTS), scalar(0.01))("a batch", tol=CLOSE),
    gemm()("real", tol=ROUNDS),
    gemm(Const(i(1, -200, 3, 5, 70, dtype=np.int32)), Const(scalar(0.3)),
         Const(scalar(130, np.uint8)))("integers", tol=STEP),
    gemm(None, Const(scalar(0.3)), Const(scalar(130, np.uint8)), scale=SCALES)(
        "a scale for each column", tol=STEP),
    gemm(Const(i(1, -200, 3, 5, 70, dtype=np.int32)), alpha=0.5)("half of it", tol=ROUNDS),
    gemm(x=whole(6, 4), w=WEIGHTS.T.copy(), transA=1, transB=1)("transposed", tol=ROUNDS),
    gemm(None, Const(scalar(0.3)))("no zero point of the result", raises=BadType),
    gemm(x=whole(1, 4, 6))("a batch", raises=BadType),
]  # fmt: skip
