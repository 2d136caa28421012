"""Known integers of few bits, or in blocks, which kernels for products read as they are stored."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import NoLowering
from nnir.formats.bits import pack
from nnir.operator import Operator
from nnir.ops import linear
from nnir.types import Precision, precision_of

from ...emission import asking
from ...quirks import report_met
from .emitter import Emitter, Ref
from .quirks import PRODUCT_OF_CONSTANTS, SCALES_OF_SUMMED_ROWS

FEW_BITS = {Precision.INT4: "i4", Precision.UINT4: "u4"}
PACKED = {**FEW_BITS, Precision.INT8: "i8", Precision.UINT8: "u8"}
"""Integers that OpenVINO's kernels for products read as they are stored."""
PRODUCTS: frozenset[Operator[Any]] = frozenset({linear.fully_connected, linear.mat_mul})


def spread(
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


def require_products(g: Emitter, along: int | None, block_size: int) -> None:
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


def read_packed(g: Emitter, array: np.ndarray) -> Ref:
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
