"""Operand types: the standard's codes, quantisation parameters and tensor types."""

from __future__ import annotations

from dataclasses import field
from enum import IntEnum
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from .dim import Dim, Expr
from .errors import BadType
from .records import dataclass

MOST_AXES = 64
"""As many axes as NumPy has."""

LARGEST = (1 << 63) - 1

INTS = frozenset({int})

MOST_SCALES = 8
"""So many scales are written out in the text of a type."""


class Precision(IntEnum):
    """Element types. Codes below 1000 are the standard's, the others are extensions."""

    BOOL8 = 0
    INT8 = 1
    UINT8 = 2
    INT16 = 3
    UINT16 = 4
    INT32 = 5
    UINT32 = 6
    INT64 = 7
    UINT64 = 8
    FLOAT16 = 9
    FLOAT32 = 10
    FLOAT64 = 11
    QUANT_INT8_SYMM_PER_LAYER = 24
    QUANT_INT8_SYMM_PER_CHANNEL = 25
    QUANT_UINT8_ASYMM_PER_LAYER = 26
    QUANT_INT16_SYMM_PER_LAYER = 27
    QUANT_INT16_SYMM_PER_CHANNEL = 28
    QUANT_UINT16_ASYMM_PER_LAYER = 29
    QUANT_INT32_SYMM_PER_LAYER = 30
    QUANT_INT32_SYMM_PER_CHANNEL = 31
    QUANT_UINT32_ASYMM_PER_LAYER = 32
    BFLOAT16 = 1000
    FLOAT8E4M3FN = 1001
    FLOAT8E4M3FNUZ = 1002
    FLOAT8E5M2 = 1003
    FLOAT8E5M2FNUZ = 1004
    FLOAT8E8M0FNU = 1005
    FLOAT4E2M1FN = 1006
    INT4 = 1007
    UINT4 = 1008
    INT2 = 1009
    UINT2 = 1010
    COMPLEX64 = 1011
    COMPLEX128 = 1012
    FLOAT6E2M3FN = 1013
    FLOAT6E3M2FN = 1014

    def __bool__(self) -> bool:
        """A precision is one, also that whose code is 0: `given or default` does what it says."""
        return True

    @property
    def dtype(self) -> np.dtype:
        """The NumPy type that holds one element."""
        try:
            return _DTYPES[self]
        except KeyError:
            _add_narrow()
        return _DTYPES[self]

    @property
    def is_float(self) -> bool:
        return self in FLOATS

    @property
    def is_integer(self) -> bool:
        return self in INTEGERS

    @property
    def is_complex(self) -> bool:
        return self in COMPLEXES

    @property
    def is_quantized(self) -> bool:
        return 24 <= self <= 32


class Layout(IntEnum):
    """How the axes of an operand are ordered."""

    NCHW = 0
    NHWC = 1
    HWCN = 2
    HWNC = 3


class Lifetime(IntEnum):
    """Where an operand's data lives."""

    TEMPORARY_VARIABLE = 0
    TEMPORARY_SHAPE = 1
    CONSTANT_COPY = 2
    CONSTANT_REFERENCE = 3
    MODEL_INPUT = 4
    MODEL_OUTPUT = 5


class Fuse(IntEnum):
    """Activation applied to the result of an operation; RELU1 clamps to [0, 1]."""

    NONE = 0
    RELU = 1
    RELU1 = 2
    RELU6 = 3


class AutoPad(IntEnum):
    """How the padding of a convolution or a pool is computed."""

    NONE = 0
    SAME = 1
    VALID = 2


class DeviceType(IntEnum):
    """Kinds of devices."""

    CPU = 0
    GPU = 1
    ACCELERATOR = 2


class PadMode(IntEnum):
    """How PAD and GRID_SAMPLE fill what lies outside; WRAP is an extension."""

    NONE = 0
    CONSTANT = 1
    REFLECT = 2
    REPLICATE = 3
    EDGE = 4
    WRAP = 1000


