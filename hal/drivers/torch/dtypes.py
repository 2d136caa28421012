"""Element types: those of torch, and the ones that its kernels compute in."""

from __future__ import annotations

import numpy as np
import torch

from nnir.errors import NoLowering
from nnir.ops.unary import BITS
from nnir.types import DTYPES, PRECISIONS, Precision

PLAIN = {
    Precision.BOOL8: torch.bool,
    Precision.INT8: torch.int8,
    Precision.UINT8: torch.uint8,
    Precision.INT16: torch.int16,
    Precision.UINT16: torch.uint16,
    Precision.INT32: torch.int32,
    Precision.UINT32: torch.uint32,
    Precision.INT64: torch.int64,
    Precision.UINT64: torch.uint64,
    Precision.FLOAT16: torch.float16,
    Precision.BFLOAT16: torch.bfloat16,
    Precision.FLOAT32: torch.float32,
    Precision.FLOAT64: torch.float64,
    Precision.FLOAT8E4M3FN: torch.float8_e4m3fn,
    Precision.FLOAT8E4M3FNUZ: torch.float8_e4m3fnuz,
    Precision.FLOAT8E5M2: torch.float8_e5m2,
    Precision.FLOAT8E5M2FNUZ: torch.float8_e5m2fnuz,
    Precision.FLOAT8E8M0FNU: torch.float8_e8m0fnu,
    Precision.COMPLEX64: torch.complex64,
    Precision.COMPLEX128: torch.complex128,
    Precision.INT4: torch.int8,
    Precision.UINT4: torch.uint8,
    Precision.INT2: torch.int8,
    Precision.UINT2: torch.uint8,
}
"""Elements of less than a byte fill one."""

NARROW = frozenset(p for p in PLAIN if p.is_float) - {Precision.FLOAT32, Precision.FLOAT64}
"""Floats that are computed with in float32 and rounded once."""

COMPUTED = dict.fromkeys(NARROW, torch.float32) | {
    Precision.UINT16: torch.int32,
    Precision.UINT32: torch.int64,
}
"""What torch computes in where its kernels lack a type; UINT64 is viewed as int64."""

CARRIED = {
    Precision.UINT16: torch.int16,
    Precision.UINT32: torch.int32,
    Precision.UINT64: torch.int64,
} | {p: torch.uint8 for p in NARROW if p.dtype.itemsize == 1}
"""Types of the same width whose kernels move the bits of those that have few."""

FOREIGN = {
    torch.bfloat16: torch.int16,
    torch.float8_e4m3fn: torch.uint8,
    torch.float8_e4m3fnuz: torch.uint8,
    torch.float8_e5m2: torch.uint8,
    torch.float8_e5m2fnuz: torch.uint8,
    torch.float8_e8m0fnu: torch.uint8,
}
"""Types that NumPy knows by ml_dtypes only: they pass as integers of the same width."""

LOWEST = -(1 << 63)


def plain(precision: Precision) -> Precision:
    """A quantised precision as that of its integers."""
    return PRECISIONS[DTYPES[precision]] if precision.is_quantized else precision


def dtype_of(precision: Precision) -> torch.dtype:
    """The torch type of a precision; NoLowering where there is none."""
    found = PLAIN.get(plain(precision))
    if found is None:
        raise NoLowering(f"torch has no elements of type {precision.name}")
    return found


def tensor_of(array: np.ndarray) -> torch.Tensor:
    """A tensor on an array's memory, which is never written to; odd arrays are copied."""
    precision = PRECISIONS[array.dtype]
    dtype = dtype_of(precision)
    if precision in BITS:
        array = array.astype(np.uint8 if dtype == torch.uint8 else np.int8)
    array = np.require(array, array.dtype.newbyteorder("="), "A")
    if any(s < 0 or s % array.itemsize for s in array.strides):
        array = array.copy()
    if dtype in FOREIGN:
        carrier = np.int16 if array.itemsize == 2 else np.uint8
        return torch.from_numpy(_writable(array.view(carrier))).view(dtype)
    return torch.from_numpy(_writable(array))


class _Borrowed:
    """Memory that NumPy may see as writable, so that torch does not warn about it."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array
        interface = dict(array.__array_interface__)
        interface["data"] = (interface["data"][0], False)
        self.__array_interface__ = interface


def _writable(array: np.ndarray) -> np.ndarray:
    if array.flags.writeable:
        return array
    return np.asarray(_Borrowed(array)) if array.size else np.empty(array.shape, array.dtype)


def array_of(tensor: torch.Tensor, dtype: np.dtype) -> np.ndarray:
    """The elements as an array on the memory of the tensor."""
    plain = tensor.detach().resolve_conj().resolve_neg().cpu()
    carrier = FOREIGN.get(plain.dtype)
    if carrier is not None:
        return np.asarray(plain.contiguous().view(carrier).numpy().view(dtype))
    return plain.numpy().astype(dtype, copy=False)
