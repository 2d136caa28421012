"""The type of an operand as callers write and read it."""

from __future__ import annotations

import math
from types import NoneType

from nnir.dim import Expr
from nnir.errors import BadCall
from nnir.model import Model
from nnir.records import dataclass
from nnir.types import (
    LARGEST,
    MOST_AXES,
    Layout,
    Lifetime,
    Precision,
    Quantization,
    TensorType,
)

from .arguments import require_a, show, sizes

UNKNOWN = -1
"""A size that is only known while running."""


@dataclass
class OperandType:
    """NNAdapterOperandType: precision, dimensions (-1 where unknown), layout, quantisation.

    `dynamic` are the dimensions that an input may have where some are -1, one tuple each ("gears");
    none means any. `lifetime` is set by the model.
    """

    precision: Precision
    dimensions: tuple[int, ...] = ()
    dynamic: tuple[tuple[int, ...], ...] = ()
    layout: Layout = Layout.NCHW
    quantization: Quantization | None = None
    lifetime: Lifetime = Lifetime.TEMPORARY_VARIABLE

    def __post_init__(self) -> None:
        try:
            self.precision, self.layout = Precision(self.precision), Layout(self.layout)
            self.lifetime = Lifetime(self.lifetime)
        except ValueError as error:
            raise BadCall(f"an operand type with {error}") from None
        require_a("quantization", self.quantization, Quantization, NoneType)
        require_a("gears", self.dynamic, list, tuple)
        self.dimensions = sizes("dimensions", self.dimensions)
        self.dynamic = tuple(sizes("a gear", gear) for gear in self.dynamic)
        if any(not UNKNOWN <= d <= LARGEST for d in self.dimensions):
            raise BadCall(f"dimensions {show(self.dimensions)}: a size is at least 0, or -1")
        if len(self.dimensions) > MOST_AXES:
            raise BadCall(f"{len(self.dimensions)} dimensions, at most {MOST_AXES}")
        if not all(self._is_gear(gear) for gear in self.dynamic):
            raise BadCall(f"gears {show(self.dynamic)} do not fit {show(self.dimensions)}")

    def _is_gear(self, gear: tuple[int, ...]) -> bool:
        return len(gear) == len(self.dimensions) and all(
            0 <= size <= LARGEST and d in (UNKNOWN, size)
            for size, d in zip(gear, self.dimensions, strict=True)
        )

    @property
    def is_static(self) -> bool:
        return UNKNOWN not in self.dimensions

    @property
    def length(self) -> int:
        """The bytes of the data; BadCall where a size is unknown."""
        if not self.is_static:
            raise BadCall(f"dimensions {list(self.dimensions)} are not known yet")
        return math.prod(self.dimensions) * self.precision.dtype.itemsize

    def tensor_type(self, model: Model) -> TensorType:
        """The type for a model; an unknown size becomes a symbol with the range of its gears."""
        shape = []
        for axis, size in enumerate(self.dimensions):
            if size != UNKNOWN:
                shape.append(size)
                continue
            made = model.fresh("d")
            if self.dynamic:
                sizes = [gear[axis] for gear in self.dynamic]
                model.symbols[str(made)] = (min(sizes), max(sizes))
            shape.append(made)  # type: ignore[arg-type]
        return TensorType(
            self.precision, tuple(shape), layout=self.layout, quantization=self.quantization
        )

    def shapeless(self) -> TensorType:
        """The type of one element."""
        return TensorType(self.precision, (), layout=self.layout, quantization=self.quantization)

    @classmethod
    def of(cls, type: TensorType, lifetime: Lifetime = Lifetime.TEMPORARY_VARIABLE) -> OperandType:
        """What the standard shows of a type: no axes are one axis of size 1."""
        sizes = tuple(UNKNOWN if isinstance(d, Expr) else d for d in type.shape) or (1,)
        return cls(type.precision, sizes, (), type.layout, type.quantization, lifetime)
