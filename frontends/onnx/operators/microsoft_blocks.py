"""ONNX Runtime's weights of 2, 4 and 8 bits in blocks (com.microsoft), as language models have
them: blocked DEQUANTIZE_LINEAR in front of an operator."""

from __future__ import annotations

from typing import Literal

import numpy as np

from nnir.errors import BadType, NotConstant, Unsupported
from nnir.formats.bits import unpack
from nnir.model import Value
from nnir.ops import index, linear, quant, shape
from nnir.types import INTEGERS, Precision

from ...table import Context, Table
from ...translate import Translator

table = Table(prefix="com.microsoft::")
KINDS = {
    2: (Precision.UINT2, Precision.INT2),
    4: (Precision.UINT4, Precision.INT4),
    8: (Precision.UINT8, Precision.INT8),
}
"""Unsigned and signed integers by their bits."""

FP4 = (0, 1 / 192, 2 / 3, 1, 1 / 3, 1 / 2, 1 / 6, 1 / 4)
NF4 = (
    *(-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453),
    *(-0.28444138169288635, -0.18477343022823334, -0.09105003625154495, 0.0),
    *(0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224),
    *(0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0),
)
CODES = {0: (*FP4, *(-x for x in FP4)), 1: NF4}
"""What the codes of 4 bits stand for: QLoRA's floats and normal quantiles."""


