"""Which precisions ONNX Runtime's CPU kernels lack, and what to compute in instead.

`kernels.json` is made by `probe.py`.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from functools import cache
from pathlib import Path

from nnir.errors import NoLowering
from nnir.records import dataclass
from nnir.types import Precision

MIN_OPSET = {
    Precision.FLOAT8E4M3FN: 19,
    Precision.FLOAT8E4M3FNUZ: 19,
    Precision.FLOAT8E5M2: 19,
    Precision.FLOAT8E5M2FNUZ: 19,
    Precision.INT4: 21,
    Precision.UINT4: 21,
    Precision.FLOAT4E2M1FN: 23,
    Precision.FLOAT8E8M0FNU: 24,
    Precision.INT2: 25,
    Precision.UINT2: 25,
    Precision.FLOAT6E2M3FN: 28,
    Precision.FLOAT6E3M2FN: 28,
}
"""The opset that introduced an element type, where that is a newer one."""
FLOAT8 = frozenset(p for p in MIN_OPSET if MIN_OPSET[p] == 19)
LATE = {"Reshape": (21, FLOAT8)}
"""Precisions that an operator has kernels for from an opset on, though an older one allows them."""
WIDER = {
    Precision.BFLOAT16: (Precision.FLOAT32,),
    Precision.FLOAT16: (Precision.FLOAT32,),
    Precision.BOOL8: (Precision.UINT8, Precision.INT32),
    Precision.INT8: (Precision.INT32, Precision.INT64),
    Precision.UINT8: (Precision.INT32, Precision.INT64),
    Precision.INT16: (Precision.INT32, Precision.INT64),
    Precision.UINT16: (Precision.INT32, Precision.INT64),
    Precision.UINT32: (Precision.INT64,),
    Precision.INT32: (Precision.INT64, Precision.FLOAT64),
    Precision.UINT64: (Precision.INT64,),
    Precision.INT4: (Precision.INT8, Precision.INT32),
    Precision.UINT4: (Precision.UINT8, Precision.INT32),
    Precision.INT2: (Precision.INT8, Precision.INT32),
    Precision.UINT2: (Precision.UINT8, Precision.INT32),
    Precision.FLOAT8E4M3FN: (Precision.FLOAT32,),
    Precision.FLOAT8E4M3FNUZ: (Precision.FLOAT32,),
    Precision.FLOAT8E5M2: (Precision.FLOAT32,),
    Precision.FLOAT8E5M2FNUZ: (Precision.FLOAT32,),
    Precision.FLOAT8E8M0FNU: (Precision.FLOAT32,),
}
"""Precisions that hold every value, the nearest first; results wrap back as the origin's do.

UINT64 moves through INT64 bit by bit, which is exact wherever order and division play no role.
"""
ORDERED = frozenset(
    {"Max", "Min", "Div", "Mod", "Greater", "Less", "TopK", "ReduceMax", "ReduceMin"}
)
UNWIDENED = frozenset({"DequantizeLinear", "QLinearMatMul", "QuantizeLinear"})
"""Operators that are others in a wider precision."""

GIVEN = {
    **dict.fromkeys(("Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"), Precision.BOOL8),
    **dict.fromkeys(("IsInf", "IsNaN"), Precision.BOOL8),
    "ConvInteger": Precision.INT32,
    "TfIdfVectorizer": Precision.FLOAT32,
    **dict.fromkeys(("ArgMax", "ArgMin", "NonZero", "Shape"), Precision.INT64),
}
"""The precisions of results that are not the first operand's."""

FURTHER = {
    **dict.fromkeys(("MaxPool", "TopK", "Unique"), Precision.INT64),
    "Dropout": Precision.BOOL8,
}
"""Those of further results."""

SYMBOLS = {
    "+": "Add",
    "-": "Sub",
    "*": "Mul",
    "/": "Div",
    "%": "Mod",
    "neg": "Neg",
    "abs": "Abs",
    "==": "Equal",
    "<": "Less",
    "<=": "LessOrEqual",
    ">": "Greater",
    ">=": "GreaterOrEqual",
    "&": "And",
    "|": "Or",
    "^": "Xor",
    "~": "Not",
}
"""The nodes that Python's symbols stand for."""

SINGLE = frozenset({"BatchNormalization", "MaxRoiPool"})
"""Kernels that compute in FLOAT32: see `Emitter.single`."""

CLIPPED = {
    Precision.INT16: Precision.INT32,
    Precision.UINT16: Precision.INT32,
    Precision.BFLOAT16: Precision.FLOAT32,
}
"""What Clip is a function without a kernel for, and what to clip in instead."""


@dataclass(frozen=True)
class Kernels:
    """The precisions of operand number `operand` that an ONNX operator has kernels for."""

    operand: int
    precisions: frozenset[Precision]


@cache
def table() -> dict[str, Kernels]:
    """By ONNX operator; one that is absent could not be probed or is newer than the opset."""
    data = json.loads(Path(__file__).with_name("kernels.json").read_text())
    return {
        op: Kernels(row["operand"], frozenset(Precision[n] for n in row["precisions"]))
        for op, row in data["kernels"].items()
    }


def operand_of(op: str) -> int:
    """The position of the operand whose precision selects the kernel."""
    return table()[op].operand if op in table() else 0


def has_kernel(op: str, precision: Precision) -> bool:
    """Whether ONNX Runtime runs an operator on elements of a precision."""
    return op not in table() or precision in table()[op].precisions


def late(op: str, opset: int) -> frozenset[Precision]:
    """The precisions that ONNX Runtime has kernels for in newer opsets only."""
    since, precisions = LATE.get(op, (0, frozenset()))
    return precisions if opset < since else frozenset()


def compute_precision(
    op: str, given: Precision, domain: str = "", missing: Collection[Precision] = ()
) -> Precision:
    """The precision to run `op` in: `given`, or the nearest wider one that has a kernel.

    `missing` are those that the operator set has not for it. NoLowering when there is neither.
    """
    kernels = None if domain else table().get(op)
    if kernels is None or (given in kernels.precisions and given not in missing):
        return given
    for wide in WIDER.get(given, ()):
        if op in UNWIDENED and given in kernels.precisions:
            break
        if wide not in kernels.precisions or wide in missing:
            continue
        if not (given == Precision.UINT64 and op in ORDERED):
            return wide
    if given in kernels.precisions:
        return given  # the operator set is what refuses it
    raise NoLowering(f"onnxruntime has no kernel of {op} for {given.name}")


def rounding_to(precision: Precision) -> dict[str, int | str]:
    """How a Cast rounds to 8-bit floats as NumPy does: powers of two to the nearest one."""
    if precision == Precision.FLOAT8E8M0FNU:
        return {"round_mode": "nearest", "saturate": 0}
    return {"saturate": 0} if precision.name.startswith("FLOAT8") else {}
