"""Weights of 2, 4 and 8 bits in blocks that have scales, as language models keep them in bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import numpy as np

from ..errors import BadType, NotConstant, Unsupported
from ..formats.bits import unpack
from ..model import Value
from ..ops import index, quant, shape
from ..types import INTEGERS, Precision

Known = Annotated[Value, None]
"""A constant where it is known while converting."""

KINDS = {
    2: (Precision.UINT2, Precision.INT2),
    4: (Precision.UINT4, Precision.INT4),
    8: (Precision.UINT8, Precision.INT8),
}
"""Unsigned and signed integers by their bits."""

MAGNITUDES = (0, 1 / 192, 2 / 3, 1, 1 / 3, 1 / 2, 1 / 6, 1 / 4)
NF4 = (
    *(-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453),
    *(-0.28444138169288635, -0.18477343022823334, -0.09105003625154495, 0.0),
    *(0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224),
    *(0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0),
)
FP4 = (*MAGNITUDES, *(-x for x in MAGNITUDES))
"""What codes of 4 bits stand for in QLoRA: floats, or quantiles of the normal distribution."""


def unpack_integers(packed: np.ndarray, width: int, bits: int, *, centred: bool) -> np.ndarray:
    """The first `width` integers of each row [..., bytes], on request around half of their range.

    BadType where there are no bytes, or too few.
    """
    each = 8 // bits * packed.shape[-1]
    if packed.dtype != np.uint8 or each < width:
        raise BadType(f"{width} integers of {bits} bits in {packed.dtype}{list(packed.shape)}")
    unsigned, signed = KINDS[bits]
    flat = unpack(np.ascontiguousarray(packed).reshape(-1), unsigned, packed.size * 8 // bits)
    whole = np.ascontiguousarray(flat.reshape(*packed.shape[:-1], each)[..., :width])
    if not centred:
        return whole
    return (whole.astype(np.int16) - (1 << (bits - 1))).astype(signed.dtype)


def dequantize_blocks(
    packed: np.ndarray,
    scales: Value,
    zero_points: Value | None,
    sizes: tuple[int, int],
    bits: int,
    block: int,
    precision: Precision,
) -> Value:
    """Weights [rows, columns], of which each block of a row has a scale [rows * blocks].

    `packed` has the bytes of one block after the other. Zero points are integers in bytes, of which
    each row begins with one, or real numbers [rows, blocks]; without any, half of the range is 0.
    """
    rows, columns = sizes
    if block < 16 or block & (block - 1) or min(sizes) < 1:
        raise BadType(f"weights {list(sizes)} in blocks of {block}, not a power of 2 from 16 on")
    blocks = -(-columns // block)
    if packed.size != rows * blocks * block * bits // 8:
        raise BadType(f"weights {list(sizes)} of {bits} bits from {packed.size} bytes")
    model, each, zeros = scales.model, shape.reshape(scales, [rows, blocks]), None
    stored = unpack_integers(packed.reshape(rows, -1), columns, bits, centred=zero_points is None)
    if zero_points is not None and zero_points.is_float:
        zeros = shape.reshape(zero_points, [rows, blocks])
        return _scale_from_real(stored, each, zeros, block, precision)
    if zero_points is not None:
        known = zero_points.constant
        if known is None:
            raise NotConstant("zero points of blocks in bytes must be constant")
        if known.size != rows * -(-blocks * bits // 8):
            raise BadType(f"zero points {zero_points.type} of {rows} x {blocks} blocks")
        numbers = unpack_integers(known.reshape(rows, -1), blocks, bits, centred=False)
        zeros = model.constant(numbers)
    return quant.dequantize_linear(
        model.constant(stored), each, zeros, axis=1, block_size=block, dtype=precision
    )


def _scale_from_real(
    weights: np.ndarray, scales: Value, zeros: Value, block: int, precision: Precision
) -> Value:
    """(q - zero) * scale, with zero points that are no integers."""
    rows, columns = weights.shape
    blocks = -(-columns // block)
    padded = np.zeros((rows, blocks * block), weights.dtype)
    padded[:, :columns] = weights
    steps = scales.model.constant(padded.reshape(rows, blocks, block)).cast(precision)
    each = (steps - shape.unsqueeze(zeros, [2])) * shape.unsqueeze(scales, [2])
    return index.slice_(shape.reshape(each, [rows, blocks * block]), [1], [0], [columns])


def dequantize_experts(
    packed: np.ndarray,
    scales: Value,
    zero_points: np.ndarray | None,
    bits: int,
    block: int,
) -> Value:
    """Weights [experts, rows, columns] in float32, of which each block of a row has a scale
    [experts, rows, blocks]; without a `block`, each row [experts, rows].

    Zero points are integers in bytes along the last of these axes; without any, half of the range
    is 0.
    """
    if packed.ndim != 3 or bits not in KINDS or scales.rank != (3 if block else 2):
        raise BadType(f"experts of {bits} bits {list(packed.shape)} with scales {scales.type}")
    experts, rows, count = packed.shape
    columns = count * 8 // bits
    size = block or columns
    blocks = columns // size if size else 0
    if blocks * size != columns or size < 1:
        raise BadType(f"rows of {columns} weights in blocks of {block}")
    model, zeros = scales.model, None
    stored = unpack_integers(packed, columns, bits, centred=zero_points is None)
    if zero_points is not None:
        numbers = unpack_integers(zero_points, blocks if block else rows, bits, centred=False)
        if numbers.size != experts * rows * blocks:
            raise BadType(f"zero points {list(zero_points.shape)} of experts {list(packed.shape)}")
        zeros = model.constant(numbers.reshape(experts, rows, blocks))
    each = shape.reshape(scales, [experts, rows, blocks])
    return quant.dequantize_linear(
        model.constant(stored), each, zeros, axis=2, block_size=size, dtype=Precision.FLOAT32
    )


def look_up_codes(
    packed: np.ndarray,
    factors: np.ndarray,
    sizes: tuple[int, int],
    block: int,
    codes: Sequence[float],
) -> np.ndarray:
    """Weights of `sizes` in float32 from codes of 4 bits, the first in the upper half of a byte.

    `block` weights one after the other have one factor.
    """
    count = int(np.prod(sizes))
    blocks = -(-count // block) if block > 0 else 0
    fits = min(sizes) > 0 and packed.dtype == np.uint8 and packed.size == (count + 1) // 2
    if not fits or factors.size != blocks:
        what = f"{packed.size} numbers of type {packed.dtype} and {factors.size} factors"
        raise BadType(f"weights {list(sizes)} from {what}")
    halves = np.stack([packed.reshape(-1) >> 4, packed.reshape(-1) & 15], axis=1)
    spread = np.repeat(factors.reshape(-1), block)[:count].astype(np.float32)
    return (np.array(codes, np.float32)[halves.reshape(-1)[:count]] * spread).reshape(sizes)


def gather_blocks(
    data: Known,
    indices: Value,
    scales: Value,
    zero_points: Value | None = None,
    *,
    bits: Literal[2, 4, 8] = 4,
    block_size: int = 128,
    gather_axis: int = 0,
    quantize_axis: int = 1,
) -> Value:
    """Entries along an axis of a table whose blocks along another have scales: only what is read
    becomes real. Bytes hold integers of `bits` along the last axis, around half of their range."""
    table, rank = data, data.rank
    along, blocked = gather_axis % max(rank, 1), quantize_axis % max(rank, 1)
    if rank < 2 or along == blocked or table.precision not in INTEGERS:
        raise BadType(
            f"entries along axis {gather_axis} of {table.type} with blocks along {blocked}"
        )
    if table.precision == Precision.UINT8:
        known = table.constant
        if known is None:
            raise NotConstant("a table of blocks in bytes must be constant")
        if zero_points is not None:
            raise Unsupported("a table of blocks in bytes with zero points")
        whole = unpack_integers(known, known.shape[-1] * 8 // bits, bits, centred=True)
        table = table.model.constant(whole)
    steps, factors = (index.gather(v, indices, axis=along) for v in (table, scales))
    zeros = None if zero_points is None else index.gather(zero_points, indices, axis=along)
    place = blocked + (indices.rank - 1 if blocked > along else 0)
    return quant.dequantize_linear(
        steps, factors, zeros, axis=place, block_size=block_size, dtype=scales.precision
    )
