"""ONNX Runtime's weights of 2, 4 and 8 bits in blocks."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from nnir.errors import BadType, NotConstant, Unsupported

from ...case import Const, Tolerance, f, i, rand
from .microsoft_quant import ms

CLOSE = Tolerance(relative=1e-4, absolute=1e-3)
"""Sums of 40 products of up to 128 steps."""

HALF = Tolerance(relative=1e-2, absolute=0.5)
"""Sums of the same in half precision, which ONNX Runtime keeps in single."""


def weights(
    bits: int, rows: int = 5, columns: int = 40, block: int = 16, kind: Any = np.float32
) -> tuple[Const, Const, dict[str, Any]]:
    """Bytes and scales of weights, and the attributes that say so."""
    blocks = -(-columns // block)
    stored = rand(rows, blocks, block * bits // 8, dtype=np.uint8, low=0, high=255)
    scales = rand(rows, blocks, low=0.1, high=1).astype(kind)
    return (
        Const(stored),
        Const(scales),
        {"K": columns, "N": rows, "bits": bits, "block_size": block},
    )


def product(width: int, *rest: Any, x: Any = None, sizes: Any = None, **new: Any) -> Any:
    """MatMulNBits; `rest` comes behind the scales."""
    rows = rand(3, 40) if x is None else x
    stored, scales, attrs = weights(width, **sizes or {})
    return ms("MatMulNBits", rows, stored, scales, *rest, **attrs | new)


PACKED = {bits: rand(5, -(-3 * bits // 8), dtype=np.uint8, low=0, high=255) for bits in (2, 4, 8)}
BITS = (2, 4, 8)
INDICES = i([1, 3], [0, -1])
BYTES = rand(4, 16, dtype=np.uint8, low=0, high=255)
NIBBLES = rand(4, 32, dtype=np.uint8, low=0, high=15)
SCALES = rand(4, 2, low=0.1, high=1)
CODES = rand(40, dtype=np.uint8, low=0, high=255)


def gather(data: Any, scales: Any, *rest: Any, indices: Any = INDICES, **new: Any) -> Any:
    """GatherBlockQuantized of blocks of 16."""
    given = (Const(data), indices, Const(scales), *rest)
    return ms("GatherBlockQuantized", *given, **{"block_size": 16} | new)


CASES = [
    *(product(bits)(f"{bits} bits", tol=CLOSE) for bits in BITS),
    *(product(bits, Const(PACKED[bits]))(f"{bits} bits with zero points", tol=CLOSE)
      for bits in BITS),
    *(product(bits, Const(rand(5, 3, low=0, high=3)))(f"{bits} bits with real zero points",
                                                      tol=CLOSE) for bits in (2, 4)),
    *(product(4, sizes={"columns": 64, "block": block}, x=rand(2, 3, 64))(
          f"blocks of {block}, a batch", tol=CLOSE) for block in (16, 32, 64, 128)),
    product(4, None, None, Const(f(1, -2, 3, 0.5, 0)))("a bias", tol=CLOSE),
    product(4, accuracy_level=1)("a level of accuracy", tol=CLOSE),
    product(4, x=rand(3, 40).astype(np.float16), sizes={"kind": np.float16})("half", tol=HALF),
    product(4, None, Const(np.arange(40, dtype=np.int32)))("an order", raises=Unsupported),
    product(4, block_size=24)("a block that is no power of 2", raises=BadType),
    product(4, N=6)("a row too many", raises=BadType),
    product(4, Const(PACKED[8]))("too many zero points", raises=BadType),
    product(4, PACKED[4])("zero points that are told while running", raises=NotConstant),
    product(4, block_size=8)("blocks of 8", raises=BadType),
    product(4, N=0)("no rows", raises=BadType),
    product(4, bits=3)("3 bits", raises=Unsupported),
    product(4, weight_prepacked=1)("weights in another order", raises=Unsupported),
    *(ms("MatMulBnb4", rand(3, 16), Const(CODES), Const(f(0.5, 1, 2, 0.25, 1.5)), K=16, N=5,
         block_size=16, quant_type=kind)(f"codes {kind}", tol=CLOSE) for kind in (0, 1)),
    ms("MatMulBnb4", rand(3, 16), Const(CODES), Const(f(0.5, 1, 2, 0.25, 1.5)), K=16, N=5,
       block_size=16, quant_type=1, training_mode=1)("training plays no role", tol=CLOSE),
    ms("MatMulBnb4", rand(3, 16), Const(CODES), Const(f(0.5, 1, 2, 0.25, 1.5)), K=16, N=5,
       block_size=16, quant_type=1, transB=0)("columns", raises=Unsupported),
    ms("MatMulBnb4", rand(3, 16), Const(CODES), Const(f(0.5, 1, 2)), K=16, N=5, block_size=32,
       quant_type=1)("a block less than whole", tol=CLOSE),
    ms("MatMulBnb4", rand(3, 16), Const(CODES), Const(f(0.5)), K=16, N=5, block_size=16,
       quant_type=1)("a factor of five", raises=BadType),
    *(ms("MatMulBnb4", rand(3, 16), Const(codes), Const(f(0.5, 1, 2, 0.25, 1.5)), K=16, N=rows,
         block_size=16, quant_type=1)(why, raises=BadType)
      for codes, rows, why in ((CODES.astype(np.int8), 5, "bytes with a sign"),
                               (CODES[:39], 5, "a code too few"), (CODES, 4, "a row too few"),
                               (CODES[:0], 0, "no rows of codes"))),
    ms("MatMulBnb4", rand(3, 16), Const(CODES), Const(f(0.5)), K=16, N=5, block_size=0,
       quant_type=1)("no block", raises=BadType),
    ms("MatMulBnb4", rand(3, 16), Const(CODES), Const(f(0.5)), K=16, N=5, block_size=16,
       quant_type=2)("no such codes", raises=Unsupported),
    gather(BYTES, SCALES)("bytes of two"),
    gather(BYTES, SCALES[:, :1], bits=8)("bytes"),
    gather(NIBBLES.astype(ml_dtypes.uint4), SCALES)("4 bits"),
    gather(NIBBLES.astype(ml_dtypes.uint4), SCALES,
           Const(NIBBLES[:, :2].astype(ml_dtypes.uint4)))("zero points"),
    gather((NIBBLES.astype(np.int8) - 8).astype(ml_dtypes.int4), SCALES)("4 bits around 0"),
    gather(NIBBLES.astype(ml_dtypes.uint4), rand(1, 32, low=0.1, high=1), gather_axis=1,
           quantize_axis=0)("columns"),
    gather(NIBBLES.astype(ml_dtypes.uint4), SCALES, indices=i(2))("one index"),
    gather(BYTES, SCALES, Const(BYTES[:, :1]))("zero points of bytes", raises=Unsupported),
    gather(NIBBLES.astype(ml_dtypes.uint4), SCALES, quantize_axis=-1, gather_axis=-2)(
        "axes from the end"),
    gather(NIBBLES.astype(ml_dtypes.uint4), SCALES, quantize_axis=-2)("the same axis twice",
                                                                      raises=BadType),
    ms("GatherBlockQuantized", BYTES, INDICES, Const(SCALES), block_size=16)(
        "a table that is told while running", raises=NotConstant),
    gather(NIBBLES[0].astype(ml_dtypes.uint4), SCALES[0])("a vector", raises=BadType),
    gather(NIBBLES.astype(np.float32), SCALES)("a table of floats", raises=BadType),
    gather(NIBBLES.astype(ml_dtypes.uint4), SCALES, quantize_axis=0)("one axis",
                                                                     raises=BadType),
    gather(rand(4, 32), SCALES)("floats", raises=BadType),
    gather(NIBBLES.astype(ml_dtypes.uint4), rand(1, 32, low=0.1, high=1),
           Const(NIBBLES[:1].astype(ml_dtypes.uint4)), gather_axis=1, quantize_axis=0)(
        "columns, zero points"),
]  # fmt: skip