class InterpolateMode(IntEnum):
    """How GRID_SAMPLE interpolates; BICUBIC is an extension."""

    NONE = 0
    BILINEAR = 1
    NEAREST = 2
    BICUBIC = 1000


_DTYPES: dict[Precision, np.dtype] = {
    p: np.dtype(kind)
    for p, kind in {
        Precision.BOOL8: np.bool_,
        Precision.INT8: np.int8,
        Precision.UINT8: np.uint8,
        Precision.INT16: np.int16,
        Precision.UINT16: np.uint16,
        Precision.INT32: np.int32,
        Precision.UINT32: np.uint32,
        Precision.INT64: np.int64,
        Precision.UINT64: np.uint64,
        Precision.FLOAT16: np.float16,
        Precision.FLOAT32: np.float32,
        Precision.FLOAT64: np.float64,
        Precision.COMPLEX64: np.complex64,
        Precision.COMPLEX128: np.complex128,
    }.items()
}
_PRECISIONS: dict[np.dtype, Precision] = {d: p for p, d in _DTYPES.items()}
_DTYPES |= {p: np.dtype(p.name.split("_")[1].lower()) for p in Precision if 24 <= p <= 32}


@cache
def _add_narrow() -> None:
    """Complete the tables with the types that NumPy has not by itself: few models hold any, and
    their import takes as long as that of a driver."""
    import ml_dtypes

    for precision, kind in {
        Precision.BFLOAT16: ml_dtypes.bfloat16,
        Precision.FLOAT8E4M3FN: ml_dtypes.float8_e4m3fn,
        Precision.FLOAT8E4M3FNUZ: ml_dtypes.float8_e4m3fnuz,
        Precision.FLOAT8E5M2: ml_dtypes.float8_e5m2,
        Precision.FLOAT8E5M2FNUZ: ml_dtypes.float8_e5m2fnuz,
        Precision.FLOAT8E8M0FNU: ml_dtypes.float8_e8m0fnu,
        Precision.FLOAT4E2M1FN: ml_dtypes.float4_e2m1fn,
        Precision.FLOAT6E2M3FN: ml_dtypes.float6_e2m3fn,
        Precision.FLOAT6E3M2FN: ml_dtypes.float6_e3m2fn,
        Precision.INT4: ml_dtypes.int4,
        Precision.UINT4: ml_dtypes.uint4,
        Precision.INT2: ml_dtypes.int2,
        Precision.UINT2: ml_dtypes.uint2,
    }.items():
        _DTYPES[precision] = np.dtype(kind)
        _PRECISIONS[np.dtype(kind)] = precision


if TYPE_CHECKING:
    DTYPES: dict[Precision, np.dtype]
    PRECISIONS: dict[np.dtype, Precision]


def __getattr__(name: str) -> Any:
    """DTYPES or PRECISIONS: every precision and its NumPy type."""
    tables = {"DTYPES": _DTYPES, "PRECISIONS": _PRECISIONS}
    if name not in tables:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    _add_narrow()
    globals()[name] = tables[name]
    return tables[name]


FLOATS = frozenset(p for p in Precision if p.name.startswith(("FLOAT", "BFLOAT")))
COMPLEXES = frozenset({Precision.COMPLEX64, Precision.COMPLEX128})
INTEGERS = frozenset(p for p in Precision if p.name.startswith(("INT", "UINT")))


def find_precision(dtype: np.dtype) -> Precision | None:
    """The precision that a NumPy type stands for, None where there is none."""
    found = _PRECISIONS.get(dtype)
    if found is None:
        _add_narrow()
        found = _PRECISIONS.get(dtype)
    return found


def precision_of(dtype: np.typing.DTypeLike) -> Precision:
    """The precision that a NumPy type, or its name, stands for; BadType when there is none."""
    found = find_precision(_type_of(dtype))
    if found is None:
        raise BadType(f"no precision for elements of type {np.dtype(dtype)}")
    return found


def _type_of(dtype: np.typing.DTypeLike) -> np.dtype:
    """The NumPy type of a name; those of narrow types mean something once they are imported."""
    try:
        return np.dtype(dtype)
    except TypeError:
        _add_narrow()
    return np.dtype(dtype)


