"""Quantisation whose scale and zero point belong to the type, and known integers of a few bits or
in blocks; the rest is decomposed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnir.broadcast import axis_of
from nnir.errors import NoLowering
from nnir.formats.bits import pack
from nnir.model import Value
from nnir.ops import linear, quant
from nnir.types import Precision, precision_of

from ... import quantised
from ...emission import asking
from ...lowering import Lowerings
from ...quirks import report_met
from .emitter import Emitter, Ref
from .quirks import PRODUCT_OF_CONSTANTS, SCALES_OF_SUMMED_ROWS

table = Lowerings[Ref]()
FLOAT32 = Precision.FLOAT32
PACKED = {
    Precision.INT4: "i4",
    Precision.UINT4: "u4",
    Precision.INT8: "i8",
    Precision.UINT8: "u8",
}
"""Integers that OpenVINO's kernels for products read as they are stored."""


@table.lower(quant.quantize, implied=["scale", "zero_point", "axis"])
def quantize(g: Emitter, input: Value) -> Ref:
    how = g.operation.outputs[0].type.quantization
    if how is None:
        raise NoLowering("openvino quantises by scales that are known")
    after = () if how.axis is None else (-1, *(1,) * (input.rank - 1 - how.axis))
    scales, zeros = (np.reshape(n, after).astype(np.float32) for n in (how.scales, how.zero_points))
    steps = g.cast(input, FLOAT32) / g.constant(scales)
    steps = g.node("Round", steps, mode="half_to_even")
    if not zeros.any():
        return g.node("Clamp", steps, min=-127.0, max=127.0).cast(Precision.INT8)
    shifted = steps + g.constant(zeros)
    return g.node("Clamp", shifted, min=0.0, max=255.0).cast(Precision.UINT8)


@table.lower(quant.dequantize)
def dequantize(g: Emitter, input: Value) -> Ref:
    return quantised.dequantize(g, input)


@table.lower(quant.dequantize_linear)
def dequantize_linear(
    g: Emitter,
    input: Value,
    scale: Value,
    zero_point: Value | None,
    *,
    axis: int,
    block_size: int,
    dtype: Precision,
) -> Ref:
    whole, scales = input.constant, scale.constant
    zeros = None if zero_point is None else zero_point.constant
    if whole is None or scales is None or (zeros is None) != (zero_point is None):
        raise NoLowering("openvino: a dequantisation of what is only known while running")
    is_small = input.precision in (Precision.INT4, Precision.UINT4) or block_size > 0
    if not (is_small and input.precision in PACKED and scale.precision == dtype == FLOAT32):
        raise NoLowering(f"openvino keeps no {input.type} by {scale.type} as weights")
    if not whole.size or not _is_matrix_of_products(g):
        raise NoLowering("openvino keeps integers of a few bits for matrix products alone")
    if _is_in_known_product(g):
        report_met(PRODUCT_OF_CONSTANTS)
        raise NoLowering("openvino multiplies packed integers by what is not known alone")
    along = axis_of(axis, whole.ndim) if scales.ndim else 0
    is_single = scales.size == 1 and scales.ndim < 2
    if not (is_single or _scales_fit(g, along, block_size)):
        report_met(SCALES_OF_SUMMED_ROWS)
        raise NoLowering("openvino takes scales of what is summed for those of the other axis")
    parts = (zeros, scales) if zeros is not None and zeros.astype(np.int32).any() else (scales,)
    if is_single:
        return _dequantise(g, whole, [p.reshape(()) for p in parts])
    if not block_size:
        after = (1,) * (whole.ndim - 1 - along)
        return _dequantise(g, whole, [p.reshape(-1, *after) for p in parts])
    return _dequantise_blocks(g, whole, parts, along, block_size)


def _is_matrix_of_products(g: Emitter) -> bool:
    """Whether the result of the operation is a matrix that only products read."""
    (made,) = g.operation.outputs
    products = (linear.fully_connected, linear.mat_mul)
    return made.rank == 2 and all(reader.operator in products for reader in made.uses)


def _is_in_known_product(g: Emitter) -> bool:
    """Whether a product with the result of the operation is one of constants."""
    (made,) = g.operation.outputs
    others = ([v for v in reader.inputs if v not in (made, None)] for reader in made.uses)
    return any(all(v.constant is not None for v in values) for values in others)


def _scales_fit(g: Emitter, axis: int, block_size: int) -> bool:
    """Whether scales lie along the axis that kernels take them for: with blocks the one that is
    summed, else the other one."""
    (made,) = g.operation.outputs
    from nnir.quantisation.roles import filter_axis, summed_axis  # with all of its package

    wanted = summed_axis if block_size else filter_axis
    return all(axis == wanted(reader, made) for reader in made.uses)


def _dequantise(g: Emitter, whole: np.ndarray, parts: Sequence[np.ndarray]) -> Ref:
    """(q - zero) * scale, or q * scale, in the form that OpenVINO knows compressed weights by."""
    *zeros, scales = parts
    real = _read_packed(g, whole)
    for zero in zeros:
        real = real - _read_packed(g, zero)
    return real * g.constant(scales)


def _dequantise_blocks(
    g: Emitter, whole: np.ndarray, parts: Sequence[np.ndarray], along: int, size: int
) -> Ref:
    """Blocks have an axis of their own until they are dequantised; the last one is filled up."""
    before, after = whole.shape[:along], whole.shape[along + 1 :]
    count = whole.shape[along]
    missing = -count % size
    if missing:
        rest = np.zeros((*before, missing, *after), whole.dtype)
        whole = np.concatenate([whole, rest], axis=along)
    blocks = whole.reshape(*before, -1, size, *after)
    real = _dequantise(g, blocks, [np.expand_dims(p, along + 1) for p in parts])
    real = g.reshape(real, whole.shape)
    if not missing:
        return real
    cut = [g.ints(v) for v in (0, count, 1, along)]
    return g.node("Slice", real, *cut)


def _read_packed(g: Emitter, array: np.ndarray) -> Ref:
    """Known integers as FLOAT32, stored in as few bits as they have."""
    raw = pack(array)
    kind = getattr(g.runtime.Type, PACKED[precision_of(array.dtype)])
    tensor = g.runtime.Tensor(raw, g.runtime.Shape(list(array.shape)), kind)
    g.root.held.append(raw)
    with asking("openvino", "packed integers", RuntimeError):
        stored = g.runtime.op.Constant(tensor, shared_memory=True)
        stored.set_friendly_name(g.name("Constant"))
        real = g.factory.create("Convert", [stored.output(0)], {"destination_type": "f32"})
    real.set_friendly_name(g.name("Convert"))
    return Ref(real.output(0), g)
