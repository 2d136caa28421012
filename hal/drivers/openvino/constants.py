"""Arrays as the constants of a graph."""

from __future__ import annotations

import ctypes
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from nnir.errors import NoLowering
from nnir.types import precision_of

from . import elements
from .elements import HIGHEST, LOWEST, NAMES

if TYPE_CHECKING:
    import openvino

BYTES = {"bf16": np.uint16, "u8": np.uint8}
"""What NumPy, without types of others, has for some elements."""


def tensor_of(
    runtime: ModuleType, array: np.ndarray
) -> tuple[openvino.Tensor, tuple[np.ndarray, np.ndarray]]:
    """A tensor that borrows an array's memory, and what must be kept alive for it.

    OpenVINO asks for memory that may be written to, though it only reads.
    """
    if not (array.flags.c_contiguous and array.flags.aligned):
        array = np.array(array, order="C")
    name = NAMES.get(elements.stored_precision(precision_of(array.dtype)))
    if name is None:
        raise NoLowering(f"openvino does not compute in {precision_of(array.dtype).name}")
    if hasattr(runtime, "borrow"):  # that which only writes
        return runtime.borrow(array, name), (array, array)
    if array.size and array.flags.writeable and name not in BYTES:
        return runtime.Tensor(array, shared_memory=True), (array, array)
    raw: Any = (ctypes.c_uint8 * array.nbytes).from_address(array.ctypes.data)
    kind: Any = BYTES.get(name, array.dtype)
    view = (
        np.frombuffer(raw, kind).reshape(array.shape) if array.size else np.empty(array.shape, kind)
    )
    if name == "bf16":
        tensor = runtime.Tensor(view, list(array.shape), runtime.Type.bf16)
        return tensor, (array, view)
    return runtime.Tensor(view, shared_memory=True), (array, view)


def fitting(array: np.ndarray) -> np.ndarray:
    """A constant of a model; NoLowering where it holds what 32 bits do not."""
    if array.dtype == np.int64 and array.size and not is_small(array):
        raise NoLowering("openvino computes int64 in 32 bits: a constant is beyond them")
    return array


def is_small(array: np.ndarray) -> bool:
    """Whether 32 bits hold integers."""
    return bool(array.min(initial=0) >= LOWEST and array.max(initial=0) <= HIGHEST)