def integer_limits(dtype: np.dtype) -> np.iinfo:
    """The least and the largest integer of a type, also of one that NumPy has not by itself."""
    if dtype.kind in "iu":
        return np.iinfo(dtype)
    import ml_dtypes

    return cast(np.iinfo, ml_dtypes.iinfo(dtype))  # type: ignore[no-untyped-call]


@dataclass(frozen=True, slots=True)
class Quantization:
    """real = (q - zero_point) * scale.

    One scale per layer, or one per entry of `axis`; symmetric when every zero point is 0. `stored`
    is the plain precision that an explicit model keeps the integers in, where it is not that of the
    type: zero points and integers lie half a range apart then (`nnir.quantised_types`).
    """

    scales: tuple[float, ...]
    zero_points: tuple[int, ...] = (0,)
    axis: int | None = None
    stored: Precision | None = field(default=None, kw_only=True)

    @property
    def numbers(self) -> tuple[object, ...]:
        """What says which numbers the integers stand for; scales are used in FLOAT32."""
        return tuple(map(np.float32, self.scales)), self.zero_points, self.axis

    def __str__(self) -> str:
        scales = ", ".join(f"{s:.8g}" for s in self.scales[:MOST_SCALES])
        more = ", ..." if len(self.scales) > MOST_SCALES else ""
        zeros = ", ".join(map(str, self.zero_points[:MOST_SCALES])) if any(self.zero_points) else ""
        axis = "" if self.axis is None else f" along {self.axis}"
        stored = "" if self.stored is None else f" of {self.stored.name.lower()}"
        return f"scale {scales}{more}{axis}{zeros and f', zero point {zeros}'}{stored}"


class Row(tuple[Any, ...]):
    """A tuple whose length a model decides: BadType, not IndexError, for a place beyond it."""

    __slots__ = ()

    def __getitem__(self, place: Any) -> Any:
        if type(place) is int and not -len(self) <= place < len(self):
            raise BadType(f"number {place} of {len(self)} axes or elements: {list(self)!r:.80}")
        return tuple.__getitem__(self, place)


class Shape(Row):
    """The sizes of a tensor."""

    __slots__ = ()


def _known_sizes(shape: tuple[Dim, ...]) -> list[int]:
    """The sizes that are no expressions; True, an int of Python, is none at all."""
    return [-1 if isinstance(d, bool) else d for d in shape if not isinstance(d, Expr)]


@dataclass(frozen=True, slots=True)
class TensorType:
    """Precision, shape (ints or named expressions), layout and quantisation of an operand."""

    precision: Precision
    shape: tuple[Dim, ...]
    layout: Layout = field(default=Layout.NCHW, kw_only=True)
    quantization: Quantization | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        shape = self.shape
        is_plain = INTS.issuperset(map(type, shape))
        sizes: Any = shape if is_plain else _known_sizes(shape)
        if len(shape) > MOST_AXES or (sizes and not 0 <= min(sizes) <= max(sizes) <= LARGEST):
            raise BadType(f"a tensor of shape {str(list(shape[:MOST_AXES]))[:200]}")
        if type(shape) is not Shape:
            object.__setattr__(self, "shape", Shape(shape))

    @property
    def dtype(self) -> np.dtype:
        found = _DTYPES.get(self.precision)
        return self.precision.dtype if found is None else found

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def is_static(self) -> bool:
        return not any(isinstance(d, Expr) for d in self.shape)

    def with_shape(self, shape: tuple[Dim, ...]) -> TensorType:
        return TensorType(self.precision, shape, layout=self.layout, quantization=self.quantization)

    def with_precision(self, precision: Precision) -> TensorType:
        return TensorType(precision, self.shape, layout=self.layout)

    def __str__(self) -> str:
        text = f"{self.precision.name.lower()}[{', '.join(map(str, self.shape))}]"
        return text if self.quantization is None else f"{text}({self.quantization})"
