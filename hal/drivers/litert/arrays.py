"""Arrays as LiteRT takes and gives them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnir.model import Model
from nnir.records import dataclass
from nnir.types import TensorType


@dataclass(frozen=True)
class Ends:
    """The element types of a program's inputs and outputs."""

    inputs: tuple[np.dtype, ...]
    outputs: tuple[np.dtype, ...]

    @classmethod
    def of(cls, model: Model) -> Ends:
        return cls.of_types([v.type for v in model.inputs], [v.type for v in model.outputs])

    @classmethod
    def of_types(cls, inputs: Sequence[TensorType], outputs: Sequence[TensorType]) -> Ends:
        return cls(tuple(t.dtype for t in inputs), tuple(t.dtype for t in outputs))


def carrier_of(dtype: np.dtype) -> np.dtype:
    """The element type that LiteRT takes and gives for one of the model."""
    carriers = {"bfloat16": "float32", "complex64": "float32", "complex128": "float64"}
    return np.dtype(carriers.get(dtype.name, dtype))


def to_input(array: np.ndarray) -> np.ndarray:
    """An input as LiteRT takes it: pairs for complex numbers, contiguous elements."""
    array = to_pairs(array)
    if array.dtype.name == "bfloat16":
        return array.astype(np.float32)
    return np.require(array, requirements=["C", "A"])


def to_pairs(array: np.ndarray) -> np.ndarray:
    """Complex numbers as pairs along a last axis."""
    if array.dtype.kind == "c":
        return np.stack([array.real, array.imag], -1)
    return array


def to_model_type(result: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """A result in the element type of the model: pairs as complex numbers."""
    if dtype.kind == "c":
        return np.ascontiguousarray(result).view(dtype)[..., 0]
    return result.astype(dtype, copy=False)
