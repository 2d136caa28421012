"""Element types: their names, what ports call them, and how many bits an element has."""

from __future__ import annotations

import numpy as np

from ...errors import NoLowering
from ...records import dataclass


@dataclass(frozen=True)
class Type:
    """An element type. `label` is its name in ports, `dtype` NumPy's where it has one."""

    name: str
    label: str
    bits: int
    dtype: str = ""

    @property
    def is_real(self) -> bool:
        """Whether it has floats."""
        return self.name in ("f16", "bf16", "f32", "f64")

    @property
    def is_integral(self) -> bool:
        """Whether it has integers; truth values are none."""
        return self.name[0] in "iu"

    def to_string(self) -> str:
        """The name."""
        return self.name


TYPES = {
    t.name: t
    for t in (
        Type("boolean", "BOOL", 8, "bool"),
        Type("f16", "FP16", 16, "float16"),
        Type("bf16", "BF16", 16),
        Type("f32", "FP32", 32, "float32"),
        Type("f64", "FP64", 64, "float64"),
        Type("i4", "I4", 4),
        Type("u4", "U4", 4),
        Type("u2", "U2", 2),
        *(Type(f"i{n}", f"I{n}", n, f"int{n}") for n in (8, 16, 32, 64)),
        *(Type(f"u{n}", f"U{n}", n, f"uint{n}") for n in (8, 16, 32, 64)),
    )
}
BY_DTYPE = {np.dtype(t.dtype): t for t in TYPES.values() if t.dtype}


def type_of(name: str) -> Type:
    """The type of a name."""
    if name not in TYPES:
        raise NoLowering(f"openvino has no elements of type {name!r}, only {', '.join(TYPES)}")
    return TYPES[name]