@table.convert("MatMulNBits")
def mat_mul_n_bits(
    a: Value,
    b: np.ndarray,
    scales: Value,
    zero_points: Value | None = None,
    g_idx: Value | None = None,
    bias: Value | None = None,
    *,
    K: int,  # noqa: N803  the names are those of ONNX Runtime
    N: int,  # noqa: N803  as above
    accuracy_level: Literal[0, 1, 2, 3, 4] = 0,
    bits: Literal[2, 4, 8] = 4,
    block_size: int,
    weight_prepacked: Literal[0] = 0,
    translator: Translator,
) -> Value:
    """x W^T, with weights [N, K] of which each block along K has a scale.

    `accuracy_level` says how far `a` may be rounded; nothing is rounded here.
    """
    if g_idx is not None:
        raise Unsupported("MatMulNBits with g_idx: weights whose blocks are not in their order")
    weights = _unpack_weights(b, (N, K), bits, block_size)
    blocks = -(-K // block_size)
    each = shape.reshape(scales, [N, blocks])
    if zero_points is not None and zero_points.is_float:
        zeros = shape.reshape(zero_points, [N, blocks])
        real = _with_real_zeros(a, weights, each, zeros, block_size)
    else:
        stored, zeros = weights, None
        if zero_points is None:
            stored = _to_signed(weights, bits)
        else:
            zeros = _unpack_zeros(translator, zero_points, (N, blocks), bits)
        real = quant.dequantize_linear(
            a.model.constant(stored),
            each,
            zeros,
            axis=1,
            block_size=block_size,
            dtype=a.precision,
        )
    product = linear.mat_mul(a, real, transpose_y=True)
    return product if bias is None else product + bias


def _unpack_weights(b: np.ndarray, sizes: tuple[int, int], bits: int, block: int) -> np.ndarray:
    """Weights [N, K] of a narrow type, from bytes [N, blocks, bytes of a block]."""
    rows, columns = sizes
    if block < 16 or block & (block - 1) or min(sizes) < 1:
        raise BadType(f"weights {list(sizes)} in blocks of {block}, not a power of 2 from 16 on")
    blocks = -(-columns // block)
    if b.dtype != np.uint8 or b.size != rows * blocks * block * bits // 8:
        raise BadType(
            f"weights {list(sizes)} of {bits} bits in blocks of {block} from {b.size} numbers of "
            f"type {b.dtype}"
        )
    whole = unpack(np.ascontiguousarray(b).reshape(-1), KINDS[bits][0], rows * blocks * block)
    return np.ascontiguousarray(whole.reshape(rows, -1)[:, :columns])


def _to_signed(weights: np.ndarray, bits: int) -> np.ndarray:
    """The integers around 0, where half of their range stands for it."""
    moved = weights.astype(np.int16) - (1 << (bits - 1))
    return moved.astype(KINDS[bits][1].dtype)


def _unpack_zeros(
    translator: Context, zero_points: Value, sizes: tuple[int, int], bits: int
) -> Value:
    """Zero points [N, blocks], of which each row begins with a byte."""
    given = translator.constant_of(zero_points)
    if given is None:
        raise NotConstant("MatMulNBits needs constant zero points")
    rows, blocks = sizes
    width = -(-blocks * bits // 8)
    if given.dtype != np.uint8 or given.size != rows * width:
        raise BadType(f"zero points {given.dtype}{list(given.shape)} of {rows} x {blocks} blocks")
    count = width * 8 // bits
    whole = unpack(np.ascontiguousarray(given).reshape(-1), KINDS[bits][0], rows * count)
    return zero_points.model.constant(np.ascontiguousarray(whole.reshape(rows, count)[:, :blocks]))


def _with_real_zeros(
    a: Value, weights: np.ndarray, scales: Value, zeros: Value, block: int
) -> Value:
    """(q - zero) * scale, with zero points that are no integers."""
    rows, columns = weights.shape
    blocks = -(-columns // block)
    padded = np.zeros((rows, blocks * block), weights.dtype)
    padded[:, :columns] = weights
    steps = a.model.constant(padded.reshape(rows, blocks, block)).cast(a.precision)
    each = (steps - shape.unsqueeze(zeros, [2])) * shape.unsqueeze(scales, [2])
    whole = shape.reshape(each, [rows, blocks * block])
    return index.slice_(whole, [1], [0], [columns])


@table.convert("MatMulBnb4")
def mat_mul_bnb_4(
    a: Value,
    b: np.ndarray,
    absmax: np.ndarray,
    *,
    K: int,  # noqa: N803  the names are those of ONNX Runtime
    N: int,  # noqa: N803  as above
    block_size: int,
    quant_type: Literal[0, 1],
    training_mode: bool = False,
    transB: Literal[1] = 1,  # noqa: N803  as above
) -> Value:
    """x W^T, with codes of 4 bits for weights [N, K], the first in the upper half of a byte.

    `block_size` weights one after the other have one factor. The codes are looked up once, when
    the model is converted: DEQUANTIZE_LINEAR knows integers alone.
    """
    count = N * K
    blocks = -(-count // block_size) if block_size > 0 else 0
    fits = min(N, K) > 0 and b.dtype == np.uint8 and b.size == (count + 1) // 2
    if not fits or absmax.size != blocks:
        raise BadType(
            f"MatMulBnb4 with weights {[N, K]} from {b.size} numbers of type {b.dtype} and "
            f"{absmax.size} factors"
        )
    codes = np.stack([b.reshape(-1) >> 4, b.reshape(-1) & 15], axis=1).reshape(-1)[:count]
    factors = np.repeat(absmax.reshape(-1), block_size)[:count]
    real = np.array(CODES[quant_type], np.float32)[codes] * factors.astype(np.float32)
    weights = a.model.constant(real.reshape(N, K).astype(a.dtype))
    return linear.mat_mul(a, weights, transpose_y=True)


@table.convert("GatherBlockQuantized")
def gather_block_quantized(
    data: Value,
    indices: Value,
    scales: Value,
    zero_points: Value | None = None,
    *,
    bits: Literal[2, 4, 8] = 4,
    block_size: int = 128,
    gather_axis: int = 0,
    quantize_axis: int = 1,
    translator: Translator,
) -> Value:
    """Entries of a table of embeddings whose blocks have scales: only what is read becomes real.

    Bytes hold the integers of `bits` along the last axis, around half of their range.
    """
    rank = data.rank
    along, blocked = gather_axis % max(rank, 1), quantize_axis % max(rank, 1)
    if rank < 2 or along == blocked or data.precision not in INTEGERS:
        raise BadType(f"GatherBlockQuantized of {data.type} along {gather_axis}, {quantize_axis}")
    table, zeros = data, zero_points
    if data.precision == Precision.UINT8:
        table = _signed_table(translator, data, bits)
        if zeros is not None:
            raise Unsupported("GatherBlockQuantized of bytes with zero points")
    steps, factors = (index.gather(v, indices, axis=along) for v in (table, scales))
    if zeros is not None:
        zeros = index.gather(zeros, indices, axis=along)
    return quant.dequantize_linear(
        steps,
        factors,
        zeros,
        axis=blocked + (indices.rank - 1 if blocked > along else 0),
        block_size=block_size,
        dtype=scales.precision,
    )


def _signed_table(translator: Context, data: Value, bits: int) -> Value:
    """The integers that bytes hold, around 0."""
    given = translator.constant_of(data)
    if given is None:
        raise NotConstant("GatherBlockQuantized needs constant bytes")
    *rows, width = given.shape
    whole = unpack(np.ascontiguousarray(given).reshape(-1), KINDS[bits][0], given.size * 8 // bits)
    wide = whole.reshape(*rows, width * 8 // bits)
    return data.model.constant(_to_signed(wide, bits))
