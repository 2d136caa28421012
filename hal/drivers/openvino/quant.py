"""Quantisation whose scale and zero point belong to the type, and known integers of a few bits or
in blocks; the rest is decomposed."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.broadcast import axis_of
from nnir.errors import NoLowering
from nnir.formats.bits import pack
from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import linear, quant
from nnir.types import Precision, precision_of

from ... import quantised
from ...emission import asking
from ...quirks import report_met
from .emitter import Emitter, Ref
from .forms import Table
from .quirks import PRODUCT_OF_CONSTANTS, SCALES_OF_SUMMED_ROWS

table = Table()
FEW_BITS = {Precision.INT4: "i4", Precision.UINT4: "u4"}
PACKED = {**FEW_BITS, Precision.INT8: "i8", Precision.UINT8: "u8"}
"""Integers that OpenVINO's kernels for products read as they are stored."""
PRODUCTS: frozenset[Operator[Any]] = frozenset({linear.fully_connected, linear.mat_mul})


@table.lower(quant.quantize, implied=["scale", "zero_point", "axis"])
def quantize(g: Emitter, input: Value) -> Ref:
    how = g.operation.outputs[0].type.quantization
    if how is None:
        raise NoLowering("openvino quantises by scales that are known")
    after = () if how.axis is None else (-1, *(1,) * (input.rank - 1 - how.axis))
    scales, zeros = (np.reshape(n, after).astype(np.float32) for n in (how.scales, how.zero_points))
    steps = g.node("Round", g.cast(input, Precision.FLOAT32) / g.constant(scales))
    if not zeros.any():
        return g.node("Clamp", steps, min=-127.0, max=127.0)
    return g.node("Clamp", steps + g.constant(zeros), min=0.0, max=255.0)


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
    """(q - zero) * scale, or q * scale, in the form that OpenVINO knows compressed weights by."""
    operands = [v for v in (input, zero_point, scale) if v is not None]
    known = [v.constant for v in operands if v.constant is not None]
    if len(known) < len(operands):
        raise NoLowering("openvino: a dequantisation of what is only known while running")
    whole, *parts = known
    is_real = scale.precision == dtype == Precision.FLOAT32
    if input.precision not in (PACKED if block_size else FEW_BITS) or not is_real or not whole.size:
        raise NoLowering(f"openvino keeps no {input.type} by {scale.type} as weights")
    is_one = scale.rank < 2 and parts[-1].size == 1
    along = None if is_one else axis_of(axis, whole.ndim)
    _require_products(g, along, block_size)
    stored, (*zeros, scales) = _spread(whole, parts, along, block_size)
    real = _read_packed(g, stored)
    for zero in zeros:
        if zero.astype(np.int32).any():
            real = real - _read_packed(g, zero)
    real = real * g.constant(scales)
    if along is None or not block_size:
        return real
    count = whole.shape[along]
    real = g.reshape(real, [-1 if k == along else d for k, d in enumerate(whole.shape)])
    return g.first(real, g.ints(count), along) if count % block_size else real


def _spread(
    whole: np.ndarray, parts: list[np.ndarray], along: int | None, size: int
) -> tuple[np.ndarray, list[np.ndarray]]:
    """Integers and what belongs to all of them, to each entry of an axis or to each block of a
    `size`, as they broadcast: blocks have an axis of their own, and the last one is filled up."""
    if along is None:
        return whole, [p.reshape(()) for p in parts]
    before, after = whole.shape[:along], whole.shape[along + 1 :]
    if not size:
        return whole, [p.reshape(-1, *(1,) * len(after)) for p in parts]
    missing = np.zeros((*before, -whole.shape[along] % size, *after), whole.dtype)
    blocks = np.concatenate([whole, missing], along).reshape(*before, -1, size, *after)
    return blocks, [np.expand_dims(p, along + 1) for p in parts]


def _require_products(g: Emitter, along: int | None, block_size: int) -> None:
    """NoLowering unless the result is a matrix that only products read, whose other operands are
    not known, and scales lie along the axis that kernels take them for."""
    from nnir.quantisation.roles import filter_axis, summed_axis  # with all of its package

    (made,) = g.operation.outputs
    if made.rank != 2 or not PRODUCTS.issuperset(r.operator for r in made.uses):
        raise NoLowering("openvino keeps integers of a few bits for matrix products alone")
    others = ([v for v in reader.inputs if v not in (made, None)] for reader in made.uses)
    if any(all(v.constant is not None for v in values) for values in others):
        report_met(PRODUCT_OF_CONSTANTS)
        raise NoLowering("openvino multiplies packed integers by what is not known alone")
    wanted = summed_axis if block_size else filter_axis
    if along is not None and any(along != wanted(reader, made) for reader in made.uses):
        report_met(SCALES_OF_SUMMED_ROWS)
        raise NoLowering("openvino takes scales of what is summed for those of the other axis")


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
